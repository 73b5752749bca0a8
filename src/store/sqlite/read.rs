//! Reading.

use serde::de::DeserializeOwned;
use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row as _, Sqlite as Db, SqliteConnection};

use super::Sqlite;
use crate::matches::SeatInfo;
use crate::rules::dice::Seed;
use crate::rules::seat::Seat;
use crate::store::error::StoreError;
use crate::store::filter::Filter;
use crate::store::kept::{
    BlockInfo, FaultInfo, FoundInfo, GameInfo, KeptCall, KeyHash, MatchInfo, PlayerInfo, Sealed, SeatKey, Status,
    TournamentInfo,
};

const MATCH: &str =
    "SELECT id, ruleset, seed, seats, status, created, updated, lines, result, reason, note FROM matches";
pub(super) const PLAYER: &str = "SELECT id, name, token, elo, games, created FROM players";

impl Sqlite {
    pub(in crate::store) async fn find(&self, match_id: String) -> Result<Option<MatchInfo>, StoreError> {
        self.read(async move |pool| {
            let mut query = QueryBuilder::<Db>::new(MATCH);
            let query = query.push(" WHERE id = ").push_bind(match_id);
            query.build().fetch_optional(&pool).await?.as_ref().map(match_info).transpose()
        })
        .await
    }

    pub(in crate::store) async fn matches(&self, filter: Filter) -> Result<Vec<MatchInfo>, StoreError> {
        self.read(async move |pool| {
            let mut query = QueryBuilder::<Db>::new(MATCH);
            query.push(" WHERE true");
            if let Some(status) = filter.status {
                query.push(" AND status = ").push_bind(status.name());
            }
            if let Some(ruleset) = filter.ruleset {
                query.push(" AND ruleset = ").push_bind(ruleset);
            }
            if let Some(player) = filter.player {
                query.push(" AND EXISTS (SELECT 1 FROM json_each(seats) WHERE value ->> 'player' = ").push_bind(player);
                query.push(")");
            }
            if let Some(tournament) = filter.tournament {
                query
                    .push(" AND id IN (SELECT match_id FROM games WHERE tournament = ")
                    .push_bind(tournament)
                    .push(")");
            }
            if let Some(before) = filter.before {
                query.push(" AND number < (SELECT number FROM matches WHERE id = ").push_bind(before).push(")");
            }
            query.push(" ORDER BY number DESC");
            if let Some(limit) = filter.limit {
                query.push(" LIMIT ").push_bind(limit);
            }
            query.build().fetch_all(&pool).await?.iter().map(match_info).collect()
        })
        .await
    }

    pub(in crate::store) async fn record(&self, match_id: String, first_line: u64) -> Result<Vec<u8>, StoreError> {
        self.read(async move |pool| record(&mut *pool.acquire().await?, &match_id, first_line).await).await
    }

    pub(in crate::store) async fn sealed(&self, match_id: String) -> Result<Vec<Sealed>, StoreError> {
        self.read(async move |pool| {
            let query = sqlx::query("SELECT seat, turn, action FROM sealed WHERE match_id = ? ORDER BY turn, seat");
            let rows = query.bind(match_id).fetch_all(&pool).await?;
            let sealed =
                |row: &SqliteRow| Ok(Sealed { seat: parsed(row, 0)?, turn: row.try_get(1)?, order: row.try_get(2)? });
            rows.iter().map(sealed).collect()
        })
        .await
    }

    pub(in crate::store) async fn seat_of(&self, key: KeyHash) -> Result<Option<(String, Seat)>, StoreError> {
        self.read(async move |pool| {
            let query = sqlx::query("SELECT match_id, seat FROM keys WHERE hash = ?").bind(key.0.to_vec());
            let row = query.fetch_optional(&pool).await?;
            row.map(|row| Ok((row.try_get(0)?, parsed(&row, 1)?))).transpose()
        })
        .await
    }

    pub(in crate::store) async fn keys(&self, match_id: String) -> Result<Vec<SeatKey>, StoreError> {
        self.read(async move |pool| {
            let query = sqlx::query("SELECT seat, hash FROM keys WHERE match_id = ? ORDER BY seat");
            let rows = query.bind(match_id.clone()).fetch_all(&pool).await?;
            let key = |row: &SqliteRow| {
                Ok(SeatKey { match_id: match_id.clone(), seat: parsed(row, 0)?, hash: hash(row, 1)? })
            };
            rows.iter().map(key).collect()
        })
        .await
    }

    pub(in crate::store) async fn player_of(&self, token: KeyHash) -> Result<Option<PlayerInfo>, StoreError> {
        self.read(async move |pool| {
            let mut query = QueryBuilder::<Db>::new(PLAYER);
            let query = query.push(" WHERE token = ").push_bind(token.0.to_vec());
            query.build().fetch_optional(&pool).await?.as_ref().map(player_info).transpose()
        })
        .await
    }

    pub(in crate::store) async fn players(&self) -> Result<Vec<PlayerInfo>, StoreError> {
        self.read(async move |pool| {
            let mut query = QueryBuilder::<Db>::new(PLAYER);
            let query = query.push(" ORDER BY elo DESC, name");
            query.build().fetch_all(&pool).await?.iter().map(player_info).collect()
        })
        .await
    }

    pub(in crate::store) async fn tournaments(&self) -> Result<Vec<TournamentInfo>, StoreError> {
        self.read(async move |pool| {
            let query = "SELECT id, name, file, hash, plan, finished, created FROM tournaments ORDER BY number DESC";
            let info = |row: &SqliteRow| {
                Ok(TournamentInfo {
                    id: row.try_get(0)?,
                    name: row.try_get(1)?,
                    file: row.try_get(2)?,
                    hash: row.try_get(3)?,
                    plan: row.try_get(4)?,
                    finished: row.try_get(5)?,
                    created: row.try_get(6)?,
                })
            };
            sqlx::query(query).fetch_all(&pool).await?.iter().map(info).collect()
        })
        .await
    }

    pub(in crate::store) async fn blocks(&self, tournament: String) -> Result<Vec<BlockInfo>, StoreError> {
        self.read(async move |pool| {
            let query = "SELECT number, ruleset, seed, players FROM blocks WHERE tournament = ? ORDER BY number";
            let rows = sqlx::query(query).bind(tournament.clone()).fetch_all(&pool).await?;
            let info = |row: &SqliteRow| {
                Ok(BlockInfo {
                    tournament: tournament.clone(),
                    number: whole(row, 0)?,
                    ruleset: row.try_get(1)?,
                    seed: seed(row, 2)?,
                    players: json(row, 3)?,
                })
            };
            rows.iter().map(info).collect()
        })
        .await
    }

    pub(in crate::store) async fn games(&self, tournament: Option<String>) -> Result<Vec<GameInfo>, StoreError> {
        self.read(async move |pool| {
            let query = match tournament {
                Some(tournament) => sqlx::query(
                    "SELECT id, matches.ruleset, seats, result, block, game, note, matches.seed,
                     coalesce(blocks.ruleset, matches.ruleset)
                     FROM games JOIN matches ON id = match_id
                     LEFT JOIN blocks ON blocks.tournament = games.tournament AND blocks.number = block
                     WHERE games.tournament = ? AND status = 'finished' ORDER BY block, game",
                )
                .bind(tournament),
                None => sqlx::query(
                    "SELECT id, ruleset, seats, result, NULL, NULL, note, seed, ruleset FROM matches
                     WHERE status = 'finished' AND id NOT IN (SELECT match_id FROM games) ORDER BY number",
                ),
            };
            query.fetch_all(&pool).await?.iter().map(game_info).collect()
        })
        .await
    }

    pub(in crate::store) async fn faults(&self, tournament: String) -> Result<Vec<FaultInfo>, StoreError> {
        self.read(async move |pool| {
            let query = "SELECT block, game, reason FROM faults WHERE tournament = ? ORDER BY number";
            let rows = sqlx::query(query).bind(tournament.clone()).fetch_all(&pool).await?;
            let info = |row: &SqliteRow| {
                Ok(FaultInfo {
                    tournament: tournament.clone(),
                    block: whole(row, 0)?,
                    game: whole(row, 1)?,
                    reason: row.try_get(2)?,
                })
            };
            rows.iter().map(info).collect()
        })
        .await
    }

    pub(in crate::store) async fn found(&self, tournament: String) -> Result<Vec<FoundInfo>, StoreError> {
        self.read(async move |pool| {
            let there = "SELECT count(*) FROM sqlite_schema WHERE name = 'found'";
            if sqlx::query_scalar::<_, i64>(there).fetch_one(&pool).await? == 0 {
                // A file of the first version that nobody has written since.
                return Ok(Vec::new());
            }
            let query = "SELECT topic, body FROM found WHERE tournament = ? ORDER BY topic";
            let rows = sqlx::query(query).bind(tournament.clone()).fetch_all(&pool).await?;
            let info = |row: &SqliteRow| {
                let (topic, body) = (row.try_get(0)?, row.try_get(1)?);
                Ok(FoundInfo { tournament: tournament.clone(), topic, body })
            };
            rows.iter().map(info).collect()
        })
        .await
    }

    pub(in crate::store) async fn open_calls(&self, prefix: String) -> Result<Vec<KeptCall>, StoreError> {
        self.read(async move |pool| {
            let query = sqlx::query(
                "SELECT match_id, seat, turn, ordinal, digest, request, answer FROM calls
                 WHERE match_id >= ?1 AND match_id < ?2
                 AND match_id NOT IN (SELECT id FROM matches WHERE status = 'finished' AND id >= ?1 AND id < ?2)
                 ORDER BY rowid",
            );
            query
                .bind(prefix.clone())
                .bind(prefix + "\u{10ffff}")
                .fetch_all(&pool)
                .await?
                .iter()
                .map(kept_call)
                .collect()
        })
        .await
    }
}

/// The bytes of a record from this line on.
pub(super) async fn record(db: &mut SqliteConnection, match_id: &str, first_line: u64) -> Result<Vec<u8>, sqlx::Error> {
    let first_line = i64::try_from(first_line).unwrap_or(i64::MAX);
    let query = sqlx::query("SELECT first, bytes FROM records WHERE match_id = ? AND first + lines > ? ORDER BY first");
    let mut bytes = Vec::new();
    for row in query.bind(match_id.to_owned()).bind(first_line).fetch_all(db).await? {
        let first: i64 = row.try_get(0)?;
        let mut piece: &[u8] = row.try_get(1)?;
        for _ in first..first_line {
            let end = piece.iter().position(|byte| *byte == b'\n').map_or(piece.len(), |end| end + 1);
            piece = &piece[end..];
        }
        bytes.extend_from_slice(piece);
    }
    Ok(bytes)
}

fn match_info(row: &SqliteRow) -> Result<MatchInfo, sqlx::Error> {
    let result: Option<String> = row.try_get(8)?;
    let status: String = row.try_get(4)?;
    Ok(MatchInfo {
        id: row.try_get(0)?,
        ruleset: row.try_get(1)?,
        seed: seed(row, 2)?,
        seats: json(row, 3)?,
        status: Status::named(&status).ok_or_else(|| unreadable(format!("the status `{status}`")))?,
        created: row.try_get(5)?,
        updated: row.try_get(6)?,
        lines: whole(row, 7)?,
        result: result.map(|text| serde_json::from_str(&text).map_err(unreadable)).transpose()?,
        reason: row.try_get(9)?,
        note: row.try_get(10)?,
    })
}

fn game_info(row: &SqliteRow) -> Result<GameInfo, sqlx::Error> {
    let seats: Vec<SeatInfo> = json(row, 2)?;
    let place: Option<(i64, i64)> = row.try_get::<Option<i64>, _>(4)?.zip(row.try_get(5)?);
    Ok(GameInfo {
        match_id: row.try_get(0)?,
        ruleset: row.try_get(1)?,
        place: place.map(|(block, game)| (block.cast_unsigned(), game.cast_unsigned())),
        players: seats.into_iter().map(|info| info.player).collect(),
        result: json(row, 3)?,
        note: row.try_get(6)?,
        seed: seed(row, 7)?,
        course: row.try_get(8)?,
    })
}

pub(super) fn player_info(row: &SqliteRow) -> Result<PlayerInfo, sqlx::Error> {
    Ok(PlayerInfo {
        id: row.try_get(0)?,
        name: row.try_get(1)?,
        token: hash(row, 2)?,
        elo: row.try_get(3)?,
        games: whole(row, 4)?,
        created: row.try_get(5)?,
    })
}

fn kept_call(row: &SqliteRow) -> Result<KeptCall, sqlx::Error> {
    let match_id: String = row.try_get(0)?;
    Ok(KeptCall {
        match_id: (!match_id.is_empty()).then_some(match_id),
        seat: parsed(row, 1)?,
        turn: row.try_get(2)?,
        ordinal: row.try_get(3)?,
        digest: row.try_get(4)?,
        request: row.try_get(5)?,
        answer: row.try_get(6)?,
    })
}

fn seed(row: &SqliteRow, column: usize) -> Result<Seed, sqlx::Error> {
    Ok(Seed(row.try_get::<i64, _>(column)?.cast_unsigned()))
}

pub(super) fn whole(row: &SqliteRow, column: usize) -> Result<u64, sqlx::Error> {
    u64::try_from(row.try_get::<i64, _>(column)?).map_err(unreadable)
}

fn hash(row: &SqliteRow, column: usize) -> Result<KeyHash, sqlx::Error> {
    let bytes: &[u8] = row.try_get(column)?;
    bytes.try_into().map(KeyHash).map_err(unreadable)
}

fn parsed(row: &SqliteRow, column: usize) -> Result<Seat, sqlx::Error> {
    row.try_get::<&str, _>(column)?.parse().map_err(unreadable)
}

fn json<T: DeserializeOwned>(row: &SqliteRow, column: usize) -> Result<T, sqlx::Error> {
    serde_json::from_str(row.try_get(column)?).map_err(unreadable)
}

/// Something in the file that nobody of us wrote.
fn unreadable(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> sqlx::Error {
    sqlx::Error::Decode(why.into())
}
