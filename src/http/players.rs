//! Registered players: who they are, where they stand, and how they find each other.

use std::sync::Arc;

use axum::Json as JsonBody;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::caller::{Caller, Who};
use super::extract::{QueryParams, Sent};
use super::matches::known;
use super::office::Office;
use super::problem::Problem;
use crate::arena::{Queued, Registered};
use crate::store::{LadderPlace, Rival};

/// A name to be known by.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewPlayer {
    #[schemars(length(min = 1, max = 40))]
    name: String,
}

/// A player and the secret that says who it is.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct WithToken {
    id: String,
    name: String,
    /// Shown this once: keep it.
    token: String,
}

pub(super) async fn register(
    State(office): State<Arc<Office>>,
    caller: Caller,
    Sent(wanted): Sent<NewPlayer>,
) -> Result<(StatusCode, JsonBody<WithToken>), Problem> {
    if office.token.is_some() && !matches!(caller.who, Who::Owner) {
        return Err(Problem::token_needed("registering here needs the server's token"));
    }
    let (player, token) = office.arena.register(&wanted.name).await?;
    let (id, name) = (player.id.to_string(), player.name.to_string());
    Ok((StatusCode::CREATED, JsonBody(WithToken { id, name, token: token.reveal().to_owned() })))
}

/// Where a player stands on a ladder.
#[derive(Debug, Serialize, JsonSchema)]
struct Rating {
    ruleset: String,
    elo: f64,
    games: u64,
}

/// Who you are.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Me {
    id: String,
    name: String,
    ratings: Vec<Rating>,
    /// Your matches that are not over.
    matches: Vec<String>,
}

pub(super) async fn me(State(office): State<Arc<Office>>, caller: Caller) -> Result<JsonBody<Me>, Problem> {
    let player = caller.player()?;
    let ratings = office.arena.ratings(player).await?.into_iter();
    let ratings = ratings.map(|LadderPlace { ruleset, elo, games, .. }| Rating { ruleset, elo, games }).collect();
    let matches = office.arena.matches_of(player).iter().map(|live| live.id().to_owned()).collect();
    Ok(JsonBody(Me { id: player.id.to_string(), name: player.name.to_string(), ratings, matches }))
}

pub(super) async fn renew(State(office): State<Arc<Office>>, caller: Caller) -> Result<JsonBody<WithToken>, Problem> {
    let player = caller.player()?;
    let token = office.arena.renew_token(player).await?;
    // What was found good is looked up anew.
    office.toll.forget(caller.counted);
    let (id, name) = (player.id.to_string(), player.name.to_string());
    Ok(JsonBody(WithToken { id, name, token: token.reveal().to_owned() }))
}

/// Which ladder.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Which {
    /// Of each where nothing is said.
    #[serde(default)]
    ruleset: Option<String>,
}

/// Whether somebody on the ladder is a registered player or of the house.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum RivalKind {
    Player,
    House,
}

/// A place on a ladder.
#[derive(Debug, Serialize, JsonSchema)]
struct Rung {
    place: usize,
    name: String,
    kind: RivalKind,
    ruleset: String,
    elo: f64,
    games: u64,
}

/// Everybody with a live Elo, the best first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Ladder {
    ladder: Vec<Rung>,
}

pub(super) async fn ladder(
    State(office): State<Arc<Office>>,
    QueryParams(which): QueryParams<Which>,
) -> Result<JsonBody<Ladder>, Problem> {
    let ruleset = which.ruleset.as_deref().map(known);
    let standings = office.arena.ladder(ruleset.as_deref()).await?;
    let rung = |(place, standing): (usize, LadderPlace)| Rung {
        place,
        kind: match standing.rival {
            Rival::Player(_) => RivalKind::Player,
            Rival::House(_) => RivalKind::House,
        },
        name: standing.name,
        ruleset: standing.ruleset,
        elo: standing.elo,
        games: standing.games,
    };
    Ok(JsonBody(Ladder { ladder: (1..).zip(standings).map(rung).collect() }))
}

/// What somebody waits for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Queueing {
    /// A ruleset, written with `_` or `-`.
    mode: String,
    /// How many at the table; as many as is usual where nothing is said.
    #[serde(default)]
    #[schemars(range(min = 1, max = 26))]
    players: Option<usize>,
    /// Whether bots may fill up; they may where nothing is said.
    #[serde(default)]
    bots: Option<bool>,
}

/// How somebody stands in the queue.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum QueueStatus {
    Idle,
    Waiting,
    Matched,
}

/// The same with what there is to know.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct QueueBody {
    status: QueueStatus,
    /// The match, once there is one.
    match_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
    /// In milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting_since: Option<i64>,
    /// Counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<usize>,
}

impl From<Queued> for QueueBody {
    fn from(queued: Queued) -> QueueBody {
        let idle =
            QueueBody { status: QueueStatus::Idle, match_id: None, mode: None, waiting_since: None, position: None };
        match queued {
            Queued::Idle => idle,
            Queued::Waiting { mode, since, position } => QueueBody {
                status: QueueStatus::Waiting,
                mode: Some(mode),
                waiting_since: Some(since),
                position: Some(position),
                ..idle
            },
            Queued::Matched { mode, match_id } => {
                QueueBody { status: QueueStatus::Matched, match_id: Some(match_id), mode: Some(mode), ..idle }
            }
        }
    }
}

pub(super) async fn queue(
    State(office): State<Arc<Office>>,
    caller: Caller,
    Sent(wanted): Sent<Queueing>,
) -> Result<JsonBody<QueueBody>, Problem> {
    let player: &Registered = caller.player()?;
    let queued = office.arena.queue(player, &wanted.mode, wanted.players, wanted.bots.unwrap_or(true)).await?;
    Ok(JsonBody(queued.into()))
}

pub(super) async fn queue_status(
    State(office): State<Arc<Office>>,
    caller: Caller,
) -> Result<JsonBody<QueueBody>, Problem> {
    Ok(JsonBody(office.arena.queue_status(caller.player()?).await?.into()))
}

pub(super) async fn leave_queue(
    State(office): State<Arc<Office>>,
    caller: Caller,
) -> Result<JsonBody<QueueBody>, Problem> {
    Ok(JsonBody(office.arena.leave_queue(caller.player()?).await?.into()))
}
