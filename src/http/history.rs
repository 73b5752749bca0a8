//! What was played: turn by turn, as its record, and whether that holds.

use std::borrow::Cow;
use std::sync::Arc;

use axum::Json as JsonBody;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::app::App;
use super::caller::Caller;
use super::error::ApiError;
use super::extract::{NameInPath, QueryParams};
use super::found::{self, FoundMatch};
use super::matches::as_json;
use super::views::written;
use super::wire::{SeatBody, TurnBody};
use crate::briefs::{self, Language};
use crate::games::outcome::Outcome;
use crate::games::scene::Scene;
use crate::games::table::State as Position;
use crate::games::view::{View, Viewer};
use crate::matches::{self, LineProblem, Replay, ReplayError, Transcript, Turn};

/// So many turns in one answer at the most.
const MOST_TURNS: usize = 500;

/// Which turns of a record to send.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TurnRange {
    /// How many turns to leave out at the beginning.
    #[serde(default)]
    from: u32,
    /// How many turns, at most 500.
    #[serde(default)]
    #[schemars(range(min = 1, max = 500))]
    limit: Option<usize>,
    /// The language of the words; English by default.
    #[serde(default)]
    lang: Language,
}

/// What was played.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct History<'a> {
    match_id: &'a str,
    ruleset: Cow<'a, str>,
    seats: Vec<SeatBody>,
    /// The first position, with the first turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<Position>,
    /// What there is to see of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_scene: Option<Scene>,
    /// Why there are no positions: the match was played by rules that this program does not know.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_positions: Option<String>,
    turns: Vec<TurnBody<'a>>,
    /// How many were played in all.
    turns_played: usize,
    /// How it ended, once it has.
    result: Option<Outcome>,
}

pub(super) async fn turns(
    State(app): State<Arc<App>>,
    caller: Caller,
    NameInPath(id): NameInPath,
    QueryParams(span): QueryParams<TurnRange>,
) -> Result<Response, ApiError> {
    let found = found::find(&app, &id).await?;
    let limit = match span.limit {
        None => MOST_TURNS,
        Some(limit @ 1..=MOST_TURNS) => limit,
        Some(_) => return Err(ApiError::bad_request(format!("`limit` is 1 to {MOST_TURNS}"))),
    };
    let record = found::record(&app, &found).await?;
    if record.is_empty() {
        return Ok(as_json(written(&not_begun(&found, span.lang)?)));
    }
    let seats = match &found {
        FoundMatch::Live(live) => live.view(None).seats.iter().map(|seat| SeatBody::new(seat, None)).collect(),
        FoundMatch::Stored(info) => info.seats.iter().map(SeatBody::stored).collect(),
    };
    let viewer = match &found {
        FoundMatch::Live(live) => caller.viewer(&app, live).await?,
        FoundMatch::Stored(_) => Viewer::Public,
    };
    let from = span.from as usize;
    let mut played = match found::replay(record.clone()).await? {
        Ok(replay) => played(replay, viewer, from, limit, seats),
        Err(error @ ReplayError { problem: LineProblem::Rules(_), .. }) => {
            let transcript = Transcript::read(record.as_slice()).map_err(|error| found::unreadable(&error))?;
            told(transcript, from, limit, seats, error.to_string())
        }
        Err(error) => return Err(found::unreadable(&error)),
    };
    if let FoundMatch::Stored(info) = &found
        && app.store.shares_open_seed(&info.id).await?
    {
        for (turn, _) in &mut played.turns {
            *turn = Arc::new(turn.without_hash());
        }
    }
    Ok(as_json(written(&played.as_body(span.lang))))
}

/// A match without a record: its seats are still open.
fn not_begun(found: &FoundMatch, language: Language) -> Result<History<'_>, ApiError> {
    let FoundMatch::Live(live) = found else {
        return Err(ApiError::missing("no_match", "the match has not begun, and is not here"));
    };
    let view = live.view(None);
    let seats = view.seats.iter().map(|seat| SeatBody::new(seat, None)).collect();
    let start = Some(view.seen.state());
    let start_scene = Some(opening(&view.seen, language));
    let ruleset = live.ruleset().name.clone().into();
    Ok(History {
        match_id: live.id(),
        ruleset,
        seats,
        start,
        start_scene,
        no_positions: None,
        turns: Vec::new(),
        turns_played: 0,
        result: None,
    })
}

/// What there is to see before anything has happened.
fn opening(view: &View, language: Language) -> Scene {
    briefs::worded_scene(view.scene(&[]), language)
}

/// A part of a record.
struct RecordPart {
    id: String,
    ruleset: String,
    seats: Vec<SeatBody>,
    start: Option<View>,
    no_positions: Option<String>,
    turns: Vec<(Arc<Turn>, Option<View>)>,
    in_all: usize,
    result: Option<Outcome>,
}

fn played(replay: Replay, viewer: Viewer, from: usize, limit: usize, seats: Vec<SeatBody>) -> RecordPart {
    let in_all = replay.turns.len();
    RecordPart {
        id: replay.id.clone(),
        ruleset: replay.ruleset.name.clone(),
        seats,
        start: (from == 0).then(|| replay.start_view(viewer)),
        no_positions: None,
        result: replay.result.clone().map(outcome),
        turns: replay.into_shown(viewer, from, limit).into_iter().map(|(turn, view)| (turn, Some(view))).collect(),
        in_all,
    }
}

/// The same where only the record can tell.
fn told(transcript: Transcript, from: usize, limit: usize, seats: Vec<SeatBody>, why: String) -> RecordPart {
    let in_all = transcript.turns.len();
    let turns = transcript.turns.into_iter().skip(from).take(limit);
    RecordPart {
        id: transcript.id,
        ruleset: transcript.ruleset["name"].as_str().unwrap_or_default().to_owned(),
        seats,
        start: None,
        no_positions: Some(why),
        turns: turns.filter_map(|heard| Some((Arc::new(Turn::try_from(heard).ok()?), None))).collect(),
        in_all,
        result: transcript.result.map(outcome),
    }
}

fn outcome(result: matches::Result) -> Outcome {
    Outcome { places: result.places, reason: result.reason }
}

impl RecordPart {
    fn as_body(&self, language: Language) -> History<'_> {
        let turns = self.turns.iter().map(|(turn, view)| TurnBody::new(turn, view.as_ref(), language));
        History {
            match_id: &self.id,
            ruleset: Cow::Borrowed(&self.ruleset),
            seats: self.seats.clone(),
            start: self.start.as_ref().map(View::state),
            start_scene: self.start.as_ref().map(|view| opening(view, language)),
            no_positions: self.no_positions.clone(),
            turns: turns.collect(),
            turns_played: self.in_all,
            result: self.result.clone(),
        }
    }
}

pub(super) async fn record(State(app): State<Arc<App>>, NameInPath(id): NameInPath) -> Result<Response, ApiError> {
    let found = found::find(&app, &id).await?;
    let (record, _) = found::shown_record(&app, &found).await?;
    let id = match &found {
        FoundMatch::Live(live) => live.id(),
        FoundMatch::Stored(info) => &info.id,
    };
    // A name that came from elsewhere must not end the header or leave the folder.
    let name: String =
        id.chars().map(|c| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' }).collect();
    let headers = [
        (header::CONTENT_TYPE, "application/jsonl".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.jsonl\"")),
    ];
    Ok((headers, record).into_response())
}

/// Whether a record holds.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Verification {
    verified: bool,
    /// How many lines it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<usize>,
    /// The hash at the end of the chain, once the match is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    /// The first line that differs, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// How it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

pub(super) async fn verify(
    State(app): State<Arc<App>>,
    NameInPath(id): NameInPath,
) -> Result<JsonBody<Verification>, ApiError> {
    let _leave = app.large_read().await?;
    let found = found::find(&app, &id).await?;
    let record = found::record(&app, &found).await?;
    if record.is_empty() {
        return Err(ApiError::conflict("gathering", "the match has not begun: there is no record yet"));
    }
    let (_, whole) = found::shown_record(&app, &found).await?;
    let lines = record.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
    Ok(JsonBody(match found::verify(record).await? {
        Ok(replay) => {
            let hash = whole.then(|| replay.chain.to_string());
            Verification { verified: true, lines: Some(lines), hash, line: None, why: None }
        }
        Err(error) => {
            // In its words the problem may name what could be computed from.
            let told = if whole { error.problem.to_string() } else { "the line is not what was played".to_owned() };
            let why = Some(told);
            Verification { verified: false, lines: None, hash: None, line: Some(error.line), why }
        }
    }))
}
