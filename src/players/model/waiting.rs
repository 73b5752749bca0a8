//! Which calls wait before they are sent, and what for.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

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
    /// How long the first of them has waited.
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

    /// The calls that have waited for so long or longer, by limit.
    pub fn queues(&self, least: Duration) -> Vec<LimitQueue> {
        let waiting = self.calls();
        let mut found: BTreeMap<(AwaitedLimit, &str), (LimitQueue, BTreeSet<&str>)> = BTreeMap::new();
        for WaitingCall { limit, whose, match_id, since } in waiting.calls.values() {
            let waited = since.elapsed();
            if waited < least {
                continue;
            }
            let empty = LimitQueue { limit: *limit, whose: whose.clone(), calls: 0, games: 0, seconds: 0.0 };
            let (queue, games) = found.entry((*limit, whose)).or_insert_with(|| (empty, BTreeSet::new()));
            queue.calls += 1;
            queue.seconds = queue.seconds.max(waited.as_secs_f64());
            games.extend(match_id.as_deref());
        }
        found.into_values().map(|(queue, games)| LimitQueue { games: games.len() as u64, ..queue }).collect()
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
        let queue = |limit, whose: &str, calls, games, seconds| LimitQueue {
            limit,
            whose: whose.to_owned(),
            calls,
            games,
            seconds,
        };
        let others = [queue(AwaitedLimit::Requests, "there", 1, 1, 1.0), queue(AwaitedLimit::Money, "run", 1, 0, 1.0)];
        let found = waiting.queues(Duration::from_secs(1));
        assert_eq!(found[0], queue(AwaitedLimit::Requests, "here", 2, 1, 5.0));
        assert_eq!(found[1..], others);
        drop(first);
        let found = waiting.queues(Duration::from_secs(1));
        assert_eq!(found[0], queue(AwaitedLimit::Requests, "here", 1, 1, 1.0));
        assert_eq!(waiting.queues(Duration::ZERO)[0], queue(AwaitedLimit::Requests, "here", 2, 2, 1.0));
    }
}
