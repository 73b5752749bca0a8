//! The bot that plays by rules of thumb: one file a game.

pub mod cowboy;

use super::bot::{Bot, NOTHING};
use crate::rules::table::Position;
use crate::rules::{Dice, Game, Seat, Seed, Table};

/// A game that has rules of thumb.
pub trait Greedy: Game {
    /// The best action of a seat in `to_act` by rules of thumb; dice decide between equals.
    fn greedy(&self, seat: Seat, dice: &mut Dice) -> Self::Action;
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
            _ => table.random_legal(seat, &mut dice),
        }
    }
}

/// The best of some candidates so far; of equals each is as likely to stay.
pub(super) struct Best<T> {
    found: Option<(f32, T)>,
    equals: u32,
}

impl<T> Best<T> {
    pub(super) const fn new() -> Best<T> {
        Best { found: None, equals: 0 }
    }

    pub(super) fn offer(&mut self, merit: f32, candidate: T, dice: &mut Dice) {
        match &self.found {
            Some((best, _)) if merit < *best => {}
            #[expect(clippy::float_cmp, reason = "equal by the same arithmetic")]
            Some((best, _)) if merit == *best => {
                self.equals += 1;
                if dice.below(self.equals) == 0 {
                    self.found = Some((merit, candidate));
                }
            }
            _ => {
                self.equals = 1;
                self.found = Some((merit, candidate));
            }
        }
    }

    pub(super) fn take(self) -> Option<T> {
        self.found.map(|(_, candidate)| candidate)
    }
}
