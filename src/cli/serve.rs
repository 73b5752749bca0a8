//! `standoff serve`: the games over HTTP.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::error::Failure;
use super::mcp::{Counted, PlayersArgs};
use super::messages;
use super::reporting;
use super::signals::Signals;
use super::storage::{self, StoreArgs};
use super::telemetry::TelemetryArgs;
use crate::arena::{Arena, ArenaLimits, SeatKey};
use crate::config::Environment;
use crate::http::{self, OAuthOptions, ServeError, ServerOptions, Services, TrustedProxy};
use crate::mcp::Shared;
use crate::players::model::prepare_tls;
use crate::store::KeyHash;

/// The variable that holds the token which everybody must show.
const TOKEN: &str = "STANDOFF_TOKEN";

/// Without a word on it, so many callers can use the budget up together.
const CALLERS: f64 = 10.0;

/// Serve the arena: the page, the HTTP API and MCP, for people, programs and assistants.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff serve                                  on http://127.0.0.1:8000, for this machine alone
  standoff serve --port 0                         on a port that is free
  STANDOFF_TOKEN=… standoff serve --bind 0.0.0.0 --host games.example.org
  standoff serve --bind 0.0.0.0 --host games.example.org --open
  standoff serve --host games.example.org --oauth-issuer https://login.example.org --public-url https://games.example.org
  standoff serve --host games.example.org --trusted-proxy 127.0.0.1 --open
  standoff serve --bind 10.0.0.5 --store postgres://… --advertise http://10.0.0.5:8000

The page is at /, the API at /api/v1 (openapi.json describes it), MCP at /mcp, and for whoever watches over it /healthz,
/readyz and /metrics.

Beyond this machine everybody must show a token as `Authorization: Bearer …`: that of STANDOFF_TOKEN, or a player's own.
Where the variable is not set, a new token is made and shown once.

Any number of processes may share a store, behind a load balancer or on one machine: each match is played by one of them,
and the others pass requests for it on to the address that this one advertises. When one ends, the others go on with its
matches, at the latest 10 seconds later.")]
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
    /// The address at which other processes on the same store reach this one (default: the one that it listens on,
    /// unless those are all that the machine has)
    #[arg(long, value_name = "URL")]
    advertise: Option<Url>,
    /// The origin of another site whose pages may ask, like `https://chat.example.org`; may be repeated
    #[arg(long = "origin", value_name = "ORIGIN")]
    origins: Vec<String>,
    /// Believe the `X-Forwarded-For` of this proxy, so that limits count callers and not the proxy: an address or a network;
    /// may be repeated
    #[arg(long = "trusted-proxy", value_name = "ADDRESS")]
    trusted_proxies: Vec<TrustedProxy>,
    /// Let everybody in without a token: the keys of seats are the only secrets, bots the only players of the house
    #[arg(long, conflicts_with = "oauth_issuer")]
    open: bool,
    /// Believe the tokens of this OAuth 2.1 issuer; their subjects become registered players
    #[arg(long, value_name = "URL")]
    oauth_issuer: Option<Url>,
    /// Where clients reach this server, like `https://games.example.org` (default: the address it listens on)
    #[arg(long, value_name = "URL", requires = "oauth_issuer")]
    public_url: Option<Url>,
    /// Requests per second that one caller may make; 0 is no limit (default: 5000 on a loopback address, otherwise 50, on an open one 20)
    #[arg(long, value_name = "N")]
    rate: Option<u32>,
    /// The most playouts per move that a `search` bot of the house may be asked for
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    max_playouts: u32,
    /// The most of --max-usd that one caller may use, in US dollars (default: a tenth). Both count all matches that the
    /// store's ledger has, those of earlier starts too
    #[arg(long, value_name = "USD", requires = "max_usd")]
    max_usd_each: Option<f64>,
    /// Read the page from this folder instead, for development
    #[arg(long, value_name = "FOLDER", hide = true)]
    page: Option<PathBuf>,
    /// The same as --profiles, as other commands call it
    #[arg(long, value_name = "FILE", hide = true, conflicts_with = "profiles")]
    config: Option<PathBuf>,
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
        let telemetry = self.telemetry.start_server()?;
        let served = self.serve();
        telemetry.finish();
        served
    }

    fn serve(mut self) -> Result<(), Failure> {
        if let Some(config) = self.config.take() {
            self.players.profiles = Some(config);
        }
        storage::block_on(async {
            let store = self.store.open().await?;
            let guests = if self.open {
                self.players.bots_only()?
            } else {
                self.players.guests(Some(&store), Counted::Everything).await?
            };
            let max_usd = self.players.models.max_usd();
            if let (Some(first), None) = (guests.priced().first(), max_usd) {
                return Err(Failure::call(format!(
                    "anybody who comes could spend money: the player `{first}` has a price"
                ))
                .hint("set a limit with --max-usd, or leave the player out with --profiles"));
            }
            let share = self.max_usd_each.or(max_usd.map(|usd| usd / CALLERS));
            // All of it is no share: whoever runs out then is told of the budget.
            let share = share.filter(|share| max_usd.is_none_or(|usd| *share < usd));
            let guests = Arc::new(guests.limited(self.max_playouts, share));
            let cards = guests.cards();
            let room = if self.open { OPEN_ROOM } else { ArenaLimits::default() };
            let arena = Arena::with_store(guests, room, store.clone()).map_err(storage::failure)?;
            let closing = CancellationToken::new();
            let report = reporting::reports();
            let arenas = arena.clone();
            let kept = room;
            let services = Services {
                arena: arena.clone(),
                store: store.clone(),
                guests: cards,
                report,
                page: self.page,
                limits: [
                    ("playouts", f64::from(self.max_playouts)),
                    ("matches", count(kept.matches)),
                    ("matches_per_player", count(kept.matches_a_player)),
                ]
                .into_iter()
                .chain(max_usd.map(|usd| ("usd", usd)))
                .chain(share.map(|usd| ("usd_per_caller", usd)))
                .collect(),
            };
            let shared = Shared::new(arena, self.store.leaderboard(), closing.clone())
                .map_err(|error| Failure::work(format!("the system gives no random numbers: {error}")))?;
            // A proxy lets others in.
            let is_home = self.bind.is_loopback() && self.trusted_proxies.is_empty();
            let limits = limits(self.open, is_home, self.rate);
            let bind = SocketAddr::new(self.bind, self.port);
            let oauth = match self.oauth_issuer {
                Some(issuer) => Some(OAuthOptions { issuer, public: public_url(self.public_url, bind)? }),
                None => None,
            };
            let token = if self.open || oauth.is_some() { own_token()? } else { token(is_home)? };
            if is_out_of_reach(self.bind, store.is_file(), self.advertise.is_some()) {
                messages::tell(
                    "warning: other servers on this store cannot reach this one, which listens on every address: \
requests that they get for its matches fail; name the address where they reach it with --advertise http://HOST:PORT",
                );
            }
            prepare_tls();
            let door = ServerOptions {
                bind,
                hosts: self.hosts,
                origins: self.origins,
                token,
                open: self.open,
                oauth,
                trusted_proxies: self.trusted_proxies,
                limits,
                processes_only: false,
            };
            let listening = door.open(services, shared, closing.clone()).await.map_err(|error| match error {
                ServeError::Bind { .. } => {
                    Failure::work(error).hint("another program may have the port: --port 0 takes a free one")
                }
                ServeError::NoToken(_) | ServeError::Issuer(_) => Failure::work(error),
            })?;
            let mut signals = Signals::listen()?;
            let address = self.advertise.map(String::from).or_else(|| {
                let is_one = !listening.address.ip().is_unspecified();
                is_one.then(|| format!("http://{}", listening.address))
            });
            arenas.advertise(Arc::new(move || {
                let address = address.clone();
                Box::pin(async move { address })
            }));
            messages::tell(&format!("listening on http://{}", listening.address));
            // What was in play goes on as soon as somebody asks for it, and sooner or later by itself.
            arenas.look_after();
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

/// Whether processes on the same store have no address to pass requests on to. A file is shared on this machine alone, and
/// there may be no other process: that is only known of a database.
fn is_out_of_reach(bind: IpAddr, is_file: bool, is_advertised: bool) -> bool {
    bind.is_unspecified() && !is_file && !is_advertised
}

/// How many matches an open server has, and for how long: anybody can begin some and leave.
const OPEN_ROOM: ArenaLimits = ArenaLimits {
    matches: 1_000,
    idle: Duration::from_hours(2),
    over: Duration::from_mins(1),
    matches_a_player: 5,
    queue_wait: Duration::from_secs(10),
};

/// How much callers may ask for.
fn limits(is_open: bool, is_home: bool, rate: Option<u32>) -> http::RequestLimits {
    let usual = match (is_open, is_home) {
        (true, _) => http::RequestLimits::OPEN,
        (false, true) => http::RequestLimits::AT_HOME,
        (false, false) => http::RequestLimits::ABROAD,
    };
    http::RequestLimits { rate: rate.unwrap_or(usual.rate), ..usual }
}

/// A limit among others.
#[expect(clippy::cast_precision_loss, reason = "there are never so many")]
fn count(limit: usize) -> f64 {
    limit as f64
}

/// Where clients reach the server, as far as it can know.
fn public_url(named: Option<Url>, bind: SocketAddr) -> Result<Url, Failure> {
    match named {
        Some(url) => Ok(url),
        None if bind.port() != 0 => Url::parse(&format!("http://{bind}")).map_err(Failure::work),
        None => Err(Failure::call("tokens are made out to the server's address, and port 0 has none yet")
            .hint("name it with --public-url, or choose a --port")),
    }
}

/// The token of the variable, where it is set.
fn own_token() -> Result<Option<KeyHash>, Failure> {
    match Environment::of_process().text(TOKEN) {
        Some(_) => token(true),
        None => Ok(None),
    }
}

/// The token that everybody must show. Without one only this machine may come in.
fn token(is_home: bool) -> Result<Option<KeyHash>, Failure> {
    match Environment::of_process().text(TOKEN) {
        Some(token) if token.trim().len() < 16 => {
            Err(Failure::call(format!("{TOKEN} is too short to keep anybody out"))
                .hint("use at least 16 characters that nobody can guess"))
        }
        Some(token) => Ok(Some(KeyHash::of(token.trim()))),
        None if is_home => Ok(None),
        None => {
            let token = SeatKey::random().map_err(Failure::work)?;
            messages::tell(&format!("clients must send this token: {}", token.reveal()));
            Ok(Some(token.hash()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_listens_everywhere_on_a_database_is_told_to_say_where() {
        for (bind, is_file, is_advertised, told) in [
            ("0.0.0.0", false, false, true),
            ("::", false, false, true),
            ("0.0.0.0", false, true, false),
            ("0.0.0.0", true, false, false),
            ("10.0.0.5", false, false, false),
            ("127.0.0.1", false, false, false),
        ] {
            let bind = bind.parse().expect("an address");
            assert_eq!(is_out_of_reach(bind, is_file, is_advertised), told, "{bind} {is_file} {is_advertised}");
        }
    }
}
