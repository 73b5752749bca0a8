//! The Responses API of `OpenAI`.

use serde_json::{Value as Json, json};

use super::{Dialect, Looks, Said, Stop, halves, names};

pub(super) struct Responses;

fn items(said: &Said) -> Vec<Json> {
    let thought = said.thought.map(|thought| {
        let summary = json!([{ "type": "summary_text", "text": thought }]);
        json!({ "type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": thought, "status": null })
    });
    let part = match said.stop {
        Stop::Refused => json!({ "type": "refusal", "refusal": said.text }),
        _ => json!({ "type": "output_text", "text": said.text, "annotations": [] }),
    };
    let message =
        json!({ "type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part] });
    let calls = said.calls.iter().enumerate().map(|(index, (name, arguments))| {
        json!({
            "type": "function_call", "id": format!("fc_{index}"), "call_id": format!("call_{index}"), "name": name,
            "arguments": arguments, "status": "completed",
        })
    });
    thought.into_iter().chain((!said.text.is_empty()).then_some(message)).chain(calls).collect()
}

impl Dialect for Responses {
    fn answer(&self, said: &Said) -> Json {
        let [input, cached, output, reasoning] = said.tokens;
        let (status, details) = match said.stop {
            Stop::Length => ("incomplete", json!({ "reason": "max_output_tokens" })),
            _ => ("completed", json!(null)),
        };
        json!({
            "id": "resp_canary", "object": "response", "model": "canary", "status": status, "error": null,
            "incomplete_details": details, "output": items(said),
            "usage": {
                "input_tokens": input,
                "input_tokens_details": { "cached_tokens": cached, "cache_write_tokens": said.cache_written },
                "output_tokens": output, "output_tokens_details": { "reasoning_tokens": reasoning },
            },
        })
    }

    fn events(&self, said: &Said) -> Vec<Json> {
        let whole = self.answer(said);
        let mut events =
            vec![json!({ "type": "response.created", "response": { "status": "in_progress", "output": [] } })];
        events.extend(halves(&said.text).map(|text| json!({ "type": "response.output_text.delta", "delta": text })));
        for (_, arguments) in &said.calls {
            let pieces = halves(arguments);
            events.extend(
                pieces.map(|piece| json!({ "type": "response.function_call_arguments.delta", "delta": piece })),
            );
        }
        events.extend(items(said).iter().map(|item| json!({ "type": "response.output_item.done", "item": item })));
        let last = if said.stop == Stop::Length { "response.incomplete" } else { "response.completed" };
        events.push(json!({ "type": last, "response": whole }));
        events
    }

    fn error(&self, _: u16, word: &str, message: &str) -> Json {
        json!({ "error": { "message": message, "type": "canary_error", "param": null, "code": word } })
    }

    fn error_event(&self, _: u16, word: &str, message: &str) -> Json {
        json!({ "type": "error", "code": word, "message": message, "param": null })
    }

    fn looks(&self, _: &str, _: &str, request: &Json) -> Looks {
        Looks {
            posted: "post /v1/responses ".to_owned(),
            key: "authorization: bearer ",
            tools: names(&request["tools"], |tool| &tool["name"]),
            schema: request["text"]["format"]["type"] == "json_schema",
            streamed: request["stream"] == true,
            brief: request["instructions"].is_string() && request["store"] == false,
            talk: request["input"].clone(),
        }
    }
}
