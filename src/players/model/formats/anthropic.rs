//! The Messages API of Anthropic.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value as Json, json};

use super::{Format, Pieces, Progress, add_text, is_blank, number, tool_choice};
use crate::players::model::answer::Once;
use crate::players::model::conversation::{Form, Message, Request, argument_fields, cut};
use crate::players::model::failure::{Failure, FailureKind};
use crate::players::model::fault::{Finish, Reported};
use crate::players::model::reply::{Reply, ToolCall, Usage};
use crate::players::profile::{Profile, Thinking, ToolChoice};

/// Anthropic's Messages API: `POST /messages`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anthropic;

impl Format for Anthropic {
    fn path(&self, _: &Profile) -> String {
        "/messages".to_owned()
    }

    fn models_path(&self) -> &'static str {
        "/models?limit=1000"
    }

    fn key_header(&self) -> (&'static str, &'static str) {
        ("x-api-key", "")
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("anthropic-version", "2023-06-01")]
    }

    fn body(&self, request: &Request<'_>) -> Json {
        let profile = request.profile;
        let mut body = json!({
            "model": profile.model, "messages": messages(request.messages), "max_tokens": request.max_tokens,
        });
        if let Some(Message::System(system)) = request.messages.first() {
            // Tools and rules are the same in every request of every seat: all up to here is read from the cache.
            let texts = system.parts();
            let mut blocks: Vec<Json> = texts.iter().map(|text| json!({ "type": "text", "text": text })).collect();
            if let Some(first) = blocks.first_mut() {
                first["cache_control"] = json!({ "type": "ephemeral" });
            }
            body["system"] = json!(blocks);
        }
        if let Some(temperature) = profile.temperature {
            body["temperature"] = json!(temperature);
        }
        match profile.thinking {
            Some(Thinking::Off) => body["thinking"] = json!({ "type": "disabled" }),
            Some(Thinking::On) => body["thinking"] = json!({ "type": "adaptive" }),
            Some(Thinking::Tokens(tokens)) => {
                body["thinking"] = json!({ "type": "enabled", "budget_tokens": tokens });
            }
            None => {}
        }
        if let Some(effort) = &profile.reasoning_effort {
            body["output_config"]["effort"] = json!(effort);
        }
        if profile.stream {
            body["stream"] = json!(true);
        }
        match request.form {
            Form::Tools(tools) => {
                let tools = tools.iter().map(|tool| {
                    json!({ "name": tool.name, "description": tool.description, "input_schema": tool.input_schema })
                });
                body["tools"] = tools.collect();
                // Whoever thinks cannot be made to call a tool.
                let thinks = matches!(profile.thinking, Some(Thinking::On | Thinking::Tokens(_)));
                let default = if thinks { ToolChoice::Auto } else { ToolChoice::Required };
                if let Some(choice) = tool_choice(profile, default, "any", "auto") {
                    body["tool_choice"] = json!({ "type": choice });
                }
            }
            Form::Json(schema) => {
                body["output_config"]["format"] = json!({ "type": "json_schema", "schema": schema });
            }
            Form::Text => {}
        }
        body
    }

    fn reply(&self, answer: &Json) -> Result<Reply, Failure> {
        let Some(content) = answer["content"].as_array() else {
            return Err(Failure::body("JSON without `content`", &answer.to_string()));
        };
        let stop = answer["stop_reason"].as_str().unwrap_or("");
        if stop == "model_context_window_exceeded" {
            return Err(Failure::new(FailureKind::TooLong, "the answer did not fit behind the prompt"));
        }
        let finish = Finish::of(stop);
        let mut reply = Reply {
            id: answer["id"].as_str().map(str::to_owned),
            model: answer["model"].as_str().unwrap_or("").to_owned(),
            declined: (finish == Finish::Declined).then(|| stop.to_owned()),
            truncated: finish == Finish::Truncated,
            paused: stop == "pause_turn",
            usage: answer.get("usage").filter(|usage| usage.is_object()).map(usage),
            received: Json::Array(content.clone()),
            ..Reply::default()
        };
        for block in content {
            match block["type"].as_str() {
                Some("text") => add_text(&mut reply.content, block["text"].as_str().unwrap_or("")),
                Some("tool_use") => {
                    let input = match &block["input"] {
                        // A call that came in pieces and is no JSON.
                        Json::String(text) => text.clone(),
                        Json::Null => String::new(),
                        input => input.to_string(),
                    };
                    reply.calls.push(ToolCall::new(&block["id"], reply.calls.len(), &block["name"], input));
                }
                // Thoughts, and whatever else is there.
                _ => {}
            }
        }
        Ok(reply)
    }

    fn pieces(&self) -> Box<dyn Pieces> {
        Box::<Events>::default()
    }
}

/// The messages but the first, which is the system's. What one side says in a row is one message.
fn messages(messages: &[Message]) -> Vec<Json> {
    let mut talk: Vec<(&str, Vec<Json>)> = Vec::new();
    for message in messages {
        let (role, blocks) = match message {
            Message::System(_) => continue,
            Message::User(text) => ("user", vec![json!({ "type": "text", "text": text })]),
            Message::Tool { id, text } => {
                ("user", vec![json!({ "type": "tool_result", "tool_use_id": id, "content": text })])
            }
            Message::Assistant { content, calls, received } => ("assistant", said(content, calls, received.as_ref())),
        };
        if blocks.is_empty() {
            continue;
        }
        match talk.last_mut() {
            Some((last, before)) if *last == role => before.extend(blocks),
            _ => talk.push((role, blocks)),
        }
    }
    talk.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

/// What the model said, as it came: thoughts are signed, and a call is refused without its own. A text of nothing but
/// blanks is refused, though it was sent to us.
fn said(content: &str, calls: &[ToolCall], received: Option<&Json>) -> Vec<Json> {
    let is_empty = |block: &Json| block["type"] == "text" && block["text"].as_str().is_some_and(is_blank);
    if let Some(Json::Array(blocks)) = received {
        let mut calls = calls.iter();
        let mut back: Vec<Json> = blocks.iter().filter(|block| !is_empty(block)).cloned().collect();
        for block in back.iter_mut().filter(|block| block["type"] == "tool_use") {
            if let Some(call) = calls.next() {
                block["id"] = json!(call.id);
            }
            if !block["input"].is_object() {
                block["input"] = json!({});
            }
        }
        return back;
    }
    let text = (!is_blank(content)).then(|| json!({ "type": "text", "text": cut(content) }));
    let calls = calls
        .iter()
        .map(|call| json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": argument_fields(call) }));
    text.into_iter().chain(calls).collect()
}

/// What is read from the cache, or written to it, is counted apart.
fn usage(usage: &Json) -> Usage {
    let cached = number(&usage["cache_read_input_tokens"]);
    let written = number(&usage["cache_creation_input_tokens"]);
    Usage {
        input: number(&usage["input_tokens"]).saturating_add(cached).saturating_add(written),
        cached,
        cache_written: written,
        output: number(&usage["output_tokens"]),
        reasoning: number(&usage["output_tokens_details"]["thinking_tokens"]),
    }
}

/// A message as far as it has come.
#[derive(Debug, Default)]
struct Events {
    message: Map<String, Json>,
    /// By their index; and the input of those that are calls, as text.
    blocks: Vec<(Json, String)>,
    stopped: bool,
}

impl Pieces for Events {
    fn take(&mut self, event: &Json) -> Result<Progress, Failure> {
        if let Some(error) = Reported::in_body(event) {
            if !error.is_the_players() {
                return Err(Failure::reported(&error));
            }
            self.message = error.into_body().as_object().cloned().unwrap_or_default();
            self.stopped = true;
            return Ok(Progress::End);
        }
        match event["type"].as_str().unwrap_or("") {
            "error" => Err(Failure::reported(&Reported::in_event(&event["error"]))),
            "message_start" => {
                self.message = event["message"].as_object().cloned().unwrap_or_default();
                Ok(Progress::Frame)
            }
            "content_block_start" => {
                self.blocks.push((event["content_block"].clone(), String::new()));
                Ok(Progress::Frame)
            }
            "content_block_delta" => {
                let index = event["index"].as_u64().and_then(|index| usize::try_from(index).ok());
                if let Some((block, input)) = index.and_then(|index| self.blocks.get_mut(index)) {
                    delta(block, input, &event["delta"]);
                }
                Ok(Progress::Words)
            }
            "message_delta" => {
                for (name, value) in event["delta"].as_object().into_iter().flatten() {
                    self.message.insert(name.clone(), value.clone());
                }
                // What is counted anew stands here, the rest in the first event.
                let usage = self.message.entry("usage").or_insert_with(|| json!({}));
                for (name, value) in event["usage"].as_object().into_iter().flatten().filter(|(_, new)| !new.is_null())
                {
                    usage[name] = value.clone();
                }
                Ok(Progress::Frame)
            }
            "message_stop" => {
                self.stopped = true;
                Ok(Progress::End)
            }
            // Pings, and what there may be in years to come.
            _ => Ok(Progress::Frame),
        }
    }

    fn whole(self: Box<Self>) -> Result<Json, Failure> {
        if !self.stopped {
            return Err(Failure::new(FailureKind::Dropped, "the stream ended in the middle of the answer"));
        }
        let mut message = self.message;
        let blocks = self.blocks.into_iter().map(|(mut block, input)| {
            if !input.is_empty() {
                // What gives a key twice stays as it was written: nothing may be chosen for the model.
                block["input"] = serde_json::from_str(&input).map_or(Json::String(input), |Once(fields)| fields.into());
            }
            block
        });
        message.insert("content".to_owned(), blocks.collect());
        Ok(Json::Object(message))
    }
}

/// Adds a piece to a block.
fn delta(block: &mut Json, input: &mut String, delta: &Json) {
    let (field, piece) = match delta["type"].as_str() {
        Some("input_json_delta") => {
            input.push_str(delta["partial_json"].as_str().unwrap_or(""));
            return;
        }
        Some("text_delta") => ("text", &delta["text"]),
        Some("thinking_delta") => ("thinking", &delta["thinking"]),
        Some("signature_delta") => ("signature", &delta["signature"]),
        _ => return,
    };
    let Some(block) = block.as_object_mut() else { return };
    match block.get_mut(field) {
        Some(Json::String(whole)) => whole.push_str(piece.as_str().unwrap_or("")),
        _ => drop(block.insert(field.to_owned(), piece.clone())),
    }
}
