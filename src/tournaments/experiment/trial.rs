//! One question of an experiment: its test, block by block or item by item.

use serde::{Deserialize, Serialize};

use super::examine::AnswerCost;
use super::gates::Gate;
use super::matrix::{Basis, Comparison, Matrix};
use crate::tournaments::score::{Entrant, count};
use crate::tournaments::verdict::{Effect, Pentanomial, Scale, Test, TestSettings, Verdict, elo, holm};

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
    /// Blocks so far that told something; of the cheaper gates, questions or positions.
    pub blocks: u64,
    /// Blocks whose games were all played before in an earlier block: they are no new samples and are not among `blocks`.
    #[serde(default)]
    pub repeats: u64,
    /// The mean score of the one against the other: of games, their score; of the cheaper gates, ½ and half the
    /// difference between their answers' scores.
    pub score: f64,
    /// The lower end of the interval, in scores.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The score as a difference of rating, not shrunk.
    pub elo: f64,
    /// How large the difference is in Elo, with its interval and the interval's level; nothing where nobody has measured
    /// what a point at this gate is worth in Elo.
    #[serde(default)]
    pub effect: Option<Effect>,
    /// The difference in Elo that the gate was to see.
    #[serde(default)]
    pub delta_elo: Option<f64>,
    /// The chance of a false "better" that this comparison may use: its share of the gate's α.
    #[serde(default)]
    pub alpha: Option<f64>,
    /// Why it came out so, where a plain reason is known.
    #[serde(default)]
    pub cause: Option<Cause>,
    /// What testers of chess engines look at, where pairs of games between the two were played.
    #[serde(default)]
    pub pairs: Option<PairCounts>,
    /// The evidence that it is better.
    pub e_value: f64,
    /// The evidence that it is worse.
    pub e_value_worse: f64,
}

/// The pairs of games of two, as testers of chess engines count them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairCounts {
    /// How many pairs were worth 0, ¼, ½, ¾ and 1 to the one: the pentanomial counts.
    pub counts: [u64; 5],
    /// The logarithm of how much likelier they are if the one is better by δ than if both are the same.
    pub llr: f64,
}

/// A plain reason for a verdict: one side did not lose by playing badly, but by giving no answer that counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    /// Whose answers these were.
    pub player: String,
    /// The kind that was most frequent, as records call it: `illegal`, `unreadable`, `late`, …
    pub kind: String,
    /// How many answers, or turns, were lost that way.
    pub times: u64,
    /// Out of how many: games at the last gate, positions or questions at the others.
    pub of: u64,
}

/// How often a player failed to give an answer that counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Failures {
    /// The most frequent kind.
    pub kind: String,
    /// How often it happened.
    pub times: u64,
    /// Out of how many games, positions or questions.
    pub of: u64,
}

impl Failures {
    #[expect(clippy::cast_precision_loss, reason = "counts of answers are far below 2^52")]
    fn share(&self) -> f64 {
        if self.of == 0 { 0.0 } else { self.times as f64 / self.of as f64 }
    }
}

/// What was spent at a gate, and on which question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spending {
    /// At which gate.
    pub gate: Gate,
    /// What the money was spent on.
    pub purpose: Purpose,
    /// Questions, positions or games.
    pub items: u64,
    /// What they cost.
    pub cost: AnswerCost,
}

/// What a game, a position or a question is for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Purpose {
    /// To find out whether one is better than the other.
    Question {
        /// Who may be better.
        one: String,
        /// Who it is compared with.
        other: String,
    },
    /// The answers of the baseline, which every question of its language needs.
    Baseline {
        /// The name of the baseline.
        player: String,
    },
    /// The answers of a bot, beside which those of the others are shown.
    Yardstick {
        /// The bot that answered.
        player: String,
    },
    /// To see the noise: the same prompt twice.
    Noise {
        /// The player whose prompt it is.
        player: String,
    },
}

impl Purpose {
    /// What it is for, in words.
    pub fn text(&self) -> String {
        match self {
            Purpose::Question { one, other } => format!("is {one} better than {other}?"),
            Purpose::Baseline { player } => format!("what every question needs of {player}"),
            Purpose::Yardstick { player } => format!("the answers of {player}, to compare with"),
            Purpose::Noise { player } => format!("the noise of {player}"),
        }
    }
}

impl Finding {
    /// Whether nothing is known yet of how large the difference is: no size is ruled out.
    pub fn is_open(&self) -> bool {
        let is_open = match &self.effect {
            Some(effect) => effect.is_open(),
            None => self.low <= 0.0 && self.high >= 1.0,
        };
        self.blocks == 0 || is_open
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
    /// What was spent on what.
    #[serde(default)]
    pub spent: Vec<Spending>,
    /// How the chance of a false "better" is shared out.
    #[serde(default)]
    pub errors: Option<ErrorBudget>,
}

/// The chances of being wrong that a gate may use.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorBudget {
    /// Of calling something better that is not, over all questions of the gate; as much again for "worse".
    pub alpha: f64,
    /// Of calling no difference what is one of δ, a question and side.
    pub beta: f64,
    /// Questions that share `alpha`, equally (and by Holm's procedure for "better among all").
    pub questions: u64,
    /// Of a false "better" of the experiment as a whole: only its last gate says it, so that is `alpha` again. A false
    /// "worse" can come from every gate that leaves variants out, each with `alpha`.
    pub over_all: f64,
}

/// A side that failed in this much more of its answers than the other lost by that.
const TELLING: f64 = 0.1;

impl GateFindings {
    /// Names the cause of every verdict where one side's failures are one.
    pub fn explain(&mut self, failures: impl Fn(&str) -> Option<Failures>) {
        for finding in &mut self.findings {
            let [loser, winner] = match finding.verdict {
                Verdict::Better | Verdict::NotWorse => [&finding.other, &finding.one],
                Verdict::Worse | Verdict::NotBetter => [&finding.one, &finding.other],
                Verdict::NoDifference | Verdict::Undecided => continue,
            };
            let Some(lost) = failures(loser).filter(|lost| lost.times > 0) else { continue };
            if lost.share() - failures(winner).unwrap_or_default().share() >= TELLING {
                let Failures { kind, times, of } = lost;
                finding.cause = Some(Cause { player: loser.clone(), kind, times, of });
            }
        }
    }
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
    points: Vec<[f64; 4]>,
    /// Scores of the comparison that were looked at.
    pub(super) taken: usize,
    /// Blocks that repeat an earlier one.
    pub(super) repeats: u64,
    pairs: Pentanomial,
}

/// Who asks several questions is wrong more often: each gets its share of the errors, so that what is called better is
/// better among all.
pub(super) fn shared(comparisons: &[Comparison], settings: TestSettings) -> TestSettings {
    let questions = comparisons.iter().filter(|comparison| !comparison.is_noise).count().max(1);
    settings.with_alpha(settings.alpha() / count(questions)).unwrap_or(settings)
}

impl Trial {
    /// A test of every comparison, by games.
    pub(super) fn of_games(comparisons: &[Comparison], settings: TestSettings) -> Vec<Trial> {
        Trial::of_all(comparisons, settings, Test::new)
    }

    /// A test of every comparison, by answers on the scale of each course.
    pub(super) fn of_answers(comparisons: &[Comparison], settings: TestSettings, scales: &[Scale]) -> Vec<Trial> {
        Trial::of_all(comparisons, settings, |settings| Test::of_answers(settings, scales))
    }

    fn of_all(comparisons: &[Comparison], settings: TestSettings, test: impl Fn(TestSettings) -> Test) -> Vec<Trial> {
        let shared = shared(comparisons, settings);
        let trial = |comparison: &Comparison| {
            let settings = if comparison.is_noise { settings } else { shared };
            Trial { test: test(settings), points: Vec::new(), taken: 0, repeats: 0, pairs: Pentanomial::default() }
        };
        comparisons.iter().map(trial).collect()
    }

    pub(super) fn push(&mut self, score: f64) {
        self.push_on(0, score);
    }

    pub(super) fn push_on(&mut self, course: usize, score: f64) {
        self.test.push_on(course, score);
        self.pairs.push(score);
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
    settings: TestSettings,
    is_out: impl Fn(&Comparison) -> bool,
) -> GateFindings {
    let name = |one: Entrant| matrix.players()[one.index()].name();
    let questions: Vec<usize> = (0..trials.len()).filter(|&at| !trials[at].0.is_noise).collect();
    let e_values: Vec<f64> = questions.iter().map(|&at| trials[at].1.test.e_value()).collect();
    let among_all = holm(&e_values, settings.alpha());
    let mut told = GateFindings {
        errors: Some(ErrorBudget {
            alpha: settings.alpha(),
            beta: settings.beta(),
            questions: questions.len() as u64,
            over_all: settings.alpha(),
        }),
        ..GateFindings::default()
    };
    for (at, (comparison, trial)) in trials.iter().enumerate().filter(|(_, (comparison, _))| !is_out(comparison)) {
        let test = &trial.test;
        let (low, high) = test.bounds();
        let against = match comparison.basis {
            Basis::Direct(_) => None,
            Basis::Anchored(own, _) | Basis::Halves(own) => matrix.groups()[own].get(1).map(|&anchor| name(anchor)),
        };
        let effect = test.effect();
        told.findings.push(Finding {
            gate,
            one: name(comparison.one),
            other: name(comparison.other),
            against,
            is_noise: comparison.is_noise,
            verdict: test.verdict(),
            better_among_all: questions.iter().position(|&other| other == at).is_some_and(|at| among_all[at]),
            blocks: test.blocks(),
            repeats: trial.repeats,
            score: test.mean(),
            low,
            high,
            elo: effect.map_or_else(|| elo(test.mean()), |effect| effect.raw).clamp(-MOST_ELO, MOST_ELO),
            delta_elo: effect.map(|_| test.settings().elo()),
            effect,
            alpha: Some(test.settings().alpha()),
            cause: None,
            pairs: (gate == Gate::Games && matches!(comparison.basis, Basis::Direct(_)) && test.blocks() > 0).then(
                || {
                    let llr = trial.pairs.llr(0.5, 0.5 + test.settings().delta());
                    PairCounts { counts: trial.pairs.0, llr }
                },
            ),
            e_value: test.e_value(),
            e_value_worse: test.mirrored_e_value(),
        });
        told.courses.push(trial.course());
    }
    told
}
