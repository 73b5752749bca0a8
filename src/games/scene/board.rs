//! The board of a scene, and what the last turn left on it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use super::Meter;
use crate::games::grid::{Cell, CellContent, Direction};
use crate::games::seat::Seat;

/// The board, seen with row 0 on top.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Board {
    /// What the rows are called, from the top.
    pub row_labels: Vec<String>,
    /// What the columns are called, from the left.
    pub col_labels: Vec<String>,
    /// Which corner has the smallest coordinates: there the columns are named.
    pub origin: Origin,
    /// What each square is made of, row by row: null for nothing, `"#"` for what stays, a number for what can be shot
    /// away, a seat for its colour.
    pub ground: Vec<Vec<Ground>>,
    /// What lies there to be picked up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Placed>,
    /// Where it is safe to stand, where it is not safe everywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safe: Option<Area>,
    /// What will be left of it when it closes next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forecast: Option<Area>,
    /// The squares that are seen, where not all are; fog lies on the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sight: Option<Vec<Area>>,
    /// Who stands or lies on it.
    pub pieces: Vec<Piece>,
    /// What the last turn left to be seen.
    pub traces: Traces,
}

/// Which corner of the board has the smallest coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Origin {
    /// Rows count downward.
    TopLeft,
    /// Rows count upward.
    BottomLeft,
}

/// A square by row and column of the picture. In JSON `[row, col]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(into = "[usize; 2]")]
#[schemars(inline)]
pub struct Point {
    /// 0 is on top.
    pub row: usize,
    /// 0 is on the left.
    pub col: usize,
}

impl From<Point> for [usize; 2] {
    fn from(point: Point) -> [usize; 2] {
        [point.row, point.col]
    }
}

impl From<Cell> for Point {
    fn from(cell: Cell) -> Point {
        Point { row: cell.row.into(), col: cell.col.into() }
    }
}

/// One square of the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Square {
    /// What it is made of.
    pub ground: Ground,
    /// Whether it hurts to stand here.
    pub outside: bool,
    /// Whether it is out of sight.
    pub fog: bool,
    /// What lies there to be picked up.
    pub item: Option<Item>,
}

/// What a square is made of. In JSON null, `"#"`, a number, or a seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ground {
    /// Nothing: free to walk and shoot over.
    #[default]
    Empty,
    /// Something that stays.
    Wall,
    /// Something that can be shot away.
    Block {
        /// How much it still takes.
        hp: u16,
    },
    /// Somebody's colour.
    Owned {
        /// The seat that owns it.
        seat: Seat,
    },
}

impl From<CellContent> for Ground {
    fn from(content: CellContent) -> Ground {
        match content {
            CellContent::Empty => Ground::Empty,
            CellContent::Wall => Ground::Wall,
            CellContent::Owned(seat) => Ground::Owned { seat },
        }
    }
}

impl Serialize for Ground {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Ground::Empty => serializer.serialize_none(),
            Ground::Wall => serializer.serialize_str("#"),
            Ground::Block { hp } => serializer.serialize_u16(*hp),
            Ground::Owned { seat } => seat.serialize(serializer),
        }
    }
}

impl JsonSchema for Ground {
    fn schema_name() -> Cow<'static, str> {
        "Ground".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["string", "integer", "null"],
            "pattern": "^(#|[A-Z]+)$",
            "description": "null: nothing; \"#\": it stays; a number: it can be shot away; a seat: in its colour"
        })
    }

    fn inline_schema() -> bool {
        true
    }
}

/// Something to be picked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Item {
    /// Gives hit points.
    Health,
    /// Makes shots hurt more.
    Boost,
}

/// An item and where it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Placed {
    /// The square that it lies on.
    pub at: Point,
    /// What can be picked up.
    pub item: Item,
}

/// A rectangle of squares, its edges included. It is empty where the last comes before the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Area {
    /// The top left square.
    pub first: Point,
    /// The bottom right square.
    pub last: Point,
}

impl Area {
    /// Whether a square is in it.
    pub fn contains(self, at: Point) -> bool {
        (self.first.row..=self.last.row).contains(&at.row) && (self.first.col..=self.last.col).contains(&at.col)
    }
}

/// Somebody on the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Piece {
    /// The seat that plays it.
    pub seat: Seat,
    /// The square that it stands on.
    pub at: Point,
    /// Or only the body.
    pub alive: bool,
    /// Where it faces, where that matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facing: Option<Direction>,
    /// What it has left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meter: Option<Meter>,
    /// Whether it is to act; false for all where everybody acts at once.
    pub to_act: bool,
}

/// What turns left to be seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Traces {
    /// The lines that shots took.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub beams: Vec<Beam>,
    /// Who went from where to where.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepTrace>,
    /// What became of squares and those on them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<EffectMark>,
    /// Pieces that turned in place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub turned: Vec<Turned>,
}

impl Traces {
    /// How many there are of each kind.
    pub(super) fn len(&self) -> [usize; 4] {
        [self.beams.len(), self.steps.len(), self.marks.len(), self.turned.len()]
    }

    /// Dates those that came after a number of each kind.
    pub(super) fn date(&mut self, [beams, steps, marks, turned]: [usize; 4], beat: u32) {
        self.beams.iter_mut().skip(beams).for_each(|one| one.beat = beat);
        self.steps.iter_mut().skip(steps).for_each(|one| one.beat = beat);
        self.marks.iter_mut().skip(marks).for_each(|one| one.beat = beat);
        self.turned.iter_mut().skip(turned).for_each(|one| one.beat = beat);
    }

    /// Somebody went from one square to another.
    pub fn step(&mut self, seat: Seat, from: impl Into<Point>, to: impl Into<Point>) {
        self.steps.push(StepTrace { seat, from: from.into(), to: to.into(), beat: 0 });
    }

    /// A shot drew a straight line.
    pub fn beam(&mut self, seat: Seat, from: impl Into<Point>, to: impl Into<Point>, end: End) {
        self.beams.push(Beam { seat, from: from.into(), to: to.into(), end, beat: 0 });
    }

    /// Something became of a square or of who is on it.
    pub fn mark(&mut self, at: impl Into<Point>, effect: Effect) {
        self.marks.push(EffectMark { at: at.into(), effect, beat: 0 });
    }
}

/// A straight line that a shot drew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Beam {
    /// The seat that shot.
    pub seat: Seat,
    /// The square where it begins.
    pub from: Point,
    /// The last square that it reached, in line with the first.
    pub to: Point,
    /// How it ended.
    pub end: End,
    /// In which of the turns that are shown, from 0.
    pub beat: u32,
}

/// How a shot's line ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum End {
    /// In the middle of its last square.
    Spent,
    /// At the far side of its last square: at the edge of the board, or at what stands behind it.
    Through,
    /// At the near side of its last square, at the face of what fills it.
    Face,
}

/// Where somebody went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StepTrace {
    /// The seat that went.
    pub seat: Seat,
    /// The cell that it left.
    pub from: Point,
    /// The cell that it reached.
    pub to: Point,
    /// In which of the turns that are shown, from 0.
    pub beat: u32,
}

/// That somebody turned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Turned {
    /// The seat that turned.
    pub seat: Seat,
    /// Where it faces now.
    pub facing: Direction,
    /// In which of the turns that are shown, from 0.
    pub beat: u32,
}

/// What a turn did to a square or to who is on it. The later of these outweighs the earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Effect {
    /// It wanted to go and could not.
    Bounced,
    /// The ground hurt it.
    Scorched,
    /// A shield held.
    Blocked,
    /// A shot found its target.
    Hit,
    /// Somebody fell here.
    Killed,
}

/// An effect and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EffectMark {
    /// The square that it happened on.
    pub at: Point,
    /// What happened there.
    pub effect: Effect,
    /// In which of the turns that are shown, from 0.
    pub beat: u32,
}

impl Board {
    /// A board of empty squares with its rows and columns numbered.
    pub fn empty(rows: usize, cols: usize, origin: Origin) -> Board {
        let row_label = |row: usize| match origin {
            Origin::TopLeft => row.to_string(),
            Origin::BottomLeft => (rows - 1 - row).to_string(),
        };
        Board {
            row_labels: (0..rows).map(row_label).collect(),
            col_labels: (0..cols).map(|col| col.to_string()).collect(),
            origin,
            ground: vec![vec![Ground::Empty; cols]; rows],
            items: Vec::new(),
            safe: None,
            forecast: None,
            sight: None,
            pieces: Vec::new(),
            traces: Traces::default(),
        }
    }

    /// A board with this ground, row by row from the top; short rows are filled up with nothing.
    pub fn of(ground: impl IntoIterator<Item = Vec<Ground>>) -> Board {
        let mut ground: Vec<Vec<Ground>> = ground.into_iter().collect();
        let cols = ground.iter().map(Vec::len).max().unwrap_or(0);
        for row in &mut ground {
            row.resize(cols, Ground::Empty);
        }
        let empty = Board::empty(ground.len(), cols, Origin::TopLeft);
        Board { ground, ..empty }
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.row_labels.len()
    }

    /// How many columns.
    pub fn cols(&self) -> usize {
        self.col_labels.len()
    }

    /// The square there, if it is on the board.
    pub fn square(&self, at: Point) -> Option<Square> {
        let ground = *self.ground.get(at.row)?.get(at.col)?;
        let item = self.items.iter().find(|placed| placed.at == at).map(|placed| placed.item);
        let outside = self.safe.is_some_and(|safe| !safe.contains(at));
        Some(Square { ground, outside, fog: self.is_fog(at), item })
    }

    /// Whether a square is out of sight.
    pub(in crate::games) fn is_fog(&self, at: Point) -> bool {
        self.sight.as_ref().is_some_and(|sight| !sight.iter().any(|area| area.contains(at)))
    }

    /// The ground there, to be changed.
    pub(in crate::games) fn ground_mut(&mut self, at: Point) -> Option<&mut Ground> {
        self.ground.get_mut(at.row)?.get_mut(at.col)
    }

    /// All squares with their places.
    pub fn iter(&self) -> impl Iterator<Item = (Point, Square)> {
        let points = (0..self.rows()).flat_map(|row| (0..self.cols()).map(move |col| Point { row, col }));
        points.filter_map(|at| Some((at, self.square(at)?)))
    }

    /// Who is to be seen on a square: the living before the dead.
    pub fn piece(&self, at: Point) -> Option<&Piece> {
        let here = || self.pieces.iter().filter(|piece| piece.at == at);
        here().find(|piece| piece.alive).or_else(|| here().next())
    }

    /// A seat's living piece.
    pub(in crate::games) fn piece_of(&self, seat: Seat) -> Option<&Piece> {
        self.pieces.iter().find(|piece| piece.alive && piece.seat == seat)
    }

    /// The weightiest of the effects on a square.
    pub fn effect(&self, at: Point) -> Option<Effect> {
        self.traces.marks.iter().filter(|mark| mark.at == at).map(|mark| mark.effect).max()
    }

    /// The squares from here to the edge, the nearest first.
    pub fn ray(&self, from: Point, direction: Direction) -> Vec<Point> {
        let (down, right) = direction.offset();
        let next = |at: &Point| {
            let row = at.row.checked_add_signed(down.into())?;
            let col = at.col.checked_add_signed(right.into())?;
            (row < self.rows() && col < self.cols()).then_some(Point { row, col })
        };
        std::iter::successors(next(&from), next).collect()
    }
}
