//! Looking at a position.

use super::fast::{Ray, Stop};
use super::{Beam, Bodies, Cell, Cowboy, Direction, Event, Hit, Laser, Position};
use crate::games::Game as _;
use crate::games::seat::Seat;

impl Position {
    /// How the beams of a shot would run and what they would do, for a shot that is legal.
    pub fn preview(&self, seat: Seat, direction: Direction) -> Vec<Beam> {
        let mut copy = self.clone();
        let mut events = Vec::new();
        copy.shoot(seat, direction, &mut events);
        let shot =
            events.into_iter().find_map(|event| if let Event::Shot { beams, .. } = event { Some(beams) } else { None });
        shot.unwrap_or_default()
    }

    /// Whom the beam that travels this way would meet first if the shot were fired now. Nobody if the shot is illegal.
    pub(super) fn in_sight(&self, seat: Seat, direction: Direction, travels: Direction) -> Option<Seat> {
        self.check_shot(seat, direction).ok()?;
        let muzzle = self.cowboys[seat.index()].at;
        let from = match self.laser {
            Laser::Tee => self.neighbour(muzzle, direction)?,
            Laser::Straight => muzzle,
        };
        match self.ray(from, travels).stop {
            Stop::Cowboy { seat } => Some(Seat::new(usize::from(seat))),
            Stop::Edge | Stop::Wall | Stop::Block { .. } => None,
        }
    }

    /// How many rows and columns there are.
    pub fn size(&self) -> (u8, u8) {
        (self.rows, self.cols)
    }

    /// The value of a cell: 0 empty, -1 wall, N a block with N hit points.
    pub fn cell(&self, at: Cell) -> i16 {
        self.cells[usize::from(at.row) * usize::from(self.cols) + usize::from(at.col)]
    }

    /// The cell next to this one, if it is on the board.
    pub fn neighbour(&self, at: Cell, direction: Direction) -> Option<Cell> {
        let next = at.step(direction);
        (next.row < self.rows && next.col < self.cols).then_some(next)
    }

    /// Where a seat's player stands, or fell.
    pub fn at(&self, seat: Seat) -> Cell {
        self.cowboys[seat.index()].at
    }

    /// A seat's hit points.
    pub fn hp(&self, seat: Seat) -> u16 {
        self.cowboys[seat.index()].hp
    }

    /// A seat's kills.
    pub fn kills(&self, seat: Seat) -> u16 {
        self.cowboys[seat.index()].kills
    }

    /// Where a seat's shield faces.
    pub fn shield(&self, seat: Seat) -> Direction {
        self.cowboys[seat.index()].shield
    }

    /// Whether a seat still plays.
    pub fn alive(&self, seat: Seat) -> bool {
        self.living & (1 << seat.index()) != 0
    }

    /// A seat's place, once it is settled.
    pub fn placed(&self, seat: Seat) -> Option<u32> {
        Some(u32::from(self.cowboys[seat.index()].place)).filter(|&place| place > 0)
    }

    /// The round in play, from 1.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// The match ends after so many rounds.
    pub fn max_rounds(&self) -> u32 {
        self.max_rounds
    }

    /// What becomes of the dead.
    pub fn bodies(&self) -> Bodies {
        self.bodies
    }

    /// How the laser travels.
    pub fn laser(&self) -> Laser {
        self.laser
    }

    #[inline]
    pub(super) fn present(&self) -> impl Iterator<Item = (Seat, &Cowboy)> {
        self.cowboys[..usize::from(self.seats)].iter().enumerate().map(|(index, cowboy)| (Seat::new(index), cowboy))
    }

    /// Who keeps others from entering a cell: the living, and the dead where bodies stay.
    pub(super) fn blocker(&self, at: Cell) -> Option<Seat> {
        let here = |seat: &Seat| self.at(*seat) == at;
        let all = || Seat::first(self.seats());
        let body = || all().filter(here).find(|_| self.bodies == Bodies::BlockMoves);
        all().filter(here).find(|&seat| self.alive(seat)).or_else(body)
    }
}

impl Ray {
    pub(super) fn beam(self, from: Cell, direction: Direction, hit: Hit) -> Beam {
        let reach = self.reach;
        let Cell { row, col } = from;
        let to = match direction {
            Direction::Up => Cell { row: row - reach, col },
            Direction::Down => Cell { row: row + reach, col },
            Direction::Left => Cell { row, col: col - reach },
            Direction::Right => Cell { row, col: col + reach },
        };
        Beam { direction, from, to, hit }
    }
}
