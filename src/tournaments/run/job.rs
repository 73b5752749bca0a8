//! What a worker plays of a run: a job, its games, and what becomes of them.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex, Semaphore};
use tokio_util::sync::CancellationToken;

use super::pool::{Batch, Finished, GameJob, guarded, kept};
use super::{Course, Entry, StoreJournal, game, task};
use crate::games::Seed;
use crate::players::model::Limiter;
use crate::store::{Change, FinishedGames, JobEnd, Packer, Store, StoreError, StoredJob};
use crate::tournaments::schedule::Block;
use crate::tournaments::score::Entrant;

/// The ability that every job of a run needs.
pub fn of_run(id: &str) -> String {
    format!("run {id}")
}

/// The ability that a job needs in which this player of a run takes part.
pub fn with_player(id: &str, name: &str) -> String {
    format!("run {id}: {name}")
}

/// What a worker must have to spare: a thread for games among bots, or room for games whose players are waited for.
pub const AMONG_BOTS: &str = "games among bots";
/// The other of the two: room for games whose players are waited for. See [`AMONG_BOTS`].
pub const WITH_OTHERS: &str = "games with others";

/// What is to be played in a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobBody {
    /// Whether all players are bots.
    pub among_bots: bool,
    /// The blocks, in order.
    pub blocks: Vec<JobBlock>,
}

/// A block of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobBlock {
    /// Its number in the run.
    pub number: u64,
    /// Which ruleset and map, counted from 0.
    pub course: usize,
    /// The seed of all its games.
    pub seed: Seed,
    /// A game each: who sits where.
    pub games: Vec<Vec<Entrant>>,
}

impl From<&Block> for JobBlock {
    fn from(block: &Block) -> JobBlock {
        let Block { number, course, seed, games, .. } = block.clone();
        JobBlock { number, course, seed, games }
    }
}

impl From<&JobBlock> for Block {
    fn from(block: &JobBlock) -> Block {
        let JobBlock { number, course, seed, games } = block.clone();
        Block { number, group: games.first().cloned().unwrap_or_default(), course, seed, games }
    }
}

/// Why a job is void, as whoever scheduled it is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VoidJob {
    /// In which block.
    pub block: u64,
    /// Which game of it.
    pub game: usize,
    /// What failed, in words.
    pub why: String,
    /// Whether the run's money or calls are used up.
    pub is_used_up: bool,
}

/// A job that this worker has started.
#[derive(Debug)]
pub struct StartedJob {
    /// Its name in the store.
    pub name: String,
    /// What is to be played.
    pub body: JobBody,
    epoch: u64,
    /// Who has started it.
    worker: String,
    /// Games that were over before.
    done: HashSet<(u64, usize)>,
    halt: CancellationToken,
    /// The same for games among bots, which ask very often.
    is_halted: AtomicBool,
}

impl StartedJob {
    /// A job as the store has it, once it was started.
    ///
    /// # Errors
    /// If the store cannot be read.
    ///
    /// # Panics
    /// Never: a body that cannot be read has no games.
    pub async fn open(job: &StoredJob, store: &Store, halt: CancellationToken) -> Result<StartedJob, StoreError> {
        let body: JobBody = serde_json::from_str(&job.body).unwrap_or(JobBody { among_bots: true, blocks: Vec::new() });
        let numbers = || body.blocks.iter().map(|block| block.number);
        let mut done = HashSet::new();
        if let (Some(first), Some(last)) = (numbers().min(), numbers().max()) {
            let games = store.games_in_blocks(&job.tournament, first, last).await?;
            let places = games.iter().filter_map(|game| game.place);
            done.extend(places.filter_map(|(block, game)| Some((block, usize::try_from(game).ok()?))));
        }
        let (name, epoch, worker) = (job.name.clone(), job.epoch, job.worker.clone().unwrap_or_default());
        Ok(StartedJob { name, body, epoch, worker, done, halt, is_halted: AtomicBool::new(false) })
    }

    /// No new call is made and no new game begun.
    pub fn halt(&self) {
        self.halt.cancel();
        self.is_halted.store(true, Ordering::Relaxed);
    }

    fn is_halted(&self) -> bool {
        self.is_halted.load(Ordering::Relaxed) || self.halt.is_cancelled()
    }

    fn fence(&self, is_progress: bool) -> Change {
        Change::JobFence { name: self.name.clone(), epoch: self.epoch, is_progress }
    }

    fn end(&self, end: JobEnd, reason: Option<String>) -> Change {
        Change::EndJob { name: self.name.clone(), end, reason }
    }

    fn void(&self, void: &VoidJob) -> Change {
        self.end(JobEnd::Void, Some(serde_json::to_string(void).expect("plain data")))
    }

    fn give_back(&self) -> Change {
        Change::GiveBackJob { name: self.name.clone(), worker: self.worker.clone() }
    }

    /// Ends it without playing, for a reason.
    ///
    /// # Errors
    /// If another worker has it by now, or the store fails.
    pub async fn set_aside(&self, store: &Store, reason: String) -> Result<(), StoreError> {
        store.write(vec![self.fence(false), self.end(JobEnd::SetAside, Some(reason))]).await
    }
}

/// What became of a job on this worker.
#[derive(Debug)]
pub enum JobOutcome {
    /// It is over, one way or the other.
    Over,
    /// It was given back before its end.
    GivenBack,
    /// Another worker has it by now.
    Fenced,
    /// The store failed.
    Failed(StoreError),
}

impl From<StoreError> for JobOutcome {
    fn from(error: StoreError) -> JobOutcome {
        match error {
            StoreError::Fenced(_) => JobOutcome::Fenced,
            error => JobOutcome::Failed(error),
        }
    }
}

/// What a worker has of a run: its players, its rulesets and its limits.
#[derive(Clone)]
pub struct Workplace {
    /// The run's name in the store.
    pub id: String,
    /// Who takes part.
    pub entries: Vec<Entry>,
    /// What is played.
    pub courses: Vec<Course>,
    /// Where games are kept.
    pub store: Store,
    /// Where models' answers are kept.
    pub journal: Arc<StoreJournal>,
    /// What its players may use.
    pub limiter: Arc<dyn Limiter>,
}

impl std::fmt::Debug for Workplace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workplace").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Workplace {
    /// The games of a job that are not over.
    fn missing(&self, job: &StartedJob) -> Vec<GameJob> {
        let mut missing = Vec::new();
        for block in &job.body.blocks {
            let block_of_run = Block::from(block);
            for game in (0..block.games.len()).filter(|game| !job.done.contains(&(block.number, *game))) {
                missing.extend(GameJob::of(&self.id, &self.entries, &self.courses, &block_of_run, game));
            }
        }
        missing
    }

    /// Plays a job among bots on this thread. Games are kept as they end, and the last of them with the job's end.
    pub fn play_bots(&self, job: &StartedJob) -> JobOutcome {
        let (tell, told) = channel();
        let mut batch = Batch::default();
        let mut last = job.end(JobEnd::Done, None);
        let mut outcome = JobOutcome::Over;
        for played in self.missing(job) {
            let (block, game) = (played.block, played.game);
            match guarded(|| game::among_bots(&played, &job.is_halted, &mut batch.records)) {
                Ok(Some(over)) => batch.put(kept(played, over, true)),
                Ok(None) => {
                    batch.cut();
                    (last, outcome) = (job.give_back(), JobOutcome::GivenBack);
                    break;
                }
                Err(why) => {
                    batch.cut();
                    last = job.void(&VoidJob { block, game, why, is_used_up: false });
                    break;
                }
            }
            if batch.is_full() {
                self.send(&mut batch, job, None, &tell);
            }
            if let Some(error) = refused(&told) {
                return error.into();
            }
        }
        self.send(&mut batch, job, Some(last), &tell);
        self.store.hurry();
        drop(tell);
        told.into_iter().find_map(Result::err).map_or(outcome, JobOutcome::from)
    }

    fn send(&self, batch: &mut Batch, job: &StartedJob, last: Option<Change>, tell: &Sender<Result<(), StoreError>>) {
        let (games, over) = batch.take().unwrap_or_default();
        let changes: Vec<Change> = [job.fence(!over.is_empty())].into_iter().chain(games).chain(last).collect();
        let tell = tell.clone();
        // A store that is closed tells so by the same way.
        let _ = self.store.queue(changes, move |outcome| drop(tell.send(outcome)));
    }

    /// Plays a job with players who must be waited for, as many games at once as there are permits. Every answer and
    /// every game is kept as it comes, and the last game with the job's end.
    pub async fn play(self: Arc<Self>, job: Arc<StartedJob>, permits: Arc<Semaphore>) -> JobOutcome {
        let missing = self.missing(&job);
        for block in &job.body.blocks {
            let matches = format!("{}.{}.", self.id, block.number);
            match self.store.open_calls(&matches).await {
                Ok(calls) => self.journal.take_up(&matches, calls, (job.name.clone(), job.epoch)),
                Err(error) => return error.into(),
            }
        }
        let left = Arc::new(Mutex::new(missing.len()));
        if missing.is_empty() {
            return match self.store.write(vec![job.fence(true), job.end(JobEnd::Done, None)]).await {
                Ok(()) => JobOutcome::Over,
                Err(error) => error.into(),
            };
        }
        let games = missing.into_iter().map(|game| {
            let (place, job, permits, left) = (self.clone(), job.clone(), permits.clone(), left.clone());
            let at = (game.block, game.game);
            let playing = tokio::spawn(async move {
                let _permit = permits.acquire_owned().await;
                place.play_game(&job, game, &left).await
            });
            async move { (at, playing.await.unwrap_or_else(|failed| Err(GameFailure::Void(failed.to_string())))) }
        });
        let outcomes = join_all(games).await;
        for block in &job.body.blocks {
            self.journal.let_go(&format!("{}.{}.", self.id, block.number));
        }
        self.close(&job, outcomes).await
    }

    /// What a job came to whose games are all over or broken off.
    async fn close(&self, job: &StartedJob, outcomes: Vec<((u64, usize), Result<(), GameFailure>)>) -> JobOutcome {
        let mut void = None;
        for ((block, game), outcome) in outcomes {
            match outcome {
                Ok(()) => {}
                Err(GameFailure::Store(error)) => return error.into(),
                Err(GameFailure::Void(why)) => {
                    let is_used_up = self.limiter.is_used_up();
                    void.get_or_insert(VoidJob { block, game, why, is_used_up });
                }
            }
        }
        let (change, outcome) = match void {
            None => return JobOutcome::Over,
            Some(_) if job.is_halted() => (job.give_back(), JobOutcome::GivenBack),
            Some(void) => (job.void(&void), JobOutcome::Over),
        };
        match self.store.write(vec![job.fence(false), change]).await {
            Ok(()) => outcome,
            Err(error) => error.into(),
        }
    }

    async fn play_game(&self, job: &StartedJob, game: GameJob, left: &Mutex<usize>) -> Result<(), GameFailure> {
        if job.is_halted() {
            return Err(GameFailure::Void("the job was halted".to_owned()));
        }
        let mut record = Vec::new();
        let (played, leave) = task::refereed(&self.entries, &self.store, &game, &job.halt, &mut record).await;
        let played = match played {
            Ok(played) => played,
            Err(why) => {
                // Whether the store can be written is found out by what matters.
                let _ = self.store.write(vec![job.fence(false), leave]).await;
                return Err(GameFailure::Void(why));
            }
        };
        let match_id = game.match_id.clone();
        let Finished { block, game, .. } = kept(game, played, false);
        let games = FinishedGames { games: vec![game], records: Packer::default().pack(&record) };
        // Whoever is last ends the job, and is not last before the others are written.
        let mut left = left.lock().await;
        let end = (*left == 1).then(|| job.end(JobEnd::Done, None));
        let games = [Change::Games(Box::new(games)), leave];
        let changes = [job.fence(true)].into_iter().chain(block).chain(games).chain(end);
        self.store.write(changes.collect()).await.map_err(GameFailure::Store)?;
        *left -= 1;
        self.journal.forget(&match_id);
        Ok(())
    }
}

/// Why a game is not kept.
enum GameFailure {
    /// The store refused it or failed.
    Store(StoreError),
    /// It could not be played to its end.
    Void(String),
}

/// The first write that was refused so far.
fn refused(told: &Receiver<Result<(), StoreError>>) -> Option<StoreError> {
    told.try_iter().find_map(Result::err)
}
