//! The ledger: every request that was sent counts, whatever became of it and however the match was stopped.

use serde_json::Value as Json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::{PRICE, answer, complaint, folder, play, program, read, stdout};

/// A server of which every second answer is an error, and how many requests it got.
async fn flaky(without_usage: bool) -> (MockServer, Arc<AtomicUsize>) {
    let server = MockServer::start().await;
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let respond = move |request: &Request| {
        let number = count.fetch_add(1, Ordering::SeqCst);
        let text = String::from_utf8(request.body.clone()).expect("UTF-8");
        match (number % 2, without_usage) {
            (0, _) => ResponseTemplate::new(503),
            (_, false) => answer(&text),
            (_, true) => ResponseTemplate::new(200).set_body_json(serde_json::json!({
                "choices": [{ "message": { "content": "ACTION: shoot north" }, "finish_reason": "stop" }],
            })),
        }
    };
    Mock::given(method("POST")).and(path("/v1/chat/completions")).respond_with(respond).mount(&server).await;
    (server, asked)
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_failed_or_have_no_price_count_when_a_match_goes_on() {
    for without_usage in [false, true] {
        let (server, asked) = flaky(without_usage).await;
        let folder = folder(&server, PRICE);
        let begun = play("mind,greedy", &["--record", "m.jsonl", "--max-calls", "5"]);
        complaint(&program(&folder, &begun).output().expect("it starts"), 1);
        assert_eq!(asked.load(Ordering::SeqCst), 5);
        for (calls, wanted) in [("5", 5), ("9", 9)] {
            let again = ["play", "--resume", "m.jsonl", "--json", "--max-calls", calls];
            let why = complaint(&program(&folder, &again).output().expect("it starts"), 1);
            assert!(why.contains(&format!("all {wanted} calls are made")), "{why}");
            assert!(!why.contains("cannot be reached"), "{why}");
            assert_eq!(asked.load(Ordering::SeqCst), wanted);
        }
        let journal = read(&folder, "m.jsonl.journal");
        assert_eq!(journal.matches("\"outcome\":\"sent\"").count(), 9, "{journal}");
        assert_eq!(journal.matches("\"outcome\":\"failed\"").count(), 5, "{journal}");
        assert_eq!(journal.matches("\"outcome\":\"answered\"").count(), 4, "{journal}");
        let unknown = journal.matches("\"is_known\":false").count();
        assert_eq!(unknown, if without_usage { 9 + 4 } else { 9 }, "{journal}");
        let result = program(&folder, &["play", "--resume", "m.jsonl", "--json"]).output().expect("it starts");
        let result: Json = serde_json::from_str(&stdout(&result)).expect("one JSON line");
        assert_eq!(result["turns"], 6);
    }
}
