//! Whole games.

use std::time::Duration;

use serde_json::json;
use standoff::games::library;
use standoff::matches::Replay;

use super::{Assistant, arena, on, shared};

#[tokio::test]
async fn an_assistant_plays_every_ruleset_to_its_end_in_both_languages() {
    for ruleset in library::rulesets() {
        for language in ["en", "zh"] {
            let shared = shared();
            let assistant = Assistant::to(&shared).await;
            let wanted = json!({ "ruleset": ruleset, "opponents": ["random"], "language": language, "seed": "7" });
            let view = assistant.data("new_match", wanted).await;
            assert!(view["brief"].as_str().is_some_and(|brief| brief.contains("`act`")), "{view}");
            let id = view["match_id"].as_str().expect("a name").to_owned();
            let end = assistant.play_out(view).await;
            assert_eq!(end["state"]["to_act"], json!([]));
            let record = assistant
                .client()
                .read_resource(rmcp::model::ReadResourceRequestParams::new(format!("standoff://match/{id}/record")));
            let record =
                json!(record.await.expect("it is there"))["contents"][0]["text"].as_str().expect("text").to_owned();
            Replay::read(record.as_bytes()).expect(ruleset).finished().expect("complete");
        }
    }
}

#[tokio::test]
async fn two_assistants_play_each_other_and_a_third_looks_on() {
    let shared = shared();
    let (one, other, third) =
        (Assistant::to(&shared).await, Assistant::to(&shared).await, Assistant::to(&shared).await);
    let opened = one.data("new_match", json!({ "ruleset": "paint", "opponents": ["open"] })).await;
    assert_eq!(opened["open_seats"], json!(["B"]));
    assert_eq!(other.data("list_matches", json!({})).await["matches"][0]["match_id"], opened["match_id"]);
    let joined = other.data("join_match", json!({ "match_id": opened["match_id"] })).await;
    assert_eq!((&opened["seat"], &joined["seat"]), (&json!("A"), &json!("B")));
    let watched = third.data("get_state", json!({ "match_id": opened["match_id"] })).await;
    assert_eq!((watched["seat"].is_null(), &watched["your_turn"]), (true, &json!(false)));
    let (end, same) = tokio::join!(one.play_out(opened), other.play_out(joined));
    assert_eq!(end["state"], same["state"]);
}

#[tokio::test]
async fn no_clock_runs_unless_it_is_asked_for_and_an_opening_is_drawn_if_it_is() {
    let arena = arena();
    let assistant = Assistant::to(&on(arena.clone())).await;
    for ruleset in library::rulesets() {
        for (turn_seconds, opening) in [(None, None), (Some(45), Some(4))] {
            let mut wanted = json!({ "ruleset": ruleset, "opponents": ["open"], "seed": "7" });
            wanted["turn_seconds"] = json!(turn_seconds);
            wanted["opening"] = json!(opening);
            let view = assistant.data("new_match", wanted).await;
            let live = arena.watch(view["match_id"].as_str().expect("a name")).await.expect("it is there");
            assert_eq!(live.turn_seconds(), turn_seconds.unwrap_or(0), "{ruleset}");
            assert_eq!((live.ruleset().opening, live.pace()), (opening.unwrap_or(0), Duration::ZERO), "{ruleset}");
            let brief = view["brief"].as_str().expect("a brief");
            assert_eq!(brief.contains("within 45 seconds"), turn_seconds.is_some(), "{ruleset}");
            assert_eq!(brief.contains("lapses when"), turn_seconds.is_some(), "{ruleset}");
            assert_eq!(brief.contains("begins after an opening"), opening.is_some(), "{ruleset}");
        }
    }
}

#[tokio::test]
async fn four_play_a_royale() {
    let shared = shared();
    let assistant = Assistant::to(&shared).await;
    let view = assistant
        .data(
            "new_match",
            json!({ "ruleset": "grid-royale", "opponents": ["random", "greedy", "random"], "seat": "C" }),
        )
        .await;
    assert_eq!(view["seat"], "C");
    let end = assistant.play_out(view).await;
    assert_eq!(end["state"]["bots"].as_array().map(Vec::len), Some(4));
}

#[tokio::test]
async fn who_waits_in_vain_is_told_so_shortly_and_may_wait_again() {
    let shared = shared();
    let (one, other) = (Assistant::to(&shared).await, Assistant::to(&shared).await);
    one.data("new_match", json!({ "ruleset": "cowboy", "opponents": ["open"], "seat": "B" })).await;
    assert_eq!(other.data("join_match", json!({})).await["your_turn"], true);
    let waited = one.data("get_state", json!({ "wait_seconds": 1 })).await;
    assert_eq!(waited["waiting_for"], json!(["A"]));
    other.data("act", json!({ "action": "shield left", "wait_seconds": 0 })).await;
    assert_eq!(one.data("get_state", json!({ "wait_seconds": 20 })).await["your_turn"], true);
}
