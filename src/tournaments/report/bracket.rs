//! The bracket of a knockout, round by round.

use serde::Serialize;

use super::super::schedule::{Bracket, Decision, Tie};
use super::super::score::Entrant;
use super::words::choose;
use crate::briefs::Language;

/// A round of a knockout.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct BracketRound {
    /// What it is called.
    pub title: String,
    /// Its ties, the upper one first.
    pub ties: Vec<BracketTie>,
}

/// A tie of a knockout.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct BracketTie {
    /// The two who meet.
    pub sides: Vec<BracketSide>,
    /// What decided it.
    pub decision: Decision,
    /// The same in words, where it was not the games that were planned.
    pub note: Option<String>,
}

/// One of the two of a tie.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct BracketSide {
    /// Its name; nothing where nobody is known yet, or nobody comes.
    pub name: Option<String>,
    /// The points of its blocks, where any were played.
    pub points: Option<f64>,
    /// Whether it goes on.
    pub won: bool,
}

/// The rounds, the first one first.
pub(super) fn rounds(bracket: &Bracket, names: &[String], language: Language) -> Vec<BracketRound> {
    let name = |one: Entrant| names.get(one.index()).cloned().unwrap_or_else(|| one.to_string());
    let tie = |tie: &Tie| {
        let points = [tie.points, f64::from(tie.blocks) - tie.points];
        let side = |(one, points): (Option<Entrant>, f64)| BracketSide {
            name: one.map(name),
            points: (tie.blocks > 0).then_some(points),
            won: one.is_some() && one == tie.winner,
        };
        BracketTie {
            sides: [tie.upper, tie.lower].into_iter().zip(points).map(side).collect(),
            decision: tie.decision,
            note: decision(tie, language).map(str::to_owned),
        }
    };
    let rounds = bracket.rounds.iter().enumerate();
    rounds
        .map(|(number, round)| BracketRound {
            title: title(bracket.rounds.len() - number, language),
            ties: round.iter().map(tie).collect(),
        })
        .collect()
}

/// What decided a tie, where it was not the games that were planned.
fn decision(tie: &Tie, language: Language) -> Option<&'static str> {
    match tie.decision {
        Decision::Games if tie.winner.is_some() && tie.blocks == 0 => {
            Some(choose(language, "goes on without play", "轮空晋级"))
        }
        Decision::Games => None,
        Decision::FurtherBlocks => Some(choose(language, "after further blocks", "加赛决出")),
        Decision::Lot => Some(choose(language, "by lot", "抽签决定")),
        Decision::Seeding => Some(choose(language, "stands first in the file", "按文件次序晋级")),
    }
}

fn title(left: usize, language: Language) -> String {
    match (left, language) {
        (1, _) => choose(language, "Final", "决赛").to_owned(),
        (2, _) => choose(language, "Semi-finals", "半决赛").to_owned(),
        (left, Language::En) => format!("Round of {}", 1_u64 << left.min(60)),
        (left, Language::Zh) => format!("{} 强", 1_u64 << left.min(60)),
    }
}
