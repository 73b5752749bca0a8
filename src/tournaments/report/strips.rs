//! Intervals on one scale, a line each: names wrap and nothing shrinks, however narrow the page is.

use serde::Serialize;

use super::charts::Axis;
use super::words::Word;
use super::{Report, ReportEffect};
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
    dot: f64,
    /// The plain mean, where the dot is not.
    ring: Option<f64>,
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
        Strip { name: row.name.clone(), value, low, wide: high - low, dot, ring: None }
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
    let ends = effects.iter().flat_map(|it| [it.effect.low, it.effect.high, it.effect.raw]);
    let axis = scale(ends.chain([0.0, delta, -delta]));
    let row = |ReportEffect { name, effect, .. }: &ReportEffect| {
        let [low, raw, dot, high] =
            [effect.low, effect.raw, effect.shrunk, effect.high].map(|value| placed(&axis, value));
        let value = format!("{:+.0} ({:+.0} – {:+.0})", effect.shrunk, effect.low, effect.high);
        Strip { name: name.clone(), value, low, wide: high - low, dot, ring: Some(raw) }
    };
    (!effects.is_empty()).then(|| Strips {
        unit: Word::EloDifference.text(language),
        ticks: ticks(&axis),
        zero: Some(placed(&axis, 0.0)),
        band: Some((placed(&axis, -delta), placed(&axis, delta) - placed(&axis, -delta))),
        rows: effects.iter().map(row).collect(),
    })
}
