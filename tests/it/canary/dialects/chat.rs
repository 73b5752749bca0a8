//! Chat completions.

use serde_json::{Value as Json, json};

use super::{Dialect, Looks, Said, Stop, halves, names};

pub(super) struct Chat;

fn finish(said: &Said) -> &'static str {
    match said.stop {
        Stop::Length => "length",
        Stop::Refused => "content_filter",
        Stop::Done if said.calls.is_empty() => "stop",
        Stop::Done => "tool_calls",
    }
}

fn usage(said: &Said) -> Json {
    let [input, cached, output, reasoning] = said.tokens;
    json!({
        "prompt_tokens": input, "completion_tokens": output,
        "prompt_tokens_details": { "cached_tokens": cached, "cache_write_tokens": said.cache_written },
        "completion_tokens_details": { "reasoning_tokens": reasoning },
    })
}

impl Dialect for Chat {
    fn answer(&self, said: &Said) -> Json {
        let mut message = json!({ "role": "assistant", "content": said.text });
        if let Some(thought) = said.thought {
            message["reasoning_content"] = json!(thought);
        }
        if !said.calls.is_empty() {
            let calls = said.calls.iter().enumerate().map(|(index, (name, arguments))| {
                let function = json!({ "name": name, "arguments": arguments });
                json!({ "id": format!("call_{index}"), "type": "function", "function": function })
            });
            message["tool_calls"] = calls.collect();
        }
        json!({
            "id": "chatcmpl-canary", "model": "canary",
            "choices": [{ "index": 0, "message": message, "finish_reason": finish(said) }], "usage": usage(said),
        })
    }

    fn events(&self, said: &Said) -> Vec<Json> {
        let delta =
            |delta: Json| json!({ "id": "chatcmpl-canary", "model": "canary", "choices": [{ "delta": delta }] });
        let mut events = vec![delta(json!({ "role": "assistant", "content": "" }))];
        events.extend(said.thought.map(|thought| delta(json!({ "reasoning_content": thought }))));
        events.extend(halves(&said.text).map(|text| delta(json!({ "content": text }))));
        for (index, (name, arguments)) in said.calls.iter().enumerate() {
            for (piece, arguments) in halves(arguments).into_iter().enumerate() {
                let mut call = json!({ "index": index, "function": { "arguments": arguments } });
                if piece == 0 {
                    (call["id"], call["function"]["name"]) = (json!(format!("call_{index}")), json!(name));
                }
                events.push(delta(json!({ "tool_calls": [call] })));
            }
        }
        events.push(json!({ "choices": [{ "delta": {}, "finish_reason": finish(said) }] }));
        events.push(json!({ "choices": [], "usage": usage(said) }));
        events
    }

    fn error(&self, _: u16, word: &str, message: &str) -> Json {
        json!({ "error": { "message": message, "type": "canary_error", "param": null, "code": word } })
    }

    fn error_event(&self, status: u16, _: &str, message: &str) -> Json {
        json!({ "error": { "message": message, "code": status } })
    }

    fn looks(&self, _: &str, _: &str, request: &Json) -> Looks {
        Looks {
            posted: "post /v1/chat/completions ".to_owned(),
            key: "authorization: bearer ",
            tools: names(&request["tools"], |tool| &tool["function"]["name"]),
            schema: request["response_format"]["type"] == "json_schema",
            streamed: request["stream"] == true && request["stream_options"]["include_usage"] == true,
            brief: request["messages"][0]["role"] == "system",
            talk: request["messages"].clone(),
        }
    }
}
