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

use serde_json::Value as Json;

use super::conversation::Request;
use super::failure::Failure;
use super::reply::Reply;

use crate::players::profile::{Api, Profile};

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

    /// What a whole answer says.
    ///
    /// # Errors
    /// If it is none. What is in it may be any nonsense; that is the model's.
    fn read(&self, answer: &Json) -> Result<Reply, Failure>;

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

/// A number that may be missing.
fn number(value: &Json) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// An object without the fields that say nothing.
fn without_nulls(object: &Json) -> Json {
    let fields = object.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    fields.map(|(name, value)| (name.clone(), value.clone())).collect()
}
