//! `standoff players`: the models that a configuration names, and whether they answer.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde::Serialize;

use super::check::CheckCommand;
use super::error::Failure;
use super::messages::TranslatedOutput;
use crate::briefs::Variant;
use crate::config::{self, Environment};
use crate::players::agent::Protocol;
use crate::players::{AgentProfile, Contestants, Price, Profile, profile};
use crate::settings::files::Disk;

/// An example with every field, for `--init`.
const EXAMPLE: &str = include_str!("standoff.toml");

/// List the language models of the configuration, or check that they answer.
#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  standoff players --init > standoff.toml       an example to begin with
  standoff players                              the players of ./standoff.toml
  standoff players check                        ask each of them a few tiny questions
  standoff players check openai:gpt-5-mini      needs no file"
)]
pub(crate) struct PlayersCommand {
    #[command(subcommand)]
    command: Option<PlayersSubcommand>,
    #[command(flatten)]
    config: ConfigArgs,
    /// As one JSON object
    #[arg(long)]
    json: bool,
    /// Print a commented example of a configuration
    #[arg(long, conflicts_with_all = ["json", "config"])]
    init: bool,
}

#[derive(Subcommand, Debug)]
enum PlayersSubcommand {
    Check(CheckCommand),
}

/// Which configuration to use.
#[derive(Args, Debug, Clone)]
pub(crate) struct ConfigArgs {
    /// The file with the players (default: `$STANDOFF_CONFIG`, `./standoff.toml`, or the one in the user's configuration folder)
    #[arg(long, alias = "profiles", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// The players of a configuration.
#[derive(Debug)]
pub(crate) struct Configured {
    /// Where it was found; none if there is none.
    pub(crate) file: Option<PathBuf>,
    /// The models and agents that it configures.
    pub(crate) known: Contestants,
}

impl ConfigArgs {
    /// What repeats the choice on a command line.
    pub(crate) fn flag(&self) -> String {
        self.config.as_ref().map(|path| format!(" --config {}", path.display())).unwrap_or_default()
    }

    /// Finds and reads the configuration. Files that it names are looked for as given, then beside it.
    ///
    /// # Errors
    /// If a file was named and is not there, or with every problem of the file.
    pub(crate) fn load(&self) -> Result<Configured, Failure> {
        let found = Environment::of_process().config_file(self.config.as_deref()).map_err(|error| {
            Failure::call(error).hint("`standoff players --init > standoff.toml` writes one to begin with")
        })?;
        let Some(config::ConfigFile { path, text }) = found else {
            return Ok(Configured { file: None, known: Contestants::default() });
        };
        let mut known = profile::read(&path.display().to_string(), &text)
            .map_err(|bad| Failure::call(bad).hint("`standoff players --init` prints an example with every field"))?;
        let prompts = known.profiles.iter_mut().map(|profile| &mut profile.prompt);
        for prompt in prompts.chain(known.agents.iter_mut().map(|agent| &mut agent.prompt)) {
            let beside = path.with_file_name(&*prompt);
            if !Path::new(&*prompt).exists() && beside.is_file() {
                *prompt = beside.display().to_string();
            }
        }
        Ok(Configured { file: Some(path), known })
    }
}

/// What a profile's model is told.
///
/// # Errors
/// If there is no such prompt variant, or with every problem of its file.
pub(crate) fn variant(profile: &Profile) -> Result<Variant, Failure> {
    Variant::load(&profile.prompt, &Disk)
        .map(|variant| variant.with_output_limit(profile.max_output_tokens))
        .map_err(|error| Failure::call(error).hint(format!("see `prompt` of the player `{}`", profile.name)))
}

/// What an agent is told.
///
/// # Errors
/// If there is no such prompt variant, or with every problem of its file.
pub(crate) fn agent_variant(agent: &AgentProfile) -> Result<Variant, Failure> {
    Variant::load(&agent.prompt, &Disk)
        .map_err(|error| Failure::call(error).hint(format!("see `prompt` of the agent `{}`", agent.name)))
}

/// A player as the list shows it.
#[derive(Serialize)]
struct Listed<'a> {
    #[serde(flatten)]
    profile: &'a Profile,
    /// Whether the key is there; none where none is wanted.
    key_set: Option<bool>,
}

#[derive(Serialize)]
struct PlayerList<'a> {
    file: Option<String>,
    players: Vec<Listed<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    agents: Vec<AgentProfile>,
}

impl PlayersCommand {
    /// Prints the list or the example, or checks.
    ///
    /// # Errors
    /// If the file is no good, or a player that was checked.
    pub(crate) fn run(self, out: &mut TranslatedOutput<impl Write>) -> Result<(), Failure> {
        if let Some(PlayersSubcommand::Check(check)) = self.command {
            return check.run(out);
        }
        if self.init {
            return Ok(out.raw()?.write_all(EXAMPLE.as_bytes())?);
        }
        let Configured { file, known: Contestants { profiles, agents } } = self.config.load()?;
        let environment = Environment::of_process();
        let key_set = |profile: &Profile| {
            let mut names = profile.variables().peekable();
            names.peek().is_some().then(|| names.all(|name| environment.key(name).is_ok()))
        };
        let players = profiles.iter().map(|profile| Listed { profile, key_set: key_set(profile) }).collect();
        let list = PlayerList { file: file.map(|path| path.display().to_string()), players, agents };
        if self.json {
            let line = serde_json::to_string(&list).map_err(Failure::work)?;
            return Ok(writeln!(out, "{line}")?);
        }
        match &list.file {
            None => {
                writeln!(out, "no configuration; `standoff players --init > standoff.toml` writes one to begin with")?;
            }
            Some(file) if list.players.is_empty() && list.agents.is_empty() => writeln!(out, "no players in {file}")?,
            Some(_) => {}
        }
        let width = profiles.iter().map(|profile| profile.name.chars().count() + 2).max().unwrap_or(0).max(12);
        for Listed { profile, key_set } in &list.players {
            writeln!(out, "{:<width$}{} at {}", profile.name, profile.model, profile.base_url)?;
            writeln!(out, "{:<width$}{}", "", facts(profile, *key_set).join(", "))?;
        }
        for agent in &list.agents {
            let protocol = match agent.protocol {
                Protocol::Acp => "acp",
                Protocol::Mcp => "mcp",
            };
            writeln!(out, "{:<width$}{} ({protocol}, prompt {})", agent.to_string(), agent.command, agent.prompt)?;
        }
        Ok(())
    }
}

/// What is worth knowing of a profile beside where it is.
fn facts(profile: &Profile, key_set: Option<bool>) -> Vec<String> {
    let mut facts = Vec::new();
    let names: Vec<&str> = profile.variables().collect();
    facts.push(match (names.join(" and "), key_set) {
        (_, None) => "no key".to_owned(),
        (names, Some(true)) => format!("key in {names}"),
        (names, Some(false)) => format!("key in {names} (not set)"),
    });
    facts.push(format!("api {}", profile.api));
    facts.push(format!("mode {}", profile.mode));
    facts.push(format!("prompt {}", profile.prompt));
    facts.extend(profile.language.map(|language| format!("lang {language}")));
    facts.extend(profile.reasoning_effort.as_ref().map(|effort| format!("reasoning {effort}")));
    facts.extend(profile.temperature.map(|temperature| format!("temperature {temperature}")));
    facts.extend(profile.price.map(|Price { input, cached_input, cache_write, output }| {
        let written = if (cache_write - input).abs() < f64::EPSILON {
            String::new()
        } else {
            format!(", ${cache_write} to the cache")
        };
        format!("${input} in, ${cached_input} cached{written}, ${output} out per million tokens")
    }));
    facts.extend(profile.max_usd_match.map(|dollars| format!("at most ${dollars} per match")));
    facts
}
