//! `process:COMMAND`: a bot in any language, over JSON lines on its standard input and output.
//!
//! The command is split as a shell would split it, quotes included, but no shell is started. The program gets its own
//! process group. Standard output belongs to the protocol and must be flushed after every line; standard error is passed
//! on to ours, with the seat in front, 200 lines of 500 bytes at the most.
//!
//! # Protocol, version 1
//!
//! One JSON object a line, in UTF-8. Fields may be added; the program ignores what it does not know.
//!
//! We begin. `ruleset` has every field of the rules, `brief` is what a model would be told about them:
//!
//! ```json
//! {"type":"hello","protocol":1,"ruleset":{…},"seat":"A","seats":2,"language":"en","brief":"…"}
//! ```
//!
//! The program answers when it is ready to play. It may say its name:
//!
//! ```json
//! {"type":"ready","name":"my bot"}
//! ```
//!
//! Whenever its seat must act we send the state (the same as everywhere else), the legal actions, the events since it was
//! last asked, what the others said, the milliseconds left for this turn (`null` where there is no limit), and the answers
//! of this turn that were refused so far. `turn` counts the turns played before this one:
//!
//! ```json
//! {"type":"turn","nonce":"5f1c…","turn":12,"seat":"A","state":{…},"legal":["move up","shoot left"],"events":[…],
//!  "said":[{"seat":"B","text":"hi"}],"time_left_ms":120000,
//!  "refused":[{"text":"move down","code":"move_into_block","message":"…"}]}
//! ```
//!
//! (That is one line.) The program answers with the nonce of the turn and an action, in notation or as a JSON object;
//! `say`, where talk is free, and `reasoning`, for spectators, may be left out:
//!
//! ```json
//! {"type":"action","nonce":"5f1c…","action":"shoot left","say":"hi","reasoning":"it is in line"}
//! ```
//!
//! At the end we send the outcome, close its input, and give it a second to leave:
//!
//! ```json
//! {"type":"end","outcome":{"places":{"A":1,"B":2},"reason":"last_alive"}}
//! ```
//!
//! # What goes wrong
//!
//! | the program … | what comes of it |
//! |---|---|
//! | sends an action that breaks a rule or is none | refused, recorded, asked again, as the policy has it |
//! | sends an `action` without a nonce, or with one that was never given | the same: `unreadable` |
//! | answers a turn that is over, or answers twice | the line is ignored: nonces cannot be guessed and serve once |
//! | writes anything else, JSON or not | the line is ignored and shown on standard error |
//! | writes over 100 lines to be ignored for one question, or a line over 64 KiB | it is ended: `crashed` |
//! | does not answer | the referee's clock decides: `too_slow`; it is asked again in the next turn |
//! | exits, closes its input or output, or leaves 1 MiB of input unread | it is ended: `crashed`, in every turn from then on |
//! | cannot be started | an error before the match begins |
//!
//! When the match is over or dropped, the program and everything in its process group is killed, whatever signals it
//! ignores. A program should end when its input does: that is all it hears if we are killed ourselves.

mod command;
mod program;
mod relay;
mod wire;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::process::Command;
use tokio::time::timeout;

pub(super) use self::command::words;
use self::program::Ended;
pub(super) use self::program::Program;
pub(super) use self::relay::Relay;
use self::wire::{ProgramInput, ProgramOutput};
use super::player::{Answer, Ask, Player, PlayerError};
use super::turn::TurnLog;
use crate::briefs::{Language, brief};
use crate::games::dice::Seed;
use crate::games::outcome::Outcome;
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::matches::Attempt;
use crate::settings::shorten;

/// The version of the protocol.
pub const PROTOCOL: u32 = 1;

/// The longest line that a program may write.
const MAX_LINE: usize = 64 * 1024;

/// So many lines that are no answer are ignored for one question.
const MAX_IGNORED: u32 = 100;

/// What a program is told when it starts.
#[derive(Clone, Debug)]
pub struct Hello {
    /// What is played.
    pub ruleset: Arc<Ruleset>,
    /// Where the program sits.
    pub seat: Seat,
    /// How many seats there are.
    pub seats: usize,
    /// The language of the brief.
    pub language: Language,
}

/// A program that cannot be seated.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// Nothing to start.
    #[error("no command: write it after the colon, like `process:python3 bot.py`")]
    NoCommand,
    /// A quote or a backslash that is left open.
    #[error("a quote or a backslash is left open in the command `{}`", shorten(command))]
    Unfinished {
        /// The command as it was written.
        command: String,
    },
    /// The system cannot start it.
    #[error("cannot start `{}`: {why}", shorten(program))]
    NotStarted {
        /// The program's name.
        program: String,
        /// What the system says.
        why: std::io::Error,
    },
    /// The system gives no random numbers for nonces.
    #[error("the system gives no random numbers: {0}")]
    NoChance(getrandom::Error),
}

/// A program among the players.
pub struct ProcessPlayer {
    life: Life,
    name: Option<String>,
    greeted: bool,
    /// Where nonces come from: the program sees some of them and cannot tell the next.
    nonces: Seed,
    /// How often it was asked.
    asked: u64,
}

enum Life {
    Running(Box<Program>),
    /// Why it plays no more.
    Over(String),
}

impl fmt::Debug for ProcessPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcessPlayer").field("name", &self.name).field("asked", &self.asked).finish_non_exhaustive()
    }
}

impl ProcessPlayer {
    /// Starts a program and greets it. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// If the command is none or cannot be started. What the program does from then on is its own affair, and the
    /// record's.
    pub fn start(command: &str, hello: Hello) -> Result<ProcessPlayer, ProcessError> {
        let words = words(command)?;
        let nonces = Seed(getrandom::u64().map_err(ProcessError::NoChance)?);
        let relay = Relay::new(hello.seat.to_string(), Box::new(std::io::stderr()));
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        let mut program = Program::start(command, relay, MAX_LINE)
            .map_err(|why| ProcessError::NotStarted { program: words[0].clone(), why })?;
        let Hello { ruleset, seat, seats, language } = hello;
        let brief = brief(&ruleset, seats, language);
        let greeting =
            ProgramInput::Hello { protocol: PROTOCOL, ruleset: &ruleset, seat, seats, language, brief: &brief };
        program.send(&greeting.line());
        Ok(ProcessPlayer { life: Life::Running(Box::new(program)), name: None, greeted: false, nonces, asked: 0 })
    }

    /// Waits until the program has answered the greeting, so that its start is on nobody's clock; as long as `patience`
    /// and no longer. A program that has not answered by then does so in its first turn, or loses that.
    pub async fn ready(&mut self, patience: Duration) {
        // A program that ended is recorded when it is asked.
        let in_time = timeout(patience, self.greet()).await.is_ok();
        if let Life::Running(program) = &self.life
            && !in_time
        {
            program.note("it has not answered `hello` with `ready` yet");
        }
    }

    /// What the program calls itself, once it is ready and if it said so.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    async fn greet(&mut self) -> Result<(), PlayerError> {
        if !self.greeted {
            let name = self.hear(|line| match wire::hear(line) {
                ProgramOutput::Ready { name } => Ok(name),
                ProgramOutput::Action { .. } | ProgramOutput::Noise => Err("not `ready`"),
            });
            self.name = name.await?.map(|name| shorten(&name));
            self.greeted = true;
        }
        Ok(())
    }

    async fn ask(&mut self, ask: &Ask, log: &TurnLog) -> Result<Answer, PlayerError> {
        self.greet().await?;
        let nonces = self.nonces;
        let nonce = move |question: u64| format!("{:016x}", nonces.child("nonce", question).0);
        let question = self.asked;
        self.asked += 1;
        if let Life::Running(program) = &mut self.life {
            program.send(&wire::turn(&nonce(question), ask, log).line());
        }
        let answer = self.hear(|line| {
            let problem = match wire::hear(line) {
                ProgramOutput::Action { nonce: None, .. } => {
                    wire::unreadable("an answer repeats the `nonce` of its turn; this one has none")
                }
                ProgramOutput::Action { nonce: Some(given), reply } if given == nonce(question) => {
                    return Ok(reply.answer(ask));
                }
                ProgramOutput::Action { nonce: Some(given), .. }
                    if (0..question).any(|earlier| given == nonce(earlier)) =>
                {
                    return Err("not for this turn");
                }
                ProgramOutput::Action { nonce: Some(_), .. } => {
                    wire::unreadable("an answer repeats the `nonce` of its turn; this one was never given")
                }
                ProgramOutput::Ready { .. } | ProgramOutput::Noise => return Err("not an `action`"),
            };
            Ok(Err(PlayerError::NoAction(Attempt { text: text(line), problem })))
        });
        answer.await?
    }

    /// Reads lines until one is wanted. The others are ignored, with a word about why.
    async fn hear<T>(&mut self, want: impl Fn(&[u8]) -> Result<T, &'static str>) -> Result<T, PlayerError> {
        let program = match &mut self.life {
            Life::Running(program) => program,
            Life::Over(why) => return Err(PlayerError::Crashed(why.clone())),
        };
        let mut ignored = 0;
        let ended = loop {
            match program.line().await {
                Ok(line) => match want(&line) {
                    Ok(wanted) => return Ok(wanted),
                    Err(why) => program.note(&format!("(ignored, {why}) {}", shorten(&text(&line)))),
                },
                Err(ended) => break ended,
            }
            ignored += 1;
            if ignored > MAX_IGNORED {
                break Ended::ManyLines(MAX_IGNORED);
            }
        };
        let why = ended.to_string();
        program.note(&format!("({why})"));
        if let Life::Running(program) = std::mem::replace(&mut self.life, Life::Over(why.clone())) {
            program.bury().await;
        }
        Err(PlayerError::Crashed(why))
    }
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim().to_owned()
}

impl Player for ProcessPlayer {
    fn act<'a>(&'a mut self, ask: &'a Ask, log: &'a TurnLog) -> BoxFuture<'a, Result<Answer, PlayerError>> {
        Box::pin(self.ask(ask, log))
    }

    fn end(&mut self, outcome: &Outcome) -> BoxFuture<'_, ()> {
        let line = ProgramInput::End { outcome }.line();
        let life = std::mem::replace(&mut self.life, Life::Over("the match is over".to_owned()));
        Box::pin(async move {
            if let Life::Running(program) = life {
                program.farewell(&line).await;
            }
        })
    }
}
