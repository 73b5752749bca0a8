//! What a model said, in no wire format.

use serde_json::Value as Json;

use super::failure::{Failure, FailureKind};
use super::fault::Rejected;
use super::formats::Format;

/// What a model said.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reply {
    /// The answer's own name.
    pub(super) id: Option<String>,
    /// Which model answered, by its own account.
    pub(super) model: String,
    pub(super) content: String,
    /// Whether the model, or what stands before it, would not answer.
    pub(super) declined: Option<String>,
    /// Whether it was cut off.
    pub(super) truncated: bool,
    /// What it wrote that its own server could not read.
    pub(super) rejected: Option<Rejected>,
    /// Whether it wants to go on where it is.
    pub(super) paused: bool,
    pub(super) calls: Vec<ToolCall>,
    /// None where the server does not say.
    pub(super) usage: Option<Usage>,
    /// What the model said as the server sent it, to be carried back within the turn.
    pub(super) received: Json,
}

/// A tool that the model called.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ToolCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

/// How many tokens it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) input: u64,
    /// Of those read, from the provider's cache.
    pub(super) cached: u64,
    /// Of those read, written to the provider's cache.
    pub(super) cache_written: u64,
    pub(super) output: u64,
    pub(super) reasoning: u64,
}

impl Reply {
    /// Whether all of it is there and is the model's own.
    pub(super) fn is_whole(&self) -> bool {
        self.declined.is_none() && !self.truncated && self.rejected.is_none()
    }
}

impl ToolCall {
    /// A call with the name that the server gave it. Results are matched by that; where there is none, any will do.
    pub(super) fn new(id: &Json, index: usize, name: &Json, arguments: String) -> ToolCall {
        let id = id.as_str().filter(|id| !id.is_empty());
        ToolCall {
            id: id.map_or_else(|| format!("call_{index}"), str::to_owned),
            name: name.as_str().unwrap_or("").to_owned(),
            arguments,
        }
    }
}

/// Reads an answer as a journal has it.
///
/// # Errors
/// As [`Format::read`].
pub(super) fn read(format: &dyn Format, body: &str) -> Result<Reply, Failure> {
    format.read(&serde_json::from_str(body).map_err(|error| Failure::new(FailureKind::Body, error))?)
}
