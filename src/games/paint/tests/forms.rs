//! Notation, JSON forms, positions set up by hand, rulesets.

use serde_json::{Value as Json, json};

use super::*;
use crate::games::Table;

#[test]
fn events_have_the_forms_that_others_rely_on() {
    let mut state = drawn("aA..B ....C ....D");
    state.turns_left = 1;
    let mut last = Position::from_state(&rules(&json!("paint")), &state).expect("a position");
    let events = play(&mut last, "A shoot east, B move west, C move north-west, D forfeit");
    assert_eq!(
        serde_json::to_value(events).expect("events serialise"),
        json!([
            {"type": "bumped", "seat": "B", "at": [0, 4], "to": [0, 3]},
            {"type": "bumped", "seat": "C", "at": [1, 4], "to": [0, 3]},
            {"type": "forfeited", "seat": "D"},
            {"type": "shot", "seat": "A", "direction": "east", "range": 1, "cells": [[0, 2]], "end": "range"},
            {"type": "ended", "outcome": {"places": {"A": 1, "B": 2, "C": 2, "D": 4}, "reason": "turn_limit"}},
        ])
    );
    let mut position = position("A.B");
    let events = play(&mut position, "A move east, B pass");
    assert_eq!(
        serde_json::to_value(events).expect("events serialise"),
        json!([{"type": "moved", "seat": "A", "from": [0, 0], "to": [0, 1]}, {"type": "passed", "seat": "B"}])
    );
}

#[test]
fn the_first_position_has_the_form_of_the_contract() {
    let position = Position::open(&rules(&json!({"base": "paint", "rows": 2, "cols": 3})), 2, &mut dice());
    assert_eq!(
        serde_json::to_value(position.expect("two can play").state("paint")).expect("a state serialises"),
        json!({
            "ruleset": "paint",
            "turn": 0,
            "turns_left": 100,
            "to_act": ["A", "B"],
            "outcome": null,
            "grid": [["A", null, null], [null, null, "B"]],
            "players": [
                {"seat": "A", "row": 0, "col": 0, "score": 1, "forfeited": false, "place": null},
                {"seat": "B", "row": 1, "col": 2, "score": 1, "forfeited": false, "place": null},
            ],
        })
    );
}

#[test]
fn actions_read_back_from_text_and_json() {
    for direction in Direction::ALL {
        for action in [Action::Move { direction }, Action::Shoot { direction }] {
            assert_eq!(action.to_string().parse(), Ok(action));
            let json = serde_json::to_value(action).expect("an action serialises");
            assert_eq!(json["direction"], json!(direction.to_string()));
            assert_eq!(serde_json::from_value::<Action>(json).expect("and back"), action);
        }
    }
}

#[test]
fn reading_is_forgiving() {
    for (text, notation) in [
        ("MOVE  North-East", "move north-east"),
        ("m ne", "move north-east"),
        ("go northwest.", "move north-west"),
        ("shoot east south", "shoot south-east"),
        ("fire s", "shoot south"),
        ("向东北移动", "move north-east"),
        ("射击 西", "shoot west"),
        ("往南边射击", "shoot south"),
    ] {
        assert_eq!(text.parse::<Action>().map(|action| action.to_string()), Ok(notation.to_owned()), "{text}");
    }
    for text in
        ["", "move", "north", "move up", "move north south", "move north move", "shield north", "stay", "speak hi"]
    {
        assert!(text.parse::<Action>().is_err(), "{text}");
    }
    let spoken = "speak hi".parse::<Action>().expect_err("no action").to_string();
    assert!(spoken.contains("speaking is no action"), "{spoken}");
}

/// The sentences about a state in which one value is another.
fn problems(pointer: &str, value: Json) -> Vec<String> {
    testing::problems::<Position>(&rules(&json!("paint")), &drawn("aA# .B."), pointer, value)
}

#[test]
fn a_position_that_cannot_be_is_refused_with_the_reason() {
    let two = json!({"A": 1, "B": 2});
    for (pointer, value, expected) in [
        ("/grid", json!([]), "1 to 64 rows and columns"),
        ("/grid", json!([vec![Json::Null; 65]]), "1 to 64 rows and columns"),
        ("/grid/1", json!([null]), "row 1 of `grid` has 1 cells, row 0 has 3"),
        ("/grid/0/0", json!("?"), r##"null, "#" or a seat, not "?""##),
        ("/grid/0/0", json!("C"), "square (0, 0) has the colour of C"),
        ("/players/1/seat", json!("A"), "each of the first 2 seats once, not A at 1"),
        ("/players/1/seat", json!("C"), "each of the first 2 seats once, not C at 1"),
        ("/players/1/row", json!(2), "B is at (2, 1), off the board"),
        ("/players/1/row", json!(0), "A and B stand on the same square (0, 1)"),
        ("/players/0/col", json!(2), "A stands on (0, 2), where an obstacle is"),
        ("/turn", json!(2_000_000_000), "`turn` must be at most"),
        ("/turns_left", json!(2_000_000_000), "`turns_left` must be at most"),
        ("/turns_left", json!(0), "with `turns_left` 0 the match is over"),
        ("/players/0/forfeited", json!(true), "with fewer than two who have not forfeited"),
        ("/to_act", json!(["A"]), "`to_act` must name A, B"),
        ("/to_act", json!([]), "`to_act` must name A, B"),
        ("/outcome", json!({"places": two, "reason": "turn_limit"}), "10 turns are left and 2 play on"),
    ] {
        let problems = problems(pointer, value.clone());
        assert!(problems.iter().any(|problem| problem.contains(expected)), "{pointer} {value}: {problems:?}");
    }
    assert!(problems("/players", json!([])).iter().any(|problem| problem.contains("has 0 entries")));
}

#[test]
fn all_problems_of_a_position_are_told_at_once() {
    let mut state = drawn("aA# .B.");
    (state.turn, state.turns_left) = (u32::MAX, 0);
    state.grid[0][0] = CellContent::Owned(Seat::new(7));
    state.players[1].row = 9;
    let bad = Position::from_state(&rules(&json!("paint")), &state).expect_err("it cannot be");
    assert_eq!(bad.problems.len(), 5, "{bad}");
}

#[test]
fn an_outcome_must_follow_from_the_position() {
    let mut over = drawn("aA# .B.");
    over.turns_left = 0;
    over.to_act = Seats::none();
    let outcome = |a, b, reason| Outcome { places: [(Seat::new(0), a), (Seat::new(1), b)].into(), reason };
    for (given, problem) in [
        (outcome(1, 2, Reason::TurnLimit), None),
        (outcome(1, 1, Reason::TurnLimit), Some("the place of B must be 2")),
        (outcome(1, 2, Reason::Forfeit), Some("the reason of the outcome must be turn_limit, not forfeit")),
    ] {
        over.outcome = Some(given);
        let result = Position::from_state(&rules(&json!("paint")), &over);
        match problem {
            None => assert_eq!(result.expect("it is right").outcome(), over.outcome),
            Some(problem) => assert!(result.expect_err("it is wrong").to_string().contains(problem)),
        }
    }
}

#[test]
fn what_follows_from_the_rest_may_be_left_out_or_wrong() {
    let mut state = serde_json::to_value(drawn("aA# .B.")).expect("a state serialises");
    state["turn"] = json!(7);
    state["turns_left"] = json!(1_000);
    state["players"] = json!([{"seat": "B", "row": 1, "col": 1, "score": 99}, {"seat": "A", "row": 0, "col": 1}]);
    let state: State = serde_json::from_value(state).expect("a state");
    let position = Position::from_state(&rules(&json!("paint")), &state).expect("a position");
    assert_eq!((position.score(Seat::new(0)), position.score(Seat::new(1))), (2, 1));
    assert_eq!((position.turn(), position.turns_left()), (7, 1_000));
}

#[test]
fn a_ruleset_that_cannot_be_played_is_refused_with_the_reason() {
    for (over, expected) in [
        (json!({"speech": "turn"}), "speaking is no action of this game"),
        (json!({"turns": 0}), "`turns` must be a whole number from 1 to 100000"),
        (json!({"rows": 1, "cols": 1}), "more than the 1 that can play"),
        (json!({"players": {"max": 101}}), "places for 100 only"),
        (json!({"map": ["..........", "A........A"], "rows": 0, "cols": 0}), "2:10: A starts on another square"),
        (json!({"map": ["A.C"], "rows": 0, "cols": 0}), "1:3: C has a start square, but B has none"),
        (json!({"map": ["A.2"], "rows": 0, "cols": 0}), "`2` is no cell of this game's maps"),
    ] {
        let mut ruleset = over;
        ruleset["base"] = json!("paint");
        let bad = Ruleset::from_json(&ruleset).expect_err("it cannot be played").to_string();
        assert!(bad.contains(expected), "{ruleset}: {bad}");
    }
}

#[test]
fn the_ruleset_and_its_maps_read_back_from_json() {
    for map in ["none", "garden", "courtyard"] {
        let ruleset = Ruleset::from_json(&json!({"base": "paint", "map": map})).expect("a ruleset");
        let json = serde_json::to_value(&ruleset).expect("a ruleset serialises");
        assert_eq!(Ruleset::from_json(&json).expect("and back"), ruleset);
    }
}

#[test]
fn a_table_plays_what_it_reads() {
    let ruleset = Ruleset::named("paint").expect("it is built in");
    let mut table = Table::open(ruleset.into(), 2, Seed(7)).expect("two can play");
    let east = table.read(r#"{"action": "move", "direction": "east", "reasoning": "why not"}"#).expect("an action");
    let shot = table.read("向西射击").expect("an action");
    let orders = [(Seat::new(0), east.0), (Seat::new(1), shot.0)];
    let joint = orders.into_iter().map(|(seat, notation)| (seat, Order::Play(notation))).collect();
    let before = table.hash();
    table.play(&joint, &mut dice()).expect("a legal turn");
    assert_ne!(table.hash(), before);
    let state = serde_json::to_value(table.state()).expect("a state serialises");
    let again = Table::from_state(table.ruleset().clone(), &state).expect("a position");
    assert_eq!((again.hash(), again.position()), (table.hash(), table.position()));
    let scores = [0, 1].map(|player| state["players"][player]["score"].clone());
    assert_eq!(scores, [json!(2), json!(2)]);
}
