//! Lines and sealed actions of many matches in a few statements.
//!
//! Thousands of live matches write a line a second each. A statement costs more than what is in it, so those of a
//! transaction go in together. What is out of the ordinary (a line that is there already, a match twice) goes its own way.

use std::collections::{HashMap, HashSet};

use sqlx::AssertSqlSafe;

use super::apply::{self, ApplyError, json, pieces};
use super::change::Change;
use super::error::StoreError;
use super::link::{Link, SqlValue, Statement, all, grid};
use super::stored::{MatchStatus, SealedAction};
use crate::matches::Chain;

/// What waits to be written together.
#[derive(Default)]
pub(super) struct WriteBatch<'a> {
    appends: Vec<Append<'a>>,
    seals: Vec<(&'a str, &'a SealedAction)>,
}

#[derive(Clone, Copy)]
struct Append<'a> {
    match_id: &'a str,
    first_line: u64,
    lines: &'a [String],
}

/// Where a record ends.
struct Head {
    lines: u64,
    chain: String,
    is_live: bool,
}

/// A match that goes on.
struct Grown<'a> {
    match_id: &'a str,
    first_line: u64,
    count: u64,
    bytes: Vec<u8>,
    chain: Chain,
    status: MatchStatus,
    result: Option<String>,
}

impl<'a> WriteBatch<'a> {
    /// Takes a change, if it is one that can wait for the others of the transaction.
    pub(super) fn take(&mut self, change: &'a Change) -> bool {
        match change {
            Change::Append { match_id, first_line, lines } => {
                self.appends.push(Append { match_id, first_line: *first_line, lines });
                true
            }
            Change::Seal { match_id, sealed } => {
                self.seals.push((match_id, sealed));
                true
            }
            _ => false,
        }
    }

    /// Whether a change must find what was taken before it written.
    pub(super) fn comes_before(change: &Change) -> bool {
        matches!(change, Change::Status { .. } | Change::Pack { .. } | Change::Prune { .. })
    }

    /// Writes what was taken.
    pub(super) async fn write(&mut self, db: &mut dyn Link, now: i64) -> Result<(), ApplyError> {
        let seals = std::mem::take(&mut self.seals);
        for seals in pieces(&seals) {
            write_seals(db, seals).await?;
        }
        let appends = std::mem::take(&mut self.appends);
        let mut heads = HashMap::new();
        for appends in pieces(&appends) {
            read_heads(db, appends, &mut heads).await?;
        }
        let (mut grown, mut odd) = (Vec::new(), Vec::new());
        let mut seen = HashSet::new();
        for append in appends {
            let head = heads.get(append.match_id);
            // A record's first line is looked at more closely.
            let is_next = |head: &&Head| head.is_live && head.lines == append.first_line && head.lines > 0;
            let plain = head.filter(is_next).filter(|_| !append.lines.is_empty());
            match plain {
                Some(head) if seen.insert(append.match_id) => grown.push(grow(append, head)?),
                _ => odd.push(append),
            }
        }
        for grown in pieces(&grown) {
            write_lines(db, grown, now).await?;
        }
        for Append { match_id, first_line, lines } in odd {
            apply::append(db, match_id, first_line, lines, now).await?;
        }
        Ok(())
    }
}

fn grow<'a>(append: Append<'a>, head: &Head) -> Result<Grown<'a>, StoreError> {
    let Append { match_id, first_line, lines } = append;
    let broken = |line| StoreError::Chain { match_id: match_id.to_owned(), line };
    let mut chain: Chain = head.chain.parse().map_err(|()| broken(first_line))?;
    let mut bytes = Vec::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
    for (number, line) in (first_line..).zip(lines) {
        chain = chain.follow(line).ok_or_else(|| broken(number))?;
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
    }
    let result = lines.last().and_then(|line| apply::result(line)).map(|result| json(&result));
    let status = if result.is_some() { MatchStatus::Finished } else { MatchStatus::Live };
    Ok(Grown { match_id, first_line, count: lines.len() as u64, bytes, chain, status, result })
}

async fn read_heads(
    db: &mut dyn Link,
    appends: &[Append<'_>],
    heads: &mut HashMap<String, Head>,
) -> Result<(), sqlx::Error> {
    let sql = format!("SELECT id, lines, chain, status FROM matches WHERE id IN {}", grid(1, appends.len()));
    // Only the number of places to fill in comes from here.
    let select = appends.iter().fold(Statement::new(AssertSqlSafe(sql)), |select, append| select.bind(append.match_id));
    let read = all(db, select, |row| {
        let lines = u64::try_from(row.whole(1)?).unwrap_or(0);
        let is_live = row.text(3)? == MatchStatus::Live.name();
        Ok((row.text(0)?.to_owned(), Head { lines, chain: row.text(2)?.to_owned(), is_live }))
    });
    heads.extend(read.await?);
    Ok(())
}

async fn write_lines(db: &mut dyn Link, grown: &[Grown<'_>], now: i64) -> Result<(), ApplyError> {
    let mut values = Vec::with_capacity(grown.len() * 4);
    for Grown { match_id, first_line, count, bytes, .. } in grown {
        values.extend([SqlValue::from(*match_id), (*first_line).into(), (*count).into(), bytes.clone().into()]);
    }
    let insert = Statement::insert("records", &["match_id", "first", "lines", "bytes"], values);
    if db.run(insert).await? != grown.len() as u64 {
        let Grown { match_id, first_line, .. } = &grown[0];
        return Err(StoreError::Differs { match_id: (*match_id).to_owned(), line: *first_line }.into());
    }
    let sql = format!(
        "UPDATE matches SET lines = grown.column2, chain = grown.column3, status = grown.column4,
         result = grown.column5, updated = grown.column6 FROM (VALUES {}) AS grown WHERE matches.id = grown.column1",
        grid(grown.len(), 6)
    );
    let update = grown.iter().fold(Statement::new(AssertSqlSafe(sql)), |update, grown| {
        let update = update.bind(grown.match_id).bind(grown.first_line + grown.count).bind(grown.chain.to_string());
        update.bind(grown.status.name()).bind(grown.result.clone()).bind(now)
    });
    db.run(update).await?;
    // The header is line 0, so with n lines n - 1 turns are played; those before are no secret any more.
    let sql = format!(
        "DELETE FROM sealed WHERE match_id IN {} AND turn < (SELECT lines - 1 FROM matches WHERE id = sealed.match_id)",
        grid(1, grown.len())
    );
    let delete = grown.iter().fold(Statement::new(AssertSqlSafe(sql)), |delete, grown| delete.bind(grown.match_id));
    db.run(delete).await?;
    Ok(())
}

async fn write_seals(db: &mut dyn Link, seals: &[(&str, &SealedAction)]) -> Result<(), ApplyError> {
    let mut values = Vec::with_capacity(seals.len() * 4);
    for (match_id, SealedAction { seat, turn, order }) in seals {
        values.extend([SqlValue::from(*match_id), (*turn).into(), seat.to_string().into(), order.into()]);
    }
    let insert = Statement::insert("sealed", &["match_id", "turn", "seat", "action"], values);
    if db.run(insert).await? < seals.len() as u64 {
        // Some were there: the same, or others.
        for (match_id, sealed) in seals {
            apply::is_sealed(db, match_id, sealed).await?;
        }
    }
    Ok(())
}
