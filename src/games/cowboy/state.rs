//! The forms of Cowboy that leave the house: state, events, refusals.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::action::Direction;
pub use crate::games::grid::Cell;
use crate::games::outcome::Outcome;
use crate::games::refusal::{self, BadState, Code};
use crate::games::seat::{Seat, Seats};
use crate::games::setup::{SeatEntry, check_counters, check_grid, check_over, check_places, check_ranks, check_seats};
use crate::games::speech::BadMessage;

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
    /// The round in play, from 1.
    pub round: u32,
    /// Rows of cells: 0 empty, -1 wall, N a block with N hit points.
    pub grid: Vec<Vec<i16>>,
    /// All players in seat order, the dead included.
    pub players: Vec<Player>,
}

/// A player in a [`State`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Player {
    /// The seat that plays it.
    pub seat: Seat,
    /// Where, 0 is the top.
    pub row: u8,
    /// Where, 0 is the left.
    pub col: u8,
    /// Hit points left.
    pub hp: u16,
    /// Where the shield faces.
    pub shield: Direction,
    /// Whether it still plays.
    pub alive: bool,
    /// How many it has eliminated.
    #[serde(default)]
    pub kills: u16,
    /// Settled at its elimination or at the end.
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
        /// The cell that it left.
        from: Cell,
        /// The cell that it reached.
        to: Cell,
    },
    /// Somebody turned the shield.
    Shielded {
        /// The seat whose shield turned.
        seat: Seat,
        /// Where it faces now.
        direction: Direction,
    },
    /// Somebody fired the laser.
    Shot {
        /// The seat that fired.
        seat: Seat,
        /// The direction of fire.
        direction: Direction,
        /// The cell that a T-shaped beam entered; a straight one has none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entry: Option<Cell>,
        /// The two sweeps of the T, or the one straight beam.
        beams: Vec<Beam>,
    },
    /// Somebody spoke instead of acting.
    Spoke {
        /// The seat that spoke.
        seat: Seat,
        /// The words, as they were said.
        text: String,
    },
    /// The referee used up somebody's turn.
    Passed {
        /// The seat that lost its turn.
        seat: Seat,
    },
    /// Somebody gave up or was taken out by the referee.
    Forfeited {
        /// The seat that forfeited.
        seat: Seat,
    },
    /// Somebody is out.
    Eliminated {
        /// The seat that is out.
        seat: Seat,
        /// By whose shot; by nobody's in a forfeit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Seat>,
        /// The place that it takes, 1 the best.
        place: u32,
    },
    /// The match has ended.
    Ended {
        /// The places of all seats and the reason.
        outcome: Outcome,
    },
}

/// One line of light.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Beam {
    /// Which way it travels.
    pub direction: Direction,
    /// The cell where it starts; that cell itself is not hit.
    pub from: Cell,
    /// The last cell that it reaches: the target's, or the last one before the edge.
    pub to: Cell,
    /// What stopped it.
    pub hit: Hit,
}

/// What stopped a beam.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schemars(inline)]
pub enum Hit {
    /// It left the board.
    Edge,
    /// Nothing happens to a wall.
    Wall,
    /// A block lost a hit point.
    Block {
        /// What it has left; at 0 the cell is empty.
        left: u16,
    },
    /// A living player, or its shield.
    Player {
        /// The seat that was hit.
        seat: Seat,
        /// Whether the shield held.
        blocked: bool,
        /// Hit points left.
        hp: u16,
    },
}

/// How an action can break the rules of Cowboy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "rule", rename_all = "snake_case")]
pub enum Illegal {
    /// Off the board.
    #[error("`move {direction}`: that is off the board; move another way")]
    MoveOutOfBounds {
        /// The direction of the move.
        direction: Direction,
    },
    /// Into a wall or block.
    #[error("`move {direction}`: {} stands on {at}; move another way{}", what(*value), or_clear(*value))]
    MoveIntoBlock {
        /// The direction of the move.
        direction: Direction,
        /// The cell that is in the way.
        at: Cell,
        /// Its block: -1 is a wall, N has N hit points.
        value: i16,
    },
    /// Into a cell that a player fills.
    #[error("`move {direction}`: {}{by} is on {at}; move another way", if *alive { "" } else { "the body of " })]
    MoveIntoPlayer {
        /// The direction of the move.
        direction: Direction,
        /// The cell that is in the way.
        at: Cell,
        /// Who is there.
        by: Seat,
        /// Whether that player is alive; bodies block, too.
        alive: bool,
    },
    /// Through the own shield.
    #[error("`shoot {direction}`: your own shield faces {direction}; shoot another way or turn the shield first")]
    ShootOwnShield {
        /// The direction of the shot.
        direction: Direction,
    },
    /// A beam without a cell to enter.
    #[error(
        "`shoot {direction}`: the cell that the beam would enter is off the board; shoot another way or move first"
    )]
    ShootOutOfBounds {
        /// The direction of the shot.
        direction: Direction,
    },
    /// A beam into a wall or block.
    #[error("`shoot {direction}`: {} stands on {at}, the cell that the beam would enter; shoot another way or move first", what(*value))]
    ShootIntoBlock {
        /// The direction of the shot.
        direction: Direction,
        /// The cell that is in the way.
        at: Cell,
        /// Its block: -1 is a wall, N has N hit points.
        value: i16,
    },
    /// A beam into somebody.
    #[error(
        "`shoot {direction}`: {by} stands on {at}, the cell that the beam would enter; shoot another way or move first"
    )]
    ShootIntoPlayer {
        /// The direction of the shot.
        direction: Direction,
        /// The cell that is in the way.
        at: Cell,
        /// Who is there.
        by: Seat,
    },
    /// A message that cannot be said.
    #[error("{0}")]
    Message(#[serde(skip)] BadMessage),
    /// Speaking is no action here.
    #[error("`speak` is not an action in this ruleset; choose a move, a shield or a shot")]
    SpeechIsNoAction,
}

fn what(value: i16) -> String {
    if value < 0 { "a wall".to_owned() } else { format!("a block with {value} hit points") }
}

fn or_clear(value: i16) -> &'static str {
    if value < 0 { "" } else { " or shoot it away" }
}

impl refusal::Illegal for Illegal {
    fn code(&self) -> Code {
        match self {
            Illegal::MoveOutOfBounds { .. } => Code::MoveOutOfBounds,
            Illegal::MoveIntoBlock { .. } => Code::MoveIntoBlock,
            Illegal::MoveIntoPlayer { .. } => Code::MoveIntoPlayer,
            Illegal::ShootOwnShield { .. } => Code::ShootOwnShield,
            Illegal::ShootOutOfBounds { .. } => Code::ShootOutOfBounds,
            Illegal::ShootIntoBlock { .. } => Code::ShootIntoBlock,
            Illegal::ShootIntoPlayer { .. } => Code::ShootIntoPlayer,
            Illegal::Message(bad) => bad.code(),
            Illegal::SpeechIsNoAction => Code::UnreadableAction,
        }
    }
}

/// Finds all that is wrong with a position that somebody set up.
pub(super) fn check(rules: &super::Rules, state: &State) -> Result<(), BadState> {
    let mut problems = Vec::new();
    let seats = state.players.iter().map(|player| player.seat);
    // What the grid and the players say together makes sense only where each does by itself.
    if check_grid(&state.grid, 1, &mut problems) & check_seats("players", seats, 1..=rules.sides.len(), &mut problems) {
        let players = state.players.iter();
        let entries: Vec<SeatEntry> =
            players.map(|&Player { seat, alive, place, .. }| SeatEntry { seat, alive, place }).collect();
        check_cells(state, &mut problems);
        check_places(&entries, &mut problems);
        check_ranks(&entries, state.outcome.as_ref(), &mut problems);
        match &state.outcome {
            Some(outcome) => check_over(outcome, &state.to_act, "players", &entries, &mut problems),
            None => check_turn(rules, state, &mut problems),
        }
    }
    if state.round == 0 {
        problems.push("`round` counts from 1".to_owned());
    }
    check_counters(&[("turn", state.turn)], &mut problems);
    BadState::check(problems)
}

/// Every cell is one that can be; the living are on empty cells of their own.
fn check_cells(state: &State, problems: &mut Vec<String>) {
    for (row, cells) in state.grid.iter().enumerate() {
        for (col, value) in cells.iter().enumerate().filter(|(_, value)| **value < -1) {
            problems.push(format!("cell ({row}, {col}) is {value}; a cell is 0, -1 or a block's hit points"));
        }
    }
    for (index, player) in state.players.iter().enumerate() {
        let (seat, at) = (player.seat, Cell { row: player.row, col: player.col });
        let Some(&value) = state.grid.get(usize::from(at.row)).and_then(|row| row.get(usize::from(at.col))) else {
            problems.push(format!("{seat} is at {at}, off the board"));
            continue;
        };
        if player.alive && value != 0 {
            problems.push(format!("{seat} stands on {at}, where {} is", what(value)));
        }
        if player.alive && player.hp == 0 {
            problems.push(format!("{seat} is alive with 0 hit points"));
        }
        for other in &state.players[..index] {
            if player.alive && other.alive && (other.row, other.col) == (player.row, player.col) {
                problems.push(format!("{} and {seat} stand on the same cell {at}", other.seat));
            }
        }
    }
}

/// While it is played it is somebody's turn.
fn check_turn(rules: &super::Rules, state: &State, problems: &mut Vec<String>) {
    let living = || state.players.iter().filter(|player| player.alive);
    let actor = state.to_act.iter().next().filter(|_| state.to_act.len() == 1);
    if !actor.is_some_and(|seat| living().any(|player| player.seat == seat)) {
        problems.push("`to_act` must name the one living seat whose turn it is".to_owned());
    }
    if living().count() < state.players.len().min(2) {
        problems.push("with fewer than two alive the match is over: there must be an outcome".to_owned());
    }
    if state.round > rules.max_rounds {
        problems.push(format!("after round {} the match is over: there must be an outcome", rules.max_rounds));
    }
}
