//! How Paint is played out and judged.

use smallvec::SmallVec;

use super::super::greedy::paint::gain;
use super::{Playable, Tuning, even_chance, score_pairs};
use crate::rules::paint::{Action, Direction, Position};
use crate::rules::{Dice, Game, Seat};

impl Playable for Position {
    const TUNING: Tuning = Tuning { exploration: 2.0, playout_turns: 4, first_look: 0.0, sharpness: 1.0, habit: 0.0 };

    fn playout(&self, seat: Seat, dice: &mut Dice) -> Action {
        let mut best = self.random_legal(seat, dice);
        let mut best_gain = gain(self, seat, best);
        for _ in 0..3 {
            let other = self.random_legal(seat, dice);
            let gain = gain(self, seat, other);
            if gain > best_gain {
                best = other;
                best_gain = gain;
            }
        }
        best
    }

    fn judge(&self, values: &mut [f32]) {
        let left = f32::from(u16::try_from(self.turns_left()).unwrap_or(u16::MAX));
        let strength: SmallVec<[f32; 4]> = Seat::first(self.seats())
            .map(|seat| {
                // The best shot at hand is half as good as squares already painted.
                let shots = Direction::ALL.map(|direction| gain(self, seat, Action::Shoot { direction }));
                f32::from(self.score(seat)) + 0.5 * shots.into_iter().fold(0.0, f32::max)
            })
            .collect();
        // The less there is left to play, the more a lead is worth.
        let weight = 1.0 / (1.0 + left.sqrt());
        score_pairs(values, |one, other| match (self.forfeited(one), self.forfeited(other)) {
            (false, true) => 1.0,
            (true, false) => 0.0,
            _ => even_chance(weight * (strength[one.index()] - strength[other.index()])),
        });
    }
}
