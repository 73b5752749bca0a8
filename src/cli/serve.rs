//! `standoff serve`: the games over HTTP.

use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use tokio_util::sync::CancellationToken;

use super::error::Failure;
use super::mcp::PlayersArgs;
use super::reporting;
use super::signals::Signals;
use super::storage::{self, StoreArgs};
use super::telemetry::TelemetryArgs;
use crate::arena::{Arena, ArenaLimits, SeatKey};
use crate::config::Environment;
use crate::http::{self, ServeError, ServerOptions, Services};
use crate::mcp::Shared;
use crate::store::KeyHash;
use crate::tournaments::report::Report;

/// The variable that holds the token which everybody must show.
const TOKEN: &str = "STANDOFF_TOKEN";

/// Serve the arena: the page, the HTTP API and MCP, for people, programs and assistants.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff serve                                  on http://127.0.0.1:8000, for this machine alone
  standoff serve --port 0                         on a port that is free
  STANDOFF_TOKEN=… standoff serve --bind 0.0.0.0 --host games.example.org

The page is at /, the API at /api/v1 (openapi.json describes it), MCP at /mcp, and for whoever watches over it /healthz,
/readyz and /metrics.

Beyond this machine everybody must show a token as `Authorization: Bearer …`: that of STANDOFF_TOKEN, or a player's own.
Where the variable is not set, a new token is made and shown once.")]
pub(crate) struct ServeCommand {
    /// The port; 0 picks a free one
    #[arg(long, default_value_t = 8000)]
    port: u16,
    /// The address to listen on
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
    bind: IpAddr,
    /// A name by which clients may call this server; may be repeated
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Requests per second that one caller may make; 0 is no limit (default: 5000 on a loopback address, otherwise 50)
    #[arg(long, value_name = "N")]
    rate: Option<u32>,
    /// Read the page from this folder instead, for development
    #[arg(long, value_name = "FOLDER", hide = true)]
    page: Option<PathBuf>,
    #[command(flatten)]
    players: PlayersArgs,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    telemetry: TelemetryArgs,
}

impl ServeCommand {
    /// Serves until it is told to stop.
    ///
    /// # Errors
    /// If the address, the store or the configuration cannot be used.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let telemetry = self.telemetry.start()?;
        let served = self.serve();
        telemetry.finish();
        served
    }

    fn serve(self) -> Result<(), Failure> {
        storage::block_on(async {
            let store = self.store.open().await?;
            let guests = Arc::new(self.players.guests(Some(&store)).await?);
            let cards = guests.cards();
            let arena = Arena::with_store(guests, ArenaLimits::default(), store.clone()).map_err(storage::failure)?;
            let taken_up = arena.take_up().await.map_err(Failure::work)?;
            let closing = CancellationToken::new();
            let report: http::Reporting =
                Arc::new(|sources, language| Report::of(sources, language, &reporting::drawn).html(language));
            let arenas = arena.clone();
            let services =
                Services { arena: arena.clone(), store: store.clone(), guests: cards, report, page: self.page };
            let shared = Shared::new(arena, self.store.leaderboard(), closing.clone())
                .map_err(|error| Failure::work(format!("the system gives no random numbers: {error}")))?;
            let mut limits =
                if self.bind.is_loopback() { http::RequestLimits::AT_HOME } else { http::RequestLimits::ABROAD };
            limits.rate = self.rate.unwrap_or(limits.rate);
            let bind = SocketAddr::new(self.bind, self.port);
            let door = ServerOptions { bind, hosts: self.hosts, token: token(self.bind)?, limits };
            let listening = door.open(services, shared, closing.clone()).await.map_err(|error| match error {
                ServeError::Bind { .. } => {
                    Failure::work(error).hint("another program may have the port: --port 0 takes a free one")
                }
                ServeError::NoToken(_) => Failure::work(error),
            })?;
            let mut signals = Signals::listen()?;
            tell(&format!("listening on http://{}", listening.address));
            if taken_up > 0 {
                tell(&format!("{taken_up} matches go on where they were"));
            }
            tokio::spawn(async move {
                signals.next().await;
                closing.cancel();
            });
            listening.run().await;
            // What was accepted is on the disk; what is still being written gets there.
            arenas.close().await;
            store.close().await;
            Ok(())
        })
    }
}

/// The token that everybody must show. Without one only this machine may come in.
fn token(bind: IpAddr) -> Result<Option<KeyHash>, Failure> {
    match Environment::of_process().text(TOKEN) {
        Some(token) if token.trim().len() < 16 => {
            Err(Failure::call(format!("{TOKEN} is too short to keep anybody out"))
                .hint("use at least 16 characters that nobody can guess"))
        }
        Some(token) => Ok(Some(KeyHash::of(token.trim()))),
        None if bind.is_loopback() => Ok(None),
        None => {
            let token = SeatKey::random().map_err(Failure::work)?;
            tell(&format!("everybody must show this token: {}", token.reveal()));
            Ok(Some(token.hash()))
        }
    }
}

fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
