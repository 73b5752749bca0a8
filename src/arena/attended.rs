//! A player that costs money: it is asked only while somebody plays the match or watches it.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::live::Live;
use crate::games::outcome::Outcome;
use crate::matches::Call;
use crate::players::{Answer, Ask, Player, PlayerError, TurnLog};

/// A model of the house. Where nobody is there, its turn waits, and no clock runs.
pub(super) struct AttendedPlayer {
    pub(super) live: Arc<Live>,
    pub(super) player: Box<dyn Player>,
}

impl Player for AttendedPlayer {
    fn act<'a>(&'a mut self, ask: &'a Ask, log: &'a TurnLog) -> BoxFuture<'a, Result<Answer, PlayerError>> {
        Box::pin(async move {
            if !self.live.is_attended() {
                let _waiting = log.waiting();
                self.live.attended().await;
            }
            self.player.act(ask, log).await
        })
    }

    fn remember<'a>(&'a mut self, ask: Ask, calls: &'a [Call]) -> BoxFuture<'a, ()> {
        self.player.remember(ask, calls)
    }

    fn end(&mut self, outcome: &Outcome) -> BoxFuture<'_, ()> {
        self.player.end(outcome)
    }

    fn has_turn_clock(&self) -> bool {
        self.player.has_turn_clock()
    }

    fn is_timed(&self) -> bool {
        self.player.is_timed()
    }
}
