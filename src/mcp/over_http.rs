//! Sessions over streamable HTTP.

use std::sync::Arc;
use std::time::Duration;

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::{Server, Shared};

/// A request's body is never larger: the largest tool call is a few hundred bytes.
const MOST_BYTES: usize = 1 << 20;

/// A session that says nothing for so long is forgotten; its matches stay.
const SESSION_LASTS: Duration = Duration::from_mins(30);

/// The service, for whoever calls it by one of these names. Pages of other origins are turned away.
pub fn over_http(
    shared: Shared,
    hosts: &[String],
    closing: CancellationToken,
) -> StreamableHttpService<Server, LocalSessionManager> {
    let origins = hosts.iter().flat_map(|host| [format!("http://{host}:*"), format!("https://{host}:*")]);
    let config = StreamableHttpServerConfig::default()
        .with_allowed_origins(origins)
        .with_allowed_hosts(hosts.iter().cloned())
        .with_max_request_body_bytes(MOST_BYTES)
        .with_cancellation_token(closing);
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SESSION_LASTS);
    StreamableHttpService::new(move || Ok(shared.session()), Arc::new(sessions), config)
}
