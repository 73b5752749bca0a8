//! The player on a seat that somebody elsewhere holds: what they send waits in a mailbox until the referee asks.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use super::live::Live;
use crate::games::seat::Seat;
use crate::players::{Answer, Ask, Attempt, Player, PlayerError};

/// More refused attempts a turn than this are not written down.
pub(super) const MOST_ATTEMPTS: usize = 50;

/// What the holder of a seat has sent.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    /// The action for a turn, in notation, checked when it came.
    pub(super) sealed: Option<Sealed>,
    /// What is to be said with the next action, where talk is free.
    pub(super) say: Option<Saying>,
    /// What was refused in the turn at hand.
    pub(super) refused: Vec<Attempt>,
    /// The turn for which nothing came in time.
    pub(super) missed: Option<u32>,
    /// Whether the holder gave up.
    pub(super) resigned: bool,
    /// Rings when something came.
    pub(super) bell: Arc<Notify>,
}

impl Mailbox {
    /// What it has for this turn.
    pub(super) fn answer(&mut self, turn: u32) -> Option<Result<Answer, PlayerError>> {
        if self.resigned {
            return Some(Err(PlayerError::Resigned));
        }
        let sealed = self.sealed.as_ref().filter(|sealed| sealed.turn == turn)?;
        let (action, reasoning) = (sealed.action.clone(), sealed.reasoning.clone());
        let say = self.say.take().map(|saying| saying.text);
        Some(Ok(Answer { action, reasoning, say, calls: Vec::new() }))
    }
}

/// An action that is settled and not yet played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sealed {
    /// The turns that were played when it was sent.
    pub(super) turn: u32,
    pub(super) action: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reasoning: Option<String>,
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
    /// The turn that it is asked for.
    pub(super) turn: u32,
}

impl Player for RemotePlayer {
    fn act(&mut self, ask: Ask) -> BoxFuture<'_, Result<Answer, PlayerError>> {
        Box::pin(async move {
            let turn = ask.table.turn();
            self.turn = turn;
            self.live.asked(self.seat);
            let bell = self.live.bell(self.seat);
            loop {
                // Listening begins before the look into the box: nothing that comes in between is missed.
                let rung = bell.notified();
                if let Some(answer) = self.live.take_answer(self.seat, turn) {
                    return answer;
                }
                rung.await;
            }
        })
    }

    fn time_is_up(&mut self) -> Option<Answer> {
        self.live.last_answer(self.seat, self.turn)
    }

    fn attempts(&mut self) -> Vec<Attempt> {
        self.live.take_refused(self.seat)
    }
}
