//! The brief: all that a player must know about a ruleset.

use std::sync::Arc;

use serde_json::{Map as JsonMap, Value as Json, json};

use super::book::Book;
use super::language::Language;
use super::turn::view;
use super::{cowboy, paint, royale};
use crate::rules::dice::Seed;
use crate::rules::ruleset::{Rules, Ruleset};
use crate::rules::seat::Seat;
use crate::rules::speech::{MAX_MESSAGE, MAX_REASONING};
use crate::rules::table::Table;

/// The rules for a match of so many seats, in Markdown that also reads well in a terminal. Where so many cannot play, it
/// is for as many as usually do.
pub fn brief(ruleset: &Ruleset, seats: usize, language: Language) -> String {
    let table = laid(ruleset, seats);
    let seats = table.as_ref().map_or(ruleset.players.default, Table::seats);
    let summary = match language {
        Language::En => &ruleset.summary_en,
        Language::Zh => &ruleset.summary_zh,
    };
    let start = table.as_ref().map(|table| {
        let view = view(table, None, language);
        json!({ "board": view.grid, "players": view.players })
    });
    let (template, examples) = match &ruleset.rules {
        Rules::Cowboy(rules) => ("brief-cowboy.md", cowboy::examples(rules, language)),
        Rules::Paint(rules) => ("brief-paint.md", paint::examples(rules, language)),
        Rules::Royale(rules) => ("brief-royale.md", royale::examples(rules, seats, language)),
    };
    let mut context = fields(ruleset);
    context.insert("summary".into(), json!(summary));
    context.insert("seats".into(), json!(Seat::first(seats).collect::<Vec<_>>()));
    context.insert("start".into(), json!(start));
    context.insert("max_message".into(), json!(MAX_MESSAGE));
    context.insert("max_reasoning".into(), json!(MAX_REASONING));
    context.extend(examples);
    let mut text = Book::of(language).render(template, Json::Object(context));
    text.push('\n');
    text
}

/// The table as the match finds it. None where a ruleset seats nobody at all.
fn laid(ruleset: &Ruleset, seats: usize) -> Option<Table> {
    let ruleset = Arc::new(ruleset.clone());
    [seats, ruleset.players.default].into_iter().find_map(|seats| Table::open(ruleset.clone(), seats, Seed(0)).ok())
}

/// Every field of a ruleset by its name.
fn fields(ruleset: &Ruleset) -> JsonMap<String, Json> {
    match serde_json::to_value(ruleset) {
        Ok(Json::Object(fields)) => fields,
        _ => unreachable!("a ruleset is written as an object"),
    }
}
