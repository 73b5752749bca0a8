//! Any game behind one face: typed inside, text and JSON at the edge.
//!
//! The types of the games are erased in [`super::any`] and nowhere else.

use std::fmt::{self, Write as _};
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use sha2::{Digest as _, Sha256};

use super::Hex;
use super::any::{Member, each, each_rules};
use super::dice::{Dice, Seed};
use super::game::{Game, Tell};
use super::joint::{Joint, Order};
use super::outcome::Outcome;
use super::refusal::{Code, PlayError, Refusal};
use super::ruleset::Ruleset;
use super::seat::{Seat, Seats};
use super::speech::{MAX_REASONING, Speech};

pub use super::any::{Action, Event, Illegal, Position, State};

/// A ruleset and a position of it.
#[derive(Clone, Debug)]
pub struct Table {
    ruleset: Arc<Ruleset>,
    position: Position,
}

/// An action that the rules accepted from a seat in a turn. Only [`Table::accept`] and [`Table::stand_in`] make one, so
/// that from there to the record nobody reads or checks it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    seat: Seat,
    turn: u32,
    action: Action,
    notation: String,
    reasoning: Option<String>,
}

impl Accepted {
    fn new(seat: Seat, turn: u32, action: Action, reasoning: Option<String>) -> Accepted {
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

/// A short fingerprint of a position: the first 16 bytes of the SHA-256 of its compact form, in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct StateHash([u8; 16]);

impl fmt::Display for StateHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Hex::new(self.0).as_str())
    }
}

impl fmt::Debug for StateHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for StateHash {
    type Err = ();

    fn from_str(text: &str) -> Result<StateHash, ()> {
        let number = (text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .then(|| u128::from_str_radix(text, 16).ok());
        number.flatten().map(|number| StateHash(number.to_be_bytes())).ok_or(())
    }
}

impl Serialize for StateHash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(Hex::new(self.0).as_str())
    }
}

impl Table {
    /// A table laid for so many seats. Nothing of the seed stays in it.
    ///
    /// # Errors
    /// If the ruleset does not take so many.
    pub fn open(ruleset: Arc<Ruleset>, seats: usize, seed: Seed) -> Result<Table, Refusal> {
        ruleset.check_players(seats)?;
        let mut dice = seed.opening();
        let opened = each_rules!(&ruleset.rules, rules, G => G::open(rules, seats, &mut dice).map(Member::wrap));
        let position = opened.map_err(|bad| Refusal::new(Code::BadRequest, bad.to_string()))?;
        Ok(Table { ruleset, position })
    }

    /// A table with a position of its ruleset.
    pub(super) fn at(ruleset: Arc<Ruleset>, position: Position) -> Table {
        Table { ruleset, position }
    }

    /// A table with a position that somebody set up.
    ///
    /// # Errors
    /// With all that is wrong with it.
    pub fn from_state(ruleset: Arc<Ruleset>, state: &Json) -> Result<Table, Refusal> {
        fn set_up<G: Member>(rules: &G::Rules, state: &Json) -> Result<Position, Refusal> {
            if let Some(game) = state.get("game").filter(|game| **game != G::NAME) {
                let why = format!("`game` is {game}, but this ruleset is of the game \"{}\"", G::NAME);
                return Err(Refusal::new(Code::BadState, why));
            }
            let state = G::State::deserialize(state)
                .map_err(|error| Refusal::new(Code::BadState, format!("not a state of this game: {error}")))?;
            Ok(G::from_state(rules, &state)?.wrap())
        }
        let position = each_rules!(&ruleset.rules, rules, G => set_up::<G>(rules, state))?;
        Ok(Table { ruleset, position })
    }

    /// The ruleset that is played.
    pub fn ruleset(&self) -> &Arc<Ruleset> {
        &self.ruleset
    }

    /// The position, typed.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The position as the contract writes it.
    pub fn state(&self) -> State {
        fn state<G: Member>(game: &G, ruleset: &str) -> State {
            G::wrap_state(game.state(ruleset))
        }
        each!(Position: &self.position, game => state(game, &self.ruleset.name))
    }

    /// How many seats the table has, the dead included.
    pub fn seats(&self) -> usize {
        each!(Position: &self.position, game => game.seats())
    }

    /// Turns applied so far.
    pub fn turn(&self) -> u32 {
        each!(Position: &self.position, game => game.turn())
    }

    /// The seats that owe an action now. Empty exactly when there is an outcome.
    pub fn to_act(&self) -> Seats {
        each!(Position: &self.position, game => game.to_act())
    }

    /// Whether a seat owes an action now.
    pub fn must_act(&self, seat: Seat) -> bool {
        each!(Position: &self.position, game => game.must_act(seat))
    }

    /// How it ended, once it has.
    pub fn outcome(&self) -> Option<Outcome> {
        each!(Position: &self.position, game => game.outcome())
    }

    /// The legal actions of a seat in canonical notation; none for a seat that is not to act. Where speaking costs the
    /// turn, `speak <text>` stands for all that could be said.
    pub fn legal(&self, seat: Seat) -> Vec<String> {
        if !self.must_act(seat) {
            return Vec::new();
        }
        let mut actions: Vec<String> =
            each!(Position: &self.position, game => game.legal(seat).iter().map(ToString::to_string).collect());
        if self.ruleset.speech == Speech::Turn {
            actions.push("speak <text>".to_owned());
        }
        actions
    }

    /// Reads an action in notation or in its JSON form, with the reasoning that came with it.
    ///
    /// # Errors
    /// If it is no action of this game, whatever the position.
    pub fn read<'a>(&self, raw: impl Into<Raw<'a>>) -> Result<(Action, Option<String>), Refusal> {
        fn read<G: Member>(_: &G, raw: Raw<'_>) -> Result<(Action, Option<String>), Refusal> {
            let (action, reasoning) = read_as::<G>(raw)?;
            Ok((G::wrap_action(action), reasoning))
        }
        each!(Position: &self.position, game => read(game, raw.into()))
    }

    /// Reads an action, in notation or in its JSON form, of a seat that may do it now.
    ///
    /// # Errors
    /// If it is not the seat's turn, with what makes it no action, or with the rule that it breaks.
    pub fn accept<'a>(&self, seat: Seat, raw: impl Into<Raw<'a>>) -> Result<Accepted, Refusal> {
        fn accept<G: Member>(game: &G, seat: Seat, raw: Raw<'_>) -> Result<Accepted, Refusal> {
            owes(game, seat)?;
            let (action, reasoning) = read_as::<G>(raw)?;
            game.check(seat, &action).map_err(|illegal| PlayError::Illegal { seat, illegal })?;
            Ok(Accepted::new(seat, game.turn(), G::wrap_action(action), reasoning))
        }
        each!(Position: &self.position, game => accept(game, seat, raw.into()))
    }

    /// Takes an action that needs no reading, of a seat that may do it now.
    ///
    /// # Errors
    /// If it is not the seat's turn, or with the rule that the action breaks.
    pub fn accept_action(&self, seat: Seat, action: Action) -> Result<Accepted, Refusal> {
        fn check<G: Member>(game: &G, seat: Seat, action: &Action) -> Result<(), Refusal> {
            owes(game, seat)?;
            Ok(game.check(seat, typed::<G>(action)?).map_err(|illegal| PlayError::Illegal { seat, illegal })?)
        }
        each!(Position: &self.position, game => check(game, seat, &action))?;
        Ok(Accepted::new(seat, self.turn(), action, None))
    }

    /// Which rule a seat that is to act would break with this, for those who put it into their own words; nothing where
    /// it breaks none or cannot be read.
    pub fn illegal(&self, seat: Seat, raw: &str) -> Option<Illegal> {
        fn illegal<G: Member>(game: &G, seat: Seat, raw: &str) -> Option<Illegal> {
            let (action, _) = read_as::<G>(raw.into()).ok()?;
            game.check(seat, &action).err().map(G::wrap_illegal)
        }
        self.must_act(seat).then(|| each!(Position: &self.position, game => illegal(game, seat, raw))).flatten()
    }

    /// Plays a turn.
    ///
    /// # Errors
    /// With the reason why not; the position is then as it was.
    pub fn play(&mut self, joint: &Joint<Action>, dice: &mut Dice) -> Result<Vec<Event>, Refusal> {
        fn play<G: Member>(game: &mut G, joint: &Joint<Action>, dice: &mut Dice) -> Result<Vec<Event>, Refusal>
        where
            Vec<Event>: Tell<G::Event>,
        {
            let orders = joint.iter().map(|(seat, order)| Ok((seat, order.try_map(|it| typed::<G>(it).cloned())?)));
            let joint = orders.collect::<Result<Joint<G::Action>, Refusal>>()?;
            game.accepts(&joint)?;
            let mut events = Vec::with_capacity(2 * joint.len());
            game.resolve(&joint, dice, &mut events);
            Ok(events)
        }
        each!(Position: &mut self.position, game => play(game, joint, dice))
    }

    /// Plays a turn of accepted actions, which nobody reads or checks again. The caller vouches that every seat to act has
    /// an order and that each action was accepted at this very position.
    pub fn resolve(&mut self, joint: &Joint<Accepted>, dice: &mut Dice) -> Vec<Event> {
        fn resolve<G: Member>(game: &mut G, joint: &Joint<Accepted>, dice: &mut Dice) -> Vec<Event>
        where
            Vec<Event>: Tell<G::Event>,
        {
            let own = |accepted: &Accepted| G::action_of(&accepted.action).cloned().ok_or(());
            // An action of another game cannot have been accepted here: it would do nothing.
            let orders = joint.iter().map(|(seat, order)| (seat, order.try_map(own).unwrap_or(Order::Pass)));
            let joint: Joint<G::Action> = orders.collect();
            let mut events = Vec::with_capacity(2 * joint.len());
            game.resolve(&joint, dice, &mut events);
            events
        }
        each!(Position: &mut self.position, game => resolve(game, joint, dice))
    }

    /// One of a seat's legal actions, each as likely as the others.
    pub fn random_legal(&self, seat: Seat, dice: &mut Dice) -> Action {
        fn draw<G: Member>(game: &G, seat: Seat, dice: &mut Dice) -> Action {
            G::wrap_action(game.random_legal(seat, dice))
        }
        each!(Position: &self.position, game => draw(game, seat, dice))
    }

    /// What the referee draws for a seat whose player gave nothing, where the policy is to draw.
    pub fn stand_in(&self, seat: Seat, dice: &mut Dice) -> Accepted {
        fn draw<G: Member>(game: &G, seat: Seat, dice: &mut Dice) -> Action {
            G::wrap_action(game.stand_in(seat, dice))
        }
        let action = each!(Position: &self.position, game => draw(game, seat, dice));
        Accepted::new(seat, self.turn(), action, None)
    }

    /// The fingerprint of the position.
    pub fn hash(&self) -> StateHash {
        let mut bytes = Vec::with_capacity(512);
        each!(Position: &self.position, game => game.encode(&mut bytes));
        StateHash(Sha256::digest(&bytes)[..16].try_into().expect("a digest has 32 bytes"))
    }
}

/// Whether a seat owes an action now.
fn owes<G: Game>(game: &G, seat: Seat) -> Result<(), PlayError<G::Illegal>> {
    if game.must_act(seat) {
        return Ok(());
    }
    let to_act = game.to_act();
    Err(if to_act.is_empty() { PlayError::Over } else { PlayError::NotToAct { seat, to_act } })
}

/// The action as this game's own.
fn typed<G: Member>(action: &Action) -> Result<&G::Action, Refusal> {
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
fn read_as<G: Game>(raw: Raw<'_>) -> Result<(G::Action, Option<String>), Refusal> {
    #[cfg(test)]
    READS.set(READS.get() + 1);
    let unreadable = |why: String| Refusal::new(Code::UnreadableAction, why);
    let mut object: Map<String, Json> = match raw {
        Raw::Text(text) if text.len() > 64 * 1024 => {
            return Err(unreadable("an action is one short line; this is more than 64 KiB".to_owned()));
        }
        Raw::Text(text) if !text.trim().starts_with('{') => return Ok((text.trim().parse()?, None)),
        Raw::Text(text) => serde_json::from_str(text.trim())
            .map_err(|error| unreadable(format!("the action is not readable JSON: {error}")))?,
        Raw::Object(object) => object,
    };
    // Any game's action may come with a word to the spectators; it is not part of the action.
    let reasoning = match object.remove("reasoning") {
        None | Some(Json::Null) => None,
        Some(Json::String(text)) if text.chars().count() <= MAX_REASONING => Some(text),
        Some(Json::String(text)) => {
            let length = text.chars().count();
            return Err(unreadable(format!(
                "`reasoning` has {length} characters, at most {MAX_REASONING} are allowed"
            )));
        }
        Some(_) => return Err(unreadable("`reasoning` must be a text".to_owned())),
    };
    let action = G::Action::deserialize(Json::Object(object))
        .map_err(|error| unreadable(format!("the JSON is not an action of this game: {error}")))?;
    Ok((action, reasoning))
}

/// The order that a text stands for: `pass` and `forfeit` are the referee's, all else is a player's action.
///
/// # Errors
/// If the text is no action of this table's game.
pub fn order(table: &Table, raw: &str) -> Result<Order<Action>, Refusal> {
    Ok(match raw.trim() {
        "pass" => Order::Pass,
        "forfeit" => Order::Forfeit,
        text => Order::Play(table.read(text)?.0),
    })
}
