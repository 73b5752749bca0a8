//! What can differ from one Cowboy ruleset to another.

use std::borrow::Cow;

use serde_json::{Map as JsonMap, Value as Json, json};

use super::action::Direction;
use super::state::Cell;
use crate::games::game::GameRules;
use crate::games::library::{self, BuiltinFile};
use crate::games::map::{self, Drawing, ReadFile};
use crate::games::ruleset::name_of;
use crate::games::speech::Speech;
use crate::settings::fields::Reader;

/// How the laser travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Laser {
    /// Into the adjacent cell and from there both ways across.
    Tee,
    /// Straight ahead from the shooter.
    Straight,
}

/// What becomes of the dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bodies {
    /// They stay on their cells and block moves, and only moves.
    BlockMoves,
    /// They are taken off the board.
    Vanish,
}

/// The checked rules of a Cowboy ruleset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The board: 0 empty, -1 wall, N a block with N hit points.
    pub map: Drawing<i16>,
    /// How the laser travels.
    pub laser: Laser,
    /// What becomes of the dead.
    pub bodies: Bodies,
    /// What speaking costs.
    pub speech: Speech,
    /// Hit points at the start.
    pub hp: u16,
    /// The match ends after so many rounds.
    pub max_rounds: u32,
    /// The side on which each seat starts.
    pub sides: Vec<Direction>,
}

impl Rules {
    const LASERS: [(&str, Laser); 2] = [("tee", Laser::Tee), ("straight", Laser::Straight)];
    const BODIES: [(&str, Bodies); 2] = [("block-moves", Bodies::BlockMoves), ("vanish", Bodies::Vanish)];

    /// The legend of the maps.
    pub(in crate::games) const LEGEND: &str = "`.` is empty, `#` a wall, `1` to `9` a block with so many hit points \
         (with spaces between the cells also more, up to 32767)";

    /// The start cells of the first `seats` seats: the centre of each one's side, moved straight inward to the first
    /// cell that is empty and that no earlier seat starts on.
    ///
    /// # Errors
    /// With the side that has none.
    pub fn starts(&self, seats: usize) -> Result<Vec<Cell>, Direction> {
        let (rows, cols) = (self.map.rows, self.map.cols);
        let mut starts: Vec<Cell> = Vec::new();
        for &side in self.sides.iter().take(seats) {
            let line: Vec<(usize, usize)> = match side {
                Direction::Up => (0..rows).map(|row| (row, cols / 2)).collect(),
                Direction::Down => (0..rows).rev().map(|row| (row, cols / 2)).collect(),
                Direction::Left => (0..cols).map(|col| (rows / 2, col)).collect(),
                Direction::Right => (0..cols).rev().map(|col| (rows / 2, col)).collect(),
            };
            let free = line.into_iter().filter(|&(row, col)| *self.map.at(row, col) == 0).map(cell);
            let start = free.into_iter().find(|cell| !starts.contains(cell)).ok_or(side)?;
            starts.push(start);
        }
        Ok(starts)
    }
}

impl GameRules for Rules {
    const RULESETS: &'static [BuiltinFile] = &[
        ("cowboy", include_str!("../../../rulesets/cowboy.toml")),
        ("cowboy-duel", include_str!("../../../rulesets/cowboy-duel.toml")),
        ("cowboy-classic", include_str!("../../../rulesets/cowboy-classic.toml")),
    ];
    const MAPS: &'static [BuiltinFile] = &[
        ("corral", include_str!("../../../rulesets/maps/corral.txt")),
        ("prairie", include_str!("../../../rulesets/maps/prairie.txt")),
        ("canyon", include_str!("../../../rulesets/maps/canyon.txt")),
    ];

    // One player can practise.
    const FEWEST_PLAYERS: i64 = 1;
    const SPEECH_AS_ACTION: bool = true;

    fn read(reader: &mut Reader, speech: Speech, read_file: ReadFile<'_>) -> Option<Rules> {
        let laser = reader.choice("laser", &Rules::LASERS);
        let bodies = reader.choice("bodies", &Rules::BODIES);
        let hp = reader.int("hp", 1..=10_000);
        let max_rounds = reader.int("max_rounds", 1..=100_000);
        let sides_place = reader.place("sides");
        let sides = reader.choices("sides", &Direction::NAMES);
        if sides.is_empty() {
            reader.problem(&sides_place, "`sides` names no side; one side for each seat, in seat order");
        }
        let map_place = reader.place("map");
        let drawn = map::read(reader, ["rows", "cols"], 0, legend, Rules::LEGEND, library::map, read_file)?;
        let rules = Rules { map: drawn.drawing, laser, bodies, speech, hp, max_rounds, sides };
        if let Err(side) = rules.starts(rules.sides.len()) {
            let message = format!(
                "no start on the {side} side: from its centre straight inward there is no empty cell that is free"
            );
            // The cell to blame is the outermost of the line that is searched.
            let (rows, cols) = (rules.map.rows, rules.map.cols);
            let (row, col) = match side {
                Direction::Up => (0, cols / 2),
                Direction::Down => (rows - 1, cols / 2),
                Direction::Left => (rows / 2, 0),
                Direction::Right => (rows / 2, cols - 1),
            };
            let place = drawn.places.get(row * cols + col).cloned().unwrap_or(map_place);
            reader.problem(&place, message);
        }
        Some(rules)
    }

    fn write(&self, fields: &mut JsonMap<String, Json>) {
        fields.insert("laser".into(), json!(name_of(&Rules::LASERS, self.laser)));
        fields.insert("bodies".into(), json!(name_of(&Rules::BODIES, self.bodies)));
        fields.insert("hp".into(), json!(self.hp));
        fields.insert("max_rounds".into(), json!(self.max_rounds));
        fields.insert("sides".into(), json!(self.sides));
        fields.insert("rows".into(), json!(self.map.rows));
        fields.insert("cols".into(), json!(self.map.cols));
        fields.insert("map".into(), json!(self.map.lines(|&value| write_cell(value))));
    }

    fn capacity(&self) -> usize {
        self.sides.len()
    }
}

fn cell((row, col): (usize, usize)) -> Cell {
    let narrow = |side| u8::try_from(side).expect("a board has at most 64 rows and columns");
    Cell { row: narrow(row), col: narrow(col) }
}

fn legend(word: &str) -> Option<i16> {
    match word {
        "." | "0" | "_" => Some(0),
        "#" | "-1" => Some(-1),
        _ => word.parse().ok().filter(|&value: &i16| value > 0 && !word.starts_with('+')),
    }
}

fn write_cell(value: i16) -> Cow<'static, str> {
    match value {
        0 => ".".into(),
        -1 => "#".into(),
        _ => value.to_string().into(),
    }
}
