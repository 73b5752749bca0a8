//! The web server: the arena's API at `/api/v1`, the page at `/`, MCP over streamable HTTP at `/mcp`; whether it lives
//! at `/healthz`, whether it can work at `/readyz`, what it does at `/metrics`.
//!
//! Every request comes in by `entrance`, which knows by which name the server may be called, who asks and how often.
//! `api` lists the endpoints with the types of which both the answers and `openapi.json` are made; `problem` alone says
//! which failure has which status. `views` and `live` make what many look at once, and give it to all. What another process
//! on the same store plays, `forward` passes on.

mod api;
mod app;
mod caller;
mod catalogue;
mod entrance;
mod error;
mod extract;
mod fits;
mod forward;
mod found;
mod history;
mod limit;
mod live;
mod lobby;
mod matches;
mod metrics;
mod oauth;
mod page;
mod player_page;
mod players;
mod proxies;
mod review;
mod schema;
mod seat;
mod server;
mod share;
mod standings;
mod typed;
mod views;
mod wire;
mod work;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router, middleware};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower_http::timeout::Timeout;

use self::app::App;
pub use self::app::{Card, Reporting, Services};
use self::entrance::{Entrance, MOST_BYTES, Names};
use self::error::ApiError;
pub use self::limit::RequestLimits;
use self::oauth::Issuer;
pub use self::oauth::OAuthOptions;
pub use self::proxies::{ParseProxyError, TrustedProxy};
use crate::mcp::{Shared, over_http};
use crate::store::KeyHash;

/// So long an answer of MCP may take to begin; no tool waits longer than 50 seconds.
const MCP_ANSWER: Duration = Duration::from_secs(90);

/// So long it is believed that the server can work, or cannot: looking costs a write.
const READY_LASTS: Duration = Duration::from_secs(1);

/// Where the server listens and whom it lets in.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The address and port to listen on.
    pub bind: SocketAddr,
    /// The names that browsers and clients may call it by, beside its own address.
    pub hosts: Vec<String>,
    /// The origins of other sites whose pages may ask, like `https://chat.example.org`.
    pub origins: Vec<String>,
    /// What opens the house to whoever has no account; needed beyond this machine, unless it is open.
    pub token: Option<KeyHash>,
    /// Whether everybody may come in without a token: only the keys of seats are secrets then.
    pub open: bool,
    /// An external issuer whose tokens are believed.
    pub oauth: Option<OAuthOptions>,
    /// The proxies that are believed about where requests come from.
    pub trusted_proxies: Vec<TrustedProxy>,
    /// How much one caller may ask for.
    pub limits: RequestLimits,
    /// Whether only processes on the same store are let in, for their callers.
    pub processes_only: bool,
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
    /// Nothing could ask the issuer for its keys.
    #[error("no connection to the issuer can be prepared: {0}")]
    Issuer(String),
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
        let ServerOptions { bind, hosts, origins, token, open, oauth, trusted_proxies, limits, processes_only } = self;
        if !bind.ip().is_loopback() && token.is_none() && oauth.is_none() && !open {
            return Err(ServeError::NoToken(bind));
        }
        let listener = TcpListener::bind(bind).await.map_err(|error| ServeError::Bind { bind, error })?;
        let address = listener.local_addr().map_err(|error| ServeError::Bind { bind, error })?;
        let names = Arc::new(Names::new(address, &hosts, origins));
        let issuer =
            oauth.as_ref().map(Issuer::new).transpose().map_err(|error| ServeError::Issuer(error.to_string()))?;
        let mut app = App::new(services, token, limits, processes_only, closing.clone());
        app.wants_token = (app.token.is_some() || issuer.is_some()) && !open;
        app.is_at_home = bind.ip().is_loopback() && hosts.is_empty() && !open && !app.wants_token;
        app.issuer = issuer;
        app.trusted_proxies = trusted_proxies;
        let app = Arc::new(app);
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
    let mcp = over_http(mcp, names.hosts(), names.origins(), closing);
    let mcp = Timeout::with_status_code(mcp, StatusCode::REQUEST_TIMEOUT, MCP_ANSWER);
    let own = Router::new()
        .route("/", get(page::index))
        .route("/{file}", get(page::asset))
        .route("/m/{id}", get(share::shared_match))
        .route("/m/{id}/turn/{turn}", get(share::shared_turn))
        .route("/m/{id}/embed", get(share::embedded))
        .merge(page_routes())
        .route("/assets/{file}", get(page::asset))
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics::metrics))
        .route(oauth::METADATA, get(oauth::metadata))
        .route(&format!("{}/mcp", oauth::METADATA), get(oauth::metadata))
        .merge(api::router())
        .layer(DefaultBodyLimit::max(MOST_BYTES));
    let entrance = Entrance { app: app.clone(), names };
    own.nest_service("/mcp", mcp)
        .fallback(nothing)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(entrance, entrance::enter))
        .with_state(app)
}

/// The addresses of the page's screens; the page itself knows what to show there.
fn page_routes() -> Router<Arc<App>> {
    let named = Router::new()
        .route("/t/{id}", get(share::shared_tournament))
        .route("/p/{name}", get(share::shared_player))
        .route("/rules/{name}", get(share::shared_rules))
        .route("/join/{id}", get(share::shared_invitation))
        .route("/join/{id}/{invite}", get(share::shared_invitation));
    let others = ["/new", "/new/{ruleset}", "/boards", "/matches", "/ladder", "/tournaments"];
    others.into_iter().fold(named, |router, path| router.route(path, get(share::shared_page)))
}

async fn healthz() -> Json<serde_json::Value> {
    Json(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

/// Whether it can work: something is written to the store, the same way as an action.
async fn readyz(State(app): State<Arc<App>>) -> Result<Json<serde_json::Value>, ApiError> {
    let mut last = app.readiness.lock().await;
    let found = match last.as_ref().filter(|(at, _)| at.elapsed() < READY_LASTS) {
        Some((_, found)) => found.clone(),
        None => app.store.probe().await.map_err(ApiError::from),
    };
    if last.as_ref().is_none_or(|(at, _)| at.elapsed() >= READY_LASTS) {
        *last = Some((tokio::time::Instant::now(), found.clone()));
    }
    drop(last);
    found?;
    Ok(Json(json!({ "status": "ready", "matches": app.arena.list().len() })))
}

async fn nothing() -> ApiError {
    ApiError::missing("no_page", "nothing is here; the API is at /api/v1, MCP at /mcp")
}

async fn wrong_method() -> ApiError {
    let detail = "this cannot be done here; openapi.json says what can";
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "wrong_method", detail)
}
