//! Answers in JSON and in text.

use serde_json::json;
use standoff::players::Mode;

use crate::canary::case::Case;
use crate::canary::reply::{Reply, body, completion, message, text};

fn as_json(name: &'static str, replies: impl IntoIterator<Item = Reply>, verdict: &'static str) -> Case {
    Case::new(name, Mode::Json, replies, verdict)
}

fn as_text(name: &'static str, replies: impl IntoIterator<Item = Reply>, verdict: &'static str) -> Case {
    Case::new(name, Mode::Text, replies, verdict)
}

pub(in crate::canary) fn modes() -> Vec<Case> {
    let south = || text(r#"{"action":"move south"}"#);
    let parts = json!([{ "type": "text", "text": r#"{"action":"move south"}"# }]);
    vec![
        as_json("json-good", [south()], "move south, 1 call"),
        as_json(
            "json-illegal-then-good",
            [text(r#"{"action":"move north"}"#), south()],
            "move south, refused: illegal move_out_of_bounds, 2 calls",
        ),
        as_json("json-prose", [text("move south"), south()], "move south, refused: unreadable, 2 calls"),
        as_json(
            "json-in-a-fence",
            [text("```json\n{\"action\":\"move south\"}\n```"), south()],
            "move south, refused: unreadable, 2 calls",
        ),
        as_json(
            "json-of-another-form",
            [text(r#"{"move":"south"}"#), south()],
            "move south, refused: unreadable, 2 calls",
        ),
        as_json("json-in-a-list", [text(r#"["move south"]"#), south()], "move south, refused: unreadable, 2 calls"),
        as_json(
            "json-with-a-key-twice",
            [text(r#"{"action":"move east","action":"move south"}"#), south()],
            "move south, refused: unreadable, 2 calls",
        ),
        as_json(
            "json-with-a-key-of-the-game-twice",
            [text(r#"{"action":"move","direction":"east","direction":"south"}"#), south()],
            "move south, refused: unreadable, 2 calls",
        ),
        as_json("json-in-the-games-own-form", [text(r#"{"action":"move","direction":"south"}"#)], "move south, 1 call"),
        as_json(
            "json-twice",
            [text(r#"{"action":"move east"} {"action":"move south"}"#), south()],
            "move south, refused: unreadable, 2 calls",
        ),
        as_json(
            "json-for-another-seat",
            [text(r#"{"seat":"B","action":"move south"}"#), south()],
            "move south, refused: unreadable, 2 calls",
        ),
        as_json(
            "json-too-deep",
            [text(&"{\"action\":".repeat(10_000)), south()],
            "move south, refused: unreadable, 2 calls",
        ),
        as_json(
            "json-cut-by-length",
            [message(&json!({ "content": r#"{"action":"move so"# }), "length"), south()],
            "move south, refused: truncated, 2 calls",
        ),
        as_json("json-empty", [text(""), south()], "move south, refused: unreadable, 2 calls"),
        as_json("json-in-parts", [message(&json!({ "content": parts }), "stop")], "move south, 1 call"),
        as_text("text-good", [text("The wall is north of me.\n\nACTION: move south")], "move south, 1 call"),
        as_text("text-chinese", [text("北边是墙。\n动作：移动，南")], "move south, 1 call").in_chinese(),
        as_text(
            "text-illegal-then-good",
            [text("ACTION: move north"), text("ACTION: move south")],
            "move south, refused: illegal move_out_of_bounds, 2 calls",
        ),
        as_text(
            "text-action-inside-prose",
            [text("I will move south because it is free."), text("ACTION: move south")],
            "move south, refused: unreadable, 2 calls",
        ),
        as_text(
            "text-for-another-seat",
            [text("A stays.\nACTION: B: move south"), text("ACTION: move south")],
            "move south, refused: unreadable, 2 calls",
        ),
        as_text(
            "text-cut-by-length",
            [message(&json!({ "content": "Let me think.\nACTION: move south" }), "length"), text("ACTION: move south")],
            "move south, refused: truncated, 2 calls",
        ),
        as_text("text-trailing-newline", [text("ACTION: move south\n\n")], "move south, 1 call"),
        as_text(
            "text-control-characters",
            [text("ACTION: move \u{1b}[2J\u{0}south"), text("ACTION: move south")],
            "move south, refused: unreadable, 2 calls",
        ),
        as_text(
            "text-of-10-megabytes",
            [text(&format!("{}\nACTION: move south", "thinking ".repeat(1_100_000)))],
            "move south, 1 call",
        ),
        as_text(
            "two-choices",
            [{
                let mut answer = completion(&json!({ "role": "assistant", "content": "ACTION: move south" }), "stop");
                let mut other = answer["choices"][0].clone();
                other["index"] = json!(1);
                other["message"]["content"] = json!("ACTION: move east");
                answer["choices"].as_array_mut().expect("choices").push(other);
                body(answer.to_string())
            }],
            "move south, 1 call",
        ),
    ]
}
