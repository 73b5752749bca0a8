//! What a painter can do, and how it is written.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::games::game;
pub use crate::games::grid::Direction;
use crate::games::notation::{Word, spoken, words};
use crate::games::refusal::Unreadable;

/// What a painter can do in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(inline)]
pub enum Action {
    /// Go one square.
    Move {
        /// Which way.
        direction: Direction,
    },
    /// Shoot paint in a straight line.
    Shoot {
        /// Which way.
        direction: Direction,
    },
}

impl game::Action for Action {}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (verb, direction) = match self {
            Action::Move { direction } => ("move ", direction),
            Action::Shoot { direction } => ("shoot ", direction),
        };
        f.write_str(verb)?;
        f.write_str(direction.name())
    }
}

impl FromStr for Action {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Action, Unreadable> {
        read(text).ok_or_else(|| Unreadable {
            text: text.to_owned(),
            expected: if spoken(text).is_some() {
                "speaking is no action of this game: write move or shoot with a direction, like `shoot south`"
            } else {
                "write move or shoot with one of north, north-east, east, south-east, south, south-west, west or \
                 north-west, like `shoot south`"
            },
        })
    }
}

fn read(text: &str) -> Option<Action> {
    let words = words(text)?;
    // Chinese often has the direction first: 向北移动.
    let ([verb @ (Word::Move | Word::Shoot), way @ ..] | [way @ .., verb @ (Word::Move | Word::Shoot)]) =
        words.as_slice()
    else {
        return None;
    };
    let direction = Direction::from_words(way)?;
    Some(if *verb == Word::Move { Action::Move { direction } } else { Action::Shoot { direction } })
}
