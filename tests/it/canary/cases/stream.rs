//! The answer comes piece by piece, and the pieces are not all there.

use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::canary::case::Case;
use crate::canary::reply::{Reply, Step, act, body, call, completion};

/// Pieces of an answer that calls `act`, without the last word.
fn pieces() -> Vec<Json> {
    let chunk = |delta: Json, finish: Json| {
        json!({
            "id": "chatcmpl-canary", "object": "chat.completion.chunk", "model": "canary", "usage": null,
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }],
        })
    };
    let call = |piece: Json| json!({ "tool_calls": [piece] });
    vec![
        chunk(json!({ "role": "assistant", "content": null }), json!(null)),
        chunk(json!({ "reasoning_content": "Hm, 南边?" }), json!(null)),
        chunk(
            call(json!({ "index": 0, "id": "c", "type": "function", "function": { "name": "act", "arguments": "" } })),
            json!(null),
        ),
        chunk(call(json!({ "index": 0, "function": { "arguments": "{\"action\":\"mo" } })), json!(null)),
        chunk(call(json!({ "index": 0, "function": { "arguments": "ve south\"}" } })), json!(null)),
        chunk(json!({}), json!("tool_calls")),
        json!({ "choices": [], "usage": { "prompt_tokens": 100, "completion_tokens": 10 } }),
    ]
}

fn event(piece: &Json) -> String {
    format!("data: {piece}\n\n")
}

fn events(pieces: &[Json]) -> String {
    pieces.iter().map(event).collect()
}

const DONE: &str = "data: [DONE]\n\n";

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// Sends these parts one after the other and hangs up.
fn stream<T: Into<Vec<u8>>>(parts: impl IntoIterator<Item = T>, pause: Duration) -> Reply {
    let mut steps = vec![Step::Send(HEAD.into())];
    for part in parts {
        steps.extend([Step::Wait(pause), Step::Send(part.into())]);
    }
    steps.push(Step::HangUp);
    Reply(steps)
}

fn at_once(text: impl Into<String>) -> Reply {
    stream([text.into()], Duration::ZERO)
}

fn then_good(reply: Reply) -> [Reply; 2] {
    [reply, act("move south")]
}

/// The answer with another reason to stop.
fn finished(finish: &str) -> String {
    events(&pieces()).replace("\"finish_reason\":\"tool_calls\"", &format!("\"finish_reason\":\"{finish}\"")) + DONE
}

pub(in crate::canary) fn stream_cases() -> Vec<Case> {
    let whole = || events(&pieces()) + DONE;
    let bytewise = || whole().into_bytes().into_iter().map(|byte| vec![byte]).collect::<Vec<_>>();
    let open = || {
        let mut reply = at_once(whole());
        reply.0.pop();
        reply.0.push(Step::Wait(Duration::from_secs(30)));
        reply
    };
    let unlike = |delta: Json| {
        let chunk = json!({ "choices": [{ "delta": delta, "finish_reason": "stop" }] });
        at_once(events(&[chunk, pieces().remove(6)]) + DONE)
    };
    let plain = json!({ "role": "assistant", "tool_calls": [call("act", r#"{"action":"move south"}"#)] });
    let broken = || at_once(events(&pieces()[..4]) + "data: {\"choices\":[{\"del\n\n" + DONE);
    vec![
        Case::tools("stream", [at_once(whole())], "move south, 1 call"),
        Case::tools("stream-byte-by-byte", [stream(bytewise(), Duration::ZERO)], "move south, 1 call"),
        Case::tools(
            "stream-slow",
            [stream(pieces().iter().map(event), Duration::from_millis(100))],
            "move south, 1 call",
        ),
        Case::tools("stream-without-done", [at_once(events(&pieces()))], "move south, 1 call"),
        Case::tools("stream-open-after-done", [open()], "move south, 1 call"),
        Case::tools(
            "stream-with-comments",
            [at_once(format!(": PROCESSING\n\nevent: chunk\n{}", whole().replace('\n', "\r\n")))],
            "move south, 1 call",
        ),
        Case::tools("stream-not-given", [body(completion(&plain, "tool_calls").to_string())], "move south, 1 call"),
        Case::tools(
            "stream-without-usage",
            [at_once(events(&pieces()[..6]) + DONE)],
            "move south, 1 call, tokens [0, 0, 0, 0] for an unknown price",
        ),
        Case::tools("stream-cut", then_good(at_once(events(&pieces()[..4]))), "move south, 1 call, retried: connection"),
        Case::tools(
            "stream-cut-for-ever",
            [at_once(events(&pieces()[..4]))],
            "suspended: SERVER/v1 broke off the connection: the stream ended in the middle of the answer",
        )
        .forever(4),
        Case::tools("stream-cut-before-it-began", then_good(at_once("")), "move south, 1 call, retried: body"),
        Case::tools("stream-of-done-alone", then_good(at_once(DONE)), "move south, 1 call, retried: connection"),
        Case::tools("stream-bad-piece", then_good(broken()), "move south, 1 call, retried: body"),
        Case::tools(
            "stream-bad-piece-for-ever",
            [broken()],
            "suspended: SERVER/v1 does not answer in the format `api = \"chat\"`: a piece of a stream that is no JSON: EOF \
             while parsing a string at line 1 column 17: {\"choices\":[{\"del",
        )
        .forever(4),
        Case::tools(
            "stream-error-in-the-middle",
            then_good(at_once(events(&pieces()[..4]) + &event(&json!({ "error": { "code": 503, "message": "full" } })))),
            "move south, 1 call, retried: 503",
        ),
        Case::tools(
            "stream-stalled",
            then_good(stream([events(&pieces()[..4]), whole()], Duration::from_secs(30))),
            "move south, 1 call, retried: timeout",
        )
        .hurried(),
        Case::tools(
            "stream-endless",
            [stream(vec![event(&pieces()[1]).repeat(1000); 70], Duration::ZERO)],
            "suspended: SERVER/v1 does not answer in the format `api = \"chat\"`: too large, more than 10 MB",
        )
        .forever(4),
        Case::tools(
            "stream-cut-by-length",
            then_good(at_once(finished("length"))),
            "move south, refused: truncated, 2 calls",
        ),
        Case::tools(
            "stream-filtered",
            then_good(at_once(finished("content_filter"))),
            "move south, refused: refused, 2 calls",
        ),
        Case::tools(
            "stream-refusal",
            then_good(unlike(json!({ "refusal": "I do not play." }))),
            "move south, refused: refused, 2 calls",
        ),
        Case::tools(
            "stream-of-reasoning-alone",
            then_good(unlike(json!({ "reasoning": "move south" }))),
            "move south, refused: unreadable, 2 calls",
        ),
        Case::tools("stream-of-text", [unlike(json!({ "content": "Let me see.\nACTION: move south" }))], "move south, 1 call"),
    ]
    .into_iter()
    .map(Case::streamed)
    .collect()
}
