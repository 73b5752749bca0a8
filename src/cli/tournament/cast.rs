//! The players of a tournament: whom its names stand for, and how they come to a table.

use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::super::error::Failure;
use super::super::invite;
use super::super::players::agent_variant;
use super::super::seat::PlayerSpec;
use crate::briefs::{Language, Variant};
use crate::games::seat::Seat;
use crate::matches::ModelInfo;
use crate::players::model::{Journal, Limiter, Model};
use crate::players::process::{Hello, ProcessPlayer};
use crate::players::scripted::Script;
use crate::players::{AgentPlayer, AgentProfile, AgentSeat, Contestants, Player, Profile};
use crate::settings::fields::{BadFile, FileProblem};
use crate::tournaments::file::PlacedName;
use crate::tournaments::run::{Entry, EntryKind, PlayerFactory, SeatRequest};
use crate::tournaments::work::PlannedPlayer;

/// Somebody who takes part, as far as is known before anything is opened.
#[derive(Debug)]
pub(crate) struct Cast {
    pub(crate) name: String,
    pub(crate) seated: PlayerSpec,
    pub(crate) model: Option<ModelInfo>,
}

/// Whom the names of a file stand for.
///
/// # Errors
/// With every name that stands for nobody, or for a person.
pub(crate) fn of(names: &[PlacedName], language: Language, profiles: &Contestants) -> Result<Vec<Cast>, Failure> {
    let mut problems = Vec::new();
    let mut cast = Vec::new();
    for (name, place) in names {
        match PlayerSpec::parse(name, profiles) {
            Ok(PlayerSpec::Human) => {
                let message = "people do not play in tournaments; they play with `standoff play`".to_owned();
                problems.push(FileProblem { place: place.clone(), message });
            }
            Ok(seated) => {
                let model = model_info(&seated, language)?;
                cast.push(Cast { name: name.clone(), seated, model });
            }
            Err(error) => problems.push(FileProblem { place: place.clone(), message: error.to_string() }),
        }
    }
    if problems.is_empty() { Ok(cast) } else { Err(Failure::call(BadFile { problems })) }
}

/// How a model is asked, where it is one.
///
/// # Errors
/// If there is no such prompt.
pub(crate) fn model_info(seated: &PlayerSpec, language: Language) -> Result<Option<ModelInfo>, Failure> {
    Ok(invite::seat_info(Seat::new(0), seated, language)?.model)
}

impl Cast {
    /// What workers are told of it.
    pub(crate) fn planned(&self) -> PlannedPlayer {
        let (profile, asked) = match &self.seated {
            PlayerSpec::Model(profile) => (Some(fingerprint(profile)), Some((&profile.prompt, profile.language))),
            PlayerSpec::Agent(agent) => (None, Some((&agent.prompt, agent.language))),
            _ => (None, None),
        };
        let player = self.seated.to_string();
        // An experiment calls its players by what they are told.
        let asked = asked.filter(|_| player != self.name);
        let variant = asked.map(|(prompt, language)| (prompt.clone(), language.unwrap_or_default().to_string()));
        PlannedPlayer { name: self.name.clone(), player, variant, model: self.model.clone(), profile }
    }

    /// The player, ready to come to a table.
    ///
    /// # Errors
    /// If a key is missing, or a prompt or script cannot be read.
    pub(crate) fn entry(
        self,
        language: Language,
        limiter: &Arc<dyn Limiter>,
        journal: &Arc<dyn Journal>,
    ) -> Result<Entry, Failure> {
        let Cast { name, seated, model } = self;
        let kind = match seated {
            PlayerSpec::Bot(spec) => EntryKind::Bot(spec),
            PlayerSpec::Model(profile) => {
                let model = invite::model(&profile, limiter.clone(), journal.clone())?;
                EntryKind::Factory(Arc::new(CastPlayer::Model(model, language)))
            }
            PlayerSpec::Process(command) => EntryKind::Factory(Arc::new(CastPlayer::Process(command, language))),
            PlayerSpec::Scripted(path) => EntryKind::Factory(Arc::new(CastPlayer::Scripted(script(&path)?))),
            PlayerSpec::Agent(agent) => {
                let (variant, environment) = (agent_variant(&agent)?, invite::agent_environment(&agent)?);
                EntryKind::Factory(Arc::new(CastPlayer::Agent { agent, variant, environment, language }))
            }
            PlayerSpec::Human => unreachable!("people are turned away before"),
        };
        Ok(Entry { name, model, kind })
    }
}

/// What tells a profile from others of the same name: how its model is asked. Keys, prices, limits and the way to its
/// endpoint may differ from machine to machine.
pub(crate) fn fingerprint(profile: &Profile) -> String {
    let asked = json!([
        profile.api,
        profile.model,
        profile.mode,
        profile.temperature,
        profile.max_output_tokens,
        profile.reasoning_effort,
        profile.thinking,
        profile.tool_choice,
        profile.seed,
        profile.extra_body,
    ]);
    let digest = Sha256::digest(asked.to_string().as_bytes());
    digest.iter().take(8).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// The players, ready to come to a table.
///
/// # Errors
/// If a key is missing, or a prompt or script cannot be read.
pub(super) fn entries(
    cast: Vec<Cast>,
    language: Language,
    limiter: &Arc<dyn Limiter>,
    journal: &Arc<dyn Journal>,
) -> Result<Vec<Entry>, Failure> {
    cast.into_iter().map(|one| one.entry(language, limiter, journal)).collect()
}

/// The players of a run that is played elsewhere: no keys are needed for it here.
pub(super) fn elsewhere(cast: Vec<Cast>) -> Vec<Entry> {
    cast.into_iter()
        .map(|Cast { name, seated, model }| absent(name, &seated, model, "workers play its games"))
        .collect()
}

/// A player who does not come to any table here, for a reason; a bot always does.
pub(crate) fn absent(name: String, seated: &PlayerSpec, model: Option<ModelInfo>, why: &str) -> Entry {
    let kind = match seated {
        PlayerSpec::Bot(spec) => EntryKind::Bot(*spec),
        _ => EntryKind::Factory(Arc::new(CastPlayer::Absent(why.to_owned()))),
    };
    Entry { name, model, kind }
}

fn script(path: &Path) -> Result<Script, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::call(format!("cannot read the script {}: {error}", path.display())))?;
    Script::read(&path.display().to_string(), &text).map_err(Failure::call)
}

/// Makes the players of an entry that is no bot.
enum CastPlayer {
    Model(Model, Language),
    Process(String, Language),
    Scripted(Script),
    /// Nobody, for this reason.
    Absent(String),
    Agent {
        agent: Box<AgentProfile>,
        variant: Variant,
        environment: Vec<(String, String)>,
        language: Language,
    },
}

impl PlayerFactory for CastPlayer {
    fn model(&self) -> Option<&Model> {
        match self {
            CastPlayer::Model(model, _) => Some(model),
            CastPlayer::Process(..) | CastPlayer::Scripted(_) | CastPlayer::Absent(_) | CastPlayer::Agent { .. } => {
                None
            }
        }
    }

    fn seat(&self, request: SeatRequest) -> BoxFuture<'_, Result<Box<dyn Player>, String>> {
        Box::pin(async move {
            Ok(match self {
                CastPlayer::Model(model, language) => model.seat(*language),
                CastPlayer::Scripted(script) => script.player(request.seed),
                CastPlayer::Absent(why) => return Err(why.clone()),
                CastPlayer::Process(command, language) => {
                    let SeatRequest { ruleset, seats, seat, .. } = request;
                    let hello = Hello { ruleset, seat, seats, language: *language };
                    let mut player = ProcessPlayer::start(command, hello).map_err(|error| error.to_string())?;
                    player.ready(invite::READY).await;
                    Box::new(player)
                }
                CastPlayer::Agent { agent, variant, environment, language } => {
                    let SeatRequest { ruleset, seats, seat, .. } = request;
                    let relay = invite::agent_relay().map_err(|failure| failure.to_string())?;
                    let (environment, language) = (environment.clone(), *language);
                    let place = AgentSeat { ruleset, seat, seats, language, relay, environment };
                    let started = AgentPlayer::start((**agent).clone(), variant.clone(), place).await;
                    Box::new(started.map_err(|error| error.to_string())?)
                }
            })
        })
    }
}
