//! Who works for the store, on what, and what waits for which limit.

use std::sync::Arc;
use std::time::Duration;

use axum::Json as JsonBody;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use super::app::App;
use super::caller::Caller;
use super::error::ApiError;
use crate::tournaments::work::{AwaitedLimit, LimitStatus, RunStatus, WorkStatus, WorkerStatus};

/// So many workers, runs and limits are listed.
const MOST_LISTED: usize = 100;

/// A worker that was silent for so long is told as lost.
const SILENT: Duration = Duration::from_mins(1);

/// A worker as it last said of itself.
#[derive(Debug, Serialize, JsonSchema)]
struct WorkerLine {
    /// Its machine and its own number; null for whoever is not the owner of the server.
    name: Option<String>,
    version: String,
    /// Since when it is there, in milliseconds since 1970.
    since: i64,
    /// When it was last heard of, in milliseconds since 1970.
    heard: i64,
    /// Whether it has not been heard of for a minute.
    lost: bool,
    /// Threads for games among bots.
    threads: u64,
    /// Games with models or programs at once.
    concurrency: u64,
    /// Jobs that it plays.
    jobs: usize,
    /// Jobs that it has played.
    jobs_over: u64,
    games_per_second: f64,
    answers_per_second: f64,
}

/// The jobs of a run.
#[derive(Debug, Serialize, JsonSchema)]
struct RunLine {
    /// The tournament or experiment.
    run: String,
    /// Jobs that nobody plays yet.
    waiting: u64,
    /// Jobs that are being played.
    under_way: u64,
    /// Jobs that are over and that the scheduler has not heard of.
    over: u64,
    /// Jobs that took down several workers in a row.
    set_aside: usize,
    /// What its calls have cost, in US dollars.
    usd: f64,
    /// The most that they may cost.
    max_usd: Option<f64>,
    /// How many calls there were.
    calls: u64,
    /// The most that there may be.
    max_calls: Option<u64>,
}

/// A limit that calls wait for, on all workers together.
#[derive(Debug, Serialize, JsonSchema)]
struct LimitLine {
    limit: AwaitedLimit,
    /// The run, where it is a limit of money or calls.
    run: Option<String>,
    /// The endpoint, where it is one of an endpoint; null for whoever is not the owner of the server.
    endpoint: Option<String>,
    /// How many calls wait.
    calls: u64,
    /// Of how many games.
    games: u64,
    /// Since when it has held calls with hardly a pause, in milliseconds since 1970.
    since: i64,
}

/// Who works for the store, on what, and what waits for which limit. At most 100 of each are listed.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct WorkBody {
    /// How many workers there are.
    worker_count: usize,
    workers: Vec<WorkerLine>,
    /// How many runs have jobs.
    run_count: usize,
    runs: Vec<RunLine>,
    /// The one that most calls wait for is first.
    waiting: Vec<LimitLine>,
}

pub(super) async fn work(State(app): State<Arc<App>>, caller: Caller) -> Result<JsonBody<WorkBody>, ApiError> {
    let WorkStatus { workers, runs, waiting } = WorkStatus::read(&app.store, SILENT).await?;
    // Where machines and models are is nobody else's business.
    let is_owner = app.is_owner(&caller);
    Ok(JsonBody(WorkBody {
        worker_count: workers.len(),
        workers: workers.into_iter().take(MOST_LISTED).map(|worker| worker_line(worker, is_owner)).collect(),
        run_count: runs.len(),
        runs: runs.into_iter().take(MOST_LISTED).map(run_line).collect(),
        waiting: waiting.into_iter().take(MOST_LISTED).map(|limit| limit_line(limit, is_owner)).collect(),
    }))
}

fn worker_line(worker: WorkerStatus, is_owner: bool) -> WorkerLine {
    let WorkerStatus { name, about, since, heard, is_lost } = worker;
    let count = |field: &str| about[field].as_u64().unwrap_or(0);
    let rate = |field: &str| about[field].as_f64().unwrap_or(0.0);
    WorkerLine {
        name: is_owner.then_some(name),
        version: about["version"].as_str().unwrap_or_default().to_owned(),
        since,
        heard,
        lost: is_lost,
        threads: count("threads"),
        concurrency: count("concurrency"),
        jobs: about["jobs"].as_array().map_or(0, Vec::len),
        jobs_over: count("jobs_over"),
        games_per_second: rate("games_per_second"),
        answers_per_second: rate("answers_per_second"),
    }
}

fn run_line(run: RunStatus) -> RunLine {
    let RunStatus { run, waiting, playing, over, set_aside, usd, max_usd, calls, max_calls } = run;
    let under_way = playing.values().sum();
    RunLine { run, waiting, under_way, over, set_aside: set_aside.len(), usd, max_usd, calls, max_calls }
}

fn limit_line(limit: LimitStatus, is_owner: bool) -> LimitLine {
    let LimitStatus { limit, whose, calls, games, since, .. } = limit;
    let is_of_run = matches!(limit, AwaitedLimit::Money | AwaitedLimit::Calls);
    let (run, endpoint) = if is_of_run { (Some(whose), None) } else { (None, is_owner.then_some(whose)) };
    LimitLine { limit, run, endpoint, calls, games, since }
}
