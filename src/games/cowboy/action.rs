//! What a cowboy can do, and how it is written.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::games::game;
pub use crate::games::grid::Heading as Direction;
use crate::games::notation::{Word, spoken, words};
use crate::games::refusal::Unreadable;

/// What a cowboy can do in its turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(inline)]
pub enum Action {
    /// Go one cell.
    Move {
        /// Which way.
        direction: Direction,
    },
    /// Turn the shield.
    Shield {
        /// Which way it faces from now on.
        direction: Direction,
    },
    /// Fire the laser.
    Shoot {
        /// Which way the beam leaves.
        direction: Direction,
    },
    /// Say something, where that costs the turn.
    Speak {
        /// 1 to 140 characters on one line.
        #[serde(deserialize_with = "trimmed")]
        text: String,
    },
}

fn trimmed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(String::deserialize(deserializer)?.trim().to_owned())
}

impl game::Action for Action {}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (verb, object) = match self {
            Action::Move { direction } => ("move ", direction.name()),
            Action::Shield { direction } => ("shield ", direction.name()),
            Action::Shoot { direction } => ("shoot ", direction.name()),
            Action::Speak { text } => ("speak ", text.as_str()),
        };
        f.write_str(verb)?;
        f.write_str(object)
    }
}

impl FromStr for Action {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Action, Unreadable> {
        let unreadable = || Unreadable {
            text: text.to_owned(),
            expected: "write one of move, shield or shoot with one of up, down, left or right, like `shoot up`",
        };
        // No verb of speech is a word of the other actions, so nothing that is said is taken for one of them.
        let Some(words) = words(text) else {
            let said = spoken(text).ok_or_else(unreadable)?;
            return Ok(Action::Speak { text: said.to_owned() });
        };
        let &[first, second] = words.as_slice() else { return Err(unreadable()) };
        // Chinese often has the direction first: 向上移动.
        let (verb, direction) = match (Direction::from_word(first), Direction::from_word(second)) {
            (None, Some(direction)) => (first, direction),
            (Some(direction), None) => (second, direction),
            _ => return Err(unreadable()),
        };
        match verb {
            Word::Move => Ok(Action::Move { direction }),
            Word::Shield => Ok(Action::Shield { direction }),
            Word::Shoot => Ok(Action::Shoot { direction }),
            _ => Err(unreadable()),
        }
    }
}
