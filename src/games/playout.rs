//! Random games: what the engine's speed is measured with, and what checks play.

use super::any::each;
use super::dice::Dice;
use super::game::Game;
use super::joint::Joint;
use super::table::Table;

/// Plays uniformly random legal actions to the end, collecting no events, and gives the number of turns. The joint is
/// the caller's so that its memory serves many games.
pub fn playout<G: Game>(game: &mut G, joint: &mut Joint<G::Action>, dice: &mut Dice) -> u64 {
    let mut turns = 0;
    while game.random_turn(joint, dice) {
        turns += 1;
    }
    turns
}

/// Plays games from a table's position for as long as somebody wants another one, and gives the numbers of games and of
/// turns.
pub fn playouts(table: &Table, dice: &mut Dice, mut another: impl FnMut() -> bool) -> (u64, u64) {
    each!(Position: table.position(), start => {
        let (mut games, mut turns) = (0, 0);
        let mut joint = Joint::new();
        while another() {
            turns += playout(&mut start.clone(), &mut joint, dice);
            games += 1;
        }
        (games, turns)
    })
}
