//! The messages of the protocol.

use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::briefs::Language;
use crate::games::outcome::Outcome;
use crate::games::refusal::{Code, Refusal};
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::games::table::{Event, State};
use crate::matches::{Attempt, Problem};
use crate::players::player::{Answer, Ask, PlayerError};
use crate::players::turn::TurnLog;

/// What a program is sent.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ProgramInput<'a> {
    Hello { protocol: u32, ruleset: &'a Ruleset, seat: Seat, seats: usize, language: Language, brief: &'a str },
    Turn(Box<TurnQuestion<'a>>),
    End { outcome: &'a Outcome },
}

#[derive(Serialize)]
pub(super) struct TurnQuestion<'a> {
    nonce: &'a str,
    turn: u32,
    seat: Seat,
    state: State,
    legal: Vec<String>,
    events: Vec<Event>,
    said: Vec<Said<'a>>,
    time_left_ms: Option<u64>,
    refused: Vec<RefusedAnswer>,
}

#[derive(Serialize)]
pub(super) struct Said<'a> {
    seat: Seat,
    text: &'a str,
}

/// An answer of this turn that was not taken.
#[derive(Serialize)]
pub(super) struct RefusedAnswer {
    text: String,
    code: Code,
    message: String,
}

impl ProgramInput<'_> {
    /// The line that is sent, with its end.
    pub(super) fn line(&self) -> String {
        let mut line = serde_json::to_string(self).expect("keys are texts and nothing else can fail");
        line.push('\n');
        line
    }
}

/// The question of a turn.
pub(super) fn turn<'a>(nonce: &'a str, ask: &'a Ask, log: &TurnLog) -> ProgramInput<'a> {
    ProgramInput::Turn(Box::new(TurnQuestion {
        nonce,
        turn: ask.view.turn(),
        seat: ask.seat,
        state: ask.view.state(),
        legal: ask.view.legal(ask.seat),
        events: ask.events(),
        said: ask.said.iter().map(|(seat, text)| Said { seat: *seat, text }).collect(),
        time_left_ms: log.time_left().map(|left| u64::try_from(left.as_millis()).unwrap_or(u64::MAX)),
        refused: log.attempts().iter().map(refused).collect(),
    }))
}

fn refused(attempt: &Attempt) -> RefusedAnswer {
    let Refusal { code, message, .. } = attempt.problem.refusal();
    // What the record keeps of it is enough for its author, too.
    RefusedAnswer { text: attempt.text.chars().take(200).collect(), code, message }
}

/// What a program wrote.
pub(super) enum ProgramOutput {
    Ready {
        name: Option<String>,
    },
    Action {
        nonce: Option<String>,
        reply: ProgramAnswer,
    },
    /// No message of the protocol.
    Noise,
}

/// An answer as it came, for whichever turn.
pub(super) struct ProgramAnswer {
    line: String,
    fields: Map<String, Json>,
}

/// Reads a line.
pub(super) fn hear(line: &[u8]) -> ProgramOutput {
    let Ok(Json::Object(mut object)) = serde_json::from_slice(line) else { return ProgramOutput::Noise };
    let mut text = |key: &str| match object.remove(key) {
        Some(Json::String(text)) => Some(text),
        _ => None,
    };
    match text("type").as_deref() {
        Some("ready") => ProgramOutput::Ready { name: text("name") },
        Some("action") => ProgramOutput::Action {
            nonce: text("nonce"),
            reply: ProgramAnswer { line: super::text(line), fields: object },
        },
        _ => ProgramOutput::Noise,
    }
}

impl ProgramAnswer {
    /// The answer that it is to this question.
    pub(super) fn answer(self, ask: &Ask) -> Result<Answer, PlayerError> {
        let ProgramAnswer { line, mut fields } = self;
        let no_action = |problem| PlayerError::NoAction(Attempt { text: line.clone(), problem });
        let action = fields.remove("action");
        let mut text = |key: &str| match fields.remove(key) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(text)) => Ok(Some(text)),
            Some(_) => Err(no_action(unreadable(format!("`{key}` must be a text")))),
        };
        let (say, reasoning) = (text("say")?, text("reasoning")?);
        let answer = match action {
            Some(Json::String(action)) => ask.answer(&action)?,
            Some(Json::Object(action)) => ask.answer(action)?,
            _ => return Err(no_action(Problem::Nothing)),
        };
        Ok(answer.with(say, reasoning.as_deref()))
    }
}

/// An answer that is none, and why.
pub(super) fn unreadable(why: impl Into<String>) -> Problem {
    Problem::Refused(Refusal::new(Code::UnreadableAction, why))
}
