//! What is hidden in a match is in no answer of a tool: two matches that differ only in what A cannot see read the same.

use rmcp::model::ReadResourceRequestParams;
use serde_json::{Value, json};

use super::{Assistant, shared};

/// All that is answered, words, data and what the board shows, with the match's own names taken out.
fn plain(result: &impl serde::Serialize, secrets: &[&Value]) -> String {
    let mut text = json!(result).to_string();
    for secret in secrets.iter().filter_map(|secret| secret.as_str()) {
        text = text.replace(secret, "…");
    }
    text
}

/// What A and a spectator are told of a match in which B and C do this.
async fn told(script: &[[&str; 2]]) -> (Vec<String>, Value) {
    let shared = shared();
    let (a, b, c) = (Assistant::to(&shared).await, Assistant::to(&shared).await, Assistant::to(&shared).await);
    let watcher = Assistant::to(&shared).await;
    let wish = json!({ "ruleset": "grid-royale-fog", "opponents": ["open", "open"], "seed": "7" });
    let opened = a.data("new_match", wish).await;
    let (id, key) = (opened["match_id"].clone(), opened["seat_key"].clone());
    for other in [&b, &c] {
        other.data("join_match", json!({})).await;
    }
    let secrets = [&id, &key];
    let mut told = Vec::new();
    for (turn, [of_b, of_c]) in script.iter().enumerate() {
        for (other, action) in [(&b, of_b), (&c, of_c)] {
            other
                .data("act", json!({ "action": action, "turn": turn, "wait_seconds": 0, "reasoning": "secretly" }))
                .await;
        }
        let act = json!({ "action": "move north", "turn": turn });
        told.push(plain(&a.call("act", act).await, &secrets));
        for (who, tool, arguments) in [
            (&a, "get_state", json!({})),
            (&a, "list_legal_actions", json!({})),
            (&a, "list_matches", json!({})),
            (&watcher, "get_state", json!({ "match_id": id })),
            (&watcher, "list_matches", json!({})),
        ] {
            told.push(plain(&who.call(tool, arguments).await, &secrets));
        }
        for what in ["state", "record"] {
            let uri = format!("standoff://match/{}/{what}", id.as_str().expect("a name"));
            match watcher.client().read_resource(ReadResourceRequestParams::new(uri)).await {
                Ok(read) => told.push(plain(&read, &secrets)),
                Err(error) => told.push(plain(&error.to_string(), &secrets)),
            }
        }
    }
    (told, b.data("get_state", json!({})).await["state"].clone())
}

#[tokio::test]
async fn what_a_seat_cannot_see_is_in_no_answer_of_a_tool() {
    let (one, seen_by_b) = told(&[["move west, shoot west", "stay"], ["move west", "move east"]]).await;
    let (other, seen_in_the_other) = told(&[["stay", "stay, shoot south"], ["move south", "stay"]]).await;
    assert_eq!(one.len(), other.len());
    for (one, other) in one.iter().zip(&other) {
        assert_eq!(one, other);
        assert!(!one.contains("secretly"), "{one}");
    }
    assert_ne!(seen_by_b, seen_in_the_other);
    assert!(one[0].contains("out of sight"), "{}", one[0]);
    assert!(one.iter().any(|text| text.contains("can be read when the match is over")), "no record before the end");
}
