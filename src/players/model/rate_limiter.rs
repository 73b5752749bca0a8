//! How hard an endpoint is used: so many requests at once, so many requests and tokens per minute.

use std::num::NonZeroU32;
use std::sync::Arc;

use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use tokio::sync::{Mutex, MutexGuard, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep};

use crate::players::profile::EndpointLimits;

/// Keeps all players of an endpoint within its limits.
#[derive(Debug)]
pub(super) struct EndpointLimiter {
    at_once: Arc<Semaphore>,
    requests: Option<Bucket>,
    tokens: Option<Bucket>,
}

/// A slot among the requests under way; dropped, it lets the next one in.
#[derive(Debug)]
pub(super) struct Slot {
    _permit: OwnedSemaphorePermit,
}

impl EndpointLimiter {
    pub(super) fn new(limits: EndpointLimits) -> EndpointLimiter {
        EndpointLimiter {
            at_once: Arc::new(Semaphore::new(limits.concurrency.clamp(1, Semaphore::MAX_PERMITS))),
            requests: limits.requests_per_minute.map(Bucket::new),
            tokens: limits.tokens_per_minute.map(Bucket::new),
        }
    }

    /// Waits until a request of about so many tokens may go. Whoever gives up waiting has used nothing.
    pub(super) async fn lease(&self, tokens: u64) -> Slot {
        let permit = Arc::clone(&self.at_once).acquire_owned().await.expect("nobody closes it");
        let mut saved = Vec::with_capacity(2);
        for (bucket, amount) in [(&self.requests, 1), (&self.tokens, tokens)] {
            if let Some(bucket) = bucket {
                saved.push((bucket.save(amount).await, amount));
            }
        }
        // From here on nothing waits: all is paid at once, or nothing is.
        for (mut saved, amount) in saved {
            *saved -= amount;
        }
        Slot { _permit: permit }
    }
}

/// So much per minute, a tenth of it at once. Those who wait are served in the order in which they came.
#[derive(Debug)]
struct Bucket {
    limiter: RateLimiter<NotKeyed, InMemoryState, Timer, NoOpMiddleware<std::time::Instant>>,
    burst: NonZeroU32,
    /// What was drawn and is not spent yet: a large request saves up for itself, or, if it gives up, for the next one.
    saved: Mutex<u64>,
}

impl Bucket {
    fn new(per_minute: u32) -> Bucket {
        let per_minute = NonZeroU32::new(per_minute).unwrap_or(NonZeroU32::MIN);
        let burst = NonZeroU32::new(per_minute.get() / 10).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::per_minute(per_minute).allow_burst(burst);
        Bucket { limiter: RateLimiter::direct_with_clock(quota, Timer), burst, saved: Mutex::default() }
    }

    /// Waits until so much is saved. It is spent by taking it off what is given.
    async fn save(&self, amount: u64) -> MutexGuard<'_, u64> {
        let mut saved = self.saved.lock().await;
        while *saved < amount {
            let lacking = u32::try_from(amount - *saved).ok().and_then(NonZeroU32::new);
            let piece = lacking.map_or(self.burst, |lacking| lacking.min(self.burst));
            match self.limiter.check_n(piece).expect("a piece is no larger than the burst") {
                Ok(()) => *saved += u64::from(piece.get()),
                Err(early) => sleep(early.wait_time_from(Timer.now())).await,
            }
        }
        saved
    }
}

/// The clock that timers go by.
#[derive(Clone, Copy, Debug)]
struct Timer;

impl Clock for Timer {
    type Instant = std::time::Instant;

    fn now(&self) -> std::time::Instant {
        Instant::now().into_std()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    fn limiter(requests: Option<u32>, tokens: Option<u32>, concurrency: usize) -> EndpointLimiter {
        EndpointLimiter::new(EndpointLimits { requests_per_minute: requests, tokens_per_minute: tokens, concurrency })
    }

    #[tokio::test(start_paused = true)]
    async fn requests_beyond_the_limit_wait_for_their_minute() {
        let limiter = limiter(Some(60), None, 100);
        let begun = Instant::now();
        for _ in 0..66 {
            drop(limiter.lease(1000).await);
        }
        assert_eq!(begun.elapsed().as_secs(), 60);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_larger_than_a_minute_is_let_through_late() {
        let limiter = limiter(None, Some(600), 1);
        let begun = Instant::now();
        drop(limiter.lease(660).await);
        assert_eq!(begun.elapsed().as_secs(), 60);
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_are_under_way_than_allowed() {
        let limiter = limiter(None, None, 2);
        let (first, _second) = (limiter.lease(0).await, limiter.lease(0).await);
        assert!(timeout(Duration::from_mins(1), limiter.lease(0)).await.is_err());
        drop(first);
        drop(limiter.lease(0).await);
    }

    /// The first has 660 tokens to wait for and gives up half-way; what came in until then is there for the second.
    #[tokio::test(start_paused = true)]
    async fn whoever_gives_up_waiting_has_used_nothing() {
        let limiter = limiter(Some(10), Some(600), 1);
        let begun = Instant::now();
        assert!(timeout(Duration::from_secs(30), limiter.lease(660)).await.is_err());
        drop(limiter.lease(360).await);
        assert_eq!(begun.elapsed().as_secs(), 30, "300 tokens came in since, 60 were there");
        drop(limiter.lease(60).await);
        assert_eq!(begun.elapsed().as_secs(), 36, "tokens for the third, and no wait for a third request");
    }

    #[tokio::test(start_paused = true)]
    async fn those_who_wait_are_served_in_their_order() {
        let limiter = limiter(None, Some(600), 3);
        drop(limiter.lease(60).await);
        let begun = Instant::now();
        let large = async { (limiter.lease(120).await, begun.elapsed().as_secs()).1 };
        let small = async { (limiter.lease(10).await, begun.elapsed().as_secs()).1 };
        assert_eq!(tokio::join!(large, small), (12, 13));
    }
}
