//! Rules of thumb for Trails: have more room than the others, and use it up along its edge.

use super::board::Ground;
use super::territory::Territory;
use super::{Action, Direction, Position};
use crate::games::Seat;
use crate::games::judge::{Judge, Tuning, even_chance, score_pairs, settled};

impl Judge for Position {
    const TUNING: Tuning = Tuning { exploration: 0.5, sharpness: 0.1, habit: 0.0, contempt: 0.0 };

    fn merits(&self, seat: Seat, actions: &[Action], merits: &mut [f32]) {
        let seat = seat.index();
        for (action, merit) in actions.iter().zip(merits) {
            let way = action.direction();
            let territory = self.territory_after(seat, way);
            // Without any room it crashes at once, or meets who comes to the same cell.
            let doomed = if territory[seat] == 0 { 100.0 } else { 0.0 };
            *merit = lead(self, territory, seat) + 0.2 * self.closed_beside(seat, way) - doomed;
        }
    }

    fn judge(&self, values: &mut [f32]) {
        let territory = self.territory();
        let room = |seat: Seat| f32::from(territory[seat.index()]);
        score_pairs(values, |one, other| match (self.rides(one), self.rides(other)) {
            (true, true) => even_chance(0.15 * (room(one) - room(other))),
            (true, false) => 1.0,
            (false, true) => 0.0,
            (false, false) => settled(self.placed(one), self.placed(other)),
        });
    }
}

/// How much more room a seat has than the others have on average.
fn lead(position: &Position, territory: Territory, seat: usize) -> f32 {
    let (sum, others) = position
        .riding()
        .filter(|&other| other != seat)
        .fold((0.0, 0.0), |(sum, others), other| (sum + f32::from(territory[other]), others + 1.0));
    f32::from(territory[seat]) - if others > 0.0 { sum / others } else { 0.0 }
}

impl Position {
    /// How many neighbours of the next cell this way cannot be ridden on: whoever keeps to the edge leaves no holes.
    fn closed_beside(&self, seat: usize, way: Direction) -> f32 {
        let target = self.board.step(self.riders[seat].at, way);
        if self.board[target] != Ground::EMPTY {
            return 0.0;
        }
        let closed = |way: &Direction| self.board[self.board.step(target, *way)] != Ground::EMPTY;
        f32::from(super::narrow(Direction::ALL.iter().filter(|way| closed(way)).count()))
    }
}
