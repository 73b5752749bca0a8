//! Answers that were lost on their way, asked for again: nobody loses anything by it, and nobody else gains.

use std::net::SocketAddr;

use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::client::{Answer, Client, server};

impl Client {
    /// The same request with a key to ask for its answer again.
    fn once(&self, key: &str, path: &str, body: &Json) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.raw("POST", &format!("/api/v1{path}"), &format!("Idempotency-Key: {key}\r\n"), &body)
    }
}

/// Opens a match from this address of the machine's own network.
fn open_from(address: &str, port: &str, key: &str, body: &Json) -> Json {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let body = body.to_string();
    let text = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
        socket.bind(format!("{address}:0").parse().expect("an address")).expect("an address of this machine");
        let to: SocketAddr = format!("127.0.0.1:{port}").parse().expect("an address");
        let mut stream = socket.connect(to).await.expect("it listens");
        let request = format!(
            "POST /api/v1/matches HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\nIdempotency-Key: {key}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.expect("it reads");
        let mut text = String::new();
        stream.read_to_string(&mut text).await.expect("it answers");
        text
    });
    serde_json::from_str(text.split_once("\r\n\r\n").expect("a head").1)
        .unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A key that nobody else thinks of.
const KEY: &str = "5b0e4a6e-6a0f-4d3e-9f57";

#[test]
fn nobody_gets_the_answer_to_somebody_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let wish = json!({ "ruleset": "paint", "seats": ["me", "open"] });
    // Whoever shows nothing needs a key that nobody hits upon.
    for short in ["1", "fifteen-letters"] {
        let answer = anybody.once(short, "/matches", &wish);
        assert!(answer.text.contains("16"), "{}", answer.text);
        assert_eq!(answer.problem(400), "bad_request", "{short}");
    }
    let [one, again, other] =
        ["127.0.0.1", "127.0.0.1", "127.0.0.2"].map(|from| open_from(from, &anybody.port, KEY, &wish));
    assert_eq!((&one["match_id"], &one["mine"]), (&again["match_id"], &again["mine"]));
    assert_ne!(one["match_id"], other["match_id"]);
    assert_ne!(one["mine"], other["mine"]);
    // A token says who it is; then any key will do.
    let (ann, bob) = (anybody.register("Ann"), anybody.register("Bob"));
    let [anns, bobs] = [&ann, &bob].map(|player| player.once("1", "/matches", &wish).expect(201));
    assert_ne!(anns["match_id"], bobs["match_id"]);
    assert_eq!(ann.once("1", "/matches", &wish).expect(201)["mine"], anns["mine"]);
}

#[test]
fn a_player_whose_first_answer_was_lost_has_its_name_and_its_token() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = server(folder.path(), &[]);
    let anybody = Client::of(&first);
    let ann = anybody.once(KEY, "/players", &json!({ "name": "Ann" })).expect(201);
    assert_eq!(anybody.once(KEY, "/players", &json!({ "name": "Ann" })).expect(201), ann);
    assert_eq!(anybody.once(KEY, "/players", &json!({ "name": "Eve" })).problem(422), "idempotency_key_reused");
    let other = KEY.replace('5', "6");
    assert_eq!(anybody.once(&other, "/players", &json!({ "name": "Ann" })).problem(409), "name_taken");
    assert_eq!(anybody.post("/players", &json!({ "name": "Ann" })).problem(409), "name_taken");
    assert_eq!(anybody.with(&ann["token"]).get("/players/me").expect(200)["name"], "Ann");
    // At the same time, and after a restart.
    let bobs: Vec<Json> = std::thread::scope(|scope| {
        let ask = || anybody.once(&other, "/players", &json!({ "name": "Bob" })).expect(201);
        let all: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        all.into_iter().map(|one| one.join().expect("it is answered")).collect()
    });
    assert!(bobs.iter().all(|bob| *bob == bobs[0]), "{bobs:?}");
    first.end();
    let second = server(folder.path(), &[]);
    let anybody = Client::of(&second);
    assert_eq!(anybody.once(KEY, "/players", &json!({ "name": "Ann" })).expect(201), ann);
    second.end();
}

#[test]
fn a_player_whose_new_token_was_lost_gets_it_again_for_the_old_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = server(folder.path(), &[]);
    let anybody = Client::of(&first);
    let old = anybody.register("Ann");
    let renewed = old.once("renew-1", "/players/me/token", &Json::Null).expect(200);
    assert_ne!(renewed["token"], json!(old.token));
    for _ in 0..2 {
        assert_eq!(old.once("renew-1", "/players/me/token", &Json::Null).expect(200), renewed);
    }
    // For this one answer, and for nothing else.
    assert_eq!(old.once("renew-2", "/players/me/token", &Json::Null).problem(401), "token_unknown");
    assert_eq!(old.post("/players/me/token", &Json::Null).problem(401), "token_unknown");
    assert_eq!(old.get("/players/me").problem(401), "token_unknown");
    assert_eq!(old.once("renew-1", "/players", &json!({ "name": "Bob" })).problem(401), "token_unknown");
    let never = anybody.with(&json!("pabcdefghijkmnpqrstuvwxyz23456789"));
    assert_eq!(never.once("renew-1", "/players/me/token", &Json::Null).problem(401), "token_unknown");
    first.end();
    let second = server(folder.path(), &[]);
    let anybody = Client::of(&second);
    let old = old.at(&anybody);
    assert_eq!(old.once("renew-1", "/players/me/token", &Json::Null).expect(200), renewed);
    let new = anybody.with(&renewed["token"]);
    assert_eq!(new.get("/players/me").expect(200)["name"], "Ann");
    // The new one is replaced in its turn: from then on nobody is told of it.
    new.post("/players/me/token", &Json::Null).expect(200);
    assert_eq!(old.once("renew-1", "/players/me/token", &Json::Null).problem(401), "token_unknown");
    second.end();
}

#[test]
fn a_message_that_is_sent_again_is_said_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let (id, seats) = anybody.open(&json!({ "ruleset": "paint", "seats": ["me", "me"], "ticks": false }));
    anybody.begun(&id);
    let speak = |text: &str| seats[0].post(&format!("/matches/{id}/speak"), &json!({ "text": text }));
    for text in ["hello", "hello", " hello "] {
        speak(text).expect(200);
    }
    assert_eq!(speak("something else").status, 422);
    for turn in 0..2 {
        for seat in &seats {
            let view = seat.view(&id);
            if view["your_turn"] == true {
                seat.act(&id, &json!({ "action": view["legal_actions"][0], "turn": view["turn"] })).expect(200);
            }
            // It has gone out with the action, and the turn is not played yet.
            if turn == 0 && seat.token == seats[0].token {
                speak("hello").expect(200);
            }
        }
        anybody.after(&id, turn);
    }
    let turns = anybody.get(&format!("/matches/{id}/turns")).text;
    assert_eq!(turns.matches("hello").count(), 1, "{turns}");
}

/// What a seat has said in turns that are over, when the answer got lost: the turn that it saw, or a key, tells that it is
/// the same once more.
#[test]
fn a_message_whose_turn_is_over_is_not_said_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    // Where speaking is the turn's action, a second time would cost a turn.
    for again in [json!({ "text": "howdy", "turn": 0 }), json!({ "text": "howdy" })] {
        let (id, seats) = anybody.open(&json!({ "ruleset": "cowboy", "seats": ["me", "me"], "ticks": false }));
        anybody.begun(&id);
        let speak = || seats[0].once("said-1", &format!("/matches/{id}/speak"), &again);
        speak().expect(200);
        anybody.after(&id, 0);
        seats[1].act(&id, &json!({ "action": seats[1].view(&id)["legal_actions"][0], "turn": 1 })).expect(200);
        anybody.after(&id, 1);
        if again["turn"] == 0 {
            seats[0].post(&format!("/matches/{id}/speak"), &again).expect(200);
        }
        speak().expect(200);
        let view = seats[0].view(&id);
        assert_eq!((&view["turn"], &view["your_turn"]), (&json!(2), &json!(true)), "{again}");
    }
    // Where talk is free, it would be heard twice.
    let (id, seats) = anybody.open(&json!({ "ruleset": "paint", "seats": ["me", "me"], "ticks": false }));
    anybody.begun(&id);
    let speak = |body: &Json| seats[0].post(&format!("/matches/{id}/speak"), body);
    let keyed = |text: &str| seats[0].once("said-2", &format!("/matches/{id}/speak"), &json!({ "text": text }));
    for turn in 0..4 {
        match turn {
            0 | 1 => drop(speak(&json!({ "text": "hello", "turn": 0 })).expect(200)),
            _ => drop(keyed("goodbye").expect(200)),
        }
        for seat in &seats {
            let action = seat.view(&id)["legal_actions"][0].clone();
            seat.act(&id, &json!({ "action": action, "turn": turn })).expect(200);
        }
        anybody.after(&id, turn);
    }
    assert_eq!(keyed("something else").problem(422), "idempotency_key_reused");
    assert_eq!(speak(&json!({ "text": "hello", "turn": 9 })).problem(409), "turn_not_reached");
    let turns = anybody.get(&format!("/matches/{id}/turns")).text;
    assert_eq!((turns.matches("hello").count(), turns.matches("goodbye").count()), (1, 1), "{turns}");
}

/// Whoever shows a player's token is that player, at every door.
#[test]
fn a_player_at_mcp_is_no_guest() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let (ann, bob) = (anybody.register("Ann"), anybody.register("Bob"));
    let call = |client: &Client, tool: &str, arguments: Json| {
        super::secrets::over_mcp(client, "tools/call", &json!({ "name": tool, "arguments": arguments }))
    };
    let opened = call(&ann, "new_match", json!({ "ruleset": "paint", "opponents": ["open"] }));
    let id = ann.get("/players/me").expect(200)["matches"][0].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned();
    let joined = call(&bob, "join_match", json!({ "match_id": id }));
    let seats = anybody.view(&id)["seats"].clone();
    for (seat, client, name) in [(0, &ann, "Ann"), (1, &bob, "Bob")] {
        let me = client.get("/players/me").expect(200);
        let identity = format!("registered:{}", me["id"].as_str().expect("an id"));
        assert_eq!((&seats[seat]["player"], &seats[seat]["identity"]), (&json!(name), &json!(identity)), "{joined}");
        assert_eq!(me["matches"], json!([id]));
    }
}
