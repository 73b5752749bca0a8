//! The nine tools, as assistants see them.

use std::sync::{Arc, LazyLock};

use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Value as Json, json};

use super::app::BOARD_URI;
use crate::arena::Pace;
use crate::briefs::{self, Language, Offer};
use crate::games::{GameId, library};

/// What a tool does to the world, for hosts that ask before they call.
#[expect(clippy::struct_excessive_bools, reason = "the protocol's hints are such")]
struct ToolHints {
    name: &'static str,
    reads_only: bool,
    idempotent: bool,
    destructive: bool,
    shows_board: bool,
}

const MANNERS: [ToolHints; 9] = [
    manner("new_match").board(),
    manner("get_state").reader().board(),
    manner("list_legal_actions").reader(),
    manner("act").repeatable().board(),
    manner("speak"),
    manner("join_match").board(),
    manner("find_match").repeatable().board(),
    manner("list_matches").reader(),
    manner("resign").repeatable().destroyer(),
];

const fn manner(name: &'static str) -> ToolHints {
    ToolHints { name, reads_only: false, idempotent: false, destructive: false, shows_board: false }
}

impl ToolHints {
    const fn reader(self) -> ToolHints {
        ToolHints { reads_only: true, idempotent: true, ..self }
    }

    const fn repeatable(self) -> ToolHints {
        ToolHints { idempotent: true, ..self }
    }

    const fn destroyer(self) -> ToolHints {
        ToolHints { destructive: true, ..self }
    }

    const fn board(self) -> ToolHints {
        ToolHints { shows_board: true, ..self }
    }
}

/// The tools, always the same and in this order.
pub(super) fn all() -> &'static [Tool] {
    static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| MANNERS.iter().map(tool).collect());
    &TOOLS
}

fn tool(manner: &ToolHints) -> Tool {
    let annotations = ToolAnnotations::from_raw(
        None,
        Some(manner.reads_only),
        Some(manner.destructive),
        Some(manner.idempotent),
        Some(false),
    );
    let mut tool = Tool::new(manner.name, say("mcp", manner.name), object(input(manner.name)))
        .with_title(say("title", manner.name))
        .with_raw_output_schema(object(output(manner.name)))
        .with_annotations(annotations);
    if manner.shows_board {
        let mut meta = MetaObject::new();
        meta.0.insert("ui".to_owned(), json!({ "resourceUri": BOARD_URI }));
        tool = tool.with_meta(meta);
    }
    tool
}

/// What a tool or an argument says of itself. Lists are in English; what is answered is in the language of the match.
fn say(what: &str, name: &str) -> String {
    let games: Vec<&str> = GameId::NAMES.iter().map(|(game, _)| *game).collect();
    briefs::tool_text(&format!("{what}.{name}"), json!({ "games": games }), Language::En)
}

/// What a tool takes. The four that every player has take what they take from models, and say which match is meant.
fn input(name: &str) -> Json {
    let described = |kind: &str, name: &str| json!({ "type": kind, "description": say("arguments", name) });
    let own = |properties: Json| json!({ "type": "object", "properties": properties, "additionalProperties": false });
    let whose = json!({ "match_id": text(), "seat_key": text() });
    match name {
        "new_match" => own(json!({
            "ruleset": { "type": "string", "enum": library::rulesets().collect::<Vec<_>>(), "default": library::DEFAULT },
            "opponents": { "type": "array", "items": text(), "description": say("arguments", "opponents") },
            "seat": described("string", "seat"),
            "language": { "type": "string", "enum": Language::ALL },
            "seed": text(),
            "map": text(),
            "opening": described("integer", "opening"),
            "turn_seconds": described("integer", "turn_seconds"),
            "withhold_legal": described("boolean", "withhold_legal"),
            "idempotency_key": described("string", "idempotency_key"),
        })),
        "join_match" => {
            own(json!({ "match_id": text(), "seat": text(), "seat_key": text(), "idempotency_key": text() }))
        }
        "find_match" => own(json!({
            "ruleset": text(),
            "bots": described("boolean", "bots"),
            "pace": { "type": "string", "enum": [Pace::OwnPace, Pace::Live] },
            "wait_seconds": { "type": "integer" },
            "ticket": text(),
        })),
        "list_matches" => own(json!({ "show": described("string", "show") })),
        "resign" => own(whose),
        shared => {
            let offer = Offer { legal: true, talk: true, notes: false };
            let tool = briefs::tools(offer, Language::En).into_iter().find(|tool| tool.name == shared);
            let mut input = tool.expect("one of the four that every player has").input_schema;
            if input["required"] == json!([]) {
                input.as_object_mut().map(|input| input.remove("required"));
            }
            let properties = input["properties"].as_object_mut().expect("a schema of an object");
            properties.extend(whose.as_object().cloned().unwrap_or_default());
            match shared {
                "get_state" => {
                    properties.insert("wait_seconds".into(), described("integer", "wait_seconds"));
                    properties.insert("full".into(), json!({ "type": "boolean" }));
                }
                "act" => {
                    properties.insert("full".into(), described("boolean", "full"));
                    properties.insert("turn".into(), described("integer", "turn"));
                    properties.insert("wait_seconds".into(), json!({ "type": "integer" }));
                    properties.insert("idempotency_key".into(), text());
                }
                "speak" => {
                    properties.insert("turn".into(), json!({ "type": "integer" }));
                    properties.insert("idempotency_key".into(), text());
                }
                _ => {}
            }
            input
        }
    }
}

fn text() -> Json {
    json!({ "type": "string" })
}

/// What a tool gives.
fn output(name: &str) -> Json {
    let list = || json!({ "type": "array" });
    let texts = || json!({ "type": "array", "items": text() });
    let (properties, required) = match name {
        "list_matches" => (json!({ "matches": list() }), vec!["matches"]),
        "list_legal_actions" => (json!({ "match_id": text(), "legal_actions": texts() }), vec!["match_id"]),
        // What comes before the match, where there is none yet.
        "find_match" => (json!({ "match_id": text(), "seat_key": text(), "next": text() }), vec!["next"]),
        "resign" | "speak" => (json!({ "match_id": text() }), vec!["match_id"]),
        _ => {
            let mut properties = json!({
                "match_id": text(),
                "seat": text(),
                "turn": { "type": "integer" },
                "your_turn": { "type": "boolean" },
                "board": text(),
                "said": list(),
                "next": text(),
                "state": { "type": "object" },
                "legal_actions": list(),
                "events": list(),
            });
            let more =
                if matches!(name, "new_match" | "join_match") { &["seat_key", "brief"][..] } else { &["sealed"] };
            for name in more {
                properties[*name] = text();
            }
            (properties, vec!["match_id", "turn", "your_turn"])
        }
    };
    json!({ "type": "object", "properties": properties, "required": required })
}

fn object(json: Json) -> Arc<JsonObject> {
    match json {
        Json::Object(fields) => Arc::new(fields),
        _ => Arc::default(),
    }
}
