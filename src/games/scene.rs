//! What there is to see of a match, as data: whoever draws a [`Scene`] knows no game.
//!
//! The terminal, SVG files, the page and the MCP app draw the same scenes. A scene is made of what a viewer sees: a state
//! and the events that the viewer was told. It has no language: a [`Label`] names a term of `prompts/`.

mod board;
mod plain;

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

pub use self::board::{Area, Board, Effect, EffectMark, End, Ground, Item, Origin, Piece, Placed, Point, Square};
pub use self::board::{Beam, StepTrace, Traces, Turned};
pub use self::plain::players;
use super::any::{Event, Member, State, each_rules, each_type};
use super::controls::Controls;
use super::game::Game;
use super::grid::Direction;
use super::outcome::Outcome;
use super::ruleset::Ruleset;
use super::seat::Seat;

/// How a game is drawn and played by hand. A game that says nothing here is drawn plainly from its state, and its legal
/// actions are listed.
pub trait Scenic: Game {
    /// The position: the board, who is where, how everybody is doing.
    fn scene(_rules: &Self::Rules, state: &Self::State) -> Scene {
        plain::scene(&serde_json::to_value(state).unwrap_or_default())
    }

    /// Adds what the events of one turn left to be seen to the scene of the position after it.
    fn trace(_state: &Self::State, _events: &[&Self::Event], _board: &mut Board) {}

    /// What an event is to whoever reads along.
    fn tone(_event: &Self::Event) -> Tone<'_> {
        Tone::Plain
    }

    /// The choices that make up an action of a seat, allowed or not; none where its legal actions are to be listed.
    fn controls(_rules: &Self::Rules, _state: &Self::State, _seat: Seat) -> Option<Controls> {
        None
    }
}

/// What an event is to whoever reads along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone<'e> {
    /// One of many.
    Plain,
    /// Somebody was struck, or is out.
    Hit,
    /// Somebody spoke, as its action.
    Speech {
        /// The seat that spoke.
        seat: Seat,
        /// The words, as they were said.
        text: &'e str,
    },
}

/// A position and what led to it, ready to be drawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Scene {
    /// What is played: the name of the ruleset.
    pub ruleset: String,
    /// Turns applied so far.
    pub turn: u32,
    /// How far it is: rounds, turns, what is about to change.
    pub status: Vec<Label>,
    /// The board itself.
    pub board: Board,
    /// Everybody at the table, in seat order.
    pub standings: Vec<Standing>,
    /// How the board is divided, where that is what counts; the rest belongs to nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shares: Option<Shares>,
    /// How it ended, once it has.
    pub outcome: Option<Outcome>,
}

/// Words that are not said in any language yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Label {
    /// Which term of `prompts/` has them.
    pub term: Cow<'static, str>,
    /// The numbers that go into them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<u32>,
    /// The words, where they were asked for in a language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Label {
    /// A term without numbers.
    pub fn new(term: impl Into<Cow<'static, str>>) -> Label {
        Label { term: term.into(), numbers: Vec::new(), text: None }
    }

    /// A term with numbers in it.
    pub fn of<const N: usize>(term: &'static str, numbers: [u32; N]) -> Label {
        Label { term: term.into(), numbers: numbers.into(), text: None }
    }

    /// Words that are the same in every language.
    pub(super) fn verbatim(text: &str) -> Label {
        Label { term: "".into(), numbers: Vec::new(), text: Some(text.to_owned()) }
    }
}

/// How somebody at the table is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Standing {
    /// The seat that this is about.
    pub seat: Seat,
    /// Whether it is to act; false for all where everybody acts at once.
    pub to_act: bool,
    /// Whether it still plays.
    pub alive: bool,
    /// Hit points or score.
    pub meter: Meter,
    /// The same in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<Label>,
    /// Where it faces, where that matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facing: Option<Direction>,
    /// More about it.
    pub facts: Vec<Label>,
    /// Its place, once settled.
    pub place: Option<u32>,
}

/// An amount of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Meter {
    /// How much there is.
    pub value: u32,
    /// A full meter.
    pub of: u32,
}

impl Meter {
    /// How many of `steps` are filled: none only at zero, all only when full.
    pub fn filled(self, steps: usize) -> usize {
        let (value, of) = (self.value.min(self.of) as usize, self.of.max(1) as usize);
        if value == 0 || value == of {
            return if value == 0 { 0 } else { steps };
        }
        ((value * steps + of / 2) / of).clamp(1, steps.saturating_sub(1).max(1))
    }
}

/// How the board is divided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Shares {
    /// How much each seat has.
    pub seats: Vec<(Seat, u32)>,
    /// How much there is to have.
    pub of: u32,
}

impl Scene {
    /// The scene of a position, with what the events of the turns that led to it left to be seen. The last turn comes
    /// last; where there are several, what happened in the earlier ones is marked as earlier.
    pub fn new(ruleset: &Ruleset, state: &State, turns: &[&[Event]]) -> Scene {
        fn scene<G: Member>(rules: &G::Rules, state: &G::State, turns: &[&[Event]]) -> Scene {
            let mut scene = G::scene(rules, state);
            for (beat, events) in (0..).zip(turns) {
                let known = scene.board.traces.len();
                let events: Vec<&G::Event> = events.iter().filter_map(G::event_of).collect();
                G::trace(state, &events, &mut scene.board);
                scene.board.traces.date(known, beat);
            }
            scene
        }
        each_rules!(&ruleset.rules, rules, G => match G::state_of(state) {
            Some(state) => scene::<G>(rules, state, turns),
            None => plain::scene(&serde_json::to_value(state).unwrap_or_default()),
        })
    }

    /// What an action would leave to be seen if these events came of it now.
    pub fn traces(ruleset: &Ruleset, state: &State, events: &[Event]) -> Traces {
        Scene::new(ruleset, state, &[events]).board.traces
    }

    /// All words in it, to be put into a language.
    pub fn labels_mut(&mut self) -> impl Iterator<Item = &mut Label> {
        let standings = self.standings.iter_mut().flat_map(|one| one.amount.iter_mut().chain(&mut one.facts));
        self.status.iter_mut().chain(standings)
    }
}

/// What an event is to whoever reads along.
pub fn tone(event: &Event) -> Tone<'_> {
    fn tone<G: Member>(event: &Event) -> Tone<'_> {
        G::event_of(event).map_or(Tone::Plain, G::tone)
    }
    each_type!(event.game(), G => tone::<G>(event))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::games::joint::{Joint, Order};
    use crate::games::table::Table;
    use crate::games::{Seed, Viewer};

    #[test]
    fn a_game_that_draws_nothing_is_drawn_from_its_state() {
        let state = json!({
            "ruleset": "new", "turn": 4, "to_act": ["B"], "outcome": null,
            "grid": [[null, "#", 3], [-1, "AB", 0]],
            "riders": [
                { "seat": "A", "row": 0, "col": 2, "hp": 2, "alive": true, "place": null },
                { "seat": "B", "row": 1, "col": 0, "hp": 5, "alive": false, "place": 2 },
            ],
        });
        let scene = plain::scene(&state);
        let owner = Ground::Owned { seat: "AB".parse().expect("a seat") };
        let rows = [[Ground::Empty, Ground::Wall, Ground::Block { hp: 3 }], [Ground::Wall, owner, Ground::Empty]];
        assert_eq!(scene.board.ground, rows.map(Vec::from));
        assert_eq!(scene.status, [Label::of("label.turn", [4])]);
        let [a, b] = &scene.standings[..] else { panic!("two play") };
        assert_eq!((a.alive, a.to_act, a.meter, a.place), (true, false, Meter { value: 2, of: 5 }, None));
        assert_eq!((b.alive, b.to_act, b.meter, b.place), (false, true, Meter { value: 5, of: 5 }, Some(2)));
        assert_eq!(
            scene.board.pieces.iter().map(|piece| piece.at).collect::<Vec<_>>(),
            [Point { row: 0, col: 2 }, Point { row: 1, col: 0 }]
        );
    }

    #[test]
    fn what_happened_in_an_earlier_turn_is_dated_earlier() {
        let ruleset = Arc::new(Ruleset::named("cowboy").expect("built in"));
        let mut table = Table::open(ruleset, 2, Seed(1)).expect("two can play");
        let mut turn = |seat: usize, action: &str| {
            let order = Order::Play(table.read(action).expect("an action").0);
            let events = table.play(&Joint::one(Seat::new(seat), order), &mut Seed(1).dice()).expect("legal");
            (events, table.view(Viewer::Public))
        };
        let ((first, _), (second, view)) = (turn(0, "move down"), turn(1, "shield up"));
        let traces = view.scene(&[&first, &second]).board.traces;
        let [step] = &traces.steps[..] else { panic!("{traces:?}") };
        assert_eq!((step.seat, step.beat), (Seat::new(0), 0));
        let [turned] = &traces.turned[..] else { panic!("{traces:?}") };
        assert_eq!((turned.seat, turned.facing, turned.beat), (Seat::new(1), Direction::North, 1));
    }
}
