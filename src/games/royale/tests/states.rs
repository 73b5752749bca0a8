//! Positions that leave the house and come back, and those that cannot be.

use super::*;

/// A fresh match as JSON.
fn start() -> Json {
    let position = Position::open(&rules(json!({ "map": "pillars" })), 8, &mut Seed(1).dice()).expect("eight can play");
    serde_json::to_value(position.state("grid-royale")).expect("a state serialises")
}

fn read(state: Json) -> Result<Position, String> {
    let state: State = serde_json::from_value(state).map_err(|error| error.to_string())?;
    Position::from_state(&rules(json!({})), &state).map_err(|bad| bad.to_string())
}

#[test]
fn a_start_is_as_the_contract_writes_it() {
    let position = Position::open(&rules(json!({})), 2, &mut Seed(1).dice()).expect("two can play");
    let bot = |id: &str, at: u8| {
        json!({ "id": id, "position": { "x": at, "y": at }, "hp": 3, "kills": 0, "alive": true, "timeouts": 0,
            "place": null })
    };
    let expected = json!({
        "ruleset": "grid-royale", "turn": 0, "to_act": ["A", "B"], "outcome": null, "tick": 1,
        "zone": { "min_x": 0, "max_x": 14, "min_y": 0, "max_y": 14 }, "width": 15, "height": 15, "walls": [],
        "bots": [bot("A", 1), bot("B", 13)],
    });
    assert_eq!(serde_json::to_value(position.state("grid-royale")).expect("a state serialises"), expected);
}

#[test]
fn a_state_comes_back_as_the_same_position() {
    let rules = rules(json!({ "map": "crossroads", "teams": 2, "powerups": { "every": 2 } }));
    let mut dice = Seed(9).dice();
    let mut position = Position::open(&rules, 8, &mut dice).expect("eight can play");
    loop {
        let json = serde_json::to_string(&position.state("grid-royale")).expect("a state serialises");
        let state: State = serde_json::from_str(&json).expect("and back");
        assert_eq!(Position::from_state(&rules, &state).as_ref(), Ok(&position));
        let to_act = position.to_act();
        if to_act.is_empty() {
            break;
        }
        let joint = to_act.iter().map(|seat| (seat, Order::Play(position.random_legal(seat, &mut dice)))).collect();
        position.play(&joint, &mut dice).expect("legal");
    }
}

#[test]
fn what_follows_from_the_rest_may_be_left_out() {
    let mut state = start();
    let object = state.as_object_mut().expect("an object");
    for key in ["zone", "outcome", "ruleset"] {
        object.remove(key);
    }
    for bot in state["bots"].as_array_mut().expect("a list") {
        for key in ["kills", "timeouts", "place"] {
            bot.as_object_mut().expect("an object").remove(key);
        }
    }
    assert_eq!(read(state), read(start()));
    let mut wrong = start();
    wrong["zone"]["min_x"] = json!(9);
    assert_eq!(read(wrong), read(start()));
}

#[test]
fn turn_and_tick_are_numbers_of_their_own() {
    let mut scene = scene("A.B ... ...");
    (scene.state.turn, scene.state.tick) = (7, 42);
    let after = scene.play("").state;
    assert_eq!((after.turn, after.tick), (8, 43));
}

#[test]
fn unusual_positions_are_welcome() {
    // More hit points than at the start, an unplaced dead, a dead one off in a wall, a live one on a power-up.
    let scene =
        scene_of("AB# ..C", json!({ "powerups": { "every": 5 } })).hp('A', 50).powerup(0, 1, PowerUpKind::Health);
    let scene = scene.with('C', |bot| (bot.alive, bot.position) = (false, Some(Point { x: 2, y: 1 })));
    assert_eq!(scene.play("").hits(), [51, 3, 3]);
}

#[test]
fn every_problem_is_named() {
    type Break = fn(&mut Json);
    let cases: [(Break, &str); 22] = [
        (|s| s["turn"] = json!(1_000_000_001), "`turn` must be at most 1000000000"),
        (|s| s["tick"] = json!(0), "`tick` counts from 1"),
        (|s| s["tick"] = json!(101), "after tick 100 the match is over"),
        (|s| s["width"] = json!(0), "`width` and `height` must each be from 1 to 64"),
        (|s| s["height"] = json!(65), "`width` and `height` must each be from 1 to 64"),
        (|s| s["walls"] = json!([[15, 0]]), "the wall on (15, 0) is off the grid"),
        (|s| s["bots"] = json!([s["bots"][0]]), "`bots` has 1 entries; it must have 2 to 8"),
        (|s| s["bots"][1]["id"] = json!("A"), "each of the first 8 seats once, not A at 1"),
        (|s| s["bots"][7]["id"] = json!("I"), "each of the first 8 seats once, not I at 7"),
        (|s| s["bots"][0]["position"] = json!({ "x": 1, "y": 15 }), "A is at (1, 15), off the grid"),
        (|s| s["bots"][0]["position"] = json!({ "x": 5, "y": 2 }), "A stands on (5, 2), where a wall is"),
        (|s| s["bots"][1]["position"] = json!({ "x": 1, "y": 1 }), "A and B stand on the same tile (1, 1)"),
        (|s| s["bots"][0]["hp"] = json!(0), "A is alive with 0 hit points"),
        (|s| s["bots"][0]["place"] = json!(8), "A has a place, but it still plays"),
        (|s| s["bots"][0]["place"] = json!(9), "the place of A must be from 1 to 8"),
        (|s| s["bots"][0]["team"] = json!(0), "A has a team, but this ruleset has none"),
        (|s| s["bots"][0]["boost"] = json!(1), "A has a boost, but this ruleset has no power-ups"),
        (|s| s["teams"] = json!(2), "`teams` must be 0, as the ruleset has it, or left out"),
        (|s| s["powerups"] = json!([{ "x": 0, "y": 0, "kind": "health" }]), "this ruleset has no power-ups"),
        (|s| s["bots"][0]["alive"] = json!(false), "`to_act` must name exactly the living bots"),
        (
            |s| s["outcome"] = json!({ "places": { "A": 1 }, "reason": "last_alive" }),
            "`to_act` must be empty when there is an outcome; when there is an outcome everybody in `bots` has the place that it says",
        ),
        (
            |s| (0..7).for_each(|bot| s["bots"][bot]["alive"] = json!(false)),
            "with fewer than two bots alive the match is over",
        ),
    ];
    for (break_it, problem) in cases {
        let mut state = start();
        break_it(&mut state);
        assert_has(&read(state).expect_err(problem), problem);
    }
}

#[test]
fn all_problems_come_at_once() {
    let mut state = start();
    state["tick"] = json!(0);
    state["bots"][0]["hp"] = json!(0);
    state["bots"][3]["position"] = json!({ "x": 99, "y": 0 });
    let problems = read(state).expect_err("three problems");
    assert_eq!(problems, "A is alive with 0 hit points; D is at (99, 0), off the grid; `tick` counts from 1");
}

#[test]
fn power_ups_lie_on_free_tiles_one_each() {
    let scene = scene_of("A#B", json!({ "powerups": { "every": 5 } }));
    let scene =
        scene.powerup(1, 0, PowerUpKind::Health).powerup(9, 0, PowerUpKind::Damage).powerup(9, 0, PowerUpKind::Health);
    let problems = scene.problems();
    assert_has(&problems, "the power-up on (1, 0) is off the grid or in a wall");
    assert_has(&problems, "there are two power-ups on (9, 0)");
    let many = (0..9).fold(scene_of("A#B", json!({ "powerups": { "every": 5 } })), |scene, _| {
        scene.powerup(0, 0, PowerUpKind::Health)
    });
    assert_has(&many.problems(), "`powerups` has 9 entries, at most 8 can be");
}

#[test]
fn the_members_of_a_team_share_their_place() {
    let teams = || scene_of("A.B C.D", json!({ "teams": 2 }));
    let dead = |bot: &mut BotState| bot.alive = false;
    assert_has(
        &teams().with('A', |bot| (bot.alive, bot.place) = (false, Some(3))).problems(),
        "A has a place, but its team still plays; C has another place than its team",
    );
    assert_has(&teams().with('A', |bot| bot.team = Some(1)).problems(), "A is in team 0");
    assert_has(&teams().with('A', dead).with('C', dead).problems(), "with fewer than two teams alive");
}

#[test]
fn a_finished_match_comes_back_finished() {
    let over = scene("A.B").hp('B', 1).play("A: shoot east");
    assert_eq!(over.position().state("grid-royale"), over.state);
    let mut position = over.position();
    assert!(position.to_act().is_empty());
    position.resolve(&Joint::new(), &mut Seed(1).dice(), &mut ());
    assert_eq!(position, over.position());
}

#[test]
fn different_positions_have_different_encodings() {
    let base = || scene_of("A.B C.D", json!({ "powerups": { "every": 9 } }));
    let encodings: std::collections::HashSet<Vec<u8>> = [
        base(),
        base().tick(2),
        base().hp('A', 2),
        base().with('A', |bot| bot.kills = 1),
        base().with('A', |bot| bot.timeouts = 1),
        base().with('A', |bot| bot.boost = Some(Some(1))),
        base().with('A', |bot| bot.alive = false),
        base().with('A', |bot| (bot.alive, bot.place) = (false, Some(4))),
        base().with('A', |bot| bot.position = Some(Point { x: 1, y: 1 })),
        base().powerup(1, 0, PowerUpKind::Health),
        base().powerup(1, 0, PowerUpKind::Damage),
        scene_of("A#B C.D", json!({ "powerups": { "every": 9 } })),
    ]
    .iter()
    .map(|scene| {
        let mut bytes = Vec::new();
        scene.position().encode(&mut bytes);
        bytes
    })
    .collect();
    assert_eq!(encodings.len(), 12);
}
