//! Killed at any moment, a match goes on without paying for an answer twice, and the player knows what it knew.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::{Mind, PRICE, all_files, complaint, folder, play, program, read, spawn, stdout};
use crate::mcp::program::Program;

/// What a match asks that nobody kills.
async fn undisturbed(players: &str) -> (Vec<String>, Vec<String>) {
    let mind = Mind::default();
    let server = mind.serve().await;
    let folder = folder(&server, PRICE);
    stdout(&program(&folder, &play(players, &["--record", "m.jsonl"])).output().expect("it starts"));
    (mind.requests(), actions(&read(&folder, "m.jsonl")))
}

/// What was done in every turn of a record.
fn actions(record: &str) -> Vec<String> {
    let lines = record.lines().map(|line| serde_json::from_str::<Json>(line).expect("JSON"));
    lines.filter(|line| line["type"] == "turn").map(|line| line["actions"].to_string()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_while_it_waits_for_any_answer_it_asks_for_that_one_again_and_for_no_other() {
    let (requests, actions_of_all) = undisturbed("mind,greedy").await;
    assert!(requests.len() > 8, "{}", requests.len());
    for number in (1..=requests.len()).step_by(2) {
        let mind = Mind::default();
        let server = mind.serve().await;
        let folder = folder(&server, PRICE);
        let held = mind.hold(number);
        let mut child = spawn(program(&folder, &play("mind,greedy", &["--record", "m.jsonl"])));
        held.recv_timeout(Duration::from_mins(1)).expect("it asks so often");
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        let resumed = program(&folder, &["play", "--resume", "m.jsonl", "--json"]).output().expect("it starts");
        let result: Json = serde_json::from_str(&stdout(&resumed)).expect("one JSON line");
        assert_eq!(mind.requests(), requests, "it asks what it would have asked, killed at request {number}");
        assert_eq!(mind.count(), requests.len() + 1, "only what was not answered is asked again");
        assert_eq!(actions(&read(&folder, "m.jsonl")), actions_of_all);
        assert_eq!(result["models"]["A"]["calls"], requests.len());
        assert!(!all_files(folder.path()).contains(super::KEY));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_again_and_again_at_odd_moments_it_comes_to_its_end() {
    let begun = Instant::now();
    let (requests, actions_of_all) = undisturbed("mind,mind").await;
    let mut life = begun.elapsed() / 30;
    let mind = Mind { pause: Duration::from_millis(15), ..Mind::default() };
    let server = mind.serve().await;
    let folder = folder(&server, PRICE);
    let mut child = spawn(program(&folder, &play("mind,mind", &["--record", "m.jsonl"])));
    let mut kills = 0_usize;
    while !child.try_wait().expect("it can be asked").is_some_and(|status| status.success()) {
        assert!(kills < 60, "it gets on");
        // No two lives are of one length. The first ones are too short for anything; the last ones are longer than any
        // machine needs, however busy it has become.
        life += life / 6;
        let begun = Instant::now();
        while begun.elapsed() < life && child.try_wait().expect("it can be asked").is_none() {
            std::thread::yield_now();
        }
        if child.try_wait().expect("it can be asked").is_none() {
            child.kill().expect("it runs");
            kills += 1;
        }
        if child.wait().expect("it ends").success() {
            break;
        }
        let begun = fs::metadata(folder.path().join("m.jsonl")).is_ok_and(|file| file.len() > 0);
        let again = if begun {
            vec!["play", "--resume", "m.jsonl", "--json"]
        } else {
            play("mind,mind", &["--record", "m.jsonl"])
        };
        child = spawn(program(&folder, &again));
    }
    assert!(kills > 2, "{kills}");
    assert_eq!(mind.requests(), requests);
    assert_eq!(actions(&read(&folder, "m.jsonl")), actions_of_all);
    // Two requests can be under way when it is killed.
    let twice = mind.count() - requests.len();
    assert!(twice <= 2 * kills, "{twice} asked twice, {kills} kills");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_budget_of_an_assistants_server_is_one_for_all_its_matches() {
    let mind = Mind::default();
    let server = mind.serve().await;
    let folder = folder(&server, &format!("{PRICE}\nmax_output_tokens = 500\n"));
    let store = folder.path().join("s.db");
    let store = store.to_str().expect("UTF-8");
    let mut assistant = Program::of(program(&folder, &["mcp", "--store", store, "--max-usd", "0.04"]));
    // Two turns of each match, which costs a few tenths of a cent.
    let mut matches = 0;
    let said = 'used_up: loop {
        let opened = assistant.call("new_match", &json!({ "ruleset": "paint", "opponents": ["mind"] }));
        let key = opened["structuredContent"]["seat_key"].clone();
        assert!(key.is_string(), "{opened}");
        matches += 1;
        for _ in 0..2 {
            let view = assistant.call("get_state", &json!({ "seat_key": key, "wait_seconds": 20, "full": true }));
            let action = &view["structuredContent"]["legal_actions"][0];
            let acted = assistant.call("act", &json!({ "seat_key": key, "action": action })).to_string();
            if acted.contains("used up") {
                break 'used_up acted;
            }
        }
        assert!(matches < 40, "each match has a budget of its own");
    };
    assert!(said.contains("the budget of this run is used up") && matches > 2, "{matches}: {said}");
    assert!(mind.count() * 15 <= 400, "{} calls of 0.15 cents each", mind.count());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_budget_of_the_run_and_of_the_match_goes_on_where_it_was() {
    let short = format!("{PRICE}\nmax_output_tokens = 500\n");
    let limited = format!("{short}max_usd = 0.02");
    for (fields, more, said) in [
        (&short, &["--max-usd", "0.02"][..], "the budget of this run is used up"),
        (&short, &["--max-calls", "4"], "the budget of this run is used up: all 4 calls"),
        (&limited, &[], "the budget of this match is used up"),
    ] {
        let mind = Mind::default();
        let server = mind.serve().await;
        let folder = folder(&server, fields);
        let begun = [&["--record", "m.jsonl"], more].concat();
        let stopped = program(&folder, &play("mind,greedy", &begun)).output().expect("it starts");
        let why = complaint(&stopped, 1);
        assert!(why.contains(said) && why.contains("nobody has lost"), "{why}");
        let asked = mind.count();
        assert!(asked > 2, "{asked}");
        let again = [&["play", "--resume", "m.jsonl", "--json"], more].concat();
        let why = complaint(&program(&folder, &again).output().expect("it starts"), 1);
        assert!(why.contains(said), "{why}");
        assert_eq!(mind.count(), asked, "nothing more is asked");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_that_is_asked_otherwise_does_not_go_on_with_the_match() {
    let mind = Mind::default();
    let server = mind.serve().await;
    let folder = folder(&server, PRICE);
    let begun = play("mind,greedy", &["--record", "m.jsonl", "--max-calls", "3", "--lang", "zh"]);
    complaint(&program(&folder, &begun).output().expect("it starts"), 1);
    let config = read(&folder, "standoff.toml");
    fs::write(folder.path().join("standoff.toml"), config.replace("scratchpad", "bare")).expect("written");
    let said = complaint(&program(&folder, &["play", "--resume", "m.jsonl"]).output().expect("it starts"), 2);
    assert!(said.contains("`mind` was asked otherwise when the match began: prompt `scratchpad`"), "{said}");
    fs::write(folder.path().join("standoff.toml"), config).expect("written");
    // In the language in which it began, whatever this terminal speaks.
    stdout(&program(&folder, &["play", "--resume", "m.jsonl", "--json"]).output().expect("it starts"));
    assert!(mind.requests().iter().all(|request| request.contains("你是 A")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_that_makes_room_for_another_takes_its_journal_along() {
    let mind = Mind::default();
    let server = mind.serve().await;
    let folder = folder(&server, PRICE);
    let begun = play("mind,greedy", &["--record", "m.jsonl", "--max-calls", "5"]);
    complaint(&program(&folder, &begun).output().expect("it starts"), 1);
    stdout(&program(&folder, &play("greedy,greedy", &["--record", "m.jsonl"])).output().expect("it starts"));
    assert_eq!(mind.count(), 5);
    stdout(&program(&folder, &["play", "--resume", "m.jsonl.1", "--json"]).output().expect("it starts"));
    assert_eq!(mind.count(), mind.requests().len(), "nothing is asked twice");
}
