//! The quiz: does a player know the rules? The engine makes the questions and the answers; no judge is needed.
//!
//! Questions are answered with yes or no, each as often right for every rule. Half of them come in pairs that differ in
//! one thing, a wall or a shield, and in the answer: whoever answers by the look of things gets one of the two wrong.
//! The same items, under the same names, are put in English and in Chinese.

mod answer;
mod ask;
mod export;
mod grade;
mod positions;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::briefs::{Language, Question, brief};
use crate::games::{Dice, Refusal, Ruleset, Seed, Table};

pub use self::answer::solve;
pub use self::export::{Export, inspect_bank, inspect_quiz, promptfoo_bank, promptfoo_quiz};
pub use self::grade::{Grade, Grades, read_answer};

/// The version of the questions. It goes up when the same seed gives others.
pub const QUIZ_VERSION: u32 = 1;

/// So often a question of a rule is sought before the quiz does without.
const MAX_TRIES: u32 = 4000;

/// A quiz.
#[derive(Clone, Debug)]
pub struct Quiz {
    /// The rules that are asked about.
    pub ruleset: Arc<Ruleset>,
    /// The questions, rule by rule.
    pub items: Vec<Item>,
}

/// A question with its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Its own name, the same in every language: `beam-hit-03`, or `beam-hit-03a` and `beam-hit-03b` for a pair.
    pub id: String,
    /// Which rule it is about.
    pub rule: String,
    /// The other half of the pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
        let pairs = per_rule.max(1).div_ceil(4);
        let mut items = Vec::new();
        for (number, rule) in (0..).zip(ask::rules(&ruleset.rules)) {
            let mut dice = seed.child("quiz", number).dice();
            let mut found = Vec::new();
            for index in 0..pairs {
                found.extend(pair(&ruleset, seats, rule, index, &mut dice));
            }
            for index in 0..2 * pairs {
                found.extend(single(&ruleset, seats, rule, pairs + index, index % 2 == 0, &mut dice));
            }
            items.extend(found);
        }
        Ok(Quiz { ruleset, items })
    }

    /// The rules that it asks about, in order.
    pub fn rules(&self) -> Vec<&str> {
        let mut rules: Vec<&str> = self.items.iter().map(|item| item.rule.as_str()).collect();
        rules.dedup();
        rules
    }

    /// What a player is told before any question: the rules.
    pub fn system(&self, item: &Item, language: Language) -> String {
        let seats = item.state["players"].as_array().or_else(|| item.state["bots"].as_array()).map_or(2, Vec::len);
        brief(&self.ruleset, seats, language)
    }

    /// The position and the question.
    ///
    /// # Errors
    /// If the position is no longer one.
    pub fn message(&self, item: &Item, language: Language) -> Result<String, Refusal> {
        Ok(item.question.message(&Table::from_state(self.ruleset.clone(), &item.state)?, language))
    }
}

/// Two questions that differ in one thing and in the answer.
fn pair(ruleset: &Arc<Ruleset>, seats: usize, rule: &str, index: usize, dice: &mut Dice) -> Vec<Item> {
    for _ in 0..MAX_TRIES / 8 {
        let Some((table, question, answer)) = find(ruleset, seats, rule, dice) else { continue };
        let Some(twin) = positions::twin(&table, &question, answer, dice) else { continue };
        let named = |letter: char| format!("{rule}-{:02}{letter}", index + 1);
        let item = |letter, other, table: &Table, answer| Item {
            id: named(letter),
            rule: rule.to_owned(),
            twin: Some(named(other)),
            state: json!(table.state()),
            question: question.clone(),
            answer,
        };
        return vec![item('a', 'b', &table, answer), item('b', 'a', &twin, !answer)];
    }
    Vec::new()
}

/// A question with this answer.
fn single(
    ruleset: &Arc<Ruleset>,
    seats: usize,
    rule: &str,
    index: usize,
    wanted: bool,
    dice: &mut Dice,
) -> Option<Item> {
    for _ in 0..MAX_TRIES {
        let Some((table, question, answer)) = find(ruleset, seats, rule, dice) else { continue };
        if answer == wanted {
            let id = format!("{rule}-{:02}", index + 1);
            return Some(Item { id, rule: rule.to_owned(), twin: None, state: json!(table.state()), question, answer });
        }
    }
    None
}

fn find(ruleset: &Arc<Ruleset>, seats: usize, rule: &str, dice: &mut Dice) -> Option<(Table, Question, bool)> {
    let table = positions::draw(ruleset, seats, dice)?;
    let question = ask::draw(&table, rule, dice)?;
    let answer = solve(&table, &question)?;
    Some((table, question, answer))
}
