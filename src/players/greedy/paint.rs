//! Rules of thumb for Paint: take the most squares now, and stand where the next shot takes many.

use super::Greedy;
use crate::rules::paint::{Action, Direction, Position, Square, Surface};
use crate::rules::{Game, Joint, Order, Seat, Seed};

impl Greedy for Position {
    fn merits(&self, seat: Seat, actions: &[Action], merits: &mut [f32]) {
        let mut joint = Joint::new();
        // Nothing in this game is left to chance.
        let mut dice = Seed(0).dice();
        for (action, value) in actions.iter().zip(merits) {
            let gain = gain(self, seat, *action);
            let mut after = self.clone();
            joint.set(seat, Order::Play(*action));
            for other in self.to_act().iter().filter(|&other| other != seat) {
                joint.set(other, Order::Pass);
            }
            after.resolve(&joint, &mut dice, &mut ());
            *value = gain + 0.6 * prospect(&after, seat) - 0.1 * to_foreign(&after, seat);
        }
    }
}

/// What a square is worth to a seat: what one gains, and what a rival loses.
fn worth(game: &Position, seat: Seat, at: Square) -> f32 {
    match game.surface(at) {
        Surface::Neutral => 1.0,
        Surface::Painted(other) if other != seat => 2.0,
        Surface::Painted(_) | Surface::Obstacle => 0.0,
    }
}

fn occupied(game: &Position, at: Square) -> bool {
    Seat::first(game.seats()).any(|seat| game.at(seat) == at)
}

/// The worth of the squares that an action would paint if nobody else did anything.
pub(crate) fn gain(game: &Position, seat: Seat, action: Action) -> f32 {
    let from = game.at(seat);
    match action {
        Action::Move { direction } => match game.neighbour(from, direction) {
            Some(to) if !occupied(game, to) => worth(game, seat, to),
            _ => 0.0,
        },
        Action::Shoot { direction } => {
            let mut gain = 0.0;
            let mut at = from;
            for _ in 0..game.range(seat, direction) {
                match game.neighbour(at, direction) {
                    Some(next) if game.surface(next) != Surface::Obstacle && !occupied(game, next) => at = next,
                    _ => break,
                }
                gain += worth(game, seat, at);
            }
            gain
        }
    }
}

/// The most that a seat's next action could gain.
pub(crate) fn prospect(game: &Position, seat: Seat) -> f32 {
    let shot = |direction| gain(game, seat, Action::Shoot { direction });
    Direction::ALL.into_iter().map(shot).fold(0.0, f32::max)
}

/// How far the nearest square is that has another colour or none.
fn to_foreign(game: &Position, seat: Seat) -> f32 {
    let (rows, cols) = game.size();
    let from = game.at(seat);
    let squares = (0..rows).flat_map(|row| (0..cols).map(move |col| Square { row, col }));
    let far = squares
        .filter(|&square| worth(game, seat, square) > 0.0)
        .map(|square| square.row.abs_diff(from.row).max(square.col.abs_diff(from.col)))
        .min();
    far.map_or(0.0, f32::from)
}
