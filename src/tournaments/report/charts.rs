//! Charts in SVG. Colours come from the page's style sheet, so that they follow its theme.

use std::fmt::Write as _;

use super::super::score::count;
use super::words::Word;
use super::{Report, Tested};
use crate::briefs::{Language, markup};
use crate::tournaments::moves::Curve;

/// A scale from numbers to places on the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// Room for all of these, a little more on either side.
    pub(super) fn over(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Axis {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite()) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let room = ((high - low) * 0.05).max(1e-6 * high.abs()).max(1e-9);
        Axis { low: low - room, high: high + room, from, to }
    }

    pub(super) fn at(&self, value: f64) -> f64 {
        let value = if value.is_finite() { value.clamp(self.low, self.high) } else { self.low };
        self.from + (self.to - self.from) * (value - self.low) / (self.high - self.low)
    }

    /// How far apart round numbers on it are.
    fn step(&self) -> f64 {
        let rough = (self.high - self.low) / 5.0;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|&step| step >= rough);
        step.unwrap_or(10.0 * power)
    }

    /// Round numbers on it, about five.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let step = self.step();
        let first = (self.low / step).ceil();
        (0..12).map(|number| (first + f64::from(number)) * step).take_while(|&tick| tick <= self.high).collect()
    }

    /// A number on it, with as many digits as tell it from its neighbours.
    pub(super) fn label(&self, tick: f64) -> String {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 9")]
        let digits = (-self.step().log10().floor()).clamp(0.0, 9.0) as usize;
        let text = format!("{tick:.digits$}");
        // Rounded down to nothing, it has no sign.
        if text.trim_start_matches(['-', '0', '.']).is_empty() { text.trim_start_matches('-').to_owned() } else { text }
    }
}

/// A number by itself.
fn short(value: f64) -> String {
    let text =
        if value.abs() >= 10.0 || value.fract().abs() < 1e-9 { format!("{value:.0}") } else { format!("{value:.3}") };
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A chart, and what its lines stand for: a class and a name each.
pub(super) struct Chart {
    pub(super) svg: String,
    pub(super) legend: Vec<(&'static str, String)>,
}

/// How wide charts are, in their own units: about as many as a phone has pixels, so that letters stay readable there.
const WIDE: f64 = 480.0;

/// The classes of lines, one after the other.
const LINES: [&str; 4] = ["one", "two", "one dim", "two dim"];

/// The capitals of a test over its blocks, with their bounds.
pub(super) fn course(test: &Tested, language: Language) -> Chart {
    let course = &test.course;
    let (left, height) = (52.0, 230.0);
    // In powers of ten. What has lost nearly everything is drawn at the bottom.
    let ten = |log: f64| (log / std::f64::consts::LN_10).max(-3.0);
    let all = course.points.iter().flatten().copied().chain([0.0, course.sure, course.safe]);
    let y_axis = Axis::over(all.map(ten), height - 20.0, 20.0);
    let x_axis = Axis { low: 0.0, high: count(course.points.len()).max(1.0), from: left, to: WIDE - 12.0 };
    let mut svg = open(WIDE, height + 26.0, &test.name);
    grid_x(&mut svg, &x_axis, 20.0, height - 20.0);
    powers(&mut svg, &y_axis, left, x_axis.to);
    for (bound, class, label) in [(course.sure, "one", "1/α"), (course.safe, "two", "1/β")] {
        let y = y_axis.at(ten(bound));
        let x = if class == "one" { left + 4.0 } else { left + 44.0 };
        let _ = write!(
            svg,
            r#"<line class="bound {class}" x1="{left}" x2="{:.1}" y1="{y:.1}" y2="{y:.1}"/><text class="label {class}" x="{x:.1}" y="{:.1}">{label}</text>"#,
            x_axis.to,
            y - 4.0
        );
    }
    let words = [Word::BetBetter, Word::BetNot, Word::BetWorse, Word::BetNotWorse];
    for (index, class) in LINES.into_iter().enumerate() {
        let points: Vec<String> = std::iter::once(0.0)
            .chain(course.points.iter().map(|point| ten(point[index])))
            .enumerate()
            .map(|(block, value)| format!("{:.1},{:.1}", x_axis.at(count(block)), y_axis.at(value)))
            .collect();
        let _ = write!(svg, r#"<polyline class="line {class}" points="{}"/>"#, points.join(" "));
    }
    let legend = LINES.into_iter().zip(words.map(|word| word.text(language).to_owned())).collect();
    let svg = titled(svg, f64::midpoint(left, x_axis.to), height, [Word::Items, Word::Capital], language);
    Chart { svg, legend }
}

/// Ends a chart with the names of its axes: below the middle of the one, above the other.
fn titled(mut svg: String, middle: f64, height: f64, [across, up]: [Word; 2], language: Language) -> String {
    let _ = write!(
        svg,
        r#"<text class="axis" x="{middle:.1}" y="{:.1}" text-anchor="middle">{}</text><text class="axis" x="4" y="12">{}</text></svg>"#,
        height + 20.0,
        across.text(language),
        up.text(language)
    );
    svg
}

/// How the chance to win went in a game, a line a seat.
pub(super) fn curve(curve: &Curve, language: Language) -> Chart {
    let (left, height) = (52.0, 200.0);
    let turns = curve.seats.iter().flat_map(|(_, points)| points.iter().map(|&(turn, _)| f64::from(turn)));
    let x_axis = Axis { low: 0.0, high: turns.fold(1.0, f64::max), from: left, to: WIDE - 12.0 };
    let y_axis = Axis { low: 0.0, high: 100.0, from: height - 20.0, to: 24.0 };
    let mut svg = open(WIDE, height + 26.0, &curve.match_id);
    grid_x(&mut svg, &x_axis, 24.0, height - 20.0);
    grid_y(&mut svg, &y_axis, left, x_axis.to, |tick| format!("{} %", y_axis.label(tick)));
    let mut legend = Vec::new();
    for (number, (name, points)) in curve.seats.iter().enumerate() {
        let class = LINES[number % 4];
        let drawn: Vec<String> = points
            .iter()
            .map(|&(turn, value)| format!("{:.1},{:.1}", x_axis.at(f64::from(turn)), y_axis.at(100.0 * value)))
            .collect();
        let _ = write!(svg, r#"<polyline class="line {class}" points="{}"/>"#, drawn.join(" "));
        legend.push((class, name.clone()));
    }
    let svg = titled(svg, f64::midpoint(left, x_axis.to), height, [Word::Turn, Word::Curve], language);
    Chart { svg, legend }
}

/// Money a game against rating, for those who cost any.
pub(super) fn cost(report: &Report, language: Language) -> Option<String> {
    let paid: Vec<(&str, f64, f64)> =
        report.players.iter().filter_map(|row| Some((row.name.as_str(), row.usd_a_game?, row.rated.rating))).collect();
    if paid.is_empty() {
        return None;
    }
    let (left, height) = (52.0, 240.0);
    let x_axis = Axis::over(paid.iter().map(|&(_, usd, _)| usd).chain([0.0]), left, WIDE - 150.0);
    let y_axis = Axis::over(paid.iter().map(|&(_, _, rating)| rating), height - 20.0, 20.0);
    let mut svg = open(WIDE, height + 26.0, Word::Cost.text(language));
    grid_x(&mut svg, &x_axis, 20.0, height - 20.0);
    grid_y(&mut svg, &y_axis, left, x_axis.to, |tick| y_axis.label(tick));
    let mut taken: Vec<(f64, f64, f64)> = Vec::new();
    for (name, usd, rating) in paid {
        let (x, y) = (x_axis.at(usd), y_axis.at(rating));
        let name = clip(name);
        // About as wide as it will be: letters of this size, Chinese twice.
        let wide = 6.5 * count(unicode_width::UnicodeWidthStr::width(name.as_str()));
        let is_free = |shift: &f64| {
            let at = y + shift;
            let beside = |&(left, right, other): &(f64, f64, f64)| {
                x + 9.0 < right && left < x + 9.0 + wide && (at - other).abs() < 13.0
            };
            (8.0..height - 12.0).contains(&at) && !taken.iter().any(beside)
        };
        let shift = [0.0, 14.0, -14.0, 28.0, -28.0, 42.0, -42.0].into_iter().find(is_free).unwrap_or(0.0);
        taken.push((x + 9.0, x + 9.0 + wide, y + shift));
        let _ = write!(
            svg,
            r#"<circle class="dot" cx="{x:.1}" cy="{y:.1}" r="5"/><text class="label" x="{:.1}" y="{:.1}">{}</text>"#,
            x + 9.0,
            y + shift + 4.0,
            markup(&name)
        );
    }
    let svg = titled(svg, f64::midpoint(left, x_axis.to), height, [Word::UsdAGame, Word::Rating], language);
    Some(svg)
}

fn open(width: f64, height: f64, title: &str) -> String {
    format!(
        r#"<svg viewBox="0 0 {width:.0} {height:.0}" role="img" aria-label="{0}"><title>{0}</title>"#,
        markup(title)
    )
}

fn grid_x(svg: &mut String, axis: &Axis, top: f64, bottom: f64) {
    for tick in axis.ticks() {
        let x = axis.at(tick);
        let _ = write!(
            svg,
            r#"<line class="grid" x1="{x:.1}" x2="{x:.1}" y1="{top}" y2="{bottom}"/><text class="axis" x="{x:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
            bottom + 14.0,
            axis.label(tick)
        );
    }
}

/// Lines across with what they stand for.
fn grid_y(svg: &mut String, axis: &Axis, left: f64, right: f64, label: impl Fn(f64) -> String) {
    for tick in axis.ticks() {
        let y = axis.at(tick);
        let _ = write!(
            svg,
            r#"<line class="grid" x1="{left}" x2="{right:.1}" y1="{y:.1}" y2="{y:.1}"/><text class="axis" x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"#,
            left - 6.0,
            y + 4.0,
            label(tick)
        );
    }
}

/// Lines across at powers of ten, which an axis of exponents has, and between them where it has few.
fn powers(svg: &mut String, axis: &Axis, left: f64, right: f64) {
    let mut ticks: Vec<(f64, String)> = (-3..=300)
        .map(f64::from)
        .filter(|exponent| (axis.low..=axis.high).contains(exponent))
        .map(|exponent| (exponent, power(exponent)))
        .collect();
    // A long climb has more powers than there is room for.
    let step = ticks.len().div_ceil(8).max(1);
    ticks = ticks.into_iter().step_by(step).collect();
    for (exponent, label) in ticks {
        let y = axis.at(exponent);
        let _ = write!(
            svg,
            r#"<line class="grid" x1="{left}" x2="{right:.1}" y1="{y:.1}" y2="{y:.1}"/><text class="axis" x="{:.1}" y="{:.1}" text-anchor="end">{label}</text>"#,
            left - 6.0,
            y + 4.0
        );
    }
}

/// A power of ten.
fn power(exponent: f64) -> String {
    if exponent.abs() > 4.0 {
        return format!("10^{}", short(exponent));
    }
    let value = 10_f64.powf(exponent);
    if value >= 1.0 { format!("{value:.0}") } else { short(value) }
}

/// A name that fits beside a chart.
fn clip(name: &str) -> String {
    if name.chars().count() <= 22 { name.to_owned() } else { name.chars().take(21).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_an_axis_all_read_differently() {
        for (low, high) in [(999.9, 1000.4), (-0.002, 0.003), (0.0, 5.0), (-1200.0, 900.0), (1e6, 1e6 + 1.0)] {
            let axis = Axis::over([low, high].into_iter(), 0.0, 100.0);
            let labels: Vec<String> = axis.ticks().into_iter().map(|tick| axis.label(tick)).collect();
            let mut distinct = labels.clone();
            distinct.dedup();
            assert!(labels.len() > 1 && distinct == labels, "{labels:?}");
        }
    }
}
