//! `--report DIR`: the leaderboard as pages to pass on, in both languages.

use std::path::{Path, PathBuf};

use clap::Args;

use super::error::Failure;
use crate::briefs::Language;
use crate::tournaments::board::Board;
use crate::tournaments::report::{Report, Row};

/// Where a report goes.
#[derive(Args, Debug, Clone)]
pub(crate) struct ReportArgs {
    /// Write a report into this folder: report.html and report.md in English, report.zh.html and report.zh.md in Chinese
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
}

impl ReportArgs {
    /// Writes the report, where one was asked for.
    pub(crate) fn write(&self, board: &Board, title: &str, again: &str) -> Result<(), Failure> {
        let Some(folder) = &self.report else { return Ok(()) };
        let cannot = |path: &Path, error| Failure::work(format!("cannot write the report {}: {error}", path.display()));
        std::fs::create_dir_all(folder).map_err(|error| cannot(folder, error))?;
        for (language, mark) in [(Language::En, ""), (Language::Zh, ".zh")] {
            let report = report(board, title, again, language);
            for (ending, text) in [("html", report.html(language)), ("md", report.markdown(language))] {
                let path = folder.join(format!("report{mark}.{ending}"));
                std::fs::write(&path, text).map_err(|error| cannot(&path, error))?;
            }
        }
        Ok(())
    }
}

fn report(board: &Board, title: &str, again: &str, language: Language) -> Report {
    let players = board.players.iter().map(|row| {
        let games = f64::from(row.rated.games.max(1));
        let failures = row.summary.lapses.iter().map(|(fault, count)| {
            let fault = serde_json::to_value(fault).ok().and_then(|fault| Some(fault.as_str()?.to_owned()));
            (fault.unwrap_or_default(), *count)
        });
        let refused = ("refused attempts".to_owned(), row.summary.refused);
        Row {
            name: row.name.clone(),
            rated: row.rated,
            failures: failures.chain((row.summary.refused > 0).then_some(refused)).collect(),
            usd_a_game: (row.summary.calls > 0 && row.summary.usd > 0.0).then_some(row.summary.usd / games),
        }
    });
    let label = |en: &str, zh: &str| match language {
        Language::En => en.to_owned(),
        Language::Zh => zh.to_owned(),
    };
    Report {
        title: title.to_owned(),
        verdict: verdict(board, language),
        players: players.collect(),
        chances: board.matrix.clone(),
        tests: Vec::new(),
        quiz: Vec::new(),
        blunders: Vec::new(),
        reproduce: vec![
            (label("program", "程序"), format!("standoff {}", env!("CARGO_PKG_VERSION"))),
            (label("command", "命令"), again.to_owned()),
            (label("games", "对局数"), board.games.to_string()),
            (label("games that ended by a forfeit", "以弃权告终的对局"), board.forfeits.to_string()),
            (
                label("at 1000", "定为 1000 分"),
                board.anchor.clone().unwrap_or_else(|| label("the mean of all", "全体平均")),
            ),
        ],
    }
}

/// Who leads, and how sure that is, in a sentence.
fn verdict(board: &Board, language: Language) -> String {
    let Some(first) = board.players.first() else {
        return match language {
            Language::En => "No finished games yet.".to_owned(),
            Language::Zh => "还没有下完的对局。".to_owned(),
        };
    };
    let (name, rated) = (&first.name, &first.rated);
    let best = 100.0 * rated.best;
    match language {
        Language::En => format!(
            "{name} leads with a rating of {:.0} (95 % interval {:.0} to {:.0}); the chance that nobody is better is {best:.0} %.",
            rated.rating, rated.low, rated.high
        ),
        Language::Zh => format!(
            "{name} 领先，等级分 {:.0}（95% 区间 {:.0} 到 {:.0}）；没有人比它更强的概率为 {best:.0}%。",
            rated.rating, rated.low, rated.high
        ),
    }
}
