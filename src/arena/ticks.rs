//! How late turns are that are played by the clock.

use metrics::histogram;
use tokio::time::Instant;

/// Under what it is counted how late turns were.
pub const TICK_LATE: &str = "standoff_tick_late_seconds";

/// Counts how late turns were, from when they were due to when everybody could see them.
#[derive(Debug, Default)]
pub struct Ticks;

impl Ticks {
    /// A turn that was due then is shown now.
    #[expect(clippy::unused_self, reason = "whoever counts has been given the right to")]
    pub(super) fn shown(&self, due: Instant) {
        histogram!(TICK_LATE).record(due.elapsed());
    }
}
