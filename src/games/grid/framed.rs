//! A board as a position keeps it: its cells with a margin all around.

use std::ops::{Index, IndexMut};

use smallvec::{SmallVec, smallvec};

use super::Cell;

/// Rows of cells. The margin stands for all that is off the board, so that a step from a cell always leads somewhere.
/// Boards of up to `INLINE` places, the margin included, need no allocation.
#[derive(PartialEq, Eq, Debug)]
pub(in crate::games) struct Framed<T, const INLINE: usize> {
    places: SmallVec<[T; INLINE]>,
    rows: u8,
    cols: u8,
}

/// A place on a board or its margin, as an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::games) struct Spot(u16);

impl Spot {
    /// A corner of the margin: where whoever is not on the board is.
    pub(in crate::games) const NOWHERE: Spot = Spot(0);

    #[inline]
    pub(in crate::games) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The place that a step leads to.
    #[inline]
    pub(in crate::games) fn plus(self, step: u16) -> Spot {
        Spot(self.0.wrapping_add(step))
    }

    /// The place that a step led here from.
    #[inline]
    pub(in crate::games) fn minus(self, step: u16) -> Spot {
        Spot(self.0.wrapping_sub(step))
    }
}

impl<T: Copy, const INLINE: usize> Clone for Framed<T, INLINE> {
    /// In one go; what is derived would copy cell by cell, which a search would feel.
    #[inline]
    fn clone(&self) -> Framed<T, INLINE> {
        Framed { places: SmallVec::from_slice(&self.places), ..*self }
    }
}

impl<T: Copy, const INLINE: usize> Framed<T, INLINE> {
    /// A board of cells in row order, whose number the caller vouches for, with this around it.
    pub(in crate::games) fn new(
        rows: usize,
        cols: usize,
        outside: T,
        cells: impl IntoIterator<Item = T>,
    ) -> Framed<T, INLINE> {
        let places = smallvec![outside; (rows + 2) * (cols + 2)];
        let mut board = Framed { places, rows: narrow(rows), cols: narrow(cols) };
        let mut cells = cells.into_iter();
        for row in 1..=rows {
            let start = row * (cols + 2) + 1;
            for (place, cell) in board.places[start..start + cols].iter_mut().zip(cells.by_ref()) {
                *place = cell;
            }
        }
        board
    }

    /// How many rows and columns there are.
    #[inline]
    pub(in crate::games) fn size(&self) -> (u8, u8) {
        (self.rows, self.cols)
    }

    /// Where a cell is.
    #[inline]
    pub(in crate::games) fn spot(&self, cell: Cell) -> Spot {
        Spot((u16::from(cell.row) + 1) * self.stride() + u16::from(cell.col) + 1)
    }

    /// The cell at a spot that is not on the margin.
    pub(in crate::games) fn cell(&self, spot: Spot) -> Cell {
        let [row, col] = [spot.0 / self.stride(), spot.0 % self.stride()].map(|side| narrow(usize::from(side) - 1));
        Cell { row, col }
    }

    /// All places, by their spots.
    #[inline]
    pub(in crate::games) fn places(&self) -> &[T] {
        &self.places
    }

    /// All places, by their spots, to be changed.
    #[inline]
    pub(in crate::games) fn places_mut(&mut self) -> &mut [T] {
        &mut self.places
    }

    /// The cells without the margin, row after row.
    pub(in crate::games) fn rows(&self) -> impl Iterator<Item = &[T]> {
        let cols = usize::from(self.cols);
        self.places.chunks(cols + 2).skip(1).take(usize::from(self.rows)).map(move |row| &row[1..=cols])
    }

    /// What a step down adds to a place.
    #[inline]
    pub(in crate::games) fn stride(&self) -> u16 {
        u16::from(self.cols) + 2
    }
}

impl<T, const INLINE: usize> Index<Spot> for Framed<T, INLINE> {
    type Output = T;

    #[inline]
    fn index(&self, spot: Spot) -> &T {
        &self.places[spot.index()]
    }
}

impl<T, const INLINE: usize> IndexMut<Spot> for Framed<T, INLINE> {
    #[inline]
    fn index_mut(&mut self, spot: Spot) -> &mut T {
        &mut self.places[spot.index()]
    }
}

fn narrow(side: usize) -> u8 {
    u8::try_from(side).expect("a board has at most 64 rows and columns")
}
