//! What workers are told of a run.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::briefs::Language;
use crate::games::ruleset::Ruleset;
use crate::matches::ModelInfo;
use crate::store::TournamentInfo;
use crate::tournaments::file::RunLimits;
use crate::tournaments::run::Course;

/// The version of this program. Workers of another one may play by other rules.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a worker needs to know to play a run's games. No key is in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorkPlan {
    /// The version of the program that schedules it.
    pub version: String,
    /// The language of the briefs.
    pub language: String,
    /// What is played.
    pub courses: Vec<PlannedCourse>,
    /// Who takes part.
    pub players: Vec<PlannedPlayer>,
    /// The most that models may cost, in US dollars.
    pub max_usd: Option<f64>,
    /// The most requests to models.
    pub max_calls: Option<u64>,
}

/// A ruleset with its map, as workers are told of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlannedCourse {
    /// What people call it.
    pub name: String,
    /// The ruleset with every field.
    pub ruleset: Json,
}

/// A player, as workers are told of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlannedPlayer {
    /// What the run calls it.
    pub name: String,
    /// The player of the configuration that it is.
    pub player: String,
    /// The prompt variant and the language in which it is asked, where the run says so and not its configuration.
    pub variant: Option<(String, String)>,
    /// How the model is asked, if it is one.
    pub model: Option<ModelInfo>,
    /// What tells its profile from others of the same name, if it is a model.
    pub profile: Option<String>,
}

impl WorkPlan {
    /// The plan of a run.
    pub(crate) fn new(
        language: Language,
        courses: &[Course],
        players: Vec<PlannedPlayer>,
        limits: RunLimits,
    ) -> WorkPlan {
        let course = |course: &Course| PlannedCourse {
            name: course.name.clone(),
            ruleset: serde_json::to_value(&*course.ruleset).expect("plain data"),
        };
        WorkPlan {
            version: VERSION.to_owned(),
            language: language.to_string(),
            courses: courses.iter().map(course).collect(),
            players,
            max_usd: limits.max_usd,
            max_calls: limits.max_calls,
        }
    }

    /// The plan of a run as the store has it.
    ///
    /// # Errors
    /// In words, if this program cannot play it: workers were not asked for, or another version schedules it.
    pub(crate) fn of(info: &TournamentInfo) -> Result<WorkPlan, String> {
        let plan: Json = serde_json::from_str(&info.plan).unwrap_or_default();
        let version = plan["work"]["version"].as_str().ok_or("it is not for workers")?;
        if version != VERSION {
            return Err(format!("it is scheduled by version {version} of the program, and this one is {VERSION}"));
        }
        serde_json::from_value(plan["work"].clone()).map_err(|error| format!("its plan cannot be read: {error}"))
    }

    /// What is played.
    ///
    /// # Errors
    /// In words, if a ruleset is not one that this program plays in the same way.
    pub(crate) fn courses(&self) -> Result<Vec<Course>, String> {
        let course = |planned: &PlannedCourse| {
            let ruleset = Ruleset::from_json(&planned.ruleset)
                .map_err(|bad| format!("the ruleset {} cannot be played here: {bad}", planned.name))?;
            if serde_json::to_value(&ruleset).ok().as_ref() != Some(&planned.ruleset) {
                return Err(format!("the ruleset {} is another one here", planned.name));
            }
            Ok(Course { name: planned.name.clone(), ruleset: Arc::new(ruleset) })
        };
        self.courses.iter().map(course).collect()
    }

    /// What it may use.
    pub(crate) fn limits(&self) -> RunLimits {
        RunLimits { max_usd: self.max_usd, max_calls: self.max_calls, max_minutes: None }
    }
}
