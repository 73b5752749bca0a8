//! How much one caller may ask for.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use governor::clock::Clock;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use tokio::time::Instant;

use super::error::ApiError;
use crate::store::KeyHash;

/// So many callers are remembered before those who have been quiet are forgotten.
const MOST_CALLERS: usize = 10_000;

/// So many seconds' requests pass at once.
const BURST_SECONDS: NonZeroU32 = NonZeroU32::new(2).expect("it is not 0");

/// How much one caller may ask for, and all together.
#[derive(Clone, Copy, Debug)]
pub struct RequestLimits {
    /// Requests a second for one token, or for one address without one; 0 is no limit. Twice as many at once pass.
    pub rate: u32,
    /// Open streams and waiting requests of one caller.
    pub streams_each: usize,
    /// The same of all callers.
    pub streams: usize,
    /// Unfinished matches that one caller opened.
    pub matches_each: usize,
    /// Connections that may be open at once.
    pub connections: usize,
}

impl RequestLimits {
    /// For callers on this machine, who only have themselves to disturb.
    pub const AT_HOME: RequestLimits =
        RequestLimits { rate: 5_000, streams_each: 2_000, streams: 5_000, matches_each: 5_000, connections: 10_000 };

    /// For everybody else.
    pub const ABROAD: RequestLimits =
        RequestLimits { rate: 50, streams_each: 40, streams: 5_000, matches_each: 20, connections: 10_000 };
}

/// Who is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Counted {
    /// Whoever shows a token.
    Token(KeyHash),
    /// Whoever comes from there.
    Address(IpAddr),
}

impl Counted {
    /// An address; whoever has one of version 6 has its whole network.
    pub(super) fn address(address: IpAddr) -> Counted {
        Counted::Address(match address {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                let network = Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0);
                address.to_ipv4_mapped().map_or(network.into(), Into::into)
            }
            address @ IpAddr::V4(_) => address,
        })
    }
}

/// Counts what callers do.
#[derive(Debug)]
pub(super) struct Toll {
    limits: RequestLimits,
    /// None if requests are not limited.
    requests: Option<RateLimiter<Counted, HashMapStateStore<Counted>, Timer>>,
    /// Those who have shown lately that they are somebody.
    known: Mutex<HashSet<Counted>>,
    streams: Arc<Streams>,
}

#[derive(Debug, Default)]
struct Streams {
    all: AtomicUsize,
    each: Mutex<HashMap<Counted, usize>>,
}

/// An open stream; it is counted as long as this lives.
#[derive(Debug)]
pub(super) struct OpenStream {
    streams: Arc<Streams>,
    whose: Counted,
}

impl Toll {
    pub(super) fn new(limits: RequestLimits) -> Toll {
        let quota = NonZeroU32::new(limits.rate)
            .map(|rate| Quota::per_second(rate).allow_burst(rate.saturating_mul(BURST_SECONDS)));
        let requests = quota.map(|quota| RateLimiter::new(quota, HashMapStateStore::default(), Timer));
        Toll { limits, requests, known: Mutex::default(), streams: Arc::default() }
    }

    pub(super) fn limits(&self) -> RequestLimits {
        self.limits
    }

    /// Counts a request.
    ///
    /// # Errors
    /// If it is one too many.
    pub(super) fn request(&self, whose: Counted) -> Result<(), ApiError> {
        let Some(requests) = &self.requests else { return Ok(()) };
        let counted = requests.check_key(&whose);
        if requests.len() > MOST_CALLERS {
            // Whoever was quiet for as long as a burst is as good as new, remembered or not.
            requests.retain_recent();
        }
        counted.map_err(|_| {
            let detail = format!("more than {} requests per second; slow down", self.limits.rate);
            ApiError::too_many("too_many_requests", detail, 1)
        })
    }

    /// Whether a token has been found good lately.
    pub(super) fn knows(&self, whose: Counted) -> bool {
        locked(&self.known).contains(&whose)
    }

    /// Notes that a token is good.
    pub(super) fn know(&self, whose: Counted) {
        let mut known = locked(&self.known);
        if known.len() >= MOST_CALLERS {
            known.clear();
        }
        known.insert(whose);
    }

    /// Has a token looked up again when it is next shown.
    pub(super) fn forget(&self, whose: Counted) {
        locked(&self.known).remove(&whose);
    }

    /// Counts a stream, or a request that waits.
    ///
    /// # Errors
    /// If it is one too many.
    pub(super) fn stream(&self, whose: Counted) -> Result<OpenStream, ApiError> {
        let mut each = locked(&self.streams.each);
        let own = each.get(&whose).copied().unwrap_or(0);
        if own >= self.limits.streams_each {
            let detail = format!("you have {own} streams and waiting requests open, as many as one may have");
            return Err(ApiError::too_many("too_many_streams", detail, 5));
        }
        if self.streams.all.load(Ordering::Relaxed) >= self.limits.streams {
            let detail = "as many streams and waiting requests are open as there may be";
            return Err(ApiError::too_many("too_many_streams", detail, 30));
        }
        self.streams.all.fetch_add(1, Ordering::Relaxed);
        each.insert(whose, own + 1);
        Ok(OpenStream { streams: self.streams.clone(), whose })
    }

    /// How many are open.
    pub(super) fn streams(&self) -> usize {
        self.streams.all.load(Ordering::Relaxed)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.streams.all.fetch_sub(1, Ordering::Relaxed);
        let mut each = locked(&self.streams.each);
        match each.get_mut(&self.whose) {
            Some(own) if *own > 1 => *own -= 1,
            _ => {
                each.remove(&self.whose);
            }
        }
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

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Counters are never left half-changed.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::advance;

    use super::*;

    fn toll() -> Toll {
        Toll::new(RequestLimits { rate: 10, streams_each: 2, streams: 3, matches_each: 1, connections: 1 })
    }

    fn address(text: &str) -> Counted {
        Counted::address(text.parse().expect("an address"))
    }

    #[tokio::test(start_paused = true)]
    async fn who_asks_too_fast_waits_and_nobody_else_does() {
        let toll = toll();
        let passed = |address| (0..100).filter(|_| toll.request(address).is_ok()).count();
        assert_eq!(passed(address("10.0.0.1")), 20);
        assert!(toll.request(address("10.0.0.2")).is_ok());
        advance(Duration::from_millis(500)).await;
        assert_eq!(passed(address("10.0.0.1")), 5);
    }

    #[tokio::test(start_paused = true)]
    async fn callers_who_are_quiet_are_forgotten() {
        let toll = toll();
        for number in 0..MOST_CALLERS {
            toll.request(Counted::Token(KeyHash::of(&number.to_string()))).expect("the first of each");
        }
        advance(Duration::from_secs(3)).await;
        toll.request(address("10.0.0.1")).expect("the first");
        assert_eq!(toll.requests.as_ref().map(RateLimiter::len), Some(1));
    }

    #[test]
    fn a_stream_counts_until_it_ends() {
        let toll = toll();
        let (one, two) = (address("10.0.0.1"), address("::ffff:10.0.0.1"));
        let first = toll.stream(one).expect("the first");
        let second = toll.stream(two).expect("the second");
        assert!(toll.stream(one).is_err());
        let third = toll.stream(address("2001:db8::1")).expect("another caller");
        assert!(toll.stream(address("10.0.0.9")).is_err(), "three in all");
        drop(first);
        assert_eq!(toll.streams(), 2);
        assert!(toll.stream(one).is_ok());
        drop((second, third));
        assert!(locked(&toll.streams.each).is_empty());
    }
}
