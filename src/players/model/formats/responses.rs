//! The Responses API of `OpenAI`. Nothing is stored there: reasoning comes back encrypted, and goes back with the next
//! request of the turn.
//!
//! As in `chat`, what we write and the format fixes is made of the types of `async-openai`; what a model said goes back as
//! it came, and answers are read field by field.

#[cfg(test)]
mod tests;

use async_openai::types::responses::{
    FunctionCallOutput, FunctionCallOutputItemParam, FunctionTool, FunctionToolCall, IncludeEnum, Item,
    ResponseTextParam, TextResponseFormatConfiguration, Tool as OfferedTool, ToolChoiceOptions, ToolChoiceParam,
};
use serde_json::{Value as Json, json};

use super::{Format, Pieces, Progress, add_text, is_blank, number, strict_schema, tool_choice, without_nulls};
use crate::briefs::Tool;
use crate::players::model::conversation::{Form, Message, Request, arguments, cut};
use crate::players::model::failure::{Failure, FailureKind};
use crate::players::model::fault::{Finish, Reported};
use crate::players::model::reply::{Reply, ToolCall, Usage};
use crate::players::profile::{Profile, Thinking, ToolChoice};

/// The Responses API: `POST /responses`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Responses;

impl Format for Responses {
    fn path(&self, _: &Profile) -> String {
        "/responses".to_owned()
    }

    fn body(&self, request: &Request<'_>) -> Json {
        let profile = request.profile;
        let input: Vec<Json> = request.messages.iter().flat_map(items).collect();
        let mut body = json!({
            "model": profile.model, "input": input, "max_output_tokens": request.max_tokens, "store": false,
        });
        if let Some(Message::System(system)) = request.messages.first() {
            body["instructions"] = json!(system.whole());
        }
        // A model that does not think refuses to be asked for its thoughts.
        if profile.thinking != Some(Thinking::Off) {
            body["include"] = json!([IncludeEnum::ReasoningEncryptedContent]);
        }
        if let Some(effort) = &profile.reasoning_effort {
            body["reasoning"] = json!({ "effort": effort });
        }
        if let Some(temperature) = profile.temperature {
            body["temperature"] = json!(temperature);
        }
        if profile.stream {
            body["stream"] = json!(true);
        }
        match request.form {
            Form::Tools(tools) => {
                body["tools"] = tools.iter().map(|offered| json!(tool(offered))).collect();
                let (must, may) = (ToolChoiceOptions::Required, ToolChoiceOptions::Auto);
                if let Some(choice) = tool_choice(profile, ToolChoice::Required, must, may) {
                    body["tool_choice"] = json!(ToolChoiceParam::Option(choice));
                }
            }
            Form::Json(schema) => {
                let format = TextResponseFormatConfiguration::JsonSchema(strict_schema(schema));
                body["text"] = json!(ResponseTextParam { format, verbosity: None });
            }
            Form::Text => {}
        }
        body
    }

    fn reply(&self, answer: &Json) -> Result<Reply, Failure> {
        let Some(output) = answer["output"].as_array() else {
            return Err(Failure::body("JSON without `output`", &answer.to_string()));
        };
        if let Some(status @ ("failed" | "cancelled")) = answer["status"].as_str() {
            return Err(Failure::new(FailureKind::Reported, format!("it stopped with `status` \"{status}\"")));
        }
        let mut reply = Reply {
            id: answer["id"].as_str().map(str::to_owned),
            model: answer["model"].as_str().unwrap_or("").to_owned(),
            usage: answer.get("usage").filter(|usage| usage.is_object()).map(usage),
            received: Json::Array(output.clone()),
            ..Reply::default()
        };
        for item in output {
            match item["type"].as_str() {
                Some("message") => {
                    for part in item["content"].as_array().into_iter().flatten() {
                        match part["type"].as_str() {
                            Some("output_text") => add_text(&mut reply.content, part["text"].as_str().unwrap_or("")),
                            Some("refusal") => reply.declined = part["refusal"].as_str().map(str::to_owned),
                            _ => {}
                        }
                    }
                }
                Some("function_call") => {
                    let arguments = item["arguments"].as_str().unwrap_or("").to_owned();
                    reply.calls.push(ToolCall::new(&item["call_id"], reply.calls.len(), &item["name"], arguments));
                }
                // Thoughts, and whatever else is there.
                _ => {}
            }
        }
        if answer["status"] == "incomplete" {
            let reason = answer["incomplete_details"]["reason"].as_str().unwrap_or("");
            match Finish::of(reason) {
                Finish::Declined => reply.declined = Some(reason.to_owned()),
                _ => reply.truncated = true,
            }
        }
        Ok(reply)
    }

    fn pieces(&self) -> Box<dyn Pieces> {
        Box::<Events>::default()
    }
}

fn tool(tool: &Tool) -> OfferedTool {
    OfferedTool::Function(FunctionTool {
        name: tool.name.to_owned(),
        description: Some(tool.description.clone()),
        parameters: Some(tool.input_schema.clone()),
        // By default fields that may be left out are made into ones that may not.
        strict: Some(false),
        ..FunctionTool::default()
    })
}

/// A message as the items that it is here. The first message of a turn is the instructions.
fn items(message: &Message) -> Vec<Json> {
    match message {
        Message::System(_) => Vec::new(),
        Message::User(text) => vec![json!({ "role": "user", "content": text })],
        Message::Tool { id, text } => vec![json!(Item::FunctionCallOutput(FunctionCallOutputItemParam {
            call_id: Some(id.clone()),
            output: FunctionCallOutput::Text(text.clone()),
            id: None,
            status: None,
            name: None,
            namespace: None,
            caller: None,
        }))],
        Message::Assistant { calls, received: Some(Json::Array(items)), .. } => {
            let mut calls = calls.iter();
            let mut back: Vec<Json> = items.iter().filter(|item| !is_kept_there(item)).map(without_nulls).collect();
            if back.len() < items.len() {
                // By their names the server would look for the thoughts that belong to them.
                back.iter_mut().filter_map(Json::as_object_mut).for_each(|item| {
                    if item.get("type").is_some_and(|kind| kind != "reasoning") {
                        item.remove("id");
                    }
                });
            }
            for item in back.iter_mut().filter(|item| item["type"] == "function_call") {
                if let Some(call) = calls.next() {
                    (item["call_id"], item["arguments"]) = (json!(call.id), json!(arguments(call)));
                }
            }
            back
        }
        Message::Assistant { content, calls, .. } => {
            let text = (!is_blank(content)).then(|| json!({ "role": "assistant", "content": cut(content) }));
            let calls = calls.iter().map(|call| {
                json!(Item::FunctionCall(FunctionToolCall {
                    call_id: call.id.clone(),
                    name: call.name.clone(),
                    arguments: arguments(call).to_owned(),
                    ..FunctionToolCall::default()
                }))
            });
            text.into_iter().chain(calls).collect()
        }
    }
}

/// Whether an item is the mere name of a thought that only the server could have kept, and with `store: false` has not:
/// whoever sends it back is told that there is none of this name.
fn is_kept_there(item: &Json) -> bool {
    let is_empty = |value: &Json| match value {
        Json::Null => true,
        Json::String(text) => text.is_empty(),
        Json::Array(parts) => parts.is_empty(),
        _ => false,
    };
    item["type"] == "reasoning" && is_empty(&item["encrypted_content"]) && is_empty(&item["content"])
}

fn usage(usage: &Json) -> Usage {
    Usage {
        input: number(&usage["input_tokens"]),
        cached: number(&usage["input_tokens_details"]["cached_tokens"]),
        cache_written: number(&usage["input_tokens_details"]["cache_write_tokens"]),
        output: number(&usage["output_tokens"]),
        reasoning: number(&usage["output_tokens_details"]["reasoning_tokens"]),
    }
}

/// The last event has the whole answer.
#[derive(Debug, Default)]
struct Events {
    /// Items that are done. Some servers leave them out of the last event.
    items: Vec<Json>,
    whole: Option<Json>,
}

impl Pieces for Events {
    fn take(&mut self, event: &Json) -> Result<Progress, Failure> {
        if let Some(error) = Reported::in_body(event) {
            if !error.is_the_players() {
                return Err(Failure::reported(&error));
            }
            self.whole = Some(error.into_body());
            return Ok(Progress::End);
        }
        let kind = event["type"].as_str().unwrap_or("");
        match kind {
            "error" => Err(Failure::reported(&Reported::in_event(event))),
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.whole = Some(event["response"].clone());
                Ok(Progress::End)
            }
            "response.output_item.done" => {
                self.items.push(event["item"].clone());
                Ok(Progress::Frame)
            }
            _ if kind.rsplit('.').next() == Some("delta") => Ok(Progress::Words),
            _ => Ok(Progress::Frame),
        }
    }

    fn whole(self: Box<Self>) -> Result<Json, Failure> {
        let dropped = || Failure::new(FailureKind::Dropped, "the stream ended in the middle of the answer");
        let mut whole = self.whole.filter(Json::is_object).ok_or_else(dropped)?;
        if whole["output"].as_array().is_none_or(Vec::is_empty) && !self.items.is_empty() {
            whole["output"] = Json::Array(self.items);
        }
        Ok(whole)
    }
}
