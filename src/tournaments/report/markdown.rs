//! The same in Markdown, charts as tables.

use std::fmt::Write as _;

use serde::Serialize;

use super::words::{Word, choose, verdict};
use super::{BracketRound, BracketSide, Report, ReportTable, html, tables, template};
use crate::briefs::Language;
use crate::tournaments::analyze::sparkline;

/// What `page.md` is filled with.
#[derive(Serialize)]
struct MarkdownPage<'r> {
    title: &'r str,
    verdicts: &'r [String],
    remarks: &'r [String],
    /// Between two sentences.
    gap: &'r str,
    colon: &'r str,
    sections: Vec<MarkdownSection<'r>>,
}

/// A heading and what stands below it, in this order.
#[derive(Default, Serialize)]
struct MarkdownSection<'r> {
    heading: &'r str,
    table: Option<ReportTable>,
    /// As they are, letter below letter.
    texts: Vec<String>,
    /// A heading, and what was said below it.
    transcripts: Vec<(String, Vec<(&'r str, &'r str)>)>,
    blunders: Vec<MarkdownBlunder<'r>>,
    facts: &'r [(String, String)],
}

#[derive(Serialize)]
struct MarkdownBlunder<'r> {
    heading: &'r str,
    sentences: &'r [String],
    board: &'r str,
}

pub(super) fn page(report: &Report, language: Language) -> String {
    let section = |word: Word| MarkdownSection { heading: word.text(language), ..MarkdownSection::default() };
    let table =
        |word, table: Option<ReportTable>| table.map(|table| MarkdownSection { table: Some(table), ..section(word) });
    let texts = |word, texts: Vec<String>| (!texts.is_empty()).then(|| MarkdownSection { texts, ..section(word) });
    let bracket: Vec<String> = report.bracket.iter().map(bracket_round).collect();
    let transcripts = report.transcripts.iter();
    let transcripts = transcripts.map(|one| (html::transcript_title(one, language), html::said(one, language)));
    let transcripts: Vec<_> = transcripts.collect();
    let curves = report.curves.iter().map(|curve| {
        let line = |(name, points): &(String, Vec<(u32, f64)>)| {
            let values: Vec<f64> = points.iter().map(|&(_, value)| value).collect();
            format!("\n{} {name}", sparkline(&values))
        };
        curve.match_id.clone() + &curve.seats.iter().map(line).collect::<String>()
    });
    let blunders: Vec<MarkdownBlunder<'_>> = report
        .blunders
        .iter()
        .map(|blunder| MarkdownBlunder {
            heading: &blunder.heading,
            sentences: &blunder.sentences,
            board: blunder.board.trim_end(),
        })
        .collect();
    let sections = [
        table(Word::Findings, report.findings.clone()),
        table(Word::Money, report.money.clone()),
        table(Word::Failures, tables::failures(report, language)),
        table(Word::Refused, tables::refused(report, language)),
        (!transcripts.is_empty()).then(|| MarkdownSection { transcripts, ..section(Word::Transcripts) }),
        table(Word::Leaderboard, (!report.players.is_empty()).then(|| tables::leaderboard(report, language))),
        table(Word::Details, tables::details(report, language)),
        table(Word::Matrix, matrix(report, language)),
        texts(Word::Bracket, bracket),
        table(Word::Course, courses(report, language)),
        table(Word::Pairs, report.pairs.clone()),
        table(Word::Seats, report.seats.clone()),
        table(Word::Quiz, report.quiz.clone()),
        table(Word::Languages, report.languages.clone()),
        table(Word::Bank, report.bank.clone()),
        table(Word::Moves, report.moves.clone()),
        texts(Word::Curve, curves.collect()),
        (!blunders.is_empty()).then(|| MarkdownSection { blunders, ..section(Word::Blunders) }),
        (!report.reproduce.is_empty())
            .then(|| MarkdownSection { facts: &report.reproduce, ..section(Word::Reproduce) }),
    ];
    template::render(
        "page.md",
        &MarkdownPage {
            title: &report.title,
            verdicts: &report.verdicts,
            remarks: &report.remarks,
            gap: choose(language, " ", ""),
            colon: choose(language, ": ", "："),
            sections: sections.into_iter().flatten().collect(),
        },
    )
}

/// A round of a knockout, a tie a line.
fn bracket_round(round: &BracketRound) -> String {
    let side = |side: &BracketSide| {
        let name = side.name.as_deref().unwrap_or("–");
        let points = side.points.map(|points| format!(" {points}")).unwrap_or_default();
        let won = if side.won { " ✓" } else { "" };
        format!("{name}{points}{won}")
    };
    let mut text = round.title.clone();
    for tie in &round.ties {
        let sides: Vec<String> = tie.sides.iter().map(side).collect();
        let note = tie.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
        let _ = write!(text, "\n  {}{note}", sides.join(" : "));
    }
    text
}

fn matrix(report: &Report, language: Language) -> Option<ReportTable> {
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
    Some(ReportTable { note: Word::MatrixNote.text(language).to_owned(), head, rows: rows.collect() })
}

/// Where each test ended: its capitals, and the bounds that they had to reach.
fn courses(report: &Report, language: Language) -> Option<ReportTable> {
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
    Some(ReportTable { note: Word::CourseNote.text(language).to_owned(), head, rows: rows.collect() })
}
