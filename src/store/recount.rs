//! Counting everything again: stores of before there were counts, and what became of counts that cannot be put right.

use std::sync::Arc;

use super::apply::ApplyError;
use super::counts::Difference;
use super::index::{self, IndexedMatch};
use super::link::{Link, Row, Statement, all, count};
use super::read::{GAMES_OF_TOURNAMENT, game_info, unreadable};
use super::stored::GameInfo;
use crate::matches::SeatInfo;

/// So many games are read at once.
const PAGE: i64 = 10_000;

/// Counts all games of a store, and notes where matches are found.
pub(super) async fn all_games(db: &mut dyn Link) -> Result<(), sqlx::Error> {
    let games = count(db, Statement::new("SELECT count(*) FROM matches")).await?;
    if games == 0 {
        return Ok(());
    }
    tracing::info!(games, "counting the games of this store, once");
    index_all(db).await?;
    let select = Statement::new("SELECT DISTINCT tournament FROM games");
    let mut tournaments: Vec<Arc<str>> = all(db, select, |row| Ok(row.text(0)?.into())).await?;
    tournaments.push("".into());
    for tournament in tournaments {
        recounted(db, &tournament, 0).await?;
    }
    Ok(())
}

/// Counts the games of a tournament again, or those that are part of none.
pub(super) async fn tournament(db: &mut dyn Link, tournament: &Arc<str>, now: i64) -> Result<(), ApplyError> {
    db.lock_shard(true).await?;
    Ok(recounted(db, tournament, now).await?)
}

async fn recounted(db: &mut dyn Link, tournament: &Arc<str>, now: i64) -> Result<(), sqlx::Error> {
    let revision =
        Statement::new("SELECT CAST(coalesce(sum(revision), 0) AS BIGINT) FROM game_counts WHERE tournament = $1");
    let revision = count(db, revision.bind(tournament)).await?;
    for delete in [
        "DELETE FROM block_counts WHERE tournament = $1",
        "DELETE FROM player_counts WHERE tournament = $1",
        "DELETE FROM game_counts WHERE tournament = $1",
    ] {
        db.run(Statement::new(delete).bind(tournament)).await?;
    }
    let insert =
        format!("INSERT INTO game_counts (tournament, shard, games, revision) VALUES ($1, {}, 0, $2)", db.shard());
    db.run(Statement::new(sqlx::AssertSqlSafe(insert)).bind(tournament).bind(revision + 1)).await?;
    let mut from = 0;
    loop {
        let page = page(db, tournament, from).await?;
        let is_last = i64::try_from(page.len()).is_ok_and(|read| read < PAGE);
        let mut games: Vec<GameInfo> = Vec::with_capacity(page.len());
        let Some(&(last, _)) = page.last() else { return Ok(()) };
        // The last block may go on: it is read again with what follows.
        let whole = if is_last || tournament.is_empty() { i64::MAX } else { last };
        games.extend(page.into_iter().filter(|(at, _)| *at < whole).map(|(_, game)| game));
        let latest = now.max(0);
        let mut difference = Difference::default();
        difference.add_whole(db, tournament, &games).await?;
        match difference.write(db, latest).await {
            Ok(()) => {}
            Err(ApplyError::Database(error)) => return Err(error),
            Err(ApplyError::Refused(error)) => return Err(unreadable(error)),
        }
        if is_last {
            return Ok(());
        }
        from = if tournament.is_empty() { last + 1 } else { last };
    }
}

/// Games of a tournament from a block on, or those of none from a number on, each with that.
async fn page(db: &mut dyn Link, tournament: &str, from: i64) -> Result<Vec<(i64, GameInfo)>, sqlx::Error> {
    let select = if tournament.is_empty() {
        Statement::new(
            "SELECT id, ruleset, seats, result, NULL, NULL, note, seed, ruleset, number FROM matches
             WHERE number >= $1 AND status = 'finished' AND result IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM games WHERE match_id = id) ORDER BY number LIMIT $2",
        )
        .bind(from)
        .bind(PAGE)
    } else {
        let select = format!("{GAMES_OF_TOURNAMENT} AND block >= $2 ORDER BY block, game LIMIT $3");
        Statement::new(sqlx::AssertSqlSafe(select)).bind(tournament).bind(from).bind(PAGE)
    };
    all(db, select, |row| Ok((row.whole(9)?, game_info(row)?))).await
}

/// The finished games of a block.
pub(super) async fn games_of_block(
    db: &mut dyn Link,
    tournament: &str,
    block: u64,
) -> Result<Vec<GameInfo>, sqlx::Error> {
    let select = format!("{GAMES_OF_TOURNAMENT} AND block = $2 ORDER BY game");
    let select = Statement::new(sqlx::AssertSqlSafe(select));
    all(db, select.bind(tournament).bind(block), game_info).await
}

/// Notes where all matches are found.
async fn index_all(db: &mut dyn Link) -> Result<(), sqlx::Error> {
    let mut from = 0;
    loop {
        let select = Statement::new(
            "SELECT matches.number, matches.ruleset, seats, coalesce(games.tournament, '') FROM matches
             LEFT JOIN games ON match_id = id WHERE matches.number >= $1 ORDER BY matches.number LIMIT $2",
        );
        let found = |row: &dyn Row| {
            let seats: Vec<SeatInfo> = serde_json::from_str(row.text(2)?).map_err(unreadable)?;
            Ok((row.whole(0)?, row.text(1)?.to_owned(), seats, row.text(3)?.to_owned()))
        };
        let page = all(db, select.bind(from).bind(PAGE), found).await?;
        let matches = page.iter().map(|(number, ruleset, seats, tournament)| IndexedMatch {
            number: *number,
            ruleset,
            seats,
            tournament: (!tournament.is_empty()).then_some(tournament),
        });
        index::note(db, matches).await?;
        match page.last() {
            Some((last, ..)) if i64::try_from(page.len()).is_ok_and(|read| read == PAGE) => from = last + 1,
            _ => return Ok(()),
        }
        tracing::info!(matches = from, "noted where they are found");
    }
}
