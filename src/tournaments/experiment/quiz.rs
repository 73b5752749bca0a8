//! The first gate: questions about the rules, put under every prompt that is compared.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::examine::{AnswerCost, ContenderInfo, Examiner, Interrupted, News, Tell};
use super::gates::{Gate, QuizGate};
use super::matrix::Contender;
use super::trial::{GateFindings, Trial, told};
use crate::games::{Seat, Seed};
use crate::players::model::Model;
use crate::tournaments::bank::Calibration;
use crate::tournaments::chance::shuffle;
use crate::tournaments::quiz::{Grade, Grades, QUIZ_VERSION, Quiz, QuizItem, read_answer};
use crate::tournaments::run::EntryKind;
use crate::tournaments::score::{Entrant, versus};
use crate::tournaments::verdict::Scale;

/// What the quiz found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuizFound {
    /// [`QUIZ_VERSION`].
    pub version: u32,
    /// How it was made.
    pub made: QuizGate,
    /// Everybody's answers, a ruleset each.
    pub rows: Vec<QuizRow>,
    /// What that means.
    pub told: GateFindings,
    /// Who reads no questions and was not asked.
    pub not_asked: Vec<String>,
}

/// The answers of a player about a ruleset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuizRow {
    /// The contender who answered.
    pub who: ContenderInfo,
    /// Which ruleset and map.
    pub course: String,
    /// By rule, in the order of the quiz.
    pub rules: Vec<RuleGrade>,
    /// Answers that were neither yes nor no.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unclear: Vec<UnclearAnswer>,
    /// What it cost.
    pub bill: AnswerCost,
}

/// An answer that was neither yes nor no.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnclearAnswer {
    /// The question, by its id in the quiz.
    pub id: String,
    /// Under which name the store keeps what was asked and answered.
    pub asked: String,
}

/// What came of the questions about one rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleGrade {
    /// The rule, by its name in the quiz.
    pub rule: String,
    /// How many questions, and how many right answers.
    pub grade: Grade,
    /// An item each, in order: `1` right, `0` wrong, `?` neither yes nor no, `-` not asked.
    pub items: String,
}

/// Yes or no, if it could be read, and what it cost.
type QuizAnswer = (Option<bool>, AnswerCost);

/// How far the answers of two to the same question lie apart before anything is known: the mean of (score − ½)².
const MOMENT: f64 = 0.06;

/// A question to somebody.
struct QuizJob<'a> {
    entrant: Entrant,
    model: &'a Model,
    course: usize,
    quiz: &'a Quiz,
    item: &'a QuizItem,
}

impl Examiner<'_> {
    pub(super) async fn quiz(
        &self,
        halt: &CancellationToken,
        end: Option<Instant>,
        tell: &mut Tell<'_>,
    ) -> Result<QuizFound, Interrupted> {
        let made = self.gates.quiz;
        let mut quizzes = Vec::new();
        for course in self.courses {
            let quiz = Quiz::build(course.ruleset.clone(), 2, made.per_rule as usize, made.seed);
            quizzes.push(quiz.map_err(|refusal| {
                Interrupted::Failed(crate::tournaments::run::RunError::Seats(format!(
                    "{}: {}",
                    course.name, refusal.message
                )))
            })?);
        }
        let model = |one: Entrant| match &self.entries[one.index()].kind {
            EntryKind::Factory(factory) => factory.model(),
            EntryKind::Bot(_) => None,
        };
        let prompted = (0..self.entries.len())
            .map(Entrant::new)
            .filter(|one| matches!(self.matrix.players()[one.index()], Contender::Prompted { .. }));
        let (asked, silent): (Vec<Entrant>, Vec<Entrant>) = prompted.partition(|&one| model(one).is_some());
        let comparisons = self.comparisons(|one| asked.contains(&one));
        let scales: Vec<Scale> =
            self.courses.iter().map(|course| quiz_scale(self.calibration(course).as_ref())).collect();
        let mut trials = Trial::of_answers(&comparisons, self.settings, &scales);
        let order = order(&quizzes, made.seed);
        let mut given: Vec<BTreeMap<(usize, usize), QuizAnswer>> = vec![BTreeMap::new(); self.entries.len()];
        let mut done = 0;
        // A handful of questions at a time: what is decided costs nothing more.
        while done < order.len() {
            let some = &order[done..order.len().min(done + self.handful(done))];
            let needed = self.needed(&comparisons, &trials, is_open);
            let sits: Vec<Entrant> =
                asked.iter().copied().filter(|one| needed.contains(one) || comparisons.is_empty()).collect();
            if sits.is_empty() {
                break;
            }
            let mut jobs = Vec::new();
            for &(course, at) in some {
                let quiz = &quizzes[course];
                jobs.extend(sits.iter().filter_map(|&entrant| {
                    Some(QuizJob { entrant, model: model(entrant)?, course, quiz, item: &quiz.items[at] })
                }));
            }
            let names: Vec<String> = sits.iter().map(|one| self.matrix.players()[one.index()].name()).collect();
            let each = |more: usize| {
                let done = done + more / sits.len().max(1);
                tell(News::Answered { gate: Gate::Quiz, done, of: order.len(), asked: &names });
            };
            let answers = self.all(jobs, |job| self.put(job), halt, end, each).await?;
            done += some.len();
            let mut answers = answers.into_iter();
            for &(course, at) in some {
                let expected = quizzes[course].items[at].answer;
                let row: Vec<QuizAnswer> = answers.by_ref().take(sits.len()).collect();
                // What cannot be read is counted apart: a format says nothing about the rules.
                let right = |one: Entrant| {
                    let at = sits.iter().position(|&other| other == one)?;
                    row[at].0.map(|answer| f64::from(u8::from(answer == expected)))
                };
                for (comparison, trial) in comparisons.iter().zip(&mut trials).filter(|(_, trial)| is_open(trial)) {
                    if let (Some(one), Some(other)) = (right(comparison.one), right(comparison.other)) {
                        trial.push_on(course, versus(one, other));
                    }
                }
                for (one, answer) in sits.iter().zip(row) {
                    given[one.index()].insert((course, at), answer);
                }
            }
        }
        let tested: Vec<_> = comparisons.iter().zip(&trials).collect();
        let mut told = told(Gate::Quiz, self.matrix, &tested, self.settings, |_| false);
        let bills: Vec<_> = asked.iter().map(|&one| bill(one, &given[one.index()])).collect();
        told.spent = self.spent(Gate::Quiz, &comparisons, &bills);
        let mut rows = Vec::new();
        for (course, quiz) in quizzes.iter().enumerate() {
            let answered = |one: &&Entrant| given[one.index()].keys().any(|(other, _)| *other == course);
            rows.extend(asked.iter().filter(answered).map(|&one| self.row(one, course, quiz, &given[one.index()])));
        }
        Ok(QuizFound {
            version: QUIZ_VERSION,
            made,
            rows,
            told,
            not_asked: silent.iter().map(|one| self.matrix.players()[one.index()].name()).collect(),
        })
    }

    /// Puts one question.
    async fn put(&self, job: QuizJob<'_>) -> Result<QuizAnswer, String> {
        let QuizJob { entrant, model, course, quiz, item } = job;
        let Contender::Prompted { language, .. } = &self.matrix.players()[entrant.index()] else {
            return Err("nobody reads".to_owned());
        };
        let name = format!("{}{}", self.questions(entrant, course), item.id);
        let language = model.language(*language);
        let message = quiz.message(item, language).map_err(|refusal| refusal.message)?;
        let system = model.briefing(&quiz.ruleset, 2, Seat::new(0), language);
        let (answer, call) = model.question(&name, &system, &message).await?;
        let mut bill = AnswerCost::default();
        bill.add(&[call]);
        Ok((read_answer(&answer), bill))
    }

    /// What the names of somebody's questions about a course begin with in the store.
    fn questions(&self, one: Entrant, course: usize) -> String {
        format!("{}.quiz.{}.{course}.", self.id, one.index())
    }

    fn row(&self, one: Entrant, course: usize, quiz: &Quiz, own: &BTreeMap<(usize, usize), QuizAnswer>) -> QuizRow {
        let who = ContenderInfo::of(&self.matrix.players()[one.index()]);
        let language = who.language.unwrap_or_default();
        let answer = |at: usize| own.get(&(course, at));
        let mut grades = Grades::default();
        let mut bill = AnswerCost::default();
        let mut unclear = Vec::new();
        let questions = self.questions(one, course);
        for (at, item) in quiz.items.iter().enumerate() {
            let Some((answer, cost)) = answer(at) else { continue };
            grades.take(item, language, *answer);
            bill.join(cost);
            if answer.is_none() {
                unclear.push(UnclearAnswer { id: item.id.clone(), asked: format!("{questions}{}", item.id) });
            }
        }
        let bill = bill.by_ledger(self.budget.spent_under(&questions));
        let rules = quiz.rules().into_iter().map(|rule| {
            let items = quiz.items.iter().enumerate().filter(|(_, item)| item.rule == rule);
            RuleGrade {
                rule: rule.to_owned(),
                grade: grades.grade(rule, language),
                items: items
                    .map(|(at, item)| match answer(at) {
                        None => '-',
                        Some((None, _)) => '?',
                        Some((Some(answer), _)) if *answer == item.answer => '1',
                        Some(_) => '0',
                    })
                    .collect(),
            }
        });
        QuizRow { who, course: self.courses[course].name.clone(), rules: rules.collect(), unclear, bill }
    }
}

/// Whether more questions could change the verdict.
fn is_open(trial: &Trial) -> bool {
    !trial.test.verdict().is_final()
}

/// All questions of all courses in an order that the seed gives: rule by rule, one weak rule at the front would decide.
fn order(quizzes: &[Quiz], seed: Seed) -> Vec<(usize, usize)> {
    let all = quizzes.iter().enumerate().flat_map(|(course, quiz)| (0..quiz.items.len()).map(move |at| (course, at)));
    let mut order: Vec<(usize, usize)> = all.collect();
    shuffle(&mut order, &mut seed.child("quiz order", 0).dice());
    order
}

/// What a right answer is worth in Elo: as if who does not know a rule moved at random there. Who knows a share p of the
/// rules then answers ½ + p/2 rightly and plays like the mixture with that share of the search's moves.
pub fn quiz_scale(calibration: Option<&Calibration>) -> Scale {
    let Some(it) = calibration else { return Scale::unknown(MOMENT) };
    let whole = it.elo_of_share(1.0) - it.elo_of_share(0.0);
    let per_elo = if whole > 0.0 { 0.5 / whole } else { 0.0 };
    Scale::answers(per_elo, it.least_share_per_elo / 2.0, MOMENT)
}

fn bill(one: Entrant, given: &BTreeMap<(usize, usize), QuizAnswer>) -> (Entrant, u64, AnswerCost) {
    let mut bill = AnswerCost::default();
    for (_, cost) in given.values() {
        bill.join(cost);
    }
    (one, given.len() as u64, bill)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::games::Ruleset;
    use crate::tournaments::chance::unit;
    use crate::tournaments::verdict::{Test, TestSettings, Verdict};

    /// A variant that knows nothing of one rule and all of the others, against one that knows three quarters of each.
    fn verdict(order: &[(usize, usize)], quiz: &Quiz, weak: &str, seed: Seed) -> Verdict {
        let settings = TestSettings::of_elo(70.0, 0.05, 0.05).expect("sound");
        let mut test = Test::of_answers(settings, &[Scale::unknown(MOMENT)]);
        let mut dice = seed.dice();
        for &(_, at) in order {
            let one = f64::from(u8::from(quiz.items[at].rule != weak));
            let other = f64::from(u8::from(unit(&mut dice) < 0.75));
            test.push(versus(one, other));
            if test.verdict().is_final() {
                break;
            }
        }
        test.verdict()
    }

    #[test]
    fn the_verdict_does_not_hang_on_where_a_weak_rule_stands() {
        let ruleset = Arc::new(Ruleset::named("cowboy").expect("built in"));
        let quiz = Quiz::build(ruleset, 2, 60, Seed(1)).expect("it seats two");
        let rules = quiz.rules();
        let (first, last) = (rules[0], rules[rules.len() - 1]);
        let by_rule: Vec<(usize, usize)> = (0..quiz.items.len()).map(|at| (0, at)).collect();
        let told = |order: &dyn Fn(Seed) -> Vec<(usize, usize)>, weak: &str| {
            let verdicts = (0..40).map(|run| verdict(&order(Seed(run)), &quiz, weak, Seed(run)));
            verdicts.filter(|&verdict| verdict == Verdict::Better).count()
        };
        let in_turn = |_| by_rule.clone();
        let by_turn = (told(&in_turn, first), told(&in_turn, last));
        assert!(by_turn.0 + 8 < by_turn.1, "rule by rule, the order decides: {by_turn:?}");
        let shuffled = |seed| order(std::slice::from_ref(&quiz), seed);
        let (first, last) = (told(&shuffled, first), told(&shuffled, last));
        assert!(first.abs_diff(last) <= 8, "better {first} times with the first rule weak, {last} with the last");
    }
}
