//! What is secret stays so: sealed actions until they are played, tokens for ever.

use std::io::Read as _;

use serde_json::{Value as Json, json};

use super::client::{Client, server, without};

/// Everything that somebody else can see of a match, with what must differ between two matches taken out.
fn seen(anybody: &Client, other: &Client, id: &str) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for client in [anybody, other] {
        for path in ["", "/turns", "/record", "/verify", "?wait=1&since=0", "/preview"] {
            let answer = client.get(&format!("/matches/{id}{path}"));
            seen.push(format!("{path} {} {}", answer.status, answer.text));
        }
    }
    let mut stream = anybody.events(&format!("/matches/{id}/events?since=0"), "");
    // The match, and how it stands; nothing else has happened.
    for event in [stream.next(), stream.next()].into_iter().flatten() {
        seen.push(format!("{} {}", event.name, event.data));
    }
    let list = anybody.get("/matches?boards=1").expect(200);
    let of_it = list["matches"].as_array().expect("a list").iter().find(|one| one["match_id"] == id);
    seen.push(of_it.expect("it is listed").to_string());
    seen.iter().map(|text| without_times(&text.replace(id, "ID"))).collect()
}

/// When a match was opened, for how long its turn has been under way, and the chain of hashes that begins with its name,
/// are its own.
fn without_times(text: &str) -> String {
    without(text, &["\"created\":", "\"updated\":", "\"turn_ms\":", "\"hash\":"])
}

#[test]
fn what_is_sealed_is_in_no_answer_and_no_event_before_its_turn_is_played() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    for (ruleset, one, another) in [
        ("paint", json!({ "action": "move south" }), json!({ "action": "move east", "reasoning": "secret" })),
        (
            "grid-royale",
            json!({ "move": "stay", "shoot": null }),
            json!({ "move": "north", "shoot": "east", "say": "secret" }),
        ),
        ("trails", json!({ "action": "move left" }), json!({ "action": "move right", "reasoning": "secret" })),
    ] {
        let rules = json!({ "base": ruleset, "policy": { "turn_seconds": 0 } });
        let request = json!({ "ruleset": rules, "seats": ["me", "me"], "seed": 7 });
        let told = |action: Option<&Json>| {
            let (id, seats) = anybody.open(&request);
            anybody.begun(&id);
            if let Some(action) = action {
                seats[0].act(&id, action).expect(200);
                // One's own view has it, and nobody else's.
                assert_eq!(seats[0].view(&id)["your_action_submitted"], true);
            }
            seen(&anybody, &seats[1], &id)
        };
        let (nothing, one, another) = (told(None), told(Some(&one)), told(Some(&another)));
        assert_eq!(one, another, "{ruleset}: what was sealed can be told apart");
        assert!(one.iter().all(|text| !text.contains("secret")));
        // That something was sealed is in `submitted`, and nowhere else.
        let hidden = |seen: &[String]| -> Vec<String> {
            seen.iter().map(|text| text.replace("\"submitted\":[\"A\"]", "\"submitted\":[]")).collect()
        };
        assert_ne!(nothing, one);
        assert_eq!(hidden(&nothing), hidden(&one), "{ruleset}");
    }
}

#[test]
fn no_log_has_a_token_a_key_or_a_sealed_action() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &["--log", "trace"]);
    let anybody = Client::of(&server);
    let ann = anybody.register("Ann");
    let opened = ann.post("/matches", &json!({ "ruleset": "paint", "seats": ["me", "open"] })).expect(201);
    let id = opened["match_id"].as_str().expect("a name");
    let key = opened["mine"][0]["seat_key"].as_str().expect("a key");
    let invite = opened["invite"].as_str().expect("an invitation");
    anybody.post(&format!("/matches/{id}/join"), &json!({ "invite": invite })).expect(201);
    ann.act(id, &json!({ "action": "move south", "reasoning": "because of the weather" })).expect(200);
    anybody.with(&opened["mine"][0]["seat_key"]).view(id);
    let guessed = "kguessedguessedguessed";
    anybody.with(&json!(guessed)).get(&format!("/matches/{id}"));
    let mut stream = ann.send("GET", &format!("/api/v1/matches/{id}/events"), "", "");
    stream.read_exact(&mut [0; 64]).expect("it begins");
    let told = server.end();
    assert!(told.contains("/api/v1/matches/{id}/action"), "it does log: {told}");
    for secret in [ann.token.as_deref().expect("a token"), key, invite, guessed, "because of the weather", "move south"]
    {
        assert!(!told.contains(secret), "{secret} is in the log");
    }
}

/// Whether a text gives away anything that a match could be computed from: its seed, in either notation, or a hash.
pub(super) fn gives_away(text: &str, seeds: &[&str]) -> Option<&'static str> {
    let is_hash = |word: &str| word.len() >= 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    // The digits after a point belong to a number, like the seconds that a request took.
    let words = || text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.').map(|word| word.trim_matches('.'));
    if seeds.iter().any(|seed| text.contains(*seed)) {
        Some("the seed")
    } else if ["\"seed\"", "state_hash", "\"hash\"", "\"chain\"", "digest"].iter().any(|name| text.contains(name)) {
        Some("a field")
    } else if words().any(is_hash) {
        Some("a hash")
    } else {
        None
    }
}

const SEED: &str = "123456789";

/// The same in both notations.
const SEEDS: [&str; 2] = [SEED, "75bcd15"];

/// Everything that the outside gets of a match in play, door by door: HTTP answers, streams, MCP results and resources, the
/// record so far, the log.
#[test]
fn no_door_gives_away_what_a_match_in_play_could_be_computed_from() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &["--log", "trace"]);
    let anybody = Client::of(&server);
    let wish =
        json!({ "ruleset": { "base": "paint", "turns": 9 }, "seats": ["me", "greedy"], "seed": SEED, "ticks": false });
    let opened = anybody.post("/matches", &wish);
    let mut doors = vec![("POST /matches".to_owned(), opened.text.clone())];
    let opened = opened.expect(201);
    let id = opened["match_id"].as_str().expect("a name").to_owned();
    let me = anybody.with(&opened["mine"][0]["seat_key"]);
    anybody.begun(&id);
    let mut stream = anybody.events(&format!("/matches/{id}/events?since=0"), "");
    let mut lobby = anybody.events("/events", "");
    for turn in 0..3 {
        let action = me.view(&id)["legal_actions"][0].clone();
        let acted = me.act(&id, &json!({ "action": action, "turn": turn }));
        doors.push(("POST action".to_owned(), acted.text));
        me.after(&id, turn);
    }
    doors.push(("POST wrong action".to_owned(), me.act(&id, &json!({ "action": "dance" })).text));
    for client in [&anybody, &me] {
        for path in ["", "?wait=1&since=0", "/turns", "/record", "/verify", "/preview", "/analysis"] {
            doors.push((format!("GET {path}"), client.get(&format!("/matches/{id}{path}")).text));
        }
    }
    for path in ["", ".svg", ".svg?card=true", "/turn/1", "/embed"] {
        let shared = anybody.raw("GET", &format!("/m/{id}{path}"), "", "");
        assert_eq!(shared.status, 200, "{path}");
        doors.push((format!("GET /m/ID{path}"), shared.text));
    }
    for path in ["", "/rating", "/history", "/head-to-head"] {
        doors.push((format!("GET /players{path}"), anybody.get(&format!("/players/house:greedy{path}")).text));
    }
    doors.push(("GET /tournaments".to_owned(), anybody.get("/tournaments").text));
    doors.push(("GET /matches".to_owned(), anybody.get("/matches?boards=1").text));
    doors.push(("GET /metrics".to_owned(), anybody.raw("GET", "/metrics", "", "").text));
    for _ in 0..4 {
        let event = stream.next().expect("it goes on");
        doors.push((format!("event {}", event.name), event.data.to_string()));
    }
    let listed = lobby.next().expect("something moves");
    doors.push(("lobby".to_owned(), listed.data.to_string()));
    for (method, params) in [
        ("tools/call", json!({ "name": "get_state", "arguments": { "match_id": id } })),
        ("tools/call", json!({ "name": "get_state", "arguments": { "seat_key": me.token } })),
        ("tools/call", json!({ "name": "list_legal_actions", "arguments": { "seat_key": me.token } })),
        ("tools/call", json!({ "name": "list_matches", "arguments": {} })),
        (
            "tools/call",
            json!({ "name": "new_match", "arguments": { "ruleset": "paint", "opponents": ["greedy"], "seed": SEED } }),
        ),
        ("resources/list", json!({})),
        ("resources/read", json!({ "uri": format!("standoff://match/{id}/state") })),
        ("resources/read", json!({ "uri": format!("standoff://match/{id}/record") })),
    ] {
        let answer = over_mcp(&anybody, method, &params);
        assert!(answer.contains("\"result\""), "{method} {params}: {answer}");
        doors.push((format!("MCP {method} {params}").replace(SEED, ""), answer));
    }
    // The same tools on a pipe, with a match of their own.
    let mut pipe = crate::mcp::program::Program::start(&folder.path().join("s.db"));
    let wish = json!({ "ruleset": "paint", "opponents": ["greedy"], "seed": SEED });
    let opened = pipe.data("new_match", &wish);
    let (id, key) = (opened["match_id"].as_str().expect("a name"), &opened["seat_key"]);
    doors.push(("stdio new_match".to_owned(), opened.to_string()));
    let action = pipe.data("list_legal_actions", &json!({ "seat_key": key }))["legal_actions"][0].clone();
    for (tool, arguments) in [
        ("act", json!({ "seat_key": key, "action": action })),
        ("act", json!({ "seat_key": key, "action": "dance" })),
        ("get_state", json!({ "seat_key": key, "full": true })),
        ("get_state", json!({ "match_id": id })),
        ("list_legal_actions", json!({ "seat_key": key })),
        ("speak", json!({ "seat_key": key, "text": "hello" })),
        ("list_matches", json!({})),
        ("list_matches", json!({ "show": "mine" })),
        ("list_matches", json!({ "show": "leaderboard" })),
    ] {
        doors.push((format!("stdio {tool}"), pipe.call(tool, &arguments).to_string()));
    }
    for uri in [format!("standoff://match/{id}/state"), format!("standoff://match/{id}/record")] {
        let read = pipe.ask("resources/read", &json!({ "uri": uri }));
        assert!(read["result"].is_object(), "{read}");
        doors.push((format!("stdio {uri}"), read.to_string()));
    }
    drop(pipe);
    assert!(doors.len() > 50, "{}", doors.len());
    for (door, text) in &doors {
        assert_eq!(gives_away(text, &SEEDS), None, "{door}: {text}");
    }
    let told = server.end();
    assert!(told.contains("/api/v1/matches/{id}/action"), "it does log");
    assert!(!told.contains(SEED) && !told.contains("75bcd15"), "the seed is in the log");
}

/// One request over MCP, in a session of its own.
pub(super) fn over_mcp(client: &Client, method: &str, params: &Json) -> String {
    let usual = "Accept: application/json, text/event-stream\r\n";
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } },
    });
    let begun = client.raw("POST", "/mcp", usual, &hello.to_string());
    let session = begun.header("mcp-session-id").map(|id| format!("{usual}Mcp-Session-Id: {id}\r\n"));
    let session = session.unwrap_or_else(|| usual.to_owned());
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    client.raw("POST", "/mcp", &session, &ready.to_string());
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": method, "params": params });
    client.raw("POST", "/mcp", &session, &call.to_string()).text
}
