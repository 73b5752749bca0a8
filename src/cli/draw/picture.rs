//! What there is to see, before anybody says on what it is shown.

use super::text::clean;
use super::words::Language;
use crate::games::cowboy::Direction;
use crate::games::seat::Seat;

/// A position drawn for people. All text in it is safe to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// What is played: the name of the ruleset.
    pub title: String,
    /// How far it is: round, turn, tick, zone.
    pub status: Vec<String>,
    /// The board itself.
    pub board: Board,
    /// Everybody at the table, in seat order.
    pub players: Vec<Standing>,
    /// How the board is divided, where that is what counts; the rest belongs to nobody.
    pub shares: Option<Shares>,
    /// Who won and why, once it is over.
    pub result: Option<String>,
    /// What happened, was said and was thought.
    pub notes: Vec<Note>,
    /// The language of the labels.
    pub language: Language,
}

/// The board, seen with row 0 on top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// How many columns.
    pub cols: usize,
    /// Row after row, all as long as there are columns.
    pub squares: Vec<Square>,
    /// What the rows are called.
    pub row_labels: Vec<String>,
    /// What the columns are called.
    pub col_labels: Vec<String>,
    /// Where the column names stand: next to row 0 as the game counts its rows.
    pub origin: Origin,
    /// Who stands or lies on it.
    pub pieces: Vec<Piece>,
    /// The last turn's shots.
    pub trails: Vec<Trail>,
    /// The last turn's steps.
    pub steps: Vec<Step>,
    /// What the last turn did to squares and those on them.
    pub marks: Vec<Mark>,
}

/// Which corner of the board has the smallest coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Rows count downward.
    TopLeft,
    /// Rows count upward.
    BottomLeft,
}

/// A square by row and column of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// 0 is on top.
    pub row: usize,
    /// 0 is on the left.
    pub col: usize,
}

/// One square of the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Square {
    /// What it is made of.
    pub ground: Ground,
    /// Whether it hurts to stand here.
    pub outside: bool,
    /// What lies there to be picked up.
    pub item: Option<Item>,
}

/// What a square is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ground {
    /// Nothing.
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
    Paint {
        /// Whose.
        seat: Seat,
    },
}

/// Something to be picked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// Gives hit points.
    Health,
    /// Makes shots hurt more.
    Boost,
}

/// Somebody on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Who.
    pub seat: Seat,
    /// Where.
    pub at: Point,
    /// Or only the body.
    pub alive: bool,
    /// What is shown beside the letter.
    pub badge: Badge,
    /// Whether it is to act.
    pub to_act: bool,
}

/// What is shown beside a piece's letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Badge {
    /// Nothing.
    None,
    /// Where the shield faces.
    Shield(Direction),
    /// Hit points left, of so many.
    Pips {
        /// Left.
        hp: u16,
        /// At the start.
        of: u16,
    },
}

/// A straight line that a shot drew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trail {
    /// Whose shot.
    pub seat: Seat,
    /// The square where it begins.
    pub from: Point,
    /// The last square that it reached, in line with the first.
    pub to: Point,
    /// How it ended.
    pub end: End,
}

/// How a shot's line ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// In the middle of its last square.
    Spent,
    /// At the far side of its last square: at the edge of the board, or at what stands behind it.
    Through,
    /// At the near side of its last square, at the face of what fills it.
    Face,
}

/// Where somebody went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Who.
    pub seat: Seat,
    /// From here.
    pub from: Point,
    /// To here.
    pub to: Point,
}

/// What the last turn did to a square or to who is on it. The later of these outweighs the earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Where.
    pub at: Point,
    /// What.
    pub effect: Effect,
}

/// How somebody at the table is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Whose seat.
    pub seat: Seat,
    /// Who sits there.
    pub name: String,
    /// Whether it is to act.
    pub to_act: bool,
    /// Whether it still plays.
    pub alive: bool,
    /// Hit points or score.
    pub bar: Bar,
    /// Where the shield faces.
    pub shield: Option<Direction>,
    /// More about it, in short words.
    pub facts: Vec<String>,
    /// Its place, once settled.
    pub place: Option<String>,
}

/// An amount of so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// How much there is.
    pub value: u32,
    /// A full bar.
    pub of: u32,
}

impl Bar {
    /// How many of `steps` are filled: none only at zero, all only when full.
    pub(super) fn filled(self, steps: usize) -> usize {
        let (value, of) = (self.value.min(self.of) as usize, self.of.max(1) as usize);
        if value == 0 || value == of {
            return if value == 0 { 0 } else { steps };
        }
        ((value * steps + of / 2) / of).clamp(1, steps.saturating_sub(1).max(1))
    }
}

/// How the board is divided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shares {
    /// How much each seat has.
    pub seats: Vec<(Seat, u32)>,
    /// How much there is to have.
    pub of: u32,
}

/// A line of text beside the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Who it is about or from.
    pub seat: Option<Seat>,
    /// What sort of text it is.
    pub voice: Voice,
    /// The text, on one line and harmless.
    text: String,
}

/// Who speaks in a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// We do: what happened.
    Narrator,
    /// A player, to the others.
    Speech,
    /// A player, to the spectators.
    Thought,
}

impl Note {
    /// What happened.
    pub fn told(text: &str) -> Note {
        Note { seat: None, voice: Voice::Narrator, text: clean(text) }
    }

    /// What a player said to the others.
    pub fn said(seat: Seat, text: &str) -> Note {
        Note { seat: Some(seat), voice: Voice::Speech, text: clean(text) }
    }

    /// What a player wants spectators to know.
    pub fn thought(seat: Seat, text: &str) -> Note {
        Note { seat: Some(seat), voice: Voice::Thought, text: clean(text) }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Board {
    /// A board of empty squares with its rows and columns numbered.
    pub(super) fn empty(rows: usize, cols: usize, origin: Origin) -> Board {
        let row_label = |row: usize| match origin {
            Origin::TopLeft => row.to_string(),
            Origin::BottomLeft => (rows - 1 - row).to_string(),
        };
        Board {
            cols,
            squares: vec![Square::default(); rows * cols],
            row_labels: (0..rows).map(row_label).collect(),
            col_labels: (0..cols).map(|col| col.to_string()).collect(),
            origin,
            pieces: Vec::new(),
            trails: Vec::new(),
            steps: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.row_labels.len()
    }

    /// The square there, if it is on the board.
    pub fn square(&self, at: Point) -> Option<Square> {
        if at.col < self.cols { self.squares.get(at.row * self.cols + at.col).copied() } else { None }
    }

    /// The same, to draw on it.
    pub(super) fn square_mut(&mut self, at: Point) -> Option<&mut Square> {
        if at.col < self.cols { self.squares.get_mut(at.row * self.cols + at.col) } else { None }
    }

    /// All squares with their places.
    pub fn iter(&self) -> impl Iterator<Item = (Point, &Square)> {
        self.squares.iter().enumerate().map(|(at, square)| (Point { row: at / self.cols, col: at % self.cols }, square))
    }

    /// Who is to be seen on a square: the living before the dead.
    pub fn piece(&self, at: Point) -> Option<&Piece> {
        let here = || self.pieces.iter().filter(|piece| piece.at == at);
        here().find(|piece| piece.alive).or_else(|| here().next())
    }

    /// The weightiest of the effects on a square.
    pub fn effect(&self, at: Point) -> Option<Effect> {
        self.marks.iter().filter(|mark| mark.at == at).map(|mark| mark.effect).max()
    }
}
