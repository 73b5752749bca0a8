//! The queue that hands jobs to workers: `graphile_worker` on the store's own server, in a schema beside the store's.
//!
//! It knows which worker is alive and which job is waiting or taken; what a job is, and how it stands, is in the store
//! (see [`jobs`](super::jobs)). A worker that has not been heard of for a while loses its jobs to the others.

use std::fmt;
use std::time::Duration;

use graphile_worker::sql::complete_job::complete_job;
use graphile_worker::sql::get_job::get_job_with_filter;
use graphile_worker::sql::return_jobs::batch::return_jobs;
use graphile_worker::sql::task_identifiers::{TaskDetails, get_tasks_details};
use graphile_worker::sql::worker_heartbeat::registration::{worker_deregister, worker_heartbeat};
use graphile_worker::{Database, Job, JobFlagFilter, Schema, SweepStaleWorkersOptions, WorkerUtils};
use sqlx::postgres::PgPoolOptions;
use sqlx::{AssertSqlSafe, PgPool};

use super::Store;
use super::connections::Connections;
use super::error::StoreError;
use super::link::{Row, Statement, all, count, one};
use super::location::Location;
use super::postgres::options;

/// What the queue calls every job of ours.
pub(super) const TASK: &str = "standoff";

/// Claims, heartbeats and sweeps are short.
const CONNECTIONS: u32 = 3;

/// So many workers are told of, those that were heard of last.
const MOST_WORKERS: u32 = 1000;

/// How long a connection is waited for.
const TIMEOUT: Duration = Duration::from_secs(5);

/// How long the queue may take to be made, while others want to make it too.
const OPENING: Duration = Duration::from_mins(1);

/// The schema of the queue of a store in this one.
pub(super) fn schema_beside(schema: &str) -> Schema {
    Schema::new(format!("{schema}_jobs"))
}

/// One worker's access to the queue.
pub struct JobQueue {
    at: Location,
    worker: String,
    pool: PgPool,
    database: Database,
    schema: Schema,
    utils: WorkerUtils,
    tasks: TaskDetails,
}

impl fmt::Debug for JobQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobQueue").field("at", &self.at).field("worker", &self.worker).finish_non_exhaustive()
    }
}

/// A job that this worker was given.
#[derive(Debug)]
pub struct ClaimedJob {
    /// Its name in the store.
    pub name: String,
    job: Job,
}

/// A worker as it last said of itself.
#[derive(Clone, Debug)]
pub struct WorkerRow {
    /// Its name in the store.
    pub name: String,
    /// What it said of itself.
    pub about: serde_json::Value,
    /// Since when it is there, in milliseconds since 1970.
    pub since: i64,
    /// When it was last heard of, in milliseconds since 1970.
    pub heard: i64,
    /// Whether it has not been heard of for too long.
    pub is_stale: bool,
}

impl JobQueue {
    /// Opens the queue of a store for a worker of this name, and makes it where there is none.
    ///
    /// # Errors
    /// If the store is a file, or the server refuses.
    pub async fn open(store: &Store, worker: &str) -> Result<JobQueue, StoreError> {
        let at = store.connections.location();
        let Location::Postgres(address) = &at else { return Err(StoreError::NoWorkers { at }) };
        let options = options(address)?;
        let pool = |wait| PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(wait);
        let opening = pool(OPENING).connect_lazy_with(options.clone());
        let pool = pool(TIMEOUT).connect_lazy_with(options);
        let unusable = |error: &dyn fmt::Display| StoreError::Unusable { at: at.clone(), why: error.to_string() };
        let beside: Option<String> = sqlx::query_scalar("SELECT current_schema()::text")
            .fetch_one(&opening)
            .await
            .map_err(|error| StoreError::Unreachable { at: at.clone(), why: error.to_string() })?;
        let schema = schema_beside(&beside.unwrap_or_default());
        let making = Database::from(opening.clone());
        let made = WorkerUtils::new(making.clone(), schema.clone()).migrate().await;
        made.map_err(|error| unusable(&error))?;
        let tasks = get_tasks_details(&making, schema.clone(), vec![TASK.to_owned()]).await;
        let tasks = tasks.map_err(|error| unusable(&error))?;
        opening.close().await;
        let database = Database::from(pool.clone());
        let utils = WorkerUtils::new(database.clone(), schema.clone());
        Ok(JobQueue { worker: worker.to_owned(), pool, database, schema, utils, tasks, at })
    }

    fn lost(&self, error: &dyn fmt::Display) -> StoreError {
        StoreError::Lost { at: self.at.clone(), why: error.to_string() }
    }

    /// Where it is.
    pub fn location(&self) -> &Location {
        &self.at
    }

    /// The worker's name in the store.
    pub fn worker(&self) -> &str {
        &self.worker
    }

    /// Takes a job that needs nothing but these abilities, if one waits.
    ///
    /// # Errors
    /// If the server cannot be asked now.
    pub async fn claim(&self, abilities: &[String]) -> Result<Option<ClaimedJob>, StoreError> {
        let filter = JobFlagFilter::new(&[], &[]).with_allowlist(abilities);
        let claimed =
            get_job_with_filter(&self.database, &self.tasks, self.schema.clone(), &self.worker, filter, None).await;
        let job = claimed.map_err(|error| self.lost(&error))?;
        Ok(job.map(|job| {
            let name = job.payload().get("job").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
            ClaimedJob { name, job }
        }))
    }

    /// A job needs no worker any more.
    ///
    /// # Errors
    /// If the server cannot be asked now.
    pub async fn complete(&self, claimed: &ClaimedJob) -> Result<(), StoreError> {
        let done = complete_job(&self.database, &claimed.job, &self.worker, self.schema.clone()).await;
        done.map_err(|error| self.lost(&error))
    }

    /// Another worker may have a job, at once.
    ///
    /// # Errors
    /// If the server cannot be asked now.
    pub async fn give_back(&self, claimed: &ClaimedJob) -> Result<(), StoreError> {
        let jobs = std::slice::from_ref(&claimed.job);
        let done = return_jobs(&self.database, jobs, self.schema.clone(), &self.worker).await;
        done.map_err(|error| self.lost(&error))
    }

    /// Says that this worker is alive, and what it is and does.
    ///
    /// # Errors
    /// If the server cannot be asked now.
    pub async fn beat(&self, about: serde_json::Value) -> Result<(), StoreError> {
        let beat = worker_heartbeat(&self.database, self.schema.clone(), &self.worker, Some(about)).await;
        beat.map_err(|error| self.lost(&error))
    }

    /// Gives the jobs of workers that were not heard of for so long to the others. Gives how many jobs that were.
    ///
    /// # Errors
    /// If the server cannot be asked now.
    pub async fn sweep(&self, silent: Duration) -> Result<u64, StoreError> {
        let options = SweepStaleWorkersOptions {
            sweep_threshold: Some(silent),
            recovery_delay: Some(Duration::ZERO),
            dry_run: false,
        };
        let swept = self.utils.sweep_stale_workers(options).await.map_err(|error| self.lost(&error))?;
        Ok(u64::try_from(swept.recovered_count).unwrap_or(0))
    }

    /// This worker is there no more.
    pub async fn leave(self) {
        if let Err(error) = worker_deregister(&self.database, self.schema.clone(), &self.worker).await {
            tracing::warn!(%error, "the queue still counts on this worker, until it is missed");
        }
        self.pool.close().await;
    }
}

impl Connections {
    /// Everybody who works for this store, by what the database's clock says. Nothing is made or changed: where nobody ever
    /// worked there is no queue.
    pub(super) async fn workers(&self, silent: Duration) -> Result<Vec<WorkerRow>, StoreError> {
        self.read(async move |mut db| {
            let db = &mut *db;
            if !db.is_server() {
                return Ok(Vec::new());
            }
            let own = Statement::new("SELECT current_schema()::text");
            let own = one(db, own, |row| Ok(row.maybe_text(0)?.map(str::to_owned))).await?.flatten();
            let workers = schema_beside(&own.unwrap_or_default()).private_table("workers");
            let is_there = Statement::new("SELECT count(to_regclass($1))").bind(&workers);
            if count(db, is_there).await? == 0 {
                return Ok(Vec::new());
            }
            let sql = format!(
                "SELECT id::text, metadata::text, CAST(extract(epoch FROM started_at) * 1000 AS BIGINT),
                 CAST(extract(epoch FROM last_heartbeat_at) * 1000 AS BIGINT),
                 CASE WHEN extract(epoch FROM clock_timestamp() - last_heartbeat_at) * 1000 >= $1 THEN 1 ELSE 0 END::BIGINT
                 FROM {workers} ORDER BY last_heartbeat_at DESC LIMIT {MOST_WORKERS}"
            );
            let silent = i64::try_from(silent.as_millis()).unwrap_or(i64::MAX);
            let select = Statement::new(AssertSqlSafe(sql)).bind(silent);
            let mut workers = all(db, select, worker).await?;
            workers.sort_by(|one, other| one.name.cmp(&other.name));
            Ok(workers)
        })
        .await
    }
}

fn worker(row: &dyn Row) -> Result<WorkerRow, sqlx::Error> {
    let about = row.maybe_text(1)?.and_then(|about| serde_json::from_str(about).ok());
    Ok(WorkerRow {
        name: row.text(0)?.to_owned(),
        about: about.unwrap_or_default(),
        since: row.whole(2)?,
        heard: row.whole(3)?,
        is_stale: row.whole(4)? == 1,
    })
}
