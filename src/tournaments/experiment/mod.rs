//! Prompt experiments: which of several prompts plays better, with errors that are bounded at any moment one looks.
//!
//! Every variant plays against the baseline, and beside that both play against the same bots on the same seeds. The
//! baseline also plays against itself: that verdict must be "no difference". A comparison that is decided costs nothing
//! more.

mod file;
mod matrix;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

pub use self::file::ExperimentFile;
pub use self::matrix::{Basis, Comparison, Matrix, Player};

use super::schedule::Block;
use super::score::{Entrant, count, versus};
use super::verdict::{Interval, Settings, Test, Verdict, elo, holm};

/// What is asked of every variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether it is better than the baseline.
    IsBetter,
    /// Whether it is no worse than the baseline by δ: the question of a build that must not get worse.
    IsNotWorse,
}

/// An experiment under way: takes in blocks and says what they mean.
#[derive(Debug)]
pub struct Experiment {
    matrix: Matrix,
    settings: Settings,
    question: Question,
    lanes: Vec<Lane>,
    tests: Vec<Trial>,
}

/// The blocks of a group, in the order in which they were handed out, however they end: a bet must not depend on which
/// games are short.
#[derive(Debug, Default)]
struct Lane {
    issued: VecDeque<u64>,
    settled: BTreeMap<u64, f64>,
    /// What the first of the group had of each block.
    scores: Vec<f64>,
}

#[derive(Debug)]
struct Trial {
    test: Test,
    interval: Interval,
    taken: usize,
}

/// What an experiment says of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Who may be better.
    pub one: String,
    /// Than whom.
    pub other: String,
    /// The bot by which they were compared, if not by their games with each other.
    pub against: Option<String>,
    /// Whether the two are the same.
    pub is_noise: bool,
    /// What can be said.
    pub verdict: Verdict,
    /// Whether it is better even if one asks as many questions as this experiment does.
    pub better_among_all: bool,
    /// Blocks so far.
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
}

impl Experiment {
    /// An experiment without blocks.
    pub fn new(matrix: Matrix, settings: Settings, question: Question) -> Experiment {
        let lanes = matrix.groups().iter().map(|_| Lane::default()).collect();
        // Who asks several questions is wrong more often: each gets its share of the errors, so that what is called
        // better is better among all.
        let questions = matrix.comparisons().iter().filter(|comparison| !comparison.is_noise).count().max(1);
        let shared = Settings::new(settings.delta(), settings.alpha() / count(questions), settings.beta());
        let shared = shared.unwrap_or(settings);
        let trial = |comparison: &Comparison| {
            let settings = if comparison.is_noise { settings } else { shared };
            Trial { test: Test::new(settings), interval: Interval::new(0.05), taken: 0 }
        };
        let tests = matrix.comparisons().iter().map(trial).collect();
        Experiment { matrix, settings, question, lanes, tests }
    }

    fn lane(&mut self, group: &[Entrant]) -> Option<&mut Lane> {
        let at = self.matrix.groups().iter().position(|other| other == group)?;
        self.lanes.get_mut(at)
    }

    /// A block is handed out.
    pub fn begun(&mut self, block: &Block) {
        if let Some(lane) = self.lane(&block.group) {
            lane.issued.push_back(block.number);
        }
    }

    /// A block is over. Gives the groups that need no more blocks.
    pub fn settled(&mut self, block: &Block, scores: &[f64]) -> Vec<Vec<Entrant>> {
        let Some(lane) = self.lane(&block.group) else { return Vec::new() };
        lane.settled.insert(block.number, scores.first().copied().unwrap_or(0.5));
        while let Some(score) = lane.issued.front().and_then(|next| lane.settled.remove(next)) {
            lane.issued.pop_front();
            lane.scores.push(score);
        }
        for (comparison, trial) in self.matrix.comparisons().iter().zip(&mut self.tests) {
            while let Some(score) = next(&self.lanes, comparison.basis, trial.taken) {
                trial.taken += 1;
                // What is decided stays decided.
                if !is_decided(comparison, self.question, &trial.test) {
                    trial.test.push(score);
                    trial.interval.push(score);
                }
            }
        }
        self.done()
    }

    /// Groups whose every comparison is decided.
    fn done(&self) -> Vec<Vec<Entrant>> {
        let needed = |group: usize| {
            let open = self.matrix.comparisons().iter().zip(&self.tests);
            open.filter(|(comparison, trial)| !is_decided(comparison, self.question, &trial.test)).any(
                |(comparison, _)| match comparison.basis {
                    Basis::Direct(own) => own == group,
                    Basis::Anchored(one, other) => one == group || other == group,
                },
            )
        };
        let groups = self.matrix.groups().iter().enumerate();
        groups.filter(|(group, _)| !needed(*group)).map(|(_, group)| group.clone()).collect()
    }

    /// What can be said now.
    pub fn findings(&self) -> Vec<Finding> {
        let players = self.matrix.players();
        let name = |one: Entrant| players[one.index()].name();
        let questions: Vec<usize> =
            (0..self.tests.len()).filter(|&at| !self.matrix.comparisons()[at].is_noise).collect();
        let e_values: Vec<f64> = questions.iter().map(|&at| self.tests[at].test.e_value()).collect();
        let among_all = holm(&e_values, self.settings.alpha());
        let finding = |(at, (comparison, trial)): (usize, (&Comparison, &Trial))| {
            let (low, high) = trial.interval.bounds();
            let against = match comparison.basis {
                Basis::Direct(_) => None,
                Basis::Anchored(own, _) => self.matrix.groups()[own].get(1).map(|&anchor| name(anchor)),
            };
            Finding {
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
                elo: elo(trial.test.mean()),
                e_value: trial.test.e_value(),
            }
        };
        self.matrix.comparisons().iter().zip(&self.tests).enumerate().map(finding).collect()
    }
}

/// Between two that are the same the question is whether there is a difference.
fn is_decided(comparison: &Comparison, question: Question, test: &Test) -> bool {
    let verdict = test.verdict();
    match question {
        _ if comparison.is_noise => verdict.is_final(),
        Question::IsBetter => verdict.settles_better(),
        Question::IsNotWorse => verdict.is_final() || verdict == Verdict::NotWorse,
    }
}

/// The next score of a comparison, once all blocks that it needs are over.
fn next(lanes: &[Lane], basis: Basis, taken: usize) -> Option<f64> {
    match basis {
        Basis::Direct(own) => lanes[own].scores.get(taken).copied(),
        Basis::Anchored(one, other) => {
            let [one, other] = [one, other].map(|lane| lanes[lane].scores.get(taken).copied());
            Some(versus(one?, other?))
        }
    }
}
