//! How many tokens an assistant pays for being told.

use serde_json::{Value, json};
use standoff::games::library;

use super::{Assistant, shared, text};

fn tokens(text: &str) -> usize {
    tiktoken_rs::cl100k_base_singleton().encode_ordinary(text).len()
}

#[tokio::test]
async fn the_list_of_tools_is_short() {
    let assistant = Assistant::to(&shared()).await;
    let list = json!(assistant.client().list_tools(None).await.expect("there are tools"));
    assert_eq!(list["tools"].as_array().map(Vec::len), Some(9));
    let size = tokens(&list.to_string());
    assert!(size <= 1800, "{size} tokens");
    for tool in list["tools"].as_array().expect("a list") {
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{tool}");
        }
        let schema = tool.to_string();
        for rejected in ["$ref", "$defs", "\"format\"", "\"null\"", "anyOf"] {
            assert!(!schema.contains(rejected), "some hosts do not take {rejected}: {schema}");
        }
    }
}

/// Who says everything in one language, and with the key of its seat or without.
const CALLERS: [(&str, bool); 4] = [("en", false), ("en", true), ("zh", false), ("zh", true)];

/// The arguments of a call, with the key of the seat where it is passed.
fn with_key(mut arguments: Value, key: Option<&Value>) -> Value {
    if let Some(key) = key {
        arguments["seat_key"] = key.clone();
    }
    arguments
}

/// The most tokens that a result of `act` takes in a match, as words and as data.
async fn longest_act(ruleset: &str, opponents: &[&str], language: &str, keyed: bool) -> (usize, usize) {
    let mut longest = (0, 0);
    let assistant = Assistant::to(&shared()).await;
    let wanted = json!({ "ruleset": ruleset, "opponents": opponents, "seed": "1", "language": language });
    let mut view = assistant.data("new_match", wanted).await;
    let legal = view["legal_actions"].clone();
    let key = Some(view["seat_key"].clone()).filter(|_| keyed);
    // Names and keys are drawn, and some have more tokens than others of their length.
    let drawn = [("match_id", "m047278229982253"), ("seat_key", "k0472782a9f31k5x8w2b7r60472782a9f3")];
    let drawn = drawn.map(|(name, usual)| (view[name].as_str().expect("a text").to_owned(), usual));
    let alike = |text: &str| {
        drawn.iter().fold(text.to_owned(), |text, (it, usual)| text.replace(it, &usual[..it.len().min(usual.len())]))
    };
    for turn in 0..20 {
        if view.get("outcome").is_some() {
            break;
        }
        let legal = if view["legal_actions"].is_array() { &view["legal_actions"] } else { &legal };
        let legal = legal.as_array().expect("a list");
        let shots: Vec<&Value> =
            legal.iter().filter(|action| action.as_str().is_some_and(|action| action.contains("shoot"))).collect();
        let action = shots.get(turn % shots.len().max(1)).copied().unwrap_or(&legal[0]);
        let result = assistant.call("act", with_key(json!({ "action": action }), key.as_ref())).await;
        view = result.structured_content.clone().expect("data");
        let (words, data) = (tokens(&alike(&text(&result))), tokens(&alike(&view.to_string())));
        longest = (longest.0.max(words), longest.1.max(data));
    }
    longest
}

#[tokio::test]
async fn a_turn_is_short_in_either_form_in_both_languages_with_the_key_and_without() {
    let mut long = Vec::new();
    for (ruleset, opponents, bars) in [
        ("cowboy", &["greedy"][..], [450, 480, 540, 560]),
        ("grid-royale", &["greedy", "greedy", "greedy"][..], [500, 500, 610, 640]),
    ] {
        for ((language, keyed), most) in CALLERS.into_iter().zip(bars) {
            let (words, data) = longest_act(ruleset, opponents, language, keyed).await;
            if words > most || data > most {
                long.push(format!("{ruleset} {language}, key {keyed}: {words} and {data} of {most}"));
            }
        }
    }
    assert!(long.is_empty(), "tokens as words and as data: {long:#?}");
}

#[tokio::test]
async fn a_wait_in_vain_costs_next_to_nothing() {
    let mut long = Vec::new();
    for (ruleset, action) in [("cowboy", "shield left"), ("paint", "shoot south")] {
        for (language, keyed) in CALLERS {
            let shared = shared();
            let (one, other) = (Assistant::to(&shared).await, Assistant::to(&shared).await);
            let wanted = json!({ "ruleset": ruleset, "opponents": ["open"], "language": language });
            let opened = one.data("new_match", wanted).await;
            other.data("join_match", json!({})).await;
            let key = Some(&opened["seat_key"]).filter(|_| keyed);
            let act = with_key(json!({ "action": action, "wait_seconds": 0 }), key);
            let acted = one.call("act", act).await;
            let waited = one.call("get_state", with_key(json!({ "wait_seconds": 1 }), key)).await;
            // The key, and its name and marks in the next call, are some twenty of them.
            let most = if keyed { 65 } else { 40 };
            for result in [acted, waited] {
                let data = result.structured_content.clone().expect("data");
                assert_eq!(data["your_turn"], false);
                let size = (tokens(&text(&result)), tokens(&data.to_string()));
                if size.0 > most || size.1 > most {
                    long.push(format!("{size:?} of {most}: {} {data}", text(&result)));
                }
            }
        }
    }
    assert!(long.is_empty(), "{long:#?}");
}

#[tokio::test]
async fn who_is_out_of_a_long_match_is_told_its_last_turns_and_how_to_get_all() {
    let assistant = Assistant::to(&shared()).await;
    let crowd = vec!["greedy"; 7];
    assistant.data("new_match", json!({ "ruleset": "grid-royale", "opponents": crowd, "seed": "1" })).await;
    let mut view = assistant.data("get_state", json!({})).await;
    while view["outcome"].is_null() && view["your_turn"] == true {
        view = assistant.data("act", json!({ "action": "stay" })).await;
    }
    // It is out, or the match is; what is told then is no longer than it was in play.
    let said = assistant.data("get_state", json!({ "wait_seconds": 20, "full": false })).await;
    let size = tokens(&said["said"].to_string());
    assert!(size <= 700, "{size} tokens: {said}");
    let all = assistant.data("get_state", json!({})).await;
    let count = |view: &Value| view["said"].as_array().map_or(0, Vec::len);
    if count(&all) > count(&said) {
        assert!(said["said"][0].as_str().is_some_and(|first| first.contains("get_state {\"full\":true}")), "{said}");
    }
}

#[tokio::test]
async fn every_answer_keeps_to_the_schema_that_was_published() {
    let assistant = Assistant::to(&shared()).await;
    let list = json!(assistant.client().list_tools(None).await.expect("there are tools"));
    let schema = |name: &str| -> Value {
        let tools = list["tools"].as_array().expect("a list");
        tools.iter().find(|tool| tool["name"] == name).expect("there is one")["outputSchema"].clone()
    };
    for ruleset in library::rulesets() {
        let view = assistant.data("new_match", json!({ "ruleset": ruleset, "opponents": ["random"] })).await;
        let key = view["seat_key"].clone();
        let action = view["legal_actions"][0].clone();
        keeps(&schema("new_match"), &view);
        keeps(&schema("list_legal_actions"), &assistant.data("list_legal_actions", json!({ "seat_key": key })).await);
        keeps(&schema("act"), &assistant.data("act", json!({ "seat_key": key, "action": action })).await);
        keeps(&schema("get_state"), &assistant.data("get_state", json!({ "seat_key": key })).await);
        keeps(&schema("list_matches"), &assistant.data("list_matches", json!({})).await);
        keeps(&schema("resign"), &assistant.data("resign", json!({ "seat_key": key })).await);
    }
}

/// Whether data is as a schema of this server says: objects with named fields of plain types.
fn keeps(schema: &Value, data: &Value) {
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(data.get(name.as_str().expect("a name")).is_some(), "{name} is missing: {data}");
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let Some(value) = data.get(name) else { continue };
        let right = match field["type"].as_str() {
            Some("string") => value.is_string(),
            Some("boolean") => value.is_boolean(),
            Some("integer") => value.is_u64(),
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            other => panic!("no such type here: {other:?}"),
        };
        assert!(right, "{name}: {value}");
    }
}
