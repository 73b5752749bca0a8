//! Random games: what the engine's speed is measured with, and what checks play.

use super::dice::Dice;
use super::game::Game;
use super::joint::Joint;

/// Plays uniformly random legal actions to the end, collecting no events, and gives the number of turns. The joint is
/// the caller's so that its memory serves many games.
pub fn playout<G: Game>(game: &mut G, joint: &mut Joint<G::Action>, dice: &mut Dice) -> u64 {
    let mut turns = 0;
    while game.random_turn(joint, dice) {
        turns += 1;
    }
    turns
}
