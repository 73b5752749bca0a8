//! What a database must be able to do for a store, beyond statements.

use std::fmt;
use std::time::Duration;

use futures_util::future::BoxFuture;
use sqlx::{Database, Pool};
use tokio::time::timeout;

use super::error::StoreError;
use super::link::Link;
use super::location::Location;

/// A place where a store is.
pub(super) trait Backend: fmt::Debug + Send + Sync {
    /// Where it is, for errors.
    fn location(&self) -> &Location;

    /// The version that it had when it was opened to be read; the latest in one that is written.
    fn version(&self) -> i64;

    /// Makes the connection that writes, to a store that is ours and up to date.
    fn connect(&self) -> BoxFuture<'_, Result<Box<dyn Writing>, StoreError>>;

    /// The connections that read.
    fn readers(&self) -> &dyn Readers;

    /// What an error of the database means.
    fn problem(&self, error: &sqlx::Error) -> StoreError;

    /// How long a transaction may take before whoever keeps the store is given up. A file is never silent.
    fn limit(&self) -> Option<Duration> {
        None
    }
}

/// Waits for whoever keeps a store, but not for ever.
pub(super) async fn within<T>(
    backend: &dyn Backend,
    limit: Option<Duration>,
    work: impl Future<Output = T>,
) -> Result<T, StoreError> {
    let Some(limit) = limit else { return Ok(work.await) };
    timeout(limit, work).await.map_err(|_| StoreError::Lost {
        at: backend.location().clone(),
        why: format!("no answer within {} seconds", limit.as_secs_f64()),
    })
}

/// Connections that read.
pub(super) trait Readers: Sync {
    /// One that is free, once there is one.
    fn one(&self) -> BoxFuture<'_, Result<Box<dyn Link>, sqlx::Error>>;

    /// Ends all of them.
    fn end(&self) -> BoxFuture<'_, ()>;
}

impl<D: Database> Readers for Pool<D>
where
    D::Connection: Link,
{
    fn one(&self) -> BoxFuture<'_, Result<Box<dyn Link>, sqlx::Error>> {
        Box::pin(async move { Ok(Box::new(self.acquire().await?) as Box<dyn Link>) })
    }

    fn end(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.close())
    }
}

/// The connection that writes.
pub(super) trait Writing: Link {
    /// Begins a transaction. A database that can be lost in the middle gives it a receipt.
    fn begin(&mut self) -> BoxFuture<'_, Result<Option<TransactionId>, sqlx::Error>>;

    /// Whether a transaction was committed whose connection was lost before that was said. It was on another connection.
    fn is_committed(&mut self, receipt: TransactionId) -> BoxFuture<'_, Result<bool, sqlx::Error>>;

    /// Takes a name that one connection has at a time, unless another one has it.
    fn take(&mut self, name: String) -> BoxFuture<'_, Result<bool, sqlx::Error>>;

    /// Gives a name back.
    fn give_back(&mut self, name: String) -> BoxFuture<'_, Result<(), sqlx::Error>>;

    /// Ends it; hard where it may hang in the middle of something.
    fn end(self: Box<Self>, hard: bool) -> BoxFuture<'static, ()>;
}

/// What a transaction is found again by.
#[derive(Clone, Debug)]
pub(super) struct TransactionId(pub(super) String);
