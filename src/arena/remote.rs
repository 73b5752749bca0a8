//! The player on a seat that somebody elsewhere holds: what they send waits in a mailbox until the referee asks.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::live::Live;
use crate::games::seat::Seat;
use crate::games::table::Accepted;
use crate::matches::Attempt;
use crate::players::{Answer, Ask, Player, PlayerError, TooLate, TurnLog};

/// More refused attempts a turn than this are not written down.
pub(super) const MOST_ATTEMPTS: usize = 50;

/// What the holder of a seat has sent.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    /// The action for a turn, as the rules took it when it came.
    pub(super) sealed: Option<Accepted>,
    /// What is to be said with the next action, where talk is free.
    pub(super) say: Option<Saying>,
    /// What was last said so.
    pub(super) said: Option<Saying>,
    /// What was refused in the turn at hand before the referee asked for it.
    pub(super) refused: Vec<Attempt>,
    /// Whether the holder gave up.
    pub(super) resigned: bool,
    /// The turn that the referee last asked for, with its log.
    pub(super) asked: Option<(u32, TurnLog)>,
}

impl Mailbox {
    /// The referee asks for a turn: what came before goes into its log.
    pub(super) fn ask(&mut self, turn: u32, log: &TurnLog) {
        for attempt in self.refused.drain(..) {
            log.attempt(attempt);
        }
        self.asked = Some((turn, log.clone()));
        if self.resigned {
            self.settle(Err(PlayerError::Resigned));
        } else if let Some(sealed) = self.sealed.take_if(|sealed| sealed.turn() == turn) {
            // It was acknowledged before the turn began, and its time is not up.
            let _ = self.deliver(sealed);
        }
    }

    /// Puts an action into the box, and into the log of its turn if the referee has asked for that.
    ///
    /// # Errors
    /// If the time was up before it came, or another one came first.
    pub(super) fn deliver(&mut self, sealed: Accepted) -> Result<(), TooLate> {
        // The referee is ahead of what everybody sees: it waits for lines to be written no more than it must.
        if self.asked.as_ref().is_some_and(|(turn, _)| *turn > sealed.turn()) {
            return Err(TooLate);
        }
        if let Some((_, log)) = self.asked.as_ref().filter(|(turn, _)| *turn == sealed.turn()) {
            let say = self.say.as_ref().map(|saying| saying.text.clone());
            log.settle(Ok(Answer { action: sealed.clone(), say }))?;
            self.said = self.say.take().or(self.said.take());
        }
        self.sealed = Some(sealed);
        Ok(())
    }

    /// Gives up, in the turn at hand if that is not settled.
    pub(super) fn resign(&mut self) {
        self.resigned = true;
        self.settle(Err(PlayerError::Resigned));
    }

    fn settle(&self, answer: Result<Answer, PlayerError>) {
        if let Some((_, log)) = &self.asked {
            // Where it is settled, the next turn learns of it.
            let _ = log.settle(answer);
        }
    }

    /// Notes what was refused in the turn at hand.
    pub(super) fn refuse(&mut self, turn: u32, attempt: Attempt) {
        match self.asked.as_ref().filter(|(asked, _)| *asked == turn) {
            Some((_, log)) if log.attempts().len() < MOST_ATTEMPTS => log.attempt(attempt),
            None if self.refused.len() < MOST_ATTEMPTS => self.refused.push(attempt),
            _ => {}
        }
    }

    /// Whether nothing came in time for this turn.
    pub(super) fn missed(&self, turn: u32) -> bool {
        self.asked.as_ref().is_some_and(|(asked, log)| *asked > turn || (*asked == turn && log.is_out_of_time()))
    }
}

/// An action that is settled and not yet played, as the store keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SealedOrder {
    /// The turns that were played when it was sent.
    pub(super) turn: u32,
    pub(super) action: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reasoning: Option<String>,
    /// What is said beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) say: Option<String>,
}

impl SealedOrder {
    pub(super) fn new(accepted: &Accepted, say: Option<&Saying>) -> SealedOrder {
        let (action, reasoning) = (accepted.notation().to_owned(), accepted.reasoning().map(str::to_owned));
        SealedOrder { turn: accepted.turn(), action, reasoning, say: say.map(|saying| saying.text.clone()) }
    }
}

/// What is to be said with the next action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Saying {
    /// The turns that were played when it was sent.
    pub(super) turn: u32,
    pub(super) text: String,
}

/// Answers the referee with what comes into a seat's mailbox.
#[derive(Debug)]
pub(super) struct RemotePlayer {
    pub(super) live: Arc<Live>,
    pub(super) seat: Seat,
}

impl Player for RemotePlayer {
    fn has_turn_clock(&self) -> bool {
        !self.live.settings().unhurried
    }

    fn act<'a>(&'a mut self, ask: &'a Ask, log: &'a TurnLog) -> BoxFuture<'a, Result<Answer, PlayerError>> {
        self.live.asked(self.seat, ask.view.turn(), log);
        Box::pin(log.settled())
    }
}
