//! The page.

use serde::Serialize;

use super::words::{Word, choose, verdict};
use super::{Blunder, Report, ReportTable, Tested, bracket, charts, tables, template};
use crate::briefs::{Language, markup};

/// One style sheet for screens, light and dark, and for paper.
const STYLE: &str = include_str!("style.css");

/// What `page.html` is filled with.
#[derive(Serialize)]
struct HtmlPage<'r> {
    lang: &'r str,
    title: &'r str,
    verdict: &'r str,
    remarks: &'r [String],
    style: String,
    sections: Vec<HtmlSection<'r>>,
}

/// A heading and what stands below it, in this order.
#[derive(Default, Serialize)]
struct HtmlSection<'r> {
    heading: &'r str,
    note: &'r str,
    figures: Vec<Figure>,
    /// What most readers do not need, behind a line that opens it.
    folded: Option<(&'r str, Vec<Figure>)>,
    table: Option<ReportTable>,
    matrix: Option<ChanceTable<'r>>,
    blunders: Vec<HtmlBlunder<'r>>,
    facts: &'r [(String, String)],
}

#[derive(Serialize)]
struct Figure {
    svg: String,
    caption: String,
}

/// The chance of each player against each other one, in percent.
#[derive(Serialize)]
struct ChanceTable<'r> {
    names: Vec<&'r str>,
    chances: Vec<Vec<Option<String>>>,
}

#[derive(Serialize)]
struct HtmlBlunder<'r> {
    heading: &'r str,
    /// Each with its actions as code.
    sentences: Vec<String>,
    board: &'r str,
    drawing: String,
}

impl Figure {
    fn new(svg: String) -> Figure {
        Figure { svg, caption: String::new() }
    }
}

pub(super) fn page(report: &Report, language: Language) -> String {
    let (style, drawings) = boards(&report.blunders);
    let blunders: Vec<HtmlBlunder<'_>> =
        report.blunders.iter().zip(drawings).map(|(blunder, drawing)| drawn(blunder, drawing)).collect();
    let section = |word: Word| HtmlSection { heading: word.text(language), ..HtmlSection::default() };
    let figure =
        |word, figure: Option<Figure>| figure.map(|figure| HtmlSection { figures: vec![figure], ..section(word) });
    let table =
        |word, table: Option<ReportTable>| table.map(|table| HtmlSection { table: Some(table), ..section(word) });
    let sections = [
        table(Word::Findings, report.findings.clone()),
        (!report.players.is_empty()).then(|| HtmlSection {
            figures: vec![Figure::new(charts::intervals(report, language))],
            table: Some(tables::leaderboard(report, language)),
            ..section(Word::Leaderboard)
        }),
        matrix(report).map(|matrix| HtmlSection {
            note: Word::MatrixNote.text(language),
            matrix: Some(matrix),
            ..section(Word::Matrix)
        }),
        figure(
            Word::Bracket,
            report.bracket.as_ref().map(|(bracket, names)| Figure::new(bracket::draw(bracket, names, language))),
        ),
        courses(report, language, section(Word::Course)),
        table(Word::Failures, tables::failures(report, language)),
        table(Word::Refused, tables::refused(report, language)),
        figure(Word::Cost, charts::cost(report, language).map(Figure::new)),
        table(Word::Quiz, report.quiz.clone()),
        table(Word::Languages, report.languages.clone()),
        table(Word::Bank, report.bank.clone()),
        table(Word::Moves, report.moves.clone()),
        (!report.curves.is_empty()).then(|| {
            let curves = report.curves.iter();
            let figures = curves
                .map(|curve| Figure { svg: charts::curve(curve, language), caption: curve.match_id.clone() })
                .collect();
            HtmlSection { figures, ..section(Word::Curve) }
        }),
        (!blunders.is_empty()).then(|| HtmlSection { blunders, ..section(Word::Blunders) }),
        (!report.reproduce.is_empty()).then(|| HtmlSection { facts: &report.reproduce, ..section(Word::Reproduce) }),
    ];
    template::render(
        "page.html",
        &HtmlPage {
            lang: choose(language, "en", "zh-CN"),
            title: &report.title,
            verdict: &report.verdict,
            remarks: &report.remarks,
            style: format!("{STYLE}{style}"),
            sections: sections.into_iter().flatten().collect(),
        },
    )
}

fn matrix(report: &Report) -> Option<ChanceTable<'_>> {
    if report.chances.len() != report.players.len() || report.players.len() < 2 {
        return None;
    }
    let ranked = report.ranked();
    let percent = |one: usize, other: usize| {
        let chance = report.chances[one].get(other).filter(|chance| one != other && chance.is_finite())?;
        Some(format!("{:.0}", 100.0 * chance.clamp(0.0, 1.0)))
    };
    let row = |&(one, _): &(usize, _)| ranked.iter().map(|&(other, _)| percent(one, other)).collect();
    Some(ChanceTable {
        names: ranked.iter().map(|(_, row)| row.name.as_str()).collect(),
        chances: ranked.iter().map(row).collect(),
    })
}

fn courses<'r>(report: &Report, language: Language, section: HtmlSection<'r>) -> Option<HtmlSection<'r>> {
    let figure = |test: &Tested| Figure {
        svg: charts::course(test, language),
        caption: format!("{}{}{}", test.name, choose(language, ": ", "："), verdict(test.verdict, language)),
    };
    let figures = |decides| report.tests.iter().filter(|test| test.decides == decides).map(figure).collect::<Vec<_>>();
    let others = figures(false);
    (!report.tests.is_empty()).then(|| HtmlSection {
        note: Word::CourseNote.text(language),
        figures: figures(true),
        folded: (!others.is_empty()).then(|| (Word::OtherTests.text(language), others)),
        ..section
    })
}

fn drawn(blunder: &Blunder, drawing: String) -> HtmlBlunder<'_> {
    let sentences = blunder.sentences.iter().map(|sentence| code(&markup(sentence))).collect();
    HtmlBlunder { heading: &blunder.heading, sentences, board: &blunder.board, drawing }
}

/// What stands between backquotes as code.
fn code(text: &str) -> String {
    let mut parts = text.split('`');
    let mut out = parts.next().unwrap_or_default().to_owned();
    let rest: Vec<&str> = parts.collect();
    for (at, part) in rest.iter().enumerate() {
        // A quote that is never closed is just one.
        out.push_str(match (at % 2, at + 1 == rest.len()) {
            (0, true) => "`",
            (0, false) => "<code>",
            _ => "</code>",
        });
        out.push_str(part);
    }
    out
}

/// The style that drawings share, kept to themselves, and the drawings without it.
fn boards(blunders: &[Blunder]) -> (String, Vec<String>) {
    let mut style = String::new();
    let drawings = blunders.iter().map(|blunder| {
        let Some((before, rest)) = blunder.drawing.split_once("<style>") else { return blunder.drawing.clone() };
        let Some((own, after)) = rest.split_once("</style>") else { return blunder.drawing.clone() };
        if style.is_empty() {
            style = scoped(own, ".board");
        }
        format!("{before}{after}")
    });
    let drawings = drawings.collect();
    (style, drawings)
}

/// A style sheet whose rules hold only within a class.
fn scoped(css: &str, within: &str) -> String {
    let mut out = String::with_capacity(2 * css.len());
    let mut selector = String::new();
    let mut in_rule = false;
    for c in css.chars() {
        match c {
            '{' if !in_rule && selector.trim_start().starts_with('@') => {
                out.push_str(selector.trim());
                out.push('{');
                selector.clear();
            }
            '{' if !in_rule => {
                let own: Vec<String> = selector.split(',').map(|part| format!("{within} {}", part.trim())).collect();
                out.push_str(&own.join(","));
                out.push('{');
                selector.clear();
                in_rule = true;
            }
            '}' => {
                in_rule = false;
                out.push('}');
            }
            c if in_rule => out.push(c),
            c => selector.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_of_drawings_stays_with_them() {
        let css = "svg{--a:#fff}\n@media (prefers-color-scheme:dark){svg{--a:#000}}\n.f0,.f1{fill:red}";
        assert_eq!(
            scoped(css, ".board"),
            ".board svg{--a:#fff}@media (prefers-color-scheme:dark){.board svg{--a:#000}}.board .f0,.board .f1{fill:red}"
        );
    }

    #[test]
    fn actions_are_code_and_a_lone_quote_is_none() {
        assert_eq!(code("A played `move up`, not `shoot`."), "A played <code>move up</code>, not <code>shoot</code>.");
        assert_eq!(code("it`s"), "it`s");
        assert_eq!(code("`a` and `b"), "<code>a</code> and `b");
    }
}
