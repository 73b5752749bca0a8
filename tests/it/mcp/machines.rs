//! Processes on standard input and output that share a store: they find each other's matches and play them together.

use serde_json::json;

use super::program::Program;

#[test]
fn two_assistants_on_one_machine_meet_without_configuration() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s.db");
    let (mut one, mut other) = (Program::start(&store), Program::start(&store));
    let opened = one.data("new_match", &json!({ "ruleset": "paint", "opponents": ["open"], "seed": "5" }));
    let listed = other.data("list_matches", &json!({}));
    assert_eq!(listed["matches"][0]["match_id"], opened["match_id"], "{listed}");
    assert_eq!(listed["matches"][0]["open_seats"], json!(["B"]), "{listed}");
    let joined = other.data("join_match", &json!({}));
    assert_eq!((&joined["match_id"], &joined["seat"]), (&opened["match_id"], &json!("B")), "{joined}");
    for turn in 0..3 {
        for program in [&mut one, &mut other] {
            let view = program.data("get_state", &json!({ "wait_seconds": 20, "full": true }));
            assert_eq!((&view["your_turn"], &view["state"]["turn"]), (&json!(true), &json!(turn)), "{view}");
            let action = view["legal_actions"][0].clone();
            program.data("act", &json!({ "action": action, "turn": turn, "wait_seconds": 0 }));
        }
    }
    assert_eq!(other.data("get_state", &json!({ "wait_seconds": 20, "full": true }))["state"]["turn"], 3);
    // When the first one leaves, the other goes on with the match.
    drop(one);
    let key = opened["seat_key"].clone();
    let view = other.data("get_state", &json!({ "seat_key": key, "full": true }));
    assert_eq!(view["state"]["turn"], 3, "{view}");
    other.data("act", &json!({ "seat_key": key, "action": view["legal_actions"][0], "wait_seconds": 0 }));
    let view = other.data("get_state", &json!({ "seat_key": joined["seat_key"], "full": true }));
    other
        .data("act", &json!({ "seat_key": joined["seat_key"], "action": view["legal_actions"][0], "wait_seconds": 5 }));
    assert_eq!(other.data("get_state", &json!({ "seat_key": key, "full": true }))["state"]["turn"], 4);
}
