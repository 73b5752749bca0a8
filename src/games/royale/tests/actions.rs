//! Notation and JSON form.

use super::*;
use crate::games::table::Table;

fn read(text: &str) -> Option<String> {
    text.parse::<Action>().ok().map(|action| action.to_string())
}

#[test]
fn every_combination_is_legal_and_listed_once() {
    let position = scene("A.B").position();
    let legal = position.legal(seat('A'));
    let distinct: std::collections::HashSet<&Action> = legal.iter().collect();
    assert_eq!((legal.len(), distinct.len()), (25, 25));
    assert_eq!(
        [&legal[0], &legal[1], &legal[20], &legal[24]].map(ToString::to_string),
        ["move north", "move north, shoot north", "stay", "stay, shoot west"]
    );
    assert!(legal.iter().all(|action| position.check(seat('A'), action).is_ok()));
}

#[test]
fn a_random_action_is_any_of_them() {
    let position = scene("A.B").position();
    let mut dice = Seed(5).dice();
    let drawn: std::collections::HashSet<Action> =
        (0..1000).map(|_| position.random_legal(seat('A'), &mut dice)).collect();
    assert_eq!(drawn.len(), 25);
}

#[test]
fn notation_and_json_read_back() {
    for action in Action::all() {
        assert_eq!(action.to_string().parse(), Ok(action));
        let json = serde_json::to_string(&action).expect("an action serialises");
        assert_eq!(serde_json::from_str::<Action>(&json).expect("and back"), action);
    }
    let json = |text: &str| serde_json::to_value(text.parse::<Action>().expect("an action")).expect("it serialises");
    assert_eq!(json("move north, shoot east"), json!({ "move": "north", "shoot": "east" }));
    assert_eq!(json("stay"), json!({ "move": "stay", "shoot": null }));
}

#[test]
fn reading_is_forgiving() {
    for (text, canonical) in [
        ("MOVE North", "move north"),
        ("north", "move north"),
        ("n", "move north"),
        ("shoot east", "stay, shoot east"),
        ("stay shoot west", "stay, shoot west"),
        ("hold; fire w.", "stay, shoot west"),
        ("move north shoot east", "move north, shoot east"),
        ("shoot east, move north", "move north, shoot east"),
        ("shoot east and move north", "move north, shoot east"),
        ("north, shoot east", "move north, shoot east"),
        ("n f e", "move north, shoot east"),
        ("shoot east, stay", "stay, shoot east"),
        ("向北移动，向东射击", "move north, shoot east"),
        ("向东射击，向北移动", "move north, shoot east"),
        ("向东射击，向北", "move north, shoot east"),
        ("向北移动并向东射击", "move north, shoot east"),
        ("原地不动，向西射击", "stay, shoot west"),
        ("不动", "stay"),
        ("移动 北 射击 东", "move north, shoot east"),
    ] {
        assert_eq!(read(text).as_deref(), Some(canonical), "{text}");
    }
}

#[test]
fn what_is_no_action_is_not_guessed() {
    for text in [
        "",
        "move",
        "shoot",
        "move up",
        "move north-east",
        "shoot north-east",
        "shoot NE",
        "shoot north-east, stay",
        "move NE shoot",
        "move north east shoot",
        "向东北射击",
        "射击东北",
        "向东北移动",
        "move north, move east",
        "shoot north, shoot east",
        "stay, move north",
        "shield north",
        "north south",
        "move north, shoot east, shoot west",
        "I will move north",
        "pass",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
    let error = "fly".parse::<Action>().expect_err("no such action").to_string();
    assert_has(&error, "cannot read `fly` as an action; write a move, a shot or both");
}

#[test]
fn json_may_leave_out_one_half() {
    let read = |json: Json| serde_json::from_value::<Action>(json).ok().map(|action| action.to_string());
    for (json, canonical) in [
        (json!({ "move": "north", "shoot": "east" }), Some("move north, shoot east")),
        (json!({ "move": "North", "shoot": null }), Some("move north")),
        (json!({ "move": "stay" }), Some("stay")),
        (json!({ "shoot": "西" }), Some("stay, shoot west")),
        (json!({ "move": null, "shoot": "east" }), Some("stay, shoot east")),
        (json!({ "shoot": null }), Some("stay")),
        (json!({}), None),
        (json!({ "move": null }), None),
        (json!({ "move": "north", "speed": 2 }), None),
        (json!({ "move": "up" }), None),
        (json!({ "shoot": "stay" }), None),
        (json!({ "move": ["north"] }), None),
    ] {
        assert_eq!(read(json.clone()).as_deref(), canonical, "{json}");
    }
}

#[test]
fn a_table_takes_the_json_form_with_its_reasoning() {
    let ruleset = Ruleset::named("grid-royale").expect("it is built in");
    let mut table = Table::open(ruleset.into(), 4, Seed(7)).expect("four can play");
    let raw = r#"{"move": "north", "shoot": "east", "reasoning": "B is to my right"}"#;
    let (action, reasoning) = table.read(raw).expect("an action");
    assert_eq!(action.to_string(), "move north, shoot east");
    assert_eq!(reasoning.as_deref(), Some("B is to my right"));
    let joint = table.to_act().iter().map(|seat| (seat, Order::Play(action.clone()))).collect();
    table.play(&joint, &mut Seed(7).turn(0)).expect("every action is legal");
    assert_eq!((table.turn(), table.legal(seat('A')).len()), (1, 25));
}
