//! Whoever answers for a seat: asked with what that seat may see, never with the match.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::task::JoinHandle;

use super::turn::TurnLog;
use crate::bots::Bot;
use crate::games::outcome::Outcome;
use crate::games::seat::Seat;
use crate::games::table::{Accepted, Event, Raw};
use crate::games::view::View;
use crate::matches::{Attempt, Call};

/// A question to a player: what will you do?
#[derive(Clone, Debug)]
pub struct Ask {
    /// The match's own name.
    pub match_id: String,
    /// What the seat sees of the position.
    pub view: View,
    /// The seat that is to act.
    pub seat: Seat,
    /// What the seat is told of what happened since it was last asked, turn by turn.
    pub since: Vec<Arc<[Event]>>,
    /// What the others said in that time, where talk is free.
    pub said: Vec<(Seat, String)>,
}

impl Ask {
    /// What the seat is told of what happened since it was last asked.
    pub fn events(&self) -> Vec<Event> {
        self.since.iter().flat_map(|turn| turn.iter().cloned()).collect()
    }

    /// Reads an action of the seat that is asked. This is the door: what comes through it is read here and nowhere else.
    ///
    /// # Errors
    /// With an attempt that was not taken, if it is no action or breaks a rule.
    pub fn answer<'a>(&self, raw: impl Into<Raw<'a>>) -> Result<Answer, PlayerError> {
        let raw = raw.into();
        let text = raw.to_string();
        let refused = |refusal| PlayerError::NoAction(Attempt::refused(text, refusal));
        self.view.accept(self.seat, raw).map(Answer::from).map_err(refused)
    }
}

/// A player's answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The action, with what the player wants spectators to know.
    pub action: Accepted,
    /// A message to the others, where talk is free.
    pub say: Option<String>,
}

impl From<Accepted> for Answer {
    fn from(action: Accepted) -> Answer {
        Answer { action, say: None }
    }
}

impl Answer {
    /// Adds what the player wrote on its way to the action, for spectators.
    pub fn think(&mut self, thoughts: &[String]) {
        self.action.think(thoughts);
    }

    /// The same with a message, and a reason where none came with the action itself.
    #[must_use]
    pub fn with(self, say: Option<String>, reasoning: Option<&str>) -> Answer {
        Answer { action: self.action.with_reasoning(reasoning), say }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlayerError {
    /// The player answered, but not with an action. It may be asked again.
    #[error("{}", .0.problem)]
    NoAction(Attempt),
    /// The player's program ended or broke the protocol. Asking again is no use.
    #[error("the player's program failed: {0}")]
    Crashed(String),
    /// The player's clock ran out, as it did the first time that the same was played.
    #[error("the player did not answer in time")]
    TooSlow,
    /// The player gave up.
    #[error("the player gave up")]
    Resigned,
    /// A person left the terminal.
    #[error("the player left")]
    Left,
    /// What stands between us and the player failed: nobody's fault at the table.
    #[error("{0}")]
    Backend(String),
    /// The player may not be asked any more, because a budget is used up or the run was stopped: nobody's fault either.
    #[error("{0}")]
    Withheld(String),
}

/// Whoever answers for a seat.
pub trait Player: Send {
    /// What the player will do. Called again in the same turn, with the same log, until an answer is taken.
    ///
    /// The log has the answers that were not taken so far and the time that is left. What the player learns on its way
    /// (what a request cost, whom it waits for) goes into the log at once: the clock may drop the future at any time.
    fn act<'a>(&'a mut self, ask: &'a Ask, log: &'a TurnLog) -> BoxFuture<'a, Result<Answer, PlayerError>>;

    /// Takes the player through a question of the past, with what its answer asked of a model, where a match goes on from
    /// its record. Most players need no past.
    fn remember<'a>(&'a mut self, _ask: Ask, _calls: &'a [Call]) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Tells the player how the match ended. It may take a moment to put its things away.
    fn end(&mut self, _outcome: &Outcome) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Whether the clock of a turn runs for it, where the ruleset has one. That of the whole match always does.
    fn has_turn_clock(&self) -> bool {
        true
    }

    /// Whether it is worth knowing how long it thought. The record of a match between those for whom it is not comes out
    /// the same every time.
    fn is_timed(&self) -> bool {
        true
    }
}

/// A bot among the players.
#[derive(Debug)]
pub struct BotPlayer {
    bot: BotThinking,
}

/// What a bot does.
fn choice(bot: &mut dyn Bot, ask: &Ask) -> Result<Answer, PlayerError> {
    let action = bot.choose(&ask.view, ask.seat);
    let action = action.ok_or_else(|| PlayerError::NoAction(Attempt::nothing()))?;
    let text = action.to_string();
    let refused = |refusal| PlayerError::NoAction(Attempt::refused(text, refusal));
    ask.view.accept_action(ask.seat, action).map(Answer::from).map_err(refused)
}

/// A bot is away while it thinks. A thought that the clock cut off goes on to its end before the next one begins.
#[derive(Debug)]
enum BotThinking {
    Idle(Box<dyn Bot>),
    Thinking(JoinHandle<(Box<dyn Bot>, Result<Answer, PlayerError>)>),
    /// Its thought broke off.
    Gone,
}

impl BotPlayer {
    /// Seats a bot.
    pub fn new(bot: Box<dyn Bot>) -> BotPlayer {
        BotPlayer { bot: BotThinking::Idle(bot) }
    }

    /// Waits for the thought under way, and gives what came of it.
    async fn thought(&mut self) -> Result<Answer, PlayerError> {
        let BotThinking::Thinking(thinking) = &mut self.bot else { return Err(broke_off()) };
        let Ok((bot, answer)) = thinking.await else {
            self.bot = BotThinking::Gone;
            return Err(broke_off());
        };
        self.bot = BotThinking::Idle(bot);
        answer
    }
}

fn broke_off() -> PlayerError {
    PlayerError::Crashed("the bot broke off while it thought".to_owned())
}

impl Player for BotPlayer {
    fn is_timed(&self) -> bool {
        false
    }

    fn act<'a>(&'a mut self, ask: &'a Ask, _log: &'a TurnLog) -> BoxFuture<'a, Result<Answer, PlayerError>> {
        Box::pin(async move {
            if let BotThinking::Thinking(_) = self.bot {
                // It was about a turn that is over.
                let _ = self.thought().await;
            }
            let BotThinking::Idle(mut bot) = std::mem::replace(&mut self.bot, BotThinking::Gone) else {
                return Err(broke_off());
            };
            if bot.is_quick() {
                // A bot that breaks off loses its turn and nobody else's.
                let answer = catch_unwind(AssertUnwindSafe(|| choice(bot.as_mut(), ask))).map_err(|_| broke_off())?;
                self.bot = BotThinking::Idle(bot);
                return answer;
            }
            // A search may take a while: it must not keep the others from being asked.
            let ask = ask.clone();
            self.bot = BotThinking::Thinking(tokio::task::spawn_blocking(move || {
                let answer = choice(bot.as_mut(), &ask);
                (bot, answer)
            }));
            self.thought().await
        })
    }
}
