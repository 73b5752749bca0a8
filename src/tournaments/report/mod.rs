//! Reports: one page of HTML that needs nothing but itself, and the same in Markdown.
//!
//! The page has no script and fetches nothing; it has the style of the web page, follows the reader's light or dark theme
//! and prints well. All charts have axes. A report is made of [`Sources`], which are read from the store, so that whatever is kept can be
//! reported again at any time; boards are drawn by whoever asks for the report.

mod bracket;
mod build;
mod charts;
mod html;
mod markdown;
mod numbers;
mod quiz;
mod sentences;
mod sources;
mod strips;
mod tables;
mod template;
#[cfg(test)]
mod tests;
mod transcripts;
mod words;

use std::sync::Arc;

use serde::Serialize;

pub(crate) use self::bracket::{BracketRound, BracketSide};
pub(crate) use self::numbers::{LanguageNumbers, ReportNumbers};
pub(crate) use self::sources::{Sources, bracket, edition};
pub(crate) use self::transcripts::Transcript;

use super::analyze::MoveTotal;
use super::experiment::WealthPath;
use super::moves::Curve;
use super::ratings::{Pairing, Quality, Rated};
use super::verdict::{Effect, Verdict};
use crate::briefs::Language;
use crate::games::ruleset::Ruleset;
use crate::games::table::{Event, State};
use crate::matches::RefusedAttempt;

/// A position that is to be drawn.
#[derive(Clone, Debug)]
pub(crate) struct Diagram<'s> {
    /// What is played.
    pub ruleset: &'s Arc<Ruleset>,
    /// Who plays, in seat order.
    pub names: Vec<String>,
    /// The position to draw.
    pub state: State,
    /// The turn that led to it.
    pub events: &'s [Event],
}

/// Whoever draws a position: one SVG document, or nothing.
pub(crate) type Draw<'d> = dyn Fn(&Diagram<'_>, Language) -> String + 'd;

/// A table with what there is to say about it. Rows may be shorter than the head.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ReportTable {
    /// What it is.
    pub note: String,
    /// The headings of its columns.
    pub head: Vec<String>,
    /// The rows, each in the order of the head.
    pub rows: Vec<Vec<String>>,
}

/// All that a report tells. What is empty is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Report {
    /// What was played.
    pub title: String,
    /// What was found, a sentence per comparison of record with its uncertainty and its cause.
    pub verdicts: Vec<String>,
    /// What else must be known to read it.
    pub remarks: Vec<String>,
    /// The differences that are known in Elo.
    pub effects: Vec<ReportEffect>,
    /// The comparisons of an experiment.
    #[serde(skip)]
    pub findings: Option<ReportTable>,
    /// What was spent on which question.
    #[serde(skip)]
    pub money: Option<ReportTable>,
    /// The leaderboard, in any order.
    pub players: Vec<ReportRow>,
    /// How likely each player, in the order of `players`, wins against each other one.
    pub chances: Vec<Vec<f64>>,
    /// How well the ratings fit what happened.
    pub fit: Option<ReportFit>,
    /// The bracket of a knockout, round by round.
    pub bracket: Vec<BracketRound>,
    /// Pairs of games as testers of chess engines count them.
    #[serde(skip)]
    pub pairs: Option<ReportTable>,
    /// How much the seats matter.
    #[serde(skip)]
    pub seats: Option<ReportTable>,
    /// One of every kind of failure, with all that was said.
    pub transcripts: Vec<Transcript>,
    /// Tests with their course.
    pub tests: Vec<Tested>,
    /// The quiz by rule, prompt and language.
    #[serde(skip)]
    pub quiz: Option<ReportTable>,
    /// Chinese against English by rule.
    #[serde(skip)]
    pub languages: Option<ReportTable>,
    /// Answers to critical positions.
    #[serde(skip)]
    pub bank: Option<ReportTable>,
    /// Move quality by player.
    #[serde(skip)]
    pub moves: Option<ReportTable>,
    /// How the chance to win went in a few games.
    pub curves: Vec<Curve>,
    /// The worst moves in words.
    pub blunders: Vec<Blunder>,
    /// How to get all this again: what, and its value.
    pub reproduce: Vec<(String, String)>,
    /// What the tables show, in numbers.
    #[serde(flatten)]
    pub numbers: ReportNumbers,
    /// What the addresses of the matches' pages begin with, where the report is served beside them.
    #[serde(skip)]
    pub match_pages: Option<String>,
}

/// How well ratings fit what happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ReportFit {
    /// Whether the model holds.
    pub quality: Quality,
    /// What happened between every two who met, by their index in the list of players, beside what the fit expects.
    pub pairings: Vec<Pairing>,
}

/// A difference in Elo with its interval.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ReportEffect {
    /// What was compared, and at which gate.
    pub name: String,
    /// How large it is.
    pub effect: Effect,
    /// The difference that was to be seen.
    pub delta: Option<f64>,
}

/// A player of the leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ReportRow {
    /// The player, as records call it.
    pub name: String,
    /// Its rating with the interval.
    pub rated: Rated,
    /// Its rating if games that ended by a forfeit are left out, where there are any.
    pub rating_without_forfeits: Option<f64>,
    /// How often it failed, by kind.
    pub failures: Vec<(String, u32)>,
    /// Some of its answers that were refused.
    pub refused: Vec<RefusedAttempt>,
    /// Money a game, in US dollars, where it costs any.
    pub usd_a_game: Option<f64>,
    /// Tokens read and written a move, where it reads any.
    pub tokens_a_move: Option<f64>,
    /// Seconds per move, where they were counted.
    pub seconds_a_move: Option<f64>,
    /// How good its moves were, where games were analysed.
    pub moves: Option<MoveTotal>,
    /// The share of right answers among those to the quiz that could be read, in percent.
    pub quiz: Option<f64>,
}

/// A test with its course.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Tested {
    /// What was tested.
    pub name: String,
    /// How it ended.
    pub verdict: Verdict,
    /// How it went.
    pub course: WealthPath,
    /// Whether it is one of the gate that decides.
    pub decides: bool,
}

/// A move that lost much.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Blunder {
    /// In which match.
    pub match_id: String,
    /// In which turn, counted from 1.
    pub turn: u32,
    /// Whose, and where.
    pub heading: String,
    /// What there is to say.
    pub sentences: Vec<String>,
    /// The board as text.
    pub board: String,
    /// The board as an SVG document; empty where nobody drew it.
    #[serde(skip)]
    pub drawing: String,
}

impl Report {
    /// The report as one HTML page that needs nothing else.
    pub(crate) fn html(&self, language: Language) -> String {
        html::page(self, language)
    }

    /// Every number of the page, for programs, as a number: tables that people read are not in it.
    pub(crate) fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data") + "\n"
    }

    /// The same in Markdown, charts as tables.
    pub(crate) fn markdown(&self, language: Language) -> String {
        markdown::page(self, language)
    }

    /// The players with their index, the best first.
    fn ranked(&self) -> Vec<(usize, &ReportRow)> {
        let mut rows: Vec<(usize, &ReportRow)> = self.players.iter().enumerate().collect();
        rows.sort_by(|(_, one), (_, other)| {
            other.rated.rating.total_cmp(&one.rated.rating).then_with(|| one.name.cmp(&other.name))
        });
        rows
    }
}
