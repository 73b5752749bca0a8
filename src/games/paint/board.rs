//! The board as a position keeps it: two bytes a square, and where one can go from it.

use std::ops::Deref;

use smallvec::{SmallVec, smallvec};

use super::Position;
use super::action::Direction;
use super::state::Square;
use crate::games::grid::{CellContent, Framed, Spot};
use crate::games::seat::Seat;

/// Boards up to 10 × 10 need no allocation, the margin included.
const INLINE: usize = 12 * 12;

/// The squares, and where one can go from each.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Board {
    squares: Framed<Ground, INLINE>,
    /// The directions in which each place has a square to stand on, a bit each. It never changes.
    ways: SmallVec<[u8; INLINE]>,
}

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
    pub(super) fn content(self) -> CellContent {
        match self.painter() {
            Some(seat) => CellContent::Owned(seat),
            None if self.bare() == Ground::NEUTRAL => CellContent::Empty,
            None => CellContent::Wall,
        }
    }

    /// The two bytes without marks, for digests.
    pub(super) fn bytes(self) -> [u8; 2] {
        self.bare().0.to_le_bytes()
    }
}

// The marks leave every value its bits.
const _: () = assert!(Ground::OUTSIDE.bare().0 == Ground::OUTSIDE.0);

impl From<CellContent> for Ground {
    #[inline]
    fn from(content: CellContent) -> Ground {
        match content {
            CellContent::Empty => Ground::NEUTRAL,
            CellContent::Wall => Ground::OBSTACLE,
            CellContent::Owned(seat) => Ground::of(seat),
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

impl Clone for Board {
    /// In one go; what is derived would copy square by square, which a search would feel.
    #[inline]
    fn clone(&self) -> Board {
        Board { squares: self.squares.clone(), ways: SmallVec::from_slice(&self.ways) }
    }
}

impl Deref for Board {
    type Target = Framed<Ground, INLINE>;

    #[inline]
    fn deref(&self) -> &Framed<Ground, INLINE> {
        &self.squares
    }
}

impl Board {
    /// A board of squares in row order; the caller vouches for their number.
    pub(super) fn new(rows: usize, cols: usize, contents: impl IntoIterator<Item = CellContent>) -> Board {
        let squares = Framed::new(rows, cols, Ground::OUTSIDE, contents.into_iter().map(Ground::from));
        let mut board = Board { ways: smallvec![0; squares.places().len()], squares };
        let steps = board.steps();
        let (rows, cols) = board.size();
        for (row, col) in (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col))) {
            let from = board.spot(Square { row, col });
            let open = |step: u16| u8::from(board.squares[from.plus(step)].is_free());
            board.ways[from.index()] = steps.iter().enumerate().fold(0, |ways, (way, &step)| ways | open(step) << way);
        }
        board
    }

    /// Nobody has come to any place yet.
    pub(super) fn visitors(&self) -> Visitors {
        Visitors(smallvec![Ground::NEUTRAL; self.ways.len()])
    }

    /// What a step each way adds to a place.
    #[inline]
    pub(super) fn steps(&self) -> [u16; 8] {
        let stride = self.stride().cast_signed();
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

    /// All places, by their spots, to be changed.
    #[inline]
    pub(super) fn grounds_mut(&mut self) -> &mut [Ground] {
        self.squares.places_mut()
    }
}

/// Looking at the board.
impl Position {
    /// How many rows and columns there are.
    pub fn size(&self) -> (u8, u8) {
        self.board.size()
    }

    /// What every square of the board is, row after row.
    pub fn contents(&self) -> impl Iterator<Item = CellContent> + '_ {
        self.board.rows().flatten().map(|ground| ground.content())
    }

    /// What a square of the board is.
    pub fn content(&self, at: Square) -> CellContent {
        self.board[self.board.spot(at)].content()
    }

    /// The square next to this one, if it is on the board.
    pub fn neighbour(&self, at: Square, direction: Direction) -> Option<Square> {
        let next = self.board.step(self.board.spot(at), direction);
        (self.board[next].bare() != Ground::OUTSIDE).then(|| self.board.cell(next))
    }

    /// Where a seat's avatar stands.
    pub fn at(&self, seat: Seat) -> Square {
        self.board.cell(self.avatars[seat.index()].at)
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
        range(self.board.places(), Ground::of(seat), self.avatars[seat.index()].at, step)
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
