//! One request to a model: from the journal, or over the wire until it is answered or that is hopeless.

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};
use tracing::field::Empty;
use tracing::{Instrument as _, Span};

use super::budget::{Pico, cost, most, pico};
use super::conversation::{Form, Message};
use super::endpoint::Received;
use super::failure::{Failure, FailureKind};
use super::journal::{CallKey, Journal, Recorded};
use super::ledger::{LedgerEntry, RequestOutcome};
use super::limiter::{Lease, LeaseRequest, Withheld};
use super::reply::{self, Reply};
use super::waiting::AwaitedLimit;
use super::{Inner, Model, formats, genai};
use crate::games::seat::Seat;
use crate::matches::Call;
use crate::players::player::PlayerError;
use crate::players::profile::Profile;
use crate::players::turn::{Time, TurnLog};

/// What a request is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallContext<'a> {
    /// None for a check.
    pub(super) match_id: Option<&'a str>,
    pub(super) seat: Seat,
    pub(super) turn: u32,
    pub(super) ordinal: u32,
    /// Where the time goes.
    pub(super) log: &'a TurnLog,
    /// Whether only what is known is wanted: the turn was played long ago.
    pub(super) known: bool,
}

impl Model {
    /// Asks the model, or the journal where the answer is known. The error says what failed and what to do.
    pub(super) async fn ask(
        &self,
        context: CallContext<'_>,
        messages: &[Message],
        form: &Form,
        max: u32,
    ) -> Result<(Reply, Call), Unasked> {
        let Inner { profile, format, endpoint, .. } = &*self.inner;
        let operation = format.operation();
        let span = tracing::info_span!(
            "chat",
            { genai::SPAN_NAME } = format!("{operation} {}", profile.model),
            { genai::SPAN_KIND } = "client",
            { genai::STATUS } = Empty,
            { genai::OPERATION } = operation,
            { genai::PROVIDER } = endpoint.provider(),
            { genai::CONVERSATION } = context.match_id,
            { genai::SESSION } = context.match_id,
            { genai::REQUEST_MODEL } = profile.model,
            { genai::REQUEST_MAX_TOKENS } = genai::int(max),
            { genai::REQUEST_TEMPERATURE } = profile.temperature,
            { genai::REQUEST_SEED } = profile.seed,
            { genai::RESPONSE_ID } = Empty,
            { genai::RESPONSE_MODEL } = Empty,
            { genai::INPUT_TOKENS } = Empty,
            { genai::CACHED_TOKENS } = Empty,
            { genai::CACHE_WRITTEN_TOKENS } = Empty,
            { genai::OUTPUT_TOKENS } = Empty,
            { genai::REASONING_TOKENS } = Empty,
            { genai::COST } = Empty,
            { genai::COST_TOTAL } = Empty,
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
        self.recall_or_send(context, body, max).instrument(span.clone()).await.map_err(|unsent| {
            span.record(genai::ERROR_TYPE, unsent.kind());
            span.record(genai::STATUS, "ERROR");
            self.unasked(unsent)
        })
    }

    /// In words for the people who run the match.
    pub(super) fn unasked(&self, error: CallError) -> Unasked {
        match error {
            CallError::TooSlow => Unasked::TooSlow,
            CallError::Withheld(withheld) => Unasked::Withheld(withheld.to_string()),
            CallError::Failed(failure) => {
                Unasked::Backend(failure.sentence(&self.inner.profile, self.inner.endpoint.name()))
            }
        }
    }

    pub(super) async fn recall_or_send(
        &self,
        context: CallContext<'_>,
        body: String,
        max: u32,
    ) -> Result<(Reply, Call), CallError> {
        let Inner { journal, .. } = &*self.inner;
        let CallContext { match_id, seat, turn, ordinal, .. } = context;
        let key = CallKey::new(match_id, seat, turn, ordinal, &body);
        if let Some(recorded) = journal.recall(&key) {
            context.log.add(Time::Waiting, Duration::from_millis(recorded.waited_millis));
            context.log.add(Time::Backend, Duration::from_millis(recorded.backend_millis));
            if recorded.too_slow {
                return Err(CallError::TooSlow);
            }
            let reply = reply::read(self.inner.format, &recorded.body)?;
            return Ok(self.told(reply, recorded));
        }
        if context.known || journal.is_closed() {
            let what = format!("the cassette has no answer for request {ordinal} of seat {seat} in turn {turn}");
            return Err(Failure::new(FailureKind::NotOnCassette, what).into());
        }
        let delays = Delays::new(context.log);
        let cut_off = CutOff { journal: journal.as_ref(), key: &key, request: &body, delays };
        let sent = self.send(context, &key, &body, max).await;
        std::mem::forget(cut_off);
        let (reply, recorded) = sent?;
        let recorded = delays.since(recorded);
        let told = self.told(reply, recorded.clone());
        // It must be done even if nobody waits for us any more: the answer is paid for.
        let journal = Arc::clone(journal);
        let kept = tokio::spawn(async move { journal.keep(key, body, recorded).await }).await;
        match kept.map_err(io::Error::other).flatten() {
            Ok(()) => Ok(told),
            Err(error) => Err(Failure::new(FailureKind::Journal, error).into()),
        }
    }

    /// Sends a request until it is answered or that is hopeless.
    async fn send(
        &self,
        context: CallContext<'_>,
        key: &CallKey,
        body: &str,
        max: u32,
    ) -> Result<(Reply, Recorded), CallError> {
        let Inner { endpoint, format, retry, profile, .. } = &*self.inner;
        let log = context.log;
        let before = log.spent(Time::Backend);
        let mut failures: Vec<Failure> = Vec::new();
        loop {
            let waiting = log.waiting();
            let lease = self.inner.limiter.lease(self.wanted(context, body, max)).await?;
            let under_way = self.under_way(lease, key, body, max).await?;
            drop(waiting);
            let sent = Instant::now();
            let exchange = async {
                let received = endpoint.post(body.to_owned(), profile.stream).await?;
                format.read(&received.json).map(|reply| (reply, received))
            };
            // The clock of the first request is the player's own, unless it fails. After a failure it is only if there is
            // an answer, and as long as the player may think there may be one.
            let (lap, result) = match failures.last() {
                None => (log.lap(Time::Thinking), exchange.await),
                Some(last) => {
                    let lap = log.lap(Time::Backend);
                    let answer = within(log.time_left(), exchange).await;
                    (lap, answer.ok_or_else(|| CallError::Failed(last.clone()))?)
                }
            };
            lap.turned_out(if result.is_ok() { Time::Thinking } else { Time::Backend });
            let failure = match result {
                Ok((reply, Received { status, headers, body, first_token, .. })) => {
                    under_way.answered(self.price(&reply, status).map(pico));
                    let retries = failures.iter().map(Failure::told).collect();
                    let (millis, first_token_millis) = (millis(sent.elapsed()), first_token.map(millis));
                    let recorded =
                        Recorded { status, headers, body, millis, first_token_millis, retries, ..Recorded::default() };
                    return Ok((reply, recorded));
                }
                Err(mut failure) => {
                    if failure.kind == FailureKind::TooLong {
                        // About four bytes are a token.
                        let _ = write!(failure.detail, "; it has about {} tokens", body.len() / 4);
                    }
                    failure
                }
            };
            under_way.failed(&failure);
            // Our own queues use up nobody's retries.
            let trouble = log.spent(Time::Backend).saturating_sub(before);
            let wait = retry.wait(&failure, failures.len() + 1, trouble, chance());
            let Some(wait) = wait else {
                return Err(CallError::Failed(failure));
            };
            tracing::warn!(player = profile.name, %failure, wait = ?wait, "the request is sent again");
            failures.push(failure);
            let _backing_off = log.lap(Time::Backend);
            let told = self.inner.limiter.waiting();
            let _told = told.map(|told| told.begin(AwaitedLimit::Provider, endpoint.account(), context.match_id));
            tokio::select! {
                () = sleep(wait) => {}
                () = self.inner.limiter.stopped() => return Err(Withheld::Stopped.into()),
            }
        }
    }

    /// What a request needs before it may be sent.
    fn wanted<'a>(&'a self, context: CallContext<'a>, body: &str, max: u32) -> LeaseRequest<'a> {
        let Inner { profile, endpoint, .. } = &*self.inner;
        LeaseRequest {
            endpoint: endpoint.account(),
            limits: profile.limits,
            tokens: estimate(body) / 2 + u64::from(max),
            most: self.most(body, max),
            in_match: context.match_id.map(|id| (id, context.seat, profile.max_usd_match.map(pico))),
        }
    }

    /// Enters a request in the ledger before it is sent.
    async fn under_way(
        &self,
        lease: Box<dyn Lease>,
        key: &CallKey,
        body: &str,
        max: u32,
    ) -> Result<UnderWay<'_>, Failure> {
        let Inner { journal, profile, .. } = &*self.inner;
        let entry = LedgerEntry::sent(key, &profile.name, self.most(body, max));
        let entered = journal.enter_sent(entry.clone()).await;
        entered.map_err(|error| Failure::new(FailureKind::Journal, error))?;
        Ok(UnderWay { journal: journal.as_ref(), lease: Some(lease), entry })
    }

    /// What a request may cost at the most.
    fn most(&self, body: &str, max: u32) -> Pico {
        self.inner.profile.price.map_or(0, |price| pico(most(&price, estimate(body), max.into())))
    }

    fn price(&self, reply: &Reply, status: u16) -> Option<f64> {
        price(&self.inner.profile, reply, status)
    }

    /// What the record says of a call.
    fn told(&self, reply: Reply, recorded: Recorded) -> (Reply, Call) {
        let usage = reply.usage.unwrap_or_default();
        let span = Span::current();
        if !span.is_disabled() {
            span.record(genai::RESPONSE_ID, reply.id.as_deref());
            span.record(genai::RESPONSE_MODEL, &reply.model);
            span.record(genai::INPUT_TOKENS, genai::int(usage.input));
            span.record(genai::CACHED_TOKENS, genai::int(usage.cached));
            span.record(genai::CACHE_WRITTEN_TOKENS, genai::int(usage.cache_written));
            span.record(genai::OUTPUT_TOKENS, genai::int(usage.output));
            span.record(genai::REASONING_TOKENS, genai::int(usage.reasoning));
            span.record(genai::COST, self.price(&reply, recorded.status));
            span.record(genai::COST_TOTAL, self.price(&reply, recorded.status));
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
            cache_write_tokens: usage.cache_written,
            output_tokens: usage.output,
            reasoning_tokens: usage.reasoning,
            usd: self.price(&reply, recorded.status),
            millis: recorded.millis,
            first_token_millis: recorded.first_token_millis,
            retries: recorded.retries,
        };
        (reply, call)
    }
}

/// A request that was sent. What becomes of it goes into the ledger, whatever that is.
struct UnderWay<'a> {
    journal: &'a dyn Journal,
    /// None once it is over.
    lease: Option<Box<dyn Lease>>,
    entry: LedgerEntry,
}

impl UnderWay<'_> {
    /// It was answered and cost this much, or nobody knows what: then all that it may have cost.
    fn answered(self, cost: Option<Pico>) {
        self.over(RequestOutcome::Answered, cost, None);
    }

    fn failed(self, failure: &Failure) {
        let cost = failure.is_free().then_some(0);
        self.over(RequestOutcome::Failed, cost, Some(failure.kind.to_string()));
    }

    fn over(mut self, outcome: RequestOutcome, cost: Option<Pico>, why: Option<String>) {
        match self.lease.take() {
            // What failed and may have been billed counts, but nobody expects a bill for it.
            Some(lease) if outcome == RequestOutcome::Failed && cost.is_none() => drop(lease),
            Some(lease) => lease.settle(cost),
            None => {}
        }
        let (cost, is_known) = (cost.unwrap_or(self.entry.cost), cost.is_some());
        self.journal.enter(LedgerEntry { outcome, why, cost, is_known, ..self.entry.clone() });
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        if self.lease.take().is_some() {
            self.journal.enter(LedgerEntry { outcome: RequestOutcome::CutOff, ..self.entry.clone() });
        }
    }
}

/// Keeps that there is no answer if the player's clock runs out before there is one: nobody then waits for it any more.
struct CutOff<'a> {
    journal: &'a dyn Journal,
    key: &'a CallKey,
    request: &'a str,
    delays: Delays<'a>,
}

impl Drop for CutOff<'_> {
    fn drop(&mut self) {
        // A match that is stopped before is another matter.
        if self.delays.log.is_out_of_time() {
            let recorded = self.delays.since(Recorded { too_slow: true, ..Recorded::default() });
            self.journal.keep_cut_off(self.key, self.request, recorded);
        }
    }
}

/// What had delayed a turn when a request began.
#[derive(Clone, Copy)]
struct Delays<'a> {
    log: &'a TurnLog,
    waited: Duration,
    backend: Duration,
}

impl Delays<'_> {
    fn new(log: &TurnLog) -> Delays<'_> {
        Delays { log, waited: log.spent(Time::Waiting), backend: log.spent(Time::Backend) }
    }

    /// With what has delayed it since.
    fn since(self, recorded: Recorded) -> Recorded {
        let since = |time, before| millis(self.log.spent(time).saturating_sub(before));
        let (waited, backend) = (since(Time::Waiting, self.waited), since(Time::Backend, self.backend));
        Recorded { waited_millis: waited, backend_millis: backend, ..recorded }
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Unasked {
    /// By nobody's fault at the table.
    Backend(String),
    /// It may not be asked: a budget is used up, or the run was stopped.
    Withheld(String),
    /// The player's clock ran out, the journal says.
    TooSlow,
}

impl From<Unasked> for PlayerError {
    fn from(unasked: Unasked) -> PlayerError {
        match unasked {
            Unasked::Backend(why) => PlayerError::Backend(why),
            Unasked::Withheld(why) => PlayerError::Withheld(why),
            Unasked::TooSlow => PlayerError::TooSlow,
        }
    }
}

/// Why there is no answer, by nobody's fault at the table.
#[derive(Debug)]
pub(super) enum CallError {
    Failed(Failure),
    Withheld(Withheld),
    /// The player's clock ran out, the journal says.
    TooSlow,
}

impl From<Failure> for CallError {
    fn from(failure: Failure) -> CallError {
        CallError::Failed(failure)
    }
}

impl From<Withheld> for CallError {
    fn from(withheld: Withheld) -> CallError {
        CallError::Withheld(withheld)
    }
}

impl CallError {
    /// In a word.
    fn kind(&self) -> String {
        match self {
            CallError::Failed(failure) => failure.kind.to_string(),
            CallError::Withheld(Withheld::Stopped) => "stopped".to_owned(),
            CallError::Withheld(_) => "budget".to_owned(),
            CallError::TooSlow => "too_slow".to_owned(),
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

/// Waits no longer than this.
async fn within<T>(limit: Option<Duration>, future: impl Future<Output = T>) -> Option<T> {
    match limit {
        Some(limit) => timeout(limit, future).await.ok(),
        None => Some(future.await),
    }
}

/// From 0 to 1; the spread of waits needs no seed.
fn chance() -> f64 {
    f64::from(getrandom::u32().unwrap_or(u32::MAX / 2)) / f64::from(u32::MAX)
}

/// What an answer has cost by a profile's price, in dollars; none where there is no price or it is no answer.
pub fn price_of(profile: &Profile, recorded: &Recorded) -> Option<f64> {
    let reply = reply::read(formats::of(profile.api), &recorded.body).ok()?;
    price(profile, &reply, recorded.status)
}

/// What an answer cost in dollars; none where nobody knows.
fn price(profile: &Profile, reply: &Reply, status: u16) -> Option<f64> {
    match (profile.price, reply.usage) {
        (Some(price), Some(usage)) => Some(cost(&price, &usage)),
        // An error is not billed, whosever fault it is.
        _ => (status >= 400).then_some(0.0),
    }
}
