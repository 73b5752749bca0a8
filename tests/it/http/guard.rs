//! Who may do what, and how much of it.

use serde_json::{Value as Json, json};

use super::client::{Client, server};
use crate::serve::Server;

#[test]
fn a_token_never_acts_for_a_seat_that_is_not_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let (ann, bob) = (anybody.register("Ann"), anybody.register("Bob"));
    let (id, anns) = ann.open(&json!({ "ruleset": "paint", "seats": ["me", "open"] }));
    let (elsewhere, theirs) = anybody.open(&json!({ "ruleset": "paint", "seats": ["me", "random"] }));
    let strangers = [&bob, &theirs[0]];
    let paths = ["action", "speak", "resign"];
    for stranger in strangers {
        for path in paths {
            let body = if path == "speak" { json!({ "text": "hello" }) } else { json!({ "action": "move east" }) };
            let answer = stranger.post(&format!("/matches/{id}/{path}"), &body);
            assert_eq!(answer.problem(403), "not_your_seat", "{path}");
        }
        assert_eq!(stranger.get(&format!("/matches/{id}/preview")).problem(403), "not_your_seat");
        let view = stranger.view(&id);
        assert_eq!((&view["seat"], &view["you"]), (&Json::Null, &Json::Null));
        assert_eq!(view["legal_actions"], json!([]));
    }
    for path in paths {
        assert_eq!(
            anybody.post(&format!("/matches/{id}/{path}"), &json!({ "text": "x" })).problem(401),
            "token_needed"
        );
    }
    let guessed = anybody.with(&json!("kabcdefghijkmnpqrstuvwxyz23"));
    assert_eq!(guessed.act(&id, &json!({ "action": "move east" })).problem(401), "token_unknown");
    assert_eq!(guessed.get("/rulesets").problem(401), "token_unknown");
    // Both sit down; each one's token and key are for its own seat alone.
    let key = bob.post(&format!("/matches/{id}/join"), &json!({ "seat": "B" })).expect(201)["seat_key"].clone();
    assert_eq!(bob.post(&format!("/matches/{id}/join"), &json!({})).problem(409), "already_seated");
    for (client, seat) in [(&ann, "A"), (&anns[0], "A"), (&bob, "B"), (&anybody.with(&key), "B")] {
        assert_eq!(client.view(&id)["seat"], seat);
        assert_eq!(client.view(&elsewhere)["seat"], Json::Null);
    }
    let legal = bob.view(&id)["legal_actions"][0].clone();
    assert_eq!(bob.act(&id, &json!({ "action": legal })).expect(200)["seat"], "B");
    assert_eq!(ann.view(&id)["submitted"], json!(["B"]));
    assert_eq!(ann.view(&id)["your_action_submitted"], false);
}

#[test]
fn a_token_that_was_replaced_is_worth_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let old = anybody.register("Ann");
    let new = anybody.with(&old.post("/players/me/token", &Json::Null).expect(200)["token"]);
    assert_eq!(old.get("/players/me").problem(401), "token_unknown");
    assert_eq!(new.get("/players/me").expect(200)["name"], "Ann");
    assert_eq!(anybody.get("/players/me").problem(401), "token_needed");
    assert_eq!(anybody.post("/players", &json!({ "name": "ann" })).problem(409), "name_taken");
    for bad in ["", " ", "greedy", "a\u{202e}b", &"x".repeat(41)] {
        assert_eq!(anybody.post("/players", &json!({ "name": bad })).problem(422), "bad_name", "{bad:?}");
    }
    assert_eq!(anybody.post("/matches/queue", &json!({ "mode": "paint" })).problem(401), "token_needed");
    assert_eq!(new.post("/matches/queue", &json!({ "mode": "chess" })).problem(422), "no_mode");
}

#[test]
fn beyond_this_machine_every_door_wants_a_token_of_its_own_kind() {
    let folder = tempfile::tempdir().expect("a folder");
    let owner = "correct-horse-battery";
    let server = Server::start(&folder.path().join("s.db"), &["--bind", "0.0.0.0", "--rate", "1000"], Some(owner));
    let anybody = Client::of(&server);
    for path in ["/rulesets", "/matches", "/players/me", "/openapi.json", "/events", "/matches/queue/status"] {
        assert_eq!(anybody.get(path).problem(401), "token_needed", "{path}");
    }
    assert_eq!(anybody.raw("GET", "/metrics", "", "").problem(401), "token_needed");
    for path in ["/healthz", "/readyz"] {
        assert_eq!(anybody.raw("GET", path, "", "").status, 200, "{path}");
    }
    assert_eq!(anybody.post("/players", &json!({ "name": "Ann" })).problem(401), "token_needed");
    let house = anybody.with(&json!(owner));
    let ann = house.register("Ann");
    assert_eq!(ann.post("/players", &json!({ "name": "Bob" })).problem(401), "token_needed");
    let opened = ann.post("/matches", &json!({ "ruleset": "paint", "seats": ["me", "open"] })).expect(201);
    let id = opened["match_id"].as_str().expect("a name");
    let join = format!("/matches/{id}/join");
    assert_eq!(anybody.post(&join, &json!({})).problem(401), "token_needed");
    assert_eq!(anybody.post(&join, &json!({ "invite": "iwrong" })).problem(401), "token_needed");
    let joined = anybody.post(&join, &json!({ "invite": opened["invite"], "name": "guest" })).expect(201);
    let guest = anybody.with(&joined["seat_key"]);
    assert_eq!(guest.view(id)["seat"], "B");
    // A seat is no account.
    let request = json!({ "ruleset": "paint", "seats": ["me", "random"] });
    assert_eq!(guest.post("/matches", &request).problem(401), "token_needed");
    // MCP opens matches for whoever is there: for players and the owner, not for whoever has the key of one seat.
    for client in [&anybody, &guest] {
        assert_eq!(client.raw("POST", "/mcp", "Accept: application/json, text/event-stream\r\n", "{}").status, 401);
    }
    for client in [&ann, &house] {
        assert_ne!(client.raw("POST", "/mcp", "Accept: application/json, text/event-stream\r\n", "{}").status, 401);
    }
}

#[test]
fn a_private_match_is_joined_with_its_invite_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let request = json!({ "ruleset": "paint", "seats": ["me", "open"], "private": true });
    let opened = anybody.post("/matches", &request).expect(201);
    let join = format!("/matches/{}/join", opened["match_id"].as_str().expect("a name"));
    assert_eq!(anybody.post(&join, &json!({})).problem(403), "not_invited");
    anybody.post(&join, &json!({ "invite": opened["invite"] })).expect(201);
}

#[test]
fn other_names_and_other_sites_are_turned_away_from_every_route() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    for path in ["/", "/healthz", "/readyz", "/metrics", "/api/v1/rulesets", "/api/v1/matches", "/mcp", "/nothing"] {
        let origin = anybody.raw("GET", path, "Origin: https://evil.example.org\r\n", "");
        assert_eq!(origin.problem(403), "unknown_origin", "{path}");
        let host = server.ask("GET", path, &[("Host", "evil.example.org")], "");
        assert_eq!(host.0, 403, "{path}");
    }
    let post = anybody.raw("POST", "/api/v1/matches", "Origin: null\r\n", "{}");
    assert_eq!(post.problem(403), "unknown_origin");
    // A form of another site can send this type without asking; this one it cannot.
    let form = "Content-Type: text/plain\r\n";
    let body = json!({ "ruleset": "paint", "seats": ["random", "random"] }).to_string();
    let port = server.address.rsplit(':').next().expect("a port");
    let own = format!("Origin: http://127.0.0.1:{port}\r\n");
    assert_eq!(anybody.raw("POST", "/api/v1/matches", &own, &body).status, 201);
    let (status, _) = server.ask("POST", "/api/v1/matches", &[("Content-Type", "text/plain")], &body);
    assert_eq!(status, 415, "{form}");
}

#[test]
fn answers_say_how_browsers_are_to_take_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    for path in ["/", "/api/v1/rulesets", "/api/v1/nothing", "/healthz"] {
        let answer = anybody.raw("GET", path, "", "");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
    }
    let style = anybody.raw("GET", "/board.css", "", "");
    assert_eq!((style.status, style.header("content-type")), (200, Some("text/css; charset=utf-8")));
    let tag = style.header("etag").expect("a tag").to_owned();
    let again = anybody.raw("GET", "/assets/board.css", &format!("If-None-Match: {tag}\r\n"), "");
    assert_eq!((again.status, again.text.as_str()), (304, ""));
    for path in ["/../Cargo.toml", "/assets/..%2fmod.rs", "/assets/.board.css", "/board.rs"] {
        assert_eq!(anybody.raw("GET", path, "", "").status, 404, "{path}");
    }
    assert_eq!(anybody.raw("DELETE", "/api/v1/rulesets", "", "").problem(405), "wrong_method");
}

#[test]
fn too_much_is_refused_and_says_when_to_come_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &["--rate", "5"]);
    let anybody = Client::of(&server);
    let long = json!({ "ruleset": "paint", "seats": ["random", "random"], "name": "x".repeat(70_000) });
    assert_eq!(anybody.post("/matches", &long).problem(413), "too_large");
    let answers: Vec<_> = (0..40).map(|_| anybody.get("/guests")).collect();
    let refused = answers.iter().find(|answer| answer.status == 429).expect("more than ten at once");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(refused.json()["code"], "too_many_requests");
    assert!(answers.iter().filter(|answer| answer.status == 200).count() >= 5);
}

#[test]
fn what_makes_no_sense_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let wrong = |request: Json| {
        let answer = anybody.post("/matches", &request);
        (answer.status, answer.json())
    };
    let (status, problem) = wrong(json!({ "ruleset": "paint", "seats": ["me", "random"], "colour": 1 }));
    assert_eq!((status, &problem["code"]), (400, &json!("bad_request")));
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("colour")), "{problem}");
    for (request, code) in [
        (json!({ "ruleset": "chess", "seats": ["me", "random"] }), "bad_ruleset"),
        (json!({ "ruleset": { "base": "paint", "turns": 0 }, "seats": ["me", "random"] }), "bad_ruleset"),
        (json!({ "ruleset": "paint", "map": "../secret", "seats": ["me", "random"] }), "bad_ruleset"),
        (json!({ "ruleset": "paint", "seats": ["me", "nobody-here"] }), "no_guest"),
        (json!({ "ruleset": "paint", "seats": ["me"] }), "bad_request"),
        (json!({ "ruleset": "paint", "seats": ["me", "random"], "name": "a\nb" }), "bad_name"),
    ] {
        let (status, problem) = wrong(request.clone());
        assert_eq!((status, &problem["code"]), (422, &json!(code)), "{request} {problem}");
    }
    assert_eq!(anybody.raw("POST", "/api/v1/matches", "", "{").problem(400), "bad_request");
    assert_eq!(anybody.get("/rulesets/chess").problem(404), "no_ruleset");
    assert_eq!(anybody.get("/rulesets/paint?lang=fr").problem(400), "bad_request");
    assert_eq!(anybody.get("/tournaments/none").problem(404), "no_tournament");
    let brief = anybody.get("/rulesets/grid_royale?lang=zh&players=8").expect(200);
    assert!(brief["brief"].as_str().is_some_and(|brief| brief.contains('规')), "{brief}");
    assert_eq!(brief["fields"]["hp"], 3);
}
