//! What a view may depend on: on nothing that is hidden from whoever has it.

use std::sync::Arc;

use serde_json::json;
use standoff::briefs::{self, Language, Section, TurnContext};
use standoff::games::{Action, Dice, Event, Joint, Order, Ruleset, Seat, Seed, Table, View, Viewer};

use super::{some, worth_a_look};

/// Plays one random match and holds the views of it to the laws.
pub(super) fn laws(ruleset: &Arc<Ruleset>, seats: usize, seed: Seed) {
    let mut table = Table::open(ruleset.clone(), seats, seed).expect("so many can play");
    let mut dice = seed.child("choices", 2).dice();
    while !table.to_act().is_empty() {
        let before = table.clone();
        let orders = orders(&before, &mut dice);
        let events = table.play(&orders, &mut seed.turn(before.turn().into())).expect("legal actions play");
        if worth_a_look(before.turn()) || table.outcome().is_some() {
            for seat in some(&Seat::first(seats).collect()) {
                look(&before, &table, &events, &orders, Viewer::Seat(seat), &mut dice);
            }
            look(&before, &table, &events, &orders, Viewer::Public, &mut dice);
        }
    }
    for viewer in [Viewer::Public, Viewer::Seat(Seat::new(0)), Viewer::After] {
        let view = table.view(viewer);
        assert_eq!(view.position().as_ref(), Some(table.position()), "when it is over everybody sees everything");
        assert_eq!(view.outcome(), table.outcome());
    }
}

fn orders(table: &Table, dice: &mut Dice) -> Joint<Action> {
    table.to_act().iter().map(|seat| (seat, Order::Play(table.random_legal(seat, dice)))).collect()
}

fn look(before: &Table, after: &Table, events: &[Event], orders: &Joint<Action>, viewer: Viewer, dice: &mut Dice) {
    a_view_says_what_the_table_says(before, viewer);
    let told = after.told(before, &events.into(), viewer);
    if !before.hides() {
        assert_eq!(before.view(viewer).state(), before.state());
        assert_eq!(&*told, events);
        return;
    }
    // Another position that looks the same. Whatever is made of the view is the same, byte for byte.
    let mut other = before.view(viewer).sample(dice);
    assert_eq!(everything(&before.view(viewer), viewer, &[]), everything(&other.view(viewer), viewer, &[]));
    let state = json!(before.view(viewer).state());
    assert_eq!(state["viewer"], json!(viewer.seat()), "{state}");
    assert!(Table::from_state(before.ruleset().clone(), &state).is_err(), "a view is no position to play from");
    // A tick that looks the same from there, too, is told in the same words.
    let from = other.clone();
    let others = other.play(orders, &mut Seed(5).dice()).expect("what is legal does not hang on what is hidden");
    let told_there = other.told(&from, &others.as_slice().into(), viewer);
    if told == told_there && json!(after.view(viewer).state()) == json!(other.view(viewer).state()) {
        assert_eq!(
            everything(&after.view(viewer), viewer, &told),
            everything(&other.view(viewer), viewer, &told_there)
        );
    }
}

fn a_view_says_what_the_table_says(table: &Table, viewer: Viewer) {
    let view = table.view(viewer);
    assert_eq!((view.turn(), view.seats(), view.to_act()), (table.turn(), table.seats(), table.to_act()));
    assert_eq!(view.viewer(), viewer);
    assert_eq!(table.views().of(viewer).state(), view.state());
    for seat in some(&Seat::first(table.seats()).collect()) {
        assert_eq!(view.must_act(seat), table.must_act(seat));
        assert_eq!(view.legal(seat), table.legal(seat));
        for text in ["stay", "move up", "move north", "shoot left", "speak hello", "dance"] {
            assert_eq!(view.accept(seat, text), table.accept(seat, text), "{text} of {seat}");
        }
    }
}

/// All that is made of a view and of what its viewer is told.
fn everything(view: &View, viewer: Viewer, told: &[Event]) -> Vec<String> {
    let mut made = vec![json!(view.state()).to_string(), json!(view.scene(&[told])).to_string()];
    for language in Language::ALL {
        made.push(briefs::board(view, language));
        made.extend(briefs::event_sentences(told, language));
        if let Some(seat) = viewer.seat() {
            let context = TurnContext { view, seat, since: told, said: &[], history: &[], notes: None };
            made.push(briefs::turn(&context, &Section::USUAL, language));
            made.extend(view.legal(seat));
            made.push(json!(view.controls(seat)).to_string());
        }
    }
    made
}

/// Who stands where, and what lies where, is in no word of what everybody may see.
#[test]
fn what_everybody_sees_of_a_match_in_fog_never_hangs_on_a_position() {
    let fields = json!({ "base": "grid-royale-fog", "hp": 9, "powerups": { "every": 2 } });
    let ruleset = Arc::new(Ruleset::from_json(&fields).expect("a good ruleset"));
    let mut table = Table::open(ruleset.clone(), 6, Seed(4)).expect("six can play");
    let mut dice = Seed(4).child("moves", 0).dice();
    for turn in 0..40 {
        let state = json!(table.state());
        let mut moved = state.clone();
        for (index, bot) in moved["bots"].as_array_mut().expect("a list").iter_mut().enumerate() {
            bot["position"] = json!({ "x": index, "y": dice.below(15) });
            bot["boost"] = json!(dice.below(3));
        }
        moved["powerups"] = json!([]);
        let other = Table::from_state(ruleset.clone(), &moved).expect("a sound position");
        let (one, two) = (table.view(Viewer::Public), other.view(Viewer::Public));
        assert_eq!(everything(&one, Viewer::Public, &[]), everything(&two, Viewer::Public, &[]));
        let text = json!(one.state()).to_string();
        assert!(!text.contains("\"x\"") && text.contains("\"position\":null"), "{text}");
        let orders = orders(&table, &mut dice);
        let before = table.clone();
        let events = table.play(&orders, &mut Seed(4).turn(turn)).expect("legal");
        let told = json!(table.told(&before, &events.as_slice().into(), Viewer::Public)).to_string();
        if table.outcome().is_some() {
            return;
        }
        for hint in ["\"at\"", "\"from\"", "\"to\"", "direction"] {
            assert!(!told.contains(hint), "{told}");
        }
    }
}

/// The law about ticks that look the same is no empty one.
#[test]
fn ticks_that_look_the_same_from_different_positions_are_common() {
    let ruleset = Arc::new(Ruleset::named("grid-royale-fog").expect("built in"));
    let mut dice = Seed(9).dice();
    let mut same = 0;
    for game in 0..40 {
        let before = Table::open(ruleset.clone(), 4, Seed(game)).expect("four can play");
        let viewer = Viewer::Seat(Seat::new(0));
        let from = before.view(viewer).sample(&mut dice);
        let orders = orders(&before, &mut dice);
        let play = |from: &Table| {
            let mut after = from.clone();
            let events = after.play(&orders, &mut Seed(5).dice()).expect("legal");
            let told = after.told(from, &events.into(), viewer);
            (json!(told), json!(after.view(viewer).state()), after)
        };
        let (one, two) = (play(&before), play(&from));
        same += usize::from((&one.0, &one.1) == (&two.0, &two.1) && one.2.position() != two.2.position());
    }
    assert!(same > 5, "{same} of 40");
}
