//! Prompt experiments: which of several prompts plays better, with errors that are bounded at any moment one looks.
//!
//! Every variant plays against the baseline, and beside that both play against the same bots on the same seeds. A small
//! sample of the baseline against itself shows the noise; it is never a reason to go on. A comparison that is decided
//! costs nothing more, and a block whose games repeat an earlier block's is no new sample.

mod bank;
mod examine;
mod file;
mod forecast;
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
pub use self::forecast::{Assumption, GamesOutlook, GateOutlook, Outlook, PlayerOutlook, RUNS, SimulatedRun, range_of};
pub use self::gates::{BankGate, Gate, Gates, IfWorse, QuizGate};
pub use self::matrix::{Basis, Comparison, Contender, Matrix, twin_of};
pub use self::quiz::{QuizFound, QuizRow, RuleGrade, UnclearAnswer, quiz_scale};
pub use self::trial::{
    Cause, ErrorBudget, Failures, Finding, GateFindings, PairCounts, Purpose, Spending, WealthPath, of_record,
};

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
#[derive(Clone, Debug)]
pub struct Experiment {
    matrix: Matrix,
    settings: TestSettings,
    question: Hypothesis,
    /// Blocks of the baseline against itself.
    noise: u32,
    lanes: Vec<Lane>,
    tests: Vec<Trial>,
    /// Whom a cheaper gate has found worse.
    left_out: BTreeSet<Entrant>,
}

/// The blocks of a group, in the order in which they were handed out, however they end: a bet must not depend on which
/// games are short.
#[derive(Clone, Debug, Default)]
struct Lane {
    issued: VecDeque<u64>,
    settled: BTreeMap<u64, LaneScore>,
    /// What the first of the group had of each block.
    scores: Vec<LaneScore>,
    /// What was played in the blocks so far.
    seen: BTreeSet<Vec<u64>>,
}

/// What the first of a group had of a block.
#[derive(Clone, Debug)]
struct LaneScore {
    score: f64,
    /// Fingerprints of what was played, by game; empty where nobody kept them.
    played: Vec<u64>,
    /// Whether the very same games were played in an earlier block.
    repeats: bool,
}

impl Experiment {
    /// An experiment without blocks.
    pub fn new(matrix: Matrix, settings: TestSettings, question: Hypothesis, noise: u32) -> Experiment {
        let lanes = matrix.groups().iter().map(|_| Lane::default()).collect();
        let tests = Trial::of_games(matrix.comparisons(), settings);
        Experiment { matrix, settings, question, noise, lanes, tests, left_out: BTreeSet::new() }
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

    /// How many blocks show the noise, at the most.
    pub fn noise(&self) -> u32 {
        self.noise
    }

    /// What the games of a group are for.
    pub fn purpose(&self, group: &[Entrant]) -> Purpose {
        self.matrix.purpose(group)
    }

    /// What a game between these is for, in whichever seats.
    pub fn purpose_among(&self, players: &[Entrant]) -> Option<Purpose> {
        let same =
            |group: &&Vec<Entrant>| group.len() == players.len() && group.iter().all(|one| players.contains(one));
        self.matrix.groups().iter().find(same).map(|group| self.purpose(group))
    }

    /// What is asked of every variant.
    pub fn question(&self) -> Hypothesis {
        self.question
    }

    fn is_decided(&self, at: usize) -> bool {
        let comparison = &self.matrix.comparisons()[at];
        let test = &self.tests[at].test;
        if comparison.is_noise {
            return test.blocks() >= u64::from(self.noise);
        }
        self.left_out.contains(&comparison.one) || is_decided(self.question, test)
    }

    /// Whether every question is answered: nothing is left to find out.
    pub fn is_answered(&self) -> bool {
        (0..self.tests.len()).all(|at| self.matrix.comparisons()[at].is_noise || self.is_decided(at))
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

    /// A block is over. Gives the groups that need no more blocks. `played` has a fingerprint of what was played in each
    /// game; where that is what an earlier block of the group had, this one is no new sample.
    pub fn settled(&mut self, block: &Block, scores: &[f64], played: &[u64]) -> Vec<Vec<Entrant>> {
        let Some(lane) = self.lane(&block.group) else { return Vec::new() };
        let score = scores.first().copied().unwrap_or(0.5);
        lane.settled.insert(block.number, LaneScore { score, played: played.to_vec(), repeats: false });
        while let Some(mut next) = lane.issued.front().and_then(|next| lane.settled.remove(next)) {
            lane.issued.pop_front();
            next.repeats = !next.played.is_empty() && !lane.seen.insert(next.played.clone());
            lane.scores.push(next);
        }
        for at in 0..self.tests.len() {
            let basis = self.matrix.comparisons()[at].basis;
            while let Some(next) = next(&self.lanes, basis, self.tests[at].taken) {
                self.tests[at].taken += 1;
                // What is decided stays decided.
                match next {
                    _ if self.is_decided(at) => {}
                    Some(score) => self.tests[at].push(score),
                    None => self.tests[at].repeats += 1,
                }
            }
        }
        self.done()
    }

    /// Groups whose every comparison is decided. Where every question is answered, all of them are: the noise is no
    /// reason to go on.
    pub fn done(&self) -> Vec<Vec<Entrant>> {
        let open: Vec<Basis> = (0..self.tests.len())
            .filter(|&at| !self.is_decided(at))
            .map(|at| self.matrix.comparisons()[at].basis)
            // Games that show the noise by the way are played for others.
            .filter(|basis| !matches!(basis, Basis::Halves(_)))
            .collect();
        let needed = |group: usize| {
            open.iter().any(|&basis| match basis {
                Basis::Direct(own) | Basis::Halves(own) => own == group,
                Basis::Anchored(one, other) => one == group || other == group,
            })
        };
        let answered = self.is_answered();
        let groups = self.matrix.groups().iter().enumerate();
        groups.filter(|(group, _)| answered || !needed(*group)).map(|(_, group)| group.clone()).collect()
    }

    /// What can be said now, of all that were not left out.
    pub fn told(&self) -> GateFindings {
        let trials: Vec<_> = self.matrix.comparisons().iter().zip(&self.tests).collect();
        let is_out = |comparison: &Comparison| self.left_out.contains(&comparison.one);
        trial::told(Gate::Games, &self.matrix, &trials, self.settings, is_out)
    }

    /// The same without how it came about.
    pub fn findings(&self) -> Vec<Finding> {
        self.told().findings
    }
}

fn is_decided(question: Hypothesis, test: &Test) -> bool {
    let verdict = test.verdict();
    match question {
        Hypothesis::IsBetter => verdict.settles_better(),
        Hypothesis::IsNotWorse => verdict.is_final() || verdict == Verdict::NotWorse,
    }
}

/// The next score of a comparison, once all blocks that it needs are over; `Some(None)` where it is no new sample.
#[expect(clippy::option_option, reason = "not there yet, and there but nothing new, are two things")]
fn next(lanes: &[Lane], basis: Basis, taken: usize) -> Option<Option<f64>> {
    let fresh = |score: &LaneScore| (!score.repeats).then_some(score.score);
    match basis {
        Basis::Direct(own) => lanes[own].scores.get(taken).map(fresh),
        Basis::Anchored(one, other) => {
            let (one, other) = (lanes[one].scores.get(taken)?, lanes[other].scores.get(taken)?);
            Some((!one.repeats || !other.repeats).then(|| versus(one.score, other.score)))
        }
        Basis::Halves(own) => {
            let [one, other] = [2 * taken, 2 * taken + 1].map(|at| lanes[own].scores.get(at));
            let (one, other) = (one?, other?);
            Some(fresh(one).zip(fresh(other)).map(|(one, other)| versus(one, other)))
        }
    }
}
