//! Following all matches at once: what began, moved on or ended, a summary each, once a second.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast::Sender;
use tokio::time::{MissedTickBehavior, interval};

use super::app::App;
use super::caller::Caller;
use super::error::ApiError;
use super::extract::QueryParams;
use super::live::{frame, in_play, passed_on, sse};
use super::matches::{MOST_BOARDS, MOST_IN_PLAY};
use super::wire::MatchLine;
use crate::store::{Filter, GameInPlay, KeyHash, MatchInfo, MatchStatus};

/// How often the arena is looked over.
const ROUND: Duration = Duration::from_secs(1);

/// So many live matches of other processes are followed at the most, the newest.
const MOST_ELSEWHERE: u32 = 200;

/// A quiet stream shows that it lives after so many rounds.
const QUIET: u32 = 15;

/// Where those stand who follow the whole arena.
#[derive(Debug, Default)]
pub(super) struct Lobby {
    watched: Mutex<Option<Sender<Bytes>>>,
}

#[derive(Debug, Serialize)]
struct MatchesEvent {
    matches: Vec<MatchLine>,
}

/// What is wanted of the lobby.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoQuery {}

pub(super) async fn events(
    State(app): State<Arc<App>>,
    caller: Caller,
    QueryParams(NoQuery {}): QueryParams<NoQuery>,
) -> Result<Response, ApiError> {
    let open = app.toll.stream(caller.counted)?;
    let followed = locked(&app.lobby.watched).as_ref().map(Sender::subscribe);
    let receiver = if let Some(receiver) = followed {
        receiver
    } else {
        // What happens after the stream has begun is told in it, so it is known before what there was.
        let seen = Snapshot::now(&app).await;
        let mut watched = locked(&app.lobby.watched);
        let sender = watched.get_or_insert_with(|| {
            let sender = Sender::new(16);
            tokio::spawn(follow(app.clone(), sender.clone(), seen));
            sender
        });
        sender.subscribe()
    };
    Ok(sse(passed_on(app, Bytes::from_static(b"retry: 2000\n\n"), Some(receiver), open)))
}

/// What there is to follow when somebody begins to: matches of this process, and of others on the store.
struct Snapshot {
    here: HashMap<String, u64>,
    elsewhere: HashMap<String, StoredVersion>,
}

impl Snapshot {
    async fn now(app: &App) -> Snapshot {
        let lives = app.arena.list().into_iter();
        let here: HashMap<String, u64> = lives.map(|live| (live.id().to_owned(), live.glance(None).version)).collect();
        let rows = played_elsewhere(app, &here).await.unwrap_or_default();
        let elsewhere = rows.into_iter().map(|info| (info.id.clone(), StoredVersion::of(&info))).collect();
        Snapshot { here, elsewhere }
    }
}

/// Looks the arena over as long as anybody wants to know.
async fn follow(app: Arc<App>, sender: Sender<Bytes>, seen: Snapshot) {
    let Snapshot { here: mut known, mut elsewhere } = seen;
    let mut playing = HashMap::new();
    let mut round = interval(ROUND);
    round.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut quiet = 0;
    loop {
        tokio::select! {
            _ = round.tick() => {}
            () = app.closing.cancelled() => {
                // Without the last sender all streams end.
                *locked(&app.lobby.watched) = None;
                return;
            }
        }
        {
            let mut watched = locked(&app.lobby.watched);
            if sender.receiver_count() == 0 {
                *watched = None;
                return;
            }
        }
        let mut here = HashMap::with_capacity(known.len());
        let mut matches = Vec::new();
        for live in app.arena.list() {
            let version = live.glance(None).version;
            if known.get(live.id()) != Some(&version) {
                matches.push(MatchLine::of(&live, true));
            }
            here.insert(live.id().to_owned(), version);
        }
        let (changed, in_play) = changed_games(&app, &playing).await;
        matches.extend(changed);
        let (changed, there) = changed_elsewhere(&app, &here, elsewhere).await;
        matches.extend(changed);
        (known, playing, elsewhere) = (here, in_play, there);
        quiet = if matches.is_empty() { quiet + 1 } else { 0 };
        if !matches.is_empty() {
            let _ = sender.send(frame("matches", None, &MatchesEvent { matches }));
        } else if quiet >= QUIET {
            quiet = 0;
            let _ = sender.send(Bytes::from_static(b": ping\n\n"));
        }
    }
}

/// What tells whether a match of the store has changed.
#[derive(Debug, PartialEq, Eq)]
struct StoredVersion {
    lines: u64,
    note: KeyHash,
}

impl StoredVersion {
    fn of(info: &MatchInfo) -> StoredVersion {
        StoredVersion { lines: info.lines, note: KeyHash::of(info.note.as_deref().unwrap_or_default()) }
    }
}

/// The live matches of arenas that are not here. None where the store cannot be read, which shows itself elsewhere.
async fn played_elsewhere(app: &App, here: &HashMap<String, u64>) -> Option<Vec<MatchInfo>> {
    let filter = Filter { status: Some(MatchStatus::Live), limit: Some(MOST_ELSEWHERE), ..Filter::default() };
    let mut rows = app.store.matches(&filter).await.ok()?;
    rows.retain(|info| info.note.is_some() && !here.contains_key(&info.id));
    Some(rows)
}

/// Matches of other processes that began, moved on or ended since they were last looked at.
async fn changed_elsewhere(
    app: &App,
    here: &HashMap<String, u64>,
    mut known: HashMap<String, StoredVersion>,
) -> (Vec<MatchLine>, HashMap<String, StoredVersion>) {
    let Some(rows) = played_elsewhere(app, here).await else { return (Vec::new(), known) };
    let mut changed = Vec::new();
    let mut there = HashMap::with_capacity(rows.len());
    for info in rows {
        let version = StoredVersion::of(&info);
        if known.remove(&info.id).as_ref() != Some(&version) {
            changed.push(in_play::line(app, &info, changed.len() < MOST_BOARDS).await);
        }
        there.insert(info.id, version);
    }
    // What is neither there nor here is over; what is only further down the list is not told of.
    for id in known.into_keys().filter(|id| !here.contains_key(id)) {
        if let Ok(Some(info)) = app.store.find(&id).await
            && info.status != MatchStatus::Live
        {
            changed.push(MatchLine::stored(&info));
        }
    }
    (changed, there)
}

/// Games of tournaments that began, moved on or ended since their lines were counted, and how many lines each has now.
async fn changed_games(app: &App, known: &HashMap<String, u64>) -> (Vec<MatchLine>, HashMap<String, u64>) {
    // A store that cannot be read shows itself elsewhere.
    let Ok(mut games) = app.store.games_in_play().await else { return (Vec::new(), known.clone()) };
    games.truncate(MOST_IN_PLAY);
    let mut changed = Vec::new();
    let mut here = HashMap::with_capacity(games.len());
    for GameInPlay { info, .. } in games {
        if known.get(&info.id) != Some(&info.lines) {
            changed.push(in_play::line(app, &info, true).await);
        }
        here.insert(info.id, info.lines);
    }
    for id in known.keys().filter(|id| !here.contains_key(*id)) {
        if let Ok(Some(info)) = app.store.find(id).await {
            changed.push(MatchLine::stored(&info));
        }
    }
    (changed, here)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
