//! The laws that every game keeps, whatever its rules: written once, run on every ruleset there is.
//!
//! A new game gets them by one line in [`typed_laws`], and the compiler asks for it. `PROPTEST_CASES` of
//! some thousands plays more matches of each ruleset and number of players.

mod reading;
mod sealed;
mod seen;
mod table;
mod typed;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use standoff::games::ruleset::Rules;
use standoff::games::{Dice, Outcome, Ruleset, Seat, Seats, Seed, Table, cowboy, library, paint, royale, trails};

/// Whether places are given to seats or to teams, whose members share them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sides {
    Alone,
    Teams,
}

/// Runs the laws that need to know the game's types.
fn typed_laws(ruleset: &Ruleset, seats: usize, seed: Seed) {
    let players = u32::try_from(seats).expect("few");
    match &ruleset.rules {
        Rules::Cowboy(rules) => {
            typed::laws::<cowboy::Position>(rules, seats, seed, rules.max_rounds * players, Sides::Alone);
        }
        Rules::Paint(rules) => typed::laws::<paint::Position>(rules, seats, seed, rules.turns, Sides::Alone),
        Rules::Royale(rules) => {
            let sides = if rules.terms.teams == 0 { Sides::Alone } else { Sides::Teams };
            typed::laws::<royale::Position>(rules, seats, seed, rules.terms.max_ticks, sides);
        }
        Rules::Trails(rules) => typed::laws::<trails::Position>(rules, seats, seed, rules.max_turns, Sides::Alone),
    }
}

#[test]
fn every_built_in_ruleset_keeps_the_laws() {
    for name in library::rulesets() {
        let ruleset = Arc::new(Ruleset::named(name).expect("it is built in"));
        table::takes_as_many_as_it_says(&ruleset);
        for seats in counts(&ruleset) {
            for case in 0..cases() {
                let seed = Seed(1).child(name, case);
                typed_laws(&ruleset, seats, seed);
                table::laws(&ruleset, seats, seed);
                sealed::laws(&ruleset, seats, seed);
                seen::laws(&ruleset, seats, seed);
            }
        }
    }
}

#[test]
fn changed_rulesets_and_random_maps_keep_the_laws() {
    for name in library::rulesets() {
        let mut played = 0;
        for case in 0..12 * cases() {
            let seed = Seed(2).child(name, case);
            let mut dice = seed.child("changes", 0).dice();
            // What is no field of this game, or leaves a seat without a start, is refused; that is another test's.
            let Ok(ruleset) = Ruleset::from_json(&changed(name, &mut dice)) else { continue };
            let ruleset = Arc::new(ruleset);
            let mut counts = counts(&ruleset);
            // Not every number makes teams of one size.
            counts.retain(|&seats| Table::open(ruleset.clone(), seats, seed).is_ok());
            let seats = *dice.pick(&counts).expect("some number can play");
            typed_laws(&ruleset, seats, seed);
            table::laws(&ruleset, seats, seed);
            sealed::laws(&ruleset, seats, seed);
            seen::laws(&ruleset, seats, seed);
            played += 1;
        }
        assert!(played >= cases(), "{name}: no change was accepted");
    }
}

/// How many matches of each kind are played: a match is worth hundreds of smaller cases.
fn cases() -> u64 {
    let cases: Option<u64> = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    cases.map_or(1, |cases| (cases / 256).max(1))
}

/// The dear laws are held against the first positions of a match and some of the others.
fn worth_a_look(turn: u32) -> bool {
    turn < 8 || turn.is_multiple_of(17)
}

/// All seats of a set, or where there are very many about eight of them.
fn some(seats: &Seats) -> impl Iterator<Item = Seat> {
    seats.iter().step_by(seats.len() / 9 + 1)
}

/// All numbers of players, or where there are very many the first few and some larger ones.
fn counts(ruleset: &Ruleset) -> Vec<usize> {
    let (min, max) = (ruleset.players.min, ruleset.players.max);
    (min..=max).filter(|&count| count <= 8 || [27, 70].contains(&count)).collect()
}

/// A built-in ruleset with a few of its fields changed.
fn changed(base: &str, dice: &mut Dice) -> Json {
    let resolved = serde_json::to_value(Ruleset::named(base).expect("it is built in")).expect("it serialises");
    let mut fields = json!({ "base": base });
    for (key, values) in [
        ("hp", json!([1, 2])),
        ("max_rounds", json!([1, 7, 30])),
        ("turns", json!([1, 7, 30])),
        ("max_ticks", json!([1, 7, 30])),
        ("max_turns", json!([1, 7, 30])),
        ("bodies", json!(["vanish", "block-moves"])),
        ("speech", json!(["off", "free"])),
        ("sides", json!([["down", "left", "right"]])),
        ("teams", json!([2, 4])),
        ("range", json!([1, 64])),
        ("sight", json!([1, 3, 64])),
        ("zone_every", json!([1, 3])),
        ("zone_shrinks", json!([0, 64])),
        ("powerups", json!([{ "every": 1, "most": 8 }, { "every": 4, "kinds": ["damage"] }])),
    ] {
        let values = values.as_array().expect("a list of values");
        if resolved.get(key).is_some() && dice.below(2) == 0 {
            fields[key] = dice.pick(values).expect("some values").clone();
        }
    }
    if dice.below(3) > 0 {
        fields["map"] = any_map(dice);
        // The size is the map's.
        for side in ["rows", "cols", "width", "height"].into_iter().filter(|side| resolved.get(*side).is_some()) {
            fields[side] = json!(0);
        }
    }
    fields
}

/// Open ground, walls and weak blocks, in the legend that the games share.
fn any_map(dice: &mut Dice) -> Json {
    let (rows, cols) = (1 + dice.below(15), 1 + dice.below(15));
    let (walls, blocks) = (dice.below(20), dice.below(2) * dice.below(30));
    let mut cell = || match dice.below(100) {
        n if n < walls => '#',
        n if n < walls + blocks => '1',
        _ => '.',
    };
    (0..rows).map(|_| (0..cols).map(|_| cell()).collect::<String>()).collect()
}

/// All that could be an action of some game, in canonical notation.
fn notations() -> Vec<String> {
    let directions = "up down left right north north-east east south-east south south-west west north-west";
    let mut first: Vec<String> = vec!["stay".into(), "speak hello".into()];
    for verb in ["move", "shield", "shoot"] {
        first.extend(directions.split(' ').map(|direction| format!("{verb} {direction}")));
    }
    let shots: Vec<String> = first.iter().filter(|text| text.starts_with("shoot")).cloned().collect();
    let pairs = first.iter().flat_map(|text| shots.iter().map(move |shot| format!("{text}, {shot}")));
    let all: BTreeSet<String> = pairs.chain(first.iter().cloned()).collect();
    all.into_iter().collect()
}

/// Every seat has a place, and a place is one more than the number of those with better ones.
#[track_caller]
fn check_places(outcome: &Outcome, seats: usize) {
    assert!(outcome.places.keys().copied().eq(Seat::first(seats)), "{outcome:?}");
    for &place in outcome.places.values() {
        let better = outcome.places.values().filter(|&&other| other < place).count();
        assert_eq!(place as usize, better + 1, "{outcome:?}");
    }
}
