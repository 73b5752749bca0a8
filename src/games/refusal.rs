//! Refusals: what was wrong, as data that a caller can act on.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::any;
use super::bad_json::BadJson;
use super::seat::{Seat, Seats};
use crate::settings::shorten;

/// The kinds of refusal, by the names that programs rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Code {
    /// A move off the board.
    MoveOutOfBounds,
    /// A move back to where one came from, by who cannot turn on the spot.
    MoveStraightBack,
    /// A move into a wall, a block or an obstacle.
    MoveIntoBlock,
    /// A move into a cell that somebody occupies.
    MoveIntoPlayer,
    /// A shot through one's own shield.
    ShootOwnShield,
    /// A shot whose beam would leave the board at once.
    ShootOutOfBounds,
    /// A shot into an adjacent wall or block.
    ShootIntoBlock,
    /// A shot into an adjacent player.
    ShootIntoPlayer,
    /// A message without text.
    SpeakEmpty,
    /// A message of too many characters.
    SpeakTooLong,
    /// A text that is no action of this game.
    UnreadableAction,
    /// A seat that has nothing to do now.
    NotToAct,
    /// A seat that must act and was given no action.
    MissingAction,
    /// The match has ended.
    MatchOver,
    /// A position that cannot be.
    BadState,
    /// A ruleset that cannot be played.
    BadRuleset,
    /// A request that makes no sense.
    BadRequest,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Code::MoveOutOfBounds => "move_out_of_bounds",
            Code::MoveStraightBack => "move_straight_back",
            Code::MoveIntoBlock => "move_into_block",
            Code::MoveIntoPlayer => "move_into_player",
            Code::ShootOwnShield => "shoot_own_shield",
            Code::ShootOutOfBounds => "shoot_out_of_bounds",
            Code::ShootIntoBlock => "shoot_into_block",
            Code::ShootIntoPlayer => "shoot_into_player",
            Code::SpeakEmpty => "speak_empty",
            Code::SpeakTooLong => "speak_too_long",
            Code::UnreadableAction => "unreadable_action",
            Code::NotToAct => "not_to_act",
            Code::MissingAction => "missing_action",
            Code::MatchOver => "match_over",
            Code::BadState => "bad_state",
            Code::BadRuleset => "bad_ruleset",
            Code::BadRequest => "bad_request",
        })
    }
}

/// A rule of a game that an action breaks.
pub trait Illegal: std::error::Error + Clone + Send + Sync + 'static {
    /// Which rule, by the name that programs rely on.
    fn code(&self) -> Code;
}

/// Why a turn cannot be played as asked. Nothing was applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayError<I> {
    /// The match has ended.
    #[error("the match is over")]
    Over,
    /// Somebody acts who has nothing to do now.
    #[error("{seat} has nothing to do now; to act: {to_act}")]
    NotToAct {
        /// The seat that acted out of turn.
        seat: Seat,
        /// Whose turn it is.
        to_act: Seats,
    },
    /// Somebody who must act has no order.
    #[error("no action for {seat}; an action is needed for each of: {to_act}")]
    Missing {
        /// The seat without an order.
        seat: Seat,
        /// Everybody who must act.
        to_act: Seats,
    },
    /// An action breaks a rule.
    #[error("{illegal}")]
    Illegal {
        /// The seat whose action it is.
        seat: Seat,
        /// The rule that it breaks.
        illegal: I,
    },
}

impl<I: Illegal> PlayError<I> {
    /// The name that programs rely on.
    pub fn code(&self) -> Code {
        match self {
            PlayError::Over => Code::MatchOver,
            PlayError::NotToAct { .. } => Code::NotToAct,
            PlayError::Missing { .. } => Code::MissingAction,
            PlayError::Illegal { illegal, .. } => illegal.code(),
        }
    }
}

/// A refusal as it goes out of the house: a name for programs, a sentence for people and models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// What kind of refusal it is, for programs.
    pub code: Code,
    /// What is wrong and what to do about it.
    pub message: String,
    /// The rule that an action breaks, for those who put it into their own words.
    #[serde(skip)]
    pub broken: Option<any::Illegal>,
    /// What is wrong with an action in JSON, for the same.
    #[serde(skip)]
    pub bad_json: Option<BadJson>,
}

impl Refusal {
    /// A refusal of this kind.
    pub fn new(code: Code, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into(), broken: None, bad_json: None }
    }

    /// The same with the rule that the action breaks.
    pub(super) fn breaking(self, illegal: any::Illegal) -> Refusal {
        Refusal { broken: Some(illegal), ..self }
    }
}

/// A text that is no action of the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot read `{}` as an action; {expected}", shorten(text))]
pub struct Unreadable {
    /// What was given.
    pub text: String,
    /// What would do, for people.
    pub expected: &'static str,
}

impl From<Unreadable> for Refusal {
    fn from(error: Unreadable) -> Refusal {
        Refusal::new(Code::UnreadableAction, error.to_string())
    }
}

/// A position that cannot be. Every problem is named.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", problems.join("; "))]
pub struct BadState {
    /// One sentence each, never empty.
    pub problems: Vec<String>,
}

impl BadState {
    /// `Ok` where there are no problems.
    pub fn check(problems: Vec<String>) -> Result<(), BadState> {
        if problems.is_empty() { Ok(()) } else { Err(BadState { problems }) }
    }
}

impl From<BadState> for Refusal {
    fn from(error: BadState) -> Refusal {
        Refusal::new(Code::BadState, error.to_string())
    }
}
