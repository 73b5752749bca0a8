//! What an arena keeps beside its matches: names, ladders, and who waits for a match.

use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row as _, Sqlite as Db, SqliteConnection};

use super::Sqlite;
use super::apply::{Failed, signed};
use super::read::{PLAYER, player_info, whole};
use crate::matches::elo;
use crate::store::error::StoreError;
use crate::store::kept::{PlayerInfo, Rival, Standing, Ticket};

const STANDING: &str = "SELECT ladder.kind, ladder.player, coalesce(players.name, ladder.player), ladder.ruleset,
    ladder.elo, ladder.games
    FROM ladder LEFT JOIN players ON ladder.kind = 'player' AND players.id = ladder.player";

pub(super) async fn register(db: &mut SqliteConnection, player: &PlayerInfo, now: i64) -> Result<(), Failed> {
    let taken = || StoreError::NameTaken(player.name.clone());
    let folded = player.name.to_lowercase();
    let query = sqlx::query("INSERT INTO names (folded, player) VALUES ($1, $2) ON CONFLICT DO NOTHING");
    if query.bind(folded).bind(player.id.clone()).execute(&mut *db).await?.rows_affected() == 0 {
        return Err(taken().into());
    }
    let query = sqlx::query(
        "INSERT INTO players (id, name, token, elo, games, created) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT DO NOTHING",
    );
    let query = query.bind(player.id.clone()).bind(player.name.clone()).bind(player.token.0.to_vec());
    let done = query.bind(player.elo).bind(signed(player.games)).bind(now).execute(db).await?;
    if done.rows_affected() == 0 { Err(taken().into()) } else { Ok(()) }
}

/// Rates a match, unless it is rated. Within the transaction nobody else's match comes in between.
pub(super) async fn rate(
    db: &mut SqliteConnection,
    match_id: &str,
    ruleset: &str,
    places: &[(Rival, u32)],
    now: i64,
) -> Result<(), Failed> {
    let query = sqlx::query("INSERT INTO rated (match_id, at) VALUES ($1, $2) ON CONFLICT DO NOTHING");
    if query.bind(match_id.to_owned()).bind(now).execute(&mut *db).await?.rows_affected() == 0 {
        return Ok(());
    }
    let mut ratings = Vec::with_capacity(places.len());
    for (rival, _) in places {
        let (kind, player) = rival.key();
        let query = sqlx::query_scalar("SELECT elo FROM ladder WHERE ruleset = $1 AND kind = $2 AND player = $3");
        let query = query.bind(ruleset.to_owned()).bind(kind).bind(player.to_owned());
        ratings.push(query.fetch_optional(&mut *db).await?.unwrap_or(elo::START));
    }
    let only_places: Vec<u32> = places.iter().map(|(_, place)| *place).collect();
    let gains = elo::gains(&ratings, &only_places);
    for (seat, (rival, _)) in places.iter().enumerate() {
        // Who sits on several seats has played one match, and gains what all of them do.
        if places[..seat].iter().any(|(other, _)| other == rival) {
            continue;
        }
        let theirs = places.iter().zip(&gains).filter(|((other, _), _)| other == rival);
        let rating = ratings[seat] + theirs.map(|(_, gain)| gain).sum::<f64>();
        let (kind, player) = rival.key();
        sqlx::query(
            "INSERT INTO ladder (ruleset, kind, player, elo, games) VALUES ($1, $2, $3, $4, 1)
             ON CONFLICT (ruleset, kind, player) DO UPDATE SET elo = excluded.elo, games = ladder.games + 1",
        )
        .bind(ruleset.to_owned())
        .bind(kind)
        .bind(player.to_owned())
        .bind(rating)
        .execute(&mut *db)
        .await?;
    }
    Ok(())
}

pub(super) async fn queue(db: &mut SqliteConnection, ticket: &Ticket) -> Result<(), Failed> {
    sqlx::query(
        "INSERT INTO queue (player, mode, players, bots, since, match_id) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (player) DO UPDATE SET mode = excluded.mode, players = excluded.players, bots = excluded.bots,
         since = excluded.since, match_id = excluded.match_id",
    )
    .bind(ticket.player.clone())
    .bind(ticket.mode.clone())
    .bind(ticket.players.map(i64::from))
    .bind(i64::from(ticket.bots))
    .bind(ticket.since)
    .bind(ticket.match_id.clone())
    .execute(db)
    .await?;
    Ok(())
}

pub(super) async fn unqueue(db: &mut SqliteConnection, player: &str) -> Result<(), Failed> {
    sqlx::query("DELETE FROM queue WHERE player = $1").bind(player.to_owned()).execute(db).await?;
    Ok(())
}

impl Sqlite {
    pub(in crate::store) async fn player(&self, id: String) -> Result<Option<PlayerInfo>, StoreError> {
        self.read(async move |pool| {
            let mut query = QueryBuilder::<Db>::new(PLAYER);
            let query = query.push(" WHERE id = ").push_bind(id);
            query.build().fetch_optional(&pool).await?.as_ref().map(player_info).transpose()
        })
        .await
    }

    pub(in crate::store) async fn ratings(&self, rival: Rival) -> Result<Vec<Standing>, StoreError> {
        self.read(async move |pool| {
            let mut query = QueryBuilder::<Db>::new(STANDING);
            let (kind, player) = rival.key();
            query.push(" WHERE ladder.kind = ").push_bind(kind);
            query.push(" AND ladder.player = ").push_bind(player.to_owned()).push(" ORDER BY ladder.ruleset");
            query.build().fetch_all(&pool).await?.iter().map(standing).collect()
        })
        .await
    }

    pub(in crate::store) async fn ladder(&self, ruleset: Option<String>) -> Result<Vec<Standing>, StoreError> {
        self.read(async move |pool| {
            let mut query = QueryBuilder::<Db>::new(STANDING);
            if let Some(ruleset) = ruleset {
                query.push(" WHERE ladder.ruleset = ").push_bind(ruleset);
            }
            query.push(" ORDER BY ladder.elo DESC, ladder.ruleset, ladder.player");
            query.build().fetch_all(&pool).await?.iter().map(standing).collect()
        })
        .await
    }

    pub(in crate::store) async fn tickets(&self) -> Result<Vec<Ticket>, StoreError> {
        self.read(async move |pool| {
            let query = "SELECT player, mode, players, bots, since, match_id FROM queue ORDER BY since, player";
            sqlx::query(query).fetch_all(&pool).await?.iter().map(ticket).collect()
        })
        .await
    }
}

fn standing(row: &SqliteRow) -> Result<Standing, sqlx::Error> {
    let (kind, player): (String, String) = (row.try_get(0)?, row.try_get(1)?);
    Ok(Standing {
        rival: if kind == "house" { Rival::House(player) } else { Rival::Player(player) },
        name: row.try_get(2)?,
        ruleset: row.try_get(3)?,
        elo: row.try_get(4)?,
        games: whole(row, 5)?,
    })
}

fn ticket(row: &SqliteRow) -> Result<Ticket, sqlx::Error> {
    Ok(Ticket {
        player: row.try_get(0)?,
        mode: row.try_get(1)?,
        players: row.try_get(2)?,
        bots: row.try_get::<i64, _>(3)? != 0,
        since: row.try_get(4)?,
        match_id: row.try_get(5)?,
    })
}
