//! The quiz: does a player know the rules? The engine makes the questions and the answers; no judge is needed.
//!
//! Questions are answered with yes or no, each as often right for every rule. Half of them come in pairs that differ in
//! one thing, a wall or a shield, and in the answer: whoever answers by the look of things gets one of the two wrong.
//! The same items, under the same names, are put in English and in Chinese.

mod draw;
mod export;
mod grade;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value as Json;

use self::draw::QuizSource;
use crate::briefs::{Language, brief, question_message};
use crate::games::any::each_rules;
use crate::games::quiz::{self, Question, QuizRule};
use crate::games::{Dice, Refusal, Ruleset, Seed, Table, Viewer};

pub use self::export::{Export, inspect_bank, inspect_quiz, promptfoo_bank, promptfoo_quiz};
pub use self::grade::{Grade, Grades, read_answer, yes_or_no};

/// The version of the questions. It goes up when the same seed gives others.
pub const QUIZ_VERSION: u32 = 1;

/// So often a question of a rule is sought before the quiz does without.
const MAX_TRIES: u32 = 4000;

/// Questions about the rules of a ruleset, with their answers.
#[derive(Clone, Debug)]
pub struct Quiz {
    /// The rules that are asked about.
    pub ruleset: Arc<Ruleset>,
    /// How many sit at the table.
    seats: usize,
    /// The questions, rule by rule.
    pub items: Vec<QuizItem>,
}

/// A question with its answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuizItem {
    /// Its own name, the same in every language: `beam-hit-03`, or `beam-hit-03a` and `beam-hit-03b` for a pair.
    pub id: String,
    /// Which rule it is about.
    pub rule: &'static str,
    /// The other half of the pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twin: Option<String>,
    /// The position, as the contract writes it.
    pub state: Json,
    /// What is asked.
    pub question: Question,
    /// Whether yes is right.
    pub answer: bool,
}

impl Quiz {
    /// A quiz about a ruleset, with so many questions a rule (rounded up to a multiple of four). The same seed gives the
    /// same quiz.
    ///
    /// # Errors
    /// If the ruleset does not take so many seats.
    pub fn build(ruleset: Arc<Ruleset>, seats: usize, per_rule: usize, seed: Seed) -> Result<Quiz, Refusal> {
        Table::open(ruleset.clone(), seats, seed)?;
        let name = &ruleset.name;
        let items = each_rules!(&ruleset.rules, rules, G => {
            draw_items::<G>(&QuizSource { rules, ruleset: name, seats }, per_rule, seed)
        });
        Ok(Quiz { ruleset, seats, items })
    }

    /// The rules that it asks about, in order.
    pub fn rules(&self) -> Vec<&str> {
        let mut rules: Vec<&str> = self.items.iter().map(|item| item.rule).collect();
        rules.dedup();
        rules
    }

    /// What a player is told before any question: the rules.
    pub fn system(&self, language: Language) -> String {
        brief(&self.ruleset, self.seats, language)
    }

    /// The position and the question.
    ///
    /// # Errors
    /// If the position is no longer one.
    pub fn message(&self, item: &QuizItem, language: Language) -> Result<String, Refusal> {
        let table = Table::from_state(self.ruleset.clone(), &item.state)?;
        Ok(question_message(&item.question, &table.view(Viewer::After), language))
    }
}

/// The questions about every rule of a game.
fn draw_items<G: quiz::Quiz>(source: &QuizSource<'_, G>, per_rule: usize, seed: Seed) -> Vec<QuizItem> {
    let pairs = per_rule.max(1).div_ceil(4);
    let mut items = Vec::new();
    for (number, rule) in (0..).zip(G::ASKED).filter(|(_, rule)| G::asks(source.rules, rule.rule)) {
        let mut dice = seed.child("quiz", number).dice();
        for index in 0..pairs {
            items.extend(draw_pair(source, rule, index, &mut dice).into_iter().flatten());
        }
        for index in 0..2 * pairs {
            items.extend(draw_single(source, rule, pairs + index, index % 2 == 0, &mut dice));
        }
    }
    items
}

/// Two questions that differ in one thing and in the answer.
fn draw_pair<G: quiz::Quiz>(
    source: &QuizSource<'_, G>,
    rule: &QuizRule<G>,
    index: usize,
    dice: &mut Dice,
) -> Option<[QuizItem; 2]> {
    (0..MAX_TRIES / 8).find_map(|_| {
        let drawn = source.draw(rule, dice)?;
        let twin = source.twin(&drawn, dice)?;
        let named = |letter: char| format!("{}-{:02}{letter}", rule.rule, index + 1);
        let item = |letter, other, state, answer| QuizItem {
            id: named(letter),
            rule: rule.rule,
            twin: Some(named(other)),
            state,
            question: drawn.question(),
            answer,
        };
        let (one, other) = (source.state(&drawn), source.written(&twin));
        Some([item('a', 'b', one, drawn.answer), item('b', 'a', other, !drawn.answer)])
    })
}

/// A question with this answer.
fn draw_single<G: quiz::Quiz>(
    source: &QuizSource<'_, G>,
    rule: &QuizRule<G>,
    index: usize,
    wanted: bool,
    dice: &mut Dice,
) -> Option<QuizItem> {
    let mut tries = (0..MAX_TRIES).filter_map(|_| source.draw(rule, dice));
    tries.find(|drawn| drawn.answer == wanted).map(|drawn| QuizItem {
        id: format!("{}-{:02}", rule.rule, index + 1),
        rule: rule.rule,
        twin: None,
        state: source.state(&drawn),
        question: drawn.question(),
        answer: drawn.answer,
    })
}
