//! The MCP server: the games as tools for any assistant, on standard input and output or over HTTP, in both eras of the
//! protocol.
//!
//! [`Server`] answers one session. State belongs to the [`Arena`]; all that a session remembers is which seats it took, so
//! that a caller may leave them out. `tools` has what assistants see, `calls` what the tools do, `answer` what they say.

mod answer;
mod app;
mod args;
mod calls;
mod elsewhere;
mod meeting;
mod order;
mod over_http;
mod person;
mod prompts;
mod resources;
mod stdio;
mod tools;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    ErrorData, GetPromptRequestParams, GetPromptResponse, Icon, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, RequestStateCodec, ServerCapabilities, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use self::answer::{ToolAnswer, Wish};
pub use self::app::{BOARD_URI, board_page};
use self::elsewhere::AwaySeat;
use self::meeting::{Waiter, Waiting};
pub use self::over_http::{McpCaller, Registrar, over_http};
pub use self::stdio::{StdioError, serve_stdio};
use crate::arena::{Arena, Glance, Live, SeatHandle, SeatKey, Stage};
use crate::briefs::{self, Language};
use crate::games::library;
use crate::games::seat::Seat;

/// The tool list never changes while the program runs: hosts may keep it for a day.
const LISTS_LAST: u64 = 24 * 60 * 60 * 1000;

/// Where the leaderboard comes from, as JSON text.
pub type LeaderboardSource = Arc<dyn Fn() -> BoxFuture<'static, Result<String, String>> + Send + Sync>;

/// What all sessions share.
#[derive(Clone)]
pub struct Shared {
    arena: Arena,
    leaderboard: LeaderboardSource,
    /// Seals what travels with a question to a person.
    questions: Arc<RequestStateCodec>,
    /// Who waits for opponents.
    waiting: Waiting,
    /// Ends all waiting.
    closing: CancellationToken,
}

/// One session of an assistant.
#[derive(Clone)]
pub struct Server {
    shared: Shared,
    session: Arc<Mutex<Session>>,
    /// Whether a call may come without a session before and after it: over HTTP, in the newer era of the protocol.
    over_http: bool,
}

/// What a session may leave out.
#[derive(Default)]
struct Session {
    mine: Vec<Mine>,
    /// Seats that it took in matches of other processes.
    away: Vec<AwaySeat>,
    shown: Option<Shown>,
    /// As whom it waits for opponents.
    waiter: Option<Waiter>,
    subscriptions: HashMap<String, CancellationToken>,
}

/// A seat that this session took.
#[derive(Clone)]
struct Mine {
    seated: SeatHandle,
    /// By which the arena finds the seat again when its match was put away or has stopped.
    key: SeatKey,
}

/// An answer that may be given again as long as nothing has changed.
#[derive(Clone)]
struct Shown {
    match_id: String,
    seat: Option<Seat>,
    wish: Wish,
    glance: Glance,
    answer: CallToolResult,
}

impl Mine {
    fn match_id(&self) -> &str {
        self.seated.live().id()
    }

    fn is_over(&self) -> bool {
        self.seated.live().stage() == Stage::Over
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("arena", &self.arena).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("shared", &self.shared).finish_non_exhaustive()
    }
}

impl Shared {
    /// What sessions on this arena share. When `closing` is cancelled, all waiting ends.
    ///
    /// # Errors
    /// If the system gives no random numbers.
    pub fn new(
        arena: Arena,
        leaderboard: LeaderboardSource,
        closing: CancellationToken,
    ) -> Result<Shared, getrandom::Error> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        let questions = RequestStateCodec::try_new(key).expect("32 bytes are a key");
        Ok(Shared { arena, leaderboard, questions: Arc::new(questions), waiting: Waiting::default(), closing })
    }

    /// A new session on a connection of its own.
    pub fn session(&self) -> Server {
        Server { shared: self.clone(), session: Arc::default(), over_http: false }
    }

    /// A new session, or a single call, over HTTP.
    fn http_session(&self) -> Server {
        Server { over_http: true, ..self.session() }
    }
}

impl Server {
    fn remember(&self, seated: &SeatHandle, key: &SeatKey) {
        let mine = Mine { seated: seated.clone(), key: key.clone() };
        let mut session = self.session();
        session.mine.retain(|other| other.key != mine.key);
        session.mine.push(mine);
        // Matches that are over are kept for a look back, but not all of them.
        if session.mine.len() > 64
            && let Some(over) = session.mine.iter().position(Mine::is_over)
        {
            session.mine.remove(over);
        }
    }

    /// The match as a seat, or a spectator, sees it. People who poll get the same answer without the work.
    fn show(&self, live: &Live, seat: Option<Seat>, wish: Wish) -> CallToolResult {
        let glance = live.glance(seat);
        let is_same = |shown: &&Shown| {
            shown.match_id == live.id() && shown.seat == seat && shown.wish == wish && shown.glance == glance
        };
        if let Some(shown) = self.session().shown.as_ref().filter(is_same) {
            return shown.answer.clone();
        }
        let answer = ToolAnswer::of(live, &live.view(seat), &wish).done();
        let shown = Shown { match_id: live.id().to_owned(), seat, wish, glance, answer: answer.clone() };
        self.session().shown = Some(shown);
        answer
    }

    /// Whether nothing is remembered between this call and the next.
    fn is_stateless(&self, context: &RequestContext<RoleServer>) -> bool {
        let modern = |version: ProtocolVersion| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str();
        self.over_http && context.protocol_version().is_some_and(modern)
    }

    fn mine(&self) -> Vec<Mine> {
        self.session().mine.clone()
    }

    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        for subscription in self.subscriptions.values() {
            subscription.cancel();
        }
        // Nobody is there any more to be brought together with somebody.
        if let Some(waiter) = self.waiter.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(waiter.leave());
        }
    }
}

/// What every assistant is told before it calls anything.
fn instructions() -> String {
    let rulesets: Vec<&str> = library::rulesets().collect();
    briefs::tool_text("server.instructions", json!({ "rulesets": rulesets }), Language::En)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_completions()
            .build();
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new("standoff", env!("CARGO_PKG_VERSION"))
            .with_title("Standoff")
            .with_description(briefs::tool_text("server.description", json!({}), Language::En))
            .with_website_url(WEBSITE)
            .with_icons(icons());
        info.instructions = Some(instructions());
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let list = ListToolsResult { tools: tools::all().to_vec(), ..ListToolsResult::default() };
        Ok(list.with_ttl_ms(LISTS_LAST).with_cache_scope(CacheScope::Public))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = tools::all().iter().find(|tool| tool.name == params.name) else {
            let names: Vec<&str> = tools::all().iter().map(|tool| &*tool.name).collect();
            let name = crate::settings::shorten(&params.name);
            return Err(ErrorData::invalid_params(format!("no tool `{name}`; available: {}", names.join(", ")), None));
        };
        // What another process on the same store plays is asked of that one.
        if let Some(answer) = elsewhere::call(self, &params, &context).await {
            return Ok(answer.into());
        }
        let names = calls::CallNames::of(&params);
        match self.call(tool, calls::ToolRequest { params, context }).await {
            Ok(answer) => Ok(answer),
            Err(refused) => Ok(answer::error(refused.told(self.language_of(&names).await)).into()),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(resources::list(&self.shared.arena))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(self, &params.uri).await.map(Into::into)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(resources::watchable(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        resources::listen(self, context).await;
        Ok(())
    }

    async fn subscribe(
        &self,
        params: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        resources::subscribe(self, params.uri, context).await
    }

    async fn unsubscribe(
        &self,
        params: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if let Some(subscription) = self.session().subscriptions.remove(&params.uri) {
            subscription.cancel();
        }
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(prompts::list().with_ttl_ms(LISTS_LAST).with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(self, &params).await.map(Into::into)
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Ok(prompts::complete(self, &params))
    }
}

/// Where people read about the program: the page of its package, which is the one address that goes with its name.
const WEBSITE: &str = concat!("https://crates.io/crates/", env!("CARGO_PKG_NAME"));

/// A T on a board: drawn for hosts that draw, and as a picture for those that do not.
fn icons() -> Vec<Icon> {
    const SVG: &str = "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20viewBox='0%200%2016%2016'%3E\
%3Crect%20width='16'%20height='16'%20rx='3'%20fill='%23264653'/%3E\
%3Cpath%20d='M8%2013V7M2%207h12'%20stroke='%23e9c46a'%20stroke-width='2'/%3E\
%3Ccircle%20cx='8'%20cy='13'%20r='2'%20fill='%23e76f51'/%3E%3C/svg%3E";
    const PNG: &str = include_str!("app/icon.txt");
    let icon =
        |source: &str, kind: &str, size: &str| Icon::new(source).with_mime_type(kind).with_sizes(vec![size.to_owned()]);
    vec![icon(SVG, "image/svg+xml", "any"), icon(PNG.trim_end(), "image/png", "48x48")]
}
