//! What several processes on a server use together, by the database's clock: a pace that all of them keep, and amounts of
//! which each holds a portion for a while.
//!
//! A portion is what its holder may use without asking again. It runs out with the holder: whoever asks next takes back
//! what the dead still held. Money and calls that were used are in the ledger, as always; what a portion stands for is
//! what may yet be used beside it.

use std::collections::BTreeMap;
use std::time::Duration;

use sqlx::AssertSqlSafe;

use super::connections::Connections;
use super::error::StoreError;
use super::link::{Link, Row, Statement, all, grid, one};
use super::read::whole;
use super::schema;
use super::stored::{Portion, RunSpending, ShareAnswer, ShareRequest, Spending, StoredRequest};

/// So long a pace that was not kept can be made up for.
const CATCH_UP: Duration = Duration::from_millis(600);

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// The database's clock in microseconds, as an expression. Only servers are asked.
const MICROS: &str = "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)";

impl Connections {
    /// Takes the next so much time of a pace for itself; how long it is until then.
    pub(super) async fn pace(&self, name: String, takes: Duration) -> Result<Duration, StoreError> {
        self.read(async move |mut db| {
            let sql = format!(
                "INSERT INTO pacers (name, free_at) VALUES ($1, {MICROS} - {catch_up} + $2)
                 ON CONFLICT (name) DO UPDATE SET free_at = greatest(pacers.free_at, {MICROS} - {catch_up}) + $2
                 RETURNING free_at - $2 - {MICROS}",
                catch_up = micros(CATCH_UP)
            );
            let take = Statement::new(AssertSqlSafe(sql)).bind(name).bind(micros(takes));
            let wait = one(&mut *db, take, |row| row.whole(0)).await?.unwrap_or(0);
            Ok(Duration::from_micros(wait.max(0).unsigned_abs()))
        })
        .await
    }

    /// Takes a portion, if there is enough; those of holders who are gone come back first.
    pub(super) async fn take_share(&self, wanted: ShareRequest) -> Result<ShareAnswer, StoreError> {
        self.read(async move |mut db| {
            let db = &mut *db;
            if !took(db, &wanted).await? {
                reclaim(db, &wanted.name).await?;
                if !took(db, &wanted).await? {
                    return answer(db, &wanted, false).await;
                }
            }
            answer(db, &wanted, true).await
        })
        .await
    }

    /// Gives so much of a portion back.
    pub(super) async fn return_share(&self, name: String, holder: String, amount: u64) -> Result<(), StoreError> {
        self.read(async move |mut db| {
            // Of a portion that has run out nothing is left to give back.
            let sql = "WITH less AS (UPDATE portions SET amount = amount - $3
                       WHERE name = $1 AND holder = $2 AND amount >= $3 RETURNING 1)
                       UPDATE shares SET leased = leased - $3 WHERE name = $1 AND EXISTS (SELECT 1 FROM less)";
            db.run(Statement::new(sql).bind(name).bind(holder).bind(amount)).await?;
            Ok(())
        })
        .await
    }

    /// Holds its portions for so long from now; what they are. Those of nothing are let go.
    pub(super) async fn renew_shares(&self, holder: String, lasts: Duration) -> Result<Vec<Portion>, StoreError> {
        self.read(async move |mut db| {
            let clock = db.clock();
            let renew = format!("UPDATE portions SET until = {clock} + $2 WHERE holder = $1 AND until > {clock}");
            db.run(Statement::new(AssertSqlSafe(renew)).bind(&holder).bind(millis(lasts))).await?;
            let select = format!(
                "SELECT name, amount, (SELECT count(*) FROM portions AS others
                 WHERE others.name = portions.name AND others.until > {clock})
                 FROM portions WHERE holder = $1 AND until > {clock}"
            );
            let portion = |row: &dyn Row| {
                Ok(Portion { name: row.text(0)?.to_owned(), amount: whole(row, 1)?, holders: whole(row, 2)? })
            };
            all(&mut *db, Statement::new(AssertSqlSafe(select)).bind(holder), portion).await
        })
        .await
    }

    /// What the runs that have jobs have spent.
    pub(super) async fn spent_by_runs_with_jobs(&self) -> Result<BTreeMap<String, RunSpending>, StoreError> {
        if self.is_before(schema::WITH_SHARES) {
            return Ok(BTreeMap::new());
        }
        self.read(async move |mut db| {
            let select = Statement::new(
                "SELECT run, CAST(sum(requests) AS BIGINT), CAST(sum(cost) AS BIGINT) FROM ledger_counts
                 WHERE run IN (SELECT DISTINCT tournament FROM jobs) GROUP BY run",
            );
            let spent = |row: &dyn Row| {
                Ok((row.text(0)?.to_owned(), RunSpending { requests: whole(row, 1)?, cost: whole(row, 2)? }))
            };
            Ok(all(&mut *db, select, spent).await?.into_iter().collect())
        })
        .await
    }

    /// Lets go of a portion of nothing.
    pub(super) async fn leave_share(&self, name: String, holder: String) -> Result<(), StoreError> {
        self.read(async move |mut db| {
            let delete = "DELETE FROM portions WHERE name = $1 AND holder = $2 AND amount = 0";
            db.run(Statement::new(delete).bind(name).bind(holder)).await?;
            Ok(())
        })
        .await
    }
}

/// Takes a portion, if it can be done at once.
async fn took(db: &mut dyn Link, wanted: &ShareRequest) -> Result<bool, sqlx::Error> {
    let ShareRequest { name, holder, amount, max, spent_by, lasts } = wanted;
    db.run(Statement::new("INSERT INTO shares (name, leased) VALUES ($1, 0) ON CONFLICT DO NOTHING").bind(name))
        .await?;
    let spent = match spent_by {
        None => "0",
        Some((_, Spending::Money)) => {
            "(SELECT CAST(coalesce(sum(cost), 0) AS BIGINT) FROM ledger_counts WHERE run = $6)"
        }
        Some((_, Spending::Calls)) => {
            "(SELECT CAST(coalesce(sum(requests), 0) AS BIGINT) FROM ledger_counts WHERE run = $6)"
        }
    };
    // In one statement: others wait for the row, and then look again.
    let sql = format!(
        "WITH more AS (UPDATE shares SET leased = leased + $3
         WHERE name = $1 AND leased + $3 + {spent} <= $4 RETURNING 1)
         INSERT INTO portions (name, holder, amount, until)
         SELECT $1, $2, CASE WHEN EXISTS (SELECT 1 FROM more) THEN $3 ELSE 0 END, {clock} + $5
         ON CONFLICT (name, holder) DO UPDATE SET amount = portions.amount + excluded.amount, until = excluded.until
         RETURNING (SELECT count(*) FROM more)",
        clock = db.clock()
    );
    let take = Statement::new(AssertSqlSafe(sql)).bind(name).bind(holder).bind(*amount).bind(*max).bind(millis(*lasts));
    let take = spent_by.iter().fold(take, |take, (run, _)| take.bind(run));
    Ok(one(db, take, |row| row.whole(0)).await? == Some(1))
}

/// Takes back what holders held who are gone.
async fn reclaim(db: &mut dyn Link, name: &str) -> Result<(), sqlx::Error> {
    let sql = format!(
        "WITH gone AS (DELETE FROM portions WHERE name = $1 AND until <= {} RETURNING amount)
         UPDATE shares SET leased = leased - (SELECT CAST(coalesce(sum(amount), 0) AS BIGINT) FROM gone)
         WHERE name = $1 AND EXISTS (SELECT 1 FROM gone)",
        db.clock()
    );
    db.run(Statement::new(AssertSqlSafe(sql)).bind(name)).await?;
    Ok(())
}

async fn answer(db: &mut dyn Link, wanted: &ShareRequest, granted: bool) -> Result<ShareAnswer, sqlx::Error> {
    let run = wanted.spent_by.as_ref().map(|(run, _)| run.clone()).unwrap_or_default();
    let select =
        "SELECT (SELECT CAST(coalesce(sum(amount), 0) AS BIGINT) FROM portions WHERE name = $1 AND holder <> $2),
        (SELECT CAST(coalesce(sum(cost), 0) AS BIGINT) FROM ledger_counts WHERE run = $3),
        (SELECT CAST(coalesce(sum(requests), 0) AS BIGINT) FROM ledger_counts WHERE run = $3)";
    let select = Statement::new(select).bind(&wanted.name).bind(&wanted.holder).bind(run);
    let answer = |row: &dyn Row| {
        Ok(ShareAnswer { granted, others: whole(row, 0)?, cost: whole(row, 1)?, requests: whole(row, 2)? })
    };
    Ok(one(db, select, answer).await?.unwrap_or_default())
}

/// What requests that are entered add to the ledgers of their runs.
#[derive(Debug, Default)]
pub(super) struct LedgerGrowth(Vec<(String, u64, u64)>);

/// The run that a match is part of.
fn run_of(match_id: &str) -> Option<&str> {
    match_id.split_once('.').map(|(run, _)| run)
}

impl LedgerGrowth {
    /// Looks at what is known of requests before they are entered: id, requests and cost of those that are there.
    pub(super) async fn look(db: &mut dyn Link, requests: &[&StoredRequest]) -> Result<LedgerGrowth, sqlx::Error> {
        Ok(LedgerGrowth(known(db, requests).await?))
    }

    /// Notes what has become of them.
    pub(super) async fn note(self, db: &mut dyn Link, requests: &[&StoredRequest]) -> Result<(), sqlx::Error> {
        let mut grown: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
        let after = known(db, requests).await?;
        let run = |id: &str| {
            let request = requests.iter().find(|request| request.id == id)?;
            run_of(request.match_id.as_deref()?)
        };
        let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        for (list, sign) in [(&self.0, -1), (&after, 1)] {
            for (id, requests, cost) in list {
                let Some(run) = run(id) else { continue };
                let sums = grown.entry(run).or_default();
                (sums.0, sums.1) = (sums.0 + sign * signed(*requests), sums.1 + sign * signed(*cost));
            }
        }
        for (run, (requests, cost)) in grown.into_iter().filter(|(_, sums)| *sums != (0, 0)) {
            let upsert = format!(
                "INSERT INTO ledger_counts (run, shard, requests, cost) VALUES ($1, {}, $2, $3)
                 ON CONFLICT (run, shard) DO UPDATE SET requests = ledger_counts.requests + excluded.requests,
                 cost = ledger_counts.cost + excluded.cost",
                db.shard()
            );
            db.run(Statement::new(AssertSqlSafe(upsert)).bind(run).bind(requests).bind(cost)).await?;
        }
        Ok(())
    }
}

async fn known(db: &mut dyn Link, requests: &[&StoredRequest]) -> Result<Vec<(String, u64, u64)>, sqlx::Error> {
    let sql = format!("SELECT id, requests, cost FROM requests WHERE id IN {}", grid(1, requests.len()));
    let select = requests.iter().fold(Statement::new(AssertSqlSafe(sql)), |select, request| select.bind(&request.id));
    all(db, select, |row| Ok((row.text(0)?.to_owned(), whole(row, 1)?, whole(row, 2)?))).await
}
