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

    /// An answer, or what is worth keeping of it, that is not in the form that was asked for.
    pub fn misformed(text: impl Into<String>, form: BadForm) -> Attempt {
        Attempt { text: text.into(), problem: Problem::Form(form) }
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
    /// It is not in the form that was asked for.
    #[error("{0}")]
    Form(BadForm),
    /// The model's own server could not read it, and said this.
    #[error("the model's server could not read it: {0}")]
    Rejected(String),
}

/// In which way an answer is not in the form that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadForm {
    /// The last line of a text does not have the label.
    #[error("the last line of the answer is not `ACTION:` and an action")]
    Label,
    /// A label stands in a text more than once where one is asked for.
    #[error("the answer gives more than one of what it may give once")]
    Several,
    /// The answer is not one JSON object.
    #[error("the answer is not one JSON object")]
    Json,
    /// The arguments of the tool that acts are not one JSON object.
    #[error("the arguments of `act` are not a JSON object")]
    Arguments,
    /// The arguments of the tool that speaks are not one JSON object.
    #[error("the arguments of `speak` are not a JSON object with a `text`")]
    Speech,
}

impl BadForm {
    /// All of them.
    pub const ALL: [BadForm; 5] =
        [BadForm::Label, BadForm::Several, BadForm::Json, BadForm::Arguments, BadForm::Speech];

    /// What its words are kept under.
    pub fn name(self) -> &'static str {
        match self {
            BadForm::Label => "label",
            BadForm::Several => "several",
            BadForm::Json => "json",
            BadForm::Arguments => "arguments",
            BadForm::Speech => "speech",
        }
    }
}

impl Problem {
    /// Whose doing the record says it was.
    pub fn fault(&self) -> Fault {
        match self {
            Problem::Refused(refusal) => Fault::of(refusal),
            Problem::Truncated => Fault::Truncated,
            Problem::Declined => Fault::Declined,
            Problem::Nothing | Problem::Form(_) | Problem::Rejected(_) => Fault::Unreadable,
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
