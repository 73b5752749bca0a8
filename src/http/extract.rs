//! What comes in with a request, read so that whatever is wrong is told as a problem.

use std::error::Error;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, Uri, header};
use serde::de::DeserializeOwned;
use tokio::time::timeout;
use tower_http::timeout::{TimeoutBody, TimeoutError};

use super::error::ApiError;

/// So long a whole body may take to come …
const BODY: Duration = Duration::from_secs(30);

/// … and so long nothing may come of one that is not complete.
const BODY_PAUSE: Duration = Duration::from_secs(10);

/// Takes a body in as a whole.
///
/// # Errors
/// If it is longer than it may be, comes too slowly, or breaks off.
pub(super) async fn whole(body: Body, most: usize) -> Result<Bytes, ApiError> {
    let body = Body::new(TimeoutBody::new(BODY_PAUSE, body));
    let taken = timeout(BODY, axum::body::to_bytes(body, most)).await.map_err(|_| too_slow())?;
    taken.map_err(|error| {
        let causes = || std::iter::successors(Some(&error as &dyn Error), |&error| error.source());
        if causes().any(<dyn Error>::is::<TimeoutError>) {
            too_slow()
        } else if causes().any(<dyn Error>::is::<hyper::Error>) {
            ApiError::bad_request("the body broke off")
        } else {
            too_large(most)
        }
    })
}

/// The fields behind the question mark.
#[derive(Debug)]
pub(super) struct QueryParams<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for QueryParams<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<QueryParams<T>, ApiError> {
        QueryParams::of(&parts.uri)
    }
}

impl<T: DeserializeOwned> QueryParams<T> {
    /// The query of an address.
    ///
    /// # Errors
    /// If something in it is wrong.
    pub(super) fn of(uri: &Uri) -> Result<QueryParams<T>, ApiError> {
        Query::try_from_uri(uri)
            .map(|Query(fields)| QueryParams(fields))
            .map_err(|error| ApiError::bad_request(format!("the query: {}", error.body_text())))
    }
}

/// The name in the path.
#[derive(Debug)]
pub(super) struct NameInPath(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for NameInPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<NameInPath, ApiError> {
        let name = Path::<String>::from_request_parts(parts, state).await;
        name.map(|Path(name)| NameInPath(name)).map_err(|error| ApiError::bad_request(error.body_text()))
    }
}

/// A body of JSON.
#[derive(Debug)]
pub(super) struct Sent<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Sent<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Sent<T>, ApiError> {
        // A form that another site sends cannot have this type without asking first.
        if !is_json(&request) {
            let detail = "the body must be JSON, with `Content-Type: application/json`";
            return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", detail));
        }
        // It came in as a whole at the entrance.
        let body = Bytes::from_request(request, state).await;
        let body = body.map_err(|error| ApiError::bad_request(error.body_text()))?;
        serde_json::from_slice(&body).map(Sent).map_err(|error| ApiError::bad_request(format!("the body: {error}")))
    }
}

/// A body that does not come.
fn too_slow() -> ApiError {
    let detail = format!(
        "the body took longer than {} seconds, or nothing came of it for {}",
        BODY.as_secs(),
        BODY_PAUSE.as_secs()
    );
    ApiError::new(StatusCode::REQUEST_TIMEOUT, "too_slow", detail)
}

/// A body that nobody needs to be so long.
pub(super) fn too_large(most: usize) -> ApiError {
    let detail = format!("no body may be longer than {} KiB here", most >> 10);
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail)
}

fn is_json(request: &Request) -> bool {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or("").trim();
    kind.eq_ignore_ascii_case("application/json")
}
