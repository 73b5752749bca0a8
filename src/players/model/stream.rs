//! An answer that comes piece by piece, as server-sent events.

use std::io::Cursor;
use std::time::Instant;

use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt as _, TryStreamExt as _};
use serde_json::Value as Json;
use sse_stream::SseStream;

use super::failure::{Failure, FailureKind};
use super::formats::{Pieces, Progress};

/// A whole answer that came as a stream.
#[derive(Debug)]
pub(super) struct Streamed {
    /// The answer as if it had come in one piece.
    pub(super) json: Json,
    /// When the first token came.
    pub(super) first: Option<Instant>,
}

/// Whether a body that begins so is a stream of events.
pub(super) fn begins(body: &[u8]) -> Option<bool> {
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace())?;
    Some(matches!(first, b'd' | b'e' | b':' | b'i' | b'r'))
}

/// Reads an answer to its end. Some servers leave the connection open after the last word: nothing after it is awaited.
///
/// # Errors
/// If it is none, breaks off, or the server says that it failed.
pub(super) async fn read<B: AsRef<[u8]>>(
    body: BoxStream<'_, Result<B, Failure>>,
    mut answer: Box<dyn Pieces>,
) -> Result<Streamed, Failure> {
    // Line by line, so that a line which is none takes nothing else with it; and the last may lack its end.
    let lines = body.map_ok(|piece| {
        let lines: Vec<_> = piece.as_ref().split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        stream::iter(lines.into_iter().map(Ok::<_, Failure>))
    });
    let end = stream::iter([Ok(b"\n\n".to_vec())]);
    let mut events = SseStream::from_bytes_stream(lines.try_flatten().chain(end).map_ok(Cursor::new));
    let (mut begun, mut first) = (false, None);
    while let Some(event) = events.next().await {
        // Names and numbers of events say nothing that is not in the data.
        let data = match event {
            Ok(event) => event.data.unwrap_or_default(),
            Err(sse_stream::Error::Body(error)) => {
                return Err(error
                    .downcast()
                    .map_or_else(|error| Failure::new(FailureKind::Dropped, error), |failure| *failure));
            }
            Err(sse_stream::Error::Utf8Parse(error)) => return Err(Failure::new(FailureKind::Body, error)),
            // A line that is none is no reason to lose an answer.
            Err(_) => continue,
        };
        if data.is_empty() {
            continue;
        }
        begun = true;
        if data.trim() == "[DONE]" {
            break;
        }
        let bad = |error| Failure::body(format!("a piece of a stream that is no JSON: {error}"), &data);
        match answer.take(&serde_json::from_str(&data).map_err(bad)?)? {
            Progress::Frame => {}
            Progress::Words => drop(first.get_or_insert_with(Instant::now)),
            Progress::End => break,
        }
    }
    if !begun {
        return Err(Failure::new(FailureKind::Body, "a stream without any data"));
    }
    Ok(Streamed { json: answer.whole()?, first })
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use serde_json::json;

    use super::*;
    use crate::players::model::formats;
    use crate::players::model::reply::Reply;
    use crate::players::profile::Api;

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
        let streamed = super::read(pieces.boxed(), formats::of(Api::Chat).pieces())
            .now_or_never()
            .expect("nothing to wait for")?;
        formats::of(Api::Chat).read(&streamed.json)
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
            (half.as_str(), FailureKind::Dropped),
            ("data: [DONE]\n\n", FailureKind::Dropped),
            ("data: {\"choices\":[{\"del\n\n", FailureKind::Body),
            (": ping\n\n", FailureKind::Body),
            (overloaded, FailureKind::Status(503)),
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
