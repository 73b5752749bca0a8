//! A run whose games workers play: what they are to play, and what came back.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use tokio_util::sync::CancellationToken;

use super::dispatcher::Dispatcher;
use super::job::{self, JobBlock, JobBody, VoidJob};
use super::pool::{Completion, Over};
use super::{Audience, Entry, RunEnd, RunError, RunEvent};
use crate::bots::BotSpec;
use crate::matches::GameSummary;
use crate::players::model::Spent;
use crate::store::{
    BlockInfo, Change, GameInfo, JobEnd, JobInfo, JobQueue, Location, Store, StoreError, StoredJob, WorkerRow,
};

/// Games among bots go out in jobs of about so long.
const JOB: f64 = 2.0;

/// No job has more games than this.
const GAMES: usize = 1000;

/// How many games the first jobs have, before anything is known of how long one takes: among quick bots, and where one of
/// them searches.
const FIRST_GAMES: usize = 40;
const FIRST_OF_SLOW: usize = 2;

/// How often it is looked who works.
const LOOK: Duration = Duration::from_secs(2);

/// So long a worker may be silent before nothing is expected of it.
const SILENT: Duration = Duration::from_mins(1);

/// So often it is said that nobody plays.
const RETOLD: Duration = Duration::from_secs(30);

/// So long workers may take to finish their calls under way, when a run goes on without them.
const LETTING_GO: Duration = Duration::from_secs(30);

/// How often it is looked whether they have.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Takes a run's games back from workers, so that it can be played here: what waits is withdrawn, and the calls under way
/// are finished and kept. Whoever has not let go of a job by then writes nothing more of it.
///
/// # Errors
/// If the store fails.
pub async fn take_back(store: &Store, id: &str, stop: &CancellationToken) -> Result<(), StoreError> {
    if store.is_file() {
        return Ok(());
    }
    let names: Vec<String> = store.jobs(Some(id)).await?.into_iter().map(|job| job.name).collect();
    if names.is_empty() {
        return Ok(());
    }
    store.write(vec![Change::WithdrawJobs { names: names.clone(), even_begun: true }]).await?;
    let end = Instant::now() + LETTING_GO;
    let is_held = |job: &StoredJob| job.worker.is_some() && matches!(job.end, None | Some(JobEnd::Withdrawn));
    while store.jobs(Some(id)).await?.iter().any(is_held) && Instant::now() < end && !stop.is_cancelled() {
        tokio::time::sleep(LOOK_AGAIN).await;
    }
    store.write(vec![Change::ForgetJobs { names, even_begun: true }]).await
}

/// What workers are to play.
pub(super) struct Orders {
    queue: Arc<JobQueue>,
    /// Blocks among bots that become a job together, and how many games of them are to be played.
    gathered: Vec<u64>,
    gathered_games: usize,
    /// Jobs that wait or are played, with their blocks.
    jobs: BTreeMap<String, Vec<u64>>,
    /// What is to be written.
    changes: Vec<Change>,
    /// How long a game among bots takes, in seconds, as far as is known.
    pace: Option<f64>,
    /// How many threads and how many games at once the workers have.
    threads: usize,
    at_once: usize,
    looked: Option<Instant>,
    /// Why nobody plays, if nobody does, and what was said of it when.
    idle: Option<String>,
    told: Option<(String, Instant)>,
    /// How many games the first jobs have.
    first_games: usize,
    /// Why jobs were set aside.
    aside: Vec<String>,
    is_stopped: bool,
}

impl Orders {
    pub(super) fn new(queue: Arc<JobQueue>, entries: &[Entry]) -> Orders {
        let is_slow = |entry: &Entry| matches!(entry.bot(), Some(BotSpec::Search(_)));
        Orders {
            queue,
            gathered: Vec::new(),
            gathered_games: 0,
            jobs: BTreeMap::new(),
            changes: Vec::new(),
            pace: None,
            threads: 2,
            at_once: 8,
            looked: None,
            idle: None,
            told: None,
            first_games: if entries.iter().any(is_slow) { FIRST_OF_SLOW } else { FIRST_GAMES },
            aside: Vec::new(),
            is_stopped: false,
        }
    }

    /// How many games a job among bots has.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
    fn games_per_job(&self) -> usize {
        self.pace.map_or(self.first_games, |pace| (JOB / pace) as usize).clamp(1, GAMES)
    }

    /// Whether more blocks can go out: enough that no worker is ever idle, and few enough that an experiment that is
    /// decided does not play on.
    pub(super) fn has_room(&self, among_bots: usize, others: usize) -> bool {
        among_bots < 3 * self.threads * self.games_per_job() && others < self.at_once + self.at_once / 2
    }

    #[expect(clippy::cast_precision_loss, reason = "a job has few games")]
    fn learn(&mut self, job: &StoredJob, games: usize) {
        if let Some(took) = job.took.filter(|_| games > 0) {
            let pace = (took as f64 / 1000.0 / games as f64).max(1e-6);
            self.pace = Some(self.pace.map_or(pace, |known| 0.7 * known + 0.3 * pace));
        }
    }

    /// Looks who works, and for this run.
    async fn look(&mut self, store: &Store, run: &str) {
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK) {
            return;
        }
        self.looked = Some(Instant::now());
        let Ok(workers) = store.workers(SILENT).await else { return };
        let sum = |field: &str| {
            let alive = workers.iter().filter(|worker| !worker.is_stale);
            let numbers = alive.filter_map(|worker| usize::try_from(worker.about[field].as_u64()?).ok());
            numbers.sum::<usize>()
        };
        (self.threads, self.at_once) = (sum("threads").max(2), sum("concurrency").max(8));
        let alive: Vec<&WorkerRow> = workers.iter().filter(|worker| !worker.is_stale).collect();
        self.idle = idle(&alive, run, self.queue.location());
    }

    /// Says why nobody plays, if there is something to say: at once, when it changes, and again and again.
    fn complain(&mut self) -> Option<RunEvent> {
        let Some(why) = &self.idle else {
            self.told = None;
            return None;
        };
        let is_known = self.told.as_ref().is_some_and(|(told, when)| told == why && when.elapsed() < RETOLD);
        if is_known {
            return None;
        }
        self.told = Some((why.clone(), Instant::now()));
        Some(RunEvent::Idle { why: why.clone() })
    }

    /// Nothing more is needed of anybody.
    pub(super) fn stop(&mut self) {
        self.is_stopped = true;
    }
}

/// Why nobody plays the games of a run, or those of one of its players, if that is so. A worker that has said nothing of
/// the run yet may play them.
fn idle(workers: &[&WorkerRow], run: &str, at: &Location) -> Option<String> {
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let reasons = |found: BTreeSet<String>| found.iter().flat_map(|why| ["; ", why]).collect::<String>();
    let (declining, taking): (Vec<&WorkerRow>, Vec<&WorkerRow>) =
        workers.iter().partition(|worker| worker.about["declined"][run].is_string());
    let Some((first, others)) = taking.split_first() else {
        let of = |worker: &&WorkerRow| format!("{}: {}", worker.name, text(&worker.about["declined"][run]));
        let why = reasons(declining.iter().map(of).collect());
        return Some(format!("no worker takes games of this run: start `standoff work --store {at}`{why}"));
    };
    let missing = |worker: &WorkerRow, player: &String| worker.about["without"][run][player].is_string();
    let without = first.about["without"][run].as_object()?;
    let player = without.keys().find(|player| others.iter().all(|worker| missing(worker, player)))?;
    let of = |worker: &&WorkerRow| format!("{}: {}", worker.name, text(&worker.about["without"][run][player]));
    Some(format!("no worker takes games with {player}{}", reasons(taking.iter().map(of).collect())))
}

impl Dispatcher {
    /// What an earlier process left behind: ends that nobody heard of, and jobs among bots, which are cut anew.
    pub(super) async fn tidy_up(&mut self) -> Result<(), RunError> {
        let Some(orders) = &mut self.orders else { return Ok(()) };
        let jobs = self.run.store.jobs(Some(&self.run.id)).await?;
        let is_of_bots = |job: &StoredJob| serde_json::from_str(&job.body).is_ok_and(|body: JobBody| body.among_bots);
        let (of_bots, others): (Vec<StoredJob>, Vec<StoredJob>) = jobs.into_iter().partition(is_of_bots);
        let cut_anew: Vec<String> = of_bots.into_iter().map(|job| job.name).collect();
        // Others go on as they are, and those that were withdrawn or set aside are tried again.
        let over = others.into_iter().filter(|job| matches!(job.end, Some(JobEnd::Done | JobEnd::Void)));
        let names = over.map(|job| job.name).chain(cut_anew.iter().cloned()).collect();
        let withdraw = Change::WithdrawJobs { names: cut_anew, even_begun: true };
        self.run.store.write(vec![withdraw, Change::ForgetJobs { names, even_begun: true }]).await?;
        orders.look(&self.run.store, &self.run.id).await;
        Ok(())
    }

    /// Has a block played, whose games are missing.
    pub(super) fn order(&mut self, number: u64, missing: usize, among_bots: bool) {
        let Some(orders) = &mut self.orders else { return };
        if !among_bots {
            self.in_tasks += missing;
            return self.send_out(&[number], false);
        }
        self.in_pool += missing;
        orders.gathered.push(number);
        orders.gathered_games += missing;
        if orders.gathered_games >= orders.games_per_job() {
            self.send_gathered();
        }
    }

    /// What is gathered becomes a job.
    pub(super) fn send_gathered(&mut self) {
        let Some(orders) = &mut self.orders else { return };
        let gathered = std::mem::take(&mut orders.gathered);
        orders.gathered_games = 0;
        if !gathered.is_empty() {
            self.send_out(&gathered, true);
        }
    }

    fn send_out(&mut self, numbers: &[u64], among_bots: bool) {
        let run = &self.run;
        let (mut blocks, mut changes) = (Vec::new(), Vec::new());
        let mut needs =
            vec![job::of_run(&run.id), if among_bots { job::AMONG_BOTS } else { job::WITH_OTHERS }.to_owned()];
        for open in numbers.iter().filter_map(|number| self.blocks.get(number)) {
            let block = &open.block;
            let entries = || block.group.iter().map(|one| &run.entries[one.index()]);
            changes.push(Change::Block(BlockInfo {
                tournament: run.id.clone(),
                number: block.number,
                ruleset: run.courses[block.course].name.clone(),
                seed: block.seed,
                players: entries().map(|entry| entry.name.clone()).collect(),
            }));
            let others = entries().filter(|entry| entry.bot().is_none());
            needs.extend(others.map(|entry| job::with_player(&run.id, &entry.name)));
            blocks.push(JobBlock::from(block));
        }
        needs.sort();
        needs.dedup();
        let name = match numbers {
            [first, .., last] if among_bots => format!("{}.{first}-{last}", run.id),
            [first, ..] => format!("{}.{first}", run.id),
            [] => return,
        };
        let body = serde_json::to_string(&JobBody { among_bots, blocks }).expect("plain data");
        changes.push(Change::Job(JobInfo { name: name.clone(), tournament: run.id.clone(), body, needs }));
        if let Some(orders) = &mut self.orders {
            orders.changes.extend(changes);
            orders.jobs.insert(name, numbers.to_vec());
        }
    }

    /// Blocks of these groups are not needed any more, where nobody plays them yet.
    pub(super) fn withdraw_idle(&mut self, is_needed: impl Fn(&u64) -> bool) {
        let Some(orders) = &mut self.orders else { return };
        let idle = orders.jobs.iter().filter(|(_, blocks)| !blocks.iter().any(&is_needed));
        let names: Vec<String> = idle.map(|(name, _)| name.clone()).collect();
        if !names.is_empty() {
            orders.changes.push(Change::WithdrawJobs { names, even_begun: false });
        }
    }

    /// Writes what workers are to play, all of a block or nothing.
    pub(super) async fn write_orders(&mut self) -> Result<(), RunError> {
        let Some(orders) = &mut self.orders else { return Ok(()) };
        if orders.is_stopped {
            orders.changes.clear();
            let names: Vec<String> = std::mem::take(&mut orders.jobs).into_keys().collect();
            (self.in_pool, self.in_tasks) = (0, 0);
            // Whoever plays them keeps the answers under way, and then lets go. Nobody needs to hear of the others.
            let forget = Change::ForgetJobs { names: names.clone(), even_begun: false };
            self.run.store.write(vec![Change::WithdrawJobs { names, even_begun: true }, forget]).await?;
            return Ok(());
        }
        if !orders.changes.is_empty() {
            self.run.store.write(std::mem::take(&mut orders.changes)).await?;
        }
        Ok(())
    }

    /// Hears what became of jobs.
    pub(super) async fn hear_of_jobs(&mut self, audience: &mut (impl Audience + ?Sized)) -> Result<(), RunError> {
        let Some(orders) = &mut self.orders else { return Ok(()) };
        orders.look(&self.run.store, &self.run.id).await;
        if let Some(idle) = orders.complain() {
            audience.told(&idle, &self.standings);
        }
        let ended = match self.run.store.ended_jobs(&self.run.id).await {
            Ok(ended) => ended,
            Err(error) if error.may_pass() => {
                tracing::warn!(%error, "the store is away; what workers play is heard of later");
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let mut heard = Vec::new();
        for job in ended {
            let blocks = self.orders.as_ref().and_then(|orders| orders.jobs.get(&job.name)).cloned();
            if let Some(blocks) = blocks {
                match self.games_of(&blocks).await {
                    Ok(games) => self.hear_of(&job, &blocks, games, audience).await?,
                    // The rest is heard of when the store is back.
                    Err(error) if error.may_pass() => break,
                    Err(error) => return Err(error.into()),
                }
            }
            // What was set aside stays to be looked at, until it is tried again.
            if job.end != Some(JobEnd::SetAside) {
                heard.push(job.name);
            }
        }
        if !heard.is_empty() {
            self.run.store.write(vec![Change::ForgetJobs { names: heard, even_begun: true }]).await?;
        }
        Ok(())
    }

    /// The games of these blocks that are kept.
    async fn games_of(&self, blocks: &[u64]) -> Result<Vec<GameInfo>, StoreError> {
        match (blocks.iter().min(), blocks.iter().max()) {
            (Some(first), Some(last)) => self.run.store.games_in_blocks(&self.run.id, *first, *last).await,
            _ => Ok(Vec::new()),
        }
    }

    async fn hear_of(
        &mut self,
        job: &StoredJob,
        blocks: &[u64],
        kept: Vec<GameInfo>,
        audience: &mut (impl Audience + ?Sized),
    ) -> Result<(), RunError> {
        if let Some(orders) = &mut self.orders {
            orders.jobs.remove(&job.name);
        }
        let among_bots = serde_json::from_str(&job.body).is_ok_and(|body: JobBody| body.among_bots);
        let mut games = 0;
        for game in kept {
            let Some((block, number)) = game.place else { continue };
            let number = usize::try_from(number).unwrap_or(usize::MAX);
            let is_missing = self.blocks.get(&block).is_some_and(|open| open.done.get(number) == Some(&None));
            if !is_missing || !blocks.contains(&block) {
                continue;
            }
            let Some(job) = self.job(block, number) else { continue };
            games += 1;
            let places = game.result.places.values().copied().collect();
            let (turns, summary) = (game.result.turns, GameSummary::read(game.note.as_deref()));
            for (seat, own) in summary.seats.iter().filter(|(_, own)| own.calls > 0) {
                self.run.budget.hear(&game.match_id, *seat, Spent::new(own.calls, own.usd));
            }
            let over = Over { job, places, turns, summary, among_bots };
            self.hear(Completion::Finished { game: Box::new(over), outcome: Ok(()) }, audience).await?;
        }
        if among_bots && let Some(orders) = &mut self.orders {
            orders.learn(job, games);
        }
        // What is still missing is under way no more.
        let missing = |open: &super::dispatcher::Open| open.done.iter().filter(|done| done.is_none()).count();
        let left: usize = blocks.iter().filter_map(|block| self.blocks.get(block)).map(missing).sum();
        let count = if among_bots { &mut self.in_pool } else { &mut self.in_tasks };
        *count = count.saturating_sub(left);
        let reason = job.reason.clone().unwrap_or_default();
        match job.end {
            Some(JobEnd::Void) => self.void(&reason, blocks, among_bots, audience).await,
            Some(JobEnd::SetAside) => {
                self.standings.fault();
                let block = blocks.first().copied().unwrap_or_default();
                let event = RunEvent::Fault { block, game: 0, why: reason.clone(), again: false };
                audience.told(&event, &self.standings);
                if let Some(orders) = &mut self.orders {
                    orders.aside.push(reason);
                }
                Ok(())
            }
            Some(JobEnd::Done | JobEnd::Withdrawn) | None => Ok(()),
        }
    }

    /// A game could not be played to its end on a worker. It is tried again with all that its job has not played, unless
    /// that is hopeless.
    async fn void(
        &mut self,
        reason: &str,
        blocks: &[u64],
        among_bots: bool,
        audience: &mut (impl Audience + ?Sized),
    ) -> Result<(), RunError> {
        let Ok(VoidJob { block, game, why, is_used_up }) = serde_json::from_str(reason) else { return Ok(()) };
        if is_used_up {
            self.stop(RunEnd::OutOfBudget { why }, audience);
            return Ok(());
        }
        let Some(job) = self.job(block, game) else { return Ok(()) };
        self.fault(job, why, audience).await?;
        let again = std::mem::take(&mut self.waiting).into_iter().map(|(block, _)| block);
        let others = blocks.iter().copied().filter(|_| self.is_going_on());
        for block in again.chain(others).collect::<BTreeSet<u64>>() {
            let missing = self.blocks.get(&block).map(|open| open.done.iter().filter(|done| done.is_none()).count());
            if let Some(missing) = missing.filter(|missing| *missing > 0) {
                self.order(block, missing, among_bots);
            }
        }
        Ok(())
    }

    /// Why a run is not finished whose jobs are all over, if it is not.
    pub(super) fn set_aside(&self) -> Option<RunEnd> {
        let aside = self.orders.as_ref().map(|orders| orders.aside.as_slice()).unwrap_or_default();
        let why = aside.last()?;
        Some(RunEnd::Failing { why: format!("jobs that were set aside: {}; the last: {why}", aside.len()) })
    }
}
