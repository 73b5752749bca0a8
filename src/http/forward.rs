//! Requests for what another process on the same store plays: passed on to it, streams included, and taken up here if it is
//! gone. A client behind any of the processes never meets a dead end.

use std::io;
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
use crate::arena::{Arena, PROCESS_HEADER, ProcessAnswer, ProcessRequest, process_client};
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

/// So long another process may say nothing in the midst of an answer: streams show that they live every 15 seconds.
const SILENCE: Duration = Duration::from_secs(40);

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

    /// Passes the request on.
    pub(super) async fn pass_on(&self, arena: &Arena, process: &ProcessInfo, is_owner: bool) -> PassedOn {
        let Some(sent) = self.to(process, is_owner) else { return PassedOn::Refused };
        match arena.while_leased(process, sent.send()).await {
            None => PassedOn::StoodStill,
            Some(Ok(answer)) if !answer.headers().contains_key(&ELSEWHERE) => {
                PassedOn::Answered(Box::new(response(answer, arena.clone(), process.clone())))
            }
            Some(Ok(_)) => PassedOn::Refused,
            Some(Err(error)) => {
                tracing::debug!(%error, "another process does not answer");
                PassedOn::Refused
            }
        }
    }

    /// The request as the other process is sent it.
    fn to(&self, process: &ProcessInfo, is_owner: bool) -> Option<ProcessRequest> {
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
        Some(sent.headers(headers).body(self.body.clone()))
    }
}

/// What comes of a request that is passed on.
#[derive(Debug)]
pub(super) enum PassedOn {
    Answered(Box<Response>),
    /// The process cannot be reached, or has what was asked for no more.
    Refused,
    /// It has said nothing until its lease ran out: from now on what it had is anybody's.
    StoodStill,
}

/// Another process's answer as the client gets it, piece by piece as it comes.
fn response(answer: ProcessAnswer, arena: Arena, process: ProcessInfo) -> Response {
    let (status, mut headers) = (answer.status(), without_own(answer.headers()));
    // What is no stream stays as long as it was.
    headers.extend(answer.headers().get(header::CONTENT_LENGTH).map(|length| (header::CONTENT_LENGTH, length.clone())));
    let body = Body::from_stream(stream::unfold(Some((answer, arena, process)), async |rest| {
        let (mut answer, arena, process) = rest?;
        let chunk = arena.while_leased(&process, tokio::time::timeout(SILENCE, answer.chunk())).await;
        match chunk {
            Some(Ok(Ok(Some(chunk)))) => Some((Ok(chunk), Some((answer, arena, process)))),
            Some(Ok(Ok(None))) => None,
            // The stream breaks off as the other one's does: whoever follows comes again.
            Some(Ok(Err(error))) => Some((Err(io::Error::other(error)), None)),
            Some(Err(_)) | None => Some((Err(io::ErrorKind::TimedOut.into()), None)),
        }
    }));
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

fn without_own(headers: &HeaderMap) -> HeaderMap {
    let mut headers = headers.clone();
    for name in OWN_HEADERS.into_iter().chain([SECRET, CLIENT, OWNER, ASKED_HOST]) {
        headers.remove(name);
    }
    headers
}
