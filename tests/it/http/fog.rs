//! What is hidden in a match stays hidden at every door until its end: two matches that differ only in what A cannot
//! see give A, and everybody, the same bytes.

use serde_json::{Value as Json, json};

use super::client::{Client, server, without};

/// What B and C do in one match and in the other, out of A's sight: their starts are far away.
const ONE: [[&str; 2]; 4] = [
    ["move west, shoot west", "stay"],
    ["move west", "move east"],
    ["stay, shoot south", "stay"],
    ["move west", "stay"],
];
const OTHER: [[&str; 2]; 4] = [
    ["move south", "move east"],
    ["stay", "stay, shoot east"],
    ["move south, shoot north", "stay"],
    ["stay", "move east"],
];

/// Everything that a seat and everybody else are handed, with what must differ between two matches taken out.
fn handed(anybody: &Client, seat: &Client, id: &str, turns: usize) -> Vec<String> {
    let mut handed = Vec::new();
    for client in [anybody, seat] {
        for path in
            ["", "?lang=zh", "/turns", "/turns?lang=zh", "/record", "/verify", "/analysis", "/preview", "/brief"]
        {
            let answer = client.get(&format!("/matches/{id}{path}"));
            handed.push(format!("{path} {} {}", answer.status, answer.text));
        }
        for since in [0, turns.saturating_sub(1)] {
            // The match, the turns that are asked for, and how it stands.
            let stream = client.events(&format!("/matches/{id}/events?since={since}"), "");
            for event in stream.take(turns - since + 2) {
                handed.push(format!("{} {}", event.name, event.data));
            }
        }
        let list = client.get("/matches?boards=1").expect(200);
        let of_it = list["matches"].as_array().expect("a list").iter().find(|one| one["match_id"] == id);
        handed.push(of_it.expect("it is listed").to_string());
    }
    handed.iter().map(|text| without_times(&text.replace(id, "ID"))).collect()
}

/// When a match was opened is its own, and so is for how long its turn has been under way.
fn without_times(text: &str) -> String {
    without(text, &["\"created\":", "\"updated\":", "\"turn_ms\":"])
}

fn wish() -> Json {
    let policy = json!({ "turn_seconds": 0, "tick_seconds": 0 });
    let rules = json!({ "base": "grid-royale-fog", "max_ticks": 5, "policy": policy });
    json!({ "ruleset": rules, "seats": ["me", "me", "me"], "seed": 7, "ticks": false })
}

/// Plays a turn of all three and waits until it is seen.
fn play(id: &str, seats: &[Client], turn: u64, actions: [&str; 3]) {
    for (seat, action) in seats.iter().zip(actions) {
        seat.act(id, &json!({ "action": action, "turn": turn, "reasoning": format!("secretly {action}") })).expect(200);
    }
    seats[0].after(id, turn);
}

#[test]
fn what_a_seat_cannot_see_is_in_no_byte_that_it_or_anybody_is_handed_before_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let told = |script: [[&str; 2]; 4]| {
        let (id, seats) = anybody.open(&wish());
        let mut told = Vec::new();
        for (turn, [b, c]) in (0..).zip(script) {
            play(&id, &seats, turn, ["move north", b, c]);
            let turns = usize::try_from(turn).expect("few") + 1;
            told.push(handed(&anybody, &seats[0], &id, turns));
        }
        (id, seats, told)
    };
    let (one_id, one_seats, one) = told(ONE);
    let (other_id, other_seats, other) = told(OTHER);
    for (turn, (one, other)) in one.iter().zip(&other).enumerate() {
        assert_eq!(one.len(), other.len());
        for (one, other) in one.iter().zip(other) {
            assert_eq!(one, other, "after turn {}", turn + 1);
            assert!(!one.contains("secretly") || one.contains("secretly move north"), "{one}");
        }
    }
    let view = one_seats[0].view(&one_id);
    assert_eq!((&view["state"]["viewer"], &view["state"]["bots"][1]["position"]), (&json!("A"), &Json::Null));
    assert_eq!(view["state"]["bots"][0]["position"], json!({ "x": 1, "y": 5 }), "it sees itself");
    let public = anybody.view(&one_id);
    assert_eq!((&public["state"]["viewer"], &public["state"]["bots"][0]["position"]), (&Json::Null, &Json::Null));
    assert_eq!(anybody.get(&format!("/matches/{one_id}/record")).problem(409), "hidden");
    assert_eq!(anybody.get(&format!("/matches/{one_id}/verify")).problem(409), "hidden");
    assert_eq!(anybody.get(&format!("/matches/{one_id}/analysis")).problem(409), "still_playing");
    // B sees something else in each.
    assert_ne!(one_seats[1].view(&one_id)["state"], other_seats[1].view(&other_id)["state"]);
    // The end shows everything to everybody.
    play(&one_id, &one_seats, 4, ["stay"; 3]);
    play(&other_id, &other_seats, 4, ["stay"; 3]);
    let turns = |id: &str| anybody.get(&format!("/matches/{id}/turns")).expect(200)["turns"].clone();
    let (one, other) = (turns(&one_id), turns(&other_id));
    assert_eq!(one[0]["actions"]["B"], ONE[0][0]);
    assert_eq!(one[0]["reasoning"]["B"], format!("secretly {}", ONE[0][0]));
    assert_eq!(one[0]["state"]["bots"][1]["position"], json!({ "x": 12, "y": 13 }));
    assert_ne!(one[0]["state"], other[0]["state"]);
    let record = anybody.get(&format!("/matches/{one_id}/record"));
    assert_eq!(record.status, 200);
    assert!(record.text.contains("secretly move west"));
    assert_eq!(anybody.get(&format!("/matches/{one_id}/verify")).expect(200)["verified"], true);
}

/// While a match is played nobody gets anything to compute from: no seed, no fingerprint, no chain.
#[test]
fn no_answer_about_a_match_in_play_has_its_seed_or_a_hash() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let rules = json!({ "base": "paint", "turns": 3 });
    let (id, seats) = anybody.open(&json!({ "ruleset": rules, "seats": ["me", "me"], "seed": "123456789" }));
    let all = |turns: usize| {
        let mut all = handed(&anybody, &seats[0], &id, turns);
        all.retain(|text| !text.starts_with("/analysis"));
        all
    };
    let play = |turn: u64| {
        for seat in &seats {
            let view = seat.view(&id);
            seat.act(&id, &json!({ "action": view["legal_actions"][0], "turn": turn })).expect(200);
        }
        seats[0].after(&id, turn);
    };
    for turn in 0..2 {
        play(turn);
        for text in all(usize::try_from(turn).expect("few") + 1) {
            assert!(!text.contains("123456789") && !text.contains("hash"), "{text}");
        }
    }
    let record = anybody.get(&format!("/matches/{id}/record")).text;
    assert_eq!(record.lines().count(), 3, "the rest of the record is there: {record}");
    assert!(record.contains("\"actions\""), "{record}");
    assert_eq!(anybody.get(&format!("/matches/{id}/verify")).expect(200)["verified"], true);
    play(2);
    let record = anybody.get(&format!("/matches/{id}/record")).text;
    assert!(record.contains("123456789") && record.contains("state_hash") && record.contains("\"hash\""), "{record}");
    assert!(anybody.get(&format!("/matches/{id}/verify")).expect(200)["hash"].is_string());
}
