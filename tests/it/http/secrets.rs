//! What is secret stays so: sealed actions until they are played, tokens for ever.

use std::io::Read as _;

use serde_json::{Value as Json, json};

use super::client::{Client, server};

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

/// When a match was opened, and the chain of hashes that begins with its name, are its own.
fn without_times(text: &str) -> String {
    let mut text = text.to_owned();
    for field in ["\"created\":", "\"updated\":", "\"hash\":"] {
        while let Some(at) = text.find(field) {
            let end = text[at + field.len()..].find([',', '}']).expect("a value ends");
            text.replace_range(at..at + field.len() + end, "");
        }
    }
    text
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
