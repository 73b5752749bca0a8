//! How hard an endpoint is used: so many requests at once, so many requests and tokens a minute.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until};

use crate::players::profile::Limits;

/// The way to an endpoint, for all who use it.
#[derive(Debug)]
pub(super) struct Gate {
    at_once: Semaphore,
    requests: Option<Bucket>,
    tokens: Option<Bucket>,
}

impl Gate {
    pub(super) fn new(limits: Limits) -> Gate {
        Gate {
            at_once: Semaphore::new(limits.concurrency.clamp(1, Semaphore::MAX_PERMITS)),
            requests: limits.requests_per_minute.map(Bucket::new),
            tokens: limits.tokens_per_minute.map(Bucket::new),
        }
    }

    /// Waits until a request of about so many tokens may go. It is under way as long as the permit lives.
    pub(super) async fn enter(&self, tokens: u64) -> SemaphorePermit<'_> {
        let permit = self.at_once.acquire().await.expect("nobody closes the gate");
        for (bucket, amount) in [(&self.requests, 1), (&self.tokens, tokens)] {
            if let Some(bucket) = bucket {
                sleep_until(bucket.take(amount)).await;
            }
        }
        permit
    }
}

/// So much a minute, with a tenth of it at once. It goes into debt: whoever takes more than is there waits until it is
/// paid, and all who come later wait longer.
#[derive(Debug)]
struct Bucket {
    per_second: f64,
    burst: f64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    level: f64,
    at: Instant,
}

impl Bucket {
    fn new(per_minute: u32) -> Bucket {
        let per_minute = f64::from(per_minute.max(1));
        let burst = (per_minute / 10.0).max(1.0);
        let state = State { level: burst, at: Instant::now() };
        Bucket { per_second: per_minute / 60.0, burst, state: Mutex::new(state) }
    }

    /// Takes so much, and says from when on it may be used.
    #[expect(clippy::cast_precision_loss, reason = "no request has 2^53 tokens")]
    fn take(&self, amount: u64) -> Instant {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let filled = state.level + now.duration_since(state.at).as_secs_f64() * self.per_second;
        state.at = now;
        state.level = filled.min(self.burst) - amount as f64;
        // A day is as good as never, and no duration overflows.
        now + Duration::from_secs_f64((-state.level / self.per_second).clamp(0.0, 86_400.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn requests_beyond_the_limit_wait_for_their_minute() {
        let gate = Gate::new(Limits { requests_per_minute: Some(60), tokens_per_minute: None, concurrency: 100 });
        let begun = Instant::now();
        for _ in 0..66 {
            drop(gate.enter(1000).await);
        }
        assert_eq!(begun.elapsed().as_secs(), 60);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_larger_than_a_minute_is_let_through_late() {
        let gate = Gate::new(Limits { requests_per_minute: None, tokens_per_minute: Some(600), concurrency: 1 });
        let begun = Instant::now();
        drop(gate.enter(660).await);
        assert_eq!(begun.elapsed().as_secs(), 60);
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_are_under_way_than_allowed() {
        let gate = Gate::new(Limits { requests_per_minute: None, tokens_per_minute: None, concurrency: 2 });
        let (first, _second) = (gate.enter(0).await, gate.enter(0).await);
        assert!(tokio::time::timeout(Duration::from_mins(1), gate.enter(0)).await.is_err());
        drop(first);
        drop(gate.enter(0).await);
    }
}
