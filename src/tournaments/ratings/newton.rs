//! Newton's method with the exact second derivative, and how far players scatter.
//!
//! The widths of the priors are estimated from the same games: the top of the posterior and its curvature say how much
//! of each parameter the games tell (`MacKay`, "Bayesian interpolation", 1992), and the width follows until it stands.

use super::super::chance::unit;
use super::FitOptions;
use super::dense::{Factor, Symmetric};
use super::games::Outcomes;
use super::model::{Layout, Local, Widths};
use super::{POINTS, count};

/// No fit takes as many: it gains digits twofold with every step near the top.
const MAX_STEPS: usize = 60;
/// Steps this small, in units of log-strength, are none.
const ENOUGH: f64 = 1e-10;
/// So small is enough while the widths still move.
const ENOUGH_FOR_WIDTHS: f64 = 1e-4;
/// The widths stand when they move by less than this share.
const WIDTHS_STAND: f64 = 2e-3;
const MAX_WIDTHS: usize = 30;
/// What is taken to be known of the widths beforehand counts as much as so many players.
const WIDTH_WEIGHT: f64 = 2.0;
/// The widths themselves beforehand: points of rating, and units of ln ν.
const USUAL_SPREAD: f64 = 400.0;
const USUAL_DRAWS: f64 = 1.0;
/// Beyond so many parameters what the games tell of each is sampled.
const MAX_EXACT: usize = 300;
const SAMPLES: u64 = 24;
/// So many steps follow the curvature of a draw.
const BENDS: usize = 2;

/// The top of the posterior.
#[derive(Debug)]
pub(super) struct Solution {
    pub(super) parameters: Vec<f64>,
    /// How precisely each parameter was taken to be 0 before a game was seen.
    pub(super) precisions: Vec<f64>,
    /// Of the curvature there.
    pub(super) factor: Factor,
    /// How far strengths and propensities to draw are taken to scatter.
    pub(super) widths: Widths,
    /// How many parameters the games tell, as a sum of shares.
    pub(super) told: f64,
}

struct Expansion {
    height: f64,
    slope: Vec<f64>,
    curvature: Symmetric,
}

/// Finds the likeliest parameters. The posterior is strictly concave, so there is one top and every start finds it.
pub(super) fn solve(outcomes: &Outcomes, layout: &Layout, options: &FitOptions) -> Solution {
    let fixed = options.spread.map(|spread| if spread.is_finite() { spread.abs().max(1.0) } else { 600.0 } / POINTS);
    let mut widths = Widths { strengths: fixed.unwrap_or(USUAL_SPREAD / POINTS), draws: USUAL_DRAWS };
    let mut parameters = vec![0.0; layout.len()];
    for _ in 0..MAX_WIDTHS {
        let solution = climb(outcomes, layout, widths, parameters, ENOUGH_FOR_WIDTHS);
        let next = widened(&solution, layout, fixed);
        parameters = solution.parameters;
        let moved = |one: f64, other: f64| (one / other - 1.0).abs() > WIDTHS_STAND;
        let moves = moved(next.strengths, widths.strengths) || moved(next.draws, widths.draws);
        widths = next;
        if !moves {
            break;
        }
    }
    let mut solution = climb(outcomes, layout, widths, parameters, ENOUGH);
    let told = shares_told(&solution);
    solution.told = told.iter().sum();
    solution
}

/// The widths that the parameters speak for.
fn widened(solution: &Solution, layout: &Layout, fixed: Option<f64>) -> Widths {
    let told = shares_told(solution);
    let width = |range: std::ops::Range<usize>, usual: f64, most: f64| {
        let squares: f64 = solution.parameters[range.clone()].iter().map(|value| value * value).sum();
        let told: f64 = told[range].iter().sum();
        ((squares + WIDTH_WEIGHT * usual * usual) / (told + WIDTH_WEIGHT)).sqrt().clamp(usual / 8.0, most)
    };
    Widths {
        strengths: fixed.unwrap_or_else(|| width(0..layout.players(), USUAL_SPREAD / POINTS, 2000.0 / POINTS)),
        draws: width(layout.drawers(), USUAL_DRAWS, 4.0),
    }
}

/// How much of each parameter the games tell, and not the prior: 1 for all.
fn shares_told(solution: &Solution) -> Vec<f64> {
    let size = solution.parameters.len();
    let mut variances = vec![0.0; size];
    if size <= MAX_EXACT {
        for (at, variance) in variances.iter_mut().enumerate() {
            *variance = solution.factor.variance(at);
        }
    } else {
        // Rademacher's signs: the mean of sign × (inverse × signs) is the diagonal of the inverse.
        let mut dice = crate::games::Seed(1).child("signs", 0).dice();
        for _ in 0..SAMPLES {
            let signs: Vec<f64> = (0..size).map(|_| if unit(&mut dice) < 0.5 { 1.0 } else { -1.0 }).collect();
            let mut solved = signs.clone();
            solution.factor.solve(&mut solved);
            for ((variance, sign), solved) in variances.iter_mut().zip(&signs).zip(&solved) {
                *variance += sign * solved / count(usize::try_from(SAMPLES).expect("few"));
            }
        }
    }
    let told = |(precision, variance): (&f64, &f64)| (1.0 - precision * variance).clamp(0.0, 1.0);
    solution.precisions.iter().zip(&variances).map(told).collect()
}

/// Climbs to the top from here.
fn climb(outcomes: &Outcomes, layout: &Layout, widths: Widths, mut parameters: Vec<f64>, enough: f64) -> Solution {
    let precisions = layout.precisions(widths);
    let mut view = look(outcomes, layout, &precisions, &parameters);
    for _ in 0..MAX_STEPS {
        let mut step = view.slope.clone();
        let factor = factor(view.curvature.clone(), &precisions);
        factor.solve(&mut step);
        let longest = step.iter().fold(0.0_f64, |longest, part| longest.max(part.abs()));
        if longest < enough {
            return Solution { parameters, precisions, factor, widths, told: 0.0 };
        }
        let mut scale = 1.0;
        // A step that leads downhill is halved until it does not; rounding is no hill.
        for _ in 0..40 {
            let next: Vec<f64> = parameters.iter().zip(&step).map(|(value, part)| value + scale * part).collect();
            let there = look(outcomes, layout, &precisions, &next);
            if there.height >= view.height - 1e-9 * view.height.abs() {
                (parameters, view) = (next, there);
                break;
            }
            scale /= 2.0;
        }
    }
    let factor = factor(view.curvature, &precisions);
    Solution { parameters, precisions, factor, widths, told: 0.0 }
}

/// The factor of a curvature. The prior makes it positive definite; where rounding spoils that, the prior alone is.
fn factor(curvature: Symmetric, precisions: &[f64]) -> Factor {
    curvature
        .factor()
        .or_else(|| Symmetric::diagonal(precisions).factor())
        .expect("a diagonal of positive numbers is positive definite")
}

/// How far from the top the slope of the posterior is less by this: where the top would be if the games had said so much
/// more. `shift` is how far that is where the curvature is the same everywhere.
pub(super) fn bent(outcomes: &Outcomes, layout: &Layout, solution: &Solution, more: &[f64], shift: &[f64]) -> Vec<f64> {
    let mut at: Vec<f64> = solution.parameters.iter().zip(shift).map(|(value, part)| value + part).collect();
    for _ in 0..BENDS {
        let view = look(outcomes, layout, &solution.precisions, &at);
        let mut step: Vec<f64> = view.slope.iter().zip(more).map(|(slope, more)| slope + more).collect();
        factor(view.curvature, &solution.precisions).solve(&mut step);
        // Far out, where hardly anything is known, a whole step may lead anywhere.
        let longest = step.iter().fold(1.0_f64, |longest, part| longest.max(part.abs()));
        at.iter_mut().zip(&step).for_each(|(value, part)| *value += part / longest);
    }
    at.iter().zip(&solution.parameters).map(|(value, top)| value - top).collect()
}

fn look(outcomes: &Outcomes, layout: &Layout, precisions: &[f64], parameters: &[f64]) -> Expansion {
    let mut height = 0.0;
    let mut slope = vec![0.0; parameters.len()];
    let mut curvature = Symmetric::diagonal(precisions);
    for ((value, precision), slope) in parameters.iter().zip(precisions).zip(&mut slope) {
        height -= precision * value * value / 2.0;
        *slope -= precision * value;
    }
    let mut local = Local::new();
    for (outcome, &times) in outcomes.distinct.iter().zip(&outcomes.counts) {
        layout.look(outcome, parameters, &mut local);
        let times = times * outcomes.weight(outcome);
        let places = &local.places;
        height += times * local.log_likelihood;
        for one in 0..local.size {
            for place in both(places[one]) {
                slope[place] += times * local.slope[one];
            }
            for other in 0..local.size {
                let value = times * local.curvature[one][other];
                for row in both(places[one]) {
                    for col in both(places[other]).filter(|&col| col <= row) {
                        curvature.add(row, col, value);
                    }
                }
            }
        }
    }
    Expansion { height, slope, curvature }
}

pub(super) fn both((one, other): (usize, Option<usize>)) -> impl Iterator<Item = usize> {
    std::iter::once(one).chain(other)
}
