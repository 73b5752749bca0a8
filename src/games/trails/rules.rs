//! What can differ from one Trails ruleset to another.

use serde_json::{Map as JsonMap, Value as Json, json};

use super::MAX_SEATS;
use super::action::Direction;
use super::state::Cell;
use crate::games::game::GameRules;
use crate::games::library::{self, BuiltinFile};
use crate::games::map::{self, Drawing, MAX_SIDE, ReadFile};
use crate::games::seat::Seat;
use crate::games::speech::Speech;
use crate::settings::fields::Reader;

/// No side of a board is shorter than this: four would not find a start.
pub(super) const MIN_SIDE: usize = 5;

/// The checked rules of a Trails ruleset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The board: where its walls are.
    pub map: Drawing<bool>,
    /// The match ends after so many turns.
    pub max_turns: u32,
}

impl Rules {
    /// The legend of the maps.
    pub(in crate::games) const LEGEND: &str = "`.` is empty, `#` a wall";

    /// Where each seat starts and which way it faces: one cell in from the middle of its side, inward.
    pub fn starts(&self) -> [(Cell, Direction); MAX_SEATS] {
        let narrow = |side| u8::try_from(side).expect("a board has at most 64 rows and columns");
        let (rows, cols) = (narrow(self.map.rows), narrow(self.map.cols));
        [
            (Cell { row: 1, col: cols / 2 }, Direction::Down),
            (Cell { row: rows - 2, col: cols / 2 }, Direction::Up),
            (Cell { row: rows / 2, col: 1 }, Direction::Right),
            (Cell { row: rows / 2, col: cols - 2 }, Direction::Left),
        ]
    }
}

impl GameRules for Rules {
    const RULESETS: &'static [BuiltinFile] = &[("trails", include_str!("../../../rulesets/trails.toml"))];
    const MAPS: &'static [BuiltinFile] = &[("pinwheel", include_str!("../../../rulesets/maps/pinwheel.txt"))];

    fn read(reader: &mut Reader, _: Speech, read_file: ReadFile<'_>) -> Option<Rules> {
        let max_turns: u32 = reader.int("max_turns", 0..=100_000);
        let map_place = reader.place("map");
        let drawn = map::read(reader, ["rows", "cols"], false, legend, Rules::LEGEND, library::map, read_file)?;
        let Drawing { rows, cols, .. } = drawn.drawing;
        if rows.min(cols) < MIN_SIDE {
            let problem = format!(
                "the board is {rows} × {cols}; this game needs {MIN_SIDE} to {MAX_SIDE} rows and as many columns"
            );
            reader.problem(&map_place, problem);
            return None;
        }
        // 0 stands for «as many as there are cells».
        let cells = u32::try_from(rows * cols).expect("a board has at most 64 × 64 cells");
        let rules = Rules { map: drawn.drawing, max_turns: if max_turns == 0 { cells } else { max_turns } };
        for (seat, (at, _)) in Seat::first(MAX_SEATS).zip(rules.starts()) {
            let (row, col) = (usize::from(at.row), usize::from(at.col));
            if *rules.map.at(row, col) {
                reader.problem(&drawn.places[row * cols + col], format!("a wall on {at}, where {seat} starts"));
            }
        }
        Some(rules)
    }

    fn write(&self, fields: &mut JsonMap<String, Json>) {
        fields.insert("max_turns".into(), json!(self.max_turns));
        fields.insert("rows".into(), json!(self.map.rows));
        fields.insert("cols".into(), json!(self.map.cols));
        fields.insert("map".into(), json!(self.map.lines(|&wall| if wall { "#" } else { "." }.into())));
    }

    fn capacity(&self) -> usize {
        MAX_SEATS
    }
}

fn legend(word: &str) -> Option<bool> {
    match word {
        "." | "_" | "0" => Some(false),
        "#" => Some(true),
        _ => None,
    }
}
