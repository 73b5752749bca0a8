//! This process among others on the same store: its lease, and what it owns.
//!
//! A process that plays matches has a lease in the store, which it renews as long as it lives, and owns what it plays with
//! an epoch. Whoever wants something that another process owns takes it over once that one's lease has run out; the epoch
//! goes up then, and whatever the last owner still writes is refused. On a store that is a file, a lock beside it tells at
//! once that a process has ended.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use super::{ArenaError, key};
use crate::store::{Change, Hold, ProcessInfo, Store, StoreError};

/// How long a lease lasts, and how often it is renewed.
const LEASE: Duration = Duration::from_secs(10);
const RENEWED: Duration = Duration::from_secs(3);

/// So long what is known of others' leases is believed.
const BELIEVED: Duration = Duration::from_millis(500);

/// So many processes may have an arena on one file.
const SLOTS: u32 = 1000;

/// So often something may change hands while one asks for it.
const TRIES: usize = 20;

/// Finds where others reach this process; asked once, when it first owns something.
pub type Advertiser = Arc<dyn Fn() -> BoxFuture<'static, Option<String>> + Send + Sync>;

/// This process among others on the same store.
pub(super) struct OwnProcess {
    store: Store,
    advertiser: OnceLock<Advertiser>,
    leased: OnceCell<Leased>,
    /// When the lease was last renewed, or a moment before.
    renewed: Mutex<Option<Instant>>,
    /// How often the lease has run out all the same, and up to which of those times it is known what was lost.
    lapses: AtomicU64,
    checked: AtomicU64,
    /// Whose leases ran when somebody last looked.
    others: tokio::sync::Mutex<Option<(Instant, Vec<String>)>>,
    /// Ends the renewing.
    closing: CancellationToken,
}

/// A process with a lease.
struct Leased {
    info: ProcessInfo,
    /// Tells others on this machine that the process lives.
    _slot: Option<Hold>,
}

impl OwnProcess {
    pub(super) fn new(store: Store) -> Arc<OwnProcess> {
        let (advertiser, leased) = (OnceLock::new(), OnceCell::new());
        Arc::new(OwnProcess {
            store,
            advertiser,
            leased,
            renewed: Mutex::default(),
            lapses: AtomicU64::new(0),
            checked: AtomicU64::new(0),
            others: tokio::sync::Mutex::default(),
            closing: CancellationToken::new(),
        })
    }

    /// Says how others reach this process. It counts as long as nothing is owned.
    pub(super) fn advertise(&self, advertiser: Advertiser) {
        // Whoever came first stays.
        let _ = self.advertiser.set(advertiser);
    }

    /// Its lease, which begins when it is first needed.
    async fn leased(self: &Arc<OwnProcess>) -> Result<&ProcessInfo, ArenaError> {
        let begin = async || {
            let (slot, hold) = self.slot().await?;
            let address = match self.advertiser.get() {
                Some(find) => find().await,
                None => None,
            };
            let info = ProcessInfo { id: key::digits::<16>()?, slot, address, secret: key::digits::<26>()? };
            let begun = Instant::now();
            self.store.write(vec![Change::Lease(info.clone(), LEASE)]).await?;
            *self.renewed() = Some(begun);
            tokio::spawn(renew(Arc::downgrade(self), info.clone(), self.closing.clone()));
            Ok::<Leased, ArenaError>(Leased { info, _slot: hold })
        };
        Ok(&self.leased.get_or_try_init(begin).await?.info)
    }

    /// The first lock beside a file that nobody holds.
    async fn slot(&self) -> Result<(Option<u32>, Option<Hold>), StoreError> {
        if !self.store.is_file() {
            return Ok((None, None));
        }
        let mut slot = 0;
        loop {
            match self.store.hold(&slot_name(slot)).await {
                Ok(hold) => return Ok((Some(slot), Some(hold))),
                Err(StoreError::Held(_)) if slot < SLOTS => slot += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// The secret that others on the same store show, once there is one.
    pub(super) fn secret(&self) -> Option<&str> {
        self.leased.get().map(|leased| leased.info.secret.as_str())
    }

    /// What lets this process own something new.
    pub(super) async fn owning(self: &Arc<OwnProcess>, name: &str) -> Result<Change, ArenaError> {
        Ok(Change::TakeUp { name: name.to_owned(), owner: self.leased().await?.id.clone() })
    }

    fn renewed(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.renewed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the lease may have run out since what this process owns was last known.
    pub(super) fn is_in_doubt(&self) -> bool {
        let has_run_out = self.renewed().is_some_and(|renewed| renewed.elapsed() >= LEASE);
        has_run_out || self.checked.load(Ordering::Acquire) < self.lapses()
    }

    /// How often the lease has run out.
    pub(super) fn lapses(&self) -> u64 {
        self.lapses.load(Ordering::Acquire)
    }

    /// What was lost is known up to this time that the lease ran out.
    pub(super) fn checked(&self, lapses: u64) {
        self.checked.fetch_max(lapses, Ordering::AcqRel);
    }

    /// Whether something is still this process's, by the epoch with which it was taken up.
    pub(super) async fn has(&self, name: &str, epoch: u64) -> Result<bool, StoreError> {
        let own = self.leased.get().map(|leased| &leased.info.id);
        let owner = self.store.owner_of(name).await?;
        Ok(owner.is_some_and(|owner| owner.epoch == epoch && Some(&owner.process.id) == own))
    }

    /// Whether another process's lease runs. All who wait for others look together.
    pub(super) async fn is_leased(&self, id: &str) -> Result<bool, StoreError> {
        let mut others = self.others.lock().await;
        if let Some((at, ids)) = &*others
            && at.elapsed() < BELIEVED
        {
            return Ok(ids.iter().any(|other| other == id));
        }
        let ids: Vec<String> = self.store.processes().await?.into_iter().map(|process| process.id).collect();
        let is_leased = ids.iter().any(|other| other == id);
        *others = Some((Instant::now(), ids));
        Ok(is_leased)
    }

    /// Takes something over, if its owner is gone or it has none: the epoch that all writes to it carry from now on.
    ///
    /// # Errors
    /// With the process that has it.
    pub(super) async fn claim(self: &Arc<OwnProcess>, name: &str) -> Result<u64, ClaimError> {
        let take_up = self.owning(name).await?;
        let own = &self.leased().await?.id;
        for _ in 0..TRIES {
            match self.store.write(vec![take_up.clone()]).await {
                Ok(()) | Err(StoreError::Owned(_)) => {}
                Err(error) => return Err(ArenaError::Store(error).into()),
            }
            let Some(owner) = self.store.owner_of(name).await.map_err(ArenaError::Store)? else { continue };
            if owner.process.id == *own {
                return Ok(owner.epoch);
            }
            if owner.is_leased && !self.end_if_gone(&owner.process).await? {
                return Err(ClaimError::Elsewhere(Box::new(owner.process)));
            }
        }
        Err(ArenaError::Store(StoreError::Owned(name.to_owned())).into())
    }

    /// Ends the leases of processes that are gone.
    pub(super) async fn end_leases(&self) -> Result<(), ArenaError> {
        let own = self.leased.get().map(|leased| &leased.info.id);
        for process in self.store.processes().await? {
            if Some(&process.id) != own {
                self.end_if_gone(&process).await?;
            }
        }
        Ok(())
    }

    /// Whether a process has ended, which its lock tells before its lease does.
    async fn end_if_gone(&self, process: &ProcessInfo) -> Result<bool, ArenaError> {
        let Some(slot) = process.slot.filter(|_| self.store.is_file()) else { return Ok(false) };
        match self.store.hold(&slot_name(slot)).await {
            Ok(_) => {
                self.store.write(vec![Change::EndLease { id: process.id.clone() }]).await?;
                Ok(true)
            }
            Err(StoreError::Held(_)) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Ends the lease: whatever it owned is anybody's.
    pub(super) async fn end(&self) {
        self.closing.cancel();
        if let Some(leased) = self.leased.get() {
            // Where the store is gone, the lease runs out by itself.
            let _ = self.store.write(vec![Change::EndLease { id: leased.info.id.clone() }]).await;
        }
    }
}

/// Why something is not this process's.
pub(super) enum ClaimError {
    /// This one has it.
    Elsewhere(Box<ProcessInfo>),
    Failed(ArenaError),
}

impl From<ArenaError> for ClaimError {
    fn from(error: ArenaError) -> ClaimError {
        ClaimError::Failed(error)
    }
}

/// What a process holds beside a file, by the name that earlier releases gave it.
fn slot_name(slot: u32) -> String {
    format!("hall {slot}")
}

/// Keeps a lease running as long as the process is there.
async fn renew(process: Weak<OwnProcess>, info: ProcessInfo, closing: CancellationToken) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(RENEWED) => {}
            () = closing.cancelled() => return,
        }
        let Some(process) = process.upgrade() else { return };
        let begun = Instant::now();
        match process.store.write(vec![Change::Lease(info.clone(), LEASE)]).await {
            Ok(()) => {
                let mut renewed = process.renewed();
                // It had run out until now: first that is said, then that it runs again.
                if renewed.is_some_and(|renewed| renewed.elapsed() >= LEASE) {
                    process.lapses.fetch_add(1, Ordering::AcqRel);
                }
                *renewed = Some(begun);
            }
            Err(error) => tracing::warn!(%error, "the lease could not be renewed"),
        }
    }
}
