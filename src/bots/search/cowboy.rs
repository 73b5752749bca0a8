//! How Cowboy is judged.

use super::super::greedy::cowboy::{rivals, threats};
use super::{Playable, Tuning, even_chance, score_pairs, settled};
use crate::games::cowboy::{MAX_SEATS, Position};
use crate::games::{Game, Seat};

impl Playable for Position {
    const TUNING: Tuning = Tuning { exploration: 1.0, sharpness: 0.0, habit: 0.0, contempt: 0.0 };

    fn judge(&self, values: &mut [f32]) {
        let mut strength = [0.0; MAX_SEATS];
        for seat in Seat::first(self.seats()).filter(|&seat| self.alive(seat)) {
            strength[seat.index()] = f32::from(self.hp(seat)) + initiative(self, seat);
        }
        // Near the last round a lead is worth more: there is no time left to catch up.
        let rounds_left = (self.max_rounds() + 1).saturating_sub(self.round());
        let rounds_left = f32::from(u16::try_from(rounds_left).unwrap_or(u16::MAX));
        let weight = 0.35 + 3.0 / (1.0 + rounds_left);
        score_pairs(values, |one, other| match (self.alive(one), self.alive(other)) {
            (true, true) => even_chance(weight * (strength[one.index()] - strength[other.index()])),
            (true, false) => 1.0,
            (false, true) => 0.0,
            (false, false) => settled(self.placed(one), self.placed(other)),
        });
        for (index, value) in values.iter_mut().enumerate() {
            *value = (*value - 0.001 * distance(self, Seat::new(index))).max(0.0);
        }
    }
}

/// What a shot that would hurt somebody is worth in hit points: most of one for the seat whose turn it is.
fn initiative(game: &Position, seat: Seat) -> f32 {
    if rivals(game, seat).all(|rival| threats(game, seat, rival) == 0) {
        0.0
    } else if game.to_act().contains(seat) {
        0.8
    } else {
        0.3
    }
}

/// How far the nearest rival is. Whoever stays away wins nothing, so near is a little better.
fn distance(game: &Position, seat: Seat) -> f32 {
    let at = game.at(seat);
    let steps = rivals(game, seat).map(|rival| {
        let to = game.at(rival);
        at.row.abs_diff(to.row) + at.col.abs_diff(to.col)
    });
    steps.min().map_or(0.0, f32::from)
}
