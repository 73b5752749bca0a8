//! What a turn costs a model to read, counted with the vocabulary `o200k_base`.

use std::sync::Arc;

use standoff::briefs::{Language, TurnContext, Variant};
use standoff::games::{Joint, Order, Ruleset, Seat, Seed, Table, Viewer, library};
use tiktoken_rs::o200k_base_singleton;

/// The messages of the turns of a random match, to the seat that is asked first.
fn turns(name: &str, variant: &Variant, language: Language) -> Vec<String> {
    let ruleset = Arc::new(Ruleset::named(name).expect("it is built in"));
    let (seats, seed) = (ruleset.players.default, Seed(5));
    let mut table = Table::open(ruleset, seats, seed).expect("so many can play");
    let mut dice = seed.dice();
    let (mut since, mut messages) = (Vec::new(), Vec::new());
    let seat = Seat::new(0);
    while !table.to_act().is_empty() && messages.len() < 40 {
        if table.to_act().contains(seat) {
            let view = table.view(Viewer::Seat(seat));
            let context = TurnContext { view: &view, seat, since: &since, said: &[], history: &[], notes: None };
            messages.push(variant.turn(&context, language));
            since.clear();
        }
        let acts = |seat| (seat, Order::Play(table.random_legal(seat, &mut dice)));
        let joint: Joint<_> = table.to_act().iter().map(acts).collect();
        since.extend(table.play(&joint, &mut seed.turn(table.turn().into())).expect("it is legal"));
    }
    messages
}

fn tokens(text: &str) -> usize {
    o200k_base_singleton().count_ordinary(text)
}

#[test]
fn a_turn_of_any_ruleset_is_short_as_long_as_nobody_talks() {
    let mut over = Vec::new();
    for (name, language) in library::rulesets().flat_map(|name| Language::ALL.map(|language| (name, language))) {
        let most = if name == "grid-royale" { 400 } else { 520 };
        let longest = turns(name, &Variant::default(), language).iter().map(|turn| tokens(turn)).max();
        over.extend(longest.filter(|tokens| *tokens > most).map(|tokens| format!("{name} {language}: {tokens}")));
    }
    assert_eq!(over, Vec::<String>::new());
}

/// Asked of the engine: whoever is told no legal actions in a turn may do the same in every position.
#[test]
fn legal_actions_are_left_out_of_a_turn_only_where_they_never_change() {
    for name in library::rulesets() {
        let ruleset = Arc::new(Ruleset::named(name).expect("it is built in"));
        let silent = !turns(name, &Variant::default(), Language::En)[0].contains("Your legal actions:");
        for seed in (0..20).map(Seed).filter(|_| silent) {
            let mut table = Table::open(ruleset.clone(), ruleset.players.default, seed).expect("so many can play");
            let first = table.legal(Seat::new(0));
            let mut dice = seed.dice();
            while !table.to_act().is_empty() {
                assert!(table.to_act().iter().all(|seat| table.legal(seat) == first), "{name}");
                let acts = |seat| (seat, Order::Play(table.random_legal(seat, &mut dice)));
                let joint: Joint<_> = table.to_act().iter().map(acts).collect();
                table.play(&joint, &mut seed.turn(table.turn().into())).expect("it is legal");
            }
        }
    }
}
