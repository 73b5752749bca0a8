//! A worker: takes jobs, plays them, keeps what comes of them, until it is told to leave.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::json;
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::players::model::LimitQueue;
use crate::store::{Change, ClaimedJob, JobQueue, Store, StoreError, TournamentInfo};
use crate::tournaments::run::{AMONG_BOTS, JobOutcome, StartedJob, WITH_OTHERS, Workplace, of_run, with_player};

/// How often a worker with room looks for a job when none was there.
const IDLE: Duration = Duration::from_millis(200);

/// How often it is looked which runs there are, and which jobs nobody needs any more.
const LOOK: Duration = Duration::from_secs(1);

/// A job that was started so often in a row with nothing of it written in between is set aside.
const STARTS: u64 = 3;

/// So far back a worker looks to say how fast it is.
const RATE: Duration = Duration::from_secs(15);

/// So many limits are told of, those that most calls wait for.
const MOST_LIMITS: usize = 20;

/// How long a worker that leaves takes at the most for its calls under way and for giving its jobs back, and how much of
/// that it keeps for giving back.
const LEAVING: Duration = Duration::from_secs(25);
const GIVING_BACK: Duration = Duration::from_secs(3);

/// How long the queue may take to hear that a worker has gone.
const LAST_WORD: Duration = Duration::from_secs(1);

/// How hard a worker works, and how it tells that others do not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkerSettings {
    /// Threads for games among bots.
    pub threads: usize,
    /// Games with models or programs at once.
    pub concurrency: usize,
    /// So long after it was last heard of, a worker has lost its jobs.
    pub lost_after: Duration,
    /// So long after it could not bring a player of a run it tries again.
    pub retry_after: Duration,
}

/// What a worker has found that it can do for a run.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The run with its players; those whom it cannot bring to a table included.
    pub place: Workplace,
    /// The players whom it can bring to a table, by name.
    pub able: Vec<String>,
    /// Those whom it cannot, and why.
    pub unable: Vec<(String, String)>,
}

/// Whoever brings the players of a run to their tables.
pub(crate) trait Casting: Send + Sync {
    /// What this worker can do for a run, which it may have been prepared for `before` in the same way: what it uses
    /// together with others it uses on. The error says in words why it can do nothing.
    fn prepare<'a>(
        &'a self,
        info: &'a TournamentInfo,
        before: Option<Arc<Workplace>>,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<Prepared, String>>;
}

/// What a worker tells whoever watches it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WorkerNews {
    /// It plays games of a run, of these players.
    Joins {
        /// The run's name in the store.
        run: String,
        /// The players whom it cannot bring, and why.
        without: Vec<(String, String)>,
    },
    /// It plays no games of a run.
    Declines {
        /// The run's name in the store.
        run: String,
        /// Why, in words.
        why: String,
    },
    /// A job is played and kept, or ended otherwise.
    Job {
        /// The job's name in the store.
        name: String,
        /// What became of it, in a word.
        outcome: &'static str,
    },
    /// A job took down too many workers.
    SetAside {
        /// The job's name in the store.
        name: String,
    },
}

/// A process that plays games of other processes' tournaments.
pub(crate) struct Worker {
    store: Store,
    queue: Arc<JobQueue>,
    settings: WorkerSettings,
    casting: Arc<dyn Casting>,
    /// What it says of itself beside what it does.
    about: serde_json::Value,
    runs: HashMap<String, KnownRun>,
    /// What it finds out about runs, by the name of the run and by what workers were told of it.
    preparing: JoinSet<(String, String, Result<Prepared, String>)>,
    prepared_for: HashSet<String>,
    jobs: HashMap<String, RunningJob>,
    /// It may be what took its workers down: it waits until nothing else is played here that would go down with it.
    suspect: Option<ClaimedJob>,
    tasks: JoinSet<(String, JobOutcome)>,
    permits: Arc<Semaphore>,
    board: Arc<Board>,
    stop: CancellationToken,
    /// When it is to be gone, once it is told to stop.
    end: OnceLock<Instant>,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").field("queue", &self.queue).finish_non_exhaustive()
    }
}

/// A run that it has looked at.
struct KnownRun {
    /// What workers were told of it then.
    plan: String,
    /// When.
    at: Instant,
    /// Whether workers are told something else now: it takes no more jobs of the run until it has looked again.
    is_outdated: bool,
    membership: Membership,
}

/// What it is to a run.
enum Membership {
    Member { place: Arc<Workplace>, abilities: Vec<String>, without: Vec<(String, String)> },
    Stranger { why: String },
}

/// A job that is being played.
struct RunningJob {
    claimed: ClaimedJob,
    started: Arc<StartedJob>,
    /// How many games it has; none where they are among bots, which take a thread.
    games: Option<usize>,
    is_withdrawn: bool,
    /// Nothing is begun beside it.
    is_suspect: bool,
}

/// What became of a job that was to begin.
enum Begun {
    Plays {
        place: Arc<Workplace>,
        started: StartedJob,
        is_suspect: bool,
    },
    SetAside,
    /// What this worker knew of the run is outdated since it was given the job.
    OfAnotherRun,
}

/// What a worker says with every heartbeat.
#[derive(Default)]
struct Board {
    about: Mutex<serde_json::Value>,
    /// Told when others should hear of it at once.
    news: Notify,
    jobs: AtomicU64,
    games: AtomicU64,
    /// When, how many games and how many answers there were, for as long as a rate looks back.
    past: Mutex<VecDeque<(Instant, u64, u64)>>,
}

impl RunningJob {
    fn is_of(&self, run: &str) -> bool {
        self.claimed.name.strip_prefix(run).is_some_and(|rest| rest.starts_with('.'))
    }
}

impl Worker {
    /// A worker for a store. `about` is what it says of itself: an object.
    pub(crate) fn new(
        store: Store,
        queue: JobQueue,
        settings: WorkerSettings,
        casting: Arc<dyn Casting>,
        about: serde_json::Value,
        stop: CancellationToken,
    ) -> Worker {
        Worker {
            store,
            queue: Arc::new(queue),
            settings,
            casting,
            about,
            runs: HashMap::new(),
            preparing: JoinSet::new(),
            prepared_for: HashSet::new(),
            jobs: HashMap::new(),
            suspect: None,
            tasks: JoinSet::new(),
            permits: Arc::new(Semaphore::new(settings.concurrency)),
            board: Arc::default(),
            stop,
            end: OnceLock::new(),
        }
    }

    /// Works until it is told to stop; then it finishes the calls under way and gives the rest back.
    ///
    /// # Errors
    /// If the store cannot be used at the beginning. Later it is waited for.
    pub(crate) async fn work(mut self, tell: &mut (dyn FnMut(WorkerNews) + Send)) -> Result<(), StoreError> {
        self.write_board();
        self.queue.beat(self.board.read()).await?;
        let beating = tokio::spawn(beat(self.queue.clone(), self.board.clone(), self.settings.lost_after));
        let mut looked: Option<Instant> = None;
        let stop = self.stop.clone();
        while !stop.is_cancelled() {
            while let Some(over) = self.tasks.try_join_next() {
                self.over(over.ok(), tell).await;
            }
            if looked.is_none_or(|looked| looked.elapsed() >= LOOK) {
                looked = Some(Instant::now());
                tokio::select! {
                    biased;
                    () = stop.cancelled() => break,
                    looked = self.look(tell) => if let Err(error) = looked {
                        tracing::warn!(%error, "the store is away; what is played goes on");
                    }
                }
                self.write_board();
            }
            if self.jobs.is_empty()
                && let Some(suspect) = self.suspect.take()
            {
                self.begin(suspect, tell).await;
            }
            let abilities = self.abilities();
            let queue = self.queue.clone();
            let claim = async { if abilities.is_empty() { Ok(None) } else { queue.claim(&abilities).await } };
            let Some(claimed) = self.in_time(claim).await else { break };
            match claimed {
                Ok(Some(claimed)) => {
                    self.begin(claimed, tell).await;
                    continue;
                }
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "no job can be taken now"),
            }
            tokio::select! {
                () = stop.cancelled() => {}
                Some(over) = self.tasks.join_next(), if !self.tasks.is_empty() => self.over(over.ok(), tell).await,
                () = sleep(IDLE) => {}
            }
        }
        self.leave(tell).await;
        beating.abort();
        // It has the queue too until it is gone.
        let _ = beating.await;
        let end = self.end();
        if let Ok(queue) = Arc::try_unwrap(self.queue)
            && timeout_at(end + LAST_WORD, queue.leave()).await.is_err()
        {
            tracing::warn!("the queue still counts on this worker, until it is missed");
        }
        Ok(())
    }

    /// When it is to be gone, now that it was told to stop.
    fn end(&self) -> Instant {
        *self.end.get_or_init(|| Instant::now() + LEAVING)
    }

    /// Does something to its end, unless the worker has to be gone before.
    async fn in_time<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let gone = async {
            self.stop.cancelled().await;
            sleep_until(self.end()).await;
        };
        tokio::select! {
            biased;
            done = work => Some(done),
            () = gone => None,
        }
    }

    /// Which jobs it can take now.
    fn abilities(&self) -> Vec<String> {
        if self.suspect.is_some() || self.jobs.values().any(|job| job.is_suspect) {
            return Vec::new();
        }
        let threads = self.jobs.values().filter(|job| job.games.is_none()).count();
        let games: usize = self.jobs.values().filter_map(|job| job.games).sum();
        let mut room = Vec::new();
        if threads < self.settings.threads {
            room.push(AMONG_BOTS.to_owned());
        }
        if games < self.settings.concurrency {
            room.push(WITH_OTHERS.to_owned());
        }
        if room.is_empty() {
            return room;
        }
        let current = self.runs.values().filter(|run| !run.is_outdated);
        let members = current.filter_map(|run| match &run.membership {
            Membership::Member { abilities, .. } => Some(abilities),
            Membership::Stranger { .. } => None,
        });
        let of_runs: Vec<String> = members.flatten().cloned().collect();
        if of_runs.is_empty() { of_runs } else { room.into_iter().chain(of_runs).collect() }
    }

    /// Looks which runs there are, and which jobs nobody needs any more.
    async fn look(&mut self, tell: &mut (dyn FnMut(WorkerNews) + Send)) -> Result<(), StoreError> {
        let open = self.store.runs_with_jobs().await?;
        let is_played = |run: &String| self.jobs.values().any(|job| job.is_of(run));
        let forgotten: Vec<String> =
            self.runs.keys().filter(|run| !open.contains(run) && !is_played(run)).cloned().collect();
        for run in forgotten {
            self.runs.remove(&run);
        }
        for run in open {
            self.look_at(run).await?;
        }
        while let Some(prepared) = self.preparing.try_join_next() {
            // One that panicked is tried again.
            let Ok((run, plan, prepared)) = prepared else { continue };
            self.learn(run, plan, prepared, tell);
        }
        if self.preparing.is_empty() {
            self.prepared_for.clear();
        }
        for name in self.store.withdrawn_from(self.queue.worker()).await? {
            if let Some(job) = self.jobs.get_mut(&name) {
                job.is_withdrawn = true;
                job.started.halt();
            }
        }
        Ok(())
    }

    /// Looks at a run with open jobs: whether this worker has to find out what it can do for it.
    async fn look_at(&mut self, run: String) -> Result<(), StoreError> {
        if self.prepared_for.contains(&run) {
            return Ok(());
        }
        let Some(info) = self.store.tournament(&run).await? else { return Ok(()) };
        let plan = told_of(&info);
        let mut before = None;
        if let Some(known) = self.runs.get_mut(&run) {
            if known.plan == plan {
                let is_able = matches!(&known.membership, Membership::Member { without, .. } if without.is_empty());
                if is_able || known.at.elapsed() < self.settings.retry_after {
                    return Ok(());
                }
                if let Membership::Member { place, .. } = &known.membership {
                    before = Some(place.clone());
                }
            } else {
                // Other limits, or another program: the calls under way are finished and kept, and the rest is played by
                // whoever can.
                known.is_outdated = true;
                let mut of_run = self.jobs.values().filter(|job| job.is_of(&run)).peekable();
                if of_run.peek().is_some() {
                    of_run.for_each(|job| job.started.halt());
                    return Ok(());
                }
            }
        }
        let (casting, stop) = (self.casting.clone(), self.stop.clone());
        self.prepared_for.insert(run.clone());
        self.preparing.spawn(async move {
            let prepared = casting.prepare(&info, before, stop).await;
            (run, plan, prepared)
        });
        Ok(())
    }

    /// What it can do for a run is known.
    fn learn(
        &mut self,
        run: String,
        plan: String,
        prepared: Result<Prepared, String>,
        tell: &mut (dyn FnMut(WorkerNews) + Send),
    ) {
        self.prepared_for.remove(&run);
        let membership = match prepared {
            Ok(Prepared { place, able, unable }) => {
                let players = able.iter().map(|name| with_player(&run, name));
                let abilities = [of_run(&run)].into_iter().chain(players).collect();
                Membership::Member { place: Arc::new(place), abilities, without: unable }
            }
            Err(why) => Membership::Stranger { why },
        };
        let known = self.runs.get(&run).filter(|known| known.plan == plan).map(|known| &known.membership);
        match (&membership, known) {
            (Membership::Member { without, .. }, Some(Membership::Member { without: before, .. }))
                if without == before => {}
            (Membership::Stranger { why }, Some(Membership::Stranger { why: before })) if why == before => {}
            (Membership::Member { without, .. }, _) => {
                tell(WorkerNews::Joins { run: run.clone(), without: without.clone() });
            }
            (Membership::Stranger { why }, _) => {
                tell(WorkerNews::Declines { run: run.clone(), why: why.clone() });
            }
        }
        self.runs.insert(run, KnownRun { plan, at: Instant::now(), is_outdated: false, membership });
        self.write_board();
        self.board.news.notify_one();
    }

    /// Starts a job that it was given.
    async fn begin(&mut self, claimed: ClaimedJob, tell: &mut (dyn FnMut(WorkerNews) + Send)) {
        if !self.jobs.is_empty() && self.in_time(self.is_suspect(&claimed)).await == Some(true) {
            self.suspect = Some(claimed);
            return;
        }
        let Some(started) = self.in_time(self.start(&claimed)).await else { return };
        match started {
            Ok(Begun::Plays { place, started, is_suspect }) => self.play(place, started, claimed, is_suspect),
            Ok(Begun::SetAside) => {
                tell(WorkerNews::SetAside { name: claimed.name.clone() });
                self.complete(&claimed).await;
            }
            Ok(Begun::OfAnotherRun) => self.return_job(&claimed).await,
            // It was over before, or withdrawn.
            Err(StoreError::NoJob(_)) => self.complete(&claimed).await,
            // Another worker was given it, which cannot be unless this one was away for long.
            Err(StoreError::Fenced(_)) => {}
            Err(error) => {
                tracing::warn!(%error, job = claimed.name, "a job cannot be started");
                self.return_job(&claimed).await;
            }
        }
    }

    /// Whether a job that goes down once more would be set aside. Then it has to be its own doing.
    async fn is_suspect(&self, claimed: &ClaimedJob) -> bool {
        matches!(self.store.job(&claimed.name).await, Ok(Some(job)) if job.starts + 1 == STARTS)
    }

    async fn start(&self, claimed: &ClaimedJob) -> Result<Begun, StoreError> {
        let name = &claimed.name;
        let fenced = || StoreError::Fenced(name.clone());
        let worker = self.queue.worker().to_owned();
        self.store.write(vec![Change::StartJob { name: name.clone(), worker: worker.clone() }]).await?;
        let job =
            self.store.job(name).await?.filter(|job| job.worker.as_deref() == Some(&worker)).ok_or_else(fenced)?;
        let membership = self.runs.get(&job.tournament).map(|known| &known.membership);
        let Some(Membership::Member { place, .. }) = membership else { return Ok(Begun::OfAnotherRun) };
        let started = StartedJob::open(&job, &self.store, self.stop.child_token()).await?;
        if job.starts > STARTS {
            let why = format!(
                "{name} was started {STARTS} times in a row with nothing of it written in between: it takes its workers \
                 down, or they cannot play it"
            );
            started.set_aside(&self.store, why).await?;
            return Ok(Begun::SetAside);
        }
        Ok(Begun::Plays { place: place.clone(), started, is_suspect: job.starts == STARTS })
    }

    fn play(&mut self, place: Arc<Workplace>, started: StartedJob, claimed: ClaimedJob, is_suspect: bool) {
        let started = Arc::new(started);
        let (name, job) = (claimed.name.clone(), started.clone());
        let games = if started.body.among_bots {
            self.tasks.spawn(async move {
                let played = tokio::task::spawn_blocking(move || place.play_bots(&job)).await;
                (name, played.unwrap_or(JobOutcome::GivenBack))
            });
            None
        } else {
            let permits = self.permits.clone();
            let games = started.body.blocks.iter().map(|block| block.games.len()).sum();
            self.tasks.spawn(async move { (name, place.play(job, permits).await) });
            Some(games)
        };
        let name = claimed.name.clone();
        self.jobs.insert(name, RunningJob { claimed, started, games, is_withdrawn: false, is_suspect });
    }

    /// A job has come to an end, as far as this worker goes.
    async fn over(&mut self, over: Option<(String, JobOutcome)>, tell: &mut (dyn FnMut(WorkerNews) + Send)) {
        let Some((name, outcome)) = over else { return };
        let Some(job) = self.jobs.remove(&name) else { return };
        let told = match &outcome {
            JobOutcome::Over => "over",
            JobOutcome::GivenBack if job.is_withdrawn => "withdrawn",
            JobOutcome::GivenBack => "given back",
            JobOutcome::Fenced => "lost to another worker",
            JobOutcome::Failed(_) => "failed",
        };
        tell(WorkerNews::Job { name, outcome: told });
        match outcome {
            JobOutcome::Over => {
                self.board.jobs.fetch_add(1, Ordering::Relaxed);
                let games: usize = job.started.body.blocks.iter().map(|block| block.games.len()).sum();
                self.board.games.fetch_add(games as u64, Ordering::Relaxed);
                self.complete(&job.claimed).await;
            }
            JobOutcome::GivenBack if job.is_withdrawn => self.complete(&job.claimed).await,
            JobOutcome::GivenBack => self.give_back(&job.claimed).await,
            JobOutcome::Fenced => {}
            JobOutcome::Failed(error) => {
                tracing::warn!(%error, job = job.claimed.name, "what was played could not be kept");
                self.return_job(&job.claimed).await;
            }
        }
    }

    /// The queue is told that a job is over. If it cannot be, the job comes to somebody again, who sees that it is over.
    async fn complete(&self, claimed: &ClaimedJob) {
        self.in_time(persist(self.settings.lost_after, async || self.queue.complete(claimed).await)).await;
    }

    async fn give_back(&self, claimed: &ClaimedJob) {
        self.in_time(persist(self.settings.lost_after, async || self.queue.give_back(claimed).await)).await;
    }

    /// A job that this worker has and cannot play to its end waits again, and nobody is blamed for it.
    async fn return_job(&self, claimed: &ClaimedJob) {
        let (name, worker) = (claimed.name.clone(), self.queue.worker().to_owned());
        let give_back = Change::GiveBackJob { name, worker };
        let returned = persist(self.settings.lost_after, async || self.store.write(vec![give_back.clone()]).await);
        self.in_time(returned).await;
        self.give_back(claimed).await;
    }

    /// Finishes the calls under way and gives the rest back.
    async fn leave(&mut self, tell: &mut (dyn FnMut(WorkerNews) + Send)) {
        for job in self.jobs.values() {
            job.started.halt();
        }
        self.preparing.abort_all();
        let end = self.end() - GIVING_BACK;
        while !self.tasks.is_empty() {
            match timeout_at(end, self.tasks.join_next()).await {
                Ok(Some(over)) => self.over(over.ok(), tell).await,
                Ok(None) | Err(_) => break,
            }
        }
        if let Some(suspect) = self.suspect.take() {
            self.give_back(&suspect).await;
        }
        for job in std::mem::take(&mut self.jobs).into_values() {
            self.return_job(&job.claimed).await;
        }
    }

    /// What it says with its next heartbeat.
    fn write_board(&self) {
        let mut about = self.about.clone();
        let jobs: Vec<_> = self
            .jobs
            .values()
            .map(|job| json!({ "name": job.claimed.name, "games": job.games, "withdrawn": job.is_withdrawn }))
            .collect();
        let declined: HashMap<&String, &String> = self
            .runs
            .iter()
            .filter_map(|(run, known)| match &known.membership {
                Membership::Stranger { why } => Some((run, why)),
                Membership::Member { .. } => None,
            })
            .collect();
        let answers: u64 = self
            .runs
            .values()
            .filter_map(|run| match &run.membership {
                Membership::Member { place, .. } => Some(place.journal.kept()),
                Membership::Stranger { .. } => None,
            })
            .sum();
        let mut waiting: Vec<LimitQueue> = self
            .runs
            .values()
            .filter_map(|run| match &run.membership {
                Membership::Member { place, .. } => Some(place.limiter.waiting()?.queues()),
                Membership::Stranger { .. } => None,
            })
            .flatten()
            .collect();
        waiting.sort_by_key(|queue| Reverse(queue.calls));
        waiting.truncate(MOST_LIMITS);
        about["waiting"] = json!(waiting);
        about["threads"] = json!(self.settings.threads);
        about["concurrency"] = json!(self.settings.concurrency);
        about["jobs"] = json!(jobs);
        about["declined"] = json!(declined);
        let without: HashMap<&String, HashMap<&String, &String>> = self
            .runs
            .iter()
            .filter_map(|(run, known)| match &known.membership {
                Membership::Member { without, .. } if !without.is_empty() => {
                    Some((run, without.iter().map(|(name, why)| (name, why)).collect()))
                }
                _ => None,
            })
            .collect();
        about["without"] = json!(without);
        about["answers"] = json!(answers);
        about["jobs_over"] = json!(self.board.jobs.load(Ordering::Relaxed));
        let games = self.board.games.load(Ordering::Relaxed);
        let (games_per_second, answers_per_second) = self.board.rates(games, answers);
        about["games"] = json!(games);
        about["games_per_second"] = json!(games_per_second);
        about["answers_per_second"] = json!(answers_per_second);
        *self.board.about.lock().unwrap_or_else(PoisonError::into_inner) = about;
    }
}

impl Board {
    /// How many games and answers came per second lately, with these as of now.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn rates(&self, games: u64, answers: u64) -> (f64, f64) {
        let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
        past.push_back((Instant::now(), games, answers));
        while past.len() > 1 && past.front().is_some_and(|(then, ..)| then.elapsed() > RATE) {
            past.pop_front();
        }
        let Some((then, games_then, answers_then)) = past.front() else { return (0.0, 0.0) };
        let seconds = then.elapsed().as_secs_f64().max(1.0);
        let rate = |now: u64, then: u64| (now.saturating_sub(then) as f64 / seconds * 10.0).round() / 10.0;
        (rate(games, *games_then), rate(answers, *answers_then))
    }

    fn read(&self) -> serde_json::Value {
        self.about.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Says again and again that this worker is alive, and gives the jobs of those that are not to the others.
async fn beat(queue: Arc<JobQueue>, board: Arc<Board>, lost_after: Duration) {
    let mut ticks = interval(lost_after / 6);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = board.news.notified() => {}
        }
        let beaten = queue.beat(board.read()).await;
        let swept = queue.sweep(lost_after).await;
        match beaten.and(swept) {
            Ok(0) => {}
            Ok(jobs) => tracing::info!(jobs, "jobs of a worker that is gone wait again"),
            Err(error) => tracing::warn!(%error, "nobody hears that this worker is alive"),
        }
    }
}

/// What workers are told of a run.
fn told_of(info: &TournamentInfo) -> String {
    let plan: serde_json::Value = serde_json::from_str(&info.plan).unwrap_or_default();
    plan["work"].to_string()
}

/// Does something to the queue until it is done, as long as that makes sense.
async fn persist(at_most: Duration, mut attempt: impl AsyncFnMut() -> Result<(), StoreError>) {
    let end = Instant::now() + at_most;
    while let Err(error) = attempt().await {
        if Instant::now() >= end {
            tracing::warn!(%error, "the queue cannot be told what became of a job");
            return;
        }
        sleep(IDLE).await;
    }
}
