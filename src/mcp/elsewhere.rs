//! Calls for matches that another process on the same store plays: asked of that one over MCP, and answered in its words.

use std::time::Duration;

use reqwest::RequestBuilder;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue};
use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResult, ReadResourceResult};
use rmcp::service::RequestContext;
use serde_json::{Map, Value as Json, json};
use tokio::time::{Instant, sleep};

use super::Server;
use super::over_http::McpCaller;
use crate::arena::{Arena, ArenaError, PROCESS_HEADER, PlayerToken, ProcessInfo, SeatHandle, SeatKey, process_client};

/// The version of the protocol that processes speak among each other.
const PROTOCOL: &str = "2025-11-25";

/// So long a match may change hands before a call is told that nobody plays it: a lease, and a little more.
const HANDING_OVER: Duration = Duration::from_secs(14);
const PAUSE: Duration = Duration::from_millis(500);

/// So long whoever leaves the queue of another process waits for that to be done.
const PARTING: Duration = Duration::from_secs(3);

/// So long whoever follows a match waits for its next turn in one go.
const LONG_POLL: u64 = 20;

/// Tools that begin something new, or look at everything. Where the queue is kept, `find_match` finds out itself.
const ALWAYS_HERE: [&str; 3] = ["new_match", "find_match", "list_matches"];

/// The answer of the process that plays the match which a call is about. None where that is this one, or nobody answers:
/// then the call is made here and says what is wrong.
pub(super) async fn call(
    server: &Server,
    params: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<CallToolResult> {
    if ALWAYS_HERE.contains(&&*params.name) {
        return None;
    }
    let mut patience = Patience::new();
    let answer = loop {
        let mut arguments = params.arguments.clone().unwrap_or_default();
        let process = played_by(server, &params.name, &mut arguments, context).await?;
        let call = json!({ "name": params.name, "arguments": arguments });
        match ask(&server.shared.arena, &process, McpCaller::shown(context), "tools/call", call).await {
            Ok(answer) => break serde_json::from_value::<CallToolResult>(answer).ok()?,
            Err(why) => patience.wait(&why).await?,
        }
    };
    server.note_away(&answer);
    Some(answer)
}

/// What the process that keeps the queue says to somebody who looks for opponents there. None if it does not answer.
pub(super) async fn find_match(
    server: &Server,
    process: &ProcessInfo,
    arguments: Json,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, Unanswered> {
    let call = json!({ "name": "find_match", "arguments": arguments });
    let answer = ask(&server.shared.arena, process, McpCaller::shown(context), "tools/call", call).await?;
    let answer = serde_json::from_value::<CallToolResult>(answer).map_err(|_| Unanswered::Silent)?;
    server.note_away(&answer);
    Ok(answer)
}

/// Takes somebody out of the queue that another process keeps.
pub(super) async fn leave_queue(process: &ProcessInfo, token: &PlayerToken) {
    let leave = async {
        let address = process.address.as_deref()?.trim_end_matches('/');
        let delete = process_client()?.delete(format!("{address}/api/v1/matches/queue")).bearer_auth(token.reveal());
        delete.header(PROCESS_HEADER, &process.secret).header(HOST, "localhost").send().await.ok()
    };
    // Who does not ask any more is taken out sooner or later.
    let _ = tokio::time::timeout(PARTING, leave).await;
}

/// Why another process gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unanswered {
    /// It cannot be reached, or broke off.
    Silent,
    /// It has said nothing until its lease ran out: from now on what it had is anybody's.
    StoodStill,
}

/// How long what was asked for may change hands.
pub(super) struct Patience {
    until: Instant,
}

impl Patience {
    pub(super) fn new() -> Patience {
        Patience { until: Instant::now() + HANDING_OVER }
    }

    /// Lets it change hands; None when that has taken too long.
    pub(super) async fn wait(&mut self, why: &Unanswered) -> Option<()> {
        if *why == Unanswered::StoodStill {
            *self = Patience::new();
        }
        if Instant::now() > self.until {
            return None;
        }
        sleep(PAUSE).await;
        Some(())
    }
}

/// Makes one request to another process, in a session of its own.
async fn ask(
    arena: &Arena,
    process: &ProcessInfo,
    shown: Option<HeaderValue>,
    method: &str,
    params: Json,
) -> Result<Json, Unanswered> {
    let asked = async {
        let remote = Remote::begin(process, shown).await?;
        remote.ask(method, params).await
    };
    match arena.while_leased(process, asked).await {
        None => Err(Unanswered::StoodStill),
        Some(answer) => answer.ok_or(Unanswered::Silent),
    }
}

impl Server {
    /// Notes what an answer of another process says of a seat there: one that was taken is this session's.
    fn note_away(&self, answer: &CallToolResult) {
        let Some(data) = answer.structured_content.as_ref() else { return };
        let Some(match_id) = data["match_id"].as_str() else { return };
        let mut session = self.session();
        if let Some(key) = data["seat_key"].as_str() {
            let seat = AwaySeat { match_id: match_id.to_owned(), key: SeatKey::claimed(key), is_over: false };
            session.away.retain(|other| other.key != seat.key);
            session.away.push(seat);
            if session.away.len() > MOST_AWAY {
                session.away.remove(0);
            }
        }
        if !data["outcome"].is_null() {
            for seat in session.away.iter_mut().filter(|seat| seat.match_id == match_id) {
                seat.is_over = true;
            }
        }
    }

    /// Whether this session has a seat in a match, wherever that is played.
    pub(super) fn has_seat_in(&self, match_id: &str) -> bool {
        let session = self.session();
        session.mine.iter().any(|mine| mine.match_id() == match_id)
            || session.away.iter().any(|seat| seat.match_id == match_id)
    }
}

/// A resource of a match that another process plays, from that one. None where it is this one, or nobody answers.
pub(super) async fn read(server: &Server, match_id: &str, uri: &str) -> Option<ReadResourceResult> {
    let arena = &server.shared.arena;
    let mut patience = Patience::new();
    loop {
        let process = player_of(arena, match_id).await?;
        match ask(arena, &process, None, "resources/read", json!({ "uri": uri })).await {
            Ok(answer) => return serde_json::from_value(answer).ok(),
            Err(why) => patience.wait(&why).await?,
        }
    }
}

/// Waits for the next turn of a match that another process plays: how many are played by then. None if it is played here, or
/// nobody answers.
pub(super) async fn turns_after(arena: &Arena, match_id: &str, since: Option<u64>) -> Option<u64> {
    let process = player_of(arena, match_id).await?;
    let address = process.address.as_deref()?.trim_end_matches('/');
    let wait = since.map(|since| format!("?wait={LONG_POLL}&since={since}")).unwrap_or_default();
    let get = process_client()?.get(format!("{address}/api/v1/matches/{match_id}{wait}"));
    let answer = async {
        let answer = get.header(PROCESS_HEADER, &process.secret).header(HOST, "localhost").send().await.ok()?;
        answer.text().await.ok()
    };
    let answer = arena.while_leased(&process, answer).await??;
    serde_json::from_str::<Json>(&answer).ok()?["turn"].as_u64()
}

/// The process that plays a match, if it is another.
async fn player_of(arena: &Arena, match_id: &str) -> Option<ProcessInfo> {
    let Err(ArenaError::Elsewhere { process, .. }) = arena.watch(match_id).await else { return None };
    Some(*process)
}

/// The process that plays the match which a call is about, if it is another. What the session knows is filled in.
async fn played_by(
    server: &Server,
    tool: &str,
    arguments: &mut Map<String, Json>,
    context: &RequestContext<RoleServer>,
) -> Option<ProcessInfo> {
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
        let away: Vec<AwaySeat> = away.into_iter().filter(|seat| is_meant(&seat.match_id)).collect();
        let mut meant = here.chain(away.iter().filter(|seat| !seat.is_over).map(|seat| seat.key.clone()));
        // Of several the call itself says which is meant, or is told to; where all are over it is the last.
        key = match (meant.next(), meant.next()) {
            (one @ Some(_), None) => one,
            (None, _) => away.last().map(|seat| seat.key.clone()),
            (Some(_), Some(_)) => None,
        };
    }
    let outcome = match (&key, &match_id) {
        (Some(key), _) => match server.seat_by_key(key, context).await {
            Ok(seated) => {
                server.came_home(&seated, key);
                None
            }
            Err(error) => Some(error),
        },
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

impl Server {
    /// Notes that a seat which this session took at another process is here by now.
    fn came_home(&self, seated: &SeatHandle, key: &SeatKey) {
        let was_away = {
            let mut session = self.session();
            let before = session.away.len();
            session.away.retain(|seat| seat.key != *key);
            session.away.len() < before
        };
        if was_away {
            self.remember(seated, key);
        }
    }
}

/// A seat that a session took in a match of another process.
#[derive(Clone, Debug)]
pub(super) struct AwaySeat {
    match_id: String,
    key: SeatKey,
    is_over: bool,
}

/// So many of those a session remembers.
const MOST_AWAY: usize = 64;

/// A session with another process.
struct Remote {
    address: String,
    secret: String,
    session: Option<String>,
    /// What the caller has shown, to be shown there too.
    shown: Option<HeaderValue>,
}

impl Remote {
    async fn begin(process: &ProcessInfo, shown: Option<HeaderValue>) -> Option<Remote> {
        let address = format!("{}/mcp", process.address.as_deref()?.trim_end_matches('/'));
        let mut remote = Remote { address, secret: process.secret.clone(), session: None, shown };
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
        let post = match &self.shown {
            Some(shown) => post.header(AUTHORIZATION, shown.clone()),
            None => post,
        };
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
