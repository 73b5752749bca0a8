//! What a run may use: money, calls, and its endpoints.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::rate_limiter::EndpointLimiter;
use crate::players::profile::{EndpointLimits, Price};

/// Dollars in whole units that add up exactly: 10^-12 of one. A token costs some thousands of them.
pub(super) type Pico = u64;

const PICO: f64 = 1e12;

/// As units; what is not a sum of money is none.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
pub(super) fn pico(usd: f64) -> Pico {
    (usd * PICO).round() as Pico
}

#[expect(clippy::cast_precision_loss, reason = "it is for people to read")]
pub(super) fn usd(pico: Pico) -> f64 {
    pico as f64 / PICO
}

/// What so many tokens cost, in dollars.
#[expect(clippy::cast_precision_loss, reason = "no answer has 2^53 tokens")]
pub(super) fn cost(price: &Price, input: u64, cached: u64, output: u64) -> f64 {
    let fresh = input.saturating_sub(cached) as f64;
    (fresh * price.input + cached.min(input) as f64 * price.cached_input + output as f64 * price.output) / 1e6
}

/// What all players of a run together may use. Endpoints are kept here too: whoever shares one shares its limits.
/// An answer that comes from a journal was paid for earlier in the same run, and counts.
#[derive(Debug)]
pub struct RunBudget {
    max: Option<Pico>,
    spent: AtomicU64,
    max_calls: Option<u64>,
    calls: AtomicU64,
    used_up: AtomicBool,
    /// Whether what earlier starts paid is in the sums from the beginning.
    knows_the_past: bool,
    /// Whether a call was made of which nobody knows what it cost.
    unknown: AtomicBool,
    limiters: Mutex<HashMap<(String, EndpointLimits), Arc<EndpointLimiter>>>,
}

/// Why a call may not be sent.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Exhausted {
    /// Not enough of the run's money is left.
    #[error(
        "the budget of this run is used up: ${spent:.4} of ${max:.4} are spent or promised, and the next call may cost \
         ${next:.4}; raise the run's budget and resume"
    )]
    Run {
        /// What may be spent.
        max: f64,
        /// What is spent or promised to calls under way.
        spent: f64,
        /// What the next call may cost.
        next: f64,
    },
    /// All calls of the run are made.
    #[error("the budget of this run is used up: all {0} calls are made; raise the limit of calls and resume")]
    Calls(u64),
    /// Not enough of the match's money is left.
    #[error(
        "the budget of this match is used up: ${spent:.4} of ${max:.4} are spent, and the next call may cost \
         ${next:.4}; raise the player's budget for a match and resume"
    )]
    Match {
        /// What may be spent.
        max: f64,
        /// What is spent.
        spent: f64,
        /// What the next call may cost.
        next: f64,
    },
}

impl RunBudget {
    /// At most so many dollars and so many calls. With a limit of dollars, players need a price.
    pub fn new(max_usd: Option<f64>, max_calls: Option<u64>) -> RunBudget {
        RunBudget {
            max: max_usd.map(pico),
            spent: AtomicU64::new(0),
            max_calls,
            calls: AtomicU64::new(0),
            used_up: AtomicBool::new(false),
            knows_the_past: false,
            unknown: AtomicBool::new(false),
            limiters: Mutex::default(),
        }
    }

    /// As much as one likes.
    pub fn unlimited() -> RunBudget {
        RunBudget::new(None, None)
    }

    /// A budget of which so much was used before, in a run that this one goes on with. All that was paid for before is in
    /// these sums: an answer that comes from the journal is not counted again.
    #[must_use]
    pub fn after(self, usd: f64, calls: u64) -> RunBudget {
        self.spent.store(pico(usd), Ordering::Relaxed);
        self.calls.store(calls, Ordering::Relaxed);
        RunBudget { knows_the_past: true, ..self }
    }

    /// Whether a call was refused because the run's money or its calls are used up.
    pub fn is_used_up(&self) -> bool {
        self.used_up.load(Ordering::Relaxed)
    }

    /// The money that is spent, or promised to calls under way. None as soon as a call has a cost that nobody knows.
    pub fn spent_usd(&self) -> Option<f64> {
        (!self.unknown.load(Ordering::Relaxed)).then(|| usd(self.spent.load(Ordering::Relaxed)))
    }

    /// Whether there is a limit of money.
    pub fn limits_money(&self) -> bool {
        self.max.is_some()
    }

    /// The requests that were sent.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Counts a call that was paid for before; with no cost where nobody knows it.
    pub(super) fn charge(&self, cost: Option<Pico>) {
        if self.knows_the_past {
            if cost.is_none() {
                self.unknown.store(true, Ordering::Relaxed);
            }
            return;
        }
        self.calls.fetch_add(1, Ordering::Relaxed);
        match cost {
            Some(cost) => drop(self.spent.fetch_add(cost, Ordering::Relaxed)),
            None => self.unknown.store(true, Ordering::Relaxed),
        }
    }

    /// Sets money aside for a call that may cost so much. What is not settled stays spent: a request that was cut off may
    /// have been billed.
    pub(super) fn reserve(&self, next: Pico) -> Result<Reserved<'_>, Exhausted> {
        let taken = self.spent.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |spent| {
            let sum = spent.saturating_add(next);
            (next == 0 || self.max.is_none_or(|max| sum <= max)).then_some(sum)
        });
        if let (Err(spent), Some(max)) = (taken, self.max) {
            self.used_up.store(true, Ordering::Relaxed);
            return Err(Exhausted::Run { max: usd(max), spent: usd(spent), next: usd(next) });
        }
        let called = self.calls.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |calls| {
            self.max_calls.is_none_or(|max| calls < max).then_some(calls + 1)
        });
        if let (Err(_), Some(max)) = (called, self.max_calls) {
            self.spent.fetch_sub(next, Ordering::Relaxed);
            self.used_up.store(true, Ordering::Relaxed);
            return Err(Exhausted::Calls(max));
        }
        Ok(Reserved { budget: self, amount: next })
    }

    /// The limiter of an endpoint, the same for all who come with the same limits.
    pub(super) fn limiter(&self, base_url: &str, limits: EndpointLimits) -> Arc<EndpointLimiter> {
        let mut limiters = self.limiters.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(
            limiters.entry((base_url.to_owned(), limits)).or_insert_with(|| Arc::new(EndpointLimiter::new(limits))),
        )
    }
}

/// Money that is set aside for a call.
#[derive(Debug)]
pub(super) struct Reserved<'a> {
    budget: &'a RunBudget,
    amount: Pico,
}

impl Reserved<'_> {
    /// The call cost this much, or nobody knows what.
    pub(super) fn settle(self, cost: Option<Pico>) {
        let Some(cost) = cost else {
            self.budget.unknown.store(true, Ordering::Relaxed);
            return;
        };
        if cost >= self.amount {
            self.budget.spent.fetch_add(cost - self.amount, Ordering::Relaxed);
        } else {
            self.budget.spent.fetch_sub(self.amount - cost, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_refused_before_it_could_cost_too_much() {
        let budget = RunBudget::new(Some(1.0), None);
        budget.reserve(pico(0.6)).expect("there is enough").settle(Some(pico(0.3)));
        let under_way = budget.reserve(pico(0.6)).expect("there is enough");
        let error = budget.reserve(pico(0.2)).expect_err("0.9 are gone");
        assert_eq!(error, Exhausted::Run { max: 1.0, spent: 0.9, next: 0.2 });
        under_way.settle(Some(pico(0.1)));
        budget.reserve(pico(0.2)).expect("there is enough again");
    }

    #[test]
    fn calls_are_counted_and_what_costs_nothing_needs_no_money() {
        let budget = RunBudget::new(Some(0.0), Some(2));
        for _ in 0..2 {
            budget.reserve(0).expect("two may be made").settle(Some(0));
        }
        assert_eq!(budget.reserve(0).expect_err("no third"), Exhausted::Calls(2));
        assert_eq!(budget.calls(), 2);
    }

    #[test]
    fn what_was_paid_before_counts_and_what_nobody_knows_is_not_nothing() {
        let budget = RunBudget::new(Some(1.0), Some(3));
        budget.charge(Some(pico(0.9)));
        assert_eq!(budget.spent_usd(), Some(0.9));
        budget.reserve(pico(0.2)).expect_err("0.9 are gone");
        budget.charge(None);
        assert_eq!((budget.spent_usd(), budget.calls()), (None, 2));
    }

    #[test]
    fn what_is_in_the_sums_already_is_not_counted_again() {
        let budget = RunBudget::new(Some(1.0), Some(3)).after(0.4, 2);
        budget.charge(Some(pico(0.4)));
        assert_eq!((budget.spent_usd(), budget.calls()), (Some(0.4), 2));
        budget.reserve(pico(0.5)).expect("0.6 are left").settle(Some(pico(0.5)));
        assert_eq!(budget.reserve(0).expect_err("three calls are made"), Exhausted::Calls(3));
    }

    #[test]
    fn tokens_from_the_cache_have_their_own_price() {
        let price = Price { input: 2.0, cached_input: 0.5, output: 8.0 };
        assert!((cost(&price, 1_000_000, 400_000, 250_000) - (1.2 + 0.2 + 2.0)).abs() < 1e-9);
    }
}
