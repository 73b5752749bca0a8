//! The model calls tools, wrongly.

use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::canary::case::Case;
use crate::canary::reply::{Reply, act, call, calls, message, text};

fn one(name: &str, arguments: &str) -> Reply {
    calls(&[call(name, arguments)])
}

fn acting(action: &str) -> Json {
    call("act", &json!({ "action": action }).to_string())
}

fn named(id: &str, mut call: Json) -> Json {
    call["id"] = json!(id);
    call
}

#[expect(clippy::too_many_lines, reason = "it is a table")]
pub(in crate::canary) fn tools() -> Vec<Case> {
    let good = || act("move south");
    vec![
        Case::tools("looks-then-acts", [one("get_state", "{}"), good()], "move south, 2 calls"),
        Case::tools("lists-then-acts", [one("list_legal_actions", "{}"), good()], "move south, 2 calls"),
        Case::tools("no-arguments-at-all", [one("get_state", ""), good()], "move south, 2 calls"),
        Case::tools(
            "speaks-then-acts",
            [one("speak", r#"{"text":"hello"}"#), good()],
            "move south, said hello, 2 calls",
        ),
        Case::tools(
            "acts-and-speaks-at-once",
            [calls(&[acting("move south"), named("call_2", call("speak", r#"{"text":"hello"}"#))])],
            "move south, said hello, 1 call",
        ),
        Case::tools(
            "looks-and-acts-at-once",
            [calls(&[call("get_state", "{}"), named("call_2", acting("move south"))])],
            "move south, 1 call",
        ),
        Case::tools(
            "acts-twice-at-once",
            [calls(&[acting("move south"), named("call_2", acting("move east"))]), good()],
            "move south, refused: unreadable, 2 calls",
        ),
        Case::tools(
            "acts-twice-the-same",
            [calls(&[acting("move south"), named("call_2", call("act", r#"{ "action": "move south" }"#))])],
            "move south, 1 call",
        ),
        Case::tools(
            "looks-for-ever",
            vec![one("get_state", "{}"); 24],
            "pass for unreadable, refused: unreadable + unreadable + unreadable, 24 calls",
        ),
        Case::tools(
            "looks-then-is-too-slow",
            [one("get_state", "{}"), good().after(Duration::from_secs(30))],
            "pass for too_slow, 1 call",
        )
        .within(8),
        Case::tools(
            "arguments-are-no-json",
            [one("act", "move south"), good()],
            "move south, refused: unreadable, 2 calls",
        ),
        Case::tools(
            "arguments-are-half-json",
            [one("act", r#"{"action":"move so"#), good()],
            "move south, refused: unreadable, 2 calls",
        ),
        Case::tools(
            "arguments-are-encoded-twice",
            [one("act", r#""{\"action\":\"move south\"}""#), good()],
            "move south, refused: unreadable, 2 calls",
        ),
        Case::tools(
            "arguments-are-an-object",
            [calls(&[json!({
                "id": "call_1", "type": "function",
                "function": { "name": "act", "arguments": { "action": "move south" } },
            })])],
            "move south, 1 call",
        ),
        Case::tools(
            "arguments-cut-by-length",
            [message(&json!({ "tool_calls": [call("act", r#"{"action":"move so"#)] }), "length"), good()],
            "move south, refused: truncated, 2 calls",
        ),
        Case::tools(
            "arguments-are-deep",
            [one("act", &"[".repeat(100_000)), good()],
            "move south, refused: unreadable, 2 calls",
        ),
        Case::tools("no-action-in-arguments", [one("act", "{}"), good()], "move south, refused: unreadable, 2 calls"),
        Case::tools(
            "action-is-an-object",
            [one("act", r#"{"action":{"action":"move","direction":"south"}}"#), good()],
            "move south, refused: unreadable, 2 calls",
        ),
        Case::tools("unknown-tool", [one("resign", "{}"), good()], "move south, 2 calls"),
        Case::tools(
            "tool-in-the-wrong-case",
            [one("Act", r#"{"action":"move south"}"#), good()],
            "move south, 2 calls",
        ),
        Case::tools(
            "call-without-id",
            [calls(&[json!({ "function": { "name": "act", "arguments": r#"{"action":"move south"}"# } })])],
            "move south, 1 call",
        ),
        Case::tools(
            "call-leaks-into-content",
            [text("<tool_call>{\"name\": \"act\", \"arguments\": {\"action\": \"move south\"}}</tool_call>"), good()],
            "move south, refused: unreadable, 2 calls",
        ),
        Case::tools(
            "half-a-call-leaks-into-content",
            [message(&json!({ "content": "<tool_call>\n{\"name\": \"act\", \"argu" }), "length"), good()],
            "move south, refused: truncated, 2 calls",
        ),
        Case::tools(
            "no-calls-but-content",
            [message(&json!({ "content": "ACTION: move south", "tool_calls": [] }), "stop")],
            "move south, 1 call",
        ),
        Case::tools(
            "acts-for-another-seat",
            [one("act", r#"{"action":"move south","seat":"B"}"#), good()],
            "move south, refused: unreadable, 2 calls",
        ),
        Case::tools(
            "acts-for-the-last-turn",
            [good(), one("act", r#"{"action":"move east","turn":0}"#), act("move east")],
            "move south, 1 call",
        )
        .then("move east, refused: unreadable, 2 calls"),
        Case::tools(
            "speaks-too-long",
            [one("speak", &json!({ "text": "na ".repeat(500) }).to_string()), good()],
            "move south, 2 calls",
        ),
    ]
}
