//! Cowboy between two is solved: whoever defends is never hit, so a match of two who do is a draw.
//!
//! The proof is a strategy. The attacker may do whatever the rules allow, on a board from which all blocks are gone:
//! a block can only be in the way of its steps and beams, so whoever is safe here is safe among blocks, too. The
//! defender never shoots and keeps off the cells where a block is at the start.

use std::collections::HashSet;

use standoff::games::cowboy::{Action, Cell, Direction, Position, Rules};
use standoff::games::ruleset::Rules as AnyRules;
use standoff::games::{Game, Joint, Order, Ruleset, Seat, Seed};

fn rules(ruleset: &str) -> Rules {
    match Ruleset::named(ruleset).expect("built in").rules {
        AnyRules::Cowboy(rules) => rules,
        _ => panic!("{ruleset} is not Cowboy"),
    }
}

/// All that matters of a position where nobody has been hit and it is the attacker's turn.
type Key = [(Cell, Direction); 2];

fn key(position: &Position) -> Key {
    [0, 1].map(|seat| (position.at(Seat::new(seat)), position.shield(Seat::new(seat))))
}

fn after(position: &Position, seat: Seat, action: Action) -> Position {
    let mut next = position.clone();
    next.resolve(&Joint::one(seat, Order::Play(action)), &mut Seed(0).dice(), &mut ());
    next
}

/// An action of the defender that leads to no position known to be lost: rather a turn of its shield than a step.
fn answer(rules: &Rules, position: &Position, defender: Seat, lost: &HashSet<Key>) -> Option<Position> {
    let cols = rules.map.cols;
    let quiet = |action: &Action| match *action {
        Action::Move { direction } => {
            let to = position.at(defender).step(direction);
            rules.map.cells[usize::from(to.row) * cols + usize::from(to.col)] == 0
        }
        Action::Shield { .. } => true,
        Action::Shoot { .. } | Action::Speak { .. } => false,
    };
    let actions = position.legal(defender).into_iter().rev().filter(quiet);
    actions.map(|action| after(position, defender, action)).find(|next| !lost.contains(&key(next)))
}

/// Whether a seat can keep from ever being hit.
fn is_never_hit(rules: &Rules, defender: Seat) -> bool {
    let attacker = Seat::new(1 - defender.index());
    let mut bare = Rules { max_rounds: 100_000, ..rules.clone() };
    for cell in &mut bare.map.cells {
        *cell = (*cell).min(0);
    }
    let start = Position::open(&bare, 2, &mut Seed(0).dice()).expect("two can play");
    // What turned out to be lost is avoided in the next attempt, until an attempt meets nothing that is.
    let mut lost = HashSet::new();
    loop {
        let first = if start.to_act().contains(defender) {
            answer(rules, &start, defender, &lost)
        } else {
            Some(start.clone()).filter(|start| !lost.contains(&key(start)))
        };
        let Some(first) = first else { return false };
        let mut seen = HashSet::from([key(&first)]);
        let mut ahead = vec![first];
        let known = lost.len();
        while let Some(position) = ahead.pop() {
            for action in position.legal(attacker) {
                let next = after(&position, attacker, action);
                let unhurt = next.hp(defender) == position.hp(defender);
                match answer(rules, &next, defender, &lost).filter(|_| unhurt) {
                    Some(answered) if seen.insert(key(&answered)) => ahead.push(answered),
                    Some(_) => {}
                    None => {
                        lost.insert(key(&position));
                        break;
                    }
                }
            }
        }
        if lost.len() == known {
            return true;
        }
    }
}

#[test]
fn between_two_nobody_who_defends_is_ever_hit() {
    for ruleset in ["cowboy", "cowboy-duel", "cowboy-classic"] {
        for defender in Seat::first(2) {
            assert!(is_never_hit(&rules(ruleset), defender), "{ruleset}: {defender} can be hit");
        }
    }
}

#[test]
fn who_stands_in_an_open_line_of_fire_is_hit() {
    let mut rules = Rules { sides: vec![Direction::Up, Direction::Down], ..rules("cowboy-classic") };
    rules.map.cells.fill(0);
    assert!(!is_never_hit(&rules, Seat::new(1)), "A shoots first, and B's shield faces the other way");
    assert!(is_never_hit(&rules, Seat::new(0)), "A turns its shield first");
}
