//! One run on many machines: what workers are told of it, and how they play it.
//!
//! A [`Worker`] takes jobs from the store's queue, plays them and keeps what comes of them; any number of workers share
//! the jobs of all runs on a store. All that a worker needs is in the store (see [`WorkPlan`]), except for the keys of
//! models, which stay on the worker's machine.

mod limits;
mod plan;
mod shared;
mod status;
mod worker;

pub(crate) use self::limits::{BookedLimiter, limiter};
pub(crate) use self::plan::{PlannedPlayer, WorkPlan};
pub(crate) use self::shared::SharedLimiter;
pub(crate) use self::status::{LimitStatus, RunStatus, WorkStatus, WorkerStatus};
pub(crate) use self::worker::{Casting, Prepared, Worker, WorkerNews, WorkerSettings};
pub(crate) use crate::players::model::AwaitedLimit;
