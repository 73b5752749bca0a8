//! The board as a position keeps it: two bytes a square, with a margin all around.

use smallvec::{SmallVec, smallvec};

use super::Position;
use super::action::Direction;
use super::state::{Square, Surface};
use crate::games::seat::Seat;

/// Boards up to 10 × 10 need no allocation, the margin included.
const INLINE: usize = 12 * 12;

/// Rows of squares. The margin stands for all that is off the board, so that a step from a square always leads
/// somewhere.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Board {
    grounds: SmallVec<[Ground; INLINE]>,
    rows: u8,
    cols: u8,
}

/// A place on the board or its margin, as an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Spot(u16);

/// What a place is, in two bytes: a seat's colour, or one of the three constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ground(u16);

#[expect(clippy::cast_possible_truncation, reason = "seats are at most 4096")]
impl Ground {
    pub(super) const NEUTRAL: Ground = Ground(Seat::MAX as u16);
    pub(super) const OBSTACLE: Ground = Ground(Seat::MAX as u16 + 1);
    pub(super) const OUTSIDE: Ground = Ground(Seat::MAX as u16 + 2);

    #[inline]
    pub(super) const fn of(seat: Seat) -> Ground {
        Ground(seat.index() as u16)
    }

    /// Whose colour it has.
    #[inline]
    pub(super) fn painter(self) -> Option<Seat> {
        (self.0 < Ground::NEUTRAL.0).then(|| Seat::new(usize::from(self.0)))
    }

    /// Whether an avatar can stand here.
    #[inline]
    pub(super) fn is_free(self) -> bool {
        self.0 <= Ground::NEUTRAL.0
    }

    /// What others see of a square; the margin is nothing that anybody sees.
    pub(super) fn surface(self) -> Surface {
        match self.painter() {
            Some(seat) => Surface::Painted(seat),
            None if self == Ground::NEUTRAL => Surface::Neutral,
            None => Surface::Obstacle,
        }
    }

    /// The two bytes, for digests.
    pub(super) fn bytes(self) -> [u8; 2] {
        self.0.to_le_bytes()
    }
}

impl From<Surface> for Ground {
    #[inline]
    fn from(surface: Surface) -> Ground {
        match surface {
            Surface::Neutral => Ground::NEUTRAL,
            Surface::Obstacle => Ground::OBSTACLE,
            Surface::Painted(seat) => Ground::of(seat),
        }
    }
}

/// Counts what is on the places of one board: nothing, one, or several.
pub(super) struct Tally(SmallVec<[Count; INLINE.div_ceil(64)]>);

/// A bit for each of 64 places.
#[derive(Clone, Copy, Default)]
struct Count {
    any: u64,
    several: u64,
}

impl Tally {
    #[inline]
    pub(super) fn add(&mut self, spot: Spot) {
        let (word, bit) = spot.word_and_bit();
        let count = &mut self.0[word];
        count.several |= count.any & bit;
        count.any |= bit;
    }

    #[inline]
    pub(super) fn any(&self, spot: Spot) -> bool {
        let (word, bit) = spot.word_and_bit();
        self.0[word].any & bit != 0
    }

    #[inline]
    pub(super) fn several(&self, spot: Spot) -> bool {
        let (word, bit) = spot.word_and_bit();
        self.0[word].several & bit != 0
    }

    /// Whether no place has several.
    #[inline]
    pub(super) fn all_apart(&self) -> bool {
        self.0.iter().all(|count| count.several == 0)
    }
}

/// Who has come to the places of one board, one seat to each at most.
pub(super) struct Visitors(SmallVec<[Ground; INLINE]>);

impl Visitors {
    pub(super) fn put(&mut self, spot: Spot, seat: Seat) {
        self.0[spot.index()] = Ground::of(seat);
    }

    pub(super) fn take(&mut self, spot: Spot) -> Option<Seat> {
        std::mem::replace(&mut self.0[spot.index()], Ground::NEUTRAL).painter()
    }
}

impl Spot {
    #[inline]
    fn index(self) -> usize {
        usize::from(self.0)
    }

    #[inline]
    fn word_and_bit(self) -> (usize, u64) {
        (self.index() / 64, 1 << (self.index() % 64))
    }
}

impl Clone for Board {
    /// In one go; what is derived would copy square by square, which a search would feel.
    #[inline]
    fn clone(&self) -> Board {
        Board { grounds: SmallVec::from_slice(&self.grounds), ..*self }
    }
}

impl Board {
    /// A board of squares in row order; the caller vouches for their number.
    pub(super) fn new(rows: usize, cols: usize, surfaces: impl IntoIterator<Item = Surface>) -> Board {
        let narrow = |side| u8::try_from(side).expect("a board has at most 64 rows and columns");
        let mut board = Board {
            grounds: smallvec![Ground::OUTSIDE; (rows + 2) * (cols + 2)],
            rows: narrow(rows),
            cols: narrow(cols),
        };
        let mut surfaces = surfaces.into_iter();
        for row in 1..=rows {
            let start = row * (cols + 2) + 1;
            for (ground, surface) in board.grounds[start..start + cols].iter_mut().zip(surfaces.by_ref()) {
                *ground = surface.into();
            }
        }
        board
    }

    #[inline]
    pub(super) fn size(&self) -> (u8, u8) {
        (self.rows, self.cols)
    }

    /// Counts things on this board; none yet.
    #[inline]
    pub(super) fn tally(&self) -> Tally {
        Tally(smallvec![Count::default(); self.grounds.len().div_ceil(64)])
    }

    /// Nobody has come to any place yet.
    pub(super) fn visitors(&self) -> Visitors {
        Visitors(smallvec![Ground::NEUTRAL; self.grounds.len()])
    }

    #[inline]
    pub(super) fn spot(&self, square: Square) -> Spot {
        Spot((u16::from(square.row) + 1) * self.stride() + u16::from(square.col) + 1)
    }

    /// The square at a spot that is not on the margin.
    pub(super) fn square(&self, spot: Spot) -> Square {
        let narrow = |side| u8::try_from(side).expect("a board has at most 64 rows and columns");
        Square { row: narrow(spot.0 / self.stride() - 1), col: narrow(spot.0 % self.stride() - 1) }
    }

    /// The next place this way; from a square never beyond the margin.
    #[inline]
    pub(super) fn step(&self, from: Spot, direction: Direction) -> Spot {
        let (down, right) = direction.offset();
        let stride = i16::from(self.cols) + 2;
        Spot(from.0.wrapping_add_signed(i16::from(down) * stride + i16::from(right)))
    }

    #[inline]
    pub(super) fn ground(&self, spot: Spot) -> Ground {
        self.grounds[spot.index()]
    }

    /// Paints a place and tells what it was.
    #[inline]
    pub(super) fn paint(&mut self, spot: Spot, ground: Ground) -> Ground {
        std::mem::replace(&mut self.grounds[spot.index()], ground)
    }

    /// The squares without the margin, row after row.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[Ground]> {
        let cols = usize::from(self.cols);
        self.grounds.chunks(cols + 2).skip(1).take(usize::from(self.rows)).map(move |row| &row[1..=cols])
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

    /// What every square of the board is, row after row.
    pub fn surfaces(&self) -> impl Iterator<Item = Surface> + '_ {
        self.board.rows().flatten().map(|ground| ground.surface())
    }

    /// What a square of the board is.
    pub fn surface(&self, at: Square) -> Surface {
        self.board.ground(self.board.spot(at)).surface()
    }

    /// The square next to this one, if it is on the board.
    pub fn neighbour(&self, at: Square, direction: Direction) -> Option<Square> {
        let next = self.board.step(self.board.spot(at), direction);
        (self.board.ground(next) != Ground::OUTSIDE).then(|| self.board.square(next))
    }

    /// Where a seat's avatar stands.
    pub fn at(&self, seat: Seat) -> Square {
        self.board.square(self.avatars[seat.index()].at)
    }

    /// How many squares have a seat's colour.
    pub fn score(&self, seat: Seat) -> u16 {
        self.avatars[seat.index()].score
    }

    /// Whether a seat has given up.
    pub fn forfeited(&self, seat: Seat) -> bool {
        self.avatars[seat.index()].forfeited
    }

    /// Turns still to play.
    pub fn turns_left(&self) -> u32 {
        self.turns_left
    }

    /// How many squares a shot of this seat could paint as the board is now: those of its colour in an unbroken line
    /// directly behind it, and at least one.
    #[inline]
    pub fn range(&self, seat: Seat, direction: Direction) -> u8 {
        let own = Ground::of(seat);
        let back = direction.opposite();
        let mut behind = 0;
        let mut at = self.board.step(self.avatars[seat.index()].at, back);
        while self.board.ground(at) == own {
            behind += 1;
            at = self.board.step(at, back);
        }
        behind.max(1)
    }

    /// The directions in which a seat may move, a bit each.
    #[inline]
    pub(super) fn open_ways(&self, seat: Seat) -> u32 {
        let from = self.avatars[seat.index()].at;
        let mut open = 0;
        for direction in Direction::ALL {
            open |= u32::from(self.board.ground(self.board.step(from, direction)).is_free()) << direction as u8;
        }
        open
    }
}
