//! Asking: what the cheaper gates have in common.
//!
//! Every answer of a model goes through the run's journal under a name of its own, so that a run that was killed asks
//! nothing again that was answered, and through the run's budget.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::super::run::{Entry, RunEnd, RunError};
use super::bank::BankFound;
use super::gates::{Gate, Gates, IfWorse};
use super::matrix::{Comparison, Contender, Matrix};
use super::quiz::QuizFound;
use super::trial::{Finding, Purpose, Spending, Trial};
use crate::briefs::Language;
use crate::matches::Call;
use crate::players::model::{Limiter, RunBudget, Spent, usd};
use crate::store::{Change, FoundInfo, Store, StoreError};
use crate::tournaments::asking::Asking;
use crate::tournaments::bank::{Bank, Calibration};
use crate::tournaments::run::Course;
use crate::tournaments::score::Entrant;
use crate::tournaments::verdict::{TestSettings, Verdict};

/// Who puts the questions of the cheaper gates.
pub struct Examiner<'a> {
    /// The experiment's own name in the store.
    pub id: &'a str,
    /// Who is asked, and what is compared.
    pub matrix: &'a Matrix,
    /// The players of the matrix, in its order.
    pub entries: &'a [Entry],
    /// What is played.
    pub courses: &'a [Course],
    /// The gates that the file asks for.
    pub gates: &'a Gates,
    /// Banks that were read from files.
    pub banks: &'a [Bank],
    /// What is to be found out, in Elo of games: the same at every gate.
    pub settings: TestSettings,
    /// How many questions and positions the baseline is put to twice, to show the noise.
    pub noise: u32,
    /// Where answers and findings are kept.
    pub store: &'a Store,
    /// What models may use; perhaps together with others who work for the experiment.
    pub limiter: Arc<dyn Limiter>,
    /// What they have used.
    pub budget: Arc<RunBudget>,
    /// How many are asked at once.
    pub concurrency: usize,
    /// How long it may take.
    pub time: Option<Duration>,
    /// Tells it to stop after the calls under way.
    pub stop: CancellationToken,
}

/// What the cheaper gates found.
#[derive(Clone, Debug, Default)]
pub struct Examined {
    /// What the quiz found out, if it was asked.
    pub quiz: Option<QuizFound>,
    /// What the bank found out, if it was put.
    pub bank: Option<BankFound>,
    /// Who was found worse and goes no further, and by which gate.
    pub left_out: Vec<(Entrant, Gate)>,
}

impl Examined {
    /// All that the cheaper gates say.
    pub fn findings(&self) -> Vec<Finding> {
        let quiz = self.quiz.iter().flat_map(|found| &found.told.findings);
        quiz.chain(self.bank.iter().flat_map(|found| &found.told.findings)).cloned().collect()
    }
}

/// Why examining ended before its end.
#[derive(Debug)]
pub enum Interrupted {
    /// It can go on later.
    Ended(RunEnd),
    /// It could not go on.
    Failed(RunError),
}

impl From<StoreError> for Interrupted {
    fn from(error: StoreError) -> Interrupted {
        Interrupted::Failed(RunError::Store(error))
    }
}

/// What answering cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerCost {
    /// Requests to models.
    pub calls: u64,
    /// Tokens that the model read.
    pub input_tokens: u64,
    /// Tokens that the model wrote.
    pub output_tokens: u64,
    /// Money, in US dollars, as far as it is known.
    pub usd: f64,
}

impl AnswerCost {
    pub(super) fn add(&mut self, calls: &[Call]) {
        for call in calls {
            self.calls += 1;
            self.input_tokens += call.input_tokens;
            self.output_tokens += call.output_tokens;
            self.usd += call.usd.unwrap_or(0.0);
        }
    }

    /// The same with the money that the ledger says was spent; what is known without one stays.
    #[must_use]
    pub(super) fn by_ledger(self, spent: Spent) -> AnswerCost {
        if spent.requests == 0 { self } else { AnswerCost { calls: spent.requests, usd: usd(spent.cost), ..self } }
    }

    /// Adds another cost to this one.
    pub fn join(&mut self, other: &AnswerCost) {
        self.calls += other.calls;
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.usd += other.usd;
    }
}

/// Who somebody is in an experiment, for tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContenderInfo {
    /// What records call it.
    pub player: String,
    /// The model; nothing for an anchor.
    pub model: Option<String>,
    /// The prompt variant.
    pub variant: Option<String>,
    /// The language it is addressed in.
    pub language: Option<Language>,
    /// Whether it is the baseline once more.
    pub twin: bool,
}

impl ContenderInfo {
    pub(super) fn of(player: &Contender) -> ContenderInfo {
        let name = player.name();
        match player {
            Contender::Prompted { model, variant, language, twin } => ContenderInfo {
                player: name,
                model: Some(model.clone()),
                variant: Some(variant.clone()),
                language: Some(*language),
                twin: *twin,
            },
            Contender::Anchor(_) => {
                ContenderInfo { player: name, model: None, variant: None, language: None, twin: false }
            }
        }
    }
}

/// What happens while the cheaper gates are passed.
#[derive(Clone, Copy, Debug)]
pub enum News<'n> {
    /// The bank is made, which takes a while.
    Making,
    /// So many answers of so many are in.
    Answered {
        /// At which gate.
        gate: Gate,
        /// How many answers there are by now.
        done: usize,
        /// Of how many, at the most.
        of: usize,
        /// Who is still asked, and so for which questions.
        asked: &'n [String],
    },
    /// The quiz is over.
    Quiz(&'n QuizFound),
    /// The bank is over.
    Bank(&'n BankFound),
}

/// Whoever is told.
pub type Tell<'t> = dyn FnMut(News<'_>) + 't;

impl fmt::Debug for Examiner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Examiner").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Examiner<'_> {
    /// Takes everybody through the cheaper gates, from wherever it stopped.
    ///
    /// # Errors
    /// If it has to stop before its end. What was answered is kept.
    pub async fn examine(&self, tell: &mut Tell<'_>) -> Result<Examined, Interrupted> {
        let mut examined = Examined::default();
        let halt = self.stop.child_token();
        let end = self.time.map(|time| Instant::now() + time);
        if self.gates.has(Gate::Quiz) {
            let found = self.quiz(&halt, end, tell).await?;
            self.keep(Gate::Quiz.name(), &found).await?;
            tell(News::Quiz(&found));
            if self.gates.quiz.eliminates {
                examined.left_out.extend(self.worse(&found.told.findings, Gate::Quiz, &examined.left_out));
            }
            examined.quiz = Some(found);
        }
        if self.gates.has(Gate::Bank) {
            let out = examined.left_out.iter().map(|(one, _)| *one).collect();
            let found = self.bank(&out, &halt, end, tell).await?;
            self.keep(Gate::Bank.name(), &found).await?;
            tell(News::Bank(&found));
            examined.left_out.extend(self.worse(&found.told.findings, Gate::Bank, &examined.left_out));
            examined.bank = Some(found);
        }
        // Whoever is worse at the last gate has nothing left to be left out of.
        if !self.gates.has(Gate::Games) {
            let last = self.gates.list.last().copied();
            examined.left_out.retain(|(_, gate)| Some(*gate) != last);
        }
        Ok(examined)
    }

    /// Keeps what a gate found where reports find it.
    pub(super) async fn keep(&self, topic: &str, found: &impl Serialize) -> Result<(), StoreError> {
        let body = serde_json::to_string(found).expect("plain data");
        let found = FoundInfo { tournament: self.id.to_owned(), topic: topic.to_owned(), body };
        self.store.write(vec![Change::Found(found)]).await
    }

    fn worse(&self, findings: &[Finding], gate: Gate, known: &[(Entrant, Gate)]) -> Vec<(Entrant, Gate)> {
        if self.gates.if_worse == IfWorse::GoOn {
            return Vec::new();
        }
        let is_worse = |comparison: &&Comparison| {
            let [one, other] = [comparison.one, comparison.other].map(|it| self.matrix.players()[it.index()].name());
            let found = findings.iter().find(|found| found.one == one && found.other == other);
            self.matrix.is_variant(comparison) && found.is_some_and(|found| found.verdict == Verdict::Worse)
        };
        let worse: BTreeSet<Entrant> =
            self.matrix.comparisons().iter().filter(is_worse).map(|comparison| comparison.one).collect();
        worse.into_iter().filter(|one| known.iter().all(|(other, _)| other != one)).map(|one| (one, gate)).collect()
    }

    /// What is known of the worth of a course's answers in Elo: from the bank of the file, or that of the program.
    pub(super) fn calibration(&self, course: &Course) -> Option<Calibration> {
        let from_file = self.banks.iter().find(|bank| bank.is_of(&course.ruleset)).cloned();
        from_file.or_else(|| Bank::built_in(&course.ruleset).ok().flatten())?.calibration
    }

    /// How many items are put at a time once so many are done: what shows the noise ends with a handful.
    pub(super) fn handful(&self, done: usize) -> usize {
        let usual = self.concurrency.clamp(4, 16);
        (self.noise as usize).checked_sub(done).filter(|&left| left > 0).map_or(usual, |left| usual.min(left))
    }

    /// Who must answer the next item: both sides of every question that is open, and for the first few items who shows
    /// the noise. Nobody where no question is open.
    pub(super) fn needed(
        &self,
        comparisons: &[Comparison],
        trials: &[Trial],
        is_open: fn(&Trial) -> bool,
    ) -> BTreeSet<Entrant> {
        let sides = |at: usize| [comparisons[at].one, comparisons[at].other];
        let open = |noise: bool| (0..trials.len()).filter(move |&at| comparisons[at].is_noise == noise);
        let mut needed: BTreeSet<Entrant> = open(false).filter(|&at| is_open(&trials[at])).flat_map(sides).collect();
        let noisy = open(true).filter(|&at| trials[at].test.blocks() < u64::from(self.noise));
        // The noise goes along with questions; it is never a reason to ask.
        let along: Vec<Entrant> = noisy.filter(|&at| needed.contains(&comparisons[at].other)).flat_map(sides).collect();
        needed.extend(along);
        needed
    }

    /// What each question of a gate cost: what the variants answered is theirs, what the baseline answered all need.
    pub(super) fn spent(
        &self,
        gate: Gate,
        comparisons: &[Comparison],
        bills: &[(Entrant, u64, AnswerCost)],
    ) -> Vec<Spending> {
        let name = |one: Entrant| self.matrix.players()[one.index()].name();
        let spending = |&(one, items, cost): &(Entrant, u64, AnswerCost)| {
            let purpose = match comparisons.iter().find(|it| it.one == one) {
                Some(it) if it.is_noise => Purpose::Noise { player: name(it.other) },
                Some(it) => Purpose::Question { one: name(it.one), other: name(it.other) },
                None if matches!(self.matrix.players()[one.index()], Contender::Anchor(_)) => {
                    Purpose::Yardstick { player: name(one) }
                }
                None => Purpose::Baseline { player: name(one) },
            };
            Spending { gate, purpose, items, cost }
        };
        bills.iter().filter(|(_, items, _)| *items > 0).map(spending).collect()
    }

    /// Comparisons between two who both answer.
    pub(super) fn comparisons(&self, answers: impl Fn(Entrant) -> bool) -> Vec<Comparison> {
        let both =
            |it: &&Comparison| matches!(it.basis, super::Basis::Direct(_)) && answers(it.one) && answers(it.other);
        self.matrix.comparisons().iter().filter(both).cloned().collect()
    }

    /// Has all these jobs done, so many at once, in order. What is under way when it has to stop is done to its end.
    pub(super) async fn all<J, T, F>(
        &self,
        jobs: Vec<J>,
        work: impl Fn(J) -> F,
        halt: &CancellationToken,
        end: Option<Instant>,
        mut each: impl FnMut(usize),
    ) -> Result<Vec<T>, Interrupted>
    where
        F: Future<Output = Result<T, String>>,
    {
        let asking =
            Asking { limiter: self.limiter.as_ref(), concurrency: self.concurrency, stop: &self.stop, halt, end };
        asking.all(jobs, work, |done| each(done.len())).await.map_err(Interrupted::Ended)
    }
}
