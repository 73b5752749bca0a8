//! How much longer work takes as there is more of it, for tests.

use std::time::{Duration, Instant};

/// How many times as long work takes for four times as much of it: about 4 where it is linear, 16 where it is
/// quadratic. The best of several runs of each counts, so that it does not matter what else the machine does.
pub(crate) fn fourfold(small: usize, mut work: impl FnMut(usize)) -> f64 {
    let mut best = |size: usize| {
        let run = |_| {
            let begun = Instant::now();
            work(size);
            begun.elapsed()
        };
        (0..7).map(run).min().unwrap_or(Duration::MAX)
    };
    best(4 * small).as_secs_f64() / best(small).as_secs_f64()
}
