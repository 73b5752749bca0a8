//! What each move of a match was worth: worked out once, one match at a time, away from the threads that answer.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::Semaphore;

use super::app::App;
use super::catalogue::Text;
use super::error::ApiError;
use super::extract::NameInPath;
use super::found::{self, FoundMatch};
use super::matches::as_json;
use super::views::written;
use crate::arena::Stage;
use crate::briefs::{self, Language};
use crate::games::Seed;
use crate::games::seat::Seat;
use crate::matches::Replay;
use crate::tournaments::analyze::{Decision, review};
use crate::tournaments::oracle::Oracle;

/// How far the oracle looks: enough to tell a blunder, little enough for a whole match in a minute.
const NODES: u32 = 1_000;

/// So many reviews are kept.
const MOST_KEPT: usize = 200;

/// So many may wait to be worked out.
const MOST_WAITING: usize = 20;

/// What was worked out, and what is about to be.
#[derive(Debug)]
pub(super) struct Reviews {
    /// None while it is worked out.
    kept: Mutex<HashMap<Key, Option<Bytes>>>,
    one_at_a_time: Arc<Semaphore>,
}

/// A match, and how many bytes of record there were: a suspended match may go on.
type Key = (String, usize);

impl Default for Reviews {
    fn default() -> Reviews {
        Reviews { kept: Mutex::default(), one_at_a_time: Arc::new(Semaphore::new(1)) }
    }
}

/// What each seat could expect before a turn, by seat: 1 is a win for sure.
#[derive(Debug, Serialize, JsonSchema)]
struct WinChances {
    turn: u32,
    #[serde(flatten)]
    by_seat: BTreeMap<Seat, f64>,
}

/// A move and what it was worth.
#[derive(Debug, Serialize, JsonSchema)]
struct Judged {
    turn: u32,
    seat: Seat,
    action: String,
    /// The same in words.
    words: Text,
    /// What it gave away of the score that could be expected, 0 to 1; null where that cannot be told.
    loss: Option<f64>,
    /// What the search would have played.
    best: String,
    /// The same in words.
    best_words: Text,
}

/// A match, move by move.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Analysis")]
pub(super) struct ReviewBody {
    win: Vec<WinChances>,
    moves: Vec<Judged>,
}

/// That it takes a while.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Computing {
    /// Always `computing`: ask again in a second or two.
    status: &'static str,
}

pub(super) async fn analysis(State(app): State<Arc<App>>, NameInPath(id): NameInPath) -> Result<Response, ApiError> {
    let found = found::find(&app, &id).await?;
    let is_live = match &found {
        FoundMatch::Live(live) => live.hides() || !matches!(live.stage(), Stage::Over | Stage::Suspended(_)),
        FoundMatch::Stored(info) => info.status == crate::store::MatchStatus::Live,
    };
    if is_live {
        // What the search thinks of a position would be advice to whoever is to act.
        let detail = "a match is analysed when it is over or suspended";
        return Err(ApiError::conflict("still_playing", detail));
    }
    let record = found::record(&app, &found).await?;
    if record.is_empty() {
        return Err(ApiError::conflict("gathering", "the match has not begun: there is nothing to analyse"));
    }
    let broken_off = matches!(&found, FoundMatch::Stored(info) if info.result.is_none());
    if broken_off && found::hides(record.clone()).await? {
        return Err(ApiError::conflict("still_playing", "a match that hides something is analysed when it is over"));
    }
    let key = (id, record.len());
    {
        let mut kept = locked(&app.reviews.kept);
        match kept.get(&key) {
            Some(Some(body)) => return Ok(as_json(body.clone())),
            Some(None) => return Ok(computing()),
            None => {}
        }
        if kept.values().filter(|body| body.is_none()).count() >= MOST_WAITING {
            return Err(ApiError::too_many(
                "too_many_analyses",
                "many matches wait to be analysed; try again later",
                30,
            ));
        }
        if kept.len() >= MOST_KEPT {
            kept.retain(|_, body| body.is_none());
        }
        kept.insert(key.clone(), None);
    }
    tokio::spawn(work_out(app.clone(), key, record));
    Ok(computing())
}

fn computing() -> Response {
    (StatusCode::ACCEPTED, axum::Json(Computing { status: "computing" })).into_response()
}

async fn work_out(app: Arc<App>, key: Key, record: Vec<u8>) {
    let turn = app.reviews.one_at_a_time.clone().acquire_owned().await;
    let made = match turn {
        Ok(turn) => {
            let made = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                let replay = Replay::read(record.as_slice()).map_err(|error| error.to_string())?;
                let oracle = Oracle { nodes: NODES, seed: Seed(0) };
                Ok::<_, String>(written(&judged(review(&replay, &oracle).decisions)))
            });
            made.await.map_err(|error| error.to_string()).and_then(|made| made)
        }
        Err(error) => Err(error.to_string()),
    };
    let mut kept = locked(&app.reviews.kept);
    match made {
        Ok(body) => _ = kept.insert(key, Some(body)),
        Err(error) => {
            tracing::error!(%error, match_id = key.0, "a match could not be analysed");
            kept.remove(&key);
        }
    }
}

fn judged(decisions: Vec<Decision>) -> ReviewBody {
    let mut win: Vec<WinChances> = Vec::new();
    let mut moves = Vec::new();
    for decision in decisions {
        let Decision { turn, seat, played, best, value, loss, .. } = decision;
        match win.last_mut() {
            Some(chances) if chances.turn == turn => _ = chances.by_seat.insert(seat, value),
            _ => {
                // Who is not asked in a turn has what it last had.
                let mut by_seat = win.last().map(|before| before.by_seat.clone()).unwrap_or_default();
                by_seat.insert(seat, value);
                win.push(WinChances { turn, by_seat });
            }
        }
        let words = |action: &str| Text {
            en: briefs::action_words(action, Language::En),
            zh: briefs::action_words(action, Language::Zh),
        };
        let (played_words, best_words) = (words(&played), words(&best));
        moves.push(Judged { turn, seat, action: played, words: played_words, loss, best, best_words });
    }
    ReviewBody { win, moves }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
