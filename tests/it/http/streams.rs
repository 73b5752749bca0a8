//! Following matches as they are played.

use std::io::Read as _;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::client::{Client, Event, server};

/// Plays a turn in which all of these act, and waits until it is seen.
fn play(id: &str, seats: &[Client], turn: u64) {
    for seat in seats {
        act(id, seat, turn);
    }
    seats[0].after(id, turn);
}

fn act(id: &str, seat: &Client, turn: u64) {
    let view = seat.view(id);
    assert_eq!(view["turn"], turn);
    seat.act(id, &json!({ "action": view["legal_actions"][0], "turn": turn })).expect(200);
}

fn without_hashes(mut events: Vec<Event>) -> Vec<Event> {
    for event in &mut events {
        event.data.as_object_mut().expect("an object").remove("state_hash");
    }
    events
}

#[test]
fn a_stream_tells_every_turn_once_and_goes_on_where_it_was_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let rules = json!({ "base": "paint", "turns": 6 });
    let (id, seats) = anybody.open(&json!({ "ruleset": rules, "seats": ["me", "me"] }));
    let path = format!("/matches/{id}/events");
    let (mut one, mut other) = (anybody.events(&path, ""), anybody.events(&format!("{path}?since=0"), ""));
    // That somebody has acted is told while another still thinks.
    let mut all = Vec::new();
    act(&id, &seats[0], 0);
    let told = |event: &Event| event.name == "status" && event.data["submitted"] == json!(["A"]);
    while !all.last().is_some_and(told) {
        all.push(other.next().expect("the stream goes on"));
    }
    act(&id, &seats[1], 0);
    seats[0].after(&id, 0);
    for turn in 1..3 {
        play(&id, &seats, turn);
    }
    let mut turns = Vec::new();
    while turns.len() < 3 {
        turns.extend(one.next().filter(|event| event.name == "turn"));
    }
    drop(one);
    for turn in 3..6 {
        play(&id, &seats, turn);
    }
    // Whoever was away comes back with the number of the last event.
    let back: Vec<Event> = anybody.events(&path, "Last-Event-ID: 3\r\n").collect();
    assert_eq!((back[0].name.as_str(), &back[0].data["turn"]), ("match", &json!(3)));
    assert_eq!(back[0].data["state"], turns[2].data["state"]);
    turns.extend(back.iter().filter(|event| event.name == "turn").cloned());
    let numbers: Vec<Option<u64>> = turns.iter().map(|event| event.id).collect();
    assert_eq!(numbers, (1..=6).map(Some).collect::<Vec<_>>());
    let last = back.last().expect("an end");
    assert_eq!((last.name.as_str(), &last.data["turns"]), ("end", &json!(6)));
    // Somebody who was there all the time has seen the same; fingerprints are shown when it is over.
    all.extend(other.by_ref());
    let seen: Vec<Event> = all.iter().filter(|event| event.name == "turn").cloned().collect();
    assert!(seen[..5].iter().all(|event| event.data.get("state_hash").is_none()));
    assert_eq!(without_hashes(seen), without_hashes(turns.clone()));
    assert_eq!(all.last().map(|event| event.name.as_str()), Some("end"));
    // The same again, from the record.
    let listed = anybody.get(&format!("/matches/{id}/turns")).expect(200);
    let listed = listed["turns"].as_array().expect("a list");
    assert!(listed.iter().all(|turn| turn["state_hash"].is_string()));
    let turns = without_hashes(turns);
    for (turn, told) in listed.iter().zip(&turns) {
        let mut turn = turn.clone();
        turn.as_object_mut().expect("an object").remove("state_hash");
        assert_eq!(turn, told.data);
    }
    let part = anybody.get(&format!("/matches/{id}/turns?from=4&limit=1")).expect(200);
    assert_eq!((&part["turns"][0]["turn"], &part["start"]), (&json!(5), &Json::Null));
}

#[test]
fn the_lobby_tells_what_begins_and_what_moves_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let mut lobby = anybody.events("/events", "");
    let (id, seats) = anybody.open(&json!({ "ruleset": "paint", "seats": ["me", "me"] }));
    let told = lobby.next().expect("an event");
    assert_eq!((told.name.as_str(), &told.data["matches"][0]["match_id"]), ("matches", &json!(id)));
    play(&id, &seats, 0);
    let told = lobby.next().expect("an event");
    assert_eq!(told.data["matches"][0]["match_id"], json!(id));
}

#[test]
fn a_game_of_bots_is_told_to_the_end_however_fast_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let (id, mine) = anybody.open(&json!({ "ruleset": "paint", "seats": ["random", "random"] }));
    assert!(mine.is_empty());
    let mut known = 0;
    let until = Instant::now() + Duration::from_mins(1);
    // Bots can be faster than a reader, who is then sent away and comes back.
    'told: loop {
        assert!(Instant::now() < until);
        for event in anybody.events(&format!("/matches/{id}/events?since={known}"), "") {
            match event.name.as_str() {
                "turn" => {
                    known += 1;
                    assert_eq!(event.id, Some(known));
                }
                "end" => break 'told,
                _ => {}
            }
        }
    }
    assert_eq!(known, 100);
}

#[test]
fn a_server_that_is_told_to_stop_answers_everybody_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let (id, _) = anybody.open(&json!({ "ruleset": "paint", "seats": ["me", "me"] }));
    let events = anybody.events(&format!("/matches/{id}/events"), "");
    let mut waiting = anybody.send("GET", &format!("/api/v1/matches/{id}?wait=30&since=0"), "", "");
    // Both have arrived when the server counts them.
    let until = Instant::now() + Duration::from_mins(1);
    while !anybody.raw("GET", "/metrics", "", "").text.contains("standoff_open_streams 2") {
        assert!(Instant::now() < until, "the request does not arrive");
    }
    let begun = Instant::now();
    let told = Command::new("kill").args(["-TERM", &server.child.id().to_string()]).status().expect("kill is there");
    assert!(told.success());
    let mut answer = String::new();
    waiting.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let told: Vec<String> = events.map(|event| event.name).collect();
    assert_eq!(told[0], "match");
    assert!(told[1..].iter().all(|name| name == "status"), "{told:?}");
    assert!(server.child.wait().expect("it ends").success());
    // Sooner than the one who waits would have been answered anyway.
    assert!(begun.elapsed() < Duration::from_secs(25), "{:?}", begun.elapsed());
}

#[test]
fn a_finished_match_is_analysed_once_and_not_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let rules = json!({ "base": "paint", "turns": 2 });
    let (id, seats) = anybody.open(&json!({ "ruleset": rules, "seats": ["me", "me"] }));
    assert_eq!(anybody.get(&format!("/matches/{id}/analysis")).problem(409), "still_playing");
    for turn in 0..2 {
        play(&id, &seats, turn);
    }
    let until = Instant::now() + Duration::from_mins(1);
    let analysis = loop {
        let answer = anybody.get(&format!("/matches/{id}/analysis"));
        if answer.status == 200 {
            break answer.json();
        }
        assert_eq!(answer.status, 202, "{}", answer.text);
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(analysis["moves"].as_array().map(Vec::len), Some(4));
    assert!(analysis["win"][0]["A"].is_f64() && analysis["win"][1]["B"].is_f64(), "{analysis}");
}
