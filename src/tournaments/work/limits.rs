//! What the players of a run may use on a worker.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::shared::SharedLimiter;
use crate::players::model::{Limiter, RunBudget};
use crate::store::{Store, StoreError};
use crate::tournaments::file::RunLimits;
use crate::tournaments::run;

/// The limits of a run, for the players of one worker: every request to a model takes a lease of it. `worker` is the
/// worker's name in the store, and `stop` ends all waiting.
///
/// # Errors
/// If the store cannot be read.
pub async fn limiter(
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
