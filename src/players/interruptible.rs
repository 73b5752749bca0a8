//! A player that is not asked again once its match is told to stop.

use std::fmt;

use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::player::{Answer, Ask, Player, PlayerError};
use super::turn::{Time, TurnLog};
use crate::games::outcome::Outcome;
use crate::matches::Call;

/// A player that is not asked again once its match is told to stop.
///
/// An answer under way may be paid for, and is waited for; one that only waits for its turn to be asked is not.
pub struct Interruptible {
    player: Box<dyn Player>,
    stop: CancellationToken,
    /// Whether nothing is lost if it does not answer to the end.
    at_once: bool,
}

impl fmt::Debug for Interruptible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interruptible").field("at_once", &self.at_once).finish_non_exhaustive()
    }
}

impl Interruptible {
    /// A player whose answer is waited for.
    pub fn new(player: Box<dyn Player>, stop: CancellationToken) -> Interruptible {
        Interruptible { player, stop, at_once: false }
    }

    /// A person: nobody waits for them to type.
    pub fn person(player: Box<dyn Player>, stop: CancellationToken) -> Interruptible {
        Interruptible { player, stop, at_once: true }
    }
}

impl Player for Interruptible {
    fn act<'a>(&'a mut self, ask: &'a Ask, log: &'a TurnLog) -> BoxFuture<'a, Result<Answer, PlayerError>> {
        let Interruptible { player, stop, at_once } = self;
        Box::pin(async move {
            let stopped = || Err(PlayerError::Backend("the match was stopped".to_owned()));
            if stop.is_cancelled() {
                return stopped();
            }
            let halted = async {
                stop.cancelled().await;
                if !*at_once {
                    log.until(Time::Waiting).await;
                }
            };
            tokio::select! {
                biased;
                answer = player.act(ask, log) => answer,
                () = halted => stopped(),
            }
        })
    }

    fn remember<'a>(&'a mut self, ask: Ask, calls: &'a [Call]) -> BoxFuture<'a, ()> {
        self.player.remember(ask, calls)
    }

    fn end(&mut self, outcome: &Outcome) -> BoxFuture<'_, ()> {
        self.player.end(outcome)
    }

    fn is_timed(&self) -> bool {
        self.player.is_timed()
    }
}
