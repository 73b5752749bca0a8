//! A seat, in the hands of whoever may act for it.

use std::sync::Arc;
use std::time::Duration;

use super::live::{Live, Taken};
use super::view::{Glance, MatchView};
use super::{ActError, Arena};
use crate::games::seat::Seat;
use crate::games::table::Raw;

/// A seat, in the hands of whoever had its key.
#[derive(Clone, Debug)]
pub struct SeatHandle {
    pub(super) arena: Arena,
    pub(super) live: Arc<Live>,
    pub(super) seat: Seat,
}

/// That an action was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The turns that were played before it.
    pub turn: u32,
    /// The action in canonical notation.
    pub action: String,
    /// Whether the same had come before.
    pub repeated: bool,
}

impl SeatHandle {
    /// The match that the seat belongs to.
    pub fn live(&self) -> &Arc<Live> {
        &self.live
    }

    /// The seat that it acts for.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// The seat of the person who sits with this one, to be acted for with what that person says and nothing else.
    pub fn person(&self) -> Option<SeatHandle> {
        let seat = self.live.person_with(self.seat)?;
        Some(SeatHandle { seat, ..self.clone() })
    }

    /// Whether the match has changed for this seat.
    pub fn glance(&self) -> Glance {
        self.live.glance(Some(self.seat))
    }

    /// The match as this seat sees it.
    pub fn view(&self) -> MatchView {
        self.live.view(Some(self.seat))
    }

    /// Acts in the turn that the player saw (`turn` turns played), or in the one at hand. The same again for the same
    /// turn changes nothing.
    ///
    /// # Errors
    /// With the reason why not; nothing has changed.
    pub async fn act<'a>(
        &self,
        turn: Option<u32>,
        action: impl Into<Raw<'a>>,
        reasoning: Option<&str>,
    ) -> Result<Receipt, ActError> {
        self.act_and_say(turn, action.into(), reasoning, None).await
    }

    /// Acts and says something beside it, where talk is free. The message goes out with the action or not at all, and what
    /// was done before is not said twice.
    ///
    /// # Errors
    /// With the reason why not; nothing has changed.
    pub async fn act_and_say(
        &self,
        turn: Option<u32>,
        action: Raw<'_>,
        reasoning: Option<&str>,
        say: Option<&str>,
    ) -> Result<Receipt, ActError> {
        self.live.touch(self.arena.now());
        let accepted = match self.live.seal(self.seat, turn, action, reasoning)? {
            Taken::Now(accepted) => accepted,
            Taken::Before(turn, action) => return Ok(Receipt { turn, action, repeated: true }),
        };
        if let Some(text) = say {
            self.say(text).await?;
        }
        if let Some(archive) = &self.arena.inner.archive {
            archive.seal(&self.live, &accepted).await.map_err(ActError::NotKept)?;
        }
        let receipt = Receipt { turn: accepted.turn(), action: accepted.notation().to_owned(), repeated: false };
        self.live.deliver(accepted)?;
        Ok(receipt)
    }

    /// Says something beside the next action, where talk is free.
    ///
    /// # Errors
    /// If nobody may speak, or the message is none.
    pub async fn say(&self, text: &str) -> Result<(), ActError> {
        self.live.say(self.seat, text)?;
        self.keep().await
    }

    /// Gives up.
    ///
    /// # Errors
    /// If the match is over.
    pub async fn resign(&self) -> Result<(), ActError> {
        self.live.resign(self.seat)?;
        self.keep().await
    }

    async fn keep(&self) -> Result<(), ActError> {
        match &self.arena.inner.archive {
            Some(archive) => archive.update(&self.live).await.map_err(ActError::NotKept),
            None => Ok(()),
        }
    }

    /// Waits until this seat is awaited or the match is over, or the time is up.
    pub async fn turn(&self, at_most: Duration) {
        self.live.turn_of(self.seat, at_most).await;
    }
}
