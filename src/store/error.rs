//! What can be wrong with a store.

use std::path::PathBuf;

use crate::rules::seat::Seat;

/// A write or a read that failed. Everything that was acknowledged before is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// No room.
    #[error("no room left on the disk of {}; the last write was taken back, everything before it is safe", path.display())]
    Full {
        /// Which file.
        path: PathBuf,
    },
    /// Somebody else writes and does not stop.
    #[error("{} is locked by another program", path.display())]
    Locked {
        /// Which file.
        path: PathBuf,
    },
    /// It may not be written.
    #[error("{} may only be read", path.display())]
    ReadOnly {
        /// Which file.
        path: PathBuf,
    },
    /// A later version of this program made it.
    #[error("{} has version {found}; this program knows versions up to {known}: use a newer one", path.display())]
    Newer {
        /// Which file.
        path: PathBuf,
        /// The version of the file.
        found: i64,
        /// The latest that is known here.
        known: i64,
    },
    /// It is something else.
    #[error("{} is no store of Standoff", path.display())]
    NotAStore {
        /// Which file.
        path: PathBuf,
    },
    /// There is nothing.
    #[error("there is no store at {}", path.display())]
    Missing {
        /// Which file.
        path: PathBuf,
    },
    /// The file is damaged.
    #[error("{} is damaged: {why}", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What does not fit.
        why: String,
    },
    /// The file or its folder cannot be opened or made.
    #[error("cannot open {}: {why}", path.display())]
    Unusable {
        /// Which file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Servers are for later.
    #[error("a store on a PostgreSQL server is not supported yet; name a file")]
    NoPostgres,
    /// No such match.
    #[error("there is no match `{0}`")]
    NoMatch(String),
    /// A match of that name is there, and it is another one.
    #[error("another match is called `{0}`")]
    MatchExists(String),
    /// Another player has the name.
    #[error("another player is called `{0}`")]
    NameTaken(String),
    /// No such player.
    #[error("there is no player `{0}`")]
    NoPlayer(String),
    /// A record can only be continued while the match is live.
    #[error("match `{0}` is not live")]
    NotLive(String),
    /// A line is missing before this one.
    #[error("match `{match_id}` has {lines} lines; line {first_line} cannot be next")]
    Gap {
        /// Which match.
        match_id: String,
        /// How many lines there are.
        lines: u64,
        /// Where the new ones were to begin.
        first_line: u64,
    },
    /// A line is there in other words.
    #[error("line {line} of match `{match_id}` is written already, and differs")]
    Differs {
        /// Which match.
        match_id: String,
        /// Counted from 0.
        line: u64,
    },
    /// A line does not continue the hash chain.
    #[error("line {line} of match `{match_id}` does not continue the hash chain")]
    Chain {
        /// Which match.
        match_id: String,
        /// Counted from 0.
        line: u64,
    },
    /// A seat has one action a turn.
    #[error("seat {seat} of match `{match_id}` has sealed another action for turn {turn}")]
    Sealed {
        /// Which match.
        match_id: String,
        /// Whose action.
        seat: Seat,
        /// Turns played before.
        turn: u32,
    },
    /// Another process is at it.
    #[error("`{0}` is in use by another process")]
    Held(String),
    /// The store was closed, or its thread ended.
    #[error("the store is closed")]
    Closed,
    /// What the database says, where none of the above fits.
    #[error("{}: {why}", path.display())]
    Database {
        /// Which file.
        path: PathBuf,
        /// In the database's words.
        why: String,
    },
}

impl StoreError {
    /// Whether the change itself was refused, not the disk: other changes are not concerned.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(
            self,
            StoreError::NoMatch(_)
                | StoreError::MatchExists(_)
                | StoreError::NameTaken(_)
                | StoreError::NoPlayer(_)
                | StoreError::NotLive(_)
                | StoreError::Gap { .. }
                | StoreError::Differs { .. }
                | StoreError::Chain { .. }
                | StoreError::Sealed { .. }
        )
    }
}
