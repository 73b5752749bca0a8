//! How much longer work takes as there is more of it, for tests.

use std::time::{Duration, Instant};

/// How many times as long work takes for four times as much of it: about 4 where it is linear, 16 where it is
/// quadratic. The best of many runs of each counts, side by side and until they look linear, so that it does not matter
/// what else the machine does: the larger piece should be short enough to be done without a break.
pub(crate) fn fourfold(small: usize, mut work: impl FnMut(usize)) -> f64 {
    let mut time = |size: usize| {
        let begun = Instant::now();
        work(size);
        begun.elapsed()
    };
    let (mut least, mut most) = (Duration::MAX, Duration::MAX);
    for run in 0..400 {
        (least, most) = (least.min(time(small)), most.min(time(4 * small)));
        if run >= 3 && most < 6 * least {
            break;
        }
    }
    most.as_secs_f64() / least.as_secs_f64()
}
