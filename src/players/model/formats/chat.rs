//! Chat completions, as `OpenAI` began them and most servers speak them.
//!
//! What we write ourselves and the format fixes (messages of the referee, tools, calls, the schema of an answer) is made
//! of the types of `async-openai`: they cannot be misspelt. The frame of a request stays JSON, because servers disagree
//! about its fields and a profile adds its own. What a model said goes back as it came, and answers are read field by
//! field: those types know neither the signatures and thoughts that other servers want back, nor answers that leave out
//! what `OpenAI` never leaves out, such as the sum of the tokens.

#[cfg(test)]
mod tests;

use async_openai::types::chat::{
    ChatCompletionMessageToolCall, ChatCompletionMessageToolCalls, ChatCompletionRequestMessage,
    ChatCompletionRequestSystemMessage, ChatCompletionRequestToolMessage, ChatCompletionRequestUserMessage,
    ChatCompletionStreamOptions, ChatCompletionTool, ChatCompletionToolChoiceOption, ChatCompletionTools, FunctionCall,
    FunctionObject, ResponseFormat, ToolChoiceOptions,
};
use serde_json::{Map, Value as Json, json};

use super::{Format, Pieces, Progress, add_text, is_blank, number, strict_schema, tool_choice};
use crate::briefs::Tool;
use crate::players::model::conversation::{Form, Message, Request, arguments, cut};
use crate::players::model::failure::{Failure, FailureKind};
use crate::players::model::fault::{Finish, Rejected, Reported};
use crate::players::model::reply::{Reply, ToolCall, Usage};
use crate::players::profile::{Profile, Thinking, ToolChoice};

/// Chat Completions, which many servers speak: `POST /chat/completions`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chat;

impl Format for Chat {
    fn path(&self, _: &Profile) -> String {
        "/chat/completions".to_owned()
    }

    fn body(&self, request: &Request<'_>) -> Json {
        let profile = request.profile;
        let messages: Vec<Json> = request.messages.iter().map(message).collect();
        let mut body = json!({ "model": profile.model, "messages": messages });
        body[profile.max_tokens_field.name()] = json!(request.max_tokens);
        if let Some(temperature) = profile.temperature {
            body["temperature"] = json!(temperature);
        }
        if let Some(seed) = profile.seed {
            body["seed"] = json!(seed);
        }
        if let Some(effort) = &profile.reasoning_effort {
            body["reasoning_effort"] = json!(effort);
        }
        match profile.thinking {
            // Not of the format itself, but what DeepSeek, GLM, Kimi and gateways have agreed on.
            Some(Thinking::Off) => body["thinking"] = json!({ "type": "disabled" }),
            Some(Thinking::On) => body["thinking"] = json!({ "type": "enabled" }),
            Some(Thinking::Tokens(tokens)) => {
                body["thinking"] = json!({ "type": "enabled", "budget_tokens": tokens });
            }
            None => {}
        }
        if profile.stream {
            body["stream"] = json!(true);
            let options = ChatCompletionStreamOptions { include_usage: Some(true), ..Default::default() };
            body["stream_options"] = json!(options);
        }
        match request.form {
            Form::Tools(tools) => {
                body["tools"] = tools.iter().map(|offered| json!(tool(offered))).collect();
                let (must, may) = (ToolChoiceOptions::Required, ToolChoiceOptions::Auto);
                if let Some(choice) = tool_choice(profile, ToolChoice::Required, must, may) {
                    body["tool_choice"] = json!(ChatCompletionToolChoiceOption::Mode(choice));
                }
            }
            Form::Json(schema) => {
                body["response_format"] = json!(ResponseFormat::JsonSchema { json_schema: strict_schema(schema) });
            }
            Form::Text => {}
        }
        body
    }

    fn reply(&self, answer: &Json) -> Result<Reply, Failure> {
        let choice = &answer["choices"][0];
        let message = &choice["message"];
        if !message.is_object() {
            return Err(Failure::body("JSON without `choices[0].message`", &answer.to_string()));
        }
        let reason = choice["finish_reason"].as_str().unwrap_or("");
        let finish = Finish::of(reason);
        if finish == Finish::Failed {
            return Err(Failure::new(FailureKind::Reported, format!("it stopped with `finish_reason` \"{reason}\"")));
        }
        let content = content(&message["content"]);
        let rejected =
            (finish == Finish::BadCall).then(|| Rejected { text: content.clone(), words: reason.to_owned() });
        let refusal = message["refusal"].as_str().filter(|text| !text.trim().is_empty());
        let declined = refusal.or_else(|| (finish == Finish::Declined).then_some(reason));
        let calls = message["tool_calls"].as_array().into_iter().flatten().enumerate();
        Ok(Reply {
            id: answer["id"].as_str().map(str::to_owned),
            model: answer["model"].as_str().unwrap_or("").to_owned(),
            content,
            declined: declined.map(str::to_owned),
            truncated: finish == Finish::Truncated,
            rejected,
            calls: calls.map(|(index, call)| tool_call(call, index)).collect(),
            usage: answer.get("usage").filter(|usage| usage.is_object()).map(usage),
            received: message.clone(),
            ..Reply::default()
        })
    }

    fn pieces(&self) -> Box<dyn Pieces> {
        Box::<Chunks>::default()
    }
}

fn tool(tool: &Tool) -> ChatCompletionTools {
    let function = FunctionObject {
        name: tool.name.to_owned(),
        description: Some(tool.description.clone()),
        parameters: Some(tool.input_schema.clone()),
        strict: None,
    };
    ChatCompletionTools::Function(ChatCompletionTool { function })
}

fn message(message: &Message) -> Json {
    let ours = match message {
        Message::System(system) => ChatCompletionRequestSystemMessage::from(system.whole()).into(),
        Message::User(text) => ChatCompletionRequestUserMessage::from(text.as_str()).into(),
        Message::Tool { id, text } => ChatCompletionRequestMessage::Tool(ChatCompletionRequestToolMessage {
            tool_call_id: id.clone(),
            content: text.as_str().into(),
        }),
        Message::Assistant { content, calls, received } => return said(content, calls, received.as_ref()),
    };
    json!(ours)
}

/// What the model said, as it came: some servers refuse the next request without the reasoning or the signatures of this
/// one. Only its calls are made sure to be readable.
fn said(content: &str, calls: &[ToolCall], received: Option<&Json>) -> Json {
    let mut message = Map::new();
    let fields = received.and_then(Json::as_object).into_iter().flatten();
    // What says nothing is left out: not every server takes back all that it sends.
    let says = |value: &Json| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
    message.extend(fields.filter(|(_, value)| says(value)).map(|(name, value)| (name.clone(), value.clone())));
    message.insert("role".to_owned(), json!("assistant"));
    // In parts there may be thoughts that belong to it. Blanks say nothing, and not every server takes them back.
    if let Some(Json::Array(mut parts)) = message.remove("content") {
        parts.retain(|part| !is_text(part) || !part["text"].as_str().is_some_and(is_blank));
        if !parts.is_empty() {
            message.insert("content".to_owned(), Json::Array(parts));
        }
    }
    if !is_blank(content) && !message.contains_key("content") {
        message.insert("content".to_owned(), json!(cut(content)));
    }
    let as_received = message.remove("tool_calls");
    if !calls.is_empty() {
        let calls = calls.iter().enumerate().map(|(index, call)| {
            let received = as_received.as_ref().and_then(|calls| calls[index].as_object());
            let function = FunctionCall { name: call.name.clone(), arguments: arguments(call).to_owned() };
            let readable = ChatCompletionMessageToolCall { id: call.id.clone(), function };
            let mut whole = json!(ChatCompletionMessageToolCalls::Function(readable));
            for (name, value) in received.into_iter().flatten() {
                if whole.get(name).is_none() {
                    whole[name] = value.clone();
                }
            }
            whole
        });
        message.insert("tool_calls".to_owned(), calls.collect());
    }
    Json::Object(message)
}

fn tool_call(call: &Json, index: usize) -> ToolCall {
    let function = &call["function"];
    let arguments = match &function["arguments"] {
        Json::String(text) => text.clone(),
        Json::Null => String::new(),
        other => other.to_string(),
    };
    ToolCall::new(&call["id"], index, &function["name"], arguments)
}

fn usage(usage: &Json) -> Usage {
    let details = &usage["prompt_tokens_details"];
    let first = |places: &[&Json]| places.iter().map(|place| number(place)).find(|tokens| *tokens > 0).unwrap_or(0);
    Usage {
        input: number(&usage["prompt_tokens"]),
        // OpenAI's word for it, DeepSeek's, and that of gateways which hand on what Anthropic said.
        cached: first(&[
            &details["cached_tokens"],
            &usage["prompt_cache_hit_tokens"],
            &usage["cache_read_input_tokens"],
        ]),
        cache_written: first(&[
            &details["cache_write_tokens"],
            &details["cache_creation_tokens"],
            &usage["cache_creation_input_tokens"],
        ]),
        output: number(&usage["completion_tokens"]),
        reasoning: number(&usage["completion_tokens_details"]["reasoning_tokens"]),
    }
}

/// A text, or the texts of its parts.
fn content(content: &Json) -> String {
    match content {
        Json::String(text) => text.clone(),
        // Thoughts come as parts of another type. Parts without one between them may be pieces of one text.
        Json::Array(parts) => {
            let mut whole = String::new();
            for texts in parts.split(|part| !is_text(part)) {
                let text: String = texts.iter().filter_map(|part| part["text"].as_str()).collect();
                add_text(&mut whole, &text);
            }
            whole
        }
        _ => String::new(),
    }
}

/// Whether a part of a content is said, and no thought.
fn is_text(part: &Json) -> bool {
    matches!(part["type"].as_str(), None | Some("text" | "output_text"))
}

/// An answer as far as it has come.
#[derive(Debug, Default)]
struct Chunks {
    /// What all chunks have in common: the model, the answer's own name.
    frame: Map<String, Json>,
    /// The fields of the message but its calls.
    message: Map<String, Json>,
    calls: Vec<Call>,
    finish: Option<String>,
    usage: Option<Json>,
    /// The body of an error that is the model's own.
    rejected: Option<Json>,
}

#[derive(Debug, Default)]
struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    /// What only the server understands, like Gemini's signatures.
    rest: Map<String, Json>,
}

impl Pieces for Chunks {
    fn take(&mut self, chunk: &Json) -> Result<Progress, Failure> {
        if let Some(failure) = Failure::dressed_up(chunk) {
            return Err(failure);
        }
        if Reported::in_body(chunk).is_some() {
            self.rejected = Some(chunk.clone());
        }
        for name in ["id", "model", "created", "system_fingerprint"] {
            if let Some(value) = chunk.get(name).filter(|value| !value.is_null() && !self.frame.contains_key(name)) {
                self.frame.insert(name.to_owned(), value.clone());
            }
        }
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.usage = Some(usage.clone());
        }
        let choice = &chunk["choices"][0];
        let grown = self.delta(&choice["delta"]);
        if let Some(finish) = choice["finish_reason"].as_str() {
            self.finish = Some(finish.to_owned());
        }
        Ok(if grown { Progress::Words } else { Progress::Frame })
    }

    fn whole(self: Box<Self>) -> Result<Json, Failure> {
        if let Some(error) = self.rejected {
            return Ok(error);
        }
        if self.finish.is_none() {
            return Err(Failure::new(FailureKind::Dropped, "the stream ended in the middle of the answer"));
        }
        let mut message = self.message;
        message.insert("role".to_owned(), json!("assistant"));
        let calls = self.calls.into_iter().map(|Call { id, name, arguments, rest, .. }| {
            let mut call = Json::Object(rest);
            call["id"] = json!(id);
            call["type"] = json!("function");
            call["function"] = json!({ "name": name, "arguments": arguments });
            call
        });
        let calls: Vec<Json> = calls.collect();
        if !calls.is_empty() {
            message.insert("tool_calls".to_owned(), json!(calls));
        }
        let mut body = self.frame;
        body.insert("object".to_owned(), json!("chat.completion"));
        body.insert("choices".to_owned(), json!([{ "index": 0, "message": message, "finish_reason": self.finish }]));
        if let Some(usage) = self.usage {
            body.insert("usage".to_owned(), usage);
        }
        Ok(Json::Object(body))
    }
}

impl Chunks {
    /// Takes what is new of the message, and says whether anything of it was the model's.
    fn delta(&mut self, delta: &Json) -> bool {
        let mut grown = false;
        for (name, value) in delta.as_object().into_iter().flatten() {
            match (name.as_str(), value) {
                ("role", _) | (_, Json::Null) => {}
                ("tool_calls", calls) => {
                    for call in calls.as_array().into_iter().flatten() {
                        grown = true;
                        self.call(call);
                    }
                }
                (_, Json::String(text)) if text.is_empty() => {}
                _ => {
                    grown = true;
                    grow(&mut self.message, name, value);
                }
            }
        }
        grown
    }

    /// A piece of a tool call. Pieces belong together by their index; some servers leave it out, and some give every call
    /// the same one, but each its own name.
    fn call(&mut self, piece: &Json) {
        let index = piece["index"].as_u64();
        let id = piece["id"].as_str().unwrap_or("");
        let (name, arguments) = (&piece["function"]["name"], &piece["function"]["arguments"]);
        let is_new = |call: &Call| !id.is_empty() && !call.id.is_empty() && call.id != id;
        let known = match index {
            Some(_) => self.calls.iter().rposition(|call| call.index == index),
            None => self.calls.len().checked_sub(1),
        };
        let at = known.filter(|at| !is_new(&self.calls[*at])).unwrap_or_else(|| {
            self.calls.push(Call { index, ..Call::default() });
            self.calls.len() - 1
        });
        let call = &mut self.calls[at];
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        if let Some(name) = name.as_str().filter(|_| call.name.is_empty()) {
            name.clone_into(&mut call.name);
        }
        match arguments {
            Json::String(text) => call.arguments.push_str(text),
            Json::Null => {}
            other => call.arguments.push_str(&other.to_string()),
        }
        let known = |name: &str| matches!(name, "index" | "id" | "type" | "function");
        for (name, value) in piece.as_object().into_iter().flatten().filter(|(name, _)| !known(name)) {
            grow(&mut call.rest, name, value);
        }
    }
}

/// The fields that come in pieces of a text.
const TEXTS: [&str; 7] = ["content", "refusal", "reasoning_content", "reasoning", "text", "summary", "data"];

/// Adds what is new of a field: such texts and lists grow, in tables each field does, and anything else is replaced.
fn grow(fields: &mut Map<String, Json>, name: &str, new: &Json) {
    match (fields.get_mut(name), new) {
        (_, Json::Null) => {}
        (Some(Json::String(whole)), Json::String(more)) if TEXTS.contains(&name) => whole.push_str(more),
        (Some(Json::Object(whole)), Json::Object(more)) => {
            for (name, value) in more {
                grow(whole, name, value);
            }
        }
        (Some(Json::Array(whole)), Json::Array(more)) => more.iter().for_each(|item| append(whole, item)),
        (None, Json::Array(items)) => {
            let mut whole = Vec::new();
            for item in items {
                append(&mut whole, item);
            }
            fields.insert(name.to_owned(), Json::Array(whole));
        }
        (_, new) => drop(fields.insert(name.to_owned(), new.clone())),
    }
}

/// Adds an item to a list. One of the same kind and number as the last goes on with it, like the pieces of a thought in
/// `reasoning_details`.
fn append(list: &mut Vec<Json>, item: &Json) {
    let goes_on = |last: &Json| {
        let same = |name: &str| last.get(name) == item.get(name);
        item.get("type").is_some() && item.get("index").is_some() && same("type") && same("index")
    };
    let Some(last) = list.last_mut().filter(|last| goes_on(last)).and_then(Json::as_object_mut) else {
        return list.push(item.clone());
    };
    for (name, value) in item.as_object().into_iter().flatten() {
        grow(last, name, value);
    }
}
