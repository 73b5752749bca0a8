//! Following games of tournaments that another process plays: the store is looked at for new lines, once for all who
//! watch the same game.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Bytes;
use tokio::sync::broadcast::{Receiver, Sender};
use tokio::time::{Instant, MissedTickBehavior, interval, interval_at};

use super::{
    Broadcast, BroadcastKey, PING, SentTurns, StatusData, StatusEvent, WAITING, come_again, end_frame, found, frame,
    locked, turn_frame,
};
use crate::arena::opening_view;
use crate::briefs::Language;
use crate::games::outcome::Outcome;
use crate::games::seat::Seats;
use crate::games::view::Viewer;
use crate::http::app::App;
use crate::http::error::ApiError;
use crate::http::wire::{MatchLine, Status};
use crate::matches::Replay;
use crate::store::MatchInfo;

/// How often the store is looked at.
const ROUND: Duration = Duration::from_millis(500);

/// Takes a place among a game's spectators, who know the first `since` turns.
pub(super) async fn join(
    app: &Arc<App>,
    info: MatchInfo,
    since: Option<u32>,
    language: Language,
) -> Result<(Vec<Bytes>, Option<Receiver<Bytes>>), ApiError> {
    let key: BroadcastKey = (info.id.clone(), Viewer::Public, language);
    let known = locked(&app.stands.stands).contains_key(&key);
    let fresh = if known { None } else { Some(Arc::new(Broadcast::in_play(read(app, &info.id).await?, language))) };
    let mut stands = locked(&app.stands.stands);
    let stand = match (stands.get(&key), fresh) {
        (Some(stand), _) => stand.clone(),
        (None, Some(stand)) => {
            stands.insert(key.clone(), stand.clone());
            tokio::spawn(follow(app.clone(), key, stand.clone()));
            stand
        }
        (None, None) => return Err(come_again(app)),
    };
    let told = locked(&stand.told);
    let mut frames = told.from(MatchLine::stored(&info), since);
    frames.push(frame("status", None, &playing()));
    Ok((frames, Some(stand.frames.subscribe())))
}

/// How a game stands as long as it is played. Nobody outside learns who has answered already.
fn playing() -> StatusData<'static> {
    static NOBODY: Seats = Seats::none();
    StatusData { status: Status::Playing, submitted: &NOBODY, deadline_ms: None }
}

/// A game, or a match of another process, as it stands in a list, with its board where that is wanted and nothing of it is hidden.
pub(in crate::http) async fn line(app: &App, info: &MatchInfo, with_board: bool) -> MatchLine {
    let mut line = MatchLine::stored(info);
    let opening = if with_board && info.lines == 0 { opening_view(info) } else { None };
    if let Some(view) = opening {
        line.state = Some(view.state());
        line.scene = Some(view.scene(&[]));
    } else if with_board && let Ok(replay) = read(app, &info.id).await {
        line.turn = replay.turns.len() as u64;
        let start = replay.start_view(Viewer::Public);
        let last = replay.turns.len().saturating_sub(1);
        let view = replay.into_shown(Viewer::Public, last, 1).pop().map_or(start, |(_, view)| view);
        line.state = Some(view.state());
        line.scene = Some(view.scene(&[]));
    }
    line
}

/// The game so far.
async fn read(app: &App, id: &str) -> Result<Replay, ApiError> {
    let record = found::stored_record(app, id).await?;
    if record.is_empty() {
        return Err(ApiError::missing("no_match", format!("the game `{id}` was broken off; it will be played again")));
    }
    found::replay(record).await?.map_err(|error| found::unreadable(&error))
}

impl Broadcast {
    /// Begins with what was played so far.
    fn in_play(replay: Replay, language: Language) -> Broadcast {
        let status = StatusEvent { status: Status::Playing, submitted: Seats::none(), deadline: None };
        let start = (0, replay.start_view(Viewer::Public));
        let mut told = SentTurns { start, turns: VecDeque::new(), status };
        for (turn, view) in replay.into_shown(Viewer::Public, 0, usize::MAX) {
            // Its seed may be played again on other seats when it is over.
            told.add(turn_frame(&turn.without_hash(), &view, language), view);
        }
        Broadcast { told: Mutex::new(told), frames: Sender::new(WAITING), viewer: Viewer::Public, language }
    }

    /// Tells of the turns that were played since, and whether that was the last.
    fn tell_of(&self, replay: Replay) -> bool {
        let mut told = locked(&self.told);
        let (played, known) = (replay.turns.len(), told.turn() as usize);
        let outcome = replay.result.as_ref();
        let outcome = outcome.map(|result| Outcome { places: result.places.clone(), reason: result.reason });
        let mut news = Vec::new();
        for (turn, view) in replay.into_shown(Viewer::Public, known, usize::MAX) {
            let frame = turn_frame(&turn.without_hash(), &view, self.language);
            news.extend_from_slice(&frame);
            told.add(frame, view);
        }
        let is_over = outcome.is_some();
        if is_over {
            news.extend_from_slice(&end_frame(outcome, played as u64));
        }
        if !news.is_empty() {
            let _ = self.frames.send(news.into());
        }
        is_over
    }
}

/// Tells the spectators what happens until the game is over, is broken off, or nobody looks on.
async fn follow(app: Arc<App>, key: BroadcastKey, stand: Arc<Broadcast>) {
    let mut round = interval(ROUND);
    round.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut ping = interval_at(Instant::now() + PING, PING);
    let mut lines = 0;
    loop {
        tokio::select! {
            _ = round.tick() => {
                let now = match app.store.game_in_play(&key.0).await {
                    Ok(game) => game.map(|game| game.info.lines),
                    Err(_) => break,
                };
                if now == Some(lines) {
                    continue;
                }
                // New turns, or it is over. Whoever cannot be told comes again, and learns why.
                let Ok(replay) = read(&app, &key.0).await else { break };
                let is_over = stand.tell_of(replay);
                match now {
                    Some(now) if !is_over => lines = now,
                    _ => break,
                }
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
