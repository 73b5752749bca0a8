//! What the players of a run may use on a worker, and where its questions are asked.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::shared::SharedLimiter;
use crate::players::model::{Lease, LeaseRequest, Limiter, RunBudget, WaitingCalls, Withheld, lease_beside};
use crate::store::{Store, StoreError};
use crate::tournaments::file::RunLimits;
use crate::tournaments::run;

/// The limits of a run, for the players of one worker: every request to a model takes a lease of it. `worker` is the
/// worker's name in the store, and `stop` ends all waiting.
///
/// # Errors
/// If the store cannot be read.
pub(crate) async fn limiter(
    store: &Store,
    run: &str,
    limits: RunLimits,
    worker: &str,
    stop: CancellationToken,
) -> Result<Arc<dyn Limiter>, StoreError> {
    if !store.is_file() {
        return Ok(Arc::new(SharedLimiter::new(store, run, limits, worker, stop)));
    }
    let spent = run::ledger(store, &format!("{run}.")).await?;
    Ok(Arc::new(RunBudget::new(limits.max_usd, limits.max_calls).after(spent).stopped_by(stop)))
}

/// What the process that schedules a run may use when it asks models itself: limits that it keeps together with the run's
/// workers. Its own books know what its requests came to.
#[derive(Debug)]
pub(crate) struct BookedLimiter {
    shared: SharedLimiter,
    books: Arc<RunBudget>,
}

impl BookedLimiter {
    /// Shared limits, beside a budget that hears of every request.
    pub(crate) fn new(shared: SharedLimiter, books: Arc<RunBudget>) -> BookedLimiter {
        BookedLimiter { shared, books }
    }
}

impl Limiter for BookedLimiter {
    fn lease<'a>(&'a self, wanted: LeaseRequest<'a>) -> BoxFuture<'a, Result<Box<dyn Lease>, Withheld>> {
        Box::pin(async move {
            let shared = self.shared.lease(wanted).await?;
            lease_beside(shared, &*self.books, wanted).await
        })
    }

    fn stopped(&self) -> BoxFuture<'_, ()> {
        self.shared.stopped()
    }

    fn limits_money(&self) -> bool {
        self.shared.limits_money()
    }

    fn is_used_up(&self) -> bool {
        self.shared.is_used_up() || self.books.is_used_up()
    }

    fn waiting(&self) -> Option<&WaitingCalls> {
        self.shared.waiting()
    }
}
