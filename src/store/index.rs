//! Where matches of somebody, of a tournament or of a ruleset are found, however many others there are.
//!
//! Matches are numbered in the order in which they came. For every topic it is noted in which runs of [`CHUNK`] numbers
//! there are such matches: a few rows for thousands of games that are stored together, and enough to leave out the rest.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use sqlx::AssertSqlSafe;

use super::apply::pieces;
use super::connections::Connections;
use super::error::StoreError;
use super::filter::Filter;
use super::link::{Link, SqlValue, Statement, all, grid, one};
use super::read::{MATCH, match_info};
use super::schema;
use super::stored::{MatchInfo, MatchStatus};
use crate::matches::SeatInfo;

/// So many numbers are one chunk.
const CHUNK: i64 = 256;

/// A match to be found.
pub(super) struct IndexedMatch<'a> {
    pub(super) number: i64,
    pub(super) ruleset: &'a str,
    pub(super) seats: &'a [SeatInfo],
    pub(super) tournament: Option<&'a String>,
}

/// What a match is found by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Topic<'a> {
    Any,
    Tournament(&'a str),
    Name(&'a str),
    Identity(&'a crate::matches::Identity),
}

impl Topic<'_> {
    fn text(self) -> String {
        match self {
            Topic::Any => "*".to_owned(),
            Topic::Tournament(id) => format!("t:{id}"),
            Topic::Name(name) => format!("n:{name}"),
            Topic::Identity(who) => format!("i:{who}"),
        }
    }
}

/// Notes where these matches are found.
pub(super) async fn note<'a>(
    db: &mut dyn Link,
    matches: impl Iterator<Item = IndexedMatch<'a>>,
) -> Result<(), sqlx::Error> {
    let mut topics: BTreeSet<(Topic<'_>, i64, &str)> = BTreeSet::new();
    for IndexedMatch { number, ruleset, seats, tournament } in matches {
        let chunk = number.div_euclid(CHUNK);
        let names = seats.iter().map(|seat| Topic::Name(&seat.player));
        let identities = seats.iter().filter_map(|seat| seat.identity.as_ref()).map(Topic::Identity);
        let tournament = tournament.map(|id| Topic::Tournament(id));
        let own = names.chain(identities).chain(tournament).chain([Topic::Any]);
        topics.extend(own.map(|topic| (topic, chunk, ruleset)));
    }
    let topics: Vec<(Topic<'_>, i64, &str)> = topics.into_iter().collect();
    for topics in pieces(&topics) {
        let insert = format!(
            "INSERT INTO match_index (topic, chunk, ruleset, shard)
             SELECT column1, column2, column3, {} FROM (VALUES {}) AS found WHERE true ON CONFLICT DO NOTHING",
            db.shard(),
            grid(topics.len(), 3)
        );
        let insert = topics.iter().fold(Statement::new(AssertSqlSafe(insert)), |insert, (topic, chunk, ruleset)| {
            insert.bind(topic.text()).bind(*chunk).bind(*ruleset)
        });
        db.run(insert).await?;
    }
    Ok(())
}

/// Notes where a match is found whose seats may have changed.
pub(super) async fn note_one(db: &mut dyn Link, id: &str, seats: &[SeatInfo]) -> Result<(), sqlx::Error> {
    let select = Statement::new("SELECT number, ruleset FROM matches WHERE id = $1").bind(id);
    let Some((number, ruleset)) = one(db, select, |row| Ok((row.whole(0)?, row.text(1)?.to_owned()))).await? else {
        return Ok(());
    };
    note(db, std::iter::once(IndexedMatch { number, ruleset: &ruleset, seats, tournament: None })).await
}

impl Connections {
    pub(super) async fn matches(&self, filter: Filter) -> Result<Vec<MatchInfo>, StoreError> {
        let is_indexed = !self.is_before(schema::WITH_COUNTS);
        self.read(async move |mut db| {
            let is_over = filter.status.is_none_or(|status| status == MatchStatus::Finished);
            match filter.limit {
                Some(limit) if is_indexed && is_over && filter.has_topic() => {
                    by_chunks(&mut *db, &filter, limit as usize).await
                }
                _ => all(&mut *db, selection(&filter, None, filter.limit), match_info).await,
            }
        })
        .await
    }
}

impl Filter {
    fn has_topic(&self) -> bool {
        self.ruleset.is_some() || self.player.is_some() || self.identity.is_some() || self.tournament.is_some()
    }

    fn topics(&self) -> Vec<Topic<'_>> {
        let player = self.player.as_deref().map(Topic::Name);
        let identity = self.identity.as_ref().map(Topic::Identity);
        let tournament = self.tournament.as_deref().map(Topic::Tournament);
        let topics: Vec<Topic<'_>> = [player, identity, tournament].into_iter().flatten().collect();
        if topics.is_empty() { vec![Topic::Any] } else { topics }
    }
}

/// Looks only where there is something, the newest first.
async fn by_chunks(db: &mut dyn Link, filter: &Filter, limit: usize) -> Result<Vec<MatchInfo>, sqlx::Error> {
    let mut below = i64::MAX;
    if let Some(before) = &filter.before {
        let select = Statement::new("SELECT number FROM matches WHERE id = $1").bind(before);
        let Some(number) = one(db, select, |row| row.whole(0)).await? else { return Ok(Vec::new()) };
        below = number.div_euclid(CHUNK) + 1;
    }
    let mut found = Vec::new();
    // Of somebody who plays often the first will do; of others there are few.
    let mut at_once = 2;
    while found.len() < limit {
        let chunks = all(db, chunks(filter, below, at_once), |row| row.whole(0)).await?;
        let Some(last) = chunks.last().copied() else { break };
        // One by one: no planner of either database is in doubt about a range of numbers.
        for &chunk in &chunks {
            let rest = u32::try_from(limit - found.len()).unwrap_or(u32::MAX);
            found.extend(all(db, selection(filter, Some(chunk), Some(rest)), match_info).await?);
            if found.len() >= limit {
                return Ok(found);
            }
        }
        if (chunks.len() as u64) < u64::from(at_once) {
            break;
        }
        below = last;
        at_once = (at_once * 4).min(64);
    }
    Ok(found)
}

/// The statement for the chunks that have what is wanted, the newest first.
fn chunks(filter: &Filter, below: i64, limit: u32) -> Statement {
    let (mut sql, mut values) = (String::from("SELECT DISTINCT chunk FROM match_index WHERE true"), Vec::new());
    let mut fill = |sql: &mut String, words: &str, value: SqlValue| {
        values.push(value);
        sql.push_str(&words.replace('?', &format!("${}", values.len())));
    };
    for (at, topic) in filter.topics().into_iter().enumerate() {
        if at == 0 {
            fill(&mut sql, " AND topic = ?", topic.text().into());
        } else {
            fill(&mut sql, " AND chunk IN (SELECT chunk FROM match_index WHERE topic = ?)", topic.text().into());
        }
    }
    if let Some(ruleset) = &filter.ruleset {
        fill(&mut sql, " AND ruleset = ?", ruleset.into());
    }
    fill(&mut sql, " AND chunk < ?", below.into());
    fill(&mut sql, " ORDER BY chunk DESC LIMIT ?", limit.into());
    // Only words of this program's; what was asked for is filled in.
    values.into_iter().fold(Statement::new(AssertSqlSafe(sql)), Statement::bind)
}

/// The statement for the matches that pass a filter, in a chunk where one is given.
fn selection(filter: &Filter, chunk: Option<i64>, limit: Option<u32>) -> Statement {
    let Filter { status, ruleset, player, identity, tournament, before, .. } = filter;
    let (mut sql, mut values) = (format!("{MATCH} WHERE true"), Vec::new());
    if let Some(chunk) = chunk {
        values.extend([SqlValue::from(chunk * CHUNK), SqlValue::from((chunk + 1) * CHUNK)]);
        sql.push_str(" AND number >= $1 AND number < $2");
    }
    // Those that are not over are few, and have an index of their own.
    if let Some(status) = status {
        let _ = write!(sql, " AND status = '{status}'");
        sql.push_str(if *status == MatchStatus::Finished { "" } else { " AND status <> 'finished'" });
    }
    let mut narrow = |condition: &str, value: Option<SqlValue>| {
        if let Some(value) = value {
            values.push(value);
            sql.push_str(&condition.replace('?', &format!("${}", values.len())));
        }
    };
    narrow(" AND ruleset = ?", ruleset.as_ref().map(SqlValue::from));
    // The seats are kept as we write them, so a player's name stands there in exactly these words.
    let player = player.as_deref().map(|player| format!("\"player\":{}", serde_json::Value::from(player)));
    narrow(" AND replace(seats, ?, '') <> seats", player.map(SqlValue::from));
    let identity =
        identity.as_ref().map(|identity| format!("\"identity\":{}", serde_json::Value::from(identity.to_string())));
    narrow(" AND replace(seats, ?, '') <> seats", identity.map(SqlValue::from));
    let of_tournament = " AND EXISTS (SELECT 1 FROM games WHERE match_id = id AND tournament = ?)";
    narrow(of_tournament, tournament.as_ref().map(SqlValue::from));
    narrow(" AND number < (SELECT number FROM matches WHERE id = ?)", before.as_ref().map(SqlValue::from));
    // Without a limit it is as if it were this.
    narrow(" ORDER BY number DESC LIMIT ?", Some(limit.map_or(i64::MAX.into(), SqlValue::from)));
    // Only words of this program's; what was asked for is filled in.
    let select = Statement::new(AssertSqlSafe(sql));
    values.into_iter().fold(select, Statement::bind)
}
