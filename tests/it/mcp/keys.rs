//! Whose seat is whose.

use std::sync::Arc;

use serde_json::json;
use standoff::arena::{Arena, ArenaLimits};
use standoff::store::{Location, Store};

use super::{Assistant, Bots, on, shared};

#[tokio::test]
async fn a_match_id_alone_only_watches() {
    let shared = shared();
    let (one, other) = (Assistant::to(&shared).await, Assistant::to(&shared).await);
    let view = one.data("new_match", json!({ "opponents": ["greedy"] })).await;
    let id = &view["match_id"];
    for (tool, arguments) in [
        ("act", json!({ "match_id": id, "action": "move down" })),
        ("speak", json!({ "match_id": id, "text": "hello" })),
        ("resign", json!({ "match_id": id })),
        ("list_legal_actions", json!({ "match_id": id })),
    ] {
        assert!(other.refusal(tool, arguments).await.contains("only watches"), "{tool}");
    }
    let seen = other.data("get_state", json!({ "match_id": id })).await;
    assert_eq!(seen["state"], view["state"]);
    assert_eq!(seen["legal_actions"], json!([]));
    assert!(
        other.refusal("act", json!({ "seat_key": "kwrong", "action": "move down" })).await.contains("opens no seat")
    );
}

#[tokio::test]
async fn a_seat_key_alone_is_enough_from_another_session() {
    let shared = shared();
    let one = Assistant::to(&shared).await;
    let view = one.data("new_match", json!({ "opponents": ["greedy"] })).await;
    let key = view["seat_key"].clone();
    let other = Assistant::to(&shared).await;
    let acted = other.data("act", json!({ "seat_key": key, "action": view["legal_actions"][0] })).await;
    assert_eq!(acted["turn"], 2);
    let back = other.data("join_match", json!({ "seat_key": key })).await;
    assert_eq!((&back["match_id"], &back["seat"]), (&view["match_id"], &json!("A")));
    // From here on the session knows its seat.
    assert_eq!(other.data("get_state", json!({})).await["seat"], "A");
}

#[tokio::test]
async fn what_one_seat_has_sealed_is_in_no_answer_to_another() {
    let shared = shared();
    let (one, other) = (Assistant::to(&shared).await, Assistant::to(&shared).await);
    one.data("new_match", json!({ "ruleset": "paint", "opponents": ["open"] })).await;
    let joined = other.data("join_match", json!({})).await;
    let watcher = Assistant::to(&shared).await;
    let id = &joined["match_id"];
    let before = (
        other.data("get_state", json!({})).await,
        watcher.data("get_state", json!({ "match_id": id })).await,
        watcher.data("list_matches", json!({})).await,
    );
    one.data("act", json!({ "action": "shoot south", "wait_seconds": 0 })).await;
    let after = (
        other.data("get_state", json!({})).await,
        watcher.data("get_state", json!({ "match_id": id })).await,
        watcher.data("list_matches", json!({})).await,
    );
    assert_eq!(before, after);
    assert_eq!(one.data("get_state", json!({})).await["your_turn"], false);
}

#[tokio::test]
async fn a_match_is_in_one_server_at_a_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let location = Location::File(folder.path().join("matches.db"));
    let store = Store::open(&location).await.expect("a store");
    let first = on(Arena::with_store(Arc::new(Bots), ArenaLimits::default(), store.clone()).expect("an arena"));
    let assistant = Assistant::to(&first).await;
    let view = assistant.data("new_match", json!({ "opponents": ["greedy"], "seed": "3" })).await;
    let key = view["seat_key"].clone();
    assistant.data("act", json!({ "action": "shield down" })).await;
    let second = on(Arena::with_store(Arc::new(Bots), ArenaLimits::default(), store).expect("another arena"));
    let elsewhere = Assistant::to(&second).await.refusal("get_state", json!({ "seat_key": key })).await;
    assert!(elsewhere.contains("another process"), "{elsewhere}");
}

#[tokio::test]
async fn a_match_that_was_put_away_goes_on_for_a_session_that_left_the_key_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&Location::File(folder.path().join("matches.db"))).await.expect("a store");
    let limits = ArenaLimits { matches: 1, ..ArenaLimits::default() };
    let shared = on(Arena::with_store(Arc::new(Bots), limits, store).expect("an arena"));
    let assistant = Assistant::to(&shared).await;
    assistant.data("new_match", json!({ "opponents": ["greedy"], "seed": "3" })).await;
    Assistant::to(&shared).await.data("new_match", json!({ "opponents": ["greedy"] })).await;
    let acted = assistant.data("act", json!({ "action": "shield down" })).await;
    assert_eq!((&acted["your_turn"], &acted["turn"]), (&json!(true), &json!(2)));
}

#[tokio::test]
async fn a_call_repeated_with_its_key_happens_once_and_a_key_that_others_may_think_of_is_refused() {
    let shared = shared();
    let (one, other) = (Assistant::to(&shared).await, Assistant::to(&shared).await);
    let once = json!({ "opponents": ["open"], "idempotency_key": "0b0e4a6e-6a0f-4d3e-9f57-5d0f6b8e8f10" });
    let opened = one.data("new_match", once.clone()).await;
    let again = other.data("new_match", once).await;
    assert_eq!((&again["match_id"], &again["seat_key"]), (&opened["match_id"], &opened["seat_key"]));
    let join = json!({ "match_id": opened["match_id"], "idempotency_key": "c1b9b7f2-5a55-4a38-8a2e-4f6a0d1c9e77" });
    let joined = other.data("join_match", join.clone()).await;
    assert_eq!(other.data("join_match", join).await["seat_key"], joined["seat_key"]);
    for (tool, guessed) in [
        ("new_match", json!({ "opponents": ["greedy"], "idempotency_key": "1" })),
        ("join_match", json!({ "match_id": opened["match_id"], "idempotency_key": "join-1" })),
    ] {
        assert!(one.refusal(tool, guessed).await.contains("random UUID"), "{tool}");
    }
    let act = json!({ "seat_key": opened["seat_key"], "action": "shield left", "idempotency_key": "turn-0", "wait_seconds": 0 });
    for _ in 0..2 {
        one.data("act", act.clone()).await;
    }
    assert_eq!(other.data("get_state", json!({ "seat_key": joined["seat_key"], "wait_seconds": 20 })).await["turn"], 1);
}
