//! What agents print while they play a turn: an event per line, in JSON of their own making.
//!
//! | agent | it writes | it used | its model failed |
//! |---|---|---|---|
//! | Claude Code | `assistant` | `result`: `usage`, `total_cost_usd` | `result`: `is_error` |
//! | Codex | `item.completed` | `turn.completed`: `usage` | `turn.failed` |
//! | Gemini CLI | `message` | `result`: `stats` | `result`: `status` is `error` |
//! | opencode | `text` | `step_finish`: `tokens`, `cost` | `error` |
//!
//! Their names differ, so that nobody has to say which agent it is. A line that is no JSON is what the agent writes.

use serde_json::Value as Json;

use super::session::AgentEvent;
use crate::matches::Call;

/// What was printed in a turn so far.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// What the agent says that it has used.
    pub(super) used: Option<Call>,
    /// Why its model failed, if it says so.
    pub(super) failed: Option<String>,
}

impl Output {
    /// Takes a line.
    pub(super) fn hear(&mut self, line: &str) -> AgentEvent {
        let Ok(event @ Json::Object(_)) = serde_json::from_str::<Json>(line.trim()) else {
            return AgentEvent::Said(line.to_owned());
        };
        match event["type"].as_str() {
            Some("assistant") => return said_by_claude(&event["message"]["content"]),
            Some("item.completed") => match event["item"]["type"].as_str() {
                Some("agent_message") => return said(&event["item"]["text"]),
                Some("mcp_tool_call" | "reasoning" | "error") | None => {}
                Some(other) => return AgentEvent::Used(format!("({other})")),
            },
            Some("message") if event["role"] == "assistant" => {
                return AgentEvent::Said(event["content"].as_str().unwrap_or_default().to_owned());
            }
            Some("text") => return said(&event["part"]["text"]),
            Some("tool_use") => {
                let name = event["tool_name"].as_str().or_else(|| event["part"]["tool"].as_str());
                return name.map_or(AgentEvent::Nothing, used);
            }
            Some("result") => self.result(&event),
            Some("turn.completed") => {
                let tokens = |name: &str| event["usage"][name].as_u64().unwrap_or(0);
                self.count(&Call {
                    input_tokens: tokens("input_tokens"),
                    cached_tokens: tokens("cached_input_tokens"),
                    cache_write_tokens: tokens("cache_write_input_tokens"),
                    output_tokens: tokens("output_tokens"),
                    reasoning_tokens: tokens("reasoning_output_tokens"),
                    ..Call::default()
                });
            }
            Some("step_finish") => {
                let (part, tokens) = (&event["part"], &event["part"]["tokens"]);
                let count = |of: &Json| of.as_u64().unwrap_or(0);
                let (read, written) = (count(&tokens["cache"]["read"]), count(&tokens["cache"]["write"]));
                self.count(&Call {
                    input_tokens: count(&tokens["input"]) + read + written,
                    cached_tokens: read,
                    cache_write_tokens: written,
                    output_tokens: count(&tokens["output"]) + count(&tokens["reasoning"]),
                    reasoning_tokens: count(&tokens["reasoning"]),
                    // It says 0 where it does not know what its model costs.
                    usd: part["cost"].as_f64().filter(|cost| *cost > 0.0),
                    ..Call::default()
                });
            }
            Some("turn.failed") => self.fail(&event["error"]["message"]),
            // A plain error is one that Codex tries to mend by itself.
            Some("error") if event["error"].is_object() => self.fail(&event["error"]["data"]["message"]),
            _ => {}
        }
        AgentEvent::Nothing
    }

    /// The last line of Claude Code, or of Gemini CLI.
    fn result(&mut self, event: &Json) {
        if event["is_error"] == true {
            self.fail(&event["result"]);
        } else if event["status"] == "error" {
            self.fail(&event["error"]["message"]);
        }
        if let Some(usage) = event.get("usage").filter(|usage| usage.is_object()) {
            let tokens = |name: &str| usage[name].as_u64().unwrap_or(0);
            let (cached, written) = (tokens("cache_read_input_tokens"), tokens("cache_creation_input_tokens"));
            self.count(&Call {
                input_tokens: tokens("input_tokens") + cached + written,
                cached_tokens: cached,
                cache_write_tokens: written,
                output_tokens: tokens("output_tokens"),
                reasoning_tokens: usage["output_tokens_details"]["thinking_tokens"].as_u64().unwrap_or(0),
                usd: event["total_cost_usd"].as_f64(),
                ..Call::default()
            });
        } else if let Some(stats) = event.get("stats").filter(|stats| stats.is_object()) {
            let tokens = |name: &str| stats[name].as_u64().unwrap_or(0);
            self.count(&Call {
                input_tokens: tokens("input_tokens"),
                cached_tokens: tokens("cached"),
                output_tokens: tokens("output_tokens"),
                ..Call::default()
            });
        }
    }

    fn count(&mut self, more: &Call) {
        let sum = self.used.get_or_insert_default();
        sum.input_tokens += more.input_tokens;
        sum.cached_tokens += more.cached_tokens;
        sum.cache_write_tokens += more.cache_write_tokens;
        sum.output_tokens += more.output_tokens;
        sum.reasoning_tokens += more.reasoning_tokens;
        if let Some(usd) = more.usd {
            *sum.usd.get_or_insert_default() += usd;
        }
    }

    fn fail(&mut self, why: &Json) {
        self.failed = Some(why.as_str().unwrap_or("its model failed").to_owned());
    }
}

/// A whole message.
fn said(text: &Json) -> AgentEvent {
    AgentEvent::Said(format!("{}\n", text.as_str().unwrap_or_default()))
}

/// A tool of the agent's own; those of the seat are noted where they are served.
fn used(name: &str) -> AgentEvent {
    if name.contains("standoff") { AgentEvent::Nothing } else { AgentEvent::Used(format!("({name})")) }
}

/// A message of Claude Code comes in one block per line: a text, or a call.
fn said_by_claude(content: &Json) -> AgentEvent {
    let block = content.as_array().and_then(|blocks| blocks.first()).unwrap_or(&Json::Null);
    match block["type"].as_str() {
        Some("text") => said(&block["text"]),
        Some("tool_use") => block["name"].as_str().map_or(AgentEvent::Nothing, used),
        _ => AgentEvent::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was heard of a turn whose lines are these, without what is of no interest.
    fn heard(lines: &str) -> (Vec<AgentEvent>, Output) {
        let mut output = Output::default();
        let events = lines.lines().map(|line| output.hear(line)).filter(|event| *event != AgentEvent::Nothing);
        (events.collect(), output)
    }

    #[test]
    fn each_agent_tells_its_words_its_own_tools_and_what_it_used() {
        let claude = r#"{"type":"system","subtype":"init","tools":[]}
{"type":"assistant","message":{"content":[{"type":"tool_use","name":"mcp__standoff__act","input":{}}]}}
{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","content":"x"}]}}
{"type":"assistant","message":{"content":[{"type":"text","text":"Done."}]}}
{"type":"result","is_error":false,"result":"Done.","total_cost_usd":0.25,"usage":{"input_tokens":1,"cache_creation_input_tokens":2,"cache_read_input_tokens":4,"output_tokens":8,"output_tokens_details":{"thinking_tokens":3}}}"#;
        let codex = r#"{"type":"item.completed","item":{"type":"error","message":"no metadata"}}
{"type":"item.completed","item":{"type":"mcp_tool_call","server":"standoff","tool":"act"}}
{"type":"item.completed","item":{"type":"command_execution","command":"ls"}}
{"type":"error","message":"Reconnecting... 1/5"}
{"type":"item.completed","item":{"type":"agent_message","text":"Done."}}
{"type":"turn.completed","usage":{"input_tokens":7,"cached_input_tokens":4,"cache_write_input_tokens":2,"output_tokens":8,"reasoning_output_tokens":3}}"#;
        let gemini = r#"{"type":"message","role":"user","content":"Play"}
{"type":"tool_use","tool_name":"mcp_standoff_act","parameters":{}}
{"type":"tool_use","tool_name":"read_file","parameters":{}}
{"type":"message","role":"assistant","content":"Do","delta":true}
{"type":"message","role":"assistant","content":"ne.","delta":true}
{"type":"result","status":"success","stats":{"total_tokens":15,"input_tokens":7,"output_tokens":8,"cached":4}}"#;
        let opencode = r#"{"type":"step_start","part":{}}
{"type":"tool_use","part":{"type":"tool","tool":"standoff_act","state":{}}}
{"type":"tool_use","part":{"type":"tool","tool":"bash","state":{}}}
{"type":"step_finish","part":{"tokens":{"input":1,"output":2,"reasoning":3,"cache":{"write":2,"read":0}},"cost":0.125}}
{"type":"text","part":{"text":"Done."}}
{"type":"step_finish","part":{"tokens":{"input":0,"output":3,"reasoning":0,"cache":{"write":0,"read":4}},"cost":0.125}}"#;
        for (name, lines, written, thought, usd) in [
            ("claude", claude, 2, 3, Some(0.25)),
            ("codex", codex, 2, 3, None),
            ("gemini", gemini, 0, 0, None),
            ("opencode", opencode, 2, 3, Some(0.25)),
        ] {
            let (events, output) = heard(lines);
            let said: String = events
                .iter()
                .filter_map(|event| if let AgentEvent::Said(text) = event { Some(text.as_str()) } else { None })
                .collect();
            assert_eq!(said.trim(), "Done.", "{name}");
            let tools = events.iter().filter(|event| matches!(event, AgentEvent::Used(_))).count();
            assert_eq!((tools, output.failed), (1, None), "{name}: {events:?}");
            let used = output.used.expect(name);
            assert_eq!((used.input_tokens, used.cached_tokens, used.output_tokens), (7, 4, 8), "{name}");
            assert_eq!((used.cache_write_tokens, used.reasoning_tokens, used.usd), (written, thought, usd), "{name}");
        }
    }

    #[test]
    fn a_model_that_failed_is_told_from_an_agent_that_did() {
        for line in [
            r#"{"type":"result","is_error":true,"result":"overloaded"}"#,
            r#"{"type":"turn.failed","error":{"message":"overloaded"}}"#,
            r#"{"type":"result","status":"error","error":{"type":"unknown","message":"overloaded"},"stats":{}}"#,
            r#"{"type":"error","error":{"name":"APIError","data":{"message":"overloaded","statusCode":529}}}"#,
        ] {
            assert_eq!(heard(line).1.failed.as_deref(), Some("overloaded"), "{line}");
        }
        for line in [r#"{"type":"error","message":"Reconnecting... 1/5"}"#, "ACTION: move up", "{\"type\":3}", "[1]"] {
            assert_eq!(heard(line).1.failed, None, "{line}");
        }
        assert_eq!(heard("ACTION: move up").0, [AgentEvent::Said("ACTION: move up".to_owned())]);
    }
}
