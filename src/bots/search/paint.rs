//! How Paint is judged.

use smallvec::SmallVec;

use super::super::greedy::paint::Canvas;
use super::{Playable, Tuning, even_chance, score_pairs};
use crate::games::paint::Position;
use crate::games::{Game, Seat};

impl Playable for Position {
    const TUNING: Tuning = Tuning { exploration: 0.5, sharpness: 1.0, habit: 0.0, contempt: 0.0 };

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
