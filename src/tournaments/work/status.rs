//! Who works on what, how fast, and what waits.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value as Json;

use crate::players::model::{AwaitedLimit, LimitQueue, usd};
use crate::store::{JobCount, JobEnd, RunSpending, Store, StoreError, WorkerRow};

/// So many jobs that were set aside are told of.
const MOST_SET_ASIDE: u32 = 1000;

/// Who works for a store, what for, and what waits for which limit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct WorkStatus {
    /// Everybody who works.
    pub workers: Vec<WorkerStatus>,
    /// The runs that have jobs.
    pub runs: Vec<RunStatus>,
    /// What calls of models wait for, on all workers together; what most wait for is first.
    pub waiting: Vec<LimitStatus>,
}

/// A limit that calls wait for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct LimitStatus {
    /// Which one.
    pub limit: AwaitedLimit,
    /// Whose it is: an endpoint's, or a run's where it is one of money or calls.
    pub whose: String,
    /// How many calls wait.
    pub calls: u64,
    /// Of how many games.
    pub games: u64,
    /// Since when it has held calls with hardly a pause, in milliseconds since 1970.
    pub since: i64,
    /// How many seconds that was when its worker was last heard of.
    pub seconds: f64,
}

/// A worker as it last said of itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct WorkerStatus {
    /// Its name in the store.
    pub name: String,
    /// What it said: its machine, its version, its players, how hard it works, its jobs, its rates, what its calls wait
    /// for, the runs that it declines, and the players of other runs whom it cannot bring, each with the reason.
    #[serde(flatten)]
    pub about: Json,
    /// Since when it is there, in milliseconds since 1970.
    pub since: i64,
    /// When it was last heard of, in milliseconds since 1970.
    pub heard: i64,
    /// Whether it has not been heard of for so long that its jobs go to others.
    pub is_lost: bool,
}

/// The jobs of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct RunStatus {
    /// The run's name in the store.
    pub run: String,
    /// Jobs that nobody plays yet.
    pub waiting: u64,
    /// Jobs that are being played, by worker.
    pub playing: BTreeMap<String, u64>,
    /// Jobs that are over and that the scheduler has not heard of.
    pub over: u64,
    /// Jobs that took down several workers in a row, with what is known.
    pub set_aside: Vec<String>,
    /// What its calls have cost, in US dollars.
    pub usd: f64,
    /// The most that they may cost.
    pub max_usd: Option<f64>,
    /// How many calls there were.
    pub calls: u64,
    /// The most that there may be.
    pub max_calls: Option<u64>,
}

impl WorkStatus {
    /// How things stand. A worker that was silent for so long is lost. Nothing is written for it.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) async fn read(store: &Store, silent: Duration) -> Result<WorkStatus, StoreError> {
        let workers: Vec<WorkerStatus> = store.workers(silent).await?.into_iter().map(WorkerStatus::from).collect();
        let waiting = waiting(&workers);
        let mut runs: BTreeMap<String, RunStatus> = BTreeMap::new();
        for JobCount { tournament, end, worker, jobs } in store.job_counts().await? {
            let run = runs.entry(tournament).or_default();
            match (end, worker) {
                (None, None) => run.waiting += jobs,
                (None, Some(worker)) => *run.playing.entry(worker).or_default() += jobs,
                (Some(JobEnd::SetAside), _) => {}
                (Some(_), _) => run.over += jobs,
            }
        }
        for (run, why) in store.jobs_set_aside(MOST_SET_ASIDE).await? {
            runs.entry(run).or_default().set_aside.push(why);
        }
        let spent = store.spent_by_runs_with_jobs().await?;
        for (name, run) in &mut runs {
            run.run.clone_from(name);
            let RunSpending { requests, cost } = spent.get(name).copied().unwrap_or_default();
            (run.usd, run.calls) = (usd(cost), requests);
            if let Some(info) = store.tournament(name).await? {
                let plan: Json = serde_json::from_str(&info.plan).unwrap_or_default();
                (run.max_usd, run.max_calls) = (plan["work"]["max_usd"].as_f64(), plan["work"]["max_calls"].as_u64());
            }
        }
        Ok(WorkStatus { workers, runs: runs.into_values().collect(), waiting })
    }
}

impl From<WorkerRow> for WorkerStatus {
    fn from(row: WorkerRow) -> WorkerStatus {
        let WorkerRow { name, about, since, heard, is_stale } = row;
        WorkerStatus { name, about, since, heard, is_lost: is_stale }
    }
}

/// What calls wait for on these workers, as far as they are not lost.
fn waiting(workers: &[WorkerStatus]) -> Vec<LimitStatus> {
    let mut limits: BTreeMap<(AwaitedLimit, String), LimitStatus> = BTreeMap::new();
    for worker in workers.iter().filter(|worker| !worker.is_lost) {
        // Of another version it may say other things.
        let queues: Vec<LimitQueue> = serde_json::from_value(worker.about["waiting"].clone()).unwrap_or_default();
        for LimitQueue { limit, whose, calls, games, seconds } in queues {
            // By the clock of the database: those of machines may differ.
            #[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates")]
            let since = worker.heard.saturating_sub((seconds * 1000.0) as i64);
            let empty = LimitStatus { limit, whose: whose.clone(), calls: 0, games: 0, since, seconds };
            let sum = limits.entry((limit, whose)).or_insert(empty);
            sum.calls += calls;
            sum.games += games;
            sum.since = sum.since.min(since);
            sum.seconds = sum.seconds.max(seconds);
        }
    }
    let mut limits: Vec<LimitStatus> = limits.into_values().collect();
    limits.sort_by_key(|limit| Reverse(limit.calls));
    limits
}

impl fmt::Display for LimitStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LimitStatus { limit, whose, calls, games, seconds, .. } = self;
        match limit {
            AwaitedLimit::Requests => write!(f, "waiting for the requests per minute of {whose}")?,
            AwaitedLimit::Tokens => write!(f, "waiting for the tokens per minute of {whose}")?,
            AwaitedLimit::Concurrency => write!(f, "waiting for a place among the requests under way at {whose}")?,
            AwaitedLimit::Money => write!(f, "waiting for money of {whose} that is set aside for calls under way")?,
            AwaitedLimit::Calls => write!(f, "waiting for calls of {whose} that are set aside for those under way")?,
            AwaitedLimit::Provider => write!(f, "waiting for {whose}, which was overloaded or failed")?,
        }
        write!(f, ": calls {calls}, games {games}, for {seconds:.0} s by now")
    }
}

impl fmt::Display for WorkStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.workers.is_empty() {
            writeln!(f, "nobody works here")?;
        }
        for WorkerStatus { name, about, is_lost, .. } in &self.workers {
            let number = |field: &str| about[field].as_f64().unwrap_or(0.0);
            let jobs = about["jobs"].as_array().map_or(0, Vec::len);
            let lost = if *is_lost { ", not heard of lately" } else { "" };
            writeln!(
                f,
                "{name}: version {}, threads {}, concurrency {}; jobs under way {jobs}, over {}; {:.1} games per second, \
                 {:.1} answers per second{lost}",
                about["version"].as_str().unwrap_or("?"),
                number("threads"),
                number("concurrency"),
                number("jobs_over"),
                number("games_per_second"),
                number("answers_per_second"),
            )?;
            for (run, why) in about["declined"].as_object().into_iter().flatten() {
                writeln!(f, "  plays no games of {run}: {}", why.as_str().unwrap_or_default())?;
            }
            for (run, players) in about["without"].as_object().into_iter().flatten() {
                for (player, why) in players.as_object().into_iter().flatten() {
                    writeln!(f, "  plays no games of {run} with {player}: {}", why.as_str().unwrap_or_default())?;
                }
            }
        }
        for RunStatus { run, waiting, playing, over, set_aside, usd, max_usd, calls, max_calls } in &self.runs {
            let under_way: u64 = playing.values().sum();
            writeln!(f, "{run}: jobs waiting {waiting}, under way {under_way}, over {over}")?;
            for (worker, jobs) in playing {
                writeln!(f, "  {worker}: {jobs}")?;
            }
            for why in set_aside {
                writeln!(f, "  set aside: {why}")?;
            }
            if let Some(max) = max_usd {
                writeln!(f, "  ${usd:.4} of ${max:.4} are spent")?;
            }
            if let Some(max) = max_calls {
                writeln!(f, "  {calls} of {max} calls are made")?;
            }
        }
        for limit in &self.waiting {
            writeln!(f, "{limit}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn worker(name: &str, heard: i64, is_lost: bool, calls: u64, seconds: f64) -> WorkerStatus {
        let queue = LimitQueue { limit: AwaitedLimit::Requests, whose: "here".to_owned(), calls, games: 1, seconds };
        WorkerStatus { name: name.to_owned(), about: json!({ "waiting": [queue] }), since: 0, heard, is_lost }
    }

    #[test]
    fn what_calls_wait_for_is_summed_over_workers_that_are_there() {
        let mut other = worker("of another version", 9, false, 1, 1.0);
        other.about = json!({ "waiting": [{ "limit": "the moon" }] });
        let workers = [
            worker("one", 100_000, false, 3, 2.0),
            worker("other", 101_000, false, 4, 10.0),
            worker("gone", 50_000, true, 100, 40.0),
            other,
        ];
        let found = waiting(&workers);
        let [requests] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((requests.calls, requests.games, requests.since, requests.seconds), (7, 2, 91_000, 10.0));
    }
}
