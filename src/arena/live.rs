//! One match that is being played, as its seats and its spectators see it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::MatchSettings;
use super::seats::Chair;
use super::task::{Answering, Command};
use super::view::{Glance, MatchView, Moment, SeatStatus, Stage};
use crate::briefs::Language;
use crate::games::dice::Seed;
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::games::table::Table;
use crate::games::view::Viewer;
use crate::referee::Clock;
use crate::store::{Change, KeyHash};

/// Whoever was heard of within this time plays or watches.
const ATTENDED: Duration = Duration::from_mins(2);

/// A match in the arena. What is sealed for a turn is in no method that anybody but its seat can call.
///
/// Everybody may look at it; whatever changes it is a command to the task that owns it.
#[derive(Debug)]
pub struct Live {
    pub(super) id: Arc<str>,
    seed: Seed,
    settings: MatchSettings,
    pub(super) ruleset: Arc<Ruleset>,
    state: Mutex<LiveState>,
    /// Counts the changes that everybody may see.
    changes: watch::Sender<u64>,
    /// Counts those and, beside them, that somebody has acted.
    activity: watch::Sender<u64>,
    /// When somebody last looked or acted, in seconds of the arena's clock.
    touched: AtomicU64,
    /// When somebody who plays or watches was last heard of; never, since it was taken up, where there is none.
    attended: Mutex<Option<Instant>>,
    /// Tells that somebody is there.
    arrival: Notify,
    /// When it was opened, in milliseconds since 1970.
    created: i64,
    /// When it last changed.
    pub(super) updated: AtomicI64,
    /// The code that lets somebody join.
    invite: Option<KeyHash>,
    /// Whether it counts on the ladder.
    pub(super) rated: bool,
    /// Whether the arena has closed, or lost the match.
    closed: AtomicBool,
    /// The change of hands since which it is this process's, which every write to it carries.
    epoch: u64,
    /// What the task that owns the match is told, and where that finds it.
    commands: mpsc::UnboundedSender<Command>,
    inbox: Mutex<Option<mpsc::UnboundedReceiver<Command>>>,
    /// Ends the task once what it was told is done; the match stays as it is.
    stop: CancellationToken,
}

#[derive(Debug)]
pub(super) struct LiveState {
    pub(super) stage: Stage,
    pub(super) chairs: Vec<Chair>,
    pub(super) table: Arc<Table>,
    /// The latest turns.
    pub(super) recent: VecDeque<Moment>,
    pub(super) lines: Vec<Box<str>>,
    clock: Option<Arc<Clock>>,
    /// Who sits where, as everybody may know.
    pub(super) seats: Arc<[SeatStatus]>,
}

impl Live {
    pub(super) fn new(id: String, settings: MatchSettings, seed: Seed, table: Table, chairs: Vec<Chair>) -> Live {
        let seats = chairs.iter().map(|chair| SeatStatus::new(chair.info.clone(), chair.holder.kind())).collect();
        let ruleset = table.ruleset().clone();
        let state = LiveState {
            stage: Stage::Gathering,
            chairs,
            table: Arc::new(table),
            recent: VecDeque::new(),
            lines: Vec::new(),
            clock: None,
            seats,
        };
        let (commands, inbox) = mpsc::unbounded_channel();
        Live {
            id: id.into(),
            seed,
            settings,
            ruleset,
            state: Mutex::new(state),
            changes: watch::Sender::new(0),
            activity: watch::Sender::new(0),
            touched: AtomicU64::new(0),
            attended: Mutex::default(),
            arrival: Notify::new(),
            created: now(),
            updated: AtomicI64::new(now()),
            invite: None,
            rated: false,
            closed: AtomicBool::new(false),
            // A new match is its opener's.
            epoch: 1,
            commands,
            inbox: Mutex::new(Some(inbox)),
            stop: CancellationToken::new(),
        }
    }

    /// The same with a code that lets somebody join.
    pub(super) fn inviting(mut self, invite: Option<KeyHash>) -> Live {
        self.invite = invite;
        self
    }

    /// The same, if it is to count on the ladder.
    pub(super) fn rated_if(mut self, rated: bool) -> Live {
        self.rated = rated;
        self
    }

    /// The same with the time at which it was opened and last changed.
    pub(super) fn since(mut self, created: i64, updated: i64) -> Live {
        self.created = created;
        self.updated = AtomicI64::new(updated);
        self
    }

    /// The same as it was taken up.
    pub(super) fn owned(mut self, epoch: u64) -> Live {
        self.epoch = epoch;
        self
    }

    /// What every write to the match carries: another process that has taken it up has another epoch.
    pub(super) fn fence(&self) -> Change {
        Change::Fence { name: self.id.to_string(), epoch: self.epoch }
    }

    /// The change of hands since which it is this process's.
    pub(super) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The match's name.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether it counts on the ladder.
    pub fn is_rated(&self) -> bool {
        self.rated
    }

    /// Whether only those with the invite code can join.
    pub fn is_private(&self) -> bool {
        self.settings.private
    }

    /// Whether this is the code that lets somebody join.
    pub fn is_invite(&self, code: &str) -> bool {
        self.invite.is_some_and(|invite| invite.is(&KeyHash::of(code.trim())))
    }

    pub(super) fn invite(&self) -> Option<KeyHash> {
        self.invite
    }

    /// Where its chance comes from.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// When it was opened, in milliseconds since 1970.
    pub fn created(&self) -> i64 {
        self.created
    }

    /// When it last changed, likewise.
    pub fn updated(&self) -> i64 {
        self.updated.load(Ordering::Relaxed)
    }

    /// The language of the match.
    pub fn language(&self) -> Language {
        self.settings.language
    }

    /// Whether players are shown what they may do.
    pub fn legal_shown(&self) -> bool {
        !self.settings.withhold_legal
    }

    /// How it is played, beside its rules.
    pub fn settings(&self) -> MatchSettings {
        self.settings
    }

    /// The rules that the match is played by.
    pub fn ruleset(&self) -> Arc<Ruleset> {
        self.ruleset.clone()
    }

    /// How many seconds whoever is not of the house has for a turn; 0 is no limit.
    pub fn turn_seconds(&self) -> u32 {
        if self.settings.unhurried { 0 } else { self.ruleset.policy.turn_seconds }
    }

    /// How fast it is played at the most.
    pub fn pace(&self) -> Duration {
        let seconds = if self.settings.ticks { self.ruleset.policy.tick_seconds } else { 0 };
        Duration::from_secs(seconds.into())
    }

    /// How far it is.
    pub fn stage(&self) -> Stage {
        self.state().stage.clone()
    }

    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        self.state().stage == Stage::Over
    }

    /// Whether something of the match is hidden from somebody by now.
    pub fn hides(&self) -> bool {
        self.state().table.hides()
    }

    /// How many turns were played.
    pub fn turn(&self) -> u32 {
        self.state().table.turn()
    }

    /// What of [`Live::view`] tells whether it has changed.
    pub fn glance(&self, seat: Option<Seat>) -> Glance {
        let state = self.state();
        Glance {
            version: *self.changes.borrow(),
            your_turn: seat.is_some_and(|seat| state.awaits(seat)),
            stage: state.stage.clone(),
            turn: state.table.turn(),
            resigned: seat.is_some_and(|seat| state.chairs[seat.index()].mail.resigned),
        }
    }

    /// The match as a seat, or a spectator, may see it.
    pub fn view(&self, seat: Option<Seat>) -> MatchView {
        let state = self.state();
        let recent = &state.recent;
        let first = match seat {
            Some(seat) => recent.iter().rposition(|moment| moment.turn.actions.contains_key(&seat)).unwrap_or(0),
            None => recent.len().saturating_sub(1),
        };
        let (turn, viewer) = (state.table.turn(), Viewer::from(seat));
        MatchView {
            match_id: self.id.clone(),
            seat,
            stage: state.stage.clone(),
            your_turn: seat.is_some_and(|seat| state.awaits(seat)),
            resigned: seat.is_some_and(|seat| state.chairs[seat.index()].mail.resigned),
            sealed: seat.and_then(|seat| state.sealed(seat)).map(|sealed| sealed.notation().to_owned()),
            submitted: state.submitted(),
            clock: state.clock.clone().filter(|clock| clock.turn == turn && state.stage == Stage::Playing),
            recent: recent.range(first.min(recent.len())..).map(|moment| state.told(moment, viewer)).collect(),
            seen: state.table.view(viewer),
            seats: state.seats_shown(),
            open: state.open(),
            version: *self.changes.borrow(),
        }
    }

    /// Waits until the match is not as it was at `version`, or the time is up.
    pub async fn changed(&self, version: u64, at_most: Duration) {
        let mut changes = self.changes.subscribe();
        let is_news = |now: &u64| *now != version || self.is_closed();
        let _ = tokio::time::timeout(at_most, changes.wait_for(is_news)).await;
    }

    /// Waits until a seat is awaited or there is nothing more to wait for, or the time is up.
    pub async fn turn_of(&self, seat: Seat, at_most: Duration) {
        let until = Instant::now() + at_most;
        loop {
            let version = *self.changes.borrow();
            {
                let state = self.state();
                let done = matches!(state.stage, Stage::Over | Stage::Suspended(_));
                if done || state.awaits(seat) || state.chairs[seat.index()].mail.resigned {
                    return;
                }
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || self.is_closed() {
                return;
            }
            self.changed(version, left).await;
        }
    }

    /// Listens to every change.
    pub fn listen(&self) -> watch::Receiver<u64> {
        self.attend();
        self.changes.subscribe()
    }

    /// Listens to every change, and to somebody's having acted in the turn at hand or a turn's clock having started.
    pub fn listen_closely(&self) -> watch::Receiver<u64> {
        self.attend();
        self.activity.subscribe()
    }

    /// Takes the clocks of a turn that begins.
    pub(super) fn set_clock(&self, clock: Clock) {
        self.state().clock = Some(Arc::new(clock));
        self.tell_activity();
    }

    /// Ends the task that owns the match, and with it the referee, once what is settled is written.
    pub(super) fn stop(&self) {
        self.stop.cancel();
    }

    /// Tells when the task is to end.
    pub(super) fn stopping(&self) -> &CancellationToken {
        &self.stop
    }

    /// Tells the task that owns the match something; whether it is still there.
    pub(super) fn command(&self, command: Command) -> bool {
        self.commands.send(command).is_ok()
    }

    /// Tells it something and waits for the answer. None where the task has ended: then nothing has happened.
    pub(super) async fn ask<T, E>(&self, command: impl FnOnce(Answering<T, E>) -> Command) -> Option<Result<T, E>> {
        let (answer, told) = oneshot::channel();
        if self.command(command(answer)) { told.await.ok() } else { None }
    }

    /// A way for the referee to tell it what is settled.
    pub(super) fn commands(&self) -> mpsc::UnboundedSender<Command> {
        self.commands.clone()
    }

    /// What the task is told, for the one task that owns the match.
    pub(super) fn inbox(&self) -> Option<mpsc::UnboundedReceiver<Command>> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Ends everybody's waiting: the arena closes or has lost the match, which goes on in another.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.stop();
        self.tell();
    }

    /// Whether nothing more happens in this match here: the arena has closed, or another process plays it.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    pub(super) fn enter(&self, stage: Stage) {
        self.state().stage = stage;
        self.tell();
    }

    /// Notes that somebody is interested.
    pub(super) fn touch(&self, now: u64) {
        self.touched.store(now, Ordering::Relaxed);
    }

    pub(super) fn touched(&self) -> u64 {
        self.touched.load(Ordering::Relaxed)
    }

    /// Notes that somebody who plays or watches is there.
    pub(super) fn attend(&self) {
        *self.attended.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        self.arrival.notify_waiters();
    }

    /// Whether somebody plays or watches: they were heard of lately, or follow it.
    pub(super) fn is_attended(&self) -> bool {
        let heard = *self.attended.lock().unwrap_or_else(PoisonError::into_inner);
        let follow = self.changes.receiver_count() + self.activity.receiver_count();
        follow > 0 || heard.is_some_and(|heard| heard.elapsed() < ATTENDED)
    }

    /// Waits until somebody is there.
    pub(super) async fn attended(&self) {
        loop {
            let arrival = self.arrival.notified();
            if self.is_attended() {
                return;
            }
            arrival.await;
        }
    }

    pub(super) fn tell(&self) {
        self.changes.send_modify(|version| *version += 1);
        self.tell_activity();
    }

    pub(super) fn tell_activity(&self) {
        self.activity.send_modify(|version| *version += 1);
    }

    pub(super) fn state(&self) -> MutexGuard<'_, LiveState> {
        // Nothing that runs under the lock leaves a half-done change behind.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Milliseconds since 1970.
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
