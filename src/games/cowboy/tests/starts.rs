//! Where players start, and maps that have no start for them.

use serde_json::{Value as Json, json};

use super::{Game, Position, Seat, Seed, rules_with};
use crate::games::Ruleset;

/// Opens a table and compares where everybody stands, looks and with how many hit points.
#[track_caller]
fn check_starts(ruleset: &Json, seats: usize, expected: &str) {
    let position = Position::open(&rules_with(ruleset), seats, &mut Seed(7).set_up()).expect("so many can play");
    let told = Seat::first(seats).map(|seat| {
        assert_eq!((position.hp(seat), position.kills(seat), position.alive(seat)), (10, 0, true));
        format!("{seat} {} {}", position.at(seat), position.shield(seat))
    });
    assert_eq!(told.collect::<Vec<_>>().join("; "), expected);
    assert_eq!((position.turn(), position.round(), position.to_act().to_string()), (0, 1, "A".to_owned()));
}

/// A map that some seat cannot start on is refused with this.
#[track_caller]
fn check_no_start(ruleset: &Json, expected: &str) {
    let refused = Ruleset::from_json(ruleset).expect_err("there is no start").to_string();
    assert!(refused.contains(expected), "{refused}");
}

#[test]
fn each_seat_starts_at_the_centre_of_its_side_looking_outward() {
    let all = "A (1, 5) up; B (5, 1) left; C (9, 5) down; D (5, 9) right";
    for seats in 1..=4 {
        let expected: Vec<&str> = all.split("; ").take(seats).collect();
        check_starts(&json!({ "base": "cowboy" }), seats, &expected.join("; "));
        check_starts(&json!({ "base": "cowboy-classic" }), seats, &expected.join("; "));
    }
}

#[test]
fn without_walls_the_start_is_on_the_edge() {
    let all = "A (0, 5) up; B (5, 0) left; C (10, 5) down; D (5, 10) right";
    check_starts(&json!({ "base": "cowboy", "map": "prairie" }), 4, all);
}

#[test]
fn a_duel_starts_up_and_down() {
    check_starts(&json!({ "base": "cowboy-duel" }), 2, "A (1, 5) up; B (9, 5) down");
    check_starts(&json!({ "base": "cowboy-duel" }), 1, "A (1, 5) up");
}

#[test]
fn a_ruleset_may_name_other_sides() {
    let sides = json!({ "base": "cowboy", "sides": ["right", "down", "left"] });
    check_starts(&sides, 3, "A (5, 9) right; B (9, 5) down; C (5, 1) left");
}

#[test]
fn the_centre_is_half_the_length_rounded_down() {
    let even = json!({ "base": "cowboy", "map": "none", "rows": 4, "cols": 6 });
    check_starts(&even, 4, "A (0, 3) up; B (2, 0) left; C (3, 3) down; D (2, 5) right");
}

#[test]
fn a_start_moves_straight_inward_to_the_first_empty_cell() {
    let map = json!(["..3..", "..#..", "12...", ".....", "..1.."]);
    check_starts(
        &json!({ "base": "cowboy", "map": map }),
        4,
        "A (2, 2) up; B (2, 3) left; C (3, 2) down; D (2, 4) right",
    );
}

#[test]
fn a_side_without_an_empty_cell_inward_is_refused_with_its_line_and_column() {
    check_no_start(&json!({ "base": "cowboy", "map": [".#.", ".2.", ".#."] }), "ruleset:1:2: no start on the up side");
    check_no_start(
        &json!({ "base": "cowboy", "map": ["...", "###", "..."] }),
        "ruleset:2:1: no start on the left side",
    );
    check_no_start(&json!({ "base": "cowboy", "map": ["."] }), "ruleset:1:1: no start on the left side");
}
