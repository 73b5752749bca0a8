//! Reading answers, and counting them by rule and language.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::QuizItem;
use crate::briefs::Language;

/// Yes or no, as a player wrote it; nothing where it cannot be told. The last word counts: before it a player may think
/// aloud.
pub fn read_answer(text: &str) -> Option<bool> {
    const WORDS: [(&str, bool); 8] = [
        ("不是", false),
        ("不对", false),
        ("不能", false),
        ("不会", false),
        ("否", false),
        ("是", true),
        ("对", true),
        ("能", true),
    ];
    let lower = text.to_lowercase();
    let english = lower
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter_map(|word| match word {
            "yes" | "true" => Some(true),
            "no" | "false" => Some(false),
            _ => None,
        })
        .next_back();
    let last_line = lower.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let plain = last_line.trim().trim_end_matches(['。', '.', '！', '!', '*', '`', '”', '"']);
    let chinese = WORDS.iter().find(|(word, _)| plain.ends_with(word) || plain == *word).map(|&(_, answer)| answer);
    chinese.or(english)
}

/// What came of the questions about one rule in one language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grade {
    /// Questions put.
    pub asked: u32,
    /// Answered rightly.
    pub right: u32,
    /// Answers that were neither yes nor no.
    pub unclear: u32,
    /// Pairs of which both halves were put.
    pub pairs: u32,
    /// Pairs of which both were answered rightly.
    pub pairs_right: u32,
}

impl Grade {
    /// The share that was right, in percent. Guessing has 50.
    pub fn percent(&self) -> f64 {
        if self.asked == 0 { 0.0 } else { 100.0 * f64::from(self.right) / f64::from(self.asked) }
    }

    fn add(&mut self, other: Grade) {
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
