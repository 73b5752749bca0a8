//! What models answered, kept in the store.

use std::collections::HashMap;
use std::io;
use std::sync::mpsc::channel;
use std::sync::{PoisonError, RwLock};

use crate::players::model::{CallKey, Journal, Recorded};
use crate::store::{Change, KeptCall, Store, StoreError};

/// Keeps requests and answers in the store, and knows those of games that were not finished.
#[derive(Debug)]
pub struct StoreJournal {
    store: Store,
    /// By match, so that they can be forgotten with it.
    known: RwLock<HashMap<Option<String>, HashMap<CallKey, Recorded>>>,
}

impl StoreJournal {
    /// A journal that knows these calls.
    pub fn new(store: Store, calls: Vec<KeptCall>) -> StoreJournal {
        let mut known: HashMap<_, HashMap<_, _>> = HashMap::new();
        for call in calls {
            let Some(recorded) = recorded(&call) else { continue };
            let key = key(&call);
            known.entry(call.match_id).or_default().insert(key, recorded);
        }
        StoreJournal { store, known: RwLock::new(known) }
    }

    /// Forgets the answers of a match that is over. They stay in the store.
    pub(super) fn forget(&self, match_id: &str) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.remove(&Some(match_id.to_owned()));
    }
}

/// The answer of a call that was kept; none if another version of the program wrote it otherwise.
pub fn recorded(call: &KeptCall) -> Option<Recorded> {
    serde_json::from_str(&call.answer).ok()
}

fn key(call: &KeptCall) -> CallKey {
    let KeptCall { match_id, seat, turn, ordinal, digest, .. } = call;
    CallKey { match_id: match_id.clone(), seat: *seat, turn: *turn, ordinal: *ordinal, digest: digest.clone() }
}

impl Journal for StoreJournal {
    fn recall(&self, key: &CallKey) -> Option<Recorded> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&key.match_id)?.get(key).cloned()
    }

    fn keep(&self, key: &CallKey, request: &str, recorded: &Recorded) -> io::Result<()> {
        let CallKey { match_id, seat, turn, ordinal, digest } = key.clone();
        let (request, answer) = (request.to_owned(), serde_json::to_string(recorded)?);
        let call = KeptCall { match_id, seat, turn, ordinal, digest, request, answer };
        let (done, told) = channel();
        self.store
            .queue(vec![Change::Call(Box::new(call))], move |outcome| drop(done.send(outcome)))
            .map_err(io::Error::other)?;
        told.recv().unwrap_or(Err(StoreError::Closed)).map_err(io::Error::other)?;
        // A game that fails later is played again in this run, and must not pay twice either.
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.entry(key.match_id.clone()).or_default().insert(key.clone(), recorded.clone());
        Ok(())
    }
}
