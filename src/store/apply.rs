//! What each change does to the tables.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::SystemTime;

use super::arena;
use super::batch::WriteBatch;
use super::care;
use super::change::{Change, FinishedGame, FinishedGames};
use super::counts::{Before, StoredGame};
use super::error::StoreError;
use super::in_play;
use super::index::{self, IndexedMatch};
use super::jobs;
use super::link::{Link, SqlValue, Statement, all, count, grid, one};
use super::owners;
use super::packed::{Packed, Packer};
use super::read::finished_info;
use super::shares::LedgerGrowth;
use super::stored::{BlockInfo, MatchStatus, NewMatch, SealedAction, StoredCall, StoredRequest};
use super::tallies;
use crate::matches::{self, Chain, SeatInfo};

/// How many rows one statement inserts at most.
const ROWS: usize = 256;

/// The columns of a match that is over.
const MATCH: [&str; 14] = [
    "id",
    "ruleset",
    "seed",
    "seats",
    "status",
    "created",
    "updated",
    "lines",
    "chain",
    "result",
    "note",
    "pack",
    "pack_from",
    "pack_size",
];

/// Why nothing was written.
pub(super) enum ApplyError {
    Refused(StoreError),
    Database(sqlx::Error),
}

impl From<sqlx::Error> for ApplyError {
    fn from(error: sqlx::Error) -> ApplyError {
        ApplyError::Database(error)
    }
}

impl From<StoreError> for ApplyError {
    fn from(error: StoreError) -> ApplyError {
        ApplyError::Refused(error)
    }
}

/// Makes all these changes, within the transaction at hand.
pub(super) async fn apply_all(db: &mut dyn Link, changes: &[&Change]) -> Result<(), ApplyError> {
    let now = now();
    // Whole games, blocks and calls concern nobody else: they go in many at a time.
    let (mut games, mut blocks, mut calls, mut requests) = (Vec::new(), Vec::new(), Vec::new(), BTreeMap::new());
    for change in changes {
        match change {
            Change::Games(batch) => games.push(&**batch),
            Change::Block(block) => blocks.push(block),
            Change::Call(call) => calls.push(&**call),
            // One row each: the last word on it, or that it was sent.
            Change::Request(request) if request.outcome == StoredRequest::SENT => {
                requests.entry(&request.id).or_insert(&**request);
            }
            Change::Request(request) => drop(requests.insert(&request.id, &**request)),
            _ => {}
        }
    }
    blocks.dedup_by_key(|block| (&block.tournament, block.number));
    owners::check_fences(db, changes).await?;
    jobs::check_fences(db, changes).await?;
    let before = Before::look(db, changes).await?;
    let placed = insert_packs(db, &games).await?;
    let mut fresh = FreshGames::default();
    for games in pieces(&placed) {
        insert_games(db, games, now, &mut fresh).await?;
    }
    for blocks in pieces(&blocks) {
        insert_blocks(db, blocks).await?;
    }
    insert_dictionaries(db, &calls).await?;
    for calls in pieces(&calls) {
        insert_calls(db, calls, now).await?;
    }
    let requests: Vec<&StoredRequest> = requests.into_values().collect();
    for requests in pieces(&requests) {
        let growth = LedgerGrowth::look(db, requests).await?;
        enter_requests(db, requests, now).await?;
        growth.note(db, requests).await?;
    }
    // So do lines and sealed actions, unless something that follows asks how the match stands.
    let mut batch = WriteBatch::default();
    for change in changes {
        if batch.take(change) {
            continue;
        }
        if WriteBatch::comes_before(change) {
            batch.write(db, now).await?;
        }
        apply(db, change, now).await?;
    }
    batch.write(db, now).await?;
    // What others may wait for comes last.
    index::note(db, fresh.indexed()).await?;
    before.settle(db, fresh.stored(), fresh.unsure, now).await
}

/// All of them in pieces of a few sizes: after a while the database knows each of the statements.
pub(super) fn pieces<T>(mut rest: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let size = ROWS.min(1 << rest.len().checked_ilog2()?);
        let (piece, more) = rest.split_at(size);
        rest = more;
        Some(piece)
    })
}

async fn apply(db: &mut dyn Link, change: &Change, now: i64) -> Result<(), ApplyError> {
    match change {
        // They go in together.
        Change::Games(_)
        | Change::Block(_)
        | Change::Call(_)
        | Change::Request(_)
        | Change::Append { .. }
        | Change::Seal { .. }
        | Change::Fence { .. }
        | Change::JobFence { .. } => {}
        Change::Lease(process, lasts) => owners::lease(db, process, *lasts).await?,
        Change::EndLease { id } => owners::end_lease(db, id).await?,
        Change::TakeUp { name, owner } => owners::take_up(db, name, owner).await?,
        Change::Answer(answer) => owners::answer(db, answer, now).await?,
        Change::Pack { match_id } => pack(db, match_id).await?,
        Change::Open(info) => open(db, info, now).await?,
        Change::Status { match_id, status, reason } => set_status(db, match_id, *status, reason.clone(), now).await?,
        Change::Note { match_id, note } => {
            let update = Statement::new("UPDATE matches SET note = $1 WHERE id = $2").bind(note).bind(match_id);
            known_match(db.run(update).await?, match_id)?;
        }
        Change::Key(key) => {
            // A key is for one seat, and a seat has one key.
            let delete = Statement::new("DELETE FROM keys WHERE hash = $1 OR (match_id = $2 AND seat = $3)");
            db.run(delete.bind(key.hash.0.to_vec()).bind(&key.match_id).bind(key.seat.to_string())).await?;
            let insert = Statement::new("INSERT INTO keys (match_id, seat, hash) VALUES ($1, $2, $3)");
            db.run(insert.bind(&key.match_id).bind(key.seat.to_string()).bind(key.hash.0.to_vec())).await?;
        }
        Change::Register(player) => arena::register(db, player, now).await?,
        Change::Rate { match_id, ruleset, places } => arena::rate(db, match_id, ruleset, places, now).await?,
        Change::Prune { what, before } => care::prune(db, *what, *before).await?,
        Change::Queue(ticket) => arena::queue(db, ticket).await?,
        Change::Unqueue { player } => arena::unqueue(db, player).await?,
        Change::Token { player, token } => {
            let update = Statement::new("UPDATE players SET token = $1 WHERE id = $2");
            known_player(db.run(update.bind(token.0.to_vec()).bind(player)).await?, player)?;
        }
        Change::Tournament(info) => {
            let insert = Statement::new(
                "INSERT INTO tournaments (id, name, file, hash, plan, finished, created)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)
                 ON CONFLICT (id) DO UPDATE SET plan = excluded.plan, finished = excluded.finished",
            );
            let insert = insert.bind(&info.id).bind(&info.name).bind(&info.file).bind(&info.hash).bind(&info.plan);
            db.run(insert.bind(i64::from(info.finished)).bind(now)).await?;
        }
        Change::InPlay(lines) => in_play::add(db, lines, now).await?,
        Change::LeavePlay { match_id } => in_play::leave(db, match_id).await?,
        Change::Job(job) => jobs::add(db, job).await?,
        Change::StartJob { name, worker } => jobs::start(db, name, worker).await?,
        Change::EndJob { name, end, reason } => jobs::end(db, name, *end, reason.clone()).await?,
        Change::GiveBackJob { name, worker } => jobs::give_back(db, name, worker).await?,
        Change::WithdrawJobs { names, even_begun } => jobs::withdraw(db, names, *even_begun).await?,
        Change::ForgetJobs { names, even_begun } => jobs::forget(db, names, *even_begun).await?,
        Change::Fault(fault) => {
            let insert =
                Statement::new("INSERT INTO faults (tournament, block, game, reason, at) VALUES ($1, $2, $3, $4, $5)");
            let insert = insert.bind(&fault.tournament).bind(fault.block).bind(fault.game).bind(&fault.reason);
            db.run(insert.bind(now)).await?;
        }
        Change::Fit(fit) => tallies::keep_fit(db, fit, now).await?,
        Change::Found(found) => {
            let insert = Statement::new(
                "INSERT INTO found (tournament, topic, body, at) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (tournament, topic) DO UPDATE SET body = excluded.body, at = excluded.at",
            );
            db.run(insert.bind(&found.tournament).bind(&found.topic).bind(&found.body).bind(now)).await?;
        }
    }
    Ok(())
}

/// Writes a pack; its number.
async fn insert_pack(db: &mut dyn Link, records: &Packed) -> Result<i64, sqlx::Error> {
    let insert = Statement::new("INSERT INTO packs (bytes, size) VALUES ($1, $2) RETURNING number");
    count(db, insert.bind(records.bytes.clone()).bind(size(records))).await
}

/// Packs the record of a match that is over, whose lines came one by one.
async fn pack(db: &mut dyn Link, match_id: &str) -> Result<(), ApplyError> {
    let is_over = "SELECT count(*) FROM matches WHERE id = $1 AND status = 'finished' AND pack IS NULL";
    if count(db, Statement::new(is_over).bind(match_id)).await? == 0 {
        return Ok(());
    }
    let lines = super::read::lines(db, match_id, 0).await?;
    let (records, length) = (Packer::default().pack(&lines), lines.len() as u64);
    let number = insert_pack(db, &records).await?;
    let update = Statement::new("UPDATE matches SET pack = $1, pack_from = 0, pack_size = $2 WHERE id = $3");
    db.run(update.bind(number).bind(length).bind(match_id)).await?;
    db.run(Statement::new("DELETE FROM records WHERE match_id = $1").bind(match_id)).await?;
    Ok(())
}

/// Games that came whole and were not there before.
#[derive(Default)]
struct FreshGames<'a> {
    /// Each with its number.
    games: Vec<(i64, &'a FinishedGame)>,
    /// Whether some have a place in a tournament that is taken: then nobody knows what they are part of.
    unsure: bool,
}

impl FreshGames<'_> {
    fn indexed(&self) -> impl Iterator<Item = IndexedMatch<'_>> {
        self.games.iter().map(|(number, game)| IndexedMatch {
            number: *number,
            ruleset: &game.info.ruleset,
            seats: &game.info.seats,
            tournament: game.of.as_ref().map(|(tournament, ..)| tournament),
        })
    }

    fn stored(&self) -> Vec<StoredGame> {
        let mut name: Arc<str> = "".into();
        let stored = |(_, game): &(i64, &FinishedGame)| {
            let own = game.of.as_ref().map_or("", |(tournament, ..)| tournament);
            if *name != *own {
                name = own.into();
            }
            StoredGame { tournament: name.clone(), info: finished_info(game) }
        };
        self.games.iter().map(stored).collect()
    }
}

/// A game and where its record is.
struct PackedGame<'a> {
    game: &'a FinishedGame,
    pack: i64,
    from: u64,
}

/// Writes the records of games, a pack for those that came together.
async fn insert_packs<'a>(db: &mut dyn Link, games: &[&'a FinishedGames]) -> Result<Vec<PackedGame<'a>>, sqlx::Error> {
    let mut placed = Vec::new();
    for FinishedGames { games, records } in games {
        let pack = insert_pack(db, records).await?;
        let mut from = 0;
        for game in games {
            placed.push(PackedGame { game, pack, from });
            from += game.size;
        }
    }
    Ok(placed)
}

async fn insert_games<'a>(
    db: &mut dyn Link,
    games: &[PackedGame<'a>],
    now: i64,
    fresh: &mut FreshGames<'a>,
) -> Result<(), sqlx::Error> {
    // Thousands of games a second: texts that stand in several rows are shared.
    let ids: Vec<Arc<str>> = games.iter().map(|placed| placed.game.info.id.as_str().into()).collect();
    let (finished, none): (Arc<str>, Arc<str>) = (MatchStatus::Finished.name().into(), "".into());
    let (mut ruleset, mut cup) = (RepeatedText::default(), RepeatedText::default());
    let mut values = Vec::with_capacity(games.len() * MATCH.len());
    for (id, &PackedGame { game, pack, from }) in ids.iter().zip(games) {
        let FinishedGame { info, result, size, lines, .. } = game;
        values.extend([id.into(), ruleset.value(&info.ruleset), info.seed.0.cast_signed().into()]);
        values.extend([json(&info.seats).into(), (&finished).into(), now.into(), now.into()]);
        values.extend([(*lines).into(), (&none).into(), json(result).into(), info.note.clone().into()]);
        values.extend([pack.into(), from.into(), (*size).into()]);
    }
    let insert = Statement::insert("matches", &MATCH, values).returning("number, pack, pack_from");
    let numbers = all(db, insert, |row| Ok(((row.whole(1)?, row.whole(2)?), row.whole(0)?))).await?;
    let numbers: HashMap<(i64, i64), i64> = numbers.into_iter().collect();
    let number = |placed: &PackedGame<'a>| numbers.get(&(placed.pack, placed.from.cast_signed())).copied();
    fresh.games.extend(games.iter().filter_map(|placed| Some((number(placed)?, placed.game))));
    let mut values = Vec::with_capacity(games.len() * 4);
    for (id, placed) in ids.iter().zip(games) {
        if let Some((tournament, block, number)) = &placed.game.of {
            values.extend([cup.value(tournament), (*block).into(), (*number).into(), id.into()]);
        }
    }
    let of_tournaments = |game: &&PackedGame<'a>| game.game.of.is_some() && number(game).is_some();
    let expected = games.iter().filter(of_tournaments).count() as u64;
    if !values.is_empty() {
        let placed = db.run(Statement::insert("games", &["tournament", "block", "game", "match_id"], values)).await?;
        fresh.unsure |= placed != expected;
    }
    Ok(())
}

/// A text that is mostly the same from row to row.
#[derive(Default)]
struct RepeatedText(Arc<str>);

impl RepeatedText {
    fn value(&mut self, text: &str) -> SqlValue {
        if *self.0 != *text {
            self.0 = text.into();
        }
        SqlValue::from(&self.0)
    }
}

/// What packed texts are packed against, once each.
async fn insert_dictionaries(db: &mut dyn Link, calls: &[&StoredCall]) -> Result<(), sqlx::Error> {
    let dictionaries = calls.iter().filter_map(|call| call.request.dictionary.as_ref());
    let dictionaries: BTreeMap<_, _> = dictionaries.map(|dictionary| (&*dictionary.hash, dictionary)).collect();
    for dictionary in dictionaries.into_values() {
        let values = vec![(&dictionary.hash).into(), dictionary.bytes.clone().into()];
        db.run(Statement::insert("dictionaries", &["hash", "bytes"], values)).await?;
    }
    Ok(())
}

fn size(packed: &Packed) -> SqlValue {
    packed.size.and_then(|size| i64::try_from(size).ok()).into()
}

fn dictionary(packed: &Packed) -> SqlValue {
    SqlValue::Text(packed.dictionary.as_ref().map(|dictionary| dictionary.hash.clone()))
}

async fn insert_blocks(db: &mut dyn Link, blocks: &[&BlockInfo]) -> Result<(), sqlx::Error> {
    let mut values = Vec::with_capacity(blocks.len() * 5);
    for block in blocks {
        values.extend([SqlValue::from(&block.tournament), block.number.into(), (&block.ruleset).into()]);
        values.extend([block.seed.0.cast_signed().into(), json(&block.players).into()]);
    }
    let columns = &["tournament", "number", "ruleset", "seed", "players"];
    db.run(Statement::insert("blocks", columns, values)).await?;
    Ok(())
}

async fn insert_calls(db: &mut dyn Link, calls: &[&StoredCall], now: i64) -> Result<(), sqlx::Error> {
    let columns =
        &["match_id", "seat", "turn", "ordinal", "digest", "request", "answer", "at", "packed", "size", "dictionary"];
    let mut values = Vec::with_capacity(calls.len() * columns.len());
    for call in calls {
        values.extend([call.match_id.clone().unwrap_or_default().into(), call.seat.to_string().into()]);
        // Requests were texts once, and still have their column.
        values.extend([call.turn.into(), call.ordinal.into(), (&call.digest).into(), "".into()]);
        values.extend([(&call.answer).into(), SqlValue::from(now), call.request.bytes.clone().into()]);
        values.extend([size(&call.request), dictionary(&call.request)]);
    }
    db.run(Statement::insert("calls", columns, values)).await?;
    Ok(())
}

/// Enters requests in the ledger. What is known of one that is over stays.
async fn enter_requests(db: &mut dyn Link, requests: &[&StoredRequest], now: i64) -> Result<(), sqlx::Error> {
    let sql = format!(
        "INSERT INTO requests
         (id, match_id, seat, turn, ordinal, player, outcome, why, requests, cost, known, at) VALUES {}
         ON CONFLICT (id) DO UPDATE SET outcome = excluded.outcome, why = excluded.why, cost = excluded.cost,
         known = excluded.known WHERE requests.outcome = 'sent'",
        grid(requests.len(), 12)
    );
    // Only the number of places to fill in comes from here.
    let insert = requests.iter().fold(Statement::new(sqlx::AssertSqlSafe(sql)), |insert, request| {
        let insert = insert.bind(&request.id).bind(request.match_id.clone().unwrap_or_default());
        let insert = insert.bind(request.seat.to_string()).bind(request.turn).bind(request.ordinal);
        let insert = insert.bind(&request.player).bind(&request.outcome).bind(request.why.clone());
        insert.bind(request.requests).bind(request.cost).bind(i64::from(request.is_known)).bind(now)
    });
    db.run(insert).await?;
    Ok(())
}

async fn open(db: &mut dyn Link, info: &NewMatch, now: i64) -> Result<(), ApplyError> {
    let insert = Statement::new(
        "INSERT INTO matches (id, ruleset, seed, seats, status, created, updated, lines, chain, note)
         VALUES ($1, $2, $3, $4, 'live', $5, $6, 0, $7, $8) ON CONFLICT (id) DO NOTHING",
    );
    let insert = insert.bind(&info.id).bind(&info.ruleset).bind(info.seed.0.cast_signed()).bind(json(&info.seats));
    let insert = insert.bind(now).bind(now).bind(Chain::default().to_string()).bind(info.note.clone());
    if db.run(insert).await? == 1 {
        return Ok(index::note_one(db, &info.id, &info.seats).await?);
    }
    let same =
        Statement::new("SELECT count(*) FROM matches WHERE id = $1 AND ruleset = $2 AND seed = $3 AND seats = $4");
    let same = same.bind(&info.id).bind(&info.ruleset).bind(info.seed.0.cast_signed()).bind(json(&info.seats));
    if count(db, same).await? == 1 { Ok(()) } else { Err(StoreError::MatchExists(info.id.clone()).into()) }
}

async fn set_status(
    db: &mut dyn Link,
    match_id: &str,
    status: MatchStatus,
    reason: Option<String>,
    now: i64,
) -> Result<(), ApplyError> {
    // What is over stays over; at most it does not count.
    let update = Statement::new(
        "UPDATE matches SET status = $1, reason = $2, updated = $3
         WHERE id = $4 AND (status <> 'finished' OR $1 IN ('finished', 'void'))",
    );
    if db.run(update.bind(status.name()).bind(reason).bind(now).bind(match_id)).await? == 0 {
        let there = count(db, Statement::new("SELECT count(*) FROM matches WHERE id = $1").bind(match_id)).await?;
        known_match(there.unsigned_abs(), match_id)?;
        return Err(StoreError::NotLive(match_id.to_owned()).into());
    }
    Ok(())
}

/// Adds lines to one match, whatever is there already.
pub(super) async fn append(
    db: &mut dyn Link,
    match_id: &str,
    first_line: u64,
    lines: &[String],
    now: i64,
) -> Result<(), ApplyError> {
    let id = || match_id.to_owned();
    let select = Statement::new("SELECT lines, chain, status FROM matches WHERE id = $1").bind(match_id);
    let row = one(db, select, |row| Ok((row.whole(0)?, row.text(1)?.to_owned(), row.text(2)?.to_owned()))).await?;
    let (there, chain, status) = row.ok_or_else(|| StoreError::NoMatch(id()))?;
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
    if status != MatchStatus::Live.name() {
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
    let count = new.len() as u64;
    let insert = Statement::new("INSERT INTO records (match_id, first, lines, bytes) VALUES ($1, $2, $3, $4)");
    db.run(insert.bind(match_id).bind(there).bind(count).bind(bytes)).await?;
    let result = new.last().and_then(|line| result(line));
    let status = if result.is_some() { MatchStatus::Finished } else { MatchStatus::Live };
    let update = Statement::new(
        "UPDATE matches SET lines = $1, chain = $2, status = $3, result = $4, updated = $5 WHERE id = $6",
    );
    let update = update.bind(there + count).bind(chain.to_string()).bind(status.name());
    db.run(update.bind(result.map(|result| json(&result))).bind(now).bind(match_id)).await?;
    if let Some(seats) = new.first().filter(|_| there == 0).and_then(|line| seats(line)) {
        let update = Statement::new("UPDATE matches SET seats = $1 WHERE id = $2");
        db.run(update.bind(json(&seats)).bind(match_id)).await?;
        index::note_one(db, match_id, &seats).await?;
    }
    // The header is line 0, so with n lines n - 1 turns are played; those before are no secret any more.
    let delete = Statement::new("DELETE FROM sealed WHERE match_id = $1 AND turn < $2");
    db.run(delete.bind(match_id).bind(there + count - 1)).await?;
    Ok(())
}

/// Whether lines that are there already are these.
async fn same_lines(db: &mut dyn Link, match_id: &str, first_line: u64, lines: &[String]) -> Result<(), ApplyError> {
    let bytes = super::read::lines(db, match_id, first_line).await?;
    let mut there = bytes.split(|byte| *byte == b'\n');
    for (number, line) in (first_line..).zip(lines) {
        if there.next() != Some(line.as_bytes()) {
            return Err(StoreError::Differs { match_id: match_id.to_owned(), line: number }.into());
        }
    }
    Ok(())
}

/// Who sits where as a record begins: seats that were open when the match was opened have names by then.
fn seats(line: &str) -> Option<Vec<SeatInfo>> {
    #[derive(serde::Deserialize)]
    struct First {
        seats: Vec<SeatInfo>,
    }
    line.starts_with("{\"type\":\"match\"")
        .then(|| serde_json::from_str(line).ok())
        .flatten()
        .map(|first: First| first.seats)
}

/// The result, if this line is one.
pub(super) fn result(line: &str) -> Option<matches::Result> {
    line.starts_with("{\"type\":\"result\"").then(|| serde_json::from_str(line).ok()).flatten()
}

/// Whether this and nothing else is what a seat has sealed for a turn.
pub(super) async fn is_sealed(db: &mut dyn Link, match_id: &str, sealed: &SealedAction) -> Result<(), ApplyError> {
    let &SealedAction { seat, turn, ref order } = sealed;
    let select = Statement::new("SELECT action FROM sealed WHERE match_id = $1 AND turn = $2 AND seat = $3");
    let select = select.bind(match_id).bind(turn).bind(seat.to_string());
    let same = one(db, select, |row| Ok(row.text(0)? == order)).await? == Some(true);
    if same { Ok(()) } else { Err(StoreError::Sealed { match_id: match_id.to_owned(), seat, turn }.into()) }
}

fn known_match(rows: u64, match_id: &str) -> Result<(), StoreError> {
    if rows == 0 { Err(StoreError::NoMatch(match_id.to_owned())) } else { Ok(()) }
}

fn known_player(rows: u64, player: &str) -> Result<(), StoreError> {
    if rows == 0 { Err(StoreError::NoPlayer(player.to_owned())) } else { Ok(()) }
}

pub(super) fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("plain data")
}

/// Milliseconds since 1970.
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
