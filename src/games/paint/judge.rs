//! Rules of thumb for Paint: take the most squares now, and stand where the next shot takes many.

use smallvec::{SmallVec, smallvec};

use super::{Action, CellContent, Direction, Position, Square};
use crate::games::{Game, Seat};

use crate::games::judge::{Judge, Tuning, even_chance, score_pairs};

impl Judge for Position {
    const TUNING: Tuning = Tuning { exploration: 0.5, sharpness: 1.0, habit: 0.0, contempt: 0.0 };

    fn merits(&self, seat: Seat, actions: &[Action], merits: &mut [f32]) {
        let mut canvas = Canvas::of(self);
        let home = canvas.spot(self.at(seat));
        for (action, merit) in actions.iter().zip(merits) {
            *merit = match *action {
                Action::Move { direction } => {
                    let to = canvas.step(home, direction);
                    if canvas.taken(to) {
                        canvas.outlook(seat, home)
                    } else {
                        canvas.worth(seat, to) + canvas.with(seat, to, direction, 1, |canvas| canvas.outlook(seat, to))
                    }
                }
                Action::Shoot { direction } => {
                    let next = canvas.step(home, direction);
                    let (gain, flight) = canvas.shot(seat, home, direction);
                    gain + canvas.with(seat, next, direction, flight, |canvas| canvas.outlook(seat, home))
                }
            };
        }
    }

    fn judge(&self, values: &mut [f32]) {
        let canvas = Canvas::of(self);
        let strength: SmallVec<[f32; 4]> = Seat::first(self.seats())
            .map(|seat| {
                // A good shot that is ready is as good as made, and leaves another one behind.
                let prospect = canvas.prospect(seat, canvas.spot(self.at(seat)));
                f32::from(self.score(seat)) + 1.2 * prospect
            })
            .collect();
        // The longer there is to play, the less a lead says.
        let turns_left = f32::from(u16::try_from(self.turns_left()).unwrap_or(u16::MAX));
        let weight = 1.0 / (1.0 + 0.4 * turns_left.sqrt());
        score_pairs(values, |one, other| match (self.forfeited(one), self.forfeited(other)) {
            (false, true) => 1.0,
            (true, false) => 0.0,
            _ => even_chance(weight * (strength[one.index()] - strength[other.index()])),
        });
    }
}

/// A board to try things on, with a margin all around.
pub(super) struct Canvas {
    cells: SmallVec<[Cell; 144]>,
    stride: usize,
}

/// A square of a [`Canvas`].
#[derive(Clone, Copy)]
struct Cell {
    ground: Ground,
    /// An avatar stands here.
    taken: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Ground {
    /// No paint and no avatar can be here.
    Closed,
    Neutral,
    Painted(Seat),
}

impl Canvas {
    /// The board of a position.
    pub(super) fn of(game: &Position) -> Canvas {
        let (rows, cols) = game.size();
        let (rows, cols) = (usize::from(rows), usize::from(cols));
        let stride = cols + 2;
        let closed = Cell { ground: Ground::Closed, taken: false };
        let mut canvas = Canvas { cells: smallvec![closed; (rows + 2) * stride], stride };
        let mut contents = game.contents();
        for row in 1..=rows {
            let start = row * stride + 1;
            for (cell, content) in canvas.cells[start..start + cols].iter_mut().zip(contents.by_ref()) {
                cell.ground = match content {
                    CellContent::Empty => Ground::Neutral,
                    CellContent::Wall => Ground::Closed,
                    CellContent::Owned(seat) => Ground::Painted(seat),
                };
            }
        }
        for seat in Seat::first(game.seats()) {
            let spot = canvas.spot(game.at(seat));
            canvas.cells[spot].taken = true;
        }
        canvas
    }

    /// Where a square of the position is.
    pub(super) fn spot(&self, at: Square) -> usize {
        (usize::from(at.row) + 1) * self.stride + usize::from(at.col) + 1
    }

    fn step(&self, from: usize, direction: Direction) -> usize {
        let (down, right) = direction.offset();
        let stride = isize::try_from(self.stride).expect("a board has at most 64 columns");
        from.wrapping_add_signed(isize::from(down) * stride + isize::from(right))
    }

    fn taken(&self, at: usize) -> bool {
        self.cells[at].taken
    }

    /// What a square is worth to a seat: what it gains, and what a rival loses.
    fn worth(&self, seat: Seat, at: usize) -> f32 {
        match self.cells[at].ground {
            Ground::Painted(other) if other != seat => 2.0,
            Ground::Neutral => 1.0,
            Ground::Painted(_) | Ground::Closed => 0.0,
        }
    }

    /// What a shot from a spot gains and how many squares it paints, if nobody else does anything.
    fn shot(&self, seat: Seat, from: usize, direction: Direction) -> (f32, usize) {
        let back = direction.opposite();
        let mut behind = self.step(from, back);
        let mut at = self.step(from, direction);
        let (mut gain, mut flight) = (0.0, 0);
        while self.cells[at].ground != Ground::Closed && !self.cells[at].taken {
            gain += self.worth(seat, at);
            flight += 1;
            // The first square is always in range, each further one for one of the own colour behind.
            at = self.step(at, direction);
            if self.cells[behind].ground != Ground::Painted(seat) {
                break;
            }
            behind = self.step(behind, back);
            if self.cells[behind].ground != Ground::Painted(seat) {
                break;
            }
        }
        (gain, flight)
    }

    /// The most that one shot from a spot gains.
    pub(super) fn prospect(&self, seat: Seat, from: usize) -> f32 {
        Direction::ALL.into_iter().map(|direction| self.shot(seat, from, direction).0).fold(0.0, f32::max)
    }

    /// What a spot promises for the turns after.
    fn outlook(&self, seat: Seat, from: usize) -> f32 {
        let prospect = self.prospect(seat, from);
        if prospect > 0.0 { 0.6 * prospect } else { -0.1 * self.to_foreign(seat, from) }
    }

    /// How far the nearest square is that has another colour or none.
    fn to_foreign(&self, seat: Seat, from: usize) -> f32 {
        let (row, col) = (from / self.stride, from % self.stride);
        let foreign = (0..self.cells.len()).filter(|&at| self.worth(seat, at) > 0.0);
        let steps = foreign.map(|at| row.abs_diff(at / self.stride).max(col.abs_diff(at % self.stride)));
        steps.min().map_or(0.0, |steps| f32::from(u8::try_from(steps).unwrap_or(u8::MAX)))
    }

    /// Looks at the board as it would be with so many squares painted from a spot on.
    fn with<T>(
        &mut self,
        seat: Seat,
        first: usize,
        direction: Direction,
        count: usize,
        look: impl FnOnce(&Canvas) -> T,
    ) -> T {
        let mut before: SmallVec<[Ground; 64]> = SmallVec::new();
        let mut at = first;
        for _ in 0..count {
            before.push(std::mem::replace(&mut self.cells[at].ground, Ground::Painted(seat)));
            at = self.step(at, direction);
        }
        let seen = look(self);
        let mut at = first;
        for ground in before {
            self.cells[at].ground = ground;
            at = self.step(at, direction);
        }
        seen
    }
}
