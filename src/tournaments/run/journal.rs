//! What models answered, kept in the store.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use futures_util::future::BoxFuture;

use crate::matches::{GameSummary, SeatBill};
use crate::players::model::{CallKey, Journal, Ledger, LedgerEntry, Recorded, Spent, usd, warn_unentered, warn_unkept};
use crate::store::{Change, GameInfo, Packer, SeatSpent, Store, StoreError, StoredCall, StoredRequest};

/// How much of two requests is looked at to see whether they are alike, in bytes.
const LIKE: usize = 512;

/// Keeps requests and answers in the store, and knows those of games that were not finished.
#[derive(Debug)]
pub struct StoreJournal {
    store: Store,
    /// By match, so that they can be forgotten with it.
    known: RwLock<HashMap<Option<String>, HashMap<CallKey, Recorded>>>,
    packer: Mutex<Packer>,
    /// The jobs that this worker has: the matches whose names begin so, and since which start.
    fences: RwLock<HashMap<String, (String, u64)>>,
    /// How many answers were kept.
    kept: AtomicU64,
    /// The name of what is asked in no match, in a run that may go on later.
    outside: Option<String>,
}

impl StoreJournal {
    /// A journal that knows these calls.
    pub fn new(store: Store, calls: Vec<StoredCall>) -> StoreJournal {
        let mut known = HashMap::new();
        learn_all(&mut known, calls);
        StoreJournal {
            store,
            known: RwLock::new(known),
            packer: Mutex::default(),
            fences: RwLock::default(),
            kept: AtomicU64::new(0),
            outside: None,
        }
    }

    /// The journal of a run: what is asked to find out what a model can do is the run's own, and not asked again when it
    /// goes on.
    #[must_use]
    pub fn of_run(self, id: &str) -> StoreJournal {
        StoreJournal { outside: Some(format!("{id}.check")), ..self }
    }

    /// How many answers this journal has kept.
    pub fn kept(&self) -> u64 {
        self.kept.load(Ordering::Relaxed)
    }

    /// A worker has a job from now on: the matches whose names begin so, with what was answered in them, since this start
    /// of a job of this name.
    pub(super) fn take_up(&self, matches: &str, calls: Vec<StoredCall>, (job, epoch): (String, u64)) {
        self.fences.write().unwrap_or_else(PoisonError::into_inner).insert(matches.to_owned(), (job, epoch));
        learn_all(&mut self.known.write().unwrap_or_else(PoisonError::into_inner), calls);
    }

    /// A worker has a job no more.
    pub(super) fn let_go(&self, matches: &str) {
        self.fences.write().unwrap_or_else(PoisonError::into_inner).remove(matches);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.retain(|match_id, _| !match_id.as_ref().is_some_and(|id| id.starts_with(matches)));
    }

    /// What makes sure that whoever keeps an answer of this match still has its job, where it is a job's.
    fn fence(&self, match_id: Option<&str>) -> Option<Change> {
        let (before, _) = match_id?.rsplit_once('.')?;
        let fences = self.fences.read().unwrap_or_else(PoisonError::into_inner);
        let (name, epoch) = fences.get(&format!("{before}."))?.clone();
        Some(Change::JobFence { name, epoch, is_progress: true })
    }

    /// The key under which a call is kept.
    fn named(&self, mut key: CallKey) -> CallKey {
        key.match_id = key.match_id.or_else(|| self.outside.clone());
        key
    }

    /// A game that fails later is played again in this run, and must not pay twice either.
    fn learn(&self, key: CallKey, recorded: Recorded) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.entry(key.match_id.clone()).or_default().insert(key, recorded);
    }

    /// What goes into the store for a call.
    fn call(&self, key: &CallKey, request: &str, recorded: &Recorded) -> io::Result<Vec<Change>> {
        let CallKey { match_id, seat, turn, ordinal, digest } = key.clone();
        let answer = serde_json::to_string(recorded)?;
        // Requests that begin alike have the same rules in them.
        let kind = &request[..request.floor_char_boundary(LIKE)];
        let request = self.packer.lock().unwrap_or_else(PoisonError::into_inner).pack_alike(kind, request.as_bytes());
        let fence = self.fence(match_id.as_deref());
        let call = Change::Call(Box::new(StoredCall { match_id, seat, turn, ordinal, digest, request, answer }));
        Ok(fence.into_iter().chain([call]).collect())
    }

    /// What goes into the store for a line of the ledger.
    fn request(&self, entry: LedgerEntry) -> Change {
        let LedgerEntry { id, match_id, seat, turn, ordinal, player, outcome, why, cost, is_known } = entry;
        Change::Request(Box::new(StoredRequest {
            id,
            match_id: match_id.or_else(|| self.outside.clone()),
            seat,
            turn,
            ordinal,
            player,
            outcome: outcome.name().to_owned(),
            why,
            requests: 1,
            cost,
            is_known,
        }))
    }

    /// Forgets the answers of a match that is over. They stay in the store.
    pub(super) fn forget(&self, match_id: &str) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.remove(&Some(match_id.to_owned()));
    }
}

/// By match, so that they can be forgotten with it.
fn learn_all(known: &mut HashMap<Option<String>, HashMap<CallKey, Recorded>>, calls: Vec<StoredCall>) {
    for call in calls {
        let Some(recorded) = recorded(&call) else { continue };
        let key = key(&call);
        known.entry(call.match_id).or_default().insert(key, recorded);
    }
}

/// What the store has of the requests in matches whose names begin so.
///
/// # Errors
/// If the store cannot be read.
pub async fn ledger(store: &Store, match_prefix: &str) -> Result<Ledger, StoreError> {
    let mut ledger = Ledger::default();
    for row in store.spent(match_prefix).await? {
        let SeatSpent { requests, cost, unknown, bounded, .. } = row;
        let spent = Spent { requests, cost, unknown, bounded };
        ledger.add(row.match_id.as_deref(), row.seat, spent);
    }
    Ok(ledger)
}

/// The finished games of a tournament, or of none, with what the ledger says that they cost. Games of before there was a
/// ledger have what their records said.
///
/// # Errors
/// If the store cannot be read.
pub async fn games(store: &Store, tournament: Option<&str>) -> Result<Vec<GameInfo>, StoreError> {
    let mut games = store.games(tournament).await?;
    if games.is_empty() {
        return Ok(games);
    }
    let ledger = ledger(store, &tournament.map_or_else(String::new, |id| format!("{id}."))).await?;
    for game in &mut games {
        let mut spent = ledger.of_match(&game.match_id).peekable();
        if spent.peek().is_some() {
            let mut summary = GameSummary::read(game.note.as_deref());
            spent.for_each(|(seat, spent)| summary.bill(seat, bill(spent)));
            game.note = summary.written();
        }
    }
    Ok(games)
}

fn bill(Spent { requests, cost, unknown, bounded }: Spent) -> SeatBill {
    SeatBill { requests, usd: usd(cost), unpriced: unknown, bounded }
}

/// The answer of a call that was kept; none if another version of the program wrote it otherwise.
pub fn recorded(call: &StoredCall) -> Option<Recorded> {
    serde_json::from_str(&call.answer).ok()
}

fn key(call: &StoredCall) -> CallKey {
    let StoredCall { match_id, seat, turn, ordinal, digest, .. } = call;
    CallKey { match_id: match_id.clone(), seat: *seat, turn: *turn, ordinal: *ordinal, digest: digest.clone() }
}

impl Journal for StoreJournal {
    fn recall(&self, key: &CallKey) -> Option<Recorded> {
        let key = self.named(key.clone());
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&key.match_id)?.get(&key).cloned()
    }

    fn keep(&self, key: CallKey, request: String, recorded: Recorded) -> BoxFuture<'_, io::Result<()>> {
        Box::pin(async move {
            let key = self.named(key);
            self.store.write(self.call(&key, &request, &recorded)?).await.map_err(io::Error::other)?;
            self.kept.fetch_add(1, Ordering::Relaxed);
            self.learn(key, recorded);
            Ok(())
        })
    }

    fn keep_cut_off(&self, key: &CallKey, request: &str, recorded: Recorded) {
        let key = self.named(key.clone());
        let sent = self
            .call(&key, request, &recorded)
            .and_then(|changes| self.store.write_later(changes, warn_unkept).map_err(io::Error::other));
        warn_unkept(sent);
        self.learn(key, recorded);
    }

    fn enter_sent(&self, entry: LedgerEntry) -> BoxFuture<'_, io::Result<()>> {
        let request = self.request(entry);
        Box::pin(async move { self.store.write(vec![request]).await.map_err(io::Error::other) })
    }

    fn enter(&self, entry: LedgerEntry) {
        let entered = self.store.write_later(vec![self.request(entry)], warn_unentered);
        warn_unentered(entered);
    }
}
