//! Records that somebody changed and gave hashes that fit: the rules are asked about every field.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use standoff::games::{Ruleset, Seat, Seed};
use standoff::matches::{Chain, Log, Match, Replay};

/// A finished match of Grid Royale, line by line and without the hashes. It has chance in it, and a stand-in.
fn played() -> Vec<String> {
    let ruleset = json!({ "base": "grid-royale", "max_ticks": 6, "opening": 2, "powerups": { "every": 1 }, "policy": { "on_lapse": "random" } });
    let ruleset = Arc::new(Ruleset::from_json(&ruleset).expect("a good ruleset"));
    let (mut game, header) = Match::open("m1", ruleset, Seed(7), vec!["tester".to_owned(); 2]).expect("two can play");
    let mut log = Log::new(Vec::new());
    log.write(&header).expect("memory does not fail");
    let mut dice = Seed(1).dice();
    while let Some(seat) = game.awaiting().iter().next() {
        let records = if game.table().turn() == 1 && seat == Seat::new(1) {
            game.lapse(seat, standoff::matches::Fault::TooSlow)
        } else {
            let action = game.table().random_legal(seat, &mut dice).to_string();
            game.submit(seat, &action).expect("legal")
        };
        for record in records {
            log.write(&record).expect("memory does not fail");
        }
    }
    let record = String::from_utf8(log.into_inner()).expect("JSON is UTF-8");
    let body = |line: &str| line.rsplit_once(",\"hash\":\"").expect("a line ends in its hash").0.to_owned();
    record.lines().map(body).collect()
}

/// The lines with hashes that fit.
fn chained(bodies: &[String]) -> String {
    let mut chain = Chain::default();
    let line = |body: &String| {
        chain = chain.after(body.as_bytes());
        format!("{body},\"hash\":\"{chain}\"}}\n")
    };
    bodies.iter().map(line).collect()
}

/// The verdict on a record in which one text of a line stands for another.
fn forged(bodies: &[String], line: usize, from: &str, to: &str) -> String {
    let mut bodies = bodies.to_vec();
    assert!(bodies[line].contains(from), "`{from}` is not in: {}", bodies[line]);
    bodies[line] = bodies[line].replacen(from, to, 1);
    let error = Replay::read(chained(&bodies).as_bytes()).expect_err("found");
    error.to_string()
}

#[test]
fn a_forger_who_mends_the_hashes_still_meets_the_rules() {
    let bodies = played();
    let last = bodies.len() - 1;
    Replay::read(chained(&bodies).as_bytes()).expect("it verifies as it was").finished().expect("and is complete");
    let turn: Json = serde_json::from_str(&format!("{}}}", bodies[2])).expect("JSON");
    let hash = turn["state_hash"].as_str().expect("a text");
    let other = if hash.starts_with('0') { "1" } else { "0" };
    let result: Json = serde_json::from_str(&format!("{}}}", bodies[last])).expect("JSON");
    let place = result["places"]["A"].as_u64().expect("a number");
    for (line, from, to, at, field) in [
        (0, "\"tick\":1", "\"tick\":2", 0, "state"),
        // What is wrong with the rules shows where the match should have gone on.
        (0, "\"max_ticks\":6", "\"max_ticks\":7", last - 1, "events"),
        (2, "\"turn\":2", "\"turn\":3", 2, "turn"),
        (2, "\"stand_in\":true", "\"stand_in\":false", 2, "events"),
        (2, "\"type\":\"spawn\"", "\"type\":\"pickup\"", 2, "events"),
        (2, hash, &format!("{other}{}", &hash[1..]), 2, "state_hash"),
        (last, "\"turns\":6", "\"turns\":5", last, "result"),
        (last, &format!("\"A\":{place}"), &format!("\"A\":{}", 3 - place), last, "result"),
        (last, result["reason"].as_str().expect("a text"), "all_dead", last, "result"),
    ] {
        let told = forged(&bodies, line, from, to);
        assert!(told.starts_with(&format!("line {}: `{field}` ", at + 1)), "{from} → {to}: {told}");
    }
}
