//! The bracket of a knockout, drawn.

use std::fmt::Write as _;

use super::super::schedule::{Bracket, Tie};
use super::super::score::{Entrant, count};
use super::charts::{clip, open};
use super::words::{Word, choose};
use crate::briefs::{Language, markup};

const WIDE: f64 = 180.0;
const HIGH: f64 = 44.0;
const GAP: f64 = 46.0;
const ROOM: f64 = 58.0;

/// The rounds side by side, each tie between those whom its players come from.
pub(super) fn draw(bracket: &Bracket, names: &[String], language: Language) -> String {
    let first = bracket.rounds.first().map_or(1, Vec::len).max(1);
    let width = count(bracket.rounds.len()) * (WIDE + GAP) - GAP + 4.0;
    let height = 26.0 + count(first) * ROOM;
    let mut svg = open(width.max(720.0), height, Word::Bracket.text(language));
    for (number, round) in bracket.rounds.iter().enumerate() {
        let x = 2.0 + count(number) * (WIDE + GAP);
        let _ = write!(
            svg,
            r#"<text class="axis" x="{x:.1}" y="14">{}</text>"#,
            title(bracket.rounds.len() - number, language)
        );
        let room = ROOM * count(first) / count(round.len().max(1));
        for (at, tie) in round.iter().enumerate() {
            let y = 24.0 + room * (count(at) + 0.5) - HIGH / 2.0;
            self::tie(&mut svg, tie, names, x, y);
            if number + 1 < bracket.rounds.len() {
                let (from, to) = (y + HIGH / 2.0, 24.0 + 2.0 * room * (count(at / 2) + 0.5));
                let middle = x + WIDE + GAP / 2.0;
                let _ = write!(
                    svg,
                    r#"<path class="link" d="M{:.1} {from:.1}H{middle:.1}V{to:.1}H{:.1}"/>"#,
                    x + WIDE,
                    x + WIDE + GAP
                );
            }
        }
    }
    svg.push_str("</svg>");
    svg
}

fn title(left: usize, language: Language) -> String {
    match (left, language) {
        (1, _) => choose(language, "Final", "决赛").to_owned(),
        (2, _) => choose(language, "Semi-finals", "半决赛").to_owned(),
        (left, Language::En) => format!("Round of {}", 1_u64 << left.min(60)),
        (left, Language::Zh) => format!("{} 强", 1_u64 << left.min(60)),
    }
}

fn tie(svg: &mut String, tie: &Tie, names: &[String], x: f64, y: f64) {
    let _ = write!(svg, r#"<rect class="tie" x="{x:.1}" y="{y:.1}" width="{WIDE}" height="{HIGH}" rx="4"/>"#);
    let points = [tie.points, f64::from(tie.blocks) - tie.points];
    for (line, (one, points)) in [tie.upper, tie.lower].into_iter().zip(points).enumerate() {
        let y = y + 17.0 + 19.0 * count(line);
        let name = |one: Entrant| names.get(one.index()).map_or_else(|| one.to_string(), |name| clip(name));
        let shown = one.map_or_else(|| "–".to_owned(), name);
        let class = if one.is_some() && one == tie.winner { "label won" } else { "label" };
        let _ = write!(svg, r#"<text class="{class}" x="{:.1}" y="{y:.1}">{}</text>"#, x + 8.0, markup(&shown));
        if tie.blocks > 0 {
            let _ = write!(
                svg,
                r#"<text class="{class}" x="{:.1}" y="{y:.1}" text-anchor="end">{points}</text>"#,
                x + WIDE - 8.0
            );
        }
    }
}
