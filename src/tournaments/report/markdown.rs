//! The same in Markdown, charts as tables.

use super::words::{Word, choose, verdict};
use super::{Report, Table, tables};
use crate::briefs::Language;

pub(super) fn page(report: &Report, language: Language) -> String {
    let mut parts = vec![format!("# {}", plain(&report.title)), format!("**{}**", plain(&report.verdict))];
    parts.extend(report.remarks.iter().map(|remark| plain(remark)));
    let mut section = |word: Word, body: Option<String>| {
        if let Some(body) = body {
            parts.extend([format!("## {}", word.text(language)), body]);
        }
    };
    section(Word::Findings, report.findings.as_ref().map(write));
    if !report.players.is_empty() {
        section(Word::Leaderboard, Some(write(&tables::leaderboard(report, language))));
    }
    section(Word::Matrix, matrix(report, language).as_ref().map(write));
    section(
        Word::Bracket,
        report.bracket.as_ref().map(|(bracket, names)| {
            let text = bracket.draw(|one| names.get(one.index()).cloned().unwrap_or_default());
            format!("```text\n{}\n```", text.trim_end())
        }),
    );
    section(Word::Course, courses(report, language).as_ref().map(write));
    section(Word::Failures, tables::failures(report, language).as_ref().map(write));
    section(Word::Quiz, report.quiz.as_ref().map(write));
    section(Word::Languages, report.languages.as_ref().map(write));
    section(Word::Bank, report.bank.as_ref().map(write));
    section(Word::Moves, report.moves.as_ref().map(write));
    let curves: Vec<String> = report
        .curves
        .iter()
        .map(|curve| {
            let lines = curve.seats.iter().map(|(name, points)| {
                let values: Vec<f64> = points.iter().map(|&(_, value)| value).collect();
                format!("{} {name}", super::super::analyze::sparkline(&values))
            });
            format!("```text\n{}\n{}\n```", curve.match_id, lines.collect::<Vec<_>>().join("\n"))
        })
        .collect();
    section(Word::Curve, (!curves.is_empty()).then(|| curves.join("\n\n")));
    let blunders: Vec<String> = report
        .blunders
        .iter()
        .map(|blunder| {
            let sentences: Vec<String> = blunder.sentences.iter().map(|sentence| plain(sentence)).collect();
            format!(
                "### {}\n\n{}\n\n```text\n{}\n```",
                plain(&blunder.heading),
                sentences.join(choose(language, " ", "")),
                blunder.board.trim_end()
            )
        })
        .collect();
    section(Word::Blunders, (!blunders.is_empty()).then(|| blunders.join("\n\n")));
    let colon = choose(language, ": ", "：");
    let facts: Vec<String> = report
        .reproduce
        .iter()
        .map(|(what, value)| {
            if value.contains('\n') {
                format!("- {}{}\n\n  ```toml\n{}\n  ```", plain(what), colon.trim_end(), indented(value.trim_end()))
            } else {
                format!("- {}{colon}`{}`", plain(what), value.replace('`', "'"))
            }
        })
        .collect();
    section(Word::Reproduce, (!facts.is_empty()).then(|| facts.join("\n")));
    parts.join("\n\n") + "\n"
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.replace("```", "'''").lines().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}

/// Text on one line that starts no table and no tag.
fn plain(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|").replace('<', "&lt;")
}

fn write(table: &Table) -> String {
    let line =
        |cells: &[String]| format!("| {} |", cells.iter().map(|cell| plain(cell)).collect::<Vec<_>>().join(" | "));
    let rule = format!("|{}", " --- |".repeat(table.head.len()));
    let lines = [line(&table.head), rule].into_iter().chain(table.rows.iter().map(|row| line(row)));
    let lines = lines.collect::<Vec<_>>().join("\n");
    if table.note.is_empty() { lines } else { format!("{}\n\n{lines}", plain(&table.note)) }
}

fn matrix(report: &Report, language: Language) -> Option<Table> {
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
    Some(Table { note: Word::MatrixNote.text(language).to_owned(), head, rows: rows.collect() })
}

/// Where each test ended: its capitals, and the bounds that they had to reach.
fn courses(report: &Report, language: Language) -> Option<Table> {
    if report.tests.is_empty() {
        return None;
    }
    let words = [
        Word::Comparison,
        Word::Verdict,
        Word::Items,
        Word::BetBetter,
        Word::BetNot,
        Word::BetWorse,
        Word::BetNotWorse,
    ];
    let head = words.map(|word| word.text(language).to_owned()).to_vec();
    let rows = report.tests.iter().map(|test| {
        let last = test.course.points.last().copied().unwrap_or_default();
        let bounds = [test.course.sure, test.course.safe, test.course.sure, test.course.safe];
        let capitals = last.iter().zip(bounds).map(|(log, bound)| format!("{:.3} / {:.0}", log.exp(), bound.exp()));
        let mut cells = vec![test.name.clone(), verdict(test.verdict, language), test.course.points.len().to_string()];
        cells.extend(capitals);
        cells
    });
    Some(Table { note: Word::CourseNote.text(language).to_owned(), head, rows: rows.collect() })
}
