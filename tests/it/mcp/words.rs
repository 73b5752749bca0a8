//! What is refused, and in which words; prompts, resources and completion.

use rmcp::model::{ArgumentInfo, CompleteRequestParams, GetPromptRequestParams, ReadResourceRequestParams, Reference};
use serde_json::json;

use super::{Assistant, shared, text};

#[tokio::test]
async fn an_illegal_action_names_the_rule_and_what_could_be_done_and_changes_nothing() {
    for (language, rule, instead) in [("en", "own shield", "Legal instead"), ("zh", "护盾", "可以改用")] {
        let assistant = Assistant::to(&shared()).await;
        let view = assistant.data("new_match", json!({ "opponents": ["greedy"], "language": language })).await;
        for _ in 0..5 {
            let refused = assistant.refusal("act", json!({ "action": "shoot up" })).await;
            assert!(refused.contains(rule) && refused.contains(instead), "{refused}");
        }
        assert_eq!(assistant.data("get_state", json!({})).await["state"], view["state"]);
    }
}

#[tokio::test]
async fn each_wrong_call_has_its_own_answer() {
    let assistant = Assistant::to(&shared()).await;
    assert!(assistant.refusal("act", json!({ "action": "move down" })).await.contains("no match here yet"));
    let wrong = assistant.refusal("new_match", json!({ "opponents": ["grok"] })).await;
    assert!(wrong.contains("no player `grok`"), "{wrong}");
    assert!(assistant.refusal("new_match", json!({ "opponent": "greedy" })).await.contains("takes no `opponent`"));
    assert!(assistant.refusal("new_match", json!({ "ruleset": "chess" })).await.contains("no ruleset `chess`"));
    assert!(
        assistant.refusal("new_match", json!({ "opponents": ["human"] })).await.contains("cannot ask its user by form")
    );
    assert!(assistant.refusal("get_state", json!({ "match_id": "mnone" })).await.contains("list_matches"));
    assistant.data("new_match", json!({ "opponents": ["greedy"] })).await;
    assistant.data("act", json!({ "action": "shield down", "turn": 0 })).await;
    let again = assistant.data("act", json!({ "action": "shield down", "turn": 0 })).await;
    assert_eq!(again["turn"], 2);
    assert!(assistant.refusal("act", json!({ "action": "move down", "turn": 0 })).await.contains("Turn 0 is past"));
    assert!(assistant.refusal("act", json!({ "action": "move down", "turn": 7 })).await.contains("has not come"));
    assert!(assistant.refusal("act", json!({ "action": "fly" })).await.contains("cannot read `fly`"));
    // With two players, and awaited, giving up is the end, and the answer says so.
    let end = assistant.call("resign", json!({})).await;
    assert!(text(&end).contains("You lost."), "{}", text(&end));
    let end = end.structured_content.expect("data");
    assert_eq!((&end["result"], &end["your_turn"]), (&json!("lost"), &json!(false)));
    assert!(end.get("legal_actions").is_none_or(|legal| legal == &json!([])), "{end}");
    assert!(assistant.refusal("act", json!({ "action": "move down" })).await.contains("is over"));
}

#[tokio::test]
async fn an_action_may_be_json_and_numbers_may_be_texts() {
    let assistant = Assistant::to(&shared()).await;
    assistant.data("new_match", json!({ "opponents": ["greedy"], "seed": 7 })).await;
    let action = json!({ "action": "shield", "direction": "down" });
    let view = assistant.data("act", json!({ "action": action, "turn": "0", "wait_seconds": 20.0 })).await;
    assert_eq!(view["turn"], 2);
}

#[tokio::test]
async fn legal_actions_tell_what_they_would_do_unless_they_are_withheld() {
    let assistant = Assistant::to(&shared()).await;
    assistant.data("new_match", json!({ "opponents": ["greedy"] })).await;
    let told = text(&assistant.call("list_legal_actions", json!({})).await);
    assert!(told.contains("- `shoot down`: A shoots down; the beam enters"), "{told}");
    let view = assistant.data("new_match", json!({ "opponents": ["greedy"], "withhold_legal": true })).await;
    assert!(view.get("legal_actions").is_none());
    let key = &view["seat_key"];
    let told = assistant.call("list_legal_actions", json!({ "seat_key": key })).await;
    assert!(text(&told).contains("work them out") && !text(&told).contains("move"), "{}", text(&told));
    assert!(
        !assistant.refusal("act", json!({ "seat_key": key, "action": "shoot up" })).await.contains("Legal instead")
    );
}

#[tokio::test]
async fn rules_prompts_and_completions_are_there_in_both_languages() {
    let assistant = Assistant::to(&shared()).await;
    let client = assistant.client();
    let resources = json!(client.list_all_resources().await.expect("there are some"));
    assert_eq!(resources.as_array().map(Vec::len), Some(16));
    for resource in resources.as_array().expect("a list") {
        let uri = resource["uri"].as_str().expect("an address");
        let read = json!(client.read_resource(ReadResourceRequestParams::new(uri)).await.expect(uri));
        assert!(read["contents"][0]["text"].as_str().is_some_and(|text| !text.is_empty()), "{read}");
    }
    client
        .read_resource(ReadResourceRequestParams::new("standoff://rules/..%2fetc/en"))
        .await
        .expect_err("nothing there");
    for (language, word) in [("en", "new_match"), ("zh", "下一整局")] {
        let mut params = GetPromptRequestParams::new("play");
        params.arguments = json!({ "ruleset": "paint", "language": language }).as_object().cloned();
        let prompt = json!(client.get_prompt(params).await.expect("a prompt"));
        assert!(prompt.to_string().contains(word), "{prompt}");
    }
    let argument: ArgumentInfo =
        serde_json::from_value(json!({ "name": "ruleset", "value": "cowboy-" })).expect("an argument");
    let complete = CompleteRequestParams::new(Reference::for_prompt("play"), argument);
    let completed = json!(client.complete(complete).await.expect("values"));
    assert_eq!(completed["completion"]["values"], json!(["cowboy-duel", "cowboy-classic"]));
}
