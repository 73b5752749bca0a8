//! Results are counted as they are stored, in the same transaction: a leaderboard of a million games reads some hundred
//! rows.
//!
//! Blocks that ended alike, with the same players on the same seats, are one row with a number; what somebody cost and how
//! it failed is one row per tournament and course. Every writer of a server has its own rows where it can
//! ([`Link::shard`]), and they add up, so that nobody waits for anybody.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use sqlx::AssertSqlSafe;

use super::apply::{ApplyError, json, pieces};
use super::change::Change;
use super::link::{Link, Row, Statement, all, grid};
use super::outcome::{BlockOutcome, OutcomeGame};
use super::read::{game_info, small, unreadable, whole};
use super::recount;
use super::stored::{GameInfo, StoredRequest};
use crate::games::outcome::Reason;
use crate::games::seat::Seat;
use crate::matches::{GameSummary, Identity, SeatBill, SeatSummary};

/// Blocks that are not stored whole are taken one at a time, as far as so many locks can tell them apart.
const BLOCK_LOCKS: u64 = 64;

/// A finished game and the tournament that it is part of; no name for none.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StoredGame {
    pub(super) tournament: Arc<str>,
    pub(super) info: GameInfo,
}

/// What a transaction finds before it begins.
pub(super) struct Before<'a> {
    /// Matches that may be over when it ends, or count otherwise.
    touched: Vec<&'a str>,
    /// Those of them that are over.
    games: Vec<StoredGame>,
    /// Games that are over, whose ledger goes on.
    late: Vec<StoredGame>,
    bills: Bills,
    /// Whether matches are cleared away.
    is_pruned: bool,
}

/// What the requests of seats cost, by match.
type Bills = HashMap<String, BTreeMap<Seat, SeatBill>>;

impl<'a> Before<'a> {
    /// Looks at what these changes may count otherwise.
    pub(super) async fn look(db: &mut dyn Link, changes: &[&'a Change]) -> Result<Before<'a>, sqlx::Error> {
        let (mut touched, mut billed) = (BTreeSet::new(), BTreeSet::new());
        let mut is_pruned = false;
        for change in changes {
            match change {
                Change::Append { match_id, lines, .. }
                    if lines.last().is_some_and(|line| line.starts_with("{\"type\":\"result\"")) =>
                {
                    touched.insert(match_id.as_str());
                }
                Change::Status { match_id, .. } | Change::Note { match_id, .. } => {
                    touched.insert(match_id);
                }
                Change::Request(request) => billed.extend(request.match_id.as_deref()),
                Change::Prune { .. } => is_pruned = true,
                _ => {}
            }
        }
        let touched: Vec<&str> = touched.into_iter().collect();
        let games = finished(db, &touched).await?;
        let late = finished(db, &billed.into_iter().collect::<Vec<_>>()).await?;
        let bills = bills(db, &late).await?;
        Ok(Before { touched, games, late, bills, is_pruned })
    }

    /// Counts what has become of them, and games that came whole.
    pub(super) async fn settle(
        self,
        db: &mut dyn Link,
        mut fresh: Vec<StoredGame>,
        unsure: bool,
        now: i64,
    ) -> Result<(), ApplyError> {
        let mut anew: BTreeSet<Arc<str>> = BTreeSet::new();
        let mut over: HashMap<String, StoredGame> =
            finished(db, &self.touched).await?.into_iter().map(|game| (game.info.match_id.clone(), game)).collect();
        for before in &self.games {
            if over.remove(&before.info.match_id).as_ref() != Some(before) {
                anew.insert(before.tournament.clone());
            }
        }
        fresh.extend(over.into_values());
        if unsure {
            anew.extend(fresh.iter().map(|game| game.tournament.clone()));
            anew.insert("".into());
        }
        if self.is_pruned {
            anew.insert("".into());
        }
        fresh.retain(|game| !anew.contains(&game.tournament));
        let mut difference = Difference::default();
        difference.add(db, &fresh).await?;
        let bills = bills(db, &self.late).await?;
        difference.correct(&self.late, &self.bills, &bills);
        difference.write(db, now).await?;
        for tournament in anew {
            recount::tournament(db, &tournament, now).await?;
        }
        Ok(())
    }
}

/// Somebody on a course of a tournament.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct CourseOf {
    tournament: Arc<str>,
    who: Identity,
    ruleset: String,
    course: String,
}

/// A kind of block.
#[derive(PartialEq, Eq, Hash)]
struct BlockKind {
    tournament: Arc<str>,
    ruleset: String,
    course: String,
    outcome: BlockOutcome,
}

/// What is more, or less, than was counted before.
#[derive(Default)]
pub(super) struct Difference {
    numbers: HashMap<Identity, u32>,
    games: BTreeMap<Arc<str>, i64>,
    blocks: HashMap<BlockKind, i64>,
    players: BTreeMap<CourseOf, (String, SeatSummary)>,
    corrections: Vec<(CourseOf, SeatBill, SeatBill)>,
}

impl Difference {
    /// Counts games that were not there before. Of a tournament's block others may be.
    async fn add(&mut self, db: &mut dyn Link, games: &[StoredGame]) -> Result<(), sqlx::Error> {
        let mut by_block: BTreeMap<(&Arc<str>, u64), Vec<&GameInfo>> = BTreeMap::new();
        for StoredGame { tournament, info } in games {
            if let Some((block, _)) = info.place {
                by_block.entry((tournament, block)).or_default().push(info);
            }
        }
        let slot = |(tournament, block): &(&Arc<str>, u64)| format!("block/{tournament}/{:02}", block % BLOCK_LOCKS);
        let in_pieces = |(_, own): &(_, &Vec<&GameInfo>)| own.iter().any(|game| own.len() < game.players.len());
        let locks: BTreeSet<String> = by_block.iter().filter(in_pieces).map(|(block, _)| slot(block)).collect();
        db.lock(locks.into_iter().collect()).await?;
        let keys: Vec<(&Arc<str>, u64)> = by_block.keys().copied().collect();
        let mut courses = HashMap::new();
        let mut older: BTreeMap<(Arc<str>, u64), Vec<GameInfo>> = BTreeMap::new();
        for same in keys.chunk_by(|one, other| one.0 == other.0) {
            for blocks in pieces(same) {
                let tournament = blocks[0].0;
                courses.extend(
                    read_courses(db, blocks).await?.into_iter().map(|(block, name)| ((tournament, block), name)),
                );
                let more = |(block, found): &(u64, u64)| by_block[&(tournament, *block)].len() as u64 != *found;
                let more: Vec<u64> =
                    read_sizes(db, blocks).await?.into_iter().filter(more).map(|(block, _)| block).collect();
                for block in more {
                    let fresh: HashSet<&str> =
                        by_block[&(tournament, block)].iter().map(|game| &*game.match_id).collect();
                    let mut all = recount::games_of_block(db, tournament, block).await?;
                    all.retain(|game| !fresh.contains(&*game.match_id));
                    older.insert((tournament.clone(), block), all);
                }
            }
        }
        self.learn(db, games.iter().map(|game| &game.info).chain(older.values().flatten())).await?;
        let bills = bills(db, games).await?;
        for ((tournament, block), fresh) in by_block {
            let course = courses.get(&(tournament, block)).cloned();
            let older: Vec<&GameInfo> =
                older.get(&(tournament.clone(), block)).map(|older| older.iter().collect()).unwrap_or_default();
            if !older.is_empty() {
                self.block(tournament, course.as_deref(), &older, -1);
            }
            self.block(tournament, course.as_deref(), &[older, fresh.clone()].concat(), 1);
            for game in fresh {
                self.player(tournament, course.as_deref(), game, &bills);
            }
        }
        for StoredGame { tournament, info } in games {
            *self.games.entry(tournament.clone()).or_default() += 1;
            if info.place.is_none() {
                self.block(tournament, None, &[info], 1);
                self.player(tournament, None, info, &bills);
            }
        }
        Ok(())
    }

    /// Counts whole blocks, and games that are part of none.
    pub(super) async fn add_whole(
        &mut self,
        db: &mut dyn Link,
        tournament: &Arc<str>,
        games: &[GameInfo],
    ) -> Result<(), sqlx::Error> {
        self.learn(db, games.iter()).await?;
        let stored = |info: &GameInfo| StoredGame { tournament: tournament.clone(), info: info.clone() };
        let noted: Vec<StoredGame> = games.iter().filter(|game| game.note.is_some()).map(stored).collect();
        let bills = bills(db, &noted).await?;
        let together = |one: &GameInfo, other: &GameInfo| {
            one.place.is_some() && one.place.map(|(block, _)| block) == other.place.map(|(block, _)| block)
        };
        for block in games.chunk_by(together) {
            self.block(tournament, None, &block.iter().collect::<Vec<_>>(), 1);
            for game in block {
                self.player(tournament, None, game, &bills);
            }
        }
        *self.games.entry(tournament.clone()).or_default() += i64::try_from(games.len()).unwrap_or(i64::MAX);
        Ok(())
    }

    /// Notes the numbers of those who played.
    async fn learn<'a>(
        &mut self,
        db: &mut dyn Link,
        games: impl Iterator<Item = &'a GameInfo>,
    ) -> Result<(), sqlx::Error> {
        let mut unknown: BTreeSet<&Identity> = BTreeSet::new();
        for game in games.filter(|game| game.counts) {
            unknown.extend(game.identities.iter().filter(|who| !self.numbers.contains_key(who)));
        }
        let unknown: Vec<String> = unknown.into_iter().map(ToString::to_string).collect();
        for texts in pieces(&unknown) {
            let sql = format!("SELECT number, identity FROM identities WHERE identity IN {}", grid(1, texts.len()));
            let select = || texts.iter().fold(Statement::new(AssertSqlSafe(sql.clone())), Statement::bind);
            let number = |row: &dyn Row| Ok((row.text(1)?.parse().map_err(unreadable)?, small(row, 0)?));
            let mut found: Vec<(Identity, u32)> = all(db, select(), number).await?;
            if found.len() < texts.len() {
                let values = texts.iter().map(Into::into).collect();
                db.run(Statement::insert("identities", &["identity"], values)).await?;
                found = all(db, select(), number).await?;
            }
            self.numbers.extend(found);
        }
        Ok(())
    }

    /// So many more blocks that ended so.
    fn block(&mut self, tournament: &Arc<str>, course: Option<&str>, games: &[&GameInfo], times: i64) {
        let Some(first) = games.first() else { return };
        let counted = games.iter().filter(|game| game.counts).map(|game| OutcomeGame {
            players: game.identities.iter().map(|who| self.numbers[who]).collect(),
            places: game.result.places.values().copied().collect(),
            is_forfeit: game.result.reason == Reason::Forfeit,
        });
        let counted: Vec<OutcomeGame> = counted.collect();
        let mut count = |games: &[OutcomeGame], times: i64| {
            let kind = BlockKind {
                tournament: tournament.clone(),
                ruleset: first.ruleset.clone(),
                course: course.unwrap_or(&first.course).to_owned(),
                outcome: BlockOutcome::of(games),
            };
            *self.blocks.entry(kind).or_default() += times;
        };
        let uncounted = i64::try_from(games.len() - counted.len()).unwrap_or(i64::MAX);
        if uncounted > 0 {
            count(&[], times * uncounted);
        }
        if !counted.is_empty() {
            count(&counted, times);
        }
    }

    /// Takes in whom a game names, and what it cost.
    fn player(&mut self, tournament: &Arc<str>, course: Option<&str>, game: &GameInfo, bills: &Bills) {
        if !game.counts {
            return;
        }
        let mut summary = GameSummary::read(game.note.as_deref());
        for (seat, bill) in bills.get(&game.match_id).into_iter().flatten() {
            summary.bill(*seat, *bill);
        }
        for ((seat, name), who) in Seat::first(game.players.len()).zip(&game.players).zip(&game.identities) {
            let (own_name, own) = self.players.entry(course_of(tournament, course, game, who)).or_default();
            name.clone_into(own_name);
            if let Some(of_seat) = summary.seats.get(&seat) {
                own.join(of_seat);
            }
        }
    }

    /// Puts right what games have cost since they were counted.
    fn correct(&mut self, late: &[StoredGame], were: &Bills, are: &Bills) {
        for StoredGame { tournament, info } in late.iter().filter(|game| game.info.counts) {
            let (was, is) = (were.get(&info.match_id), are.get(&info.match_id));
            for (seat, who) in Seat::first(info.players.len()).zip(&info.identities) {
                let of = |bills: Option<&BTreeMap<Seat, SeatBill>>| {
                    bills.and_then(|bills| bills.get(&seat)).copied().unwrap_or_default()
                };
                if of(was) != of(is) {
                    self.corrections.push((course_of(tournament, None, info, who), of(was), of(is)));
                }
            }
        }
    }

    /// Writes it into the counts.
    pub(super) async fn write(mut self, db: &mut dyn Link, now: i64) -> Result<(), ApplyError> {
        self.blocks.retain(|_, times| *times != 0);
        for (course, ..) in &self.corrections {
            self.games.entry(course.tournament.clone()).or_default();
            self.players.entry(course.clone()).or_default();
            // Whoever is billed has played: it has a number.
            if !self.numbers.contains_key(&course.who) {
                let select = Statement::new("SELECT number FROM identities WHERE identity = $1");
                let found = all(db, select.bind(course.who.to_string()), |row| small(row, 0)).await?;
                self.numbers.extend(found.into_iter().map(|number| (course.who.clone(), number)));
            }
        }
        if self.games.is_empty() {
            return Ok(());
        }
        db.lock_shard(false).await?;
        self.write_blocks(db).await?;
        self.write_players(db, now).await?;
        let games: Vec<(&Arc<str>, i64)> = self.games.iter().map(|(tournament, games)| (tournament, *games)).collect();
        for (tournament, more) in games {
            let upsert = format!(
                "INSERT INTO game_counts (tournament, shard, games, revision) VALUES ($1, {}, $2, 1)
                 ON CONFLICT (tournament, shard) DO UPDATE SET games = game_counts.games + excluded.games,
                 revision = game_counts.revision + 1",
                db.shard()
            );
            db.run(Statement::new(AssertSqlSafe(upsert)).bind(tournament).bind(more)).await?;
        }
        Ok(())
    }

    async fn write_blocks(&self, db: &mut dyn Link) -> Result<(), sqlx::Error> {
        let blocks: Vec<(&BlockKind, i64)> = self.blocks.iter().map(|(kind, times)| (kind, *times)).collect();
        for blocks in pieces(&blocks) {
            let upsert = format!(
                "INSERT INTO block_counts (tournament, hash, ruleset, course, outcome, times, shard)
                 SELECT column1, column2, column3, column4, column5, CAST(column6 AS BIGINT), {} FROM (VALUES {}) AS more
                 WHERE true ON CONFLICT (tournament, hash, shard) DO UPDATE SET
                 times = block_counts.times + excluded.times",
                db.shard(),
                grid(blocks.len(), 6)
            );
            let upsert = blocks.iter().fold(Statement::new(AssertSqlSafe(upsert)), |upsert, (kind, times)| {
                let upsert = upsert.bind(&kind.tournament).bind(kind.hash()).bind(&kind.ruleset);
                upsert.bind(&kind.course).bind(&*kind.outcome.0).bind(*times)
            });
            db.run(upsert).await?;
        }
        Ok(())
    }

    /// Who is known there already is read, and written again with what is new.
    async fn write_players(&mut self, db: &mut dyn Link, now: i64) -> Result<(), sqlx::Error> {
        let shard = db.shard();
        let mut corrections = std::mem::take(&mut self.corrections);
        let players: Vec<(CourseOf, (String, SeatSummary))> = std::mem::take(&mut self.players).into_iter().collect();
        for (course, (name, more)) in players {
            let Some(number) = self.numbers.get(&course.who).copied() else { continue };
            let key = |statement: Statement| {
                statement.bind(&course.tournament).bind(number).bind(&course.ruleset).bind(&course.course)
            };
            let select = format!(
                "SELECT name, summary FROM player_counts WHERE tournament = $1 AND identity = $2 AND ruleset = $3
                 AND course = $4 AND shard = {shard}"
            );
            let known = |row: &dyn Row| {
                Ok((row.text(0)?.to_owned(), serde_json::from_str::<SeatSummary>(row.text(1)?).map_err(unreadable)?))
            };
            let known = all(db, key(Statement::new(AssertSqlSafe(select))), known).await?.pop();
            let mut own = corrections.extract_if(.., |(of, ..)| *of == course).peekable();
            if own.peek().is_none() && more.is_empty() && known.as_ref().is_some_and(|(known, _)| *known == name) {
                continue;
            }
            let (known_name, mut summary) = known.unwrap_or_default();
            summary.join(&more);
            own.for_each(|(_, was, is)| summary.correct(was, is));
            let name = if name.is_empty() { known_name } else { name };
            let upsert = format!(
                "INSERT INTO player_counts (tournament, identity, ruleset, course, name, summary, at, shard)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, {shard})
                 ON CONFLICT (tournament, identity, ruleset, course, shard)
                 DO UPDATE SET name = excluded.name, summary = excluded.summary, at = excluded.at"
            );
            db.run(key(Statement::new(AssertSqlSafe(upsert))).bind(name).bind(json(&summary)).bind(now)).await?;
        }
        Ok(())
    }
}

fn course_of(tournament: &Arc<str>, course: Option<&str>, game: &GameInfo, who: &Identity) -> CourseOf {
    CourseOf {
        tournament: tournament.clone(),
        who: who.clone(),
        ruleset: game.ruleset.clone(),
        course: course.unwrap_or(&game.course).to_owned(),
    }
}

impl BlockKind {
    /// What it is found by: its words may be longer than an index takes.
    fn hash(&self) -> i64 {
        let mut hash = Sha256::new();
        for part in [&*self.ruleset, &*self.course, &*self.outcome.0] {
            hash.update(part.as_bytes());
            hash.update([0]);
        }
        let digest: [u8; 32] = hash.finalize().into();
        digest.first_chunk().map_or(0, |first| i64::from_be_bytes(*first))
    }
}

/// Matches that are over and have a result, of these.
async fn finished(db: &mut dyn Link, ids: &[&str]) -> Result<Vec<StoredGame>, sqlx::Error> {
    let mut found = Vec::new();
    for ids in pieces(ids) {
        let sql = format!(
            "SELECT id, matches.ruleset, seats, result, block, game, note, matches.seed,
             coalesce(blocks.ruleset, matches.ruleset), coalesce(games.tournament, '')
             FROM matches LEFT JOIN games ON match_id = id
             LEFT JOIN blocks ON blocks.tournament = games.tournament AND blocks.number = block
             WHERE id IN {} AND status = 'finished' AND result IS NOT NULL",
            grid(1, ids.len())
        );
        let select = ids.iter().fold(Statement::new(AssertSqlSafe(sql)), |select, id| select.bind(*id));
        let game = |row: &dyn Row| Ok(StoredGame { info: game_info(row)?, tournament: row.text(9)?.into() });
        found.extend(all(db, select, game).await?);
    }
    Ok(found)
}

/// What the ledger says of these games, where it says anything.
async fn bills(db: &mut dyn Link, games: &[StoredGame]) -> Result<Bills, sqlx::Error> {
    let mut bills = Bills::new();
    let noted: Vec<&str> =
        games.iter().filter(|game| game.info.note.is_some()).map(|game| &*game.info.match_id).collect();
    for ids in pieces(&noted) {
        let sql = format!(
            "SELECT match_id, seat, CAST(sum(requests) AS BIGINT), CAST(sum(cost) AS BIGINT),
             CAST(sum(CASE WHEN outcome = '{answered}' AND known = 0 THEN requests ELSE 0 END) AS BIGINT),
             CAST(sum(CASE WHEN outcome <> '{answered}' AND known = 0 THEN requests ELSE 0 END) AS BIGINT)
             FROM requests WHERE match_id IN {ids} GROUP BY match_id, seat",
            answered = StoredRequest::ANSWERED,
            ids = grid(1, ids.len())
        );
        let select = ids.iter().fold(Statement::new(AssertSqlSafe(sql)), |select, id| select.bind(*id));
        let bill = |row: &dyn Row| {
            #[expect(clippy::cast_precision_loss, reason = "it is for people to read")]
            let usd = whole(row, 3)? as f64 / 1e12;
            let bill = SeatBill { requests: whole(row, 2)?, usd, unpriced: whole(row, 4)?, bounded: whole(row, 5)? };
            Ok((row.text(0)?.to_owned(), row.text(1)?.parse().map_err(unreadable)?, bill))
        };
        for (match_id, seat, bill) in all(db, select, bill).await? {
            bills.entry(match_id).or_default().insert(seat, bill);
        }
    }
    Ok(bills)
}

/// How many games blocks of a tournament have.
async fn read_sizes(db: &mut dyn Link, blocks: &[(&Arc<str>, u64)]) -> Result<Vec<(u64, u64)>, sqlx::Error> {
    let sql = format!(
        "SELECT block, count(*) FROM games WHERE block IN {} AND tournament = ${} GROUP BY block",
        grid(1, blocks.len()),
        blocks.len() + 1
    );
    let select = blocks.iter().fold(Statement::new(AssertSqlSafe(sql)), |select, (_, block)| select.bind(*block));
    all(db, select.bind(blocks[0].0), |row| Ok((whole(row, 0)?, whole(row, 1)?))).await
}

/// What is played in blocks of a tournament.
async fn read_courses(db: &mut dyn Link, blocks: &[(&Arc<str>, u64)]) -> Result<Vec<(u64, String)>, sqlx::Error> {
    let sql = format!(
        "SELECT number, ruleset FROM blocks WHERE number IN {} AND tournament = ${}",
        grid(1, blocks.len()),
        blocks.len() + 1
    );
    let select = blocks.iter().fold(Statement::new(AssertSqlSafe(sql)), |select, (_, block)| select.bind(*block));
    all(db, select.bind(blocks[0].0), |row| Ok((whole(row, 0)?, row.text(1)?.to_owned()))).await
}
