//! What every request passes: by which name it calls the server, from which page it comes, who asks, how often.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::body::HttpBody as _;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::app::App;
use super::caller::{Caller, Credential, Peer};
use super::error::ApiError;
use super::extract::too_large;

/// No body is longer, but for MCP, which has its own limit.
pub(super) const MOST_BYTES: usize = 64 * 1024;

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
}

impl Names {
    /// This machine's own names, the address, and what else somebody named.
    pub(super) fn new(address: SocketAddr, more: &[String]) -> Names {
        let own = ["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
        let ip = match address {
            SocketAddr::V4(address) => address.ip().to_string(),
            SocketAddr::V6(address) => format!("[{}]", address.ip()),
        };
        let hosts = own.into_iter().chain([ip]).chain(more.iter().cloned());
        Names { hosts: hosts.map(|host| host.to_ascii_lowercase()).collect() }
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

    /// Whether a page of this origin is one of this server's.
    fn know_origin(&self, origin: &str) -> bool {
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        authority.is_some_and(|authority| self.know(authority))
    }
}

/// Lets a request in, or says why not.
pub(super) async fn enter(State(entrance): State<Entrance>, mut request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let method = request.method().clone();
    let path = request.extensions().get::<MatchedPath>().cloned();
    let path = path.as_ref().map_or("", MatchedPath::as_str);
    let app = &entrance.app;
    let mut response = match admit(&entrance, path, &mut request).await {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    let is_page = !path.starts_with("/api") && !path.starts_with("/mcp");
    secure(response.headers_mut(), is_page);
    let status = response.status();
    app.metrics.answered(&method, path, status, begun.elapsed());
    // Never the query and never a header: tokens have no place in a log.
    tracing::debug!(target: "standoff::http", %method, path, status = status.as_u16(),
        micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX), "request");
    response
}

async fn admit(entrance: &Entrance, path: &str, request: &mut Request) -> Result<(), ApiError> {
    let Entrance { app, names } = entrance;
    let headers = request.headers();
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or(""));
    let host = text(header::HOST).or_else(|| request.uri().authority().map(axum::http::uri::Authority::as_str));
    if !host.is_some_and(|host| names.know(host)) {
        let detail = "this server does not go by that name; --host allows one more";
        return Err(ApiError::new(StatusCode::FORBIDDEN, "unknown_host", detail));
    }
    if text(header::ORIGIN).is_some_and(|origin| !names.know_origin(origin)) {
        let detail = "pages of other sites may not ask this server";
        return Err(ApiError::new(StatusCode::FORBIDDEN, "unknown_origin", detail));
    }
    if !path.starts_with("/mcp") && request.body().size_hint().lower() > MOST_BYTES as u64 {
        return Err(too_large());
    }
    let from = request.extensions().get::<Peer>().map_or([0, 0, 0, 0].into(), |peer| peer.0);
    let caller = Caller::find(app, headers, from).await?;
    let may_be_anybody = OPEN_TO_ALL.contains(&path) || is_page(path) || is_join(request.method(), path);
    // Whoever has a session there can open matches without an account.
    let is_refused = if path.starts_with("/mcp") {
        app.wants_token && !matches!(caller.who, Credential::Owner)
    } else {
        app.wants_token && caller.is_anybody() && !may_be_anybody
    };
    if is_refused {
        return Err(ApiError::token_needed("this server wants a token: `Authorization: Bearer …`"));
    }
    request.extensions_mut().insert(caller);
    Ok(())
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
        let names = Names::new("127.0.0.1:8000".parse().expect("an address"), &["games.example.org".to_owned()]);
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
