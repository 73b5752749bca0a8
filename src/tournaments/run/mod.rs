//! Playing a tournament: from its schedule, into the store, from wherever it stopped.
//!
//! Games among bots are played on worker threads at the engine's speed. Games with anybody else are tasks that wait for
//! their players. Either way a finished game is in the store before the schedule hears of it. What was not finished is
//! played again with the same seed and the same name, and what models had answered in it comes from the journal.
//!
//! With [`Run::workers`] no game is played here: blocks become jobs that any number of workers take from the store, each
//! on a machine of its own ([`Workplace`]), and the schedule hears of their games as the jobs end.

mod dispatcher;
mod entry;
mod game;
mod job;
mod journal;
mod orders;
mod pool;
mod publish;
mod standings;
mod task;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

pub use self::entry::{Entry, EntryKind, PlayerFactory, SeatRequest};
pub use self::job::{
    AMONG_BOTS, JobBlock, JobBody, JobOutcome, StartedJob, VoidJob, WITH_OTHERS, Workplace, of_run, with_player,
};
pub use self::journal::{StoreJournal, games, ledger, recorded};
pub use self::orders::take_back;
pub use self::standings::{PlayerStanding, Standings};
pub use crate::matches::{GameSummary, SeatSummary};

use self::dispatcher::Dispatcher;
use super::schedule::{BadSetup, Block, Bracket, Schedule, Setup};
use super::score::Entrant;
use crate::games::ruleset::Ruleset;
use crate::players::model::RunBudget;
use crate::store::{JobQueue, Store, StoreError};

/// A ruleset and a map that every group plays on in turn.
#[derive(Clone, Debug)]
pub struct Course {
    /// What people call it, like `cowboy` or `cowboy on canyon`.
    pub name: String,
    /// The ruleset with its map.
    pub ruleset: Arc<Ruleset>,
}

/// A tournament that is to be played.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its own name in the store.
    pub id: String,
    /// Who takes part.
    pub entries: Vec<Entry>,
    /// What is played.
    pub courses: Vec<Course>,
    /// Who meets whom.
    pub setup: Setup,
    /// Where it is kept.
    pub store: Store,
    /// What models may use.
    pub budget: Arc<RunBudget>,
    /// How many games with models or programs are played at once.
    pub concurrency: usize,
    /// How many threads play games among bots.
    pub threads: usize,
    /// How long this run may take.
    pub time: Option<Duration>,
    /// Tells it to stop after the calls under way.
    pub stop: CancellationToken,
    /// Where models' answers are kept; it need not remember those of games that are over.
    pub journal: Option<Arc<StoreJournal>>,
    /// The queue of the workers who play its games; by default they are played here.
    pub workers: Option<Arc<JobQueue>>,
}

/// How a run went.
#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    /// Why it ended.
    pub end: RunEnd,
    /// How everybody stands.
    pub standings: Standings,
    /// The bracket of a knockout as it stands.
    pub bracket: Option<Bracket>,
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// All games are played.
    Finished,
    /// Somebody stopped it.
    Stopped,
    /// The money or the calls are used up.
    OutOfBudget {
        /// Which budget, what was spent, and how to raise it.
        why: String,
    },
    /// The time is up.
    OutOfTime,
    /// Players cannot be reached, by nobody's fault at the table.
    Failing {
        /// What failed last.
        why: String,
    },
}

/// A run that could not go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It cannot be played at all.
    #[error(transparent)]
    Setup(#[from] BadSetup),
    /// Games cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The ruleset does not take so many seats.
    #[error("{0}")]
    Seats(String),
}

/// What happens in a run, for whoever watches.
#[derive(Clone, Debug)]
pub enum RunEvent {
    /// A game is finished and kept.
    Game {
        /// The match that has its record.
        match_id: String,
        /// The block that it is part of.
        block: u64,
        /// Which game of the block.
        game: usize,
        /// Who played, in seat order.
        players: Vec<Entrant>,
        /// Their places, in seat order.
        places: Vec<u32>,
        /// How many turns were played.
        turns: u32,
        /// What it cost and who failed how.
        summary: GameSummary,
    },
    /// A game is void, by nobody's fault at the table.
    Fault {
        /// The block that it is part of.
        block: u64,
        /// Which game of the block.
        game: usize,
        /// What failed, in words.
        why: String,
        /// Whether it is played again in this run.
        again: bool,
    },
    /// No worker plays, or none with one of the players.
    Idle {
        /// Whom it is about, what to do, and what the workers say, in words.
        why: String,
    },
    /// No new game is begun.
    Stopping,
}

/// Whoever watches a run.
pub trait Audience {
    /// Completion of everything that happens, with the standings after it.
    fn told(&mut self, event: &RunEvent, standings: &Standings);

    /// Groups that need no blocks at all, asked before the first is handed out.
    fn retired(&self) -> Vec<Vec<Entrant>> {
        Vec::new()
    }

    /// Completion of each block as it is handed out, those that were played before included.
    fn begun(&mut self, _block: &Block) {}

    /// Told what a block was worth to each of its group, with a fingerprint of what was played in each of its games, or
    /// none where that was not noted. Gives the groups that need no more blocks.
    fn settled(&mut self, _block: &Block, _scores: &[f64], _played: &[u64]) -> Vec<Vec<Entrant>> {
        Vec::new()
    }
}

/// For runs that nobody watches.
impl Audience for () {
    fn told(&mut self, _: &RunEvent, _: &Standings) {}
}

impl Run {
    /// Plays what is left to play.
    ///
    /// # Errors
    /// If it cannot be played, or games cannot be kept.
    pub async fn play(self, audience: &mut (impl Audience + ?Sized)) -> Result<RunReport, RunError> {
        for course in &self.courses {
            course
                .ruleset
                .check_players(self.setup.seats)
                .map_err(|refusal| RunError::Seats(format!("{}: {}", course.name, refusal.message)))?;
        }
        let dispatcher = Dispatcher::open(self)?;
        dispatcher.play(audience).await
    }
}

/// How many games a set-up has, as far as that is known.
///
/// # Errors
/// If it cannot be played.
pub fn planned_games(setup: &Setup) -> Result<u64, BadSetup> {
    let schedule = Schedule::new(setup.clone())?;
    Ok(schedule.planned() * schedule.games_a_block() as u64)
}

/// The name of a tournament's game, the same whenever it is played.
pub fn match_id(tournament: &str, block: u64, game: usize) -> String {
    format!("{tournament}.{block}.{game}")
}
