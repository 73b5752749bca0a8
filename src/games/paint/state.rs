//! The forms of Paint that leave the house: state, events, refusals.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::action::Direction;
use super::{Merit, verdict};
pub use crate::games::grid::{Cell as Square, CellContent};
use crate::games::outcome::Outcome;
use crate::games::refusal::{self, BadState, Code};
use crate::games::seat::{BySeat, Seat, Seats};
use crate::games::setup::{check_counters, check_grid, check_seats};

/// A position as the contract writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// The name of the ruleset.
    #[serde(default)]
    pub ruleset: String,
    /// Turns applied so far.
    pub turn: u32,
    /// Who must act now; empty when the match is over.
    pub to_act: Seats,
    /// How it ended, once it has.
    #[serde(default)]
    pub outcome: Option<Outcome>,
    /// Turns still to play.
    pub turns_left: u32,
    /// Rows of squares: null neutral, `#` an obstacle, or the seat that painted it.
    pub grid: Vec<Vec<CellContent>>,
    /// All players in seat order.
    pub players: Vec<Player>,
}

/// A player in a [`State`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Player {
    /// The seat that plays it.
    pub seat: Seat,
    /// Where its avatar stands, 0 is the north.
    pub row: u8,
    /// Where its avatar stands, 0 is the west.
    pub col: u8,
    /// How many squares have its colour. Counted anew when a position is set up, whatever is written here.
    #[serde(default)]
    pub score: u32,
    /// Whether it has given up: it acts no more and ranks below those who have not.
    #[serde(default)]
    pub forfeited: bool,
    /// Settled at the end. Found anew when a position is set up, whatever is written here.
    #[serde(default)]
    pub place: Option<u32>,
}

/// What happens in a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// Somebody went one square.
    Moved {
        /// The seat that moved.
        seat: Seat,
        /// The cell that it left.
        from: Square,
        /// The cell that it reached.
        to: Square,
    },
    /// Somebody's move was undone, because another avatar was on the square or came to it too.
    Bumped {
        /// The seat that stayed where it was.
        seat: Seat,
        /// The square where it began and is again.
        at: Square,
        /// The square that it wanted.
        to: Square,
    },
    /// Somebody shot paint.
    Shot {
        /// The seat that fired.
        seat: Seat,
        /// The direction of fire.
        direction: Direction,
        /// How many squares it could have painted.
        range: u8,
        /// The squares that it did paint, the nearest first.
        cells: Vec<Square>,
        /// Why it painted no more.
        end: ShotEnd,
    },
    /// The referee used up somebody's turn.
    Passed {
        /// The seat that lost its turn.
        seat: Seat,
    },
    /// Somebody gave up or was taken out by the referee. Its avatar stays.
    Forfeited {
        /// The seat that forfeited.
        seat: Seat,
    },
    /// The match has ended.
    Ended {
        /// The places of all seats and the reason.
        outcome: Outcome,
    },
}

/// Why a shot is gone. Where several hold, the first of them in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ShotEnd {
    /// It painted its whole range.
    Range,
    /// It left the board.
    Edge,
    /// It met an obstacle.
    Obstacle,
    /// It met an avatar.
    Avatar,
    /// It met a square that a shot had painted earlier this turn.
    Paint,
    /// It met another shot.
    Shot,
}

/// How an action can break the rules of Paint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "rule", rename_all = "snake_case")]
pub enum Illegal {
    /// Off the board.
    #[error("`move {direction}`: that is off the board; move another way, or shoot")]
    MoveOutOfBounds {
        /// The direction of the move.
        direction: Direction,
    },
    /// Into an obstacle.
    #[error("`move {direction}`: an obstacle stands on {at}; move another way, or shoot")]
    MoveIntoBlock {
        /// The direction of the move.
        direction: Direction,
        /// The cell that is in the way.
        at: Square,
    },
}

impl refusal::Illegal for Illegal {
    fn code(&self) -> Code {
        match self {
            Illegal::MoveOutOfBounds { .. } => Code::MoveOutOfBounds,
            Illegal::MoveIntoBlock { .. } => Code::MoveIntoBlock,
        }
    }
}

/// Finds all that is wrong with a position that somebody set up.
pub(super) fn check(state: &State) -> Result<(), BadState> {
    let mut problems = Vec::new();
    check_counters(&[("turn", state.turn), ("turns_left", state.turns_left)], &mut problems);
    let seats = state.players.iter().map(|player| player.seat);
    // What the grid and the players say together makes sense only where each does by itself.
    if check_grid(&state.grid, 1, &mut problems) & check_seats("players", seats, 2..=Seat::MAX, &mut problems) {
        check_squares(state, &mut problems);
        check_end(state, &mut problems);
    }
    BadState::check(problems)
}

/// Every square belongs to somebody who plays, or nobody; every avatar has a square of its own.
fn check_squares(state: &State, problems: &mut Vec<String>) {
    let count = state.players.len();
    for (row, squares) in state.grid.iter().enumerate() {
        for (col, content) in squares.iter().enumerate() {
            if let CellContent::Owned(seat) = content
                && seat.index() >= count
            {
                problems.push(format!("square ({row}, {col}) has the colour of {seat}, who is not among the players"));
            }
        }
    }
    let mut here: Vec<Vec<Option<Seat>>> = state.grid.iter().map(|row| vec![None; row.len()]).collect();
    for &Player { seat, row, col, .. } in &state.players {
        let at = Square { row, col };
        let (row, col) = (usize::from(row), usize::from(col));
        let Some(content) = state.grid.get(row).and_then(|squares| squares.get(col)) else {
            problems.push(format!("{seat} is at {at}, off the board"));
            continue;
        };
        if *content == CellContent::Wall {
            problems.push(format!("{seat} stands on {at}, where an obstacle is"));
        }
        if let Some(other) = here[row][col].replace(seat) {
            problems.push(format!("{other} and {seat} stand on the same square {at}"));
        }
    }
}

/// What must be done now, or how it ended, follows from the rest.
fn check_end(state: &State, problems: &mut Vec<String>) {
    let mut merits = BySeat::from_fn(state.players.len(), |_| Merit { stayed: true, score: 0 });
    for player in &state.players {
        merits[player.seat].stayed = !player.forfeited;
    }
    for content in state.grid.iter().flatten() {
        if let CellContent::Owned(seat) = content
            && seat.index() < merits.len()
        {
            merits[*seat].score += 1;
        }
    }
    let mut to_act = Seats::none();
    match (verdict(state.turns_left, || merits.iter().map(|(_, &merit)| merit)), &state.outcome) {
        (None, outcome) => {
            to_act = merits.iter().filter(|(_, merit)| merit.stayed).map(|(seat, _)| seat).collect();
            if outcome.is_some() {
                problems.push(format!(
                    "there is an outcome, but {} turns are left and {} play on",
                    state.turns_left,
                    to_act.len()
                ));
            }
        }
        (Some(_), None) if state.turns_left == 0 => {
            problems.push("with `turns_left` 0 the match is over: there must be an outcome".to_owned());
        }
        (Some(_), None) => problems
            .push("with fewer than two who have not forfeited the match is over: there must be an outcome".to_owned()),
        (Some(verdict), Some(outcome)) => {
            if verdict.reason != outcome.reason {
                problems.push(format!("the reason of the outcome must be {}, not {}", verdict.reason, outcome.reason));
            }
            if let Some((seat, place)) =
                verdict.places.iter().find(|&(seat, place)| outcome.places.get(seat) != Some(place))
            {
                problems.push(format!("in the outcome the place of {seat} must be {place}: scores decide"));
            }
            if let Some(seat) = outcome.places.keys().find(|seat| seat.index() >= merits.len()) {
                problems.push(format!("the outcome has a place for {seat}, who is not among the players"));
            }
        }
    }
    if state.to_act != to_act {
        let who = if to_act.is_empty() { "nobody: the match is over".to_owned() } else { to_act.to_string() };
        problems.push(format!("`to_act` must name {who}"));
    }
}
