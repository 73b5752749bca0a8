//! The MCP server, asked by a client of the same protocol in the same process, and as a program.

mod fog;
mod games;
mod hints;
mod keys;
mod machines;
pub(crate) mod program;
mod results;
mod sizes;
mod words;

use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, CallToolResult, ClientConfig, JsonObject};
use rmcp::service::RunningService;
use rmcp::{RoleClient, ServiceExt as _};
use serde_json::{Value, json};
use standoff::arena::{Arena, ArenaLimits, HousePlayer, HousePlayers, HouseSeat};
use standoff::bots::{BOTS, BotSpec};
use standoff::matches::SeatInfo;
use standoff::mcp::Shared;
use standoff::players::BotPlayer;
use tokio_util::sync::CancellationToken;

/// The built-in bots.
pub(crate) struct Bots;

impl HousePlayers for Bots {
    fn names(&self) -> Vec<String> {
        BOTS.iter().map(|name| (*name).to_owned()).collect()
    }

    fn invite(&self, name: &str, place: &HouseSeat) -> Result<HousePlayer, String> {
        let spec: BotSpec = name.parse().map_err(|_| format!("no player `{name}` here"))?;
        let bot = spec.seat(place.seed.child("bot", place.seat.index() as u64));
        let info = SeatInfo::configured(place.seat, name.to_owned(), None);
        Ok(HousePlayer { info, player: Box::new(BotPlayer::new(bot)) })
    }
}

/// A server with nothing but bots.
pub(crate) fn shared() -> Shared {
    on(arena())
}

pub(crate) fn arena() -> Arena {
    Arena::new(Arc::new(Bots), ArenaLimits::default())
}

pub(crate) fn on(arena: Arena) -> Shared {
    let leaderboard = Arc::new(|| {
        let nobody: futures_util::future::BoxFuture<'static, _> = Box::pin(async { Ok("{\"players\":[]}".to_owned()) });
        nobody
    });
    Shared::new(arena, leaderboard, CancellationToken::new()).expect("chance")
}

/// A session of an assistant.
pub(crate) struct Assistant {
    client: RunningService<RoleClient, ClientConfig>,
}

impl Assistant {
    /// Connects to a server of this process.
    pub(crate) async fn to(shared: &Shared) -> Assistant {
        let (here, there) = tokio::io::duplex(1 << 20);
        let server = shared.session();
        tokio::spawn(async move {
            let running = server.serve(there).await.expect("the client begins as it should");
            let _ = running.waiting().await;
        });
        let client = ClientConfig::default().serve(here).await.expect("the server answers");
        Assistant { client }
    }

    /// Calls a tool.
    pub(crate) async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        self.client.call_tool(params(tool, arguments)).await.expect("the protocol holds")
    }

    /// Calls a tool that does as asked, and gives the data of its answer.
    pub(crate) async fn data(&self, tool: &'static str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_ne!(result.is_error, Some(true), "{tool}: {}", text(&result));
        result.structured_content.expect("every answer has data")
    }

    /// Calls a tool that refuses, and gives its words.
    pub(crate) async fn refusal(&self, tool: &'static str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result.is_error, Some(true), "{tool}: {}", text(&result));
        text(&result)
    }

    pub(crate) fn client(&self) -> &RunningService<RoleClient, ClientConfig> {
        &self.client
    }

    /// Plays the first legal action again and again until the match is over.
    pub(crate) async fn play_out(&self, mut view: Value) -> Value {
        let key = view["seat_key"].clone();
        let mut legal = view["legal_actions"].clone();
        while view["outcome"].is_null() {
            // Where the actions are always the same they are listed once.
            if view["legal_actions"][0].is_string() {
                legal = view["legal_actions"].clone();
            }
            let (tool, mut arguments) = if view["your_turn"] == true {
                ("act", json!({ "action": legal[0], "turn": view["turn"], "full": true }))
            } else {
                ("get_state", json!({ "wait_seconds": 20, "full": true }))
            };
            if key.is_string() {
                arguments["seat_key"] = key.clone();
            }
            view = self.data(tool, arguments).await;
        }
        view
    }
}

pub(crate) fn params(tool: &'static str, arguments: Value) -> CallToolRequestParams {
    let arguments: JsonObject = serde_json::from_value(arguments).expect("an object");
    CallToolRequestParams::new(tool).with_arguments(arguments)
}

/// The words of an answer.
pub(crate) fn text(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|block| block.as_text()).map(|text| text.text.clone());
    texts.collect::<Vec<_>>().join("\n")
}
