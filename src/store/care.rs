//! What whoever runs a store does to it: look whether all is well, copy it, and clear away what is old.

use std::path::Path;

use super::apply::ApplyError;
use super::connections::Connections;
use super::error::StoreError;
use super::in_play;
use super::link::{Link, Statement, all, count};
use super::location::Location;
use super::schema;

/// What can be cleared away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prunable {
    /// Matches of an arena that are not in play and never counted for a rating: with their records, keys and calls.
    Matches,
    /// What models were asked, and what they answered, in matches that are not to go on. What it cost stays.
    Calls,
}

/// Matches that can be cleared away.
const OLD_MATCHES: &str = "SELECT id FROM matches WHERE status <> 'live' AND updated < $1
    AND NOT EXISTS (SELECT 1 FROM games WHERE games.match_id = matches.id)
    AND NOT EXISTS (SELECT 1 FROM rated WHERE rated.match_id = matches.id)";

/// Calls that can be.
const OLD_CALLS: &str = "FROM calls WHERE at < $1
    AND NOT EXISTS (SELECT 1 FROM matches WHERE id = calls.match_id AND status IN ('live', 'suspended'))";

/// What belongs to something that is not there: from which version on to look, what it is, and how many there are.
const ORPHANS: &[(i64, &str, &str)] = &[
    (
        1,
        "lines of a record without a match",
        "SELECT count(*) FROM records WHERE NOT EXISTS (SELECT 1 FROM matches WHERE id = match_id)",
    ),
    (
        1,
        "sealed actions without a match",
        "SELECT count(*) FROM sealed WHERE NOT EXISTS (SELECT 1 FROM matches WHERE id = match_id)",
    ),
    (
        1,
        "seat keys without a match",
        "SELECT count(*) FROM keys WHERE NOT EXISTS (SELECT 1 FROM matches WHERE id = match_id)",
    ),
    (
        1,
        "calls to models without a match",
        "SELECT count(*) FROM calls WHERE NOT EXISTS (SELECT 1 FROM matches WHERE id = match_id)",
    ),
    (
        1,
        "games of a tournament without a match",
        "SELECT count(*) FROM games WHERE NOT EXISTS (SELECT 1 FROM matches WHERE id = match_id)",
    ),
    (
        1,
        "games of a tournament that is not there",
        "SELECT count(*) FROM games WHERE NOT EXISTS (SELECT 1 FROM tournaments WHERE id = tournament)",
    ),
    (
        schema::WITH_ARENA,
        "names of a player who is not there",
        "SELECT count(*) FROM names WHERE NOT EXISTS (SELECT 1 FROM players WHERE id = player)",
    ),
    (
        schema::WITH_ARENA,
        "tickets of a player who is not there",
        "SELECT count(*) FROM queue WHERE NOT EXISTS (SELECT 1 FROM players WHERE id = player)",
    ),
    (
        schema::WITH_ARENA,
        "rated matches that are not there",
        "SELECT count(*) FROM rated WHERE NOT EXISTS (SELECT 1 FROM matches WHERE id = match_id)",
    ),
    (
        schema::WITH_PACKED,
        "matches whose pack is not there",
        "SELECT count(*) FROM matches WHERE pack IS NOT NULL AND NOT EXISTS (SELECT 1 FROM packs WHERE number = pack)",
    ),
    (
        schema::WITH_OWNERS,
        "owners of a match that is not there",
        // What else has an owner is called otherwise.
        "SELECT count(*) FROM owners WHERE name BETWEEN 'm000000000000000' AND 'm999999999999999'
         AND NOT EXISTS (SELECT 1 FROM matches WHERE id = name)",
    ),
    (
        schema::WITH_IN_PLAY,
        "games in play of a tournament that nobody plays",
        // It is over or gone, or nothing has happened in the game for so long that its process must have ended.
        "SELECT count(*) FROM (SELECT match_id, tournament, max(at) AS at FROM in_play GROUP BY match_id, tournament)
         AS game WHERE at < {now} - {forgotten}
         OR NOT EXISTS (SELECT 1 FROM tournaments WHERE id = game.tournament AND finished = 0)",
    ),
    (
        schema::WITH_PACKED,
        "packs without a match",
        "SELECT count(*) FROM packs WHERE NOT EXISTS (SELECT 1 FROM matches WHERE pack = packs.number)",
    ),
];

/// Clears away what was last touched before this time.
pub(super) async fn prune(db: &mut dyn Link, what: Prunable, before: i64) -> Result<(), ApplyError> {
    // The words are this program's own; the time is filled in.
    let run = |sql: String| Statement::new(sqlx::AssertSqlSafe(sql)).bind(before);
    match what {
        Prunable::Calls => {
            db.run(run(format!("DELETE {OLD_CALLS}"))).await?;
        }
        Prunable::Matches => {
            for table in ["records", "sealed", "keys", "calls", "queue"] {
                db.run(run(format!("DELETE FROM {table} WHERE match_id IN ({OLD_MATCHES})"))).await?;
            }
            db.run(run(format!("DELETE FROM owners WHERE name IN ({OLD_MATCHES})"))).await?;
            db.run(run(format!("DELETE FROM matches WHERE id IN ({OLD_MATCHES})"))).await?;
            let unused = "DELETE FROM packs WHERE NOT EXISTS (SELECT 1 FROM matches WHERE pack = packs.number)";
            db.run(Statement::new(unused)).await?;
        }
    }
    Ok(())
}

impl Connections {
    pub(super) async fn prunable(&self, what: Prunable, before: i64) -> Result<u64, StoreError> {
        self.read(async move |mut db| {
            let sql = match what {
                Prunable::Matches => format!("SELECT count(*) FROM ({OLD_MATCHES}) AS old"),
                Prunable::Calls => format!("SELECT count(*) {OLD_CALLS}"),
            };
            let found = count(&mut *db, Statement::new(sqlx::AssertSqlSafe(sql)).bind(before)).await?;
            Ok(u64::try_from(found).unwrap_or(0))
        })
        .await
    }

    pub(super) async fn orphans(&self) -> Result<Vec<(&'static str, u64)>, StoreError> {
        let known: Vec<_> = ORPHANS.iter().filter(|(version, ..)| !self.is_before(*version)).collect();
        self.read(async move |mut db| {
            let mut orphans = Vec::new();
            for (_, what, sql) in known {
                let sql = sql.replace("{now}", db.clock()).replace("{forgotten}", &in_play::FORGOTTEN.to_string());
                let found = count(&mut *db, Statement::new(sqlx::AssertSqlSafe(sql))).await?;
                if let Ok(found @ 1..) = u64::try_from(found) {
                    orphans.push((*what, found));
                }
            }
            Ok(orphans)
        })
        .await
    }

    pub(super) async fn damage(&self) -> Result<Vec<String>, StoreError> {
        if !self.is_file() {
            return Ok(Vec::new());
        }
        self.read(async move |mut db| {
            let select = Statement::new("PRAGMA integrity_check");
            let found = all(&mut *db, select, |row| Ok(row.text(0)?.to_owned())).await?;
            Ok(found.into_iter().filter(|line| line != "ok").collect())
        })
        .await
    }

    pub(super) async fn backup(&self, to: &Path) -> Result<(), StoreError> {
        let location = self.location();
        if let Location::Postgres(_) = location {
            return Err(StoreError::NoBackup { at: location });
        }
        let Some(path) = to.to_str().filter(|_| !to.exists()) else {
            return Err(StoreError::BackupExists(to.to_path_buf()));
        };
        let path = path.to_owned();
        self.read(async move |mut db| {
            db.run(Statement::new("VACUUM INTO $1").bind(path)).await?;
            Ok(())
        })
        .await
    }
}
