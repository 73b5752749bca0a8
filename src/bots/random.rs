//! The bot that throws dice.

use super::bot::{Bot, NOTHING};
use crate::games::{Seat, Seed, Table};

/// Plays any legal action, each as likely as the others.
#[derive(Clone, Debug)]
pub struct RandomBot {
    seed: Seed,
}

impl RandomBot {
    /// A bot with its own dice.
    pub const fn new(seed: Seed) -> RandomBot {
        RandomBot { seed }
    }
}

impl Bot for RandomBot {
    fn choose(&mut self, table: &Table, seat: Seat) -> String {
        if !table.to_act().contains(seat) {
            return NOTHING.to_owned();
        }
        table.random_legal(seat, &mut self.seed.turn(table.turn().into()))
    }

    fn is_quick(&self) -> bool {
        true
    }
}
