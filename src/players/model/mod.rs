//! Models that play, over any OpenAI-compatible endpoint.
//!
//! A [`Model`] is one profile: all its matches share the endpoint's limits and the budget of the run. [`Model::seat`]
//! gives the player of one seat of one match.
//!
//! # A turn
//!
//! A turn begins with two messages, system and turn, and nothing of earlier turns. Within a turn the talk goes on: what
//! the referee refuses comes back to the model as the result of its tool call, or as a message. The tokens of
//! `max_output_tokens` are for one answer, all requests of it together; an answer has at most eight.
//!
//! | what comes back | what it is |
//! |---|---|
//! | `act` with `{"action": …}` | an attempt: the referee takes or refuses it |
//! | `act` with arguments that are no JSON object | unreadable |
//! | `act` with other fields (`seat`, `turn`) | unreadable, unless it is the game's own JSON form of an action |
//! | several `act` | the first counts, the others are told so |
//! | `get_state`, `list_legal_actions`, `speak` | answered, and the model goes on |
//! | an unknown tool | the model is told so and goes on |
//! | no action in eight requests | unreadable |
//! | no action within `max_output_tokens` | truncated |
//! | text where tools were asked for | as in mode `text` |
//! | a tool call leaked into the text (`<tool_call>{…`) | unreadable |
//! | mode `json`: anything but one JSON object | unreadable |
//! | mode `text` | the last line that reads as an action; nothing is rescued out of a line |
//! | no content and no call, only reasoning | unreadable |
//! | `finish_reason` `length`, whatever came before | truncated |
//! | `refusal`, or `finish_reason` `content_filter` | refused |
//! | connection, timeout, status, or a body that is no completion | nobody's: sent again, then the match is suspended |
//! | a budget is used up | nobody's: the match is suspended |
//!
//! # How it is sent
//!
//! Requests are built in the types of `async-openai` and sent by `reqwest`. The client of `async-openai` is not used: it
//! retries on its own, it loses the HTTP status where an error's `code` is a number, and its types refuse answers that
//! differ in a field from what its makers expect. So there is one layer that retries, it sees every status, and answers are read field
//! by field.
//!
//! The first request of an answer may use up the player's clock: that is the player's, too slow. Time that went to
//! failures, to our own rate limits or to waiting is not: then the match is suspended before the clock runs out.

mod answer;
mod budget;
mod cassette;
mod check;
mod endpoint;
mod failure;
mod gate;
mod journal;
mod question;
mod reply;
mod request;
mod seat;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;
use tokio::sync::OnceCell;
use tokio::time::{Instant, sleep, timeout_at};
use tracing::{Instrument as _, Span};

pub use self::budget::{Exhausted, RunBudget};
pub use self::cassette::Cassette;
pub use self::check::{Check, Finding};
pub use self::endpoint::BadEndpoint;
pub use self::failure::Patience;
pub use self::journal::{CallKey, FileJournal, Journal, NoJournal, Recorded};

use self::budget::{Pico, Reserved, cost, pico, usd};
use self::endpoint::Endpoint;
use self::failure::{Failure, Kind};
use self::gate::Gate;
use self::reply::Reply;
use self::request::{Form, Message};
use self::seat::Seated;
use super::player::Player;
use super::profile::{Mode, Profile};
use crate::briefs::{AnswerBy, Language, Variant};
use crate::matches::Call;
use crate::rules::seat::Seat;

/// How long before the end of the player's clock we give up what is not the player's doing.
const MARGIN: Duration = Duration::from_millis(200);

/// A model that plays, for any number of matches.
#[derive(Clone)]
pub struct Model {
    inner: Arc<Inner>,
}

struct Inner {
    profile: Profile,
    variant: Variant,
    endpoint: Endpoint,
    gate: Arc<Gate>,
    budget: Arc<RunBudget>,
    journal: Arc<dyn Journal>,
    patience: Patience,
    /// How it is asked, once that is found out.
    by: OnceCell<AnswerBy>,
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").field("profile", &self.inner.profile).finish_non_exhaustive()
    }
}

/// What a request is for.
#[derive(Clone, Copy, Debug)]
struct Errand<'a> {
    /// None for a check.
    match_id: Option<&'a str>,
    seat: Seat,
    turn: u32,
    ordinal: u32,
    /// What the match cost so far.
    spent: Pico,
    /// When the player's clock runs out.
    deadline: Option<Instant>,
}

impl Model {
    /// A model by its profile, with the key that its endpoint wants.
    ///
    /// # Errors
    /// If the profile cannot be used at all. Nothing is sent yet.
    pub fn new(
        profile: Profile,
        key: Option<SecretString>,
        variant: Variant,
        run_budget: Arc<RunBudget>,
        journal: Arc<dyn Journal>,
    ) -> Result<Model, BadEndpoint> {
        Model::with_patience(profile, key, variant, run_budget, journal, Patience::USUAL)
    }

    /// The same with a patience of one's own.
    ///
    /// # Errors
    /// As [`Model::new`].
    pub fn with_patience(
        profile: Profile,
        key: Option<SecretString>,
        variant: Variant,
        budget: Arc<RunBudget>,
        journal: Arc<dyn Journal>,
        patience: Patience,
    ) -> Result<Model, BadEndpoint> {
        if profile.max_usd_match.is_some() && profile.price.is_none() {
            return Err(BadEndpoint::NoPrice);
        }
        let endpoint = Endpoint::new(&profile.base_url, key, profile.timeout)?;
        let gate = budget.gate(endpoint.name(), profile.limits);
        let inner = Inner { profile, variant, endpoint, gate, budget, journal, patience, by: OnceCell::new() };
        Ok(Model { inner: Arc::new(inner) })
    }

    /// The player of one seat of one match, in this language where neither profile nor prompt names another.
    pub fn seat(&self, language: Language) -> Box<dyn Player> {
        let language = self.inner.variant.language(self.inner.profile.language.unwrap_or(language));
        Box::new(Seated::new(self.clone(), language))
    }

    /// How it is asked.
    async fn answer_by(&self) -> Result<AnswerBy, String> {
        match self.inner.profile.mode {
            Mode::Tools => Ok(AnswerBy::Tools),
            Mode::Json => Ok(AnswerBy::Json),
            Mode::Text => Ok(AnswerBy::Text),
            Mode::Auto => self.inner.by.get_or_try_init(|| self.probe()).await.copied(),
        }
    }

    fn body(&self, messages: &[Message], form: &Form, max_tokens: u32) -> String {
        let Inner { profile, endpoint, .. } = &*self.inner;
        request::body(profile, messages, form, max_tokens, endpoint.is_openai())
    }

    /// Asks the model, or the journal where the answer is known. The error says what failed and what to do.
    async fn ask(&self, errand: Errand<'_>, body: String, max_tokens: u32) -> Result<(Reply, Call), String> {
        let Inner { profile, endpoint, .. } = &*self.inner;
        let span = tracing::info_span!(
            "chat",
            "otel.name" = format!("chat {}", profile.model),
            "otel.kind" = "client",
            "gen_ai.operation.name" = "chat",
            "gen_ai.provider.name" = "openai",
            "gen_ai.request.model" = profile.model,
            "gen_ai.request.max_tokens" = max_tokens,
            "gen_ai.response.model" = tracing::field::Empty,
            "gen_ai.usage.input_tokens" = tracing::field::Empty,
            "gen_ai.usage.output_tokens" = tracing::field::Empty,
            "server.address" = endpoint.name(),
            "error.type" = tracing::field::Empty,
        );
        self.recall_or_send(errand, body, max_tokens)
            .instrument(span)
            .await
            .map_err(|failure| failure.sentence(&profile.model, endpoint.name()))
    }

    async fn recall_or_send(&self, errand: Errand<'_>, body: String, max: u32) -> Result<(Reply, Call), Unsent> {
        let journal = &self.inner.journal;
        let Errand { match_id, seat, turn, ordinal, .. } = errand;
        let key = CallKey::new(match_id, seat, turn, ordinal, &body);
        if let Some(recorded) = journal.recall(&key) {
            let reply = Reply::read(&recorded.body)?;
            return Ok(self.told(reply, recorded));
        }
        if journal.is_closed() {
            let what = format!("the cassette has no answer for request {ordinal} of seat {seat} in turn {turn}");
            return Err(Failure::new(Kind::NotOnCassette, what).into());
        }
        let (reply, recorded) = self.send(errand, &body, max).await?;
        let kept = {
            let (journal, recorded) = (Arc::clone(journal), recorded.clone());
            // It waits for the disk, and must be done even if nobody waits for us any more: the answer is paid for.
            tokio::task::spawn_blocking(move || journal.keep(&key, &body, &recorded)).await
        };
        match kept {
            Ok(Ok(())) => Ok(self.told(reply, recorded)),
            Ok(Err(error)) => Err(Failure::new(Kind::Journal, error).into()),
            Err(error) => Err(Failure::new(Kind::Journal, error).into()),
        }
    }

    /// Sends a request until it is answered or that is hopeless.
    async fn send(&self, errand: Errand<'_>, body: &str, max: u32) -> Result<(Reply, Recorded), Unsent> {
        let Inner { endpoint, patience, .. } = &*self.inner;
        let end = errand.deadline.map(before);
        let begun = Instant::now();
        let mut failures: Vec<Failure> = Vec::new();
        loop {
            let (reserved, permit) = {
                let tokens = estimate(body) / 2 + u64::from(max);
                let permit = within(end, self.inner.gate.enter(tokens)).await.ok_or(Unsent::Busy)?;
                (self.reserve(errand.spent, body, max)?, permit)
            };
            let sent = Instant::now();
            let exchange = async {
                let body = endpoint.post("/chat/completions", body.to_owned()).await?;
                Reply::read(&body).map(|reply| (reply, body))
            };
            // The clock of the first request is the player's own. After a failure it no longer is.
            let result = match failures.last() {
                None => exchange.await,
                Some(last) => within(end, exchange).await.ok_or_else(|| Unsent::Failed(last.clone()))?,
            };
            drop(permit);
            let failure = match result {
                Ok((reply, body)) => {
                    reserved.settle(self.price(&reply).map_or(0, pico));
                    let retries = failures.iter().map(|failure| failure.kind.to_string()).collect();
                    let millis = u64::try_from(sent.elapsed().as_millis()).unwrap_or(u64::MAX);
                    return Ok((reply, Recorded { status: 200, body, millis, retries }));
                }
                Err(failure) => failure,
            };
            if failure.is_free() {
                reserved.settle(0);
            }
            let wait = patience.wait(&failure, failures.len() + 1, begun.elapsed(), chance());
            let wait = wait.filter(|wait| end.is_none_or(|end| Instant::now() + *wait < end));
            let Some(wait) = wait else {
                Span::current().record("error.type", failure.kind.to_string());
                return Err(Unsent::Failed(failure));
            };
            tracing::warn!(player = self.inner.profile.name, %failure, wait = ?wait, "the request is sent again");
            failures.push(failure);
            sleep(wait).await;
        }
    }

    /// Sets money aside for a request, as much as it may cost at the most.
    fn reserve(&self, spent: Pico, body: &str, max: u32) -> Result<Reserved<'_>, Exhausted> {
        let Profile { price, max_usd_match, .. } = &self.inner.profile;
        let next = price.map_or(0, |price| pico(cost(&price, estimate(body), 0, max.into())));
        match max_usd_match {
            Some(limit) if spent.saturating_add(next) > pico(*limit) => {
                Err(Exhausted::Match { max: *limit, spent: usd(spent), next: usd(next) })
            }
            _ => self.inner.budget.reserve(next),
        }
    }

    fn price(&self, reply: &Reply) -> Option<f64> {
        let usage = reply.usage;
        self.inner.profile.price.map(|price| cost(&price, usage.input, usage.cached, usage.output))
    }

    /// What the record says of a call.
    fn told(&self, reply: Reply, recorded: Recorded) -> (Reply, Call) {
        let usage = reply.usage;
        let span = Span::current();
        span.record("gen_ai.response.model", &reply.model);
        span.record("gen_ai.usage.input_tokens", usage.input);
        span.record("gen_ai.usage.output_tokens", usage.output);
        let model = if reply.model.is_empty() { self.inner.profile.model.clone() } else { reply.model.clone() };
        let call = Call {
            model,
            input_tokens: usage.input,
            cached_tokens: usage.cached,
            output_tokens: usage.output,
            reasoning_tokens: usage.reasoning,
            usd: self.price(&reply),
            millis: recorded.millis,
            first_token_millis: None,
            retries: recorded.retries,
        };
        (reply, call)
    }
}

/// What an answer has cost by a profile's price, in dollars; none where there is no price or it is no answer.
pub fn price_of(profile: &Profile, recorded: &Recorded) -> Option<f64> {
    let usage = Reply::read(&recorded.body).ok()?.usage;
    profile.price.map(|price| cost(&price, usage.input, usage.cached, usage.output))
}

/// Why there is no answer, by nobody's fault at the table.
#[derive(Debug)]
enum Unsent {
    Failed(Failure),
    Exhausted(Exhausted),
    /// Our own limits did not let the request go in time.
    Busy,
}

impl From<Failure> for Unsent {
    fn from(failure: Failure) -> Unsent {
        Unsent::Failed(failure)
    }
}

impl From<Exhausted> for Unsent {
    fn from(exhausted: Exhausted) -> Unsent {
        Unsent::Exhausted(exhausted)
    }
}

impl Unsent {
    fn sentence(&self, model: &str, endpoint: &str) -> String {
        match self {
            Unsent::Failed(failure) => failure.sentence(model, endpoint),
            Unsent::Exhausted(exhausted) => exhausted.to_string(),
            Unsent::Busy => format!(
                "the request to {endpoint} had to wait longer than the player's clock allows; raise the player's rate \
                 limits or concurrency, or play fewer matches at once"
            ),
        }
    }
}

/// The tokens of a text, rather too many than too few.
fn estimate(text: &str) -> u64 {
    text.len() as u64 / 2
}

/// When to give up what is not the player's doing.
fn before(deadline: Instant) -> Instant {
    deadline.checked_sub(MARGIN).unwrap_or(deadline)
}

/// Waits no longer than to this time.
async fn within<T>(end: Option<Instant>, future: impl Future<Output = T>) -> Option<T> {
    match end {
        Some(end) => timeout_at(end, future).await.ok(),
        None => Some(future.await),
    }
}

/// From 0 to 1; the spread of waits needs no seed.
fn chance() -> f64 {
    f64::from(getrandom::u32().unwrap_or(u32::MAX / 2)) / f64::from(u32::MAX)
}
