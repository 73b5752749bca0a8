//! Openings: random turns, drawn from the match's seed, that a match starts after.
//!
//! They make the games of one ruleset differ from seed to seed, also between players who always answer the same. In a
//! drawn turn nobody is harmed, and what it changes beyond the board is undone: the match starts with every counter at
//! its beginning.

use super::dice::{Dice, Seed};
use super::game::Game;
use super::joint::{Joint, Order};

/// The most turns that an opening can have.
pub const MAX_TURNS: u32 = 64;

/// So often one turn is drawn; if somebody comes to harm every time, the opening ends before that turn.
const MAX_DRAWS: u32 = 32;

/// Plays random turns from a start and gives them, with the start that they lead to.
pub fn draw<G: Game>(start: &G, turns: u32, dice: &mut Dice) -> (G, Vec<Joint<G::Action>>) {
    draw_where(start, turns, dice, G::is_harmed_since)
}

fn draw_where<G: Game>(
    start: &G,
    turns: u32,
    dice: &mut Dice,
    is_harmed: impl Fn(&G, &G) -> bool,
) -> (G, Vec<Joint<G::Action>>) {
    let mut position = start.clone();
    position.lift_limits();
    let mut drawn = Vec::new();
    while drawn.len() < turns as usize {
        let Some((joint, next)) = (0..MAX_DRAWS).find_map(|_| draw_turn(&position, dice, &is_harmed)) else { break };
        position = next;
        drawn.push(joint);
    }
    let mut opened = start.clone();
    if !drawn.is_empty() {
        opened.set_up_like(&position);
    }
    (opened, drawn)
}

/// A random turn and the position after it; nothing if it does harm.
fn draw_turn<G: Game>(
    position: &G,
    dice: &mut Dice,
    is_harmed: &impl Fn(&G, &G) -> bool,
) -> Option<(Joint<G::Action>, G)> {
    let draw = |seat| {
        let legal = position.legal(seat);
        (seat, Order::Play(dice.pick(&legal).expect("a seat that must act has a legal action").clone()))
    };
    let joint: Joint<G::Action> = position.to_act().iter().map(draw).collect();
    let mut next = position.clone();
    // What chance does in a turn takes nothing from the dice of the opening.
    next.resolve(&joint, &mut Seed(0).dice(), &mut ());
    (!is_harmed(&next, position)).then_some((joint, next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::Rules;
    use crate::games::cowboy::Position;
    use crate::games::ruleset::Ruleset;

    fn start() -> Position {
        let Rules::Cowboy(rules) = Ruleset::named("cowboy").expect("built in").rules else { panic!("a cowboy") };
        Position::open(&rules, 2, &mut Seed(0).set_up()).expect("two can play")
    }

    #[test]
    fn the_dice_of_an_opening_are_pinned() {
        assert_eq!(Seed(7).opening(), Seed(7).child("opening", 0).dice());
        let (_, turns) = draw(&start(), 4, &mut Seed(7).opening());
        let written = turns.iter().flat_map(|joint| joint.iter().filter_map(|(_, order)| order.action()));
        let written: Vec<String> = written.map(ToString::to_string).collect();
        assert_eq!(written, ["shield up", "move right", "shield up", "move up"]);
    }

    #[test]
    fn a_turn_that_does_harm_is_drawn_again_with_the_same_dice() {
        let mut dice = Seed(1).dice();
        let mut draws = Vec::new();
        for _ in 0..MAX_DRAWS {
            draws.push(draw_turn(&start(), &mut dice, &|_, _| false).expect("no harm").0);
        }
        for vain in [0_usize, 1, 31] {
            let left = std::cell::Cell::new(vain);
            let is_harmed = |_: &Position, _: &Position| left.replace(left.get().saturating_sub(1)) > 0;
            let (_, turns) = draw_where(&start(), 1, &mut Seed(1).dice(), is_harmed);
            assert_eq!(turns, [draws[vain].clone()], "after {vain} draws in vain");
        }
    }

    #[test]
    fn after_32_draws_of_one_turn_in_vain_the_opening_ends_there() {
        let calls = std::cell::Cell::new(0);
        // The third turn always does harm.
        let is_harmed = |_: &Position, before: &Position| {
            calls.set(calls.get() + 1);
            before.turn() >= 2
        };
        let (opened, turns) = draw_where(&start(), 12, &mut Seed(1).dice(), is_harmed);
        assert_eq!((turns.len(), calls.get()), (2, 2 + 32));
        assert_ne!(opened, start());
        let (opened, turns) = draw_where(&start(), 12, &mut Seed(1).dice(), |_, _| true);
        assert_eq!((opened, turns.len()), (start(), 0));
    }
}
