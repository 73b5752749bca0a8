//! Tournaments that are kept, and the leaderboard of record.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use axum::Json as JsonBody;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::app::App;
use super::error::ApiError;
use super::extract::{NameInPath, QueryParams};
use super::fits::{self, FitScope};
use super::live::in_play;
use super::matches::{MOST_IN_PLAY, as_json, known};
use super::wire::MatchLine;
use crate::briefs::Language;
use crate::games::Seed;
use crate::games::seat::Seat;
use crate::matches::Identity;
use crate::store::{BlockProgress, SeatSpent, StoreError, TournamentInfo};
use crate::tournaments::report::{self, Sources};
use crate::tournaments::run::PlayerStanding;
use crate::tournaments::schedule::TieLine;
use crate::tournaments::score::{self, Entrant};
use crate::tournaments::tally::Tally;

/// A report is a page of its own: it has its style in itself, and no script.
const REPORT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
form-action 'none'; frame-ancestors 'none'";

/// Where the page of a match is, seen from the report of a tournament.
const MATCH_PAGES: &str = "../../../../m/";

/// So many of the latest blocks, and of the latest faults, are listed.
const MOST_LISTED: u32 = 500;

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
    games: u64,
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
    let totals = app.store.totals().await?.unwrap_or_default();
    let games = |info: &TournamentInfo| totals.get(&info.id).map_or(0, |total| total.games);
    let tournaments = app.store.tournaments().await?.iter().map(|info| line(info, games(info))).collect();
    Ok(JsonBody(Tournaments { tournaments }))
}

fn line(info: &TournamentInfo, games: u64) -> TournamentLine {
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
    /// Where its chance comes from; null as long as a game with it is still to be played.
    seed: Option<Seed>,
    players: Vec<String>,
    games: Vec<GameLine>,
}

/// A game that was void.
#[derive(Debug, Serialize, JsonSchema)]
struct FaultLine {
    block: u64,
    game: u64,
    reason: String,
}

/// What an experiment has asked models so far.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct SpendingBody {
    /// Requests to models.
    calls: u64,
    /// What they cost, at the most; null where nobody knows the price.
    usd: Option<f64>,
    /// Questions of the quiz that models were asked, each variant and language for itself.
    questions: u64,
    /// Positions of the bank that models were asked, likewise.
    positions: u64,
}

impl SpendingBody {
    /// Of the requests of a run.
    #[expect(clippy::cast_precision_loss, reason = "money is far below 2^52 of them")]
    fn of(run: &str, spent: &[SeatSpent]) -> SpendingBody {
        let part = |spent: &SeatSpent, part: &str| {
            let name = spent.match_id.as_deref().and_then(|name| name.strip_prefix(run));
            name.is_some_and(|rest| rest.starts_with(part))
        };
        let asked = |name: &str| spent.iter().filter(|spent| part(spent, name)).count() as u64;
        let is_known = spent.iter().all(|spent| spent.unknown == 0);
        let cost: u64 = spent.iter().map(|spent| spent.cost).sum();
        SpendingBody {
            calls: spent.iter().map(|spent| spent.requests).sum(),
            usd: is_known.then_some(cost as f64 / PICODOLLARS),
            questions: asked(".quiz."),
            positions: asked(".bank."),
        }
    }
}

/// So many of the ledger's parts are a dollar.
const PICODOLLARS: f64 = 1e12;

/// A tournament with its standings, games and faults.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TournamentBody {
    #[serde(flatten)]
    line: TournamentLine,
    /// The best first.
    standings: Vec<StandingLine>,
    /// What was asked of models, for an experiment.
    spending: Option<SpendingBody>,
    /// Round by round, for a knockout.
    bracket: Option<Vec<Vec<TieLine>>>,
    /// How many games are being played that can be watched. Bots among themselves play too fast for that.
    in_play: usize,
    /// The latest of them with their boards, the latest first.
    playing: Vec<MatchLine>,
    /// The latest 500, in order.
    blocks: Vec<BlockLine>,
    /// The latest 500, in order.
    faults: Vec<FaultLine>,
}

pub(super) async fn tournament(
    State(app): State<Arc<App>>,
    NameInPath(id): NameInPath,
) -> Result<JsonBody<TournamentBody>, ApiError> {
    let _leave = app.large_read().await?;
    let info = find(&app, &id).await?;
    let tally = Tally::read(&app.store, Some(&info.id)).await?;
    let blocks = app.store.latest_blocks(&info.id, MOST_LISTED).await?;
    let games = match blocks.first() {
        Some(first) => app.store.games_from(&info.id, first.number).await?,
        None => Vec::new(),
    };
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
    let mut games_in_play = app.store.games_in_play().await?;
    games_in_play.retain(|game| game.tournament == info.id);
    let mut playing = Vec::new();
    for game in games_in_play.iter().take(MOST_IN_PLAY) {
        playing.push(in_play::line(&app, &game.info, true).await);
    }
    let blocks = blocks.into_iter().map(|block| {
        let games = by_block.remove(&block.number).unwrap_or_default();
        let (players, over) = (block.players.len(), games.len() as u64);
        let progress = BlockProgress { finished: info.finished, players, games: over };
        BlockLine {
            games,
            number: block.number,
            ruleset: block.ruleset,
            seed: (!progress.shares_open_seed(&info.plan)).then_some(block.seed),
            players: block.players,
        }
    });
    let faults = app.store.latest_faults(&info.id, MOST_LISTED).await?.into_iter();
    let faults = faults.map(|fault| FaultLine { block: fault.block, game: fault.game, reason: fault.reason });
    let line = line(&info, tally.games(|_| true) + tally.uncounted());
    let spending = match line.kind {
        TournamentKind::Experiment => {
            let spent = app.store.spent(&format!("{}.", info.id)).await?;
            Some(SpendingBody::of(&info.id, &spent))
        }
        TournamentKind::Tournament => None,
    };
    Ok(JsonBody(TournamentBody {
        line,
        spending,
        standings: standings(&tally),
        bracket: bracket(&app, &info).await?,
        blocks: blocks.collect(),
        in_play: games_in_play.len(),
        playing,
        faults: faults.collect(),
    }))
}

/// The tournament of an id or a name.
pub(super) async fn find(app: &App, id: &str) -> Result<TournamentInfo, ApiError> {
    app.store.tournament(id).await?.ok_or_else(|| ApiError::missing("no_tournament", "there is no such tournament"))
}

/// How everybody stands after the games that count, but for those that only show the noise of an experiment.
fn standings(tally: &Tally) -> Vec<StandingLine> {
    let (tally, _) = tally.without_twins();
    let totals = tally.totals();
    let name = |number: u32| {
        let who = tally.identity(number)?;
        Some(totals.get(who).map_or_else(|| who.key(), |total| &total.name))
    };
    let mut by_name: BTreeMap<&str, PlayerStanding> = BTreeMap::new();
    for (block, times) in &tally.blocks {
        for game in block.outcome.games() {
            let entrants = (0..game.players.len()).map(Entrant::new).collect();
            let played = score::GameResult { seats: entrants, places: game.places };
            for (((_, worth), number), place) in played.scores().zip(&game.players).zip(&played.places) {
                let Some(name) = name(*number) else { continue };
                by_name.entry(name).or_default().add_times(*place, &played.places, worth, *times);
            }
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
async fn bracket(app: &App, info: &TournamentInfo) -> Result<Option<Vec<Vec<TieLine>>>, ApiError> {
    let bracket = report::bracket(&app.store, info).await?;
    Ok(bracket.map(|(bracket, names)| bracket.lines(&names)))
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

/// A player on the leaderboard.
#[derive(Debug, JsonSchema)]
#[expect(dead_code, reason = "only described: the board writes itself")]
struct LeaderboardLine {
    name: String,
    identity: Identity,
    rating: Option<f64>,
    /// The 95 % interval.
    low: Option<f64>,
    high: Option<f64>,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
}

/// What `standoff leaderboard --json` prints.
#[derive(Debug, JsonSchema)]
#[schemars(rename = "Leaderboard")]
#[expect(dead_code, reason = "only described: the board writes itself")]
pub(super) struct LeaderboardBody {
    /// The best first.
    players: Vec<LeaderboardLine>,
    /// How likely each is to beat each other in one game, in the order of the players.
    matrix: Vec<Vec<f64>>,
    /// Who is rated 1000: a bot of the house, unless a tournament names somebody else.
    anchor: Option<String>,
    /// Games that count: of tournaments, of the operator's own, and of the queue, if no guest has a seat in them.
    games: u64,
    /// Games that do not.
    uncounted: u64,
}

pub(super) async fn leaderboard(
    State(app): State<Arc<App>>,
    QueryParams(which): QueryParams<GamesQuery>,
) -> Result<Response, ApiError> {
    let mut scope = FitScope { ruleset: which.ruleset.as_deref().map(known), ..FitScope::default() };
    if let Some(id) = &which.tournament {
        let info = find(&app, id).await?;
        let plan: Json = serde_json::from_str(&info.plan).unwrap_or_default();
        scope.anchor = plan["anchor"].as_str().map(ToOwned::to_owned);
        scope.tournament = Some(info.id);
    }
    let board = fits::board(&app, scope).await?;
    Ok(as_json(board))
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
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let _leave = app.large_read().await?;
    let info = find(&app, &id).await?;
    // A fit and many drawings: away from the threads that answer.
    let here = tokio::runtime::Handle::current();
    let app = app.clone();
    // Whoever asks with a token keeps the page as a file, from which no path leads here.
    let match_pages = (!headers.contains_key(header::AUTHORIZATION)).then(|| MATCH_PAGES.to_owned());
    let page = tokio::task::spawn_blocking(move || {
        let sources = here.block_on(Sources::read(&app.store, &info.id))?;
        let sources = sources.map(|sources| Sources { match_pages, ..sources });
        // Nobody is to compute a game that is still to be played.
        let sources = sources.map(|sources| if info.finished { sources } else { sources.without_seeds() });
        Ok::<_, StoreError>(sources.map(|sources| (app.report)(&sources, lang.lang)))
    });
    let page = page.await.map_err(|error| ApiError::internal(&error))??;
    let page = page.ok_or_else(|| ApiError::missing("no_tournament", "there is no such tournament"))?;
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, REPORT_POLICY)];
    Ok((headers, page).into_response())
}
