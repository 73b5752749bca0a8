//! An answer that comes piece by piece, put together again.

use std::io::Cursor;
use std::time::Instant;

use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt as _, TryStreamExt as _};
use serde_json::{Map, Value as Json, json};
use sse_stream::SseStream;

use super::failure::{Failure, Kind};

/// A whole answer that came as a stream.
#[derive(Debug)]
pub(super) struct Streamed {
    /// The answer as if it had come in one piece.
    pub(super) json: Json,
    /// When the first token came.
    pub(super) first: Option<Instant>,
}

/// An answer as far as it has come.
#[derive(Debug, Default)]
struct Answer {
    /// When the first token came.
    first: Option<Instant>,
    /// Whether there was any event at all.
    begun: bool,
    /// What all chunks have in common: the model, the answer's own name.
    frame: Map<String, Json>,
    /// The texts of the message, by field.
    texts: Map<String, Json>,
    calls: Vec<Call>,
    finish: Option<String>,
    usage: Option<Json>,
}

#[derive(Debug, Default)]
struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

/// The fields of a message that grow.
const TEXTS: [&str; 4] = ["content", "refusal", "reasoning_content", "reasoning"];

/// Whether a body that begins so is a stream of events.
pub(super) fn begins(body: &[u8]) -> Option<bool> {
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace())?;
    Some(matches!(first, b'd' | b'e' | b':' | b'i' | b'r'))
}

/// Reads an answer to its end. Some servers leave the connection open after the last word: nothing after it is awaited.
///
/// # Errors
/// If it is none, breaks off, or the server says that it failed.
pub(super) async fn read<B: AsRef<[u8]>>(body: BoxStream<'_, Result<B, Failure>>) -> Result<Streamed, Failure> {
    // Line by line, so that a line which is none takes nothing else with it; and the last may lack its end.
    let lines = body.map_ok(|piece| {
        let lines: Vec<_> = piece.as_ref().split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        stream::iter(lines.into_iter().map(Ok::<_, Failure>))
    });
    let end = stream::iter([Ok(b"\n\n".to_vec())]);
    let mut events = SseStream::from_bytes_stream(lines.try_flatten().chain(end).map_ok(Cursor::new));
    let mut answer = Answer::default();
    while let Some(event) = events.next().await {
        // Names and numbers of events say nothing here.
        let data = match event {
            Ok(event) => event.data.unwrap_or_default(),
            Err(sse_stream::Error::Body(error)) => {
                return Err(error
                    .downcast()
                    .map_or_else(|error| Failure::new(Kind::Dropped, error), |failure| *failure));
            }
            Err(sse_stream::Error::Utf8Parse(error)) => return Err(Failure::new(Kind::Body, error)),
            // A line that is none is no reason to lose an answer.
            Err(_) => continue,
        };
        if data.trim() == "[DONE]" {
            answer.begun = true;
            break;
        }
        if !data.is_empty() {
            answer.event(&data)?;
        }
    }
    answer.finish()
}

impl Answer {
    fn event(&mut self, data: &str) -> Result<(), Failure> {
        self.begun = true;
        let bad = |error| Failure::new(Kind::Body, format!("a piece of a stream that is no JSON: {error}"));
        let chunk: Json = serde_json::from_str(data).map_err(bad)?;
        if let Some(failure) = Failure::dressed_up(&chunk) {
            return Err(failure);
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
        self.delta(&choice["delta"]);
        if let Some(finish) = choice["finish_reason"].as_str() {
            self.finish = Some(finish.to_owned());
        }
        Ok(())
    }

    fn delta(&mut self, delta: &Json) {
        let mut grown = false;
        for name in TEXTS {
            if let Some(text) = delta[name].as_str().filter(|text| !text.is_empty()) {
                grown = true;
                match self.texts.get_mut(name) {
                    Some(Json::String(whole)) => whole.push_str(text),
                    _ => drop(self.texts.insert(name.to_owned(), json!(text))),
                }
            }
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            grown = true;
            self.call(call);
        }
        if grown && self.first.is_none() {
            self.first = Some(Instant::now());
        }
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
    }

    fn finish(self) -> Result<Streamed, Failure> {
        if !self.begun {
            return Err(Failure::new(Kind::Body, "a stream without any data"));
        }
        if self.finish.is_none() {
            return Err(Failure::new(Kind::Dropped, "the stream ended in the middle of the answer"));
        }
        let mut message = self.texts;
        message.insert("role".to_owned(), json!("assistant"));
        let calls: Vec<Json> = self
            .calls
            .into_iter()
            .map(|Call { id, name, arguments, .. }| {
                json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
            })
            .collect();
        if !calls.is_empty() {
            message.insert("tool_calls".to_owned(), json!(calls));
        }
        let mut body = self.frame;
        body.insert("object".to_owned(), json!("chat.completion"));
        body.insert("choices".to_owned(), json!([{ "index": 0, "message": message, "finish_reason": self.finish }]));
        if let Some(usage) = self.usage {
            body.insert("usage".to_owned(), usage);
        }
        Ok(Streamed { json: Json::Object(body), first: self.first })
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;
    use crate::players::model::reply::Reply;

    fn event(chunk: &Json) -> String {
        format!("data: {chunk}\n\n")
    }

    fn events(chunks: &[Json]) -> String {
        chunks.iter().map(event).collect::<String>() + "data: [DONE]\n\n"
    }

    fn delta(delta: &Json) -> Json {
        json!({ "id": "x", "model": "m", "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] })
    }

    fn end(finish: &str) -> Json {
        json!({ "choices": [{ "delta": {}, "finish_reason": finish }] })
    }

    /// Fed in pieces of so many bytes.
    fn read(text: &str, size: usize) -> Result<Reply, Failure> {
        let pieces = stream::iter(text.as_bytes().chunks(size).map(Ok));
        let streamed = super::read(pieces.boxed()).now_or_never().expect("nothing to wait for")?;
        Reply::of(&streamed.json)
    }

    #[test]
    fn pieces_of_texts_and_tool_calls_are_put_together_wherever_they_are_cut() {
        let call = |index: u64, piece: &Json| {
            let mut piece = piece.clone();
            piece["index"] = json!(index);
            delta(&json!({ "tool_calls": [piece] }))
        };
        let text = events(&[
            delta(&json!({ "role": "assistant", "content": "" })),
            delta(&json!({ "content": "去" })),
            delta(&json!({ "content": "吧" })),
            call(0, &json!({ "id": "a", "function": { "name": "get_state", "arguments": "" } })),
            call(1, &json!({ "id": "b", "function": { "name": "act", "arguments": "{\"action\":" } })),
            call(1, &json!({ "function": { "arguments": "\"move up\"}" } })),
            call(0, &json!({ "function": { "arguments": "{}" } })),
            end("tool_calls"),
            json!({ "choices": [], "usage": { "prompt_tokens": 7, "completion_tokens": 3 } }),
        ]);
        for size in [1, 2, 7, text.len()] {
            let reply = read(&text, size).expect("an answer");
            assert_eq!((reply.content.as_str(), reply.model.as_str()), ("去吧", "m"));
            let calls: Vec<_> = reply.calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
            assert_eq!(calls, [("get_state", "{}"), ("act", "{\"action\":\"move up\"}")]);
            assert_eq!(reply.usage.map(|usage| (usage.input, usage.output)), Some((7, 3)));
        }
    }

    #[test]
    fn calls_without_an_index_or_with_one_for_all_are_told_apart() {
        for index in [json!(null), json!(0)] {
            let whole = |id: &str| {
                let function = json!({ "name": "act", "arguments": format!("{{\"action\":\"{id}\"}}") });
                delta(&json!({ "tool_calls": [{ "index": index, "id": id, "function": function }] }))
            };
            let reply = read(&events(&[whole("a"), whole("b"), end("tool_calls")]), 64).expect("an answer");
            assert_eq!(reply.calls.len(), 2, "{index}");
        }
    }

    #[test]
    fn a_stream_that_breaks_off_or_is_none_is_the_servers_fault() {
        let half = format!("data: {}\n\n", delta(&json!({ "content": "move up" })));
        let overloaded = "data: {\"error\":{\"code\":503,\"message\":\"overloaded\"}}\n\n";
        for (text, kind) in [
            (half.as_str(), Kind::Dropped),
            ("data: [DONE]\n\n", Kind::Dropped),
            ("data: {\"choices\":[{\"del\n\n", Kind::Body),
            (": ping\n\n", Kind::Body),
            (overloaded, Kind::Status(503)),
        ] {
            assert_eq!(read(text, 5).expect_err(text).kind, kind, "{text}");
        }
    }

    #[test]
    fn the_end_may_lack_its_last_line_and_the_word_that_says_so() {
        let text = format!(": ping\r\n\r\ndata:{}\r\n\r\ndata: {}", delta(&json!({ "content": "hi" })), end("stop"));
        assert_eq!(read(&text, 3).expect("an answer").content, "hi");
    }

    #[test]
    fn lines_that_are_none_and_whatever_follows_the_end_are_left_out() {
        let answer = events(&[delta(&json!({ "content": "hi" })), end("stop")]);
        let text = format!("retry: soon\n\u{1F600}\ndata\n{answer}data: {{\n\n")
            .replace("data: {\"ch", "trace: 7\ndata: {\"ch");
        for size in [1, 5, text.len()] {
            assert_eq!(read(&text, size).expect("an answer").content, "hi");
        }
    }
}
