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
mod care;
mod change;
mod connections;
mod counts;
mod error;
mod filter;
mod hold;
mod in_play;
mod index;
mod jobs;
mod link;
mod location;
mod names;
mod outcome;
mod owners;
mod packed;
mod postgres;
mod probe;
mod queue;
mod read;
mod recount;
mod schema;
mod shares;
mod sqlite;
mod stored;
mod tallies;
#[cfg(test)]
mod tests;
mod writer;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

pub use self::care::Prunable;
pub use self::change::{Change, FinishedGame, FinishedGames};
pub use self::error::StoreError;
pub use self::filter::Filter;
pub use self::hold::Hold;
pub use self::in_play::{GameInPlay, LinesInPlay};
pub use self::location::Location;
pub use self::names::NameLooks;
pub use self::outcome::{BlockOutcome, OutcomeGame};
pub use self::packed::{Packed, Packer};
pub use self::queue::{ClaimedJob, JobQueue, WorkerRow};
pub use self::stored::{
    BlockCount, BlockInfo, BlockProgress, FaultInfo, FoundInfo, GameCounts, GameInfo, GameTotal, JobCount, JobEnd,
    JobInfo, KeyHash, LadderPlace, MatchInfo, MatchStatus, NewMatch, OwnerInfo, Pace, PlayerCount, PlayerInfo, Portion,
    ProcessInfo, RatingPoint, RunSpending, SealedAction, SeatSpent, ShareAnswer, ShareRequest, Spending, StoredAnswer,
    StoredCall, StoredFit, StoredJob, StoredRequest, StoredSeatKey, Ticket, TournamentInfo,
};

use self::connections::Connections;
use self::postgres::Postgres;
use self::sqlite::Sqlite;
use self::writer::Done;
use crate::games::seat::Seat;
use crate::matches::Identity;

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

    /// Writes something, as an accepted action is written, to find out whether that can be done: the disk may be full.
    ///
    /// # Errors
    /// If it cannot.
    pub async fn probe(&self) -> Result<(), StoreError> {
        if let Location::File(path) = self.connections.location() {
            let at = Location::File(path.clone());
            // The file may have room within itself for a while after the disk is full.
            let room = tokio::task::spawn_blocking(move || probe::room_beside(&path)).await;
            room.unwrap_or(Ok(())).map_err(|error| probe::problem(&error, at))?;
        }
        // Under the name of no tournament: nobody reads it.
        let body = self.waiting().to_string();
        let found = FoundInfo { tournament: String::new(), topic: "probe".to_owned(), body };
        self.write(vec![Change::Found(found)]).await
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

    /// The registered player whose name could be taken for this one, by its id.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn name_holder(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.connections.name_holder(name.to_owned()).await
    }

    /// What each rated match made of somebody's Elo, in the order in which they ended. Matches of before version 8 are not
    /// among them.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn rating_curve(&self, who: &Identity) -> Result<Vec<RatingPoint>, StoreError> {
        self.connections.rating_curve(who.clone()).await
    }

    /// Where somebody stands on every ladder, by ruleset.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn ratings(&self, who: &Identity) -> Result<Vec<LadderPlace>, StoreError> {
        self.connections.ratings(who.clone()).await
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

    /// Who owns a match, or whatever else one process does at a time. None where nobody ever did.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn owner_of(&self, name: &str) -> Result<Option<OwnerInfo>, StoreError> {
        self.connections.owner_of(name.to_owned()).await
    }

    /// The processes whose leases run.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn processes(&self) -> Result<Vec<ProcessInfo>, StoreError> {
        self.connections.processes().await
    }

    /// Live matches that nobody plays whose lease runs, the oldest first, so many at most.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn left_behind(&self, limit: u32) -> Result<Vec<String>, StoreError> {
        self.connections.left_behind(limit).await
    }

    /// What was answered to a question, if it was.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn answer(&self, hash: KeyHash) -> Result<Option<StoredAnswer>, StoreError> {
        self.connections.answer(hash).await
    }

    /// Whether it is a file of this machine, whose locks tell at once when a process has ended.
    pub fn is_file(&self) -> bool {
        self.connections.is_file()
    }

    /// Every tournament, the newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn tournaments(&self) -> Result<Vec<TournamentInfo>, StoreError> {
        self.connections.tournaments().await
    }

    /// The newest tournament of this id or name.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn tournament(&self, id_or_name: &str) -> Result<Option<TournamentInfo>, StoreError> {
        self.connections.tournament(id_or_name.to_owned()).await
    }

    /// The blocks of a tournament that are drawn, in order.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn blocks(&self, tournament: &str) -> Result<Vec<BlockInfo>, StoreError> {
        self.connections.blocks(tournament.to_owned(), None).await
    }

    /// The latest blocks of a tournament, so many at most, in order.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn latest_blocks(&self, tournament: &str, limit: u32) -> Result<Vec<BlockInfo>, StoreError> {
        self.connections.blocks(tournament.to_owned(), Some(limit)).await
    }

    /// Whether a match that is over shares its seed with games that are still to be played: other games of its block, or,
    /// in an experiment that goes on, other blocks. What is planned says so, not what is in play at the moment. False where
    /// the match is no game of a tournament, or all of that is over.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn shares_open_seed(&self, match_id: &str) -> Result<bool, StoreError> {
        self.connections.shares_open_seed(match_id.to_owned()).await
    }

    /// The finished games of a tournament from this block on, in order.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn games_from(&self, tournament: &str, block: u64) -> Result<Vec<GameInfo>, StoreError> {
        self.connections.games_from(tournament.to_owned(), block).await
    }

    /// The finished games of a tournament, or of the whole store, as they are counted. None in a store that is only read
    /// and older than version 11, which has no counts.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn counts(&self, tournament: Option<&str>) -> Result<Option<GameCounts>, StoreError> {
        self.connections.counts(tournament.map(str::to_owned)).await
    }

    /// How many finished games every tournament has, by its id, and under no name those that are part of none. None in a
    /// store that has no counts.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn totals(&self) -> Result<Option<BTreeMap<String, GameTotal>>, StoreError> {
        self.connections.totals().await
    }

    /// The fit that is kept of something.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn fit(&self, scope: &str) -> Result<Option<StoredFit>, StoreError> {
        self.connections.fit(scope.to_owned()).await
    }

    /// The finished games of a tournament, or of everything that is not part of one, in order.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn games(&self, tournament: Option<&str>) -> Result<Vec<GameInfo>, StoreError> {
        self.connections.games(tournament.map(str::to_owned)).await
    }

    /// The games of tournaments that are being played, the latest first. They are no matches of the store until they are
    /// over.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn games_in_play(&self) -> Result<Vec<GameInPlay>, StoreError> {
        self.connections.in_play(None, apply::now()).await
    }

    /// A game of a tournament, if it is being played.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn game_in_play(&self, match_id: &str) -> Result<Option<GameInPlay>, StoreError> {
        Ok(self.connections.in_play(Some(match_id.to_owned()), apply::now()).await?.pop())
    }

    /// The record so far of a game that is being played, each line with its end. Empty where there is none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn record_in_play(&self, match_id: &str) -> Result<Vec<u8>, StoreError> {
        self.connections.record_in_play(match_id.to_owned()).await
    }

    /// The games of a tournament that were void, in the order in which that happened.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn faults(&self, tournament: &str) -> Result<Vec<FaultInfo>, StoreError> {
        self.connections.faults(tournament.to_owned(), None).await
    }

    /// The latest games of a tournament that were void, so many at most, in the order in which that happened.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn latest_faults(&self, tournament: &str, limit: u32) -> Result<Vec<FaultInfo>, StoreError> {
        self.connections.faults(tournament.to_owned(), Some(limit)).await
    }

    /// How many games of a tournament were void.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn fault_count(&self, tournament: &str) -> Result<u64, StoreError> {
        self.connections.fault_count(tournament.to_owned()).await
    }

    /// The finished games of a tournament in these blocks, the first and the last included, in order.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn games_in_blocks(&self, tournament: &str, first: u64, last: u64) -> Result<Vec<GameInfo>, StoreError> {
        self.connections.games_in_blocks(tournament.to_owned(), first, last).await
    }

    /// The matches of so many finished games of a tournament at most, from the first at equal distances, in order.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn games_at_equal_distances(&self, tournament: &str, most: u32) -> Result<Vec<String>, StoreError> {
        self.connections.games_at_equal_distances(tournament.to_owned(), most).await
    }

    /// A job by its name.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn job(&self, name: &str) -> Result<Option<StoredJob>, StoreError> {
        self.connections.job(name.to_owned()).await
    }

    /// The jobs of a run, or of all: those that wait, those that are played, and those whose end nobody has heard of.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn jobs(&self, tournament: Option<&str>) -> Result<Vec<StoredJob>, StoreError> {
        self.connections.jobs(tournament.map(str::to_owned)).await
    }

    /// The jobs of a run that are over.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn ended_jobs(&self, tournament: &str) -> Result<Vec<StoredJob>, StoreError> {
        self.connections.ended_jobs(tournament.to_owned()).await
    }

    /// How many jobs of which runs stand how, counted by the database.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn job_counts(&self) -> Result<Vec<JobCount>, StoreError> {
        self.connections.job_counts().await
    }

    /// Jobs that were set aside, so many at most: the run, and what is known of it.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn jobs_set_aside(&self, limit: u32) -> Result<Vec<(String, String)>, StoreError> {
        self.connections.set_aside(limit).await
    }

    /// What the runs that have jobs have spent, by run.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn spent_by_runs_with_jobs(&self) -> Result<BTreeMap<String, RunSpending>, StoreError> {
        self.connections.spent_by_runs_with_jobs().await
    }

    /// Everybody who works for this store. Whoever was silent for so long is stale. Nothing is made or changed for it.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn workers(&self, silent: Duration) -> Result<Vec<WorkerRow>, StoreError> {
        self.connections.workers(silent).await
    }

    /// The runs that have jobs which are not over.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn runs_with_jobs(&self) -> Result<Vec<String>, StoreError> {
        self.connections.runs_with_jobs().await
    }

    /// The jobs that a worker plays and that nobody needs any more.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn withdrawn_from(&self, worker: &str) -> Result<Vec<String>, StoreError> {
        self.connections.withdrawn_from(worker.to_owned()).await
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

    /// Takes the next so much time of a pace that processes on a server keep together; how long it is until then.
    ///
    /// # Errors
    /// If the store cannot be used.
    pub async fn pace(&self, name: &str, takes: Duration) -> Result<Duration, StoreError> {
        self.connections.pace(name.to_owned(), takes).await
    }

    /// Takes a portion of what processes on a server use together, if there is enough.
    ///
    /// # Errors
    /// If the store cannot be used.
    pub async fn take_share(&self, wanted: ShareRequest) -> Result<ShareAnswer, StoreError> {
        self.connections.take_share(wanted).await
    }

    /// Gives so much of a portion back.
    ///
    /// # Errors
    /// If the store cannot be used.
    pub async fn return_share(&self, name: &str, holder: &str, amount: u64) -> Result<(), StoreError> {
        self.connections.return_share(name.to_owned(), holder.to_owned(), amount).await
    }

    /// Lets go of a portion of which nothing is held any more.
    ///
    /// # Errors
    /// If the store cannot be used.
    pub async fn leave_share(&self, name: &str, holder: &str) -> Result<(), StoreError> {
        self.connections.leave_share(name.to_owned(), holder.to_owned()).await
    }

    /// Holds all portions of a holder for so long from now; what they are.
    ///
    /// # Errors
    /// If the store cannot be used.
    pub async fn renew_shares(&self, holder: &str, lasts: Duration) -> Result<Vec<Portion>, StoreError> {
        self.connections.renew_shares(holder.to_owned(), lasts).await
    }

    /// What models were asked in a match, finished or not, and what they answered.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn calls(&self, match_id: &str) -> Result<Vec<StoredCall>, StoreError> {
        self.connections.calls(match_id.to_owned()).await
    }

    /// How much can be cleared away that was last touched before this time, in milliseconds since 1970; see
    /// [`Change::Prune`].
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn prunable(&self, what: Prunable, before: i64) -> Result<u64, StoreError> {
        self.connections.prunable(what, before).await
    }

    /// What belongs to something that is not there, and how much of it.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn orphans(&self) -> Result<Vec<(&'static str, u64)>, StoreError> {
        self.connections.orphans().await
    }

    /// What the database itself says is broken: of a file; a server looks after itself.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn damage(&self) -> Result<Vec<String>, StoreError> {
        self.connections.damage().await
    }

    /// Copies a store to a file that is not there, as it is at one moment, while others go on writing to it.
    ///
    /// # Errors
    /// If the file cannot be written, or the store is on a server, which has its own way.
    pub async fn backup(&self, to: &Path) -> Result<(), StoreError> {
        self.connections.backup(to).await
    }

    /// Takes a name for this process alone, as long as the [`Hold`] lives. It is free again when the process ends, however
    /// it ends.
    ///
    /// # Errors
    /// If another process has it.
    pub async fn hold(&self, name: &str) -> Result<Hold, StoreError> {
        self.connections.hold(name).await
    }

    /// The same, and waits a while for a process that has just ended, where that takes a moment to be noticed: a file's
    /// names are free at once, a server's are not.
    ///
    /// # Errors
    /// If another process has it, and keeps it.
    pub async fn hold_when_free(&self, name: &str, at_most: Duration) -> Result<Hold, StoreError> {
        let end = Instant::now() + if self.connections.is_file() { Duration::ZERO } else { at_most };
        loop {
            match self.hold(name).await {
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
