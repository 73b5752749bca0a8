//! The players of a tournament: whom its names stand for, and how they come to a table.

use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::super::error::Failure;
use super::super::invite;
use super::super::seat::PlayerSpec;
use crate::briefs::Language;
use crate::games::seat::Seat;
use crate::matches::ModelInfo;
use crate::players::model::{Journal, Model, RunBudget};
use crate::players::process::{Hello, ProcessPlayer};
use crate::players::scripted::Script;
use crate::players::{Player, Profile};
use crate::settings::fields::{BadFile, Problem};
use crate::tournaments::file::PlacedName;
use crate::tournaments::run::{Entry, EntryKind, PlayerFactory, SeatRequest};

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
pub(crate) fn of(names: &[PlacedName], language: Language, profiles: &[Profile]) -> Result<Vec<Cast>, Failure> {
    let mut problems = Vec::new();
    let mut cast = Vec::new();
    for (name, place) in names {
        match PlayerSpec::parse(name, profiles) {
            Ok(PlayerSpec::Human) => {
                let message = "people do not play in tournaments; they play with `standoff play`".to_owned();
                problems.push(Problem { place: place.clone(), message });
            }
            Ok(seated) => {
                let model = model_info(&seated, language)?;
                cast.push(Cast { name: name.clone(), seated, model });
            }
            Err(error) => problems.push(Problem { place: place.clone(), message: error.to_string() }),
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

/// The players, ready to come to a table.
///
/// # Errors
/// If a key is missing, or a prompt or script cannot be read.
pub(super) fn entries(
    cast: Vec<Cast>,
    language: Language,
    budget: &Arc<RunBudget>,
    journal: &Arc<dyn Journal>,
) -> Result<Vec<Entry>, Failure> {
    let entry = |Cast { name, seated, model }: Cast| {
        let kind = match seated {
            PlayerSpec::Bot(spec) => EntryKind::Bot(spec),
            PlayerSpec::Model(profile) => {
                let model = invite::model(&profile, budget.clone(), journal.clone())?;
                EntryKind::Factory(Arc::new(CastPlayer::Model(model, language)))
            }
            PlayerSpec::Process(command) => EntryKind::Factory(Arc::new(CastPlayer::Process(command, language))),
            PlayerSpec::Scripted(path) => EntryKind::Factory(Arc::new(CastPlayer::Scripted(script(&path)?))),
            PlayerSpec::Human => unreachable!("people are turned away before"),
        };
        Ok(Entry { name, model, kind })
    };
    cast.into_iter().map(entry).collect()
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
}

impl PlayerFactory for CastPlayer {
    fn model(&self) -> Option<&Model> {
        match self {
            CastPlayer::Model(model, _) => Some(model),
            CastPlayer::Process(..) | CastPlayer::Scripted(_) => None,
        }
    }

    fn seat(&self, request: SeatRequest) -> BoxFuture<'_, Result<Box<dyn Player>, String>> {
        Box::pin(async move {
            Ok(match self {
                CastPlayer::Model(model, language) => model.seat(*language),
                CastPlayer::Scripted(script) => script.player(request.seed),
                CastPlayer::Process(command, language) => {
                    let SeatRequest { ruleset, seats, seat, .. } = request;
                    let hello = Hello { ruleset, seat, seats, language: *language };
                    let mut player = ProcessPlayer::start(command, hello).map_err(|error| error.to_string())?;
                    player.ready(invite::READY).await;
                    Box::new(player)
                }
            })
        })
    }
}
