//! The player on a seat that somebody elsewhere holds: what they send waits in a mailbox until the referee asks.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use super::live::Live;
use crate::players::{Answer, Ask, Attempt, Player, PlayerError};
use crate::rules::seat::Seat;

/// More refused attempts a turn than this are not written down.
pub(super) const MOST_ATTEMPTS: usize = 50;

/// What the holder of a seat has sent.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    /// The action for a turn, in notation, checked when it came.
    pub(super) sealed: Option<Sealed>,
    /// What is to be said with the next action, where talk is free.
    pub(super) say: Option<String>,
    /// What was refused in the turn at hand.
    pub(super) refused: Vec<Attempt>,
    /// Whether the holder gave up.
    pub(super) resigned: bool,
    /// Rings when something came.
    pub(super) bell: Arc<Notify>,
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

/// Answers the referee with what comes into a seat's mailbox.
#[derive(Debug)]
pub(super) struct RemotePlayer {
    pub(super) live: Arc<Live>,
    pub(super) seat: Seat,
}

impl Player for RemotePlayer {
    fn act(&mut self, ask: Ask) -> BoxFuture<'_, Result<Answer, PlayerError>> {
        Box::pin(async move {
            let turn = ask.table.turn();
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

    fn attempts(&mut self) -> Vec<Attempt> {
        self.live.take_refused(self.seat)
    }
}
