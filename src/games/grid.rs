//! What grids have in common: cells by row and column, the eight directions, and the four headings of a picture.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::notation::{Word, words};

/// A cell by row and column. In JSON `[row, col]`, in words `(row, col)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(from = "(u8, u8)", into = "(u8, u8)")]
#[schemars(inline)]
pub struct Cell {
    /// 0 is the top.
    pub row: u8,
    /// 0 is the left.
    pub col: u8,
}

impl From<(u8, u8)> for Cell {
    fn from((row, col): (u8, u8)) -> Cell {
        Cell { row, col }
    }
}

impl From<Cell> for (u8, u8) {
    fn from(cell: Cell) -> (u8, u8) {
        (cell.row, cell.col)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.row, self.col)
    }
}

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
    /// All eight, clockwise.
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

    pub(super) fn from_words(words: &[Word]) -> Option<Direction> {
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

/// One of the four ways as a picture of the board has them. Row 0 is the top, column 0 the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Heading {
    /// Row − 1.
    Up,
    /// Row + 1.
    Down,
    /// Column − 1.
    Left,
    /// Column + 1.
    Right,
}

impl Heading {
    /// All four, in the order in which actions are listed.
    pub const ALL: [Heading; 4] = [Heading::Up, Heading::Down, Heading::Left, Heading::Right];

    /// The names in rulesets.
    pub const NAMES: [(&str, Heading); 4] =
        [("up", Heading::Up), ("down", Heading::Down), ("left", Heading::Left), ("right", Heading::Right)];

    /// The way back.
    #[must_use]
    pub const fn opposite(self) -> Heading {
        match self {
            Heading::Up => Heading::Down,
            Heading::Down => Heading::Up,
            Heading::Left => Heading::Right,
            Heading::Right => Heading::Left,
        }
    }

    /// The two ways across.
    #[must_use]
    pub const fn across(self) -> [Heading; 2] {
        match self {
            Heading::Up | Heading::Down => [Heading::Left, Heading::Right],
            Heading::Left | Heading::Right => [Heading::Up, Heading::Down],
        }
    }

    /// What a step this way adds to the row and to the column.
    #[must_use]
    pub const fn offset(self) -> (isize, isize) {
        [(-1, 0), (1, 0), (0, -1), (0, 1)][self as usize]
    }

    /// The direction in notation.
    pub const fn name(self) -> &'static str {
        match self {
            Heading::Up => "up",
            Heading::Down => "down",
            Heading::Left => "left",
            Heading::Right => "right",
        }
    }

    pub(super) fn from_word(word: Word) -> Option<Heading> {
        match word {
            Word::Up => Some(Heading::Up),
            Word::Down => Some(Heading::Down),
            Word::Left => Some(Heading::Left),
            Word::Right => Some(Heading::Right),
            _ => None,
        }
    }
}

impl fmt::Display for Heading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl<'de> Deserialize<'de> for Heading {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Heading, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        match words(&text).as_deref() {
            Some([word]) => Heading::from_word(*word),
            _ => None,
        }
        .ok_or_else(|| D::Error::custom("a direction is one of up, down, left, right"))
    }
}

impl From<Heading> for Direction {
    fn from(heading: Heading) -> Direction {
        match heading {
            Heading::Up => Direction::North,
            Heading::Down => Direction::South,
            Heading::Left => Direction::West,
            Heading::Right => Direction::East,
        }
    }
}
