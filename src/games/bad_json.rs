//! What is wrong with an action in JSON, as data: each language says it in its own words.

use serde::Serialize;
use serde_json::error::Category;

use super::refusal::{Code, Refusal};

/// What is wrong with an action in JSON. Its sentences stand under `[bad_json]` in `terms.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum BadJson {
    /// It ends in the middle.
    Ended,
    /// It is no JSON from here on.
    Syntax {
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
    },
    /// A field is missing.
    Missing {
        /// What the field is called.
        name: String,
    },
    /// A field, or a word in one, is none of the game's.
    Unknown {
        /// What was written.
        name: String,
    },
    /// It is JSON, and no action for another reason.
    Shape,
    /// The reasoning is no text.
    ReasoningType,
    /// The reasoning is too long.
    ReasoningLength {
        /// How many characters it has.
        length: usize,
        /// How many it may have.
        max: usize,
    },
}

impl BadJson {
    /// The name of its sentence.
    pub fn name(&self) -> &'static str {
        match self {
            BadJson::Ended => "ended",
            BadJson::Syntax { .. } => "syntax",
            BadJson::Missing { .. } => "missing",
            BadJson::Unknown { .. } => "unknown",
            BadJson::Shape => "shape",
            BadJson::ReasoningType => "reasoning_type",
            BadJson::ReasoningLength { .. } => "reasoning_length",
        }
    }

    /// By what the parser says. It names fields and words in backticks, the one that matters first.
    fn of(error: &serde_json::Error) -> BadJson {
        let said = error.to_string();
        let name = || said.split('`').nth(1).map(str::to_owned);
        match error.classify() {
            Category::Eof => BadJson::Ended,
            Category::Syntax => BadJson::Syntax { line: error.line(), column: error.column() },
            Category::Data | Category::Io => match name() {
                Some(name) if said.starts_with("missing field") => BadJson::Missing { name },
                Some(name) if said.starts_with("unknown") => BadJson::Unknown { name },
                _ => BadJson::Shape,
            },
        }
    }
}

impl Refusal {
    /// Of a text that is not even JSON.
    pub fn unreadable_json(error: &serde_json::Error) -> Refusal {
        let refusal = Refusal::new(Code::UnreadableAction, format!("the action is not readable JSON: {error}"));
        refusal.because(BadJson::of(error))
    }

    /// Of JSON that is no action of the game.
    pub(super) fn no_action(error: &serde_json::Error) -> Refusal {
        let refusal = Refusal::new(Code::UnreadableAction, format!("the JSON is not an action of this game: {error}"));
        refusal.because(BadJson::of(error))
    }

    /// The same with what is wrong as data.
    pub(super) fn because(self, bad_json: BadJson) -> Refusal {
        Refusal { bad_json: Some(bad_json), ..self }
    }
}
