//! `standoff rulesets`: what can be played.

use std::io::Write;

use clap::Args;
use serde_json::json;

use super::error::Failure;
use super::messages::TranslatedOutput;
use crate::games::library;
use crate::settings::did_you_mean;

/// List the built-in rulesets and maps.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff rulesets
  standoff rulesets --json             every field of every ruleset
  standoff rulesets --show cowboy      the commented file, to copy and change")]
pub(crate) struct RulesetsCommand {
    /// Every field, as one JSON object
    #[arg(long)]
    json: bool,
    /// Print a built-in ruleset's file or a built-in map
    #[arg(long, value_name = "NAME", conflicts_with = "json")]
    show: Option<String>,
}

impl RulesetsCommand {
    /// Prints the list.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub(crate) fn run(self, out: &mut TranslatedOutput<impl Write>) -> Result<(), Failure> {
        if let Some(name) = self.show {
            let text = library::ruleset(&name).or_else(|| library::map(&name)).ok_or_else(|| {
                let meant = did_you_mean(&name, library::rulesets().chain(library::maps()));
                Failure::call(format!("no ruleset or map `{name}` is built in{meant}"))
                    .hint("`standoff rulesets` lists them")
            })?;
            return Ok(out.raw()?.write_all(text.as_bytes())?);
        }
        let rulesets = library::rulesets().map(super::args::ruleset).collect::<Result<Vec<_>, _>>()?;
        let maps: Vec<&str> = library::maps().collect();
        if self.json {
            writeln!(out.raw()?, "{}", json!({ "rulesets": rulesets, "maps": maps }))?;
            return Ok(());
        }
        for ruleset in rulesets {
            let players = ruleset.players;
            writeln!(
                out,
                "{:<16}{} to {} players, {} by default",
                ruleset.name, players.min, players.max, players.default
            )?;
            writeln!(out, "{:<16}{}", "", ruleset.summary_en)?;
            writeln!(out, "{:<16}{}", "", ruleset.summary_zh)?;
        }
        writeln!(out, "\nmaps: {}", maps.join(", "))?;
        Ok(())
    }
}
