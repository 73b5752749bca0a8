//! What an arena keeps beside its matches: names, ladders, and who waits for a match.

use super::apply::ApplyError;
use super::connections::Connections;
use super::error::StoreError;
use super::link::{Link, Row, Statement, all, one};
use super::names::{self, NameLooks};
use super::read::{PLAYER, player_info, small, unreadable, whole};
use super::schema;
use super::stored::{LadderPlace, Pace, PlayerInfo, RatingPoint, Ticket};
use crate::matches::{Identity, IdentityKind, elo};

const STANDING: &str = "SELECT ladder.kind, ladder.player, coalesce(players.name, ladder.player), ladder.ruleset,
    ladder.elo, ladder.games
    FROM ladder LEFT JOIN players ON ladder.kind IN ('registered', 'player') AND players.id = ladder.player";

pub(super) async fn register(db: &mut dyn Link, player: &PlayerInfo, now: i64) -> Result<(), ApplyError> {
    db.lock(vec!["names".to_owned()]).await?;
    let taken = || StoreError::NameTaken(player.name.clone());
    if names::holder(db, &player.name).await?.is_some_and(|holder| holder != player.id) {
        return Err(taken().into());
    }
    for key in NameLooks::of(&player.name).keys() {
        let insert = Statement::new("INSERT INTO names (folded, player) VALUES ($1, $2) ON CONFLICT DO NOTHING");
        db.run(insert.bind(key).bind(&player.id)).await?;
    }
    let insert =
        Statement::new("INSERT INTO players (id, name, token, created) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING");
    let insert = insert.bind(&player.id).bind(&player.name).bind(player.token.0.to_vec());
    if db.run(insert.bind(now)).await? == 0 { Err(taken().into()) } else { Ok(()) }
}

/// Rates a match, unless it is rated.
pub(super) async fn rate(
    db: &mut dyn Link,
    match_id: &str,
    ruleset: &str,
    places: &[(Identity, u32)],
    now: i64,
) -> Result<(), ApplyError> {
    // Nobody else's match with any of these comes in between.
    let mut names: Vec<String> = places.iter().map(|(who, _)| format!("ladder/{ruleset}/{who}")).collect();
    names.dedup();
    db.lock(names).await?;
    let insert = Statement::new("INSERT INTO rated (match_id, at) VALUES ($1, $2) ON CONFLICT DO NOTHING");
    if db.run(insert.bind(match_id).bind(now)).await? == 0 {
        return Ok(());
    }
    let mut ratings = Vec::with_capacity(places.len());
    for (who, _) in places {
        let select = Statement::new("SELECT elo FROM ladder WHERE ruleset = $1 AND kind = $2 AND player = $3");
        let select = select.bind(ruleset).bind(who.kind().name()).bind(who.key());
        ratings.push(one(db, select, |row| row.real(0)).await?.unwrap_or(elo::START));
    }
    let only_places: Vec<u32> = places.iter().map(|(_, place)| *place).collect();
    let gains = elo::gains(&ratings, &only_places);
    for (seat, (who, _)) in places.iter().enumerate() {
        // Who sits on several seats has played one match, and gains what all of them do.
        if places[..seat].iter().any(|(other, _)| other == who) {
            continue;
        }
        let theirs = places.iter().zip(&gains).filter(|((other, _), _)| other == who);
        let rating = ratings[seat] + theirs.map(|(_, gain)| gain).sum::<f64>();
        let insert = Statement::new(
            "INSERT INTO ladder (ruleset, kind, player, elo, games) VALUES ($1, $2, $3, $4, 1)
             ON CONFLICT (ruleset, kind, player) DO UPDATE SET elo = excluded.elo, games = ladder.games + 1",
        );
        db.run(insert.bind(ruleset).bind(who.kind().name()).bind(who.key()).bind(rating)).await?;
        let insert = Statement::new(
            "INSERT INTO ratings (match_id, ruleset, kind, player, elo, at) VALUES ($1, $2, $3, $4, $5, $6)",
        );
        let insert = insert.bind(match_id).bind(ruleset).bind(who.kind().name()).bind(who.key());
        db.run(insert.bind(rating).bind(now)).await?;
    }
    Ok(())
}

pub(super) async fn queue(db: &mut dyn Link, ticket: &Ticket) -> Result<(), ApplyError> {
    let insert = Statement::new(
        "INSERT INTO queue (player, mode, players, bots, since, match_id, own_pace) VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (player) DO UPDATE SET mode = excluded.mode, players = excluded.players, bots = excluded.bots,
         since = excluded.since, match_id = excluded.match_id, own_pace = excluded.own_pace",
    );
    let insert = insert.bind(&ticket.player).bind(&ticket.mode).bind(ticket.players.map(i64::from));
    let insert = insert.bind(i64::from(ticket.bots)).bind(ticket.since).bind(ticket.match_id.clone());
    db.run(insert.bind(i64::from(ticket.pace == Pace::OwnPace))).await?;
    Ok(())
}

pub(super) async fn unqueue(db: &mut dyn Link, player: &str) -> Result<(), ApplyError> {
    db.run(Statement::new("DELETE FROM queue WHERE player = $1").bind(player)).await?;
    Ok(())
}

impl Connections {
    pub(super) async fn player(&self, id: String) -> Result<Option<PlayerInfo>, StoreError> {
        self.read(async move |mut db| {
            let select = format!("{PLAYER} WHERE id = $1");
            one(&mut *db, Statement::new(sqlx::AssertSqlSafe(select)).bind(id), player_info).await
        })
        .await
    }

    pub(super) async fn ratings(&self, who: Identity) -> Result<Vec<LadderPlace>, StoreError> {
        if self.is_before(schema::WITH_ARENA) {
            return Ok(Vec::new());
        }
        let kind = match who.kind() {
            kind if !self.is_before(schema::WITH_IDENTITIES) => kind.name(),
            // As earlier versions have them.
            IdentityKind::Registered => "player",
            IdentityKind::House | IdentityKind::Profile | IdentityKind::Guest => "house",
        };
        self.read(async move |mut db| {
            let select = format!("{STANDING} WHERE ladder.kind = $1 AND ladder.player = $2 ORDER BY ladder.ruleset");
            let select = Statement::new(sqlx::AssertSqlSafe(select)).bind(kind).bind(who.key());
            all(&mut *db, select, standing).await
        })
        .await
    }

    pub(super) async fn rating_curve(&self, who: Identity) -> Result<Vec<RatingPoint>, StoreError> {
        if self.is_before(schema::WITH_IDENTITIES) {
            return Ok(Vec::new());
        }
        self.read(async move |mut db| {
            let select = Statement::new(
                "SELECT match_id, ruleset, elo, at FROM ratings WHERE kind = $1 AND player = $2 ORDER BY number",
            );
            let point = |row: &dyn Row| {
                let (match_id, ruleset) = (row.text(0)?.to_owned(), row.text(1)?.to_owned());
                Ok(RatingPoint { match_id, ruleset, elo: row.real(2)?, at: row.whole(3)? })
            };
            all(&mut *db, select.bind(who.kind().name()).bind(who.key()), point).await
        })
        .await
    }

    pub(super) async fn ladder(&self, ruleset: Option<String>) -> Result<Vec<LadderPlace>, StoreError> {
        if self.is_before(schema::WITH_ARENA) {
            return Ok(Vec::new());
        }
        self.read(async move |mut db| {
            let only = if ruleset.is_some() { " WHERE ladder.ruleset = $1" } else { "" };
            let select = format!("{STANDING}{only} ORDER BY ladder.elo DESC, ladder.ruleset, ladder.player");
            let select = ruleset.into_iter().fold(Statement::new(sqlx::AssertSqlSafe(select)), Statement::bind);
            all(&mut *db, select, standing).await
        })
        .await
    }

    pub(super) async fn tickets(&self) -> Result<Vec<Ticket>, StoreError> {
        if self.is_before(schema::WITH_ARENA) {
            return Ok(Vec::new());
        }
        let before_paces = self.is_before(schema::WITH_PACES);
        self.read(async move |mut db| {
            let select = if before_paces {
                "SELECT player, mode, players, bots, since, match_id, 0 FROM queue ORDER BY since, player"
            } else {
                "SELECT player, mode, players, bots, since, match_id, own_pace FROM queue ORDER BY since, player"
            };
            all(&mut *db, Statement::new(select), ticket).await
        })
        .await
    }
}

fn standing(row: &dyn Row) -> Result<LadderPlace, sqlx::Error> {
    let (kind, player) = (row.text(0)?, row.text(1)?);
    let who = match kind {
        "player" => Some(Identity::Registered(player.to_owned())),
        // Earlier versions had all players of the house under one word.
        "house" => Some(Identity::configured(player, false)),
        kind => IdentityKind::named(kind).and_then(|kind| Identity::of(kind, player)),
    };
    Ok(LadderPlace {
        who: who.ok_or_else(|| unreadable(format!("the identity `{kind}`")))?,
        name: row.text(2)?.to_owned(),
        ruleset: row.text(3)?.to_owned(),
        elo: row.real(4)?,
        games: whole(row, 5)?,
    })
}

fn ticket(row: &dyn Row) -> Result<Ticket, sqlx::Error> {
    let players = row.maybe_whole(2)?.map(|_| small(row, 2)).transpose()?;
    Ok(Ticket {
        player: row.text(0)?.to_owned(),
        mode: row.text(1)?.to_owned(),
        players,
        bots: row.whole(3)? != 0,
        pace: if row.whole(6)? == 0 { Pace::Live } else { Pace::OwnPace },
        since: row.whole(4)?,
        match_id: row.maybe_text(5)?.map(str::to_owned),
    })
}
