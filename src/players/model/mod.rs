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
//! Answers are streamed where the profile says so, and put together before anything looks at them. The journal has every
//! answer as it came, and before it is used. A match that goes on after it was killed, or is played from a cassette, goes
//! through the same code and finds its answers there; so does [`Player::remember`], which takes a player through the
//! turns of its past. Where a clock ran out, the journal has that instead of an answer.
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
mod genai;
mod journal;
mod question;
mod reply;
mod request;
mod seat;
mod stream;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;
use tokio::sync::OnceCell;
use tokio::time::{Instant, sleep, timeout_at};
use tracing::field::Empty;
use tracing::{Instrument as _, Span};

pub use self::budget::{Exhausted, RunBudget};
pub use self::cassette::Cassette;
pub use self::check::{Check, Finding};
pub use self::endpoint::{BadEndpoint, prepare_tls};
pub use self::failure::Patience;
pub use self::genai::CONTENT;
pub use self::journal::{CallKey, FileJournal, Journal, NoJournal, Recorded};

use self::budget::{Pico, Reserved, cost, pico, usd};
use self::endpoint::{Endpoint, Received};
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
    /// Whether only what is known is wanted: the turn was played long ago.
    known: bool,
}

impl Model {
    /// A model by its profile, with the key that its endpoint wants.
    ///
    /// # Errors
    /// If the profile cannot be used at all: a bad address or key, or no price where money is limited. Nothing is sent yet.
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
        let limited = profile.max_usd_match.is_some() || budget.limits_money();
        if limited && profile.price.is_none() && !journal.is_closed() {
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
    async fn ask(
        &self,
        errand: Errand<'_>,
        messages: &[Message],
        form: &Form,
        max: u32,
    ) -> Result<(Reply, Charged), Unasked> {
        let Inner { profile, endpoint, .. } = &*self.inner;
        let span = tracing::info_span!(
            "chat",
            { genai::SPAN_NAME } = format!("chat {}", profile.model),
            { genai::SPAN_KIND } = "client",
            { genai::STATUS } = Empty,
            { genai::OPERATION } = "chat",
            { genai::PROVIDER } = endpoint.provider(),
            { genai::CONVERSATION } = errand.match_id,
            { genai::REQUEST_MODEL } = profile.model,
            { genai::REQUEST_MAX_TOKENS } = genai::int(max),
            { genai::REQUEST_TEMPERATURE } = profile.temperature,
            { genai::REQUEST_SEED } = profile.seed,
            { genai::RESPONSE_ID } = Empty,
            { genai::RESPONSE_MODEL } = Empty,
            { genai::INPUT_TOKENS } = Empty,
            { genai::CACHED_TOKENS } = Empty,
            { genai::OUTPUT_TOKENS } = Empty,
            { genai::REASONING_TOKENS } = Empty,
            { genai::INPUT_MESSAGES } = Empty,
            { genai::OUTPUT_MESSAGES } = Empty,
            { genai::SERVER_ADDRESS } = endpoint.host(),
            { genai::SERVER_PORT } = endpoint.port().map(genai::int),
            { genai::ERROR_TYPE } = Empty,
            "standoff.first_token_ms" = Empty,
            "standoff.retries" = Empty,
        );
        if !span.is_disabled() && genai::wants_content() {
            span.record(genai::INPUT_MESSAGES, genai::input(messages));
        }
        let body = self.body(messages, form, max);
        self.recall_or_send(errand, body, max).instrument(span.clone()).await.map_err(|unsent| {
            span.record(genai::ERROR_TYPE, unsent.kind());
            span.record(genai::STATUS, "ERROR");
            match unsent {
                Unsent::TooSlow => Unasked::TooSlow,
                unsent => Unasked::Backend(unsent.sentence(&profile.model, endpoint.name())),
            }
        })
    }

    async fn recall_or_send(&self, errand: Errand<'_>, body: String, max: u32) -> Result<(Reply, Charged), Unsent> {
        let Inner { journal, budget, .. } = &*self.inner;
        let Errand { match_id, seat, turn, ordinal, .. } = errand;
        let key = CallKey::new(match_id, seat, turn, ordinal, &body);
        if let Some(recorded) = journal.recall(&key) {
            if recorded.too_slow {
                return Err(Unsent::TooSlow);
            }
            let reply = Reply::read(&recorded.body)?;
            budget.charge(self.cost(&reply));
            return Ok(self.told(reply, recorded, &body, max));
        }
        if errand.known || journal.is_closed() {
            let what = format!("the cassette has no answer for request {ordinal} of seat {seat} in turn {turn}");
            return Err(Failure::new(Kind::NotOnCassette, what).into());
        }
        let cut_off = CutOff { journal: journal.as_ref(), key: &key, request: &body, deadline: errand.deadline };
        let sent = self.send(errand, &body, max).await;
        std::mem::forget(cut_off);
        let (reply, recorded) = sent?;
        let told = self.told(reply, recorded.clone(), &body, max);
        let kept = {
            let journal = Arc::clone(journal);
            // It waits for the disk, and must be done even if nobody waits for us any more: the answer is paid for.
            tokio::task::spawn_blocking(move || journal.keep(&key, &body, &recorded)).await
        };
        match kept {
            Ok(Ok(())) => Ok(told),
            Ok(Err(error)) => Err(Failure::new(Kind::Journal, error).into()),
            Err(error) => Err(Failure::new(Kind::Journal, error).into()),
        }
    }

    /// Sends a request until it is answered or that is hopeless.
    async fn send(&self, errand: Errand<'_>, body: &str, max: u32) -> Result<(Reply, Recorded), Unsent> {
        let Inner { endpoint, patience, profile, .. } = &*self.inner;
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
                let received = endpoint.post("/chat/completions", body.to_owned(), profile.stream).await?;
                Reply::read(&received.body).map(|reply| (reply, received))
            };
            // The clock of the first request is the player's own. After a failure it no longer is.
            let result = match failures.last() {
                None => exchange.await,
                Some(last) => within(end, exchange).await.ok_or_else(|| Unsent::Failed(last.clone()))?,
            };
            drop(permit);
            let failure = match result {
                Ok((reply, Received { status, headers, body, first_token })) => {
                    reserved.settle(self.cost(&reply));
                    let retries = failures.iter().map(|failure| failure.kind.to_string()).collect();
                    let (millis, first_token_millis) = (millis(sent.elapsed()), first_token.map(millis));
                    let recorded =
                        Recorded { status, headers, body, millis, first_token_millis, retries, too_slow: false };
                    return Ok((reply, recorded));
                }
                Err(failure) => failure,
            };
            if failure.is_free() {
                reserved.settle(Some(0));
            }
            let wait = patience.wait(&failure, failures.len() + 1, begun.elapsed(), chance());
            let wait = wait.filter(|wait| end.is_none_or(|end| Instant::now() + *wait < end));
            let Some(wait) = wait else {
                return Err(Unsent::Failed(failure));
            };
            tracing::warn!(player = profile.name, %failure, wait = ?wait, "the request is sent again");
            failures.push(failure);
            sleep(wait).await;
        }
    }

    /// Sets money aside for a request, as much as it may cost at the most.
    fn reserve(&self, spent: Pico, body: &str, max: u32) -> Result<Reserved<'_>, Exhausted> {
        let next = self.most(body, max);
        match self.inner.profile.max_usd_match {
            Some(limit) if spent.saturating_add(next) > pico(limit) => {
                Err(Exhausted::Match { max: limit, spent: usd(spent), next: usd(next) })
            }
            _ => self.inner.budget.reserve(next),
        }
    }

    /// What a request may cost at the most.
    fn most(&self, body: &str, max: u32) -> Pico {
        self.inner.profile.price.map_or(0, |price| pico(cost(&price, estimate(body), 0, max.into())))
    }

    /// What an answer cost in dollars; none where nobody knows.
    fn price(&self, reply: &Reply) -> Option<f64> {
        let (price, usage) = (self.inner.profile.price?, reply.usage?);
        Some(cost(&price, usage.input, usage.cached, usage.output))
    }

    fn cost(&self, reply: &Reply) -> Option<Pico> {
        self.price(reply).map(pico)
    }

    /// What the record says of a call, and what the match's budget is charged for it.
    fn told(&self, reply: Reply, recorded: Recorded, body: &str, max: u32) -> (Reply, Charged) {
        let usage = reply.usage.unwrap_or_default();
        let span = Span::current();
        if !span.is_disabled() {
            span.record(genai::RESPONSE_ID, reply.id.as_deref());
            span.record(genai::RESPONSE_MODEL, &reply.model);
            span.record(genai::INPUT_TOKENS, genai::int(usage.input));
            span.record(genai::CACHED_TOKENS, genai::int(usage.cached));
            span.record(genai::OUTPUT_TOKENS, genai::int(usage.output));
            span.record(genai::REASONING_TOKENS, genai::int(usage.reasoning));
            span.record("standoff.first_token_ms", recorded.first_token_millis.map(genai::int));
            span.record("standoff.retries", genai::int(recorded.retries.len()));
            if genai::wants_content() {
                span.record(genai::OUTPUT_MESSAGES, genai::output(&reply));
            }
        }
        let model = if reply.model.is_empty() { self.inner.profile.model.clone() } else { reply.model.clone() };
        let call = Call {
            model,
            input_tokens: usage.input,
            cached_tokens: usage.cached,
            output_tokens: usage.output,
            reasoning_tokens: usage.reasoning,
            usd: self.price(&reply),
            millis: recorded.millis,
            first_token_millis: recorded.first_token_millis,
            retries: recorded.retries,
        };
        // A server that does not say what it used is charged for all that it may have used.
        let spent = self.cost(&reply).unwrap_or_else(|| self.most(body, max));
        (reply, Charged { call, spent })
    }
}

/// What an answer has cost by a profile's price, in dollars; none where there is no price or it is no answer.
pub fn price_of(profile: &Profile, recorded: &Recorded) -> Option<f64> {
    let usage = Reply::read(&recorded.body).ok()?.usage?;
    profile.price.map(|price| cost(&price, usage.input, usage.cached, usage.output))
}

/// A call, and what the match's budget is charged for it.
#[derive(Debug)]
struct Charged {
    call: Call,
    spent: Pico,
}

/// Keeps that there is no answer if the player's clock runs out before there is one: nobody then waits for it any more.
struct CutOff<'a> {
    journal: &'a dyn Journal,
    key: &'a CallKey,
    request: &'a str,
    deadline: Option<Instant>,
}

impl Drop for CutOff<'_> {
    fn drop(&mut self) {
        // A match that is stopped before is another matter.
        if self.deadline.is_some_and(|deadline| Instant::now() >= before(deadline)) {
            let too_slow = Recorded { too_slow: true, ..Recorded::default() };
            if let Err(error) = self.journal.keep(self.key, self.request, &too_slow) {
                tracing::warn!(%error, "the journal does not know that a player was too slow");
            }
        }
    }
}

/// Why there is no answer.
#[derive(Debug)]
enum Unasked {
    /// By nobody's fault at the table.
    Backend(String),
    /// The player's clock ran out, the journal says.
    TooSlow,
}

/// Why there is no answer, by nobody's fault at the table.
#[derive(Debug)]
enum Unsent {
    Failed(Failure),
    Exhausted(Exhausted),
    /// Our own limits did not let the request go in time.
    Busy,
    /// The player's clock ran out, the journal says.
    TooSlow,
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
    /// In a word.
    fn kind(&self) -> String {
        match self {
            Unsent::Failed(failure) => failure.kind.to_string(),
            Unsent::Exhausted(_) => "budget".to_owned(),
            Unsent::Busy => "rate_limit".to_owned(),
            Unsent::TooSlow => "too_slow".to_owned(),
        }
    }

    fn sentence(&self, model: &str, endpoint: &str) -> String {
        match self {
            Unsent::Failed(failure) => failure.sentence(model, endpoint),
            Unsent::Exhausted(exhausted) => exhausted.to_string(),
            Unsent::TooSlow => "the player's clock ran out".to_owned(),
            Unsent::Busy => format!(
                "the request to {endpoint} had to wait longer than the player's clock allows; raise the player's rate \
                 limits or concurrency, or play fewer matches at once"
            ),
        }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
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
