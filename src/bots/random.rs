//! The bot that throws dice.

use super::bot::Bot;
use crate::games::any::{Member, each};
use crate::games::view::{Seen, View};
use crate::games::{Action, Dice, Seat, Seed};

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
    fn choose(&mut self, view: &View, seat: Seat) -> Option<Action> {
        fn draw<G: Member>(seen: &Seen<G>, seat: Seat, dice: &mut Dice) -> Action {
            G::wrap_action(seen.random_legal(seat, dice))
        }
        if !view.must_act(seat) {
            return None;
        }
        let mut dice = self.seed.turn(view.turn().into());
        Some(each!(AnySeen: view.seen(), seen => draw(seen, seat, &mut dice)))
    }

    fn is_quick(&self) -> bool {
        true
    }
}
