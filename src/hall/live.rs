//! One match that is being played, as its seats and its spectators see it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::remote::{MOST_ATTEMPTS, Mailbox, Sealed};
use super::{ActError, Settings};
use crate::briefs::Language;
use crate::matches::{Record, Replay, SeatInfo, Step};
use crate::players::{Answer, Attempt, PlayerError, Problem};
use crate::rules::dice::Seed;
use crate::rules::refusal::{Code, Refusal};
use crate::rules::ruleset::Ruleset;
use crate::rules::seat::{Seat, Seats};
use crate::rules::speech::MAX_REASONING;
use crate::rules::table::{Event, Table};
use crate::store::KeyHash;

/// A match in the hall. What is sealed for a turn is in no method that anybody but its seat can call.
#[derive(Debug)]
pub struct Live {
    id: String,
    seed: Seed,
    settings: Settings,
    state: Mutex<State>,
    /// Counts the changes that everybody may see.
    changes: watch::Sender<u64>,
    /// When somebody last looked or acted, in seconds of the hall's clock.
    touched: AtomicU64,
    /// The referee, while one is at the table.
    referee: Mutex<Option<AbortHandle>>,
}

#[derive(Debug)]
struct State {
    stage: Stage,
    chairs: Vec<Chair>,
    table: Table,
    turns: Vec<Played>,
    lines: Vec<String>,
}

/// A seat of a match, and who may sit there.
#[derive(Debug)]
pub(super) struct Chair {
    pub(super) info: SeatInfo,
    pub(super) holder: Holder,
    pub(super) mail: Mailbox,
}

/// Who answers for a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// A player of the house, by the name in the seat's info.
    House,
    /// Whoever has the key.
    Key(KeyHash),
    /// The person who sits with whoever has this seat.
    With(Seat),
    /// Nobody yet.
    Open,
}

/// How far a match is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Seats are still open.
    Gathering,
    /// It is played.
    Playing,
    /// A player of the house cannot be reached; nobody has lost.
    Suspended(String),
    /// It has ended.
    Over,
}

/// A turn that was played.
#[derive(Clone, Debug)]
pub struct Played {
    /// Counted from 1.
    pub turn: u32,
    /// Who did what, in notation.
    pub actions: Vec<(Seat, String)>,
    /// What came of it.
    pub events: Vec<Event>,
    /// What was said beside it.
    pub said: Vec<(Seat, String)>,
}

/// As much of a [`View`] as shows whether it is still the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glance {
    /// Goes up with every change that everybody may see.
    pub version: u64,
    /// Whether the seat is awaited.
    pub your_turn: bool,
    /// How far the match is.
    pub stage: Stage,
}

/// A match as one seat, or a spectator, sees it at one moment.
#[derive(Clone, Debug)]
pub struct View {
    /// The match's name.
    pub match_id: String,
    /// Whose view; none for a spectator.
    pub seat: Option<Seat>,
    /// How far the match is.
    pub stage: Stage,
    /// The position.
    pub table: Table,
    /// Whether this seat is awaited.
    pub your_turn: bool,
    /// Whether this seat has acted in the turn at hand.
    pub acted: bool,
    /// What happened since this seat's last turn, that turn included; for a spectator, in the last turn.
    pub since: Vec<Event>,
    /// What the others said in that time.
    pub said: Vec<(Seat, String)>,
    /// Who sits where.
    pub seats: Vec<SeatInfo>,
    /// The seats that nobody has taken yet.
    pub open: Vec<Seat>,
    /// Goes up with every change that everybody may see.
    pub version: u64,
}

impl Live {
    pub(super) fn new(id: String, settings: Settings, seed: Seed, table: Table, chairs: Vec<Chair>) -> Live {
        let state = State { stage: Stage::Gathering, chairs, table, turns: Vec::new(), lines: Vec::new() };
        Live {
            id,
            seed,
            settings,
            state: Mutex::new(state),
            changes: watch::Sender::new(0),
            touched: AtomicU64::new(0),
            referee: Mutex::default(),
        }
    }

    /// The match's name.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Where its chance comes from.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// The language of the match.
    pub fn language(&self) -> Language {
        self.settings.language
    }

    /// Whether players are shown what they may do.
    pub fn legal_shown(&self) -> bool {
        !self.settings.withhold_legal
    }

    pub(super) fn settings(&self) -> Settings {
        self.settings
    }

    /// Its rules.
    pub fn ruleset(&self) -> Arc<Ruleset> {
        self.state().table.ruleset().clone()
    }

    /// The record so far, line by line.
    pub fn lines(&self) -> Vec<String> {
        self.state().lines.clone()
    }

    /// How far it is.
    pub fn stage(&self) -> Stage {
        self.state().stage.clone()
    }

    /// The turns that were played, from the one after `after` on.
    pub fn turns_after(&self, after: u32) -> Vec<Played> {
        self.state().turns.iter().filter(|played| played.turn > after).cloned().collect()
    }

    /// What of [`Live::view`] tells whether it has changed.
    pub fn glance(&self, seat: Option<Seat>) -> Glance {
        let state = self.state();
        Glance {
            version: *self.changes.borrow(),
            your_turn: seat.is_some_and(|seat| state.awaits(seat)),
            stage: state.stage.clone(),
        }
    }

    /// The match as a seat, or a spectator, may see it.
    pub fn view(&self, seat: Option<Seat>) -> View {
        let state = self.state();
        let first = match seat {
            Some(seat) => {
                let last = state.turns.iter().rposition(|played| played.actions.iter().any(|(who, _)| *who == seat));
                last.unwrap_or(0)
            }
            None => state.turns.len().saturating_sub(1),
        };
        let recent = &state.turns[first.min(state.turns.len())..];
        let said = recent.iter().flat_map(|played| &played.said).filter(|(who, _)| Some(*who) != seat);
        View {
            match_id: self.id.clone(),
            seat,
            stage: state.stage.clone(),
            your_turn: seat.is_some_and(|seat| state.awaits(seat)),
            acted: seat.is_some_and(|seat| state.sealed(seat).is_some()),
            since: recent.iter().flat_map(|played| played.events.clone()).collect(),
            said: said.cloned().collect(),
            table: state.table.clone(),
            seats: state.chairs.iter().map(|chair| chair.info.clone()).collect(),
            open: state.open(),
            version: *self.changes.borrow(),
        }
    }

    /// Waits until the match is not as it was at `version`, or the time is up.
    pub async fn changed(&self, version: u64, at_most: Duration) {
        let mut changes = self.changes.subscribe();
        let _ = tokio::time::timeout(at_most, changes.wait_for(|now| *now != version)).await;
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
            if left.is_zero() {
                return;
            }
            self.changed(version, left).await;
        }
    }

    /// Listens to every change.
    pub fn listen(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Takes a seat's action for the turn that the player saw, or for the one at hand.
    pub(super) fn seal(
        &self,
        seat: Seat,
        turn: Option<u32>,
        raw: &str,
        reasoning: Option<&str>,
    ) -> Result<Taken, ActError> {
        let mut state = self.state();
        let state = &mut *state;
        let now = state.table.turn();
        if let Some(turn) = turn.filter(|turn| *turn < now) {
            // The same action again for a turn that is past: the answer got lost on its way, not the action.
            let reading = state.table.read(raw).map(|reading| reading.notation);
            let did = state.turns.iter().find(|played| played.turn == turn + 1);
            let did = did.and_then(|played| played.actions.iter().find(|(who, _)| *who == seat));
            return match (did, reading) {
                (Some((_, action)), Ok(notation)) if *action == notation => Ok(Taken::Before),
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
        if !state.table.to_act().contains(seat) {
            return Err(ActError::NotYourTurn { to_act: state.table.to_act() });
        }
        if let Some(sealed) = mail.sealed.as_ref().filter(|sealed| sealed.turn == now) {
            let same = state.table.read(raw).is_ok_and(|reading| reading.notation == sealed.action);
            return if same { Ok(Taken::Before) } else { Err(ActError::Acted { action: sealed.action.clone() }) };
        }
        let reading = state.table.accept(seat, raw).map_err(|refusal| {
            if mail.refused.len() < MOST_ATTEMPTS {
                mail.refused.push(Attempt { text: raw.to_owned(), problem: Problem::Refused(refusal.clone()) });
            }
            ActError::Refused(refusal)
        })?;
        let reasoning = reading.reasoning.or_else(|| reasoning.map(|text| text.chars().take(MAX_REASONING).collect()));
        Ok(Taken::Now(Sealed { turn: now, action: reading.notation, reasoning }))
    }

    /// Puts an action into the mailbox and tells the referee.
    pub(super) fn deliver(&self, seat: Seat, sealed: Sealed) {
        let mut state = self.state();
        let mail = &mut state.chairs[seat.index()].mail;
        mail.sealed = Some(sealed);
        mail.bell.notify_one();
    }

    /// Takes what a seat says beside its next action.
    pub(super) fn say(&self, seat: Seat, text: &str) -> Result<(), ActError> {
        let mut state = self.state();
        if state.stage == Stage::Over {
            return Err(ActError::Over);
        }
        state.table.ruleset().speech.check_beside(text).map_err(ActError::Refused)?;
        let mail = &mut state.chairs[seat.index()].mail;
        if mail.say.is_some() {
            let why = "one message a turn; yours waits for your next action";
            return Err(ActError::Refused(Refusal::new(Code::BadRequest, why)));
        }
        mail.say = Some(text.trim().to_owned());
        Ok(())
    }

    /// The seat gives up; the match learns of it when the seat is next to act.
    pub(super) fn resign(&self, seat: Seat) -> Result<(), ActError> {
        let mut state = self.state();
        if state.stage == Stage::Over {
            return Err(ActError::Over);
        }
        let mail = &mut state.chairs[seat.index()].mail;
        mail.resigned = true;
        mail.bell.notify_one();
        Ok(())
    }

    /// What the mailbox has for this turn.
    pub(super) fn take_answer(&self, seat: Seat, turn: u32) -> Option<Result<Answer, PlayerError>> {
        let mut state = self.state();
        let mail = &mut state.chairs[seat.index()].mail;
        if mail.resigned {
            return Some(Err(PlayerError::Resigned));
        }
        let sealed = mail.sealed.as_ref().filter(|sealed| sealed.turn == turn)?;
        let (action, reasoning) = (sealed.action.clone(), sealed.reasoning.clone());
        Some(Ok(Answer { action, reasoning, say: mail.say.take(), calls: Vec::new() }))
    }

    /// What was refused in the turn at hand.
    pub(super) fn take_refused(&self, seat: Seat) -> Vec<Attempt> {
        std::mem::take(&mut self.state().chairs[seat.index()].mail.refused)
    }

    pub(super) fn bell(&self, seat: Seat) -> Arc<Notify> {
        self.state().chairs[seat.index()].mail.bell.clone()
    }

    /// The seat that a key opens.
    pub(super) fn seat_of(&self, key: &KeyHash) -> Option<Seat> {
        let opens = |holder: &Holder| matches!(holder, Holder::Key(hash) if hash.is(key));
        self.state().chairs.iter().find(|chair| opens(&chair.holder)).map(|chair| chair.info.seat)
    }

    /// The seat of the person who sits with whoever has this one.
    pub(super) fn person_with(&self, seat: Seat) -> Option<Seat> {
        let state = self.state();
        state.chairs.iter().find(|chair| chair.holder == Holder::With(seat)).map(|chair| chair.info.seat)
    }

    /// Gives an open seat to whoever has this key.
    pub(super) fn take_seat(&self, seat: Option<Seat>, key: KeyHash, name: &str) -> Result<Seat, ActError> {
        let mut state = self.state();
        let open = state.open();
        let seat = match seat {
            Some(seat) if open.contains(&seat) => seat,
            Some(seat) => return Err(ActError::Taken { seat, open }),
            None => *open.first().ok_or(ActError::Full)?,
        };
        let chair = &mut state.chairs[seat.index()];
        chair.holder = Holder::Key(key);
        name.clone_into(&mut chair.info.player);
        drop(state);
        self.tell();
        Ok(seat)
    }

    pub(super) fn is_full(&self) -> bool {
        self.state().open().is_empty()
    }

    /// Who sits where.
    pub(super) fn chairs(&self) -> Vec<(SeatInfo, Holder)> {
        self.state().chairs.iter().map(|chair| (chair.info.clone(), chair.holder)).collect()
    }

    /// Who gave up, and what waits to be said.
    pub(super) fn pending(&self) -> (Vec<Seat>, Vec<(Seat, String)>) {
        let state = self.state();
        let resigned = state.chairs.iter().filter(|chair| chair.mail.resigned).map(|chair| chair.info.seat);
        let said = state.chairs.iter().filter_map(|chair| Some((chair.info.seat, chair.mail.say.clone()?)));
        (resigned.collect(), said.collect())
    }

    /// Puts back into a mailbox what was found again.
    pub(super) fn put_back(&self, resigned: &[Seat], said: Vec<(Seat, String)>) {
        let mut state = self.state();
        for seat in resigned {
            state.chairs[seat.index()].mail.resigned = true;
        }
        for (seat, text) in said {
            state.chairs[seat.index()].mail.say = Some(text);
        }
    }

    /// Notes who referees; false if somebody does already.
    pub(super) fn referee_with(&self, start: impl FnOnce() -> AbortHandle) -> bool {
        let mut referee = self.referee.lock().unwrap_or_else(PoisonError::into_inner);
        if referee.as_ref().is_some_and(|referee| !referee.is_finished()) {
            return false;
        }
        *referee = Some(start());
        true
    }

    /// Whether a referee is at the table.
    pub(super) fn is_refereed(&self) -> bool {
        let referee = self.referee.lock().unwrap_or_else(PoisonError::into_inner);
        referee.as_ref().is_some_and(|referee| !referee.is_finished())
    }

    /// Sends the referee home; the match stays as it is.
    pub(super) fn stop(&self) {
        if let Some(referee) = self.referee.lock().unwrap_or_else(PoisonError::into_inner).take() {
            referee.abort();
        }
    }

    pub(super) fn enter(&self, stage: Stage) {
        self.state().stage = stage;
        self.tell();
    }

    /// Takes a line of the record, and the position that it led to.
    pub(super) fn publish(&self, table: &Table, record: &Record, line: String) {
        let mut state = self.state();
        state.lines.push(line);
        if let Record::Turn(turn) = record {
            state.turns.push(Played::new(turn.turn, &turn.actions, &turn.events, &turn.said));
        }
        state.table = table.clone();
        if table.outcome().is_some() {
            state.stage = Stage::Over;
        }
        drop(state);
        self.tell();
    }

    /// Takes up a record where it ends.
    pub(super) fn restore(&self, replay: &Replay, lines: Vec<String>) {
        let table = replay.turns.last().map_or(&replay.start, |step| &step.table);
        let mut state = self.state();
        state.stage = if table.outcome().is_some() { Stage::Over } else { Stage::Playing };
        state.table = table.clone();
        let played = |Step { line, events, .. }: &Step| Played::new(line.turn, &line.actions, events, &line.said);
        state.turns = replay.turns.iter().map(played).collect();
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
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that runs under the lock leaves a half-done change behind.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How an action was taken.
pub(super) enum Taken {
    /// It is to be delivered.
    Now(Sealed),
    /// The same had come before.
    Before,
}

impl State {
    fn sealed(&self, seat: Seat) -> Option<&Sealed> {
        self.chairs[seat.index()].mail.sealed.as_ref().filter(|sealed| sealed.turn == self.table.turn())
    }

    fn awaits(&self, seat: Seat) -> bool {
        let resigned = self.chairs[seat.index()].mail.resigned;
        self.stage == Stage::Playing && self.table.to_act().contains(seat) && self.sealed(seat).is_none() && !resigned
    }

    fn open(&self) -> Vec<Seat> {
        let open = self.chairs.iter().filter(|chair| chair.holder == Holder::Open);
        open.map(|chair| chair.info.seat).collect()
    }
}

impl Played {
    fn new(turn: u32, actions: &BTreeMap<Seat, String>, events: &[Event], said: &BTreeMap<Seat, String>) -> Played {
        let listed =
            |by_seat: &BTreeMap<Seat, String>| by_seat.iter().map(|(&seat, text)| (seat, text.clone())).collect();
        Played { turn, actions: listed(actions), events: events.to_vec(), said: listed(said) }
    }
}

impl View {
    /// Who is awaited, as everybody may know.
    pub fn to_act(&self) -> Seats {
        self.table.to_act()
    }
}
