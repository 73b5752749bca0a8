//! The door: actions come in as text or JSON, are read once, and leave it as [`Accepted`].

use std::fmt::{self, Write as _};

use serde::Deserialize as _;
use serde_json::{Map, Value as Json};

use super::any::{Action, Member};
use super::bad_json::BadJson;
use super::game::Game;
use super::refusal::{Code, PlayError, Refusal};
use super::seat::{Seat, Seats};
use super::speech::{MAX_REASONING, MAX_THOUGHTS};
use super::view::{Partial as _, Seen};

#[cfg(doc)]
use super::{table::Table, view::View};

/// An action that the rules accepted from a seat in a turn. Only the rules make one ([`Table::accept`],
/// [`View::accept`], [`Table::stand_in`]), so that from there to the record nobody reads or checks it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    seat: Seat,
    turn: u32,
    action: Action,
    notation: String,
    reasoning: Option<String>,
}

impl Accepted {
    pub(super) fn new(seat: Seat, turn: u32, action: Action, reasoning: Option<String>) -> Accepted {
        Accepted { seat, turn, notation: notation(&action), action, reasoning }
    }

    /// Whose action it is.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// How many turns had been applied when it was accepted.
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// The action itself.
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// The same with what the player wants spectators to know, where it did not come with the action itself.
    #[must_use]
    pub fn with_reasoning(mut self, reasoning: Option<&str>) -> Accepted {
        self.reasoning = self.reasoning.or_else(|| reasoning.map(|text| text.chars().take(MAX_REASONING).collect()));
        self
    }

    /// Puts what the player wrote on its way to the action before its reasoning, cut to what a record has room for.
    pub fn think(&mut self, thoughts: &[String]) {
        if !thoughts.is_empty() {
            let all: Vec<&str> = thoughts.iter().map(String::as_str).chain(self.reasoning.as_deref()).collect();
            self.reasoning = Some(all.join("\n").chars().take(MAX_THOUGHTS).collect());
        }
    }

    /// The action in canonical notation, as the record keeps it.
    pub fn into_notation(self) -> String {
        self.notation
    }

    /// The action in canonical notation.
    pub fn notation(&self) -> &str {
        &self.notation
    }

    /// What the player wants spectators to know.
    pub fn reasoning(&self) -> Option<&str> {
        self.reasoning.as_deref()
    }
}

/// An action as it came through a door, not read yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Raw<'a> {
    /// In notation, or as JSON in text.
    Text(&'a str),
    /// As a JSON object that was read with what it came in.
    Object(Map<String, Json>),
}

impl<'a> From<&'a str> for Raw<'a> {
    fn from(text: &'a str) -> Raw<'a> {
        Raw::Text(text)
    }
}

impl<'a> From<&'a String> for Raw<'a> {
    fn from(text: &'a String) -> Raw<'a> {
        Raw::Text(text)
    }
}

impl From<Map<String, Json>> for Raw<'_> {
    fn from(object: Map<String, Json>) -> Self {
        Raw::Object(object)
    }
}

impl fmt::Display for Raw<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Raw::Text(text) => f.write_str(text),
            Raw::Object(object) => f.write_str(&serde_json::to_string(object).map_err(|_| fmt::Error)?),
        }
    }
}

#[cfg(test)]
thread_local! {
    /// How many actions this thread has read: one is read once, at the door.
    pub(crate) static READS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// What decides whether a seat may do something: a position, or what the seat sees of one.
pub(super) trait Door<G: Game> {
    fn turn(&self) -> u32;
    fn to_act(&self) -> Seats;
    fn must_act(&self, seat: Seat) -> bool;
    fn check(&self, seat: Seat, action: &G::Action) -> Result<(), G::Illegal>;
}

impl<G: Game> Door<G> for G {
    fn turn(&self) -> u32 {
        Game::turn(self)
    }

    fn to_act(&self) -> Seats {
        Game::to_act(self)
    }

    fn must_act(&self, seat: Seat) -> bool {
        Game::must_act(self, seat)
    }

    fn check(&self, seat: Seat, action: &G::Action) -> Result<(), G::Illegal> {
        Game::check(self, seat, action)
    }
}

impl<G: Game> Door<G> for Seen<G> {
    fn turn(&self) -> u32 {
        Seen::turn(self)
    }

    fn to_act(&self) -> Seats {
        Seen::to_act(self)
    }

    fn must_act(&self, seat: Seat) -> bool {
        Seen::must_act(self, seat)
    }

    fn check(&self, seat: Seat, action: &G::Action) -> Result<(), G::Illegal> {
        match self {
            Seen::All(game) => game.check(seat, action),
            Seen::Part(part) => part.check(seat, action),
        }
    }
}

/// Reads an action of a seat that may do it now.
pub(super) fn accept<G: Member>(door: &impl Door<G>, seat: Seat, raw: Raw<'_>) -> Result<Accepted, Refusal> {
    owes(door, seat)?;
    let (action, reasoning) = read_as::<G>(raw)?;
    check(door, seat, &action)?;
    Ok(Accepted::new(seat, door.turn(), G::wrap_action(action), reasoning))
}

/// Takes an action that needs no reading, of a seat that may do it now.
pub(super) fn accept_action<G: Member>(door: &impl Door<G>, seat: Seat, action: Action) -> Result<Accepted, Refusal> {
    owes(door, seat)?;
    check(door, seat, typed::<G>(&action)?)?;
    Ok(Accepted::new(seat, door.turn(), action, None))
}

fn check<G: Member>(door: &impl Door<G>, seat: Seat, action: &G::Action) -> Result<(), Refusal> {
    door.check(seat, action).map_err(|illegal| refused::<G>(PlayError::Illegal { seat, illegal }))
}

/// Whether a seat owes an action now.
fn owes<G: Member>(door: &impl Door<G>, seat: Seat) -> Result<(), Refusal> {
    if door.must_act(seat) {
        return Ok(());
    }
    let to_act = door.to_act();
    Err(refused::<G>(if to_act.is_empty() { PlayError::Over } else { PlayError::NotToAct { seat, to_act } }))
}

/// The refusal with the broken rule in it, for those who put it into their own words.
pub(super) fn refused<G: Member>(error: PlayError<G::Illegal>) -> Refusal {
    let refusal = Refusal::new(error.code(), error.to_string());
    match error {
        PlayError::Illegal { illegal, .. } => refusal.breaking(G::wrap_illegal(illegal)),
        PlayError::Over | PlayError::NotToAct { .. } | PlayError::Missing { .. } => refusal,
    }
}

/// The action as this game's own.
pub(super) fn typed<G: Member>(action: &Action) -> Result<&G::Action, Refusal> {
    let other = || Refusal::new(Code::UnreadableAction, format!("`{action}` is an action of another game"));
    G::action_of(action).ok_or_else(other)
}

/// An action in canonical notation, in one piece of memory.
fn notation(action: &impl fmt::Display) -> String {
    let mut notation = String::with_capacity(32);
    write!(notation, "{action}").expect("a string takes whatever is written");
    notation
}

/// An action in notation or JSON, and the reasoning that came with it.
pub(super) fn read_as<G: Game>(raw: Raw<'_>) -> Result<(G::Action, Option<String>), Refusal> {
    #[cfg(test)]
    READS.set(READS.get() + 1);
    let unreadable = |why: String| Refusal::new(Code::UnreadableAction, why);
    let mut object: Map<String, Json> = match raw {
        Raw::Text(text) if text.len() > 64 * 1024 => {
            return Err(unreadable("an action is one short line; this is more than 64 KiB".to_owned()));
        }
        Raw::Text(text) if !text.trim().starts_with('{') => return Ok((text.trim().parse()?, None)),
        Raw::Text(text) => serde_json::from_str(text.trim()).map_err(|error| Refusal::unreadable_json(&error))?,
        Raw::Object(object) => object,
    };
    // Any game's action may come with a word to the spectators; it is not part of the action.
    let reasoning = match object.remove("reasoning") {
        None | Some(Json::Null) => None,
        Some(Json::String(text)) if text.chars().count() <= MAX_REASONING => Some(text),
        Some(Json::String(text)) => {
            let length = text.chars().count();
            let refusal =
                unreadable(format!("`reasoning` has {length} characters, at most {MAX_REASONING} are allowed"));
            return Err(refusal.because(BadJson::ReasoningLength { length, max: MAX_REASONING }));
        }
        Some(_) => {
            return Err(unreadable("`reasoning` must be a text".to_owned()).because(BadJson::ReasoningType));
        }
    };
    let action = G::Action::deserialize(Json::Object(object)).map_err(|error| Refusal::no_action(&error))?;
    Ok((action, reasoning))
}
