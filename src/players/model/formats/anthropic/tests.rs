use std::sync::Arc;

use super::*;
use crate::briefs::{AnswerBy, Language, Variant};
use crate::games::Ruleset;
use crate::players::model::formats::tests::{carried_back, json_form, put_together, request, talk, tools_form};
use crate::players::profile::Provider;

fn profile() -> Profile {
    let profile = Provider::named("anthropic").expect("it is known").profile("claude");
    Profile { stream: false, ..profile }
}

/// A thought, a word and a call.
fn thought_and_call() -> Json {
    json!([
        { "type": "thinking", "thinking": "North is a wall.", "signature": "EqQB" },
        { "type": "redacted_thinking", "data": "AAAA" },
        { "type": "text", "text": "Up." },
        { "type": "tool_use", "id": "toolu_1", "name": "act", "input": { "action": "move up" } },
    ])
}

fn answer(content: &Json, stop: &str) -> Json {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-2026", "content": content,
        "stop_reason": stop, "stop_sequence": null,
        "usage": {
            "input_tokens": 100, "cache_read_input_tokens": 600, "cache_creation_input_tokens": 300, "output_tokens": 50,
        },
    })
}

#[test]
fn a_request_has_what_the_format_needs_and_nothing_else() {
    let system = json!([{ "type": "text", "text": "The rules.", "cache_control": { "type": "ephemeral" } }]);
    assert_eq!(
        request(&Anthropic, &profile(), &talk(), &tools_form()),
        json!({
            "model": "claude", "max_tokens": 200, "system": system,
            "messages": [{ "role": "user", "content": [{ "type": "text", "text": "Your turn." }] }],
            "tools": [{ "name": "act", "description": "Acts.", "input_schema": { "type": "object" } }],
            "tool_choice": { "type": "any" },
        })
    );
    // Two seats share the rules; what one of them is told follows behind the mark.
    let ruleset = Ruleset::named("cowboy").expect("built in");
    let variant = Variant::named("standard").expect("built in");
    let systems = ["A", "B"].map(|seat| {
        let seat = seat.parse().expect("a seat");
        let prompt = variant.system_prompt(&ruleset, 2, seat, AnswerBy::Tools, Language::En);
        assert_eq!(prompt.parts().concat(), variant.system(&ruleset, 2, seat, AnswerBy::Tools, Language::En));
        let messages = [Message::System(Arc::new(prompt)), Message::User("Your turn.".to_owned())];
        request(&Anthropic, &profile(), &messages, &tools_form())["system"].clone()
    });
    assert_eq!(systems[0][0], systems[1][0]);
    assert_eq!(systems[0][0]["cache_control"], json!({ "type": "ephemeral" }));
    for (system, seat) in systems.iter().zip(["A", "B"]) {
        let own = system[1]["text"].as_str().expect("a text");
        assert!(own.starts_with(&format!("You are player {seat} ")), "{own}");
        assert_eq!((&system[1]["cache_control"], system.as_array().map(Vec::len)), (&Json::Null, Some(2)));
    }
    assert_eq!(Anthropic.key_header(), ("x-api-key", ""));
    assert_eq!(Anthropic.headers(), [("anthropic-version", "2023-06-01")]);
}

#[test]
fn a_profile_says_what_else_is_sent() {
    let thinking = |thinking| request(&Anthropic, &Profile { thinking, ..profile() }, &talk(), &tools_form());
    // Whoever thinks cannot be made to call a tool.
    for (given, sent, choice) in [
        (Some(Thinking::On), json!({ "type": "adaptive" }), "auto"),
        (Some(Thinking::Tokens(2048)), json!({ "type": "enabled", "budget_tokens": 2048 }), "auto"),
        (Some(Thinking::Off), json!({ "type": "disabled" }), "any"),
    ] {
        let body = thinking(given);
        assert_eq!((&body["thinking"], &body["tool_choice"]["type"]), (&sent, &json!(choice)));
    }
    let effort = Profile { reasoning_effort: Some("low".to_owned()), stream: true, ..profile() };
    let body = request(&Anthropic, &effort, &talk(), &json_form());
    let format = json!({ "type": "json_schema", "schema": { "type": "object" } });
    assert_eq!(body["output_config"], json!({ "effort": "low", "format": format }));
    assert_eq!(body["stream"], true);
}

#[test]
fn an_answer_is_read_and_goes_back_with_its_signed_thoughts() {
    let reply = Anthropic.read(&answer(&thought_and_call(), "tool_use")).expect("an answer");
    assert_eq!((reply.content.as_str(), reply.calls[0].arguments.as_str()), ("Up.", "{\"action\":\"move up\"}"));
    assert_eq!(reply.usage, Some(Usage { input: 1000, cached: 600, cache_written: 300, output: 50, reasoning: 0 }));
    let messages = carried_back(&Anthropic, &profile(), reply)["messages"].clone();
    assert_eq!(messages[1], json!({ "role": "assistant", "content": thought_and_call() }));
    let result = json!({ "type": "tool_result", "tool_use_id": "toolu_1", "content": "No." });
    assert_eq!(messages[2], json!({ "role": "user", "content": [result] }));
}

#[test]
fn words_that_say_nothing_do_not_go_back_and_thoughts_do() {
    let content = json!([
        { "type": "thinking", "thinking": "", "signature": "EqQB" },
        { "type": "text", "text": "\n\n" },
        { "type": "tool_use", "id": "toolu_1", "name": "act", "input": { "action": "move up" } },
    ]);
    let reply = Anthropic.read(&answer(&content, "tool_use")).expect("an answer");
    let messages = carried_back(&Anthropic, &profile(), reply)["messages"].clone();
    assert_eq!(messages[1]["content"], json!([content[0], content[2]]));
    assert_eq!(said(" \n", &[], None), Vec::<Json>::new());
    // Where nothing is left, there is no message.
    let silent = Message::Assistant { content: String::new(), calls: Vec::new(), received: Some(json!([content[1]])) };
    let mut talk = talk();
    talk.extend([silent, Message::User("Well?".to_owned())]);
    assert_eq!(super::messages(&talk).len(), 1);
}

#[test]
fn texts_of_two_blocks_are_not_on_one_line() {
    let content = json!([
        { "type": "text", "text": "Let me see." },
        { "type": "thinking", "thinking": "North is a wall.", "signature": "EqQB" },
        { "type": "text", "text": "ACTION: move up" },
    ]);
    let reply = Anthropic.read(&answer(&content, "end_turn")).expect("an answer");
    assert_eq!(reply.content, "Let me see.\nACTION: move up");
}

#[test]
fn results_and_words_in_a_row_are_one_message() {
    let result = |id: &str| Message::Tool { id: id.to_owned(), text: "so".to_owned() };
    let mut talk = talk();
    talk.extend([result("a"), result("b"), Message::User("Well?".to_owned())]);
    let messages = messages(&talk);
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0]["content"].as_array().map(Vec::len), Some(4));
}

#[test]
fn every_reason_to_stop_is_known() {
    let read = |stop| Anthropic.read(&answer(&json!([{ "type": "text", "text": "I" }]), stop));
    assert!(read("max_tokens").expect("an answer").truncated);
    assert!(read("refusal").expect("an answer").declined.is_some());
    assert!(read("pause_turn").expect("an answer").paused);
    assert_eq!(read("model_context_window_exceeded").expect_err("no answer").kind, FailureKind::TooLong);
    assert_eq!(Anthropic.read(&json!({ "type": "message" })).expect_err("no content").kind, FailureKind::Body);
    let error = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
    assert_eq!(Anthropic.read(&error).expect_err("overloaded").kind, FailureKind::Status(529));
    assert_eq!(Anthropic.pieces().take(&error).expect_err("overloaded").kind, FailureKind::Status(529));
}

#[test]
fn a_stream_comes_to_the_same() {
    let mut start = answer(&json!([]), "");
    (start["stop_reason"], start["usage"]["output_tokens"]) = (json!(null), json!(1));
    let delta = |index: u64, delta: Json| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    let begin =
        |index: u64, block: Json| json!({ "type": "content_block_start", "index": index, "content_block": block });
    let mut events = vec![
        json!({ "type": "message_start", "message": start }),
        json!({ "type": "ping" }),
        begin(0, json!({ "type": "thinking", "thinking": "" })),
        delta(0, json!({ "type": "thinking_delta", "thinking": "North is " })),
        delta(0, json!({ "type": "thinking_delta", "thinking": "a wall." })),
        delta(0, json!({ "type": "signature_delta", "signature": "EqQB" })),
        begin(1, json!({ "type": "redacted_thinking", "data": "AAAA" })),
        begin(2, json!({ "type": "text", "text": "" })),
        delta(2, json!({ "type": "text_delta", "text": "Up." })),
        begin(3, json!({ "type": "tool_use", "id": "toolu_1", "name": "act", "input": {} })),
        delta(3, json!({ "type": "input_json_delta", "partial_json": "{\"action\":" })),
        delta(3, json!({ "type": "input_json_delta", "partial_json": "\"move up\"}" })),
        json!({ "type": "content_block_stop", "index": 3 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" }, "usage": { "output_tokens": 50 } }),
        json!({ "type": "message_stop" }),
    ];
    assert_eq!(put_together(&Anthropic, &events), Ok(answer(&thought_and_call(), "tool_use")));
    // A call that is no JSON is the model's, and goes back as one that is.
    events[11]["delta"]["partial_json"] = json!("move up");
    let reply = Anthropic.read(&put_together(&Anthropic, &events).expect("it is whole")).expect("an answer");
    assert_eq!(reply.calls[0].arguments, "{\"action\":move up");
    assert_eq!(carried_back(&Anthropic, &profile(), reply)["messages"][1]["content"][3]["input"], json!({}));
    // So is one that gives a key twice: which of them it has chosen, nobody can tell.
    let twice = "{\"action\":\"shoot down\",\"action\":\"shield left\"}";
    events[11]["delta"]["partial_json"] = json!(&twice["{\"action\":".len()..]);
    let reply = Anthropic.read(&put_together(&Anthropic, &events).expect("it is whole")).expect("an answer");
    assert_eq!(reply.calls[0].arguments, twice);
    assert_eq!(carried_back(&Anthropic, &profile(), reply)["messages"][1]["content"][3]["input"], json!({}));
    events.pop();
    assert_eq!(put_together(&Anthropic, &events).expect_err("it is not whole").kind, FailureKind::Dropped);
}
