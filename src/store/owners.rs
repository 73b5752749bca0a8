//! Who plays what: leases of processes, owners of matches, and the epoch that every write of an owner carries.
//!
//! All times are by the database's clock: processes on different machines need not agree on theirs.

use std::collections::BTreeMap;
use std::time::Duration;

use sqlx::AssertSqlSafe;

use super::apply::{ApplyError, pieces};
use super::change::Change;
use super::connections::Connections;
use super::error::StoreError;
use super::link::{Link, Row, Statement, all, grid, one};
use super::read::whole;
use super::stored::{KeyHash, OwnerInfo, ProcessInfo, StoredAnswer};

/// So long after its lease has run out a process is forgotten.
const FORGOTTEN: Duration = Duration::from_hours(24);

/// So long an answer can be asked for again.
const ANSWERS_KEPT: Duration = Duration::from_hours(7 * 24);

/// A number of milliseconds for the database.
fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// A lease begins or goes on.
pub(super) async fn lease(db: &mut dyn Link, process: &ProcessInfo, lasts: Duration) -> Result<(), ApplyError> {
    let now = db.clock();
    // Whoever had the slot before is gone, and so is whoever has not been heard of for long.
    let delete = format!("DELETE FROM processes WHERE id <> $1 AND (slot = $2 OR until < {now} - $3)");
    let delete = Statement::new(AssertSqlSafe(delete)).bind(&process.id);
    db.run(delete.bind(process.slot.map(i64::from)).bind(millis(FORGOTTEN))).await?;
    let insert = format!(
        "INSERT INTO processes (id, slot, address, secret, until) VALUES ($1, $2, $3, $4, {now} + $5)
         ON CONFLICT (id) DO UPDATE SET address = excluded.address, until = excluded.until"
    );
    let insert = Statement::new(AssertSqlSafe(insert)).bind(&process.id).bind(process.slot.map(i64::from));
    db.run(insert.bind(process.address.clone()).bind(&process.secret).bind(millis(lasts))).await?;
    Ok(())
}

/// A lease ends before its time.
pub(super) async fn end_lease(db: &mut dyn Link, id: &str) -> Result<(), ApplyError> {
    db.run(Statement::new("DELETE FROM processes WHERE id = $1").bind(id)).await?;
    Ok(())
}

/// Something changes hands, if nobody else has it whose lease runs. The epoch goes up, so that whatever its last owner
/// still writes is refused.
pub(super) async fn take_up(db: &mut dyn Link, name: &str, owner: &str) -> Result<(), ApplyError> {
    let upsert = format!(
        "INSERT INTO owners (name, owner, epoch) VALUES ($1, $2, 1)
         ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, epoch = owners.epoch + 1
         WHERE owners.owner = excluded.owner
         OR NOT EXISTS (SELECT 1 FROM processes WHERE processes.id = owners.owner AND processes.until > {})",
        db.clock()
    );
    let upsert = Statement::new(AssertSqlSafe(upsert)).bind(name).bind(owner);
    if db.run(upsert).await? == 0 { Err(StoreError::Owned(name.to_owned()).into()) } else { Ok(()) }
}

/// Whether everybody still owns what they write to. Until the transaction ends nobody can take it from them.
pub(super) async fn check_fences(db: &mut dyn Link, changes: &[&Change]) -> Result<(), ApplyError> {
    let mut fences = BTreeMap::new();
    for change in changes {
        if let Change::Fence { name, epoch } = change
            && fences.insert(name.as_str(), *epoch).is_some_and(|other| other != *epoch)
        {
            return Err(StoreError::Fenced(name.clone()).into());
        }
    }
    let fences: Vec<(&str, u64)> = fences.into_iter().collect();
    for fences in pieces(&fences) {
        let sql = format!(
            "SELECT name, epoch FROM owners WHERE name IN {} ORDER BY name{}",
            grid(1, fences.len()),
            db.for_update()
        );
        let select = fences.iter().fold(Statement::new(AssertSqlSafe(sql)), |select, (name, _)| select.bind(*name));
        let found = all(db, select, |row| Ok((row.text(0)?.to_owned(), whole(row, 1)?))).await?;
        let found: BTreeMap<String, u64> = found.into_iter().collect();
        if let Some((name, _)) = fences.iter().find(|(name, epoch)| found.get(*name) != Some(epoch)) {
            return Err(StoreError::Fenced((*name).to_owned()).into());
        }
    }
    Ok(())
}

/// An answer that can be asked for again. There is one for a question.
pub(super) async fn answer(db: &mut dyn Link, answer: &StoredAnswer, now: i64) -> Result<(), ApplyError> {
    let delete = Statement::new("DELETE FROM answers WHERE at < $1");
    db.run(delete.bind(now - millis(ANSWERS_KEPT))).await?;
    let insert = Statement::new(
        "INSERT INTO answers (hash, request, answer, at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
    );
    let insert = insert.bind(answer.hash.0.to_vec()).bind(&answer.request).bind(&answer.answer).bind(now);
    if db.run(insert).await? == 0 { Err(StoreError::Answered.into()) } else { Ok(()) }
}

impl Connections {
    pub(super) async fn owner_of(&self, name: String) -> Result<Option<OwnerInfo>, StoreError> {
        self.read(async move |mut db| {
            let select = format!(
                "SELECT owner, epoch, slot, address, coalesce(secret, ''), CAST(CASE WHEN until > {} THEN 1 ELSE 0 END AS BIGINT)
                 FROM owners LEFT JOIN processes ON processes.id = owners.owner WHERE name = $1",
                db.clock()
            );
            one(&mut *db, Statement::new(AssertSqlSafe(select)).bind(name), owner_info).await
        })
        .await
    }

    pub(super) async fn answer(&self, hash: KeyHash) -> Result<Option<StoredAnswer>, StoreError> {
        self.read(async move |mut db| {
            let select = Statement::new("SELECT request, answer FROM answers WHERE hash = $1").bind(hash.0.to_vec());
            let answer = |row: &dyn Row| {
                Ok(StoredAnswer { hash, request: row.text(0)?.to_owned(), answer: row.text(1)?.to_owned() })
            };
            one(&mut *db, select, answer).await
        })
        .await
    }

    pub(super) async fn left_behind(&self, limit: u32) -> Result<Vec<String>, StoreError> {
        self.read(async move |mut db| {
            let select = format!(
                "SELECT id FROM matches WHERE status = 'live' AND note IS NOT NULL AND NOT EXISTS
                 (SELECT 1 FROM owners JOIN processes ON processes.id = owners.owner
                  WHERE owners.name = matches.id AND processes.until > {})
                 ORDER BY number LIMIT $1",
                db.clock()
            );
            let select = Statement::new(AssertSqlSafe(select)).bind(limit);
            all(&mut *db, select, |row| Ok(row.text(0)?.to_owned())).await
        })
        .await
    }

    pub(super) async fn processes(&self) -> Result<Vec<ProcessInfo>, StoreError> {
        self.read(async move |mut db| {
            let select =
                format!("SELECT id, slot, address, secret FROM processes WHERE until > {} ORDER BY id", db.clock());
            let process = |row: &dyn Row| {
                Ok(ProcessInfo {
                    id: row.text(0)?.to_owned(),
                    slot: slot(row, 1)?,
                    address: row.maybe_text(2)?.map(str::to_owned),
                    secret: row.text(3)?.to_owned(),
                })
            };
            all(&mut *db, Statement::new(AssertSqlSafe(select)), process).await
        })
        .await
    }
}

fn owner_info(row: &dyn Row) -> Result<OwnerInfo, sqlx::Error> {
    Ok(OwnerInfo {
        process: ProcessInfo {
            id: row.text(0)?.to_owned(),
            slot: slot(row, 2)?,
            address: row.maybe_text(3)?.map(str::to_owned),
            secret: row.text(4)?.to_owned(),
        },
        epoch: whole(row, 1)?,
        is_leased: row.whole(5)? != 0,
    })
}

fn slot(row: &dyn Row, column: usize) -> Result<Option<u32>, sqlx::Error> {
    Ok(row.maybe_whole(column)?.and_then(|slot| u32::try_from(slot).ok()))
}
