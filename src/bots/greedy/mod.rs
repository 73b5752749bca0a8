//! The bot that plays by rules of thumb: one file a game.

pub mod cowboy;
pub mod paint;
pub mod royale;

use super::bot::{Bot, NOTHING};
use crate::games::table::Position;
use crate::games::{Dice, Game, Seat, Seed, Table};

/// A game that has rules of thumb.
pub trait Greedy: Game {
    /// How good each of these legal actions of a seat in `to_act` is by rules of thumb; more is better.
    fn merits(&self, seat: Seat, actions: &[Self::Action], merits: &mut [f32]);

    /// The best action of a seat in `to_act` by rules of thumb; dice decide between equals.
    fn greedy(&self, seat: Seat, dice: &mut Dice) -> Self::Action {
        let mut actions = self.legal(seat);
        let mut merits = vec![0.0; actions.len()];
        self.merits(seat, &actions, &mut merits);
        let best = merits.iter().copied().fold(f32::MIN, f32::max);
        let mut equals = 0;
        let mut choice = 0;
        for (index, _) in merits.iter().enumerate().filter(|(_, merit)| **merit >= best) {
            equals += 1;
            if dice.below(equals) == 0 {
                choice = index;
            }
        }
        actions.swap_remove(choice)
    }
}

/// Plays the best action by rules of thumb.
#[derive(Clone, Debug)]
pub struct GreedyBot {
    seed: Seed,
}

impl GreedyBot {
    /// A bot with its own dice.
    pub const fn new(seed: Seed) -> GreedyBot {
        GreedyBot { seed }
    }
}

impl Bot for GreedyBot {
    fn choose(&mut self, table: &Table, seat: Seat) -> String {
        if !table.to_act().contains(seat) {
            return NOTHING.to_owned();
        }
        let mut dice = self.seed.turn(table.turn().into());
        match table.position() {
            Position::Cowboy(game) => game.greedy(seat, &mut dice).to_string(),
            Position::Paint(game) => game.greedy(seat, &mut dice).to_string(),
            Position::Royale(game) => game.greedy(seat, &mut dice).to_string(),
        }
    }

    fn is_quick(&self) -> bool {
        true
    }
}
