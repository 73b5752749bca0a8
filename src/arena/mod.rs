//! The arena: live matches, whoever drives them. Seats belong to the holders of their keys; the referee runs each match
//! as it runs any other, and finds what the holders send in their mailboxes.
//!
//! Shared by the servers: [`Arena::open`] begins a match, [`Arena::join`] takes an open seat, [`Arena::seat`] gives a
//! [`SeatHandle`] to whoever has the key, [`Arena::watch`] lets anybody look on. What a seat has sealed is seen by nobody
//! before its turn is played.
//!
//! Players register ([`Arena::register`]) and act by their token wherever they took a seat; [`Arena::queue`] brings those of
//! about the same rating together, and only what comes of it counts on the ladder.
//!
//! # After a restart
//!
//! A match goes on as soon as somebody asks for it, or [`Arena::take_up`] comes to it, at the turn that it had: what was sealed is sealed, lapses and the clocks of
//! the match are counted from the record. The clock of the turn at hand starts anew, so nobody loses time by our fault;
//! whoever was slow before the end gets that much more, once. A match and its effect on the ladder are one write, so a
//! match that is over is rated, and once.

mod answers;
mod archive;
mod attended;
mod elsewhere;
mod error;
mod game;
mod handle;
mod history;
mod index;
mod key;
mod live;
mod opening;
mod orders;
mod players;
mod process;
mod purses;
mod queue;
mod remote;
mod request;
mod seats;
mod task;
#[cfg(test)]
mod tests;
mod ticks;
mod view;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::answers::AnswerCache;
pub use self::answers::IdempotencyKey;
use self::archive::Archive;
pub use self::elsewhere::{Gathering, PROCESS_HEADER, ProcessAnswer, ProcessRequest, opening_view, process_client};
pub use self::error::{ActError, ArenaError};
pub use self::handle::{Receipt, SeatHandle};
use self::index::MatchIndex;
pub use self::key::SeatKey;
pub use self::live::Live;
use self::players::TokenCache;
pub use self::players::{PlayerToken, Registered};
pub use self::process::Advertiser;
pub use self::purses::{CallerPurses, FullPurse, Purses, ReservedMatch};
use self::queue::Queue;
pub use self::queue::{QueueRequest, Queued};
pub use self::request::{
    ArenaLimits, HousePlayer, HousePlayers, HouseSeat, Joining, MatchRequest, MatchSettings, Opened, Payer, SeatChoice,
};
use self::task::{Command, MatchTask, TaskContext};
pub use self::ticks::{TICK_LATE, Ticks};
pub use self::view::{Glance, HolderKind, MatchView, Moment, SeatStatus, Spent, Stage};
pub use crate::referee::Clock;
pub use crate::store::Pace;
pub use crate::store::ProcessInfo;
use crate::store::{KeyHash, Store, StoreError};

/// How many matches are looked for at once that nobody plays, and how often.
const TAKEN_UP: usize = 200;
const LOOKED_AFTER: Duration = Duration::from_secs(2);

/// So many matches that are over stay in memory when another one is read.
const MOST_READ: usize = 100;

/// All live matches. Cheap to clone.
#[derive(Clone)]
pub struct Arena {
    inner: Arc<Inner>,
}

struct Inner {
    /// The players of the house and the store, for the tasks of matches too.
    context: TaskContext,
    limits: ArenaLimits,
    begun: Instant,
    index: Mutex<MatchIndex>,
    known: Mutex<TokenCache>,
    answers: AnswerCache,
    /// Held while tickets are written: whoever comes next finds them as the store has them.
    queue: tokio::sync::Mutex<Queue>,
    /// Held while it is found out what others have taken over; when that was last tried in vain.
    letting_go: tokio::sync::Mutex<Option<Instant>>,
    /// The tasks of matches, what was begun for somebody, and whoever looks after the queue.
    tasks: TaskTracker,
    closing: CancellationToken,
}

impl std::fmt::Debug for Arena {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Arena").field("matches", &self.index().matches.len()).finish_non_exhaustive()
    }
}

impl Arena {
    /// How the names of an arena's matches begin.
    pub const PREFIX: &str = "m";

    /// An empty arena whose matches end with it.
    pub fn new(guests: Arc<dyn HousePlayers>, limits: ArenaLimits) -> Arena {
        Arena::with(guests, limits, None)
    }

    /// An arena whose matches are kept: every accepted action is on the disk before it is acknowledged.
    ///
    /// # Errors
    /// If the store cannot be used.
    pub fn with_store(guests: Arc<dyn HousePlayers>, limits: ArenaLimits, store: Store) -> Result<Arena, StoreError> {
        Ok(Arena::with(guests, limits, Some(Arc::new(Archive::new(store)))))
    }

    fn with(guests: Arc<dyn HousePlayers>, limits: ArenaLimits, archive: Option<Arc<Archive>>) -> Arena {
        Arena {
            inner: Arc::new(Inner {
                context: TaskContext { guests, archive, ticks: Arc::default() },
                limits,
                begun: Instant::now(),
                index: Mutex::default(),
                known: Mutex::default(),
                answers: AnswerCache::default(),
                queue: tokio::sync::Mutex::default(),
                letting_go: tokio::sync::Mutex::default(),
                tasks: TaskTracker::new(),
                closing: CancellationToken::new(),
            }),
        }
    }

    /// Says how others on the same store reach this process. To be said before anything is opened.
    pub fn advertise(&self, advertiser: Advertiser) {
        if let Some(archive) = &self.inner.context.archive {
            archive.process().advertise(advertiser);
        }
    }

    /// Whether somebody is a process on the same store, by the secret that this one's lease has.
    pub fn knows_process(&self, secret: &str) -> bool {
        let own = self.inner.context.archive.as_ref().and_then(|archive| archive.process().secret());
        own.is_some_and(|own| KeyHash::of(own).is(&KeyHash::of(secret)))
    }

    /// Takes up every match that nobody plays, and says how many.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn take_up(&self) -> Result<usize, ArenaError> {
        let Some(archive) = &self.inner.context.archive else { return Ok(0) };
        self.let_go().await;
        archive.process().end_leases().await?;
        let (mut count, mut left) = (0, HashSet::new());
        loop {
            let limit = u32::try_from(TAKEN_UP + left.len()).unwrap_or(u32::MAX);
            let mut found = archive.store().left_behind(limit).await?;
            found.retain(|match_id| !left.contains(match_id));
            if found.is_empty() || self.inner.closing.is_cancelled() {
                break;
            }
            for match_id in found {
                match self.bring(&match_id).await {
                    Ok(_) => count += 1,
                    // Another process was faster.
                    Err(ArenaError::Elsewhere { .. }) => {}
                    Err(error) => {
                        tracing::warn!(%error, "a match is left where it is");
                        left.insert(match_id);
                    }
                }
            }
        }
        self.take_up_queue().await?;
        Ok(count)
    }

    /// Goes on taking up what nobody plays, as long as the arena is open: what an earlier process left behind, and what
    /// others do when they end. Whoever asks for a match has it sooner.
    pub fn look_after(&self) {
        let arena = self.clone();
        self.inner.tasks.spawn(async move {
            loop {
                match arena.take_up().await {
                    Ok(0) => {}
                    Ok(count) => tracing::info!(count, "matches go on where they were"),
                    Err(error) => tracing::warn!(%error, "what was left behind cannot be taken up"),
                }
                tokio::select! {
                    () = tokio::time::sleep(LOOKED_AFTER) => {}
                    () = arena.inner.closing.cancelled() => return,
                }
            }
        });
    }

    /// Sends the referees home after what they have settled is written, and ends all waiting. The matches go on in the
    /// next arena on the same store; what is acknowledged meanwhile is not lost either.
    pub async fn close(&self) {
        self.inner.closing.cancel();
        for live in self.list() {
            live.close();
        }
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
        if let Some(archive) = &self.inner.context.archive {
            archive.process().end().await;
        }
    }

    /// Tells when the arena closes.
    pub fn closing(&self) -> &CancellationToken {
        &self.inner.closing
    }

    fn store(&self) -> Result<&Store, ArenaError> {
        self.inner.context.archive.as_ref().map(|archive| archive.store()).ok_or(ArenaError::NoStore)
    }

    /// The players of the house, by name.
    pub fn guests(&self) -> Vec<String> {
        self.inner.context.guests.names()
    }

    /// The seat that a key opens.
    ///
    /// # Errors
    /// If it opens none.
    pub async fn seat(&self, key: &SeatKey) -> Result<SeatHandle, ArenaError> {
        let hash = key.hash();
        let known = self.index().keys.get(&hash).map(|live| live.id().to_owned());
        let match_id = match (known, &self.inner.context.archive) {
            (Some(match_id), _) => match_id,
            (None, Some(archive)) => archive.match_of(hash).await?.ok_or(ArenaError::NoSeat)?,
            (None, None) => return Err(ArenaError::NoSeat),
        };
        let live = self.watch(&match_id).await?;
        if live.seat_of(&hash).is_none() {
            // It is written that the seat is taken, and the match is about to know.
            let _ = live.ask(Command::CatchUp).await;
        }
        let seat = live.seat_of(&hash).ok_or(ArenaError::NoSeat)?;
        Ok(SeatHandle { arena: self.clone(), live, seat })
    }

    /// A match, to look on. One that nobody plays is taken up.
    ///
    /// # Errors
    /// If there is none of that name, or another process plays it.
    pub async fn watch(&self, match_id: &str) -> Result<Arc<Live>, ArenaError> {
        let live = self.bring(match_id).await?;
        live.attend();
        Ok(live)
    }

    /// The same for nobody in particular: that does not make it a match that somebody watches.
    async fn bring(&self, match_id: &str) -> Result<Arc<Live>, ArenaError> {
        self.let_go().await;
        let match_id = match_id.trim();
        let nobody = || ArenaError::NoMatch(crate::settings::shorten(match_id));
        if let Some(live) = self.here(match_id) {
            return self.welcome(live).await;
        }
        let archive = self.inner.context.archive.as_ref().ok_or_else(nobody)?;
        let _taking_up = archive.taking_up(match_id).await;
        let live = match self.here(match_id) {
            Some(live) => live,
            None => archive.find(match_id).await?.ok_or_else(nobody)?,
        };
        let live = self.welcome(live).await?;
        if live.is_over() {
            self.put_away_read();
        }
        Ok(live)
    }

    /// A match that is in memory, and not another process's by now.
    fn here(&self, match_id: &str) -> Option<Arc<Live>> {
        let mut index = self.index();
        let live = index.matches.get(match_id)?.clone();
        if live.is_closed() && !self.inner.closing.is_cancelled() {
            index.forget(&live);
            return None;
        }
        Some(live)
    }

    /// The matches that are in memory, the latest first.
    pub fn list(&self) -> Vec<Arc<Live>> {
        let mut all: Vec<Arc<Live>> = self.index().matches.values().cloned().collect();
        all.sort_by(|one, other| (other.touched(), other.id()).cmp(&(one.touched(), one.id())));
        all
    }

    /// A match that somebody asks for: brought into memory, unless it is there, and begun, or gone on with, if it can
    /// be played.
    async fn welcome(&self, live: Arc<Live>) -> Result<Arc<Live>, ArenaError> {
        let live = self.index().admit(live);
        live.touch(self.now());
        if self.inner.closing.is_cancelled() {
            // Nobody is left to be told anything about a match that only came now.
            drop(live.inbox());
            return Ok(live);
        }
        if let Some(task) = MatchTask::start(live.clone(), self.inner.context.clone()) {
            self.inner.tasks.spawn(task);
        } else if matches!(live.stage(), Stage::Suspended(_)) {
            match live.ask(Command::GoOn).await.unwrap_or(Ok(())) {
                // Nobody of that name can come, or not any more: whoever looks on is not kept from it.
                Ok(()) | Err(ArenaError::Guest(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(live)
    }

    /// Does something to its end, whether or not whoever asked for it still waits.
    async fn shielded<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, ArenaError>> + Send + 'static,
    ) -> Result<T, ArenaError> {
        match self.inner.tasks.spawn(work).await {
            Ok(outcome) => outcome,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => Err(ArenaError::Store(StoreError::Closed)),
        }
    }

    /// Forgets matches that are over and were only read again, but for the latest few: there is no end of them.
    fn put_away_read(&self) {
        let mut index = self.index();
        let mut over: Vec<Arc<Live>> = index.matches.values().filter(|live| live.is_over()).cloned().collect();
        if over.len() <= MOST_READ {
            return;
        }
        over.sort_by_key(|live| std::cmp::Reverse(live.touched()));
        for live in over.drain(MOST_READ..) {
            live.stop();
            index.forget(&live);
        }
    }

    /// Forgets matches that nobody has looked at for long, and, where there are too many, the one untouched the longest.
    /// What is kept on disk can be taken up again.
    fn make_room(&self) -> Result<(), ArenaError> {
        let ArenaLimits { matches, idle, over, .. } = self.inner.limits;
        let now = self.now();
        let kept = self.inner.context.archive.is_some();
        let mut index = self.index();
        let is_stale = |live: &Live| {
            let untouched = now.saturating_sub(live.touched());
            untouched > idle.as_secs() || (kept && untouched > over.as_secs() && live.is_over())
        };
        let mut stale: Vec<Arc<Live>> = index.matches.values().filter(|live| is_stale(live)).cloned().collect();
        if index.matches.len() - stale.len() >= matches {
            // Who is over can go, and then who is kept on disk and waits for nobody's clock.
            let can_go = |live: &&Arc<Live>| live.is_over() || (kept && live.pace().is_zero());
            let oldest = index.matches.values().filter(can_go).min_by_key(|live| (!live.is_over(), live.touched()));
            stale.push(oldest.ok_or(ArenaError::Full(matches))?.clone());
        }
        for live in stale {
            live.stop();
            index.forget(&live);
        }
        Ok(())
    }

    /// Seconds since the arena opened.
    fn now(&self) -> u64 {
        self.inner.begun.elapsed().as_secs()
    }

    fn index(&self) -> MutexGuard<'_, MatchIndex> {
        self.inner.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
