//! Who works on what, how fast, and what waits.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value as Json;

use crate::store::{JobEnd, JobQueue, Store, StoreError};

/// Who works for a store, and what for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkStatus {
    /// Everybody who works.
    pub workers: Vec<WorkerStatus>,
    /// The runs that have jobs.
    pub runs: Vec<RunStatus>,
}

/// A worker as it last said of itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkerStatus {
    /// Its name in the store.
    pub name: String,
    /// What it said: its machine, its version, its players, how hard it works, its jobs, its rates, the runs that it
    /// declines, and the players of other runs whom it cannot bring, each with the reason.
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
pub struct RunStatus {
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
}

impl WorkStatus {
    /// How things stand. A worker that was silent for so long is lost.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn read(store: &Store, queue: &JobQueue, silent: Duration) -> Result<WorkStatus, StoreError> {
        let workers = queue.workers(silent).await?.into_iter().map(|row| WorkerStatus {
            name: row.name,
            about: row.about,
            since: row.since,
            heard: row.heard,
            is_lost: row.is_stale,
        });
        let mut runs: BTreeMap<String, RunStatus> = BTreeMap::new();
        for job in store.jobs(None).await? {
            let run = runs.entry(job.tournament.clone()).or_default();
            run.run = job.tournament;
            match (job.end, job.worker) {
                (None, None) => run.waiting += 1,
                (None, Some(worker)) => *run.playing.entry(worker).or_default() += 1,
                (Some(JobEnd::SetAside), _) => run.set_aside.push(job.reason.unwrap_or(job.name)),
                (Some(_), _) => run.over += 1,
            }
        }
        Ok(WorkStatus { workers: workers.collect(), runs: runs.into_values().collect() })
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
        for RunStatus { run, waiting, playing, over, set_aside } in &self.runs {
            let under_way: u64 = playing.values().sum();
            writeln!(f, "{run}: jobs waiting {waiting}, under way {under_way}, over {over}")?;
            for (worker, jobs) in playing {
                writeln!(f, "  {worker}: {jobs}")?;
            }
            for why in set_aside {
                writeln!(f, "  set aside: {why}")?;
            }
        }
        Ok(())
    }
}
