//! `standoff engine`, as programs in other languages use it.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value as Json, json};

use crate::program::{run_with, stdout};

/// The answers to these requests, one each.
fn ask(requests: &[Json]) -> Vec<Json> {
    let input: Vec<String> = requests.iter().map(Json::to_string).collect();
    let output = stdout(&run_with(&["engine"], input.join("\n").as_bytes()));
    let answers: Vec<Json> =
        output.lines().map(|line| serde_json::from_str(line).expect("an answer is JSON")).collect();
    assert_eq!(answers.len(), requests.len(), "one answer a request");
    answers
}

fn state(ruleset: &Json, players: usize) -> Json {
    let answer = ask(&[json!({"op": "start", "ruleset": ruleset, "players": players, "seed": 7})]).remove(0);
    assert_eq!(answer["ok"], true, "{answer}");
    answer["state"].clone()
}

#[test]
fn a_match_can_be_played_over_lines() {
    let start = state(&json!("cowboy"), 2);
    assert_eq!((&start["turn"], &start["round"], &start["to_act"]), (&json!(0), &json!(1), &json!(["A"])));
    assert_eq!(start["outcome"], Json::Null);
    assert_eq!(start["grid"].as_array().map(Vec::len), Some(11));
    assert_eq!(start["players"][0]["shield"], "up");
    assert_eq!(start["players"][1]["shield"], "left");
    let answers = ask(&[
        json!({"op": "legal", "ruleset": "cowboy", "state": start, "seat": "A"}),
        json!({"op": "apply", "ruleset": "cowboy", "state": start, "actions": {"A": "MOVE  Down."}}),
        json!({"op": "apply", "ruleset": "cowboy", "state": start, "actions": {"A": {"action": "speak", "text": "howdy"}}}),
    ]);
    let legal = answers[0]["actions"].as_array().expect("a list");
    assert!(legal.contains(&json!("move down")) && legal.contains(&json!("speak <text>")), "{legal:?}");
    assert!(!legal.contains(&json!("pass")) && !legal.contains(&json!("forfeit")), "{legal:?}");
    assert_eq!(answers[1]["state"]["turn"], 1);
    assert_eq!(answers[1]["state"]["to_act"], json!(["B"]));
    assert_eq!(answers[1]["events"][0]["type"], "moved");
    assert_eq!(answers[2]["events"][0], json!({"type": "spoke", "seat": "A", "text": "howdy"}));
}

#[test]
fn rulesets_are_named_and_can_be_overridden() {
    let answer = ask(&[json!({"op": "rulesets"})]).remove(0);
    let names: Vec<&str> =
        answer["rulesets"].as_array().expect("a list").iter().filter_map(|ruleset| ruleset["name"].as_str()).collect();
    let all = ["cowboy", "cowboy-duel", "cowboy-classic", "paint", "grid-royale", "grid-royale-fog", "trails"];
    assert_eq!(names, all);
    let own = json!({"base": "cowboy", "hp": 3, "bodies": "vanish", "map": ["...", ".2.", "..."]});
    let state = state(&own, 4);
    assert_eq!(state["players"][2]["hp"], 3);
    assert_eq!(state["grid"], json!([[0, 0, 0], [0, 2, 0], [0, 0, 0]]));
}

#[test]
fn every_turn_of_a_playout_follows_from_the_one_before() {
    for (ruleset, players) in
        [("cowboy", 3), ("cowboy-duel", 2), ("cowboy-classic", 4), ("paint", 3), ("grid-royale", 5), ("trails", 4)]
    {
        let answer = ask(&[json!({"op": "playout", "ruleset": ruleset, "players": players, "seed": 3})]).remove(0);
        let turns = answer["turns"].as_array().expect("a list").clone();
        let before = std::iter::once(&answer["start"]).chain(turns.iter().map(|turn| &turn["state"]));
        let requests: Vec<Json> = before
            .zip(&turns)
            .map(|(state, turn)| json!({"op": "apply", "ruleset": ruleset, "state": state, "actions": turn["actions"], "seed": 3}))
            .collect();
        for (answer, turn) in ask(&requests).iter().zip(&turns) {
            assert_eq!(answer["state"], turn["state"], "{ruleset}");
        }
        let last = &turns.last().expect("turns")["state"];
        assert_eq!(last["to_act"], json!([]), "{ruleset}");
        assert_eq!(last["outcome"]["places"].as_object().map(serde_json::Map::len), Some(players), "{ruleset}");
    }
}

#[test]
fn what_is_wrong_has_its_code() {
    let start = state(&json!("cowboy"), 2);
    let at = |row: i32, col: i32, shield: &str| {
        let mut state = start.clone();
        state["players"][0]["row"] = json!(row);
        state["players"][0]["col"] = json!(col);
        state["players"][0]["shield"] = json!(shield);
        state
    };
    let apply =
        |state: &Json, actions: Json| json!({"op": "apply", "ruleset": "cowboy", "state": state, "actions": actions});
    let open = json!({"base": "cowboy", "map": "prairie"});
    let over = {
        let mut state = start.clone();
        state["to_act"] = json!([]);
        state["outcome"] = json!({"places": {"A": 1, "B": 2}, "reason": "round_limit"});
        state["players"][0]["place"] = json!(1);
        state["players"][1]["place"] = json!(2);
        state
    };
    let edge = {
        let mut state = state(&open, 2);
        state["players"][0]["shield"] = json!("down");
        state
    };
    let cases = [
        (json!({"op": "apply", "ruleset": open, "state": edge, "actions": {"A": "move up"}}), "move_out_of_bounds"),
        (json!({"op": "apply", "ruleset": open, "state": edge, "actions": {"A": "shoot up"}}), "shoot_out_of_bounds"),
        (apply(&start, json!({"A": "move up"})), "move_into_block"),
        (apply(&at(5, 2, "up"), json!({"A": "move left"})), "move_into_player"),
        (apply(&start, json!({"A": "shoot up"})), "shoot_own_shield"),
        (apply(&at(1, 5, "down"), json!({"A": "shoot up"})), "shoot_into_block"),
        (apply(&at(5, 2, "up"), json!({"A": "shoot left"})), "shoot_into_player"),
        (apply(&start, json!({"A": "speak  "})), "speak_empty"),
        (apply(&start, json!({"A": format!("speak {}", "x".repeat(141))})), "speak_too_long"),
        (apply(&start, json!({"A": "dance"})), "unreadable_action"),
        (apply(&start, json!({"A": 7})), "unreadable_action"),
        (apply(&start, json!({"A": {"action": "move"}})), "unreadable_action"),
        (apply(&start, json!({"B": "move up"})), "not_to_act"),
        (apply(&start, json!({"A": "move down", "B": "move up"})), "not_to_act"),
        (apply(&start, json!({})), "missing_action"),
        (apply(&over, json!({"A": "move down"})), "match_over"),
        (apply(&over, json!({})), "match_over"),
        (apply(&at(0, 0, "up"), json!({"A": "move down"})), "bad_state"),
        (apply(&at(5, 1, "up"), json!({"A": "move down"})), "bad_state"),
        (apply(&at(50, 1, "up"), json!({"A": "move down"})), "bad_state"),
        (apply(&json!({}), json!({"A": "move down"})), "bad_state"),
        (json!({"op": "start", "ruleset": "chess"}), "bad_ruleset"),
        (json!({"op": "start", "ruleset": {"base": "cowboy", "hp": 0}}), "bad_ruleset"),
        (json!({"op": "start", "ruleset": {"base": "cowboy", "hpp": 3}}), "bad_ruleset"),
        (json!({"op": "start", "ruleset": "cowboy", "players": 5}), "bad_request"),
        (json!({"op": "start", "ruleset": "grid-royale", "players": 9}), "bad_request"),
        (json!({"op": "legal", "ruleset": "cowboy", "state": start, "seat": "Q"}), "bad_request"),
        (json!({"op": "legal", "ruleset": "cowboy", "state": start, "seat": "B"}), "not_to_act"),
        (json!({"op": "fly"}), "bad_request"),
        (json!([1, 2]), "bad_request"),
    ];
    let requests: Vec<Json> = cases.iter().map(|(request, _)| request.clone()).collect();
    for ((request, code), answer) in cases.iter().zip(ask(&requests)) {
        assert_eq!(answer["ok"], false, "{request}");
        assert_eq!(answer["error"]["code"], *code, "{request}: {answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|message| message.len() > 8), "{answer}");
    }
}

#[test]
fn in_a_simultaneous_game_every_seat_must_act_or_pass() {
    let start = state(&json!("paint"), 3);
    let apply = |actions: Json| json!({"op": "apply", "ruleset": "paint", "state": start, "actions": actions});
    let answers = ask(&[
        apply(json!({"A": "move east", "B": "shoot west"})),
        apply(json!({"A": "move east", "B": "shoot west", "C": "pass"})),
        apply(json!({"A": "move east", "B": "forfeit", "C": "forfeit"})),
    ]);
    assert_eq!(answers[0]["error"]["code"], "missing_action");
    assert_eq!(answers[1]["state"]["turn"], 1);
    assert_eq!(answers[2]["state"]["outcome"]["reason"], "forfeit");
    assert_eq!(answers[2]["state"]["outcome"]["places"]["A"], 1);
}

#[test]
fn a_bad_line_is_answered_and_the_next_one_served() {
    let mut input = b"{\"op\":\"rulesets\"\n\xff\xfe\n\n   \nnull\n".to_vec();
    input.extend(std::iter::repeat_n(b'x', 17 * 1024 * 1024));
    input.extend(b"\n{\"op\":\"rulesets\"}\n{\"op\":\"rulesets\"}");
    let output = stdout(&run_with(&["engine"], &input));
    let answers: Vec<Json> = output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let ok: Vec<bool> = answers.iter().map(|answer| answer["ok"] == true).collect();
    assert_eq!(ok, [false, false, false, false, true, true], "empty lines are no requests");
}

#[test]
fn anything_at_all_gets_an_answer() {
    let start = state(&json!("grid-royale"), 2).to_string();
    let spoiled = (any::<prop::sample::Index>(), any::<u8>()).prop_map(move |(at, byte)| {
        let mut text = format!(
            "{{\"op\":\"apply\",\"ruleset\":\"grid-royale\",\"state\":{start},\"actions\":{{\"A\":\"stay\",\"B\":\"move north\"}}}}"
        )
        .into_bytes();
        let at = at.index(text.len());
        text[at] = byte;
        text
    });
    let line = prop_oneof![prop::collection::vec(any::<u8>(), 0..80), ".{0,80}".prop_map(String::into_bytes), spoiled];
    let lines = prop::collection::vec(line, 200);
    let config = Config { cases: Config::default().cases.min(8), failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&lines, |lines| {
            let lines: Vec<Vec<u8>> =
                lines.into_iter().map(|line| line.into_iter().filter(|&b| b != b'\n').collect()).collect();
            let asked = lines.iter().filter(|line| !line.trim_ascii().is_empty()).count();
            let output = stdout(&run_with(&["engine"], &lines.join(&b'\n')));
            prop_assert_eq!(output.lines().count(), asked);
            Ok(())
        })
        .expect("an answer to every line");
}

#[test]
fn a_view_is_what_a_seat_may_see_and_no_position_to_play_from() {
    let fog = json!({"base": "grid-royale", "sight": 3});
    let start = state(&fog, 3);
    assert!(start.get("viewer").is_none(), "the engine's own states are whole: {start}");
    let view = |seat: Json| json!({"op": "view", "ruleset": fog, "state": start, "seat": seat});
    let mut answers = ask(&[
        view(json!("A")),
        json!({"op": "view", "ruleset": fog, "state": start}),
        view(json!("D")),
        json!({"op": "view", "ruleset": "grid-royale", "state": start, "seat": "A"}),
    ]);
    let (of_a, public) = (answers.remove(0)["state"].clone(), answers.remove(0)["state"].clone());
    assert_eq!(answers[0]["error"]["code"], "bad_request", "there is no D");
    assert_eq!(answers[1]["state"], start, "where nothing is hidden a view is the state");
    assert_eq!((&of_a["viewer"], &public["viewer"]), (&json!("A"), &Json::Null));
    assert!(public.as_object().expect("an object").contains_key("viewer"));
    let positions = |state: &Json| -> Vec<bool> {
        state["bots"].as_array().expect("a list").iter().map(|bot| bot["position"].is_object()).collect()
    };
    assert_eq!((positions(&of_a), positions(&public)), (vec![true, false, false], vec![false; 3]));
    for state in [of_a, public] {
        let refused = ask(&[
            json!({"op": "legal", "ruleset": fog, "state": state, "seat": "A"}),
            json!({"op": "apply", "ruleset": fog, "state": state, "actions": {"A": "stay", "B": "stay", "C": "stay"}}),
            json!({"op": "view", "ruleset": fog, "state": state, "seat": "A"}),
        ]);
        assert!(refused.iter().all(|answer| answer["error"]["code"] == "bad_state"), "{refused:?}");
    }
    // When it is over a view has everything.
    let last = json!({"base": fog["base"], "sight": 3, "max_ticks": 1});
    let actions = json!({"A": "stay", "B": "stay", "C": "stay"});
    let over = ask(&[json!({"op": "apply", "ruleset": last, "state": start, "actions": actions})]).remove(0);
    let over = over["state"].clone();
    assert!(!over["outcome"].is_null(), "{over}");
    let seen = ask(&[json!({"op": "view", "ruleset": last, "state": over, "seat": "B"})]).remove(0)["state"].clone();
    assert_eq!((positions(&seen), &seen["viewer"]), (vec![true; 3], &json!("B")));
}
