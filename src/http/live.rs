//! Following a match as it is played: server-sent events.
//!
//! A [`Broadcast`] builds each frame once, however many look on; a spectator's stream only passes shared bytes on. Who reads
//! too slowly is sent away and may come back with the number of the last event: nothing is kept for anybody.

pub(super) mod in_play;

use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{Receiver, Sender};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::app::App;
use super::caller::Caller;
use super::error::ApiError;
use super::extract::{NameInPath, QueryParams};
use super::found::{self, FoundMatch};
use super::limit::{OpenStream, limits};
use super::views::clock;
use super::wire::{MatchLine, Status, TurnBody};
use crate::arena::{Live, MatchView, Moment, Stage};
use crate::briefs::Language;
use crate::games;
use crate::games::outcome::Outcome;
use crate::games::seat::Seats;
use crate::games::view::Viewer;
use crate::matches::{Replay, Turn};
use crate::store::MatchStatus;

/// How often a stream shows that it lives.
const PING: Duration = Duration::from_secs(15);

/// So long what happens at once is gathered into one frame.
const GATHERED: Duration = Duration::from_millis(5);

/// So many frames may wait for a reader before it is too slow.
const WAITING: usize = 128;

/// So many of the latest turns can be had again.
const MOST_TURNS: usize = 1_000;

/// The matches that somebody follows.
#[derive(Debug, Default)]
pub(super) struct Broadcasts {
    stands: Mutex<HashMap<BroadcastKey, Arc<Broadcast>>>,
}

/// A match, whose eyes it is seen with, and the language of what is told of it.
type BroadcastKey = (String, Viewer, Language);

/// Where those stand who see the same of one match and read one language.
#[derive(Debug)]
struct Broadcast {
    told: Mutex<SentTurns>,
    frames: Sender<Bytes>,
    viewer: Viewer,
    language: Language,
}

/// What was told so far.
#[derive(Debug)]
struct SentTurns {
    /// The turns played before the first frame that is kept, and the position then.
    start: (u32, games::View),
    /// The turns since then.
    turns: VecDeque<(Bytes, games::View)>,
    status: StatusEvent,
}

/// The first event: the match, with the position from which the turns go on.
#[derive(Debug, Serialize)]
struct MatchEvent {
    #[serde(flatten)]
    summary: MatchLine,
}

/// How it stands now.
#[derive(Clone, Debug, PartialEq, Eq)]
struct StatusEvent {
    status: Status,
    submitted: Seats,
    deadline: Option<Instant>,
}

#[derive(Debug, Serialize)]
struct StatusData<'a> {
    status: Status,
    submitted: &'a Seats,
    deadline_ms: Option<u64>,
}

/// The last event.
#[derive(Debug, Serialize)]
struct EndEvent {
    outcome: Option<Outcome>,
    turns: u64,
}

impl Broadcasts {
    pub(super) fn count(&self) -> usize {
        locked(&self.stands).len()
    }

    /// Whether nobody looks on any more; then it is taken down.
    fn is_left(&self, key: &BroadcastKey, stand: &Broadcast) -> bool {
        let mut stands = locked(&self.stands);
        let is_left = stand.frames.receiver_count() == 0;
        if is_left {
            stands.remove(key);
        }
        is_left
    }
}

impl StatusEvent {
    fn of(view: &MatchView) -> StatusEvent {
        StatusEvent { status: (&view.stage).into(), submitted: view.submitted.clone(), deadline: view.deadline() }
    }
}

impl SentTurns {
    /// The turns that were told of.
    fn turn(&self) -> u32 {
        self.start.0 + u32::try_from(self.turns.len()).unwrap_or(u32::MAX)
    }

    fn add(&mut self, frame: Bytes, view: games::View) {
        self.turns.push_back((frame, view));
        if self.turns.len() > MOST_TURNS
            && let Some((_, view)) = self.turns.pop_front()
        {
            self.start = (self.start.0 + 1, view);
        }
    }

    /// What somebody gets who knows the first `since` turns.
    fn from(&self, mut summary: MatchLine, since: Option<u32>) -> Vec<Bytes> {
        let (first, now) = (self.start.0, self.turn());
        let since = since.map_or(now, |since| since.clamp(first, now));
        let known = (since - first) as usize;
        let position = match known.checked_sub(1) {
            None => &self.start.1,
            Some(at) => &self.turns[at].1,
        };
        summary.turn = since.into();
        summary.state = Some(position.state());
        summary.scene = Some(position.scene(&[]));
        let mut frames = vec![Bytes::from_static(b"retry: 2000\n"), frame("match", None, &MatchEvent { summary })];
        frames.extend(self.turns.iter().skip(known).map(|(frame, _)| frame.clone()));
        frames
    }
}

impl Broadcast {
    /// Begins with what was played so far.
    fn new(live: &Live, replay: Option<Replay>, viewer: Viewer, language: Language) -> Broadcast {
        let view = live.view(viewer.seat());
        let start = replay.as_ref().map_or_else(|| view.seen.clone(), |replay| replay.start_view(viewer));
        let mut told = SentTurns { start: (0, start), turns: VecDeque::new(), status: StatusEvent::of(&view) };
        for (turn, view) in replay.into_iter().flat_map(|replay| replay.into_shown(viewer, 0, usize::MAX)) {
            told.add(turn_frame(&turn, &view, language), view);
        }
        Broadcast { told: Mutex::new(told), frames: Sender::new(WAITING), viewer, language }
    }

    /// Tells of what has happened since, and whether that was the last.
    fn tell(&self, live: &Live, moments: &[Moment]) -> bool {
        let mut news = Vec::new();
        let mut told = locked(&self.told);
        for moment in moments.iter().filter(|moment| moment.turn.turn > told.turn()).collect::<Vec<_>>() {
            let view = moment.table.view(self.viewer);
            let frame = turn_frame(&moment.told(self.viewer), &view, self.language);
            news.extend_from_slice(&frame);
            told.add(frame, view);
        }
        let view = live.view(self.viewer.seat());
        // Turns that came since are told of first.
        let is_current = view.seen.turn() == told.turn();
        let status = StatusEvent::of(&view);
        if is_current && status != told.status {
            news.extend_from_slice(&status_frame(&view));
            told.status = status;
        }
        let is_over = is_current && view.stage == Stage::Over;
        if is_over {
            news.extend_from_slice(&end_frame(view.seen.outcome(), view.seen.turn().into()));
        }
        if !news.is_empty() {
            // Sent under the lock: whoever joins has it from one side or the other, and never twice.
            let _ = self.frames.send(news.into());
        }
        is_over
    }
}

/// Which events somebody knows.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Since {
    /// The turns that you know; the stream goes on after them. By default all that were played so far.
    /// `Last-Event-ID` says the same.
    #[serde(default)]
    since: Option<u32>,
    /// The language of the words; the match's own by default.
    #[serde(default)]
    lang: Option<Language>,
}

pub(super) async fn events(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    NameInPath(id): NameInPath,
    QueryParams(asked): QueryParams<Since>,
) -> Result<Response, ApiError> {
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.trim().parse().ok());
    let since = last.or(asked.since);
    let live = match found::find(&app, &id).await? {
        FoundMatch::Live(live) => live,
        FoundMatch::Stored(info) if info.status == MatchStatus::Live => {
            let open = app.toll.stream(caller.counted)?;
            let (frames, receiver) = in_play::join(&app, *info, since, asked.lang.unwrap_or_default()).await?;
            return Ok(sse(passed_on(app, frames.concat().into(), receiver, open)));
        }
        FoundMatch::Stored(info) => {
            let replay = found::replay(found::record(&app, &FoundMatch::Stored(info.clone())).await?).await?;
            let replay = replay.map_err(|error| found::unreadable(&error))?;
            let is_whole = !app.store.shares_open_seed(&info.id).await?;
            let language = asked.lang.unwrap_or_default();
            let told = told_at_once(MatchLine::stored(&info), replay, is_whole, since, language);
            return Ok(sse(Body::from(told)));
        }
    };
    let open = app.toll.stream(caller.counted)?;
    let viewer = caller.viewer(&app, &live).await?;
    let (frames, receiver) = join(&app, &live, since, viewer, asked.lang.unwrap_or(live.language())).await?;
    let begun: Vec<u8> = frames.concat();
    Ok(sse(passed_on(app, begun.into(), receiver, open)))
}

/// Takes a place among a match's spectators. There is nothing to receive once the match is over.
async fn join(
    app: &Arc<App>,
    live: &Arc<Live>,
    since: Option<u32>,
    viewer: Viewer,
    language: Language,
) -> Result<(Vec<Bytes>, Option<Receiver<Bytes>>), ApiError> {
    let key = (live.id().to_owned(), viewer, language);
    let known = locked(&app.stands.stands).contains_key(&key);
    let fresh = if known {
        None
    } else {
        let of = live.clone();
        let replay = tokio::task::spawn_blocking(move || of.replay()).await;
        let replay = replay.map_err(|error| ApiError::internal(&error))?.map_err(|error| ApiError::internal(&error))?;
        Some(Arc::new(Broadcast::new(live, replay, viewer, language)))
    };
    let mut stands = locked(&app.stands.stands);
    let stand = match (stands.get(&key), fresh) {
        (Some(stand), _) => stand.clone(),
        (None, Some(stand)) => {
            if live.stage() != Stage::Over {
                stands.insert(key, stand.clone());
                tokio::spawn(follow(app.clone(), live.clone(), stand.clone()));
            }
            stand
        }
        // It was taken down a moment ago; the caller comes again at once.
        (None, None) => return Err(come_again(app)),
    };
    let told = locked(&stand.told);
    let mut frames = told.from(MatchLine::of(live, false), since);
    let view = live.view(viewer.seat());
    if view.stage == Stage::Over && view.seen.turn() == told.turn() {
        frames.push(end_frame(view.seen.outcome(), view.seen.turn().into()));
        return Ok((frames, None));
    }
    frames.push(status_frame(&view));
    Ok((frames, Some(stand.frames.subscribe())))
}

/// What somebody is told who came as the last stream ended.
fn come_again(app: &App) -> ApiError {
    ApiError::limited(limits::STREAMS, app.toll.limits().streams, "too_many_streams", "try again", 1)
}

/// Tells the spectators of a match what happens until it is over or nobody looks on.
async fn follow(app: Arc<App>, live: Arc<Live>, stand: Arc<Broadcast>) {
    let key = (live.id().to_owned(), stand.viewer, stand.language);
    let mut activity = live.listen_closely();
    let mut ping = interval_at(Instant::now() + PING, PING);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let known = locked(&stand.told).turn();
        let moments = match live.moments_after(known) {
            Some(moments) => moments,
            None => missed(&live).await,
        };
        // What goes on elsewhere is told there: whoever follows comes again and is passed on.
        if stand.tell(&live, &moments) || live.is_closed() {
            break;
        }
        tokio::select! {
            stirred = activity.changed() => {
                if stirred.is_err() {
                    break;
                }
                // What belongs together comes together: the last action, the turn, the next one's clock.
                tokio::time::sleep(GATHERED).await;
            }
            _ = ping.tick() => {
                if app.stands.is_left(&key, &stand) {
                    return;
                }
                let _ = stand.frames.send(Bytes::from_static(b": ping\n\n"));
            }
            () = app.closing.cancelled() => break,
        }
    }
    // Without the sender all streams end.
    locked(&app.stands.stands).remove(&key);
}

/// Every turn, where more were played at once than the arena has at hand.
async fn missed(live: &Arc<Live>) -> Vec<Moment> {
    let of = live.clone();
    let replay = tokio::task::spawn_blocking(move || of.replay()).await;
    let Ok(Ok(Some(replay))) = replay else { return Vec::new() };
    let mut before = Arc::new(replay.start);
    let moment = |step: crate::matches::Step| {
        let table = Arc::new(step.table.clone());
        let before = std::mem::replace(&mut before, table.clone());
        Moment { turn: Arc::new(Turn::from(step)), before, table }
    };
    replay.turns.into_iter().map(moment).collect()
}

/// A match that only its record tells of.
fn told_at_once(summary: MatchLine, replay: Replay, is_whole: bool, since: Option<u32>, language: Language) -> Vec<u8> {
    let since = since.unwrap_or(u32::MAX).min(u32::try_from(replay.turns.len()).unwrap_or(u32::MAX));
    let start = replay.start_view(Viewer::Public);
    let from = (since as usize).saturating_sub(1);
    let mut turns = replay.into_shown(Viewer::Public, from, usize::MAX).into_iter();
    let view = if since == 0 { start } else { turns.next().map_or(start, |(_, view)| view) };
    let end = end_frame(summary.outcome.clone(), summary.turn);
    let summary = MatchLine { turn: since.into(), state: Some(view.state()), scene: Some(view.scene(&[])), ..summary };
    let mut frames = vec![frame("match", None, &MatchEvent { summary })];
    frames.extend(turns.map(|(turn, view)| {
        let turn = if is_whole { turn } else { Arc::new(turn.without_hash()) };
        turn_frame(&turn, &view, language)
    }));
    frames.push(end);
    frames.concat()
}

/// A stream of what was told so far and whatever comes.
pub(super) fn passed_on(app: Arc<App>, begun: Bytes, receiver: Option<Receiver<Bytes>>, open: OpenStream) -> Body {
    let at = (Some(begun), receiver, open, app);
    Body::from_stream(stream::unfold(at, async |(begun, receiver, open, app)| {
        if let Some(begun) = begun {
            return Some((Ok::<_, std::convert::Infallible>(begun), (None, receiver, open, app)));
        }
        let mut frames = receiver?;
        // Whoever sends them ends when the server closes, and with it this.
        match frames.recv().await {
            Ok(frame) => Some((Ok(frame), (None, Some(frames), open, app))),
            Err(RecvError::Closed) => None,
            Err(RecvError::Lagged(_)) => {
                super::metrics::slow_reader();
                let parting = Bytes::from_static(b": too slow; come back with Last-Event-ID\n\n");
                Some((Ok(parting), (None, None, open, app)))
            }
        }
    }))
}

/// The answer that is a stream of events.
pub(super) fn sse(body: Body) -> Response {
    let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
    // Proxies that collect an answer before they pass it on would hold it for ever.
    (headers, [("x-accel-buffering", "no")], body).into_response()
}

/// An event as it goes over the wire.
pub(super) fn frame(event: &str, id: Option<u32>, data: &impl Serialize) -> Bytes {
    let mut frame = String::with_capacity(1024);
    if let Some(id) = id {
        let _ = writeln!(frame, "id: {id}");
    }
    // JSON has no line breaks of its own.
    let data = serde_json::to_string(data).unwrap_or_default();
    let _ = write!(frame, "event: {event}\ndata: {data}\n\n");
    frame.into()
}

fn turn_frame(turn: &Turn, view: &games::View, language: Language) -> Bytes {
    frame("turn", Some(turn.turn), &TurnBody::new(turn, Some(view), language))
}

fn status_frame(view: &MatchView) -> Bytes {
    let deadline_ms = clock(view, Instant::now()).deadline_ms;
    let status = StatusData { status: (&view.stage).into(), submitted: &view.submitted, deadline_ms };
    frame("status", None, &status)
}

fn end_frame(outcome: Option<Outcome>, turns: u64) -> Bytes {
    frame("end", None, &EndEvent { outcome, turns })
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
