//! `generateContent` of Gemini.

use serde_json::{Value as Json, json};

use super::{Dialect, Looks, Said, Stop, halves, names};

pub(super) struct Gemini;

fn parts(said: &Said) -> Vec<Json> {
    let thought = said.thought.map(|thought| json!({ "text": thought, "thought": true }));
    let text = (!said.text.is_empty()).then(|| json!({ "text": said.text }));
    let calls = said.calls.iter().enumerate().map(|(index, (name, arguments))| {
        let mut part = json!({ "functionCall": { "name": name, "args": Said::object(arguments) } });
        if let Some(thought) = said.thought.filter(|_| index == 0) {
            part["thoughtSignature"] = json!(thought);
        }
        part
    });
    thought.into_iter().chain(text).chain(calls).collect()
}

impl Dialect for Gemini {
    fn answer(&self, said: &Said) -> Json {
        let [input, cached, output, reasoning] = said.tokens;
        let finish = match said.stop {
            Stop::Done => "STOP",
            Stop::Length => "MAX_TOKENS",
            Stop::Refused => "SAFETY",
        };
        json!({
            "candidates": [{ "content": { "role": "model", "parts": parts(said) }, "finishReason": finish, "index": 0 }],
            "usageMetadata": {
                "promptTokenCount": input, "cachedContentTokenCount": cached,
                "candidatesTokenCount": output - reasoning, "thoughtsTokenCount": reasoning,
            },
            "modelVersion": "canary", "responseId": "canary",
        })
    }

    fn events(&self, said: &Said) -> Vec<Json> {
        let mut last = self.answer(said);
        let mut pieces = Vec::new();
        for part in parts(said) {
            match part["text"].as_str().filter(|_| part["thought"] != true) {
                Some(text) => pieces.extend(halves(text).map(|text| json!({ "text": text }))),
                None => pieces.push(part),
            }
        }
        last["candidates"][0]["content"]["parts"] = pieces.pop().into_iter().collect();
        let piece = |part| json!({ "candidates": [{ "content": { "role": "model", "parts": [part] }, "index": 0 }] });
        pieces.into_iter().map(piece).chain([last]).collect()
    }

    fn error(&self, status: u16, word: &str, message: &str) -> Json {
        json!({ "error": { "code": status, "message": message, "status": word } })
    }

    fn looks(&self, model: &str, head: &str, request: &Json) -> Looks {
        let streamed = head.contains("?alt=sse ");
        let ending = if streamed { "streamgeneratecontent?alt=sse" } else { "generatecontent" };
        Looks {
            posted: format!("post /v1/models/{model}:{ending} "),
            key: "x-goog-api-key: ",
            tools: names(&request["tools"][0]["functionDeclarations"], |tool| &tool["name"]),
            schema: request["generationConfig"]["responseJsonSchema"].is_object(),
            streamed,
            brief: request["systemInstruction"]["parts"][0]["text"].is_string(),
            talk: request["contents"].clone(),
        }
    }
}
