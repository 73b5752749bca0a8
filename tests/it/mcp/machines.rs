//! Processes on standard input and output that share a store: they find each other's matches and play them together.

use serde_json::{Value, json};

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

/// Looks for an opponent of its own kind, without waiting.
fn find(program: &mut Program, ruleset: &str) -> Value {
    program.data("find_match", &json!({ "ruleset": ruleset, "bots": false, "wait_seconds": 0 }))
}

#[test]
fn two_assistants_on_one_machine_meet_in_the_queue_and_play_to_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s.db");
    let (mut one, mut other) = (Program::start(&store), Program::start(&store));
    let waiting = find(&mut one, "trails");
    assert_eq!((&waiting["status"], &waiting["position"]), (&json!("waiting"), &json!(1)), "{waiting}");
    // The first keeps the queue, and the match that comes of it.
    let seated = find(&mut other, "trails");
    assert!(seated["brief"].is_string() && seated["seat_key"].is_string(), "{seated}");
    let found = find(&mut one, "trails");
    assert_eq!((&found["match_id"], found["notice"].is_null()), (&seated["match_id"], true), "{found}");
    assert_ne!(found["seat"], seated["seat"]);
    let mut ends = Vec::new();
    while ends.len() < 2 {
        for program in [&mut one, &mut other] {
            let view = program.data("get_state", &json!({ "wait_seconds": 20, "full": true }));
            if view["outcome"].is_null() {
                let action = view["legal_actions"][0].clone();
                assert!(action.is_string(), "{view}");
                program.data("act", &json!({ "action": action, "turn": view["turn"], "wait_seconds": 0 }));
            } else {
                ends.push(view["outcome"].clone());
            }
        }
    }
    assert_eq!(ends[0], ends[1]);
    // And once more: what is over is in nobody's way.
    let waiting = find(&mut other, "paint");
    assert_eq!((&waiting["status"], &waiting["ruleset"]), (&json!("waiting"), &json!("paint")), "{waiting}");
    let found = find(&mut one, "paint");
    let seated = find(&mut other, "paint");
    assert_eq!(found["match_id"], seated["match_id"], "{found} {seated}");
    for program in [&mut one, &mut other] {
        let view = program.data("get_state", &json!({ "wait_seconds": 20, "full": true }));
        assert_eq!((&view["match_id"], &view["your_turn"]), (&found["match_id"], &json!(true)), "{view}");
        program.data("act", &json!({ "action": view["legal_actions"][0], "turn": 0, "wait_seconds": 0 }));
    }
    // Who looks for another match is told that it has one.
    for program in [&mut one, &mut other] {
        let again = find(program, "cowboy");
        assert_eq!(again["match_id"], found["match_id"], "{again}");
        assert!(again["notice"].as_str().is_some_and(|notice| notice.contains("(paint)")), "{again}");
    }
    // When the one leaves that keeps all of it, the other goes on where it was.
    one.leave();
    let view = other.data("get_state", &json!({ "wait_seconds": 5, "full": true }));
    assert_eq!((&view["match_id"], &view["turn"]), (&found["match_id"], &json!(1)), "{view}");
    other.data("act", &json!({ "action": view["legal_actions"][0], "turn": 1, "wait_seconds": 0 }));
}

/// Both look for an opponent in this game: the name of their match.
fn meet(one: &mut Program, other: &mut Program, ruleset: &str) -> String {
    find(one, ruleset);
    let found = find(other, ruleset);
    assert_eq!(find(one, ruleset)["match_id"], found["match_id"], "{found}");
    found["match_id"].as_str().expect("a match").to_owned()
}

/// Does the first legal action as soon as it is this program's turn: how many turns were played before.
fn act_first(program: &mut Program) -> Value {
    let view = program.data("get_state", &json!({ "wait_seconds": 20, "full": true }));
    assert_eq!(view["your_turn"], true, "{view}");
    let action = json!({ "action": view["legal_actions"][0], "turn": view["turn"], "wait_seconds": 0 });
    program.data("act", &action);
    view["turn"].clone()
}

/// Clients call again by themselves when an answer is lost, whatever was played meanwhile.
#[test]
fn a_message_that_is_sent_again_is_said_once_in_a_match_of_the_queue() {
    const KEY: &str = "0c7b4f8e9d2a4b6f8a1c3e5d7f90";
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s.db");
    let (mut one, mut other) = (Program::start(&store), Program::start(&store));
    // Speaking is the turn's action.
    meet(&mut one, &mut other, "cowboy");
    let is_first = one.data("get_state", &json!({}))["your_turn"] == true;
    let (speaks, listens) = if is_first { (&mut one, &mut other) } else { (&mut other, &mut one) };
    for (turn, message) in
        [(0, json!({ "text": "howdy", "turn": 0 })), (2, json!({ "text": "howdy", "idempotency_key": KEY }))]
    {
        std::thread::scope(|scope| {
            let listening = scope.spawn(|| act_first(listens));
            speaks.data("speak", &message);
            assert_eq!(listening.join().expect("it acts"), turn + 1);
        });
        let before = speaks.data("get_state", &json!({ "wait_seconds": 20 }));
        assert_eq!((&before["turn"], &before["your_turn"]), (&json!(turn + 2), &json!(true)), "{before}");
        speaks.data("speak", &message);
        let after = speaks.data("get_state", &json!({}));
        assert_eq!((&after["turn"], &after["your_turn"]), (&json!(turn + 2), &json!(true)), "{message}: {after}");
    }
    // Whose turn it is ends the match.
    speaks.data("resign", &json!({}));
    let over = listens.data("get_state", &json!({ "wait_seconds": 20 }));
    assert_eq!(over["result"], "won", "{over}");
    // Talk is free.
    let id = meet(&mut one, &mut other, "paint");
    for (turn, message) in [
        json!({ "text": "hello", "turn": 0 }),
        json!({ "text": "hello", "turn": 0 }),
        json!({ "text": "goodbye", "idempotency_key": KEY }),
        json!({ "text": "goodbye", "idempotency_key": KEY }),
    ]
    .into_iter()
    .enumerate()
    {
        one.data("speak", &message);
        for program in [&mut one, &mut other] {
            assert_eq!(act_first(program), turn);
        }
    }
    one.data("get_state", &json!({ "wait_seconds": 20 }));
    let record = one.ask("resources/read", &json!({ "uri": format!("standoff://match/{id}/record") })).to_string();
    assert_eq!((record.matches("hello").count(), record.matches("goodbye").count()), (1, 1), "{record}");
}

#[test]
fn nobody_is_brought_together_with_an_assistant_that_has_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s.db");
    let mut gone = Program::start(&store);
    assert_eq!(find(&mut gone, "trails")["status"], "waiting");
    gone.leave();
    let mut killed = Program::start(&store);
    assert_eq!(find(&mut killed, "trails")["status"], "waiting", "the first has left");
    drop(killed);
    let mut one = Program::start(&store);
    let waiting = find(&mut one, "trails");
    assert_eq!((&waiting["status"], &waiting["position"]), (&json!("waiting"), &json!(1)), "the second was killed");
    // The same where another process keeps the queue.
    let mut far = Program::start(&store);
    assert_eq!(find(&mut far, "paint")["status"], "waiting");
    far.leave();
    let mut other = Program::start(&store);
    let waiting = find(&mut other, "paint");
    assert_eq!((&waiting["status"], &waiting["position"]), (&json!("waiting"), &json!(1)), "it left from afar");
    // Who waits in the queue of one that is killed is put back by asking again.
    drop(one);
    assert_eq!(find(&mut other, "paint")["position"], 1);
}

#[test]
fn what_is_waited_for_is_told_as_it_is_and_can_be_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s.db");
    let (mut one, mut other) = (Program::start(&store), Program::start(&store));
    // Here, and where another process keeps the queue.
    for program in [&mut one, &mut other] {
        let next = |waiting: &Value| waiting["next"].as_str().expect("a call").to_owned();
        let waiting = find(program, "trails");
        assert_eq!(next(&waiting), r#"find_match {"ruleset":"trails","bots":false}"#);
        let same = program.data("find_match", &json!({ "wait_seconds": 0 }));
        assert_eq!(same, waiting, "what is not said again stays");
        let words = program.words("find_match", &json!({ "ruleset": "cowboy", "wait_seconds": 0, "bots": true }));
        assert!(words.contains("for cowboy") && words.contains(r#"{"ruleset":"cowboy","bots":true}"#), "{words}");
        let live = program.data("find_match", &json!({ "pace": "live", "bots": false, "wait_seconds": 0 }));
        assert_eq!(next(&live), r#"find_match {"ruleset":"cowboy","bots":false,"pace":"live"}"#);
        program
            .data("find_match", &json!({ "ruleset": "paint", "bots": false, "pace": "own_pace", "wait_seconds": 0 }));
        let refused = program.refusal("find_match", &json!({ "ruleset": "chess" }));
        assert!(refused.contains("no mode `chess`"), "{refused}");
        // So that the next one does not meet it.
        program.data("find_match", &json!({ "ruleset": "grid-royale", "bots": false, "wait_seconds": 0 }));
    }
}
