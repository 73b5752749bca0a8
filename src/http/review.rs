//! What each move of a match was worth: worked out once, one match at a time, away from the threads that answer.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use super::app::App;
use super::caller::Caller;
use super::catalogue::Text;
use super::error::ApiError;
use super::extract::NameInPath;
use super::found::{self, FoundMatch};
use super::limit::{Counted, MOST_ANALYSES, limits};
use super::matches::as_json;
use super::views::written;
use crate::arena::Stage;
use crate::briefs::{self, Language};
use crate::games::seat::Seat;
use crate::games::{Seed, Viewer};
use crate::matches::Replay;
use crate::tournaments::analyze::{Decision, review};
use crate::tournaments::chances::win_chances;
use crate::tournaments::oracle::Oracle;

/// How far the oracle looks: enough to tell a blunder, little enough for a whole match in a minute.
const NODES: u32 = 1_000;

/// So many reviews are kept.
const MOST_KEPT: usize = 200;

/// What was worked out, and what is about to be.
#[derive(Debug, Default)]
pub(super) struct Reviews(Mutex<ReviewQueue>);

/// One match at a time is worked out, and callers take turns: who asks for many waits for them, nobody else does.
#[derive(Debug, Default)]
struct ReviewQueue {
    /// None while it is worked out, or waits for that.
    kept: HashMap<Key, Option<Bytes>>,
    /// What each caller waits for; whose turn it is next stands first.
    waiting: VecDeque<(Counted, VecDeque<Key>)>,
    is_worked_at: bool,
}

/// A match, and how many bytes of record there were: a suspended match may go on.
type Key = (String, usize);

impl Reviews {
    /// How many are worked out or wait to be.
    pub(super) fn waiting(&self) -> usize {
        locked(&self.0).kept.values().filter(|body| body.is_none()).count()
    }
}

impl ReviewQueue {
    /// Puts a match in a caller's line. True if nobody works at any.
    ///
    /// # Errors
    /// If the caller waits for too many, or all together do.
    fn enter(&mut self, whose: Counted, key: Key, most: usize) -> Result<bool, ApiError> {
        let all: usize = self.waiting.iter().map(|(_, keys)| keys.len()).sum();
        let at = self.waiting.iter().position(|(other, _)| *other == whose);
        let own = at.map_or(0, |at| self.waiting[at].1.len());
        if own >= most {
            let detail = format!("you wait for {own} analyses, as many as one may wait for");
            return Err(ApiError::limited(limits::ANALYSES_EACH, most, "too_many_analyses", detail, 30));
        }
        if all >= MOST_ANALYSES {
            let detail = "many matches wait to be analysed; try again later";
            return Err(ApiError::limited(limits::ANALYSES, MOST_ANALYSES, "too_many_analyses", detail, 30));
        }
        if self.kept.len() >= MOST_KEPT + MOST_ANALYSES {
            self.kept.retain(|_, body| body.is_none());
        }
        self.kept.insert(key.clone(), None);
        match at {
            Some(at) => self.waiting[at].1.push_back(key),
            None => self.waiting.push_back((whose, VecDeque::from([key]))),
        }
        Ok(!std::mem::replace(&mut self.is_worked_at, true))
    }

    /// What to work out next; the caller's next turn comes after everybody else's.
    fn next(&mut self) -> Option<Key> {
        let Some((whose, mut keys)) = self.waiting.pop_front() else {
            self.is_worked_at = false;
            return None;
        };
        let key = keys.pop_front();
        if !keys.is_empty() {
            self.waiting.push_back((whose, keys));
        }
        key
    }
}

/// The chance of each seat to come first, before a turn: they sum to 1, and whoever is out has none.
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

pub(super) async fn analysis(
    State(app): State<Arc<App>>,
    caller: Caller,
    NameInPath(id): NameInPath,
) -> Result<Response, ApiError> {
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
    let is_first = {
        let mut reviews = locked(&app.reviews.0);
        match reviews.kept.get(&key) {
            Some(Some(body)) => return Ok(as_json(body.clone())),
            Some(None) => return Ok(computing()),
            None => reviews.enter(caller.counted, key, app.toll.limits().analyses_each)?,
        }
    };
    if is_first {
        tokio::spawn(work(app.clone()));
    }
    Ok(computing())
}

fn computing() -> Response {
    (StatusCode::ACCEPTED, axum::Json(Computing { status: "computing" })).into_response()
}

/// Works out what waits, one match after the other.
async fn work(app: Arc<App>) {
    loop {
        let Some(key) = locked(&app.reviews.0).next() else { return };
        let made = work_out(&app, &key).await;
        let mut reviews = locked(&app.reviews.0);
        match made {
            Ok(body) => _ = reviews.kept.insert(key, Some(body)),
            Err(error) => {
                tracing::error!(error, match_id = key.0, "a match could not be analysed");
                reviews.kept.remove(&key);
            }
        }
    }
}

/// The record is read when its turn has come: what waits takes no room.
async fn work_out(app: &App, (id, _): &Key) -> Result<Bytes, String> {
    let found = found::find(app, id).await.map_err(|error| error.to_string())?;
    let record = found::record(app, &found).await.map_err(|error| error.to_string())?;
    let made = tokio::task::spawn_blocking(move || {
        let replay = Replay::read(record.as_slice()).map_err(|error| error.to_string())?;
        let oracle = Oracle { nodes: NODES, seed: Seed(0) };
        let decisions = review(&replay, &oracle).decisions;
        Ok(written(&judged(&replay, decisions)))
    });
    made.await.map_err(|error| error.to_string())?
}

fn judged(replay: &Replay, decisions: Vec<Decision>) -> ReviewBody {
    let win = chances(replay, &decisions);
    let mut moves = Vec::new();
    for decision in decisions {
        let Decision { turn, seat, played, best, loss, .. } = decision;
        let words = |action: &str| Text {
            en: briefs::action_words(action, Language::En),
            zh: briefs::action_words(action, Language::Zh),
        };
        let (played_words, best_words) = (words(&played), words(&best));
        moves.push(Judged { turn, seat, action: played, words: played_words, loss, best, best_words });
    }
    ReviewBody { win, moves }
}

/// The chance of everybody before every turn, and at the end.
fn chances(replay: &Replay, decisions: &[Decision]) -> Vec<WinChances> {
    let mut scores: BTreeMap<Seat, f64> = replay.seats.iter().map(|info| (info.seat, 0.5)).collect();
    let mut table = &replay.start;
    let mut win = Vec::with_capacity(replay.turns.len() + 1);
    for step in &replay.turns {
        let turn = step.line.turn;
        let asked: Vec<&Decision> = decisions.iter().filter(|decision| decision.turn == turn).collect();
        for decision in &asked {
            scores.insert(decision.seat, decision.value);
        }
        // Where one of two is asked, what it can expect says what the other can.
        if let ([decision], 2) = (&asked[..], scores.len()) {
            let others = scores.iter_mut().filter(|(seat, _)| **seat != decision.seat);
            others.for_each(|(_, score)| *score = 1.0 - decision.value);
        }
        if !asked.is_empty() {
            let standings = table.view(Viewer::After).scene(&[]).standings;
            let is_alive = |seat: Seat| standings.iter().any(|one| one.seat == seat && one.alive);
            win.push(WinChances { turn, by_seat: win_chances(&scores, is_alive) });
        }
        table = &step.table;
    }
    if let Some(outcome) = table.outcome() {
        let first = outcome.places.values().filter(|&&place| place == 1).count().max(1);
        let share = 1.0 / f64::from(u32::try_from(first).unwrap_or(u32::MAX));
        let by_seat = outcome.places.iter().map(|(&seat, &place)| (seat, if place == 1 { share } else { 0.0 }));
        win.push(WinChances { turn: table.turn(), by_seat: by_seat.collect() });
    }
    win
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_take_turns_however_many_matches_one_of_them_asks_for() {
        let mut queue = ReviewQueue::default();
        let (greedy, modest) = (Counted::player("greedy"), Counted::player("modest"));
        let key = |name: &str| (name.to_owned(), 0);
        for number in 0..10 {
            let is_first = queue.enter(greedy, key(&format!("g{number}")), 10).expect("ten may wait");
            assert_eq!(is_first, number == 0);
        }
        assert!(queue.enter(greedy, key("one more"), 10).is_err());
        queue.enter(modest, key("m0"), 10).expect("the first of another caller");
        let order: Vec<String> = std::iter::from_fn(|| queue.next()).map(|(name, _)| name).collect();
        assert_eq!(&order[..3], ["g0", "m0", "g1"]);
        assert_eq!(order.len(), 11);
        assert!(queue.enter(modest, key("m1"), 10).expect("nothing waits"), "somebody must work again");
    }
}
