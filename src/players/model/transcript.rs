//! What was said in a request and its answer, whatever the wire format: for those who read it later.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::formats;
use super::journal::Recorded;
use crate::players::profile::Api;

/// Where requests of the four formats have what was said in a message, but for texts that stand for themselves.
const INNER: [&str; 10] = [
    "content",
    "parts",
    "tool_calls",
    "function",
    "functionCall",
    "functionResponse",
    "arguments",
    "args",
    "output",
    "response",
];

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// Whoever set the model up: rules, role, form of the answer.
    System,
    /// Whoever asks it.
    Referee,
    /// The model itself.
    Model,
}

/// All that was said in a request and the answer to it, in order; nothing where it is in no known form.
pub fn conversation(request: &str, answer: &Recorded) -> Vec<(Speaker, String)> {
    let Ok(request) = serde_json::from_str::<Json>(request) else { return Vec::new() };
    let mut said: Vec<(Speaker, String)> = Vec::new();
    let mut say = |speaker: Speaker, text: String| {
        let text = text.trim();
        match said.last_mut() {
            _ if text.is_empty() => {}
            Some((last, before)) if *last == speaker => {
                before.push_str("\n\n");
                before.push_str(text);
            }
            _ => said.push((speaker, text.to_owned())),
        }
    };
    for field in ["system", "instructions", "systemInstruction"] {
        say(Speaker::System, text_of(&request[field]));
    }
    let messages = ["messages", "input", "contents"].into_iter().find_map(|field| request[field].as_array());
    for message in messages.into_iter().flatten() {
        let speaker = match message["role"].as_str().or_else(|| message["type"].as_str()) {
            Some("system" | "developer") => Speaker::System,
            Some("assistant" | "model" | "function_call" | "message") => Speaker::Model,
            Some("reasoning") => continue,
            _ => Speaker::Referee,
        };
        say(speaker, text_of(message));
    }
    say(Speaker::Model, answered(&request, answer));
    said
}

/// What an answer says, with the arguments of the tools that it calls.
fn answered(request: &Json, answer: &Recorded) -> String {
    let Ok(body) = serde_json::from_str::<Json>(&answer.body) else { return String::new() };
    let api = match (request.get("contents"), request.get("input"), body.get("choices")) {
        (Some(_), ..) => Api::Gemini,
        (None, Some(_), _) => Api::Responses,
        (None, None, Some(_)) => Api::Chat,
        (None, None, None) => Api::Anthropic,
    };
    let Ok(reply) = formats::of(api).read(&body) else { return String::new() };
    let calls = reply.calls.into_iter().map(|call| format!("{}({})", call.name, call.arguments));
    let texts = [reply.content].into_iter().chain(calls).chain(reply.declined).filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join("\n")
}

/// The texts in a message, each on lines of its own; what a tool is called with is JSON.
fn text_of(value: &Json) -> String {
    let texts: Vec<String> = match value {
        Json::String(text) => return text.clone(),
        Json::Array(parts) => parts.iter().map(text_of).collect(),
        Json::Object(fields) if fields.contains_key("text") => return text_of(&fields["text"]),
        Json::Object(fields) => {
            let inner = INNER.iter().filter_map(|field| fields.get(*field).map(|value| (*field, value)));
            let used = fields.get("input").map(ToString::to_string);
            let text = |(field, value): (&str, &Json)| match (field, value) {
                ("args" | "response", value @ Json::Object(_)) => value.to_string(),
                (_, value) => text_of(value),
            };
            inner.map(text).chain(used).collect()
        }
        _ => return String::new(),
    };
    texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn recorded(body: &Json) -> Recorded {
        Recorded {
            body: body.to_string(),
            ..serde_json::from_value(json!({ "status": 200, "body": "", "millis": 1 })).expect("it is whole")
        }
    }

    #[test]
    fn every_format_reads_as_who_said_what() {
        let chat = json!({ "messages": [
            { "role": "system", "content": "The rules." }, { "role": "user", "content": "Your turn." },
            { "role": "assistant", "content": "dance" }, { "role": "user", "content": "That is no action." },
        ] });
        let chat_answer = json!({ "choices": [{ "message": { "role": "assistant", "content": "", "tool_calls": [
            { "id": "1", "type": "function", "function": { "name": "act", "arguments": "{\"action\":\"hop\"}" } }] } }] });
        let anthropic = json!({ "system": [{ "type": "text", "text": "The rules." }], "messages": [
            { "role": "user", "content": "Your turn." },
            { "role": "assistant", "content": [{ "type": "thinking", "thinking": "hm" }, { "type": "text", "text": "dance" }] },
            { "role": "user", "content": [{ "type": "text", "text": "That is no action." }] },
        ] });
        let anthropic_answer =
            json!({ "type": "message", "content": [{ "type": "text", "text": "hop" }], "stop_reason": "end_turn" });
        let gemini = json!({ "systemInstruction": { "parts": [{ "text": "The rules." }] }, "contents": [
            { "role": "user", "parts": [{ "text": "Your turn." }] }, { "role": "model", "parts": [{ "text": "dance" }] },
            { "role": "user", "parts": [{ "text": "That is no action." }] },
        ] });
        let gemini_answer = json!({ "candidates": [{ "content": { "role": "model", "parts": [{ "text": "hop" }] }, "finishReason": "STOP" }] });
        let responses = json!({ "instructions": "The rules.", "input": [
            { "role": "user", "content": "Your turn." }, { "type": "reasoning", "encrypted_content": "x" },
            { "type": "function_call", "name": "act", "arguments": "dance" },
            { "type": "function_call_output", "output": "That is no action." },
        ] });
        let responses_answer = json!({ "status": "completed", "output": [
            { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "hop" }] }] });
        for (request, answer) in
            [(chat, chat_answer), (anthropic, anthropic_answer), (gemini, gemini_answer), (responses, responses_answer)]
        {
            let said = conversation(&request.to_string(), &recorded(&answer));
            let who: Vec<Speaker> = said.iter().map(|(who, _)| *who).collect();
            assert_eq!(
                who,
                [Speaker::System, Speaker::Referee, Speaker::Model, Speaker::Referee, Speaker::Model],
                "{said:?}"
            );
            let texts: Vec<&str> = said.iter().map(|(_, text)| text.as_str()).collect();
            assert_eq!(texts[..4], ["The rules.", "Your turn.", "dance", "That is no action."]);
            assert!(texts[4].contains("hop"), "{texts:?}");
        }
        assert_eq!(conversation("no JSON", &recorded(&json!({}))), []);
    }
}
