//! The page.

use serde::Serialize;

use super::super::experiment::Gate;
use super::super::ratings::Pairing;
use super::charts::Chart;
use super::strips::{self, Strips};
use super::words::{Word, choose, failure, verdict};
use super::{Blunder, BracketRound, Report, ReportTable, Tested, Transcript, charts, tables, template};
use crate::briefs::{Language, markup};
use crate::players::model::Speaker;
use crate::tournaments::moves::Curve;

/// The style of the web page: one design for both.
const PAGE_STYLE: &str = include_str!("../../http/page/page.css");
/// What reports have beyond it.
const STYLE: &str = include_str!("style.css");

/// Of more players than this the chances of the best are shown.
const MOST_IN_MATRIX: usize = 12;

/// What `page.html` is filled with.
#[derive(Serialize)]
struct HtmlPage<'r> {
    lang: &'r str,
    title: &'r str,
    verdicts: &'r [String],
    remarks: &'r [String],
    style: String,
    /// What stands above the links to the sections.
    contents: &'r str,
    /// What a link to a match says.
    open_match: &'r str,
    sections: Vec<HtmlSection<'r>>,
}

/// A heading and what stands below it, in this order.
#[derive(Default, Serialize)]
struct HtmlSection<'r> {
    /// The name of the place, the same in every language.
    id: String,
    heading: &'r str,
    note: &'r str,
    strips: Option<Strips>,
    figures: Vec<Figure>,
    table: Option<ReportTable>,
    /// What most readers do not need, behind lines that open it.
    folded: Vec<Folded<'r>>,
    matrix: Option<ChanceTable<'r>>,
    bracket: &'r [BracketRound],
    blunders: Vec<HtmlBlunder<'r>>,
    facts: &'r [(String, String)],
}

#[derive(Default, Serialize)]
struct Folded<'r> {
    summary: String,
    /// The page of the match.
    link: Option<String>,
    figures: Vec<Figure>,
    table: Option<ReportTable>,
    /// Who said what.
    said: Vec<(&'r str, &'r str)>,
}

#[derive(Serialize)]
struct Figure {
    svg: String,
    caption: String,
    legend: Vec<(&'static str, String)>,
    /// The page of the match.
    link: Option<String>,
}

/// The chance of each player against each other one, in percent, and what was seen.
#[derive(Serialize)]
struct ChanceTable<'r> {
    names: Vec<&'r str>,
    chances: Vec<Vec<Option<ChanceCell>>>,
}

#[derive(Serialize)]
struct ChanceCell {
    percent: String,
    /// What happened, where the two have met.
    seen: Option<String>,
}

#[derive(Serialize)]
struct HtmlBlunder<'r> {
    heading: &'r str,
    /// The page of the match.
    link: Option<String>,
    /// Each with its actions as code.
    sentences: Vec<String>,
    board: &'r str,
    drawing: String,
}

impl Figure {
    fn new(Chart { svg, legend }: Chart, caption: String) -> Figure {
        Figure { svg, caption, legend, link: None }
    }
}

/// A section without anything in it.
fn section<'r>(word: Word, language: Language) -> HtmlSection<'r> {
    HtmlSection { id: word.anchor(), heading: word.text(language), ..HtmlSection::default() }
}

/// The page of a match, or of a turn of it, where the report is served beside it.
fn match_page(report: &Report, id: &str, turn: Option<u32>) -> Option<String> {
    let turn = turn.map(|turn| format!("/turn/{turn}")).unwrap_or_default();
    report.match_pages.as_ref().map(|pages| format!("{pages}{id}{turn}"))
}

pub(super) fn page(report: &Report, language: Language) -> String {
    let (style, drawings) = boards(&report.blunders);
    let blunders: Vec<HtmlBlunder<'_>> =
        report.blunders.iter().zip(drawings).map(|(blunder, drawing)| drawn(report, blunder, drawing)).collect();
    let section = |word: Word| section(word, language);
    let table =
        |word, table: Option<ReportTable>| table.map(|table| HtmlSection { table: Some(table), ..section(word) });
    let mut sections = vec![
        strips::effects(&report.effects, language).map(|strips| HtmlSection {
            note: Word::EffectsNote.text(language),
            strips: Some(strips),
            ..section(Word::Effects)
        }),
        table(Word::Findings, report.findings.clone()),
        table(Word::Money, report.money.clone()),
    ];
    // Whoever compares prompts asks why one lost before who leads.
    let [first, second] = match report.findings {
        Some(_) => [failures(report, language), ratings(report, language)],
        None => [ratings(report, language), failures(report, language)],
    };
    sections.extend(first);
    sections.extend(second);
    sections.extend([
        courses(report, language, section(Word::Course)),
        table(Word::Pairs, report.pairs.clone()),
        table(Word::Seats, report.seats.clone()),
        charts::cost(report, language).map(|svg| {
            let figure = Figure::new(Chart { svg, legend: Vec::new() }, String::new());
            HtmlSection { figures: vec![figure], ..section(Word::Cost) }
        }),
        table(Word::Quiz, report.quiz.clone()),
        table(Word::Languages, report.languages.clone()),
        table(Word::Bank, report.bank.clone()),
        table(Word::Moves, report.moves.clone()),
        (!report.curves.is_empty()).then(|| {
            let curves = report.curves.iter();
            let figure = |curve: &Curve| Figure {
                link: match_page(report, &curve.match_id, None),
                ..Figure::new(charts::curve(curve, language), curve.match_id.clone())
            };
            let figures = curves.map(figure).collect();
            HtmlSection { figures, ..section(Word::Curve) }
        }),
        (!blunders.is_empty()).then(|| HtmlSection { blunders, ..section(Word::Blunders) }),
        (!report.reproduce.is_empty()).then(|| HtmlSection { facts: &report.reproduce, ..section(Word::Reproduce) }),
    ]);
    template::render(
        "page.html",
        &HtmlPage {
            lang: choose(language, "en", "zh-CN"),
            title: &report.title,
            verdicts: &report.verdicts,
            remarks: &report.remarks,
            contents: Word::Contents.text(language),
            open_match: Word::OpenMatch.text(language),
            style: format!("{PAGE_STYLE}{STYLE}{style}"),
            sections: sections.into_iter().flatten().collect(),
        },
    )
}

/// Who leads, and by what.
fn ratings(report: &Report, language: Language) -> Vec<Option<HtmlSection<'_>>> {
    let section = |word: Word| section(word, language);
    let details = tables::details(report, language);
    vec![
        (!report.players.is_empty()).then(|| HtmlSection {
            strips: Some(strips::ratings(report, language)),
            table: Some(tables::leaderboard(report, language)),
            ..section(Word::Leaderboard)
        }),
        details.map(|table| HtmlSection { table: Some(table), ..section(Word::Details) }),
        matrix(report).map(|matrix| HtmlSection {
            note: Word::MatrixNote.text(language),
            matrix: Some(matrix),
            ..section(Word::Matrix)
        }),
        (!report.bracket.is_empty()).then(|| HtmlSection { bracket: &report.bracket, ..section(Word::Bracket) }),
    ]
}

/// Failures by kind, with some of the answers that were refused, and what was said, behind lines.
fn failures(report: &Report, language: Language) -> Vec<Option<HtmlSection<'_>>> {
    let section = |word: Word| section(word, language);
    let summary = Word::Refused.text(language).to_owned();
    let refused = tables::refused(report, language);
    let refused = refused.map(|table| Folded { summary, table: Some(table), ..Folded::default() });
    let transcript = |one| Folded {
        summary: transcript_title(one, language),
        link: one.turn.and_then(|turn| match_page(report, &one.place, Some(turn))),
        said: said(one, language),
        ..Folded::default()
    };
    vec![
        tables::failures(report, language).map(|table| HtmlSection {
            table: Some(table),
            folded: refused.into_iter().collect(),
            ..section(Word::Failures)
        }),
        (!report.transcripts.is_empty()).then(|| HtmlSection {
            note: Word::TranscriptsNote.text(language),
            folded: report.transcripts.iter().map(transcript).collect(),
            ..section(Word::Transcripts)
        }),
    ]
}

/// Whose failure it is, which, and where.
pub(super) fn transcript_title(one: &Transcript, language: Language) -> String {
    let Transcript { player, kind, gate, place, turn, .. } = one;
    let kind = failure(kind, language);
    let (turn, is_zh) = (turn.unwrap_or_default(), language == Language::Zh);
    let place = match gate {
        Gate::Games if is_zh => format!("{place}，第 {turn} 回合"),
        Gate::Games => format!("{place}, turn {turn}"),
        Gate::Bank => format!("{} {place}", if is_zh { "局面" } else { "position" }),
        Gate::Quiz => format!("{} {place}", if is_zh { "规则题" } else { "quiz question" }),
    };
    if is_zh { format!("{player}：{kind}（{place}）") } else { format!("{player}: {kind} ({place})") }
}

/// What was said, each with what it is: the first words of the referee ask, later ones refuse.
pub(super) fn said(one: &Transcript, language: Language) -> Vec<(&'static str, &str)> {
    let mut answers = 0;
    let mut words = Vec::with_capacity(one.said.len());
    for (speaker, text) in &one.said {
        let word = match speaker {
            Speaker::System => Word::SystemPrompt,
            Speaker::Referee if answers == 0 => Word::Question,
            Speaker::Referee => Word::Refusal,
            Speaker::Model => Word::Answer,
        };
        answers += usize::from(*speaker == Speaker::Model);
        words.push((word.text(language), text.as_str()));
    }
    if one.gate == Gate::Quiz {
        // Nobody tells a model so: it is asked once.
        words.push((Word::Refusal.text(language), Word::NeitherYesNorNo.text(language)));
    }
    words
}

fn matrix(report: &Report) -> Option<ChanceTable<'_>> {
    if report.chances.len() != report.players.len() || report.players.len() < 2 {
        return None;
    }
    let mut ranked = report.ranked();
    ranked.truncate(MOST_IN_MATRIX);
    let seen = |one: usize, other: usize| {
        let (first, second) = (one.min(other), one.max(other));
        let is_it = |pairing: &&Pairing| (pairing.one as usize, pairing.other as usize) == (first, second);
        let Pairing { observed, games, .. } = report.fit.as_ref()?.pairings.iter().find(is_it)?;
        let won = if one == first { observed.win } else { observed.loss };
        Some(format!("{:.0} % · {games:.0}", 100.0 * won))
    };
    let cell = |one: usize, other: usize| {
        let chance = report.chances[one].get(other).filter(|chance| one != other && chance.is_finite())?;
        Some(ChanceCell { percent: format!("{:.0}", 100.0 * chance.clamp(0.0, 1.0)), seen: seen(one, other) })
    };
    let row = |&(one, _): &(usize, _)| ranked.iter().map(|&(other, _)| cell(one, other)).collect();
    Some(ChanceTable {
        names: ranked.iter().map(|(_, row)| row.name.as_str()).collect(),
        chances: ranked.iter().map(row).collect(),
    })
}

fn courses<'r>(report: &Report, language: Language, section: HtmlSection<'r>) -> Option<HtmlSection<'r>> {
    let figure = |test: &Tested| {
        let caption = format!("{}{}{}", test.name, choose(language, ": ", "："), verdict(test.verdict, language));
        Figure::new(charts::course(test, language), caption)
    };
    let folded = |(word, decides): (Word, bool)| {
        let figures: Vec<Figure> = report.tests.iter().filter(|test| test.decides == decides).map(figure).collect();
        let summary = word.text(language).to_owned();
        (!figures.is_empty()).then(|| Folded { summary, figures, ..Folded::default() })
    };
    (!report.tests.is_empty()).then(|| HtmlSection {
        note: Word::CourseNote.text(language),
        folded: [(Word::TestsOfRecord, true), (Word::OtherTests, false)].into_iter().filter_map(folded).collect(),
        ..section
    })
}

fn drawn<'r>(report: &Report, blunder: &'r Blunder, drawing: String) -> HtmlBlunder<'r> {
    let sentences = blunder.sentences.iter().map(|sentence| code(&markup(sentence))).collect();
    let link = match_page(report, &blunder.match_id, Some(blunder.turn)).filter(|_| !blunder.match_id.is_empty());
    HtmlBlunder { heading: &blunder.heading, link, sentences, board: &blunder.board, drawing }
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
