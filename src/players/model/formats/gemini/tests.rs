use super::*;
use crate::players::model::formats::tests::{carried_back, json_form, put_together, request, talk, tools_form};
use crate::players::profile::Provider;

fn profile() -> Profile {
    let profile = Provider::named("gemini").expect("it is known").profile("gemini-x");
    Profile { stream: false, ..profile }
}

/// A thought, a word and a call.
fn thought_and_call() -> Json {
    json!([
        { "text": "North is a wall.", "thought": true },
        { "text": "Up." },
        { "functionCall": { "name": "act", "args": { "action": "move up" } }, "thoughtSignature": "CpcE" },
    ])
}

fn answer(parts: &Json, finish: &str) -> Json {
    json!({
        "candidates": [{ "content": { "role": "model", "parts": parts }, "finishReason": finish, "index": 0 }],
        "usageMetadata": {
            "promptTokenCount": 1000, "cachedContentTokenCount": 600, "candidatesTokenCount": 30, "thoughtsTokenCount": 20,
        },
        "modelVersion": "gemini-x-2026", "responseId": "r1",
    })
}

#[test]
fn a_request_has_what_the_format_needs_and_nothing_else() {
    let tool = json!({ "name": "act", "description": "Acts.", "parametersJsonSchema": { "type": "object" } });
    assert_eq!(
        request(&Gemini, &profile(), &talk(), &tools_form()),
        json!({
            "systemInstruction": { "parts": [{ "text": "The rules." }] },
            "contents": [{ "role": "user", "parts": [{ "text": "Your turn." }] }],
            "generationConfig": { "maxOutputTokens": 200 },
            "tools": [{ "functionDeclarations": [tool] }],
            "toolConfig": { "functionCallingConfig": { "mode": "ANY" } },
        })
    );
    assert_eq!(Gemini.path(&profile()), "/models/gemini-x:generateContent");
    assert_eq!(
        Gemini.path(&Profile { stream: true, model: "models/g".to_owned(), ..profile() }),
        "/models/g:streamGenerateContent?alt=sse"
    );
    assert_eq!(Gemini.key_header(), ("x-goog-api-key", ""));
    assert_eq!(Gemini.models(&json!({ "models": [{ "name": "models/gemini-x" }] })), ["gemini-x"]);
}

#[test]
fn a_profile_says_what_else_is_sent() {
    for (given, budget) in [(Thinking::On, -1), (Thinking::Off, 0), (Thinking::Tokens(2048), 2048)] {
        let body = request(&Gemini, &Profile { thinking: Some(given), ..profile() }, &talk(), &tools_form());
        assert_eq!(body["generationConfig"]["thinkingConfig"], json!({ "thinkingBudget": budget }));
    }
    let asking = Profile {
        reasoning_effort: Some("low".to_owned()),
        seed: Some(7),
        temperature: Some(0.5),
        tool_choice: Some(ToolChoice::Auto),
        ..profile()
    };
    let body = request(&Gemini, &asking, &talk(), &tools_form());
    let config = json!({
        "maxOutputTokens": 200, "seed": 7, "temperature": 0.5, "thinkingConfig": { "thinkingLevel": "low" },
    });
    assert_eq!(body["generationConfig"], config);
    assert_eq!(body["toolConfig"]["functionCallingConfig"]["mode"], "AUTO");
    let config = &request(&Gemini, &profile(), &talk(), &json_form())["generationConfig"];
    let wanted = (&json!("application/json"), &json!({ "type": "object" }));
    assert_eq!((&config["responseMimeType"], &config["responseJsonSchema"]), wanted);
}

#[test]
fn an_answer_is_read_and_goes_back_with_its_signatures() {
    let reply = Gemini.read(&answer(&thought_and_call(), "STOP")).expect("an answer");
    assert_eq!((reply.content.as_str(), reply.calls[0].arguments.as_str()), ("Up.", "{\"action\":\"move up\"}"));
    assert_eq!(reply.usage, Some(Usage { input: 1000, cached: 600, cache_written: 0, output: 50, reasoning: 20 }));
    let contents = carried_back(&Gemini, &profile(), reply)["contents"].clone();
    assert_eq!(contents[1], json!({ "role": "model", "parts": thought_and_call() }));
    let response = json!({ "name": "act", "response": { "result": "No." } });
    assert_eq!(contents[2], json!({ "role": "user", "parts": [{ "functionResponse": response }] }));
    let mut named = thought_and_call();
    named[2]["functionCall"]["id"] = json!("f7");
    let reply = Gemini.read(&answer(&named, "STOP")).expect("an answer");
    let contents = carried_back(&Gemini, &profile(), reply)["contents"].clone();
    assert_eq!(contents[2]["parts"][0]["functionResponse"]["id"], "f7");
}

#[test]
fn every_reason_to_stop_is_known() {
    let read = |finish| Gemini.read(&answer(&json!([{ "text": "I" }]), finish));
    assert!(read("MAX_TOKENS").expect("an answer").truncated);
    for finish in ["SAFETY", "RECITATION", "PROHIBITED_CONTENT"] {
        assert!(read(finish).expect("an answer").declined.is_some(), "{finish}");
    }
    let mut malformed = answer(&json!([]), "MALFORMED_FUNCTION_CALL");
    malformed["candidates"][0]["finishMessage"] = json!("Malformed function call: act(move up)");
    malformed["candidates"][0].as_object_mut().expect("an object").remove("content");
    let malformed = Gemini.read(&malformed).expect("an answer");
    let words = malformed.rejected.map(|rejected| rejected.words);
    assert_eq!(words.as_deref(), Some("Malformed function call: act(move up)"));
    assert_eq!(read("OTHER").expect_err("no answer").kind, FailureKind::Reported);
    let blocked = json!({ "promptFeedback": { "blockReason": "PROHIBITED_CONTENT" } });
    assert_eq!(Gemini.read(&blocked).expect_err("no answer").kind, FailureKind::Filtered);
    assert_eq!(put_together(&Gemini, std::slice::from_ref(&blocked)), Ok(blocked));
    let full = json!({ "error": { "code": 503, "message": "full", "status": "UNAVAILABLE" } });
    assert_eq!(Gemini.read(&full).expect_err("full").kind, FailureKind::Status(503));
    assert_eq!(Gemini.pieces().take(&full).expect_err("full").kind, FailureKind::Status(503));
    assert_eq!(Gemini.read(&json!({})).expect_err("nothing").kind, FailureKind::Body);
}

#[test]
fn a_stream_comes_to_the_same() {
    let piece = |part: Json| json!({ "candidates": [{ "content": { "role": "model", "parts": [part] }, "index": 0 }] });
    let mut last = answer(&json!([thought_and_call()[2]]), "STOP");
    last["usageMetadata"]["promptTokenCount"] = json!(1000);
    let mut chunks = vec![
        piece(json!({ "text": "North is ", "thought": true })),
        piece(json!({ "text": "a wall.", "thought": true })),
        piece(json!({ "text": "U" })),
        piece(json!({ "text": "p." })),
        last,
    ];
    assert_eq!(put_together(&Gemini, &chunks), Ok(answer(&thought_and_call(), "STOP")));
    // A signature may come alone, with an empty text: that must not get lost.
    chunks.insert(4, piece(json!({ "text": "", "thoughtSignature": "sig" })));
    let whole = put_together(&Gemini, &chunks).expect("it is whole");
    assert_eq!(whole["candidates"][0]["content"]["parts"][2], json!({ "text": "", "thoughtSignature": "sig" }));
    chunks.pop();
    assert_eq!(put_together(&Gemini, &chunks).expect_err("it is not whole").kind, FailureKind::Dropped);
}

#[test]
fn texts_around_a_thought_are_not_on_one_line_and_pieces_of_one_text_are() {
    let signed = json!({ "text": "", "thoughtSignature": "sig" });
    let thought = json!({ "text": "Hm.", "thought": true });
    let parts = json!([{ "text": "I look." }, thought, { "text": "ACTION: " }, signed, { "text": "move up" }]);
    let reply = Gemini.read(&answer(&parts, "STOP")).expect("an answer");
    assert_eq!(reply.content, "I look.\nACTION: move up");
}
