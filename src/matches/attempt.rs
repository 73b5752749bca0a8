//! Answers that were not taken, from whichever player.

use super::record::Fault;
use crate::games::refusal::{Code, Refusal};

/// An answer that was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// What the player sent.
    pub text: String,
    /// Why it was not taken.
    pub problem: Problem,
}

impl Attempt {
    /// An answer with nothing in it.
    pub fn nothing() -> Attempt {
        Attempt { text: String::new(), problem: Problem::Nothing }
    }

    /// An answer that the rules refuse.
    pub fn refused(text: impl Into<String>, refusal: Refusal) -> Attempt {
        Attempt { text: text.into(), problem: Problem::Refused(refusal) }
    }
}

/// Why an answer was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It breaks a rule, or is no action.
    #[error("{0}")]
    Refused(Refusal),
    /// It was cut off before it was complete.
    #[error("the answer was cut off before it was complete")]
    Truncated,
    /// The player declined to answer.
    #[error("the player declined to answer")]
    Declined,
    /// There was no action in it.
    #[error("there was no action in the answer")]
    Nothing,
}

impl Problem {
    /// Whose doing the record says it was.
    pub fn fault(&self) -> Fault {
        match self {
            Problem::Refused(refusal) => Fault::of(refusal),
            Problem::Truncated => Fault::Truncated,
            Problem::Declined => Fault::Declined,
            Problem::Nothing => Fault::Unreadable,
        }
    }

    /// What the record says of it.
    pub fn refusal(&self) -> Refusal {
        match self {
            Problem::Refused(refusal) => refusal.clone(),
            other => Refusal::new(Code::UnreadableAction, other.to_string()),
        }
    }
}
