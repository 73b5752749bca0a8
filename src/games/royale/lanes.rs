//! A byte for every seat in one machine word: a tick looks at all bots at once, without branches that a search could not
//! foresee.

use std::ops::{BitAnd, BitOr, Not};

use super::Position;
use super::action::{Direction, Step};
use super::board::{Tile, Zone};

/// The lowest bit of every byte.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The highest bit of every byte.
const HIGH: u64 = 0x80 * ONES;
/// All bits of every byte but the highest.
const LOW: u64 = 0x7f * ONES;

/// A number for every seat: a coordinate, below 64 on the grid, or what a step adds to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Lanes(u64);

impl Lanes {
    /// Another number for every seat.
    const NUMBERS: Lanes = Lanes(0x0706_0504_0302_0100);

    #[inline]
    fn all(byte: u8) -> Lanes {
        Lanes(ONES * u64::from(byte))
    }

    /// The same with a number for a seat that has 0.
    #[inline]
    fn with(self, seat: usize, byte: u8) -> Lanes {
        Lanes(self.0 | u64::from(byte) << (8 * seat))
    }

    #[inline]
    fn get(self, seat: usize) -> u8 {
        self.0.to_le_bytes()[seat]
    }

    /// The sums, seat by seat; −1 is 0xff.
    #[inline]
    fn plus(self, other: Lanes) -> Lanes {
        Lanes(((self.0 & LOW) + (other.0 & LOW)) ^ ((self.0 ^ other.0) & HIGH))
    }

    /// Whose number is at least this, which is at most 128.
    #[inline]
    fn at_least(self, bound: u8) -> Group {
        Group(((self.0 & LOW) + Lanes::all(128 - bound).0) | self.0)
    }

    /// Whose number differs from another's.
    #[inline]
    fn differ(self, other: Lanes) -> Group {
        let differ = self.0 ^ other.0;
        Group(((differ & LOW) + LOW) | differ)
    }

    /// The numbers of the seats so many before.
    #[inline]
    fn turned(self, seats: u8) -> Lanes {
        Lanes(self.0.rotate_left(8 * u32::from(seats)))
    }
}

/// A set of bots: those whose byte has its highest bit set. What the other bits are does not matter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group(u64);

impl Group {
    pub(super) const NOBODY: Group = Group(0);

    #[inline]
    pub(super) fn one(seat: usize) -> Group {
        Group(0x80 << (8 * seat))
    }

    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.0 & HIGH == 0
    }

    /// The seats, in order.
    #[inline]
    pub(super) fn seats(self) -> impl Iterator<Item = usize> {
        let mut left = self.0 & HIGH;
        std::iter::from_fn(move || {
            let seat = (left > 0).then(|| left.trailing_zeros() as usize / 8)?;
            left &= left - 1;
            Some(seat)
        })
    }

    /// One's numbers for these, another's for the rest.
    #[inline]
    fn pick(self, these: Lanes, rest: Lanes) -> Lanes {
        let whole = ((self.0 & HIGH) >> 7) * 0xff;
        Lanes((these.0 & whole) | (rest.0 & !whole))
    }
}

impl BitAnd for Group {
    type Output = Group;

    #[inline]
    fn bitand(self, other: Group) -> Group {
        Group(self.0 & other.0)
    }
}

impl BitOr for Group {
    type Output = Group;

    #[inline]
    fn bitor(self, other: Group) -> Group {
        Group(self.0 | other.0)
    }
}

impl Not for Group {
    type Output = Group;

    #[inline]
    fn not(self) -> Group {
        Group(!self.0)
    }
}

/// Where the bots stand, the dead where they fell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Formation {
    x: Lanes,
    y: Lanes,
    pub(super) living: Group,
}

impl Formation {
    #[inline]
    pub(super) fn of(position: &Position) -> Formation {
        let (mut x, mut y, mut living) = (Lanes(0), Lanes(0), Lanes(0));
        for (seat, bot) in position.bots[..usize::from(position.seats)].iter().enumerate() {
            x = x.with(seat, bot.at.x);
            y = y.with(seat, bot.at.y);
            living = living.with(seat, u8::from(bot.alive) << 7);
        }
        Formation { x, y, living: Group(living.0) }
    }

    #[inline]
    pub(super) fn at(&self, seat: usize) -> Tile {
        Tile { x: self.x.get(seat), y: self.y.get(seat) }
    }

    /// Where they would stand after these steps, on the grid or not.
    #[inline]
    pub(super) fn after(&self, Steps { east, north }: Steps) -> Formation {
        Formation { x: self.x.plus(east), y: self.y.plus(north), ..*self }
    }

    /// Who stands off a grid of this size.
    #[inline]
    pub(super) fn off_grid(&self, width: u8, height: u8) -> Group {
        self.x.at_least(width) | self.y.at_least(height)
    }

    /// Who lives and stands outside these edges.
    #[inline]
    pub(super) fn outside(&self, Zone { min_x, max_x, min_y, max_y }: Zone) -> Group {
        let inside = self.x.at_least(min_x) & self.y.at_least(min_y) & !self.off_grid(max_x + 1, max_y + 1);
        self.living & !inside
    }

    /// With these of the bots where another formation has them.
    #[inline]
    pub(super) fn with(&self, these: Group, other: &Formation) -> Formation {
        Formation { x: these.pick(other.x, self.x), y: these.pick(other.y, self.y), ..*self }
    }

    /// Who lives and shares its tile with another who does, among the bots of the first so many seats.
    #[inline]
    pub(super) fn crowded(&self, seats: u8) -> Group {
        // Who does not live is in nobody's way: each has a tile of its own that is on no grid.
        let (x, y) = (self.living.pick(self.x, Lanes(!0)), self.living.pick(self.y, Lanes::NUMBERS));
        let mut crowded = Group::NOBODY;
        // With eight in a circle nobody is more than four apart.
        for apart in 1..seats.min(5) {
            let same = !(x.differ(x.turned(apart)) | y.differ(y.turned(apart)));
            crowded = crowded | same | Group(same.0.rotate_right(8 * u32::from(apart)));
        }
        crowded
    }

    /// Who lives and stands this way of a tile, at most so far off.
    #[inline]
    pub(super) fn ahead(&self, from: Tile, direction: Direction, reach: u8) -> Group {
        let vertical = matches!(direction, Direction::North | Direction::South);
        let forward = u8::from(matches!(direction, Direction::North | Direction::East));
        let (along, across) = if vertical { (self.y, self.x) } else { (self.x, self.y) };
        let (start, line) = if vertical { (from.y, from.x) } else { (from.x, from.y) };
        // 64 is where the shot begins, so that nothing is below 0: ahead is from 65 on, or else down from 63.
        let reach = reach.min(63);
        let nearest = 64 - reach + forward * (reach + 1);
        let far = Lanes(along.0 + Lanes::all(64 - start).0);
        let within = far.at_least(nearest) & !far.at_least(nearest + reach);
        self.living & !across.differ(Lanes::all(line)) & within
    }
}

/// Where the bots want to go: what is added to x and to y.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Steps {
    east: Lanes,
    north: Lanes,
}

impl Steps {
    /// Notes the step of a bot that has none yet.
    #[inline]
    pub(super) fn set(&mut self, seat: usize, step: Step) {
        let (east, north) = step.delta();
        self.east = self.east.with(seat, east.cast_unsigned());
        self.north = self.north.with(seat, north.cast_unsigned());
    }

    /// Who does not stay.
    #[inline]
    pub(super) fn movers(self) -> Group {
        Lanes(self.east.0 | self.north.0).differ(Lanes(0))
    }

    /// Which way a bot that does not stay wants to go.
    pub(super) fn heading(self, seat: usize) -> Direction {
        match (self.east.get(seat).cast_signed(), self.north.get(seat).cast_signed()) {
            (0, 1..) => Direction::North,
            (0, _) => Direction::South,
            (1.., _) => Direction::East,
            _ => Direction::West,
        }
    }
}
