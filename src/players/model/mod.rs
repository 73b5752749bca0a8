//! Models that play, over any endpoint that speaks one of the wire formats in `formats`.
//!
//! A [`Model`] is one profile: all its matches share the endpoint's limits and the budget of the run. [`Model::seat`]
//! gives the player of one seat of one match.
//!
//! # A turn
//!
//! A turn begins with two messages, system and turn, and nothing of earlier turns. Within a turn the talk goes on: what
//! the referee refuses comes back to the model as the result of its tool call, or as a message. The tokens of
//! `max_output_tokens` are for one request; an answer has at most eight.
//!
//! | what comes back | what it is |
//! |---|---|
//! | `act` with `{"reasoning": …, "action": …}` | an attempt: the rules take or refuse it |
//! | words beside a call | kept with the reasoning, for spectators |
//! | `act` with arguments that are no JSON object | unreadable |
//! | `act` with other fields (`seat`, `turn`) | unreadable, unless it is the game's own JSON form of an action |
//! | several `act` that differ | unreadable |
//! | `get_state`, `list_legal_actions`, `speak` | answered, and the model goes on |
//! | an unknown tool | the model is told so and goes on |
//! | no action in eight requests | unreadable |
//! | text where tools were asked for | as in mode `text` |
//! | thoughts (`<think>` and the like, ended or not; fields and parts for reasoning) | never read |
//! | a tool call leaked into the text (`<tool_call>{…`) | unreadable |
//! | mode `json`: anything but one JSON object | unreadable |
//! | mode `text`: a last line `ACTION: …` | an attempt, ornaments aside |
//! | mode `text`: any other last line, whatever stands above it | unreadable |
//! | mode `text`: two actions on that line | unreadable |
//! | no content and no call, only reasoning | unreadable |
//! | `finish_reason` `length` or another word for it, whatever came before | truncated |
//! | `refusal`, or `finish_reason` `content_filter` or another word for it | refused |
//! | an error that says that the model's call or JSON could not be read (`tool_use_failed`) | unreadable |
//! | connection, timeout, status, or a body that is no completion | nobody's: sent again, then the match is suspended |
//! | an error in an answer, at the top or in a choice, or `finish_reason` `error` | as a status |
//! | the prompt does not pass a filter, or is too long for the model | nobody's: the match is suspended |
//! | a budget is used up | nobody's: the match is suspended |
//!
//! # How it is sent
//!
//! The conversation of a turn has a form of our own; a wire format (`formats`) writes it as a request and reads what
//! comes back. Requests are sent by `reqwest` and by no client of a provider: those retry on their own, lose the HTTP
//! status where an error's `code` is a number, and refuse answers that differ in a field from what their makers expect.
//! So there is one layer that retries, it sees every status, and answers are read field by field. Of `async-openai` only
//! the types are used, for what we write in the formats of `OpenAI`: `formats/chat.rs` says where and why.
//!
//! The system text begins with what is the same for every seat, the rules, and the seat's role follows: two seats of one
//! model share the prefix that a provider caches. Where a format marks what is to be cached, the mark stands between them.
//!
//! Answers are streamed where the profile says so, and put together before anything looks at them. The journal has every
//! answer as it came, and before it is used. A match that goes on after it was killed, or is played from a cassette, goes
//! through the same code and finds its answers there; so does [`Player::remember`], which takes a player through the
//! turns of its past. Where a clock ran out, the journal has that instead of an answer.
//!
//! # Whose time it is
//!
//! | time | whose | what comes of it |
//! |---|---|---|
//! | a request that is answered | the player's, thinking | runs its clock; if that runs out, the player is too slow |
//! | rate limits, concurrency, finding out the mode | ours, waiting | recorded, runs no clock |
//! | a request that fails, the wait before the next | the backend's | recorded, runs no clock |
//! | after a failure, a request that outlasts the clock | the backend's | the match is suspended, as if it had failed |
//!
//! A request that was cut off is not in the record: what it cost, nobody knows. The [`Ledger`] has it, as it has every
//! request that was sent, and counts the most that it may have cost.

mod answer;
mod budget;
mod call;
mod cassette;
mod check;
mod conversation;
mod endpoint;
mod failure;
mod fault;
mod formats;
mod genai;
mod journal;
mod ledger;
mod limiter;
mod question;
mod rate_limiter;
mod reader;
mod reply;
mod seat;
mod secrets;
mod stream;
#[cfg(test)]
mod tests;
mod transcript;
mod trial;
mod waiting;

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

pub use self::budget::{Pico, RunBudget, usd};
use self::call::Unasked;
pub use self::call::price_of;
pub use self::cassette::Cassette;
pub use self::check::{Advice, Check, CheckFinding};
pub use self::endpoint::{BadEndpoint, prepare_tls};
pub use self::failure::RetryPolicy;
pub use self::genai::{CONTENT_FIELDS, capture_content};
pub use self::journal::{CallKey, FileJournal, Journal, NoJournal, Recorded};
pub(crate) use self::journal::{warn_unentered, warn_unkept};
pub use self::ledger::{Ledger, LedgerEntry, RequestOutcome, Spent};
pub(crate) use self::limiter::lease_beside;
pub use self::limiter::{Lease, LeaseRequest, Limiter, Withheld};
pub use self::reader::answer_in;
pub use self::secrets::Secrets;
pub use self::transcript::{Speaker, conversation};
pub use self::waiting::{AwaitedLimit, CallWait, LimitQueue, WaitingCalls};

pub(super) use self::answer::{ToolOutcome, hear_tool, hear_words};
pub(super) use self::conversation::ThinkingFirst;
use self::conversation::{Form, Message, Request};
use self::endpoint::Endpoint;
use self::formats::Format;
use self::seat::ModelPlayer;
use super::player::Player;
use super::profile::{Mode, Profile};
use crate::briefs::{AnswerBy, Language, SystemPrompt, Variant};
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::games::view::View;

/// How many first messages a model remembers: more than a tournament has rulesets and seats.
const SYSTEMS: usize = 64;

/// A model that plays, for any number of matches.
#[derive(Clone)]
pub struct Model {
    inner: Arc<Inner>,
}

struct Inner {
    profile: Profile,
    variant: Variant,
    format: &'static dyn Format,
    endpoint: Endpoint,
    limiter: Arc<dyn Limiter>,
    journal: Arc<dyn Journal>,
    retry: RetryPolicy,
    /// How it is asked, once that is found out.
    by: OnceCell<AnswerBy>,
    /// First messages that were written lately.
    systems: Mutex<VecDeque<System>>,
}

/// The first message of every turn in a seat. It has the rules, and takes time to write.
struct System {
    ruleset: Arc<Ruleset>,
    seats: usize,
    seat: Seat,
    by: AnswerBy,
    language: Language,
    text: Arc<SystemPrompt>,
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").field("profile", &self.inner.profile).finish_non_exhaustive()
    }
}

impl Model {
    /// A model by its profile, with the secrets that its endpoint wants.
    ///
    /// # Errors
    /// If the profile cannot be used at all: a bad address or key, or no price where money is limited. Nothing is sent yet.
    pub fn new(
        profile: Profile,
        secrets: impl Into<Secrets>,
        variant: Variant,
        limiter: Arc<dyn Limiter>,
        journal: Arc<dyn Journal>,
    ) -> Result<Model, BadEndpoint> {
        Model::with_retry_policy(profile, secrets, variant, limiter, journal, RetryPolicy::USUAL)
    }

    /// The same with a retry policy of one's own.
    ///
    /// # Errors
    /// As [`Model::new`].
    pub fn with_retry_policy(
        profile: Profile,
        secrets: impl Into<Secrets>,
        variant: Variant,
        limiter: Arc<dyn Limiter>,
        journal: Arc<dyn Journal>,
        retry: RetryPolicy,
    ) -> Result<Model, BadEndpoint> {
        let limited = profile.max_usd_match.is_some() || limiter.limits_money();
        if limited && profile.price.is_none() && !journal.is_closed() {
            return Err(BadEndpoint::NoPrice);
        }
        let endpoint = Endpoint::new(&profile, secrets.into())?;
        let (by, systems) = (OnceCell::new(), Mutex::default());
        let variant = variant.with_output_limit(profile.max_output_tokens);
        let format = formats::of(profile.api);
        let inner = Inner { profile, variant, format, endpoint, limiter, journal, retry, by, systems };
        Ok(Model { inner: Arc::new(inner) })
    }

    /// The player of one seat of one match, in this language where neither profile nor prompt names another.
    pub fn seat(&self, language: Language) -> Box<dyn Player> {
        Box::new(ModelPlayer::new(self.clone(), self.language(language)))
    }

    /// How it is asked.
    async fn answer_by(&self) -> Result<AnswerBy, Unasked> {
        match self.inner.profile.mode {
            Mode::Tools => Ok(AnswerBy::Tools),
            Mode::Json => Ok(AnswerBy::Json),
            Mode::Text => Ok(AnswerBy::Text),
            Mode::Auto => self.inner.by.get_or_try_init(|| self.probe()).await.copied(),
        }
    }

    /// The first message of every turn in a seat.
    fn system(&self, view: &View, seat: Seat, by: AnswerBy, language: Language) -> Arc<SystemPrompt> {
        let (ruleset, seats) = (view.ruleset(), view.seats());
        let systems = || self.inner.systems.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |it: &&System| {
            (it.seats, it.seat, it.by, it.language) == (seats, seat, by, language)
                && (Arc::ptr_eq(&it.ruleset, ruleset) || it.ruleset == *ruleset)
        };
        if let Some(known) = systems().iter().find(same) {
            return known.text.clone();
        }
        let text = Arc::new(self.inner.variant.system_prompt(ruleset, seats, seat, by, language));
        let mut systems = systems();
        systems.truncate(SYSTEMS - 1);
        systems.push_front(System { ruleset: ruleset.clone(), seats, seat, by, language, text: text.clone() });
        text
    }

    fn body(&self, messages: &[Message], form: &Form, max_tokens: u32) -> String {
        body(&self.inner.profile, messages, form, max_tokens)
    }
}

/// A request as it is sent.
fn body(profile: &Profile, messages: &[Message], form: &Form, max_tokens: u32) -> String {
    let mut body = formats::of(profile.api).body(&Request { profile, messages, form, max_tokens });
    conversation::merge(&mut body, &profile.extra_body);
    serde_json::to_string(&ThinkingFirst(&body)).expect("plain data")
}
