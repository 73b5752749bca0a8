//! Any game behind one face: typed inside, text and JSON at the edge.
//!
//! The types of the games are erased in [`super::any`] and nowhere else.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use super::Hex;
use super::accepted::{self, read_as, refused, typed};
use super::any::{Member, each, each_rules};
use super::dice::{Dice, Seed};
use super::game::{Game as _, Tell};
use super::joint::{Joint, Order};
use super::opening;
use super::outcome::Outcome;
use super::refusal::{BadState, Code, Refusal};
use super::ruleset::Ruleset;
use super::seat::{Seat, Seats};
use super::speech::Speech;

pub use super::accepted::{Accepted, Raw};
pub use super::any::{Action, Event, Illegal, Position, State};

/// The turns of an opening: what each seat did, in notation.
pub type Opening = Vec<BTreeMap<Seat, String>>;

type Opened = Result<(Position, Opening), BadState>;

/// A ruleset and a position of it.
#[derive(Clone, Debug)]
pub struct Table {
    ruleset: Arc<Ruleset>,
    position: Position,
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
    /// A table laid for so many seats, after the ruleset's opening. Nothing of the seed stays in it.
    ///
    /// # Errors
    /// If the ruleset does not take so many.
    pub fn open(ruleset: Arc<Ruleset>, seats: usize, seed: Seed) -> Result<Table, Refusal> {
        Table::open_told(ruleset, seats, seed).map(|(table, _)| table)
    }

    /// A table laid for so many seats, and the turns of the opening that was drawn for it.
    ///
    /// # Errors
    /// If the ruleset does not take so many.
    pub fn open_told(ruleset: Arc<Ruleset>, seats: usize, seed: Seed) -> Result<(Table, Opening), Refusal> {
        fn open<G: Member>(ruleset: &Ruleset, rules: &G::Rules, seats: usize, seed: Seed) -> Opened {
            let start = G::open(rules, seats, &mut seed.set_up())?;
            let (position, turns) = opening::draw(&start, ruleset.opening, &mut seed.opening());
            let written = |joint: &Joint<G::Action>| {
                let actions = joint.iter().filter_map(|(seat, order)| Some((seat, order.action()?.to_string())));
                actions.collect()
            };
            Ok((position.wrap(), turns.iter().map(written).collect()))
        }
        ruleset.check_players(seats)?;
        let opened = each_rules!(&ruleset.rules, rules, G => open::<G>(&ruleset, rules, seats, seed));
        let (position, turns) = opened.map_err(|bad| Refusal::new(Code::BadRequest, bad.to_string()))?;
        Ok((Table { ruleset, position }, turns))
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
        each!(Position: &self.position, game => accepted::accept(game, seat, raw.into()))
    }

    /// Takes an action that needs no reading, of a seat that may do it now.
    ///
    /// # Errors
    /// If it is not the seat's turn, or with the rule that the action breaks.
    pub fn accept_action(&self, seat: Seat, action: Action) -> Result<Accepted, Refusal> {
        each!(Position: &self.position, game => accepted::accept_action(game, seat, action))
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
            game.accepts(&joint).map_err(refused::<G>)?;
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
            let own = |accepted: &Accepted| G::action_of(accepted.action()).cloned().ok_or(());
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
