//! Who somebody is, whatever they are called: over HTTP, on the boards, and on players' pages.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::client::{Client, server};

/// Plays a match of a guest against a bot by giving up.
fn give_up(anybody: &Client, name: &str, bot: &str) -> Json {
    let opened =
        anybody.post("/matches", &json!({ "ruleset": "cowboy-duel", "seats": ["me", bot], "name": name })).expect(201);
    let id = opened["match_id"].as_str().expect("a name");
    let me = anybody.with(&opened["mine"][0]["seat_key"]);
    me.post(&format!("/matches/{id}/resign"), &Json::Null).expect(200);
    me.after(id, 1000)
}

/// The leaderboard once it counts so many games and leaves out so many: it may be some seconds behind.
fn board_of(anybody: &Client, games: u64, uncounted: u64) -> Json {
    let until = Instant::now() + Duration::from_secs(40);
    loop {
        let board = anybody.get("/leaderboard").expect(200);
        if (&board["games"], &board["uncounted"]) == (&json!(games), &json!(uncounted)) {
            return board;
        }
        assert!(Instant::now() < until, "{board}");
    }
}

#[test]
fn nobody_is_called_like_somebody_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    anybody.register("Modern Ann");
    let bad = [
        "random",
        "Random",
        "RANDOM",
        "rand0m",
        "ｒａｎｄｏｍ",
        "rаndоm",
        "search",
        "gr eedy",
        "admin",
        "",
        "   ",
        "\u{3164}",
        "\u{2800}",
        "\u{200b}x",
        "a  b",
        "---",
        "search:500",
        "search 500",
        "r.andom",
        "_random_",
        "Greedy2",
        "z\u{301}\u{302}\u{301}\u{302}\u{301}",
    ];
    for name in bad {
        assert_eq!(anybody.post("/players", &json!({ "name": name })).problem(422), "bad_name", "{name:?}");
        let guest = json!({ "ruleset": "cowboy-duel", "seats": ["me", "open"], "name": name });
        assert_eq!(anybody.post("/matches", &guest).problem(422), "bad_name", "{name:?}");
    }
    for alike in ["modern ann", "Rnodern Ann", "MODERN ANN", "mоdern ann"] {
        assert_eq!(anybody.post("/players", &json!({ "name": alike })).problem(409), "name_taken", "{alike:?}");
        let guest = json!({ "ruleset": "cowboy-duel", "seats": ["me", "open"], "name": alike });
        assert_eq!(anybody.post("/matches", &guest).problem(409), "name_taken", "{alike:?}");
    }
    let (id, _) = anybody.open(&json!({ "ruleset": "cowboy-duel", "seats": ["me", "open"] }));
    let join = |name: &str| anybody.post(&format!("/matches/{id}/join"), &json!({ "name": name }));
    assert_eq!(join("greedy").problem(422), "bad_name");
    assert_eq!(join("modern ann").problem(409), "name_taken");
    for name in ["Bob", "玩家一号", "Zoë O'Neil", "player", "J.-P. Müller", "Randy 7", "हिन्दी", "Việt"]
    {
        let guest = json!({ "ruleset": "cowboy-duel", "seats": ["me", "open"], "name": name });
        anybody.post("/matches", &guest).expect(201);
    }
    server.end();
}

#[test]
fn guests_move_no_board_and_everybody_says_who_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    for _ in 0..3 {
        let over = give_up(&anybody, "mallory", "random");
        let identities: Vec<&Json> =
            over["seats"].as_array().expect("a list").iter().map(|seat| &seat["identity"]).collect();
        assert_eq!(identities, ["guest", "house:random"]);
    }
    let board = board_of(&anybody, 0, 3);
    assert_eq!(board["players"], json!([]));
    assert_eq!(anybody.get("/ladder").expect(200)["ladder"], json!([]));
    assert_eq!(anybody.get("/players/guest").problem(404), "no_player");
    server.end();
}

#[test]
fn players_have_pages_and_both_boards_count_the_same_matches() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let (ann, bob) = (anybody.register("Ann"), anybody.register("Bob"));
    let wanted = json!({ "mode": "cowboy-duel", "players": 2, "bots": false, "pace": "own_pace" });
    for player in [&ann, &bob] {
        player.post("/matches/queue", &wanted).expect(200);
    }
    let id = loop {
        let status = ann.get("/matches/queue/status").expect(200);
        if let Some(id) = status["match_id"].as_str() {
            break id.to_owned();
        }
    };
    bob.post(&format!("/matches/{id}/resign"), &Json::Null).expect(200);
    let over = loop {
        // Whoever is to act first must do so before the other can have given up.
        let view = ann.view(&id);
        if view["status"] == "over" {
            break view;
        }
        if view["your_turn"] == true {
            let action = view["legal_actions"][0].clone();
            let _ = ann.act(&id, &json!({ "action": action }));
        }
    };
    // One match that counts, and one of Ann's own choosing that does not.
    let (own, _) = ann.open(&json!({ "ruleset": "cowboy-duel", "seats": ["me", "random"] }));
    ann.post(&format!("/matches/{own}/resign"), &Json::Null).expect(200);
    ann.after(&own, 1000);
    let (me, other) = (ann.get("/players/me").expect(200), bob.get("/players/me").expect(200));
    let (me, other) = (me["id"].as_str().expect("an id"), other["id"].as_str().expect("an id"));
    let page = anybody.get(&format!("/players/{me}")).expect(200);
    assert_eq!((&page["name"], &page["identity"]), (&json!("Ann"), &json!(format!("registered:{me}"))));
    assert_eq!(page["ratings"][0]["games"], 1);
    assert_eq!(anybody.get(&format!("/players/registered:{me}")).expect(200)["id"], *me);
    let curve = anybody.get(&format!("/players/{me}/rating")).expect(200);
    assert_eq!((curve["points"].as_array().map(Vec::len), &curve["points"][0]["match_id"]), (Some(1), &json!(id)));
    assert_eq!(curve["points"][0]["elo"], page["ratings"][0]["elo"]);
    let history = anybody.get(&format!("/players/{me}/history")).expect(200);
    let played: Vec<&Json> =
        history["matches"].as_array().expect("a list").iter().map(|one| &one["match_id"]).collect();
    assert_eq!(played, [&json!(own), &json!(id)]);
    let first = anybody.get(&format!("/players/{me}/history?limit=1")).expect(200);
    let before = first["next"].as_str().expect("another page");
    let second = anybody.get(&format!("/players/{me}/history?limit=1&before={before}")).expect(200);
    assert_eq!(second["matches"][0]["match_id"], json!(id));
    let met = anybody.get(&format!("/players/{me}/head-to-head")).expect(200);
    let against = |identity: &str| {
        let all = met["opponents"].as_array().expect("a list");
        all.iter().find(|one| one["identity"] == identity).unwrap_or_else(|| panic!("{met}")).clone()
    };
    let won = u64::from(over["outcome"]["places"]["A"].as_u64() != over["outcome"]["places"]["B"].as_u64());
    let bob = against(&format!("registered:{other}"));
    assert_eq!((&bob["name"], bob["wins"].as_u64(), &bob["losses"]), (&json!("Bob"), Some(won), &json!(0)));
    assert_eq!(against("house:random")["losses"], 1);
    // The board of record has the match that the ladder has, and no other.
    let board = board_of(&anybody, 1, 1);
    let on_board: Vec<&Json> =
        board["players"].as_array().expect("a list").iter().map(|one| &one["identity"]).collect();
    let ladder = anybody.get("/ladder").expect(200);
    let on_ladder: Vec<&Json> =
        ladder["ladder"].as_array().expect("a list").iter().map(|one| &one["identity"]).collect();
    assert_eq!(on_board.len(), 2);
    assert!(on_board.iter().all(|identity| on_ladder.contains(identity)), "{on_board:?} {on_ladder:?}");
    assert_eq!(anybody.get("/players/house:random").expect(200)["kind"], "house");
    assert_eq!(anybody.get("/players/u2345").problem(404), "no_player");
    server.end();
}
