//! What tournaments and experiments have in common: players, courses, the store, budgets, and an end.

use std::io::{self, IsTerminal as _, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::cast::{self, Cast};
use super::gates::GateView;
use super::progress::Progress;
use crate::briefs::Language;
use crate::cli::error::Failure;
use crate::cli::experiment::plan::{Expectation, History};
use crate::cli::messages;
use crate::cli::players::ConfigArgs;
use crate::cli::seat::PlayerSpec;
use crate::cli::signals::{Signal, Signals};
use crate::cli::storage::{self, StoreArgs};
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::players::Profile;
use crate::players::model::{self, Journal, Limiter, RequestOutcome, RunBudget, Spent};
use crate::settings::fields::{BadFile, FileProblem};
use crate::store::{Change, FoundInfo, JobQueue, Store, StoreError, StoredCall, StoredRequest, TournamentInfo};
use crate::tournaments::bank::Bank;
use crate::tournaments::experiment::{Examined, Examiner, Experiment, Gate, Gates, Interrupted};
use crate::tournaments::file::{PlacedName, RunLimits};
use crate::tournaments::plan::Amount;
use crate::tournaments::report;
use crate::tournaments::run::{self, Course, GameSummary, Run, RunEnd, RunError, RunReport, Standings, StoreJournal};
use crate::tournaments::schedule::Setup;
use crate::tournaments::work::{BookedLimiter, SharedLimiter, WorkPlan};

/// How long a process that was killed may take to be gone.
const DYING: Duration = Duration::from_millis(300);

/// How it is played, whatever the file says.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// Resume where it stopped; without a file, the last one that is not over
    #[arg(long)]
    pub(crate) resume: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    /// Matches with models or programs at once, overriding the file's number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    concurrency: Option<u16>,
    /// Threads for games among bots (default: all cores)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// The most that models may cost, in US dollars, overriding the file's limit
    #[arg(long, value_name = "USD")]
    max_usd: Option<f64>,
    /// The most requests to models, overriding the file's limit
    #[arg(long, value_name = "N")]
    max_calls: Option<u64>,
    /// The most minutes that this run may take, overriding the file's limit
    #[arg(long, value_name = "MIN")]
    max_minutes: Option<f64>,
    /// JSON lines on standard output: one per game, and the result at the end
    #[arg(long)]
    pub(crate) json: bool,
    /// Whether workers play the games, and none is played here.
    #[arg(skip)]
    pub(crate) workers: bool,
}

/// A tournament or an experiment that is read and understood; nothing is opened or asked yet.
pub(crate) struct Draft {
    pub(crate) id: String,
    pub(crate) fingerprint: String,
    pub(crate) name: String,
    /// The file, word for word.
    pub(crate) text: String,
    pub(crate) cast: Vec<Cast>,
    pub(crate) courses: Vec<Course>,
    pub(crate) setup: Setup,
    pub(crate) planned: u64,
    pub(crate) language: Language,
    pub(crate) concurrency: usize,
    pub(crate) limits: RunLimits,
    pub(crate) anchor: Option<String>,
    /// The same as it was begun before there were openings; none where its file names one.
    pub(crate) before_openings: Option<BeforeOpenings>,
    /// What else is worth knowing of it later, as JSON.
    pub(crate) about: serde_json::Value,
    /// The command that goes on with it, without the store.
    pub(crate) again: String,
}

/// A draft under the name and with the rulesets that it had before there were openings.
pub(crate) struct BeforeOpenings {
    pub(crate) id: String,
    pub(crate) fingerprint: String,
    pub(crate) courses: Vec<Course>,
}

impl BeforeOpenings {
    /// With a name and a fingerprint made from the rulesets of that time.
    pub(crate) fn of(courses: &[Course], named: impl FnOnce(&[Arc<Ruleset>]) -> (String, String)) -> BeforeOpenings {
        let earlier = |course: &Course| {
            let ruleset = Arc::new(course.ruleset.before_openings());
            Course { name: course.name.clone(), ruleset }
        };
        let courses: Vec<Course> = courses.iter().map(earlier).collect();
        let (id, fingerprint) = named(&rulesets(&courses));
        BeforeOpenings { id, fingerprint, courses }
    }
}

impl Draft {
    /// The draft as the store knows it: what was begun before there were openings goes on without one, and every
    /// schedule in the edition that it was begun in.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn resumed_as_begun(mut self, store: &Store) -> Result<Draft, Failure> {
        let known = store.tournaments().await.map_err(storage::failure)?;
        let is_known = |id: &str| known.iter().any(|info| info.id == id);
        if let Some(earlier) = self.before_openings.take()
            && !is_known(&self.id)
            && is_known(&earlier.id)
        {
            let BeforeOpenings { id, fingerprint, courses } = earlier;
            self = Draft { id, fingerprint, courses, ..self };
        }
        if let Some(begun) = known.iter().find(|info| info.id == self.id) {
            self.setup.edition = report::edition(&begun.plan);
        }
        Ok(self)
    }
}

/// An experiment's part in a start: its cheaper gates, and its tests.
pub(crate) struct Contest {
    pub(crate) trial: Experiment,
    pub(crate) gates: Gates,
    /// Banks from files.
    pub(crate) banks: Vec<Bank>,
    /// What the cheaper gates found, once they have.
    pub(crate) examined: Examined,
    /// After so many blocks of every question the rest is forecast; 0 is no such stop.
    pub(crate) pilot_blocks: u32,
    /// What the forecast is compared with.
    pub(crate) pilot: Option<Pilot>,
}

/// What was planned, to be compared with what a pilot shows.
pub(crate) struct Pilot {
    /// Requests that the games were to take.
    pub(crate) planned: Amount,
    /// What that was reckoned from.
    pub(crate) expectation: Expectation,
    /// Whether it goes on whatever the forecast says.
    pub(crate) go_on: bool,
}

/// What is kept of an experiment that was told to go on whatever its pilot forecasts.
const AGREED: &str = "pilot";

impl Pilot {
    /// Whether somebody agreed to go on at an earlier start of the same experiment.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn is_agreed(store: &Store, id: &str) -> Result<bool, Failure> {
        let found = store.found(id).await.map_err(storage::failure)?;
        Ok(found.iter().any(|found| found.topic == AGREED))
    }

    async fn agree(store: &Store, id: &str) -> Result<(), StoreError> {
        let body = json!({ "go_on": true }).to_string();
        let found = FoundInfo { tournament: id.to_owned(), topic: AGREED.to_owned(), body };
        store.write(vec![Change::Found(found)]).await
    }
}

impl Contest {
    /// What the pilot says against going on, if it does: the forecast from the real players leaves the planned range.
    async fn objection(&self, store: &Store, id: &str) -> Option<String> {
        let pilot = self.pilot.as_ref().filter(|_| !self.trial.is_answered())?;
        let mut expectation = pilot.expectation.clone();
        expectation.learn(&History::of_run(store, id).await);
        let Amount { low, high, .. } = pilot.planned;
        let forecast = expectation.calls_of_games(self).expected;
        (forecast < low || forecast > high).then(|| {
            format!(
                "after {} blocks of every question, the games are forecast to take {forecast:.0} calls; planned were \
                 {low:.0} to {high:.0}",
                self.pilot_blocks
            )
        })
    }
}

/// Asks somebody at the terminal; nobody there says no, and neither does anybody who stops it instead of an answer.
async fn asked_to_go_on(objection: &str, stop: &CancellationToken) -> bool {
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return false;
    }
    let _ = write!(io::stderr(), "{}", messages::told(&format!("{objection}. Go on? [y/N] ")));
    let (answered, answer) = oneshot::channel();
    // Nothing ends a read from a terminal: where it is stopped, the thread is left behind.
    std::thread::spawn(move || {
        let mut line = String::new();
        let is_yes =
            io::stdin().read_line(&mut line).is_ok() && matches!(line.trim().to_lowercase().as_str(), "y" | "yes");
        let _ = answered.send(is_yes);
    });
    tokio::select! {
        biased;
        () = stop.cancelled() => false,
        answer = answer => answer.unwrap_or(false),
    }
}

/// How a start went.
pub(crate) enum StartOutcome {
    /// It was over before.
    Over { games: usize },
    /// It was played, as far as it went.
    Played(Box<StartedRun>),
}

/// What came of a start.
pub(crate) struct StartedRun {
    pub(crate) report: RunReport,
    pub(crate) info: TournamentInfo,
    pub(crate) names: Vec<String>,
    /// What it was stopped by.
    pub(crate) signal: Option<Signal>,
    /// What the pilot said against going on, where nobody agreed to.
    pub(crate) objection: Option<String>,
}

/// Whether something is a tournament or an experiment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Tournament,
    Experiment,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Tournament => "tournament",
            Kind::Experiment => "experiment",
        }
    }
}

/// The last one of a kind that is not over.
///
/// # Errors
/// If there is none, or the store fails.
pub(crate) async fn last_unfinished(store: &Store, kind: Kind) -> Result<TournamentInfo, Failure> {
    let is_of_kind = |info: &TournamentInfo| {
        let plan: serde_json::Value = serde_json::from_str(&info.plan).unwrap_or_default();
        // What says nothing was begun before there were experiments.
        plan["kind"].as_str().unwrap_or(Kind::Tournament.name()) == kind.name()
    };
    let known = store.tournaments().await.map_err(storage::failure)?;
    let open = known.into_iter().find(|info| !info.finished && is_of_kind(info));
    open.ok_or_else(|| Failure::call(format!("no {} is waiting to go on", kind.name())).hint("name a file"))
}

/// What to do with a tournament that was over before.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum IfOver {
    /// Only say that it is over.
    SaySo,
    /// Go through its games again, to see what they mean. Nothing is played.
    ReadAgain,
}

impl RunArgs {
    /// What there is to say of a draft that was begun before, where there is no more to play of it.
    async fn begun_before(
        &self,
        draft: &Draft,
        store: &Store,
        if_over: IfOver,
        hint: &str,
    ) -> Result<Option<StartOutcome>, Failure> {
        let known = store.tournaments().await.map_err(storage::failure)?;
        let Some(known) = known.into_iter().find(|info| info.id == draft.id) else { return Ok(None) };
        let games = count(store, &draft.id).await?;
        if known.finished && if_over == IfOver::SaySo {
            return Ok(Some(StartOutcome::Over { games }));
        }
        if !known.finished && !self.resume {
            let said = format!("{} was begun before: {games} of {} games are played", draft.id, draft.planned);
            return Err(Failure::work(said).hint(hint));
        }
        Ok(None)
    }

    /// Plays a draft, or what is left of it.
    pub(crate) async fn play(
        &self,
        draft: Draft,
        store: &Store,
        mut contest: Option<&mut Contest>,
        if_over: IfOver,
        out: &mut impl Write,
    ) -> Result<StartOutcome, Failure> {
        let hint = self.how_to_go_on(&draft.again);
        let hold = store.hold_when_free(&draft.id, DYING).await;
        let _hold = hold.map_err(|error| match error {
            StoreError::Held(id) => Failure::work(format!("{id} is being played by another process")),
            other => storage::failure(other),
        })?;
        if let Some(over) = self.begun_before(&draft, store, if_over, &hint).await? {
            return Ok(over);
        }
        let queue = if self.workers { Some(workers_of(store).await?) } else { None };
        let work = queue.as_ref().map(|_| self.work_plan(&draft));
        let info = TournamentInfo {
            id: draft.id.clone(),
            name: draft.name.clone(),
            file: draft.text.clone(),
            hash: draft.fingerprint.clone(),
            plan: json!({
                "games": draft.planned,
                "anchor": draft.anchor,
                "kind": if contest.is_some() { Kind::Experiment.name() } else { Kind::Tournament.name() },
                "command": draft.again,
                "edition": draft.setup.edition,
                "about": draft.about,
                "models": draft.cast.iter().filter_map(|one| one.model.as_ref()).collect::<Vec<_>>(),
                "work": work,
            })
            .to_string(),
            finished: false,
            created: 0,
        };
        store.write(vec![Change::Tournament(info.clone())]).await.map_err(storage::failure)?;
        let names: Vec<String> = draft.cast.iter().map(|one| one.name.clone()).collect();
        let planned = draft.planned;
        let mut signals = Signals::listen()?;
        if !self.workers {
            // What they have paid for is known before it is asked here.
            let stop = signals.stop();
            let Some(taken) = signals.heed(run::take_back(store, &draft.id, &stop)).await else {
                return Err(signals.failure(Failure::work("left at once; what was played is kept").hint(hint)));
            };
            taken.map_err(storage::failure)?;
        }
        // Whoever is asked from here has to be here.
        let is_asked_here =
            contest.as_ref().is_some_and(|contest| contest.gates.list.iter().any(|gate| *gate != Gate::Games));
        let (mut run, limiter) = self.run(draft, store, queue, is_asked_here, signals.stop()).await?;
        let mut after_pilot: Option<String> = None;
        let work = async {
            if let Some(contest) = contest.as_deref_mut()
                && let Some(end) = self.examine(contest, &mut run, limiter, out).await?
            {
                return Ok((RunReport { end, standings: Standings::new(run.entries.len()), bracket: None }, Ok(())));
            }
            if let Some(contest) = contest.as_deref_mut().filter(|contest| contest.pilot.is_some()) {
                let fresh = contest.trial.clone();
                let mut first = run.clone();
                first.setup.blocks = contest.pilot_blocks.min(run.setup.blocks);
                let budget = run.budget.clone();
                let mut progress =
                    Progress::new(self.json, names.clone(), planned, budget, Some(&mut contest.trial), out);
                let report = first.play(&mut progress).await?;
                let shown = progress.finish();
                if report.end != RunEnd::Finished || shown.is_err() {
                    return Ok((report, shown));
                }
                if let Some(objection) = contest.objection(&run.store, &run.id).await {
                    let go_on = contest.pilot.as_ref().is_some_and(|pilot| pilot.go_on);
                    if !go_on && !asked_to_go_on(&objection, &run.stop).await {
                        after_pilot = Some(objection);
                        return Ok((RunReport { end: RunEnd::Stopped, ..report }, Ok(())));
                    }
                    Pilot::agree(&run.store, &run.id).await?;
                }
                // The games of the pilot are read again, in their place among the others.
                contest.trial = fresh;
            }
            let experiment = contest.map(|contest| &mut contest.trial);
            let mut progress = Progress::new(self.json, names.clone(), planned, run.budget.clone(), experiment, out);
            let played = run.play(&mut progress).await;
            played.map(|report| (report, progress.finish()))
        };
        let left = || Failure::work("left at once; every finished game and every answer is kept").hint(&hint);
        let Some(played) = signals.heed(work).await else {
            return Err(signals.failure(left()));
        };
        let signal = signals.received();
        let objection = after_pilot.filter(|_| signal.is_none());
        // What follows is not worth waiting for.
        signals.end_at_once(left());
        let (report, shown) = played.map_err(|error| Failure::work(error).hint(hint))?;
        shown?;
        let info = TournamentInfo { finished: report.end == RunEnd::Finished, ..info };
        if info.finished {
            store.write(vec![Change::Tournament(info.clone())]).await.map_err(storage::failure)?;
        }
        Ok(StartOutcome::Played(Box::new(StartedRun { report, info, names, signal, objection })))
    }

    /// Takes everybody through the cheaper gates. Gives why it is over where no games follow.
    async fn examine(
        &self,
        contest: &mut Contest,
        run: &mut Run,
        limiter: Arc<dyn Limiter>,
        out: &mut impl Write,
    ) -> Result<Option<RunEnd>, RunError> {
        let begun = Instant::now();
        let examiner = Examiner {
            id: &run.id,
            matrix: contest.trial.matrix(),
            entries: &run.entries,
            courses: &run.courses,
            gates: &contest.gates,
            banks: &contest.banks,
            settings: contest.trial.settings(),
            noise: contest.trial.noise(),
            store: &run.store,
            limiter,
            budget: run.budget.clone(),
            concurrency: run.concurrency,
            time: run.time,
            stop: run.stop.clone(),
        };
        let mut view = GateView::new(self.json, run.budget.clone(), out);
        let examined = examiner.examine(&mut |news| view.told(news)).await;
        view.finish();
        contest.examined = match examined {
            Ok(examined) => examined,
            Err(Interrupted::Ended(end)) => return Ok(Some(end)),
            Err(Interrupted::Failed(error)) => return Err(error),
        };
        contest.trial.leave_out(contest.examined.left_out.iter().map(|(one, _)| *one));
        run.time = run.time.map(|time| time.saturating_sub(begun.elapsed()));
        Ok((!contest.gates.has(Gate::Games)).then_some(RunEnd::Finished))
    }

    /// What workers are told of a run.
    fn work_plan(&self, draft: &Draft) -> WorkPlan {
        let players = draft.cast.iter().map(Cast::planned).collect();
        WorkPlan::new(draft.language, &draft.courses, players, self.limits(draft.limits))
    }

    async fn run(
        &self,
        draft: Draft,
        store: &Store,
        workers: Option<Arc<JobQueue>>,
        is_asked_here: bool,
        stop: CancellationToken,
    ) -> Result<(Run, Arc<dyn Limiter>), Failure> {
        let limits = self.limits(draft.limits);
        let (budget, calls) = spent_so_far(&draft, limits, stop.clone(), store).await?;
        let journal = Arc::new(StoreJournal::new(store.clone(), calls).of_run(&draft.id));
        let answers: Arc<dyn Journal> = journal.clone();
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let limiter: Arc<dyn Limiter> = if workers.is_some() && is_asked_here {
            // Workers of an earlier start may still be playing, and those of other runs use the same endpoints.
            let name = format!("scheduler {}", uuid::Uuid::now_v7().simple());
            let shared = SharedLimiter::new(store, &draft.id, limits, &name, stop.clone());
            Arc::new(BookedLimiter::new(shared, budget.clone()))
        } else {
            budget.clone()
        };
        let run = Run {
            id: draft.id,
            entries: match &workers {
                Some(_) if !is_asked_here => cast::elsewhere(draft.cast),
                _ => cast::entries(draft.cast, draft.language, &limiter, &answers)?,
            },
            courses: draft.courses,
            setup: draft.setup,
            store: store.clone(),
            budget,
            concurrency: self.concurrency.map_or(draft.concurrency, usize::from),
            threads: self.threads.map_or(cores, usize::from),
            time: limits.max_minutes.and_then(|minutes| Duration::try_from_secs_f64(60.0 * minutes).ok()),
            stop,
            journal: Some(journal),
            workers,
        };
        Ok((run, limiter))
    }

    pub(crate) fn limits(&self, of_file: RunLimits) -> RunLimits {
        RunLimits {
            max_usd: self.max_usd.or(of_file.max_usd),
            max_calls: self.max_calls.or(of_file.max_calls),
            max_minutes: self.max_minutes.or(of_file.max_minutes),
        }
    }

    /// What a run that stopped before its end says.
    pub(crate) fn ended(&self, played: &StartedRun, planned: u64, again: &str) -> Result<(), Failure> {
        let StartedRun { report, signal, objection, .. } = played;
        if let Some(objection) = objection {
            let hint = format!("{}; with --yes it goes on whatever the forecast", self.how_to_go_on(again));
            return Err(Failure::work(objection).hint(hint).with_code(13));
        }
        let done = format!("{} of {planned} games are played and kept", report.standings.games());
        let failure = match &report.end {
            RunEnd::Finished => return Ok(()),
            RunEnd::Stopped => {
                let stopped = Failure::work(format!("stopped; {done}"));
                signal.iter().fold(stopped, |stopped, signal| stopped.with_code(signal.exit_code()))
            }
            RunEnd::OutOfBudget { why } => Failure::work(format!("{why}; {done}")),
            RunEnd::OutOfTime => Failure::work(format!("the time is up; {done}")),
            RunEnd::Failing { why } => Failure::work(format!("{why}; nobody has lost by it, and {done}")),
        };
        Err(failure.hint(self.how_to_go_on(again)))
    }

    fn how_to_go_on(&self, again: &str) -> String {
        let workers = if self.workers { " --workers" } else { "" };
        format!("`{again} --resume{workers}{}` goes on where it stopped", self.store.flag())
    }
}

/// How many games of a run are played.
async fn count(store: &Store, id: &str) -> Result<usize, Failure> {
    match store.totals().await.map_err(storage::failure)? {
        Some(totals) => Ok(totals.get(id).map_or(0, |total| usize::try_from(total.games).unwrap_or(usize::MAX))),
        // Of before games were counted.
        None => Ok(store.games(Some(id)).await.map_err(storage::failure)?.len()),
    }
}

/// The queue from which workers take jobs.
async fn workers_of(store: &Store) -> Result<Arc<JobQueue>, Failure> {
    let queue = JobQueue::open(store, "scheduler").await.map_err(storage::failure)?;
    Ok(Arc::new(queue))
}

/// The command that names a file again, with the configuration that was named.
pub(crate) fn again(command: &str, file: Option<&PathBuf>, config: &ConfigArgs) -> String {
    let file = file.map(|path| format!(" {}", path.display())).unwrap_or_default();
    format!("standoff {command}{file}{}", config.flag())
}

/// The budget with what earlier starts have used, and the answers of games that were not finished.
async fn spent_so_far(
    draft: &Draft,
    limits: RunLimits,
    stop: CancellationToken,
    store: &Store,
) -> Result<(Arc<RunBudget>, Vec<StoredCall>), Failure> {
    let prefix = format!("{}.", draft.id);
    let open = store.open_calls(&prefix).await.map_err(storage::failure)?;
    let mut ledger = run::ledger(store, &prefix).await.map_err(storage::failure)?;
    if ledger.is_empty() {
        let spent = spent_before_the_ledger(draft, store, &open).await?;
        if spent.requests > 0 {
            ledger.add(None, Seat::new(0), spent);
            let earlier = StoredRequest {
                id: format!("{prefix}earlier"),
                match_id: Some(format!("{prefix}earlier")),
                seat: Seat::new(0),
                turn: 0,
                ordinal: 0,
                player: String::new(),
                outcome: RequestOutcome::Earlier.name().to_owned(),
                why: None,
                requests: spent.requests,
                cost: spent.cost,
                is_known: true,
            };
            store.write(vec![Change::Request(Box::new(earlier))]).await.map_err(storage::failure)?;
        }
    }
    let budget = RunBudget::new(limits.max_usd, limits.max_calls).after(ledger).stopped_by(stop);
    Ok((Arc::new(budget), open))
}

/// What a run has spent that an earlier version of the program began, which kept no ledger.
async fn spent_before_the_ledger(draft: &Draft, store: &Store, open: &[StoredCall]) -> Result<Spent, Failure> {
    let asks = |one: &Cast| matches!(one.seated, PlayerSpec::Model(_) | PlayerSpec::Agent(_));
    if open.is_empty() && !draft.cast.iter().any(asks) {
        return Ok(Spent::default());
    }
    let games = store.games(Some(&draft.id)).await.map_err(storage::failure)?;
    let (mut usd, mut calls) = (0.0, open.len() as u64);
    for summary in games.iter().flat_map(|game| GameSummary::read(game.note.as_deref()).seats.into_values()) {
        usd += summary.usd;
        calls += summary.calls;
    }
    let profiles: Vec<_> = draft
        .cast
        .iter()
        .filter_map(|one| if let PlayerSpec::Model(profile) = &one.seated { Some(profile.as_ref()) } else { None })
        .collect();
    for call in open {
        // Whose call it was is in the match, which is not kept yet: the dearest of those who could have made it.
        let Some(recorded) = run::recorded(call) else { continue };
        let own = asked_at_a_gate(draft, call);
        let prices = profiles.iter().filter(|profile| own.is_none_or(|own| own == **profile));
        let prices = prices.filter_map(|profile| model::price_of(profile, &recorded));
        usd += prices.fold(0.0, f64::max);
    }
    Ok(Spent::new(calls, usd))
}

/// Whose call it was, where it was no game's: the name says it.
fn asked_at_a_gate<'d>(draft: &'d Draft, call: &StoredCall) -> Option<&'d Profile> {
    let mut parts = call.match_id.as_deref()?.strip_prefix(&draft.id)?.strip_prefix('.')?.split('.');
    parts.next().filter(|gate| [Gate::Quiz, Gate::Bank].map(Gate::name).contains(gate))?;
    match &draft.cast.get(parts.next()?.parse::<usize>().ok()?)?.seated {
        PlayerSpec::Model(profile) => Some(profile),
        _ => None,
    }
}

/// The rulesets of courses.
pub(crate) fn rulesets(courses: &[Course]) -> Vec<Arc<Ruleset>> {
    courses.iter().map(|course| course.ruleset.clone()).collect()
}

/// Every ruleset on every map, each for so many seats, with the opening that the file names or else the ruleset's.
pub(crate) fn courses(
    rulesets: &[PlacedName],
    maps: &[PlacedName],
    opening: Option<u32>,
    seats: usize,
) -> Result<Vec<Course>, BadFile> {
    let maps: Vec<Option<&PlacedName>> = if maps.is_empty() { vec![None] } else { maps.iter().map(Some).collect() };
    let mut problems = Vec::new();
    let mut courses = Vec::new();
    for (ruleset, place) in rulesets {
        for map in &maps {
            let map_name = map.map(|(name, _)| name.as_str());
            let found = crate::cli::args::ruleset_on(ruleset, map_name).map_err(|bad| bad.problems).and_then(|found| {
                found.check_players(seats).map(|()| found).map_err(|refusal| {
                    vec![FileProblem { place: place.clone(), message: format!("{ruleset}: {}", refusal.message) }]
                })
            });
            match found {
                Ok(found) => {
                    let name = map_name.map_or_else(|| ruleset.clone(), |map| format!("{ruleset} on {map}"));
                    courses.push(Course { name, ruleset: Arc::new(found.for_tournament(opening)) });
                }
                Err(found) => {
                    let place = map.map_or(place, |(_, place)| place);
                    let said = found.into_iter().map(|problem| FileProblem { place: place.clone(), ..problem });
                    problems.extend(said);
                }
            }
        }
    }
    if problems.is_empty() { Ok(courses) } else { Err(BadFile { problems }) }
}
