//! What the holders of seats send: actions, messages, resignations. Each is checked, then written down, then applied.

use super::ActError;
use super::live::{Live, LiveState};
use super::remote::{Saying, SealedOrder};
use super::view::Stage;
use crate::games::refusal::{Code, Refusal};
use crate::games::seat::{Seat, Seats};
use crate::games::table::{Accepted, Raw};
use crate::matches::Attempt;
use crate::players::{TooLate, TurnLog};

impl Live {
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
    pub(super) fn deliver(&self, sealed: Accepted, say: Option<Saying>) -> Result<(), ActError> {
        let mut state = self.state();
        let mail = &mut state.chairs[sealed.seat().index()].mail;
        if say.is_some() {
            mail.say = say;
        }
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
        self.tell_activity();
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
            let mail = &mut state.chairs[seat.index()].mail;
            mail.sealed = Some(accepted);
            if let Some(text) = &sealed.say {
                mail.say = Some(Saying { turn: sealed.turn, text: text.clone() });
            }
        }
        Ok(())
    }

    /// The same for whoever saw this turn, the one at hand by default: none where the seat has said so since.
    pub(super) fn saying_once(&self, seat: Seat, turn: Option<u32>, text: &str) -> Result<Option<Saying>, ActError> {
        let is_said = {
            let state = self.state();
            let now = state.table.turn();
            let turn = turn.unwrap_or(now);
            if turn > now {
                return Err(ActError::Future { turn, now });
            }
            // It may have gone out with an action whose turn is not played yet; what went out before a restart is in the
            // record alone.
            let sent = state.chairs[seat.index()].mail.said.iter().filter(|saying| saying.turn >= turn);
            let played = state.recent.iter().filter(|moment| moment.turn.turn > turn);
            let played = played.filter_map(|moment| moment.turn.said.get(&seat));
            sent.map(|saying| &saying.text).chain(played).any(|said| said == text.trim())
        };
        // The answer got lost on its way, not the message.
        if is_said { Ok(None) } else { self.saying(seat, text).map(Some) }
    }

    /// Whether a seat may say this beside its next action, and what is then waiting to be said.
    pub(super) fn saying(&self, seat: Seat, text: &str) -> Result<Saying, ActError> {
        let state = self.state();
        if state.stage == Stage::Over {
            return Err(ActError::Over);
        }
        self.ruleset.speech.check_beside(text).map_err(ActError::Refused)?;
        let text = text.trim();
        if let Some(waiting) = &state.chairs[seat.index()].mail.say {
            if *waiting.text == *text {
                // The answer got lost on its way, not the message.
                return Ok(waiting.clone());
            }
            let why = "one message a turn; yours waits for your next action";
            return Err(ActError::Refused(Refusal::new(Code::BadRequest, why)));
        }
        Ok(Saying { turn: state.table.turn(), text: text.to_owned() })
    }

    /// Lets something wait for a seat's next action.
    pub(super) fn say(&self, seat: Seat, saying: Saying) {
        self.state().chairs[seat.index()].mail.say = Some(saying);
    }

    /// The seat gives up; the match learns of it when the seat is next to act.
    pub(super) fn resign(&self, seat: Seat) {
        self.state().chairs[seat.index()].mail.resign();
    }

    /// The referee asks a seat for a turn.
    pub(super) fn asked(&self, seat: Seat, turn: u32, log: &TurnLog) {
        self.state().chairs[seat.index()].mail.ask(turn, log);
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
}

/// How an action was taken.
pub(super) enum Taken {
    /// It is to be delivered.
    Now(Accepted),
    /// The same had come before.
    Before(u32, String),
}

impl LiveState {
    pub(super) fn sealed(&self, seat: Seat) -> Option<&Accepted> {
        self.chairs[seat.index()].mail.sealed.as_ref().filter(|sealed| sealed.turn() == self.table.turn())
    }

    /// Whose mailbox has an action for the turn at hand.
    pub(super) fn submitted(&self) -> Seats {
        let mut submitted = Seats::none();
        for seat in self.table.to_act().iter().filter(|seat| self.sealed(*seat).is_some()) {
            submitted.insert(seat);
        }
        submitted
    }

    pub(super) fn awaits(&self, seat: Seat) -> bool {
        let mail = &self.chairs[seat.index()].mail;
        let missed = mail.missed(self.table.turn());
        self.stage == Stage::Playing
            && self.table.must_act(seat)
            && self.sealed(seat).is_none()
            && !mail.resigned
            && !missed
    }
}
