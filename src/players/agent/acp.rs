//! The client's side of the Agent Client Protocol, as far as a player needs it: JSON-RPC, a line per message.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::timeout;

use super::door::Door;
use super::session::{AgentEvent, SessionError, Surroundings};
use crate::matches::Call;
use crate::players::process::{Program, Relay};
use crate::settings::shorten;

/// The version of the protocol.
const VERSION: u64 = 1;

/// The longest line that an agent may write: results of its own tools are in some.
const MAX_LINE: usize = 16 << 20;

/// How long a new session may take to list the seat's tools before it is prompted all the same.
const TOOLS_LISTED: Duration = Duration::from_secs(10);

/// Kinds of tools that touch the machine or the network, whatever they are called.
const KINDS: [&str; 7] = ["read", "edit", "delete", "move", "search", "execute", "fetch"];

/// An agent with a session.
pub(super) struct AcpSession {
    program: Program,
    surroundings: Surroundings,
    session: String,
    /// Requests so far, by which they are numbered.
    requests: u64,
    /// The prompt that is under way.
    prompt: Option<u64>,
    is_new: bool,
    /// What the agent says that it has used, since that was last asked for.
    used: Option<Call>,
    /// What the whole session cost by its own account, and how much of it was told.
    cost: f64,
    told: f64,
}

impl AcpSession {
    /// Starts an agent and opens a session with the seat's tools and nothing else.
    pub(super) async fn begin(surroundings: Surroundings, door: &Door) -> Result<AcpSession, SessionError> {
        let listed = door.next_list();
        let relay = Relay::new(surroundings.seat.to_string(), Box::new(std::io::stderr()));
        let program = Program::start(surroundings.command(&surroundings.words), relay, MAX_LINE).map_err(|why| {
            let program = surroundings.words[0].clone();
            SessionError::Start(crate::players::ProcessError::NotStarted { program, why }.into())
        })?;
        let mut agent = AcpSession {
            program,
            surroundings,
            session: String::new(),
            requests: 0,
            prompt: None,
            is_new: true,
            used: None,
            cost: 0.0,
            told: 0.0,
        };
        let offers = json!({ "fs": { "readTextFile": false, "writeTextFile": false }, "terminal": false });
        let client = json!({ "name": "standoff", "version": env!("CARGO_PKG_VERSION") });
        let hello = json!({ "protocolVersion": VERSION, "clientCapabilities": offers, "clientInfo": client });
        let welcome = agent.ask("initialize", &hello).await?;
        if welcome["protocolVersion"] != VERSION {
            let why = format!("it speaks version {} and not {VERSION}", welcome["protocolVersion"]);
            return Err(SessionError::Protocol(why));
        }
        let Surroundings { relay, relay_environment, folder, .. } = &agent.surroundings;
        let environment = relay_environment.iter().map(|(name, value)| json!({ "name": name, "value": value }));
        let server = json!({
            "name": "standoff", "command": relay[0], "args": relay[1..], "env": environment.collect::<Json>(),
        });
        let wanted = json!({ "cwd": folder.path(), "mcpServers": [server] });
        let opened = agent.ask("session/new", &wanted).await?;
        match opened["sessionId"].as_str() {
            Some(id) => id.clone_into(&mut agent.session),
            None => return Err(SessionError::Protocol("`session/new` gave no `sessionId`".to_owned())),
        }
        // Some open a session before they know its tools, and would play their first turn without them. Others list them
        // only when they are prompted.
        let _ = timeout(TOOLS_LISTED, listed).await;
        Ok(agent)
    }

    pub(super) fn is_new(&self) -> bool {
        self.is_new
    }

    pub(super) fn is_prompted(&self) -> bool {
        self.prompt.is_some()
    }

    pub(super) fn used(&mut self) -> Option<Call> {
        let cost = self.cost - self.told;
        self.told = self.cost;
        let used = self.used.take();
        if cost > 0.0 {
            return Some(Call { usd: Some(cost), ..used.unwrap_or_default() });
        }
        used
    }

    pub(super) fn prompt(&mut self, text: &str) {
        let content = json!([{ "type": "text", "text": text }]);
        let id = self.send("session/prompt", &json!({ "sessionId": self.session, "prompt": content }));
        (self.prompt, self.is_new) = (Some(id), false);
    }

    pub(super) fn cancel(&mut self) {
        let line = json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": self.session } });
        self.program.send(&format!("{line}\n"));
    }

    /// The next thing that is heard of it.
    pub(super) async fn next(&mut self) -> Result<AgentEvent, SessionError> {
        let message = self.message().await?;
        let method = message["method"].as_str();
        match (method, message.get("id")) {
            (None, Some(id)) if self.prompt.is_some() && id.as_u64() == self.prompt => {
                self.prompt = None;
                if let Some(error) = message.get("error") {
                    return Ok(AgentEvent::Failed(words_of(error)));
                }
                self.count(&message["result"]["usage"]);
                Ok(AgentEvent::Ended)
            }
            (Some("session/update"), _) => Ok(self.update(&message["params"]["update"])),
            (Some("session/request_permission"), Some(id)) => {
                let (outcome, told) = permission(&message["params"]);
                self.answer(id, &json!({ "result": { "outcome": outcome } }));
                Ok(told.map_or(AgentEvent::Nothing, AgentEvent::Used))
            }
            (Some(method), Some(id)) => {
                let error = json!({ "code": -32601, "message": format!("no method {}", shorten(method)) });
                self.answer(id, &json!({ "error": error }));
                Ok(AgentEvent::Nothing)
            }
            _ => Ok(AgentEvent::Nothing),
        }
    }

    fn update(&mut self, update: &Json) -> AgentEvent {
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") => {
                AgentEvent::Said(update["content"]["text"].as_str().unwrap_or_default().to_owned())
            }
            Some("tool_call") if !is_ours(update) => AgentEvent::Used(format!("({})", title(update))),
            Some("usage_update") => {
                if update["cost"]["currency"] == "USD" {
                    self.cost = update["cost"]["amount"].as_f64().unwrap_or(self.cost);
                }
                AgentEvent::Nothing
            }
            _ => AgentEvent::Nothing,
        }
    }

    /// Takes what a prompt used, where the agent says it.
    fn count(&mut self, usage: &Json) {
        if !usage.is_object() {
            return;
        }
        let tokens = |name: &str| usage[name].as_u64().unwrap_or(0);
        let call = self.used.get_or_insert_default();
        call.input_tokens += tokens("inputTokens") + tokens("cachedReadTokens") + tokens("cachedWriteTokens");
        call.cached_tokens += tokens("cachedReadTokens");
        call.cache_write_tokens += tokens("cachedWriteTokens");
        call.output_tokens += tokens("outputTokens");
        call.reasoning_tokens += tokens("thoughtTokens");
    }

    /// Sends a request and waits for its answer, before there is a session.
    async fn ask(&mut self, method: &str, params: &Json) -> Result<Json, SessionError> {
        let wanted = self.send(method, params);
        loop {
            let message = self.message().await?;
            match (message.get("method"), message.get("id")) {
                (None, Some(id)) if id.as_u64() == Some(wanted) => {
                    return match message.get("error") {
                        Some(error) => {
                            Err(SessionError::Protocol(format!("it refused `{method}`: {}", words_of(error))))
                        }
                        None => Ok(message["result"].clone()),
                    };
                }
                (Some(_), Some(id)) => {
                    let error = json!({ "code": -32601, "message": "there is no session yet" });
                    self.answer(&id.clone(), &json!({ "error": error }));
                }
                _ => {}
            }
        }
    }

    fn send(&mut self, method: &str, params: &Json) -> u64 {
        self.requests += 1;
        let line = json!({ "jsonrpc": "2.0", "id": self.requests, "method": method, "params": params });
        self.program.send(&format!("{line}\n"));
        self.requests
    }

    fn answer(&mut self, id: &Json, body: &Json) {
        let mut line = body.clone();
        (line["jsonrpc"], line["id"]) = (json!("2.0"), id.clone());
        self.program.send(&format!("{line}\n"));
    }

    /// The next message. What is no JSON is shown and passed over: some print before they speak.
    async fn message(&mut self) -> Result<Json, SessionError> {
        loop {
            let line = self.program.line().await.map_err(|ended| SessionError::Ended(ended.to_string()))?;
            match serde_json::from_slice(&line) {
                Ok(message @ Json::Object(_)) => return Ok(message),
                _ => self.program.note(&format!("(ignored) {}", shorten(String::from_utf8_lossy(&line).trim()))),
            }
        }
    }
}

fn words_of(error: &Json) -> String {
    let message = error["message"].as_str().unwrap_or("an error without words");
    match &error["data"] {
        Json::Null => message.to_owned(),
        data => format!("{message} ({})", shorten(&data.to_string())),
    }
}

/// What a call is of. Some say the tool's name beside a title for people.
fn title(call: &Json) -> &str {
    call["_meta"]["toolName"].as_str().or_else(|| call["title"].as_str()).unwrap_or("a tool without a name")
}

/// Whether a call is of one of the seat's tools. Hosts put the server's name before or behind the tool's; none of their own
/// tools that touch the machine is of that kind.
fn is_ours(call: &Json) -> bool {
    let name = title(call);
    let is_kind = call["kind"].as_str().is_none_or(|kind| !KINDS.contains(&kind));
    let is_short = name.len() <= 60 && name.split_whitespace().count() <= 6;
    let tool = ["act", "get_state", "list_legal_actions", "speak"].iter().any(|tool| name.contains(tool));
    is_kind && is_short && tool && name.contains("standoff")
}

/// The answer to a question for leave: once for the seat's tools, never for anything else. And what was turned away.
fn permission(params: &Json) -> (Json, Option<String>) {
    let call = &params["toolCall"];
    let option = |wanted: &[&str]| {
        let options = || params["options"].as_array().into_iter().flatten();
        let found = wanted.iter().find_map(|kind| options().find(|option| option["kind"] == *kind));
        found.map(|option| json!({ "outcome": "selected", "optionId": option["optionId"] }))
    };
    let cancelled = || json!({ "outcome": "cancelled" });
    if is_ours(call) {
        return (option(&["allow_once", "allow_always"]).unwrap_or_else(cancelled), None);
    }
    let refused = option(&["reject_once", "reject_always"]).unwrap_or_else(cancelled);
    (refused, Some(format!("({}: refused)", title(call))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(title: &str, kind: &str) -> Json {
        json!({
            "toolCall": { "toolCallId": "1", "title": title, "kind": kind },
            "options": [
                { "optionId": "y", "kind": "allow_once" }, { "optionId": "a", "kind": "allow_always" },
                { "optionId": "n", "kind": "reject_once" },
            ],
        })
    }

    #[test]
    fn leave_is_given_for_the_seats_tools_and_for_nothing_else() {
        for title in ["standoff_act", "mcp__standoff__get_state", "act (standoff MCP Server)"] {
            assert_eq!(permission(&asked(title, "other")), (json!({ "outcome": "selected", "optionId": "y" }), None));
        }
        let mut apart = asked("{}", "other");
        apart["toolCall"]["_meta"]["toolName"] = json!("mcp__standoff__act");
        assert_eq!(permission(&apart).1, None);
        for (title, kind) in [
            ("bash", "execute"),
            ("cat standoff_act", "execute"),
            ("standoff_act", "fetch"),
            ("run standoff act with a very long title that says something else", "other"),
            ("edit act.rs", "other"),
        ] {
            let (outcome, told) = permission(&asked(title, kind));
            assert_eq!(outcome, json!({ "outcome": "selected", "optionId": "n" }), "{title}");
            assert!(told.is_some_and(|told| told.contains("refused")), "{title}");
        }
        let nothing = json!({ "toolCall": {}, "options": [] });
        assert_eq!(permission(&nothing).0, json!({ "outcome": "cancelled" }));
    }
}
