//! Capital that is bet on a difference.

/// A capital has at most so many parts.
const MOST_PARTS: usize = 4;

/// A capital spread over bets of several sizes, in logarithms: it may grow beyond what a number can hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Capital {
    /// What each part has come to.
    parts: [f64; MOST_PARTS],
    /// How many there are.
    count: usize,
    most: f64,
    /// The block at which it first reached its bound.
    reached: Option<u64>,
}

impl Capital {
    /// A capital of 1, in so many equal parts.
    pub(super) fn new(parts: usize) -> Capital {
        Capital { parts: [0.0; MOST_PARTS], count: parts.min(MOST_PARTS), most: 0.0, reached: None }
    }

    /// Bets each part, with its own stake, on an outcome whose mean is at most 0 unless the bet is right.
    pub(super) fn place(&mut self, stakes: impl Iterator<Item = f64>, outcome: f64, bound: f64, block: u64) {
        for (part, stake) in self.parts[..self.count].iter_mut().zip(stakes) {
            *part += (stake * outcome).ln_1p();
        }
        let now = self.log();
        self.most = self.most.max(now);
        if self.reached.is_none() && now >= bound {
            self.reached = Some(block);
        }
    }

    /// The whole of it now: the mean of the parts.
    pub(super) fn log(&self) -> f64 {
        let parts = &self.parts[..self.count];
        if let [only] = parts {
            return *only;
        }
        let top = parts.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = parts.iter().map(|part| (part - top).exp()).sum();
        top + (sum / super::super::score::count(parts.len())).ln()
    }

    /// The most that it has ever been.
    pub(super) fn most(&self) -> f64 {
        self.most
    }

    pub(super) fn reached(&self) -> Option<u64> {
        self.reached
    }
}
