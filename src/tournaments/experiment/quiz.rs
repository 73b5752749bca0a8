//! The first gate: questions about the rules, put under every prompt that is compared.

use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::examine::{AnswerCost, ContenderInfo, Examiner, Interrupted, News, Tell};
use super::gates::{Gate, QuizGate};
use super::matrix::Contender;
use super::trial::{GateFindings, Trial, told};
use crate::games::Seat;
use crate::players::model::Model;
use crate::tournaments::quiz::{Grade, Grades, QUIZ_VERSION, Quiz, QuizItem, read_answer};
use crate::tournaments::run::EntryKind;
use crate::tournaments::score::{Entrant, versus};

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
    /// What it cost.
    pub bill: AnswerCost,
}

/// What came of the questions about one rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleGrade {
    /// The rule, by its name in the quiz.
    pub rule: String,
    /// How many questions, and how many right answers.
    pub grade: Grade,
    /// An item each, in order: `1` right, `0` wrong, `?` neither yes nor no.
    pub items: String,
}

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
        let mut jobs = Vec::new();
        for (course, quiz) in quizzes.iter().enumerate() {
            for &entrant in &asked {
                let Some(model) = model(entrant) else { continue };
                jobs.extend(quiz.items.iter().map(|item| QuizJob { entrant, model, course, quiz, item }));
            }
        }
        let of = jobs.len();
        let each = |done| tell(News::Answered { gate: Gate::Quiz, done, of });
        let answers = self.all(jobs, |job| self.put(job), halt, end, each).await?;
        let comparisons = self.comparisons(|one| asked.contains(&one));
        let settings = self.settings_for(made.delta);
        let mut trials = Trial::of_all(&comparisons, settings);
        let mut answers = answers.into_iter();
        let mut rows = Vec::new();
        for (course, quiz) in quizzes.iter().enumerate() {
            let mut right: Vec<(Entrant, Vec<bool>)> = Vec::new();
            for &one in &asked {
                let own: Vec<(Option<bool>, AnswerCost)> = answers.by_ref().take(quiz.items.len()).collect();
                right.push((one, quiz.items.iter().zip(&own).map(|(item, it)| it.0 == Some(item.answer)).collect()));
                rows.push(self.row(one, course, quiz, &own));
            }
            let of = |one: Entrant| right.iter().find(|(other, _)| *other == one).map(|(_, right)| right);
            for (comparison, trial) in comparisons.iter().zip(&mut trials) {
                let (Some(one), Some(other)) = (of(comparison.one), of(comparison.other)) else { continue };
                for (one, other) in one.iter().zip(other) {
                    let [one, other] = [one, other].map(|right| f64::from(u8::from(*right)));
                    trial.push(versus(one, other));
                }
            }
        }
        let trials: Vec<_> = comparisons.iter().zip(&trials).collect();
        Ok(QuizFound {
            version: QUIZ_VERSION,
            made,
            rows,
            told: told(Gate::Quiz, self.matrix, &trials, self.settings.alpha(), |_| false),
            not_asked: silent.iter().map(|one| self.matrix.players()[one.index()].name()).collect(),
        })
    }

    /// Puts one question.
    async fn put(&self, job: QuizJob<'_>) -> Result<(Option<bool>, AnswerCost), String> {
        let QuizJob { entrant, model, course, quiz, item } = job;
        let Contender::Prompted { language, .. } = &self.matrix.players()[entrant.index()] else {
            return Err("nobody reads".to_owned());
        };
        let name = format!("{}.quiz.{}.{course}.{}", self.id, entrant.index(), item.id);
        let language = model.language(*language);
        let message = quiz.message(item, language).map_err(|refusal| refusal.message)?;
        let system = model.briefing(&quiz.ruleset, 2, Seat::new(0), language);
        let (answer, call) = model.question(&name, &system, &message).await?;
        let mut bill = AnswerCost::default();
        bill.add(&[call]);
        Ok((read_answer(&answer), bill))
    }

    fn row(&self, one: Entrant, course: usize, quiz: &Quiz, own: &[(Option<bool>, AnswerCost)]) -> QuizRow {
        let who = ContenderInfo::of(&self.matrix.players()[one.index()]);
        let language = who.language.unwrap_or_default();
        let mut grades = Grades::default();
        let mut bill = AnswerCost::default();
        for (item, (answer, cost)) in quiz.items.iter().zip(own) {
            grades.take(item, language, *answer);
            bill.join(cost);
        }
        let rules = quiz.rules().into_iter().map(|rule| {
            let items = quiz.items.iter().zip(own).filter(|(item, _)| item.rule == rule);
            RuleGrade {
                rule: rule.to_owned(),
                grade: grades.grade(rule, language),
                items: items
                    .map(|(item, (answer, _))| match answer {
                        None => '?',
                        Some(answer) if *answer == item.answer => '1',
                        Some(_) => '0',
                    })
                    .collect(),
            }
        });
        QuizRow { who, course: self.courses[course].name.clone(), rules: rules.collect(), bill }
    }
}
