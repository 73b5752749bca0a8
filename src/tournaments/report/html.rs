//! The page.

use super::words::{Word, choose, verdict};
use super::{Blunder, Report, Table, bracket, charts, tables};
use crate::briefs::{Language, markup};

/// One style sheet for screens, light and dark, and for paper.
const STYLE: &str = include_str!("style.css");

pub(super) fn page(report: &Report, language: Language) -> String {
    let title = markup(&report.title);
    let mut sections = vec![format!("<h1>{title}</h1><p class=\"verdict\">{}</p>", markup(&report.verdict))];
    sections.extend(report.remarks.iter().map(|remark| format!("<p class=\"remark\">{}</p>", markup(remark))));
    let mut section = |word: Word, body: String| {
        if !body.is_empty() {
            sections.push(format!("<section><h2>{}</h2>{body}</section>", word.text(language)));
        }
    };
    section(Word::Findings, optional(report.findings.as_ref()));
    if !report.players.is_empty() {
        let board = figure(&charts::intervals(report, language)) + &table(&tables::leaderboard(report, language));
        section(Word::Leaderboard, board);
        section(Word::Matrix, matrix(report, language));
    }
    let drawn = report.bracket.as_ref().map(|(bracket, names)| figure(&bracket::draw(bracket, names, language)));
    section(Word::Bracket, drawn.unwrap_or_default());
    section(Word::Course, courses(report, language));
    section(Word::Failures, optional(tables::failures(report, language).as_ref()));
    section(Word::Cost, charts::cost(report, language).map_or_else(String::new, |svg| figure(&svg)));
    section(Word::Quiz, optional(report.quiz.as_ref()));
    section(Word::Languages, optional(report.languages.as_ref()));
    section(Word::Bank, optional(report.bank.as_ref()));
    section(Word::Moves, optional(report.moves.as_ref()));
    let curves = report.curves.iter().map(|curve| {
        format!(
            "<figure>{}<figcaption>{}</figcaption></figure>",
            charts::curve(curve, language),
            markup(&curve.match_id)
        )
    });
    section(Word::Curve, curves.collect());
    let (style, drawings) = boards(&report.blunders);
    let told = report.blunders.iter().zip(&drawings).map(|(blunder, drawing)| self::blunder(blunder, drawing));
    section(Word::Blunders, told.collect());
    section(Word::Reproduce, reproduce(report));
    let lang = choose(language, "en", "zh-CN");
    format!(
        "<!doctype html>\n<html lang=\"{lang}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>{title}</title><style>{STYLE}{style}</style></head>\
         <body><main>{}</main></body></html>\n",
        sections.join("\n")
    )
}

fn figure(svg: &str) -> String {
    format!("<figure>{svg}</figure>")
}

fn optional(found: Option<&Table>) -> String {
    found.map(table).unwrap_or_default()
}

fn table(table: &Table) -> String {
    let cells = |tag: &str, cells: &[String]| -> String {
        let cells: Vec<String> = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", markup(cell))).collect();
        cells.concat()
    };
    let rows: Vec<String> = table.rows.iter().map(|row| format!("<tr>{}</tr>", cells("td", row))).collect();
    let rows = rows.concat();
    let note = if table.note.is_empty() { String::new() } else { format!("<p>{}</p>", markup(&table.note)) };
    let head = cells("th", &table.head);
    format!("{note}<div class=\"wide\"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>")
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
    let figures = |decides: bool| -> String {
        let drawn = report.tests.iter().filter(|test| test.decides == decides).map(|test| {
            let colon = choose(language, ": ", "：");
            let caption = format!("{}{colon}{}", markup(&test.name), verdict(test.verdict, language));
            format!("<figure>{}<figcaption>{caption}</figcaption></figure>", charts::course(test, language))
        });
        drawn.collect()
    };
    let (main, others) = (figures(true), figures(false));
    let others = if others.is_empty() {
        others
    } else {
        format!("<details><summary>{}</summary>{others}</details>", Word::OtherTests.text(language))
    };
    format!("<p>{}</p>{main}{others}", Word::CourseNote.text(language))
}

fn blunder(blunder: &Blunder, drawing: &str) -> String {
    let sentences: Vec<String> = blunder.sentences.iter().map(|sentence| code(&markup(sentence))).collect();
    let board = if drawing.is_empty() {
        format!("<pre>{}</pre>", markup(&blunder.board))
    } else {
        format!("<div class=\"board\">{drawing}</div>")
    };
    let heading = markup(&blunder.heading);
    format!("<article><h3>{heading}</h3><p>{}</p>{board}</article>", sentences.join("<br>"))
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

fn reproduce(report: &Report) -> String {
    let rows: Vec<String> = report
        .reproduce
        .iter()
        .map(|(what, value)| {
            let value = if value.contains('\n') {
                format!("<pre>{}</pre>", markup(value.trim_end()))
            } else {
                format!("<code>{}</code>", markup(value))
            };
            format!("<dt>{}</dt><dd>{value}</dd>", markup(what))
        })
        .collect();
    if rows.is_empty() { String::new() } else { format!("<dl>{}</dl>", rows.concat()) }
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
