//! What models answered, kept in the store.

use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, PoisonError, RwLock};

use futures_util::future::BoxFuture;

use crate::players::model::{CallKey, Journal, Ledger, LedgerEntry, Recorded, Spent, warn_unentered, warn_unkept};
use crate::store::{Change, Packer, Store, StoreError, StoredCall, StoredRequest};

/// How much of two requests is looked at to see whether they are alike, in bytes.
const LIKE: usize = 512;

/// Keeps requests and answers in the store, and knows those of games that were not finished.
#[derive(Debug)]
pub struct StoreJournal {
    store: Store,
    /// By match, so that they can be forgotten with it.
    known: RwLock<HashMap<Option<String>, HashMap<CallKey, Recorded>>>,
    packer: Mutex<Packer>,
    /// The name of what is asked in no match, in a run that may go on later.
    outside: Option<String>,
}

impl StoreJournal {
    /// A journal that knows these calls.
    pub fn new(store: Store, calls: Vec<StoredCall>) -> StoreJournal {
        let mut known: HashMap<_, HashMap<_, _>> = HashMap::new();
        for call in calls {
            let Some(recorded) = recorded(&call) else { continue };
            let key = key(&call);
            known.entry(call.match_id).or_default().insert(key, recorded);
        }
        StoreJournal { store, known: RwLock::new(known), packer: Mutex::default(), outside: None }
    }

    /// The journal of a run: what is asked to find out what a model can do is the run's own, and not asked again when it
    /// goes on.
    #[must_use]
    pub fn of_run(self, id: &str) -> StoreJournal {
        StoreJournal { outside: Some(format!("{id}.check")), ..self }
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
        Ok(vec![Change::Call(Box::new(StoredCall { match_id, seat, turn, ordinal, digest, request, answer }))])
    }

    /// Forgets the answers of a match that is over. They stay in the store.
    pub(super) fn forget(&self, match_id: &str) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.remove(&Some(match_id.to_owned()));
    }
}

/// What the store has of the requests in matches whose names begin so.
///
/// # Errors
/// If the store cannot be read.
pub async fn ledger(store: &Store, match_prefix: &str) -> Result<Ledger, StoreError> {
    let mut ledger = Ledger::default();
    for row in store.spent(match_prefix).await? {
        let spent = Spent { requests: row.requests, cost: row.cost, unknown: row.unknown };
        ledger.add(row.match_id.as_deref(), row.seat, spent);
    }
    Ok(ledger)
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

    fn enter(&self, entry: LedgerEntry) {
        let LedgerEntry { id, match_id, seat, turn, ordinal, player, outcome, why, cost, is_known } = entry;
        let request = StoredRequest {
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
        };
        let entered = self.store.write_later(vec![Change::Request(Box::new(request))], warn_unentered);
        warn_unentered(entered);
    }
}
