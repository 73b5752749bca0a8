//! What can be wrong with a record.

use super::format::{Minor, VERSION};
use super::log::Chain;

/// Where a record differs from what the engine makes of it.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ReplayError {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: LineProblem,
}

/// What is wrong with a line of a record.
#[derive(Debug, thiserror::Error)]
pub enum LineProblem {
    /// The file cannot be read on.
    #[error("cannot read: {0}")]
    Io(#[from] std::io::Error),
    /// There is nothing there.
    #[error("the record is empty")]
    Empty,
    /// Not a line of a record.
    #[error("not a line of a match record: {0}")]
    Malformed(#[from] serde_json::Error),
    /// A line without a hash.
    #[error("the line does not end in its hash: it is cut off or was written by something else")]
    NoHash,
    /// The chain is broken.
    #[error("the hash is {written}, but this line after those before it has {actual}: something was changed")]
    Hash {
        /// As the line has it.
        written: String,
        /// As it should be.
        actual: Chain,
    },
    /// A record of another version.
    #[error("the record has version {0}; this program reads version {VERSION} with every minor, and no other version")]
    Version(u32),
    /// A minor that came later than this program.
    #[error(
        "the record has version {VERSION}, minor {}; this program reads it, but writes and verifies only minors 0 to {}",
        .0.0, Minor::CURRENT.0
    )]
    Minor(Minor),
    /// A ruleset with a version, a field or a game that this program does not have.
    #[error("this program does not know these rules, so there are no positions to show or check: {0}")]
    Rules(String),
    /// A field that records of this minor do not have.
    #[error("`{0}` is not a field of a record of this minor")]
    Field(String),
    /// Another line was due.
    #[error("a `{expected}` line was due here")]
    Expected {
        /// The line that should stand there.
        expected: &'static str,
    },
    /// Something is not what the engine makes of the lines before.
    #[error("`{field}` differs from what the rules give: {why}")]
    Differs {
        /// The field that differs.
        field: &'static str,
        /// How the two differ.
        why: String,
    },
    /// The last line is missing.
    #[error("the record ends here without a result: the match is unfinished")]
    Unfinished,
}
