//! The page.

use super::charts;
use super::words::{Word, verdict};
use super::{Blunder, Report};
use crate::briefs::{Language, markup};

/// One style sheet for screens, light and dark, and for paper.
const STYLE: &str = include_str!("style.css");

pub(super) fn page(report: &Report, language: Language) -> String {
    let title = markup(&report.title);
    let mut sections = vec![format!("<h1>{title}</h1><p class=\"verdict\">{}</p>", markup(&report.verdict))];
    let mut section = |word: Word, body: String| {
        if !body.is_empty() {
            sections.push(format!("<section><h2>{}</h2>{body}</section>", word.text(language)));
        }
    };
    if !report.players.is_empty() {
        section(Word::Leaderboard, figure(&charts::intervals(report, language)) + &leaderboard(report, language));
        section(Word::Matrix, matrix(report, language));
    }
    section(Word::Course, courses(report, language));
    section(Word::Failures, failures(report, language));
    section(Word::Cost, charts::cost(report, language).map_or_else(String::new, |svg| figure(&svg)));
    section(Word::Quiz, quiz(report, language));
    section(Word::Blunders, report.blunders.iter().map(blunder).collect());
    section(Word::Reproduce, reproduce(report));
    format!(
        "<!doctype html>\n<html lang=\"{language}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>{title}</title><style>{STYLE}</style></head>\
         <body><main>{}</main></body></html>\n",
        sections.join("\n")
    )
}

fn figure(svg: &str) -> String {
    format!("<figure>{svg}</figure>")
}

fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("<tr>{}</tr>", cells("td", row))).collect();
    let (head, rows) = (cells("th", head), rows.concat());
    format!("<div class=\"wide\"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>")
}

fn cells(tag: &str, cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| format!("<{tag}>{cell}</{tag}>")).collect();
    cells.concat()
}

fn leaderboard(report: &Report, language: Language) -> String {
    let (head, rows) = super::markdown::leaderboard(report, language);
    table(&head.iter().map(|cell| markup(cell)).collect::<Vec<_>>(), &escaped(&rows))
}

fn escaped(rows: &[Vec<String>]) -> Vec<Vec<String>> {
    rows.iter().map(|row| row.iter().map(|cell| markup(cell)).collect()).collect()
}

fn matrix(report: &Report, language: Language) -> String {
    if report.chances.len() != report.players.len() || report.players.len() < 2 {
        return String::new();
    }
    let ranked = report.ranked();
    let mut head = vec![String::new()];
    head.extend(ranked.iter().map(|(_, row)| markup(&row.name)));
    let rows: Vec<String> = ranked
        .iter()
        .map(|&(one, row)| {
            let cells = ranked.iter().map(|&(other, _)| match report.chances[one].get(other) {
                Some(chance) if one != other && chance.is_finite() => {
                    let percent = 100.0 * chance.clamp(0.0, 1.0);
                    format!("<td class=\"heat\" style=\"--heat:{percent:.0}%\">{percent:.0} %</td>")
                }
                _ => "<td>–</td>".to_owned(),
            });
            format!("<tr><td>{}</td>{}</tr>", markup(&row.name), cells.collect::<String>())
        })
        .collect();
    let rows = rows.concat();
    let head: Vec<String> = head.iter().map(|cell| format!("<th>{cell}</th>")).collect();
    let head = head.concat();
    format!(
        "<p>{}</p><div class=\"wide\"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>",
        Word::MatrixNote.text(language)
    )
}

fn courses(report: &Report, language: Language) -> String {
    if report.tests.is_empty() {
        return String::new();
    }
    let figures = report.tests.iter().map(|test| {
        let caption = format!("{}: {}", markup(&test.name), verdict(test.verdict, language));
        format!("<figure>{}<figcaption>{caption}</figcaption></figure>", charts::course(test, language))
    });
    format!("<p>{}</p>{}", Word::CourseNote.text(language), figures.collect::<String>())
}

fn failures(report: &Report, language: Language) -> String {
    let Some((head, rows)) = super::markdown::failures(report, language) else { return String::new() };
    table(&head.iter().map(|cell| markup(cell)).collect::<Vec<_>>(), &escaped(&rows))
}

fn quiz(report: &Report, language: Language) -> String {
    let Some((head, rows)) = super::markdown::quiz(report, language) else { return String::new() };
    table(&head.iter().map(|cell| markup(cell)).collect::<Vec<_>>(), &escaped(&rows))
}

fn blunder(blunder: &Blunder) -> String {
    let sentences: Vec<String> = blunder.sentences.iter().map(|sentence| markup(sentence)).collect();
    format!("<article><p>{}</p><pre>{}</pre></article>", sentences.join("<br>"), markup(&blunder.board))
}

fn reproduce(report: &Report) -> String {
    let rows: Vec<String> = report
        .reproduce
        .iter()
        .map(|(what, value)| format!("<dt>{}</dt><dd><code>{}</code></dd>", markup(what), markup(value)))
        .collect();
    if rows.is_empty() { String::new() } else { format!("<dl>{}</dl>", rows.concat()) }
}
