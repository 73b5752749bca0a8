//! Wire formats: how a request is written, and how what comes back is read.
//!
//! All that is not of one format stands elsewhere: sending and retrying, limits, the journal, budgets, what an answer
//! amounts to. A format is one file with an implementation of [`Format`].

mod chat;

use std::fmt;

use serde_json::Value as Json;

use super::conversation::Request;
use super::failure::Failure;
use super::reply::Reply;

pub(super) use self::chat::Chat;

/// One wire format.
pub(super) trait Format: fmt::Debug + Send + Sync {
    /// Where requests go, behind the base URL.
    fn path(&self) -> &'static str;

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
}
