//! `generateContent` of Google's Gemini.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value as Json, json};

use super::{Format, Pieces, Progress, add_text, number, tool_choice};
use crate::players::model::conversation::{Form, Message, Request, argument_fields, cut};
use crate::players::model::failure::{Failure, FailureKind};
use crate::players::model::fault::{Finish, Rejected};
use crate::players::model::reply::{Reply, ToolCall, Usage};
use crate::players::profile::{Profile, Thinking, ToolChoice};

/// Google's Gemini API: `POST /models/MODEL:generateContent`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gemini;

impl Format for Gemini {
    fn path(&self, profile: &Profile) -> String {
        let model = profile.model.strip_prefix("models/").unwrap_or(&profile.model);
        let ending = if profile.stream { "streamGenerateContent?alt=sse" } else { "generateContent" };
        format!("/models/{model}:{ending}")
    }

    fn models_path(&self) -> &'static str {
        "/models?pageSize=1000"
    }

    fn models<'a>(&self, list: &'a Json) -> Vec<&'a str> {
        let names = list["models"].as_array().into_iter().flatten().filter_map(|model| model["name"].as_str());
        names.map(|name| name.strip_prefix("models/").unwrap_or(name)).collect()
    }

    fn key_header(&self) -> (&'static str, &'static str) {
        ("x-goog-api-key", "")
    }

    fn operation(&self) -> &'static str {
        "generate_content"
    }

    fn body(&self, request: &Request<'_>) -> Json {
        let profile = request.profile;
        let mut body = json!({ "contents": contents(request.messages) });
        if let Some(Message::System(system)) = request.messages.first() {
            body["systemInstruction"] = json!({ "parts": [{ "text": system.whole() }] });
        }
        let mut config = json!({ "maxOutputTokens": request.max_tokens });
        if let Some(temperature) = profile.temperature {
            config["temperature"] = json!(temperature);
        }
        if let Some(seed) = profile.seed {
            config["seed"] = json!(seed);
        }
        match profile.thinking {
            Some(Thinking::Off) => config["thinkingConfig"]["thinkingBudget"] = json!(0),
            Some(Thinking::On) => config["thinkingConfig"]["thinkingBudget"] = json!(-1),
            Some(Thinking::Tokens(tokens)) => config["thinkingConfig"]["thinkingBudget"] = json!(tokens),
            None => {}
        }
        if let Some(effort) = &profile.reasoning_effort {
            config["thinkingConfig"]["thinkingLevel"] = json!(effort);
        }
        match request.form {
            Form::Tools(tools) => {
                let tools = tools.iter().map(|tool| {
                    json!({
                        "name": tool.name, "description": tool.description, "parametersJsonSchema": tool.input_schema,
                    })
                });
                body["tools"] = json!([{ "functionDeclarations": tools.collect::<Json>() }]);
                if let Some(mode) = tool_choice(profile, ToolChoice::Required, "ANY", "AUTO") {
                    body["toolConfig"] = json!({ "functionCallingConfig": { "mode": mode } });
                }
            }
            Form::Json(schema) => {
                config["responseMimeType"] = json!("application/json");
                config["responseJsonSchema"] = schema.clone();
            }
            Form::Text => {}
        }
        body["generationConfig"] = config;
        body
    }

    fn reply(&self, answer: &Json) -> Result<Reply, Failure> {
        let candidate = &answer["candidates"][0];
        if !candidate.is_object() {
            let blocked = answer["promptFeedback"]["blockReason"].as_str();
            let failure = blocked.map(|why| Failure::new(FailureKind::Filtered, why));
            return Err(failure.unwrap_or_else(|| Failure::body("JSON without `candidates[0]`", &answer.to_string())));
        }
        let content = &candidate["content"];
        let mut reply = Reply {
            id: answer["responseId"].as_str().map(str::to_owned),
            model: answer["modelVersion"].as_str().unwrap_or("").to_owned(),
            usage: answer.get("usageMetadata").filter(|usage| usage.is_object()).map(usage),
            received: content.clone(),
            ..Reply::default()
        };
        let said = |part: &Json| part["text"].is_string() && part["thought"] != true;
        // Parts without a thought or a call between them may be pieces of one text.
        for parts in content["parts"].as_array().into_iter().flat_map(|parts| parts.split(|part| !said(part))) {
            let text: String = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            add_text(&mut reply.content, &text);
        }
        for part in content["parts"].as_array().into_iter().flatten() {
            if let Some(call) = part.get("functionCall").filter(|call| call.is_object()) {
                let arguments = if call["args"].is_null() { "{}".to_owned() } else { call["args"].to_string() };
                reply.calls.push(ToolCall::new(&call["id"], reply.calls.len(), &call["name"], arguments));
            }
        }
        let finish = candidate["finishReason"].as_str().unwrap_or("");
        let words = candidate["finishMessage"].as_str().unwrap_or(finish).to_owned();
        match Finish::of(finish) {
            Finish::Done => {}
            Finish::Truncated => reply.truncated = true,
            Finish::Declined => reply.declined = Some(words),
            Finish::BadCall => reply.rejected = Some(Rejected { text: reply.content.clone(), words }),
            Finish::Failed => {
                let why = format!("it stopped with `finishReason` \"{finish}\"");
                return Err(Failure::new(FailureKind::Reported, why));
            }
        }
        Ok(reply)
    }

    fn pieces(&self) -> Box<dyn Pieces> {
        Box::<Chunks>::default()
    }
}

/// The messages but the first, which is the system's. What one side says in a row is one content.
fn contents(messages: &[Message]) -> Vec<Json> {
    let mut talk: Vec<(&str, Vec<Json>)> = Vec::new();
    let mut asked: &[ToolCall] = &[];
    let mut as_received: Option<&Json> = None;
    for message in messages {
        let (role, parts) = match message {
            Message::System(_) => continue,
            Message::User(text) => ("user", vec![json!({ "text": text })]),
            Message::Tool { id, text } => {
                let at = asked.iter().position(|call| call.id == *id);
                let name = at.map_or("", |at| asked[at].name.as_str());
                let mut response = json!({ "name": name, "response": { "result": text } });
                // Its own name for the call, where it gave one.
                if at.and_then(|at| calls_in(as_received?).nth(at)).is_some_and(|call| call["id"] == **id) {
                    response["id"] = json!(id);
                }
                ("user", vec![json!({ "functionResponse": response })])
            }
            Message::Assistant { content, calls, received } => {
                (asked, as_received) = (calls, received.as_ref());
                ("model", said(content, calls, received.as_ref()))
            }
        };
        match talk.last_mut() {
            Some((last, before)) if *last == role => before.extend(parts),
            _ => talk.push((role, parts)),
        }
    }
    talk.into_iter().map(|(role, parts)| json!({ "role": role, "parts": parts })).collect()
}

fn calls_in(content: &Json) -> impl Iterator<Item = &Json> {
    content["parts"].as_array().into_iter().flatten().filter_map(|part| part.get("functionCall"))
}

/// What the model said, as it came: a call is refused without the signature of the thought behind it.
fn said(content: &str, calls: &[ToolCall], received: Option<&Json>) -> Vec<Json> {
    if let Some(parts) = received.and_then(|content| content["parts"].as_array()) {
        return parts.clone();
    }
    let text = (!content.is_empty()).then(|| json!({ "text": cut(content) }));
    let calls =
        calls.iter().map(|call| json!({ "functionCall": { "name": call.name, "args": argument_fields(call) } }));
    text.into_iter().chain(calls).collect()
}

/// Thoughts are counted beside what is said.
fn usage(usage: &Json) -> Usage {
    let reasoning = number(&usage["thoughtsTokenCount"]);
    Usage {
        input: number(&usage["promptTokenCount"]).saturating_add(number(&usage["toolUsePromptTokenCount"])),
        cached: number(&usage["cachedContentTokenCount"]),
        // What is kept in its cache is billed by the hour, and by nobody's answer.
        cache_written: 0,
        output: number(&usage["candidatesTokenCount"]).saturating_add(reasoning),
        reasoning,
    }
}

/// An answer as far as it has come.
#[derive(Debug, Default)]
struct Chunks {
    /// The last of everything but the parts.
    answer: Map<String, Json>,
    candidate: Option<Map<String, Json>>,
    parts: Vec<Json>,
}

impl Pieces for Chunks {
    fn take(&mut self, chunk: &Json) -> Result<Progress, Failure> {
        if let Some(failure) = Failure::dressed_up(chunk) {
            return Err(failure);
        }
        for (name, value) in chunk.as_object().into_iter().flatten().filter(|(name, _)| *name != "candidates") {
            self.answer.insert(name.clone(), value.clone());
        }
        let mut grown = false;
        if let Some(candidate) = chunk["candidates"][0].as_object() {
            let known = self.candidate.get_or_insert_default();
            for (name, value) in candidate.iter().filter(|(name, _)| *name != "content") {
                known.insert(name.clone(), value.clone());
            }
            for part in candidate.get("content").and_then(|content| content["parts"].as_array()).into_iter().flatten() {
                grown = true;
                append(&mut self.parts, part);
            }
        }
        Ok(if grown { Progress::Words } else { Progress::Frame })
    }

    fn whole(self: Box<Self>) -> Result<Json, Failure> {
        let mut answer = self.answer;
        let Some(mut candidate) = self.candidate else { return Ok(Json::Object(answer)) };
        if !candidate.contains_key("finishReason") {
            return Err(Failure::new(FailureKind::Dropped, "the stream ended in the middle of the answer"));
        }
        candidate.insert("content".to_owned(), json!({ "role": "model", "parts": self.parts }));
        answer.insert("candidates".to_owned(), json!([candidate]));
        Ok(Json::Object(answer))
    }
}

/// Adds a part. Pieces of one text are put together; what is signed stays as it came.
fn append(parts: &mut Vec<Json>, part: &Json) {
    let plain = |part: &Json| {
        part["text"].is_string()
            && part.as_object().is_some_and(|part| part.keys().all(|key| key == "text" || key == "thought"))
    };
    match parts.last_mut() {
        Some(last) if plain(last) && plain(part) && last["thought"] == part["thought"] => {
            let whole = last["text"].as_str().unwrap_or("").to_owned() + part["text"].as_str().unwrap_or("");
            last["text"] = json!(whole);
        }
        _ => parts.push(part.clone()),
    }
}
