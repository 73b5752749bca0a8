//! `standoff rules`: the brief as players get it.

use std::io::Write;

use clap::Args;

use super::error::Failure;
use crate::briefs::{self, Language};

/// Print the rules of a ruleset, as players get them.
#[derive(Args, Debug)]
#[command(after_help = "Example:
  standoff rules cowboy --lang zh")]
pub(crate) struct RulesCommand {
    /// A built-in ruleset or the path of a TOML file
    ruleset: String,
    /// English or Chinese
    #[arg(long, default_value_t = super::help::usual_language(), value_name = "en|zh")]
    lang: Language,
    /// The number of players (default: the ruleset's)
    #[arg(long, value_name = "N")]
    players: Option<usize>,
}

impl RulesCommand {
    /// Prints the brief.
    ///
    /// # Errors
    /// If the ruleset or the number of players is no good.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let ruleset = super::args::ruleset(&self.ruleset)?;
        let players = self.players.unwrap_or(ruleset.players.default);
        ruleset.check_players(players).map_err(Failure::call)?;
        let brief = briefs::brief(&ruleset, players, self.lang);
        writeln!(out, "{}", brief.trim_end())?;
        Ok(())
    }
}
