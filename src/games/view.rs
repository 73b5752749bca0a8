//! What somebody may see of a position.
//!
//! Players, bots, briefs, the API, MCP and the page get a [`View`], never a position. Where a ruleset hides nothing,
//! everybody's view is the whole position; where it hides something, a seat has [`Seen::Part`] of it.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use super::accepted::{self, Accepted, Raw};
use super::any::{Action, AnySeen, Event, Member, Position, State, each};
use super::dice::Dice;
use super::game::Game;
use super::outcome::Outcome;
use super::refusal::Refusal;
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
    /// Anybody once the match is over: nothing is hidden any more, also of how it came to that.
    After,
}

impl Viewer {
    /// The seat of whoever looks, if it has one.
    pub fn seat(self) -> Option<Seat> {
        match self {
            Viewer::Seat(seat) => Some(seat),
            Viewer::Public | Viewer::After => None,
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
    /// The whole position.
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

    /// Whether a seat in `to_act` may do this, as [`Game::check`] says it.
    ///
    /// # Errors
    /// With the rule that it breaks.
    fn check(&self, seat: Seat, action: &G::Action) -> Result<(), G::Illegal>;

    /// The position as if there were nothing but what is seen, for whoever goes by that alone.
    fn visible(&self) -> G;

    /// The position, where all that decides its future is seen just now.
    fn certain(&self) -> Option<&G>;

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

    fn check(&self, _: Seat, _: &G::Action) -> Result<(), G::Illegal> {
        match *self {}
    }

    fn visible(&self) -> G {
        match *self {}
    }

    fn certain(&self) -> Option<&G> {
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

    /// The position as if there were nothing but what is seen: the very one where nothing is hidden.
    pub fn visible(&self) -> Cow<'_, G> {
        match self {
            Seen::All(game) => Cow::Borrowed(game),
            Seen::Part(part) => Cow::Owned(part.visible()),
        }
    }

    pub(super) fn state(&self, ruleset: &str, viewer: Viewer) -> G::State {
        match self {
            Seen::All(game) => game.state_for(ruleset, viewer),
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

    pub(super) fn to_act(&self) -> Seats {
        match self {
            Seen::All(game) => game.to_act(),
            Seen::Part(part) => part.to_act(),
        }
    }

    pub(super) fn must_act(&self, seat: Seat) -> bool {
        match self {
            Seen::All(game) => game.must_act(seat),
            Seen::Part(part) => part.to_act().contains(seat),
        }
    }

    /// One of the legal actions of a seat in `to_act`, each as likely as the others.
    pub fn random_legal(&self, seat: Seat, dice: &mut Dice) -> G::Action {
        match self {
            Seen::All(game) => game.random_legal(seat, dice),
            Seen::Part(part) => dice.pick(&part.legal(seat)).expect("a seat that must act has a legal action").clone(),
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

/// What somebody may see of a match: a ruleset and as much of a position as is theirs to know. Cheap to clone.
#[derive(Clone, Debug)]
pub struct View {
    ruleset: Arc<Ruleset>,
    viewer: Viewer,
    seen: Arc<AnySeen>,
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
        fn state<G: Member>(seen: &Seen<G>, ruleset: &str, viewer: Viewer) -> State {
            G::wrap_state(seen.state(ruleset, viewer))
        }
        each!(AnySeen: &*self.seen, seen => state(seen, &self.ruleset.name, self.viewer))
    }

    /// How many seats the table has, the dead included.
    pub fn seats(&self) -> usize {
        each!(AnySeen: &*self.seen, seen => seen.seats())
    }

    /// Turns applied so far.
    pub fn turn(&self) -> u32 {
        each!(AnySeen: &*self.seen, seen => seen.turn())
    }

    /// The seats that owe an action now. Empty exactly when there is an outcome.
    pub fn to_act(&self) -> Seats {
        each!(AnySeen: &*self.seen, seen => seen.to_act())
    }

    /// Whether a seat owes an action now.
    pub fn must_act(&self, seat: Seat) -> bool {
        each!(AnySeen: &*self.seen, seen => seen.must_act(seat))
    }

    /// How it ended, once it has.
    pub fn outcome(&self) -> Option<Outcome> {
        each!(AnySeen: &*self.seen, seen => seen.outcome())
    }

    /// What there is to see, with what the events of the turns that led here left; the last turn comes last.
    pub fn scene(&self, turns: &[&[Event]]) -> Scene {
        Scene::new(&self.ruleset, &self.state(), turns)
    }

    /// The legal actions of a seat in canonical notation; none for a seat that is not to act. Where speaking costs the
    /// turn, `speak <text>` stands for all that could be said.
    pub fn legal(&self, seat: Seat) -> Vec<String> {
        if !self.must_act(seat) {
            return Vec::new();
        }
        let mut actions: Vec<String> =
            each!(AnySeen: &*self.seen, seen => seen.legal(seat).iter().map(ToString::to_string).collect());
        if self.ruleset.speech == Speech::Turn {
            actions.push("speak <text>".to_owned());
        }
        actions
    }

    /// Reads an action, in notation or in its JSON form, of a seat that may do it now, as [`Table::accept`] does.
    ///
    /// # Errors
    /// If it is not the seat's turn, with what makes it no action, or with the rule that it breaks.
    pub fn accept<'a>(&self, seat: Seat, raw: impl Into<Raw<'a>>) -> Result<Accepted, Refusal> {
        each!(AnySeen: &*self.seen, seen => accepted::accept(seen, seat, raw.into()))
    }

    /// Takes an action that needs no reading, of a seat that may do it now, as [`Table::accept_action`] does.
    ///
    /// # Errors
    /// If it is not the seat's turn, or with the rule that the action breaks.
    pub fn accept_action(&self, seat: Seat, action: Action) -> Result<Accepted, Refusal> {
        each!(AnySeen: &*self.seen, seen => accepted::accept_action(seen, seat, action))
    }

    /// One of the legal actions of a seat that must act, each as likely as the others.
    pub fn random_legal(&self, seat: Seat, dice: &mut Dice) -> Action {
        fn draw<G: Member>(seen: &Seen<G>, seat: Seat, dice: &mut Dice) -> Action {
            G::wrap_action(seen.random_legal(seat, dice))
        }
        each!(AnySeen: &*self.seen, seen => draw(seen, seat, dice))
    }

    /// The position, where nothing of it is hidden.
    pub fn position(&self) -> Option<Position> {
        fn whole<G: Member>(seen: &Seen<G>) -> Option<Position> {
            match seen {
                Seen::All(game) => Some(game.clone().wrap()),
                Seen::Part(_) => None,
            }
        }
        each!(AnySeen: &*self.seen, seen => whole(seen))
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
        let position = each!(AnySeen: &*self.seen, seen => sample(seen, dice));
        Table::at(self.ruleset.clone(), position)
    }
}

/// The views of one table, of which those that are equal are made once.
#[derive(Debug)]
pub struct Views<'a> {
    table: &'a Table,
    /// What everybody sees, where nothing is hidden.
    whole: Option<View>,
}

impl Views<'_> {
    /// What somebody may see.
    pub fn of(&self, viewer: Viewer) -> View {
        match &self.whole {
            Some(whole) => View { viewer, ..whole.clone() },
            None => self.table.view(viewer),
        }
    }
}

impl Table {
    /// What somebody may see of the position. When the match is over, everybody sees everything.
    pub fn view(&self, viewer: Viewer) -> View {
        fn part<G: Member>(game: &G, viewer: Viewer) -> AnySeen {
            G::wrap_seen(game.view(viewer))
        }
        fn all<G: Member>(game: &G) -> AnySeen {
            G::wrap_seen(Seen::All(game.clone()))
        }
        let seen = if self.hides() && viewer != Viewer::After {
            each!(Position: self.position(), game => part(game, viewer))
        } else {
            each!(Position: self.position(), game => all(game))
        };
        View { ruleset: self.ruleset().clone(), viewer, seen: Arc::new(seen) }
    }

    /// The views of many.
    pub fn views(&self) -> Views<'_> {
        Views { table: self, whole: (!self.hides()).then(|| self.view(Viewer::Public)) }
    }

    /// Whether something of the position is hidden from somebody: the ruleset hides something, and the match is not over.
    pub fn hides(&self) -> bool {
        each!(Position: self.position(), game => game.hides() && !game.is_over())
    }

    /// What somebody is told of the events that led here from another table of the same match. When the match is over,
    /// everybody is told everything.
    pub fn told(&self, before: &Table, events: &Arc<[Event]>, viewer: Viewer) -> Arc<[Event]> {
        fn told<G: Member>(after: &G, before: &Position, events: &[Event], viewer: Viewer) -> Arc<[Event]> {
            let Some(before) = G::of(before) else { return Arc::default() };
            let typed = events.iter().filter_map(G::event_of);
            typed.filter_map(|event| G::told(before, after, event, viewer)).map(G::wrap_event).collect()
        }
        if !self.hides() || viewer == Viewer::After {
            return events.clone();
        }
        each!(Position: self.position(), after => told(after, before.position(), events, viewer))
    }
}
