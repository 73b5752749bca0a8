//! What a position looks like in words: who is drawn, who is told of, and how much of a text there is room for.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use standoff::briefs::{Language, MAX_NOTES, Section, TurnContext, board, refusal, turn};
use standoff::games::{Joint, Order, Seat, Seed, Table, Viewer};

fn open(rules: &Json, seats: usize) -> Table {
    Table::open(Arc::new(super::ruleset(rules)), seats, Seed(7)).expect("so many can play")
}

/// The table with its state changed.
fn changed(table: &Table, change: impl FnOnce(&mut Json)) -> Table {
    let mut state = json!(table.state());
    change(&mut state);
    Table::from_state(table.ruleset().clone(), &state).expect("a sound position")
}

/// The parts of a drawn position: how far the match is, the board, the players, who is to act.
fn parts(table: &Table) -> [String; 4] {
    let text = board(&table.view(Viewer::Public), Language::En);
    let parts: Vec<String> = text.split("\n\n").map(|part| part.trim_end().to_owned()).collect();
    parts.try_into().expect("four parts")
}

#[test]
fn the_dead_of_the_royale_are_told_of_and_not_drawn() {
    let table = open(&json!("grid-royale"), 3);
    assert!(parts(&table)[1].contains('C'));
    let table = changed(&table, |state| {
        state["bots"][2]["alive"] = json!(false);
        state["bots"][2]["hp"] = json!(0);
        state["to_act"] = json!(["A", "B"]);
    });
    let [_, drawn, players, _] = parts(&table);
    assert!(!drawn.contains('C') && drawn.contains('A') && drawn.contains('B'), "{drawn}");
    assert!(players.lines().any(|line| line.starts_with("C: out")), "{players}");
}

#[test]
fn a_body_is_drawn_where_bodies_stay_and_not_where_they_vanish() {
    for (bodies, drawn) in [("block-moves", true), ("vanish", false)] {
        let table = open(&json!({ "base": "cowboy", "bodies": bodies }), 3);
        let table = changed(&table, |state| {
            state["players"][2]["alive"] = json!(false);
            state["players"][2]["hp"] = json!(0);
        });
        let board = &parts(&table)[1];
        assert_eq!(board.contains('c'), drawn, "{bodies}: {board}");
        assert!(!board.contains('C'), "{board}");
    }
}

#[test]
fn who_stands_outside_the_zone_is_told_so() {
    let table = changed(&open(&json!("grid-royale"), 2), |state| {
        state["tick"] = json!(41);
        state["bots"][0]["position"] = json!({ "x": 0, "y": 6 });
        state["bots"][1]["position"] = json!({ "x": 6, "y": 6 });
    });
    let players = &parts(&table)[2];
    let outside: Vec<bool> = players.lines().map(|line| line.contains("outside the zone")).collect();
    assert_eq!(outside, [true, false], "{players}");
}

#[test]
fn the_zone_is_said_to_shrink_only_while_the_match_lasts() {
    let status = |ticks: u32| {
        parts(&open(&json!({ "base": "grid-royale", "max_ticks": ticks, "zone_every": 10 }), 2))[0].clone()
    };
    assert!(status(11).contains("it shrinks after tick 10"), "{}", status(11));
    assert!(!status(10).contains("shrinks"), "{}", status(10));
}

#[test]
fn after_the_end_the_last_tick_is_shown() {
    let mut table = open(&json!({ "base": "grid-royale", "max_ticks": 1 }), 2);
    let passes: Joint<_> = table.to_act().iter().map(|seat| (seat, Order::Pass)).collect();
    table.play(&passes, &mut Seed(7).turn(0)).expect("passes play");
    assert!(table.outcome().is_some());
    assert!(parts(&table)[0].starts_with("Tick 1 of 1."), "{}", parts(&table)[0]);
}

fn message(table: &Table, seat: usize, notes: Option<&str>, sections: &[Section]) -> String {
    let view = table.view(Viewer::Seat(Seat::new(seat)));
    let context = TurnContext { view: &view, seat: Seat::new(seat), since: &[], said: &[], history: &[], notes };
    turn(&context, sections, Language::En)
}

#[test]
fn whoever_is_not_to_act_is_told_who_is() {
    let table = open(&json!("cowboy"), 2);
    assert!(!message(&table, 0, None, &Section::USUAL).contains("To act:"));
    assert!(message(&table, 1, None, &Section::USUAL).contains("To act: A."));
}

#[test]
fn a_note_comes_back_as_far_as_there_is_room_and_only_where_notes_are_kept() {
    let table = open(&json!("cowboy"), 2);
    let note = format!("{}b", "a".repeat(MAX_NOTES));
    let told = message(&table, 0, Some(&note), &[Section::Seat, Section::Notes]);
    assert!(told.ends_with(&format!("> {}\n", "a".repeat(MAX_NOTES))), "{told}");
    let short = message(&table, 0, Some("b is\n\nwatching"), &[Section::Seat, Section::Notes]);
    assert!(short.ends_with("> b is\n> watching\n"), "{short}");
    assert!(!message(&table, 0, Some(&note), &Section::USUAL).contains("aaa"));
}

#[test]
fn a_refused_text_is_shown_as_far_as_it_is_of_use() {
    let table = open(&json!("cowboy"), 2);
    let raw = "q".repeat(100);
    let refused = table.read(&raw).expect_err("no action");
    for language in Language::ALL {
        let told = refusal(&table.view(Viewer::Public), Seat::new(0), &raw, &refused, language);
        assert!(told.contains(&format!("`{}…`", "q".repeat(59))), "{told}");
    }
}
