//! What a game contributes to the words that players read: data for the templates under `prompts/`, never sentences.
//!
//! A sentence is a term, the dotted name of a template like `events.moved`, and what fills it in. A game's own terms stand
//! in `prompts/{en,zh}/NAME.toml`, its brief in `NAME.md`; what it has no term for is said in the common ones.

use serde::Serialize;
use serde_json::{Map as JsonMap, Value as Json, json};

use super::game::Game;
use super::joint::Joint;
use super::refusal::Illegal;
use super::scene::players;
use super::seat::Seat;
use super::sketch::sketch;
use super::speech::{BadMessage, MAX_MESSAGE};
use super::view::{NothingHidden, Seen, Viewer};

/// The prompt files of a game, each by its language and name: `en/cowboy.md`.
pub type PromptFiles = &'static [(&'static str, &'static str)];

/// Embeds the four prompt files of a game: brief and terms in both languages.
macro_rules! prompt_files {
    ($name:literal) => {
        &[
            (
                concat!("en/", $name, ".md"),
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/prompts/en/", $name, ".md")),
            ),
            (
                concat!("en/", $name, ".toml"),
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/prompts/en/", $name, ".toml")),
            ),
            (
                concat!("zh/", $name, ".md"),
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/prompts/zh/", $name, ".md")),
            ),
            (
                concat!("zh/", $name, ".toml"),
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/prompts/zh/", $name, ".toml")),
            ),
        ]
    };
}
pub(crate) use prompt_files;

/// A sentence to be: the name of its template, and what fills it in.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The dotted name, like `list.walls`.
    pub name: String,
    /// The variables of the template.
    pub context: Json,
}

impl Term {
    /// A term and what fills it in.
    pub fn new(name: impl Into<String>, context: Json) -> Term {
        Term { name: name.into(), context }
    }

    /// A line of a listed board, under `list`.
    pub fn line(name: &str, context: Json) -> Term {
        Term::new(format!("list.{name}"), context)
    }

    /// A line that lists things; none where there are no things.
    pub fn things(name: &str, items: &[String]) -> Option<Term> {
        (!items.is_empty()).then(|| Term::line(name, json!({ "items": items })))
    }
}

/// What is known of one player, for the term `board.player`.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerTerms {
    /// The seat that this is about.
    pub seat: Seat,
    /// The variables of the template; `you` is added.
    pub context: Json,
}

/// Something that a brief shows as an example.
#[derive(Clone, Debug, PartialEq)]
pub enum Example<G: Game> {
    /// A value as it is: a drawing, a number, a list.
    Plain(Json),
    /// What happens, to be told in a sentence each.
    Events(Vec<G::Event>),
    /// The rule that an action breaks, to be told in a sentence; null where it breaks none.
    Broken(Option<G::Illegal>),
    /// Several of these, by name.
    Group(Examples<G>),
}

impl<G: Game> Example<G> {
    /// A turn: the board drawn before it, what everybody does, what comes of it, and the board after.
    pub(super) fn turn(before: String, joint: &Joint<G::Action>, events: Vec<G::Event>, after: String) -> Example<G> {
        let orders = joint.iter().filter_map(|(seat, order)| {
            order.action().map(|action| json!({ "seat": seat, "action": action.to_string() }))
        });
        Example::Group(vec![
            ("board", Example::Plain(before.into())),
            ("orders", Example::Plain(orders.collect())),
            ("events", Example::Events(events)),
            ("after", Example::Plain(after.into())),
        ])
    }
}

/// Examples by the names that the brief has for them.
pub type Examples<G> = Vec<(&'static str, Example<G>)>;

/// What a game contributes to the words that players read. A game that says nothing here is described plainly: its board
/// by the grid of its state, players and events by their fields, its rules by the fields of the ruleset.
pub trait Words: Game {
    /// The game's own prompt files; embedded by the macro `prompt_files!`.
    const PROMPTS: PromptFiles = &[];

    /// Whether models are told the board as a list where nothing else is asked for: one that is wide and nearly empty takes
    /// far fewer tokens so than drawn.
    const LISTED: bool = false;

    /// Whether everybody may do the same in every position: the rules say what, and no turn repeats it.
    const SAME_ACTIONS: bool = false;

    /// The lines of a listed board that tell what the status and the players tell as well.
    const TOLD_TWICE: &'static [&'static str] = &[];

    /// How far the match is, for the term `board.status`.
    fn status(seen: &Seen<Self>) -> Json {
        json!({ "turn": seen.turn() })
    }

    /// The board, drawn with its axes.
    fn sketch(seen: &Seen<Self>) -> String {
        plain_sketch(&json!(seen.state("", Viewer::Public)))
    }

    /// The board as a list of what is where; none where it can only be drawn.
    fn listed(_seen: &Seen<Self>) -> Option<Vec<Term>> {
        None
    }

    /// The players in seat order, the dead included.
    fn players(seen: &Seen<Self>) -> Vec<PlayerTerms> {
        let state = json!(seen.state("", Viewer::Public));
        Seat::first(seen.seats()).map(|seat| plain_player(&state, seat)).collect()
    }

    /// What the brief shows beside the fields of the ruleset, for so many seats.
    fn examples(_rules: &Self::Rules, _seats: usize) -> Examples<Self> {
        Vec::new()
    }

    /// The sentence about a broken rule. By default it is called after the rule.
    fn broken(illegal: &Self::Illegal) -> Term {
        broken_rule(illegal)
    }

    /// Whether an event is this seat's doing, whatever chance and the others do: what a preview of its action may tell.
    fn is_own_doing(_event: &Self::Event, _seat: Seat) -> bool {
        true
    }
}

impl<G: Game<Partial = NothingHidden>> Seen<G> {
    /// The position, of a game that hides nothing.
    pub fn whole(&self) -> &G {
        match self {
            Seen::All(game) => game,
            Seen::Part(never) => match *never {},
        }
    }
}

impl From<&BadMessage> for Term {
    fn from(bad: &BadMessage) -> Term {
        let (name, length) = match bad {
            BadMessage::Empty => ("illegal.message.empty", 0),
            BadMessage::TooLong { length } => ("illegal.message.too_long", *length),
            BadMessage::Control => ("illegal.message.control", 0),
        };
        Term::new(name, json!({ "length": length, "max": MAX_MESSAGE }))
    }
}

/// The term that is called after a broken rule: the tag `rule` of its JSON, or its code.
pub(crate) fn broken_rule(illegal: &(impl Illegal + Serialize)) -> Term {
    let context = json!(illegal);
    let rule = context["rule"].as_str().map_or_else(|| illegal.code().to_string(), ToOwned::to_owned);
    Term::new(format!("illegal.{rule}"), context)
}

/// A cell by its two numbers, as the words have it.
pub(crate) fn cell(first: impl Into<usize>, second: impl Into<usize>) -> String {
    format!("({}, {})", first.into(), second.into())
}

/// The grid of a state with the players on it, or the state itself where it has none.
fn plain_sketch(state: &Json) -> String {
    let symbol = |cell: &Json| match cell {
        Json::Null => ".".to_owned(),
        Json::Number(number) if number.as_i64() == Some(0) => ".".to_owned(),
        Json::Number(number) if number.as_i64() == Some(-1) => "#".to_owned(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    let rows: Option<Vec<Vec<String>>> = state["grid"]
        .as_array()
        .filter(|rows| !rows.is_empty())
        .and_then(|rows| rows.iter().map(|row| Some(row.as_array()?.iter().map(symbol).collect())).collect());
    let Some(rows) = rows else { return state.to_string() };
    let mut rows: Vec<(usize, Vec<String>)> = rows.into_iter().enumerate().collect();
    for (seat, player) in players(state) {
        let at = |key: &str| player[key].as_u64().and_then(|number| usize::try_from(number).ok());
        let here = at("row").zip(at("col")).and_then(|(row, col)| rows.get_mut(row)?.1.get_mut(col));
        if let Some(cell) = here {
            *cell = seat.to_string();
        }
    }
    sketch(&rows)
}

/// What a state says of a seat, field by field.
fn plain_player(state: &Json, seat: Seat) -> PlayerTerms {
    let player = players(state).into_iter().find(|(other, _)| *other == seat);
    let fields: JsonMap<String, Json> = player
        .and_then(|(_, player)| player.as_object())
        .into_iter()
        .flatten()
        .filter(|(key, _)| *key != "seat")
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    PlayerTerms { seat, context: json!({ "seat": seat, "fields": fields }) }
}
