//! Sessions and single calls over streamable HTTP.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use futures_util::StreamExt as _;
use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::{Shared, order};
use crate::arena::{CallerPurses, Registered};

/// A request's body is never larger: the largest tool call is a few hundred bytes.
const MOST_BYTES: usize = 1 << 20;

/// A session that says nothing for so long is forgotten; its matches stay.
const SESSION_LASTS: Duration = Duration::from_mins(30);

/// The header by which a client without a session says what it asks for.
const METHOD: &str = "mcp-method";

/// The header by which a client says which version it speaks, in all requests but the first.
const VERSION: &str = "mcp-protocol-version";

/// Who calls over HTTP, as the door found out. It is put among the extensions of a request.
#[derive(Clone, Debug)]
pub struct McpCaller {
    /// Under what its answers are found again, and who pays for models.
    pub counted: String,
    /// The registered player, where it is one.
    pub player: Option<Registered>,
    /// In which its matches are counted.
    pub purses: CallerPurses,
    /// Whether it may register somebody.
    pub registrar: Registrar,
}

/// Says whether one more player may be registered, and in words why not.
#[derive(Clone)]
pub struct Registrar(pub Arc<dyn Fn() -> Result<(), String> + Send + Sync>);

impl std::fmt::Debug for Registrar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Registrar(…)")
    }
}

impl McpCaller {
    /// Whoever sent a request; nobody on a pipe.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Option<&McpCaller> {
        context.extensions.get::<axum::http::request::Parts>()?.extensions.get()
    }

    /// What the caller has shown as a registered player: it is one at every process on the same store.
    pub(super) fn shown(context: &RequestContext<RoleServer>) -> Option<HeaderValue> {
        McpCaller::of(context)?.player.as_ref()?;
        context.extensions.get::<axum::http::request::Parts>()?.headers.get(header::AUTHORIZATION).cloned()
    }
}

/// The service, for whoever calls it by one of these names. Pages of other origins are turned away, but for those that
/// are named.
pub fn over_http(shared: Shared, hosts: &[String], origins: &[String], closing: CancellationToken) -> Router {
    let own = hosts.iter().flat_map(|host| [format!("http://{host}:*"), format!("https://{host}:*")]);
    let config = StreamableHttpServerConfig::default()
        .with_allowed_origins(own.chain(origins.iter().cloned()))
        .with_allowed_hosts(hosts.iter().cloned())
        .with_max_request_body_bytes(MOST_BYTES)
        .with_cancellation_token(closing);
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SESSION_LASTS);
    let service = StreamableHttpService::new(move || Ok(shared.http_session()), Arc::new(sessions), config);
    Router::new().fallback_service(service).layer(middleware::from_fn(as_clients_expect))
}

/// Answers in the way that clients of every age understand.
async fn as_clients_expect(request: Request, next: Next) -> Response {
    let ends_session = request.method() == Method::DELETE;
    let knows_empty_events = knows_empty_events(request.headers());
    let lists_tools = request.headers().get(METHOD).is_some_and(|method| method == "tools/list");
    let mut response = next.run(request).await;
    // A session that ended is done with; some clients take "accepted" for a failure.
    if ends_session && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    let kind = response.headers().get(header::CONTENT_TYPE).cloned();
    let kind = kind.as_ref().and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind == "text/event-stream" {
        return response.map(|body| {
            let events = body.into_data_stream().map(|event| event.map(in_order));
            Body::from_stream(events.filter(move |event| {
                let is_wanted = knows_empty_events || !event.as_ref().is_ok_and(is_empty_event);
                std::future::ready(is_wanted)
            }))
        });
    }
    if !lists_tools || kind != "application/json" {
        return response;
    }
    let (head, body) = response.into_parts();
    match axum::body::to_bytes(body, MOST_BYTES).await {
        Ok(list) => Response::from_parts(head, Body::from(in_order(list))),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// A message with the arguments of its tools in order.
fn in_order(message: Bytes) -> Bytes {
    order::ordered(&message).map_or(message, Bytes::from)
}

/// Whether a client takes an event without data. Such events came with version 2025-11-25, and clients of earlier ones
/// try to read them as messages. The first request of all does not say its version, and has no use for them.
fn knows_empty_events(headers: &HeaderMap) -> bool {
    let version = headers.get(VERSION).and_then(|version| version.to_str().ok());
    version.is_some_and(|version| version >= ProtocolVersion::V_2025_11_25.as_str())
}

/// Whether these bytes are an event whose data is empty. A comment, which keeps a connection alive, is none.
fn is_empty_event(event: &Bytes) -> bool {
    let mut data = event.split(|&byte| byte == b'\n').filter_map(|line| line.strip_prefix(b"data:")).peekable();
    data.peek().is_some() && data.all(|data| data.trim_ascii().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_events_without_data_are_empty() {
        for (event, empty) in [
            ("id: 0\nretry: 3000\ndata: \n\n", true),
            ("data:\nid: 0\n\n", true),
            (":\n\n", false),
            ("data: {\"jsonrpc\":\"2.0\"}\nid: 1\n\n", false),
            ("retry: 3000\n\n", false),
        ] {
            assert_eq!(is_empty_event(&Bytes::from_static(event.as_bytes())), empty, "{event}");
        }
    }
}
