//! What stands between a request and the wire: rate limits, concurrency and budgets, leased and given back.
//!
//! Limits delay a request and never decide a match. A [`Limiter`] may be of this process, as
//! [`RunBudget`](super::RunBudget) is, or hand out shares of what several processes may use together.

use futures_util::future::BoxFuture;

use super::budget::Pico;
use super::waiting::WaitingCalls;
use crate::games::seat::Seat;
use crate::players::profile::EndpointLimits;

/// Whoever says when a request may be sent.
pub trait Limiter: Send + Sync {
    /// Waits until this request may be sent. Whoever gives up waiting has used nothing.
    ///
    /// # Errors
    /// If it may never be sent: a budget is used up, or the run was stopped.
    fn lease<'a>(&'a self, wanted: LeaseRequest<'a>) -> BoxFuture<'a, Result<Box<dyn Lease>, Withheld>>;

    /// Waits until no more requests are sent at all, because the run was stopped.
    fn stopped(&self) -> BoxFuture<'_, ()>;

    /// Whether there is a limit of money.
    fn limits_money(&self) -> bool;

    /// Whether a request was withheld because the run's money or calls are used up.
    fn is_used_up(&self) -> bool;

    /// The requests that wait now, where that is told to others.
    fn waiting(&self) -> Option<&WaitingCalls> {
        None
    }
}

/// Leave to have one request under way. Dropped without being settled, it counts as the most that the request may have
/// cost: what was cut off may have been billed.
pub trait Lease: Send {
    /// The request is over and cost this much; nothing where nobody knows.
    fn settle(self: Box<Self>, cost: Option<Pico>);
}

/// One more lease for a request that has one already: both are settled as one. Where it is withheld, nothing was sent, and
/// the first is given back.
///
/// # Errors
/// If the other limiter withholds the request.
pub(crate) async fn lease_beside(
    first: Box<dyn Lease>,
    limiter: &dyn Limiter,
    wanted: LeaseRequest<'_>,
) -> Result<Box<dyn Lease>, Withheld> {
    match limiter.lease(wanted).await {
        Ok(second) => Ok(Box::new(JointLease { first, second })),
        Err(withheld) => {
            first.settle(Some(0));
            Err(withheld)
        }
    }
}

/// A request under way of which two limiters hear.
struct JointLease {
    first: Box<dyn Lease>,
    second: Box<dyn Lease>,
}

impl Lease for JointLease {
    fn settle(self: Box<Self>, cost: Option<Pico>) {
        let JointLease { first, second } = *self;
        first.settle(cost);
        second.settle(cost);
    }
}

/// What a request wants to use.
#[derive(Clone, Copy, Debug)]
pub struct LeaseRequest<'a> {
    /// Where it goes.
    pub endpoint: &'a str,
    /// How hard that endpoint may be used.
    pub limits: EndpointLimits,
    /// About how many tokens it takes.
    pub tokens: u64,
    /// What it may cost at the most.
    pub most: Pico,
    /// The match and the seat that it is for, and what that seat may spend in it, where that is limited.
    pub in_match: Option<(&'a str, Seat, Option<Pico>)>,
}

/// Why a request may not be sent. It is nobody's fault at the table.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Withheld {
    /// Not enough of the run's money is left.
    #[error(
        "the budget of this run is used up: ${spent:.4} of ${max:.4} are spent and nothing is under way, but the next \
         call may cost ${next:.4}; raise --max-usd, or `max_usd` under [budget] in the file, and resume"
    )]
    Money {
        /// What may be spent.
        max: f64,
        /// What is spent.
        spent: f64,
        /// What the next call may cost.
        next: f64,
    },
    /// Not enough of one caller's share of the money is left; others may have some.
    #[error(
        "one caller's share of the budget is used up: ${spent:.4} of ${max:.4} are spent and nothing is under way, but \
         the next call may cost ${next:.4}; --max-usd-each sets the share"
    )]
    Share {
        /// What one caller may spend.
        max: f64,
        /// What is spent.
        spent: f64,
        /// What the next call may cost.
        next: f64,
    },
    /// All calls of the run are made.
    #[error(
        "the budget of this run is used up: all {0} calls are made and none is under way; raise --max-calls, or \
         `max_calls` under [budget] in the file, and resume"
    )]
    Calls(u64),
    /// Not enough of the match's money is left.
    #[error(
        "the budget of this match is used up: ${spent:.4} of ${max:.4} are spent and nothing is under way, but the next \
         call may cost ${next:.4}; raise `max_usd` in the player's profile and resume"
    )]
    MatchMoney {
        /// What may be spent.
        max: f64,
        /// What is spent.
        spent: f64,
        /// What the next call may cost.
        next: f64,
    },
    /// No more requests are sent.
    #[error("the run was stopped")]
    Stopped,
}
