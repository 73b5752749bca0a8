//! What every request passes: by which name it calls the server, from which page it comes, who asks, how often.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::HttpBody as _;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::api::BASE;
use super::app::App;
use super::caller::{Caller, Credential, Peer};
use super::error::ApiError;
use super::extract::too_large;
use super::forward::{ELSEWHERE, Forwarded, HANDING_OVER, KeptRequest, PassedOn, PlayedBy};
use super::limit::Counted;
use super::metrics;
use super::proxies;
use crate::mcp::{McpCaller, Registrar};

/// No body is longer …
pub(super) const MOST_BYTES: usize = 64 * 1024;

/// … but for those of MCP.
const MOST_MCP_BYTES: usize = 1 << 20;

/// How long is waited before a process that does not answer is looked for again.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LAST_PAUSE: Duration = Duration::from_secs(1);

/// Where matches have addresses to share.
const SHARED: &str = "/m/";

/// Names an MCP session.
const SESSION: &str = "mcp-session-id";

/// So long the rest of a refused request may take to come.
const PARTING: Duration = Duration::from_secs(1);

/// Where a player has a new token made.
const RENEWAL: &str = "/api/v1/players/me/token";

/// What a request may ask for without saying who asks, wherever it comes from.
const OPEN_TO_ALL: [&str; 2] = ["/healthz", "/readyz"];

/// The page may run its own scripts and talk to its own server, and nothing else.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The entrance, and by which names it may be called.
#[derive(Clone, Debug)]
pub(super) struct Entrance {
    pub(super) app: Arc<App>,
    pub(super) names: Arc<Names>,
}

/// By which names the server may be called.
#[derive(Debug)]
pub(super) struct Names {
    hosts: Vec<String>,
    /// Of other sites whose pages may ask.
    origins: Vec<String>,
}

impl Names {
    /// This machine's own names, the address, and what else somebody named.
    pub(super) fn new(address: SocketAddr, more: &[String], origins: Vec<String>) -> Names {
        let own = ["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
        let ip = match address {
            SocketAddr::V4(address) => address.ip().to_string(),
            SocketAddr::V6(address) => format!("[{}]", address.ip()),
        };
        let hosts = own.into_iter().chain([ip]).chain(more.iter().cloned());
        Names { hosts: hosts.map(|host| host.to_ascii_lowercase()).collect(), origins }
    }

    pub(super) fn origins(&self) -> &[String] {
        &self.origins
    }

    /// Whether a page of this origin is of another site that may ask.
    fn is_other_site(&self, origin: &HeaderValue) -> bool {
        let origin = origin.to_str().unwrap_or_default();
        self.origins.iter().any(|known| known.eq_ignore_ascii_case(origin))
    }

    pub(super) fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Whether a `Host` names this server: a page whose name was bent to this address names another.
    fn know(&self, authority: &str) -> bool {
        let (host, port) = match authority.rfind(':') {
            Some(at) if !authority[at..].contains(']') => (&authority[..at], &authority[at + 1..]),
            _ => (authority, ""),
        };
        let is_port = port.bytes().all(|byte| byte.is_ascii_digit());
        is_port && self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host))
    }

    /// Whether a page of this origin is one of this server's, or of a site that may ask.
    fn know_origin(&self, origin: &str) -> bool {
        if self.origins.iter().any(|known| known.eq_ignore_ascii_case(origin)) {
            return true;
        }
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        authority.is_some_and(|authority| self.know(authority))
    }
}

/// Lets a request in, or says why not.
pub(super) async fn enter(State(entrance): State<Entrance>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let method = request.method().clone();
    let path = request.extensions().get::<MatchedPath>().cloned();
    let path = path.as_ref().map_or("", MatchedPath::as_str);
    let app = &entrance.app;
    let origin = request.headers().get(header::ORIGIN).filter(|origin| entrance.names.is_other_site(origin)).cloned();
    if origin.is_some() && is_preflight(&request) {
        let mut response = StatusCode::NO_CONTENT.into_response();
        allow(response.headers_mut(), origin);
        return response;
    }
    let mut response = let_in(&entrance, path, request, next).await;
    let is_page = !path.starts_with("/api") && !path.starts_with("/mcp");
    secure(response.headers_mut(), is_page);
    let status = response.status();
    if let Some(issuer) = app.issuer.as_ref().filter(|_| status == StatusCode::UNAUTHORIZED) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, issuer.challenge());
    }
    allow(response.headers_mut(), origin);
    metrics::answered(&method, path, status, begun.elapsed());
    // Never the query and never a header: tokens have no place in a log.
    tracing::debug!(target: "standoff::http", %method, path, status = status.as_u16(),
        micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX), "request");
    response
}

/// Answers a request here, or lets the process answer it that has what is asked for. Where that one is gone, it is here
/// sooner or later.
async fn let_in(entrance: &Entrance, path: &str, mut request: Request, next: Next) -> Response {
    let admitted = admit(entrance, path, &mut request).await;
    if !path.starts_with(BASE) && !path.starts_with(SHARED) {
        return match admitted {
            Ok(caller) if path.starts_with("/mcp") => in_session(&entrance.app, caller, request, next).await,
            Ok(_) => next.run(request).await,
            Err(problem) => turned_away(request, problem).await,
        };
    }
    let is_forwarded = request.extensions().get::<Forwarded>().is_some();
    let is_owner = matches!(request.extensions().get::<Caller>(), Some(Caller { who: Credential::Owner, .. }));
    let mut problem = match admitted {
        Ok(_) => None,
        Err(problem) if problem.is_elsewhere() => Some(problem),
        Err(problem) => return turned_away(request, problem).await,
    };
    let mut kept = match KeptRequest::take(request, MOST_BYTES).await {
        Ok(kept) => kept,
        Err(problem) => return problem.into_response(),
    };
    let mut until = tokio::time::Instant::now() + HANDING_OVER;
    let mut pause = FIRST_PAUSE;
    loop {
        let mut response = match problem.take() {
            Some(problem) => problem.into_response(),
            None => next.clone().run(kept.again()).await,
        };
        let Some(PlayedBy(process)) = response.extensions_mut().remove::<PlayedBy>() else { return response };
        if is_forwarded {
            response.headers_mut().insert(ELSEWHERE, HeaderValue::from_static("1"));
            return response;
        }
        match kept.pass_on(&entrance.app.arena, &process, is_owner).await {
            PassedOn::Answered(answer) => return *answer,
            PassedOn::Refused => {}
            // It had it until now: only from here on it changes hands.
            PassedOn::StoodStill => until = tokio::time::Instant::now() + HANDING_OVER,
        }
        if tokio::time::Instant::now() > until {
            return response;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LAST_PAUSE);
        // Who has it may have changed.
        let mut again = kept.again();
        problem = admit(entrance, path, &mut again).await.err();
        kept.admitted(again);
    }
}

/// Lets a request of MCP in, and keeps count of its caller's sessions.
async fn in_session(app: &App, caller: Counted, request: Request, next: Next) -> Response {
    let session = |headers: &HeaderMap| headers.get(SESSION).and_then(|id| id.to_str().ok()).map(str::to_owned);
    let named = session(request.headers());
    let method = request.method().clone();
    let mut reserved = None;
    match &named {
        Some(id) => app.toll.heard_of_session(id),
        None if method == Method::POST => match app.toll.reserve_session(caller) {
            Ok(leave) => reserved = Some(leave),
            Err(problem) => return problem.into_response(),
        },
        None => {}
    }
    let request = match KeptRequest::take(request, MOST_MCP_BYTES).await {
        Ok(kept) => kept.again(),
        Err(problem) => return problem.into_response(),
    };
    let response = next.run(request).await;
    match (named, session(response.headers()), reserved) {
        (None, Some(begun), Some(leave)) => leave.begun(&begun),
        (Some(id), ..) if method == Method::DELETE && response.status().is_success() => app.toll.session_ended(&id),
        _ => {}
    }
    response
}

async fn admit(entrance: &Entrance, path: &str, request: &mut Request) -> Result<Counted, ApiError> {
    let Entrance { app, names } = entrance;
    let forwarded = Forwarded::find(app, request.headers())?;
    if app.processes_only && forwarded.is_none() {
        let detail = "only other processes of this program on the same store are let in here";
        return Err(ApiError::new(StatusCode::FORBIDDEN, "not_a_process", detail));
    }
    let headers = request.headers();
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or(""));
    let host = text(header::HOST).or_else(|| request.uri().authority().map(axum::http::uri::Authority::as_str));
    if forwarded.is_none() && !host.is_some_and(|host| names.know(host)) {
        let detail = "this server does not go by that name; --host allows one more";
        return Err(ApiError::new(StatusCode::FORBIDDEN, "unknown_host", detail));
    }
    if forwarded.is_none() && text(header::ORIGIN).is_some_and(|origin| !names.know_origin(origin)) {
        let detail = "pages of other sites may not ask this server; --origin allows one";
        return Err(ApiError::new(StatusCode::FORBIDDEN, "unknown_origin", detail));
    }
    if !path.starts_with("/mcp") && request.body().size_hint().lower() > MOST_BYTES as u64 {
        return Err(too_large(MOST_BYTES));
    }
    let Peer(peer) = request.extensions().get::<Peer>().copied().unwrap_or(Peer([0, 0, 0, 0].into()));
    let from = forwarded
        .map_or_else(|| Peer(proxies::origin(&app.trusted_proxies, peer, headers)), |forwarded| forwarded.from);
    let found = Caller::find(app, headers, from, forwarded).await;
    let is_again = headers.contains_key("idempotency-key");
    match forwarded {
        Some(forwarded) => drop(request.extensions_mut().insert(forwarded)),
        // Another process that is asked for them hears of nobody else.
        None => drop(request.extensions_mut().insert(from)),
    }
    let is_renewal = request.method() == Method::POST && path == RENEWAL;
    let caller = match found {
        // Whoever did not get the answer has nothing but the token that was replaced; the handler looks at it.
        Err(problem) if is_renewal && is_again && problem.is_token_unknown() => {
            Caller::nobody(Counted::address(from.0))
        }
        found => found?,
    };
    let may_be_anybody = is_renewal || OPEN_TO_ALL.contains(&path) || is_page(path) || is_join(request.method(), path);
    // Whoever has a session there can open matches: the key of one seat is not enough.
    let is_refused = if forwarded.is_some() {
        // Whoever passes it on has let it in.
        false
    } else if path.starts_with("/mcp") {
        app.wants_token && !matches!(caller.who, Credential::Owner | Credential::Player(_))
    } else {
        app.wants_token && caller.is_anybody() && !may_be_anybody
    };
    if is_refused {
        return Err(ApiError::token_needed("this server wants a token: `Authorization: Bearer …`"));
    }
    if path.starts_with("/mcp") {
        let player = if let Credential::Player(player) = &caller.who { Some(player.clone()) } else { None };
        let (purses, from, door) = (app.purses_of(&caller), caller.from, app.clone());
        let registrar = Registrar(Arc::new(move || {
            if door.is_open() { door.toll.registration(from).map_err(|problem| problem.to_string()) } else { Ok(()) }
        }));
        request.extensions_mut().insert(McpCaller { counted: caller.counted.name(), player, purses, registrar });
    }
    let counted = caller.counted;
    request.extensions_mut().insert(caller);
    Ok(counted)
}

/// Refuses a request and takes in what it still brings, so that the connection can be used again: a client that shows its
/// token next does it on the same one.
async fn turned_away(request: Request, problem: ApiError) -> Response {
    let body = request.into_body();
    if body.size_hint().upper().is_some_and(|most| most <= MOST_BYTES as u64) {
        let _ = tokio::time::timeout(PARTING, axum::body::to_bytes(body, MOST_BYTES)).await;
    }
    problem.into_response()
}

/// Whether a browser only asks what a page may ask.
fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// Tells a browser that a page of this other site may ask and read the answer.
fn allow(headers: &mut HeaderMap, origin: Option<HeaderValue>) {
    let Some(origin) = origin else { return };
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::VARY, HeaderValue::from_static("Origin"));
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE, PUT, PATCH"),
        (
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            "authorization, content-type, accept, idempotency-key, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name",
        ),
        (header::ACCESS_CONTROL_EXPOSE_HEADERS, "mcp-session-id, www-authenticate"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

fn is_page(path: &str) -> bool {
    !(path.starts_with("/api") || path.starts_with("/mcp") || path == "/metrics" || path.is_empty())
}

/// Joining is allowed to whoever has an invitation; the handler looks at it.
fn is_join(method: &Method, path: &str) -> bool {
    method == Method::POST && path.ends_with("/join")
}

fn secure(headers: &mut HeaderMap, is_page: bool) {
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if !headers.contains_key(header::CONTENT_SECURITY_POLICY) {
        let policy = if is_page { PAGE_POLICY } else { "default-src 'none'; frame-ancestors 'none'" };
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    }
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_names_are_its_names() {
        let address = "127.0.0.1:8000".parse().expect("an address");
        let origins = vec!["https://chat.example.com".to_owned()];
        let names = Names::new(address, &["games.example.org".to_owned()], origins);
        assert!(names.know_origin("https://chat.example.com") && !names.know("chat.example.com"));
        for good in ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]", "[::1]:80", "games.example.org:443"] {
            assert!(names.know(good), "{good}");
        }
        for bad in ["", "evil.example.org", "localhost.evil.org", "localhost:80:80", "localhost:x", "::1", "[::1"] {
            assert!(!names.know(bad), "{bad}");
        }
        assert!(names.know_origin("http://localhost:3000") && names.know_origin("https://games.example.org"));
        for bad in ["null", "", "localhost", "file://localhost", "http://evil.example.org", "http://localhost@evil.org"]
        {
            assert!(!names.know_origin(bad), "{bad}");
        }
    }
}
