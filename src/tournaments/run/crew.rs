//! Threads that play games among bots.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::game::{self, Played};
use super::summary::Summary;
use crate::matches::SeatInfo;
use crate::players::BotSpec;
use crate::rules::Seed;
use crate::rules::ruleset::Ruleset;
use crate::store::{BlockInfo, Change, Game, NewMatch, Store, StoreError};
use crate::tournaments::score::Entrant;

/// A game that is to be played.
#[derive(Clone, Debug)]
pub(super) struct Job {
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
    /// The block, where it is not kept yet.
    pub(super) drawn: Option<BlockInfo>,
}

/// What became of a game.
#[derive(Debug)]
pub(super) enum Told {
    /// It is over, and kept if the outcome says so.
    Kept {
        job: Box<Job>,
        places: Vec<u32>,
        turns: u32,
        summary: Summary,
        among_bots: bool,
        outcome: Result<(), StoreError>,
    },
    /// It was broken off because the run stops.
    Abandoned { among_bots: bool },
    /// It failed by nobody's fault at the table.
    Fault { job: Box<Job>, why: String },
}

/// Threads that play games among bots.
#[derive(Debug)]
pub(super) struct Crew {
    jobs: Sender<Job>,
}

impl Crew {
    /// Starts so many threads. They end when the crew is dropped and its games are played.
    pub(super) fn start(
        threads: usize,
        store: &Store,
        halt: &CancellationToken,
        tell: &mpsc::UnboundedSender<Told>,
    ) -> Crew {
        let (jobs, queue) = channel();
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..threads.max(1) {
            let (queue, store, halt, tell) = (queue.clone(), store.clone(), halt.clone(), tell.clone());
            thread::spawn(move || work(&queue, &store, &halt, &tell));
        }
        Crew { jobs }
    }

    /// Has a game played.
    pub(super) fn play(&self, job: Job) {
        // The threads live as long as the crew.
        let _ = self.jobs.send(job);
    }
}

fn work(queue: &Mutex<Receiver<Job>>, store: &Store, halt: &CancellationToken, tell: &mpsc::UnboundedSender<Told>) {
    loop {
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        let played = game::among_bots(&job, halt);
        match played {
            None => drop(tell.send(Told::Abandoned { among_bots: true })),
            Some(played) => keep(store, job, played, tell),
        }
    }
}

/// Sends a game to the store and goes on; whoever waits for it is told when it is on the disk.
fn keep(store: &Store, job: Job, played: Played, tell: &mpsc::UnboundedSender<Told>) {
    let (changes, kept) = kept(job, played, true);
    let tell = tell.clone();
    // A store that is closed tells so by the same way.
    let _ = store.queue(changes, move |outcome| drop(tell.send(kept(outcome))));
}

/// What goes into the store for a game, and the news of it.
pub(super) fn kept(
    mut job: Job,
    played: Played,
    among_bots: bool,
) -> (Vec<Change>, impl FnOnce(Result<(), StoreError>) -> Told) {
    let Played { result, record, lines, summary } = played;
    let places: Vec<u32> = result.places.values().copied().collect();
    let turns = result.turns;
    let info = NewMatch {
        id: job.match_id.clone(),
        ruleset: job.ruleset.name.clone(),
        seed: job.seed,
        seats: job.seats.clone(),
        note: summary.written(),
    };
    let of = Some((job.tournament.clone(), job.block, job.game as u64));
    let game = Change::Game(Box::new(Game { info, result, record, lines, of }));
    let changes = job.drawn.take().map(Change::Block).into_iter().chain([game]).collect();
    let job = Box::new(job);
    (changes, move |outcome| Told::Kept { job, places, turns, summary, among_bots, outcome })
}
