//! The web server: the arena's API at `/api/v1`, the page at `/`, MCP over streamable HTTP at `/mcp`; whether it lives
//! at `/healthz`, whether it can work at `/readyz`, what it does at `/metrics`.
//!
//! Every request comes in by `entrance`, which knows by which name the server may be called, who asks and how often.
//! `api` lists the endpoints with the types of which both the answers and `openapi.json` are made; `problem` alone says
//! which failure has which status. `views` and `live` make what many look at once, and give it to all.

mod api;
mod app;
mod caller;
mod catalogue;
mod entrance;
mod error;
mod extract;
mod found;
mod history;
mod limit;
mod live;
mod lobby;
mod matches;
mod metrics;
mod page;
mod players;
mod review;
mod seat;
mod server;
mod standings;
mod views;
mod wire;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router, middleware};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::app::App;
pub use self::app::{Card, Reporting, Services};
use self::entrance::{Entrance, MOST_BYTES, Names};
use self::error::ApiError;
pub use self::limit::RequestLimits;
use crate::mcp::{Shared, over_http};
use crate::store::KeyHash;

/// Where the server listens and whom it lets in.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The address and port to listen on.
    pub bind: SocketAddr,
    /// The names that browsers and clients may call it by, beside its own address.
    pub hosts: Vec<String>,
    /// What opens the house to whoever has no account; needed beyond this machine.
    pub token: Option<KeyHash>,
    /// How much one caller may ask for.
    pub limits: RequestLimits,
}

/// Why the server cannot open.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is taken or not ours.
    #[error("cannot listen on {bind}: {error}")]
    Bind {
        /// The address that was asked for.
        bind: SocketAddr,
        /// What the system says.
        error: std::io::Error,
    },
    /// Others could come in without a token.
    #[error("{0} is open to other machines, and there is no token")]
    NoToken(SocketAddr),
}

/// A server that listens and serves as soon as it is run.
#[derive(Debug)]
pub struct Listening {
    listener: TcpListener,
    router: Router,
    app: Arc<App>,
    closing: CancellationToken,
    /// Where it listens.
    pub address: SocketAddr,
}

impl ServerOptions {
    /// Opens the door.
    ///
    /// # Errors
    /// If the address cannot be had, or others could come in without a token.
    pub async fn open(
        self,
        services: Services,
        mcp: Shared,
        closing: CancellationToken,
    ) -> Result<Listening, ServeError> {
        let ServerOptions { bind, hosts, token, limits } = self;
        if !bind.ip().is_loopback() && token.is_none() {
            return Err(ServeError::NoToken(bind));
        }
        let listener = TcpListener::bind(bind).await.map_err(|error| ServeError::Bind { bind, error })?;
        let address = listener.local_addr().map_err(|error| ServeError::Bind { bind, error })?;
        let names = Arc::new(Names::new(address, &hosts));
        let app = App::new(services, token, limits, closing.clone());
        let router = router(app.clone(), names, mcp, closing.clone());
        Ok(Listening { listener, router, app, closing, address })
    }
}

impl Listening {
    /// Serves until it is told to close: then waits are answered, streams end, and what was asked for is done.
    pub async fn run(self) {
        server::serve(self.listener, self.router, self.app, self.closing).await;
    }
}

fn router(app: Arc<App>, names: Arc<Names>, mcp: Shared, closing: CancellationToken) -> Router {
    let mcp = over_http(mcp, names.hosts(), closing);
    let own = Router::new()
        .route("/", get(page::index))
        .route("/{file}", get(page::asset))
        .route("/assets/{file}", get(page::asset))
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics::metrics))
        .merge(api::router())
        .layer(DefaultBodyLimit::max(MOST_BYTES));
    let entrance = Entrance { app: app.clone(), names };
    own.nest_service("/mcp", mcp)
        .fallback(nothing)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(entrance, entrance::enter))
        .with_state(app)
}

async fn healthz() -> Json<serde_json::Value> {
    Json(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

/// Whether it can work: the store takes writes.
async fn readyz(State(app): State<Arc<App>>) -> Result<Json<serde_json::Value>, ApiError> {
    // Every open is written through the same queue: when nothing comes through, nothing would.
    app.store.write(Vec::new()).await?;
    Ok(Json(json!({ "status": "ready", "matches": app.arena.list().len() })))
}

async fn nothing() -> ApiError {
    ApiError::missing("no_page", "nothing is here; the API is at /api/v1, MCP at /mcp")
}

async fn wrong_method() -> ApiError {
    let detail = "this cannot be done here; openapi.json says what can";
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "wrong_method", detail)
}
