//! The brief: all that a player must know about a ruleset.

use serde_json::{Map as JsonMap, Value as Json, json};

use super::book::Book;
use super::cowboy;
use super::language::Language;
use crate::rules::ruleset::{Rules, Ruleset};
use crate::rules::seat::Seat;
use crate::rules::speech::{MAX_MESSAGE, MAX_REASONING};

/// The rules for a match of so many seats, in Markdown that also reads well in a terminal.
pub fn brief(ruleset: &Ruleset, seats: usize, language: Language) -> String {
    let book = Book::of(language);
    let seats = seats.clamp(ruleset.players.min, ruleset.players.max);
    let mut context = fields(ruleset);
    let summary = match language {
        Language::En => &ruleset.summary_en,
        Language::Zh => &ruleset.summary_zh,
    };
    context.insert("summary".into(), json!(summary));
    context.insert("seats".into(), json!(Seat::first(seats).collect::<Vec<_>>()));
    context.insert("max_message".into(), json!(MAX_MESSAGE));
    context.insert("max_reasoning".into(), json!(MAX_REASONING));
    let (template, examples) = match &ruleset.rules {
        Rules::Cowboy(rules) => ("brief-cowboy.md", cowboy::examples(rules, seats, language)),
    };
    context.extend(examples);
    let mut text = book.render(template, Json::Object(context));
    text.push('\n');
    text
}

/// Every field of a ruleset by its name.
fn fields(ruleset: &Ruleset) -> JsonMap<String, Json> {
    match serde_json::to_value(ruleset) {
        Ok(Json::Object(fields)) => fields,
        _ => unreachable!("a ruleset is written as an object"),
    }
}
