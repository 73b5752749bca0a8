//! What grids have in common: cells by row and column, what seats leave on them, the eight directions, and the four
//! headings of a picture.

mod framed;

pub(super) use self::framed::{Framed, Spot};

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::notation::{Word, words};
use super::seat::Seat;
use crate::settings::shorten;

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

impl Cell {
    /// The cell one step on. Off the top or the left its row or column is 255, which is off every board.
    #[must_use]
    #[inline]
    pub fn step(self, heading: Heading) -> Cell {
        let (down, right) = heading.offset();
        Cell { row: self.row.wrapping_add_signed(down), col: self.col.wrapping_add_signed(right) }
    }
}

/// What a cell is, where seats leave something of theirs behind: paint, a trail. In JSON `null`, `"#"` or a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellContent {
    /// Nothing that stays; somebody may be on it.
    Empty,
    /// Nobody enters it, nothing is left on it.
    Wall,
    /// What a seat has left; on a map, where that seat starts.
    Owned(Seat),
}

impl CellContent {
    /// The cell in a drawing: `.`, `#`, or the seat in small letters.
    pub(super) fn symbol(self) -> String {
        match self {
            CellContent::Empty => ".".to_owned(),
            CellContent::Wall => "#".to_owned(),
            CellContent::Owned(seat) => seat.to_string().to_lowercase(),
        }
    }
}

impl Serialize for CellContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            CellContent::Empty => serializer.serialize_none(),
            CellContent::Wall => serializer.serialize_str("#"),
            CellContent::Owned(seat) => seat.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for CellContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CellContent, D::Error> {
        match Option::<Cow<'de, str>>::deserialize(deserializer)?.as_deref() {
            None => Ok(CellContent::Empty),
            Some("#") => Ok(CellContent::Wall),
            Some(text) => text.parse().map(CellContent::Owned).map_err(|_| {
                D::Error::custom(format!("a cell of `grid` is null, \"#\" or a seat, not \"{}\"", shorten(text)))
            }),
        }
    }
}

impl JsonSchema for CellContent {
    fn schema_name() -> Cow<'static, str> {
        "CellContent".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["string", "null"],
            "pattern": "^(#|[A-Z]+)$",
            "description": "null: empty; \"#\": a wall or an obstacle; a seat: what it left there"
        })
    }

    fn inline_schema() -> bool {
        true
    }
}

/// The cells of a grid that are this, in row order, as the words have them.
pub(super) fn cells_with(grid: &[Vec<CellContent>], wanted: CellContent) -> Vec<String> {
    let cells = grid.iter().enumerate().flat_map(|(row, line)| line.iter().enumerate().map(move |at| (row, at)));
    cells.filter(|(_, (_, content))| **content == wanted).map(|(row, (col, _))| format!("({row}, {col})")).collect()
}

/// Reads what is written in one word, like a direction.
pub(super) fn read_word<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    read: impl FnOnce(Word) -> Option<T>,
    expected: &str,
) -> Result<T, D::Error> {
    let text = Cow::<'de, str>::deserialize(deserializer)?;
    match words(&text).as_deref() {
        Some([word]) => read(*word),
        _ => None,
    }
    .ok_or_else(|| D::Error::custom(expected))
}

/// How directions that are one word each are written and read.
macro_rules! four_ways {
    ($type:ident { $one:ident = $first:literal, $($other:ident = $name:literal),+ }) => {
        impl $type {
            /// The direction in notation.
            pub const fn name(self) -> &'static str {
                match self {
                    $type::$one => $first,
                    $($type::$other => $name,)+
                }
            }

            pub(in crate::games) fn from_word(word: Word) -> Option<$type> {
                match word {
                    Word::$one => Some($type::$one),
                    $(Word::$other => Some($type::$other),)+
                    _ => None,
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                read_word(deserializer, $type::from_word, concat!("a direction is one of ", $first $(, ", ", $name)+))
            }
        }
    };
}
pub(super) use four_ways;

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
    #[inline]
    pub fn offset(self) -> (i8, i8) {
        // In one place of memory: a search looks it up at every step.
        static OFFSETS: [(i8, i8); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];
        OFFSETS[self as usize]
    }
}

four_ways!(Heading { Up = "up", Down = "down", Left = "left", Right = "right" });

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
