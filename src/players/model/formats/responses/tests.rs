use super::*;
use crate::players::model::formats::tests::{carried_back, json_form, put_together, request, talk, tools_form};
use crate::players::profile::Provider;

fn profile() -> Profile {
    let profile = Provider::named("openai").expect("it is known").profile("gpt");
    Profile { stream: false, ..profile }
}

/// A thought and a call.
fn thought_and_call() -> Json {
    json!([
        { "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA" },
        {
            "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "act", "status": "completed",
            "arguments": "{\"action\":\"move up\"}",
        },
    ])
}

fn answer(output: &Json) -> Json {
    json!({
        "id": "resp_1", "object": "response", "model": "gpt-2026", "status": "completed", "error": null,
        "incomplete_details": null, "output": output,
        "usage": {
            "input_tokens": 1000, "input_tokens_details": { "cached_tokens": 600 },
            "output_tokens": 50, "output_tokens_details": { "reasoning_tokens": 20 }, "total_tokens": 1050,
        },
    })
}

fn message(part: &Json) -> Json {
    json!([{ "type": "message", "role": "assistant", "content": [part] }])
}

#[test]
fn a_request_has_what_the_format_needs_and_nothing_else() {
    let body = request(&Responses, &profile(), &talk(), &tools_form());
    let tool = json!({
        "type": "function", "name": "act", "description": "Acts.", "parameters": { "type": "object" }, "strict": false,
    });
    assert_eq!(
        body,
        json!({
            "model": "gpt", "store": false, "max_output_tokens": 200, "include": ["reasoning.encrypted_content"],
            "instructions": "The rules.", "input": [{ "role": "user", "content": "Your turn." }],
            "tools": [tool], "tool_choice": "required",
        })
    );
}

#[test]
fn a_profile_says_what_else_is_sent() {
    let asking = Profile {
        reasoning_effort: Some("low".to_owned()),
        thinking: Some(Thinking::Off),
        temperature: Some(0.5),
        tool_choice: Some(ToolChoice::None),
        stream: true,
        ..profile()
    };
    let body = request(&Responses, &asking, &talk(), &tools_form());
    let said = json!([body["reasoning"], body["temperature"], body["stream"], body["include"], body["tool_choice"]]);
    assert_eq!(said, json!([{ "effort": "low" }, 0.5, true, null, null]));
    let format = &request(&Responses, &profile(), &talk(), &json_form())["text"]["format"];
    assert_eq!(
        *format,
        json!({ "type": "json_schema", "name": "answer", "schema": { "type": "object" }, "strict": true })
    );
}

#[test]
fn an_answer_is_read_and_goes_back_with_its_encrypted_thoughts() {
    let reply = Responses.read(&answer(&thought_and_call())).expect("an answer");
    assert_eq!((reply.id.as_deref(), reply.model.as_str(), reply.content.as_str()), (Some("resp_1"), "gpt-2026", ""));
    assert_eq!(reply.usage, Some(Usage { input: 1000, cached: 600, cache_written: 0, output: 50, reasoning: 20 }));
    let body = carried_back(&Responses, &profile(), reply);
    let mut items = thought_and_call().as_array().expect("a list").clone();
    items.insert(0, json!({ "role": "user", "content": "Your turn." }));
    items.push(json!({ "type": "function_call_output", "call_id": "call_1", "output": "No." }));
    assert_eq!(body["input"], Json::Array(items));
}

#[test]
fn texts_refusals_and_cuts_are_told_apart() {
    let text = Responses.read(&answer(&message(&json!({ "type": "output_text", "text": "move up" })))).expect("a text");
    assert_eq!((text.content.as_str(), text.truncated, text.declined), ("move up", false, None));
    let refusal =
        Responses.read(&answer(&message(&json!({ "type": "refusal", "refusal": "No." })))).expect("an answer");
    assert_eq!(refusal.declined.as_deref(), Some("No."));
    for (reason, truncated, declined) in [("max_output_tokens", true, false), ("content_filter", false, true)] {
        let mut cut = answer(&json!([]));
        (cut["status"], cut["incomplete_details"]) = (json!("incomplete"), json!({ "reason": reason }));
        let cut = Responses.read(&cut).expect("an answer");
        assert_eq!((cut.truncated, cut.declined.is_some()), (truncated, declined), "{reason}");
    }
}

#[test]
fn what_failed_is_the_servers_fault() {
    for (code, kind) in [
        ("server_error", FailureKind::Status(500)),
        ("rate_limit_exceeded", FailureKind::Status(429)),
        ("invalid_prompt", FailureKind::Filtered),
        ("something_new", FailureKind::Reported),
    ] {
        let mut failed = answer(&json!([]));
        (failed["status"], failed["error"]) = (json!("failed"), json!({ "code": code, "message": "sorry" }));
        let failure = Responses.read(&failed).expect_err(code);
        assert_eq!((failure.kind, failure.detail.as_str()), (kind, "sorry"));
        let event = json!({ "type": "error", "code": code, "message": "sorry", "sequence_number": 3 });
        assert_eq!(Responses.pieces().take(&event).expect_err(code).kind, kind);
    }
    assert_eq!(Responses.read(&json!({ "object": "response" })).expect_err("no output").kind, FailureKind::Body);
}

#[test]
fn a_stream_comes_to_the_same() {
    let whole = answer(&thought_and_call());
    let mut events = vec![json!({ "type": "response.created", "response": answer(&json!([])) })];
    events.push(json!({ "type": "response.function_call_arguments.delta", "delta": "{" }));
    events.extend(
        thought_and_call()
            .as_array()
            .expect("a list")
            .iter()
            .map(|item| json!({ "type": "response.output_item.done", "item": item })),
    );
    events.push(json!({ "type": "response.completed", "response": whole }));
    assert_eq!(put_together(&Responses, &events), Ok(whole.clone()));
    // As some servers end it.
    let last = events.last_mut().expect("it is there");
    last["response"]["output"] = json!([]);
    assert_eq!(put_together(&Responses, &events), Ok(whole));
    events.pop();
    assert_eq!(put_together(&Responses, &events).expect_err("it is not whole").kind, FailureKind::Dropped);
}

#[test]
fn a_thought_that_only_its_server_keeps_does_not_go_back() {
    let output = json!([
        { "type": "reasoning", "id": "rs_1", "summary": [{ "type": "summary_text", "text": "Hm." }], "content": [] },
        { "type": "reasoning", "id": "rs_2", "summary": [], "content": [{ "type": "reasoning_text", "text": "Hm." }] },
        thought_and_call()[1],
    ]);
    let body = carried_back(&Responses, &profile(), Responses.read(&answer(&output)).expect("an answer"));
    let mut call = thought_and_call()[1].clone();
    call.as_object_mut().expect("an object").remove("id");
    assert_eq!(body["input"].as_array().expect("a list")[1..3], [output[1].clone(), call]);
}

#[test]
fn texts_of_two_messages_are_not_on_one_line() {
    let part = |text: &str| message(&json!({ "type": "output_text", "text": text }))[0].clone();
    let reply = Responses.read(&answer(&json!([part("I look."), part("ACTION: move up")]))).expect("an answer");
    assert_eq!(reply.content, "I look.\nACTION: move up");
}
