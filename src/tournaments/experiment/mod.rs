//! Prompt experiments: which of several prompts plays better, with errors that are bounded at any moment one looks.
//!
//! Every variant plays against the baseline, and beside that both play against the same bots on the same seeds. The
//! baseline also plays against itself: that verdict must be "no difference". A comparison that is decided costs nothing
//! more.

mod bank;
mod examine;
mod file;
mod gates;
mod matrix;
mod quiz;
#[cfg(test)]
mod tests;
mod trial;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub use self::bank::{BankAnswer, BankFound, BankRow, POSITIONS};
pub use self::examine::{AnswerCost, ContenderInfo, Examined, Examiner, Interrupted, News, Tell};
pub use self::file::ExperimentFile;
pub use self::gates::{BankGate, Gate, Gates, IfWorse, QuizGate};
pub use self::matrix::{Basis, Comparison, Contender, Matrix};
pub use self::quiz::{QuizFound, QuizRow, RuleGrade};
pub use self::trial::{Finding, GateFindings, WealthPath, of_record};

use self::trial::Trial;
use super::schedule::Block;
use super::score::{Entrant, versus};
use super::verdict::{Test, TestSettings, Verdict};

/// What is asked of every variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hypothesis {
    /// Whether it is better than the baseline.
    IsBetter,
    /// Whether it is no worse than the baseline by δ: the question of a build that must not get worse.
    IsNotWorse,
}

/// An experiment under way: takes in blocks and says what they mean.
#[derive(Debug)]
pub struct Experiment {
    matrix: Matrix,
    settings: TestSettings,
    question: Hypothesis,
    lanes: Vec<Lane>,
    tests: Vec<Trial>,
    /// Whom a cheaper gate has found worse.
    left_out: BTreeSet<Entrant>,
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

impl Experiment {
    /// An experiment without blocks.
    pub fn new(matrix: Matrix, settings: TestSettings, question: Hypothesis) -> Experiment {
        let lanes = matrix.groups().iter().map(|_| Lane::default()).collect();
        let tests = Trial::of_all(matrix.comparisons(), settings);
        Experiment { matrix, settings, question, lanes, tests, left_out: BTreeSet::new() }
    }

    /// Plays no games of these: a cheaper gate has found them worse.
    pub fn leave_out(&mut self, worse: impl IntoIterator<Item = Entrant>) {
        self.left_out.extend(worse);
    }

    /// Who plays, and what is compared.
    pub fn matrix(&self) -> &Matrix {
        &self.matrix
    }

    /// What is asked, and how surely.
    pub fn settings(&self) -> TestSettings {
        self.settings
    }

    fn is_decided(&self, at: usize) -> bool {
        let comparison = &self.matrix.comparisons()[at];
        self.left_out.contains(&comparison.one) || is_decided(comparison, self.question, &self.tests[at].test)
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
        for at in 0..self.tests.len() {
            let basis = self.matrix.comparisons()[at].basis;
            while let Some(score) = next(&self.lanes, basis, self.tests[at].taken) {
                self.tests[at].taken += 1;
                // What is decided stays decided.
                if !self.is_decided(at) {
                    self.tests[at].push(score);
                }
            }
        }
        self.done()
    }

    /// Groups whose every comparison is decided.
    pub fn done(&self) -> Vec<Vec<Entrant>> {
        let needed = |group: usize| {
            let open = (0..self.tests.len()).filter(|&at| !self.is_decided(at));
            open.map(|at| self.matrix.comparisons()[at].basis).any(|basis| match basis {
                Basis::Direct(own) => own == group,
                Basis::Anchored(one, other) => one == group || other == group,
            })
        };
        let groups = self.matrix.groups().iter().enumerate();
        groups.filter(|(group, _)| !needed(*group)).map(|(_, group)| group.clone()).collect()
    }

    /// What can be said now, of all that were not left out.
    pub fn told(&self) -> GateFindings {
        let trials: Vec<_> = self.matrix.comparisons().iter().zip(&self.tests).collect();
        let is_out = |comparison: &Comparison| self.left_out.contains(&comparison.one);
        trial::told(Gate::Games, &self.matrix, &trials, self.settings.alpha(), is_out)
    }

    /// The same without how it came about.
    pub fn findings(&self) -> Vec<Finding> {
        self.told().findings
    }
}

/// Between two that are the same the question is whether there is a difference.
fn is_decided(comparison: &Comparison, question: Hypothesis, test: &Test) -> bool {
    let verdict = test.verdict();
    match question {
        _ if comparison.is_noise => verdict.is_final(),
        Hypothesis::IsBetter => verdict.settles_better(),
        Hypothesis::IsNotWorse => verdict.is_final() || verdict == Verdict::NotWorse,
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
