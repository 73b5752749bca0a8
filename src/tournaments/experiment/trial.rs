//! One question of an experiment: its test, block by block or item by item.

use serde::{Deserialize, Serialize};

use super::gates::Gate;
use super::matrix::{Basis, Comparison, Matrix};
use crate::tournaments::score::{Entrant, count};
use crate::tournaments::verdict::{Interval, Test, TestSettings, Verdict, elo, holm};

/// A lead of everything is endless in points; what is written must be a number.
const MOST_ELO: f64 = 1200.0;

/// What an experiment says of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// By what it was found out.
    pub gate: Gate,
    /// Who may be better.
    pub one: String,
    /// Who it is compared with.
    pub other: String,
    /// The bot by which they were compared, if not by their games with each other.
    pub against: Option<String>,
    /// Whether the two are the same.
    pub is_noise: bool,
    /// What can be said.
    pub verdict: Verdict,
    /// Whether it is better even if one asks as many questions as this experiment does.
    pub better_among_all: bool,
    /// Blocks so far; of the cheaper gates, questions or positions.
    pub blocks: u64,
    /// The mean score of the one against the other.
    pub score: f64,
    /// The ends of an interval that holds the true mean at all times at once, 95 times in 100.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The score as a difference of rating.
    pub elo: f64,
    /// The evidence that it is better.
    pub e_value: f64,
    /// The evidence that it is worse.
    pub e_value_worse: f64,
}

impl Finding {
    /// The score as a difference of rating, in words; a lead of everything has no number.
    pub fn elo_text(&self) -> String {
        match self.elo {
            elo if elo >= MOST_ELO => format!("> +{MOST_ELO:.0} Elo"),
            elo if elo <= -MOST_ELO => format!("< -{MOST_ELO:.0} Elo"),
            elo => format!("{elo:+.0} Elo"),
        }
    }
}

/// The course of a test: four capitals after every block, as natural logarithms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WealthPath {
    /// What was bet on "better", "not better by δ", "worse" and "not worse by δ".
    pub points: Vec<[f64; 4]>,
    /// The bound of the first and the third, as a logarithm: 1/α.
    pub sure: f64,
    /// The bound of the second and the fourth: 1/β.
    pub safe: f64,
}

/// What a gate says of every comparison that it made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GateFindings {
    /// A comparison each.
    pub findings: Vec<Finding>,
    /// How each test went, in the same order.
    pub courses: Vec<WealthPath>,
}

/// The findings that decide: of every comparison that of the dearest gate it came to.
pub fn of_record(findings: &[Finding]) -> Vec<&Finding> {
    let later = |one: &Finding| {
        findings.iter().any(|other| {
            (&other.one, &other.other) == (&one.one, &one.other) && other.gate > one.gate && other.blocks > 0
        })
    };
    findings.iter().filter(|finding| !later(finding)).collect()
}

/// A test under way.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    pub(super) test: Test,
    interval: Interval,
    points: Vec<[f64; 4]>,
    /// Scores of the comparison that were looked at.
    pub(super) taken: usize,
}

impl Trial {
    /// A test of every comparison. Who asks several questions is wrong more often: each gets its share of the errors, so
    /// that what is called better is better among all.
    pub(super) fn of_all(comparisons: &[Comparison], settings: TestSettings) -> Vec<Trial> {
        let questions = comparisons.iter().filter(|comparison| !comparison.is_noise).count().max(1);
        let shared = TestSettings::new(settings.delta(), settings.alpha() / count(questions), settings.beta());
        let shared = shared.unwrap_or(settings);
        let trial = |comparison: &Comparison| {
            let settings = if comparison.is_noise { settings } else { shared };
            Trial { test: Test::new(settings), interval: Interval::new(0.05), points: Vec::new(), taken: 0 }
        };
        comparisons.iter().map(trial).collect()
    }

    pub(super) fn push(&mut self, score: f64) {
        self.test.push(score);
        self.interval.push(score);
        let ((better, not_better), (worse, not_worse)) = (self.test.log_capital(), self.test.mirrored_log_capital());
        // To what a chart shows.
        self.points.push([better, not_better, worse, not_worse].map(|log| (log * 1e3).round() / 1e3));
    }

    fn course(&self) -> WealthPath {
        let settings = self.test.settings();
        WealthPath { points: self.points.clone(), sure: -settings.alpha().ln(), safe: -settings.beta().ln() }
    }
}

/// What can be said now of these comparisons, those left out that nobody made.
pub(super) fn told(
    gate: Gate,
    matrix: &Matrix,
    trials: &[(&Comparison, &Trial)],
    alpha: f64,
    is_out: impl Fn(&Comparison) -> bool,
) -> GateFindings {
    let name = |one: Entrant| matrix.players()[one.index()].name();
    let questions: Vec<usize> = (0..trials.len()).filter(|&at| !trials[at].0.is_noise).collect();
    let e_values: Vec<f64> = questions.iter().map(|&at| trials[at].1.test.e_value()).collect();
    let among_all = holm(&e_values, alpha);
    let mut told = GateFindings::default();
    for (at, (comparison, trial)) in trials.iter().enumerate().filter(|(_, (comparison, _))| !is_out(comparison)) {
        let (low, high) = trial.interval.bounds();
        let against = match comparison.basis {
            Basis::Direct(_) => None,
            Basis::Anchored(own, _) => matrix.groups()[own].get(1).map(|&anchor| name(anchor)),
        };
        told.findings.push(Finding {
            gate,
            one: name(comparison.one),
            other: name(comparison.other),
            against,
            is_noise: comparison.is_noise,
            verdict: trial.test.verdict(),
            better_among_all: questions.iter().position(|&other| other == at).is_some_and(|at| among_all[at]),
            blocks: trial.test.blocks(),
            score: trial.test.mean(),
            low,
            high,
            elo: elo(trial.test.mean()).clamp(-MOST_ELO, MOST_ELO),
            e_value: trial.test.e_value(),
            e_value_worse: trial.test.mirrored_e_value(),
        });
        told.courses.push(trial.course());
    }
    told
}
