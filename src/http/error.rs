//! What went wrong, as every caller gets it: `application/problem+json` with a code that programs can rely on.
//!
//! This is the one place that knows which failure has which status.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::forward::PlayedBy;
use super::limit::limits;
use crate::arena::{ActError, ArenaError, FullPurse};
use crate::games::refusal::{Code, Refusal};
use crate::games::seat::{Seat, Seats};
use crate::store::{ProcessInfo, StoreError};

/// The type of every problem's body.
pub(super) const PROBLEM_TYPE: &str = "application/problem+json";

/// A failure on its way to the caller.
#[derive(Clone, Debug)]
pub(super) struct ApiError {
    status: StatusCode,
    code: String,
    detail: String,
    /// Seconds after which it is worth another try.
    retry_after: Option<u64>,
    /// The process that has what was asked for.
    played_by: Option<Box<ProcessInfo>>,
    more: Map<String, Json>,
}

/// The body of a problem, as RFC 9457 has it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(super) struct ProblemBody {
    /// Always `about:blank`: the code says which problem it is.
    #[serde(rename = "type")]
    kind: &'static str,
    /// What the status is called.
    title: String,
    /// The status again.
    #[schemars(range(min = 400, max = 599))]
    status: u16,
    /// What is wrong and what to do about it, in words.
    detail: String,
    /// Which problem it is; does not change from version to version.
    code: String,
    /// What helps a program to go on: `turn`, `to_act`, `legal_actions`, `retry_after`, and `limit` with its
    /// `value` where there was too much of something.
    #[serde(flatten)]
    #[schemars(with = "ProblemFacts")]
    more: Map<String, Json>,
}

/// What helps a program to go on, where there is something of the kind.
#[derive(Debug, JsonSchema)]
#[expect(dead_code, reason = "only described: each problem has what it has")]
struct ProblemFacts {
    /// The turn at hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<u32>,
    /// The seats that must act.
    #[serde(skip_serializing_if = "Option::is_none")]
    to_act: Option<Seats>,
    /// The seats that can be taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    open_seats: Option<Vec<Seat>>,
    /// The seat that is yours.
    #[serde(skip_serializing_if = "Option::is_none")]
    seat: Option<Seat>,
    /// What may be done instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    legal_actions: Option<Vec<String>>,
    /// Seconds after which it is worth another try.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
    /// Which limit was reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<String>,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<u64>,
}

impl ApiError {
    pub(super) fn new(status: StatusCode, code: impl Into<String>, detail: impl Into<String>) -> ApiError {
        ApiError {
            status,
            code: code.into(),
            detail: detail.into(),
            retry_after: None,
            played_by: None,
            more: Map::new(),
        }
    }

    /// A request that makes no sense.
    pub(super) fn bad_request(detail: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, "bad_request", detail)
    }

    /// Nothing of that name.
    pub(super) fn missing(code: &str, detail: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, code, detail)
    }

    /// Something that stands in the way for now.
    pub(super) fn conflict(code: &str, detail: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::CONFLICT, code, detail)
    }

    /// Something that cannot be done as it was asked.
    pub(super) fn unfit(code: impl Into<String>, detail: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail)
    }

    /// Somebody without the right to do it.
    pub(super) fn not_your_seat(match_id: &str) -> ApiError {
        let detail = format!("this token holds no seat in {match_id}: pass the seat's key or its player's token");
        ApiError::new(StatusCode::FORBIDDEN, "not_your_seat", detail)
    }

    /// Somebody who must show who they are.
    pub(super) fn token_needed(detail: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::UNAUTHORIZED, "token_needed", detail)
    }

    /// A token that nobody was given.
    pub(super) fn token_unknown() -> ApiError {
        let detail = "nobody was given this token: it is mistyped, was replaced, or its match was put away";
        ApiError::new(StatusCode::UNAUTHORIZED, "token_unknown", detail)
    }

    /// Too much: which limit it is, its value, and when to try again.
    pub(super) fn limited(
        limit: &'static str,
        value: usize,
        code: &str,
        detail: impl Into<String>,
        retry_after: u64,
    ) -> ApiError {
        super::metrics::refused(limit);
        let error = ApiError::new(StatusCode::TOO_MANY_REQUESTS, code, detail).retry(retry_after);
        error.with("limit", json!(limit)).with("value", json!(value))
    }

    /// What another process has, and is asked for before anybody is told this.
    fn elsewhere(process: Box<ProcessInfo>, detail: impl Into<String>) -> ApiError {
        let elsewhere = ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "elsewhere", detail).retry(2);
        ApiError { played_by: Some(process), ..elsewhere }
    }

    /// Whether there is nothing of that name.
    pub(super) fn is_missing(&self) -> bool {
        self.status == StatusCode::NOT_FOUND
    }

    /// Whether another process has what was asked for.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.played_by.is_some()
    }

    /// Whether it is a token that nobody has.
    pub(super) fn is_token_unknown(&self) -> bool {
        self.code == "token_unknown"
    }

    /// What was passed on to a process that has it no more.
    pub(super) fn handed_over() -> ApiError {
        let detail = "another process has it by now; try again";
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "elsewhere", detail).retry(1)
    }

    /// A failure of the house, whose details are for its own log.
    pub(super) fn internal(error: &dyn std::fmt::Display) -> ApiError {
        tracing::error!(%error, "a request failed");
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "this failed here; the server's log says why")
    }

    /// With a time after which it is worth another try.
    fn retry(mut self, seconds: u64) -> ApiError {
        self.retry_after = Some(seconds);
        self.with("retry_after", json!(seconds))
    }

    /// With a member that helps a program to go on.
    pub(super) fn with(mut self, name: &str, value: Json) -> ApiError {
        self.more.insert(name.to_owned(), value);
        self
    }

    /// In other words.
    pub(super) fn saying(mut self, detail: String) -> ApiError {
        self.detail = detail;
        self
    }
}

impl ApiError {
    fn body(&self) -> Vec<u8> {
        let body = ProblemBody {
            kind: "about:blank",
            title: self.status.canonical_reason().unwrap_or("Error").to_owned(),
            status: self.status.as_u16(),
            detail: self.detail.clone(),
            code: self.code.clone(),
            more: self.more.clone(),
        };
        serde_json::to_vec(&body).unwrap_or_default()
    }

    /// The whole answer as it goes over the wire, for a connection that is not served.
    pub(super) fn raw(&self) -> Vec<u8> {
        let body = self.body();
        let head = format!(
            "HTTP/1.1 {}\r\ncontent-type: {PROBLEM_TYPE}\r\nretry-after: {}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            self.status,
            self.retry_after.unwrap_or(1),
            body.len()
        );
        [head.into_bytes(), body].concat()
    }
}

impl std::fmt::Display for ApiError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.detail)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = self.body();
        let mut response = (self.status, [(header::CONTENT_TYPE, PROBLEM_TYPE)], body).into_response();
        let headers = response.headers_mut();
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"standoff\""));
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if let Some(process) = self.played_by {
            response.extensions_mut().insert(PlayedBy(*process));
        }
        response
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> ApiError {
        match refusal.code {
            Code::MatchOver | Code::NotToAct => ApiError::conflict(&refusal.code.to_string(), refusal.message),
            code => ApiError::unfit(code.to_string(), refusal.message),
        }
    }
}

impl From<ActError> for ApiError {
    fn from(error: ActError) -> ApiError {
        let detail = error.to_string();
        match error {
            ActError::Refused(refusal) => refusal.into(),
            ActError::NotYourTurn { to_act } => ApiError::conflict("not_to_act", detail).with("to_act", json!(to_act)),
            ActError::Acted { .. } => ApiError::conflict("already_acted", detail),
            ActError::Past { now, .. } => ApiError::conflict("turn_past", detail).with("turn", json!(now)),
            ActError::Future { now, .. } => ApiError::conflict("turn_not_reached", detail).with("turn", json!(now)),
            ActError::Gathering { open } => ApiError::conflict("gathering", detail).with("open_seats", json!(open)),
            ActError::Over => ApiError::conflict("match_over", detail),
            ActError::Suspended(_) => ApiError::conflict("suspended", detail),
            ActError::Resigned => ApiError::conflict("resigned", detail),
            ActError::Taken { open, .. } => ApiError::conflict("seat_taken", detail).with("open_seats", json!(open)),
            ActError::Full => ApiError::conflict("no_open_seat", detail),
            ActError::NotKept(error) => error.into(),
            ActError::Arena(error) => (*error).into(),
        }
    }
}

impl From<ArenaError> for ApiError {
    fn from(error: ArenaError) -> ApiError {
        let detail = error.to_string();
        match error {
            ArenaError::NoMatch(_) => ApiError::missing("no_match", detail),
            ArenaError::NoSeat | ArenaError::NoPlayer => ApiError::token_unknown(),
            ArenaError::Full(most) => {
                super::metrics::refused(limits::MATCHES);
                let full = ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "hall_full", detail).retry(60);
                full.with("limit", json!(limits::MATCHES)).with("value", json!(most))
            }
            ArenaError::Guest(_) => ApiError::unfit("no_guest", detail),
            ArenaError::Refused(refusal) => refusal.into(),
            ArenaError::Seat(error) => error.into(),
            ArenaError::Elsewhere { process, .. } | ArenaError::QueueElsewhere(process) => {
                ApiError::elsewhere(process, detail)
            }
            ArenaError::BadKey => ApiError::bad_request(detail),
            ArenaError::KeyReused => ApiError::unfit("idempotency_key_reused", detail),
            ArenaError::Damaged { .. } | ArenaError::NoChance(_) => ApiError::internal(&detail),
            ArenaError::NotSeated => ApiError::new(StatusCode::FORBIDDEN, "not_your_seat", detail),
            ArenaError::AlreadySeated(seat) => ApiError::conflict("already_seated", detail).with("seat", json!(seat)),
            ArenaError::BadName(_) => ApiError::unfit("bad_name", detail),
            ArenaError::NameTaken(_) => ApiError::conflict("name_taken", detail),
            ArenaError::TooMany(most) => ApiError::limited(limits::MATCHES_EACH, most, "too_many_matches", detail, 60),
            ArenaError::FullPurse(FullPurse { which, most, .. }) => {
                let limit = if which == 0 { limits::MATCHES_EACH } else { limits::MATCHES_ADDRESS };
                ApiError::limited(limit, most, "too_many_matches", detail, 60)
            }
            ArenaError::NotInvited => ApiError::new(StatusCode::FORBIDDEN, "not_invited", detail),
            ArenaError::NoMode(_) => ApiError::unfit("no_mode", detail),
            ArenaError::NoStore => ApiError::conflict("nothing_kept", detail),
            ArenaError::Store(error) => error.into(),
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        let detail = error.to_string();
        // What the disk says names files of this machine: it is for the log.
        let unavailable = |code: &str, detail: &str| {
            tracing::error!(%error, "the store fails");
            ApiError::new(StatusCode::SERVICE_UNAVAILABLE, code, detail).retry(5)
        };
        match error {
            StoreError::NoMatch(_) => ApiError::missing("no_match", detail),
            StoreError::NoPlayer(_) => ApiError::missing("no_player", detail),
            StoreError::NameTaken(_) => ApiError::conflict("name_taken", detail),
            StoreError::Owned(_) | StoreError::Fenced(_) => ApiError::handed_over(),
            StoreError::NotLive(_) | StoreError::Sealed { .. } | StoreError::Held(_) => {
                ApiError::conflict("elsewhere", detail)
            }
            StoreError::Full { .. } => unavailable("store_full", "no room is left to keep it; nothing has changed"),
            StoreError::Locked { .. } | StoreError::ReadOnly { .. } | StoreError::Unusable { .. } => {
                unavailable("store_unavailable", "it cannot be kept at the moment; nothing has changed")
            }
            StoreError::Lost { .. } | StoreError::Unreachable { .. } => {
                unavailable("store_unavailable", "the store does not answer at the moment; try again")
            }
            StoreError::Closed => unavailable("closing", "the server is closing"),
            error => ApiError::internal(&error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Location;

    #[test]
    fn a_full_hall_names_its_limit() {
        let problem = ApiError::from(ArenaError::Full(1_000));
        assert_eq!((&problem.more["limit"], &problem.more["value"]), (&json!("matches"), &json!(1_000)));
        assert_eq!((problem.status, problem.retry_after), (StatusCode::SERVICE_UNAVAILABLE, Some(60)));
    }

    #[test]
    fn a_store_that_does_not_answer_is_worth_another_try() {
        let (at, why) = (Location::from("s.db"), "no connection is free".to_owned());
        for error in [StoreError::Unreachable { at: at.clone(), why: why.clone() }, StoreError::Lost { at, why }] {
            let problem = ApiError::from(error);
            assert_eq!((problem.status, problem.retry_after), (StatusCode::SERVICE_UNAVAILABLE, Some(5)));
        }
    }
}
