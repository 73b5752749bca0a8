//! Reading.

use std::collections::HashMap;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::change::FinishedGame;
use super::connections::Connections;
use super::error::StoreError;
use super::link::{Link, Row, Statement, all, count, one};
use super::packed::{Dictionary, Packed, unpacked};
use super::schema;
use super::stored::{
    BlockInfo, BlockProgress, FaultInfo, FoundInfo, GameInfo, KeyHash, MatchInfo, MatchStatus, PlayerInfo,
    SealedAction, SeatSpent, StoredCall, StoredRequest, StoredSeatKey, TournamentInfo,
};
use crate::games::dice::Seed;
use crate::games::seat::Seat;
use crate::matches::{Identity, SeatInfo};

pub(super) const MATCH: &str =
    "SELECT id, ruleset, seed, seats, status, created, updated, lines, result, reason, note, chain FROM matches";
pub(super) const GAMES_OF_TOURNAMENT: &str =
    "SELECT id, matches.ruleset, seats, result, block, game, note, matches.seed,
    coalesce(blocks.ruleset, matches.ruleset), block
    FROM games JOIN matches ON id = match_id
    LEFT JOIN blocks ON blocks.tournament = games.tournament AND blocks.number = block
    WHERE games.tournament = $1 AND status = 'finished'";
pub(super) const PLAYER: &str = "SELECT id, name, token, created FROM players";

impl Connections {
    pub(super) async fn find(&self, match_id: String) -> Result<Option<MatchInfo>, StoreError> {
        self.read(async move |mut db| {
            let select = format!("{MATCH} WHERE id = $1");
            one(&mut *db, Statement::new(sqlx::AssertSqlSafe(select)).bind(match_id), match_info).await
        })
        .await
    }

    pub(super) async fn record(&self, match_id: String, first_line: u64) -> Result<Vec<u8>, StoreError> {
        let has_packs = !self.is_before(schema::WITH_PACKED);
        let read = self.read(async move |mut db| {
            if has_packs && let Some(place) = place(&mut *db, &match_id).await? {
                return Ok(StoredRecord::InPack(place));
            }
            let lines = lines(&mut *db, &match_id, first_line).await?;
            // It may have been packed in between.
            let place = if has_packs && lines.is_empty() { place(&mut *db, &match_id).await? } else { None };
            Ok(place.map_or(StoredRecord::Lines(lines), StoredRecord::InPack))
        });
        match read.await? {
            StoredRecord::Lines(lines) => Ok(lines),
            StoredRecord::InPack(PackSlice { pack, from, size }) => {
                let pack = self.pack(pack).await?;
                let record = from.checked_add(size).and_then(|end| pack.get(from..end));
                let record = record.ok_or_else(|| self.damaged("a record is not where it should be in its pack"))?;
                Ok(from_line(record, first_line).to_vec())
            }
        }
    }

    /// The records of games that came together. Who reads one is likely to read the others.
    async fn pack(&self, number: i64) -> Result<Arc<[u8]>, StoreError> {
        if let Some(known) = self.packs.find(number) {
            return Ok(known);
        }
        let read = self.read(async move |mut db| {
            let select = Statement::new("SELECT bytes, size FROM packs WHERE number = $1").bind(number);
            let pack = |row: &dyn Row| {
                let size = row.maybe_whole(1)?.map(i64::cast_unsigned);
                let pack = unpacked(row.bytes(0)?, size, &[]).map_err(unreadable)?;
                Ok(Arc::from(pack))
            };
            one(&mut *db, select, pack).await?.ok_or_else(|| unreadable("a pack is missing"))
        });
        let pack: Arc<[u8]> = read.await?;
        self.packs.remember(number, pack.clone());
        Ok(pack)
    }

    pub(super) async fn sealed(&self, match_id: String) -> Result<Vec<SealedAction>, StoreError> {
        self.read(async move |mut db| {
            let select =
                Statement::new("SELECT seat, turn, action FROM sealed WHERE match_id = $1 ORDER BY turn, seat");
            let sealed = |row: &dyn Row| {
                Ok(SealedAction { seat: seat(row, 0)?, turn: small(row, 1)?, order: row.text(2)?.to_owned() })
            };
            all(&mut *db, select.bind(match_id), sealed).await
        })
        .await
    }

    pub(super) async fn seat_of(&self, key: KeyHash) -> Result<Option<(String, Seat)>, StoreError> {
        self.read(async move |mut db| {
            let select = Statement::new("SELECT match_id, seat FROM keys WHERE hash = $1").bind(key.0.to_vec());
            one(&mut *db, select, |row| Ok((row.text(0)?.to_owned(), seat(row, 1)?))).await
        })
        .await
    }

    pub(super) async fn keys(&self, match_id: String) -> Result<Vec<StoredSeatKey>, StoreError> {
        self.read(async move |mut db| {
            let select = Statement::new("SELECT seat, hash FROM keys WHERE match_id = $1 ORDER BY seat");
            let key = |row: &dyn Row| {
                Ok(StoredSeatKey { match_id: match_id.clone(), seat: seat(row, 0)?, hash: hash(row, 1)? })
            };
            all(&mut *db, select.bind(&match_id), key).await
        })
        .await
    }

    pub(super) async fn player_of(&self, token: KeyHash) -> Result<Option<PlayerInfo>, StoreError> {
        self.read(async move |mut db| {
            let select = format!("{PLAYER} WHERE token = $1");
            one(&mut *db, Statement::new(sqlx::AssertSqlSafe(select)).bind(token.0.to_vec()), player_info).await
        })
        .await
    }

    pub(super) async fn tournaments(&self) -> Result<Vec<TournamentInfo>, StoreError> {
        self.read(async move |mut db| {
            let select = Statement::new(
                "SELECT id, name, file, hash, plan, finished, created FROM tournaments ORDER BY number DESC",
            );
            all(&mut *db, select, tournament_info).await
        })
        .await
    }

    pub(super) async fn tournament(&self, name: String) -> Result<Option<TournamentInfo>, StoreError> {
        self.read(async move |mut db| {
            let select = Statement::new(
                "SELECT id, name, file, hash, plan, finished, created FROM tournaments WHERE id = $1 OR name = $1
                 ORDER BY number",
            );
            one(&mut *db, select.bind(name), tournament_info).await
        })
        .await
    }

    pub(super) async fn blocks(&self, tournament: String, latest: Option<u32>) -> Result<Vec<BlockInfo>, StoreError> {
        self.read(async move |mut db| {
            let select = Statement::new(
                "SELECT number, ruleset, seed, players FROM
                 (SELECT number, ruleset, seed, players FROM blocks WHERE tournament = $1 ORDER BY number DESC LIMIT $2)
                 AS latest ORDER BY number",
            );
            let info = |row: &dyn Row| {
                Ok(BlockInfo {
                    tournament: tournament.clone(),
                    number: whole(row, 0)?,
                    ruleset: row.text(1)?.to_owned(),
                    seed: seed(row, 2)?,
                    players: json(row, 3)?,
                })
            };
            let latest = latest.map_or(i64::MAX, i64::from);
            all(&mut *db, select.bind(&tournament).bind(latest), info).await
        })
        .await
    }

    /// The finished games of a tournament from this block on.
    pub(super) async fn shares_open_seed(&self, match_id: String) -> Result<bool, StoreError> {
        self.read(async move |mut db| {
            let select = Statement::new(
                "SELECT tournaments.finished, tournaments.plan, coalesce(blocks.players, '[]'),
                 (SELECT count(*) FROM games AS own JOIN matches ON matches.id = own.match_id
                  WHERE own.tournament = games.tournament AND own.block = games.block AND matches.status = 'finished')
                 FROM games JOIN tournaments ON tournaments.id = games.tournament
                 LEFT JOIN blocks ON blocks.tournament = games.tournament AND blocks.number = games.block
                 WHERE games.match_id = $1",
            );
            let is_open = |row: &dyn Row| {
                let players: Vec<String> = json(row, 2)?;
                let of = BlockProgress { finished: row.whole(0)? != 0, players: players.len(), games: whole(row, 3)? };
                Ok(of.shares_open_seed(row.text(1)?))
            };
            Ok(one(&mut *db, select.bind(match_id), is_open).await?.unwrap_or(false))
        })
        .await
    }

    pub(super) async fn games_from(&self, tournament: String, block: u64) -> Result<Vec<GameInfo>, StoreError> {
        self.read(async move |mut db| {
            let select = format!("{GAMES_OF_TOURNAMENT} AND block >= $2 ORDER BY block, game");
            let select = Statement::new(sqlx::AssertSqlSafe(select)).bind(tournament).bind(block);
            all(&mut *db, select, game_info).await
        })
        .await
    }

    pub(super) async fn games(&self, tournament: Option<String>) -> Result<Vec<GameInfo>, StoreError> {
        self.read(async move |mut db| {
            let select = match tournament {
                Some(tournament) => {
                    let select = format!("{GAMES_OF_TOURNAMENT} ORDER BY block, game");
                    Statement::new(sqlx::AssertSqlSafe(select)).bind(tournament)
                }
                None => Statement::new(
                    "SELECT id, ruleset, seats, result, NULL, NULL, note, seed, ruleset FROM matches
                     WHERE status = 'finished' AND NOT EXISTS (SELECT 1 FROM games WHERE match_id = id)
                     ORDER BY number",
                ),
            };
            all(&mut *db, select, game_info).await
        })
        .await
    }

    pub(super) async fn games_in_blocks(
        &self,
        tournament: String,
        first: u64,
        last: u64,
    ) -> Result<Vec<GameInfo>, StoreError> {
        self.read(async move |mut db| {
            let select = Statement::new(
                "SELECT id, matches.ruleset, seats, result, block, game, note, matches.seed, matches.ruleset
                 FROM games JOIN matches ON id = match_id
                 WHERE games.tournament = $1 AND block BETWEEN $2 AND $3 AND status = 'finished' ORDER BY block, game",
            );
            all(&mut *db, select.bind(tournament).bind(first).bind(last), game_info).await
        })
        .await
    }

    pub(super) async fn games_at_equal_distances(
        &self,
        tournament: String,
        most: u32,
    ) -> Result<Vec<String>, StoreError> {
        self.read(async move |mut db| {
            // The one at the place k n / m, for each k below m: only their names leave the database.
            let select = Statement::new(
                "SELECT id FROM (
                   SELECT id, block, game, place, total, CASE WHEN total < $2 THEN total ELSE $2 END AS most FROM (
                     SELECT id, block, game, row_number() OVER (ORDER BY block, game) - 1 AS place,
                     count(*) OVER () AS total
                     FROM games JOIN matches ON id = match_id WHERE games.tournament = $1 AND status = 'finished'
                   ) AS numbered
                 ) AS spread
                 WHERE (place * most + total - 1) / total < most
                 AND (place * most + total - 1) / total * total / most = place
                 ORDER BY block, game",
            );
            let select = select.bind(tournament).bind(i64::from(most));
            all(&mut *db, select, |row| Ok(row.text(0)?.to_owned())).await
        })
        .await
    }

    pub(super) async fn fault_count(&self, tournament: String) -> Result<u64, StoreError> {
        self.read(async move |mut db| {
            let select = Statement::new("SELECT count(*) FROM faults WHERE tournament = $1").bind(tournament);
            Ok(u64::try_from(count(&mut *db, select).await?).unwrap_or(0))
        })
        .await
    }

    pub(super) async fn faults(&self, tournament: String, latest: Option<u32>) -> Result<Vec<FaultInfo>, StoreError> {
        self.read(async move |mut db| {
            let select = Statement::new(
                "SELECT block, game, reason FROM
                 (SELECT number, block, game, reason FROM faults WHERE tournament = $1 ORDER BY number DESC LIMIT $2)
                 AS latest ORDER BY number",
            );
            let info = |row: &dyn Row| {
                Ok(FaultInfo {
                    tournament: tournament.clone(),
                    block: whole(row, 0)?,
                    game: whole(row, 1)?,
                    reason: row.text(2)?.to_owned(),
                })
            };
            let latest = latest.map_or(i64::MAX, i64::from);
            all(&mut *db, select.bind(&tournament).bind(latest), info).await
        })
        .await
    }

    pub(super) async fn found(&self, tournament: String) -> Result<Vec<FoundInfo>, StoreError> {
        if self.is_before(schema::WITH_FOUND) {
            return Ok(Vec::new());
        }
        self.read(async move |mut db| {
            let select = Statement::new("SELECT topic, body FROM found WHERE tournament = $1 ORDER BY topic");
            let info = |row: &dyn Row| {
                let (topic, body) = (row.text(0)?.to_owned(), row.text(1)?.to_owned());
                Ok(FoundInfo { tournament: tournament.clone(), topic, body })
            };
            all(&mut *db, select.bind(&tournament), info).await
        })
        .await
    }

    pub(super) async fn spent(&self, prefix: String) -> Result<Vec<SeatSpent>, StoreError> {
        if self.is_before(schema::WITH_REQUESTS) {
            return Ok(Vec::new());
        }
        self.read(async move |mut db| {
            let select = Statement::new(
                "SELECT match_id, seat, CAST(sum(requests) AS BIGINT), CAST(sum(cost) AS BIGINT),
                 CAST(sum(CASE WHEN outcome = $3 AND known = 0 THEN requests ELSE 0 END) AS BIGINT),
                 CAST(sum(CASE WHEN outcome <> $3 AND known = 0 THEN requests ELSE 0 END) AS BIGINT)
                 FROM requests WHERE match_id >= $1 AND match_id < $2 GROUP BY match_id, seat ORDER BY match_id, seat",
            );
            let select = select.bind(&prefix).bind(format!("{prefix}\u{10ffff}")).bind(StoredRequest::ANSWERED);
            let spent = |row: &dyn Row| {
                let match_id = row.text(0)?;
                Ok(SeatSpent {
                    match_id: (!match_id.is_empty()).then(|| match_id.to_owned()),
                    seat: seat(row, 1)?,
                    requests: whole(row, 2)?,
                    cost: whole(row, 3)?,
                    unknown: whole(row, 4)?,
                    bounded: whole(row, 5)?,
                })
            };
            all(&mut *db, select, spent).await
        })
        .await
    }

    pub(super) async fn open_calls(&self, prefix: String) -> Result<Vec<StoredCall>, StoreError> {
        let (to, open) = (
            format!("{prefix}\u{10ffff}"),
            "AND NOT EXISTS (SELECT 1 FROM matches WHERE id = match_id AND status = 'finished')",
        );
        self.calls_between(prefix, to, open).await
    }

    pub(super) async fn calls(&self, match_id: String) -> Result<Vec<StoredCall>, StoreError> {
        let to = format!("{match_id}\u{10ffff}");
        self.calls_between(match_id, to, "AND match_id = $1").await
    }

    /// The calls of the matches whose names lie between these, if the condition holds as well.
    async fn calls_between(
        &self,
        from: String,
        to: String,
        condition: &'static str,
    ) -> Result<Vec<StoredCall>, StoreError> {
        let packed = !self.is_before(schema::WITH_PACKED);
        self.read(async move |mut db| {
            let (from, to) = (from.clone(), to.clone());
            let mut dictionaries = HashMap::new();
            if packed {
                let select = Statement::new(
                    "SELECT hash, bytes FROM dictionaries
                     WHERE hash IN (SELECT dictionary FROM calls WHERE match_id >= $1 AND match_id < $2)",
                );
                let one = |row: &dyn Row| Ok(Arc::new(Dictionary::kept(row.text(0)?, row.bytes(1)?)));
                let read = all(&mut *db, select.bind(&from).bind(&to), one).await?;
                dictionaries.extend(read.into_iter().map(|dictionary| (dictionary.hash.clone(), dictionary)));
            }
            let packed = if packed { "packed, size, dictionary" } else { "NULL, NULL, NULL" };
            let select = format!(
                "SELECT match_id, seat, turn, ordinal, digest, request, answer, {packed} FROM calls
                 WHERE match_id >= $1 AND match_id < $2 {condition}
                 ORDER BY rowid"
            );
            let select = Statement::new(sqlx::AssertSqlSafe(select)).bind(from).bind(to);
            all(&mut *db, select, |row| kept_call(row, &dictionaries)).await
        })
        .await
    }
}

/// A record as it is kept.
enum StoredRecord {
    /// Its lines, which came one by one.
    Lines(Vec<u8>),
    InPack(PackSlice),
}

/// Where a record is.
struct PackSlice {
    pack: i64,
    from: usize,
    size: usize,
}

/// The place of a record that came whole.
async fn place(db: &mut dyn Link, match_id: &str) -> Result<Option<PackSlice>, sqlx::Error> {
    let select = "SELECT pack, pack_from, pack_size FROM matches WHERE id = $1 AND pack IS NOT NULL";
    let place = |row: &dyn Row| {
        let part = |column| row.whole(column).and_then(|bytes| usize::try_from(bytes).map_err(unreadable));
        Ok(PackSlice { pack: row.whole(0)?, from: part(1)?, size: part(2)? })
    };
    one(db, Statement::new(select).bind(match_id), place).await
}

/// The bytes of a record from this line on, of a match whose lines came one by one.
pub(super) async fn lines(db: &mut dyn Link, match_id: &str, first_line: u64) -> Result<Vec<u8>, sqlx::Error> {
    let select =
        Statement::new("SELECT first, bytes FROM records WHERE match_id = $1 AND first + lines > $2 ORDER BY first");
    let mut bytes = Vec::new();
    let mut piece = |row: &dyn Row| {
        let before = first_line.saturating_sub(whole(row, 0)?);
        bytes.extend_from_slice(from_line(row.bytes(1)?, before));
        Ok(())
    };
    db.read(select.bind(match_id).bind(first_line), &mut piece).await?;
    Ok(bytes)
}

/// What is left after so many lines.
fn from_line(mut text: &[u8], lines: u64) -> &[u8] {
    for _ in 0..lines {
        let end = text.iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| end + 1);
        text = &text[end..];
    }
    text
}

pub(super) fn match_info(row: &dyn Row) -> Result<MatchInfo, sqlx::Error> {
    let status = row.text(4)?;
    Ok(MatchInfo {
        id: row.text(0)?.to_owned(),
        ruleset: row.text(1)?.to_owned(),
        seed: seed(row, 2)?,
        seats: json(row, 3)?,
        status: MatchStatus::named(status).ok_or_else(|| unreadable(format!("the status `{status}`")))?,
        created: row.whole(5)?,
        updated: row.whole(6)?,
        lines: whole(row, 7)?,
        result: row.maybe_text(8)?.map(|text| serde_json::from_str(text).map_err(unreadable)).transpose()?,
        reason: row.maybe_text(9)?.map(str::to_owned),
        note: row.maybe_text(10)?.map(str::to_owned),
        chain: row.text(11)?.to_owned(),
    })
}

pub(super) fn game_info(row: &dyn Row) -> Result<GameInfo, sqlx::Error> {
    let seats: Vec<SeatInfo> = json(row, 2)?;
    let place = row.maybe_whole(4)?.zip(row.maybe_whole(5)?);
    let note = row.maybe_text(6)?.and_then(LiveNote::read);
    let identities: Vec<Identity> = seats.iter().map(|info| identity(info, note.as_ref())).collect();
    Ok(GameInfo {
        match_id: row.text(0)?.to_owned(),
        ruleset: row.text(1)?.to_owned(),
        place: place.map(|(block, game)| (block.cast_unsigned(), game.cast_unsigned())),
        counts: counts(&identities, place.is_some(), note.as_ref()),
        identities,
        players: seats.into_iter().map(|info| info.player).collect(),
        result: json(row, 3)?,
        note: row.maybe_text(6)?.map(str::to_owned),
        seed: seed(row, 7)?,
        course: row.text(8)?.to_owned(),
    })
}

/// Whether a game counts for ratings.
fn counts(identities: &[Identity], is_of_tournament: bool, note: Option<&LiveNote>) -> bool {
    identities.iter().all(Identity::is_rated) && (is_of_tournament || note.is_none_or(|note| note.rated))
}

/// A game that came whole, as it will be read.
pub(super) fn finished_info(game: &FinishedGame) -> GameInfo {
    let FinishedGame { info, result, of, .. } = game;
    let note = info.note.as_deref().and_then(LiveNote::read);
    let identities: Vec<Identity> = info.seats.iter().map(|seat| identity(seat, note.as_ref())).collect();
    GameInfo {
        match_id: info.id.clone(),
        ruleset: info.ruleset.clone(),
        course: info.ruleset.clone(),
        seed: info.seed,
        place: of.as_ref().map(|(_, block, game)| (*block, *game)),
        players: info.seats.iter().map(|seat| seat.player.clone()).collect(),
        counts: counts(&identities, of.is_some(), note.as_ref()),
        identities,
        result: result.clone(),
        note: info.note.clone(),
    }
}

/// What tells who sat where in a match of an arena, where its record does not say.
#[derive(serde::Deserialize)]
struct LiveNote {
    /// Each a word for who answered for the seat, and what is known of them.
    chairs: Vec<HashMap<String, serde_json::Value>>,
    #[serde(default)]
    players: HashMap<Seat, String>,
    #[serde(default)]
    rated: bool,
}

impl LiveNote {
    /// The note of a match of an arena; others' have other fields.
    fn read(note: &str) -> Option<LiveNote> {
        serde_json::from_str(note).ok()
    }
}

/// Who had a seat: as the record has it, or, in one of before there were identities, as the arena noted it.
fn identity(info: &SeatInfo, note: Option<&LiveNote>) -> Identity {
    let Some(note) = note.filter(|_| info.identity.is_none()) else { return info.identity() };
    match note.players.get(&info.seat) {
        Some(player) => Identity::Registered(player.clone()),
        None if note.chairs.get(info.seat.index()).is_some_and(|chair| chair.contains_key("house")) => info.identity(),
        None => Identity::Guest,
    }
}

fn tournament_info(row: &dyn Row) -> Result<TournamentInfo, sqlx::Error> {
    Ok(TournamentInfo {
        id: row.text(0)?.to_owned(),
        name: row.text(1)?.to_owned(),
        file: row.text(2)?.to_owned(),
        hash: row.text(3)?.to_owned(),
        plan: row.text(4)?.to_owned(),
        finished: row.whole(5)? != 0,
        created: row.whole(6)?,
    })
}

pub(super) fn player_info(row: &dyn Row) -> Result<PlayerInfo, sqlx::Error> {
    Ok(PlayerInfo {
        id: row.text(0)?.to_owned(),
        name: row.text(1)?.to_owned(),
        token: hash(row, 2)?,
        created: row.whole(3)?,
    })
}

fn kept_call(row: &dyn Row, dictionaries: &HashMap<Arc<str>, Arc<Dictionary>>) -> Result<StoredCall, sqlx::Error> {
    let match_id = row.text(0)?;
    Ok(StoredCall {
        match_id: (!match_id.is_empty()).then(|| match_id.to_owned()),
        seat: seat(row, 1)?,
        turn: small(row, 2)?,
        ordinal: small(row, 3)?,
        digest: row.text(4)?.to_owned(),
        request: match row.maybe_bytes(7)? {
            None => Packed::plain(row.text(5)?),
            Some(bytes) => {
                let dictionary = row.maybe_text(9)?.and_then(|hash| dictionaries.get(hash)).cloned();
                let size = row.maybe_whole(8)?.map(i64::cast_unsigned);
                Packed { bytes: bytes.to_vec(), size, dictionary }
            }
        },
        answer: row.text(6)?.to_owned(),
    })
}

fn seed(row: &dyn Row, column: usize) -> Result<Seed, sqlx::Error> {
    Ok(Seed(row.whole(column)?.cast_unsigned()))
}

pub(super) fn whole(row: &dyn Row, column: usize) -> Result<u64, sqlx::Error> {
    u64::try_from(row.whole(column)?).map_err(unreadable)
}

pub(super) fn small(row: &dyn Row, column: usize) -> Result<u32, sqlx::Error> {
    u32::try_from(row.whole(column)?).map_err(unreadable)
}

fn hash(row: &dyn Row, column: usize) -> Result<KeyHash, sqlx::Error> {
    row.bytes(column)?.try_into().map(KeyHash).map_err(unreadable)
}

fn seat(row: &dyn Row, column: usize) -> Result<Seat, sqlx::Error> {
    row.text(column)?.parse().map_err(unreadable)
}

fn json<T: DeserializeOwned>(row: &dyn Row, column: usize) -> Result<T, sqlx::Error> {
    serde_json::from_str(row.text(column)?).map_err(unreadable)
}

/// Something in the store that nobody of us wrote.
pub(super) fn unreadable(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> sqlx::Error {
    sqlx::Error::Decode(why.into())
}
