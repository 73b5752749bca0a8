use serde_json::json;

use super::*;

fn read(message: &Json, finish: &str) -> Reply {
    let body = json!({ "choices": [{ "message": message, "finish_reason": finish }] });
    Chat.read(&body).expect("a completion")
}

fn read_text(body: &str) -> Result<Reply, Failure> {
    crate::players::model::reply::read(&Chat, body)
}

#[test]
fn content_comes_as_text_in_parts_or_not_at_all() {
    let thought = json!({ "type": "thinking", "thinking": [{ "type": "text", "text": "a" }] });
    for (content, text) in [
        (json!("a"), "a"),
        (json!([{ "type": "text", "text": "a" }, { "text": "b" }]), "ab"),
        (json!([{ "type": "reasoning", "text": "a" }]), ""),
        (json!([{ "type": "text", "text": "a" }, thought, { "type": "text", "text": "b" }]), "a\nb"),
        (json!([thought, { "type": "text", "text": "b" }]), "b"),
        (json!(null), ""),
    ] {
        assert_eq!(read(&json!({ "content": content }), "stop").content, text);
    }
}

#[test]
fn reasoning_is_never_taken_for_the_answer() {
    let reply = read(&json!({ "content": "", "reasoning_content": "move up", "reasoning": "move up" }), "stop");
    assert_eq!(Reply { received: Json::Null, ..reply }, Reply::default());
}

#[test]
fn refusals_and_filters_are_told_from_being_cut_off() {
    assert_eq!(read(&json!({ "refusal": "no" }), "stop").declined.as_deref(), Some("no"));
    assert_eq!(read(&json!({ "refusal": " " }), "stop").declined, None);
    assert!(read(&json!({}), "content_filter").declined.is_some());
    assert!(read(&json!({}), "length").truncated);
}

#[test]
fn what_is_no_completion_is_the_servers_fault() {
    for body in ["", "null", "[]", "{}", r#"{"choices":[]}"#, r#"{"choices":[{}]}"#] {
        assert_eq!(read_text(body).expect_err(body).kind, FailureKind::Body);
    }
    assert_eq!(read_text(r#"{"error":{"code":"x"}}"#).expect_err("an error").kind, FailureKind::Reported);
    let busy = r#"{"error":{"code":503,"message":"overloaded"}}"#;
    assert_eq!(read_text(busy).expect_err("an error").kind, FailureKind::Status(503));
}

/// What goes back of an answer with a call.
fn carried(answer: &Json) -> Json {
    let Reply { content, calls, received, .. } = Chat.read(answer).expect("a completion");
    message(&Message::Assistant { content, calls, received: Some(received) })
}

#[test]
fn what_only_the_server_understands_goes_back_as_it_came() {
    let signature = json!({ "google": { "thought_signature": "c2lnbg==" } });
    let details = json!([
        { "type": "reasoning.text", "text": "North is a wall.", "signature": "xyz", "index": 0 },
        { "type": "reasoning.encrypted", "data": "AAAA", "index": 1 },
    ]);
    let call = json!({
        "id": "c", "type": "function", "extra_content": signature,
        "function": { "name": "act", "arguments": "{\"action\":\"move up\"}" },
    });
    let said = json!({
        "role": "assistant", "content": "Up.", "reasoning_content": "North is a wall.", "reasoning_details": details,
        "tool_calls": [call],
    });
    let mut with_nothing = said.clone();
    (with_nothing["refusal"], with_nothing["annotations"]) = (json!(null), json!([]));
    assert_eq!(carried(&json!({ "choices": [{ "message": with_nothing }] })), said);

    let mut chunks = Chat.pieces();
    let mut piece = call.clone();
    piece["function"]["arguments"] = json!("{\"action\":");
    for delta in [
        json!({ "role": "assistant", "content": "", "reasoning_content": "North is " }),
        json!({ "reasoning_details": [{ "type": "reasoning.text", "text": "North ", "index": 0 }] }),
        json!({ "reasoning_content": "a wall.", "reasoning_details": [
            { "type": "reasoning.text", "text": "is a wall.", "signature": "xyz", "index": 0 },
            { "type": "reasoning.encrypted", "data": "AAAA", "index": 1 },
        ] }),
        json!({ "content": "Up." }),
        json!({ "tool_calls": [piece] }),
        json!({ "tool_calls": [{ "function": { "arguments": "\"move up\"}" } }] }),
    ] {
        assert_eq!(chunks.take(&json!({ "choices": [{ "delta": delta }] })).expect("no failure"), Progress::Words);
    }
    chunks.take(&json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }] })).expect("no failure");
    assert_eq!(carried(&chunks.whole().expect("it is whole")), said);
}

#[test]
fn calls_that_are_no_json_do_not_go_back_as_they_came() {
    let call = |arguments: Json| json!({ "function": { "name": "act", "arguments": arguments } });
    for (given, back) in [(json!("move up"), "{}"), (json!({ "action": "move up" }), "{\"action\":\"move up\"}")] {
        let said = carried(&json!({ "choices": [{ "message": { "tool_calls": [call(given)] } }] }));
        assert_eq!(said["tool_calls"][0]["function"]["arguments"], back);
        assert_eq!(said["tool_calls"][0]["id"], "call_0");
    }
}

#[test]
fn what_is_read_from_and_written_to_a_cache_is_counted_in_whichever_words() {
    for (given, cached, written) in [
        (json!({ "prompt_tokens_details": { "cached_tokens": 600, "cache_write_tokens": 300 } }), 600, 300),
        (json!({ "prompt_cache_hit_tokens": 600, "prompt_cache_miss_tokens": 400 }), 600, 0),
        (json!({ "cache_read_input_tokens": 600, "cache_creation_input_tokens": 300 }), 600, 300),
        (json!({ "prompt_tokens_details": { "cached_tokens": 0, "cache_creation_tokens": 300 } }), 0, 300),
        (json!({ "prompt_tokens_details": null }), 0, 0),
    ] {
        let usage = usage(&given);
        assert_eq!((usage.cached, usage.cache_written), (cached, written), "{given}");
    }
}

#[test]
fn words_that_say_nothing_do_not_go_back_and_thoughts_do() {
    let said = |content: Json| {
        let call = json!({ "id": "c", "type": "function", "function": { "name": "act", "arguments": "{}" } });
        let message = json!({ "content": content, "reasoning_content": " ", "tool_calls": [call] });
        carried(&json!({ "choices": [{ "message": message }] }))
    };
    assert_eq!(said(json!("\n\n"))["content"], Json::Null);
    assert_eq!(said(json!("\n\n"))["reasoning_content"], " ");
    let thought = json!({ "type": "thinking", "thinking": [], "signature": "EqQB" });
    let blank = json!({ "type": "text", "text": " " });
    assert_eq!(said(json!([thought, blank]))["content"], json!([thought]));
    assert_eq!(said(json!([blank]))["content"], Json::Null);
}
