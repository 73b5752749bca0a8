//! What went wrong, as every caller gets it: `application/problem+json` with a code that programs can rely on.
//!
//! This is the one place that knows which failure has which status.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::arena::{ActError, ArenaError};
use crate::games::refusal::{Code, Refusal};
use crate::store::StoreError;

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
    /// What helps a program to go on: `turn`, `to_act`, `legal_actions`, `retry_after`.
    #[serde(flatten)]
    more: Map<String, Json>,
}

impl ApiError {
    pub(super) fn new(status: StatusCode, code: impl Into<String>, detail: impl Into<String>) -> ApiError {
        ApiError { status, code: code.into(), detail: detail.into(), retry_after: None, more: Map::new() }
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

    /// Too much at once.
    pub(super) fn too_many(code: &str, detail: impl Into<String>, retry_after: u64) -> ApiError {
        ApiError::new(StatusCode::TOO_MANY_REQUESTS, code, detail).retry(retry_after)
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

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = ProblemBody {
            kind: "about:blank",
            title: self.status.canonical_reason().unwrap_or("Error").to_owned(),
            status: self.status.as_u16(),
            detail: self.detail,
            code: self.code,
            more: self.more,
        };
        let body = serde_json::to_vec(&body).unwrap_or_default();
        let mut response = (self.status, [(header::CONTENT_TYPE, PROBLEM_TYPE)], body).into_response();
        let headers = response.headers_mut();
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"standoff\""));
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
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
        }
    }
}

impl From<ArenaError> for ApiError {
    fn from(error: ArenaError) -> ApiError {
        let detail = error.to_string();
        match error {
            ArenaError::NoMatch(_) => ApiError::missing("no_match", detail),
            ArenaError::NoSeat | ArenaError::NoPlayer => ApiError::token_unknown(),
            ArenaError::Full(_) => ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "hall_full", detail).retry(60),
            ArenaError::Guest(_) => ApiError::unfit("no_guest", detail),
            ArenaError::Refused(refusal) => refusal.into(),
            ArenaError::Seat(error) => error.into(),
            ArenaError::Elsewhere(_) | ArenaError::QueueElsewhere => ApiError::conflict("elsewhere", detail),
            ArenaError::Damaged { .. } | ArenaError::NoChance(_) => ApiError::internal(&detail),
            ArenaError::NotSeated => ApiError::new(StatusCode::FORBIDDEN, "not_your_seat", detail),
            ArenaError::AlreadySeated(seat) => ApiError::conflict("already_seated", detail).with("seat", json!(seat)),
            ArenaError::BadName(_) => ApiError::unfit("bad_name", detail),
            ArenaError::NameTaken(_) => ApiError::conflict("name_taken", detail),
            ArenaError::TooMany(_) => ApiError::too_many("too_many_matches", detail, 60),
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
            StoreError::NotLive(_) | StoreError::Sealed { .. } | StoreError::Held(_) => {
                ApiError::conflict("elsewhere", detail)
            }
            StoreError::Full { .. } => unavailable("store_full", "no room is left to keep it; nothing has changed"),
            StoreError::Locked { .. } | StoreError::ReadOnly { .. } => {
                unavailable("store_unavailable", "it cannot be kept at the moment; nothing has changed")
            }
            StoreError::Closed => unavailable("closing", "the server is closing"),
            error => ApiError::internal(&error),
        }
    }
}
