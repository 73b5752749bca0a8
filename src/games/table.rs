//! Any game behind one face: typed inside, text and JSON at the edge.
//!
//! The types of the games are erased here and nowhere else. A new game is one module and one line in `each`.

use std::fmt::{self, Write as _};
use std::str::FromStr;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use super::Hex;
use super::cowboy;
use super::dice::{Dice, Seed};
use super::game::{Game, Tell};
use super::joint::{Joint, Order};
use super::outcome::Outcome;
use super::paint;
use super::refusal::{Code, PlayError, Refusal, Unreadable};
use super::royale;
use super::ruleset::{Rules, Ruleset};
use super::seat::{Seat, Seats};
use super::speech::{MAX_REASONING, Speech};

/// A ruleset and a position of it.
#[derive(Clone, Debug)]
pub struct Table {
    ruleset: Arc<Ruleset>,
    position: Position,
}

/// A position of any game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position {
    /// Cowboy, with either laser.
    Cowboy(cowboy::Position),
    /// Paint.
    Paint(paint::Position),
    /// Grid Royale.
    Royale(royale::Position),
}

/// A position of any game as the contract writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum State {
    /// Cowboy, with either laser.
    Cowboy(cowboy::State),
    /// Paint.
    Paint(paint::State),
    /// Grid Royale.
    Royale(royale::State),
}

/// An event of any game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Event {
    /// Cowboy, with either laser.
    Cowboy(cowboy::Event),
    /// Paint.
    Paint(paint::Event),
    /// Grid Royale.
    Royale(royale::Event),
}

/// A broken rule of any game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Illegal {
    /// Cowboy, with either laser.
    Cowboy(cowboy::Illegal),
    /// Paint.
    Paint(paint::Illegal),
    /// Grid Royale: there is none.
    Royale(royale::Illegal),
}

/// Runs the same expression on the typed position of whichever game it is.
macro_rules! each {
    ($position:expr, $game:ident => $body:expr) => {
        match $position {
            Position::Cowboy($game) => $body,
            Position::Paint($game) => $body,
            Position::Royale($game) => $body,
        }
    };
}

/// How the types of a game are called when they stand among those of the others.
trait Member: Game {
    fn wrap(self) -> Position;
    fn wrap_state(state: Self::State) -> State;
    fn wrap_event(event: Self::Event) -> Event;
    fn wrap_illegal(illegal: Self::Illegal) -> Illegal;
}

/// Makes a game a [`Member`] under its name in the enums above.
macro_rules! member {
    ($game:ident, $name:ident) => {
        impl Member for $game::Position {
            fn wrap(self) -> Position {
                Position::$name(self)
            }

            fn wrap_state(state: $game::State) -> State {
                State::$name(state)
            }

            fn wrap_event(event: $game::Event) -> Event {
                Event::$name(event)
            }

            fn wrap_illegal(illegal: $game::Illegal) -> Illegal {
                Illegal::$name(illegal)
            }
        }

        impl Tell<$game::Event> for Vec<Event> {
            fn tell(&mut self, event: impl FnOnce() -> $game::Event) {
                self.push(Event::$name(event()));
            }
        }
    };
}

member!(cowboy, Cowboy);
member!(paint, Paint);
member!(royale, Royale);

/// What a player sent, read but not yet checked against a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The action in canonical notation.
    pub notation: String,
    /// What it wants spectators to know.
    pub reasoning: Option<String>,
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
        let opened = match &ruleset.rules {
            Rules::Cowboy(rules) => cowboy::Position::open(rules, seats, &mut dice).map(Member::wrap),
            Rules::Paint(rules) => paint::Position::open(rules, seats, &mut dice).map(Member::wrap),
            Rules::Royale(rules) => royale::Position::open(rules, seats, &mut dice).map(Member::wrap),
        };
        let position = opened.map_err(|bad| Refusal::new(Code::BadRequest, bad.to_string()))?;
        Ok(Table { ruleset, position })
    }

    /// A table with a position that somebody set up.
    ///
    /// # Errors
    /// With all that is wrong with it.
    pub fn from_state(ruleset: Arc<Ruleset>, state: &Json) -> Result<Table, Refusal> {
        fn set_up<G: Member>(rules: &G::Rules, state: &Json) -> Result<Position, Refusal> {
            let state = G::State::deserialize(state)
                .map_err(|error| Refusal::new(Code::BadState, format!("not a state of this game: {error}")))?;
            Ok(G::from_state(rules, &state)?.wrap())
        }
        let position = match &ruleset.rules {
            Rules::Cowboy(rules) => set_up::<cowboy::Position>(rules, state)?,
            Rules::Paint(rules) => set_up::<paint::Position>(rules, state)?,
            Rules::Royale(rules) => set_up::<royale::Position>(rules, state)?,
        };
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
        each!(&self.position, game => state(game, &self.ruleset.name))
    }

    /// How many seats the table has, the dead included.
    pub fn seats(&self) -> usize {
        each!(&self.position, game => game.seats())
    }

    /// Turns applied so far.
    pub fn turn(&self) -> u32 {
        each!(&self.position, game => game.turn())
    }

    /// The seats that owe an action now. Empty exactly when there is an outcome.
    pub fn to_act(&self) -> Seats {
        each!(&self.position, game => game.to_act())
    }

    /// How it ended, once it has.
    pub fn outcome(&self) -> Option<Outcome> {
        each!(&self.position, game => game.outcome())
    }

    /// The legal actions of a seat in canonical notation; none for a seat that is not to act. Where speaking costs the
    /// turn, `speak <text>` stands for all that could be said.
    pub fn legal(&self, seat: Seat) -> Vec<String> {
        if !self.to_act().contains(seat) {
            return Vec::new();
        }
        let mut actions: Vec<String> =
            each!(&self.position, game => game.legal(seat).iter().map(ToString::to_string).collect());
        if self.ruleset.speech == Speech::Turn {
            actions.push("speak <text>".to_owned());
        }
        actions
    }

    /// Reads an action in notation or in its JSON form.
    ///
    /// # Errors
    /// If it is no action of this game, whatever the position.
    pub fn read(&self, raw: &str) -> Result<Reading, Refusal> {
        fn read<G: Game>(_: &G, raw: &str) -> Result<Reading, Refusal> {
            let (action, reasoning) = read_as::<G>(raw)?;
            Ok(Reading { notation: notation(&action), reasoning })
        }
        each!(&self.position, game => read(game, raw))
    }

    /// Reads an action, in notation or in its JSON form, of a seat that may do it now.
    ///
    /// # Errors
    /// If it is not the seat's turn, with what makes it no action, or with the rule that it breaks.
    pub fn accept(&self, seat: Seat, raw: &str) -> Result<Reading, Refusal> {
        fn accept<G: Game>(game: &G, seat: Seat, raw: &str) -> Result<Reading, Refusal> {
            let to_act = game.to_act();
            if to_act.is_empty() {
                return Err(PlayError::<G::Illegal>::Over.into());
            }
            if !to_act.contains(seat) {
                return Err(PlayError::<G::Illegal>::NotToAct { seat, to_act }.into());
            }
            let (action, reasoning) = read_as::<G>(raw)?;
            game.check(seat, &action).map_err(|illegal| PlayError::Illegal { seat, illegal })?;
            Ok(Reading { notation: notation(&action), reasoning })
        }
        each!(&self.position, game => accept(game, seat, raw))
    }

    /// Whether a seat may do this now.
    ///
    /// # Errors
    /// As [`Table::accept`].
    pub fn check(&self, seat: Seat, raw: &str) -> Result<(), Refusal> {
        self.accept(seat, raw).map(drop)
    }

    /// Which rule a seat that is to act would break with this, for those who put it into their own words; nothing where
    /// it breaks none or cannot be read.
    pub fn illegal(&self, seat: Seat, raw: &str) -> Option<Illegal> {
        fn illegal<G: Member>(game: &G, seat: Seat, raw: &str) -> Option<Illegal> {
            let (action, _) = read_as::<G>(raw).ok()?;
            game.check(seat, &action).err().map(G::wrap_illegal)
        }
        self.to_act().contains(seat).then(|| each!(&self.position, game => illegal(game, seat, raw))).flatten()
    }

    /// Plays a turn, given in notation.
    ///
    /// # Errors
    /// With the reason why not; the position is then as it was.
    pub fn play(&mut self, joint: &Joint<String>, dice: &mut Dice) -> Result<Vec<Event>, Refusal> {
        fn play<G: Member>(game: &mut G, joint: &Joint<String>, dice: &mut Dice) -> Result<Vec<Event>, Refusal>
        where
            Vec<Event>: Tell<G::Event>,
        {
            let typed: Result<Joint<G::Action>, Unreadable> =
                joint.iter().map(|(seat, order)| Ok((seat, order.try_map(|text| text.parse())?))).collect();
            let typed = typed?;
            game.accepts(&typed)?;
            let mut events = Vec::with_capacity(2 * typed.len());
            game.resolve(&typed, dice, &mut events);
            Ok(events)
        }
        each!(&mut self.position, game => play(game, joint, dice))
    }

    /// One of a seat's legal actions, each as likely as the others.
    pub fn random_legal(&self, seat: Seat, dice: &mut Dice) -> String {
        each!(&self.position, game => game.random_legal(seat, dice).to_string())
    }

    /// What the referee draws for a seat whose player gave nothing, where the policy is to draw.
    pub fn stand_in(&self, seat: Seat, dice: &mut Dice) -> String {
        each!(&self.position, game => game.stand_in(seat, dice).to_string())
    }

    /// The fingerprint of the position.
    pub fn hash(&self) -> StateHash {
        let mut bytes = Vec::with_capacity(512);
        each!(&self.position, game => game.encode(&mut bytes));
        StateHash(Sha256::digest(&bytes)[..16].try_into().expect("a digest has 32 bytes"))
    }
}

/// Reads an event of this ruleset's game from its JSON form.
///
/// # Errors
/// If it is none.
pub fn event_from_json(ruleset: &Ruleset, json: &str) -> Result<Event, serde_json::Error> {
    fn event<G: Member>(json: &str) -> Result<Event, serde_json::Error>
    where
        G::Event: DeserializeOwned,
    {
        serde_json::from_str(json).map(G::wrap_event)
    }
    match ruleset.rules {
        Rules::Cowboy(_) => event::<cowboy::Position>(json),
        Rules::Paint(_) => event::<paint::Position>(json),
        Rules::Royale(_) => event::<royale::Position>(json),
    }
}

/// An action in canonical notation, in one piece of memory.
fn notation(action: &impl fmt::Display) -> String {
    let mut notation = String::with_capacity(32);
    write!(notation, "{action}").expect("a string takes whatever is written");
    notation
}

/// An action in notation or JSON, and the reasoning that came with it.
fn read_as<G: Game>(raw: &str) -> Result<(G::Action, Option<String>), Refusal> {
    let unreadable = |why: String| Refusal::new(Code::UnreadableAction, why);
    if raw.len() > 64 * 1024 {
        return Err(unreadable("an action is one short line; this is more than 64 KiB".to_owned()));
    }
    let text = raw.trim();
    if !text.starts_with('{') {
        return Ok((text.parse()?, None));
    }
    let mut object: serde_json::Map<String, Json> =
        serde_json::from_str(text).map_err(|error| unreadable(format!("the action is not readable JSON: {error}")))?;
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
pub fn order(table: &Table, raw: &str) -> Result<Order<String>, Refusal> {
    Ok(match raw.trim() {
        "pass" => Order::Pass,
        "forfeit" => Order::Forfeit,
        text => Order::Play(table.read(text)?.notation),
    })
}
