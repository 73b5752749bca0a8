//! Threads that play games among bots.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{mem, thread};

use tokio::sync::mpsc;

use super::game::{self, PlayedGame};
use super::{Course, Entry, match_id};
use crate::bots::BotSpec;
use crate::games::Seed;
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::matches::{GameSummary, SeatInfo};
use crate::store::{BlockInfo, Change, FinishedGame, FinishedGames, NewMatch, Packer, Store, StoreError};
use crate::tournaments::schedule::Block;
use crate::tournaments::score::Entrant;

/// For so long quick games are gathered on their way to the store.
const GATHERED: Duration = Duration::from_millis(5);

/// So many bytes of records are enough: whoever reads one of them unpacks all.
const FULL: usize = 512 * 1024;

/// A game that is to be played.
#[derive(Clone, Debug)]
pub(super) struct GameJob {
    pub(super) tournament: String,
    pub(super) block: u64,
    pub(super) game: usize,
    pub(super) match_id: String,
    pub(super) ruleset: Arc<Ruleset>,
    pub(super) seed: Seed,
    pub(super) seats: Vec<SeatInfo>,
    pub(super) entrants: Vec<Entrant>,
    /// By seat; none where somebody else sits.
    pub(super) bots: Vec<Option<BotSpec>>,
    /// The block, where it may not be kept yet.
    pub(super) drawn: Option<BlockInfo>,
}

impl GameJob {
    /// A game of a block, if the block has it.
    pub(super) fn of(run: &str, entries: &[Entry], courses: &[Course], block: &Block, game: usize) -> Option<GameJob> {
        let entrants = block.games.get(game)?.clone();
        let seated = entrants.iter().map(|one| entries.get(one.index())).collect::<Option<Vec<&Entry>>>()?;
        let seats = Seat::first(seated.len()).zip(&seated);
        let seats = seats.map(|(seat, entry)| SeatInfo::configured(seat, entry.name.clone(), entry.model.clone()));
        Some(GameJob {
            tournament: run.to_owned(),
            block: block.number,
            game,
            match_id: match_id(run, block.number, game),
            ruleset: courses.get(block.course)?.ruleset.clone(),
            seed: block.seed,
            seats: seats.collect(),
            bots: seated.iter().map(|entry| entry.bot()).collect(),
            entrants,
            drawn: None,
        })
    }
}

/// A game that is over.
#[derive(Debug)]
pub(super) struct Over {
    pub(super) job: GameJob,
    pub(super) places: Vec<u32>,
    pub(super) turns: u32,
    pub(super) summary: GameSummary,
    pub(super) among_bots: bool,
}

/// What became of a game.
#[derive(Debug)]
pub(super) enum Completion {
    /// It is over, and kept if the outcome says so.
    Finished { game: Box<Over>, outcome: Result<(), StoreError> },
    /// It was broken off because the run stops.
    Abandoned { among_bots: bool },
    /// It failed by nobody's fault at the table.
    Fault { job: Box<GameJob>, why: String, among_bots: bool },
}

/// Threads that play games among bots. They end when the pool is dropped.
#[derive(Debug)]
pub(super) struct WorkerPool {
    jobs: Sender<GameJob>,
    halt: Arc<AtomicBool>,
}

impl WorkerPool {
    /// Starts so many threads.
    pub(super) fn start(threads: usize, store: &Store, tell: &mpsc::UnboundedSender<Completion>) -> WorkerPool {
        let (jobs, queue) = channel();
        let halt = Arc::<AtomicBool>::default();
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..threads.max(1) {
            let (queue, store, halt, tell) = (queue.clone(), store.clone(), halt.clone(), tell.clone());
            thread::spawn(move || work(&queue, &store, &halt, &tell));
        }
        WorkerPool { jobs, halt }
    }

    /// Has all games broken off.
    pub(super) fn halt(&self) {
        self.halt.store(true, Ordering::Relaxed);
    }

    /// Has a game played.
    pub(super) fn play(&self, job: GameJob) {
        // The threads live as long as the pool.
        let _ = self.jobs.send(job);
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.halt();
    }
}

fn work(queue: &Mutex<Receiver<GameJob>>, store: &Store, halt: &AtomicBool, tell: &mpsc::UnboundedSender<Completion>) {
    let mut batch = Batch::default();
    while let Some(job) = next(queue, || {
        batch.send(store, tell);
        store.hurry();
    }) {
        let is_quick = job.bots.iter().flatten().all(BotSpec::is_quick);
        if !is_quick {
            batch.send(store, tell);
        }
        match guarded(|| game::among_bots(&job, halt, &mut batch.records)) {
            Ok(Some(played)) => batch.put(kept(job, played, true)),
            other => {
                // Its record is half there; the run stops, or a bot failed.
                batch.cut();
                let _ = tell.send(match other {
                    Err(why) => Completion::Fault { job: Box::new(job), why, among_bots: true },
                    Ok(_) => Completion::Abandoned { among_bots: true },
                });
            }
        }
        if !is_quick || batch.is_full() {
            batch.send(store, tell);
        }
    }
}

/// Plays a game. A bot that panics has failed; the thread, and whoever counts on its games, has not.
pub(super) fn guarded<T>(play: impl FnOnce() -> T) -> Result<T, String> {
    panic::catch_unwind(AssertUnwindSafe(play)).map_err(|panicked| {
        let told = panicked.downcast_ref::<String>().map(String::as_str);
        let told = told.or_else(|| panicked.downcast_ref::<&str>().copied());
        format!("a bot failed: {}", told.unwrap_or("it panicked"))
    })
}

/// The next job, once there is one. Whoever has to wait does something else first.
fn next(queue: &Mutex<Receiver<GameJob>>, before_waiting: impl FnOnce()) -> Option<GameJob> {
    // Another one may hold the queue while it waits.
    let come = queue.try_lock().ok().and_then(|queue| queue.try_recv().ok());
    come.or_else(|| {
        before_waiting();
        queue.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
    })
}

/// Games that are over and on their way to the store.
///
/// Quick games are not worth a way each. None waits for one that is not quick, nor longer than a moment.
#[derive(Default)]
pub(super) struct Batch {
    /// The records, one after the other.
    pub(super) records: Vec<u8>,
    games: Vec<FinishedGame>,
    blocks: Vec<Change>,
    over: Vec<Over>,
    since: Option<Instant>,
    packer: Packer,
}

impl Batch {
    pub(super) fn put(&mut self, Finished { block, game, over }: Finished) {
        self.blocks.extend(block);
        self.games.push(game);
        self.over.push(over);
        self.since.get_or_insert_with(Instant::now);
    }

    /// Forgets a record that was begun.
    pub(super) fn cut(&mut self) {
        let whole: u64 = self.games.iter().map(|game| game.size).sum();
        self.records.truncate(usize::try_from(whole).unwrap_or(usize::MAX));
    }

    pub(super) fn is_full(&self) -> bool {
        self.records.len() >= FULL || self.since.is_some_and(|since| since.elapsed() >= GATHERED)
    }

    /// What goes into the store, and the news of it; nothing where there are no games.
    pub(super) fn take(&mut self) -> Option<(Vec<Change>, Vec<Over>)> {
        let (games, over) = (mem::take(&mut self.games), mem::take(&mut self.over));
        if games.is_empty() {
            return None;
        }
        let games = Change::Games(Box::new(FinishedGames { games, records: self.packer.pack(&self.records) }));
        self.records.clear();
        self.since = None;
        Some((self.blocks.drain(..).chain([games]).collect(), over))
    }

    /// Sends them to the store and goes on; whoever waits for them is told when they are on the disk.
    fn send(&mut self, store: &Store, tell: &mpsc::UnboundedSender<Completion>) {
        let Some((changes, over)) = self.take() else { return };
        let tell = tell.clone();
        // A store that is closed tells so by the same way.
        let _ = store.queue(changes, move |outcome| {
            for game in over {
                let _ = tell.send(Completion::Finished { game: Box::new(game), outcome: outcome.clone() });
            }
        });
    }
}

/// What goes into the store for a game, and the news of it.
pub(super) struct Finished {
    pub(super) block: Option<Change>,
    pub(super) game: FinishedGame,
    pub(super) over: Over,
}

/// What is kept of a game.
pub(super) fn kept(mut job: GameJob, played: PlayedGame, among_bots: bool) -> Finished {
    let PlayedGame { result, size, lines, summary } = played;
    let places: Vec<u32> = result.places.values().copied().collect();
    let turns = result.turns;
    let info = NewMatch {
        id: job.match_id.clone(),
        ruleset: job.ruleset.name.clone(),
        seed: job.seed,
        seats: mem::take(&mut job.seats),
        note: summary.written(),
    };
    let of = Some((mem::take(&mut job.tournament), job.block, job.game as u64));
    let game = FinishedGame { info, result, size, lines, of };
    let block = job.drawn.take().map(Change::Block);
    Finished { block, game, over: Over { job, places, turns, summary, among_bots } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bot_that_panics_fails_its_game_and_nothing_else() {
        assert_eq!(guarded(|| 7), Ok(7));
        let turn = 3;
        assert_eq!(
            guarded(|| assert!(turn < 3, "no move in turn {turn}")),
            Err("a bot failed: no move in turn 3".to_owned())
        );
        assert_eq!(guarded(|| assert!(turn < 3, "plainly")), Err("a bot failed: plainly".to_owned()));
    }
}
