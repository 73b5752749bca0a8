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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value as Json, json};

    use super::*;
    use crate::games::testing::compare_random_turns;
    use crate::games::{Ruleset, Seed, library};

    #[test]
    fn a_random_turn_is_a_turn_of_random_legal_actions() {
        let mut rulesets: Vec<Json> = library::rulesets().map(|name| json!(name)).collect();
        rulesets.push(json!({ "base": "grid-royale", "powerups": { "every": 1 }, "hp": 9 }));
        rulesets.push(json!({ "base": "grid-royale", "teams": 2, "zone_every": 3 }));
        let mut dice = Seed(5).dice();
        for ruleset in rulesets {
            let ruleset = Arc::new(Ruleset::from_json(&ruleset).expect("a good ruleset"));
            for seats in [2, 4].into_iter().filter(|seats| ruleset.check_players(*seats).is_ok()) {
                let table = Table::open(ruleset.clone(), seats, Seed(1)).expect("so many can play");
                let turns: u32 = (0..10)
                    .map(|_| each!(Position: table.position(), start => compare_random_turns(start.clone(), &mut dice)))
                    .sum();
                assert!(turns > 50, "{}: {turns}", ruleset.name);
            }
        }
    }
}
