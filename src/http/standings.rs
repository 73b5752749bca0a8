//! Tournaments that are kept, and the leaderboard of record.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Json as JsonBody;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::app::App;
use super::error::ApiError;
use super::extract::{NameInPath, QueryParams};
use super::matches::{as_json, known};
use super::views::written;
use crate::briefs::Language;
use crate::games::Seed;
use crate::games::seat::Seat;
use crate::store::{GameInfo, StoreError, TournamentInfo};
use crate::tournaments::leaderboard::{Forfeits, Leaderboard};
use crate::tournaments::report::{self, Sources};
use crate::tournaments::run::PlayerStanding;
use crate::tournaments::schedule::Tie;
use crate::tournaments::score::{self, Entrant};

/// A report is a page of its own: it has its style in itself, and no script.
const REPORT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
form-action 'none'; frame-ancestors 'none'";

/// So many of the latest blocks are listed.
const MOST_BLOCKS: usize = 500;

/// How many games finished tournaments have: that does not change any more.
#[derive(Debug, Default)]
pub(super) struct Counts(Mutex<HashMap<String, usize>>);

/// Whether it is a tournament or an experiment.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TournamentKind {
    Tournament,
    Experiment,
}

/// A tournament in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TournamentLine {
    id: String,
    name: String,
    kind: TournamentKind,
    finished: bool,
    /// Games that are over.
    games: usize,
    /// Games that were planned.
    planned: Option<u64>,
    /// When it began, in milliseconds since 1970.
    created: i64,
}

/// All tournaments, the newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Tournaments {
    tournaments: Vec<TournamentLine>,
}

pub(super) async fn tournaments(State(app): State<Arc<App>>) -> Result<JsonBody<Tournaments>, ApiError> {
    let mut tournaments = Vec::new();
    for info in app.store.tournaments().await? {
        let counted = app.counts.0.lock().unwrap_or_else(PoisonError::into_inner).get(&info.id).copied();
        let games = match counted {
            Some(games) => games,
            None => app.store.games(Some(&info.id)).await?.len(),
        };
        if info.finished {
            app.counts.0.lock().unwrap_or_else(PoisonError::into_inner).insert(info.id.clone(), games);
        }
        tournaments.push(line(&info, games));
    }
    Ok(JsonBody(Tournaments { tournaments }))
}

fn line(info: &TournamentInfo, games: usize) -> TournamentLine {
    let plan: Json = serde_json::from_str(&info.plan).unwrap_or_default();
    let is_experiment = plan["kind"].as_str() == Some("experiment");
    let kind = if is_experiment { TournamentKind::Experiment } else { TournamentKind::Tournament };
    TournamentLine {
        id: info.id.clone(),
        name: info.name.clone(),
        kind,
        finished: info.finished,
        games,
        planned: plan["games"].as_u64(),
        created: info.created,
    }
}

/// How somebody stands.
#[derive(Debug, Serialize, JsonSchema)]
struct StandingLine {
    place: usize,
    name: String,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    points: f64,
    /// Points a game.
    score: f64,
}

/// A game of a tournament.
#[derive(Debug, Serialize, JsonSchema)]
struct GameLine {
    match_id: String,
    game: u64,
    /// In seat order.
    players: Vec<String>,
    places: BTreeMap<Seat, u32>,
}

/// One seed, played in all seat rotations.
#[derive(Debug, Serialize, JsonSchema)]
struct BlockLine {
    number: u64,
    ruleset: String,
    seed: Seed,
    players: Vec<String>,
    games: Vec<GameLine>,
}

/// A meeting of two in a knockout.
#[derive(Debug, Serialize, JsonSchema)]
struct TieLine {
    upper: Option<String>,
    lower: Option<String>,
    /// What the blocks so far were worth to the upper one.
    points: f64,
    blocks: u32,
    winner: Option<String>,
}

/// A game that was void.
#[derive(Debug, Serialize, JsonSchema)]
struct FaultLine {
    block: u64,
    game: u64,
    reason: String,
}

/// A tournament with its standings, games and faults.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TournamentBody {
    #[serde(flatten)]
    line: TournamentLine,
    /// The best first.
    standings: Vec<StandingLine>,
    /// Round by round, for a knockout.
    bracket: Option<Vec<Vec<TieLine>>>,
    /// The latest, in order.
    blocks: Vec<BlockLine>,
    faults: Vec<FaultLine>,
}

pub(super) async fn tournament(
    State(app): State<Arc<App>>,
    NameInPath(id): NameInPath,
) -> Result<JsonBody<TournamentBody>, ApiError> {
    let info = find(&app, &id).await?;
    let games = app.store.games(Some(&info.id)).await?;
    let mut by_block: HashMap<u64, Vec<GameLine>> = HashMap::new();
    for game in &games {
        let Some((block, number)) = game.place else { continue };
        by_block.entry(block).or_default().push(GameLine {
            match_id: game.match_id.clone(),
            game: number,
            players: game.players.clone(),
            places: game.result.places.clone(),
        });
    }
    let mut blocks = app.store.blocks(&info.id).await?;
    let blocks = blocks.split_off(blocks.len().saturating_sub(MOST_BLOCKS)).into_iter();
    let blocks = blocks.map(|block| BlockLine {
        games: by_block.remove(&block.number).unwrap_or_default(),
        number: block.number,
        ruleset: block.ruleset,
        seed: block.seed,
        players: block.players,
    });
    let faults = app.store.faults(&info.id).await?.into_iter();
    let faults = faults.map(|fault| FaultLine { block: fault.block, game: fault.game, reason: fault.reason });
    Ok(JsonBody(TournamentBody {
        line: line(&info, games.len()),
        standings: standings(&games),
        bracket: bracket(&info, &games),
        blocks: blocks.collect(),
        faults: faults.collect(),
    }))
}

/// The tournament of an id or a name.
async fn find(app: &App, id: &str) -> Result<TournamentInfo, ApiError> {
    let known = app.store.tournaments().await?;
    let found = known.into_iter().find(|info| info.id == id || info.name == id);
    found.ok_or_else(|| ApiError::missing("no_tournament", "there is no such tournament"))
}

/// How everybody stands after these games.
fn standings(games: &[GameInfo]) -> Vec<StandingLine> {
    let mut by_name: BTreeMap<&str, PlayerStanding> = BTreeMap::new();
    for game in games {
        let entrants = (0..game.players.len()).map(Entrant::new).collect();
        let places: Vec<u32> = game.result.places.values().copied().collect();
        let played = score::GameResult { seats: entrants, places };
        for (((_, worth), name), place) in played.scores().zip(&game.players).zip(&played.places) {
            by_name.entry(name).or_default().add(*place, &played.places, worth);
        }
    }
    let mut ranked: Vec<(&str, PlayerStanding)> = by_name.into_iter().collect();
    ranked.sort_by(|(_, one), (_, other)| other.score().total_cmp(&one.score()));
    let line = |(place, (name, standing)): (usize, (&str, PlayerStanding))| StandingLine {
        place,
        name: name.to_owned(),
        games: standing.games(),
        wins: standing.wins,
        draws: standing.draws,
        losses: standing.losses,
        points: standing.points,
        score: standing.score(),
    };
    (1..).zip(ranked).map(line).collect()
}

/// The bracket of a knockout.
fn bracket(info: &TournamentInfo, games: &[GameInfo]) -> Option<Vec<Vec<TieLine>>> {
    let (bracket, names) = report::bracket(info, games)?;
    let name = |one: Option<Entrant>| names.get(one?.index()).cloned();
    let tie = |tie: &Tie| TieLine {
        upper: name(tie.upper),
        lower: name(tie.lower),
        points: tie.points,
        blocks: tie.blocks,
        winner: name(tie.winner),
    };
    Some(bracket.rounds.iter().map(|round| round.iter().map(tie).collect()).collect())
}

/// Which games the leaderboard counts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GamesQuery {
    /// Only of this tournament.
    #[serde(default)]
    tournament: Option<String>,
    /// Only of this ruleset.
    #[serde(default)]
    ruleset: Option<String>,
}

/// What `standoff leaderboard --json` prints.
#[derive(Debug, JsonSchema)]
#[schemars(rename = "Leaderboard")]
#[expect(dead_code, reason = "only described: the board writes itself")]
pub(super) struct LeaderboardBody {
    /// The best first: name, rating, 95 % interval, games, what they cost.
    players: Vec<Json>,
    games: u64,
}

pub(super) async fn leaderboard(
    State(app): State<Arc<App>>,
    QueryParams(which): QueryParams<GamesQuery>,
) -> Result<Response, ApiError> {
    let mut lists = Vec::new();
    let mut anchor = None;
    if let Some(id) = &which.tournament {
        let info = find(&app, id).await?;
        let plan: Json = serde_json::from_str(&info.plan).unwrap_or_default();
        anchor = plan["anchor"].as_str().map(ToOwned::to_owned);
        lists.push(app.store.games(Some(&info.id)).await?);
    } else {
        let mut all = app.store.tournaments().await?;
        // The oldest first, as they were played.
        all.reverse();
        for info in all {
            lists.push(app.store.games(Some(&info.id)).await?);
        }
        lists.push(app.store.games(None).await?);
    }
    if let Some(ruleset) = which.ruleset.as_deref().map(known) {
        for games in &mut lists {
            games.retain(|game| game.ruleset == ruleset || game.course == ruleset);
        }
    }
    let board = fitted(lists, anchor).await?;
    Ok(as_json(written(&board)))
}

/// The batch fit, away from the threads that answer.
async fn fitted(lists: Vec<Vec<GameInfo>>, anchor: Option<String>) -> Result<Leaderboard, ApiError> {
    let fit = move || Leaderboard::of(lists.iter().map(Vec::as_slice), anchor.as_deref(), Forfeits::Counted);
    tokio::task::spawn_blocking(fit).await.map_err(|error| ApiError::internal(&error))
}

/// In which language.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReportQuery {
    #[serde(default)]
    lang: Language,
}

pub(super) async fn report_page(
    State(app): State<Arc<App>>,
    NameInPath(id): NameInPath,
    QueryParams(lang): QueryParams<ReportQuery>,
) -> Result<Response, ApiError> {
    let info = find(&app, &id).await?;
    // A fit and many drawings: away from the threads that answer.
    let here = tokio::runtime::Handle::current();
    let app = app.clone();
    let page = tokio::task::spawn_blocking(move || {
        let sources = here.block_on(Sources::read(&app.store, &info.id))?;
        Ok::<_, StoreError>(sources.map(|sources| (app.report)(&sources, lang.lang)))
    });
    let page = page.await.map_err(|error| ApiError::internal(&error))??;
    let page = page.ok_or_else(|| ApiError::missing("no_tournament", "there is no such tournament"))?;
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, REPORT_POLICY)];
    Ok((headers, page).into_response())
}
