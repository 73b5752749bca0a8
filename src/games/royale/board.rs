//! The arena: tiles, walls, the zone, and how a bullet flies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};

use super::action::Direction;
use super::lanes::{Formation, Group};
use super::powerup::PowerUp;
use super::rules::Terms;
use super::{Bot, Position};
use crate::games::seat::Seat;

/// A tile. In JSON `[x, y]`, in words `(x, y)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(from = "(u8, u8)", into = "(u8, u8)")]
#[schemars(inline)]
pub struct Tile {
    /// 0 is the west edge.
    pub x: u8,
    /// 0 is the south edge.
    pub y: u8,
}

impl From<(u8, u8)> for Tile {
    fn from((x, y): (u8, u8)) -> Tile {
        Tile { x, y }
    }
}

impl From<Tile> for (u8, u8) {
    fn from(tile: Tile) -> (u8, u8) {
        (tile.x, tile.y)
    }
}

impl std::fmt::Display for Tile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({}, {})", self.x, self.y)
    }
}

/// The part of the grid where it is safe to stand, its edges included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Zone {
    /// The west edge.
    pub min_x: u8,
    /// The east edge.
    pub max_x: u8,
    /// The south edge.
    pub min_y: u8,
    /// The north edge.
    pub max_y: u8,
}

impl Zone {
    /// Whether a tile is in it.
    #[inline]
    pub fn contains(self, tile: Tile) -> bool {
        (self.min_x..=self.max_x).contains(&tile.x) && (self.min_y..=self.max_y).contains(&tile.y)
    }

    /// Its tiles, row after row from the south-west corner.
    pub fn tiles(self) -> impl Iterator<Item = Tile> + Clone {
        (self.min_y..=self.max_y).flat_map(move |y| (self.min_x..=self.max_x).map(move |x| Tile { x, y }))
    }
}

/// The walls of an arena, a bit a tile, row after row from the south-west corner. No words at all where there is no
/// wall, which is the usual case and the fast one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Walls(SmallVec<[u64; 4]>);

impl Walls {
    pub(super) fn new(width: u8, height: u8, tiles: impl IntoIterator<Item = Tile>) -> Walls {
        let size = usize::from(width) * usize::from(height);
        let mut words: SmallVec<[u64; 4]> = SmallVec::new();
        for tile in tiles {
            if words.is_empty() {
                words = smallvec![0; size.div_ceil(64)];
            }
            let index = index(width, tile);
            words[index / 64] |= 1 << (index % 64);
        }
        Walls(words)
    }

    #[inline]
    pub(super) fn any(&self) -> bool {
        !self.0.is_empty()
    }

    fn on(&self, width: u8, tile: Tile) -> bool {
        let index = index(width, tile);
        self.0.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    pub(super) fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.push(u8::try_from(self.0.len()).expect("64 × 64 bits are 64 words"));
        for word in &self.0 {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
    }
}

fn index(width: u8, tile: Tile) -> usize {
    usize::from(tile.y) * usize::from(width) + usize::from(tile.x)
}

/// How a bullet flies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flight {
    /// The last tile that it reaches: the target's, or the last one before a wall, the edge or the end of its range.
    pub to: Tile,
    /// Whom it hits.
    pub hit: Option<Seat>,
}

/// Looking at the arena.
impl Position {
    /// How a seat's bullet would fly from a tile of the grid, the others standing where they stand now: up to the
    /// range, not into a wall, through team-mates, to the first other living bot.
    pub fn flight(&self, seat: Seat, from: Tile, direction: Direction) -> Flight {
        let hit = self.target(&Formation::of(self), seat, from, Some(direction));
        Flight { to: self.flown(from, direction, hit), hit }
    }

    /// Whom a seat's shot from a tile hits, if it shoots at all.
    #[inline]
    pub(super) fn target(
        &self,
        formation: &Formation,
        seat: Seat,
        from: Tile,
        shot: Option<Direction>,
    ) -> Option<Seat> {
        // Whether somebody shoots cannot be foreseen in a search: who does not has no reach.
        let reach = if shot.is_some() { self.terms.range } else { 0 };
        let direction = shot.unwrap_or(Direction::North);
        let ahead = formation.ahead(from, direction, reach);
        if ahead.is_empty() { None } else { self.first_of(ahead, formation, seat, from, direction) }
    }

    /// Who of those ahead is the first that a bullet meets, unless a wall is in between.
    fn first_of(
        &self,
        ahead: Group,
        formation: &Formation,
        seat: Seat,
        from: Tile,
        direction: Direction,
    ) -> Option<Seat> {
        let apart = |target: &usize| distance(from, formation.at(*target));
        let target = ahead.seats().filter(|&target| !self.allies(seat, Seat::new(target))).min_by_key(apart)?;
        let open = |distance: u8| !self.wall(ahead_of(from, direction, distance));
        (1..apart(&target)).all(open).then(|| Seat::new(target))
    }

    /// Where a shot ends that hits this bot, or nobody: then before a wall or the edge, or at the end of its range.
    pub(super) fn flown(&self, from: Tile, direction: Direction, hit: Option<Seat>) -> Tile {
        if let Some(target) = hit {
            return self.at(target);
        }
        let reach = self.terms.range.min(self.room(from, direction));
        let wall = (1..=reach).find(|&distance| self.wall(ahead_of(from, direction, distance)));
        ahead_of(from, direction, wall.map_or(reach, |wall| wall - 1))
    }

    /// The zone of the tick that is about to be played.
    #[inline]
    pub fn zone(&self) -> Zone {
        self.zone_at(self.tick)
    }

    /// The zone of a tick, counted from 1: the grid less a tile on every side for each time that it has shrunk.
    #[inline]
    pub(super) fn zone_at(&self, tick: u32) -> Zone {
        let Terms { zone_every, zone_shrinks, .. } = self.terms;
        let most = zone_shrinks.min((self.width.min(self.height) - 1) / 2);
        let shrunk = u8::try_from(tick.saturating_sub(1) / zone_every).map_or(most, |times| times.min(most));
        Zone { min_x: shrunk, max_x: self.width - 1 - shrunk, min_y: shrunk, max_y: self.height - 1 - shrunk }
    }

    /// The tile next to this one, if a bot could go there: on the grid and no wall.
    #[inline]
    pub fn neighbour(&self, at: Tile, direction: Direction) -> Option<Tile> {
        Some(ahead_of(at, direction, 1)).filter(|&tile| self.is_free(tile))
    }

    /// Whether a bot could stand there: on the grid and no wall.
    fn is_free(&self, tile: Tile) -> bool {
        tile.x < self.width && tile.y < self.height && !self.wall(tile)
    }

    /// How many tiles there are to the edge.
    fn room(&self, from: Tile, direction: Direction) -> u8 {
        match direction {
            Direction::North => self.height - 1 - from.y,
            Direction::South => from.y,
            Direction::East => self.width - 1 - from.x,
            Direction::West => from.x,
        }
    }

    /// Width and height.
    pub fn size(&self) -> (u8, u8) {
        (self.width, self.height)
    }

    /// Whether a tile of the grid is a wall.
    #[inline]
    pub fn wall(&self, tile: Tile) -> bool {
        self.walls.any() && self.walls.on(self.width, tile)
    }

    /// Where a seat's bot stands, or fell.
    pub fn at(&self, seat: Seat) -> Tile {
        self.bots[seat.index()].at
    }

    /// A seat's hit points.
    pub fn hp(&self, seat: Seat) -> u16 {
        self.bots[seat.index()].hp
    }

    /// A seat's place, once it is settled.
    pub fn placed(&self, seat: Seat) -> Option<u32> {
        Some(u32::from(self.bots[seat.index()].place)).filter(|&place| place > 0)
    }

    /// A seat's kills.
    pub fn kills(&self, seat: Seat) -> u16 {
        self.bots[seat.index()].kills
    }

    /// How many of a seat's next shots do more damage.
    pub fn boost(&self, seat: Seat) -> u8 {
        self.bots[seat.index()].boost
    }

    /// Whether a seat still plays.
    pub fn alive(&self, seat: Seat) -> bool {
        self.bots[seat.index()].alive
    }

    /// Whether two seats are on one side; every seat is on its own.
    pub fn allies(&self, one: Seat, other: Seat) -> bool {
        one == other || (self.terms.teams > 0 && self.side(one) == self.side(other))
    }

    /// The power-ups on the board.
    pub fn powerups(&self) -> &[PowerUp] {
        &self.powerups
    }

    /// The tick that is about to be played, from 1.
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// What a tick is played by.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    #[inline]
    pub(super) fn present(&self) -> impl DoubleEndedIterator<Item = (Seat, &Bot)> {
        self.bots[..usize::from(self.seats)].iter().enumerate().map(|(index, bot)| (Seat::new(index), bot))
    }

    #[inline]
    pub(super) fn living(&self) -> impl Iterator<Item = (Seat, &Bot)> {
        self.present().filter(|(_, bot)| bot.alive)
    }
}

/// How many tiles there are between two on one line, the farther one counted.
fn distance(one: Tile, other: Tile) -> u8 {
    one.x.abs_diff(other.x) + one.y.abs_diff(other.y)
}

/// The tile so far ahead; off the grid it is some tile that is not on it.
fn ahead_of(Tile { x, y }: Tile, direction: Direction, distance: u8) -> Tile {
    let (dx, dy) = direction.delta();
    let go = |from: u8, by: i8| from.wrapping_add_signed(by.wrapping_mul(distance.cast_signed()));
    Tile { x: go(x, dx), y: go(y, dy) }
}
