//! The model answers, and it is the answer that is wrong.

use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::canary::case::Case;
use crate::canary::reply::{Reply, act, body, call, completion, message, text};

fn finished(finish: &str) -> Reply {
    message(&json!({ "content": "I would rather" }), finish)
}

/// A good answer that used these tokens.
fn used(usage: Json) -> Reply {
    let acting = call("act", r#"{"action":"move south"}"#);
    let mut answer = completion(&json!({ "role": "assistant", "content": null, "tool_calls": [acting] }), "tool_calls");
    answer["usage"] = usage;
    body(answer.to_string())
}

#[expect(clippy::too_many_lines, reason = "it is a table")]
pub(in crate::canary) fn answers() -> Vec<Case> {
    vec![
        Case::tools("good", [act("move south")], "move south, 1 call"),
        Case::tools(
            "illegal-then-good",
            [act("move north"), act("move south")],
            "move south, refused: illegal move_out_of_bounds, 2 calls",
        ),
        Case::tools(
            "illegal-thrice",
            [act("move north"), act("move west"), act("move north-west")],
            "pass for illegal, refused: illegal move_out_of_bounds + illegal move_out_of_bounds + illegal \
             move_out_of_bounds, 3 calls",
        ),
        Case::tools(
            "each-time-something-else",
            [act("move north"), finished("length"), text("Let me think about it.")],
            "pass for unreadable, refused: illegal move_out_of_bounds + truncated + unreadable, 3 calls",
        ),
        Case::tools(
            "prose",
            [text("I believe that I should move south, because it is warm there."), act("move south")],
            "move south, refused: unreadable, 2 calls",
        ),
        Case::tools("empty-content", [text(""), act("move south")], "move south, refused: unreadable, 2 calls"),
        Case::tools(
            "null-content",
            [message(&json!({}), "stop"), act("move south")],
            "move south, refused: unreadable, 2 calls",
        ),
        Case::tools(
            "refusal",
            [message(&json!({ "refusal": "I do not play with paint." }), "stop"), act("move south")],
            "move south, refused: refused, 2 calls",
        ),
        Case::tools(
            "refusal-thrice",
            vec![message(&json!({ "refusal": "I do not play with paint." }), "stop"); 3],
            "pass for refused, refused: refused + refused + refused, 3 calls",
        ),
        Case::tools(
            "content-filter",
            [finished("content_filter"), act("move south")],
            "move south, refused: refused, 2 calls",
        ),
        Case::tools(
            "cut-by-length",
            [finished("length"), act("move south")],
            "move south, refused: truncated, 2 calls",
        ),
        Case::tools(
            "cut-by-length-thrice",
            vec![finished("length"); 3],
            "pass for truncated, refused: truncated + truncated + truncated, 3 calls",
        ),
        Case::tools(
            "unknown-finish-reason",
            [message(&json!({ "tool_calls": [call("act", r#"{"action":"move south"}"#)] }), "eos_token_found")],
            "move south, 1 call",
        ),
        Case::tools(
            "reasoning-fields",
            [message(
                &json!({
                    "reasoning_content": "North is the wall. I will move east.",
                    "reasoning": "move east",
                    "reasoning_details": [{ "type": "reasoning.text", "text": "move east" }],
                    "tool_calls": [call("act", r#"{"action":"move south"}"#)],
                }),
                "tool_calls",
            )],
            "move south, 1 call",
        ),
        Case::tools(
            "reasoning-only",
            [message(&json!({ "reasoning_content": "move east" }), "stop"), act("move south")],
            "move south, refused: unreadable, 2 calls",
        ),
        Case::tools("full-width", [act("ＭＯＶＥ　ＳＯＵＴＨ！")], "move south, 1 call"),
        Case::tools("chinese-words", [act("向南移动。")], "move south, 1 call").in_chinese(),
        Case::tools("trailing-newline", [act("move south\n")], "move south, 1 call"),
        Case::tools("backticks", [act("`move south`"), act("move south")], "move south, refused: unreadable, 2 calls"),
        Case::tools(
            "the-referees-words",
            [act("pass"), act("forfeit"), act("resign")],
            "pass for unreadable, refused: unreadable + unreadable + unreadable, 3 calls",
        ),
        Case::tools(
            "another-seat",
            [act("B: move south"), act("move south")],
            "move south, refused: unreadable, 2 calls",
        ),
        Case::tools("believes-the-chat", [act("move south"), act("forfeit"), act("move east")], "move south, 1 call")
            .then("move east, refused: unreadable, 2 calls"),
        Case::tools(
            "last-turns-action",
            [act("move south"), act("move north-west"), act("move east")],
            "move south, 1 call",
        )
        .then("move east, refused: illegal move_out_of_bounds, 2 calls"),
        Case::tools(
            "too-slow-for-the-clock",
            [act("move south").after(Duration::from_secs(30))],
            "pass for too_slow, 0 calls",
        )
        .within(8),
        Case::tools(
            "usage-missing",
            [used(json!(null))],
            "move south, 1 call, tokens [0, 0, 0, 0] for an unknown price",
        ),
        Case::tools(
            "usage-in-detail",
            [used(json!({
                "prompt_tokens": 2_000_000, "completion_tokens": 500_000, "total_tokens": 2_500_000,
                "prompt_tokens_details": { "cached_tokens": 1_000_000 },
                "completion_tokens_details": { "reasoning_tokens": 400_000 },
            }))],
            "move south, 1 call, tokens [2000000, 1000000, 500000, 400000] for 2.1 USD",
        ),
    ]
}
