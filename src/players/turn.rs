//! The log of one player's turn: where its time goes, what it tried, what it cost, and what is settled.
//!
//! It is the one owner of a turn's time. The player and the referee share it, so whatever it holds is still there when
//! the clock cuts the player off in the middle of an answer.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use super::player::{Answer, PlayerError};
use crate::matches::{Attempt, Call};

/// Whose time it is that passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// The player's own. Only this runs its clock.
    Thinking,
    /// Ours: rate limits, concurrency, a keyboard that somebody else uses.
    Waiting,
    /// The backend's: requests that failed, back-off, retries.
    Backend,
}

/// The log of one turn of one player, shared between the player and the referee.
#[derive(Clone, Debug)]
pub struct TurnLog(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// How long the player may think.
    limit: Option<Duration>,
    state: Mutex<TurnState>,
    /// Wakes whoever waits for time to pass otherwise, or for an answer.
    changed: Notify,
}

#[derive(Debug)]
struct TurnState {
    attempts: Vec<Attempt>,
    calls: Vec<Call>,
    /// Whose time passes now, and since when. None once the turn is over.
    running: Option<(Time, Instant)>,
    /// Time that has passed, by [`Time`].
    spent: [Duration; 3],
    settled: Option<Result<Answer, PlayerError>>,
    out_of_time: bool,
}

/// An answer came when the player's time was up, or after another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the turn is settled already")]
pub struct TooLate;

impl Default for TurnLog {
    fn default() -> TurnLog {
        TurnLog::new(None)
    }
}

impl TurnLog {
    /// The log of a turn that begins now, for a player who may think so long.
    pub fn new(limit: Option<Duration>) -> TurnLog {
        let state = TurnState {
            attempts: Vec::new(),
            calls: Vec::new(),
            running: Some((Time::Thinking, Instant::now())),
            spent: [Duration::ZERO; 3],
            settled: None,
            out_of_time: false,
        };
        TurnLog(Arc::new(Inner { limit, state: Mutex::new(state), changed: Notify::new() }))
    }

    /// Notes an answer that was not taken.
    pub fn attempt(&self, attempt: Attempt) {
        self.state().attempts.push(attempt);
    }

    /// The answers that were not taken so far, in order.
    pub fn attempts(&self) -> Vec<Attempt> {
        self.state().attempts.clone()
    }

    /// Notes a request to a model and what it cost, as soon as that is known.
    pub fn charge(&self, call: Call) {
        self.state().calls.push(call);
    }

    /// The requests to a model so far.
    pub fn calls(&self) -> Vec<Call> {
        self.state().calls.clone()
    }

    /// Lets time pass as this until the lap is dropped.
    pub fn lap(&self, time: Time) -> Lap<'_> {
        let mut state = self.state();
        let before = state.switch(time);
        let lap = Lap { log: self, time, before, from: state.spent[time as usize] };
        drop(state);
        self.0.changed.notify_waiters();
        lap
    }

    /// Stops the player's clock while it waits for us.
    pub fn waiting(&self) -> Lap<'_> {
        self.lap(Time::Waiting)
    }

    /// Adds time that passed when the same turn was played before, and passes no more. It runs no clock.
    pub fn add(&self, time: Time, passed: Duration) {
        self.state().spent[time as usize] += passed;
    }

    /// How much time has passed as this.
    pub fn spent(&self, time: Time) -> Duration {
        let mut state = self.state();
        state.tally();
        state.spent[time as usize]
    }

    /// How long the player may still think. None where nothing limits it.
    pub fn time_left(&self) -> Option<Duration> {
        self.0.limit.map(|limit| limit.saturating_sub(self.spent(Time::Thinking)))
    }

    /// Waits until the player has thought for as long as it may.
    pub async fn out_of_time(&self) {
        loop {
            // Listening begins before the look at the clock: nothing that changes in between is missed.
            let changed = self.0.changed.notified();
            let thinks = matches!(self.state().running, Some((Time::Thinking, _)));
            match self.time_left().filter(|_| thinks) {
                Some(Duration::ZERO) => return,
                Some(left) => tokio::select! {
                    () = sleep(left) => {}
                    () = changed => {}
                },
                None => changed.await,
            }
        }
    }

    /// Waits until time passes as this.
    pub async fn until(&self, time: Time) {
        loop {
            let changed = self.0.changed.notified();
            if matches!(self.state().running, Some((now, _)) if now == time) {
                return;
            }
            changed.await;
        }
    }

    /// Settles the turn from outside the player: what is settled here counts, even if the clock runs out before the
    /// referee learns of it.
    ///
    /// # Errors
    /// If the player's time was up before, or the turn is settled.
    pub fn settle(&self, answer: Result<Answer, PlayerError>) -> Result<(), TooLate> {
        let mut state = self.state();
        if state.out_of_time || state.settled.is_some() {
            return Err(TooLate);
        }
        state.settled = Some(answer);
        drop(state);
        self.0.changed.notify_waiters();
        Ok(())
    }

    /// Waits until the turn is settled from outside.
    ///
    /// # Errors
    /// If it is settled without an action.
    pub async fn settled(&self) -> Result<Answer, PlayerError> {
        loop {
            let changed = self.0.changed.notified();
            let settled = self.state().settled.clone();
            match settled {
                Some(settled) => return settled,
                None => changed.await,
            }
        }
    }

    /// The player's time is up: gives what was settled by now, and takes nothing from now on if that is nothing.
    pub fn cut_off(&self) -> Option<Result<Answer, PlayerError>> {
        let mut state = self.state();
        state.stop();
        state.out_of_time = state.settled.is_none();
        state.settled.clone()
    }

    /// Whether the player's time was up before anything was settled.
    pub fn is_out_of_time(&self) -> bool {
        self.state().out_of_time
    }

    /// Stops the clock for good: the turn is over.
    pub fn close(&self) {
        self.state().stop();
    }

    fn state(&self) -> MutexGuard<'_, TurnState> {
        // Nothing that runs under the lock leaves a half-done change behind.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TurnState {
    /// Books the time that has passed since the last time.
    fn tally(&mut self) {
        if let Some((time, since)) = &mut self.running {
            let now = Instant::now();
            self.spent[*time as usize] += now - *since;
            *since = now;
        }
    }

    /// Lets time pass as this from now on, and says as what it passed before.
    fn switch(&mut self, time: Time) -> Time {
        self.tally();
        match &mut self.running {
            Some((running, _)) => std::mem::replace(running, time),
            None => time,
        }
    }

    fn stop(&mut self) {
        self.tally();
        self.running = None;
    }
}

/// A stretch of a turn's time. It ends when it is dropped.
///
/// What is not thinking is booked in whole milliseconds: less than one is nothing worth recording.
#[derive(Debug)]
#[must_use = "it ends when it is dropped"]
pub struct Lap<'a> {
    log: &'a TurnLog,
    time: Time,
    before: Time,
    /// What had passed as this when the lap began.
    from: Duration,
}

impl Lap<'_> {
    /// Ends the lap, whose time was in truth somebody else's: that of a request that failed, say, is not thinking.
    pub fn turned_out(self, time: Time) {
        let mut state = self.log.state();
        state.tally();
        let passed = state.spent[self.time as usize].saturating_sub(self.from);
        state.spent[self.time as usize] = self.from;
        state.spent[time as usize] += if time == Time::Thinking { passed } else { whole(passed) };
    }
}

impl Drop for Lap<'_> {
    fn drop(&mut self) {
        let mut state = self.log.state();
        state.switch(self.before);
        if self.time != Time::Thinking {
            let passed = &mut state.spent[self.time as usize];
            *passed = self.from + whole(passed.saturating_sub(self.from));
        }
        drop(state);
        self.log.0.changed.notify_waiters();
    }
}

fn whole(time: Duration) -> Duration {
    Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn only_thinking_runs_the_clock() {
        let log = TurnLog::new(Some(3 * SECOND));
        sleep(SECOND).await;
        {
            let _waiting = log.waiting();
            sleep(100 * SECOND).await;
            let _backend = log.lap(Time::Backend);
            sleep(10 * SECOND).await;
        }
        assert_eq!(log.time_left(), Some(2 * SECOND));
        assert_eq!((log.spent(Time::Waiting), log.spent(Time::Backend)), (100 * SECOND, 10 * SECOND));
        let begun = Instant::now();
        log.out_of_time().await;
        assert_eq!(begun.elapsed(), 2 * SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn a_deadline_moves_while_somebody_waits() {
        let log = TurnLog::new(Some(3 * SECOND));
        let queue = async {
            sleep(2 * SECOND).await;
            let waiting = log.waiting();
            sleep(50 * SECOND).await;
            drop(waiting);
            std::future::pending::<()>().await;
        };
        let begun = Instant::now();
        tokio::select! {
            () = queue => {}
            () = log.out_of_time() => {}
        }
        assert_eq!(begun.elapsed(), 53 * SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn what_turned_out_to_be_the_backends_is_given_back() {
        let log = TurnLog::new(Some(10 * SECOND));
        let request = log.lap(Time::Thinking);
        sleep(8 * SECOND).await;
        request.turned_out(Time::Backend);
        assert_eq!((log.time_left(), log.spent(Time::Backend)), (Some(10 * SECOND), 8 * SECOND));
        let retry = log.lap(Time::Backend);
        sleep(4 * SECOND).await;
        retry.turned_out(Time::Thinking);
        assert_eq!((log.time_left(), log.spent(Time::Backend)), (Some(6 * SECOND), 8 * SECOND));
        sleep(SECOND).await;
        assert_eq!(log.time_left(), Some(5 * SECOND), "the clock runs again");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_settled_before_the_time_is_up_counts_and_nothing_after_it() {
        let (in_time, late) = (TurnLog::new(Some(SECOND)), TurnLog::new(Some(SECOND)));
        in_time.settle(Err(PlayerError::Resigned)).expect("there is time");
        assert_eq!(in_time.settle(Err(PlayerError::Left)), Err(TooLate));
        sleep(2 * SECOND).await;
        assert_eq!(in_time.cut_off(), Some(Err(PlayerError::Resigned)));
        assert_eq!((late.cut_off(), late.is_out_of_time()), (None, true));
        assert_eq!(late.settle(Err(PlayerError::Resigned)), Err(TooLate));
        sleep(SECOND).await;
        assert_eq!(late.spent(Time::Thinking), 2 * SECOND, "the clock has stopped");
    }
}
