//! A seat, in the hands of whoever may act for it.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::answers::{IdempotencyKey, Question};
use super::live::Live;
use super::task::{ActCommand, Answering, Command, SentAction};
use super::view::{Glance, MatchView};
use super::{ActError, Arena, ArenaError};
use crate::games::seat::Seat;
use crate::games::speech::Speech;
use crate::games::table::Raw;
use crate::store::StoreError;

/// A seat, in the hands of whoever had its key.
#[derive(Clone, Debug)]
pub struct SeatHandle {
    pub(super) arena: Arena,
    pub(super) live: Arc<Live>,
    pub(super) seat: Seat,
}

/// That an action was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

    /// The registered player who took the seat, by its id.
    pub fn player(&self) -> Option<Arc<str>> {
        self.live.player_on(self.seat)
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
        self.act_once(turn, action.into(), reasoning, None, None).await
    }

    /// The same with something to say beside it, where talk is free, which goes out with the action or not at all, and with
    /// a key with which the answer can be asked for again: whatever turn it is by then, nothing is done or said twice.
    ///
    /// # Errors
    /// With the reason why not; nothing has changed.
    pub async fn act_once(
        &self,
        turn: Option<u32>,
        action: Raw<'_>,
        reasoning: Option<&str>,
        say: Option<&str>,
        key: Option<&str>,
    ) -> Result<Receipt, ActError> {
        let key = key.map(|key| self.own_key(key)).transpose()?;
        let request = format!("{turn:?} {action} {say:?}");
        let question = key.as_ref().map(|key| Question::new(key, "act", &request));
        if let Some(receipt) = self.arena.answered(question.as_ref()).await? {
            return Ok(receipt);
        }
        let (action, reasoning, say) = (SentAction::from(action), reasoning.map(str::to_owned), say.map(str::to_owned));
        let taken = self.ask(|answer| {
            let (action, reasoning, say) = (action.clone(), reasoning.clone(), say.clone());
            let kept = question.as_ref().map(|question| question.answered(&()));
            Command::Act(Box::new(ActCommand { seat: self.seat, turn, action, reasoning, say, kept, answer }))
        });
        match taken.await {
            // Perhaps the same came twice at once, and its turn is played by now.
            Err(error) => self.arena.answered(question.as_ref()).await?.ok_or(error),
            Ok(receipt) => {
                let again = Receipt { repeated: true, ..receipt.clone() };
                // An arena with a store has kept it with the action.
                let _ = self.arena.keep_answer(question.map(|question| question.answered(&again)));
                Ok(receipt)
            }
        }
    }

    /// Says something: beside the next action where talk is free, as the turn's action where it costs that. What was said
    /// in the turn that the player saw (`turn` turns played) or with this key is not said again.
    ///
    /// # Errors
    /// If nobody may speak, or the message is none.
    pub async fn say_once(&self, turn: Option<u32>, text: &str, key: Option<&str>) -> Result<(), ActError> {
        if self.live.ruleset().speech == Speech::Turn {
            return self.act_once(turn, (&*format!("speak {text}")).into(), None, None, key).await.map(drop);
        }
        let key = key.map(|key| self.own_key(key)).transpose()?;
        let question = key.as_ref().map(|key| Question::new(key, "say", text));
        if self.arena.answered::<()>(question.as_ref()).await?.is_some() {
            return Ok(());
        }
        let said = self.ask(|answer| {
            let kept = question.as_ref().map(|question| question.answered(&()));
            Command::Say { seat: self.seat, turn, text: text.to_owned(), kept, answer }
        });
        if let Err(error) = said.await {
            // Perhaps the same came twice at once.
            return self.arena.answered(question.as_ref()).await?.ok_or(error);
        }
        // An arena with a store has kept it with the message.
        let _ = self.arena.keep_answer(question.map(|question| question.answered(&())));
        Ok(())
    }

    /// A key of the seat's.
    fn own_key(&self, key: &str) -> Result<IdempotencyKey, ArenaError> {
        IdempotencyKey::new(format!("{} {}", self.live.id(), self.seat), key)
    }

    /// Gives the match up for this seat.
    ///
    /// # Errors
    /// If the match is over.
    pub async fn resign(&self) -> Result<(), ActError> {
        self.ask(|answer| Command::Resign { seat: self.seat, answer }).await
    }

    /// Tells the task of the match what to do and waits for its answer. A match that was put away meanwhile is brought
    /// back for it.
    async fn ask<T>(&self, command: impl Fn(Answering<T>) -> Command) -> Result<T, ActError> {
        self.live.touch(self.arena.now());
        self.live.attend();
        match self.live.ask(&command).await {
            None | Some(Err(ActError::NotKept(StoreError::Fenced(_)))) => {}
            Some(told) => return told,
        }
        let live = self.arena.watch(self.live.id()).await?;
        live.ask(&command).await.unwrap_or(Err(ActError::NotKept(StoreError::Closed)))
    }

    /// Waits until this seat is awaited or the match is over, or the time is up.
    pub async fn turn(&self, at_most: Duration) {
        self.live.turn_of(self.seat, at_most).await;
    }
}
