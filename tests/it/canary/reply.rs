//! What a server can answer, from good to broken.

use std::time::{Duration, SystemTime};

use serde_json::{Value as Json, json};

/// What the server does with a request.
#[derive(Clone, Debug)]
pub(super) struct Reply(pub(super) Vec<Step>);

/// One thing that a server does on a connection.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Send(Vec<u8>),
    /// Sends what depends on the moment.
    Make(fn(SystemTime) -> Vec<u8>),
    Wait(Duration),
    HangUp,
}

impl Reply {
    /// The same after some time.
    pub(super) fn after(mut self, time: Duration) -> Reply {
        self.0.insert(0, Step::Wait(time));
        self
    }

    /// Only half of it, then the connection is gone.
    pub(super) fn cut(self) -> Reply {
        self.half(Step::HangUp)
    }

    /// Half of it, then nothing, with the connection open.
    pub(super) fn stalled(self) -> Reply {
        self.half(Step::Wait(Duration::from_secs(30)))
    }

    fn half(mut self, then: Step) -> Reply {
        for step in &mut self.0 {
            if let Step::Send(bytes) = step {
                bytes.truncate(bytes.len() - bytes.len() / 4);
            }
        }
        self.0.push(then);
        self
    }
}

/// No answer: the connection is gone.
pub(super) fn dropped() -> Reply {
    Reply(vec![Step::HangUp])
}

/// Any status, headers and body.
pub(super) fn http(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Reply {
    let body = body.as_ref();
    let headers: String = headers.iter().flat_map(|(name, value)| [*name, ": ", *value, "\r\n"]).collect();
    let head = format!("HTTP/1.1 {status} Whatever\r\ncontent-length: {}\r\n{headers}\r\n", body.len());
    Reply(vec![Step::Send([head.as_bytes(), body].concat())])
}

/// A body that says it is JSON, with 200.
pub(super) fn body(body: impl AsRef<[u8]>) -> Reply {
    http(200, &[("content-type", "application/json")], body)
}

/// An error as most servers write it, with a code of the server's taste.
pub(super) fn error(status: u16, code: impl Into<Json>, message: &str) -> Reply {
    let body = json!({ "error": { "message": message, "type": "canary_error", "param": null, "code": code.into() } });
    http(status, &[("content-type", "application/json")], body.to_string())
}

/// A 429 that says when to come back, by the clock on the wall: in one to two seconds.
pub(super) fn busy_until() -> Reply {
    Reply(vec![Step::Make(|now| {
        let date = httpdate::fmt_http_date(now + Duration::from_secs(2));
        format!("HTTP/1.1 429 Whatever\r\nretry-after: {date}\r\ncontent-length: 0\r\n\r\n").into_bytes()
    })])
}

/// A 429 that says when to come back, in seconds.
pub(super) fn busy(retry_after: &str) -> Reply {
    let headers = [("content-type", "application/json"), ("retry-after", retry_after)];
    http(429, &headers, json!({ "error": { "message": "slow down", "code": "rate_limit_exceeded" } }).to_string())
}

/// A completion of one choice. Reading costs 100 tokens, writing 10.
pub(super) fn completion(message: &Json, finish: &str) -> Json {
    json!({
        "id": "chatcmpl-canary",
        "object": "chat.completion",
        "created": 1_794_800_000,
        "model": "canary",
        "choices": [{ "index": 0, "message": message, "finish_reason": finish, "logprobs": null }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110 },
    })
}

/// An assistant's message with fields beside its role.
pub(super) fn message(fields: &Json, finish: &str) -> Reply {
    let mut message = json!({ "role": "assistant", "content": null });
    for (name, value) in fields.as_object().expect("fields") {
        message[name] = value.clone();
    }
    body(completion(&message, finish).to_string())
}

/// An answer in words.
pub(super) fn text(content: &str) -> Reply {
    message(&json!({ "content": content }), "stop")
}

/// A tool call with arguments as they are written.
pub(super) fn call(name: &str, arguments: &str) -> Json {
    json!({ "id": "call_1", "type": "function", "function": { "name": name, "arguments": arguments } })
}

/// An answer that calls these tools.
pub(super) fn calls(calls: &[Json]) -> Reply {
    message(&json!({ "tool_calls": calls }), "tool_calls")
}

/// The call that acts.
pub(super) fn act(action: &str) -> Reply {
    calls(&[call("act", &json!({ "action": action }).to_string())])
}
