//! The brief: all that a player must know about a ruleset.

use std::str::FromStr;
use std::sync::Arc;

use serde_json::{Map as JsonMap, Value as Json, json};

use super::book::Book;
use super::language::Language;
use super::refusal::tell_broken;
use super::style::{Style, shown};
use super::turn::{Section, describe, tell};
use super::variant::{MAX_NOTES, Part};
use crate::games::any::{Member, each_rules};
use crate::games::dice::Seed;
use crate::games::ruleset::{Ruleset, name_of};
use crate::games::seat::Seat;
use crate::games::speech::{MAX_MESSAGE, MAX_REASONING, Speech};
use crate::games::table::Table;
use crate::games::words::{Example, Examples, Words};
use crate::games::{View, Viewer};

/// How a model gives its action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnswerBy {
    /// By calling the tool `act`.
    Tools,
    /// By an answer that is one JSON object.
    Json,
    /// By the last line of its answer, `ACTION: …`.
    Text,
}

impl AnswerBy {
    /// All of them.
    pub const ALL: [AnswerBy; 3] = [AnswerBy::Tools, AnswerBy::Json, AnswerBy::Text];

    /// As configurations write it.
    pub fn name(self) -> &'static str {
        match self {
            AnswerBy::Tools => "tools",
            AnswerBy::Json => "json",
            AnswerBy::Text => "text",
        }
    }
}

/// A text that names no way to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a model answers by `tools`, `json` or `text`")]
pub struct ParseAnswerByError;

impl FromStr for AnswerBy {
    type Err = ParseAnswerByError;

    fn from_str(text: &str) -> Result<AnswerBy, ParseAnswerByError> {
        AnswerBy::ALL.into_iter().find(|by| by.name() == text).ok_or(ParseAnswerByError)
    }
}

/// What of a brief is wanted, and what else its reader will get.
pub(super) struct Wanted<'a> {
    /// The parts to write, in this order.
    pub(super) parts: &'a [Part],
    /// How to answer; every way where it is left open.
    pub(super) by: Option<AnswerBy>,
    /// How positions are shown.
    pub(super) style: Style,
    /// What the message of a turn will have.
    pub(super) turn: &'a [Section],
    /// How many tokens an answer may have, where that is limited.
    pub(super) max_output: Option<u32>,
}

/// The rules for a match of so many seats, in Markdown that also reads well in a terminal. Where so many cannot play, it
/// is for as many as usually do.
pub fn brief(ruleset: &Ruleset, seats: usize, language: Language) -> String {
    let wanted = Wanted { parts: &Part::BRIEF, by: None, style: Style::Grid, turn: &Section::USUAL, max_output: None };
    write(ruleset, seats, &wanted, Book::of(language))
}

/// The same for a seat of a match in an arena, whose holder calls tools, may try again after a refusal, and has so many
/// seconds for a turn; 0 is no limit.
pub fn live_brief(ruleset: &Ruleset, seats: usize, turn_seconds: u32, language: Language) -> String {
    let parts: Vec<Part> = Part::BRIEF.into_iter().filter(|part| *part != Part::Answer).collect();
    let wanted = Wanted { parts: &parts, by: None, style: Style::Grid, turn: &Section::USUAL, max_output: None };
    let context = json!({
        "speech": name_of(&Speech::NAMES, ruleset.speech),
        "turn_seconds": turn_seconds,
    });
    let book = Book::of(language);
    format!("{}\n{}\n", write(ruleset, seats, &wanted, book), book.render("lobby.answer", context))
}

/// A brief, or parts of it.
pub(super) fn write(ruleset: &Ruleset, seats: usize, wanted: &Wanted<'_>, book: &Book) -> String {
    let view = laid(ruleset, seats);
    let seats = view.as_ref().map_or(ruleset.players.default, View::seats);
    let summary = match book.language {
        Language::En => &ruleset.summary_en,
        Language::Zh => &ruleset.summary_zh,
    };
    let start = view.as_ref().map(|view| {
        let board = shown(view, wanted.style, book);
        let players = describe(view, None, book).players;
        json!({ "board": board, "fence": wanted.style.fence(), "players": players })
    });
    let examples = each_rules!(&ruleset.rules, rules, G => written::<G>(<G as Words>::examples(rules, seats), book));
    let own = format!("{}.md", ruleset.rules.game().name());
    let template = if book.has(&own) { own.as_str() } else { "brief.md" };
    let shows = |part: Part| wanted.parts.contains(&part);
    let mut context = fields(ruleset);
    context.insert("summary".into(), json!(summary));
    context.insert("seats".into(), json!(Seat::first(seats).collect::<Vec<_>>()));
    context.insert("start".into(), json!(start));
    context.insert("max_message".into(), json!(MAX_MESSAGE));
    context.insert("max_reasoning".into(), json!(MAX_REASONING));
    context.insert("max_notes".into(), json!(MAX_NOTES));
    context.insert("max_output".into(), json!(wanted.max_output));
    let show = json!({
        "rules": shows(Part::Rules),
        "examples": shows(Part::Examples),
        "answer": shows(Part::Answer),
        "tips": shows(Part::Tips),
    });
    context.insert("show".into(), show);
    context.insert("by".into(), json!(wanted.by.map_or("any", AnswerBy::name)));
    context.insert("style".into(), json!(wanted.style.name()));
    context.insert("legal".into(), json!(wanted.turn.contains(&Section::Legal)));
    context.insert("notes".into(), json!(wanted.turn.contains(&Section::Notes)));
    context.extend(examples);
    if template != own {
        context.insert("facts".into(), json!(book.facts(&fields(ruleset))));
        let first = Seat::new(0);
        let legal = view.iter().flat_map(|view| view.legal(first)).take(3);
        context.insert("examples".into(), legal.collect());
    }
    let mut text = book.render(template, Json::Object(context));
    text.push('\n');
    text
}

/// The board on which a match of the ruleset begins that has no opening: that is part of the rules, whatever they hide
/// later. None where a ruleset seats nobody at all.
fn laid(ruleset: &Ruleset, seats: usize) -> Option<View> {
    let ruleset = Arc::new(Ruleset { opening: 0, ..ruleset.clone() });
    let table = |seats| Table::open(ruleset.clone(), seats, Seed(0)).ok();
    [seats, ruleset.players.default].into_iter().find_map(table).map(|table| table.view(Viewer::After))
}

/// Examples with everything in them that is a sentence put into words.
fn written<G: Member>(examples: Examples<G>, book: &Book) -> JsonMap<String, Json> {
    let write = |example: Example<G>| match example {
        Example::Plain(json) => json,
        Example::Events(events) => events.iter().map(|event| tell(G::NAME, json!(event), book)).collect(),
        Example::Broken(illegal) => {
            illegal.map_or(Json::Null, |illegal| tell_broken(G::NAME, &G::broken(&illegal), &illegal, book).into())
        }
        Example::Group(examples) => Json::Object(written(examples, book)),
    };
    examples.into_iter().map(|(name, example)| (name.to_owned(), write(example))).collect()
}

/// Every field of a ruleset by its name.
fn fields(ruleset: &Ruleset) -> JsonMap<String, Json> {
    match serde_json::to_value(ruleset) {
        Ok(Json::Object(fields)) => fields,
        _ => unreachable!("a ruleset is written as an object"),
    }
}
