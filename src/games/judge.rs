//! How good a position and an action are: what the bots know of a game.

use std::cmp::Ordering;

use super::game::Game;
use super::seat::Seat;

/// What the bots know of a game. A game that says nothing here is played at random by rules of thumb, and searched with
/// nothing but its outcomes to go by.
pub trait Judge: Game {
    /// How the search is set for this game.
    const TUNING: Tuning = Tuning { exploration: 1.0, sharpness: 0.0, habit: 0.0, contempt: 0.0 };

    /// How good each of these legal actions of a seat in `to_act` is by rules of thumb; more is better.
    fn merits(&self, _seat: Seat, _actions: &[Self::Action], merits: &mut [f32]) {
        merits.fill(0.0);
    }

    /// What each seat can expect of a position that is not over: its score in [0, 1], `(n − place) / (n − 1)`.
    fn judge(&self, values: &mut [f32]) {
        values.fill(0.5);
    }
}

/// How the engine is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// How much it looks at what it has looked at little.
    pub exploration: f32,
    /// How much more it looks at what the rules of thumb call better: by a factor of e for each 1/sharpness of merit.
    /// At 0 they are not asked.
    pub sharpness: f32,
    /// How often, of 1, it takes the others to play by the rules of thumb instead of what is best for them; where these
    /// are not asked, to play anything.
    pub habit: f32,
    /// How much less than the rules say it is worth to it when all share one place.
    pub contempt: f32,
}

/// How likely it is to come out ahead with such a lead: half without one.
pub(super) fn even_chance(lead: f32) -> f32 {
    1.0 / (1.0 + (-lead).exp())
}

/// Every seat's expected score: the share of the others that it will be placed above, each as likely as `chance` says.
pub(super) fn score_pairs(values: &mut [f32], chance: impl Fn(Seat, Seat) -> f32) {
    let count = values.len();
    for (index, value) in values.iter_mut().enumerate() {
        let seat = Seat::new(index);
        let (sum, others) = Seat::first(count)
            .filter(|&other| other != seat)
            .fold((0.0, 0.0), |(sum, others), other| (sum + chance(seat, other), others + 1.0));
        *value = if others > 0.0 { sum / others } else { 1.0 };
    }
}

/// Who is above whom when both places are settled.
pub(super) fn settled(one: Option<u32>, other: Option<u32>) -> f32 {
    match one.cmp(&other) {
        Ordering::Less => 1.0,
        Ordering::Equal => 0.5,
        Ordering::Greater => 0.0,
    }
}
