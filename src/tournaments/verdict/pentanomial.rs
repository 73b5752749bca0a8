//! What testers of chess engines look at: log-likelihood ratios of pair scores, and Elo.

/// So much is counted in a class that never came up, so that logarithms exist.
const ALMOST_NONE: f64 = 1e-3;

/// How many points of Elo such a mean score stands for; infinite at 0 and 1.
pub fn elo(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    400.0 * (score / (1.0 - score)).log10()
}

/// How often pairs of games were worth 0, ¼, ½, ¾ and 1 to A.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Takes in a block. Scores between two classes go to the nearer one.
    pub fn push(&mut self, score: f64) {
        if score.is_nan() {
            return;
        }
        let bounds = [0.125, 0.375, 0.625, 0.875];
        self.0[bounds.iter().filter(|&&bound| score >= bound).count()] += 1;
    }

    /// The generalised log-likelihood ratio of a mean score of `one` against one of `zero`: each mean with the
    /// distribution that fits the counts best among all that have it (Michel Van den Bergh's method for fishtest).
    pub fn llr(&self, zero: f64, one: f64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "counts of blocks are far below 2^52")]
        let counts = self.0.map(|count| if count == 0 { ALMOST_NONE } else { count as f64 });
        let whole: f64 = counts.iter().sum();
        if whole < 1.0 {
            return 0.0;
        }
        let [zero, one] = [zero, one].map(|mean| tilt(&counts, whole, mean.clamp(1e-9, 1.0 - 1e-9)));
        let ratio = |at: usize| {
            let value = CLASSES[at];
            ((1.0 + zero.theta * (value - zero.mean)) / (1.0 + one.theta * (value - one.mean))).ln()
        };
        (0..5).map(|at| counts[at] * ratio(at)).sum()
    }
}

const CLASSES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

struct Tilt {
    mean: f64,
    theta: f64,
}

/// The likeliest distribution with that mean is p̂ / (1 + θ (a − mean)), with θ such that the mean is right.
fn tilt(counts: &[f64; 5], whole: f64, mean: f64) -> Tilt {
    let excess = |theta: f64| -> f64 {
        let terms = counts.iter().zip(CLASSES).map(|(count, value)| {
            let away = value - mean;
            count / whole * away / (1.0 + theta * away)
        });
        terms.sum()
    };
    // It falls from one end of where all probabilities are positive to the other.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if excess(middle) > 0.0 { low = middle } else { high = middle }
    }
    Tilt { mean, theta: f64::midpoint(low, high) }
}
