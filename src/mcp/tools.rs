//! The eight tools, as assistants see them.

use std::sync::{Arc, LazyLock};

use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Value as Json, json};

use super::app::BOARD_URI;
use super::calls::WAIT;
use crate::briefs::{self, Language, Offer};

/// What a tool does to the world, for hosts that ask before they call.
#[expect(clippy::struct_excessive_bools, reason = "the protocol's hints are such")]
struct Manner {
    name: &'static str,
    title: &'static str,
    reads_only: bool,
    idempotent: bool,
    destructive: bool,
    shows_board: bool,
}

const MANNERS: [Manner; 8] = [
    manner("new_match", "New match").board(),
    manner("get_state", "Look at the match").reader().board(),
    manner("list_legal_actions", "Legal actions and what they do").reader(),
    manner("act", "Act").repeatable().board(),
    manner("speak", "Say something"),
    manner("join_match", "Join a match").board(),
    manner("list_matches", "Matches").reader(),
    manner("resign", "Resign").repeatable().destroyer(),
];

const fn manner(name: &'static str, title: &'static str) -> Manner {
    Manner { name, title, reads_only: false, idempotent: false, destructive: false, shows_board: false }
}

impl Manner {
    const fn reader(self) -> Manner {
        Manner { reads_only: true, idempotent: true, ..self }
    }

    const fn repeatable(self) -> Manner {
        Manner { idempotent: true, ..self }
    }

    const fn destroyer(self) -> Manner {
        Manner { destructive: true, ..self }
    }

    const fn board(self) -> Manner {
        Manner { shows_board: true, ..self }
    }
}

/// The tools, always the same and in this order.
pub(super) fn all() -> &'static [Tool] {
    static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| MANNERS.iter().map(tool).collect());
    &TOOLS
}

fn tool(manner: &Manner) -> Tool {
    let (description, input) = definition(manner.name);
    let annotations = ToolAnnotations::from_raw(
        None,
        Some(manner.reads_only),
        Some(manner.destructive),
        Some(manner.idempotent),
        Some(false),
    );
    let mut tool = Tool::new(manner.name, description, object(input))
        .with_title(manner.title)
        .with_raw_output_schema(object(output(manner.name)))
        .with_annotations(annotations);
    if manner.shows_board {
        let mut meta = MetaObject::new();
        meta.0.insert("ui".to_owned(), json!({ "resourceUri": BOARD_URI }));
        tool = tool.with_meta(meta);
    }
    tool
}

/// What a tool says of itself, and what it takes. The four that every player has come from where models get theirs.
fn definition(name: &str) -> (String, Json) {
    let own = |description: &str, properties: Json, required: &[&str]| {
        let input = json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        });
        (description.to_owned(), input)
    };
    match name {
        "new_match" => own(
            "Starts a match and returns its brief, the position and your legal actions.",
            json!({
                "ruleset": { "type": "string", "enum": crate::games::library::rulesets().collect::<Vec<_>>(), "default": "cowboy" },
                "opponents": {
                    "type": "array",
                    "items": { "type": "string" },
                    "description": "One a seat: random, greedy, search, search:2000 (playouts a move), a configured model, open (another joins) or human (your user, by form). Default search.",
                },
                "seat": { "type": "string", "description": "Yours; default A" },
                "language": { "type": "string", "enum": ["en", "zh"] },
                "seed": { "type": "string" },
                "map": { "type": "string" },
                "withhold_legal": { "type": "boolean", "description": "Never list legal actions" },
            }),
            &[],
        ),
        "join_match" => own(
            "Takes an open seat of a match, or goes back to yours with seat_key.",
            json!({ "match_id": text(), "seat": text(), "seat_key": text() }),
            &[],
        ),
        "list_matches" => own("Matches here: yours, and those with open seats.", json!({}), &[]),
        "resign" => own("Gives up your seat.", json!({ "match_id": text(), "seat_key": text() }), &[]),
        shared => {
            let offer = Offer { legal: true, talk: true, notes: false };
            let tool = briefs::tools(offer, Language::En).into_iter().find(|tool| tool.name == shared);
            let tool = tool.expect("one of the four that every player has");
            let (more, properties) = beside(shared);
            let mut input = tool.input_schema;
            for (name, schema) in properties.as_object().into_iter().flatten() {
                input["properties"][name] = schema.clone();
            }
            (format!("{}{more}", tool.description), input)
        }
    }
}

/// What the four tools have here beside what they have for a model at the table.
fn beside(name: &str) -> (&'static str, Json) {
    let mut properties = json!({ "match_id": text(), "seat_key": text() });
    let more = match name {
        "get_state" => {
            properties["wait_seconds"] = json!({ "type": "integer", "description": "Wait so long for your turn" });
            ""
        }
        "list_legal_actions" => " Each with what it would do.",
        "act" => {
            properties["turn"] =
                json!({ "type": "integer", "description": "The turn you saw; makes a repeated call harmless" });
            properties["wait_seconds"] = json!({ "type": "integer", "default": WAIT.as_secs() });
            " Waits for the others and returns what happened and the new position."
        }
        _ => "",
    };
    (more, properties)
}

fn text() -> Json {
    json!({ "type": "string" })
}

/// What a tool gives.
fn output(name: &str) -> Json {
    let list = |items: Json| json!({ "type": "array", "items": items });
    let object = || json!({ "type": "object" });
    let (properties, required) = match name {
        "list_matches" => (json!({ "matches": list(object()) }), vec!["matches"]),
        "list_legal_actions" => {
            (json!({ "match_id": text(), "legal_actions": list(text()), "effects": list(text()) }), vec!["match_id"])
        }
        _ => {
            let mut properties = json!({
                "match_id": text(),
                "seat": text(),
                "your_turn": { "type": "boolean" },
                "state": object(),
                "legal_actions": list(text()),
                "events": list(object()),
            });
            if matches!(name, "new_match" | "join_match") {
                properties["seat_key"] = text();
                properties["brief"] = text();
            }
            (properties, vec!["match_id", "your_turn"])
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
