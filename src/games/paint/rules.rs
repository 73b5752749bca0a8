//! What can differ from one Paint ruleset to another.

use std::borrow::Cow;

use serde_json::{Map as JsonMap, Value as Json, json};

use super::state::{CellContent, Square};
use crate::games::game::GameRules;
use crate::games::library::{self, BuiltinFile};
use crate::games::map::{self, Drawing, Drawn, MAX_SIDE, ReadFile};
use crate::games::seat::Seat;
use crate::games::speech::Speech;
use crate::settings::fields::Reader;

// Every square of the largest board has a seat.
const _: () = assert!(MAX_SIDE * MAX_SIDE <= Seat::MAX);

/// The checked rules of a Paint ruleset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The board. A painted square is where that seat starts.
    pub map: Drawing<CellContent>,
    /// The match ends after so many turns.
    pub turns: u32,
}

impl Rules {
    /// The legend of the maps.
    pub(in crate::games) const LEGEND: &str =
        "`.` is neutral, `#` an obstacle, `A` to `Z` the square where that seat starts";

    /// The start squares of the first `seats` seats, or of as many as there are squares for.
    ///
    /// A seat that the map names starts on its letter. Each other one starts on the free square whose smallest squared
    /// distance to those before it is the largest; ties, and the very first seat, go in row order.
    pub fn starts(&self, seats: usize) -> Vec<Square> {
        let seats = seats.min(self.capacity());
        let letters = letters(&self.map);
        // The squared distance to the nearest start so far; nobody starts on an obstacle.
        let free = |content: &CellContent| if *content == CellContent::Wall { 0 } else { u16::MAX };
        let mut room: Vec<u16> = self.map.cells.iter().map(free).collect();
        let mut starts = Vec::with_capacity(seats);
        for seat in 0..seats {
            let at = letters.get(seat).map_or_else(|| farthest(&room), |&(_, at)| at);
            let start = Square { row: narrow(at / self.map.cols), col: narrow(at % self.map.cols) };
            for (row, line) in (0_u16..).zip(room.chunks_mut(self.map.cols)) {
                let down = row.abs_diff(u16::from(start.row)).pow(2);
                for (col, room) in (0_u16..).zip(line) {
                    *room = (*room).min(down + col.abs_diff(u16::from(start.col)).pow(2));
                }
            }
            starts.push(start);
        }
        starts
    }
}

impl GameRules for Rules {
    const RULESETS: &'static [BuiltinFile] = &[("paint", include_str!("../../../rulesets/paint.toml"))];
    const MAPS: &'static [BuiltinFile] = &[
        ("garden", include_str!("../../../rulesets/maps/garden.txt")),
        ("courtyard", include_str!("../../../rulesets/maps/courtyard.txt")),
    ];

    fn read(reader: &mut Reader, _: Speech, read_file: ReadFile<'_>) -> Option<Rules> {
        let turns = reader.int("turns", 1..=100_000);
        let drawn =
            map::read(reader, ["rows", "cols"], CellContent::Empty, legend, Rules::LEGEND, library::map, read_file)?;
        check_letters(reader, &drawn);
        Some(Rules { map: drawn.drawing, turns })
    }

    fn write(&self, fields: &mut JsonMap<String, Json>) {
        fields.insert("turns".into(), json!(self.turns));
        fields.insert("rows".into(), json!(self.map.rows));
        fields.insert("cols".into(), json!(self.map.cols));
        fields.insert("map".into(), json!(self.map.lines(|&content| write_square(content))));
    }

    fn capacity(&self) -> usize {
        self.map.cells.iter().filter(|content| **content != CellContent::Wall).count()
    }
}

/// The first of the squares with the most room.
fn farthest(room: &[u16]) -> usize {
    let most = room.iter().max().expect("a board has squares");
    room.iter().position(|room| room == most).expect("the largest is one of them")
}

/// The seats that the map names and where, in seat order.
fn letters(map: &Drawing<CellContent>) -> Vec<(Seat, usize)> {
    let named = map.cells.iter().enumerate().filter_map(|(at, content)| match content {
        CellContent::Owned(seat) => Some((*seat, at)),
        CellContent::Empty | CellContent::Wall => None,
    });
    let mut letters: Vec<_> = named.collect();
    letters.sort_unstable();
    letters
}

/// Letters begin with A, leave none out and stand once each.
fn check_letters(reader: &mut Reader, drawn: &Drawn<CellContent>) {
    let mut wanted = 0;
    for (seat, at) in letters(&drawn.drawing) {
        let place = &drawn.places[at];
        if seat.index() < wanted {
            reader.problem(place, format!("{seat} starts on another square already"));
            continue;
        }
        if seat.index() > wanted {
            let missing = Seat::new(wanted);
            let message =
                format!("{seat} has a start square, but {missing} has none; name them from A on, none left out");
            reader.problem(place, message);
        }
        wanted = seat.index() + 1;
    }
}

fn narrow(side: usize) -> u8 {
    u8::try_from(side).expect("a board has at most 64 rows and columns")
}

fn legend(word: &str) -> Option<CellContent> {
    match *word.as_bytes() {
        [b'.' | b'_'] => Some(CellContent::Empty),
        [b'#'] => Some(CellContent::Wall),
        [letter @ b'A'..=b'Z'] => Some(CellContent::Owned(Seat::new(usize::from(letter - b'A')))),
        _ => None,
    }
}

fn write_square(content: CellContent) -> Cow<'static, str> {
    match content {
        CellContent::Empty => ".".into(),
        CellContent::Wall => "#".into(),
        CellContent::Owned(seat) => seat.to_string().into(),
    }
}
