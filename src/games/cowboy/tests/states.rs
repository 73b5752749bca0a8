//! Positions that somebody sets up, and those that cannot be.

use serde_json::{Value as Json, json};

use super::{Game, Position, State, TEE, rules};

/// A position of two that can be, with one value in another's place.
fn with(pointer: &str, value: Json) -> Json {
    let mut state = json!({
        "ruleset": "cowboy", "turn": 4, "to_act": ["B"], "outcome": null, "round": 2,
        "grid": [[0, 0, -1], [3, 0, 0]],
        "players": [
            { "seat": "A", "row": 0, "col": 0, "hp": 10, "shield": "up", "alive": true, "kills": 0, "place": null },
            { "seat": "B", "row": 1, "col": 1, "hp": 9, "shield": "left", "alive": true, "kills": 1, "place": null },
        ],
    });
    *state.pointer_mut(pointer).expect("there is such a value") = value;
    state
}

/// Sets a position up and says what is wrong with it.
fn problems(state: &Json) -> String {
    let state: State = serde_json::from_value(state.clone()).expect("a readable state");
    match Position::from_state(&rules(TEE), &state) {
        Ok(position) => {
            assert_eq!(position.state("cowboy"), state, "what is set up is what stands there");
            String::new()
        }
        Err(bad) => bad.to_string(),
    }
}

#[test]
fn a_position_that_cannot_be_is_refused_with_what_is_wrong() {
    for (pointer, value, expected) in [
        ("/turn", json!(4), ""),
        ("/grid", json!([]), "`grid` must have 1 to 64 rows and columns"),
        ("/grid", json!([[], []]), "`grid` must have 1 to 64 rows and columns"),
        ("/grid", json!([vec![0; 65]]), "`grid` must have 1 to 64 rows and columns"),
        ("/grid/1", json!([3, 0]), "row 1 of `grid` has 2 cells, row 0 has 3"),
        ("/grid/0/1", json!(-2), "cell (0, 1) is -2; a cell is 0, -1 or a block's hit points"),
        ("/grid/0/0", json!(4), "A stands on (0, 0), where a block with 4 hit points is"),
        ("/grid/1/1", json!(-1), "B stands on (1, 1), where a wall is"),
        ("/players", json!([]), "`players` has 0 entries; it must have 1 to 4"),
        ("/players/1/seat", json!("A"), "`players` must have each of the first 2 seats once, not A at 1"),
        ("/players/0/seat", json!("C"), "`players` must have each of the first 2 seats once, not C at 0"),
        ("/players/0/row", json!(2), "A is at (2, 0), off the board"),
        ("/players/0/col", json!(255), "A is at (0, 255), off the board"),
        ("/players/0/hp", json!(0), "A is alive with 0 hit points"),
        ("/players/0/place", json!(1), "A has a place and still plays"),
        ("/round", json!(0), "`round` counts from 1"),
        ("/round", json!(101), "after round 100 the match is over: there must be an outcome"),
        ("/turn", json!(1_000_000_001), "`turn` must be at most 1000000000"),
        ("/to_act", json!([]), "`to_act` must name the one living seat whose turn it is"),
        ("/to_act", json!(["A", "B"]), "`to_act` must name the one living seat whose turn it is"),
        ("/to_act", json!(["C"]), "`to_act` must name the one living seat whose turn it is"),
        ("/players/0/alive", json!(false), "with fewer than two alive the match is over: there must be an outcome"),
        (
            "/outcome",
            json!({ "places": { "A": 1, "B": 2 }, "reason": "last_alive" }),
            "`to_act` must be empty when there is an outcome; \
             when there is an outcome everybody in `players` has the place that it says",
        ),
    ] {
        assert_eq!(problems(&with(pointer, value)), expected, "{pointer}");
    }
}

#[test]
fn two_cannot_stand_on_one_cell_but_one_can_stand_on_a_body() {
    let mut state = with("/players/0/row", json!(1));
    state["players"][0]["col"] = json!(1);
    assert_eq!(problems(&state), "A and B stand on the same cell (1, 1)");
    state["players"].as_array_mut().expect("a list").push(
        json!({ "seat": "C", "row": 0, "col": 1, "hp": 1, "shield": "up", "alive": true, "kills": 0, "place": null }),
    );
    state["players"][0]["alive"] = json!(false);
    assert_eq!(problems(&state), "");
}

#[test]
fn the_dead_rank_below_the_living() {
    let mut state = with("/players/0/alive", json!(false));
    state["players"].as_array_mut().expect("a list").push(
        json!({ "seat": "C", "row": 0, "col": 1, "hp": 1, "shield": "up", "alive": true, "kills": 0, "place": null }),
    );
    state["players"][0]["place"] = json!(2);
    assert_eq!(problems(&state), "A is out on place 2, but the 2 who still play rank above it");
    state["players"][0]["place"] = json!(4);
    assert_eq!(problems(&state), "the place of A must be from 1 to 3");
    state["players"][0]["place"] = json!(3);
    assert_eq!(problems(&state), "");
}

#[test]
fn all_problems_are_named_at_once() {
    let mut state = with("/players/0/hp", json!(0));
    state["grid"][0][2] = json!(-7);
    state["round"] = json!(0);
    assert_eq!(
        problems(&state),
        "cell (0, 2) is -7; a cell is 0, -1 or a block's hit points; A is alive with 0 hit points; \
         `round` counts from 1"
    );
}

#[test]
fn the_order_of_the_players_does_not_matter() {
    let mut state = with("/turn", json!(4));
    let mut turned = state.clone();
    turned["players"].as_array_mut().expect("a list").reverse();
    let read = |state: &Json| {
        let state: State = serde_json::from_value(state.clone()).expect("a readable state");
        Position::from_state(&rules(TEE), &state).expect("it can be")
    };
    assert_eq!(read(&state), read(&turned));
    state["players"][0]["hp"] = json!(1);
    assert_ne!(read(&state), read(&turned));
}
