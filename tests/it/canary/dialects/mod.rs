//! How a server says the same things in each wire format, and what is looked at in a request.

mod anthropic;
mod chat;
mod gemini;
mod responses;

use serde_json::{Value as Json, json};
use standoff::players::Api;

use super::reply::{Reply, Step, body, http};

/// What a model says, in no format.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    pub(super) text: String,
    /// Tools that it calls, with arguments as they are written.
    pub(super) calls: Vec<(String, String)>,
    /// What only the server understands.
    pub(super) thought: Option<&'static str>,
    pub(super) stop: Stop,
    /// Tokens read, of these from the cache, written, of these thoughts.
    pub(super) tokens: [u64; 4],
    /// Of the tokens read, written to the cache.
    pub(super) cache_written: u64,
}

/// Why it stops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stop {
    #[default]
    Done,
    Length,
    Refused,
}

impl Said {
    pub(super) fn call(name: &str, arguments: &str) -> Said {
        Said { calls: vec![(name.to_owned(), arguments.to_owned())], ..Said::text("") }
    }

    pub(super) fn act(action: &str) -> Said {
        Said::call("act", &json!({ "action": action }).to_string())
    }

    pub(super) fn text(text: &str) -> Said {
        Said { text: text.to_owned(), tokens: [100, 0, 10, 0], ..Said::default() }
    }

    pub(super) fn and(mut self, other: Said) -> Said {
        self.calls.extend(other.calls);
        self.text += &other.text;
        self
    }

    pub(super) fn stopped(self, stop: Stop) -> Said {
        Said { stop, ..self }
    }

    pub(super) fn thinking(self, thought: &'static str) -> Said {
        Said { thought: Some(thought), ..self }
    }

    /// The arguments of a call as JSON, for formats that have them so.
    fn object(arguments: &str) -> Json {
        serde_json::from_str(arguments).expect("the case has arguments that this format can say")
    }
}

/// What is looked at in a request, as each format has it.
#[derive(Debug)]
pub(super) struct Looks {
    /// How the request line begins, in small letters.
    pub(super) posted: String,
    /// The header with the key, in small letters.
    pub(super) key: &'static str,
    pub(super) tools: Vec<String>,
    pub(super) schema: bool,
    pub(super) streamed: bool,
    /// Whether it begins with the brief.
    pub(super) brief: bool,
    /// All that was said since.
    pub(super) talk: Json,
}

/// A wire format from the server's side.
pub(super) trait Dialect {
    /// An answer that says this.
    fn answer(&self, said: &Said) -> Json;

    /// The events of a stream that says this, each with the name that it goes by where it has one.
    fn events(&self, said: &Said) -> Vec<Json>;

    /// An error of this status, with what the provider calls it.
    fn error(&self, status: u16, word: &str, message: &str) -> Json;

    /// An event that says that all has gone wrong.
    fn error_event(&self, status: u16, word: &str, message: &str) -> Json {
        self.error(status, word, message)
    }

    /// What stands in a request.
    fn looks(&self, model: &str, head: &str, request: &Json) -> Looks;
}

pub(super) fn of(api: Api) -> &'static dyn Dialect {
    match api {
        Api::Chat => &chat::Chat,
        Api::Responses => &responses::Responses,
        Api::Anthropic => &anthropic::Anthropic,
        Api::Gemini => &gemini::Gemini,
    }
}

/// Which format a request is in, by where it goes.
pub(super) fn spoken(head: &str) -> Api {
    let line = head.lines().next().unwrap_or_default();
    if line.contains("/chat/completions") {
        Api::Chat
    } else if line.contains("/responses") {
        Api::Responses
    } else if line.contains("/messages") {
        Api::Anthropic
    } else {
        Api::Gemini
    }
}

/// The model that a request is for.
pub(super) fn model(head: &str, request: &Json) -> String {
    let in_path = || head.split("/models/").nth(1)?.split(':').next();
    request["model"].as_str().or_else(in_path).expect("the player names a model").to_owned()
}

/// A good answer in whichever way was asked.
pub(super) fn good(head: &str, request: &Json, action: &str) -> Reply {
    let dialect = of(spoken(head));
    let looks = dialect.looks("", head, request);
    let said = if !looks.tools.is_empty() {
        Said::act(action)
    } else if looks.schema {
        Said::text(&json!({ "action": action }).to_string())
    } else {
        Said::text(&format!("I have thought about it.\nACTION: {action}"))
    };
    body(dialect.answer(&said).to_string())
}

/// An answer in one piece.
pub(super) fn whole(api: Api, said: &Said) -> Reply {
    body(of(api).answer(said).to_string())
}

/// The bytes of a stream.
pub(super) fn event_stream(events: &[Json]) -> String {
    let named = |event: &Json| event["type"].as_str().map(|name| format!("event: {name}\n")).unwrap_or_default();
    let lines: Vec<String> = events.iter().map(|event| format!("{}data: {event}\n\n", named(event))).collect();
    lines.concat()
}

/// Bytes as the body of a stream that ends with the connection.
pub(super) fn streamed(pieces: impl IntoIterator<Item = Vec<u8>>) -> Reply {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let mut steps = vec![Step::Send(head.into())];
    steps.extend(pieces.into_iter().map(Step::Send));
    steps.push(Step::HangUp);
    Reply(steps)
}

/// An error as the provider writes it.
pub(super) fn error(api: Api, status: u16, word: &str, message: &str) -> Reply {
    http(status, &[("content-type", "application/json")], of(api).error(status, word, message).to_string())
}

/// The two halves of a text.
fn halves(text: &str) -> [&str; 2] {
    let (first, second) = text.split_at(text.floor_char_boundary(text.len() / 2));
    [first, second]
}

fn names<'a>(tools: &'a Json, name: impl Fn(&'a Json) -> &'a Json) -> Vec<String> {
    let tools = tools.as_array().into_iter().flatten();
    tools.map(|tool| name(tool).as_str().unwrap_or_default().to_owned()).collect()
}
