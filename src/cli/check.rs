//! `standoff players check`: a tiny question to each model, and what came of it.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use futures_util::stream::{self, StreamExt as _};
use serde_json::{Value as Json, json};

use super::error::Failure;
use super::invite::secrets;
use super::players::{ConfigArgs, variant};
use super::seat::PlayerSpec;
use crate::briefs::Variant;
use crate::players::model::{self, Advice, CheckFinding, Model, NoJournal, RunBudget};
use crate::players::{Mode, Profile};

/// Ask each player a few tiny questions and say what works.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff players check                        all players of ./standoff.toml
  standoff players check local mini             two of them
  standoff players check my/standoff.toml       all players of that file
  standoff players check openai:gpt-5-mini      needs no file

Exit codes: 0 all can play, 1 one cannot, 2 the file or the call is wrong.")]
pub(crate) struct CheckCommand {
    /// Players by name, `openai:MODEL` and the like, or the path of a configuration (default: all players of the
    /// configuration)
    #[arg(value_name = "NAME|FILE")]
    players: Vec<String>,
    #[command(flatten)]
    config: ConfigArgs,
    /// One JSON object per player, each on a line of its own
    #[arg(long)]
    json: bool,
}

/// The columns of the table.
const COLUMNS: [&str; 7] = ["reachable", "key", "model", "tools", "schema", "latency", "mode"];

impl CheckCommand {
    /// Asks and prints.
    ///
    /// # Errors
    /// If a player is not there, or cannot play.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let profiles = self.chosen()?;
        let variants = profiles.iter().map(variant).collect::<Result<Vec<_>, _>>()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::work)?;
        let failed = runtime.block_on(self.ask_all(&profiles, variants, out))?;
        match failed {
            0 => Ok(()),
            failed => Err(Failure::work(format!("{failed} of {} players cannot play", profiles.len()))),
        }
    }

    fn chosen(&self) -> Result<Vec<Profile>, Failure> {
        // No player's name has a slash or ends like this.
        let is_file = |text: &&String| {
            let is_toml = Path::new(text).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
            is_toml || (text.contains('/') && !text.contains(':'))
        };
        let (files, names): (Vec<&String>, Vec<&String>) = self.players.iter().partition(is_file);
        let config = match (&self.config.config, files.as_slice()) {
            (None, [file]) => ConfigArgs { config: Some(PathBuf::from(file)) },
            (_, []) => self.config.clone(),
            _ => return Err(Failure::call("there is more than one configuration in the call").hint("name one")),
        };
        let known = config.load()?.known;
        if names.is_empty() {
            return match known.profiles.as_slice() {
                [] => Err(Failure::call("there are no players to check")
                    .hint("`standoff players --init > standoff.toml` writes a configuration to begin with")),
                _ => Ok(known.profiles),
            };
        }
        let named = names.into_iter().map(|name| match PlayerSpec::parse(name, &known).map_err(Failure::call)? {
            PlayerSpec::Model(profile) => Ok(*profile),
            _ => Err(Failure::call(format!("`{name}` is not a language model: nothing to check"))),
        });
        named.collect()
    }

    /// Asks all of them at once, prints each as soon as those before it are, and counts those that cannot play.
    async fn ask_all(
        &self,
        profiles: &[Profile],
        variants: Vec<Variant>,
        out: &mut impl Write,
    ) -> Result<usize, Failure> {
        let width = profiles.iter().map(|profile| profile.name.chars().count() + 2).max().unwrap_or(0).max(12);
        if !self.json {
            writeln!(out, "{:<width$}{}", "player", row(&COLUMNS.map(ToOwned::to_owned)))?;
            out.flush()?;
        }
        let mut failed = 0;
        let mut checks = stream::iter(profiles.iter().zip(variants).map(ask)).buffered(profiles.len());
        for profile in profiles {
            let Some(check) = checks.next().await else { break };
            failed += usize::from(!can_play(profile, &check));
            if self.json {
                writeln!(out, "{}", line(profile, &check))?;
            } else {
                writeln!(out, "{:<width$}{}", profile.name, row(&cells(profile, &check)))?;
                for (what, why) in decisive(&check) {
                    writeln!(out, "{:<width$}{what}: {why}", "")?;
                }
                for sentence in in_words(&check) {
                    writeln!(out, "{:<width$}{sentence}", "")?;
                }
            }
            out.flush()?;
        }
        Ok(failed)
    }
}

/// Whether a player can play, found out by asking it.
///
/// # Errors
/// In words, with what does not work.
pub(super) async fn passes(profile: &Profile, variant: Variant) -> Result<(), String> {
    let check = ask((profile, variant)).await;
    if can_play(profile, &check) {
        return Ok(());
    }
    let reasons: Vec<String> = decisive(&check).into_iter().map(|(what, why)| format!("{what}: {why}")).collect();
    Err(format!("`players check` says {}", reasons.join("; ")))
}

async fn ask((profile, variant): (&Profile, Variant)) -> model::Check {
    let secrets = match secrets(profile) {
        Ok(secrets) => secrets,
        Err((_, error)) => return unasked(&error),
    };
    let model = Model::new(profile.clone(), secrets, variant, Arc::new(RunBudget::unlimited()), Arc::new(NoJournal));
    match model {
        Ok(model) => model.check().await,
        Err(error) => unasked(&error),
    }
}

/// Of a player that could not even be asked, for want of its key.
fn unasked(why: &dyn ToString) -> model::Check {
    model::Check { key: CheckFinding::No(why.to_string()), ..model::Check::unknown("not asked") }
}

/// Whether it can be asked as its profile says.
fn can_play(profile: &Profile, check: &model::Check) -> bool {
    let works = |finding: &CheckFinding| !matches!(finding, CheckFinding::No(_));
    let as_asked = match profile.mode {
        Mode::Tools => works(&check.tools),
        Mode::Json => works(&check.json_schema),
        Mode::Text | Mode::Auto => true,
    };
    check.mode.is_some() && works(&check.model) && as_asked
}

fn findings(check: &model::Check) -> [(&'static str, &CheckFinding); 5] {
    [
        ("reachable", &check.reachable),
        ("key", &check.key),
        ("model", &check.model),
        ("tools", &check.tools),
        ("json_schema", &check.json_schema),
    ]
}

/// Why what does not work does not.
fn reasons(check: &model::Check) -> impl Iterator<Item = (&'static str, &str)> {
    findings(check).into_iter().filter_map(|(what, finding)| match finding {
        CheckFinding::Yes => None,
        CheckFinding::No(why) | CheckFinding::Unknown(why) => Some((what, why.as_str())),
    })
}

/// Those that matter: what cannot be told for want of something that failed is not worth a line.
fn decisive(check: &model::Check) -> Vec<(&'static str, &str)> {
    let failed: Vec<&str> = findings(check)
        .into_iter()
        .filter(|(_, finding)| matches!(finding, CheckFinding::No(_)))
        .map(|(what, _)| what)
        .collect();
    reasons(check).filter(|(what, _)| failed.is_empty() || failed.contains(what)).collect()
}

/// What else it can do, and what to write for it.
fn in_words(check: &model::Check) -> Vec<String> {
    let able = [
        (&check.streaming, "answers piece by piece", "answers in one piece"),
        (&check.thinking, "thinks first", "shows no thoughts"),
        (&check.usage, "counts its tokens", "does not count its tokens"),
        (&check.caching, "reads from a prompt cache", "shows no prompt cache"),
    ];
    let words = able.map(|(finding, yes, no)| if *finding == CheckFinding::Yes { yes } else { no });
    let mut sentences: Vec<String> = check.mode.iter().map(|_| format!("it {}", words.join(", "))).collect();
    sentences.extend(check.advice.iter().map(|Advice { change, why }| match change.strip_prefix("no ") {
        Some(field) => format!("leave out `{field}`: {why}"),
        None => format!("write `{change}`: {why}"),
    }));
    sentences
}

fn cells(profile: &Profile, check: &model::Check) -> [String; 7] {
    let word = |finding: &CheckFinding| match finding {
        CheckFinding::Yes => "yes",
        CheckFinding::No(_) => "no",
        CheckFinding::Unknown(_) => "?",
    };
    let key =
        if profile.variables().next().is_none() && check.key == CheckFinding::Yes { "none" } else { word(&check.key) };
    [
        word(&check.reachable).to_owned(),
        key.to_owned(),
        word(&check.model).to_owned(),
        word(&check.tools).to_owned(),
        word(&check.json_schema).to_owned(),
        check.latency.map_or_else(|| "?".to_owned(), |time| format!("{} ms", time.as_millis())),
        check.mode.map_or_else(|| "?".to_owned(), |mode| mode.to_string()),
    ]
}

fn row(cells: &[String; 7]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:<11}")).collect();
    cells.concat().trim_end().to_owned()
}

fn line(profile: &Profile, check: &model::Check) -> Json {
    let truth = |finding: &CheckFinding| match finding {
        CheckFinding::Yes => Some(true),
        CheckFinding::No(_) => Some(false),
        CheckFinding::Unknown(_) => None,
    };
    let mut line = json!({
        "name": profile.name, "model": profile.model, "base_url": profile.base_url, "ok": can_play(profile, check),
        "latency_ms": check.latency.map(|time| time.as_secs_f64() * 1000.0), "mode": check.mode,
        "problems": reasons(check).collect::<BTreeMap<_, _>>(),
        "streaming": truth(&check.streaming), "thinking": truth(&check.thinking), "usage": truth(&check.usage),
        "caching": truth(&check.caching),
        "advice": check.advice.iter().map(|Advice { change, why }| json!({ "change": change, "why": why })).collect::<Json>(),
    });
    for (what, finding) in findings(check) {
        let what = if what == "model" { "model_exists" } else { what };
        line[what] = json!(truth(finding));
    }
    line
}
