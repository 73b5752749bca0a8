//! The same in Markdown, charts as tables.

use super::super::score::count;
use super::Report;
use super::words::{Word, verdict};
use crate::briefs::Language;

/// A table: its head and its rows.
pub(super) type Table = (Vec<String>, Vec<Vec<String>>);

pub(super) fn page(report: &Report, language: Language) -> String {
    let mut parts = vec![format!("# {}", plain(&report.title)), format!("**{}**", plain(&report.verdict))];
    let heading = |word: Word| format!("## {}", word.text(language));
    if !report.players.is_empty() {
        parts.extend([heading(Word::Leaderboard), write(&leaderboard(report, language))]);
    }
    if let Some(matrix) = matrix(report) {
        parts.extend([heading(Word::Matrix), Word::MatrixNote.text(language).to_owned(), write(&matrix)]);
    }
    if !report.tests.is_empty() {
        let head =
            [Word::Course, Word::Blocks, Word::BetBetter, Word::BetNot].map(|word| word.text(language).to_owned());
        let rows = report.tests.iter().map(|test| {
            let (better, not) = test.points.last().copied().unwrap_or_default();
            let capital = |log: f64, bound: f64| format!("{:.3} / {:.0}", log.exp(), bound.exp());
            vec![
                format!("{}: {}", test.name, verdict(test.verdict, language)),
                test.points.len().to_string(),
                capital(better, test.sure),
                capital(not, test.safe),
            ]
        });
        parts.extend([heading(Word::Course), write(&(head.to_vec(), rows.collect()))]);
    }
    if let Some(failures) = failures(report, language) {
        parts.extend([heading(Word::Failures), write(&failures)]);
    }
    if let Some(quiz) = quiz(report, language) {
        parts.extend([heading(Word::Quiz), write(&quiz)]);
    }
    if !report.blunders.is_empty() {
        parts.push(heading(Word::Blunders));
        for blunder in &report.blunders {
            parts.push(blunder.sentences.iter().map(|sentence| plain(sentence)).collect::<Vec<_>>().join(" "));
            parts.push(format!("```text\n{}\n```", blunder.board.trim_end()));
        }
    }
    if !report.reproduce.is_empty() {
        let rows =
            report.reproduce.iter().map(|(what, value)| format!("- {}: `{}`", plain(what), value.replace('`', "'")));
        parts.extend([heading(Word::Reproduce), rows.collect::<Vec<_>>().join("\n")]);
    }
    parts.join("\n\n") + "\n"
}

/// Text on one line that starts no table and no tag.
fn plain(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|").replace('<', "&lt;")
}

fn write((head, rows): &Table) -> String {
    let line =
        |cells: &[String]| format!("| {} |", cells.iter().map(|cell| plain(cell)).collect::<Vec<_>>().join(" | "));
    let rule = format!("|{}", " --- |".repeat(head.len()));
    [line(head), rule].into_iter().chain(rows.iter().map(|row| line(row))).collect::<Vec<_>>().join("\n")
}

pub(super) fn leaderboard(report: &Report, language: Language) -> Table {
    let words = [
        Word::Player,
        Word::Rating,
        Word::Interval,
        Word::Ranks,
        Word::Best,
        Word::Games,
        Word::Blocks,
        Word::Wins,
        Word::Draws,
        Word::Losses,
        Word::Score,
    ];
    let rows = report.ranked().into_iter().map(|(_, row)| {
        let it = &row.rated;
        vec![
            row.name.clone(),
            format!("{:.0}", it.rating),
            format!("{:.0} – {:.0}", it.low, it.high),
            format!("{} – {}", it.rank_low, it.rank_high),
            format!("{:.0} %", 100.0 * it.best),
            it.games.to_string(),
            it.blocks.to_string(),
            it.wins.to_string(),
            it.draws.to_string(),
            it.losses.to_string(),
            format!("{:.1} %", 100.0 * it.score),
        ]
    });
    (words.map(|word| word.text(language).to_owned()).to_vec(), rows.collect())
}

fn matrix(report: &Report) -> Option<Table> {
    if report.chances.len() != report.players.len() || report.players.len() < 2 {
        return None;
    }
    let ranked = report.ranked();
    let mut head = vec![String::new()];
    head.extend(ranked.iter().map(|(_, row)| row.name.clone()));
    let rows = ranked.iter().map(|&(one, row)| {
        let cells = ranked.iter().map(|&(other, _)| match report.chances[one].get(other) {
            Some(chance) if one != other && chance.is_finite() => format!("{:.0} %", 100.0 * chance),
            _ => "–".to_owned(),
        });
        std::iter::once(row.name.clone()).chain(cells).collect()
    });
    Some((head, rows.collect()))
}

pub(super) fn failures(report: &Report, language: Language) -> Option<Table> {
    let mut kinds: Vec<&str> =
        report.players.iter().flat_map(|row| row.failures.iter().map(|(kind, _)| kind.as_str())).collect();
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.is_empty() {
        return None;
    }
    let mut head = vec![Word::Player.text(language).to_owned()];
    head.extend(kinds.iter().map(|&kind| kind.to_owned()));
    let rows = report.ranked().into_iter().map(|(_, row)| {
        let times =
            |kind: &str| row.failures.iter().filter(|(other, _)| other == kind).map(|(_, times)| times).sum::<u32>();
        std::iter::once(row.name.clone()).chain(kinds.iter().map(|kind| times(kind).to_string())).collect()
    });
    Some((head, rows.collect()))
}

pub(super) fn quiz(report: &Report, language: Language) -> Option<Table> {
    let mut languages: Vec<Language> =
        report.quiz.iter().flat_map(|(_, by)| by.iter().map(|&(language, _)| language)).collect();
    languages.sort_by_key(ToString::to_string);
    languages.dedup();
    if languages.is_empty() {
        return None;
    }
    let mut head = vec![Word::Rule.text(language).to_owned()];
    head.extend(languages.iter().map(ToString::to_string));
    let rows = report.quiz.iter().map(|(rule, by)| {
        let cells = languages.iter().map(|language| {
            let found: Vec<f64> =
                by.iter().filter(|(other, _)| other == language).map(|&(_, percent)| percent).collect();
            if found.is_empty() {
                "–".to_owned()
            } else {
                format!("{:.0} %", found.iter().sum::<f64>() / count(found.len()))
            }
        });
        std::iter::once(rule.clone()).chain(cells).collect()
    });
    Some((head, rows.collect()))
}
