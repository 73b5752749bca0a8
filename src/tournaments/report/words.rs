//! The words of a report.

use super::super::verdict::Verdict;
use crate::briefs::Language;

/// Headings and labels, in English and in Chinese.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Leaderboard,
    Player,
    Rating,
    Interval,
    Ranks,
    Best,
    Games,
    Blocks,
    Wins,
    Draws,
    Losses,
    Score,
    Matrix,
    MatrixNote,
    Course,
    CourseNote,
    Capital,
    BetBetter,
    BetNot,
    Failures,
    Cost,
    UsdAGame,
    Quiz,
    Rule,
    Blunders,
    Reproduce,
}

impl Word {
    pub(super) fn text(self, language: Language) -> &'static str {
        let (en, zh) = match self {
            Word::Leaderboard => ("Leaderboard", "排行榜"),
            Word::Player => ("Player", "玩家"),
            Word::Rating => ("Rating", "等级分"),
            Word::Interval => ("95 % interval", "95% 区间"),
            Word::Ranks => ("Rank interval", "名次区间"),
            Word::Best => ("P(best)", "最强的概率"),
            Word::Games => ("Games", "局数"),
            Word::Blocks => ("Blocks", "组数"),
            Word::Wins => ("Wins", "胜"),
            Word::Draws => ("Draws", "平"),
            Word::Losses => ("Losses", "负"),
            Word::Score => ("Score", "得分率"),
            Word::Matrix => ("Who beats whom", "两两对战"),
            Word::MatrixNote => (
                "How likely the player of a row wins a game against that of a column.",
                "每行玩家对每列玩家单局获胜的概率。",
            ),
            Word::Course => ("How the tests went", "检验过程"),
            Word::CourseNote => (
                "Capital bet on each claim, on a logarithmic scale. A claim stands once its line has reached its bound.",
                "押在每个结论上的本金（对数刻度）。曲线一旦触及界线，结论即成立。",
            ),
            Word::Capital => ("capital", "本金"),
            Word::BetBetter => ("better", "更强"),
            Word::BetNot => ("not better by δ", "没有强出 δ"),
            Word::Failures => ("Failures", "失误统计"),
            Word::Cost => ("Cost against strength", "花费与强度"),
            Word::UsdAGame => ("US dollars a game", "每局花费（美元）"),
            Word::Quiz => ("Quiz by rule", "规则问答"),
            Word::Rule => ("Rule", "规则"),
            Word::Blunders => ("Worst moves", "最差的着法"),
            Word::Reproduce => ("How to reproduce this", "如何复现"),
        };
        match language {
            Language::En => en,
            Language::Zh => zh,
        }
    }
}

/// A verdict in a word or two.
pub(super) fn verdict(verdict: Verdict, language: Language) -> String {
    match language {
        Language::En => verdict.to_string(),
        Language::Zh => match verdict {
            Verdict::Better => "更强",
            Verdict::Worse => "更弱",
            Verdict::NoDifference => "没有差别",
            Verdict::NotBetter => "没有更强",
            Verdict::NotWorse => "没有更弱",
            Verdict::Undecided => "尚无定论",
        }
        .to_owned(),
    }
}
