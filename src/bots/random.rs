//! The bot that throws dice.

use super::bot::Bot;
use crate::games::any::{Member, each};
use crate::games::view::{Partial as _, Seen, View};
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
            match seen {
                Seen::All(game) => G::wrap_action(game.random_legal(seat, dice)),
                Seen::Part(part) => {
                    let legal = part.legal(seat);
                    G::wrap_action(dice.pick(&legal).expect("a seat that must act has a legal action").clone())
                }
            }
        }
        if !view.to_act().contains(seat) {
            return None;
        }
        let mut dice = self.seed.turn(view.turn().into());
        Some(each!(AnySeen: view.seen(), seen => draw(seen, seat, &mut dice)))
    }

    fn is_quick(&self) -> bool {
        true
    }
}
