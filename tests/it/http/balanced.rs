//! Two servers on one store behind a load balancer: whichever is asked, lists and streams say the same.

use std::path::Path;

use serde_json::{Value as Json, json};

use super::client::Client;
use crate::serve::Server;

/// A match in a list, as it is drawn there.
fn listed(client: &Client, id: &str) -> Json {
    let list = client.get("/matches?boards=1").expect(200);
    let all = list["matches"].as_array().expect("a list");
    let mut line = all.iter().find(|line| line["match_id"] == id).unwrap_or_else(|| panic!("{id}: {list}")).clone();
    // The store and the process that plays it each have their own clock.
    for time in ["created", "updated"] {
        assert!(line.as_object_mut().expect("an object").remove(time).is_some(), "{list}");
    }
    line
}

/// What the stream of all matches tells of one until it is as wanted.
fn told(stream: &mut super::client::Events, id: &str, wanted: impl Fn(&Json) -> bool) -> Json {
    let lines = stream.flat_map(|event| event.data["matches"].as_array().cloned().unwrap_or_default());
    let mut lines = lines.filter(|line| line["match_id"] == id);
    lines.find(|line| wanted(line)).expect("the stream goes on until that is told")
}

fn everywhere_the_same(store: &Path) {
    let (one, other) = (Server::start(store, &[], None), Server::start(store, &[], None));
    let (here, there) = (Client::of(&one), Client::of(&other));
    // The first process to own something has the queue and the lease; both have one from here on.
    let (ada, bob) = (here.register("Ada"), there.register("Bob"));
    let mut stream = there.events("/events", "");
    let wish = json!({ "ruleset": "paint", "seats": ["me", "open"], "seed": 5, "ticks": false });
    let (id, seats) = ada.open(&wish);
    let open = listed(&there, &id);
    assert_eq!((&open["status"], &open["open_seats"]), (&json!("open"), &json!(["B"])), "{open}");
    assert_eq!((&open["seats"][1]["kind"], &open["seats"][1]["identity"]), (&json!("open"), &Json::Null), "{open}");
    assert!(open["state"]["grid"].is_array() && open["scene"].is_object(), "{open}");
    assert_eq!(open, listed(&here, &id), "an open match");
    let event = told(&mut stream, &id, |_| true);
    assert_eq!((&event["status"], &event["open_seats"]), (&json!("open"), &json!(["B"])), "{event}");
    for client in [&ada, &ada.at(&there)] {
        assert_eq!(client.get("/players/me").expect(200)["matches"], json!([id]));
    }
    assert_eq!(bob.get("/players/me").expect(200)["matches"], json!([]));
    let joined = bob.post(&format!("/matches/{id}/join"), &json!({})).expect(201);
    for client in [&bob, &bob.at(&here)] {
        assert_eq!(client.get("/players/me").expect(200)["matches"], json!([id]));
    }
    here.begun(&id);
    let seats = [seats[0].clone(), there.with(&joined["seat_key"])];
    for seat in &seats {
        let view = seat.view(&id);
        seat.act(&id, &json!({ "action": view["legal_actions"][0], "turn": 0 })).expect(200);
    }
    there.after(&id, 0);
    let event = told(&mut stream, &id, |line| line["turn"] == 1);
    assert_eq!((&event["status"], &event["state"]["turn"]), (&json!("playing"), &json!(1)), "{event}");
    let playing = listed(&there, &id);
    assert_eq!(playing["state"]["turn"], 1, "{playing}");
    assert_eq!(playing, listed(&here, &id), "a match in play");
    // A private match is listed as it is, wherever one asks.
    let private = json!({ "ruleset": "paint", "seats": ["me", "open"], "private": true });
    let (secret, _) = here.open(&private);
    assert_eq!(listed(&there, &secret), listed(&here, &secret), "a private match");
    ada.post(&format!("/matches/{id}/resign"), &Json::Null).expect(200);
    // The turn is played when everybody has answered.
    let action = &seats[1].view(&id)["legal_actions"][0];
    seats[1].act(&id, &json!({ "action": action, "turn": 1 })).expect(200);
    let event = told(&mut stream, &id, |line| line["status"] == "over");
    assert!(event["outcome"].is_object(), "{event}");
    assert_eq!(bob.get("/players/me").expect(200)["matches"], json!([]), "it is over");
    // Nor is anything forgotten by a restart.
    let (id, _) = ada.open(&wish);
    drop((one, other));
    let again = Server::start(store, &[], None);
    assert_eq!(ada.at(&Client::of(&again)).get("/players/me").expect(200)["matches"], json!([id]));
}

#[test]
fn whichever_of_two_servers_is_asked_lists_and_streams_say_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    everywhere_the_same(&folder.path().join("s.db"));
}

mod postgres {
    use super::*;

    #[test]
    #[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
    fn whichever_of_two_servers_is_asked_lists_and_streams_say_the_same() {
        everywhere_the_same(Path::new(&crate::postgres::store("balanced")));
    }

    #[test]
    #[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
    fn who_listens_everywhere_on_a_database_is_told_how_others_reach_it() {
        let store = crate::postgres::store("unreachable");
        let token = Some("correct-horse-battery");
        let told =
            |more: &[&str]| Server::start(Path::new(&store), &[&["--bind", "0.0.0.0"], more].concat(), token).end();
        assert!(told(&[]).contains("--advertise http://"));
        assert!(!told(&["--advertise", "http://127.0.0.1:8000"]).contains("warning"));
    }
}
