//! The Messages API of Anthropic.

use serde_json::{Value as Json, json};

use super::{Dialect, Looks, Said, Stop, halves, names};

pub(super) struct Anthropic;

fn stop(said: &Said) -> &'static str {
    match said.stop {
        Stop::Length => "max_tokens",
        Stop::Refused => "refusal",
        Stop::Done if said.calls.is_empty() => "end_turn",
        Stop::Done => "tool_use",
    }
}

fn usage(said: &Said) -> Json {
    let [input, cached, output, _] = said.tokens;
    json!({
        "input_tokens": input - cached - said.cache_written, "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": said.cache_written,
        "output_tokens": output,
    })
}

/// A block as it begins, and the pieces that follow.
fn blocks(said: &Said) -> Vec<(Json, Vec<Json>)> {
    let mut blocks = Vec::new();
    if let Some(thought) = said.thought {
        let pieces = [
            json!({ "type": "thinking_delta", "thinking": thought }),
            json!({ "type": "signature_delta", "signature": thought }),
        ];
        blocks.push((json!({ "type": "thinking", "thinking": "", "signature": "" }), pieces.into()));
    }
    if !said.text.is_empty() {
        let pieces = halves(&said.text).map(|text| json!({ "type": "text_delta", "text": text }));
        blocks.push((json!({ "type": "text", "text": "" }), pieces.into()));
    }
    for (index, (name, arguments)) in said.calls.iter().enumerate() {
        let pieces = halves(arguments).map(|piece| json!({ "type": "input_json_delta", "partial_json": piece }));
        let block = json!({ "type": "tool_use", "id": format!("toolu_{index}"), "name": name, "input": {} });
        blocks.push((block, pieces.into()));
    }
    blocks
}

impl Dialect for Anthropic {
    fn answer(&self, said: &Said) -> Json {
        let mut calls = said.calls.iter();
        let content = blocks(said).into_iter().map(|(mut block, _)| {
            match block["type"].as_str() {
                Some("thinking") => {
                    (block["thinking"], block["signature"]) = (json!(said.thought), json!(said.thought));
                }
                Some("text") => block["text"] = json!(said.text),
                _ => block["input"] = Said::object(&calls.next().expect("a call").1),
            }
            block
        });
        json!({
            "id": "msg_canary", "type": "message", "role": "assistant", "model": "canary",
            "content": content.collect::<Json>(), "stop_reason": stop(said), "stop_sequence": null, "usage": usage(said),
        })
    }

    fn events(&self, said: &Said) -> Vec<Json> {
        let (mut begun, mut used) = (usage(said), usage(said));
        (begun["output_tokens"], used["cache_read_input_tokens"]) = (json!(1), json!(null));
        let message = json!({
            "id": "msg_canary", "type": "message", "role": "assistant", "model": "canary", "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": begun,
        });
        let mut events = vec![json!({ "type": "message_start", "message": message }), json!({ "type": "ping" })];
        for (index, (block, pieces)) in blocks(said).into_iter().enumerate() {
            events.push(json!({ "type": "content_block_start", "index": index, "content_block": block }));
            let piece = |delta| json!({ "type": "content_block_delta", "index": index, "delta": delta });
            events.extend(pieces.into_iter().map(piece));
            events.push(json!({ "type": "content_block_stop", "index": index }));
        }
        let delta = json!({ "stop_reason": stop(said), "stop_sequence": null });
        events.push(json!({ "type": "message_delta", "delta": delta, "usage": used }));
        events.push(json!({ "type": "message_stop" }));
        events
    }

    fn error(&self, _: u16, word: &str, message: &str) -> Json {
        json!({ "type": "error", "error": { "type": word, "message": message }, "request_id": "req_canary" })
    }

    fn looks(&self, _: &str, head: &str, request: &Json) -> Looks {
        let cached =
            request["system"][0]["cache_control"]["type"] == "ephemeral" && request["system"][1]["text"].is_string();
        Looks {
            posted: "post /v1/messages ".to_owned(),
            key: "x-api-key: ",
            tools: names(&request["tools"], |tool| &tool["name"]),
            schema: request["output_config"]["format"]["type"] == "json_schema",
            streamed: request["stream"] == true,
            brief: cached && head.contains("anthropic-version: 2023-06-01"),
            talk: request["messages"].clone(),
        }
    }
}
