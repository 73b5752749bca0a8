//! What a painter can do, and how it is written.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::games::game;
use crate::games::refusal::Unreadable;
use crate::games::words::{Word, spoken, words};

/// One of the eight ways of the compass. Row 0 is north, column 0 west.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Direction {
    /// Row − 1.
    North,
    /// Row − 1, column + 1.
    NorthEast,
    /// Column + 1.
    East,
    /// Row + 1, column + 1.
    SouthEast,
    /// Row + 1.
    South,
    /// Row + 1, column − 1.
    SouthWest,
    /// Column − 1.
    West,
    /// Row − 1, column − 1.
    NorthWest,
}

impl Direction {
    /// All eight, clockwise, in the order in which actions are listed.
    pub const ALL: [Direction; 8] = [
        Direction::North,
        Direction::NorthEast,
        Direction::East,
        Direction::SouthEast,
        Direction::South,
        Direction::SouthWest,
        Direction::West,
        Direction::NorthWest,
    ];

    /// The way back.
    #[must_use]
    pub const fn opposite(self) -> Direction {
        Direction::ALL[(self as usize + 4) % 8]
    }

    /// What one step adds to row and column.
    #[must_use]
    pub const fn offset(self) -> (i8, i8) {
        const OFFSETS: [(i8, i8); 8] = [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)];
        OFFSETS[self as usize]
    }

    /// The direction in notation.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::North => "north",
            Direction::NorthEast => "north-east",
            Direction::East => "east",
            Direction::SouthEast => "south-east",
            Direction::South => "south",
            Direction::SouthWest => "south-west",
            Direction::West => "west",
            Direction::NorthWest => "north-west",
        }
    }

    fn from_words(words: &[Word]) -> Option<Direction> {
        use Word::{East, North, South, West};
        match words {
            [North] => Some(Direction::North),
            [North, East] | [East, North] => Some(Direction::NorthEast),
            [East] => Some(Direction::East),
            [South, East] | [East, South] => Some(Direction::SouthEast),
            [South] => Some(Direction::South),
            [South, West] | [West, South] => Some(Direction::SouthWest),
            [West] => Some(Direction::West),
            [North, West] | [West, North] => Some(Direction::NorthWest),
            _ => None,
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl<'de> Deserialize<'de> for Direction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Direction, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        words(&text).and_then(|words| Direction::from_words(&words)).ok_or_else(|| {
            D::Error::custom(
                "a direction is one of north, north-east, east, south-east, south, south-west, west, north-west",
            )
        })
    }
}

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
