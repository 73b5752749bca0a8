//! What is told to whoever is at a loss: the right next call, in the language of the match, and what was meant.

use serde_json::{Value, json};

use super::{Assistant, shared, text};

#[tokio::test]
async fn who_watches_a_match_that_gathers_is_told_how_to_join_it() {
    let shared = shared();
    let (one, watcher) = (Assistant::to(&shared).await, Assistant::to(&shared).await);
    let opened = one.data("new_match", json!({ "opponents": ["open"] })).await;
    let id = opened["match_id"].clone();
    let seen = watcher.data("get_state", json!({ "match_id": id })).await;
    assert_eq!(seen["next"], format!("join_match {{\"match_id\":{id}}}"));
    assert_eq!(opened["next"], "get_state {\"wait_seconds\":25}");
    watcher.data("join_match", json!({ "match_id": id })).await;
    let third = Assistant::to(&shared).await;
    let seen = third.data("get_state", json!({ "match_id": id })).await;
    assert_eq!(seen["next"], format!("get_state {{\"match_id\":{id},\"wait_seconds\":25}}"));
}

#[tokio::test]
async fn in_a_chinese_match_every_refusal_is_in_chinese() {
    let shared = shared();
    let assistant = Assistant::to(&shared).await;
    let plain = |text: &str| !text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    let chinese = async |assistant: &Assistant, tool: &'static str, arguments: Value| {
        let told = assistant.refusal(tool, arguments.clone()).await;
        assert!(!plain(&told), "{tool} {arguments}: {told}");
        told
    };
    let open = json!({ "opponents": ["open"], "language": "zh" });
    // Before there is a match, the language that was asked for.
    for wrong in [
        json!({ "ruleset": "chess", "language": "zh" }),
        json!({ "seat": "Z", "language": "zh" }),
        json!({ "seed": "soon", "language": "zh" }),
        json!({ "opponents": ["human"], "language": "zh" }),
        json!({ "opponents": ["grok"], "language": "zh" }),
        json!({ "opponent": "greedy", "language": "zh" }),
        json!({ "turn_seconds": [], "language": "zh" }),
        json!({ "opponents": 7, "language": "zh" }),
    ] {
        chinese(&assistant, "new_match", wrong).await;
    }
    let id = assistant.data("new_match", open).await["match_id"].clone();
    // Then the one of the match that is named, whoever asks.
    let other = Assistant::to(&shared).await;
    for (tool, wrong) in [
        ("act", json!({ "match_id": id, "action": "move down" })),
        ("speak", json!({ "match_id": id, "text": "hello" })),
        ("get_state", json!({ "match_id": id, "wait": 1 })),
        ("join_match", json!({ "match_id": id, "seat": "7" })),
        ("join_match", json!({ "match_id": id, "seat": "A" })),
    ] {
        chinese(&other, tool, wrong).await;
    }
    other.data("join_match", json!({ "match_id": id })).await;
    chinese(&Assistant::to(&shared).await, "join_match", json!({ "match_id": id })).await;
    // And where none is named, or none is of that name, the one of the session's last match.
    for (tool, wrong) in [
        ("act", json!({})),
        ("act", json!({ "action": "speak <text>" })),
        ("join_match", json!({ "match_id": "mnone" })),
        ("join_match", json!({})),
        ("get_state", json!({ "seat_key": "kwrong" })),
        ("list_matches", json!({ "show": "chess" })),
    ] {
        chinese(&other, tool, wrong).await;
    }
}

#[tokio::test]
async fn a_match_that_is_over_leads_to_another_of_its_kind() {
    let assistant = Assistant::to(&shared()).await;
    let wanted = json!({ "ruleset": "cowboy-duel", "opponents": ["greedy"], "language": "zh" });
    assistant.data("new_match", wanted).await;
    let end = assistant.data("resign", json!({})).await;
    assert_eq!(end["next"], "new_match {\"ruleset\":\"cowboy-duel\",\"opponents\":[\"greedy\"],\"language\":\"zh\"}");
}

#[tokio::test]
async fn a_placeholder_is_no_speech_and_costs_no_turn() {
    let assistant = Assistant::to(&shared()).await;
    assistant.data("new_match", json!({ "opponents": ["greedy"] })).await;
    for (tool, copied) in [
        ("act", json!({ "action": "speak <text>" })),
        ("act", json!({ "action": { "action": "speak", "text": "<text>" } })),
        ("speak", json!({ "text": "<text>" })),
    ] {
        let refused = assistant.refusal(tool, copied).await;
        assert!(refused.contains("your own words"), "{refused}");
    }
    assert_eq!(assistant.data("get_state", json!({})).await["turn"], 0);
    let spoken = assistant.data("act", json!({ "action": "speak \"Hello.\"" })).await;
    assert!(spoken["said"][0].as_str().is_some_and(|said| said.contains("\\\"Hello.\\\"") || said.contains("Hello.")));
}

#[tokio::test]
async fn actions_flags_and_bots_are_understood_as_people_write_them() {
    let assistant = Assistant::to(&shared()).await;
    for opponent in ["search bot", "greedy bot", "the Random bot", "bot"] {
        let wanted = json!({ "opponents": [opponent], "seed": "1", "withhold_legal": "true" });
        let view = assistant.data("new_match", wanted).await;
        assert!(view.get("legal_actions").is_none(), "{view}");
        assistant.data("resign", json!({})).await;
    }
    let view = assistant.data("new_match", json!({ "opponents": ["greedy"], "seed": "1" })).await;
    for action in
        ["**shield down**", "`shield left`.", "\u{201c}shield right\u{201d}", "'shield up'", "* `shield down`. *"]
    {
        let acted = assistant.data("act", json!({ "action": action, "full": "true" })).await;
        assert!(acted["state"].is_object(), "{acted}");
    }
    let refused = assistant.refusal("get_state", json!({ "full": "maybe" })).await;
    assert!(refused.contains("true or false"), "{refused}");
    assert_eq!(view["turn"], 0);
}

#[tokio::test]
async fn who_has_resigned_out_of_turn_reads_so_whenever_it_looks() {
    let shared = shared();
    let (one, other) = (Assistant::to(&shared).await, Assistant::to(&shared).await);
    one.data("new_match", json!({ "opponents": ["open"] })).await;
    other.data("join_match", json!({})).await;
    other.data("get_state", json!({})).await;
    other.data("resign", json!({})).await;
    for wait in [0, 1] {
        let looked = other.call("get_state", json!({ "wait_seconds": wait })).await;
        assert!(text(&looked).contains("You have resigned."), "{}", text(&looked));
        let data = looked.structured_content.expect("data");
        assert!(data["said"].to_string().contains("You have resigned."), "{data}");
        assert!(data["next"].as_str().is_some_and(|next| next.starts_with("new_match")), "{data}");
    }
}

#[tokio::test]
async fn several_seats_in_one_match_are_told_apart_by_their_keys_alone() {
    let assistant = Assistant::to(&shared()).await;
    let opened = assistant.data("new_match", json!({ "opponents": ["open"] })).await;
    let id = &opened["match_id"];
    assistant.data("join_match", json!({ "match_id": id })).await;
    let told = assistant.refusal("get_state", json!({ "match_id": id })).await;
    assert!(told.contains("seat_key") && !told.contains("match_id"), "{told}");
}
