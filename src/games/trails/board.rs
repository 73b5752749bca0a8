//! The board as a position keeps it.

use super::Position;
use super::action::Direction;
use super::state::Cell;
use crate::games::grid::{CellContent, Framed, Spot};
use crate::games::seat::Seat;

/// Boards up to 13 × 13 need no allocation, the margin included.
pub(super) const INLINE: usize = 15 * 15;

/// A byte a cell.
pub(super) type Board = Framed<Ground, INLINE>;

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
    fn content(self) -> CellContent {
        match self.rider() {
            Some(seat) => CellContent::Owned(seat),
            None if self == Ground::EMPTY => CellContent::Empty,
            None => CellContent::Wall,
        }
    }

    /// The byte, for digests.
    pub(super) fn byte(self) -> u8 {
        self.0
    }
}

impl From<CellContent> for Ground {
    fn from(content: CellContent) -> Ground {
        match content {
            CellContent::Empty => Ground::EMPTY,
            CellContent::Wall => Ground::WALL,
            CellContent::Owned(seat) => Ground::trail(seat),
        }
    }
}

impl Board {
    /// A board of cells in row order; the caller vouches for their number.
    pub(super) fn of(rows: usize, cols: usize, contents: impl IntoIterator<Item = CellContent>) -> Board {
        Board::new(rows, cols, Ground::OUTSIDE, contents.into_iter().map(Ground::from))
    }

    /// The next place this way; from a cell never beyond the margin.
    #[inline]
    pub(super) fn step(&self, from: Spot, direction: Direction) -> Spot {
        let stride = self.stride();
        // Arithmetic instead of branches: in a search no direction can be foreseen.
        from.plus([stride.wrapping_neg(), stride, 1_u16.wrapping_neg(), 1][direction as usize])
    }

    /// Lays a seat's trail.
    #[inline]
    pub(super) fn lay(&mut self, spot: Spot, seat: Seat) {
        self[spot] = Ground::trail(seat);
    }

    /// What others see, row after row.
    pub(super) fn contents(&self) -> Vec<Vec<CellContent>> {
        self.rows().map(|row| row.iter().map(|ground| ground.content()).collect()).collect()
    }
}

/// Looking at the board.
impl Position {
    /// How many rows and columns there are.
    pub fn size(&self) -> (u8, u8) {
        self.board.size()
    }

    /// What a cell of the board is.
    pub fn content(&self, at: Cell) -> CellContent {
        self.board[self.board.spot(at)].content()
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
