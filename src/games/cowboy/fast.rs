//! What search needs and the rulebook does not say more simply: how far a beam goes, what is legal, and a random choice
//! of it, without branches that cannot be foreseen. The tests compare all of it with a naive twin.

use super::{Action, Bodies, Cell, Cowboy, Direction, Laser, Position};
use crate::games::dice::Dice;
use crate::games::seat::Seat;

/// Where a beam ends and on what.
#[derive(Clone, Copy)]
pub(super) struct Ray {
    pub(super) reach: u8,
    pub(super) stop: Stop,
}

#[derive(Clone, Copy)]
pub(super) enum Stop {
    Edge,
    Wall,
    Block { index: u16 },
    Cowboy { seat: u8 },
}

impl Position {
    /// From the cell after `from` to the first non-zero cell, the first living player, or the edge.
    #[inline]
    pub(super) fn ray(&self, from: Cell, direction: Direction) -> Ray {
        // Choices and arithmetic instead of branches: in a search no direction can be foreseen.
        let vertical = matches!(direction, Direction::Up | Direction::Down);
        let forward = matches!(direction, Direction::Down | Direction::Right);
        let along = |cell: Cell| if vertical { (cell.row, cell.col) } else { (cell.col, cell.row) };
        let (start, line) = along(from);
        let last = if vertical { self.rows } else { self.cols } - 1;
        let mut reach = if forward { last - start } else { start };
        let mut stop = Stop::Edge;
        for (cowboy, seat) in self.cowboys[..usize::from(self.seats)].iter().zip(0_u8..) {
            let (there, aside) = along(cowboy.at);
            let ahead = if forward { there.wrapping_sub(start) } else { start.wrapping_sub(there) };
            // Behind is farther than any reach.
            if aside == line && ahead.wrapping_sub(1) < reach && self.living >> seat & 1 == 1 {
                (reach, stop) = (ahead, Stop::Cowboy { seat });
            }
        }
        let cells = self.cells.as_slice();
        let step = if vertical { u16::from(self.cols) } else { 1 };
        let stride = if forward { step } else { step.wrapping_neg() };
        let mut index = u16::from(from.row) * u16::from(self.cols) + u16::from(from.col);
        for distance in 1..=reach {
            index = index.wrapping_add(stride);
            let value = cells[usize::from(index)];
            if value != 0 {
                return Ray { reach: distance, stop: if value < 0 { Stop::Wall } else { Stop::Block { index } } };
            }
        }
        Ray { reach, stop }
    }

    /// The legal moves and shots: what [`Game::check`](crate::games::Game::check) says of each, for all at once and without its sentences.
    #[expect(clippy::inline_always, reason = "every step of a playout asks, and a call costs a tenth of it")]
    #[inline(always)]
    pub(super) fn options(&self, seat: Seat) -> Options {
        let cells = self.cells.as_slice();
        let cols = usize::from(self.cols);
        let index = |cowboy: &Cowboy| usize::from(cowboy.at.row) * cols + usize::from(cowboy.at.col);
        let me = &self.cowboys[seat.index()];
        let here = index(me);
        let around = [here.wrapping_sub(cols), here + cols, here.wrapping_sub(1), here + 1];
        // Above and below the board there is no cell; left and right of it would be a cell of another row.
        let on_board = [true, true, me.at.col > 0, me.at.col + 1 < self.cols];
        let empty = |side: usize| usize::from(on_board[side] && cells.get(around[side]) == Some(&0)) << side;
        let mut moves = empty(0) | empty(1) | empty(2) | empty(3);
        let tee = self.laser == Laser::Tee;
        let mut shots = if tee { moves } else { 0b1111 };
        for (other, cowboy) in self.cowboys[..usize::from(self.seats)].iter().enumerate() {
            let there = index(cowboy);
            if there == here || there.abs_diff(here) > cols {
                continue;
            }
            let side = around.iter().position(|&cell| cell == there).map_or(0, |side| 1 << side);
            let alive = self.living >> other & 1 == 1;
            if alive || self.bodies == Bodies::BlockMoves {
                moves &= !side;
            }
            if alive && tee {
                shots &= !side;
            }
        }
        shots &= !(1 << me.shield as usize);
        Options { moves, shots }
    }

    /// One of the legal actions but speech, each as likely as the others: its kind (0 move, 1 shield, 2 shoot) and its
    /// direction.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    pub(super) fn random_option(&self, seat: Seat, dice: &mut Dice) -> (usize, Direction) {
        let Options { moves, shots } = self.options(seat);
        let moving = COUNT[moves];
        let n = dice.below(moving + 4 + COUNT[shots]);
        // Which kind it is cannot be foreseen: arithmetic instead of branches.
        let (turns, shoots) = (u32::from(n >= moving), u32::from(n >= moving + 4));
        let n = n - moving * turns - 4 * shoots;
        let kind = (turns + shoots) as usize;
        let options = (moves | 0b1111 << 4 | shots << 8) >> (4 * kind) & 0b1111;
        (kind, NTH[options][n as usize])
    }
}

/// The directions of the legal moves and shots, a bit each in the order of [`Direction::ALL`]. A shield can always be
/// turned.
pub(super) struct Options {
    moves: usize,
    shots: usize,
}

impl Options {
    /// The actions in the order in which they are listed.
    pub(super) fn actions(&self) -> impl Iterator<Item = Action> {
        [self.moves, 0b1111, self.shots].into_iter().enumerate().flat_map(|(kind, options)| {
            NTH[options].iter().take(COUNT[options] as usize).map(move |&direction| action(kind, direction))
        })
    }
}

/// The action of a kind (0 move, 1 shield, 2 shoot) in a direction.
pub(super) fn action(kind: usize, direction: Direction) -> Action {
    match kind {
        0 => Action::Move { direction },
        1 => Action::Shield { direction },
        _ => Action::Shoot { direction },
    }
}

/// How many bits are set in a number of four bits.
const COUNT: [u32; 16] = {
    let mut table = [0; 16];
    let mut bits = 0_usize;
    while bits < 16 {
        table[bits] = bits.count_ones();
        bits += 1;
    }
    table
};

/// The direction of the n-th set bit of a number of four bits.
const NTH: [[Direction; 4]; 16] = {
    let mut table = [[Direction::Up; 4]; 16];
    let mut bits = 0;
    while bits < 16 {
        let (mut bit, mut n) = (0, 0);
        while bit < 4 {
            if bits >> bit & 1 == 1 {
                table[bits][n] = Direction::ALL[bit];
                n += 1;
            }
            bit += 1;
        }
        bits += 1;
    }
    table
};
