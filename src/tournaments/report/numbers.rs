//! What a report's tables show, in numbers: the same in every language.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::analyze::{Bin, MoveTotal};
use super::super::bank::Marks;
use super::super::experiment::{AnswerCost, ErrorBudget, Finding, Gate, Spending};
use super::super::moves::Moves;
use super::super::quiz::Grade;
use super::super::verdict::{SeatBias, elo};
use super::quiz;
use super::sources::{About, Errors, GameNumbers, Sources};

/// What a report's tables show.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ReportNumbers {
    /// How many games there are.
    pub games: GameNumbers,
    /// What an experiment was to find out.
    pub asked: Option<QuestionNumbers>,
    /// How the chances of being wrong are shared out, by gate.
    pub errors: BTreeMap<Gate, ErrorBudget>,
    /// Every comparison, the cheapest gate first.
    pub findings: Vec<Finding>,
    /// What was spent on what.
    pub spent: Vec<Spending>,
    /// How much the seats matter, by ruleset and map.
    pub seats: BTreeMap<String, SeatBias>,
    /// The quiz, a rule of a player each.
    pub quiz: Vec<QuizNumbers>,
    /// English against Chinese, a rule of a prompt each.
    pub languages: Vec<LanguageNumbers>,
    /// The answers to critical positions, a player on a ruleset each.
    pub bank: Vec<BankNumbers>,
    /// The quality of moves, where games were judged.
    pub moves: Option<MoveNumbers>,
}

/// What was to be found out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct QuestionNumbers {
    /// The difference, in Elo.
    pub delta_elo: f64,
    /// The same in score of games, with α and β.
    #[serde(flatten)]
    pub settings: Errors,
}

/// What came of a rule of the quiz.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct QuizNumbers {
    /// Who answered.
    pub player: String,
    /// Which ruleset and map.
    pub course: String,
    /// The rule, by its name in the quiz.
    pub rule: String,
    /// How many questions and answers.
    #[serde(flatten)]
    pub grade: Grade,
    /// The share of right ones among the answers that could be read.
    pub percent: Option<f64>,
}

/// English against Chinese on the same questions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct LanguageNumbers {
    /// The prompt that both were asked under.
    pub prompt: String,
    /// Which ruleset and map.
    pub course: String,
    /// The rule; nothing for all of them.
    pub rule: Option<String>,
    /// Questions that both got right.
    pub both: usize,
    /// Those that only English got right.
    pub only_english: usize,
    /// Those that only Chinese got right.
    pub only_chinese: usize,
    /// Those that neither did.
    pub neither: usize,
    /// Chinese minus English, in points.
    pub difference: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Answers to critical positions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct BankNumbers {
    /// Who answered.
    pub player: String,
    /// Which ruleset and map.
    pub course: String,
    /// What the answers are worth.
    #[serde(flatten)]
    pub marks: Marks,
    /// What they cost.
    pub bill: AnswerCost,
}

/// The quality of moves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct MoveNumbers {
    /// How many games were judged.
    pub games: usize,
    /// Which oracle judged.
    pub oracle: String,
    /// Its playouts for each position.
    pub nodes: u32,
    /// Everybody who decided something.
    pub players: Vec<PlayerNumbers>,
    /// How well the oracle foresaw the end.
    pub calibration: Vec<Bin>,
}

/// How good somebody's moves were.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PlayerNumbers {
    /// Who it is.
    pub player: String,
    /// How good they were.
    #[serde(flatten)]
    pub total: MoveTotal,
    /// Whether there are too few to say much.
    pub few: bool,
}

impl ReportNumbers {
    pub(super) fn of(sources: &Sources) -> ReportNumbers {
        let quiz = sources.quiz.iter().flat_map(|found| &found.rows).flat_map(|row| {
            row.rules.iter().map(|rule| QuizNumbers {
                player: row.who.player.clone(),
                course: row.course.clone(),
                rule: rule.rule.clone(),
                grade: rule.grade,
                percent: rule.grade.percent(),
            })
        });
        let bank = sources.bank.iter().flat_map(|found| &found.rows).map(|row| BankNumbers {
            player: row.who.player.clone(),
            course: row.course.clone(),
            marks: row.marks,
            bill: row.bill,
        });
        let asked =
            |about: &About| QuestionNumbers { delta_elo: elo(0.5 + about.settings.delta), settings: about.settings };
        ReportNumbers {
            games: sources.counts,
            asked: sources.about.as_ref().map(asked),
            errors: sources.budgets().into_iter().collect(),
            findings: sources.findings().into_iter().cloned().collect(),
            spent: sources.told().flat_map(|told| told.spent.iter().cloned()).collect(),
            seats: sources.seats.clone(),
            quiz: quiz.collect(),
            languages: sources.quiz.as_ref().map(quiz::by_language).unwrap_or_default(),
            bank: bank.collect(),
            moves: sources.moves.as_ref().map(MoveNumbers::of),
        }
    }
}

impl MoveNumbers {
    fn of(moves: &Moves) -> MoveNumbers {
        let players = moves.players.iter().map(|it| PlayerNumbers {
            player: it.player.clone(),
            total: it.total,
            few: it.total.is_few(),
        });
        MoveNumbers {
            games: moves.games,
            oracle: moves.oracle.clone(),
            nodes: moves.nodes,
            players: players.collect(),
            calibration: moves.calibration.clone(),
        }
    }
}
