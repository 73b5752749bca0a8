//! Newton's method with the exact second derivative.

use super::dense::{Factor, Symmetric};
use super::games::Outcomes;
use super::model::{Layout, Local};

/// No fit takes as many: it gains digits twofold with every step near the top.
const MAX_STEPS: usize = 60;
/// Steps this small, in units of log-strength, are none.
const ENOUGH: f64 = 1e-10;

/// The top of the posterior.
#[derive(Debug)]
pub(super) struct Solution {
    pub(super) parameters: Vec<f64>,
    /// How precisely each parameter was taken to be 0 before a game was seen.
    pub(super) precisions: Vec<f64>,
    /// Of the curvature there.
    pub(super) factor: Factor,
}

struct Expansion {
    height: f64,
    slope: Vec<f64>,
    curvature: Symmetric,
}

/// Finds the likeliest parameters. The posterior is strictly concave, so there is one top and every start finds it.
pub(super) fn solve(outcomes: &Outcomes, layout: &Layout, spread: f64) -> Solution {
    let precisions = layout.precisions(spread);
    let mut parameters = vec![0.0; layout.len()];
    let mut view = look(outcomes, layout, &precisions, &parameters);
    for _ in 0..MAX_STEPS {
        let mut step = view.slope.clone();
        let factor = factor(view.curvature.clone(), &precisions);
        factor.solve(&mut step);
        let longest = step.iter().fold(0.0_f64, |longest, part| longest.max(part.abs()));
        if longest < ENOUGH {
            break;
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
    Solution { parameters, precisions, factor }
}

/// The factor of a curvature. The prior makes it positive definite; where rounding spoils that, the prior alone is.
fn factor(curvature: Symmetric, precisions: &[f64]) -> Factor {
    curvature
        .factor()
        .or_else(|| Symmetric::diagonal(precisions).factor())
        .expect("a diagonal of positive numbers is positive definite")
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
