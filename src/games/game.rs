//! What every game is to the rest of the program.

use std::fmt::{Debug, Display};
use std::ops::RangeInclusive;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map as JsonMap, Value as Json};

use super::dice::Dice;
use super::joint::{Joint, Order};
use super::library::BuiltinFile;
use super::map::ReadFile;
use super::outcome::Outcome;
use super::refusal::{BadState, Illegal, PlayError, Unreadable};
use super::seat::{Seat, Seats};
use super::speech::Speech;
use super::view::{Partial, Seen, Viewer};
use crate::settings::fields::Reader;

/// The largest turn number of a position that somebody sets up. No match comes near it.
pub(super) const MAX_TURN: u32 = 1_000_000_000;

/// What a player can do. `Display` writes the canonical notation, `FromStr` reads it forgivingly, serde has the JSON
/// form.
pub trait Action:
    Clone
    + Eq
    + Debug
    + Display
    + FromStr<Err = Unreadable>
    + Serialize
    + DeserializeOwned
    + JsonSchema
    + Send
    + Sync
    + 'static
{
}

/// The fields of a ruleset that are a game's own.
pub trait GameRules: Clone + Eq + Debug + Send + Sync + Sized + 'static {
    /// The rulesets of this game that come with the program.
    const RULESETS: &'static [BuiltinFile] = &[];
    /// The maps of this game that come with the program.
    const MAPS: &'static [BuiltinFile] = &[];
    /// How many a match is between at the least.
    const FEWEST_PLAYERS: i64 = 2;
    /// Whether speaking can be the turn's action.
    const SPEECH_AS_ACTION: bool = false;

    /// Reads the fields; the reader has the problems. `None` where there is no telling what the board is.
    fn read(reader: &mut Reader, speech: Speech, read_file: ReadFile<'_>) -> Option<Self>;

    /// Writes every field, resolved.
    fn write(&self, fields: &mut JsonMap<String, Json>);

    /// How many seats there are places for.
    fn capacity(&self) -> usize;
}

/// Where the events of a turn go. A search gives `()`, and none is made.
pub trait Tell<E> {
    /// Takes the event, if anybody listens.
    fn tell(&mut self, event: impl FnOnce() -> E);
}

impl<E> Tell<E> for () {
    fn tell(&mut self, _: impl FnOnce() -> E) {}
}

impl<E> Tell<E> for Vec<E> {
    fn tell(&mut self, event: impl FnOnce() -> E) {
        self.push(event());
    }
}

/// A position of a game, with the rules that it is played by.
///
/// # Equality
/// Two positions are equal when the same orders and dice lead to the same future from both.
pub trait Game: Clone + Eq + Debug + Send + Sync + 'static {
    /// What rulesets, states and records call the game.
    const NAME: &'static str;
    /// The versions of the game's rules that can be played. The last goes up when a position of the same ruleset would be
    /// played differently; the earlier ones stay, for the records that were made by them.
    const VERSIONS: RangeInclusive<u32> = 1..=1;
    /// What can differ from ruleset to ruleset; checked when it is read.
    type Rules: GameRules;
    /// What somebody sees of a position where a ruleset hides something; [`NothingHidden`](super::view::NothingHidden)
    /// for games that hide nothing.
    type Partial: Partial<Self>;
    /// What a player can do.
    type Action: Action;
    /// How an action can break the rules.
    type Illegal: Illegal + Eq + Serialize;
    /// What happens in a turn.
    type Event: Clone + Eq + Debug + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static;
    /// A position as the contract writes it; unchecked, like pieces put on a board.
    type State: Clone + Eq + Debug + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static;

    /// The first position for so many seats.
    ///
    /// # Errors
    /// If these rules have no place for so many seats.
    fn open(rules: &Self::Rules, seats: usize, dice: &mut Dice) -> Result<Self, BadState>;

    /// The position that a state describes.
    ///
    /// # Errors
    /// With all that is wrong with it.
    fn from_state(rules: &Self::Rules, state: &Self::State) -> Result<Self, BadState>;

    /// The position as the contract writes it, under the name of its ruleset.
    fn state(&self, ruleset: &str) -> Self::State;

    /// How many seats the table has, the dead included.
    fn seats(&self) -> usize;

    /// Turns applied so far.
    fn turn(&self) -> u32;

    /// The seats that owe an action now. Empty exactly when there is an outcome.
    fn to_act(&self) -> Seats;

    /// Adds every legal action of a seat in `to_act`, in a fixed order, to a list. Speech is not among them.
    fn legal_into(&self, seat: Seat, actions: &mut Vec<Self::Action>);

    /// Whether the seat may do this. Any seat may be asked about, at any time, as if it were to act.
    ///
    /// # Errors
    /// With the rule that the action breaks.
    fn check(&self, seat: Seat, action: &Self::Action) -> Result<(), Self::Illegal>;

    /// Plays a turn. The caller vouches that [`Game::accepts`] would accept it.
    ///
    /// # Panics
    /// May panic, or do anything else that is safe, if it would not.
    fn resolve(&mut self, joint: &Joint<Self::Action>, dice: &mut Dice, events: &mut impl Tell<Self::Event>);

    /// How it ended, once it has.
    fn outcome(&self) -> Option<Outcome>;

    /// Appends the position in a fixed, compact form: what the digests of records are made of.
    fn encode(&self, bytes: &mut Vec<u8>);

    /// Sets the board of this start position up as an [opening](super::opening) left it: pieces, facings, and whatever
    /// else lies on the board. Counters, hit points, limits and whose turn it is stay those of the start.
    fn set_up_like(&mut self, drawn: &Self);

    // What follows is derived. A game overrides some of it for speed, `stand_in` where its rules say so, `hides`, `view`
    // and `told` where it can hide something, `lift_limits` and `is_harmed_since` where it has limits or hit points.

    /// Whether the match is over.
    fn is_over(&self) -> bool {
        self.to_act().is_empty()
    }

    /// Makes an opening possible from this start: no limit ends it, nothing appears on the board by chance, and what
    /// changes with time stays as in the first turn.
    fn lift_limits(&mut self) {}

    /// Whether anybody lost hit points or fell in the turn that led here; an opening has no such turn. By default, whether
    /// fewer seats must act than before.
    fn is_harmed_since(&self, before: &Self) -> bool {
        self.to_act().len() < before.to_act().len()
    }

    /// Whether a seat owes an action now.
    fn must_act(&self, seat: Seat) -> bool {
        self.to_act().contains(seat)
    }

    /// Whether the ruleset hides something from somebody while the match is played.
    fn hides(&self) -> bool {
        false
    }

    /// What somebody may see while the match is played. Everything, unless the ruleset hides something.
    fn view(&self, _viewer: Viewer) -> Seen<Self> {
        Seen::All(self.clone())
    }

    /// The position as the contract writes it for somebody who sees all of it: it says whose view it is where the ruleset
    /// hides something.
    fn state_for(&self, ruleset: &str, _viewer: Viewer) -> Self::State {
        self.state(ruleset)
    }

    /// What somebody is told of an event between two positions: all of it, part of it, or nothing.
    fn told(_before: &Self, _after: &Self, event: &Self::Event, _viewer: Viewer) -> Option<Self::Event> {
        Some(event.clone())
    }

    /// Every legal action of a seat in `to_act`.
    fn legal(&self, seat: Seat) -> Vec<Self::Action> {
        let mut actions = Vec::new();
        self.legal_into(seat, &mut actions);
        actions
    }

    /// One of the legal actions of a seat in `to_act`, each as likely as the others.
    fn random_legal(&self, seat: Seat, dice: &mut Dice) -> Self::Action {
        dice.pick(&self.legal(seat)).expect("a seat that must act has a legal action").clone()
    }

    /// Plays a turn of uniformly random legal actions, telling nobody, and says whether there was one to play. The
    /// joint is scratch space whose memory serves many turns.
    fn random_turn(&mut self, joint: &mut Joint<Self::Action>, dice: &mut Dice) -> bool {
        let to_act = self.to_act();
        joint.clear();
        for seat in to_act.iter() {
            joint.set(seat, Order::Play(self.random_legal(seat, dice)));
        }
        if to_act.is_empty() {
            return false;
        }
        self.resolve(joint, dice, &mut ());
        true
    }

    /// What the referee draws for a seat in `to_act` whose player gave nothing, where the policy is to draw.
    fn stand_in(&self, seat: Seat, dice: &mut Dice) -> Self::Action {
        self.random_legal(seat, dice)
    }

    /// Whether a turn can be played as ordered.
    ///
    /// # Errors
    /// With the first reason why not, in seat order.
    fn accepts(&self, joint: &Joint<Self::Action>) -> Result<(), PlayError<Self::Illegal>> {
        let to_act = self.to_act();
        if to_act.is_empty() {
            return Err(PlayError::Over);
        }
        for (seat, _) in joint.iter() {
            if !to_act.contains(seat) {
                return Err(PlayError::NotToAct { seat, to_act });
            }
        }
        for seat in to_act.iter() {
            match joint.get(seat) {
                None => return Err(PlayError::Missing { seat, to_act: to_act.clone() }),
                Some(Order::Play(action) | Order::StandIn(action)) => {
                    self.check(seat, action).map_err(|illegal| PlayError::Illegal { seat, illegal })?;
                }
                Some(Order::Pass | Order::Forfeit) => {}
            }
        }
        Ok(())
    }

    /// Plays a turn and tells what happened.
    ///
    /// # Errors
    /// With the reason why not; the position is then as it was.
    fn play(
        &mut self,
        joint: &Joint<Self::Action>,
        dice: &mut Dice,
    ) -> Result<Vec<Self::Event>, PlayError<Self::Illegal>> {
        self.accepts(joint)?;
        let mut events = Vec::new();
        self.resolve(joint, dice, &mut events);
        Ok(events)
    }
}
