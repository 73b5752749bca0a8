//! Who plays what next, and what became of it.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::orders::Orders;
use super::pool::{Completion, GameJob, Over, WorkerPool};
use super::standings::Standings;
use super::{Audience, Run, RunEnd, RunError, RunEvent, RunReport, task};
use crate::matches::GameSummary;
use crate::players::model::Limiter as _;
use crate::store::{BlockInfo, Change, FaultInfo, GameInfo};
use crate::tournaments::schedule::{Block, Next, Schedule};
use crate::tournaments::score;

/// A game that fails so often by nobody's fault is not tried again in this run.
const TRIES: u32 = 3;

/// So many failures in a row, whatever the games: something is down.
pub(super) const FAILURES_IN_A_ROW: u32 = 5;

/// How many games of bots are under way for each worker, those included that are on their way to the disk: enough that
/// none is ever idle, and few enough that an experiment that is decided does not play on.
const AHEAD: usize = 512;

/// So many blocks are looked up at once in what was played before.
const WINDOW: u64 = 1000;

/// How often it is looked what became of jobs.
const HEARD: Duration = Duration::from_millis(100);

/// A block that is being played.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) block: Block,
    /// Games that are over, by number.
    pub(super) done: Vec<Option<score::GameResult>>,
    /// What was played in them, where it was noted.
    played: Vec<Option<u64>>,
}

/// Hands out games and takes in what became of them.
pub(super) struct Dispatcher {
    pub(super) run: Arc<Run>,
    schedule: Schedule,
    /// Games that were kept before, of the blocks up to this one, and not yet handed out.
    known: HashMap<(u64, u64), GameInfo>,
    read_to: u64,
    pub(super) standings: Standings,
    /// None where workers elsewhere play.
    pool: Option<WorkerPool>,
    /// There where workers elsewhere play.
    pub(super) orders: Option<Orders>,
    tell: mpsc::UnboundedSender<Completion>,
    told: mpsc::UnboundedReceiver<Completion>,
    halt: CancellationToken,
    pub(super) blocks: BTreeMap<u64, Open>,
    /// Games with models or programs that wait for a slot.
    pub(super) waiting: VecDeque<(u64, usize)>,
    tries: HashMap<(u64, usize), u32>,
    pub(super) in_pool: usize,
    pub(super) in_tasks: usize,
    in_a_row: u32,
    over: bool,
    /// Why no new game is begun.
    end: Option<RunEnd>,
}

impl Dispatcher {
    /// A dispatcher for a run, with all that was played before, and its pool.
    pub(super) fn open(run: Run) -> Result<Dispatcher, RunError> {
        let schedule = Schedule::new(run.setup.clone())?;
        let (tell, told) = mpsc::unbounded_channel();
        // Workers and tasks stop by themselves when there is nothing left to keep.
        let halt = run.stop.child_token();
        Ok(Dispatcher {
            schedule,
            known: HashMap::new(),
            read_to: 0,
            standings: Standings::new(run.entries.len()),
            pool: run.workers.is_none().then(|| WorkerPool::start(run.threads, &run.store, &tell)),
            orders: run.workers.clone().map(|queue| Orders::new(queue, &run.entries)),
            tell,
            told,
            halt,
            blocks: BTreeMap::new(),
            waiting: VecDeque::new(),
            tries: HashMap::new(),
            in_pool: 0,
            in_tasks: 0,
            in_a_row: 0,
            over: false,
            end: None,
            run: Arc::new(run),
        })
    }

    /// Plays to the end, or as far as it goes.
    pub(super) async fn play(mut self, audience: &mut (impl Audience + ?Sized)) -> Result<RunReport, RunError> {
        let time_up = async |time: Option<Duration>| match time {
            Some(time) => tokio::time::sleep(time).await,
            None => std::future::pending().await,
        };
        let time_up = time_up(self.run.time);
        tokio::pin!(time_up);
        let stop = self.run.stop.clone();
        for group in audience.retired() {
            self.schedule.retire(&group);
        }
        self.tidy_up().await?;
        let mut heard = tokio::time::interval(HEARD);
        heard.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            self.hand_out(audience).await?;
            self.write_orders().await?;
            if self.in_pool + self.in_tasks == 0 {
                break;
            }
            tokio::select! {
                news = self.told.recv() => {
                    // The dispatcher holds a sender itself: there is always somebody who could tell.
                    if let Some(news) = news {
                        self.hear(news, audience).await?;
                    }
                }
                _ = heard.tick(), if self.orders.is_some() => self.hear_of_jobs(audience).await?,
                () = stop.cancelled(), if self.end.is_none() => self.stop(RunEnd::Stopped, audience),
                () = &mut time_up, if self.end.is_none() => self.stop(RunEnd::OutOfTime, audience),
            }
        }
        let aside = self.set_aside();
        let (end, bracket) = (self.end.or(aside).unwrap_or(RunEnd::Finished), self.schedule.bracket());
        Ok(RunReport { end, standings: self.standings, bracket })
    }

    pub(super) fn stop(&mut self, end: RunEnd, audience: &mut (impl Audience + ?Sized)) {
        if self.end.is_none() {
            self.end = Some(end);
            self.halt.cancel();
            if let Some(pool) = &self.pool {
                pool.halt();
            }
            if let Some(orders) = &mut self.orders {
                orders.stop();
            }
            self.waiting.clear();
            audience.told(&RunEvent::Stopping, &self.standings);
        }
    }

    /// Begins as many games as there is room for.
    async fn hand_out(&mut self, audience: &mut (impl Audience + ?Sized)) -> Result<(), RunError> {
        if self.end.is_some() {
            return Ok(());
        }
        while !self.over && self.has_room() {
            match self.schedule.next() {
                Next::Play(block) => {
                    self.read_up_to(block.number).await?;
                    self.begin(block, audience);
                }
                Next::Wait => break,
                Next::Over => self.over = true,
            }
        }
        self.send_gathered();
        while self.in_tasks < self.run.concurrency
            && let Some((block, game)) = self.waiting.pop_front()
        {
            if let Some(job) = self.job(block, game) {
                self.in_tasks += 1;
                task::play(self.run.clone(), job, self.halt.clone(), self.tell.clone());
            }
        }
        Ok(())
    }

    /// Reads which games of a block were kept before, with those of the blocks that come after it.
    async fn read_up_to(&mut self, number: u64) -> Result<(), RunError> {
        if number < self.read_to {
            return Ok(());
        }
        // Blocks are handed out in order: nobody asks for earlier ones again.
        let last = number + (WINDOW - 1);
        let games = self.run.store.games_in_blocks(&self.run.id, number, last).await?;
        self.known = games.into_iter().filter_map(|game| Some((game.place?, game))).collect();
        self.read_to = last + 1;
        Ok(())
    }

    /// Whether new games are begun.
    pub(super) fn is_going_on(&self) -> bool {
        self.end.is_none()
    }

    fn has_room(&self) -> bool {
        match &self.orders {
            Some(orders) => orders.has_room(self.in_pool, self.in_tasks),
            None => self.in_pool < AHEAD * self.run.threads && self.waiting.len() < self.run.concurrency,
        }
    }

    fn begin(&mut self, block: Block, audience: &mut (impl Audience + ?Sized)) {
        audience.begun(&block);
        let number = block.number;
        let (done, played) = (vec![None; block.games.len()], vec![None; block.games.len()]);
        let mut open = Open { block, done, played };
        for (game, seats) in open.block.games.iter().enumerate() {
            if let Some(known) = self.known.remove(&(number, game as u64)) {
                let played =
                    score::GameResult { seats: seats.clone(), places: known.result.places.values().copied().collect() };
                let summary = GameSummary::read(known.note.as_deref());
                self.standings.add(&played, &summary, true);
                open.done[game] = Some(played);
                open.played[game] = summary.played();
            }
        }
        let missing: Vec<usize> = (0..open.done.len()).filter(|&game| open.done[game].is_none()).collect();
        let among_bots = open.block.group.iter().all(|one| self.run.entries[one.index()].bot().is_some());
        self.blocks.insert(number, open);
        if missing.is_empty() {
            self.settle(number, audience);
        }
        if self.orders.is_some() {
            if !missing.is_empty() {
                self.order(number, missing.len(), among_bots);
            }
            return;
        }
        for game in missing {
            if let Some(pool) = self.pool.as_ref().filter(|_| among_bots) {
                if let Some(job) = self.job(number, game) {
                    pool.play(job);
                    self.in_pool += 1;
                }
            } else {
                self.waiting.push_back((number, game));
            }
        }
    }

    /// All that is needed to play a game.
    pub(super) fn job(&self, number: u64, game: usize) -> Option<GameJob> {
        let open = self.blocks.get(&number)?;
        let run = &self.run;
        let mut job = GameJob::of(&run.id, &run.entries, &run.courses, &open.block, game)?;
        // Any game of a block may be over first: each brings the block along.
        job.drawn = Some(BlockInfo {
            tournament: run.id.clone(),
            number,
            ruleset: run.courses[open.block.course].name.clone(),
            seed: open.block.seed,
            players: open.block.group.iter().map(|one| run.entries[one.index()].name.clone()).collect(),
        });
        Some(job)
    }

    pub(super) async fn hear(
        &mut self,
        news: Completion,
        audience: &mut (impl Audience + ?Sized),
    ) -> Result<(), RunError> {
        match news {
            Completion::Finished { game, outcome } => {
                let Over { job, places, turns, summary, among_bots } = *game;
                self.done_with(among_bots);
                if let Err(error) = outcome {
                    self.halt.cancel();
                    return Err(error.into());
                }
                if !among_bots {
                    self.in_a_row = 0;
                }
                if let Some(journal) = &self.run.journal {
                    journal.forget(&job.match_id);
                }
                let played = score::GameResult { seats: job.entrants.clone(), places: places.clone() };
                self.standings.add(&played, &summary, false);
                if let Some(open) = self.blocks.get_mut(&job.block) {
                    open.done[job.game] = Some(played);
                    open.played[job.game] = summary.played();
                }
                self.settle(job.block, audience);
                let GameJob { match_id, block, game, entrants: players, .. } = job;
                audience
                    .told(&RunEvent::Game { match_id, block, game, players, places, turns, summary }, &self.standings);
            }
            Completion::Abandoned { among_bots } => self.done_with(among_bots),
            Completion::Fault { job, why, among_bots } => {
                self.done_with(among_bots);
                self.fault(*job, why, audience).await?;
            }
        }
        Ok(())
    }

    fn done_with(&mut self, among_bots: bool) {
        let count = if among_bots { &mut self.in_pool } else { &mut self.in_tasks };
        *count -= 1;
    }

    /// A game is void. It is played again, unless that is hopeless.
    pub(super) async fn fault(
        &mut self,
        job: GameJob,
        why: String,
        audience: &mut (impl Audience + ?Sized),
    ) -> Result<(), RunError> {
        if self.run.budget.is_used_up() {
            self.stop(RunEnd::OutOfBudget { why }, audience);
            return Ok(());
        }
        let (tournament, block, game) = (job.tournament, job.block, job.game);
        let fault = FaultInfo { tournament, block, game: game as u64, reason: why.clone() };
        self.run.store.write(vec![Change::Fault(fault)]).await?;
        let tries = self.tries.entry((block, game)).or_default();
        *tries += 1;
        self.in_a_row += 1;
        let again = self.end.is_none() && *tries < TRIES && self.in_a_row < FAILURES_IN_A_ROW;
        self.standings.fault();
        audience.told(&RunEvent::Fault { block, game, why: why.clone(), again }, &self.standings);
        if again {
            self.waiting.push_back((block, game));
        } else {
            self.stop(RunEnd::Failing { why }, audience);
        }
        Ok(())
    }

    /// Tells the schedule of a block whose games are all over.
    fn settle(&mut self, number: u64, audience: &mut (impl Audience + ?Sized)) {
        let Some(open) = self.blocks.get(&number) else { return };
        let Some(games) = open.done.iter().cloned().collect::<Option<Vec<_>>>() else { return };
        let scores = score::block_scores(&games);
        let scores: Vec<f64> = open.block.group.iter().map(|one| scores.get(one).copied().unwrap_or(0.5)).collect();
        let played: Vec<u64> = open.played.iter().copied().collect::<Option<_>>().unwrap_or_default();
        let retired = audience.settled(&open.block, &scores, &played);
        self.schedule.finish(number, scores);
        self.blocks.remove(&number);
        for group in &retired {
            self.schedule.retire(group);
        }
        // What nobody needs any more is not begun.
        if retired.is_empty() {
            return;
        }
        let is_needed = |open: &Open| !retired.contains(&open.block.group);
        let needed: BTreeSet<u64> =
            self.blocks.iter().filter(|(_, open)| is_needed(open)).map(|(number, _)| *number).collect();
        self.waiting.retain(|(number, _)| needed.contains(number));
        self.withdraw_idle(|number| needed.contains(number));
    }
}
