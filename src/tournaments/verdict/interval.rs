//! An interval for the mean score that may be looked at at any moment.

/// How finely means are tried.
const STEPS: usize = 400;
/// A bet risks at most this part of the capital.
const MAX_RISK: f64 = 0.75;

/// The means that nobody could win much money against by betting on the blocks so far.
///
/// For every mean on a grid half a capital is bet that the true one is larger and half that it is smaller. Where the
/// two together reach 1/α, that mean is out for good. The true mean is ever put out with a chance of at most α, however
/// long and however often one looks (Waudby-Smith and Ramdas, "Estimating means of bounded random variables by
/// betting", 2024).
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    alpha: f64,
    blocks: f64,
    sum: f64,
    /// Of squared distances from the running mean.
    scatter: f64,
    /// For every mean: the capital bet above it, that bet below it, and whether it is still in.
    grid: Vec<(f64, f64, bool)>,
}

impl Interval {
    /// The interval without blocks, which misses the mean with a chance of at most `alpha`.
    pub fn new(alpha: f64) -> Interval {
        let grid = vec![(1.0, 1.0, true); STEPS + 1];
        Interval { alpha: alpha.clamp(1e-12, 1.0), blocks: 0.0, sum: 0.0, scatter: 0.0, grid }
    }

    /// Takes in a block. What is no number is left out.
    pub fn push(&mut self, score: f64) {
        if score.is_nan() {
            return;
        }
        let score = score.clamp(0.0, 1.0);
        // Guesses that begin at ½ and ¼ and give way to what was seen.
        let variance = (0.25 + self.scatter) / (self.blocks + 1.0);
        let time = self.blocks + 1.0;
        let stake = (2.0 * (2.0 / self.alpha).ln() / (variance * time * (1.0 + time).ln())).sqrt();
        let bound = 2.0 / self.alpha;
        let step = 1.0 / super::super::score::count(STEPS);
        let mut mean = 0.0;
        for (above, below, is_in) in &mut self.grid {
            if *is_in {
                *above *= 1.0 + stake.min(MAX_RISK / mean) * (score - mean);
                *below *= 1.0 - stake.min(MAX_RISK / (1.0 - mean)) * (score - mean);
                // `>=` is also true of what has grown beyond all numbers.
                *is_in = *above + *below < bound;
            }
            mean = (mean + step).min(1.0);
        }
        self.blocks += 1.0;
        self.sum += score;
        let centre = (0.5 + self.sum) / (self.blocks + 1.0);
        self.scatter += (score - centre) * (score - centre);
    }

    /// The interval now.
    pub fn bounds(&self) -> (f64, f64) {
        let step = 1.0 / super::super::score::count(STEPS);
        let at = |index: usize| super::super::score::count(index) * step;
        let first = self.grid.iter().position(|&(_, _, is_in)| is_in);
        let last = self.grid.iter().rposition(|&(_, _, is_in)| is_in);
        if let (Some(first), Some(last)) = (first, last) {
            // One step further out: the bound lies between two means of the grid.
            return ((at(first) - step).max(0.0), (at(last) + step).min(1.0));
        }
        // All are out, as happens with a chance of α at the most: the mean is the best guess.
        let mean = if self.blocks > 0.0 { self.sum / self.blocks } else { 0.5 };
        (mean, mean)
    }
}
