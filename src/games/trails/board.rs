//! The board as a position keeps it: a byte a cell, with a margin all around.

use smallvec::{SmallVec, smallvec};

use super::Position;
use super::action::Direction;
use super::state::{Cell, Content};
use crate::games::seat::Seat;

/// Boards up to 13 × 13 need no allocation, the margin included.
pub(super) const INLINE: usize = 15 * 15;

/// Rows of cells. The margin stands for all that is off the board, so that a step from a cell always leads somewhere.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Board {
    grounds: SmallVec<[Ground; INLINE]>,
    rows: u8,
    cols: u8,
}

/// A place on the board or its margin, as an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Spot(u16);

/// What a place is, in a byte: one of the three constants, or a seat's trail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ground(u8);

impl Ground {
    pub(super) const EMPTY: Ground = Ground(0);
    pub(super) const WALL: Ground = Ground(1);
    pub(super) const OUTSIDE: Ground = Ground(2);
    const FIRST_TRAIL: u8 = 3;

    /// The trail of a seat of this game, which are few.
    #[inline]
    pub(super) const fn trail(seat: Seat) -> Ground {
        #[expect(clippy::cast_possible_truncation, reason = "a table of this game has four seats")]
        Ground(Ground::FIRST_TRAIL + seat.index() as u8)
    }

    /// Whose trail it is.
    pub(super) fn rider(self) -> Option<Seat> {
        self.0.checked_sub(Ground::FIRST_TRAIL).map(|index| Seat::new(index.into()))
    }

    /// What others see of a cell; the margin is nothing that anybody sees.
    fn content(self) -> Content {
        match self.rider() {
            Some(seat) => Content::Trail(seat),
            None if self == Ground::EMPTY => Content::Empty,
            None => Content::Wall,
        }
    }

    /// The byte, for digests.
    pub(super) fn byte(self) -> u8 {
        self.0
    }
}

impl From<Content> for Ground {
    fn from(content: Content) -> Ground {
        match content {
            Content::Empty => Ground::EMPTY,
            Content::Wall => Ground::WALL,
            Content::Trail(seat) => Ground::trail(seat),
        }
    }
}

impl Spot {
    /// Where whoever has no rider is.
    pub(super) const NOWHERE: Spot = Spot(0);

    #[inline]
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl Clone for Board {
    /// In one go; what is derived would copy cell by cell, which a search would feel.
    #[inline]
    fn clone(&self) -> Board {
        Board { grounds: SmallVec::from_slice(&self.grounds), ..*self }
    }
}

impl Board {
    /// A board of cells in row order; the caller vouches for their number.
    pub(super) fn new(rows: usize, cols: usize, contents: impl IntoIterator<Item = Content>) -> Board {
        let narrow = |side| u8::try_from(side).expect("a board has at most 64 rows and columns");
        let mut board = Board {
            grounds: smallvec![Ground::OUTSIDE; (rows + 2) * (cols + 2)],
            rows: narrow(rows),
            cols: narrow(cols),
        };
        let mut contents = contents.into_iter();
        for row in 1..=rows {
            let start = row * (cols + 2) + 1;
            for (ground, content) in board.grounds[start..start + cols].iter_mut().zip(contents.by_ref()) {
                *ground = content.into();
            }
        }
        board
    }

    pub(super) fn size(&self) -> (u8, u8) {
        (self.rows, self.cols)
    }

    /// How many places there are, those of the margin included.
    pub(super) fn places(&self) -> usize {
        self.grounds.len()
    }

    pub(super) fn spot(&self, cell: Cell) -> Spot {
        Spot((u16::from(cell.row) + 1) * self.stride() + u16::from(cell.col) + 1)
    }

    /// The cell at a spot that is not on the margin.
    pub(super) fn cell(&self, spot: Spot) -> Cell {
        let narrow = |side| u8::try_from(side).expect("a board has at most 64 rows and columns");
        Cell { row: narrow(spot.0 / self.stride() - 1), col: narrow(spot.0 % self.stride() - 1) }
    }

    /// The next place this way; from a cell never beyond the margin.
    #[inline]
    pub(super) fn step(&self, from: Spot, direction: Direction) -> Spot {
        let stride = self.stride();
        // Arithmetic instead of branches: in a search no direction can be foreseen.
        Spot(from.0.wrapping_add([stride.wrapping_neg(), stride, 1_u16.wrapping_neg(), 1][direction as usize]))
    }

    #[inline]
    pub(super) fn ground(&self, spot: Spot) -> Ground {
        self.grounds[spot.index()]
    }

    /// Lays a seat's trail.
    #[inline]
    pub(super) fn lay(&mut self, spot: Spot, seat: Seat) {
        self.grounds[spot.index()] = Ground::trail(seat);
    }

    /// The cells without the margin, row after row.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[Ground]> {
        let cols = usize::from(self.cols);
        self.grounds.chunks(cols + 2).skip(1).take(usize::from(self.rows)).map(move |row| &row[1..=cols])
    }

    /// What others see, row after row.
    pub(super) fn contents(&self) -> Vec<Vec<Content>> {
        self.rows().map(|row| row.iter().map(|ground| ground.content()).collect()).collect()
    }

    #[inline]
    fn stride(&self) -> u16 {
        u16::from(self.cols) + 2
    }
}

/// Looking at the board.
impl Position {
    /// How many rows and columns there are.
    pub fn size(&self) -> (u8, u8) {
        self.board.size()
    }

    /// What a cell of the board is.
    pub fn content(&self, at: Cell) -> Content {
        self.board.ground(self.board.spot(at)).content()
    }

    /// Where a seat's rider is, or fell.
    pub fn at(&self, seat: Seat) -> Cell {
        self.board.cell(self.riders[seat.index()].at)
    }

    /// Which way a seat's rider faces.
    pub fn facing(&self, seat: Seat) -> Direction {
        self.riders[seat.index()].facing
    }

    /// Whether a seat still rides.
    pub fn rides(&self, seat: Seat) -> bool {
        self.riding >> seat.index() & 1 == 1
    }

    /// A seat's place, once settled.
    pub fn placed(&self, seat: Seat) -> Option<u32> {
        Some(u32::from(self.riders[seat.index()].place)).filter(|&place| place > 0)
    }

    /// Turns still to play.
    pub fn turns_left(&self) -> u32 {
        self.turns_left
    }
}
