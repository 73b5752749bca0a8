//! `standoff mcp`: the games as tools for an assistant.

use std::collections::HashSet;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use tokio_util::sync::CancellationToken;

use super::error::Failure;
use super::host::{self, Reach};
use super::house::ConfiguredPlayers;
use super::install;
use super::invite::ModelArgs;
use super::messages;
use super::players::ConfigArgs;
use super::reporting;
use super::storage::{self, StoreArgs};
use crate::arena::{Arena, ArenaLimits};
use crate::http::{RequestLimits, ServerOptions, Services};
use crate::mcp::{Shared, serve_stdio};
use crate::players::model::{Journal, Ledger, Spent};
use crate::store::SeatSpent;
use crate::store::Store;
use crate::tournaments::run::StoreJournal;

/// Serve the games to an assistant over MCP, on standard input and output.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff mcp --config claude-code    how to add this program to an assistant
  standoff mcp --install cursor        adds it
  standoff mcp --config cursor --url https://games.example.org/mcp
  standoff mcp                         what the assistant then runs
Then say to the assistant: play Cowboy against the search bot.")]
pub(crate) struct McpCommand {
    /// Print what to put into an assistant's configuration, and exit
    #[arg(long, value_name = "HOST", value_enum)]
    config: Option<Host>,
    /// Put it there, by the assistant's own command or into its file
    #[arg(long, value_name = "HOST", value_enum, conflicts_with = "config")]
    install: Option<Host>,
    /// With --install: only show what would be done
    #[arg(long, requires = "install")]
    dry_run: bool,
    /// With --config or --install: the address of a server, in place of this program
    #[arg(long, value_name = "URL")]
    url: Option<url::Url>,
    /// With --url: a header for every request, like `Authorization: Bearer …`; may be repeated
    #[arg(long = "header", value_name = "NAME: VALUE", requires = "url")]
    headers: Vec<String>,
    #[command(flatten)]
    players: PlayersArgs,
    #[command(flatten)]
    store: StoreArgs,
}

/// Listens on this machine for other processes on the same store, which pass on what is asked for matches that are played
/// here. None where no port can be had: then they wait until this process ends.
async fn listen(services: Services, shared: Shared) -> Option<String> {
    let closing = services.arena.closing().clone();
    let bind = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let limits = RequestLimits::AT_HOME;
    let door = ServerOptions {
        bind,
        hosts: Vec::new(),
        origins: Vec::new(),
        token: None,
        open: false,
        oauth: None,
        trusted_proxies: Vec::new(),
        limits,
        processes_only: true,
    };
    let listening = door.open(services, shared, closing).await.ok()?;
    let address = format!("http://{}", listening.address);
    tokio::spawn(listening.run());
    Some(address)
}

/// Who the house can send.
#[derive(Args, Debug)]
pub(crate) struct PlayersArgs {
    #[command(flatten)]
    pub(crate) models: ModelArgs,
    /// The configuration with the players' profiles
    #[arg(long = "profiles", value_name = "FILE")]
    pub(super) profiles: Option<std::path::PathBuf>,
}

impl PlayersArgs {
    /// What names the same players from any folder.
    fn arguments(&self) -> Result<Vec<String>, Failure> {
        let Some(file) = &self.profiles else { return Ok(Vec::new()) };
        Ok(vec!["--profiles".to_owned(), storage::anywhere(file)?])
    }

    /// Bots alone: whoever comes in must not spend anybody's money.
    pub(crate) fn bots_only(&self) -> Result<ConfiguredPlayers, Failure> {
        if self.profiles.is_some() {
            return Err(Failure::call("--open and --profiles do not go together: an open server has no models"));
        }
        Ok(ConfiguredPlayers::new(Vec::new(), Arc::new(self.models.budget()), self.models.journal(None)?))
    }

    /// Bots, and the models of the configuration. What models answer is kept in the store, so that nothing is paid for
    /// twice when a match goes on.
    pub(crate) async fn guests(&self, store: Option<&Store>, counted: Counted) -> Result<ConfiguredPlayers, Failure> {
        let profiles = ConfigArgs { config: self.profiles.clone() }.load()?.known.profiles;
        let mut ledger = Ledger::default();
        let mut shares = Vec::new();
        let journal: Arc<dyn Journal> = match store {
            // Where no model can play there is nothing to find again.
            Some(store) if !profiles.is_empty() && self.models.cassette.is_none() => {
                let known = store.open_calls(Arena::PREFIX).await.map_err(storage::failure)?;
                let open: HashSet<_> = known.iter().map(|call| call.match_id.clone()).collect();
                for row in store.spent(Arena::PREFIX).await.map_err(storage::failure)? {
                    let SeatSpent { match_id, seat, requests, cost, unknown, bounded } = row;
                    let spent = Spent { requests, cost, unknown, bounded };
                    let Some(id) = match_id.as_deref().filter(|id| Arena::is_match_name(id)) else { continue };
                    let is_open = open.contains(&match_id);
                    if is_open || counted == Counted::Everything {
                        // What a seat has spent matters as long as it may spend more.
                        ledger.add(is_open.then_some(id), seat, spent);
                    }
                    if counted == Counted::Everything
                        && let Some(info) = store.find(id).await.map_err(storage::failure)?
                    {
                        // Whose match is not known any more counts for all alone.
                        shares.extend(Arena::payer_of(&info).map(|payer| (payer, seat, spent)));
                    }
                }
                Arc::new(StoreJournal::new(store.clone(), known))
            }
            _ => self.models.journal(None)?,
        };
        let players = ConfiguredPlayers::new(profiles, Arc::new(self.models.budget().after(ledger)), journal);
        Ok(players.having_spent(shares))
    }
}

/// Which matches of the store a budget is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    /// Those that go on: whoever starts an assistant anew begins anew.
    Open,
    /// All that were ever opened here: a restart gives nobody new money.
    Everything,
}

/// The assistants whose configuration is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Host {
    ClaudeDesktop,
    ClaudeCode,
    Vscode,
    Cursor,
    Codex,
    Goose,
    Opencode,
    GeminiCli,
    QwenCode,
}

impl McpCommand {
    /// How the assistant is to reach the games.
    fn reach(&self) -> Result<Reach, Failure> {
        let Some(url) = &self.url else {
            let mut args = vec!["mcp".to_owned()];
            args.extend(self.store.arguments()?);
            args.extend(self.players.arguments()?);
            return Ok(Reach::Program { path: host::program()?, args });
        };
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Failure::call(format!("{url} is no address of a server")).hint("it begins with https://"));
        }
        let header = |text: &String| match text.split_once(':') {
            Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.trim().to_owned())),
            _ => Err(Failure::call(format!("`{text}` is not a header")).hint("write it as `Authorization: Bearer …`")),
        };
        let headers = self.headers.iter().map(header).collect::<Result<_, _>>()?;
        Ok(Reach::Address { url: url.to_string(), headers })
    }

    /// Serves until the assistant leaves.
    ///
    /// # Errors
    /// If the store or the configuration cannot be used.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        if let Some(host) = self.install {
            return install::install(host, &self.reach()?, self.dry_run, out);
        }
        if let Some(host) = self.config {
            let snippet = host::snippet(host, &self.reach()?);
            // Nothing but the snippet goes to standard output, so that it can be a file.
            messages::tell(host::place(host));
            out.write_all(snippet.text().as_bytes())?;
            return Ok(());
        }
        if self.url.is_some() {
            return Err(
                Failure::call("--url goes with --config or --install").hint("standoff mcp --config cursor --url URL")
            );
        }
        // Nothing but the protocol goes to standard output.
        storage::block_on(async {
            let store = self.store.open_or_go_without().await?;
            let guests = Arc::new(self.players.guests(store.as_ref(), Counted::Open).await?);
            let cards = guests.cards();
            let arena = match &store {
                Some(store) => {
                    Arena::with_store(guests, ArenaLimits::default(), store.clone()).map_err(storage::failure)?
                }
                None => Arena::new(guests, ArenaLimits::default()),
            };
            let shared = Shared::new(arena.clone(), self.store.leaderboard(), CancellationToken::new())
                .map_err(|error| Failure::work(format!("the system gives no random numbers: {error}")))?;
            if let Some(store) = store {
                let report = reporting::reports();
                let services =
                    Services { arena: arena.clone(), store, guests: cards, report, page: None, limits: Vec::new() };
                let shared = shared.clone();
                arena.advertise(Arc::new(move || Box::pin(listen(services.clone(), shared.clone()))));
            }
            let served = serve_stdio(&shared).await.map_err(Failure::work);
            // Whoever else is on the store goes on with what was played here.
            arena.close().await;
            served
        })
    }
}
