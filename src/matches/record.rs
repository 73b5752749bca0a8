//! What is kept of a match, line by line.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value as Json;

use super::attempt::Attempt;
use super::format::Minor;
use super::identity::Identity;
use crate::games::any::GameId;
use crate::games::dice::Seed;
use crate::games::outcome::Reason;
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::games::table::{Event, Opening, State, StateHash, Table};
use crate::games::view::Viewer;
use crate::games::{Code, Refusal};

/// One line of a record.
#[expect(clippy::large_enum_variant, reason = "nearly every line is a turn")]
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Record {
    /// The first line.
    Match(Box<Header>),
    /// A turn that was played.
    Turn(Turn),
    /// The last line.
    Result(Result),
}

/// The first line: all that is needed to play the match again.
#[derive(Clone, Debug, Serialize)]
pub struct Header {
    /// [`VERSION`](super::format::VERSION).
    pub version: u32,
    /// How much the record says.
    pub minor: Minor,
    /// The match's own name.
    pub id: String,
    /// The ruleset with every field.
    pub ruleset: Arc<Ruleset>,
    /// Where all chance of the match comes from.
    pub seed: Seed,
    /// Who sits where, in seat order.
    pub seats: Vec<SeatInfo>,
    /// The turns of the opening, where one was drawn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub opening: Opening,
    /// The first position, after the opening.
    pub state: State,
}

/// Who sits on a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeatInfo {
    /// The seat that this is about.
    pub seat: Seat,
    /// The player's name, like `greedy` or `search:2000`.
    pub player: String,
    /// How a model was asked, where one plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelInfo>,
    /// Who that is. Earlier records do not say; see [`SeatInfo::identity`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
}

impl SeatInfo {
    /// A player whom an operator named: a bot, a model, a program.
    pub fn configured(seat: Seat, player: String, model: Option<ModelInfo>) -> SeatInfo {
        let identity = Some(Identity::configured(&player, model.is_some()));
        SeatInfo { seat, player, model, identity }
    }

    /// Somebody known by a name only.
    pub fn guest(seat: Seat, player: impl Into<String>) -> SeatInfo {
        SeatInfo { seat, player: player.into(), model: None, identity: Some(Identity::Guest) }
    }

    /// Who sits there. Where the record does not say, it is one of before there were identities: its players were
    /// named by whoever ran the program.
    pub fn identity(&self) -> Identity {
        self.identity.clone().unwrap_or_else(|| Identity::configured(&self.player, self.model.is_some()))
    }
}

/// How a model was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelInfo {
    /// The model, as its endpoint calls it.
    pub model: String,
    /// The prompt variant.
    pub prompt: String,
    /// The fingerprint of what it was sent: system message, tools, schema, and what later messages are made of.
    pub prompt_hash: String,
    /// The language it was addressed in.
    pub language: String,
    /// How it was asked for an action.
    pub mode: String,
    /// The wire format of its endpoint. Older records do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api: Option<String>,
}

/// One turn: what was done and what came of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Turn {
    /// The game, in records of minor 1 and later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// Counted from 1.
    pub turn: u32,
    /// What each seat did, in notation; `pass` and `forfeit` are the referee's.
    pub actions: BTreeMap<Seat, String>,
    /// What came of it.
    pub events: Vec<Event>,
    /// The fingerprint of the position that it led to; left out while the match is played.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub state_hash: Option<StateHash>,
    /// Which of the actions are the referee's doing, and why.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub lapses: BTreeMap<Seat, Lapse>,
    /// What was said beside the action, where talk is free.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub said: BTreeMap<Seat, String>,
    /// What players gave as their reasons.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub reasoning: BTreeMap<Seat, String>,
    /// Attempts that were refused before, in the order in which they came.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedAttempt>,
    /// How long each player thought, in microseconds.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub micros: BTreeMap<Seat, u64>,
    /// How long each player waited in our own queues, for rate limits say, which runs no clock. In microseconds.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub waited_micros: BTreeMap<Seat, u64>,
    /// How long each player's backend was in trouble, with requests that failed and the waits after them, which runs no
    /// clock either. In microseconds.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub backend_micros: BTreeMap<Seat, u64>,
    /// What each player asked of a model, refused attempts included.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub calls: BTreeMap<Seat, Vec<Call>>,
    /// The line that it was read from, where that says more than is known here.
    #[serde(skip)]
    pub(super) written: Option<Box<str>>,
}

impl Turn {
    /// The turn without a fingerprint to compute from.
    #[must_use]
    pub fn without_hash(&self) -> Turn {
        Turn { state_hash: None, written: None, ..self.clone() }
    }

    /// As much of the turn as somebody may know, with what they are told of its events. While the match is played nobody
    /// gets a fingerprint to compute from; where something is hidden, what the others did, thought and spent might give
    /// it away.
    #[must_use]
    pub fn told(self: &Arc<Turn>, before: &Table, after: &Table, viewer: Viewer) -> Arc<Turn> {
        if viewer == Viewer::After || after.outcome().is_some() {
            return self.clone();
        }
        if !after.hides() {
            return Arc::new(self.without_hash());
        }
        let own = self.actions.iter().filter(|(seat, _)| viewer == Viewer::Seat(**seat));
        Arc::new(Turn {
            game: self.game,
            turn: self.turn,
            actions: own.map(|(seat, action)| (*seat, action.clone())).collect(),
            events: after.told(before, &self.events.as_slice().into(), viewer).to_vec(),
            state_hash: None,
            lapses: self.lapses.clone(),
            said: self.said.clone(),
            reasoning: BTreeMap::new(),
            refused: Vec::new(),
            micros: BTreeMap::new(),
            waited_micros: BTreeMap::new(),
            backend_micros: BTreeMap::new(),
            calls: BTreeMap::new(),
            written: None,
        })
    }

    /// The turn as it is passed on: what was read and is not known here included.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize_whole<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let whole = self.written.as_deref().and_then(|line| {
            let mut written: Json = serde_json::from_str(line).ok()?;
            let fields = written.as_object_mut()?;
            fields.remove("type");
            fields.remove("hash");
            Some(written)
        });
        match whole {
            None => self.serialize(serializer),
            Some(whole) => whole.serialize(serializer),
        }
    }
}

/// One request to a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Call {
    /// Which model answered.
    pub model: String,
    /// Tokens that the model read.
    pub input_tokens: u64,
    /// Of those, read from the provider's cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cached_tokens: u64,
    /// Of those, written to the provider's cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    /// Tokens that the model wrote.
    pub output_tokens: u64,
    /// Of those, thought and not said.
    #[serde(skip_serializing_if = "is_zero")]
    pub reasoning_tokens: u64,
    /// Money, where the player's profile has a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// From request to answer.
    pub millis: u64,
    /// From request to the first token, where answers are streamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_token_millis: Option<u64>,
    /// Requests that the backend failed before this one: the kind of failure, and what was said about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub retries: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Why the referee acted for a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lapse {
    /// What the player did wrong.
    pub fault: Fault,
    /// Whether the action was drawn for the player; it is `pass` or `forfeit` otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stand_in: bool,
    /// What is known of it beside the refused attempts: how a program failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Lapse {
    /// A lapse of which nothing more is known.
    pub fn of(fault: Fault) -> Lapse {
        Lapse { fault, stand_in: false, why: None }
    }
}

/// What a player did wrong. Faults of the referee or of a backend are never among these: they suspend a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// Every attempt broke a rule.
    Illegal,
    /// Every attempt was no action at all.
    Unreadable,
    /// The answer was cut off before it was complete.
    Truncated,
    /// The player declined to answer. Records have called it `refused` from the first, and still do.
    #[serde(rename = "refused", alias = "declined")]
    Declined,
    /// No answer in time.
    TooSlow,
    /// The player's program ended or broke the protocol.
    Crashed,
    /// The player gave up.
    Resigned,
}

impl Fault {
    /// As records have it.
    pub fn name(self) -> &'static str {
        match self {
            Fault::Illegal => "illegal",
            Fault::Unreadable => "unreadable",
            Fault::Truncated => "truncated",
            Fault::Declined => "refused",
            Fault::TooSlow => "too_slow",
            Fault::Crashed => "crashed",
            Fault::Resigned => "resigned",
        }
    }

    /// What a refusal by the rules says about the player: that it sent no action, or one that breaks a rule.
    pub fn of(refusal: &Refusal) -> Fault {
        if refusal.code == Code::UnreadableAction { Fault::Unreadable } else { Fault::Illegal }
    }
}

/// An attempt that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefusedAttempt {
    /// The seat that sent it.
    pub seat: Seat,
    /// What was sent, cut to 200 characters.
    pub text: String,
    /// What kind of failure it was.
    pub fault: Fault,
    /// Which rule it breaks.
    pub code: Code,
    /// The refusal as the player read it.
    pub message: String,
}

impl RefusedAttempt {
    /// A seat's attempt that was not taken, cut to what a record has room for.
    pub fn new(seat: Seat, attempt: &Attempt) -> RefusedAttempt {
        let Refusal { code, message, .. } = attempt.problem.refusal();
        RefusedAttempt {
            seat,
            text: attempt.text.chars().take(200).collect(),
            fault: attempt.problem.fault(),
            code,
            message,
        }
    }
}

/// The last line: how it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Result {
    /// A place for every seat, 1 the best.
    pub places: BTreeMap<Seat, u32>,
    /// Why it is over.
    pub reason: Reason,
    /// How many turns were played.
    pub turns: u32,
}
