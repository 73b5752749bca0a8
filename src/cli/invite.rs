//! Bringing players to their seats.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::error::Failure;
use super::host;
use super::person::Keyboard;
use super::players::{agent_variant, variant};
use super::seat::PlayerSpec;
use crate::briefs::Language;
use crate::config::{Environment, KeyError};
use crate::games::dice::Seed;
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::matches::{ModelInfo, SeatInfo};
use crate::players::model::{Cassette, FileJournal, Journal, Limiter, Model, NoJournal, RunBudget, Secrets};
use crate::players::process::{Hello, ProcessPlayer};
use crate::players::scripted::Script;
use crate::players::{AgentPlayer, AgentProfile, AgentSeat, BotPlayer, Player, Profile};

/// How long a program may take to get ready before its first turn's clock runs.
pub(super) const READY: Duration = Duration::from_secs(10);

/// What models may spend, and where their answers are kept.
#[derive(Args, Debug, Clone)]
pub(crate) struct ModelArgs {
    /// The most that models may cost, in US dollars
    #[arg(long, value_name = "USD")]
    max_usd: Option<f64>,
    /// The most requests to models
    #[arg(long, value_name = "N")]
    max_calls: Option<u64>,
    /// Keep every request and answer in this folder; from a folder that is complete, play with no network at all
    #[arg(long, value_name = "DIR")]
    pub(crate) cassette: Option<PathBuf>,
}

impl ModelArgs {
    /// The most that models may cost, in US dollars, if that is limited.
    pub(crate) fn max_usd(&self) -> Option<f64> {
        self.max_usd
    }

    /// The purse that all models of this run share.
    pub(crate) fn budget(&self) -> RunBudget {
        RunBudget::new(self.max_usd, self.max_calls)
    }

    /// Whether all answers are on a cassette, so that nothing is asked of anybody.
    pub(crate) fn is_played_back(&self) -> bool {
        self.cassette.as_ref().is_some_and(|folder| {
            let has_files = std::fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some());
            has_files && !Cassette::is_unfinished(folder)
        })
    }

    /// Where answers are kept: in the cassette, or else beside the record.
    pub(crate) fn journal(&self, record: Option<&Path>) -> Result<Arc<dyn Journal>, Failure> {
        let cannot = |path: &Path, error| Failure::work(format!("cannot keep answers in {}: {error}", path.display()));
        if let Some(folder) = &self.cassette {
            let opened = if self.is_played_back() { Cassette::replay(folder) } else { Cassette::record(folder) };
            return Ok(Arc::new(opened.map_err(|error| cannot(folder, error))?));
        }
        let Some(record) = record else { return Ok(Arc::new(NoJournal)) };
        let path = journal_of(record);
        Ok(Arc::new(FileJournal::open(&path).map_err(|error| cannot(&path, error))?))
    }

    /// Notes that all that was wanted is on the cassette, where there is one.
    pub(crate) fn finish_cassette(&self) -> Result<(), Failure> {
        let Some(folder) = &self.cassette else { return Ok(()) };
        Cassette::finish(folder)
            .map_err(|error| Failure::work(format!("cannot finish the cassette {}: {error}", folder.display())))
    }
}

/// Where the answers to a match with this record are kept.
pub(super) fn journal_of(record: &Path) -> PathBuf {
    let mut path = record.as_os_str().to_owned();
    path.push(".journal");
    path.into()
}

/// What everybody is told who comes to a match.
pub(super) struct Invitation {
    pub(super) ruleset: Arc<Ruleset>,
    pub(super) seats: usize,
    pub(super) seed: Seed,
    pub(super) language: Language,
    pub(super) budget: Arc<RunBudget>,
    pub(super) journal: Arc<dyn Journal>,
    pub(super) keyboard: Keyboard,
    /// Whether several people share the keyboard.
    pub(super) shared: bool,
}

impl Invitation {
    /// Brings a player to its seat. A model that was here before is addressed in the language in which it was then.
    pub(super) async fn seat(
        &self,
        seat: Seat,
        seated: &PlayerSpec,
        before: Option<&ModelInfo>,
    ) -> Result<Box<dyn Player>, Failure> {
        let seed = self.seed.child("bot", seat.index() as u64);
        Ok(match seated {
            PlayerSpec::Human => Box::new(self.keyboard.person(self.language, self.shared)),
            PlayerSpec::Bot(spec) => Box::new(BotPlayer::new(spec.seat(seed))),
            PlayerSpec::Model(profile) => {
                let language = before.and_then(|info| info.language.parse().ok()).unwrap_or(self.language);
                model(profile, self.budget.clone(), self.journal.clone())?.seat(language)
            }
            PlayerSpec::Process(command) => {
                let (ruleset, seats, language) = (self.ruleset.clone(), self.seats, self.language);
                let hello = Hello { ruleset, seat, seats, language };
                let mut player = ProcessPlayer::start(command, hello).map_err(Failure::call)?;
                player.ready(READY).await;
                Box::new(player)
            }
            PlayerSpec::Agent(agent) => {
                let place = AgentSeat {
                    ruleset: self.ruleset.clone(),
                    seat,
                    seats: self.seats,
                    language: self.language,
                    relay: agent_relay()?,
                    environment: agent_environment(agent)?,
                };
                let started = AgentPlayer::start((**agent).clone(), agent_variant(agent)?, place).await;
                Box::new(started.map_err(Failure::call)?)
            }
            PlayerSpec::Scripted(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|error| Failure::call(format!("cannot read the script {}: {error}", path.display())))?;
                Script::read(&path.display().to_string(), &text).map_err(Failure::call)?.player(seed)
            }
        })
    }
}

/// The command by which an agent reaches its seat's tools.
pub(super) fn agent_relay() -> Result<Vec<String>, Failure> {
    Ok(vec![host::program()?, "agent-seat".to_owned()])
}

/// What an agent gets of our environment without asking: what any program needs to run.
const EVERY_PROGRAM: [&str; 12] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "SystemRoot",
    "APPDATA",
    "USERPROFILE",
];

/// The environment of an agent: what every program needs, and what its profile says.
pub(super) fn agent_environment(agent: &AgentProfile) -> Result<Vec<(String, String)>, Failure> {
    let ours = Environment::of_process();
    let of_all = EVERY_PROGRAM.iter().filter_map(|name| Some(((*name).to_owned(), ours.text(name)?)));
    let mut environment: Vec<(String, String)> = of_all.collect();
    for (name, value) in &agent.environment {
        let mut value = value.clone();
        for variable in agent.variables() {
            let held = ours.text(variable).ok_or_else(|| {
                let said =
                    format!("the environment variable {variable} is not set, and the agent `{}` wants it", agent.name);
                Failure::call(said).hint(format!("export {variable}=… and try again"))
            })?;
            value = value.replace(&format!("${{{variable}}}"), &held);
        }
        environment.retain(|(other, _)| other != name);
        environment.push((name.clone(), value));
    }
    Ok(environment)
}

/// What is secret of a profile.
///
/// # Errors
/// With the variable that is not as it should be.
pub(super) fn secrets(profile: &Profile) -> Result<Secrets, (String, KeyError)> {
    Secrets::of(profile, |name| Environment::of_process().key(name).map_err(|error| (name.to_owned(), error)))
}

/// What is secret of a profile that is about to be asked.
pub(super) fn keys(profile: &Profile) -> Result<Secrets, Failure> {
    secrets(profile).map_err(|(name, error)| {
        Failure::call(error).hint(format!("export {name}=… and try again; `standoff players check` tells what works"))
    })
}

/// A model by its profile, with its key.
pub(super) fn model(profile: &Profile, budget: Arc<dyn Limiter>, journal: Arc<dyn Journal>) -> Result<Model, Failure> {
    // Nothing is asked of anybody when all answers are there already.
    let secrets = if journal.is_closed() { Secrets::default() } else { keys(profile)? };
    Model::new(profile.clone(), secrets, variant(profile)?, budget, journal)
        .map_err(|error| Failure::call(format!("the player `{}`: {error}", profile.name)))
}

/// What distinguishes players from others of the same name, for whoever takes up what they were asked.
pub(super) fn fingerprints(players: &[PlayerSpec], language: Language) -> Result<Vec<serde_json::Value>, Failure> {
    let fingerprint = |player: &PlayerSpec| {
        let info = seat_info(Seat::new(0), player, language)?;
        Ok(serde_json::json!({ "player": info.player, "model": info.model }))
    };
    players.iter().map(fingerprint).collect()
}

/// Checks that a player who is to go on with a match is the one who began it.
///
/// # Errors
/// With what has changed.
pub(super) fn is_same(info: &SeatInfo, seated: &PlayerSpec) -> Result<(), Failure> {
    let Some(before) = &info.model else { return Ok(()) };
    let language = before.language.parse().unwrap_or_default();
    let now = seat_info(info.seat, seated, language)?.model;
    // Records did not always say which wire format it was.
    let now = now.map(|now| ModelInfo { api: before.api.as_ref().and(now.api), ..now });
    let changed = match now {
        Some(now) if now == *before => return Ok(()),
        Some(now) if now.model != before.model => format!("model `{}`, now `{}`", before.model, now.model),
        Some(now) if now.mode != before.mode => format!("mode `{}`, now `{}`", before.mode, now.mode),
        Some(now) if now.language != before.language => {
            format!("language `{}`, now `{}`", before.language, now.language)
        }
        Some(ModelInfo { api: now, .. }) if now != before.api => {
            let name = |api: &Option<String>| api.clone().unwrap_or_default();
            format!("api `{}`, now `{}`", name(&before.api), name(&now))
        }
        Some(now) => format!("prompt `{}` {}, now {}", before.prompt, before.prompt_hash, now.prompt_hash),
        None => "a language model, and now it is none".to_owned(),
    };
    Err(Failure::call(format!("the player `{}` was asked otherwise when the match began: {changed}", info.player))
        .hint("put its profile back as it was, or begin a new match"))
}

/// What the record says of a player.
pub(super) fn seat_info(seat: Seat, seated: &PlayerSpec, language: Language) -> Result<SeatInfo, Failure> {
    let model = match seated {
        PlayerSpec::Model(profile) => {
            let variant = variant(profile)?;
            let language = variant.language(profile.language.unwrap_or(language));
            Some(ModelInfo {
                model: profile.model.clone(),
                prompt: variant.name().to_owned(),
                prompt_hash: variant.hash(profile.mode.ways(), language),
                language: language.to_string(),
                mode: profile.mode.to_string(),
                api: Some(profile.api.to_string()),
            })
        }
        PlayerSpec::Human
        | PlayerSpec::Bot(_)
        | PlayerSpec::Process(_)
        | PlayerSpec::Scripted(_)
        | PlayerSpec::Agent(_) => None,
    };
    Ok(SeatInfo::configured(seat, seated.to_string(), model))
}
