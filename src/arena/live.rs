//! One match that is being played, as its seats and its spectators see it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::remote::{Mailbox, Saying, SealedOrder};
use super::view::{Glance, HolderKind, MatchView, Moment, SeatStatus, Spent, Stage};
use super::{ActError, MatchSettings};
use crate::briefs::Language;
use crate::games::dice::Seed;
use crate::games::refusal::{Code, Refusal};
use crate::games::ruleset::Ruleset;
use crate::games::seat::{Seat, Seats};
use crate::games::table::{Accepted, Raw, Table};
use crate::games::view::Viewer;
use crate::matches::{self, Attempt, Replay, ReplayError, SeatInfo, Turn};
use crate::players::{TooLate, TurnLog};
use crate::referee::Clock;
use crate::store::{Change, KeyHash, Rival};

/// So many of the latest turns are kept as they are, or more where there are many seats. Older ones are lines of text.
const RECENT: usize = 8;

/// A match in the arena. What is sealed for a turn is in no method that anybody but its seat can call.
#[derive(Debug)]
pub struct Live {
    id: Arc<str>,
    seed: Seed,
    settings: MatchSettings,
    ruleset: Arc<Ruleset>,
    state: Mutex<LiveState>,
    /// Counts the changes that everybody may see.
    changes: watch::Sender<u64>,
    /// Counts those and, beside them, that somebody has acted.
    activity: watch::Sender<u64>,
    /// When somebody last looked or acted, in seconds of the arena's clock.
    touched: AtomicU64,
    /// When it was opened, in milliseconds since 1970.
    created: i64,
    /// When it last changed.
    updated: AtomicI64,
    /// The code that lets somebody join.
    invite: Option<KeyHash>,
    /// Whether it counts on the ladder.
    rated: bool,
    /// Whether the arena has closed.
    closed: AtomicBool,
    /// The referee, while one is at the table.
    referee: Mutex<Option<Referee>>,
}

/// A referee at the table.
#[derive(Debug)]
pub(super) struct Referee {
    pub(super) task: AbortHandle,
    /// Sends it home once what it has settled is written.
    pub(super) stop: CancellationToken,
}

#[derive(Debug)]
struct LiveState {
    stage: Stage,
    chairs: Vec<Chair>,
    table: Arc<Table>,
    /// The latest turns.
    recent: VecDeque<Moment>,
    lines: Vec<Box<str>>,
    clock: Option<Arc<Clock>>,
    /// Who sits where, as everybody may know.
    seats: Arc<[SeatStatus]>,
}

/// A seat of a match, and who may sit there.
#[derive(Debug)]
pub(super) struct Chair {
    pub(super) info: SeatInfo,
    pub(super) holder: Holder,
    pub(super) mail: Mailbox,
}

/// Who answers for a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// A player of the house, by the name in the seat's info.
    House,
    /// Whoever has the key, and the registered player who took the seat, if one did.
    Key(KeyHash, Option<Arc<str>>),
    /// The person who sits with whoever has this seat.
    With(Seat),
    /// Nobody yet: whoever joins takes it.
    Open,
}

impl Holder {
    fn kind(&self) -> HolderKind {
        match self {
            Holder::House => HolderKind::House,
            Holder::Key(_, Some(player)) => HolderKind::Player(player.clone()),
            Holder::Key(_, None) => HolderKind::Key,
            Holder::With(seat) => HolderKind::Beside(*seat),
            Holder::Open => HolderKind::Open,
        }
    }
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
        Live {
            id: id.into(),
            seed,
            settings,
            ruleset,
            state: Mutex::new(state),
            changes: watch::Sender::new(0),
            activity: watch::Sender::new(0),
            touched: AtomicU64::new(0),
            created: now(),
            updated: AtomicI64::new(now()),
            invite: None,
            rated: false,
            closed: AtomicBool::new(false),
            referee: Mutex::default(),
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

    /// The record so far, line by line.
    pub fn lines(&self) -> Vec<String> {
        self.state().lines.iter().map(ToString::to_string).collect()
    }

    /// The record as anybody may read it by now. While the match is played there is nothing in it to compute from; none
    /// where something is hidden.
    pub fn shown_record(&self) -> Option<String> {
        let (over, hides) = {
            let state = self.state();
            (state.stage == Stage::Over, state.table.hides())
        };
        if over {
            return Some(self.record());
        }
        (!hides).then(|| matches::record_in_play(&self.record()))
    }

    /// The record so far, each line with its end.
    pub fn record(&self) -> String {
        let state = self.state();
        let mut record = String::with_capacity(state.lines.iter().map(|line| line.len() + 1).sum());
        for line in &state.lines {
            record.push_str(line);
            record.push('\n');
        }
        record
    }

    /// The record so far, played again: every position of it. None before the match has begun.
    ///
    /// # Errors
    /// Never for a record that was made here.
    pub fn replay(&self) -> Result<Option<Replay>, ReplayError> {
        let record = self.record();
        if record.is_empty() { Ok(None) } else { Replay::read(record.as_bytes()).map(Some) }
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

    /// The turns that were played, from the one after `after` on.
    pub fn turns_after(&self, after: u32) -> Vec<Arc<Turn>> {
        let state = self.state();
        let oldest = state.recent.front().map_or(u32::MAX, |moment| moment.turn.turn);
        // The header is line 0, so turn n is line n.
        let older = state.lines.iter().skip(1).zip(1..).take_while(|(_, turn)| *turn < oldest);
        let older =
            older.filter(|(_, turn)| *turn > after).filter_map(|(line, _)| Turn::read(&self.ruleset, line).ok());
        let recent = state.recent.iter().map(|moment| &moment.turn).filter(|turn| turn.turn > after).cloned();
        older.map(Arc::new).chain(recent).collect()
    }

    /// The same with the positions, where all of them are among the latest few; [`Live::replay`] has the others.
    pub fn moments_after(&self, after: u32) -> Option<Vec<Moment>> {
        let state = self.state();
        let oldest = state.recent.front().map_or(state.table.turn() + 1, |moment| moment.turn.turn);
        (after + 1 >= oldest).then(|| state.recent.iter().filter(|moment| moment.turn.turn > after).cloned().collect())
    }

    /// What of [`Live::view`] tells whether it has changed.
    pub fn glance(&self, seat: Option<Seat>) -> Glance {
        let state = self.state();
        Glance {
            version: *self.changes.borrow(),
            your_turn: seat.is_some_and(|seat| state.awaits(seat)),
            stage: state.stage.clone(),
            turn: state.table.turn(),
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
        self.changes.subscribe()
    }

    /// Listens to every change, and to somebody's having acted in the turn at hand or a turn's clock having started.
    pub fn listen_closely(&self) -> watch::Receiver<u64> {
        self.activity.subscribe()
    }

    /// Takes a seat's action for the turn that the player saw, or for the one at hand.
    pub(super) fn seal(
        &self,
        seat: Seat,
        turn: Option<u32>,
        raw: Raw<'_>,
        reasoning: Option<&str>,
    ) -> Result<Taken, ActError> {
        let mut state = self.state();
        let state = &mut *state;
        let now = state.table.turn();
        if let Some(turn) = turn.filter(|turn| *turn < now) {
            // The same action again for a turn that is past: the answer got lost on its way, not the action.
            let reading = state.table.read(raw).map(|(action, _)| action.to_string());
            let did = state.turn(&self.ruleset, turn + 1);
            // What the referee drew for the seat was never its own.
            let did = did.as_ref().filter(|played| !played.lapses.contains_key(&seat));
            let did = did.and_then(|played| played.actions.get(&seat));
            return match (did, reading) {
                (Some(action), Ok(notation)) if *action == notation => Ok(Taken::Before(turn, notation)),
                _ => Err(ActError::Past { turn, now }),
            };
        }
        if let Some(turn) = turn.filter(|turn| *turn > now) {
            return Err(ActError::Future { turn, now });
        }
        match &state.stage {
            Stage::Gathering => return Err(ActError::Gathering { open: state.open() }),
            Stage::Over => return Err(ActError::Over),
            Stage::Suspended(why) => return Err(ActError::Suspended(why.clone())),
            Stage::Playing => {}
        }
        let mail = &mut state.chairs[seat.index()].mail;
        if mail.resigned {
            return Err(ActError::Resigned);
        }
        if !state.table.must_act(seat) {
            return Err(ActError::NotYourTurn { to_act: state.table.to_act() });
        }
        if let Some(sealed) = mail.sealed.as_ref().filter(|sealed| sealed.turn() == now) {
            let same = state.table.read(raw).is_ok_and(|(action, _)| action == *sealed.action());
            let action = sealed.notation().to_owned();
            return if same { Ok(Taken::Before(now, action)) } else { Err(ActError::Acted { action }) };
        }
        if mail.missed(now) {
            return Err(ActError::Past { turn: now, now: now + 1 });
        }
        let text = raw.to_string();
        let accepted = state.table.accept(seat, raw).map_err(|refusal| {
            mail.refuse(now, Attempt::refused(text, refusal.clone()));
            ActError::Refused(refusal)
        })?;
        Ok(Taken::Now(accepted.with_reasoning(reasoning)))
    }

    /// Puts an action into the mailbox and tells the referee.
    ///
    /// # Errors
    /// If the seat's time was up before it came.
    pub(super) fn deliver(&self, sealed: Accepted) -> Result<(), ActError> {
        let mut state = self.state();
        let mail = &mut state.chairs[sealed.seat().index()].mail;
        let (turn, action) = (sealed.turn(), sealed.action().clone());
        if let Err(TooLate) = mail.deliver(sealed) {
            // The same may have come twice at once; another one is too late for the one that was first.
            let first = mail.sealed.as_ref().filter(|sealed| sealed.turn() == turn);
            return match first {
                Some(sealed) if *sealed.action() == action => Ok(()),
                Some(sealed) => Err(ActError::Acted { action: sealed.notation().to_owned() }),
                None => Err(ActError::Past { turn, now: turn + 1 }),
            };
        }
        drop(state);
        self.stir();
        Ok(())
    }

    /// Takes up an action that was sealed before the match was left, and reads it again. One for a turn that is played is
    /// done with.
    ///
    /// # Errors
    /// With the rule that it breaks.
    pub(super) fn take_up(&self, seat: Seat, sealed: &SealedOrder) -> Result<(), Refusal> {
        let mut state = self.state();
        if sealed.turn == state.table.turn() {
            let accepted = state.table.accept(seat, &sealed.action)?.with_reasoning(sealed.reasoning.as_deref());
            state.chairs[seat.index()].mail.sealed = Some(accepted);
        }
        Ok(())
    }

    /// Takes what a seat says beside its next action.
    pub(super) fn say(&self, seat: Seat, text: &str) -> Result<(), ActError> {
        let mut state = self.state();
        if state.stage == Stage::Over {
            return Err(ActError::Over);
        }
        self.ruleset.speech.check_beside(text).map_err(ActError::Refused)?;
        let turn = state.table.turn();
        let mail = &mut state.chairs[seat.index()].mail;
        if mail.say.is_some() {
            let why = "one message a turn; yours waits for your next action";
            return Err(ActError::Refused(Refusal::new(Code::BadRequest, why)));
        }
        mail.say = Some(Saying { turn, text: text.trim().to_owned() });
        Ok(())
    }

    /// The seat gives up; the match learns of it when the seat is next to act.
    pub(super) fn resign(&self, seat: Seat) -> Result<(), ActError> {
        let mut state = self.state();
        if state.stage == Stage::Over {
            return Err(ActError::Over);
        }
        state.chairs[seat.index()].mail.resign();
        Ok(())
    }

    /// The referee asks a seat for a turn.
    pub(super) fn asked(&self, seat: Seat, turn: u32, log: &TurnLog) {
        self.state().chairs[seat.index()].mail.ask(turn, log);
    }

    /// Takes the clocks of a turn that begins.
    pub(super) fn set_clock(&self, clock: Clock) {
        self.state().clock = Some(Arc::new(clock));
        self.stir();
    }

    /// The seat that a key opens.
    pub(super) fn seat_of(&self, key: &KeyHash) -> Option<Seat> {
        let opens = |holder: &Holder| matches!(holder, Holder::Key(hash, _) if hash.is(key));
        self.state().chairs.iter().find(|chair| opens(&chair.holder)).map(|chair| chair.info.seat)
    }

    /// The seats that a registered player took.
    pub(super) fn seats_of(&self, player: &str) -> Vec<Seat> {
        let theirs = |holder: &Holder| matches!(holder, Holder::Key(_, Some(holder)) if **holder == *player);
        let state = self.state();
        state.chairs.iter().filter(|chair| theirs(&chair.holder)).map(|chair| chair.info.seat).collect()
    }

    /// The seat of the person who sits with whoever has this one.
    pub(super) fn person_with(&self, seat: Seat) -> Option<Seat> {
        let state = self.state();
        state.chairs.iter().find(|chair| chair.holder == Holder::With(seat)).map(|chair| chair.info.seat)
    }

    /// Gives an open seat to whoever has this key.
    pub(super) fn take_seat(&self, seat: Option<Seat>, holder: Holder, name: &str) -> Result<Seat, ActError> {
        let mut state = self.state();
        let open = state.open();
        let seat = match seat {
            Some(seat) if open.contains(&seat) => seat,
            Some(seat) => return Err(ActError::Taken { seat, open }),
            None => *open.first().ok_or(ActError::Full)?,
        };
        let chair = &mut state.chairs[seat.index()];
        chair.holder = holder;
        name.clone_into(&mut chair.info.player);
        let sitting = SeatStatus::new(chair.info.clone(), chair.holder.kind());
        Arc::make_mut(&mut state.seats)[seat.index()] = sitting;
        drop(state);
        self.tell();
        Ok(seat)
    }

    /// Opens a seat again whose taker could not be written down.
    pub(super) fn leave_seat(&self, seat: Seat) {
        let mut state = self.state();
        let chair = &mut state.chairs[seat.index()];
        chair.holder = Holder::Open;
        "open".clone_into(&mut chair.info.player);
        let sitting = SeatStatus::new(chair.info.clone(), HolderKind::Open);
        Arc::make_mut(&mut state.seats)[seat.index()] = sitting;
        drop(state);
        self.tell();
    }

    pub(super) fn is_full(&self) -> bool {
        self.state().chairs.iter().all(|chair| chair.holder != Holder::Open)
    }

    /// Who sits where.
    pub(super) fn chairs(&self) -> Vec<(SeatInfo, Holder)> {
        self.state().chairs.iter().map(|chair| (chair.info.clone(), chair.holder.clone())).collect()
    }

    /// Who gave up, and what waits to be said.
    pub(super) fn pending(&self) -> (Vec<Seat>, Vec<(Seat, Saying)>) {
        let state = self.state();
        let resigned = state.chairs.iter().filter(|chair| chair.mail.resigned).map(|chair| chair.info.seat);
        let said = state.chairs.iter().filter_map(|chair| Some((chair.info.seat, chair.mail.say.clone()?)));
        (resigned.collect(), said.collect())
    }

    /// Puts back into a mailbox what was found again.
    pub(super) fn put_back(&self, resigned: &[Seat], said: Vec<(Seat, Saying)>) {
        let mut state = self.state();
        for seat in resigned {
            state.chairs[seat.index()].mail.resigned = true;
        }
        for (seat, saying) in said {
            state.chairs[seat.index()].mail.say = Some(saying);
        }
    }

    /// Notes who referees, unless somebody does already.
    pub(super) fn referee_with(&self, start: impl FnOnce() -> Referee) {
        let mut referee = self.referee.lock().unwrap_or_else(PoisonError::into_inner);
        if referee.as_ref().is_none_or(|referee| referee.task.is_finished()) {
            *referee = Some(start());
        }
    }

    /// Whether a referee is at the table.
    pub(super) fn is_refereed(&self) -> bool {
        let referee = self.referee.lock().unwrap_or_else(PoisonError::into_inner);
        referee.as_ref().is_some_and(|referee| !referee.task.is_finished())
    }

    /// Sends the referee home; the match stays as it is.
    pub(super) fn stop(&self) {
        if let Some(referee) = self.referee.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            referee.stop.cancel();
        }
    }

    /// Ends everybody's waiting: the arena closes, and the match goes on in another.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.stop();
        self.tell();
    }

    /// Whether the arena has closed: nothing more happens in this match here.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Who came in where, once the match is over and if it counts.
    pub(super) fn rating(&self, table: &Table) -> Option<Change> {
        let outcome = table.outcome().filter(|_| self.rated)?;
        let state = self.state();
        let places = state.chairs.iter().filter_map(|chair| {
            let rival = match &chair.holder {
                Holder::House => Rival::House(chair.info.player.clone()),
                Holder::Key(_, Some(player)) => Rival::Player(player.to_string()),
                Holder::Key(_, None) | Holder::With(_) | Holder::Open => return None,
            };
            Some((rival, *outcome.places.get(&chair.info.seat)?))
        });
        let places = places.collect();
        Some(Change::Rate { match_id: self.id.to_string(), ruleset: self.ruleset.name.clone(), places })
    }

    pub(super) fn enter(&self, stage: Stage) {
        self.state().stage = stage;
        self.tell();
    }

    /// Takes a line of the record, the turn that it tells of and the position that it led to.
    pub(super) fn publish(&self, table: &Arc<Table>, turn: Option<Arc<Turn>>, line: Box<str>) {
        let mut state = self.state();
        state.lines.push(line);
        if let Some(turn) = turn {
            state.count(&turn);
            let before = state.table.clone();
            state.keep(Moment { turn, before, table: table.clone() });
        }
        state.table = table.clone();
        if table.outcome().is_some() {
            state.stage = Stage::Over;
        }
        drop(state);
        self.updated.store(now(), Ordering::Relaxed);
        self.tell();
    }

    /// Takes up a record where it ends.
    pub(super) fn restore(&self, replay: Replay, lines: Vec<Box<str>>) {
        let mut state = self.state();
        let state = &mut *state;
        state.table = Arc::new(replay.start);
        for step in replay.turns {
            let table = Arc::new(step.table.clone());
            let turn = Arc::new(Turn::from(step));
            let before = std::mem::replace(&mut state.table, table.clone());
            state.count(&turn);
            state.keep(Moment { turn, before, table });
        }
        state.stage = if state.table.outcome().is_some() { Stage::Over } else { Stage::Playing };
        state.lines = lines;
    }

    /// Notes that somebody is interested.
    pub(super) fn touch(&self, now: u64) {
        self.touched.store(now, Ordering::Relaxed);
    }

    pub(super) fn touched(&self) -> u64 {
        self.touched.load(Ordering::Relaxed)
    }

    fn tell(&self) {
        self.changes.send_modify(|version| *version += 1);
        self.stir();
    }

    fn stir(&self) {
        self.activity.send_modify(|version| *version += 1);
    }

    fn state(&self) -> MutexGuard<'_, LiveState> {
        // Nothing that runs under the lock leaves a half-done change behind.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How an action was taken.
pub(super) enum Taken {
    /// It is to be delivered.
    Now(Accepted),
    /// The same had come before.
    Before(u32, String),
}

impl LiveState {
    fn sealed(&self, seat: Seat) -> Option<&Accepted> {
        self.chairs[seat.index()].mail.sealed.as_ref().filter(|sealed| sealed.turn() == self.table.turn())
    }

    /// Whose mailbox has an action for the turn at hand.
    fn submitted(&self) -> Seats {
        let mut submitted = Seats::none();
        for seat in self.table.to_act().iter().filter(|seat| self.sealed(*seat).is_some()) {
            submitted.insert(seat);
        }
        submitted
    }

    fn awaits(&self, seat: Seat) -> bool {
        let mail = &self.chairs[seat.index()].mail;
        let missed = mail.missed(self.table.turn());
        self.stage == Stage::Playing
            && self.table.must_act(seat)
            && self.sealed(seat).is_none()
            && !mail.resigned
            && !missed
    }

    fn open(&self) -> Vec<Seat> {
        let open = self.chairs.iter().filter(|chair| chair.holder == Holder::Open);
        open.map(|chair| chair.info.seat).collect()
    }

    /// A turn that was played.
    fn turn(&self, ruleset: &Ruleset, turn: u32) -> Option<Arc<Turn>> {
        let recent = self.recent.iter().find(|moment| moment.turn.turn == turn);
        let read = || Turn::read(ruleset, self.lines.get(turn as usize)?).ok().map(Arc::new);
        recent.map(|moment| moment.turn.clone()).or_else(read)
    }

    /// Who sits where. What players spend tells how much they see, where something is hidden.
    fn seats_shown(&self) -> Arc<[SeatStatus]> {
        if !self.table.hides() {
            return self.seats.clone();
        }
        self.seats.iter().map(|seat| SeatStatus { spent: Spent::default(), ..seat.clone() }).collect()
    }

    /// As much of a turn as somebody may know by now.
    fn told(&self, moment: &Moment, viewer: Viewer) -> Arc<Turn> {
        moment.told(if self.stage == Stage::Over { Viewer::After } else { viewer })
    }

    fn keep(&mut self, moment: Moment) {
        // Whoever is still in the match has acted among as many turns as there are seats.
        while self.recent.len() >= RECENT.max(2 * self.chairs.len()) {
            self.recent.pop_front();
        }
        self.recent.push_back(moment);
    }

    /// Takes into account who lapsed in a turn and what it cost.
    fn count(&mut self, turn: &Turn) {
        if turn.lapses.is_empty() && turn.calls.is_empty() {
            return;
        }
        for sitting in Arc::make_mut(&mut self.seats) {
            sitting.count(turn);
        }
    }
}

/// Milliseconds since 1970.
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
