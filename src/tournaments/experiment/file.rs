//! An experiment as a file describes it.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use super::super::file::{PlacedName, RunLimits, limits, opening};
use super::super::schedule::{Edition, Format, Setup};
use super::super::verdict::{TestSettings, USUAL_DELTA};
use super::gates::Gates;
use super::matrix::Matrix;
use crate::briefs::Language;
use crate::games::Seed;
use crate::games::library;
use crate::games::ruleset::Ruleset;
use crate::matches::ModelInfo;
use crate::settings::did_you_mean;
use crate::settings::fields::{BadFile, Fields, Place, Reader};

/// Goes up when the same file gives other players, groups or questions.
const METHOD: u32 = 2;

/// What a file says; what its names stand for is not known yet.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentFile {
    /// What people call it.
    pub name: String,
    /// The models that are prompted.
    pub models: Vec<PlacedName>,
    /// The prompt variants that are compared.
    pub variants: Vec<PlacedName>,
    /// The variant that the others are compared with.
    pub baseline: String,
    /// The languages in which models are addressed.
    pub languages: Vec<Language>,
    /// What is played: names of rulesets, or files.
    pub rulesets: Vec<PlacedName>,
    /// On which maps; the rulesets' own where there is none.
    pub maps: Vec<PlacedName>,
    /// How many random turns every match starts after, whatever its ruleset says.
    pub opening: Option<u32>,
    /// Bots that every variant plays against, beside the baseline.
    pub anchors: Vec<PlacedName>,
    /// What is to be found out, and how surely.
    pub settings: TestSettings,
    /// By what it is found out, the cheapest first.
    pub gates: Gates,
    /// How many matches are played at once.
    pub concurrency: usize,
    /// What it may use.
    pub limits: RunLimits,
    /// How many blocks, positions and questions the baseline is put to against itself, to show the noise; 0 is none.
    pub noise: u32,
    /// After so many blocks of every question the rest is forecast from the real players; 0 is no such stop.
    pub pilot: u32,
    blocks: u32,
    seed: Seed,
    place: Place,
}

impl ExperimentFile {
    /// Reads an experiment. `source` is what problems call the text: its path. A baseline that is named here comes before
    /// that of the file.
    ///
    /// # Errors
    /// With every problem, each with its line and column.
    pub fn read(source: &str, text: &str, baseline: Option<&str>) -> Result<ExperimentFile, BadFile> {
        let mut reader = Reader::new(Fields::from_toml(source, text)?);
        let name = reader.text("name");
        let models = reader.texts("models");
        let variants = reader.texts("variants");
        let place = reader.place("variants");
        let baseline_place = reader.place("baseline");
        let own = reader.optional("baseline", Reader::text);
        let first = || variants.first().map(|(name, _)| name.clone()).unwrap_or_default();
        let of_call = baseline.is_some();
        let baseline = baseline.map(str::to_owned).or(own).unwrap_or_else(first);
        let languages =
            reader.optional("languages", |reader, key| reader.choices(key, &Language::NAMES)).unwrap_or_default();
        let rulesets = reader.optional("rulesets", Reader::texts).unwrap_or_default();
        let maps = reader.optional("maps", Reader::texts).unwrap_or_default();
        let opening = opening(&mut reader);
        let anchors = reader.optional("anchors", Reader::texts).unwrap_or_default();
        let share = |reader: &mut Reader, key: &'static str, usual: f64| {
            reader.optional(key, |reader, key| reader.decimal(key, 0.001..=0.49)).unwrap_or(usual)
        };
        let delta = reader.optional("delta", |reader, key| reader.decimal(key, 0.001..=800.0)).unwrap_or(USUAL_DELTA);
        let (alpha, beta) = (share(&mut reader, "alpha", 0.05), share(&mut reader, "beta", 0.05));
        let noise = reader.optional("noise", |reader, key| reader.int(key, 0..=10_000)).unwrap_or(8);
        let pilot = reader.optional("pilot", |reader, key| reader.int(key, 0..=10_000)).unwrap_or(0);
        let blocks = reader.optional("blocks", |reader, key| reader.int(key, 1..=1_000_000)).unwrap_or(200);
        let seed = reader.optional("seed", |reader, key| reader.int::<i64>(key, 0..=i64::MAX)).unwrap_or(1);
        let gates = Gates::read(&mut reader, Seed(seed.cast_unsigned()));
        let concurrency = reader.optional("concurrency", |reader, key| reader.int(key, 1..=10_000)).unwrap_or(8);
        let limits = limits(&mut reader);
        if models.is_empty() {
            reader.problem(&place, "`models` must name at least one model");
        }
        if !variants.is_empty() && variants.iter().all(|(name, _)| *name != baseline) {
            // What was named by the call stands nowhere in the file; what it may be does.
            let (what, at) = if of_call { ("--baseline", &place) } else { ("baseline", &baseline_place) };
            let known: Vec<&str> = variants.iter().map(|(name, _)| name.as_str()).collect();
            let meant = did_you_mean(&baseline, known.iter().copied());
            let known = known.join(", ");
            reader.problem(at, format!("`{what}` must be one of the variants ({known}), not \"{baseline}\"{meant}"));
        }
        // Earlier versions asked for a difference in score: below ½ it cannot be meant in Elo.
        let settings =
            if delta < 0.5 { TestSettings::new(delta, alpha, beta) } else { TestSettings::of_elo(delta, alpha, beta) };
        let settings = match settings {
            Ok(settings) => settings,
            Err(error) => {
                reader.problem(&place, error.to_string());
                return Err(reader.finish().err().unwrap_or_else(|| BadFile::new(place, "no such test")));
            }
        };
        let whole = reader.whole();
        let file = ExperimentFile {
            name,
            models,
            variants,
            baseline,
            languages: if languages.is_empty() { vec![Language::En] } else { languages },
            rulesets: if rulesets.is_empty() { vec![(library::DEFAULT.to_owned(), whole)] } else { rulesets },
            maps,
            opening,
            anchors,
            settings,
            gates,
            concurrency,
            limits,
            noise,
            pilot,
            blocks,
            seed: Seed(seed.cast_unsigned()),
            place,
        };
        reader.finish().map(|()| file).map_err(|mut bad| {
            bad.problems.sort_by_key(|problem| problem.place.at);
            bad
        })
    }

    /// Who plays, and what is compared with what.
    pub fn matrix(&self) -> Matrix {
        Matrix::of(self)
    }

    /// What the schedule needs, for so many courses.
    pub fn setup(&self, matrix: &Matrix, courses: usize) -> Setup {
        let format = Format::Arms { groups: matrix.groups().to_vec() };
        let (entrants, edition) = (matrix.players().len(), Edition::default());
        Setup { format, entrants, seats: 2, courses, blocks: self.blocks, seed: self.seed, edition }
    }

    /// Where the matrix is described.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The experiment's own name in the store, and what makes it this one and no other.
    pub fn id(&self, rulesets: &[Arc<Ruleset>], models: &[Option<ModelInfo>]) -> (String, String) {
        #[derive(Serialize)]
        struct Identity<'a> {
            name: &'a str,
            models: &'a [Option<ModelInfo>],
            baseline: &'a str,
            anchors: Vec<&'a str>,
            rulesets: Vec<Json>,
            settings: (f64, f64, f64),
            noise: u32,
            /// How it is found out: what an earlier method began is not gone on with.
            method: u32,
            seed: Seed,
        }
        let anchors = self.anchors.iter().map(|(name, _)| name.as_str()).collect();
        let rulesets = rulesets.iter().map(|ruleset| ruleset.identity()).collect();
        let (name, baseline) = (self.name.as_str(), self.baseline.as_str());
        let settings = (self.settings.elo(), self.settings.alpha(), self.settings.beta());
        let (noise, seed) = (self.noise, self.seed);
        let identity = Identity { name, models, baseline, anchors, rulesets, settings, noise, method: METHOD, seed };
        let text = serde_json::to_string(&identity).expect("plain data");
        let mut digits = String::with_capacity(64);
        for byte in Sha256::digest(text.as_bytes()) {
            write!(digits, "{byte:02x}").expect("a text takes anything");
        }
        (super::super::file::id(&self.name, &digits), digits)
    }
}
