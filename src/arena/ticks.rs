//! How late turns are that are played by the clock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// Counts how late turns were, from when they were due to when everybody could see them.
#[derive(Debug, Default)]
pub struct Ticks {
    buckets: [AtomicU64; Ticks::BOUNDS.len()],
    count: AtomicU64,
    micros: AtomicU64,
}

impl Ticks {
    /// The bounds that are counted by.
    pub const BOUNDS: [Duration; 7] = [
        Duration::from_millis(1),
        Duration::from_millis(5),
        Duration::from_millis(10),
        Duration::from_millis(25),
        Duration::from_millis(50),
        Duration::from_millis(100),
        Duration::from_secs(1),
    ];

    /// A turn that was due then is shown now.
    pub(super) fn shown(&self, due: Instant) {
        let late = due.elapsed();
        if let Some(at) = Ticks::BOUNDS.iter().position(|bound| late <= *bound) {
            self.buckets[at].fetch_add(1, Ordering::Relaxed);
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(u64::try_from(late.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// How many turns were late by at most each of the bounds.
    pub fn within(&self) -> [u64; Ticks::BOUNDS.len()] {
        let mut sum = 0;
        self.buckets.each_ref().map(|bucket| {
            sum += bucket.load(Ordering::Relaxed);
            sum
        })
    }

    /// How many turns there were.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// How late all of them were together.
    pub fn total(&self) -> Duration {
        Duration::from_micros(self.micros.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn turns_are_counted_by_how_late_they_are() {
        let ticks = Ticks::default();
        let due = Instant::now();
        for late in [0, 7, 60, 5000] {
            tokio::time::sleep_until(due + Duration::from_millis(late)).await;
            ticks.shown(due);
        }
        assert_eq!(ticks.within(), [1, 1, 2, 2, 2, 3, 3]);
        assert_eq!((ticks.count(), ticks.total()), (4, Duration::from_millis(5067)));
    }
}
