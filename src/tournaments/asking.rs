//! Many questions, so many at once: what quizzes, banks and the cheaper gates of experiments have in common.

use futures_util::stream::{self, StreamExt as _};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::run::RunEnd;
use crate::players::model::Limiter;

/// How questions are put.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'a> {
    /// What models may use.
    pub limiter: &'a dyn Limiter,
    /// How many are asked at once.
    pub concurrency: usize,
    /// Tells it to stop after the calls under way.
    pub stop: &'a CancellationToken,
    /// Is cancelled as soon as nothing more is asked, for whatever reason. A child of `stop`.
    pub halt: &'a CancellationToken,
    /// When its time is up.
    pub end: Option<Instant>,
}

impl std::fmt::Debug for Asking<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asking").field("concurrency", &self.concurrency).finish_non_exhaustive()
    }
}

impl Asking<'_> {
    /// Has all these jobs done, in order, and tells what is done so far. What is under way when it has to stop is done to
    /// its end.
    ///
    /// # Errors
    /// If it has to stop before its end: why.
    pub(crate) async fn all<J, T, F>(
        &self,
        jobs: Vec<J>,
        work: impl Fn(J) -> F,
        mut each: impl FnMut(&[T]),
    ) -> Result<Vec<T>, RunEnd>
    where
        F: Future<Output = Result<T, String>>,
    {
        let Asking { halt, stop, end, .. } = *self;
        let mut done = Vec::with_capacity(jobs.len());
        let mut why: Option<RunEnd> = None;
        let begin = |job: J| {
            let work = work(job);
            async move { if halt.is_cancelled() { None } else { Some(work.await) } }
        };
        let mut answers = stream::iter(jobs.into_iter().map(begin)).buffered(self.concurrency.max(1));
        loop {
            let time_up = async {
                match end {
                    Some(end) => tokio::time::sleep_until(end).await,
                    None => std::future::pending().await,
                }
            };
            let answer = tokio::select! {
                biased;
                answer = answers.next() => answer,
                () = time_up, if why.is_none() => {
                    why = Some(RunEnd::OutOfTime);
                    halt.cancel();
                    continue;
                }
            };
            match answer {
                None => break,
                Some(Some(Ok(answer))) => {
                    done.push(answer);
                    each(&done);
                }
                Some(Some(Err(problem))) => {
                    halt.cancel();
                    why.get_or_insert(if stop.is_cancelled() {
                        RunEnd::Stopped
                    } else if self.limiter.is_used_up() {
                        RunEnd::OutOfBudget { why: problem }
                    } else {
                        RunEnd::Failing { why: problem }
                    });
                }
                Some(None) => {}
            }
        }
        match why {
            Some(end) => Err(end),
            None if halt.is_cancelled() => Err(RunEnd::Stopped),
            None => Ok(done),
        }
    }
}
