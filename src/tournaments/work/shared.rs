//! Limits that all workers of a store keep together: requests and tokens per minute, requests at once, money and calls.
//!
//! Each worker holds small portions of what may be used, uses them without asking, and gives back what it does not need.
//! A portion is held for [`LASTS`] and renewed while its worker lives; a dead worker's comes back by itself, and what it
//! had spent is in the ledger. Times are the database's: machines need not agree on theirs.
//!
//! Money is set aside before a request is sent, and stays so until the request is over: by then the ledger has it. So a
//! budget is exceeded by nothing but what was under way, and it is used up only when nobody holds anything of it.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::games::seat::Seat;
use crate::players::EndpointLimits;
use crate::players::model::{AwaitedLimit, Lease, LeaseRequest, Limiter, Pico, WaitingCalls, Withheld, usd};
use crate::store::{ShareRequest, Spending, Store, StoreError};
use crate::tournaments::file::RunLimits;

/// So long a portion is held that nobody renews, and so often they are renewed.
const LASTS: Duration = Duration::from_secs(20);
const RENEWED: Duration = Duration::from_secs(1);

/// What was not used for so long is given back.
const IDLE: Duration = Duration::from_secs(1);

/// So long a worker waits before it asks again for what others hold, or for a store that does not answer.
const PAUSE: Duration = Duration::from_millis(100);

/// After so many times that nothing is left a budget is used up.
const CERTAIN: u32 = 5;

/// So many seats are remembered with what they spent; of others the store knows.
const SEATS: usize = 10_000;

/// Per cent of a rate that are used: what is sent a little late must not be too much for the next minute.
const USED: u64 = 98;

/// A time to send at is of use for so long after it has passed.
const FRESH: Duration = Duration::from_secs(1);

/// How many limiters this process has had.
static LIMITERS: AtomicU64 = AtomicU64::new(0);

/// The limits of a run that all workers on a store keep together.
#[derive(Debug)]
pub(crate) struct SharedLimiter {
    inner: Arc<Inner>,
    max: Option<Pico>,
    max_calls: Option<u64>,
    used_up: AtomicBool,
    stop: CancellationToken,
}

#[derive(Debug)]
struct Inner {
    store: Store,
    run: String,
    worker: String,
    purses: Mutex<HashMap<String, Arc<Purse>>>,
    pacers: Mutex<HashMap<String, Arc<Pacer>>>,
    /// Who waits for what here.
    waiting: WaitingCalls,
    /// What seats have spent in matches here.
    seats: Mutex<HashMap<(String, Seat), Pico>>,
}

/// What this worker holds of something.
#[derive(Debug)]
struct Purse {
    name: String,
    state: Mutex<PurseState>,
    changed: Notify,
    /// Those who wait are served in the order in which they came.
    queue: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct PurseState {
    /// What can be used.
    free: u64,
    /// What is used.
    used: u64,
    /// What is over and not given back yet.
    over: u64,
    /// How much there is for all, and how much it should hold at the most, so that others have as much.
    most: u64,
    fair: u64,
    last_used: Instant,
}

/// What a purse lacks.
enum Lacking {
    /// Others hold some of it.
    Wait,
    /// Nobody does: so much is spent, in so many requests.
    UsedUp(Pico, u64),
}

impl SharedLimiter {
    /// The limits of a run for one worker, whose name no other worker has.
    pub(crate) fn new(
        store: &Store,
        run: &str,
        limits: RunLimits,
        worker: &str,
        stop: CancellationToken,
    ) -> SharedLimiter {
        let inner = Arc::new(Inner {
            store: store.clone(),
            run: run.to_owned(),
            // What an earlier limiter of the same worker still holds is not this one's to renew.
            worker: format!("{worker}/{run}/{}", LIMITERS.fetch_add(1, Ordering::Relaxed)),
            purses: Mutex::default(),
            pacers: Mutex::default(),
            waiting: WaitingCalls::default(),
            seats: Mutex::default(),
        });
        tokio::spawn(renew(Arc::downgrade(&inner)));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
        let max = limits.max_usd.map(|usd| (usd * 1e12).round() as Pico);
        SharedLimiter { inner, max, max_calls: limits.max_calls, used_up: AtomicBool::new(false), stop }
    }

    async fn grant(&self, wanted: LeaseRequest<'_>) -> Result<Box<dyn Lease>, Withheld> {
        let LeaseRequest { endpoint, limits, tokens, most, in_match } = wanted;
        let payer = in_match.map(|(match_id, seat, _)| (match_id.to_owned(), seat));
        if let Some((match_id, seat, Some(max))) = in_match {
            let spent = self.inner.spent_by_seat(match_id, seat).await;
            if spent.saturating_add(most) > max {
                return Err(Withheld::MatchMoney { max: usd(max), spent: usd(spent), next: usd(most) });
            }
        }
        let match_id = in_match.map(|(match_id, ..)| match_id);
        let waits = |limit, whose| self.inner.waiting.begin(limit, whose, match_id);
        let mut held = Vec::with_capacity(3);
        if let Some(max) = self.max.filter(|_| most > 0) {
            let _waits = waits(AwaitedLimit::Money, &self.inner.run);
            let withheld = |spent, _| Withheld::Money { max: usd(max), spent: usd(spent), next: usd(most) };
            held.push(self.set_aside("usd", most, max, Spending::Money, withheld).await?);
        }
        if let Some(max) = self.max_calls {
            let _waits = waits(AwaitedLimit::Calls, &self.inner.run);
            held.push(self.set_aside("calls", 1, max, Spending::Calls, |_, _| Withheld::Calls(max)).await?);
        }
        let EndpointLimits { requests_per_minute, tokens_per_minute, concurrency } = limits;
        let key = format!("{endpoint} {requests_per_minute:?} {tokens_per_minute:?} {concurrency}");
        let waits_for_a_place = waits(AwaitedLimit::Concurrency, endpoint);
        held.push(self.slot(&key, concurrency as u64).await);
        drop(waits_for_a_place);
        for (what, limit, per_minute, amount) in [
            ("requests", AwaitedLimit::Requests, requests_per_minute, 1),
            ("tokens", AwaitedLimit::Tokens, tokens_per_minute, tokens),
        ] {
            if let Some(per_minute) = per_minute {
                let _waits = waits(limit, endpoint);
                let pacer = self.inner.pacer(&format!("{what} {key}"), per_minute);
                pacer.wait(&self.inner.store, amount).await;
            }
        }
        let lease = SharedLease { inner: self.inner.clone(), held, most, payer };
        Ok(Box::new(lease))
    }

    /// Sets aside some of what the run may spend.
    async fn set_aside(
        &self,
        what: &str,
        amount: u64,
        max: u64,
        spending: Spending,
        withheld: impl Fn(Pico, u64) -> Withheld,
    ) -> Result<Held, Withheld> {
        let purse = self.inner.purse(&format!("{what} {}", self.inner.run), u64::MAX);
        let _turn = purse.queue.lock().await;
        let mut asked_in_vain = 0;
        loop {
            let changed = purse.changed.notified();
            if let Some(held) = purse.take(amount, true) {
                return Ok(held);
            }
            // Some more than is needed now: the next ones need not ask. At the end of a budget, what is needed.
            let lacking = amount - purse.state().free.min(amount);
            let more = lacking.max(amount.saturating_mul(4).min(max / 100));
            let spent_by = Some((self.inner.run.clone(), spending));
            match self.inner.lease(&purse, &[more, lacking], max, spent_by).await {
                Ok(None) => {}
                // What the last request cost in the end may be on its way to the ledger.
                Ok(Some(Lacking::UsedUp(spent, requests))) if purse.is_idle() && asked_in_vain >= CERTAIN => {
                    self.used_up.store(true, Ordering::Relaxed);
                    return Err(withheld(spent, requests));
                }
                Ok(Some(lacking)) => {
                    asked_in_vain = if matches!(lacking, Lacking::Wait) { 0 } else { asked_in_vain + 1 };
                    drop(timeout(PAUSE, changed).await);
                }
                Err(error) => {
                    tracing::warn!(%error, "what workers may use together cannot be read");
                    sleep(PAUSE).await;
                }
            }
        }
    }

    /// A place among the requests under way.
    async fn slot(&self, key: &str, most: u64) -> Held {
        let purse = self.inner.purse(&format!("slots {key}"), most);
        let _turn = purse.queue.lock().await;
        loop {
            let changed = purse.changed.notified();
            if let Some(held) = purse.take(1, false) {
                return held;
            }
            // Whoever has its share already leaves the rest to the others.
            let may_ask = {
                let state = purse.state();
                state.used < state.fair
            };
            let portion = (most / 16).max(1);
            if may_ask {
                let _ = self.inner.lease(&purse, &[portion, 1], most, None).await;
                if purse.state().free > 0 {
                    continue;
                }
            }
            let _ = timeout(PAUSE, changed).await;
        }
    }
}

impl Limiter for SharedLimiter {
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

    fn waiting(&self) -> Option<&WaitingCalls> {
        Some(&self.inner.waiting)
    }
}

impl Inner {
    fn purse(&self, name: &str, most: u64) -> Arc<Purse> {
        let mut purses = lock(&self.purses);
        if let Some(purse) = purses.get(name) {
            return purse.clone();
        }
        let state = PurseState { free: 0, used: 0, over: 0, most, fair: most, last_used: Instant::now() };
        let purse = Arc::new(Purse {
            name: name.to_owned(),
            state: Mutex::new(state),
            changed: Notify::new(),
            queue: tokio::sync::Mutex::default(),
        });
        purses.insert(name.to_owned(), purse.clone());
        purse
    }

    fn pacer(&self, name: &str, per_minute: u32) -> Arc<Pacer> {
        let mut pacers = lock(&self.pacers);
        if let Some(pacer) = pacers.get(name) {
            return pacer.clone();
        }
        let pacer = Arc::new(Pacer::new(name, per_minute));
        pacers.insert(name.to_owned(), pacer.clone());
        pacer
    }

    /// Asks the store for one of these amounts, the largest that it gives. Nothing is lacking if it gave one.
    async fn lease(
        &self,
        purse: &Purse,
        amounts: &[u64],
        max: u64,
        spent_by: Option<(String, Spending)>,
    ) -> Result<Option<Lacking>, StoreError> {
        // What is over is in the ledger by now; it would be counted twice.
        let over = std::mem::take(&mut purse.state().over);
        if over > 0 {
            self.store.return_share(&purse.name, &self.worker, over).await?;
        }
        let mut lacking = Lacking::Wait;
        for &amount in amounts {
            let wanted = ShareRequest {
                name: purse.name.clone(),
                holder: self.worker.clone(),
                amount,
                max,
                spent_by: spent_by.clone(),
                lasts: LASTS,
            };
            let answer = self.store.take_share(wanted).await?;
            if answer.granted {
                purse.state().free += amount;
                return Ok(None);
            }
            lacking = if answer.others > 0 { Lacking::Wait } else { Lacking::UsedUp(answer.cost, answer.requests) };
        }
        Ok(Some(lacking))
    }

    /// What a seat has spent in a match, here or on another worker before.
    async fn spent_by_seat(&self, match_id: &str, seat: Seat) -> Pico {
        let before = self.store.spent(match_id).await.unwrap_or_default();
        let is_own = |row: &&crate::store::SeatSpent| row.match_id.as_deref() == Some(match_id) && row.seat == seat;
        let before = before.iter().find(is_own).map_or(0, |row| row.cost);
        let here = lock(&self.seats).get(&(match_id.to_owned(), seat)).copied().unwrap_or(0);
        before.max(here)
    }
}

impl Purse {
    fn state(&self) -> MutexGuard<'_, PurseState> {
        lock(&self.state)
    }

    /// Takes so much, if it is there. What is `spent` does not come back when it is over.
    fn take(self: &Arc<Purse>, amount: u64, is_spent: bool) -> Option<Held> {
        let mut state = self.state();
        state.last_used = Instant::now();
        state.free = state.free.checked_sub(amount)?;
        state.used += amount;
        Some(Held { purse: self.clone(), amount, is_spent, is_sent: false })
    }

    /// Whether nothing of it is used here, or still to be settled.
    fn is_idle(&self) -> bool {
        let state = self.state();
        state.used == 0 && state.over == 0
    }
}

/// Some of what a purse holds, in use.
#[derive(Debug)]
struct Held {
    purse: Arc<Purse>,
    amount: u64,
    is_spent: bool,
    is_sent: bool,
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut state = self.purse.state();
        // The store may have taken it back from a worker that it took for dead.
        state.used = state.used.saturating_sub(self.amount);
        // What was sent is in the ledger. A place is free again, unless others are to have it.
        if (self.is_spent && self.is_sent) || (!self.is_spent && state.used + state.free >= state.fair) {
            state.over += self.amount;
        } else {
            state.free += self.amount;
        }
        drop(state);
        self.purse.changed.notify_waiters();
    }
}

/// A request under way.
struct SharedLease {
    inner: Arc<Inner>,
    held: Vec<Held>,
    most: Pico,
    payer: Option<(String, Seat)>,
}

impl Lease for SharedLease {
    fn settle(mut self: Box<Self>, cost: Option<Pico>) {
        self.most = cost.unwrap_or(self.most);
    }
}

impl Drop for SharedLease {
    fn drop(&mut self) {
        for held in &mut self.held {
            held.is_sent = true;
        }
        if let Some(payer) = self.payer.take() {
            let mut seats = lock(&self.inner.seats);
            if seats.len() >= SEATS {
                seats.clear();
            }
            *seats.entry(payer).or_default() += self.most;
        }
    }
}

/// Times to send at, of a pace that all workers keep.
#[derive(Debug)]
struct Pacer {
    name: String,
    /// How long one takes.
    each: Duration,
    /// So many are taken at once.
    portion: u32,
    /// Times that are taken and not used, the earliest first.
    times: Mutex<VecDeque<Instant>>,
    queue: tokio::sync::Mutex<()>,
}

impl Pacer {
    fn new(name: &str, per_minute: u32) -> Pacer {
        let per_minute = per_minute.max(1);
        let each = Duration::from_nanos(60_000_000_000 * 100 / USED / u64::from(per_minute));
        // About as many as are sent in a twentieth of a second.
        Pacer {
            name: name.to_owned(),
            each,
            portion: (per_minute / 1200).clamp(1, 1000),
            times: Mutex::default(),
            queue: tokio::sync::Mutex::default(),
        }
    }

    /// Waits until so much may be used.
    async fn wait(&self, store: &Store, amount: u64) {
        let at = self.next(store, amount).await;
        let unused = UnusedTime { pacer: self, at: (amount == 1).then_some(at) };
        sleep_until(at).await;
        unused.used();
    }

    /// A time that is taken already.
    fn known(&self) -> Option<Instant> {
        let mut times = lock(&self.times);
        while times.front().is_some_and(|at| at.elapsed() > FRESH) {
            times.pop_front();
        }
        times.pop_front()
    }

    async fn next(&self, store: &Store, amount: u64) -> Instant {
        let _turn = self.queue.lock().await;
        let amount = u32::try_from(amount).unwrap_or(u32::MAX);
        loop {
            if amount == 1
                && let Some(at) = self.known()
            {
                return at;
            }
            let taken = if amount == 1 { self.portion } else { amount };
            match store.pace(&self.name, self.each * taken).await {
                Ok(wait) => {
                    let first = Instant::now() + wait;
                    if amount == 1 {
                        lock(&self.times).extend((1..taken).map(|number| first + self.each * number));
                    }
                    return first;
                }
                Err(error) => {
                    tracing::warn!(%error, "the pace that workers keep together cannot be read");
                    sleep(PAUSE).await;
                }
            }
        }
    }
}

/// A time that is waited for. Whoever gives up leaves it to the next.
struct UnusedTime<'a> {
    pacer: &'a Pacer,
    at: Option<Instant>,
}

impl UnusedTime<'_> {
    fn used(mut self) {
        self.at = None;
    }
}

impl Drop for UnusedTime<'_> {
    fn drop(&mut self) {
        if let Some(at) = self.at {
            lock(&self.pacer.times).push_front(at);
        }
    }
}

/// Renews what is held, gives back what is over or not needed, and learns how many others there are.
async fn renew(inner: Weak<Inner>) {
    loop {
        sleep(RENEWED).await;
        let Some(inner) = inner.upgrade() else { return };
        let purses: Vec<Arc<Purse>> = lock(&inner.purses).values().cloned().collect();
        for purse in &purses {
            let (back, is_empty) = {
                let mut state = purse.state();
                let is_idle = state.last_used.elapsed() > IDLE;
                let free = if is_idle { std::mem::take(&mut state.free) } else { 0 };
                (free + std::mem::take(&mut state.over), is_idle && state.used == 0)
            };
            let mut gone = Ok(());
            if back > 0 {
                gone = inner.store.return_share(&purse.name, &inner.worker, back).await;
            }
            if is_empty && gone.is_ok() {
                gone = inner.store.leave_share(&purse.name, &inner.worker).await;
            }
            if let Err(error) = gone {
                // It runs out with the portion, if it comes to that.
                tracing::warn!(%error, "a portion could not be given back");
                purse.state().over += back;
            }
        }
        let Ok(portions) = inner.store.renew_shares(&inner.worker, LASTS).await else { continue };
        for purse in purses {
            let known = portions.iter().find(|portion| portion.name == purse.name);
            let mut state = purse.state();
            if let Some(portion) = known {
                state.fair = state.most.div_ceil(portion.holders.max(1));
            } else {
                // It ran out while this worker was held up: nothing of it may be used any more.
                (state.free, state.over) = (0, 0);
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that runs under a lock leaves a half-done change behind.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
