//! What somebody may see of a position.
//!
//! Players, bots, briefs, the API, MCP and the page get a [`View`], never a position. Where a ruleset hides nothing,
//! everybody's view is the whole position; where it hides something, a seat has [`Seen::Part`] of it.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use super::any::{AnySeen, Event, Member, Position, State, each};
use super::dice::Dice;
use super::game::Game;
use super::outcome::Outcome;
use super::ruleset::Ruleset;
use super::scene::Scene;
use super::seat::{Seat, Seats};
use super::speech::Speech;
use super::table::Table;

/// Who looks at a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Viewer {
    /// Whoever plays on this seat.
    Seat(Seat),
    /// Everybody else while the match is played.
    Public,
}

impl Viewer {
    /// The seat of whoever looks, if it has one.
    pub fn seat(self) -> Option<Seat> {
        match self {
            Viewer::Seat(seat) => Some(seat),
            Viewer::Public => None,
        }
    }
}

impl From<Option<Seat>> for Viewer {
    fn from(seat: Option<Seat>) -> Viewer {
        seat.map_or(Viewer::Public, Viewer::Seat)
    }
}

/// What somebody sees of one game's position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen<G: Game> {
    /// Everything.
    All(G),
    /// Less than that.
    Part(G::Partial),
}

/// A position of which something is hidden, as somebody sees it. Nothing in it depends on what is hidden.
pub trait Partial<G: Game>: Clone + Eq + Debug + Send + Sync + 'static {
    /// What is seen as the contract writes it: the rest is absent or null.
    fn state(&self, ruleset: &str) -> G::State;

    /// How many seats the table has, the dead included.
    fn seats(&self) -> usize;

    /// Turns applied so far.
    fn turn(&self) -> u32;

    /// The seats that owe an action now.
    fn to_act(&self) -> Seats;

    /// Every legal action of a seat in `to_act`, as [`Game::legal_into`] lists them.
    fn legal(&self, seat: Seat) -> Vec<G::Action>;

    /// A position that looks like this, drawn from those that are possible.
    fn sample(&self, dice: &mut Dice) -> G;
}

/// The partial view of games that hide nothing: there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NothingHidden {}

impl<G: Game> Partial<G> for NothingHidden {
    fn state(&self, _: &str) -> G::State {
        match *self {}
    }

    fn seats(&self) -> usize {
        match *self {}
    }

    fn turn(&self) -> u32 {
        match *self {}
    }

    fn to_act(&self) -> Seats {
        match *self {}
    }

    fn legal(&self, _: Seat) -> Vec<G::Action> {
        match *self {}
    }

    fn sample(&self, _: &mut Dice) -> G {
        match *self {}
    }
}

impl<G: Game> Seen<G> {
    /// A position that looks like this: the very one where nothing is hidden, else one drawn from those that are possible.
    pub fn guess(&self, dice: &mut Dice) -> Cow<'_, G> {
        match self {
            Seen::All(game) => Cow::Borrowed(game),
            Seen::Part(part) => Cow::Owned(part.sample(dice)),
        }
    }

    pub(super) fn state(&self, ruleset: &str) -> G::State {
        match self {
            Seen::All(game) => game.state(ruleset),
            Seen::Part(part) => part.state(ruleset),
        }
    }

    pub(super) fn seats(&self) -> usize {
        match self {
            Seen::All(game) => game.seats(),
            Seen::Part(part) => part.seats(),
        }
    }

    pub(super) fn turn(&self) -> u32 {
        match self {
            Seen::All(game) => game.turn(),
            Seen::Part(part) => part.turn(),
        }
    }

    fn to_act(&self) -> Seats {
        match self {
            Seen::All(game) => game.to_act(),
            Seen::Part(part) => part.to_act(),
        }
    }

    fn legal(&self, seat: Seat) -> Vec<G::Action> {
        match self {
            Seen::All(game) => game.legal(seat),
            Seen::Part(part) => part.legal(seat),
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        match self {
            Seen::All(game) => game.outcome(),
            // Once a match is over, everything is seen.
            Seen::Part(_) => None,
        }
    }
}

/// What somebody may see of a match: a ruleset and as much of a position as is theirs to know.
#[derive(Clone, Debug)]
pub struct View {
    ruleset: Arc<Ruleset>,
    viewer: Viewer,
    seen: AnySeen,
}

impl View {
    /// The ruleset that is played.
    pub fn ruleset(&self) -> &Arc<Ruleset> {
        &self.ruleset
    }

    /// Whose view it is.
    pub fn viewer(&self) -> Viewer {
        self.viewer
    }

    /// What is seen, typed.
    pub fn seen(&self) -> &AnySeen {
        &self.seen
    }

    /// What is seen as the contract writes it.
    pub fn state(&self) -> State {
        fn state<G: Member>(seen: &Seen<G>, ruleset: &str) -> State {
            G::wrap_state(seen.state(ruleset))
        }
        each!(AnySeen: &self.seen, seen => state(seen, &self.ruleset.name))
    }

    /// How many seats the table has, the dead included.
    pub fn seats(&self) -> usize {
        each!(AnySeen: &self.seen, seen => seen.seats())
    }

    /// Turns applied so far.
    pub fn turn(&self) -> u32 {
        each!(AnySeen: &self.seen, seen => seen.turn())
    }

    /// The seats that owe an action now. Empty exactly when there is an outcome.
    pub fn to_act(&self) -> Seats {
        each!(AnySeen: &self.seen, seen => seen.to_act())
    }

    /// How it ended, once it has.
    pub fn outcome(&self) -> Option<Outcome> {
        each!(AnySeen: &self.seen, seen => seen.outcome())
    }

    /// What there is to see, with what the events of the turns that led here left; the last turn comes last.
    pub fn scene(&self, turns: &[&[Event]]) -> Scene {
        Scene::new(&self.ruleset, &self.state(), turns)
    }

    /// The legal actions of a seat in canonical notation; none for a seat that is not to act. Where speaking costs the
    /// turn, `speak <text>` stands for all that could be said.
    pub fn legal(&self, seat: Seat) -> Vec<String> {
        if !self.to_act().contains(seat) {
            return Vec::new();
        }
        let mut actions: Vec<String> =
            each!(AnySeen: &self.seen, seen => seen.legal(seat).iter().map(ToString::to_string).collect());
        if self.ruleset.speech == Speech::Turn {
            actions.push("speak <text>".to_owned());
        }
        actions
    }

    /// The position, where nothing of it is hidden.
    pub fn position(&self) -> Option<Position> {
        fn whole<G: Member>(seen: &Seen<G>) -> Option<Position> {
            match seen {
                Seen::All(game) => Some(game.clone().wrap()),
                Seen::Part(_) => None,
            }
        }
        each!(AnySeen: &self.seen, seen => whole(seen))
    }

    /// The table, where nothing of its position is hidden.
    pub fn table(&self) -> Option<Table> {
        Some(Table::at(self.ruleset.clone(), self.position()?))
    }

    /// A table with a position that looks like this: the very one where nothing is hidden, else one drawn from those
    /// that are possible.
    pub fn sample(&self, dice: &mut Dice) -> Table {
        fn sample<G: Member>(seen: &Seen<G>, dice: &mut Dice) -> Position {
            seen.guess(dice).into_owned().wrap()
        }
        let position = each!(AnySeen: &self.seen, seen => sample(seen, dice));
        Table::at(self.ruleset.clone(), position)
    }
}

impl Table {
    /// What somebody may see of the position. When the match is over, everybody sees everything.
    pub fn view(&self, viewer: Viewer) -> View {
        fn view<G: Member>(game: &G, viewer: Viewer) -> AnySeen {
            let over = game.to_act().is_empty();
            G::wrap_seen(if over { Seen::All(game.clone()) } else { game.view(viewer) })
        }
        let seen = each!(Position: self.position(), game => view(game, viewer));
        View { ruleset: self.ruleset().clone(), viewer, seen }
    }

    /// What somebody is told of the events that led here from another table of the same match.
    pub fn told(&self, before: &Table, events: &[Event], viewer: Viewer) -> Vec<Event> {
        fn told<G: Member>(after: &G, before: &Position, events: &[Event], viewer: Viewer) -> Vec<Event> {
            let Some(before) = G::of(before) else { return Vec::new() };
            let typed = events.iter().filter_map(G::event_of);
            typed.filter_map(|event| G::told(before, after, event, viewer)).map(G::wrap_event).collect()
        }
        each!(Position: self.position(), after => told(after, before.position(), events, viewer))
    }
}
