//! Calls for matches that another process on the same store plays: asked of that one over MCP, and answered in its words.

use std::time::Duration;

use reqwest::RequestBuilder;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HOST};
use rmcp::model::{CallToolRequestParams, CallToolResult, ReadResourceResult};
use serde_json::{Map, Value as Json, json};
use tokio::time::{Instant, sleep};

use super::Server;
use crate::arena::{Arena, ArenaError, PROCESS_HEADER, ProcessInfo, SeatKey, process_client};

/// The version of the protocol that processes speak among each other.
const PROTOCOL: &str = "2025-11-25";

/// So long a match may change hands before a call is told that nobody plays it: a lease, and a little more.
const HANDING_OVER: Duration = Duration::from_secs(14);
const PAUSE: Duration = Duration::from_millis(500);

/// So long whoever follows a match waits for its next turn in one go.
const LONG_POLL: u64 = 20;

/// Tools that begin something new, or look at everything.
const ALWAYS_HERE: [&str; 3] = ["new_match", "find_match", "list_matches"];

/// The answer of the process that plays the match which a call is about. None where that is this one, or nobody answers:
/// then the call is made here and says what is wrong.
pub(super) async fn call(server: &Server, params: &CallToolRequestParams) -> Option<CallToolResult> {
    if ALWAYS_HERE.contains(&&*params.name) {
        return None;
    }
    let until = Instant::now() + HANDING_OVER;
    let answer = loop {
        let mut arguments = params.arguments.clone().unwrap_or_default();
        let process = played_by(server, &params.name, &mut arguments).await?;
        if let Some(remote) = Remote::begin(&process).await {
            let call = json!({ "name": params.name, "arguments": arguments });
            break serde_json::from_value::<CallToolResult>(remote.ask("tools/call", call).await?).ok()?;
        }
        wait(until).await?;
    };
    // A seat that was taken there is this session's.
    let data = answer.structured_content.as_ref();
    if let Some((match_id, key)) = data.and_then(|data| data["match_id"].as_str().zip(data["seat_key"].as_str())) {
        let seat = AwaySeat { match_id: match_id.to_owned(), key: SeatKey::claimed(key) };
        let mut session = server.session();
        session.away.retain(|other| other.key != seat.key);
        session.away.push(seat);
        if session.away.len() > MOST_AWAY {
            session.away.remove(0);
        }
    }
    Some(answer)
}

/// A resource of a match that another process plays, from that one. None where it is this one, or nobody answers.
pub(super) async fn read(server: &Server, match_id: &str, uri: &str) -> Option<ReadResourceResult> {
    let until = Instant::now() + HANDING_OVER;
    loop {
        let process = player_of(&server.shared.arena, match_id).await?;
        if let Some(remote) = Remote::begin(&process).await {
            return serde_json::from_value(remote.ask("resources/read", json!({ "uri": uri })).await?).ok();
        }
        wait(until).await?;
    }
}

/// Waits for the next turn of a match that another process plays: how many are played by then. None if it is played here, or
/// nobody answers.
pub(super) async fn turns_after(arena: &Arena, match_id: &str, since: Option<u64>) -> Option<u64> {
    let process = player_of(arena, match_id).await?;
    let address = process.address.as_deref()?.trim_end_matches('/');
    let wait = since.map(|since| format!("?wait={LONG_POLL}&since={since}")).unwrap_or_default();
    let get = process_client()?.get(format!("{address}/api/v1/matches/{match_id}{wait}"));
    let answer = get.header(PROCESS_HEADER, &process.secret).header(HOST, "localhost").send().await.ok()?;
    serde_json::from_str::<Json>(&answer.text().await.ok()?).ok()?["turn"].as_u64()
}

/// The process that plays a match, if it is another.
async fn player_of(arena: &Arena, match_id: &str) -> Option<ProcessInfo> {
    let Err(ArenaError::Elsewhere { process, .. }) = arena.watch(match_id).await else { return None };
    Some(*process)
}

/// Lets a match change hands; None when that has taken too long.
async fn wait(until: Instant) -> Option<()> {
    if Instant::now() > until {
        return None;
    }
    sleep(PAUSE).await;
    Some(())
}

/// The process that plays the match which a call is about, if it is another. What the session knows is filled in.
async fn played_by(server: &Server, tool: &str, arguments: &mut Map<String, Json>) -> Option<ProcessInfo> {
    let text = |arguments: &Map<String, Json>, name: &str| {
        arguments.get(name).and_then(Json::as_str).map(str::to_owned).filter(|text| !text.trim().is_empty())
    };
    let arena = &server.shared.arena;
    let mut key = text(arguments, "seat_key").map(|key| SeatKey::claimed(&key));
    let match_id = text(arguments, "match_id");
    if key.is_none() && tool != "join_match" {
        let is_meant = |id: &str| match_id.as_ref().is_none_or(|match_id| match_id == id);
        let mine = server.mine();
        let here = mine.iter().filter(|mine| is_meant(mine.match_id()) && !mine.is_over()).map(|mine| mine.key.clone());
        let away = server.session().away.clone();
        let away = away.into_iter().filter(|seat| is_meant(&seat.match_id)).map(|seat| seat.key);
        let mut meant = here.chain(away);
        // Of several the call itself says which is meant, or is told to.
        key = meant.next().filter(|_| meant.next().is_none());
    }
    let outcome = match (&key, &match_id) {
        (Some(key), _) => arena.seat(key).await.err(),
        (None, Some(match_id)) => arena.watch(match_id).await.err(),
        (None, None) if tool == "join_match" => {
            let only = server.only_open().await.ok()?;
            let outcome = arena.watch(&only).await.err();
            arguments.insert("match_id".to_owned(), json!(only));
            outcome
        }
        (None, None) => None,
    };
    let Some(ArenaError::Elsewhere { process, .. }) = outcome else { return None };
    if let Some(key) = key {
        arguments.insert("seat_key".to_owned(), json!(key.reveal()));
    }
    Some(*process)
}

/// A seat that a session took in a match of another process.
#[derive(Clone, Debug)]
pub(super) struct AwaySeat {
    match_id: String,
    key: SeatKey,
}

/// So many of those a session remembers.
const MOST_AWAY: usize = 64;

/// A session with another process.
struct Remote {
    address: String,
    secret: String,
    session: Option<String>,
}

impl Remote {
    async fn begin(process: &ProcessInfo) -> Option<Remote> {
        let address = format!("{}/mcp", process.address.as_deref()?.trim_end_matches('/'));
        let mut remote = Remote { address, secret: process.secret.clone(), session: None };
        let hello = json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {
                "protocolVersion": PROTOCOL, "capabilities": {},
                "clientInfo": { "name": "standoff", "version": env!("CARGO_PKG_VERSION") },
            },
        });
        let answer = remote.post(&hello)?.send().await.ok()?;
        let session = answer.headers().get("mcp-session-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
        found(&answer.text().await.ok()?, 0)?;
        remote.session = session;
        let begun = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        remote.post(&begun)?.send().await.ok()?;
        Some(remote)
    }

    /// Makes one request and ends the session.
    async fn ask(self, method: &str, params: Json) -> Option<Json> {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let answer = self.post(&call)?.send().await.ok()?.text().await.ok()?;
        let result = found(&answer, 1);
        if let Some(session) = &self.session {
            // It is forgotten by itself sooner or later.
            let end = process_client()?.delete(&self.address).header("mcp-session-id", session);
            let _ = end.header(PROCESS_HEADER, &self.secret).header(HOST, "localhost").send().await;
        }
        result
    }

    fn post(&self, message: &Json) -> Option<RequestBuilder> {
        let post = process_client()?.post(&self.address).body(message.to_string());
        let post = post.header(CONTENT_TYPE, "application/json").header(ACCEPT, "application/json, text/event-stream");
        // It goes by this name wherever it is.
        let post = post.header(PROCESS_HEADER, &self.secret).header(HOST, "localhost");
        let post = post.header("mcp-protocol-version", PROTOCOL);
        Some(match &self.session {
            Some(session) => post.header("mcp-session-id", session),
            None => post,
        })
    }
}

/// The result with this number in an answer, which is JSON or a stream of events.
fn found(answer: &str, id: u64) -> Option<Json> {
    let texts = answer.lines().filter_map(|line| line.strip_prefix("data:")).chain([answer]);
    let mut messages = texts.filter_map(|text| serde_json::from_str::<Json>(text.trim()).ok());
    messages.find(|message| message["id"] == id).map(|mut message| message["result"].take())
}
