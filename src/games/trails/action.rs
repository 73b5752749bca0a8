//! What a rider can do, and how it is written.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::games::game;
pub use crate::games::grid::Heading as Direction;
use crate::games::notation::{Word, spoken, words};
use crate::games::refusal::Unreadable;

/// What a rider can do in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(inline)]
pub enum Action {
    /// Ride one cell.
    Move {
        /// Which way.
        direction: Direction,
    },
}

impl Action {
    /// Which way it goes.
    pub const fn direction(self) -> Direction {
        let Action::Move { direction } = self;
        direction
    }
}

impl game::Action for Action {}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("move ")?;
        f.write_str(self.direction().name())
    }
}

impl FromStr for Action {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Action, Unreadable> {
        read(text).ok_or_else(|| Unreadable {
            text: text.to_owned(),
            expected: if spoken(text).is_some() {
                "speaking is no action of this game: write move with a direction, like `move up`"
            } else {
                "write move with one of up, down, left or right, like `move up`"
            },
        })
    }
}

fn read(text: &str) -> Option<Action> {
    // A direction alone is a move; Chinese often has it before the verb: 向上移动.
    let (&[way] | &[Word::Move, way] | &[way, Word::Move]) = words(text)?.as_slice() else { return None };
    Direction::from_word(way).map(|direction| Action::Move { direction })
}
