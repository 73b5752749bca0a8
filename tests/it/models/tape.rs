//! A match on a cassette: the same bytes again, with no network.

use std::time::{Duration, Instant};

use serde_json::Value as Json;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::{Mind, PRICE, all_files, answer, complaint, folder, play, program, read, stdout};

#[tokio::test]
async fn a_cassette_plays_the_match_again_byte_for_byte_and_asks_nobody() {
    let mind = Mind::default();
    let server = mind.serve().await;
    let folder = folder(&server, PRICE);
    let tape = |record| play("mind,mind", &["--cassette", "tape", "--record", record]);
    stdout(&program(&folder, &tape("first.jsonl")).output().expect("it starts"));
    let asked = mind.count();
    drop(server);
    // Not even a key is needed.
    let again = program(&folder, &tape("again.jsonl")).env_remove("STANDOFF_TEST_KEY").output().expect("it starts");
    stdout(&again);
    assert_eq!(read(&folder, "again.jsonl"), read(&folder, "first.jsonl"));
    assert_eq!(mind.count(), asked);
    assert!(!all_files(folder.path()).contains(super::KEY));
    // What is not on it cannot be asked.
    let other = play("mind,mind", &["--cassette", "tape", "--set", "turns=9"]);
    let said = complaint(&program(&folder, &other).output().expect("it starts"), 1);
    assert!(said.contains("the cassette has no answer for request 0 of seat"), "{said}");
}

#[tokio::test]
async fn a_turn_that_was_too_slow_is_so_again_and_at_once() {
    let server = MockServer::start().await;
    // The third turn of the match is never answered.
    let slow = |request: &Request| {
        let text = String::from_utf8(request.body.clone()).expect("UTF-8");
        let turn: Json = serde_json::from_str(&text).expect("JSON");
        let turn = turn["messages"][1]["content"].as_str().expect("a text").starts_with("You are A. 4 turns left.");
        if turn { ResponseTemplate::new(200).set_delay(Duration::from_mins(1)) } else { answer(&text) }
    };
    Mock::given(method("POST")).and(path("/v1/chat/completions")).respond_with(slow).mount(&server).await;
    let folder = folder(&server, PRICE);
    // Long enough that no answer is late because the machine is busy.
    let clock = ["--set", "policy.turn_seconds=8"];
    let tape = |record| play("mind,greedy", &[&["--cassette", "tape", "--record", record], &clock[..]].concat());
    stdout(&program(&folder, &tape("first.jsonl")).output().expect("it starts"));
    let first = read(&folder, "first.jsonl");
    assert_eq!(first.matches("\"fault\":\"too_slow\"").count(), 1, "{first}");
    drop(server);
    let begun = Instant::now();
    stdout(&program(&folder, &tape("again.jsonl")).output().expect("it starts"));
    assert!(begun.elapsed() < Duration::from_secs(8), "the clock is not waited for");
    assert_eq!(read(&folder, "again.jsonl"), first);
}
