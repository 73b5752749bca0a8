//! The players of a tournament: whom its names stand for, and how they come to a table.

use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::super::error::Failure;
use super::super::invite;
use super::super::seat::Seated;
use crate::briefs::Language;
use crate::games::seat::Seat;
use crate::matches::ModelInfo;
use crate::players::model::{Journal, Model, RunBudget};
use crate::players::process::{Hello, ProcessPlayer};
use crate::players::scripted::Script;
use crate::players::{Player, Profile};
use crate::settings::fields::{BadFile, Problem};
use crate::tournaments::file::Placed;
use crate::tournaments::run::{Chair, Entry, Guest, Kind};

/// Somebody who takes part, as far as is known before anything is opened.
#[derive(Debug)]
pub(crate) struct Cast {
    pub(crate) name: String,
    pub(crate) seated: Seated,
    pub(crate) model: Option<ModelInfo>,
}

/// Whom the names of a file stand for.
///
/// # Errors
/// With every name that stands for nobody, or for a person.
pub(crate) fn of(names: &[Placed], language: Language, profiles: &[Profile]) -> Result<Vec<Cast>, Failure> {
    let mut problems = Vec::new();
    let mut cast = Vec::new();
    for (name, place) in names {
        match Seated::parse(name, profiles) {
            Ok(Seated::Human) => {
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
pub(crate) fn model_info(seated: &Seated, language: Language) -> Result<Option<ModelInfo>, Failure> {
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
            Seated::Bot(spec) => Kind::Bot(spec),
            Seated::Model(profile) => {
                let model = invite::model(&profile, budget.clone(), journal.clone())?;
                Kind::Guest(Arc::new(Invited::Model(model, language)))
            }
            Seated::Process(command) => Kind::Guest(Arc::new(Invited::Process(command, language))),
            Seated::Scripted(path) => Kind::Guest(Arc::new(Invited::Scripted(script(&path)?))),
            Seated::Human => unreachable!("people are turned away before"),
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

/// A player that is brought to a table when a match begins.
enum Invited {
    Model(Model, Language),
    Process(String, Language),
    Scripted(Script),
}

impl Guest for Invited {
    fn model(&self) -> Option<&Model> {
        match self {
            Invited::Model(model, _) => Some(model),
            Invited::Process(..) | Invited::Scripted(_) => None,
        }
    }

    fn seat(&self, chair: Chair) -> BoxFuture<'_, Result<Box<dyn Player>, String>> {
        Box::pin(async move {
            Ok(match self {
                Invited::Model(model, language) => model.seat(*language),
                Invited::Scripted(script) => script.player(chair.seed),
                Invited::Process(command, language) => {
                    let Chair { ruleset, seats, seat, .. } = chair;
                    let hello = Hello { ruleset, seat, seats, language: *language };
                    let mut player = ProcessPlayer::start(command, hello).map_err(|error| error.to_string())?;
                    player.ready(invite::READY).await;
                    Box::new(player)
                }
            })
        })
    }
}
