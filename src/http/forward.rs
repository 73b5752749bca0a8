//! Requests for what another process on the same store plays: passed on to it, streams included, and taken up here if it is
//! gone. A client behind any of the processes never meets a dead end.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;
use futures_util::stream;

use super::app::App;
use super::caller::Peer;
use super::error::ApiError;
use super::extract::whole;
use crate::arena::{PROCESS_HEADER, process_client};
use crate::store::ProcessInfo;

/// How a process shows another that it is one on the same store, for whom it asks, and that this one is the owner.
const SECRET: HeaderName = HeaderName::from_static(PROCESS_HEADER);
const CLIENT: HeaderName = HeaderName::from_static("standoff-for");
const OWNER: HeaderName = HeaderName::from_static("standoff-owner");

/// By which name the caller knows the server that it asked.
pub(super) const ASKED_HOST: HeaderName = HeaderName::from_static("standoff-host");

/// What says that an answer is none: what was asked for is at another process by now.
pub(super) const ELSEWHERE: HeaderName = HeaderName::from_static("standoff-elsewhere");

/// So long what was asked for may change hands before the caller is told to try again: a lease, and a little more.
pub(super) const HANDING_OVER: Duration = Duration::from_secs(14);

/// Headers that are between two neighbours only.
const OWN_HEADERS: [HeaderName; 6] = [
    header::HOST,
    header::CONNECTION,
    header::TRANSFER_ENCODING,
    header::CONTENT_LENGTH,
    header::UPGRADE,
    HeaderName::from_static("keep-alive"),
];

/// A response's mark that another process has what was asked for.
#[derive(Clone, Debug)]
pub(super) struct PlayedBy(pub(super) ProcessInfo);

/// A request that another process passes on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forwarded {
    /// Where it came in.
    pub(super) from: Peer,
    /// Whether the other process knows the caller for the owner.
    pub(super) is_owner: bool,
}

impl Forwarded {
    /// Whether a request is passed on by a process on the same store.
    ///
    /// # Errors
    /// If it is meant for a process that is no more.
    pub(super) fn find(app: &App, headers: &HeaderMap) -> Result<Option<Forwarded>, ApiError> {
        let Some(secret) = headers.get(SECRET) else { return Ok(None) };
        if !secret.to_str().is_ok_and(|secret| app.arena.knows_process(secret)) {
            return Err(ApiError::handed_over());
        }
        let from = headers.get(CLIENT).and_then(|from| from.to_str().ok()?.parse().ok());
        let from = Peer(from.unwrap_or_else(|| [0, 0, 0, 0].into()));
        Ok(Some(Forwarded { from, is_owner: headers.contains_key(OWNER) }))
    }
}

/// A request that can be made again.
#[derive(Debug)]
pub(super) struct KeptRequest {
    parts: axum::http::request::Parts,
    body: Bytes,
}

impl KeptRequest {
    /// Takes a request in as a whole.
    ///
    /// # Errors
    /// If it is too long, or takes too long to come.
    pub(super) async fn take(request: Request, most: usize) -> Result<KeptRequest, ApiError> {
        let (parts, body) = request.into_parts();
        Ok(KeptRequest { parts, body: whole(body, most).await? })
    }

    /// The request, once more.
    pub(super) fn again(&self) -> Request {
        Request::from_parts(self.parts.clone(), Body::from(self.body.clone()))
    }

    /// Takes over what was found out about whoever asks.
    pub(super) fn admitted(&mut self, request: Request) {
        (self.parts, _) = request.into_parts();
    }

    /// Passes the request on. None if the process does not answer, or has it no more.
    pub(super) async fn pass_on(&self, process: &ProcessInfo, is_owner: bool) -> Option<Response> {
        let address = process.address.as_deref()?.trim_end_matches('/');
        let path = self.parts.uri.path_and_query().map_or("/", axum::http::uri::PathAndQuery::as_str);
        let mut headers = without_own(&self.parts.headers);
        headers.insert(SECRET, HeaderValue::from_str(&process.secret).ok()?);
        headers.extend(self.parts.headers.get(header::HOST).map(|host| (ASKED_HOST, host.clone())));
        if let Some(Peer(from)) = self.parts.extensions.get() {
            headers.insert(CLIENT, HeaderValue::from_str(&from.to_string()).ok()?);
        }
        if is_owner {
            headers.remove(header::AUTHORIZATION);
            headers.insert(OWNER, HeaderValue::from_static("1"));
        }
        let sent = process_client()?.request(self.parts.method.clone(), format!("{address}{path}"));
        let answer = match sent.headers(headers).body(self.body.clone()).send().await {
            Ok(answer) if !answer.headers().contains_key(&ELSEWHERE) => answer,
            Ok(_) => return None,
            Err(error) => {
                tracing::debug!(%error, "another process does not answer");
                return None;
            }
        };
        let (status, mut headers) = (answer.status(), without_own(answer.headers()));
        // What is no stream stays as long as it was.
        headers.extend(
            answer.headers().get(header::CONTENT_LENGTH).map(|length| (header::CONTENT_LENGTH, length.clone())),
        );
        let body = Body::from_stream(stream::unfold(Some(answer), async |answer| {
            let mut answer = answer?;
            match answer.chunk().await {
                Ok(Some(chunk)) => Some((Ok(chunk), Some(answer))),
                Ok(None) => None,
                // The stream breaks off as the other one's does: whoever follows comes again.
                Err(error) => Some((Err(error), None)),
            }
        }));
        let mut response = Response::new(body);
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        Some(response)
    }
}

fn without_own(headers: &HeaderMap) -> HeaderMap {
    let mut headers = headers.clone();
    for name in OWN_HEADERS.into_iter().chain([SECRET, CLIENT, OWNER, ASKED_HOST]) {
        headers.remove(name);
    }
    headers
}
