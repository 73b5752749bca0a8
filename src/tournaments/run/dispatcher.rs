//! Who plays what next, and what became of it.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::pool::{Completion, GameJob, Over, WorkerPool};
use super::standings::Standings;
use super::summary::GameSummary;
use super::{Audience, Run, RunEnd, RunError, RunEvent, RunReport, match_id, task};
use crate::games::seat::Seat;
use crate::matches::SeatInfo;
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

/// A block that is being played.
#[derive(Debug)]
struct Open {
    block: Block,
    /// Games that are over, by number.
    done: Vec<Option<score::GameResult>>,
}

/// Hands out games and takes in what became of them.
pub(super) struct Dispatcher {
    run: Arc<Run>,
    schedule: Schedule,
    /// Games that were kept before.
    known: HashMap<(u64, u64), GameInfo>,
    standings: Standings,
    pool: WorkerPool,
    tell: mpsc::UnboundedSender<Completion>,
    told: mpsc::UnboundedReceiver<Completion>,
    halt: CancellationToken,
    blocks: BTreeMap<u64, Open>,
    /// Games with models or programs that wait for a slot.
    waiting: VecDeque<(u64, usize)>,
    tries: HashMap<(u64, usize), u32>,
    in_pool: usize,
    in_tasks: usize,
    in_a_row: u32,
    over: bool,
    /// Why no new game is begun.
    end: Option<RunEnd>,
}

impl Dispatcher {
    /// A dispatcher for a run, with all that was played before, and its pool.
    pub(super) async fn open(run: Run) -> Result<Dispatcher, RunError> {
        let schedule = Schedule::new(run.setup.clone())?;
        let stored = run.store.games(Some(&run.id)).await?;
        let (tell, told) = mpsc::unbounded_channel();
        // Workers and tasks stop by themselves when there is nothing left to keep.
        let halt = run.stop.child_token();
        Ok(Dispatcher {
            schedule,
            known: stored.into_iter().filter_map(|game| Some((game.place?, game))).collect(),
            standings: Standings::new(run.entries.len()),
            pool: WorkerPool::start(run.threads, &run.store, &tell),
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
        loop {
            self.hand_out(audience);
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
                () = stop.cancelled(), if self.end.is_none() => self.stop(RunEnd::Stopped, audience),
                () = &mut time_up, if self.end.is_none() => self.stop(RunEnd::OutOfTime, audience),
            }
        }
        let (end, bracket) = (self.end.unwrap_or(RunEnd::Finished), self.schedule.bracket());
        Ok(RunReport { end, standings: self.standings, bracket })
    }

    fn stop(&mut self, end: RunEnd, audience: &mut (impl Audience + ?Sized)) {
        if self.end.is_none() {
            self.end = Some(end);
            self.halt.cancel();
            self.pool.halt();
            self.waiting.clear();
            audience.told(&RunEvent::Stopping, &self.standings);
        }
    }

    /// Begins as many games as there is room for.
    fn hand_out(&mut self, audience: &mut (impl Audience + ?Sized)) {
        if self.end.is_some() {
            return;
        }
        let room = AHEAD * self.run.threads;
        while !self.over && self.in_pool < room && self.waiting.len() < self.run.concurrency {
            match self.schedule.next() {
                Next::Play(block) => self.begin(block, audience),
                Next::Wait => break,
                Next::Over => self.over = true,
            }
        }
        while self.in_tasks < self.run.concurrency
            && let Some((block, game)) = self.waiting.pop_front()
        {
            if let Some(job) = self.job(block, game) {
                self.in_tasks += 1;
                task::play(self.run.clone(), job, self.halt.clone(), self.tell.clone());
            }
        }
    }

    fn begin(&mut self, block: Block, audience: &mut (impl Audience + ?Sized)) {
        audience.begun(&block);
        let number = block.number;
        let mut open = Open { done: vec![None; block.games.len()], block };
        for (game, seats) in open.block.games.iter().enumerate() {
            if let Some(known) = self.known.remove(&(number, game as u64)) {
                let played =
                    score::GameResult { seats: seats.clone(), places: known.result.places.values().copied().collect() };
                self.standings.add(&played, &GameSummary::read(known.note.as_deref()), true);
                open.done[game] = Some(played);
            }
        }
        let missing: Vec<usize> = (0..open.done.len()).filter(|&game| open.done[game].is_none()).collect();
        let among_bots = open.block.group.iter().all(|one| self.run.entries[one.index()].bot().is_some());
        self.blocks.insert(number, open);
        if missing.is_empty() {
            self.settle(number, audience);
        }
        for game in missing {
            if among_bots {
                if let Some(job) = self.job(number, game) {
                    self.in_pool += 1;
                    self.pool.play(job);
                }
            } else {
                self.waiting.push_back((number, game));
            }
        }
    }

    /// All that is needed to play a game.
    fn job(&self, number: u64, game: usize) -> Option<GameJob> {
        let open = self.blocks.get(&number)?;
        let run = &self.run;
        let course = run.courses.get(open.block.course)?;
        let entrants = open.block.games.get(game)?.clone();
        let seats = Seat::first(entrants.len()).zip(&entrants).map(|(seat, one)| {
            let entry = &run.entries[one.index()];
            SeatInfo { seat, player: entry.name.clone(), model: entry.model.clone() }
        });
        Some(GameJob {
            tournament: run.id.clone(),
            block: number,
            game,
            match_id: match_id(&run.id, number, game),
            ruleset: course.ruleset.clone(),
            seed: open.block.seed,
            seats: seats.collect(),
            bots: entrants.iter().map(|one| run.entries[one.index()].bot()).collect(),
            entrants,
            // The first game of a block brings the block along.
            drawn: (game == open.done.iter().position(Option::is_none)?).then(|| BlockInfo {
                tournament: run.id.clone(),
                number,
                ruleset: course.name.clone(),
                seed: open.block.seed,
                players: open.block.group.iter().map(|one| run.entries[one.index()].name.clone()).collect(),
            }),
        })
    }

    async fn hear(&mut self, news: Completion, audience: &mut (impl Audience + ?Sized)) -> Result<(), RunError> {
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
                }
                self.settle(job.block, audience);
                let GameJob { match_id, block, game, entrants: players, .. } = job;
                audience
                    .told(&RunEvent::Game { match_id, block, game, players, places, turns, summary }, &self.standings);
            }
            Completion::Abandoned { among_bots } => self.done_with(among_bots),
            Completion::Fault { job, why } => {
                self.done_with(false);
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
    async fn fault(
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
        let retired = audience.settled(&open.block, &scores);
        self.schedule.finish(number, scores);
        for group in retired {
            self.schedule.retire(&group);
        }
        self.blocks.remove(&number);
    }
}
