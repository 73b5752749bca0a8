//! Wire formats: how a request is written, and how what comes back is read.
//!
//! All that is not of one format stands elsewhere: sending and retrying, limits, the journal, budgets, what an answer
//! amounts to. A format is one file with an implementation of [`Format`].

mod anthropic;
mod chat;
mod gemini;
mod responses;
#[cfg(test)]
mod tests;

use std::fmt;

use async_openai::types::chat::ResponseFormatJsonSchema;
use serde_json::Value as Json;

use super::conversation::Request;
use super::failure::Failure;
use super::fault::{Cause, Reported};
use super::reply::Reply;
use crate::players::profile::{Api, Profile, ToolChoice};

/// One wire format.
pub(super) trait Format: fmt::Debug + Send + Sync {
    /// Where requests go, behind the base URL. It may end in a query.
    fn path(&self, profile: &Profile) -> String;

    /// Where the models are listed, behind the base URL.
    fn models_path(&self) -> &'static str {
        "/models"
    }

    /// The names in a list of models.
    fn models<'a>(&self, list: &'a Json) -> Vec<&'a str> {
        list["data"].as_array().into_iter().flatten().filter_map(|model| model["id"].as_str()).collect()
    }

    /// The header that carries the key, and what stands before the key in it.
    fn key_header(&self) -> (&'static str, &'static str) {
        ("authorization", "Bearer ")
    }

    /// Other headers that every request needs.
    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// What OpenTelemetry calls a request.
    fn operation(&self) -> &'static str {
        "chat"
    }

    /// The body of a request.
    fn body(&self, request: &Request<'_>) -> Json;

    /// What a whole answer says, or the error that came in its place.
    ///
    /// # Errors
    /// If it is none. What is in it may be any nonsense; that is the model's.
    fn read(&self, answer: &Json) -> Result<Reply, Failure> {
        let Some(error) = Reported::in_body(answer) else { return self.reply(answer) };
        match error.cause() {
            Cause::Output => Ok(Reply { rejected: Some(error.rejected()), ..Reply::default() }),
            Cause::Declined => Ok(Reply { declined: error.words(), ..Reply::default() }),
            Cause::Filter | Cause::Context | Cause::Other => Err(Failure::reported(&error)),
        }
    }

    /// What a whole answer says that is no error.
    ///
    /// # Errors
    /// As [`Format::read`].
    fn reply(&self, answer: &Json) -> Result<Reply, Failure>;

    /// An answer of which nothing has come yet.
    fn pieces(&self) -> Box<dyn Pieces>;
}

/// The format of an endpoint.
pub(super) fn of(api: Api) -> &'static dyn Format {
    match api {
        Api::Chat => &chat::Chat,
        Api::Responses => &responses::Responses,
        Api::Anthropic => &anthropic::Anthropic,
        Api::Gemini => &gemini::Gemini,
    }
}

/// An answer that comes piece by piece.
pub(super) trait Pieces: Send {
    /// Takes the next piece.
    ///
    /// # Errors
    /// If the server says that it failed.
    fn take(&mut self, piece: &Json) -> Result<Progress, Failure>;

    /// The answer as if it had come whole.
    ///
    /// # Errors
    /// If it is not whole.
    fn whole(self: Box<Self>) -> Result<Json, Failure>;
}

/// What a piece of an answer was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// Something around the answer.
    Frame,
    /// Something of what the model says.
    Words,
    /// The last one: nothing after it is awaited.
    End,
}

/// What a request says of calling tools, in the words that a format has for "must" and "may"; none where it says nothing.
fn tool_choice<T>(profile: &Profile, default: ToolChoice, must: T, may: T) -> Option<T> {
    match profile.tool_choice.unwrap_or(default) {
        ToolChoice::Required => Some(must),
        ToolChoice::Auto => Some(may),
        ToolChoice::None => None,
    }
}

/// The schema of an answer in JSON, as the formats of `OpenAI` have it.
fn strict_schema(schema: &Json) -> ResponseFormatJsonSchema {
    ResponseFormatJsonSchema {
        name: "answer".to_owned(),
        schema: schema.clone(),
        strict: Some(true),
        description: None,
    }
}

/// A number that may be missing.
fn number(value: &Json) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// An object without the fields that say nothing.
fn without_nulls(object: &Json) -> Json {
    let fields = object.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    fields.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Adds the text of another block: it does not go on with the line of the one before it.
fn add_text(content: &mut String, text: &str) {
    if !content.is_empty() && !content.ends_with('\n') && !text.is_empty() {
        content.push('\n');
    }
    content.push_str(text);
}

/// Whether a text says nothing.
fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
