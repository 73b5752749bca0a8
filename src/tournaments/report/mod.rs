//! Reports: one page of HTML that needs nothing but itself, and the same in Markdown.
//!
//! The page has no script and fetches nothing; it follows the reader's light or dark theme and prints well. All charts
//! are SVG with axes.

mod charts;
mod html;
mod markdown;
#[cfg(test)]
mod tests;
mod words;

use super::ratings::Rated;
use super::verdict::Verdict;
use crate::briefs::Language;

/// All that a report tells. What is empty is left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// What was played.
    pub title: String,
    /// The verdict in one sentence with its uncertainty.
    pub verdict: String,
    /// The leaderboard, in any order.
    pub players: Vec<Row>,
    /// How likely each player, in the order of `players`, wins against each other one.
    pub chances: Vec<Vec<f64>>,
    /// Tests with their course.
    pub tests: Vec<Course>,
    /// The quiz by rule: its name, and percentages by language.
    pub quiz: Vec<(String, Vec<(Language, f64)>)>,
    /// The worst moves in words.
    pub blunders: Vec<Blunder>,
    /// How to get all this again: what, and its value.
    pub reproduce: Vec<(String, String)>,
}

/// A player of the leaderboard.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// Its rating.
    pub rated: Rated,
    /// How often it failed, by kind.
    pub failures: Vec<(String, u32)>,
    /// Money a game, in US dollars, where it costs any.
    pub usd_a_game: Option<f64>,
}

/// The course of a test, block by block.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// What was tested.
    pub name: String,
    /// How it ended.
    pub verdict: Verdict,
    /// After each block the logarithms of the capital bet on "better" and on "not better by δ".
    pub points: Vec<(f64, f64)>,
    /// The bound of the first, as a logarithm.
    pub sure: f64,
    /// The bound of the second.
    pub safe: f64,
}

/// A move that lost much.
#[derive(Clone, Debug, PartialEq)]
pub struct Blunder {
    /// What there is to say.
    pub sentences: Vec<String>,
    /// The board as text.
    pub board: String,
}

impl Report {
    /// The page.
    pub fn html(&self, language: Language) -> String {
        html::page(self, language)
    }

    /// The same in Markdown, charts as tables.
    pub fn markdown(&self, language: Language) -> String {
        markdown::page(self, language)
    }

    /// The players with their index, the best first.
    fn ranked(&self) -> Vec<(usize, &Row)> {
        let mut rows: Vec<(usize, &Row)> = self.players.iter().enumerate().collect();
        rows.sort_by(|(_, one), (_, other)| {
            other.rated.rating.total_cmp(&one.rated.rating).then_with(|| one.name.cmp(&other.name))
        });
        rows
    }
}
