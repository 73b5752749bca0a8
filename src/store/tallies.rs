//! Reading what is counted, and keeping what was fitted to it.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use sqlx::AssertSqlSafe;

use super::apply::ApplyError;
use super::connections::Connections;
use super::error::StoreError;
use super::link::{Link, Row, Statement, all, one};
use super::outcome::BlockOutcome;
use super::read::{small, unreadable, whole};
use super::schema;
use super::stored::{BlockCount, GameCounts, GameTotal, PlayerCount, StoredFit};

/// So many fits are kept.
const FITS: i64 = 200;

/// Texts that stand in many rows, each once.
#[derive(Default)]
struct Shared(HashSet<Arc<str>>);

impl Shared {
    fn text(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let text: Arc<str> = text.into();
        self.0.insert(text.clone());
        text
    }
}

/// Keeps a fit in place of the last one of the same games.
pub(super) async fn keep_fit(db: &mut dyn Link, fit: &StoredFit, now: i64) -> Result<(), ApplyError> {
    let insert = Statement::new(
        "INSERT INTO fits (scope, fingerprint, body, at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (scope) DO UPDATE SET fingerprint = excluded.fingerprint, body = excluded.body, at = excluded.at",
    );
    db.run(insert.bind(&fit.scope).bind(&fit.fingerprint).bind(&fit.body).bind(now)).await?;
    let old = Statement::new(
        "DELETE FROM fits WHERE at < (SELECT min(at) FROM (SELECT at FROM fits ORDER BY at DESC LIMIT $1) AS latest)",
    );
    db.run(old.bind(FITS)).await?;
    Ok(())
}

impl Connections {
    pub(super) async fn counts(&self, tournament: Option<String>) -> Result<Option<GameCounts>, StoreError> {
        if self.is_before(schema::WITH_COUNTS) {
            return Ok(None);
        }
        let read = self.read(async move |mut db| {
            let of = if tournament.is_some() { " WHERE tournament = $1" } else { "" };
            let select = |sql: String| tournament.iter().fold(Statement::new(AssertSqlSafe(sql)), Statement::bind);
            let mut counts = GameCounts::default();
            let mut shared = Shared::default();
            let blocks = select(format!(
                "SELECT ruleset, course, outcome, CAST(sum(times) AS BIGINT) FROM block_counts{of}
                 GROUP BY ruleset, course, outcome HAVING sum(times) > 0"
            ));
            let mut block = |row: &dyn Row| {
                counts.blocks.push(BlockCount {
                    ruleset: shared.text(row.text(0)?),
                    course: shared.text(row.text(1)?),
                    outcome: BlockOutcome(row.text(2)?.into()),
                    times: whole(row, 3)?,
                });
                Ok(())
            };
            db.read(blocks, &mut block).await?;
            let players = select(format!(
                "SELECT identity, ruleset, course, name, summary FROM player_counts{of} ORDER BY at, tournament, shard"
            ));
            let mut player = |row: &dyn Row| {
                counts.players.push(PlayerCount {
                    who: small(row, 0)?,
                    ruleset: shared.text(row.text(1)?),
                    course: shared.text(row.text(2)?),
                    name: row.text(3)?.to_owned(),
                    summary: serde_json::from_str(row.text(4)?).map_err(unreadable)?,
                });
                Ok(())
            };
            db.read(players, &mut player).await?;
            let who = |row: &dyn Row| Ok((small(row, 0)?, row.text(1)?.parse().map_err(unreadable)?));
            let identities = all(&mut *db, Statement::new("SELECT number, identity FROM identities"), who).await?;
            counts.identities.extend(identities);
            Ok(counts)
        });
        read.await.map(Some)
    }

    pub(super) async fn totals(&self) -> Result<Option<BTreeMap<String, GameTotal>>, StoreError> {
        if self.is_before(schema::WITH_COUNTS) {
            return Ok(None);
        }
        let read = self.read(async move |mut db| {
            let select = Statement::new(
                "SELECT tournament, CAST(sum(games) AS BIGINT), CAST(sum(revision) AS BIGINT) FROM game_counts
                 GROUP BY tournament",
            );
            let total = |row: &dyn Row| {
                Ok((row.text(0)?.to_owned(), GameTotal { games: whole(row, 1)?, revision: whole(row, 2)? }))
            };
            all(&mut *db, select, total).await
        });
        Ok(Some(read.await?.into_iter().collect()))
    }

    pub(super) async fn fit(&self, scope: String) -> Result<Option<StoredFit>, StoreError> {
        if self.is_before(schema::WITH_COUNTS) {
            return Ok(None);
        }
        self.read(async move |mut db| {
            let select = Statement::new("SELECT fingerprint, body FROM fits WHERE scope = $1").bind(&scope);
            let fit = |row: &dyn Row| {
                let (fingerprint, body) = (row.text(0)?.to_owned(), row.text(1)?.to_owned());
                Ok(StoredFit { scope: scope.clone(), fingerprint, body })
            };
            one(&mut *db, select, fit).await
        })
        .await
    }
}
