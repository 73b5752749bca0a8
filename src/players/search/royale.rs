//! How Grid Royale is played out and judged.

use super::super::greedy::royale::{landing, line};
use super::{Playable, Tuning, even_chance, score_pairs, settled};
use crate::rules::royale::{Action, Direction, MAX_SEATS, Position, Step};
use crate::rules::{Dice, Game, Seat};

impl Playable for Position {
    const TUNING: Tuning = Tuning { exploration: 2.0, playout_turns: 6, first_look: 0.0, sharpness: 5.0, habit: 0.5 };

    fn playout(&self, seat: Seat, dice: &mut Dice) -> Action {
        let from = self.at(seat);
        let zone = self.zone_at(self.tick() + 1);
        let mut step = Step::ALL[dice.below(5) as usize];
        let mut tile = landing(self, from, step);
        for _ in 0..2 {
            if zone.contains(tile) {
                break;
            }
            step = Step::ALL[dice.below(5) as usize];
            tile = landing(self, from, step);
        }
        let shoot = Seat::first(self.seats())
            .filter(|&other| self.alive(other) && !self.allies(seat, other))
            .find_map(|rival| line(self, tile, self.at(rival)));
        Action { step, shoot: shoot.or_else(|| Some(Direction::ALL[dice.below(4) as usize])) }
    }

    fn judge(&self, values: &mut [f32]) {
        let mut strength = [0.0; MAX_SEATS];
        let (width, height) = self.size();
        for seat in Seat::first(self.seats()).filter(|&seat| self.alive(seat)) {
            let at = self.at(seat);
            let centre = f32::from(at.x.abs_diff(width / 2).max(at.y.abs_diff(height / 2)));
            strength[seat.index()] = f32::from(self.hp(seat)) - 0.1 * centre;
        }
        score_pairs(values, |one, other| match (self.alive(one), self.alive(other)) {
            _ if self.allies(one, other) => 0.5,
            (true, true) => even_chance(strength[one.index()] - strength[other.index()]),
            (true, false) => 1.0,
            (false, true) => 0.0,
            (false, false) => settled(self.placed(one), self.placed(other)),
        });
    }
}
