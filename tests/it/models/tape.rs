//! A match on a cassette: the same bytes again, with no network.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use standoff::players::Api;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::canary;

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

/// Looks at the position first, thinking, and acts when it has seen it, in whichever format it is asked.
fn in_format(api: Api, streamed: bool, request: &Request) -> ResponseTemplate {
    let text = String::from_utf8(request.body.clone()).expect("UTF-8");
    let thought = text.bytes().fold(7_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let direction = ["north", "east", "south", "west"][thought as usize / 8 % 4];
    let result = ["\"role\":\"tool\"", "function_call_output", "tool_result", "functionResponse"];
    let has_seen = result.iter().any(|mark| text.contains(mark));
    assert!(!has_seen || text.contains("c2lnbmVk"), "{api}: what is signed goes back: {text}");
    let said = if has_seen {
        canary::called(api, streamed, "act", &json!({ "action": format!("shoot {direction}") }).to_string())
    } else {
        canary::called(api, streamed, "get_state", "{}")
    };
    let kind = if streamed { "text/event-stream" } else { "application/json" };
    ResponseTemplate::new(200).set_body_raw(said, kind)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cassette_that_breaks_off_goes_on_and_plays_the_same_in_every_wire_format() {
    for (api, streamed) in Api::ALL.into_iter().flat_map(|api| [(api, false), (api, true)]) {
        let server = MockServer::start().await;
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        let answer = move |request: &Request| {
            count.fetch_add(1, Ordering::SeqCst);
            in_format(api, streamed, request)
        };
        Mock::given(method("POST")).respond_with(answer).mount(&server).await;
        let folder = folder(&server, &format!("{PRICE}\napi = '{api}'\nstream = {streamed}"));
        let run = |more: &[&str]| program(&folder, &play("mind,mind", more)).output().expect("it starts");
        stdout(&run(&["--record", "bare.jsonl"]));
        let whole = asked.swap(0, Ordering::SeqCst);
        assert!(whole > 12, "{api}: {whole}");
        // Seven requests end in the middle of a turn.
        let why = complaint(&run(&["--cassette", "tape", "--max-calls", "7"]), 1);
        assert!(why.contains("all 7 calls"), "{api}: {why}");
        assert!(why.contains("the same call with --seed 7 goes on") && !why.contains("--record"), "{api}: {why}");
        stdout(&run(&["--cassette", "tape", "--record", "first.jsonl"]));
        assert_eq!(asked.load(Ordering::SeqCst), whole, "{api}: only what is missing is asked");
        drop(server);
        let tape = play("mind,mind", &["--cassette", "tape", "--record", "again.jsonl"]);
        stdout(&program(&folder, &tape).env_remove("STANDOFF_TEST_KEY").output().expect("it starts"));
        let first = read(&folder, "first.jsonl");
        assert_eq!(read(&folder, "again.jsonl"), first, "{api}");
        assert!(first.contains(&format!("\"api\":\"{api}\"")), "{first}");
        assert!(!all_files(folder.path()).contains(super::KEY));
    }
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
