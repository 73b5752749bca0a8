//! What comes in with a request, read so that whatever is wrong is told as a problem.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;

use super::error::ApiError;

/// The fields behind the question mark.
#[derive(Debug)]
pub(super) struct QueryParams<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for QueryParams<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<QueryParams<T>, ApiError> {
        Query::try_from_uri(&parts.uri)
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
        let body = Bytes::from_request(request, state).await.map_err(|error| match error.status() {
            StatusCode::PAYLOAD_TOO_LARGE => too_large(),
            _ => ApiError::bad_request(error.body_text()),
        })?;
        serde_json::from_slice(&body).map(Sent).map_err(|error| ApiError::bad_request(format!("the body: {error}")))
    }
}

/// A body that nobody needs to be so long.
pub(super) fn too_large() -> ApiError {
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "no body may be longer than 64 KiB")
}

fn is_json(request: &Request) -> bool {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or("").trim();
    kind.eq_ignore_ascii_case("application/json")
}
