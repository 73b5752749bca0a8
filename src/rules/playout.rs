//! Random games: what the engine's speed is measured with, and what checks play.

use super::dice::Dice;
use super::game::Game;
use super::joint::{Joint, Order};

/// Plays uniformly random legal actions to the end, collecting no events, and gives the number of turns. The joint is
/// the caller's so that its memory serves many games.
pub fn playout<G: Game>(game: &mut G, joint: &mut Joint<G::Action>, dice: &mut Dice) -> u64 {
    let mut turns = 0;
    loop {
        let to_act = game.to_act();
        if to_act.is_empty() {
            return turns;
        }
        joint.clear();
        for seat in to_act.iter() {
            joint.set(seat, Order::Play(game.random_legal(seat, dice)));
        }
        game.resolve(joint, dice, &mut ());
        turns += 1;
    }
}
