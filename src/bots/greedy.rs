//! The bot that plays by rules of thumb.

use super::bot::Bot;
use crate::games::any::{Member, each};
use crate::games::judge::Judge;
use crate::games::view::{Seen, View};
use crate::games::{Action, Dice, Seat, Seed};

/// The best action of a seat in `to_act` by rules of thumb; dice decide between equals.
pub fn greedy<G: Judge>(game: &G, seat: Seat, dice: &mut Dice) -> G::Action {
    let mut actions = game.legal(seat);
    let mut merits = vec![0.0; actions.len()];
    game.merits(seat, &actions, &mut merits);
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
    fn choose(&mut self, view: &View, seat: Seat) -> Option<Action> {
        fn choose<G: Member>(seen: &Seen<G>, seat: Seat, dice: &mut Dice) -> Action {
            G::wrap_action(greedy(&*seen.visible(), seat, dice))
        }
        if !view.must_act(seat) {
            return None;
        }
        let mut dice = self.seed.turn(view.turn().into());
        Some(each!(AnySeen: view.seen(), seen => choose(seen, seat, &mut dice)))
    }

    fn is_quick(&self) -> bool {
        true
    }
}
