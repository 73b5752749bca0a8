//! What a run may use: money, calls, and its endpoints.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::ledger::{Ledger, Spent};
use super::limiter::{Lease, LeaseRequest, Limiter, Withheld};
use super::rate_limiter::{EndpointLimiter, Slot};
use super::reply::Usage;
use crate::games::seat::Seat;
use crate::players::profile::{EndpointLimits, Price};

/// Dollars in whole units that add up exactly: 10^-12 of one. A token costs some thousands of them.
pub type Pico = u64;

const PICO: f64 = 1e12;

/// As units; what is not a sum of money is none.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
pub(super) fn pico(usd: f64) -> Pico {
    (usd * PICO).round() as Pico
}

/// The amount in dollars, to be shown.
#[expect(clippy::cast_precision_loss, reason = "it is for people to read")]
pub fn usd(pico: Pico) -> f64 {
    pico as f64 / PICO
}

/// What so many tokens cost, in dollars.
#[expect(clippy::cast_precision_loss, reason = "no answer has 2^53 tokens")]
pub(super) fn cost(price: &Price, usage: &Usage) -> f64 {
    let Usage { input, cached, cache_written, output, .. } = *usage;
    let cached = cached.min(input);
    let written = cache_written.min(input - cached);
    let fresh = input - cached - written;
    let read = fresh as f64 * price.input + cached as f64 * price.cached_input + written as f64 * price.cache_write;
    (read + output as f64 * price.output) / 1e6
}

/// What a request of so many tokens may cost at the most, in dollars: nobody knows yet what is in the cache.
#[expect(clippy::cast_precision_loss, reason = "no request has 2^53 tokens")]
pub(super) fn most(price: &Price, input: u64, output: u64) -> f64 {
    let dearest = price.input.max(price.cached_input).max(price.cache_write);
    (input as f64 * dearest + output as f64 * price.output) / 1e6
}

/// What all players of a run together may use, on this machine. Whoever shares an endpoint shares its limits.
///
/// A call that may cost more than is left waits until those under way are settled: what they may cost is set aside, and
/// most of it comes back. Only when none is under way and it still does not fit is the budget used up. What earlier starts
/// of the same run have spent is in their [`Ledger`].
#[derive(Debug)]
pub struct RunBudget {
    max: Option<Pico>,
    max_calls: Option<u64>,
    books: Arc<Books>,
    /// Those who wait are served in the order in which they came.
    queue: tokio::sync::Mutex<()>,
    used_up: AtomicBool,
    stop: CancellationToken,
    limiters: Mutex<HashMap<EndpointLimits, HashMap<String, Arc<EndpointLimiter>>>>,
}

/// The sums, and word of every change to them.
#[derive(Debug, Default)]
struct Books {
    sums: Mutex<Sums>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Sums {
    /// What calls that are over have cost, with those of every seat that has a limit.
    ledger: Ledger,
    /// What calls under way may cost.
    promised: Pico,
    under_way: u64,
}

impl RunBudget {
    /// At most so many dollars and so many calls. With a limit of dollars, players need a price.
    pub fn new(max_usd: Option<f64>, max_calls: Option<u64>) -> RunBudget {
        RunBudget {
            max: max_usd.map(pico),
            max_calls,
            books: Arc::default(),
            queue: tokio::sync::Mutex::default(),
            used_up: AtomicBool::new(false),
            stop: CancellationToken::new(),
            limiters: Mutex::default(),
        }
    }

    /// As much as one likes.
    pub fn unlimited() -> RunBudget {
        RunBudget::new(None, None)
    }

    /// A budget of which so much was used before, in a run that this one goes on with.
    #[must_use]
    pub fn after(self, ledger: Ledger) -> RunBudget {
        self.books.sums().ledger = ledger;
        self
    }

    /// A budget of a run that is stopped by this token: from then on no call is sent.
    #[must_use]
    pub fn stopped_by(self, stop: CancellationToken) -> RunBudget {
        RunBudget { stop, ..self }
    }

    /// Takes in what a match cost somebody who plays elsewhere.
    pub fn hear(&self, match_id: &str, seat: Seat, spent: Spent) {
        self.books.sums().ledger.add(Some(match_id), seat, spent);
    }

    /// The money that is spent. None as soon as a call has a cost that nobody knows.
    pub fn spent_usd(&self) -> Option<f64> {
        self.books.sums().ledger.all.usd()
    }

    /// What the seats of a match have spent, those that sent anything.
    pub fn spent_in(&self, match_id: &str) -> Vec<(Seat, Spent)> {
        self.books.sums().ledger.of_match(match_id).collect()
    }

    /// What was spent in all matches whose names begin so.
    pub fn spent_under(&self, prefix: &str) -> Spent {
        self.books.sums().ledger.under(prefix)
    }

    /// The requests that were sent.
    pub fn calls(&self) -> u64 {
        let sums = self.books.sums();
        sums.ledger.all.requests + sums.under_way
    }

    /// Sets money aside for a call that may cost so much, as soon as there is enough.
    async fn reserve(&self, next: Pico, payer: Option<(String, Seat)>) -> Result<Reserved, Withheld> {
        let _turn = self.queue.lock().await;
        loop {
            // Listening begins before the look at the sums: no change in between is missed.
            let changed = self.books.changed.notified();
            if let Some(settled) = self.try_reserve(next) {
                return settled.map(|()| Reserved {
                    books: Arc::clone(&self.books),
                    amount: next,
                    payer,
                    stage: Stage::Waiting,
                });
            }
            changed.await;
        }
    }

    /// Sets money aside, if that can be said before the calls under way are settled.
    fn try_reserve(&self, next: Pico) -> Option<Result<(), Withheld>> {
        let mut sums = self.books.sums();
        let Some(lacks) = self.lacks(&sums, next) else {
            sums.promised += next;
            sums.under_way += 1;
            return Some(Ok(()));
        };
        (sums.under_way == 0).then(|| {
            self.used_up.store(true, Ordering::Relaxed);
            Err(lacks)
        })
    }

    /// Of what there is not enough for a call that may cost so much.
    fn lacks(&self, sums: &Sums, next: Pico) -> Option<Withheld> {
        let Spent { requests, cost: spent, .. } = sums.ledger.all;
        let sum = spent.saturating_add(sums.promised).saturating_add(next);
        match (self.max, self.max_calls) {
            (Some(max), _) if next > 0 && sum > max => {
                Some(Withheld::Money { max: usd(max), spent: usd(spent), next: usd(next) })
            }
            (_, Some(max)) if requests + sums.under_way >= max => Some(Withheld::Calls(max)),
            _ => None,
        }
    }

    /// The rate limiter of an endpoint, the same for all who come with the same limits.
    fn rate_limiter(&self, endpoint: &str, limits: EndpointLimits) -> Arc<EndpointLimiter> {
        let mut limiters = self.limiters.lock().unwrap_or_else(PoisonError::into_inner);
        let limiters = limiters.entry(limits).or_default();
        if let Some(limiter) = limiters.get(endpoint) {
            return Arc::clone(limiter);
        }
        let limiter = Arc::new(EndpointLimiter::new(limits));
        limiters.insert(endpoint.to_owned(), Arc::clone(&limiter));
        limiter
    }

    async fn grant(&self, wanted: LeaseRequest<'_>) -> Result<Box<dyn Lease>, Withheld> {
        let LeaseRequest { endpoint, limits, tokens, most, in_match } = wanted;
        let payer = in_match.map(|(match_id, seat, _)| (match_id.to_owned(), seat));
        if let Some((match_id, seat, Some(max))) = in_match {
            // A seat has one call under way at a time.
            let mut seats = self.spent_in(match_id).into_iter();
            let spent = seats.find(|(other, _)| *other == seat).map_or(0, |(_, spent)| spent.cost);
            if spent.saturating_add(most) > max {
                return Err(Withheld::MatchMoney { max: usd(max), spent: usd(spent), next: usd(most) });
            }
        }
        let mut reserved = self.reserve(most, payer).await?;
        let slot = self.rate_limiter(endpoint, limits).lease(tokens).await;
        reserved.stage = Stage::Sent;
        Ok(Box::new(LocalLease { reserved, _slot: slot }))
    }
}

impl Limiter for RunBudget {
    fn lease<'a>(&'a self, wanted: LeaseRequest<'a>) -> BoxFuture<'a, Result<Box<dyn Lease>, Withheld>> {
        Box::pin(async move {
            tokio::select! {
                biased;
                () = self.stop.cancelled() => Err(Withheld::Stopped),
                lease = self.grant(wanted) => lease,
            }
        })
    }

    fn stopped(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.stop.cancelled())
    }

    fn limits_money(&self) -> bool {
        self.max.is_some()
    }

    fn is_used_up(&self) -> bool {
        self.used_up.load(Ordering::Relaxed)
    }
}

impl Books {
    fn sums(&self) -> MutexGuard<'_, Sums> {
        // Nothing that runs under the lock leaves a half-done change behind.
        self.sums.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request under way: money that is set aside, and its place at the endpoint.
struct LocalLease {
    reserved: Reserved,
    _slot: Slot,
}

impl Lease for LocalLease {
    fn settle(mut self: Box<Self>, cost: Option<Pico>) {
        self.reserved.over(cost.unwrap_or(self.reserved.amount), cost.is_none(), false);
    }
}

/// Money that is set aside for a call. Dropped before the call is sent, it comes back; after that it is spent.
#[derive(Debug)]
struct Reserved {
    books: Arc<Books>,
    amount: Pico,
    /// The seat that pays; a check has none.
    payer: Option<(String, Seat)>,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Waiting,
    Sent,
    Over,
}

impl Reserved {
    /// The call is over, if it was sent.
    fn over(&mut self, cost: Pico, unknown: bool, dropped: bool) {
        let stage = std::mem::replace(&mut self.stage, Stage::Over);
        if stage == Stage::Over {
            return;
        }
        let mut sums = self.books.sums();
        sums.promised -= self.amount;
        sums.under_way -= 1;
        if stage == Stage::Sent {
            let bounded = u64::from(dropped);
            let spent = Spent { requests: 1, cost, unknown: u64::from(unknown), bounded };
            let payer = self.payer.take();
            let (match_id, seat) = payer.map_or((None, Seat::new(0)), |(match_id, seat)| (Some(match_id), seat));
            sums.ledger.add(match_id.as_deref(), seat, spent);
        }
        drop(sums);
        self.books.changed.notify_waiters();
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.over(self.amount, false, true);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{sleep, timeout};

    use super::*;

    const ENDPOINT: LeaseRequest<'static> = LeaseRequest {
        endpoint: "here",
        limits: EndpointLimits { requests_per_minute: None, tokens_per_minute: None, concurrency: 4 },
        tokens: 1,
        most: 0,
        in_match: None,
    };

    fn wanted(most: f64) -> LeaseRequest<'static> {
        LeaseRequest { most: pico(most), ..ENDPOINT }
    }

    async fn lease(budget: &RunBudget, most: f64) -> Box<dyn Lease> {
        budget.lease(wanted(most)).await.expect("there is enough")
    }

    async fn withheld(budget: &RunBudget, most: f64) -> Withheld {
        budget.lease(wanted(most)).await.map(drop).expect_err("there is not enough")
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_promised_to_calls_under_way_is_waited_for_and_ends_nothing() {
        let budget = RunBudget::new(Some(1.0), None);
        // Twenty at once, each of which may cost nearly all and costs little.
        let call = async || {
            let lease = lease(&budget, 0.5).await;
            sleep(Duration::from_secs(1)).await;
            lease.settle(Some(pico(0.025)));
        };
        futures_util::future::join_all((0..20).map(|_| call())).await;
        assert_eq!((budget.spent_usd(), budget.calls(), budget.is_used_up()), (Some(0.5), 20, false));
    }

    #[tokio::test(start_paused = true)]
    async fn a_budget_is_used_up_when_nothing_is_under_way_and_the_next_call_does_not_fit() {
        let budget = RunBudget::new(Some(1.0), None);
        lease(&budget, 0.6).await.settle(Some(pico(0.3)));
        let under_way = lease(&budget, 0.6).await;
        let late = async {
            sleep(Duration::from_secs(5)).await;
            assert!(!budget.is_used_up(), "somebody is still under way");
            under_way.settle(Some(pico(0.6)));
        };
        let (refused, ()) = tokio::join!(withheld(&budget, 0.2), late);
        assert_eq!(refused, Withheld::Money { max: 1.0, spent: 0.9, next: 0.2 });
        assert!(budget.is_used_up());
        let said = refused.to_string();
        assert!(said.contains("$0.9000 of $1.0000 are spent and nothing is under way"), "{said}");
        assert!(said.contains("--max-usd") && said.contains("[budget]"), "{said}");
        lease(&budget, 0.1).await.settle(Some(pico(0.1)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_that_is_given_up_costs_nothing_and_a_call_that_is_cut_off_the_most() {
        let budget = RunBudget::new(Some(1.0), Some(2));
        let under_way = lease(&budget, 0.9).await;
        assert!(timeout(Duration::from_secs(9), budget.lease(wanted(0.5))).await.is_err());
        assert_eq!(budget.calls(), 1);
        under_way.settle(Some(pico(0.1)));
        drop(lease(&budget, 0.7).await);
        assert_eq!((budget.spent_usd(), budget.calls()), (Some(0.8), 2));
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_gives_up_at_the_gate_gives_its_money_back() {
        let budget = RunBudget::new(Some(1.0), None);
        let one = EndpointLimits { concurrency: 1, ..ENDPOINT.limits };
        let wanted = LeaseRequest { limits: one, ..wanted(0.4) };
        let under_way = budget.lease(wanted).await.expect("there is enough");
        assert!(timeout(Duration::from_secs(9), budget.lease(wanted)).await.is_err());
        under_way.settle(Some(pico(0.4)));
        lease(&budget, 0.6).await.settle(Some(pico(0.6)));
    }

    #[tokio::test(start_paused = true)]
    async fn calls_are_counted_and_what_costs_nothing_needs_no_money() {
        let budget = RunBudget::new(Some(0.0), Some(2));
        for _ in 0..2 {
            lease(&budget, 0.0).await.settle(Some(0));
        }
        assert_eq!(withheld(&budget, 0.0).await, Withheld::Calls(2));
        assert_eq!(budget.calls(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_that_is_stopped_lets_nobody_wait_and_nothing_be_sent() {
        let stop = CancellationToken::new();
        let budget = RunBudget::new(Some(1.0), None).stopped_by(stop.clone());
        let under_way = lease(&budget, 0.9).await;
        let stopping = async { stop.cancel() };
        let (waiting, ()) = tokio::join!(withheld(&budget, 0.5), stopping);
        assert_eq!((waiting, withheld(&budget, 0.0).await), (Withheld::Stopped, Withheld::Stopped));
        budget.stopped().await;
        under_way.settle(Some(pico(0.1)));
        assert_eq!((budget.spent_usd(), budget.calls(), budget.is_used_up()), (Some(0.1), 1, false));
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_paid_before_counts_and_what_nobody_knows_is_not_nothing() {
        let mut before = Ledger::default();
        before.add(None, Seat::new(0), Spent::new(2, 0.4));
        let budget = RunBudget::new(Some(1.0), Some(4)).after(before);
        assert_eq!((budget.spent_usd(), budget.calls()), (Some(0.4), 2));
        withheld(&budget, 0.7).await;
        lease(&budget, 0.2).await.settle(None);
        assert_eq!((budget.spent_usd(), budget.calls()), (None, 3));
        assert_eq!(withheld(&budget, 0.5).await, Withheld::Money { max: 1.0, spent: 0.6, next: 0.5 });
        lease(&budget, 0.3).await.settle(Some(0));
        assert_eq!(withheld(&budget, 0.0).await, Withheld::Calls(4));
    }

    #[tokio::test(start_paused = true)]
    async fn a_match_has_a_budget_of_its_own() {
        let budget = RunBudget::unlimited();
        let in_match = |seat| LeaseRequest { in_match: Some(("m", Seat::new(seat), Some(pico(0.5)))), ..wanted(0.2) };
        budget.lease(in_match(0)).await.expect("it fits").settle(Some(pico(0.3)));
        budget.lease(in_match(0)).await.expect("it fits").settle(Some(pico(0.1)));
        let refused = budget.lease(in_match(0)).await.map(drop).expect_err("it does not fit");
        drop(budget.lease(in_match(1)).await.expect("another seat has its own"));
        assert_eq!(refused, Withheld::MatchMoney { max: 0.5, spent: 0.4, next: 0.2 });
        assert!(refused.to_string().contains("`max_usd` in the player's profile"), "{refused}");
    }

    #[test]
    fn tokens_from_and_to_the_cache_have_their_own_prices() {
        let price = Price { input: 2.0, cached_input: 0.5, cache_write: 2.5, output: 8.0 };
        let usage =
            Usage { input: 1_000_000, cached: 400_000, cache_written: 200_000, output: 250_000, ..Usage::default() };
        assert!((cost(&price, &usage) - (0.8 + 0.2 + 0.5 + 2.0)).abs() < 1e-9);
        // Whatever a server says, no more is billed than was read.
        let absurd = Usage { cached: 900_000, cache_written: u64::MAX, output: 0, ..usage };
        assert!((cost(&price, &absurd) - (0.45 + 0.25)).abs() < 1e-9);
        assert!((most(&price, 1_000_000, 250_000) - (2.5 + 2.0)).abs() < 1e-9, "all of it may be written to the cache");
    }
}
