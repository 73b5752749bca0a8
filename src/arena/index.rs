//! Which matches are in memory, and who may act in them.

use std::collections::HashMap;
use std::sync::Arc;

use super::live::Live;
use super::seats::Holder;
use crate::store::KeyHash;

/// The matches, and which of them a key belongs to.
#[derive(Default)]
pub(super) struct MatchIndex {
    pub(super) matches: HashMap<String, Arc<Live>>,
    pub(super) keys: HashMap<KeyHash, Arc<Live>>,
    /// The matches of registered players, by their ids.
    pub(super) players: HashMap<Arc<str>, Vec<Arc<Live>>>,
}

impl MatchIndex {
    /// The match of this name that is here, which is this one if there was none: two who ask at once for a match from
    /// the store get the same.
    pub(super) fn admit(&mut self, live: Arc<Live>) -> Arc<Live> {
        if let Some(here) = self.matches.get(live.id()) {
            return here.clone();
        }
        self.matches.insert(live.id().to_owned(), live.clone());
        for (_, holder) in live.chairs() {
            self.seat(&live, &holder);
        }
        live
    }

    /// Notes who may act in a match.
    pub(super) fn seat(&mut self, live: &Arc<Live>, holder: &Holder) {
        let Holder::Key(hash, player) = holder else { return };
        self.keys.insert(*hash, live.clone());
        if let Some(player) = player {
            let theirs = self.players.entry(player.clone()).or_default();
            if !theirs.iter().any(|other| Arc::ptr_eq(other, live)) {
                theirs.push(live.clone());
            }
        }
    }

    pub(super) fn forget(&mut self, live: &Arc<Live>) {
        self.matches.remove(live.id());
        for (_, holder) in live.chairs() {
            let Holder::Key(hash, player) = holder else { continue };
            self.keys.remove(&hash);
            if let Some(player) = player
                && let Some(theirs) = self.players.get_mut(&player)
            {
                theirs.retain(|other| !Arc::ptr_eq(other, live));
                if theirs.is_empty() {
                    self.players.remove(&player);
                }
            }
        }
    }
}
