//! The conversation of a turn, in no wire format: each [`Format`](super::formats::Format) writes it in its own.

use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value as Json};

use super::reply::ToolCall;
use crate::briefs::{SystemPrompt, Tool};
use crate::players::profile::Profile;

/// The longest piece of a model's own words that it is shown again.
pub(super) const MAX_ECHO: usize = 16 * 1024;

/// What was said in a turn so far.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Message {
    System(Arc<SystemPrompt>),
    User(String),
    Assistant {
        content: String,
        calls: Vec<ToolCall>,
        /// The same as the server sent it, with what only the server understands: reasoning, signatures, encrypted items.
        /// None where it cannot go back as it came: it was cut off, or its calls are not answered.
        received: Option<Json>,
    },
    Tool {
        id: String,
        text: String,
    },
}

/// How the answer is to come.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Form {
    Tools(Vec<Tool>),
    Json(Json),
    Text,
}

/// All that a request is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'a> {
    pub(super) profile: &'a Profile,
    pub(super) messages: &'a [Message],
    pub(super) form: &'a Form,
    pub(super) max_tokens: u32,
}

/// A request's body as it is sent: `reasoning` is the first field of every object. Models write the fields of a schema in
/// the order that it has, and what is thought before the action can still change it.
pub(in crate::players) struct ThinkingFirst<'a>(pub(in crate::players) &'a Json);

impl Serialize for ThinkingFirst<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Json::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                let is_thought = |name: &String| name == "reasoning";
                let first = fields.iter().filter(|(name, _)| is_thought(name));
                for (name, value) in first.chain(fields.iter().filter(|(name, _)| !is_thought(name))) {
                    map.serialize_entry(name, &ThinkingFirst(value))?;
                }
                map.end()
            }
            Json::Array(items) => serializer.collect_seq(items.iter().map(ThinkingFirst)),
            other => other.serialize(serializer),
        }
    }
}

/// The end of a long text: that is where the answer was to be.
pub(super) fn cut(text: &str) -> &str {
    let mut from = text.len().saturating_sub(MAX_ECHO);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

/// The arguments of a call as they may go back, as text. Servers read them again to show them to the model: what is no JSON
/// object breaks some of them.
pub(super) fn arguments(call: &ToolCall) -> &str {
    if fields(call).is_some() { &call.arguments } else { "{}" }
}

/// The same where they go back as an object.
pub(super) fn argument_fields(call: &ToolCall) -> Map<String, Json> {
    fields(call).unwrap_or_default()
}

fn fields(call: &ToolCall) -> Option<Map<String, Json>> {
    serde_json::from_str(&call.arguments).ok().filter(|_| call.arguments.len() <= MAX_ECHO)
}

/// Adds fields to a request: tables go into tables, everything else is replaced.
pub(super) fn merge(body: &mut Json, extra: &Map<String, Json>) {
    for (name, value) in extra {
        match (body.get_mut(name), value) {
            (Some(inner @ Json::Object(_)), Json::Object(extra)) => merge(inner, extra),
            _ => body[name] = value.clone(),
        }
    }
}
