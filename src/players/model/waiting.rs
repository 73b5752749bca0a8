//! Which calls wait before they are sent, and what for.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

/// So long a call waits before it is told of: every call waits a moment for the store.
const NOTICED: Duration = Duration::from_millis(100);

/// A limit that held no call for so long has let all of them through.
const PAUSE: Duration = Duration::from_secs(5);

/// What a call waits for before it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AwaitedLimit {
    /// Requests per minute at an endpoint.
    Requests,
    /// Tokens per minute at an endpoint.
    Tokens,
    /// A place among the requests under way at an endpoint.
    Concurrency,
    /// Money of a run that others have set aside.
    Money,
    /// Calls of a run that others have set aside.
    Calls,
    /// The pause after an endpoint was overloaded or failed.
    Provider,
}

/// The calls that wait now.
#[derive(Debug, Default)]
pub struct WaitingCalls(Mutex<CallsByNumber>);

#[derive(Debug, Default)]
struct CallsByNumber {
    next: u64,
    calls: HashMap<u64, WaitingCall>,
    /// The limits that held calls when it was last asked for them: since when, and when that was.
    holding: BTreeMap<(AwaitedLimit, String), (Instant, Instant)>,
}

#[derive(Debug)]
struct WaitingCall {
    limit: AwaitedLimit,
    whose: String,
    match_id: Option<String>,
    since: Instant,
}

/// A call that waits, as long as this lives.
#[derive(Debug)]
pub struct CallWait<'w> {
    all: &'w WaitingCalls,
    number: u64,
}

/// The calls that wait for one limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitQueue {
    /// What they wait for.
    pub limit: AwaitedLimit,
    /// Whose limit it is: an endpoint's, or a run's where it is one of money or calls.
    pub whose: String,
    /// How many calls wait.
    pub calls: u64,
    /// Of how many games.
    pub games: u64,
    /// For how long the limit has held calls, one or another, with hardly a pause.
    pub seconds: f64,
}

impl WaitingCalls {
    /// A call waits from now on.
    pub fn begin(&self, limit: AwaitedLimit, whose: &str, match_id: Option<&str>) -> CallWait<'_> {
        let mut waiting = self.calls();
        let number = waiting.next;
        waiting.next += 1;
        let (whose, match_id) = (whose.to_owned(), match_id.map(str::to_owned));
        waiting.calls.insert(number, WaitingCall { limit, whose, match_id, since: Instant::now() });
        CallWait { all: self, number }
    }

    /// The calls that have waited noticeably, by limit. It is to be asked for often: what it saw last tells how long a limit
    /// has held calls.
    pub fn queues(&self) -> Vec<LimitQueue> {
        let now = Instant::now();
        let mut waiting = self.calls();
        let CallsByNumber { calls, holding, .. } = &mut *waiting;
        let mut found: BTreeMap<(AwaitedLimit, &str), (u64, BTreeSet<&str>, Instant)> = BTreeMap::new();
        for WaitingCall { limit, whose, match_id, since } in calls.values() {
            if now.duration_since(*since) < NOTICED {
                continue;
            }
            let (calls, games, first) = found.entry((*limit, whose)).or_insert((0, BTreeSet::new(), *since));
            *calls += 1;
            *first = (*first).min(*since);
            games.extend(match_id.as_deref());
        }
        holding.retain(|_, (_, last)| now.duration_since(*last) <= PAUSE);
        let queue =
            |((limit, whose), (calls, games, first)): ((AwaitedLimit, &str), (u64, BTreeSet<&str>, Instant))| {
                let (since, last) = holding.entry((limit, whose.to_owned())).or_insert((first, now));
                *last = now;
                let seconds = now.duration_since((*since).min(first)).as_secs_f64();
                LimitQueue { limit, whose: whose.to_owned(), calls, games: games.len() as u64, seconds }
            };
        found.into_iter().map(queue).collect()
    }

    fn calls(&self) -> MutexGuard<'_, CallsByNumber> {
        // Nothing that runs under the lock leaves a half-done change behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for CallWait<'_> {
    fn drop(&mut self) {
        self.all.calls().calls.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(limit: AwaitedLimit, whose: &str, calls: u64, games: u64, seconds: f64) -> LimitQueue {
        LimitQueue { limit, whose: whose.to_owned(), calls, games, seconds }
    }

    #[tokio::test(start_paused = true)]
    async fn calls_are_counted_by_what_they_wait_for_as_long_as_they_do() {
        let waiting = WaitingCalls::default();
        let first = waiting.begin(AwaitedLimit::Requests, "here", Some("run.0.0"));
        tokio::time::advance(Duration::from_secs(4)).await;
        let _second = waiting.begin(AwaitedLimit::Requests, "here", Some("run.0.0"));
        let _elsewhere = waiting.begin(AwaitedLimit::Requests, "there", Some("run.0.1"));
        let _budget = waiting.begin(AwaitedLimit::Money, "run", None);
        tokio::time::advance(Duration::from_secs(1)).await;
        let _fresh = waiting.begin(AwaitedLimit::Requests, "here", Some("run.0.2"));
        let here = |calls, games, seconds| queue(AwaitedLimit::Requests, "here", calls, games, seconds);
        let others = [queue(AwaitedLimit::Requests, "there", 1, 1, 1.0), queue(AwaitedLimit::Money, "run", 1, 0, 1.0)];
        let found = waiting.queues();
        assert_eq!((&found[0], &found[1..]), (&here(2, 1, 5.0), &others[..]));
        drop(first);
        assert_eq!(waiting.queues()[0], here(1, 1, 5.0), "whoever is first, the limit has held some since then");
        tokio::time::advance(NOTICED).await;
        assert_eq!(waiting.queues()[0].calls, 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_limit_holds_calls_from_the_first_of_them_until_there_is_a_pause() {
        let waiting = WaitingCalls::default();
        // Each waits for half a second, and others come in time.
        let mut seconds = Vec::new();
        for _ in 0..20 {
            let _call = waiting.begin(AwaitedLimit::Tokens, "here", None);
            tokio::time::advance(NOTICED * 5).await;
            seconds.extend(waiting.queues().iter().map(|queue| queue.seconds));
        }
        let expected: Vec<f64> = (1..=20).map(|number| (NOTICED * 5 * number).as_secs_f64()).collect();
        assert_eq!(seconds, expected);
        assert_eq!(waiting.queues(), [], "nobody waits now");
        tokio::time::advance(PAUSE * 2).await;
        let _call = waiting.begin(AwaitedLimit::Tokens, "here", None);
        tokio::time::advance(NOTICED).await;
        assert_eq!(waiting.queues(), [queue(AwaitedLimit::Tokens, "here", 1, 0, NOTICED.as_secs_f64())]);
    }
}
