//! What each change does to the tables.

use std::time::SystemTime;

use sqlx::{QueryBuilder, Row as _, Sqlite as Db, SqliteConnection};

use super::arena;
use crate::matches::{self, Chain};
use crate::store::change::{Change, Game};
use crate::store::error::StoreError;
use crate::store::kept::{BlockInfo, KeptCall, NewMatch, Sealed, Status};

/// How many rows one statement inserts.
const ROWS: usize = 128;

/// Why nothing was written.
pub(super) enum Failed {
    Refused(StoreError),
    Database(sqlx::Error),
}

impl From<sqlx::Error> for Failed {
    fn from(error: sqlx::Error) -> Failed {
        Failed::Database(error)
    }
}

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Failed {
        Failed::Refused(error)
    }
}

/// Makes all these changes, within the transaction at hand.
pub(super) async fn apply_all(db: &mut SqliteConnection, changes: &[&Change]) -> Result<(), Failed> {
    let now = now();
    // Whole games and blocks concern nobody else: they go in many at a time.
    let (mut games, mut blocks) = (Vec::new(), Vec::new());
    for change in changes {
        match change {
            Change::Game(game) => games.push(&**game),
            Change::Block(block) => blocks.push(block),
            _ => {}
        }
    }
    for games in games.chunks(ROWS) {
        insert_games(db, games, now).await?;
    }
    for blocks in blocks.chunks(ROWS) {
        insert_blocks(db, blocks).await?;
    }
    for change in changes {
        apply(db, change, now).await?;
    }
    Ok(())
}

async fn apply(db: &mut SqliteConnection, change: &Change, now: i64) -> Result<(), Failed> {
    match change {
        // They went in before.
        Change::Game(_) | Change::Block(_) => {}
        Change::Open(info) => open(db, info, now).await?,
        Change::Append { match_id, first_line, lines } => append(db, match_id, *first_line, lines, now).await?,
        Change::Status { match_id, status, reason } => {
            // What is over stays over; at most it does not count.
            let query = sqlx::query(
                "UPDATE matches SET status = ?1, reason = ?2, updated = ?3
                 WHERE id = ?4 AND (status <> 'finished' OR ?1 IN ('finished', 'void'))",
            );
            let query = query.bind(status.name()).bind(reason.clone()).bind(now).bind(match_id.clone());
            if query.execute(&mut *db).await?.rows_affected() == 0 {
                let query = sqlx::query_scalar("SELECT count(*) FROM matches WHERE id = ?").bind(match_id.clone());
                let there: i64 = query.fetch_one(db).await?;
                known_match(there.unsigned_abs(), match_id)?;
                return Err(StoreError::NotLive(match_id.clone()).into());
            }
        }
        Change::Note { match_id, note } => {
            let query = sqlx::query("UPDATE matches SET note = ? WHERE id = ?");
            let query = query.bind(note.clone()).bind(match_id.clone());
            known_match(query.execute(db).await?.rows_affected(), match_id)?;
        }
        Change::Seal { match_id, sealed } => seal(db, match_id, sealed).await?,
        Change::Key(key) => {
            sqlx::query("INSERT OR REPLACE INTO keys (match_id, seat, hash) VALUES (?, ?, ?)")
                .bind(key.match_id.clone())
                .bind(key.seat.to_string())
                .bind(key.hash.0.to_vec())
                .execute(db)
                .await?;
        }
        Change::Register(player) => arena::register(db, player, now).await?,
        Change::Rate { match_id, ruleset, places } => arena::rate(db, match_id, ruleset, places, now).await?,
        Change::Queue(ticket) => arena::queue(db, ticket).await?,
        Change::Unqueue { player } => arena::unqueue(db, player).await?,
        Change::Elo { player, elo, games } => {
            let query = sqlx::query("UPDATE players SET elo = ?, games = ? WHERE id = ?");
            let done = query.bind(*elo).bind(signed(*games)).bind(player.clone()).execute(db).await?;
            known_player(done.rows_affected(), player)?;
        }
        Change::Token { player, token } => {
            let query = sqlx::query("UPDATE players SET token = ? WHERE id = ?");
            let done = query.bind(token.0.to_vec()).bind(player.clone()).execute(db).await?;
            known_player(done.rows_affected(), player)?;
        }
        Change::Tournament(info) => {
            sqlx::query(
                "INSERT INTO tournaments (id, name, file, hash, plan, finished, created) VALUES (?, ?, ?, ?, ?, ?, ?)
                 ON CONFLICT (id) DO UPDATE SET plan = excluded.plan, finished = excluded.finished",
            )
            .bind(info.id.clone())
            .bind(info.name.clone())
            .bind(info.file.clone())
            .bind(info.hash.clone())
            .bind(info.plan.clone())
            .bind(info.finished)
            .bind(now)
            .execute(db)
            .await?;
        }
        Change::Fault(fault) => {
            sqlx::query("INSERT INTO faults (tournament, block, game, reason, at) VALUES (?, ?, ?, ?, ?)")
                .bind(fault.tournament.clone())
                .bind(signed(fault.block))
                .bind(signed(fault.game))
                .bind(fault.reason.clone())
                .bind(now)
                .execute(db)
                .await?;
        }
        Change::Call(call) => keep_call(db, call, now).await?,
        Change::Found(found) => {
            sqlx::query("INSERT OR REPLACE INTO found (tournament, topic, body, at) VALUES (?, ?, ?, ?)")
                .bind(found.tournament.clone())
                .bind(found.topic.clone())
                .bind(found.body.clone())
                .bind(now)
                .execute(db)
                .await?;
        }
    }
    Ok(())
}

async fn insert_games(db: &mut SqliteConnection, games: &[&Game], now: i64) -> Result<(), sqlx::Error> {
    let mut insert = QueryBuilder::<Db>::new(
        "INSERT OR IGNORE INTO matches (id, ruleset, seed, seats, status, created, updated, lines, chain, result, note) ",
    );
    insert.push_values(games, |mut row, game| {
        row.push_bind(game.info.id.clone())
            .push_bind(game.info.ruleset.clone())
            .push_bind(game.info.seed.0.cast_signed())
            .push_bind(json(&game.info.seats))
            .push_bind(Status::Finished.name())
            .push_bind(now)
            .push_bind(now)
            .push_bind(signed(game.lines))
            .push_bind("")
            .push_bind(json(&game.result))
            .push_bind(game.info.note.clone());
    });
    insert.build().execute(&mut *db).await?;
    let mut insert = QueryBuilder::<Db>::new("INSERT OR IGNORE INTO records (match_id, first, lines, bytes) ");
    insert.push_values(games, |mut row, game| {
        row.push_bind(game.info.id.clone()).push_bind(0).push_bind(signed(game.lines)).push_bind(game.record.clone());
    });
    insert.build().execute(&mut *db).await?;
    let of: Vec<_> = games.iter().filter_map(|game| game.of.as_ref().map(|of| (of, &game.info.id))).collect();
    if !of.is_empty() {
        let mut insert = QueryBuilder::<Db>::new("INSERT OR IGNORE INTO games (tournament, block, game, match_id) ");
        insert.push_values(of, |mut row, ((tournament, block, game), id)| {
            row.push_bind(tournament.clone()).push_bind(signed(*block)).push_bind(signed(*game)).push_bind(id.clone());
        });
        insert.build().execute(&mut *db).await?;
    }
    Ok(())
}

async fn insert_blocks(db: &mut SqliteConnection, blocks: &[&BlockInfo]) -> Result<(), sqlx::Error> {
    let mut insert =
        QueryBuilder::<Db>::new("INSERT OR IGNORE INTO blocks (tournament, number, ruleset, seed, players) ");
    insert.push_values(blocks, |mut row, block| {
        row.push_bind(block.tournament.clone())
            .push_bind(signed(block.number))
            .push_bind(block.ruleset.clone())
            .push_bind(block.seed.0.cast_signed())
            .push_bind(json(&block.players));
    });
    insert.build().execute(db).await?;
    Ok(())
}

async fn open(db: &mut SqliteConnection, info: &NewMatch, now: i64) -> Result<(), Failed> {
    let query = sqlx::query(
        "INSERT INTO matches (id, ruleset, seed, seats, status, created, updated, lines, chain, note)
         VALUES (?, ?, ?, ?, 'live', ?, ?, 0, ?, ?) ON CONFLICT (id) DO NOTHING",
    );
    let query = query
        .bind(info.id.clone())
        .bind(info.ruleset.clone())
        .bind(info.seed.0.cast_signed())
        .bind(json(&info.seats))
        .bind(now)
        .bind(now)
        .bind(Chain::default().to_string())
        .bind(info.note.clone());
    if query.execute(&mut *db).await?.rows_affected() == 1 {
        return Ok(());
    }
    let query =
        sqlx::query_scalar("SELECT count(*) FROM matches WHERE id = ? AND ruleset = ? AND seed = ? AND seats = ?");
    let query = query.bind(info.id.clone()).bind(info.ruleset.clone());
    let same: i64 = query.bind(info.seed.0.cast_signed()).bind(json(&info.seats)).fetch_one(db).await?;
    if same == 1 { Ok(()) } else { Err(StoreError::MatchExists(info.id.clone()).into()) }
}

async fn append(
    db: &mut SqliteConnection,
    match_id: &str,
    first_line: u64,
    lines: &[String],
    now: i64,
) -> Result<(), Failed> {
    let id = || match_id.to_owned();
    let query = sqlx::query("SELECT lines, chain, status FROM matches WHERE id = ?").bind(id());
    let row = query.fetch_optional(&mut *db).await?.ok_or_else(|| StoreError::NoMatch(id()))?;
    let (there, chain): (i64, String) = (row.try_get(0)?, row.try_get(1)?);
    let there = u64::try_from(there).unwrap_or(0);
    if first_line > there {
        return Err(StoreError::Gap { match_id: id(), lines: there, first_line }.into());
    }
    let known = usize::try_from(there - first_line).unwrap_or(usize::MAX).min(lines.len());
    let (repeated, new) = lines.split_at(known);
    if !repeated.is_empty() {
        same_lines(db, match_id, first_line, repeated).await?;
    }
    if new.is_empty() {
        return Ok(());
    }
    if row.try_get::<String, _>(2)? != Status::Live.name() {
        return Err(StoreError::NotLive(id()).into());
    }
    let mut chain: Chain = chain.parse().map_err(|()| StoreError::Chain { match_id: id(), line: there })?;
    let mut bytes = Vec::new();
    for (number, line) in (there..).zip(new) {
        let next = chain.follow(line).ok_or_else(|| StoreError::Chain { match_id: id(), line: number })?;
        chain = next;
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
    }
    let count = signed(new.len() as u64);
    let query = sqlx::query("INSERT INTO records (match_id, first, lines, bytes) VALUES (?, ?, ?, ?)");
    query.bind(id()).bind(signed(there)).bind(count).bind(bytes).execute(&mut *db).await?;
    let result = new.last().and_then(|line| result(line));
    let status = if result.is_some() { Status::Finished } else { Status::Live };
    let query =
        sqlx::query("UPDATE matches SET lines = ?, chain = ?, status = ?, result = ?, updated = ? WHERE id = ?");
    let query = query.bind(signed(there) + count).bind(chain.to_string()).bind(status.name());
    query.bind(result.map(|result| json(&result))).bind(now).bind(id()).execute(&mut *db).await?;
    // The header is line 0, so with n lines n - 1 turns are played; those before are no secret any more.
    let query = sqlx::query("DELETE FROM sealed WHERE match_id = ? AND turn < ?");
    query.bind(id()).bind(signed(there) + count - 1).execute(db).await?;
    Ok(())
}

/// Whether lines that are there already are these.
async fn same_lines(
    db: &mut SqliteConnection,
    match_id: &str,
    first_line: u64,
    lines: &[String],
) -> Result<(), Failed> {
    let bytes = super::read::record(db, match_id, first_line).await?;
    let mut there = bytes.split(|byte| *byte == b'\n');
    for (number, line) in (first_line..).zip(lines) {
        if there.next() != Some(line.as_bytes()) {
            return Err(StoreError::Differs { match_id: match_id.to_owned(), line: number }.into());
        }
    }
    Ok(())
}

/// The result, if this line is one.
fn result(line: &str) -> Option<matches::Result> {
    line.starts_with("{\"type\":\"result\"").then(|| serde_json::from_str(line).ok()).flatten()
}

async fn seal(db: &mut SqliteConnection, match_id: &str, sealed: &Sealed) -> Result<(), Failed> {
    let &Sealed { seat, turn, ref order } = sealed;
    let query =
        sqlx::query("INSERT INTO sealed (match_id, turn, seat, action) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING");
    let query = query.bind(match_id.to_owned()).bind(i64::from(turn)).bind(seat.to_string()).bind(order.clone());
    if query.execute(&mut *db).await?.rows_affected() == 1 {
        return Ok(());
    }
    let query = sqlx::query_scalar("SELECT action FROM sealed WHERE match_id = ? AND turn = ? AND seat = ?");
    let query = query.bind(match_id.to_owned()).bind(i64::from(turn)).bind(seat.to_string());
    let there: String = query.fetch_one(db).await?;
    let same = there == *order;
    if same { Ok(()) } else { Err(StoreError::Sealed { match_id: match_id.to_owned(), seat, turn }.into()) }
}

async fn keep_call(db: &mut SqliteConnection, call: &KeptCall, now: i64) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT OR IGNORE INTO calls
         (match_id, seat, turn, ordinal, digest, request, answer, at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(call.match_id.clone().unwrap_or_default())
    .bind(call.seat.to_string())
    .bind(call.turn)
    .bind(call.ordinal)
    .bind(call.digest.clone())
    .bind(call.request.clone())
    .bind(call.answer.clone())
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

fn known_match(rows: u64, match_id: &str) -> Result<(), StoreError> {
    if rows == 0 { Err(StoreError::NoMatch(match_id.to_owned())) } else { Ok(()) }
}

fn known_player(rows: u64, player: &str) -> Result<(), StoreError> {
    if rows == 0 { Err(StoreError::NoPlayer(player.to_owned())) } else { Ok(()) }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("plain data")
}

/// SQLite's numbers have a sign; ours never come near it.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
