//! `standoff work`: plays games of any run on a store, beside any number of others who do.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use futures_util::future::BoxFuture;
use serde_json::json;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::check;
use super::error::Failure;
use super::messages;
use super::players::{ConfigArgs, variant};
use super::seat::PlayerSpec;
use super::signals::Signals;
use super::storage::{self, StoreArgs};
use super::tournament::cast::{self, Cast};
use crate::briefs::Language;
use crate::players::Contestants;
use crate::players::model::{Journal, Limiter};
use crate::store::{JobQueue, Store, StoreError, TournamentInfo};
use crate::tournaments::run::{Entry, StoreJournal, Workplace};
use crate::tournaments::work::{
    self, Casting, PlannedPlayer, Prepared, WorkPlan, WorkStatus, Worker, WorkerNews, WorkerSettings,
};

/// So long after a player could not be brought it is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(30);

/// How long a worker that leaves waits for its store to close.
const CLOSING: Duration = Duration::from_secs(3);

/// Play games of tournaments that others schedule on a store, on as many machines as you like.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff tournament cup.toml --workers --store postgres://db/standoff     schedules, and plays nothing itself
  standoff work --store postgres://db/standoff                              on every machine; Ctrl-C or SIGTERM leaves
  standoff work --store postgres://db/standoff --threads 8 --concurrency 64
  standoff work --store postgres://db/standoff --status                     who works on what, and what waits for which limit

Keys of models stay on the machine: a worker takes only games whose players its own configuration has, as the run has
them, with their keys set, and that pass `standoff players check`. Programs of `process:` and files of `scripted:` are run only with --programs.")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct WorkCommand {
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    config: ConfigArgs,
    /// Threads for games among bots (default: all cores)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=1024))]
    threads: Option<u16>,
    /// Games with models or programs at once
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(0..=10_000))]
    concurrency: u16,
    /// Run programs and scripts that tournaments on this store name, on this machine
    #[arg(long)]
    programs: bool,
    /// Take the players of the configuration as they are, without asking each a few tiny questions first
    #[arg(long)]
    no_check: bool,
    /// Print who works on what, how fast, and what waits for which limit, and take no job; nothing is written
    #[arg(long)]
    status: bool,
    /// With --status: one JSON object
    #[arg(long, requires = "status")]
    json: bool,
    /// Seconds of silence after which a worker's jobs go to others
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=3600))]
    lost_after: u32,
}

impl WorkCommand {
    /// Works until it is told to stop.
    ///
    /// # Errors
    /// If the store or the configuration cannot be used.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        storage::block_on(self.go(out))
    }

    async fn go(self, out: &mut impl Write) -> Result<(), Failure> {
        let (store, worked);
        if self.status {
            // Looking changes nothing, whatever version the store has.
            store = self.store.open_to_read().await?;
            worked = self.tell(&store, out).await;
        } else {
            let known = self.config.load()?.known;
            store = self.store.open().await?;
            worked = self.work(known, &store).await;
        }
        // Whoever closes a store waits for a server that may never answer again.
        let _ = timeout(CLOSING, store.close()).await;
        worked
    }

    fn lost_after(&self) -> Duration {
        Duration::from_secs(self.lost_after.into())
    }

    async fn tell(&self, store: &Store, out: &mut impl Write) -> Result<(), Failure> {
        if store.is_file() {
            return Err(storage::failure(StoreError::NoWorkers { at: self.store.location()? }));
        }
        let status = WorkStatus::read(store, self.lost_after()).await.map_err(storage::failure)?;
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&status).map_err(Failure::work)?)?;
        } else {
            write!(out, "{status}")?;
        }
        Ok(())
    }

    async fn work(&self, known: Contestants, store: &Store) -> Result<(), Failure> {
        let mut signals = Signals::listen()?;
        let host = host();
        let name = format!("{host} {}", uuid::Uuid::now_v7().simple());
        let queue = JobQueue::open(store, &name).await.map_err(storage::failure)?;
        let about = json!({
            "host": host,
            "process": std::process::id(),
            "version": env!("CARGO_PKG_VERSION"),
            "players": known.profiles.iter().map(|profile| &profile.name).collect::<Vec<_>>(),
        });
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let settings = WorkerSettings {
            threads: self.threads.map_or(cores, usize::from),
            concurrency: usize::from(self.concurrency),
            lost_after: self.lost_after(),
            retry_after: RETRY_AFTER,
        };
        let casting = ConfiguredCasting {
            known,
            store: store.clone(),
            worker: name.clone(),
            programs: self.programs,
            checks: !self.no_check,
            checked: Checks::default(),
        };
        let worker = Worker::new(store.clone(), queue, settings, Arc::new(casting), about, signals.stop());
        messages::tell(&format!("working as {name}"));
        let mut told = |news: WorkerNews| say(&news);
        let Some(worked) = signals.heed(worker.work(&mut told)).await else {
            let said = "left at once; what was played is kept, and others take up the rest when this worker is missed";
            return Err(signals.failure(Failure::work(said)));
        };
        worked.map_err(storage::failure)?;
        match signals.received() {
            Some(signal) => {
                Err(Failure::work("left; what was not finished is given back").with_code(signal.exit_code()))
            }
            None => Ok(()),
        }
    }
}

/// Tells what the worker does, on standard error.
fn say(news: &WorkerNews) {
    match news {
        WorkerNews::Joins { run, without } if without.is_empty() => messages::tell(&format!("playing games of {run}")),
        WorkerNews::Joins { run, without } => {
            let without: Vec<String> = without.iter().map(|(name, why)| format!("{name} ({why})")).collect();
            messages::tell(&format!("playing games of {run}, without {}", without.join(", ")));
        }
        WorkerNews::Declines { run, why } => messages::tell(&format!("playing no games of {run}: {why}")),
        WorkerNews::SetAside { name } => {
            messages::tell(&format!("{name} is set aside: it took down several workers in a row"));
        }
        WorkerNews::Job { name, outcome } => tracing::debug!(job = name, outcome, "a job has ended"),
    }
}

/// The machine's name.
fn host() -> String {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let name = read("/proc/sys/kernel/hostname").or_else(|| read("/etc/hostname")).unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "worker".to_owned() } else { name.to_owned() }
}

/// Brings the players of this machine's configuration.
struct ConfiguredCasting {
    known: Contestants,
    store: Store,
    worker: String,
    programs: bool,
    /// Whether models are asked a few tiny questions before they play.
    checks: bool,
    checked: Checks,
}

/// What came of checking players, by name: a player that passes does so for good, and one that does not is asked again after
/// a while.
#[derive(Default)]
struct Checks {
    of: Mutex<HashMap<String, Arc<Mutex<Checked>>>>,
}

/// What came of checking a player, and when.
type Checked = Option<(Result<(), String>, Instant)>;

impl Checks {
    /// What is known of a player, or what asking it says. Two who want to know ask once.
    async fn of(&self, name: &str, ask: impl Future<Output = Result<(), String>>) -> Result<(), String> {
        let known = self.of.lock().await.entry(name.to_owned()).or_default().clone();
        let mut known = known.lock().await;
        if let Some((found, when)) = &*known
            && (found.is_ok() || when.elapsed() < RETRY_AFTER)
        {
            return found.clone();
        }
        let found = ask.await;
        *known = Some((found.clone(), Instant::now()));
        found
    }
}

impl ConfiguredCasting {
    /// The player as this machine knows it, if it is the same one.
    fn cast(&self, planned: &PlannedPlayer, language: Language) -> Result<Cast, String> {
        let PlannedPlayer { name, player, variant, model, profile } = planned;
        let unknown = |_| "not in this machine's configuration".to_owned();
        let mut seated = PlayerSpec::parse(player, &self.known).map_err(unknown)?;
        let variant = variant.as_ref().map(|(prompt, language)| (prompt, language.parse().unwrap_or_default()));
        match (&mut seated, variant) {
            (PlayerSpec::Process(_) | PlayerSpec::Scripted(_), _) if !self.programs => {
                return Err("programs are run only with --programs".to_owned());
            }
            (PlayerSpec::Human, _) => return Err("people do not play in tournaments".to_owned()),
            (PlayerSpec::Model(own), _) if profile.as_ref() != Some(&cast::fingerprint(own)) => {
                return Err("its profile here differs from the run's".to_owned());
            }
            (PlayerSpec::Model(own), Some((prompt, language))) => {
                own.prompt.clone_from(prompt);
                own.language = Some(language);
            }
            (PlayerSpec::Agent(own), Some((prompt, language))) => {
                own.prompt.clone_from(prompt);
                own.language = Some(language);
            }
            _ => {}
        }
        let own = cast::model_info(&seated, language).map_err(|failure| failure.to_string())?;
        if own != *model {
            return Err("its prompt here differs from the run's".to_owned());
        }
        Ok(Cast { name: name.clone(), seated, model: own })
    }

    /// Whether a player passes `standoff players check`, where it is a model.
    async fn check(&self, cast: &Cast) -> Result<(), String> {
        let PlayerSpec::Model(profile) = &cast.seated else { return Ok(()) };
        if !self.checks {
            return Ok(());
        }
        let variant = variant(profile).map_err(|failure| failure.to_string())?;
        self.checked.of(&profile.name, check::passes(profile, variant)).await
    }

    /// The player, ready to come to a table.
    async fn entry(
        &self,
        planned: &PlannedPlayer,
        language: Language,
        limiter: &Arc<dyn Limiter>,
        answers: &Arc<dyn Journal>,
    ) -> Result<Entry, String> {
        let cast = self.cast(planned, language)?;
        self.check(&cast).await?;
        cast.entry(language, limiter, answers).map_err(|failure| failure.to_string())
    }
}

impl Casting for ConfiguredCasting {
    fn prepare<'a>(
        &'a self,
        info: &'a TournamentInfo,
        before: Option<Arc<Workplace>>,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<Prepared, String>> {
        Box::pin(async move {
            let plan = WorkPlan::of(info)?;
            let courses = plan.courses()?;
            let language: Language = plan.language.parse().map_err(|_| format!("no language {}", plan.language))?;
            // What it holds of the limits, and what it knows of jobs under way, it goes on with.
            let (limiter, journal) = if let Some(before) = before {
                (before.limiter.clone(), before.journal.clone())
            } else {
                let limiter = work::limiter(&self.store, &info.id, plan.limits(), &self.worker, stop).await;
                let journal = StoreJournal::new(self.store.clone(), Vec::new()).of_run(&info.id);
                (limiter.map_err(|error| error.to_string())?, Arc::new(journal))
            };
            let answers: Arc<dyn Journal> = journal.clone();
            let (mut entries, mut able, mut unable) = (Vec::new(), Vec::new(), Vec::new());
            for player in &plan.players {
                match self.entry(player, language, &limiter, &answers).await {
                    Ok(entry) => {
                        able.push(player.name.clone());
                        entries.push(entry);
                    }
                    Err(why) => {
                        entries.push(cast::absent(player.name.clone(), &PlayerSpec::Human, player.model.clone(), &why));
                        unable.push((player.name.clone(), why));
                    }
                }
            }
            if able.is_empty() {
                return Err("none of its players can play here".to_owned());
            }
            let (id, store) = (info.id.clone(), self.store.clone());
            Ok(Prepared { place: Workplace { id, entries, courses, store, journal, limiter }, able, unable })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::players::model::AwaitedLimit::{Calls, Concurrency, Money, Provider, Requests, Tokens};
    use crate::tournaments::work::{LimitStatus, RunStatus, WorkerStatus};

    #[test]
    fn every_line_of_the_status_is_there_in_chinese() {
        let limit = |limit| LimitStatus {
            limit,
            whose: "https://x.test/v1".to_owned(),
            calls: 7,
            games: 3,
            since: 0,
            seconds: 12.3,
        };
        let worker = WorkerStatus {
            name: "host 1".to_owned(),
            about: json!({ "version": "1.0.0", "threads": 2, "concurrency": 16, "jobs": [], "jobs_over": 3,
                "games_per_second": 1.5, "answers_per_second": 2.0, "declined": { "cup-1": "none of its players can play here" },
                "without": { "cup-2": { "mind": "not in this machine's configuration" } } }),
            since: 0,
            heard: 0,
            is_lost: false,
        };
        let lost = WorkerStatus { is_lost: true, ..worker.clone() };
        let run = RunStatus {
            run: "cup-1".to_owned(),
            waiting: 4,
            playing: [("host 1".to_owned(), 2)].into(),
            over: 1,
            set_aside: vec!["cup-1.7".to_owned()],
            usd: 0.25,
            max_usd: Some(2.0),
            calls: 80,
            max_calls: Some(100),
        };
        let waiting = [Requests, Tokens, Concurrency, Money, Calls, Provider].map(limit).to_vec();
        let nobody = WorkStatus { workers: Vec::new(), runs: Vec::new(), waiting };
        for status in [nobody, WorkStatus { workers: vec![worker, lost], runs: vec![run], waiting: Vec::new() }] {
            let status = status.to_string();
            assert!(status.lines().count() > 6, "{status}");
            for line in status.lines().filter(|line| *line != "  host 1: 2") {
                let told = messages::in_chinese(line);
                let english = told.split_whitespace().find(|word| ["of", "for", "waiting", "jobs"].contains(word));
                assert!(told != line && english.is_none(), "{line}: {told}");
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_player_that_fails_its_check_is_asked_again_after_a_while_and_one_that_passes_is_not() {
        let (checks, asked) = (Checks::default(), AtomicU32::new(0));
        let found = async |result: Result<(), String>| {
            let ask = async {
                asked.fetch_add(1, Ordering::Relaxed);
                result
            };
            (checks.of("mind", ask).await, asked.load(Ordering::Relaxed))
        };
        let down = || Err("it is down".to_owned());
        assert_eq!(found(down()).await, (down(), 1));
        assert_eq!(found(Ok(())).await, (down(), 1), "it is not asked at once again");
        tokio::time::advance(RETRY_AFTER).await;
        assert_eq!(found(Ok(())).await, (Ok(()), 2));
        tokio::time::advance(RETRY_AFTER * 100).await;
        assert_eq!(found(down()).await, (Ok(()), 2));
    }
}
