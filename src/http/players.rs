//! Registered players: who they are, where they stand, and how they find each other.

use std::sync::Arc;

use axum::Json as JsonBody;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::app::App;
use super::caller::{Caller, Credential};
use super::error::ApiError;
use super::extract::{QueryParams, Sent};
use super::matches::known;
use crate::arena::{PlayerToken, QueueRequest, Queued, Registered};
use crate::matches::{Identity, IdentityKind};
use crate::store::{LadderPlace, Pace};

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

impl WithToken {
    fn new(player: &Registered, token: &PlayerToken) -> WithToken {
        let (id, name) = (player.id.to_string(), player.name.to_string());
        WithToken { id, name, token: token.reveal().to_owned() }
    }
}

pub(super) async fn register(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    Sent(wanted): Sent<NewPlayer>,
) -> Result<(StatusCode, JsonBody<WithToken>), ApiError> {
    if app.token.is_some() && !matches!(caller.who, Credential::Owner) {
        return Err(ApiError::token_needed("registering here needs the server's token"));
    }
    let key = caller.idempotency_key(&headers)?;
    // Whoever only asks again registers nobody.
    if app.is_open() && !app.arena.was_registered(&wanted.name, key.as_ref()).await? {
        app.toll.registration(caller.from)?;
    }
    let (player, token) = app.arena.register_once(&wanted.name, key.as_ref()).await?;
    Ok((StatusCode::CREATED, JsonBody(WithToken::new(&player, &token))))
}

/// Where a player stands on a ladder.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Rating {
    ruleset: String,
    elo: f64,
    games: u64,
}

impl From<LadderPlace> for Rating {
    fn from(LadderPlace { ruleset, elo, games, .. }: LadderPlace) -> Rating {
        Rating { ruleset, elo, games }
    }
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

pub(super) async fn me(State(app): State<Arc<App>>, caller: Caller) -> Result<JsonBody<Me>, ApiError> {
    let player = caller.player()?;
    let ratings = app.arena.ratings(player).await?.into_iter().map(Rating::from).collect();
    let matches = app.arena.unfinished_of(player).await?;
    Ok(JsonBody(Me { id: player.id.to_string(), name: player.name.to_string(), ratings, matches }))
}

pub(super) async fn renew(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
) -> Result<JsonBody<WithToken>, ApiError> {
    let key = Caller::renewal_key(&headers)?;
    if let (Credential::Anybody, Some(key)) = (&caller.who, &key) {
        // The token is nobody's any more: it may have been replaced by this very request.
        let renewed = app.arena.renewed_before(key).await?;
        let (player, token) = renewed.ok_or_else(ApiError::token_unknown)?;
        return Ok(JsonBody(WithToken::new(&player, &token)));
    }
    let player = caller.player()?;
    let token = app.arena.renew_token_once(player, key.as_ref()).await?;
    // What was found good is looked up anew.
    app.toll.forget(caller.counted);
    Ok(JsonBody(WithToken::new(player, &token)))
}

/// Which ladder to send.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LadderQuery {
    /// Which ruleset's ladder; by default all of them.
    #[serde(default)]
    ruleset: Option<String>,
}

/// A place on a ladder.
#[derive(Debug, Serialize, JsonSchema)]
struct LadderLine {
    place: usize,
    name: String,
    /// Whether it is a registered player, a configured one or a bot of the house. Guests are on no ladder.
    kind: IdentityKind,
    identity: Identity,
    ruleset: String,
    elo: f64,
    games: u64,
}

/// Everybody with a live Elo, the best first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Ladder")]
pub(super) struct LadderBody {
    ladder: Vec<LadderLine>,
}

pub(super) async fn ladder(
    State(app): State<Arc<App>>,
    QueryParams(which): QueryParams<LadderQuery>,
) -> Result<JsonBody<LadderBody>, ApiError> {
    let ruleset = which.ruleset.as_deref().map(known);
    let standings = app.arena.ladder(ruleset.as_deref()).await?;
    let rung = |(place, standing): (usize, LadderPlace)| LadderLine {
        place,
        kind: standing.who.kind(),
        identity: standing.who,
        name: standing.name,
        ruleset: standing.ruleset,
        elo: standing.elo,
        games: standing.games,
    };
    Ok(JsonBody(LadderBody { ladder: (1..).zip(standings).map(rung).collect() }))
}

/// What somebody waits for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Queueing {
    /// A ruleset, written with `_` or `-`.
    mode: String,
    /// How many at the table; by default as many as usually play.
    #[serde(default)]
    #[schemars(range(min = 1, max = 26))]
    players: Option<usize>,
    /// Whether bots may fill up the match; true by default.
    #[serde(default)]
    bots: Option<bool>,
    /// `live` matches have the ruleset's clocks for them, `own_pace` ones its longer ones; `live` by default.
    #[serde(default)]
    pace: Pace,
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
    /// By which clocks the match is played that is waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pace: Option<Pace>,
    /// In milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting_since: Option<i64>,
    /// Counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<usize>,
}

impl From<Queued> for QueueBody {
    fn from(queued: Queued) -> QueueBody {
        let idle = QueueBody {
            status: QueueStatus::Idle,
            match_id: None,
            mode: None,
            pace: None,
            waiting_since: None,
            position: None,
        };
        match queued {
            Queued::Idle => idle,
            Queued::Waiting { mode, pace, since, position, .. } => QueueBody {
                status: QueueStatus::Waiting,
                mode: Some(mode),
                pace: Some(pace),
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
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    Sent(wanted): Sent<Queueing>,
) -> Result<JsonBody<QueueBody>, ApiError> {
    let player: &Registered = caller.player()?;
    let key = caller.idempotency_key(&headers)?;
    let Queueing { mode, players, bots, pace } = wanted;
    let wanted = QueueRequest { mode, players, bots: bots.unwrap_or(true), pace };
    let purses = app.purses_of(&caller);
    Ok(JsonBody(app.arena.queue_once(player, &wanted, key.as_ref(), Some(&purses)).await?.into()))
}

pub(super) async fn queue_status(State(app): State<Arc<App>>, caller: Caller) -> Result<JsonBody<QueueBody>, ApiError> {
    Ok(JsonBody(app.arena.queue_status(caller.player()?).await?.into()))
}

pub(super) async fn leave_queue(State(app): State<Arc<App>>, caller: Caller) -> Result<JsonBody<QueueBody>, ApiError> {
    Ok(JsonBody(app.arena.leave_queue(caller.player()?).await?.into()))
}
