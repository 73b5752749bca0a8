//! Intervals on one scale, a line each: names wrap and nothing shrinks, however narrow the page is.

use serde::Serialize;

use super::super::verdict::FARTHEST;
use super::charts::Axis;
use super::words::Word;
use super::{Report, ReportEffect, tables};
use crate::briefs::Language;

/// Intervals on one scale. All places are in percent of its width.
#[derive(Debug, Serialize)]
pub(super) struct Strips {
    /// What the scale measures.
    unit: &'static str,
    ticks: Vec<(f64, String)>,
    /// Where 0 is, where that means something.
    zero: Option<f64>,
    /// Where a difference is none that matters: from where, and how wide.
    band: Option<(f64, f64)>,
    rows: Vec<Strip>,
}

#[derive(Debug, Serialize)]
struct Strip {
    name: String,
    value: String,
    low: f64,
    /// From the lower end to the upper.
    wide: f64,
    /// Nothing where there is nothing to say.
    dot: Option<f64>,
    /// The plain mean, where the dot is not.
    ring: Option<f64>,
    /// Whether it goes on below the scale, and above it.
    open: [bool; 2],
}

/// Room for all of these, in percent.
fn scale(values: impl Iterator<Item = f64>) -> Axis {
    Axis::over(values, 0.0, 100.0)
}

fn ticks(axis: &Axis) -> Vec<(f64, String)> {
    axis.ticks().into_iter().map(|tick| (placed(axis, tick), axis.label(tick))).collect()
}

/// A place to a hundredth.
fn placed(axis: &Axis, value: f64) -> f64 {
    (100.0 * axis.at(value)).round() / 100.0
}

/// Ratings with their intervals, the best on top.
pub(super) fn ratings(report: &Report, language: Language) -> Strips {
    let rows = report.ranked();
    let axis = scale(rows.iter().flat_map(|(_, row)| [row.rated.low, row.rated.high]));
    let row = |row: &super::ReportRow| {
        let it = &row.rated;
        let [low, dot, high] = [it.low, it.rating, it.high].map(|value| placed(&axis, value));
        let value = format!("{:.0} ({:.0} – {:.0})", it.rating, it.low, it.high);
        Strip { name: row.name.clone(), value, low, wide: high - low, dot: Some(dot), ring: None, open: [false; 2] }
    };
    Strips {
        unit: Word::Rating.text(language),
        ticks: ticks(&axis),
        zero: None,
        band: None,
        rows: rows.into_iter().map(|(_, it)| row(it)).collect(),
    }
}

/// All differences in Elo with their intervals, around 0; nothing where none is known.
pub(super) fn effects(effects: &[ReportEffect], language: Language) -> Option<Strips> {
    let delta = effects.iter().filter_map(|it| it.delta).fold(0.0, f64::max);
    // An open end is no place: it would squash all others.
    let is_place = |value: &f64| value.abs() < f64::from(FARTHEST);
    let ends = effects.iter().flat_map(|it| [it.effect.low, it.effect.high, it.effect.raw]).filter(is_place);
    let axis = scale(ends.chain([0.0, delta, -delta]));
    let row = |ReportEffect { name, effect, .. }: &ReportEffect| {
        let open = [effect.is_open_below(), effect.is_open_above()];
        let [low, high] = [if open[0] { axis.low } else { effect.low }, if open[1] { axis.high } else { effect.high }]
            .map(|value| placed(&axis, value));
        let known = (!effect.is_open()).then(|| placed(&axis, effect.shrunk));
        let value = match known {
            Some(_) => format!("{:+.0} ({})", effect.shrunk, tables::span(effect, language)),
            None => tables::nothing_yet(language).to_owned(),
        };
        let ring = known.and_then(|_| Some(effect.raw).filter(is_place)).map(|raw| placed(&axis, raw));
        Strip { name: name.clone(), value, low, wide: high - low, dot: known, ring, open }
    };
    (!effects.is_empty()).then(|| Strips {
        unit: Word::EloDifference.text(language),
        ticks: ticks(&axis),
        zero: Some(placed(&axis, 0.0)),
        band: Some((placed(&axis, -delta), placed(&axis, delta) - placed(&axis, -delta))),
        rows: effects.iter().map(row).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::verdict::Effect;
    use super::*;

    #[test]
    fn an_open_end_squashes_nothing_and_has_an_arrow() {
        let effect = |low, high| Effect { raw: 40.0, shrunk: 30.0, low, high, level: 0.9 };
        let row = |effect| ReportEffect { name: "b against a".to_owned(), effect, delta: Some(70.0) };
        let all = [effect(-60.0, 120.0), effect(-1200.0, 90.0), effect(-20.0, 1200.0), effect(-1200.0, 1200.0)];
        let strips = effects(&all.map(row), Language::En).expect("there are some");
        assert!(strips.rows[0].wide > 50.0, "{strips:?}");
        assert_eq!(
            strips.rows.iter().map(|row| row.open).collect::<Vec<_>>(),
            [[false, false], [true, false], [false, true], [true, true]]
        );
        let values: Vec<&str> = strips.rows.iter().map(|row| row.value.as_str()).collect();
        assert_eq!(
            values,
            ["+30 (-60 to +120)", "+30 (+90 at the most)", "+30 (-20 at the least)", "nothing can be said yet"]
        );
        assert!(strips.rows[1].low.abs() < 1e-9 && strips.rows[3].dot.is_none());
    }
}
