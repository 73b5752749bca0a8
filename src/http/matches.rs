//! Matches: opening them, finding them, looking at them, joining them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Json as JsonBody;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tokio::time::Instant;

use super::app::App;
use super::caller::{Caller, Credential};
use super::error::ApiError;
use super::extract::{NameInPath, QueryParams, Sent};
use super::found::{self, FoundMatch};
use super::live;
use super::views::written;
use super::wire::{MatchLine, SeatKind, SeatLine, Status, stored_status};
use crate::arena::{ArenaError, Joining, Live, MatchRequest, MatchSettings, Payer, SeatChoice, SeatHandle, Stage};
use crate::briefs::Language;
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::games::{Seed, library};
use crate::store::{self, Filter};

/// No request waits longer.
const LONGEST_WAIT: u64 = 30;

/// How many entries a page of a list has by default.
const PAGE: u32 = 50;

/// The most that a page can have.
const LARGEST_PAGE: u32 = 200;

/// So many rows of the store are looked through for one page at the most.
const MOST_LOOKED_AT: u32 = 5_000;

/// So many positions of matches that other processes play are read for one answer at the most.
pub(super) const MOST_BOARDS: usize = 50;

/// So many games of tournaments in play are listed with the other matches at the most.
pub(super) const MOST_IN_PLAY: usize = 12;

/// What somebody wants of a new match.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewMatch")]
pub(super) struct NewMatchBody {
    /// A ruleset's name, or an object with a `base` and the fields that differ from it.
    #[schemars(schema_with = "ruleset_schema")]
    ruleset: Json,
    /// A built-in map, where the ruleset's own is not wanted.
    #[serde(default)]
    map: Option<String>,
    /// Who sits where, in seat order: `me`, `open`, or the name of a guest.
    #[schemars(length(min = 1, max = 26))]
    seats: Vec<String>,
    /// Where chance comes from; drawn by default.
    #[serde(default)]
    seed: Option<Seed>,
    #[serde(default)]
    language: Option<Language>,
    /// What to call you.
    #[serde(default)]
    name: Option<String>,
    /// Whether it has the ruleset's clocks for live matches, as those of the queue; false by default.
    #[serde(default)]
    live: Option<bool>,
    /// Whether turns wait for the ruleset's tick; true by default.
    #[serde(default)]
    ticks: Option<bool>,
    /// Whether only those may join who have the invite code.
    #[serde(default)]
    private: Option<bool>,
    /// Start after so many random turns, in place of the ruleset's; 0 is none.
    #[serde(default)]
    #[schemars(range(min = 0, max = 64))]
    opening: Option<u32>,
    /// Seconds to answer, 0 is no limit. By default players of the house have the ruleset's limit and nobody else has
    /// one, unless the match is live or `ruleset` names a `policy.turn_seconds`.
    #[serde(default)]
    #[schemars(range(min = 0, max = 86400))]
    turn_seconds: Option<u32>,
}

impl NewMatchBody {
    /// Whether the clock of a turn runs for everybody, whoever they are.
    fn sets_turn_clock(&self) -> bool {
        let in_ruleset = self.ruleset.pointer("/policy/turn_seconds").is_some();
        self.live == Some(true) || self.turn_seconds.is_some() || in_ruleset
    }
}

fn ruleset_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let names: Vec<&str> = library::rulesets().collect();
    schemars::json_schema!({
        "description": "a ruleset's name, or an object with a `base` and the fields that differ from it",
        "anyOf": [{ "type": "string", "enum": names }, { "type": "object", "properties": { "base": { "type": "string" } } }],
    })
}

/// A seat and the key that opens it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SeatKey")]
pub(super) struct SeatKeyBody {
    seat: Seat,
    /// The secret that the seat belongs to: keep it.
    seat_key: String,
}

/// A match that was opened.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OpenedMatch {
    match_id: String,
    status: Status,
    seats: Vec<SeatLine>,
    /// Your own seats.
    mine: Vec<SeatKeyBody>,
    /// What lets others join without a token, where seats are open.
    invite: Option<String>,
}

pub(super) async fn open(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    Sent(wanted): Sent<NewMatchBody>,
) -> Result<Response, ApiError> {
    let name = player_name(wanted.name.as_deref());
    if app.wants_token && matches!(caller.who, Credential::Anybody | Credential::Seat(_)) {
        return Err(ApiError::token_needed("opening a match here needs a player's token or the server's"));
    }
    let chairs = wanted.seats.iter().map(|seat| match seat.trim().to_ascii_lowercase().as_str() {
        "me" => match &caller.who {
            Credential::Player(player) => SeatChoice::Player(player.clone()),
            Credential::Anybody | Credential::Owner | Credential::Seat(_) => SeatChoice::Me(name.clone()),
        },
        "open" => SeatChoice::Anybody,
        _ => SeatChoice::House(seat.trim().to_owned()),
    });
    let settings = MatchSettings {
        language: wanted.language.unwrap_or_default(),
        withhold_legal: false,
        ticks: wanted.ticks.unwrap_or(true),
        private: wanted.private.unwrap_or(false),
        unhurried: !wanted.sets_turn_clock(),
        payer: Some(Payer::of(&caller.counted.name())),
    };
    let request = MatchRequest { ruleset: ruleset(&wanted)?, chairs: chairs.collect(), seed: wanted.seed, settings };
    let key = caller.idempotency_key(&headers)?;
    // Whoever only asks again opens nothing.
    let is_new = !app.arena.was_opened(&request, key.as_ref()).await?;
    let reserved = is_new.then(|| app.purses_of(&caller).reserve()).transpose().map_err(ArenaError::FullPurse)?;
    let opened = app.arena.open_once(&request, key.as_ref()).await?;
    if let Some(reserved) = reserved {
        reserved.opened(&opened.live);
    }
    let view = opened.live.view(None);
    let mine: Vec<SeatKeyBody> = opened
        .mine
        .iter()
        .map(|(seated, key)| SeatKeyBody { seat: seated.seat(), seat_key: key.reveal().to_owned() })
        .collect();
    let mut seats: Vec<SeatLine> = view.seats.iter().map(SeatLine::new).collect();
    for seat in seats.iter_mut().filter(|line| mine.iter().any(|mine| mine.seat == line.seat)) {
        seat.kind = SeatKind::Me;
    }
    let body = OpenedMatch {
        match_id: opened.live.id().to_owned(),
        status: (&view.stage).into(),
        seats,
        mine,
        invite: opened.invite,
    };
    let location = format!("/api/v1/matches/{}", body.match_id);
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], JsonBody(body)).into_response())
}

/// The rules that somebody wants.
fn ruleset(wanted: &NewMatchBody) -> Result<Arc<Ruleset>, ApiError> {
    let bad = |why: String| ApiError::unfit("bad_ruleset", why);
    let mut fields = match &wanted.ruleset {
        Json::String(name) => json!({ "base": known(name) }),
        Json::Object(fields) => Json::Object(fields.clone()),
        _ => return Err(ApiError::bad_request("`ruleset` is a name, or an object with a `base`")),
    };
    if let Some(map) = &wanted.map {
        fields["map"] = json!(map);
    }
    if let Some(turns) = wanted.opening {
        fields["opening"] = json!(turns);
    }
    let is_live = wanted.live == Some(true);
    if let Some(seconds) = wanted.turn_seconds {
        let mut policy = table(&mut fields, "policy");
        if is_live {
            policy = table(policy, "live");
        }
        policy["turn_seconds"] = json!(seconds);
    }
    let ruleset = Ruleset::from_json(&fields).map_err(|error| bad(error.to_string()))?;
    Ok(Arc::new(if is_live { ruleset.live() } else { ruleset }))
}

/// The table of fields under this key, there or not.
fn table<'a>(fields: &'a mut Json, key: &str) -> &'a mut Json {
    let table = &mut fields[key];
    if !table.is_object() {
        *table = json!({});
    }
    table
}

/// A ruleset's own name, also where it is written with underscores.
pub(super) fn known(name: &str) -> String {
    let dashed = name.trim().replace('_', "-");
    if library::ruleset(&dashed).is_some() { dashed } else { name.to_owned() }
}

/// What the record calls whoever takes a seat; whether anybody may be called so, the arena knows.
fn player_name(wanted: Option<&str>) -> String {
    wanted.map_or("player", str::trim).to_owned()
}

/// Which matches are wanted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MatchesQuery {
    #[serde(default)]
    status: Option<Status>,
    #[serde(default)]
    ruleset: Option<String>,
    /// Only with a player of this name.
    #[serde(default)]
    player: Option<String>,
    /// How many, at most 200.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// Only those that were opened before this one: `next` of the page before.
    #[serde(default)]
    before: Option<String>,
    /// 1: with the positions of live matches.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1))]
    boards: Option<u8>,
}

/// A page of matches, the newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Matches")]
pub(super) struct MatchesBody {
    matches: Vec<MatchLine>,
    /// What to ask for as `before` to get the next page; null on the last.
    next: Option<String>,
}

pub(super) async fn list(
    State(app): State<Arc<App>>,
    QueryParams(wanted): QueryParams<MatchesQuery>,
) -> Result<JsonBody<MatchesBody>, ApiError> {
    let limit = match wanted.limit {
        None => PAGE,
        Some(limit @ 1..=LARGEST_PAGE) => limit,
        Some(_) => return Err(ApiError::bad_request(format!("`limit` is 1 to {LARGEST_PAGE}"))),
    };
    let here: HashMap<String, Arc<Live>> =
        app.arena.list().into_iter().map(|live| (live.id().to_owned(), live)).collect();
    let coarse = match wanted.status {
        Some(Status::Open | Status::Playing) => Some(store::MatchStatus::Live),
        Some(Status::Over) => Some(store::MatchStatus::Finished),
        Some(Status::Suspended) | None => None,
    };
    let mut filter = Filter {
        status: coarse,
        ruleset: wanted.ruleset.as_deref().map(known),
        player: wanted.player.clone(),
        identity: None,
        tournament: None,
        before: wanted.before.clone(),
        limit: Some(LARGEST_PAGE),
    };
    let with_boards = wanted.boards == Some(1);
    let mut boards = 0;
    let mut matches = Vec::new();
    if wanted.before.is_none() && wanted.status.is_none_or(|status| status == Status::Playing) {
        matches = games_in_play(&app, &filter, limit as usize, with_boards).await?;
    }
    let mut next = None;
    for _ in 0..MOST_LOOKED_AT / LARGEST_PAGE {
        let rows = app.store.matches(&filter).await?;
        let is_last = rows.len() < LARGEST_PAGE as usize;
        for info in rows {
            if matches.len() == limit as usize {
                next = filter.before.take();
                return Ok(JsonBody(MatchesBody { matches, next }));
            }
            let summary = if let Some(live) = here.get(&info.id) {
                MatchLine::of(live, with_boards)
            } else {
                let is_wanted = wanted.status.is_none_or(|status| status == stored_status(&info));
                let is_live = is_wanted && info.status == store::MatchStatus::Live;
                let with_board = with_boards && is_live && boards < MOST_BOARDS;
                boards += usize::from(with_board);
                live::in_play::line(&app, &info, with_board).await
            };
            filter.before = Some(info.id);
            if wanted.status.is_none_or(|status| status == summary.status) {
                matches.push(summary);
            }
        }
        if is_last {
            return Ok(JsonBody(MatchesBody { matches, next }));
        }
        next.clone_from(&filter.before);
    }
    Ok(JsonBody(MatchesBody { matches, next }))
}

/// Games of tournaments that are being played: they come before all others.
async fn games_in_play(
    app: &App,
    filter: &Filter,
    limit: usize,
    with_boards: bool,
) -> Result<Vec<MatchLine>, ApiError> {
    let mut games = app.store.games_in_play().await?;
    games.retain(|game| {
        let plays = |name: &String| game.info.seats.iter().any(|seat| seat.player == *name);
        filter.ruleset.as_ref().is_none_or(|ruleset| game.info.ruleset == *ruleset)
            && filter.player.as_ref().is_none_or(plays)
    });
    // Of a thousand at once the rest is on the pages of their tournaments.
    games.truncate(limit.min(MOST_IN_PLAY));
    let mut lines = Vec::with_capacity(games.len());
    for game in games {
        lines.push(live::in_play::line(app, &game.info, with_boards).await);
    }
    Ok(lines)
}

/// How to look at a match: how long to wait, for what, and in which language.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Look {
    /// Seconds to wait at most, up to 30; 0 by default.
    #[serde(default)]
    #[schemars(range(min = 0, max = 30))]
    wait: Option<u64>,
    /// Wait until more turns than this were played, the status changes, or the match is over.
    #[serde(default)]
    since: Option<u32>,
    /// The language of the words in the view; the match's own by default.
    #[serde(default)]
    lang: Option<Language>,
}

pub(super) async fn show(
    State(app): State<Arc<App>>,
    caller: Caller,
    NameInPath(id): NameInPath,
    QueryParams(look): QueryParams<Look>,
) -> Result<Response, ApiError> {
    let mut live = match found::find(&app, &id).await? {
        FoundMatch::Live(live) => live,
        FoundMatch::Stored(info) => {
            let view = found::view(&app, *info, look.lang.unwrap_or_default()).await?;
            return Ok(as_json(written(&view)));
        }
    };
    let seated = caller.seat_in(&app, &live).await?;
    if let (Some(since), Some(seconds @ 1..)) = (look.since, look.wait) {
        let at_most = Duration::from_secs(seconds.min(LONGEST_WAIT));
        if !has_news(&live, since, &live.stage()) {
            let _open = app.toll.stream(caller.counted)?;
            await_news(&app, &live, since, at_most).await;
            if !app.closing.is_cancelled() {
                // Another process may play it by now.
                live = app.arena.watch(&id).await?;
            }
        }
    }
    Ok(as_json(app.views.body(&live, seated.as_ref().map(SeatHandle::seat), look.lang.unwrap_or(live.language()))))
}

/// Whether there is more to tell than somebody knows.
fn has_news(live: &Live, since: u32, before: &Stage) -> bool {
    let now = live.glance(None);
    now.turn > since || now.stage == Stage::Over || now.stage != *before
}

async fn await_news(app: &App, live: &Live, since: u32, at_most: Duration) {
    let before = live.stage();
    let until = Instant::now() + at_most;
    let mut changes = live.listen();
    while !has_news(live, since, &before) && !live.is_closed() {
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return },
            () = tokio::time::sleep_until(until) => return,
            () = app.closing.cancelled() => return,
        }
    }
}

/// Text that is JSON already.
pub(super) fn as_json(body: Bytes) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// Which seat, by what name, with what invitation.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Join")]
pub(super) struct JoinBody {
    /// Which seat; by default the first that is open.
    #[serde(default)]
    seat: Option<Seat>,
    /// What to call you.
    #[serde(default)]
    name: Option<String>,
    /// What whoever opened the match passed on.
    #[serde(default)]
    invite: Option<String>,
}

/// A seat that was taken.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Joined {
    match_id: String,
    seat: Seat,
    /// The secret that the seat belongs to: keep it.
    seat_key: String,
}

pub(super) async fn join(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    NameInPath(id): NameInPath,
    Sent(join): Sent<JoinBody>,
) -> Result<Response, ApiError> {
    let who = match &caller.who {
        Credential::Player(player) => Joining::Player(player.clone()),
        Credential::Anybody | Credential::Owner | Credential::Seat(_) => {
            Joining::Named(player_name(join.name.as_deref()))
        }
    };
    if app.wants_token && caller.is_anybody() {
        // Whoever has nothing else to show must have been invited to this very match.
        let live = app.arena.watch(&id).await?;
        if !join.invite.as_deref().is_some_and(|code| live.is_invite(code)) {
            return Err(ApiError::token_needed("joining here needs the match's `invite`, or a token"));
        }
    }
    let again = caller.idempotency_key(&headers)?;
    let joined = app.arena.join_once(&id, join.seat, &who, join.invite.as_deref(), again.as_ref());
    let (seated, key) = joined.await?;
    let joined =
        Joined { match_id: seated.live().id().to_owned(), seat: seated.seat(), seat_key: key.reveal().to_owned() };
    Ok((StatusCode::CREATED, JsonBody(joined)).into_response())
}
