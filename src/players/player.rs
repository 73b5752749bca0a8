//! Whoever answers for a seat: asked with what that seat may see, never with the match.

use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::future::BoxFuture;
use tokio::task::JoinHandle;

use super::turn::TurnLog;
use crate::bots::Bot;
use crate::games::outcome::Outcome;
use crate::games::refusal::{Code, Refusal};
use crate::games::seat::Seat;
use crate::games::table::{Event, Table};
use crate::games::view::Viewer;
use crate::matches::{Call, Fault};

/// A question to a player: what will you do?
#[derive(Clone, Debug)]
pub struct Ask {
    /// The match's own name.
    pub match_id: String,
    /// The position, as everybody sees it.
    pub table: Table,
    /// Whose turn.
    pub seat: Seat,
    /// What happened since this seat was last asked, turn by turn.
    pub since: Vec<Event>,
    /// What the others said in that time, where talk is free.
    pub said: Vec<(Seat, String)>,
}

/// An answer that was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// What the player sent.
    pub text: String,
    /// Why it was not taken.
    pub problem: Problem,
}

impl Attempt {
    /// An answer with nothing in it.
    pub(super) fn nothing() -> Attempt {
        Attempt { text: String::new(), problem: Problem::Nothing }
    }
}

/// Why an answer was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It breaks a rule, or is no action.
    #[error("{0}")]
    Refused(Refusal),
    /// It was cut off before it was complete.
    #[error("the answer was cut off before it was complete")]
    Truncated,
    /// The player declined to answer.
    #[error("the player declined to answer")]
    Declined,
    /// There was no action in it.
    #[error("there was no action in the answer")]
    Nothing,
}

impl Problem {
    /// Whose doing the record says it was.
    pub fn fault(&self) -> Fault {
        match self {
            Problem::Refused(refusal) => Fault::of(refusal),
            Problem::Truncated => Fault::Truncated,
            Problem::Declined => Fault::Refused,
            Problem::Nothing => Fault::Unreadable,
        }
    }

    /// What the record says of it.
    pub fn refusal(&self) -> Refusal {
        match self {
            Problem::Refused(refusal) => refusal.clone(),
            other => Refusal::new(Code::UnreadableAction, other.to_string()),
        }
    }
}

/// A player's answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The action, in notation or as JSON, as the player sent it.
    pub action: String,
    /// A message to the others, where talk is free.
    pub say: Option<String>,
    /// What it wants spectators to know.
    pub reasoning: Option<String>,
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

    /// Whether it is worth knowing how long it thought. The record of a match between those for whom it is not comes out
    /// the same every time.
    fn is_timed(&self) -> bool {
        true
    }
}

/// A bot among the players.
#[derive(Debug)]
pub struct BotPlayer {
    bot: Seated,
}

/// What a bot does, in notation.
fn choice(bot: &mut dyn Bot, ask: &Ask) -> String {
    let action = bot.choose(&ask.table.view(Viewer::Seat(ask.seat)), ask.seat);
    action.map_or_else(|| "pass".to_owned(), |action| action.to_string())
}

/// A bot is away while it thinks. A thought that the clock cut off goes on to its end before the next one begins.
#[derive(Debug)]
enum Seated {
    Idle(Box<dyn Bot>),
    Thinking(JoinHandle<(Box<dyn Bot>, String)>),
    /// Its thought broke off.
    Gone,
}

impl BotPlayer {
    /// Seats a bot.
    pub fn new(bot: Box<dyn Bot>) -> BotPlayer {
        BotPlayer { bot: Seated::Idle(bot) }
    }

    /// Waits for the thought under way, if there is one, and gives what came of it.
    async fn thought(&mut self) -> Result<Option<String>, PlayerError> {
        let Seated::Thinking(thinking) = &mut self.bot else { return Ok(None) };
        match thinking.await {
            Ok((bot, action)) => {
                self.bot = Seated::Idle(bot);
                Ok(Some(action))
            }
            Err(error) => {
                self.bot = Seated::Gone;
                Err(PlayerError::Crashed(error.to_string()))
            }
        }
    }
}

impl Player for BotPlayer {
    fn is_timed(&self) -> bool {
        false
    }

    fn act<'a>(&'a mut self, ask: &'a Ask, _log: &'a TurnLog) -> BoxFuture<'a, Result<Answer, PlayerError>> {
        Box::pin(async move {
            self.thought().await?;
            let Seated::Idle(mut bot) = std::mem::replace(&mut self.bot, Seated::Gone) else {
                return Err(PlayerError::Crashed("the bot broke off earlier".to_owned()));
            };
            if bot.is_quick() {
                // A bot that breaks off loses its turn and nobody else's.
                let thought = AssertUnwindSafe(|| choice(bot.as_mut(), ask));
                let action = catch_unwind(thought)
                    .map_err(|_| PlayerError::Crashed("the bot broke off while it thought".to_owned()))?;
                self.bot = Seated::Idle(bot);
                return Ok(Answer { action, ..Answer::default() });
            }
            // A search may take a while: it must not keep the others from being asked.
            let ask = ask.clone();
            self.bot = Seated::Thinking(tokio::task::spawn_blocking(move || {
                let action = choice(bot.as_mut(), &ask);
                (bot, action)
            }));
            let action = self.thought().await?.expect("it was just set to think");
            Ok(Answer { action, ..Answer::default() })
        })
    }
}
