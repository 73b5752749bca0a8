//! Reading answers, and counting them by rule and language.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::QuizItem;
use crate::briefs::Language;
use crate::players::model::answer_in;

/// Yes or no, as a player's text gives it behind `ANSWER:` on its last line; nothing where it does not.
pub fn read_answer(text: &str) -> Option<bool> {
    yes_or_no(&answer_in(text)?)
}

/// Yes or no, in one word.
pub fn yes_or_no(text: &str) -> Option<bool> {
    let word = text.trim().trim_end_matches(['.', '!', '。', '！']).to_lowercase();
    match word.as_str() {
        "yes" | "true" | "是" | "是的" | "对" | "能" | "会" => Some(true),
        "no" | "false" | "否" | "不" | "不是" | "不对" | "不能" | "不会" => Some(false),
        _ => None,
    }
}

/// What came of the questions about one rule in one language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grade {
    /// How many questions were put.
    pub asked: u32,
    /// How many were answered rightly.
    pub right: u32,
    /// Answers that were neither yes nor no.
    pub unclear: u32,
    /// Pairs of which both halves were put.
    pub pairs: u32,
    /// Pairs of which both were answered rightly.
    pub pairs_right: u32,
}

impl Grade {
    /// Answers that could be read.
    pub fn read(&self) -> u32 {
        self.asked.saturating_sub(self.unclear)
    }

    /// The share of right ones among the answers that could be read, in percent; nothing where there are none. Guessing
    /// has 50.
    pub fn percent(&self) -> Option<f64> {
        (self.read() > 0).then(|| 100.0 * f64::from(self.right) / f64::from(self.read()))
    }

    /// The same in words, five letters wide.
    pub fn in_words(&self) -> String {
        self.percent().map_or_else(|| "    –".to_owned(), |percent| format!("{percent:>3.0} %"))
    }

    /// Takes in another grade.
    pub fn add(&mut self, other: Grade) {
        self.asked += other.asked;
        self.right += other.right;
        self.unclear += other.unclear;
        self.pairs += other.pairs;
        self.pairs_right += other.pairs_right;
    }
}

/// All grades of a player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grades {
    /// By rule, then by language.
    answers: BTreeMap<(String, String), BTreeMap<String, GradedAnswer>>,
}

/// An answer to the item of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct GradedAnswer {
    twin: Option<String>,
    answer: Option<bool>,
    right: bool,
}

impl Grades {
    /// Takes in an answer, or that there was none to be read.
    pub fn take(&mut self, item: &QuizItem, language: Language, answer: Option<bool>) {
        let answers = self.answers.entry((item.rule.to_owned(), language.to_string())).or_default();
        answers.insert(item.id.clone(), GradedAnswer { twin: item.twin.clone(), answer, right: item.answer });
    }

    /// What came of a rule in a language.
    pub fn grade(&self, rule: &str, language: Language) -> Grade {
        let mut grade = Grade::default();
        let Some(answers) = self.answers.get(&(rule.to_owned(), language.to_string())) else { return grade };
        let is_right = |id: &String| answers.get(id).map(|it| it.answer == Some(it.right));
        for (id, GradedAnswer { twin, answer, .. }) in answers {
            grade.asked += 1;
            grade.unclear += u32::from(answer.is_none());
            grade.right += u32::from(is_right(id) == Some(true));
            if let Some(twin) = twin.as_ref().filter(|twin| id < *twin)
                && let Some(twin_right) = is_right(twin)
            {
                grade.pairs += 1;
                grade.pairs_right += u32::from(twin_right && is_right(id) == Some(true));
            }
        }
        grade
    }

    /// What came of all rules in a language.
    pub fn total(&self, language: Language) -> Grade {
        let mut total = Grade::default();
        let rules = self.answers.keys().filter(|(_, other)| *other == language.to_string());
        for (rule, _) in rules {
            total.add(self.grade(rule, language));
        }
        total
    }
}
