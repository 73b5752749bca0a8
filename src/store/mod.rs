//! What outlives the process: matches and their records, sealed actions, keys, players, tournaments, and what models
//! were asked.
//!
//! A [`Store`] is one SQLite file, or a database on a PostgreSQL server; cloning it is cheap. All writing goes through one
//! queue: whatever waits there is written in one transaction, and nobody is told that a write is done before it is on the
//! disk. So a process that is killed at any moment loses nothing that it had acknowledged, and thousands of short games a
//! second fit through. Records of whole games and requests to models are kept [`Packed`].
//!
//! [`Store::write`] takes several [`Change`]s that happen together or not at all. Everything else that writes is a name
//! for one of them. Writes may be repeated: what is there already, in the same words, is no error.
//!
//! # What is deliberately absent
//!
//! No position is stored, only records. A sealed action is given out by [`Store::sealed`] alone, for whoever takes a live
//! match up again; no other read has it. Keys and tokens come here as [`KeyHash`] only.

mod apply;
mod arena;
mod backend;
mod batch;
mod change;
mod connections;
mod error;
mod filter;
mod hold;
mod link;
mod location;
mod packed;
mod postgres;
mod read;
mod schema;
mod sqlite;
mod stored;
#[cfg(test)]
mod tests;
mod writer;

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

pub use self::change::{Change, FinishedGame, FinishedGames};
pub use self::error::StoreError;
pub use self::filter::Filter;
pub use self::hold::Hold;
pub use self::location::Location;
pub use self::packed::{Packed, Packer};
pub use self::stored::{
    BlockInfo, FaultInfo, FoundInfo, GameInfo, KeyHash, LadderPlace, MatchInfo, MatchStatus, NewMatch, Pace,
    PlayerInfo, Rival, SealedAction, SeatSpent, StoredCall, StoredRequest, StoredSeatKey, Ticket, TournamentInfo,
};

use self::connections::Connections;
use self::postgres::Postgres;
use self::sqlite::Sqlite;
use self::writer::Done;
use crate::games::seat::Seat;

/// Everything that is kept. Cheap to clone; the last clone closes it.
#[derive(Clone, Debug)]
pub struct Store {
    connections: Connections,
}

impl Store {
    /// Opens a store to write, and makes it where there is none.
    ///
    /// # Errors
    /// If it cannot be used. Nothing is changed then.
    pub async fn open(location: &Location) -> Result<Store, StoreError> {
        let connections = match location.clone() {
            Location::File(path) => Connections::open(async || Ok(Sqlite::new(path))).await?,
            Location::Postgres(url) => Connections::open(async || Postgres::new(url)).await?,
        };
        Ok(Store { connections })
    }

    /// Opens a store only to read; it must be there. Works for files and folders that may not be written.
    ///
    /// # Errors
    /// If it cannot be used.
    pub async fn open_to_read(location: &Location) -> Result<Store, StoreError> {
        let connections = match location.clone() {
            Location::File(path) => Connections::open_to_read(async || Sqlite::to_read(path).await).await?,
            Location::Postgres(url) => Connections::open_to_read(async || Postgres::to_read(url).await).await?,
        };
        Ok(Store { connections })
    }

    /// Makes all these changes together, or none. When this is done they are on the disk.
    ///
    /// # Errors
    /// If they contradict what is kept, or the disk fails. None of them is kept then.
    pub async fn write(&self, changes: Vec<Change>) -> Result<(), StoreError> {
        let (done, told) = oneshot::channel();
        let done = Box::new(move |outcome| {
            // Whoever asked may have left; the write stands all the same.
            let _ = done.send(outcome);
        });
        self.connections.send(changes, done).await?;
        told.await.unwrap_or(Err(StoreError::Closed))
    }

    /// The same for threads that do not wait: `done` is called when the changes are on the disk, or have failed. They are
    /// gathered for a moment with others of the kind, unless [`Store::hurry`] says that none will come. It blocks only
    /// while the queue is full, and must not be called from within async code.
    ///
    /// # Errors
    /// If the store is closed.
    pub fn queue(
        &self,
        changes: Vec<Change>,
        done: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) -> Result<(), StoreError> {
        self.connections.send_blocking(changes, told(done))
    }

    /// Says that nothing more is queued for a while: what waits is written at once, not gathered for a moment.
    pub fn hurry(&self) {
        self.connections.hurry();
    }

    /// The same as [`Store::queue`] for async code that cannot wait. It never blocks; what does not fit into the queue
    /// follows.
    ///
    /// # Errors
    /// If the store is closed.
    pub fn write_later(
        &self,
        changes: Vec<Change>,
        done: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) -> Result<(), StoreError> {
        self.connections.send_later(changes, told(done))
    }

    /// How many writes wait for their turn: a measure of how busy the store is.
    pub fn waiting(&self) -> usize {
        self.connections.waiting()
    }

    /// Waits until everything that was sent is written, and lets go of the file. Other clones of the store are closed
    /// by it too.
    pub async fn close(self) {
        self.connections.close().await;
    }

    /// Adds lines to a record, from this line on, counted from 0. Lines that are there already, in the same words, are
    /// no error.
    ///
    /// # Errors
    /// If the match is not there or not live, a line is missing before these, or they do not continue the hash chain.
    pub async fn append(&self, match_id: &str, first_line: u64, lines: &[String]) -> Result<(), StoreError> {
        let change = Change::Append { match_id: match_id.to_owned(), first_line, lines: lines.to_vec() };
        self.write(vec![change]).await
    }

    /// Keeps an accepted action of a turn that is not played yet.
    ///
    /// # Errors
    /// If the seat has sealed another one for the same turn.
    pub async fn seal(&self, match_id: &str, sealed: SealedAction) -> Result<(), StoreError> {
        self.write(vec![Change::Seal { match_id: match_id.to_owned(), sealed }]).await
    }

    /// What is known of a match.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn find(&self, match_id: &str) -> Result<Option<MatchInfo>, StoreError> {
        self.connections.find(match_id.to_owned()).await
    }

    /// The matches that pass a filter, the newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn matches(&self, filter: &Filter) -> Result<Vec<MatchInfo>, StoreError> {
        self.connections.matches(filter.clone()).await
    }

    /// The record of a match from this line on, counted from 0: its bytes, each line with its end. Empty where there is
    /// nothing.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn record(&self, match_id: &str, first_line: u64) -> Result<Vec<u8>, StoreError> {
        self.connections.record(match_id.to_owned(), first_line).await
    }

    /// The sealed actions of the turn at hand, for whoever takes the match up again. Never to be shown.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn sealed(&self, match_id: &str) -> Result<Vec<SealedAction>, StoreError> {
        self.connections.sealed(match_id.to_owned()).await
    }

    /// Which seat of which match a key is for.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn seat_of(&self, key: KeyHash) -> Result<Option<(String, Seat)>, StoreError> {
        self.connections.seat_of(key).await
    }

    /// The keys of a match.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn keys(&self, match_id: &str) -> Result<Vec<StoredSeatKey>, StoreError> {
        self.connections.keys(match_id.to_owned()).await
    }

    /// A registered player by its token.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn player_of(&self, token: KeyHash) -> Result<Option<PlayerInfo>, StoreError> {
        self.connections.player_of(token).await
    }

    /// A registered player by its id.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn player(&self, id: &str) -> Result<Option<PlayerInfo>, StoreError> {
        self.connections.player(id.to_owned()).await
    }

    /// Where somebody stands on every ladder, by ruleset.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn ratings(&self, rival: &Rival) -> Result<Vec<LadderPlace>, StoreError> {
        self.connections.ratings(rival.clone()).await
    }

    /// The ladder of a ruleset, or of each, the highest Elo first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn ladder(&self, ruleset: Option<&str>) -> Result<Vec<LadderPlace>, StoreError> {
        self.connections.ladder(ruleset.map(str::to_owned)).await
    }

    /// Everybody's ticket, the oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn tickets(&self) -> Result<Vec<Ticket>, StoreError> {
        self.connections.tickets().await
    }

    /// Every tournament, the newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn tournaments(&self) -> Result<Vec<TournamentInfo>, StoreError> {
        self.connections.tournaments().await
    }

    /// The blocks of a tournament that are drawn, in order.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn blocks(&self, tournament: &str) -> Result<Vec<BlockInfo>, StoreError> {
        self.connections.blocks(tournament.to_owned()).await
    }

    /// The finished games of a tournament, or of everything that is not part of one, in order.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn games(&self, tournament: Option<&str>) -> Result<Vec<GameInfo>, StoreError> {
        self.connections.games(tournament.map(str::to_owned)).await
    }

    /// The games of a tournament that were void, in the order in which that happened.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn faults(&self, tournament: &str) -> Result<Vec<FaultInfo>, StoreError> {
        self.connections.faults(tournament.to_owned()).await
    }

    /// What was found out in a tournament or an experiment, by what it is about.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn found(&self, tournament: &str) -> Result<Vec<FoundInfo>, StoreError> {
        self.connections.found(tournament.to_owned()).await
    }

    /// What the requests to models cost in matches whose names begin so, a seat each.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn spent(&self, match_prefix: &str) -> Result<Vec<SeatSpent>, StoreError> {
        self.connections.spent(match_prefix.to_owned()).await
    }

    /// What models were asked in matches that are not finished and whose names begin so, and what they answered.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn open_calls(&self, match_prefix: &str) -> Result<Vec<StoredCall>, StoreError> {
        self.connections.open_calls(match_prefix.to_owned()).await
    }

    /// Takes a name for this process alone, as long as the [`Hold`] lives. It is free again when the process ends, however
    /// it ends.
    ///
    /// # Errors
    /// If another process has it.
    pub fn hold(&self, name: &str) -> Result<Hold, StoreError> {
        self.connections.hold(name)
    }

    /// The same, and waits a while for a process that has just ended, where that takes a moment to be noticed: a file's
    /// names are free at once, a server's are not.
    ///
    /// # Errors
    /// If another process has it, and keeps it.
    pub async fn hold_when_free(&self, name: &str, at_most: Duration) -> Result<Hold, StoreError> {
        let end = Instant::now() + if self.connections.is_file() { Duration::ZERO } else { at_most };
        loop {
            match self.hold(name) {
                Err(StoreError::Held(_)) if Instant::now() < end => sleep(Duration::from_millis(20)).await,
                outcome => return outcome,
            }
        }
    }
}

/// Tells how a write went, also if the store ends before it knows.
fn told(done: impl FnOnce(Result<(), StoreError>) + Send + 'static) -> Done {
    let mut done = Callback(Some(done));
    Box::new(move |outcome| done.tell(outcome))
}

struct Callback<F: FnOnce(Result<(), StoreError>)>(Option<F>);

impl<F: FnOnce(Result<(), StoreError>)> Callback<F> {
    fn tell(&mut self, outcome: Result<(), StoreError>) {
        if let Some(done) = self.0.take() {
            done(outcome);
        }
    }
}

impl<F: FnOnce(Result<(), StoreError>)> Drop for Callback<F> {
    fn drop(&mut self) {
        self.tell(Err(StoreError::Closed));
    }
}
