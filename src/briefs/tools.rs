//! The four tools that a model plays with, whoever serves them.

use serde_json::{Value as Json, json};

use super::book::Book;
use super::language::Language;
use crate::games::speech::{MAX_MESSAGE, MAX_REASONING};

/// A tool: its name, what it does, and what it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The name that it is called by.
    pub name: &'static str,
    /// What it does, for the model.
    pub description: String,
    /// The JSON schema of its arguments.
    pub input_schema: Json,
}

/// What a player is given beside `get_state` and `act`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Whether there is `list_legal_actions`.
    pub legal: bool,
    /// Whether there is `speak`.
    pub talk: bool,
    /// Notes to oneself with `act`.
    pub notes: bool,
}

/// The tools, always in this order.
pub fn tools(offer: Offer, language: Language) -> Vec<Tool> {
    describe(offer, Book::of(language))
}

pub(super) fn describe(offer: Offer, book: &Book) -> Vec<Tool> {
    let tool = |name: &'static str, properties: Json, required: &[&str]| Tool {
        name,
        description: book.render(&format!("tools.play.{name}"), json!({})),
        input_schema: object(&properties, required),
    };
    let argument = |name: &str| book.render(&format!("tools.arguments.{name}"), json!({ "max": MAX_REASONING }));
    let mut act = json!({
        "reasoning": { "type": "string", "description": argument("reasoning") },
        "action": { "type": "string", "description": argument("action") },
    });
    if offer.notes {
        act["notes"] = json!({ "type": "string", "description": argument("notes") });
    }
    let mut tools = vec![tool("get_state", json!({}), &[])];
    if offer.legal {
        tools.push(tool("list_legal_actions", json!({}), &[]));
    }
    tools.push(tool("act", act, &["action"]));
    if offer.talk {
        tools.push(tool("speak", json!({ "text": { "type": "string", "maxLength": MAX_MESSAGE } }), &["text"]));
    }
    tools
}

fn object(properties: &Json, required: &[&str]) -> Json {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// The schema of an answer in JSON. All fields are there: strict servers want it so. Reasoning comes first.
pub fn answer_schema(talk: bool, notes: bool) -> Json {
    let mut properties = json!({ "reasoning": { "type": "string" }, "action": { "type": "string" } });
    let mut required = vec!["reasoning", "action"];
    for (name, _) in [("say", talk), ("notes", notes)].into_iter().filter(|(_, wanted)| *wanted) {
        properties[name] = json!({ "type": ["string", "null"] });
        required.push(name);
    }
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// What a tool, a prompt or a resource is called and says of itself, by its name under `tools` in `prompts/`.
pub fn tool_text(name: &str, context: Json, language: Language) -> String {
    Book::of(language).render(&format!("tools.{name}"), context)
}

/// A sentence about a bot.
pub fn bot_sentence(name: &str, language: Language) -> String {
    Book::of(language).render(&format!("bots.{name}"), json!({}))
}

/// What a player is told of a tool call that did not end its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolNote<'a> {
    /// There is no such tool.
    Unknown(&'a str),
    /// The arguments of `speak` are not as they should be.
    NotSaid,
    /// The message will be heard with the action.
    Said,
    /// One message a turn.
    SaidAlready,
    /// There was an action already; this one was not looked at.
    ActedAlready,
}

/// The same in words.
pub fn tool_note(note: ToolNote<'_>, language: Language) -> String {
    tell_note(note, Book::of(language))
}

pub(super) fn tell_note(note: ToolNote<'_>, book: &Book) -> String {
    let (name, context) = match note {
        ToolNote::Unknown(name) => ("unknown", json!({ "name": crate::settings::shorten(name) })),
        ToolNote::NotSaid => ("not_said", json!({ "max": MAX_MESSAGE })),
        ToolNote::Said => ("said", json!({})),
        ToolNote::SaidAlready => ("said_already", json!({})),
        ToolNote::ActedAlready => ("acted_already", json!({})),
    };
    book.render(&format!("tools.note.{name}"), context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_have_the_same_tools() {
        let all = Offer { legal: true, talk: true, notes: true };
        let names = |language| tools(all, language).iter().map(|tool| tool.name).collect::<Vec<_>>();
        assert_eq!(names(Language::En), ["get_state", "list_legal_actions", "act", "speak"]);
        assert_eq!(names(Language::Zh), names(Language::En));
    }

    #[test]
    fn what_is_not_offered_is_not_there() {
        let tools = tools(Offer { legal: false, talk: false, notes: false }, Language::En);
        assert_eq!(tools.iter().map(|tool| tool.name).collect::<Vec<_>>(), ["get_state", "act"]);
        assert_eq!(tools[1].input_schema["properties"].get("notes"), None);
    }

    #[test]
    fn the_note_on_messages_has_the_length_of_the_rules() {
        for language in Language::ALL {
            assert!(tool_note(ToolNote::NotSaid, language).contains(&MAX_MESSAGE.to_string()));
        }
    }
}
