//! Games of tournaments that are being played, for whoever watches them. Nothing else relies on these lines: a game that
//! is broken off is played again from its seed and the journal.

use serde::Deserialize;

use super::apply::pieces;
use super::connections::Connections;
use super::error::StoreError;
use super::link::{Link, Row, SqlValue, Statement, all};
use super::read::{unreadable, whole};
use super::schema;
use super::stored::{MatchInfo, MatchStatus};
use crate::games::Seed;
use crate::matches::SeatInfo;

/// A game in which nothing happened for so long, in milliseconds, is not played any more: its process has ended.
pub(super) const FORGOTTEN: i64 = 30 * 60 * 1000;

/// Lines of a game that is being played.
#[derive(Clone, Debug)]
pub struct LinesInPlay {
    /// The match that is in play.
    pub match_id: String,
    /// The tournament that it is a game of.
    pub tournament: String,
    /// Where they begin, counted from 0. The first line begins the game anew.
    pub first_line: u64,
    /// The lines, each without its end.
    pub lines: Vec<String>,
}

/// A game that is being played.
#[derive(Clone, Debug)]
pub struct GameInPlay {
    /// The tournament that it is a game of.
    pub tournament: String,
    /// The match as it stands.
    pub info: MatchInfo,
}

/// Adds lines that can be watched.
pub(super) async fn add(db: &mut dyn Link, new: &LinesInPlay, now: i64) -> Result<(), sqlx::Error> {
    let LinesInPlay { match_id, tournament, first_line, lines } = new;
    if *first_line == 0 {
        leave(db, match_id).await?;
    }
    let rows: Vec<(u64, &String)> = (*first_line..).zip(lines).collect();
    for rows in pieces(&rows) {
        let row = |(line, text): &(u64, &String)| -> [SqlValue; 5] {
            [match_id.into(), (*line).into(), tournament.into(), (*text).into(), now.into()]
        };
        let columns = &["match_id", "line", "tournament", "text", "at"];
        db.run(Statement::insert("in_play", columns, rows.iter().flat_map(row).collect())).await?;
    }
    Ok(())
}

/// Forgets a game that is not played any more.
pub(super) async fn leave(db: &mut dyn Link, match_id: &str) -> Result<(), sqlx::Error> {
    db.run(Statement::new("DELETE FROM in_play WHERE match_id = $1").bind(match_id)).await?;
    Ok(())
}

impl Connections {
    pub(super) async fn in_play(&self, match_id: Option<String>, now: i64) -> Result<Vec<GameInPlay>, StoreError> {
        if self.is_before(schema::WITH_IN_PLAY) {
            return Ok(Vec::new());
        }
        self.read(async move |mut db| {
            let select = Statement::new(
                "SELECT first.match_id, first.tournament, first.text, first.at, grown.lines, grown.at FROM in_play AS first
                 JOIN (SELECT match_id, count(*) AS lines, max(at) AS at FROM in_play GROUP BY match_id) AS grown
                 ON grown.match_id = first.match_id
                 WHERE first.line = 0 AND grown.at > $1 AND ($2 IS NULL OR first.match_id = $2)
                 ORDER BY first.at DESC, first.match_id",
            );
            all(&mut *db, select.bind(now - FORGOTTEN).bind(match_id), game).await
        })
        .await
    }

    pub(super) async fn record_in_play(&self, match_id: String) -> Result<Vec<u8>, StoreError> {
        if self.is_before(schema::WITH_IN_PLAY) {
            return Ok(Vec::new());
        }
        self.read(async move |mut db| {
            let select = Statement::new("SELECT text FROM in_play WHERE match_id = $1 ORDER BY line").bind(match_id);
            let lines = all(&mut *db, select, |row| Ok(format!("{}\n", row.text(0)?))).await?;
            Ok(lines.concat().into_bytes())
        })
        .await
    }
}

/// What is wanted of a game's first line.
#[derive(Deserialize)]
struct FirstLine {
    ruleset: NamedRuleset,
    seed: Seed,
    seats: Vec<SeatInfo>,
}

#[derive(Deserialize)]
struct NamedRuleset {
    name: String,
}

fn game(row: &dyn Row) -> Result<GameInPlay, sqlx::Error> {
    let header: FirstLine = serde_json::from_str(row.text(2)?).map_err(unreadable)?;
    let info = MatchInfo {
        id: row.text(0)?.to_owned(),
        ruleset: header.ruleset.name,
        seed: header.seed,
        seats: header.seats,
        status: MatchStatus::Live,
        created: row.whole(3)?,
        updated: row.whole(5)?,
        lines: whole(row, 4)?,
        result: None,
        reason: None,
        note: None,
        chain: String::new(),
    };
    Ok(GameInPlay { tournament: row.text(1)?.to_owned(), info })
}
