//! Parts of a run that workers play: what waits, who has it since which start, and how it ended.
//!
//! The rows here are the truth. The queue that hands jobs to workers (see [`queue`](super::queue)) is told of each in the
//! same transaction, and may tell a worker twice: a job that is over is not played again, and whoever lost one to another
//! worker writes nothing more of it.

use std::collections::BTreeMap;

use graphile_worker::Schema;
use sqlx::AssertSqlSafe;

use super::apply::{ApplyError, pieces};
use super::change::Change;
use super::connections::Connections;
use super::error::StoreError;
use super::link::{Link, Row, Statement, all, grid, one};
use super::location::Location;
use super::queue::{TASK, schema_beside};
use super::read::whole;
use super::schema;
use super::stored::{JobCount, JobEnd, JobInfo, StoredJob};

/// What a job is that waits or is played.
const OPEN: &str = "open";

/// What separates the needs of a job on their way to the queue.
const SEPARATOR: &str = "\u{1f}";

const COLUMNS: &str = "name, tournament, body, state, worker, epoch, starts, ended - begun, reason";

/// The schema of the queue, beside the store's own.
async fn queue_schema(db: &mut dyn Link) -> Result<Schema, ApplyError> {
    if !db.is_server() {
        return Err(StoreError::NoWorkers { at: Location::File("the store".into()) }.into());
    }
    let schema = one(db, Statement::new("SELECT current_schema()::text"), |row| Ok(row.text(0)?.to_owned())).await?;
    Ok(schema_beside(&schema.unwrap_or_default()))
}

/// A job waits from now on, unless it did before.
pub(super) async fn add(db: &mut dyn Link, job: &JobInfo) -> Result<(), ApplyError> {
    let queue = queue_schema(db).await?;
    let insert = Statement::new(
        "INSERT INTO jobs (name, tournament, body, state, epoch, starts) VALUES ($1, $2, $3, 'open', 0, 0)
         ON CONFLICT (name) DO UPDATE SET body = excluded.body, state = 'open', worker = NULL, starts = 0, begun = NULL,
         ended = NULL, reason = NULL WHERE jobs.state <> 'open'",
    );
    if db.run(insert.bind(&job.name).bind(&job.tournament).bind(&job.body)).await? == 0 {
        return Ok(());
    }
    let sql = format!(
        "SELECT {}('{TASK}', json_build_object('job', $1::text), job_key := $1::text,
         flags := string_to_array($2::text, '{SEPARATOR}'))",
        queue.function("add_job")
    );
    // Only the schema's name comes from here.
    db.run(Statement::new(AssertSqlSafe(sql)).bind(&job.name).bind(job.needs.join(SEPARATOR))).await?;
    Ok(())
}

/// A worker has a job from now on.
pub(super) async fn start(db: &mut dyn Link, name: &str, worker: &str) -> Result<(), ApplyError> {
    let update = format!(
        "UPDATE jobs SET epoch = epoch + 1, starts = starts + 1, worker = $2, begun = {} WHERE name = $1 AND state = $3",
        db.clock()
    );
    let update = Statement::new(AssertSqlSafe(update)).bind(name).bind(worker).bind(OPEN);
    if db.run(update).await? == 0 { Err(StoreError::NoJob(name.to_owned()).into()) } else { Ok(()) }
}

/// Whether everybody still has the jobs that they write to. Until the transaction ends nobody can take them away.
pub(super) async fn check_fences(db: &mut dyn Link, changes: &[&Change]) -> Result<(), ApplyError> {
    let mut fences: BTreeMap<&str, (u64, bool)> = BTreeMap::new();
    for change in changes {
        if let Change::JobFence { name, epoch, is_progress } = change {
            let fence = fences.entry(name).or_insert((*epoch, *is_progress));
            if fence.0 != *epoch {
                return Err(StoreError::Fenced(name.clone()).into());
            }
            fence.1 |= is_progress;
        }
    }
    let fences: Vec<(&str, u64, bool)> = fences.into_iter().map(|(name, (epoch, is))| (name, epoch, is)).collect();
    for fences in pieces(&fences) {
        let names = grid(1, fences.len());
        let sql =
            format!("SELECT name, epoch, starts FROM jobs WHERE name IN {names} ORDER BY name{}", db.for_update());
        let select = fences.iter().fold(Statement::new(AssertSqlSafe(sql)), |select, (name, ..)| select.bind(*name));
        let found = all(db, select, |row| Ok((row.text(0)?.to_owned(), (whole(row, 1)?, row.whole(2)?)))).await?;
        let found: BTreeMap<String, (u64, i64)> = found.into_iter().collect();
        for (name, epoch, is_progress) in fences {
            match found.get(*name) {
                Some((now, starts)) if now == epoch => {
                    if *is_progress && *starts > 0 {
                        db.run(Statement::new("UPDATE jobs SET starts = 0 WHERE name = $1").bind(*name)).await?;
                    }
                }
                _ => return Err(StoreError::Fenced((*name).to_owned()).into()),
            }
        }
    }
    Ok(())
}

/// A job is over. What was withdrawn meanwhile stays withdrawn, unless it is done.
pub(super) async fn end(db: &mut dyn Link, name: &str, end: JobEnd, reason: Option<String>) -> Result<(), ApplyError> {
    let update =
        format!("UPDATE jobs SET state = $2, reason = $3, ended = {} WHERE name = $1 AND state = $4", db.clock());
    let update = Statement::new(AssertSqlSafe(update)).bind(name).bind(end.name()).bind(reason).bind(OPEN);
    if db.run(update).await? == 0 {
        db.run(Statement::new(UNHEARD).bind(name)).await?;
    }
    Ok(())
}

/// What becomes of a job that was taken from its worker, once the worker has let go of it: nobody waits to hear of it.
const UNHEARD: &str = "DELETE FROM jobs WHERE name = $1 AND state = 'withdrawn' AND worker IS NOT NULL";

/// A job waits again, if this worker has it. Whoever leaves in good order was not taken down by it.
pub(super) async fn give_back(db: &mut dyn Link, name: &str, worker: &str) -> Result<(), ApplyError> {
    let delete = format!("{UNHEARD} AND worker = $2");
    db.run(Statement::new(AssertSqlSafe(delete)).bind(name).bind(worker)).await?;
    let update = "UPDATE jobs SET worker = NULL, starts = CASE WHEN starts > 0 THEN starts - 1 ELSE 0 END
         WHERE name = $1 AND worker = $2 AND state = 'open'";
    db.run(Statement::new(update).bind(name).bind(worker)).await?;
    Ok(())
}

/// Jobs are not needed any more.
pub(super) async fn withdraw(db: &mut dyn Link, names: &[String], even_begun: bool) -> Result<(), ApplyError> {
    let queue = queue_schema(db).await?;
    let only = if even_begun { "" } else { " AND worker IS NULL" };
    for name in names {
        let update = format!("UPDATE jobs SET state = 'withdrawn' WHERE name = $1 AND state = 'open'{only}");
        if db.run(Statement::new(AssertSqlSafe(update)).bind(name)).await? > 0 {
            let remove = format!("SELECT {}($1)", queue.function("remove_job"));
            db.run(Statement::new(AssertSqlSafe(remove)).bind(name)).await?;
        }
    }
    Ok(())
}

/// Jobs that are over were heard of.
pub(super) async fn forget(db: &mut dyn Link, names: &[String], even_begun: bool) -> Result<(), ApplyError> {
    let only = if even_begun { "" } else { " AND (state <> 'withdrawn' OR worker IS NULL)" };
    for names in pieces(names) {
        let sql = format!("DELETE FROM jobs WHERE state <> 'open'{only} AND name IN {}", grid(1, names.len()));
        let delete = names.iter().fold(Statement::new(AssertSqlSafe(sql)), Statement::bind);
        db.run(delete).await?;
    }
    Ok(())
}

impl Connections {
    async fn jobs_where(&self, condition: &'static str, value: Option<String>) -> Result<Vec<StoredJob>, StoreError> {
        if self.is_before(schema::WITH_JOBS) {
            return Ok(Vec::new());
        }
        self.read(async move |mut db| {
            let select = Statement::new(AssertSqlSafe(format!("SELECT {COLUMNS} FROM jobs {condition} ORDER BY name")));
            let select = value.into_iter().fold(select, Statement::bind);
            all(&mut *db, select, stored_job).await
        })
        .await
    }

    pub(super) async fn job(&self, name: String) -> Result<Option<StoredJob>, StoreError> {
        Ok(self.jobs_where("WHERE name = $1", Some(name)).await?.pop())
    }

    pub(super) async fn jobs(&self, tournament: Option<String>) -> Result<Vec<StoredJob>, StoreError> {
        self.jobs_where(if tournament.is_some() { "WHERE tournament = $1" } else { "" }, tournament).await
    }

    pub(super) async fn ended_jobs(&self, tournament: String) -> Result<Vec<StoredJob>, StoreError> {
        self.jobs_where("WHERE tournament = $1 AND state <> 'open'", Some(tournament)).await
    }

    pub(super) async fn job_counts(&self) -> Result<Vec<JobCount>, StoreError> {
        if self.is_before(schema::WITH_JOBS) {
            return Ok(Vec::new());
        }
        self.read(async move |mut db| {
            let select = Statement::new(
                "SELECT tournament, state, CASE WHEN state = 'open' THEN worker END, count(*) FROM jobs
                 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
            );
            all(&mut *db, select, job_count).await
        })
        .await
    }

    pub(super) async fn set_aside(&self, limit: u32) -> Result<Vec<(String, String)>, StoreError> {
        if self.is_before(schema::WITH_JOBS) {
            return Ok(Vec::new());
        }
        self.read(async move |mut db| {
            let select = "SELECT tournament, coalesce(reason, name) FROM jobs WHERE state = 'set_aside'
                          ORDER BY name LIMIT $1";
            let select = Statement::new(select).bind(i64::from(limit));
            all(&mut *db, select, |row| Ok((row.text(0)?.to_owned(), row.text(1)?.to_owned()))).await
        })
        .await
    }

    pub(super) async fn runs_with_jobs(&self) -> Result<Vec<String>, StoreError> {
        self.read(async move |mut db| {
            let select =
                Statement::new("SELECT DISTINCT tournament FROM jobs WHERE state = 'open' ORDER BY tournament");
            all(&mut *db, select, |row| Ok(row.text(0)?.to_owned())).await
        })
        .await
    }

    pub(super) async fn withdrawn_from(&self, worker: String) -> Result<Vec<String>, StoreError> {
        self.read(async move |mut db| {
            let select = Statement::new("SELECT name FROM jobs WHERE state = 'withdrawn' AND worker = $1");
            all(&mut *db, select.bind(worker), |row| Ok(row.text(0)?.to_owned())).await
        })
        .await
    }
}

fn end_named(state: &str) -> Option<JobEnd> {
    JobEnd::ALL.into_iter().find(|end| end.name() == state)
}

fn job_count(row: &dyn Row) -> Result<JobCount, sqlx::Error> {
    Ok(JobCount {
        tournament: row.text(0)?.to_owned(),
        end: end_named(row.text(1)?),
        worker: row.maybe_text(2)?.map(str::to_owned),
        jobs: whole(row, 3)?,
    })
}

fn stored_job(row: &dyn Row) -> Result<StoredJob, sqlx::Error> {
    Ok(StoredJob {
        name: row.text(0)?.to_owned(),
        tournament: row.text(1)?.to_owned(),
        body: row.text(2)?.to_owned(),
        end: end_named(row.text(3)?),
        worker: row.maybe_text(4)?.map(str::to_owned),
        epoch: whole(row, 5)?,
        starts: whole(row, 6)?,
        took: row.maybe_whole(7)?.and_then(|took| u64::try_from(took).ok()),
        reason: row.maybe_text(8)?.map(str::to_owned),
    })
}
