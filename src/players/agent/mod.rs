//! `agent:NAME`: an agent (Claude Code, Codex, Gemini CLI, opencode and the like) as a player.
//!
//! An agent is a program of somebody else's that talks to a model by itself. It is started in a fresh and empty folder and
//! given one MCP server, which is bound to its seat and has the tools that a model at the table has; what it calls there is
//! read by the same code. Its turn ends when the seat's `act` is accepted.
//!
//! | protocol | how the agent is run |
//! |---|---|
//! | `acp` | one process and one session for a match, over the Agent Client Protocol; a prompt for every turn |
//! | `mcp` | a command for every turn, given a configuration file and a prompt |
//!
//! The agent starts `standoff agent-seat` as its MCP server. That is a relay: it connects to a loopback address that this
//! process opened for the seat, shows the key that it was given, and passes lines on. So the tools are served here, beside
//! the referee, and nothing of the match can be reached by them but the view of the seat.
//!
//! # What goes wrong
//!
//! | the agent … | what comes of it |
//! |---|---|
//! | calls `act` with what breaks a rule or is no action | refused, recorded, and told to it as the result of its call |
//! | ends its turn without `act` | its last line is read, `ACTION: …`, as a model's; otherwise unreadable, and it is asked again |
//! | calls `act` when it is not its turn, or twice | the call says so and does nothing |
//! | calls more tools in a turn than its profile allows | unreadable |
//! | does not answer | the referee's clock decides: `too_slow`; its prompt is cancelled |
//! | ends, breaks the protocol, or exits with an error | `crashed`; in its next turn it is started again, three times at the most |
//! | says that its model failed (an error to a prompt) | nobody's: the match is suspended |
//! | cannot be started | an error before the match begins |
//! | asks for leave to use anything but the seat's tools | refused |
//!
//! A session knows nothing of what was before it. Where a match goes on from its record, or an agent is started again, the
//! first prompt has the rules and all that the seat was told so far.
//!
//! When the match is over or dropped, the agent is killed with everything in its process group. `docs/agents.md` says what
//! is contained by this and what is not.
//!
//! # Why no crate for ACP
//!
//! The protocol is JSON-RPC, a line per message, and an agent that plays needs five methods of it. The crate
//! `agent-client-protocol` switches on the feature `preserve_order` of `serde_json` for the whole program, which would
//! change the order of keys, and so the bytes, of every record. `acp` has what is needed.

mod acp;
mod command;
mod door;
mod output;
mod profile;
mod server;
mod session;

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::json;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use self::door::{Door, OpenTurn, ToolReply, ToolUse};
pub use self::door::{KEY_VARIABLE, SEAT_VARIABLE, relay};
pub use self::profile::{AgentProfile, Preset, Protocol};
use self::server::Listening;
use self::session::{AgentEvent, Session, SessionError};
use super::model::{ToolOutcome, hear_tool, hear_words};
use super::player::{Answer, Ask, Player, PlayerError};
use super::turn::TurnLog;
use crate::briefs::{AnswerBy, Language, Offer, TurnContext, Variant, tool_text};
use crate::games::outcome::Outcome;
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::games::speech::Speech;
use crate::games::table::Event;
use crate::matches::{Attempt, Call};

/// How long an agent may take to wind up a turn in which it has acted: it usually asks its model once more.
const WIND_UP: Duration = Duration::from_secs(15);

/// How long an agent may take to leave a prompt that is cancelled.
const PATIENCE: Duration = Duration::from_secs(5);

/// So many times an agent that crashed is started again.
const RESTARTS: u32 = 3;

/// So much of what an agent wrote in a turn is kept, in pieces.
const MAX_PIECES: usize = 200;

/// What an agent is told when it comes to a seat.
#[derive(Clone, Debug)]
pub struct AgentSeat {
    /// What is played.
    pub ruleset: Arc<Ruleset>,
    /// Where the agent sits.
    pub seat: Seat,
    /// How many seats there are.
    pub seats: usize,
    /// The language of the match.
    pub language: Language,
    /// The words of the command that relays the seat's tools, like `standoff agent-seat`.
    pub relay: Vec<String>,
    /// The environment of the agent, with what is secret in it.
    pub environment: Vec<(String, String)>,
}

/// An agent that cannot be seated.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Its command is none.
    #[error(transparent)]
    Command(#[from] super::process::ProcessError),
    /// The system gives no folder or no port for it.
    #[error("the system has no room for an agent: {0}")]
    NoRoom(#[from] io::Error),
    /// It did not begin as its protocol says.
    #[error("the agent `{name}` did not begin: {why}")]
    NotBegun {
        /// The name of its profile.
        name: String,
        /// What went wrong, in a sentence.
        why: String,
    },
}

/// An agent among the players.
pub struct AgentPlayer {
    profile: AgentProfile,
    place: AgentSeat,
    variant: Variant,
    language: Language,
    listening: Listening,
    uses: UnboundedReceiver<ToolUse>,
    session: Option<Session>,
    restarts: u32,
    /// All that the seat was told in this match, and how much of it the session knows.
    history: Vec<Event>,
    told: usize,
    said: Vec<(Seat, String)>,
    turn: Option<AgentTurn>,
}

/// What an agent has done in the turn at hand.
#[derive(Default)]
struct AgentTurn {
    number: u32,
    begun: Option<Instant>,
    say: Option<String>,
    tools: u32,
    /// A call that acted and was refused: it hears of it when the referee asks again.
    pending: Option<oneshot::Sender<ToolReply>>,
    /// What it wrote and called.
    transcript: Vec<String>,
    /// What it wrote last, and whether that goes on.
    words: String,
    speaks: bool,
}

impl fmt::Debug for AgentPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentPlayer").field("profile", &self.profile.name).finish_non_exhaustive()
    }
}

impl AgentPlayer {
    /// Opens a seat's door and starts the agent there.
    ///
    /// # Errors
    /// If it cannot be started, or does not begin as its protocol says.
    pub async fn start(profile: AgentProfile, variant: Variant, place: AgentSeat) -> Result<AgentPlayer, AgentError> {
        let language = variant.language(profile.language.unwrap_or(place.language));
        let offer = Offer { legal: variant.shows_legal(), talk: place.ruleset.speech != Speech::Off, notes: false };
        let (listening, uses) = Listening::open(variant.tools(offer, language), language).await?;
        let mut player = AgentPlayer {
            profile,
            place,
            variant,
            language,
            listening,
            uses,
            session: None,
            restarts: 0,
            history: Vec::new(),
            told: 0,
            said: Vec::new(),
            turn: None,
        };
        player.session = Some(player.begin().await?);
        Ok(player)
    }

    async fn begin(&mut self) -> Result<Session, AgentError> {
        self.told = 0;
        let AgentSeat { relay, environment, seat, .. } = &self.place;
        let begun = Session::begin(&self.profile, relay, &self.listening, environment, *seat);
        let limit = self.profile.start_time;
        let not_begun = |why: String| AgentError::NotBegun { name: self.profile.name.clone(), why };
        match timeout(limit, begun).await {
            Ok(Ok(session)) => Ok(session),
            Ok(Err(SessionError::Start(error))) => Err(error),
            Ok(Err(error)) => Err(not_begun(error.to_string())),
            Err(_) => Err(not_begun(format!("nothing was heard of it for {} s", limit.as_secs()))),
        }
    }

    /// A session that hears this turn's prompt and no earlier one.
    async fn ready(&mut self, log: &TurnLog) -> Result<(), PlayerError> {
        // To start it, and to hear the last of its turn before, is our business and must not cost it its clock.
        let _waiting = log.waiting();
        if let Some(session) = &mut self.session
            && !session.silence(PATIENCE).await
        {
            self.session = None;
        }
        if self.session.is_none() {
            if self.restarts >= RESTARTS {
                return Err(PlayerError::Crashed(format!("it was started again {RESTARTS} times")));
            }
            self.restarts += 1;
            let begun = self.begin().await.map_err(|error| PlayerError::Crashed(error.to_string()))?;
            self.session = Some(begun);
        }
        // Whatever was called between two turns was answered at the door.
        while self.uses.try_recv().is_ok() {}
        Ok(())
    }

    /// The prompt of a turn. The first one of a session has the rules and all that was before.
    fn prompt(&mut self, ask: &Ask) -> String {
        let context = TurnContext {
            view: &ask.view,
            seat: ask.seat,
            since: &self.history[self.told..],
            said: &self.said,
            history: &[],
            notes: None,
        };
        let turn = self.variant.turn(&context, self.language);
        let remind = tool_text("agent.turn", json!({}), self.language);
        let first = self.told == 0 && self.session.as_ref().is_some_and(Session::is_new);
        // A command knows nothing of the turns before.
        let text = if first || self.profile.protocol == Protocol::Mcp {
            let AgentSeat { ruleset, seats, seat, .. } = &self.place;
            let rules = self.variant.system(ruleset, *seats, *seat, AnswerBy::Tools, self.language);
            let begin = tool_text("agent.begin", json!({ "seat": seat }), self.language);
            format!("{rules}\n{begin}\n\n{turn}\n{remind}\n")
        } else {
            format!("{turn}\n{remind}\n")
        };
        if self.profile.protocol == Protocol::Acp {
            self.told = self.history.len();
            self.said.clear();
        }
        text
    }

    async fn play(&mut self, ask: &Ask, log: &TurnLog) -> Result<Answer, PlayerError> {
        let number = ask.view.turn();
        let attempts = log.attempts();
        let goes_on = !attempts.is_empty() && self.turn.as_ref().is_some_and(|turn| turn.number == number);
        let door = self.listening.door().clone();
        let open = if goes_on {
            let count = u32::try_from(attempts.len()).unwrap_or(u32::MAX);
            let last = attempts.last().expect("there is one");
            let told = self.variant.refused(&ask.view, ask.seat, last, count, AnswerBy::Tools, self.language);
            let is_prompted = self.session.as_ref().is_some_and(Session::is_prompted);
            let pending = self.turn.as_mut().and_then(|turn| turn.pending.take()).filter(|_| is_prompted);
            if let Some(reply) = pending {
                // It hears of it as the result of its call, and goes on.
                let open = Door::open(&door, number);
                let _ = reply.send(ToolReply::refused(told));
                open
            } else if self.profile.protocol == Protocol::Acp && self.session.is_some() && !is_prompted {
                self.send(&told)?;
                Door::open(&door, number)
            } else {
                self.ready(log).await?;
                let prompt = format!("{}\n{told}", self.prompt(ask));
                self.send(&prompt)?;
                Door::open(&door, number)
            }
        } else {
            self.history.extend(ask.events());
            self.said.extend(ask.said.iter().cloned());
            // A call of its last turn that nobody answered is answered by this.
            self.turn = None;
            self.ready(log).await?;
            self.turn = Some(AgentTurn { number, begun: Some(Instant::now()), ..AgentTurn::default() });
            let prompt = self.prompt(ask);
            self.send(&prompt)?;
            Door::open(&door, number)
        };
        let heard = self.hear(ask, open).await;
        let mut answer = match heard {
            Ok(answer) => answer,
            Err(error) => {
                self.charge(log);
                return Err(error);
            }
        };
        // From here on it counts, however long the agent takes to come to its end.
        let _ = log.settle(Ok(answer.clone()));
        let wind_up = async {
            let (Some(session), Some(turn)) = (&mut self.session, &mut self.turn) else { return };
            while session.is_prompted() {
                match session.next().await {
                    Ok(event) => turn.note(event),
                    Err(_) => break,
                }
            }
        };
        // It may take longer: then its next turn begins with that.
        let _ = timeout(WIND_UP, wind_up).await;
        self.charge(log);
        if let Some(turn) = &mut self.turn {
            answer.think(&std::mem::take(&mut turn.transcript));
        }
        Ok(answer)
    }

    fn send(&mut self, prompt: &str) -> Result<(), PlayerError> {
        match &mut self.session {
            Some(session) => session.prompt(prompt).map_err(|error| crashed(&error)),
            None => Err(PlayerError::Crashed("it is gone".to_owned())),
        }
    }

    /// Serves the agent until it has acted, or will not.
    async fn hear(&mut self, ask: &Ask, open: OpenTurn) -> Result<Answer, PlayerError> {
        let AgentPlayer { session, uses, turn, variant, language, profile, .. } = self;
        let (Some(running), Some(turn)) = (session.as_mut(), turn.as_mut()) else {
            return Err(PlayerError::Crashed("it is gone".to_owned()));
        };
        let ended = loop {
            tokio::select! {
                biased;
                used = uses.recv() => {
                    let Some(ToolUse { turn: for_turn, name, arguments, reply }) = used else {
                        break SessionError::Ended("nobody serves its tools".to_owned());
                    };
                    if for_turn != turn.number {
                        continue;
                    }
                    turn.tools += 1;
                    if turn.tools > profile.max_tool_calls && name != "act" {
                        turn.pending = Some(reply);
                        return Err(PlayerError::NoAction(Attempt::nothing()));
                    }
                    turn.used(format!("{name} {arguments}"));
                    match hear_tool(&name, &arguments, ask, &mut turn.say, variant, *language) {
                        ToolOutcome::Told(text) => drop(reply.send(ToolReply::told(text))),
                        ToolOutcome::Acted(Ok(answer)) => {
                            // Whatever it calls from now on comes too late.
                            drop(open);
                            let said = tool_text("agent.accepted", json!({}), *language);
                            let _ = reply.send(ToolReply::told(said));
                            let free = ask.view.ruleset().speech == Speech::Free;
                            let say = turn.say.take().or(answer.say).filter(|_| free);
                            return Ok(Answer { say, ..answer });
                        }
                        ToolOutcome::Acted(Err(error)) => {
                            turn.pending = Some(reply);
                            return Err(error);
                        }
                    }
                }
                event = running.next() => match event {
                    Ok(AgentEvent::Ended) => {
                        // What it wrote without a call is read as a model's is.
                        let words = std::mem::take(&mut turn.words);
                        return hear_words(&words, ask);
                    }
                    Ok(AgentEvent::Failed(why)) => {
                        return Err(PlayerError::Backend(format!("the agent `{}` says: {why}", profile.name)));
                    }
                    Ok(event) => turn.note(event),
                    Err(error) => break error,
                },
            }
        };
        *session = None;
        Err(crashed(&ended))
    }

    /// Notes what the agent says that its turn cost.
    fn charge(&mut self, log: &TurnLog) {
        let Some(used) = self.session.as_mut().and_then(Session::used) else { return };
        let begun = self.turn.as_mut().and_then(|turn| turn.begun.replace(Instant::now()));
        let millis = begun.map_or(0, |begun| u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX));
        log.charge(Call { model: self.profile.name.clone(), millis, ..used });
    }
}

impl AgentTurn {
    fn note(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::Said(text) => {
                self.words.push_str(&text);
                match self.transcript.last_mut() {
                    Some(last) if self.speaks => last.push_str(&text),
                    _ => self.write(text),
                }
                self.speaks = true;
            }
            AgentEvent::Used(tool) => self.used(tool),
            AgentEvent::Ended | AgentEvent::Failed(_) | AgentEvent::Nothing => {}
        }
    }

    /// It called a tool: what it said before is not its last word.
    fn used(&mut self, tool: String) {
        self.words.clear();
        self.speaks = false;
        self.write(tool);
    }

    fn write(&mut self, text: String) {
        if self.transcript.len() < MAX_PIECES && !text.trim().is_empty() {
            self.transcript.push(text);
        }
    }
}

fn crashed(error: &SessionError) -> PlayerError {
    PlayerError::Crashed(error.to_string())
}

impl Player for AgentPlayer {
    fn act<'a>(&'a mut self, ask: &'a Ask, log: &'a TurnLog) -> BoxFuture<'a, Result<Answer, PlayerError>> {
        Box::pin(self.play(ask, log))
    }

    /// The first prompt of the new session tells all that was before.
    fn remember<'a>(&'a mut self, ask: Ask, _calls: &'a [Call]) -> BoxFuture<'a, ()> {
        self.history.extend(ask.events());
        self.said.extend(ask.said);
        Box::pin(std::future::ready(()))
    }

    fn end(&mut self, _: &Outcome) -> BoxFuture<'_, ()> {
        // It is killed with all that it started.
        self.session = None;
        Box::pin(std::future::ready(()))
    }
}
