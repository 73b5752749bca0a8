//! The web server: MCP over streamable HTTP at `/mcp`, and whether it lives at `/healthz`.

use std::net::SocketAddr;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt as _;
use axum::{Json, Router};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::mcp::{Shared, over_http};
use crate::store::KeyHash;

/// Where the server listens and whom it lets in.
#[derive(Clone, Debug)]
pub struct Door {
    /// The address.
    pub bind: SocketAddr,
    /// The names that browsers and clients may call it by, beside its own address.
    pub hosts: Vec<String>,
    /// What everybody must show; needed beyond this machine.
    pub token: Option<KeyHash>,
}

/// Why the server cannot open.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is taken or not ours.
    #[error("cannot listen on {bind}: {error}")]
    Bind {
        /// Where.
        bind: SocketAddr,
        /// Why.
        error: std::io::Error,
    },
    /// Others could come in without a token.
    #[error("{0} is open to other machines, and there is no token")]
    NoToken(SocketAddr),
    /// It broke down.
    #[error("the server broke down: {0}")]
    Broken(std::io::Error),
}

/// A server that listens and serves as soon as it is run.
#[derive(Debug)]
pub struct Listening {
    listener: TcpListener,
    router: Router,
    closing: CancellationToken,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Door {
    /// Opens the door.
    ///
    /// # Errors
    /// If the address cannot be had, or others could come in without a token.
    pub async fn open(self, shared: Shared, closing: CancellationToken) -> Result<Listening, ServeError> {
        let Door { bind, hosts, token } = self;
        if !bind.ip().is_loopback() && token.is_none() {
            return Err(ServeError::NoToken(bind));
        }
        let listener = TcpListener::bind(bind).await.map_err(|error| ServeError::Bind { bind, error })?;
        let address = listener.local_addr().map_err(|error| ServeError::Bind { bind, error })?;
        let router = router(address, &hosts, token, shared, closing.clone());
        Ok(Listening { listener, router, closing, address })
    }
}

impl Listening {
    /// Serves until it is told to close.
    ///
    /// # Errors
    /// If it breaks down.
    pub async fn run(self) -> Result<(), ServeError> {
        // Without this every streamed reply waits for the kernel's timer.
        let listener = self.listener.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        let closing = self.closing;
        let closed = async move { closing.cancelled().await };
        axum::serve(listener, self.router).with_graceful_shutdown(closed).await.map_err(ServeError::Broken)
    }
}

fn router(
    address: SocketAddr,
    hosts: &[String],
    token: Option<KeyHash>,
    shared: Shared,
    closing: CancellationToken,
) -> Router {
    let own = ["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned(), address.ip().to_string()];
    let allowed: Vec<String> = own.into_iter().chain(hosts.iter().cloned()).collect();
    let mcp = over_http(shared, &allowed, closing);
    let guarded = Router::new().nest_service("/mcp", mcp).layer(middleware::from_fn_with_state(token, show_token));
    Router::new().route("/healthz", get(healthz)).merge(guarded).fallback(nothing)
}

async fn healthz() -> Json<serde_json::Value> {
    Json(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

async fn nothing() -> Response {
    (StatusCode::NOT_FOUND, Json(json!({ "error": "nothing is here; MCP is at /mcp" }))).into_response()
}

/// Lets only those through who show the token, where there is one.
async fn show_token(State(token): State<Option<KeyHash>>, request: Request, next: Next) -> Response {
    let Some(token) = token else { return next.run(request).await };
    let shown = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let shown = shown.and_then(|value| value.split_once(' ')).filter(|(kind, _)| kind.eq_ignore_ascii_case("bearer"));
    match shown {
        Some((_, shown)) if KeyHash::of(shown.trim()).is(&token) => next.run(request).await,
        _ => {
            let challenge = [(header::WWW_AUTHENTICATE, "Bearer realm=\"standoff\"")];
            let body = Json(json!({ "error": "this server wants a token: Authorization: Bearer …" }));
            (StatusCode::UNAUTHORIZED, challenge, body).into_response()
        }
    }
}
