//! Each form of a result is enough by itself: a host hands only one of them to its model.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use rmcp::model::CallToolResult;
use serde_json::{Value, json};
use standoff::games::library;
use standoff::mcp::Shared;
use tokio_util::sync::CancellationToken;

use super::{Assistant, arena, shared, text};

/// Both forms of a result of a seat that is to act, each with all that is needed to go on.
fn enough(result: &CallToolResult, ruleset: &str) -> Value {
    let words = text(result);
    let data = result.structured_content.clone().expect("data");
    let told = |name: &str| data[name].as_str().unwrap_or_else(|| panic!("{ruleset}: no {name} in {data}")).to_owned();
    for name in ["match_id", "board", "next"] {
        assert!(words.contains(&told(name)), "{ruleset}: {name} is not in the text: {words}");
    }
    let turn = &data["turn"];
    assert!([format!("turn {turn}."), format!("已走 {turn} 回合")].iter().any(|told| words.contains(told)), "{words}");
    for sentence in data["said"].as_array().expect("a list") {
        assert!(words.contains(sentence.as_str().expect("a sentence")), "{words}");
    }
    assert!(told("board").contains("(you)") || told("board").contains("（你）"), "{data}");
    if data["your_turn"] == true {
        assert!(told("next").starts_with(&format!("act {{\"action\":\"<action>\",\"turn\":{}", data["turn"])));
        let choices = data["legal_actions"].as_array().map(Vec::len).unwrap_or_default();
        assert!(choices > 0 || data["form"].is_string(), "{data}");
    }
    data
}

#[tokio::test]
async fn words_and_data_have_the_same_board_events_and_next_call_in_every_ruleset_and_language() {
    for ruleset in library::rulesets() {
        for language in ["en", "zh"] {
            let assistant = Assistant::to(&shared()).await;
            let wanted = json!({ "ruleset": ruleset, "opponents": ["random"], "seed": "7", "language": language });
            let result = assistant.call("new_match", wanted).await;
            let view = enough(&result, ruleset);
            assert!(view["state"].is_object());
            let legal = view["legal_actions"].clone();
            let acted = assistant.call("act", json!({ "action": legal[0], "turn": view["turn"] })).await;
            let view = enough(&acted, ruleset);
            assert!(view.get("state").is_none(), "act leaves the state out");
            assert!(!view["said"].as_array().expect("a list").is_empty());
            let events = view["events"].as_array().expect("a list");
            assert!(!events.is_empty() && events.iter().all(|event| event["type"].is_string()), "{view}");
            let state = assistant.call("get_state", json!({})).await;
            assert!(enough(&state, ruleset)["state"].is_object());
            let legal = if view["legal_actions"].is_array() { &view["legal_actions"] } else { &legal };
            let full = assistant.data("act", json!({ "action": legal[0], "full": true })).await;
            assert!(full["state"].is_object() && full["events"].is_array(), "{full}");
        }
    }
}

#[tokio::test]
async fn who_has_acted_in_a_sealed_game_is_told_that_the_action_stands() {
    for (language, stands) in [("en", "Your action `shoot south` stands. Waiting for B."), ("zh", "`shoot south` 已定")]
        .into_iter()
        .map(|(language, told)| (language, told.replace("。 ", "。")))
    {
        let shared = shared();
        let (one, other) = (Assistant::to(&shared).await, Assistant::to(&shared).await);
        one.data("new_match", json!({ "ruleset": "paint", "opponents": ["open"], "language": language })).await;
        other.data("join_match", json!({})).await;
        let acted = one.call("act", json!({ "action": "shoot south", "wait_seconds": 0 })).await;
        let looked = one.call("get_state", json!({})).await;
        for result in [acted, looked] {
            let data = result.structured_content.clone().expect("data");
            let words = text(&result).replace('\n', " ");
            assert!(words.contains(&stands), "{words}");
            assert_eq!((&data["sealed"], &data["your_turn"]), (&json!("shoot south"), &json!(false)));
            assert_eq!(data["next"], "get_state {\"wait_seconds\":25}");
        }
    }
}

#[tokio::test]
async fn calls_that_are_nearly_right_are_taken_as_they_are_meant() {
    let assistant = Assistant::to(&shared()).await;
    for (wanted, ruleset, players) in [
        (json!({ "ruleset": "Cowboy", "opponents": [] }), "cowboy", 2),
        (json!({ "ruleset": "Grid Royale", "opponents": ["bot", "AI"] }), "grid-royale", 3),
        (json!({ "ruleset": "cowboy_duel", "opponents": "greedy" }), "cowboy-duel", 2),
        (json!({ "ruleset": "cowboy", "opponents": ["none"] }), "cowboy", 1),
    ] {
        let view = assistant.data("new_match", wanted).await;
        assert_eq!(view["state"]["ruleset"], ruleset);
        let seats = view["state"]["players"].as_array().or(view["state"]["bots"].as_array()).map(Vec::len);
        assert_eq!(seats, Some(players));
    }
    let view = assistant.data("new_match", json!({ "opponents": ["greedy"] })).await;
    let key = &view["seat_key"];
    for (turn, action) in [(0, "`shield down`"), (2, " \"shield left\" ")] {
        let acted = assistant.data("act", json!({ "seat_key": key, "action": action, "turn": turn })).await;
        assert_eq!(acted["turn"], turn + 2);
    }
    // All that is legal is told, not the first few.
    let legal = assistant.data("get_state", json!({ "seat_key": key })).await["legal_actions"].clone();
    let refused = assistant.refusal("act", json!({ "seat_key": key, "action": "<action>" })).await;
    for action in legal.as_array().expect("a list") {
        assert!(refused.contains(action.as_str().expect("notation")), "{refused}");
    }
}

#[tokio::test]
async fn who_gives_up_out_of_turn_is_told_that_nothing_is_left_to_do() {
    let shared = shared();
    let (one, other) = (Assistant::to(&shared).await, Assistant::to(&shared).await);
    one.data("new_match", json!({ "opponents": ["open"] })).await;
    other.data("join_match", json!({})).await;
    let resigned = other.call("resign", json!({})).await;
    assert!(text(&resigned).contains("nothing more for you to do"), "{}", text(&resigned));
    assert!(!text(&resigned).contains("legal actions"), "{}", text(&resigned));
    let end = one.data("act", json!({ "action": "shield down" })).await;
    assert_eq!(end["result"], "won", "{end}");
}

#[tokio::test]
async fn the_leaderboard_and_ones_own_matches_are_listed() {
    let assistant = Assistant::to(&shared()).await;
    let view = assistant.data("new_match", json!({ "opponents": ["greedy"] })).await;
    assistant.data("resign", json!({})).await;
    let mine = assistant.data("list_matches", json!({ "show": "mine" })).await;
    assert_eq!(mine["matches"][0]["match_id"], view["match_id"]);
    assert_eq!(assistant.data("list_matches", json!({ "show": "leaderboard" })).await["leaderboard"], json!([]));
    assert!(assistant.refusal("list_matches", json!({ "show": "chess" })).await.contains("leaderboard"));
}

#[tokio::test]
async fn of_each_player_on_the_leaderboard_a_model_reads_what_ranks_it() {
    let told = json!({ "rank": 1, "name": "greedy", "rating": 1520.5, "games": 4, "wins": 3, "draws": 0, "losses": 1 });
    let mut player = told.clone();
    for name in ["low", "high", "blocks", "score", "by_seat"] {
        player[name] = json!(1);
    }
    let board = json!({ "players": [player] }).to_string();
    let source = Arc::new(move || {
        let board = board.clone();
        let read: BoxFuture<'static, _> = Box::pin(async { Ok(board) });
        read
    });
    let shared = Shared::new(arena(), source, CancellationToken::new()).expect("chance");
    let listed = Assistant::to(&shared).await.data("list_matches", json!({ "show": "leaderboard" })).await;
    assert_eq!(listed["leaderboard"], json!([told]));
}
