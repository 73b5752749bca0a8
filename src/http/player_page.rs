//! A player's page: who it is, where it stands, how it got there, what it played, and how it does against whom.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json as JsonBody;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::app::App;
use super::error::ApiError;
use super::extract::{NameInPath, QueryParams};
use super::players::Rating;
use crate::games::seat::Seat;
use crate::matches::{Identity, IdentityKind};
use crate::store::{Filter, MatchInfo, MatchStatus, RatingPoint};

/// So many of a player's latest matches are compared with those whom it met.
const MOST_COMPARED: u32 = 1_000;

/// How many matches a page of a history has by default, and at the most.
const PAGE: u32 = 50;
const LARGEST_PAGE: u32 = 200;

/// Who somebody is, and where they stand.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Player")]
pub(super) struct PlayerBody {
    /// Under which the page is found again.
    id: String,
    identity: Identity,
    kind: IdentityKind,
    name: String,
    /// When a registered player registered, in milliseconds since 1970.
    registered: Option<i64>,
    /// The live Elo on each ladder: of matches that the queue made.
    ratings: Vec<Rating>,
}

pub(super) async fn player(
    State(app): State<Arc<App>>,
    NameInPath(id): NameInPath,
) -> Result<JsonBody<PlayerBody>, ApiError> {
    let Found { identity, name, registered } = find(&app, &id).await?;
    let ratings = app.store.ratings(&identity).await?.into_iter().map(Rating::from).collect();
    let id = match &identity {
        Identity::Registered(id) => id.clone(),
        other => other.to_string(),
    };
    Ok(JsonBody(PlayerBody { id, kind: identity.kind(), identity, name, registered, ratings }))
}

/// Somebody whose page is asked for.
struct Found {
    identity: Identity,
    name: String,
    registered: Option<i64>,
}

/// Whoever has this id, or is this identity.
async fn find(app: &App, id: &str) -> Result<Found, ApiError> {
    let missing = || {
        let detail = "there is no such player: an id is that of a registered player, `house:BOT` or `profile:NAME`";
        ApiError::missing("no_player", detail)
    };
    let identity = match id.parse() {
        Ok(Identity::Guest) => {
            return Err(ApiError::missing("no_player", "guests have no page: no two are known to be the same"));
        }
        Ok(identity) => identity,
        Err(_) => Identity::Registered(id.to_owned()),
    };
    match &identity {
        Identity::Registered(id) => {
            let info = app.store.player(id).await?.ok_or_else(missing)?;
            Ok(Found { identity, name: info.name, registered: Some(info.created) })
        }
        Identity::House(name) | Identity::Profile(name) => {
            let name = name.clone();
            let is_here = app.arena.guests().contains(&name.split(':').next().unwrap_or(&name).to_owned());
            let filter = Filter { identity: Some(identity.clone()), limit: Some(1), ..Filter::default() };
            if !is_here && !app.arena.guests().contains(&name) && app.store.matches(&filter).await?.is_empty() {
                return Err(missing());
            }
            Ok(Found { identity, name, registered: None })
        }
        Identity::Guest => Err(missing()),
    }
}

/// What a rated match made of somebody's Elo.
#[derive(Debug, Serialize, JsonSchema)]
struct CurvePoint {
    match_id: String,
    ruleset: String,
    /// After the match.
    elo: f64,
    /// When it was rated, in milliseconds since 1970.
    at: i64,
}

/// How somebody's Elo came about, match by match.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RatingCurve")]
pub(super) struct CurveBody {
    identity: Identity,
    points: Vec<CurvePoint>,
}

pub(super) async fn rating(
    State(app): State<Arc<App>>,
    NameInPath(id): NameInPath,
) -> Result<JsonBody<CurveBody>, ApiError> {
    let found = find(&app, &id).await?;
    let points = app.store.rating_curve(&found.identity).await?.into_iter();
    let points = points.map(|RatingPoint { match_id, ruleset, elo, at }| CurvePoint { match_id, ruleset, elo, at });
    Ok(JsonBody(CurveBody { identity: found.identity, points: points.collect() }))
}

/// Which part of a history.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HistoryQuery {
    /// How many, at most 200.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// Only those that were opened before this one: `next` of the page before.
    #[serde(default)]
    before: Option<String>,
}

/// Who had which seat, and how they came in.
#[derive(Debug, Serialize, JsonSchema)]
struct PlayedSeat {
    seat: Seat,
    name: String,
    identity: Identity,
    /// 1 is the best; null where the match is not over.
    place: Option<u32>,
}

/// A match that somebody played.
#[derive(Debug, Serialize, JsonSchema)]
struct PlayedMatch {
    match_id: String,
    ruleset: String,
    /// `live`, `finished`, `suspended` or `void`.
    status: &'static str,
    /// When it was opened, in milliseconds since 1970.
    created: i64,
    seats: Vec<PlayedSeat>,
}

/// What somebody played, the newest first. Matches of before version 8 of the store are not among them.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PlayerHistory")]
pub(super) struct HistoryBody {
    identity: Identity,
    matches: Vec<PlayedMatch>,
    /// What to ask for as `before` to get the next page; null on the last.
    next: Option<String>,
}

pub(super) async fn history(
    State(app): State<Arc<App>>,
    NameInPath(id): NameInPath,
    QueryParams(wanted): QueryParams<HistoryQuery>,
) -> Result<JsonBody<HistoryBody>, ApiError> {
    let limit = match wanted.limit {
        None => PAGE,
        Some(limit @ 1..=LARGEST_PAGE) => limit,
        Some(_) => return Err(ApiError::bad_request(format!("`limit` is 1 to {LARGEST_PAGE}"))),
    };
    let _leave = app.large_read().await?;
    let found = find(&app, &id).await?;
    let identity = Some(found.identity.clone());
    let filter = Filter { identity, before: wanted.before, limit: Some(limit), ..Filter::default() };
    let rows = app.store.matches(&filter).await?;
    let next = (rows.len() == limit as usize).then(|| rows.last().map(|row| row.id.clone())).flatten();
    let matches = rows.into_iter().map(PlayedMatch::from).collect();
    Ok(JsonBody(HistoryBody { identity: found.identity, matches, next }))
}

impl From<MatchInfo> for PlayedMatch {
    fn from(info: MatchInfo) -> PlayedMatch {
        let places = info.result.map(|result| result.places).unwrap_or_default();
        let seats = info.seats.into_iter().map(|seat| PlayedSeat {
            seat: seat.seat,
            identity: seat.identity(),
            place: places.get(&seat.seat).copied(),
            name: seat.player,
        });
        PlayedMatch {
            match_id: info.id,
            ruleset: info.ruleset,
            status: info.status.name(),
            created: info.created,
            seats: seats.collect(),
        }
    }
}

/// How somebody does against somebody else: who came in before whom, match by match.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct Tally {
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
}

/// The same with who that is.
#[derive(Debug, Serialize, JsonSchema)]
struct Opponent {
    identity: Identity,
    /// What it was called when they last met.
    name: String,
    #[serde(flatten)]
    tally: Tally,
}

/// How somebody does against everybody whom they met, the most frequent first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "HeadToHead")]
pub(super) struct HeadToHeadBody {
    identity: Identity,
    /// The latest matches that were looked at: at most 1000.
    matches: usize,
    opponents: Vec<Opponent>,
}

pub(super) async fn head_to_head(
    State(app): State<Arc<App>>,
    NameInPath(id): NameInPath,
) -> Result<JsonBody<HeadToHeadBody>, ApiError> {
    let _leave = app.large_read().await?;
    let found = find(&app, &id).await?;
    let filter = Filter {
        identity: Some(found.identity.clone()),
        status: Some(MatchStatus::Finished),
        limit: Some(MOST_COMPARED),
        ..Filter::default()
    };
    let rows: Vec<PlayedMatch> = app.store.matches(&filter).await?.into_iter().map(PlayedMatch::from).collect();
    let opponents = compared(&found.identity, &rows);
    Ok(JsonBody(HeadToHeadBody { identity: found.identity, matches: rows.len(), opponents }))
}

/// How somebody did against everybody else in these matches, the newest first. Whoever has several seats in a match came
/// in by the mean of them.
fn compared(who: &Identity, matches: &[PlayedMatch]) -> Vec<Opponent> {
    let mut met: BTreeMap<&Identity, Opponent> = BTreeMap::new();
    for played in matches {
        let mut places: BTreeMap<&Identity, (u32, u32, &str)> = BTreeMap::new();
        for seat in &played.seats {
            let Some(place) = seat.place else { continue };
            let of = places.entry(&seat.identity).or_insert((0, 0, &seat.name));
            (of.0, of.1) = (of.0 + place, of.1 + 1);
        }
        let Some(&(own, seats, _)) = places.get(who) else { continue };
        for (other, (sum, count, name)) in places {
            if other == who {
                continue;
            }
            let opponent = met.entry(other).or_insert_with(|| Opponent {
                identity: other.clone(),
                name: name.to_owned(),
                tally: Tally::default(),
            });
            let tally = &mut opponent.tally;
            tally.games += 1;
            match (own * count).cmp(&(sum * seats)) {
                std::cmp::Ordering::Less => tally.wins += 1,
                std::cmp::Ordering::Equal => tally.draws += 1,
                std::cmp::Ordering::Greater => tally.losses += 1,
            }
        }
    }
    let mut opponents: Vec<Opponent> = met.into_values().collect();
    opponents.sort_by_key(|opponent| std::cmp::Reverse(opponent.tally.games));
    opponents
}
