//! How Grid Royale is judged.

use super::super::greedy::royale::from_centre;
use super::{Playable, Tuning, even_chance, score_pairs, settled};
use crate::games::royale::{MAX_SEATS, Position};
use crate::games::{Game, Seat};

impl Playable for Position {
    // Two who stand in one line hit each other: without contempt for a draw they would trade shots to the end, and
    // without counting on habits nobody ever hits and is not hit.
    const TUNING: Tuning = Tuning { exploration: 0.2, sharpness: 5.0, habit: 0.5, contempt: 0.3 };

    fn judge(&self, values: &mut [f32]) {
        // What a seat's whole side has left, which is the seat alone where there are no teams.
        let mut strength: [Option<f32>; MAX_SEATS] = [None; MAX_SEATS];
        for one in Seat::first(self.seats()) {
            let side = Seat::first(self.seats()).filter(|&other| self.alive(other) && self.allies(one, other));
            for other in side {
                let merit = f32::from(self.hp(other)) - 0.25 * f32::from(from_centre(self, self.at(other)));
                *strength[one.index()].get_or_insert(0.0) += merit;
            }
        }
        score_pairs(values, |one, other| match (strength[one.index()], strength[other.index()]) {
            _ if self.allies(one, other) => 0.5,
            (Some(ours), Some(theirs)) => even_chance(0.5 * (ours - theirs)),
            (Some(_), None) => 1.0,
            (None, Some(_)) => 0.0,
            (None, None) => settled(self.placed(one), self.placed(other)),
        });
    }
}
