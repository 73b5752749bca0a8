//! `standoff mcp`: the games as tools for an assistant.

use std::collections::HashSet;
use std::io::Write;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use tokio_util::sync::CancellationToken;

use super::error::Failure;
use super::host;
use super::house::ConfiguredPlayers;
use super::invite::ModelArgs;
use super::players::ConfigArgs;
use super::storage::{self, StoreArgs};
use crate::arena::{Arena, ArenaLimits};
use crate::mcp::{Shared, serve_stdio};
use crate::players::model::{Journal, Ledger, Spent};
use crate::store::Store;
use crate::tournaments::run::StoreJournal;

/// Serve the games to an assistant over MCP, on standard input and output.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff mcp --config claude-code    how to add this program to an assistant
  standoff mcp                         what the assistant then runs
Then say to the assistant: play Cowboy against the search bot.")]
pub(crate) struct McpCommand {
    /// Print what to put into an assistant's configuration, and exit
    #[arg(long, value_name = "HOST", value_enum)]
    config: Option<Host>,
    #[command(flatten)]
    players: PlayersArgs,
    #[command(flatten)]
    store: StoreArgs,
}

/// Who the house can send.
#[derive(Args, Debug)]
pub(crate) struct PlayersArgs {
    #[command(flatten)]
    models: ModelArgs,
    /// The configuration with the players' profiles
    #[arg(long = "profiles", value_name = "FILE")]
    profiles: Option<std::path::PathBuf>,
}

impl PlayersArgs {
    /// Bots, and the models of the configuration. What models answer is kept in the store, so that nothing is paid for
    /// twice when a match goes on.
    pub(crate) async fn guests(&self, store: Option<&Store>) -> Result<ConfiguredPlayers, Failure> {
        let profiles = ConfigArgs { config: self.profiles.clone() }.load()?.profiles;
        let mut ledger = Ledger::default();
        let journal: Arc<dyn Journal> = match store {
            // Where no model can play there is nothing to find again.
            Some(store) if !profiles.is_empty() && self.models.cassette.is_none() => {
                let known = store.open_calls(Arena::PREFIX).await.map_err(storage::failure)?;
                // Matches that are over are not this server's any more.
                let open: HashSet<_> = known.iter().map(|call| call.match_id.clone()).collect();
                for row in store.spent(Arena::PREFIX).await.map_err(storage::failure)? {
                    if open.contains(&row.match_id) {
                        let spent = Spent { requests: row.requests, cost: row.cost, unknown: row.unknown };
                        ledger.add(row.match_id.as_deref(), row.seat, spent);
                    }
                }
                Arc::new(StoreJournal::new(store.clone(), known))
            }
            _ => self.models.journal(None)?,
        };
        Ok(ConfiguredPlayers::new(profiles, Arc::new(self.models.budget().after(ledger)), journal))
    }
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
}

impl McpCommand {
    /// Serves until the assistant leaves.
    ///
    /// # Errors
    /// If the store or the configuration cannot be used.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        if let Some(host) = self.config {
            out.write_all(host::snippet(host, &host::program()?).as_bytes())?;
            return Ok(());
        }
        // Nothing but the protocol goes to standard output.
        storage::block_on(async {
            let store = self.store.open_or_go_without().await?;
            let guests = Arc::new(self.players.guests(store.as_ref()).await?);
            let arena = match store {
                Some(store) => Arena::with_store(guests, ArenaLimits::default(), store).map_err(storage::failure)?,
                None => Arena::new(guests, ArenaLimits::default()),
            };
            let shared = Shared::new(arena, self.store.leaderboard(), CancellationToken::new())
                .map_err(|error| Failure::work(format!("the system gives no random numbers: {error}")))?;
            serve_stdio(&shared).await.map_err(Failure::work)
        })
    }
}
