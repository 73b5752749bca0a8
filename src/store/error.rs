//! What can be wrong with a store.

use super::location::Location;
use crate::games::seat::Seat;

/// A write or a read that failed. Everything that was acknowledged before is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The disk, or the database, has no room left.
    #[error("no room left on the disk of {at}; the last write was taken back, everything before it is safe")]
    Full {
        /// The store that was opened.
        at: Location,
    },
    /// Somebody else writes and does not stop.
    #[error("{at} is locked by another program")]
    Locked {
        /// The store that was opened.
        at: Location,
    },
    /// It may not be written.
    #[error("{at} may only be read")]
    ReadOnly {
        /// The store that was opened.
        at: Location,
    },
    /// A later version of this program made it.
    #[error("{at} has version {found}; this program knows versions up to {known}: use a newer one")]
    Newer {
        /// The store that was opened.
        at: Location,
        /// The version of the file.
        found: i64,
        /// The latest that is known here.
        known: i64,
    },
    /// It is something else.
    #[error("{at} is not a store of Standoff")]
    NotAStore {
        /// The store that was opened.
        at: Location,
    },
    /// There is nothing.
    #[error("there is no store at {at}")]
    Missing {
        /// The store that was opened.
        at: Location,
    },
    /// It is damaged.
    #[error("{at} is damaged: {why}")]
    Damaged {
        /// The store that was opened.
        at: Location,
        /// What does not fit.
        why: String,
    },
    /// The file or its folder cannot be opened or made.
    #[error("cannot open {at}: {why}")]
    Unusable {
        /// The store that was opened.
        at: Location,
        /// What the system or the database says.
        why: String,
    },
    /// An address that cannot be read.
    #[error("this is no address of a PostgreSQL database: {0}")]
    Address(String),
    /// Nobody answers there, or not now.
    #[error("cannot reach {at}: {why}")]
    Unreachable {
        /// The server that was asked.
        at: Location,
        /// What the system or the database says.
        why: String,
    },
    /// No encrypted connection to the server, or not to the one that was meant.
    #[error("no connection to {at} that could be trusted: {why}")]
    Untrusted {
        /// The server that was asked.
        at: Location,
        /// What the system or the database says.
        why: String,
    },
    /// The server has no such database.
    #[error("there is no database {at}")]
    NoDatabase {
        /// Which one was asked for.
        at: Location,
    },
    /// The server does not let us.
    #[error("{at} refuses: {why}")]
    Denied {
        /// The server that was asked.
        at: Location,
        /// In the server's words.
        why: String,
    },
    /// The server went away and did not come back in time.
    #[error("the connection to {at} was lost: {why}; everything that was acknowledged is safe")]
    Lost {
        /// The server that was asked.
        at: Location,
        /// What the system or the database says.
        why: String,
    },
    /// The database has no way to keep it.
    #[error("{at} cannot keep this: {why}")]
    Unfit {
        /// The store that was opened.
        at: Location,
        /// In the database's words.
        why: String,
    },
    /// Only a server has a queue that workers take jobs from.
    #[error("{at} is a file: workers need a PostgreSQL server, which they all can reach")]
    NoWorkers {
        /// The store that was opened.
        at: Location,
    },
    /// A job that is over, or withdrawn, or was never there.
    #[error("there is nothing to do for the job `{0}`")]
    NoJob(String),
    /// No such match.
    #[error("there is no match `{0}`")]
    NoMatch(String),
    /// A match of that name is there, and it is another one.
    #[error("another match is called `{0}`")]
    MatchExists(String),
    /// A server is copied by its own means.
    #[error(
        "{at} is on a server: copy it with `pg_dump --format=custom --file=FILE` and its address, and bring it back with `pg_restore`"
    )]
    NoBackup {
        /// The store that was to be copied.
        at: Location,
    },
    /// A copy is made to a new file.
    #[error("{} already exists; name another file", .0.display())]
    BackupExists(std::path::PathBuf),
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
        /// The match that it is about.
        match_id: String,
        /// How many lines there are.
        lines: u64,
        /// Where the new ones were to begin.
        first_line: u64,
    },
    /// A line is there in other words.
    #[error("line {line} of match `{match_id}` is written already, and differs")]
    Differs {
        /// The match that it is about.
        match_id: String,
        /// Counted from 0.
        line: u64,
    },
    /// A line does not continue the hash chain.
    #[error("line {line} of match `{match_id}` does not continue the hash chain")]
    Chain {
        /// The match that it is about.
        match_id: String,
        /// Counted from 0.
        line: u64,
    },
    /// A seat has one action a turn.
    #[error("seat {seat} of match `{match_id}` has sealed another action for turn {turn}")]
    Sealed {
        /// The match that it is about.
        match_id: String,
        /// The seat that had sealed another action.
        seat: Seat,
        /// Turns played before.
        turn: u32,
    },
    /// A process whose lease runs owns it.
    #[error("`{0}` belongs to another process")]
    Owned(String),
    /// Another process has taken it over.
    #[error("`{0}` was taken over by another process")]
    Fenced(String),
    /// There is an answer to that question.
    #[error("that was answered before")]
    Answered,
    /// Another process is at it.
    #[error("`{0}` is in use by another process")]
    Held(String),
    /// The store was closed, or its thread ended.
    #[error("the store is closed")]
    Closed,
    /// What the database says, where none of the above fits.
    #[error("{at}: {why}")]
    Database {
        /// The store that was opened.
        at: Location,
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
                | StoreError::Owned(_)
                | StoreError::Fenced(_)
                | StoreError::NoJob(_)
                | StoreError::NoWorkers { .. }
                | StoreError::Answered
                | StoreError::Unfit { .. }
        )
    }

    /// Whether it may be over in a moment: a server that starts again.
    pub fn may_pass(&self) -> bool {
        matches!(self, StoreError::Lost { .. } | StoreError::Unreachable { .. })
    }
}
