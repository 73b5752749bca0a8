//! Whole matches over HTTP.

use std::time::{Duration, Instant};

use rmcp::ServiceExt as _;
use rmcp::model::ClientConfig;
use rmcp::transport::StreamableHttpClientTransport;
use serde_json::{Value as Json, json};

use super::client::{Client, server};
use crate::mcp::params;

/// Every field of the seed's view, with its kind.
fn as_the_seed_says(view: &Json, id: &str) {
    assert_eq!(view["match_id"], id);
    assert!(view["tick"].as_u64().is_some_and(|tick| tick >= 1), "{view}");
    for side in ["min_x", "max_x", "min_y", "max_y"] {
        assert!(view["zone"][side].is_u64(), "{view}");
    }
    let bots = view["bots"].as_array().expect("a list");
    for bot in bots.iter().chain([&view["you"]]) {
        assert!(bot["id"].is_string() && bot["hp"].is_u64() && bot["kills"].is_u64(), "{bot}");
        assert!(bot["position"]["x"].is_u64() && bot["position"]["y"].is_u64(), "{bot}");
    }
    assert!(bots.iter().all(|bot| bot["id"] != view["you"]["id"]), "{view}");
    assert!(view["alive_count"].is_u64() && view["your_action_submitted"].is_boolean());
    for event in view["events_last_tick"].as_array().expect("a list") {
        assert!(event["type"].is_string(), "{event}");
        assert_ne!(event["bot"], view["you"]["id"], "one's own name is `you`: {event}");
    }
}

#[test]
fn four_bots_play_a_whole_royale_in_the_seeds_words_at_its_pace() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    // Time enough for everybody's requests, however busy the machine is; the pace is the ruleset's.
    let rules = json!({ "base": "grid-royale", "max_ticks": 4 });
    let seats = ["open", "open", "open", "open"];
    let wanted = json!({ "ruleset": rules, "seats": seats, "seed": 7, "live": true, "turn_seconds": 60 });
    let (id, _) = anybody.open(&wanted);
    let players: Vec<Client> = ["Ann", "Bob", "Cao", "Dee"].iter().map(|name| anybody.register(name)).collect();
    assert_eq!(anybody.view(&id)["status"], "open");
    let begun = Instant::now();
    for player in &players {
        player.post(&format!("/matches/{id}/join"), &json!({})).expect(201);
    }
    anybody.begun(&id);
    for tick in 1..=4_u64 {
        for (at, player) in players.iter().enumerate() {
            let view = player.asked(&id);
            as_the_seed_says(&view, &id);
            assert_eq!((&view["tick"], &view["alive_count"]), (&json!(tick), &json!(4)), "{view}");
            assert_eq!(view["bots"].as_array().map(Vec::len), Some(3));
            assert_eq!(view["your_action_submitted"], false);
            assert!(view["deadline_ms"].as_u64().is_some_and(|left| left <= 60_000), "{view}");
            // Whoever comes late, to watch or to play, knows how long the others have been at it.
            for clocks in [&view, &anybody.view(&id)] {
                let (left, passed) = (clocks["deadline_ms"].as_u64(), clocks["turn_ms"].as_u64());
                let sum = left.zip(passed).map(|(left, passed)| left + passed);
                assert!(sum.is_some_and(|sum| (59_998..=60_000).contains(&sum)), "{clocks}");
            }
            let way = ["east", "west", "north", "south"][at];
            let action = json!({ "move": way, "shoot": if at == 0 { json!("north") } else { Json::Null }, "reasoning": "to see" });
            let taken = player.act(&id, &action).expect(200);
            assert_eq!(taken["status"], "accepted");
            if at < 3 {
                let view = player.view(&id);
                assert_eq!((&view["your_action_submitted"], &view["tick"]), (&json!(true), &json!(tick)));
                assert_eq!(view["submitted"].as_array().map(Vec::len), Some(at + 1));
            }
        }
        let view = players[0].after(&id, tick - 1);
        let shot = view["events_last_tick"].as_array().expect("a list").iter().find(|event| event["type"] == "shot");
        assert_eq!(shot.expect("A has shot")["bot"], "you");
    }
    // Ticks are a second apart, from a beginning that was when the last one had joined.
    assert!(begun.elapsed() >= Duration::from_secs(3), "{:?}", begun.elapsed());
    let view = players[0].view(&id);
    assert_eq!(view["status"], "over");
    assert_eq!(view["outcome"]["reason"], "turn_limit");
    let verified = anybody.get(&format!("/matches/{id}/verify")).expect(200);
    assert_eq!((&verified["verified"], &verified["lines"]), (&json!(true), &json!(6)));
    let turns = anybody.get(&format!("/matches/{id}/turns")).expect(200);
    assert_eq!(turns["turns"][0]["reasoning"]["A"], "to see");
    assert_eq!(turns["turns"][3]["state"], view["state"]);
}

#[test]
fn four_who_queue_get_one_match_and_a_place_on_the_ladder() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let players: Vec<Client> = ["Ann", "Bob", "Cao", "Dee"].iter().map(|name| anybody.register(name)).collect();
    assert_eq!(players[0].get("/matches/queue/status").expect(200), json!({ "status": "idle", "match_id": null }));
    let first = players[0].post("/matches/queue", &json!({ "mode": "grid_royale" })).expect(200);
    assert_eq!((&first["status"], &first["match_id"]), (&json!("waiting"), &Json::Null));
    assert_eq!(players[0].delete("/matches/queue").expect(200)["status"], "idle");
    for player in &players {
        player.post("/matches/queue", &json!({ "mode": "grid_royale", "bots": false })).expect(200);
    }
    let until = Instant::now() + Duration::from_secs(30);
    let ids: Vec<Json> = players
        .iter()
        .map(|player| {
            loop {
                let status = player.get("/matches/queue/status").expect(200);
                if status["status"] == "matched" {
                    return status["match_id"].clone();
                }
                assert!(Instant::now() < until, "{status}");
                std::thread::sleep(Duration::from_millis(50));
            }
        })
        .collect();
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    let id = ids[0].as_str().expect("a name");
    as_the_seed_says(&players[1].view(id), id);
    assert_eq!(players[2].get("/players/me").expect(200)["matches"], json!([id]));
    for player in &players[1..] {
        player.post(&format!("/matches/{id}/resign"), &Json::Null).expect(200);
    }
    while players[0].view(id)["status"] != "over" {
        let view = players[0].view(id);
        if view["your_turn"] == true {
            players[0].act(id, &json!({ "move": "stay", "shoot": null }));
        }
        players[0].after(id, view["turn"].as_u64().expect("a number"));
    }
    let ladder = anybody.get("/ladder?ruleset=grid_royale").expect(200);
    let ladder = ladder["ladder"].as_array().expect("a list");
    assert_eq!((ladder.len(), &ladder[0]["name"], &ladder[0]["place"]), (4, &json!("Ann"), &json!(1)), "{ladder:?}");
    assert!(ladder[0]["elo"].as_f64() > Some(1000.0));
    let me = players[0].get("/players/me").expect(200);
    assert_eq!((&me["matches"], &me["ratings"][0]["games"]), (&json!([]), &json!(1)));
}

#[test]
fn who_never_answers_moves_at_random_and_is_out_at_the_fifth_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let request =
        json!({ "ruleset": "grid-royale", "seats": ["me", "me"], "live": true, "turn_seconds": 1, "ticks": false });
    let (id, seats) = Client::of(&server).open(&request);
    for turn in 0..5_u64 {
        seats[0].act(&id, &json!({ "move": "stay", "shoot": null, "turn": turn })).expect(200);
        let view = seats[0].after(&id, turn);
        let kinds: Vec<&str> =
            view["events"].as_array().expect("a list").iter().filter_map(|event| event["type"].as_str()).collect();
        let expected = if turn < 4 { "stand_in" } else { "forfeited" };
        assert!(kinds.contains(&expected), "{turn}: {kinds:?}");
        assert_eq!(view["seats"][1]["timeouts"], turn + 1);
    }
    let view = seats[0].view(&id);
    assert_eq!((&view["status"], &view["outcome"]["places"]["A"]), (&json!("over"), &json!(1)));
}

#[test]
fn whoever_opens_a_match_says_which_clocks_it_has() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let slow = json!({ "base": "grid-royale", "policy": { "turn_seconds": 300 } });
    for (wanted, turn, left) in [
        (json!({ "ruleset": "grid-royale" }), (120, 0, "pass"), None),
        (json!({ "ruleset": "cowboy", "turn_seconds": 0 }), (0, 0, "pass"), None),
        (json!({ "ruleset": "grid-royale", "turn_seconds": 60 }), (60, 0, "pass"), Some(60_000)),
        (json!({ "ruleset": slow }), (300, 0, "pass"), Some(300_000)),
        (json!({ "ruleset": "grid-royale", "live": true }), (3, 1, "random"), Some(3_000)),
        (json!({ "ruleset": slow, "live": true }), (3, 1, "random"), Some(3_000)),
        (json!({ "ruleset": "grid-royale", "live": true, "turn_seconds": 9 }), (9, 1, "random"), Some(9_000)),
        (json!({ "ruleset": "paint", "live": true }), (120, 0, "pass"), Some(120_000)),
    ] {
        let mut request = wanted.clone();
        request["seats"] = json!(["me", "greedy"]);
        let (id, seats) = anybody.open(&request);
        anybody.begun(&id);
        match left {
            None => assert_eq!(seats[0].view(&id)["deadline_ms"], Json::Null, "{wanted}"),
            Some(most) => {
                let view = seats[0].asked(&id);
                assert!(view["deadline_ms"].as_u64().is_some_and(|left| left <= most), "{wanted}: {view}");
            }
        }
        let record = anybody.get(&format!("/matches/{id}/record")).text;
        let header: Json = serde_json::from_str(record.lines().next().expect("a header")).expect("JSON");
        let policy = &header["ruleset"]["policy"];
        let (turn_seconds, tick_seconds, on_lapse) = turn;
        assert_eq!(policy["turn_seconds"], turn_seconds, "{wanted}");
        assert_eq!(
            (&policy["tick_seconds"], &policy["on_lapse"]),
            (&json!(tick_seconds), &json!(on_lapse)),
            "{wanted}"
        );
    }
}

#[test]
fn a_match_may_start_from_an_opening_and_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let (plain, _) = anybody.open(&json!({ "ruleset": "paint", "seats": ["me", "me"], "seed": 5 }));
    let (opened, seats) = anybody.open(&json!({ "ruleset": "paint", "seats": ["me", "me"], "seed": 5, "opening": 12 }));
    assert_eq!(anybody.view(&plain).get("opening"), None);
    let view = seats[0].view(&opened);
    assert!(view["opening"].as_str().is_some_and(|told| told.contains("opening")), "{view}");
    assert_eq!((&view["turn"], &view["state"]["turns_left"]), (&json!(0), &json!(100)));
    assert_ne!(view["state"]["grid"], anybody.view(&plain)["state"]["grid"]);
    let refused = json!({ "ruleset": "paint", "seats": ["me", "me"], "opening": 65 });
    assert_eq!(anybody.post("/matches", &refused).problem(422), "bad_ruleset");
}

#[test]
fn the_same_again_changes_nothing_and_what_is_late_is_refused_with_the_turn() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let (id, seats) = Client::of(&server).open(&json!({ "ruleset": "paint", "seats": ["me", "me"] }));
    let north = json!({ "action": "move south", "turn": 0 });
    assert_eq!(seats[0].act(&id, &north).expect(200)["repeated"], false);
    assert_eq!(seats[0].act(&id, &north).expect(200)["repeated"], true);
    assert_eq!(seats[0].act(&id, &json!({ "action": "Move  SOUTH" })).expect(200)["repeated"], true);
    assert_eq!(seats[0].act(&id, &json!({ "action": "move east", "turn": 0 })).problem(409), "already_acted");
    let legal = seats[1].view(&id)["legal_actions"][0].clone();
    seats[1].act(&id, &json!({ "action": legal, "tick": 1 })).expect(200);
    assert_eq!(seats[0].after(&id, 0)["turn"], 1);
    assert_eq!(seats[0].act(&id, &north).expect(200)["repeated"], true);
    let late = seats[0].act(&id, &json!({ "action": "move east", "turn": 0 })).expect(409);
    assert_eq!((&late["code"], &late["turn"]), (&json!("turn_past"), &json!(1)));
    let early = seats[0].act(&id, &json!({ "action": "move east", "turn": 5 })).expect(409);
    assert_eq!((&early["code"], &early["turn"]), (&json!("turn_not_reached"), &json!(1)));
    let wrong = seats[0].act(&id, &json!({ "action": "dance" })).expect(422);
    assert_eq!(wrong["code"], "unreadable_action");
    assert!(wrong["legal_actions"].as_array().is_some_and(|legal| !legal.is_empty()), "{wrong}");
    let chinese = seats[0].post(&format!("/matches/{id}/action?lang=zh"), &json!({ "action": "dance" })).expect(422);
    assert_ne!(chinese["detail"], wrong["detail"]);
    assert_eq!(seats[0].act(&id, &json!({ "turn": 1 })).problem(400), "bad_request");
    assert_eq!(seats[0].act(&id, &json!({ "action": "move east", "turn": 1, "tick": 1 })).problem(400), "bad_request");
    assert_eq!(seats[0].view(&id)["turn"], 1);
}

#[test]
fn what_an_action_would_do_is_told_for_all_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    for (ruleset, count) in [("cowboy", 12), ("paint", 16), ("grid-royale", 25), ("trails", 4)] {
        let (id, seats) = Client::of(&server).open(&json!({ "ruleset": ruleset, "seats": ["me", "me"], "seed": 7 }));
        let previews = seats[0].get(&format!("/matches/{id}/preview")).expect(200);
        let previews = previews["previews"].as_array().expect("a list");
        let legal = seats[0].view(&id)["legal_actions"].clone();
        let legal: Vec<&Json> =
            legal.as_array().expect("a list").iter().filter(|action| **action != "speak <text>").collect();
        assert_eq!(previews.len(), count);
        for preview in previews {
            assert_eq!(preview["legal"] == true, legal.contains(&&preview["action"]), "{preview}");
            assert_eq!(preview["legal"] == true, preview["code"].is_null(), "{preview}");
            assert!(preview["text"].as_str().is_some_and(|text| !text.is_empty()));
        }
        assert_eq!(previews.iter().filter(|preview| preview["legal"] == true).count(), legal.len());
    }
}

#[test]
fn a_killed_server_goes_on_with_the_same_tokens_and_what_was_sealed() {
    let folder = tempfile::tempdir().expect("a folder");
    let before = server(folder.path(), &[]);
    let anybody = Client::of(&before);
    let (ann, bob) = (anybody.register("Ann"), anybody.register("Bob"));
    let (id, _) = ann.open(&json!({ "ruleset": "paint", "seats": ["me", "open"] }));
    let key = bob.post(&format!("/matches/{id}/join"), &json!({})).expect(201)["seat_key"].clone();
    for turn in 0..3_u64 {
        for player in [&ann, &bob] {
            let legal = player.view(&id)["legal_actions"][0].clone();
            player.act(&id, &json!({ "action": legal, "turn": turn })).expect(200);
        }
        ann.after(&id, turn);
    }
    let legal = ann.view(&id)["legal_actions"][1].clone();
    ann.act(&id, &json!({ "action": legal })).expect(200);
    let sealed = ann.view(&id);
    // Killed, not asked to stop.
    drop(before);
    let again = server(folder.path(), &[]);
    let anybody = Client::of(&again);
    let ann = ann.at(&anybody);
    let view = ann.view(&id);
    for field in ["state", "your_action", "your_action_submitted", "submitted", "seats"] {
        assert_eq!(view[field], sealed[field], "{field}");
    }
    let bob = anybody.with(&key);
    let legal = bob.view(&id)["legal_actions"][0].clone();
    bob.act(&id, &json!({ "action": legal, "turn": 3 })).expect(200);
    assert_eq!(ann.after(&id, 3)["turn"], 4);
    assert_eq!(anybody.get(&format!("/matches/{id}/verify")).expect(200)["verified"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_assistant_over_mcp_and_a_program_over_http_play_one_match() {
    // The client wants one even where it speaks plain HTTP.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let transport = StreamableHttpClientTransport::from_uri(format!("http://{}/mcp", server.address));
    let assistant = ClientConfig::default().serve(transport).await.expect("it answers");
    let opened =
        assistant.call_tool(params("new_match", json!({ "ruleset": "cowboy-duel", "opponents": ["open"] }))).await;
    let opened = opened.expect("an answer").structured_content.expect("data");
    let (id, key) = (opened["match_id"].as_str().expect("a name").to_owned(), opened["seat_key"].clone());
    let program = {
        let anybody = Client::of(&server);
        let joined = anybody.post(&format!("/matches/{id}/join"), &json!({ "name": "program" })).expect(201);
        assert_eq!(joined["seat"], "B");
        anybody.with(&joined["seat_key"])
    };
    for turn in 0..6_u64 {
        if turn % 2 == 0 {
            let acted = json!({ "seat_key": key, "action": "shield left", "wait_seconds": 0 });
            assistant.call_tool(params("act", acted)).await.expect("an answer");
        } else {
            program.act(&id, &json!({ "action": "shield", "direction": "right", "turn": turn })).expect(200);
        }
        let (program, id) = (program.clone(), id.clone());
        let view = tokio::task::spawn_blocking(move || program.after(&id, turn)).await.expect("it waits");
        assert_eq!(view["turn"], turn + 1);
    }
    let state = assistant.call_tool(params("get_state", json!({ "seat_key": key }))).await.expect("an answer");
    let state = state.structured_content.expect("data");
    assert_eq!(state["state"], program.view(&id)["state"]);
}

#[test]
fn matches_are_listed_page_by_page_and_found_by_what_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let mut opened = Vec::new();
    for number in 0..7 {
        let ruleset = if number % 2 == 0 { "cowboy" } else { "paint" };
        opened.push(
            anybody.open(&json!({ "ruleset": ruleset, "seats": ["me", "open"], "name": format!("N{number}") })).0,
        );
    }
    opened.reverse();
    let ids = |page: &Json| -> Vec<String> {
        let matches = page["matches"].as_array().expect("a list").iter();
        matches.map(|one| one["match_id"].as_str().expect("a name").to_owned()).collect()
    };
    let mut seen = Vec::new();
    let mut path = "/matches?limit=3".to_owned();
    loop {
        let page = anybody.get(&path).expect(200);
        seen.extend(ids(&page));
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/matches?limit=3&before={next}");
    }
    assert_eq!(seen, opened);
    assert_eq!(ids(&anybody.get("/matches?ruleset=paint&status=open").expect(200)).len(), 3);
    assert_eq!(ids(&anybody.get("/matches?player=N6").expect(200)), opened[..1]);
    assert_eq!(ids(&anybody.get("/matches?status=over").expect(200)).len(), 0);
    let board = anybody.get("/matches?limit=1&boards=1").expect(200);
    assert!(board["matches"][0]["state"]["grid"].is_array());
    assert_eq!(anybody.get("/matches?limit=0").problem(400), "bad_request");
    assert_eq!(anybody.get("/matches?colour=red").problem(400), "bad_request");
    assert_eq!(anybody.get("/matches/nothing").problem(404), "no_match");
}
