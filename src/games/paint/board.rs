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
    /// The directions in which each place has a square to stand on, a bit each. It never changes.
    ways: SmallVec<[u8; INLINE]>,
    rows: u8,
    cols: u8,
}

/// A place on the board or its margin, as an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Spot(u16);

/// What a place is, in two bytes: a seat's colour or one of the three constants, and marks beside it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ground(u16);

#[expect(clippy::cast_possible_truncation, reason = "seats are at most 4096")]
impl Ground {
    pub(super) const NEUTRAL: Ground = Ground(Seat::MAX as u16);
    pub(super) const OBSTACLE: Ground = Ground(Seat::MAX as u16 + 1);
    pub(super) const OUTSIDE: Ground = Ground(Seat::MAX as u16 + 2);

    /// An avatar stands here.
    pub(super) const AVATAR: u16 = 1 << 15;
    /// A shot has painted this in the turn that is played.
    pub(super) const FRESH: u16 = 1 << 14;
    /// A shot has just come here.
    pub(super) const REACHED: u16 = 1 << 13;
    const MARKS: u16 = Ground::AVATAR | Ground::FRESH | Ground::REACHED;

    #[inline]
    pub(super) const fn of(seat: Seat) -> Ground {
        Ground(seat.index() as u16)
    }

    /// The same without marks.
    #[inline]
    pub(super) const fn bare(self) -> Ground {
        Ground(self.0 & !Ground::MARKS)
    }

    #[inline]
    pub(super) const fn has(self, marks: u16) -> bool {
        self.0 & marks != 0
    }

    #[inline]
    pub(super) const fn mark(&mut self, marks: u16) {
        self.0 |= marks;
    }

    #[inline]
    pub(super) const fn clear(&mut self, marks: u16) {
        self.0 &= !marks;
    }

    /// Whose colour it has.
    pub(super) fn painter(self) -> Option<Seat> {
        let Ground(value) = self.bare();
        (value < Ground::NEUTRAL.0).then(|| Seat::new(usize::from(value)))
    }

    /// Which of so many seats' scores it counts for; where it is neutral, the one after theirs.
    #[inline]
    pub(super) fn tally(self, seats: usize) -> usize {
        usize::from(self.bare().0).min(seats)
    }

    /// Whether an avatar can stand here.
    #[inline]
    pub(super) fn is_free(self) -> bool {
        self.bare().0 <= Ground::NEUTRAL.0
    }

    /// What others see of a square; the margin is nothing that anybody sees.
    pub(super) fn surface(self) -> Surface {
        match self.painter() {
            Some(seat) => Surface::Painted(seat),
            None if self.bare() == Ground::NEUTRAL => Surface::Neutral,
            None => Surface::Obstacle,
        }
    }

    /// The two bytes without marks, for digests.
    pub(super) fn bytes(self) -> [u8; 2] {
        self.bare().0.to_le_bytes()
    }
}

// The marks leave every value its bits.
const _: () = assert!(Ground::OUTSIDE.bare().0 == Ground::OUTSIDE.0);

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

/// Who has come to the places of one board, one seat to each at most.
pub(super) struct Visitors(SmallVec<[Ground; INLINE]>);

impl Visitors {
    /// Puts a seat on a place and gives who was there before.
    pub(super) fn put(&mut self, spot: Spot, seat: Seat) -> Option<Seat> {
        std::mem::replace(&mut self.0[spot.index()], Ground::of(seat)).painter()
    }

    pub(super) fn take(&mut self, spot: Spot) -> Option<Seat> {
        std::mem::replace(&mut self.0[spot.index()], Ground::NEUTRAL).painter()
    }

    pub(super) fn at(&self, spot: Spot) -> Option<Seat> {
        self.0[spot.index()].painter()
    }
}

impl Spot {
    /// A corner of the margin.
    pub(super) const NOWHERE: Spot = Spot(0);

    #[inline]
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The place that a step leads to.
    #[inline]
    pub(super) fn plus(self, step: u16) -> Spot {
        Spot(self.0.wrapping_add(step))
    }

    /// The place that a step led here from.
    #[inline]
    pub(super) fn minus(self, step: u16) -> Spot {
        Spot(self.0.wrapping_sub(step))
    }
}

impl Clone for Board {
    /// In one go; what is derived would copy square by square, which a search would feel.
    #[inline]
    fn clone(&self) -> Board {
        Board { grounds: SmallVec::from_slice(&self.grounds), ways: SmallVec::from_slice(&self.ways), ..*self }
    }
}

impl Board {
    /// A board of squares in row order; the caller vouches for their number.
    pub(super) fn new(rows: usize, cols: usize, surfaces: impl IntoIterator<Item = Surface>) -> Board {
        let narrow = |side| u8::try_from(side).expect("a board has at most 64 rows and columns");
        let mut board = Board {
            grounds: smallvec![Ground::OUTSIDE; (rows + 2) * (cols + 2)],
            ways: smallvec![0; (rows + 2) * (cols + 2)],
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
        let steps = board.steps();
        for row in 1..=board.rows {
            for col in 1..=board.cols {
                let from = board.spot(Square { row: row - 1, col: col - 1 });
                let open = |step: u16| u8::from(board.ground(from.plus(step)).is_free());
                let ways = steps.iter().enumerate().fold(0, |ways, (way, &step)| ways | open(step) << way);
                board.ways[from.index()] = ways;
            }
        }
        board
    }

    #[inline]
    pub(super) fn size(&self) -> (u8, u8) {
        (self.rows, self.cols)
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

    /// What a step each way adds to a place.
    #[inline]
    pub(super) fn steps(&self) -> [u16; 8] {
        let stride = i16::from(self.cols) + 2;
        Direction::ALL.map(|direction| {
            let (down, right) = direction.offset();
            (i16::from(down) * stride + i16::from(right)).cast_unsigned()
        })
    }

    /// The next place this way; from a square never beyond the margin.
    #[inline]
    pub(super) fn step(&self, from: Spot, direction: Direction) -> Spot {
        from.plus(self.steps()[direction as usize])
    }

    /// The directions in which whoever stands there can move, a bit each.
    #[inline]
    pub(super) fn ways(&self, spot: Spot) -> u8 {
        self.ways[spot.index()]
    }

    #[inline]
    pub(super) fn ground(&self, spot: Spot) -> Ground {
        self.grounds[spot.index()]
    }

    /// All places, by their spots.
    #[inline]
    pub(super) fn grounds(&self) -> &[Ground] {
        &self.grounds
    }

    /// All places, by their spots, to be changed.
    #[inline]
    pub(super) fn grounds_mut(&mut self) -> &mut [Ground] {
        &mut self.grounds
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
        (self.board.ground(next).bare() != Ground::OUTSIDE).then(|| self.board.square(next))
    }

    /// Where a seat's avatar stands.
    pub fn at(&self, seat: Seat) -> Square {
        self.board.square(self.avatars[seat.index()].at)
    }

    /// How many squares have a seat's colour.
    pub fn score(&self, seat: Seat) -> u16 {
        self.scores[seat.index()]
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
    pub fn range(&self, seat: Seat, direction: Direction) -> u8 {
        let step = self.board.steps()[direction as usize];
        range(self.board.grounds(), Ground::of(seat), self.avatars[seat.index()].at, step)
    }
}

/// The squares of a colour in an unbroken line directly behind a shooter, at least one.
#[inline]
pub(super) fn range(grounds: &[Ground], own: Ground, from: Spot, step: u16) -> u8 {
    let mut behind = 0;
    let mut at = from.minus(step);
    while grounds[at.index()].bare() == own {
        behind += 1;
        at = at.minus(step);
    }
    behind.max(1)
}
