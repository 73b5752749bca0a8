//! What can go wrong between us and a model, and what is done about it.

use std::fmt;
use std::time::{Duration, SystemTime};

use serde_json::Value as Json;

use super::fault::{Cause, Reported};
use crate::players::profile::Profile;

/// The longest message of a server that is kept, in characters.
const MAX_DETAIL: usize = 2000;

/// How much is kept of a body that is no answer, in characters.
const MAX_BEGINNING: usize = 300;

/// A request that came to nothing by nobody's fault at the table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Failure {
    pub(super) kind: FailureKind,
    /// What the endpoint or the system said about it.
    pub(super) detail: String,
    /// How long the endpoint asks to wait.
    pub(super) retry_after: Option<Duration>,
}

/// What kind of failure it is, which decides whether another try can help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailureKind {
    /// No connection could be made.
    Connect,
    /// No whole answer within the profile's timeout.
    Timeout,
    /// The connection broke off.
    Dropped,
    /// An HTTP status that is no success.
    Status(u16),
    /// No money is left at the provider: it will not heal by waiting.
    Quota,
    /// The prompt did not pass the endpoint's filter.
    Filtered,
    /// The prompt is longer than the model can read.
    TooLong,
    /// The endpoint says that it failed, in an answer that is called a success.
    Reported,
    /// The body is larger than anything that a model says.
    TooBig,
    /// The body is no answer of a chat model.
    Body,
    /// The cassette does not have this request.
    NotOnCassette,
    /// The journal could not be written.
    Journal,
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FailureKind::Connect => f.write_str("connect"),
            FailureKind::Timeout => f.write_str("timeout"),
            FailureKind::Dropped => f.write_str("connection"),
            FailureKind::Status(status) => write!(f, "{status}"),
            FailureKind::Quota => f.write_str("quota"),
            FailureKind::Filtered => f.write_str("filtered"),
            FailureKind::TooLong => f.write_str("too_long"),
            FailureKind::Reported => f.write_str("error"),
            FailureKind::TooBig => f.write_str("too_large"),
            FailureKind::Body => f.write_str("body"),
            FailureKind::NotOnCassette => f.write_str("cassette"),
            FailureKind::Journal => f.write_str("journal"),
        }
    }
}

impl Failure {
    pub(super) fn new(kind: FailureKind, detail: impl fmt::Display) -> Failure {
        let detail = detail.to_string();
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        let mut kept: String = detail.trim().chars().map(plain).take(MAX_DETAIL).collect();
        if detail.trim().chars().nth(MAX_DETAIL).is_some() {
            kept.push('…');
        }
        Failure { kind, detail: kept, retry_after: None }
    }

    /// From a body that is no answer. Its beginning is kept: whatever the server has to say stands there.
    pub(super) fn body(why: impl fmt::Display, body: &str) -> Failure {
        let body = body.trim();
        let beginning: String = body.chars().take(MAX_BEGINNING).collect();
        let more = if beginning.len() < body.len() { "…" } else { "" };
        let colon = if body.is_empty() { "" } else { ": " };
        Failure::new(FailureKind::Body, format!("{why}{colon}{beginning}{more}"))
    }

    /// From a status that is no success, and the body that came with it.
    pub(super) fn status(status: u16, body: &str, retry_after: Option<Duration>) -> Failure {
        let json: Json = serde_json::from_str(body).unwrap_or_default();
        let quota = status == 402
            || status == 429
                && [&json["error"], &json]
                    .iter()
                    .any(|error| ["code", "type"].iter().any(|field| error[field] == "insufficient_quota"));
        let reported = Reported::in_body(&json);
        let kind = match reported.as_ref().map(Reported::cause) {
            _ if quota => FailureKind::Quota,
            Some(Cause::Filter) => FailureKind::Filtered,
            Some(Cause::Context) => FailureKind::TooLong,
            _ if reported.as_ref().is_some_and(Reported::is_about_the_key) => FailureKind::Status(401),
            Some(Cause::Output | Cause::Declined | Cause::Other) | None => FailureKind::Status(status),
        };
        let retry_after = retry_after.or_else(|| reported.as_ref().and_then(Reported::retry_after));
        let words = reported.and_then(|reported| reported.words());
        Failure { retry_after, ..Failure::new(kind, words.as_deref().unwrap_or(body)) }
    }

    /// From an error that came as a success, as some gateways send it. What the model itself did is none.
    pub(super) fn dressed_up(body: &Json) -> Option<Failure> {
        Reported::in_body(body).filter(|error| !error.is_the_players()).map(|error| Failure::reported(&error))
    }

    /// From an error that came without a status.
    pub(super) fn reported(error: &Reported) -> Failure {
        let kind = match error.cause() {
            Cause::Filter => FailureKind::Filtered,
            Cause::Context => FailureKind::TooLong,
            Cause::Output | Cause::Declined | Cause::Other => {
                error.status().map_or(FailureKind::Reported, FailureKind::Status)
            }
        };
        Failure {
            retry_after: error.retry_after(),
            ..Failure::new(kind, error.words().as_deref().unwrap_or("an error without a message"))
        }
    }

    /// What a record says of it: its kind, and what was said about it.
    pub(super) fn told(&self) -> String {
        if self.detail.is_empty() { self.kind.to_string() } else { format!("{}: {}", self.kind, self.detail) }
    }

    /// Whether the same request may go better later.
    pub(super) fn is_transient(&self) -> bool {
        match self.kind {
            FailureKind::Status(status) => matches!(status, 408 | 409 | 425 | 429 | 500..),
            FailureKind::Quota
            | FailureKind::Filtered
            | FailureKind::TooLong
            | FailureKind::NotOnCassette
            | FailureKind::Journal => false,
            FailureKind::Connect
            | FailureKind::Timeout
            | FailureKind::Dropped
            | FailureKind::Reported
            | FailureKind::TooBig
            | FailureKind::Body => true,
        }
    }

    /// Whether the endpoint understood the request and does not do such things, like tools.
    pub(super) fn is_unsupported(&self) -> bool {
        matches!(self.kind, FailureKind::Status(400 | 404 | 405 | 415 | 422 | 501))
    }

    /// Whether nothing can have been billed.
    pub(super) fn is_free(&self) -> bool {
        !matches!(
            self.kind,
            FailureKind::Timeout
                | FailureKind::Dropped
                | FailureKind::Reported
                | FailureKind::TooBig
                | FailureKind::Body
        )
    }

    /// What failed and what to do about it, for the people who run the match.
    pub(super) fn sentence(&self, profile: &Profile, endpoint: &str) -> String {
        let (detail, model, api) = (&self.detail, &profile.model, profile.api);
        match self.kind {
            FailureKind::Connect => {
                format!("cannot connect to {endpoint}: {detail}; check that it runs and that `base_url` is right")
            }
            FailureKind::Timeout => {
                format!("no answer from {endpoint} in time ({detail}); try later, or raise the player's `timeout`")
            }
            FailureKind::Dropped => format!("{endpoint} broke off the connection: {detail}; try later"),
            FailureKind::Status(401 | 403) => format!(
                "{endpoint} does not accept the key ({self}); check the variable that `api_key_env` names, and what \
                 the key may do"
            ),
            FailureKind::Status(404) => format!(
                "{endpoint} does not have the model `{model}` ({self}); check `model`, and that `base_url` ends as the \
                 provider says, often in `/v1`"
            ),
            FailureKind::Status(429) => format!(
                "{endpoint} takes no more requests for now ({self}); resume later, or lower the player's rate limits"
            ),
            FailureKind::Status(300..400) => {
                format!("{endpoint} has moved ({self}); write its new address in `base_url`")
            }
            FailureKind::Status(400) if detail.to_lowercase().contains("encrypted content is not supported") => {
                format!(
                    "{endpoint} does not take our request ({self}); write `thinking = false` in the player's profile"
                )
            }
            FailureKind::Status(400..500) => {
                format!("{endpoint} does not take our request ({self}); check the player's settings")
            }
            FailureKind::Status(_) => format!("{endpoint} is in trouble ({self}); try later"),
            FailureKind::Quota => {
                format!("{endpoint} says that the account has no money left ({self}); top it up and resume")
            }
            FailureKind::Filtered => format!(
                "{endpoint} does not let our prompt pass its content filter: {detail}; change the words of the prompt, or \
                 the filter's settings"
            ),
            FailureKind::TooLong => format!(
                "our request is too long for `{model}`: {detail}; raise the context of the server, or choose another model \
                 or a shorter `prompt`"
            ),
            FailureKind::Reported => format!("{endpoint} says that it failed: {detail}; try later"),
            FailureKind::TooBig | FailureKind::Body => format!(
                "{endpoint} does not answer in the format `api = \"{api}\"`: {detail}; check `base_url` and `api`"
            ),
            FailureKind::NotOnCassette => format!("{detail}; record the cassette again, or play without one"),
            FailureKind::Journal => format!("cannot write the journal of calls: {detail}"),
        }
    }
}

/// The status, and what was said.
impl std::error::Error for Failure {}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.detail.as_str()) {
            (FailureKind::Status(status), "") => write!(f, "HTTP {status}"),
            (FailureKind::Status(status), detail) => write!(f, "HTTP {status}: {detail}"),
            (FailureKind::Quota, detail) => write!(f, "HTTP 429: {detail}"),
            (kind, detail) => write!(f, "{kind}: {detail}"),
        }
    }
}

/// `Retry-After`: seconds, or a date.
pub(super) fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(header).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// How stubbornly a failed request is sent again.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// How often a request is sent, the first time included.
    pub tries: usize,
    /// The first wait; it doubles from then on.
    pub first: Duration,
    /// The first wait where the endpoint wants fewer requests and does not say when: limits are counted by the minute.
    pub first_busy: Duration,
    /// From the first request on.
    pub total: Duration,
}

impl RetryPolicy {
    /// What nobody at a table has to wait too long for.
    pub const USUAL: RetryPolicy = RetryPolicy {
        tries: 6,
        first: Duration::from_millis(250),
        first_busy: Duration::from_secs(2),
        total: Duration::from_mins(5),
    };

    /// How long to wait before the next try. None: enough is enough. `chance` is from 0 to 1 and spreads those who failed
    /// together.
    pub(super) fn wait(&self, failure: &Failure, tried: usize, spent: Duration, chance: f64) -> Option<Duration> {
        if !failure.is_transient() || tried >= self.tries {
            return None;
        }
        let first = if matches!(failure.kind, FailureKind::Status(429 | 529)) { self.first_busy } else { self.first };
        let doubled = first.saturating_mul(1 << tried.saturating_sub(1).min(16));
        let wait = failure.retry_after.unwrap_or_else(|| doubled.mul_f64(0.5 + chance.clamp(0.0, 1.0) / 2.0));
        (spent.saturating_add(wait) <= self.total).then_some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_as_seconds_and_as_a_date() {
        let now = httpdate::parse_http_date("Mon, 16 Nov 2026 08:00:00 GMT").expect("a date");
        for (header, seconds) in [
            ("7", Some(7)),
            (" 0 ", Some(0)),
            ("Mon, 16 Nov 2026 08:01:30 GMT", Some(90)),
            ("Mon, 16 Nov 2026 07:00:00 GMT", Some(0)),
            ("-3", None),
            ("soon", None),
            ("1e999", None),
        ] {
            assert_eq!(retry_after(header, now), seconds.map(Duration::from_secs), "{header}");
        }
    }

    #[test]
    fn the_status_survives_every_dialect_of_error_bodies() {
        for (body, detail) in [
            (r#"{"error":{"code":401,"message":"Invalid API Key","type":"authentication_error"}}"#, "Invalid API Key"),
            (r#"{"error":{"code":"invalid_api_key","message":"no"}}"#, "no"),
            (r#"{"error":"nope"}"#, "nope"),
            (r#"{"detail":"Not authenticated"}"#, "Not authenticated"),
            ("<html>no\r\n</html>", "<html>no  </html>"),
        ] {
            let failure = Failure::status(401, body, None);
            assert_eq!((failure.kind, failure.detail.as_str()), (FailureKind::Status(401), detail));
            assert!(!failure.is_transient());
        }
    }

    #[test]
    fn waits_double_obey_the_endpoint_and_end() {
        let retry = RetryPolicy::USUAL;
        let wait = |failure: &Failure, tried| retry.wait(failure, tried, Duration::ZERO, 1.0);
        let failure = Failure::status(503, "", None);
        let waits: Vec<_> = (1..=6).map(|tried| wait(&failure, tried).map(|wait| wait.as_millis())).collect();
        assert_eq!(waits, [Some(250), Some(500), Some(1000), Some(2000), Some(4000), None]);
        let busy = Failure::status(429, "", Some(Duration::from_secs(20)));
        assert_eq!(wait(&busy, 1), Some(Duration::from_secs(20)));
        assert_eq!(wait(&Failure::status(429, "", Some(Duration::from_hours(1))), 1), None);
        assert_eq!(wait(&Failure::status(429, r#"{"error":{"code":"insufficient_quota"}}"#, None), 1), None);
        assert_eq!(retry.wait(&failure, 1, Duration::from_mins(5), 0.0), None);
    }
}
