//! The forms of Trails that leave the house: state, events, refusals.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MAX_SEATS;
use super::action::Direction;
use super::rules::MIN_SIDE;
pub use crate::games::grid::{Cell, CellContent};
use crate::games::outcome::Outcome;
use crate::games::refusal::{self, BadState, Code};
use crate::games::seat::{Seat, Seats};
use crate::games::setup::{SeatEntry, check_counters, check_grid, check_over, check_places, check_ranks, check_seats};

/// A position as the contract writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// The name of the ruleset.
    #[serde(default)]
    pub ruleset: String,
    /// Turns applied so far.
    pub turn: u32,
    /// Who must act now: all who ride; empty when the match is over.
    pub to_act: Seats,
    /// How it ended, once it has.
    #[serde(default)]
    pub outcome: Option<Outcome>,
    /// Turns still to play.
    pub turns_left: u32,
    /// Rows of cells: null empty, `#` a wall, or the seat whose trail it is. The cell of a living rider is null.
    pub grid: Vec<Vec<CellContent>>,
    /// All riders in seat order, the fallen included.
    pub riders: Vec<Rider>,
}

/// A rider in a [`State`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Rider {
    /// The seat that plays it.
    pub seat: Seat,
    /// Where it is or fell, 0 is the top.
    pub row: u8,
    /// Where it is or fell, 0 is the left.
    pub col: u8,
    /// Which way it went last; it cannot turn straight back.
    pub facing: Direction,
    /// Whether it still rides.
    pub alive: bool,
    /// Settled at its fall, or at the end.
    #[serde(default)]
    pub place: Option<u32>,
}

/// What happens in a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// Somebody went one cell.
    Moved {
        /// The seat that moved.
        seat: Seat,
        /// From here, where its trail is now.
        from: Cell,
        /// The cell that it reached.
        to: Cell,
    },
    /// Somebody ran into something.
    Crashed {
        /// The seat that crashed.
        seat: Seat,
        /// Where it was and stays, on its trail.
        at: Cell,
        /// Which way it wanted to go.
        direction: Direction,
        /// What was in the way.
        into: Obstacle,
    },
    /// The referee used up somebody's turn: the rider goes straight on.
    Passed {
        /// The seat that lost its turn.
        seat: Seat,
    },
    /// Somebody gave up or was taken out by the referee. It stays where it is, on its trail.
    Forfeited {
        /// The seat that forfeited.
        seat: Seat,
    },
    /// Somebody is out.
    Eliminated {
        /// The seat that is out.
        seat: Seat,
        /// The place that it takes, 1 the best.
        place: u32,
    },
    /// The match has ended.
    Ended {
        /// The places of all seats and the reason.
        outcome: Outcome,
    },
}

/// What somebody ran into. Where several hold, the first of them in this order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schemars(inline)]
pub enum Obstacle {
    /// The edge of the board.
    Edge,
    /// A wall of the map.
    Wall,
    /// A trail, perhaps one of this turn.
    Trail {
        /// The rider who left it.
        of: Seat,
    },
    /// Others who went to the same cell.
    Riders {
        /// All who went there but this one.
        seats: Seats,
    },
}

/// How an action can break the rules of Trails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "rule", rename_all = "snake_case")]
pub enum Illegal {
    /// Back where it came from.
    #[error("`move {direction}`: you face {facing} and cannot turn straight back; go on or to a side")]
    MoveStraightBack {
        /// The direction of the move.
        direction: Direction,
        /// Where the rider faces.
        facing: Direction,
    },
}

impl refusal::Illegal for Illegal {
    fn code(&self) -> Code {
        match self {
            Illegal::MoveStraightBack { .. } => Code::MoveStraightBack,
        }
    }
}

/// Finds all that is wrong with a position that somebody set up.
pub(super) fn check(state: &State) -> Result<(), BadState> {
    let mut problems = Vec::new();
    check_counters(&[("turn", state.turn), ("turns_left", state.turns_left)], &mut problems);
    let seats = state.riders.iter().map(|rider| rider.seat);
    // What the grid and the riders say together makes sense only where each does by itself.
    if check_grid(&state.grid, MIN_SIDE, &mut problems) & check_seats("riders", seats, 2..=MAX_SEATS, &mut problems) {
        let riders = state.riders.iter();
        let entries: Vec<SeatEntry> =
            riders.map(|&Rider { seat, alive, place, .. }| SeatEntry { seat, alive, place }).collect();
        check_cells(state, &mut problems);
        check_places(&entries, &mut problems);
        check_ranks(&entries, state.outcome.as_ref(), &mut problems);
        check_end(state, &entries, &mut problems);
    }
    BadState::check(problems)
}

/// Every trail is somebody's who plays; living riders are on cells of their own that have nothing else.
fn check_cells(state: &State, problems: &mut Vec<String>) {
    let count = state.riders.len();
    for (row, cells) in state.grid.iter().enumerate() {
        for (col, content) in cells.iter().enumerate() {
            if let CellContent::Owned(seat) = content
                && seat.index() >= count
            {
                problems.push(format!("cell ({row}, {col}) has the trail of {seat}, who is not among the riders"));
            }
        }
    }
    for (index, rider) in state.riders.iter().enumerate() {
        let (seat, at) = (rider.seat, Cell { row: rider.row, col: rider.col });
        match state.grid.get(usize::from(at.row)).and_then(|cells| cells.get(usize::from(at.col))) {
            None => problems.push(format!("{seat} is at {at}, off the board")),
            Some(CellContent::Wall) if rider.alive => problems.push(format!("{seat} rides on {at}, where a wall is")),
            Some(CellContent::Owned(other)) if rider.alive => {
                problems
                    .push(format!("{seat} rides on {at}, where the trail of {other} is; its own cell must be null"));
            }
            Some(_) => {}
        }
        let here = |other: &&Rider| other.alive && (other.row, other.col) == (rider.row, rider.col);
        for other in state.riders[..index].iter().filter(|_| rider.alive).filter(here) {
            problems.push(format!("{} and {seat} are on the same cell {at}", other.seat));
        }
    }
}

/// What must be done now, or how it ended, fits the rest.
fn check_end(state: &State, entries: &[SeatEntry], problems: &mut Vec<String>) {
    let living: Seats = state.riders.iter().filter(|rider| rider.alive).map(|rider| rider.seat).collect();
    let Some(outcome) = &state.outcome else {
        if living.len() < 2 {
            problems.push("with fewer than two riding the match is over: there must be an outcome".to_owned());
        }
        if state.turns_left == 0 {
            problems.push("with `turns_left` 0 the match is over: there must be an outcome".to_owned());
        }
        if state.to_act != living {
            problems.push("`to_act` must name exactly those who ride".to_owned());
        }
        return;
    };
    if living.len() > 1 && state.turns_left > 0 {
        let left = state.turns_left;
        problems.push(format!("there is an outcome, but {} still ride and {left} turns are left", living.len()));
    }
    check_over(outcome, &state.to_act, "riders", entries, problems);
}
