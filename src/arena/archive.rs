//! Where the arena keeps its matches, so that they outlive it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::live::{Chair, Holder, Live};
use super::remote::{Mailbox, Saying, SealedOrder};
use super::{ArenaError, MatchSettings};
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::games::table::{Accepted, Table};
use crate::matches::{Replay, SeatInfo};
use crate::store::{self, Change, Hold, MatchInfo, MatchStatus, NewMatch, Store, StoreError};

/// So many processes may have an arena on one store.
const ARENAS: u32 = 1000;

/// The store, and which of the arenas on it this one is.
#[derive(Debug)]
pub(super) struct Archive {
    store: Store,
    arena: u32,
    /// Tells others that this arena is open, until the process ends.
    _open: Hold,
}

/// What is kept of a match beside its record.
#[derive(Serialize, Deserialize)]
struct ArchiveNote {
    /// The arena that it is played in.
    #[serde(rename = "hall")]
    arena: u32,
    settings: MatchSettings,
    ruleset: serde_json::Value,
    chairs: Vec<StoredHolder>,
    #[serde(default)]
    resigned: Vec<Seat>,
    /// What waits to be said.
    #[serde(default)]
    saying: Vec<(Seat, Saying)>,
    /// The registered players who took seats, by their ids.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    players: BTreeMap<Seat, Arc<str>>,
    /// The hash of the invite code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    invite: Option<String>,
    /// Whether it counts on the ladder.
    #[serde(default)]
    rated: bool,
}

/// Who answers for a seat; keys are kept apart.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredHolder {
    House(SeatInfo),
    Key(SeatInfo),
    With(SeatInfo, Seat),
    Open(SeatInfo),
}

impl Archive {
    /// Opens an arena on a store.
    pub(super) fn new(store: Store) -> Result<Archive, StoreError> {
        let mut arena = 0;
        loop {
            match store.hold(&name(arena)) {
                Ok(open) => return Ok(Archive { store, arena, _open: open }),
                Err(StoreError::Held(_)) if arena < ARENAS => arena += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Keeps a new match with the keys of its seats, and what goes with it.
    pub(super) async fn open(&self, live: &Live, beside: Vec<Change>) -> Result<(), StoreError> {
        let seats = live.chairs().into_iter().map(|(info, _)| info).collect();
        let ruleset = live.ruleset().name.clone();
        let note = Some(self.note(live));
        let open = Change::Open(NewMatch { id: live.id().to_owned(), ruleset, seed: live.seed(), seats, note });
        self.store.write(std::iter::once(open).chain(keys(live)).chain(beside).collect()).await
    }

    /// Keeps who sits where now, who gave up and what waits to be said.
    pub(super) async fn update(&self, live: &Live) -> Result<(), StoreError> {
        let note = Change::Note { match_id: live.id().to_owned(), note: self.note(live) };
        self.store.write(std::iter::once(note).chain(keys(live)).collect()).await
    }

    /// Keeps an action before it is acknowledged.
    pub(super) async fn seal(&self, live: &Live, accepted: &Accepted) -> Result<(), StoreError> {
        let order = serde_json::to_string(&SealedOrder::from(accepted)).expect("plain fields");
        self.store.seal(live.id(), store::SealedAction { seat: accepted.seat(), turn: accepted.turn(), order }).await
    }

    /// Keeps lines of a record, and what goes with them.
    pub(super) async fn append(
        &self,
        match_id: &str,
        first_line: u64,
        lines: Vec<String>,
        beside: Option<Change>,
    ) -> Result<(), StoreError> {
        let append = Change::Append { match_id: match_id.to_owned(), first_line, lines };
        self.store.write(std::iter::once(append).chain(beside).collect()).await
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// The live match of a name, if it was left behind by an arena that is closed.
    pub(super) async fn find(&self, match_id: &str) -> Result<Option<Arc<Live>>, ArenaError> {
        match self.store.find(match_id).await? {
            Some(info) => self.restore(info).await,
            None => Ok(None),
        }
    }

    /// The match that a key belongs to, likewise.
    pub(super) async fn find_by_key(&self, key: store::KeyHash) -> Result<Option<Arc<Live>>, ArenaError> {
        match self.store.seat_of(key).await? {
            Some((match_id, _)) => self.find(&match_id).await,
            None => Ok(None),
        }
    }

    /// Every match that is in play nowhere else.
    pub(super) async fn all(&self) -> Result<Vec<Arc<Live>>, ArenaError> {
        let mut all = Vec::new();
        let filter = store::Filter { status: Some(MatchStatus::Live), ..store::Filter::default() };
        for info in self.store.matches(&filter).await? {
            match self.restore(info).await {
                Ok(live) => all.extend(live),
                Err(error) => tracing::warn!(%error, "a match is left where it is"),
            }
        }
        Ok(all)
    }

    /// A match as it was when its arena closed. None if it was never one of an arena.
    async fn restore(&self, info: MatchInfo) -> Result<Option<Arc<Live>>, ArenaError> {
        let damaged = |why: String| ArenaError::Damaged { match_id: info.id.clone(), why };
        let Some(note) = info.note.as_deref().and_then(|note| serde_json::from_str::<ArchiveNote>(note).ok()) else {
            return Ok(None);
        };
        if note.arena != self.arena && info.status == MatchStatus::Live {
            match self.store.hold(&name(note.arena)) {
                // Nobody is there any more: the match may move.
                Ok(_) => {}
                Err(StoreError::Held(_)) => return Err(ArenaError::Elsewhere(info.id)),
                Err(error) => return Err(error.into()),
            }
        }
        let ruleset = Ruleset::from_json(&note.ruleset).map_err(|bad| damaged(bad.to_string()))?;
        let table = Table::open(Arc::new(ruleset), note.chairs.len(), info.seed).map_err(|bad| damaged(bad.message))?;
        let seats = note.chairs.len();
        let keys = self.store.keys(&info.id).await?;
        let mut chairs = Vec::new();
        for sits in note.chairs {
            let (info, holder) = match sits {
                StoredHolder::House(info) => (info, Holder::House),
                StoredHolder::With(info, seat) => (info, Holder::With(seat)),
                StoredHolder::Open(info) => (info, Holder::Open),
                StoredHolder::Key(info) => {
                    let key = keys.iter().find(|key| key.seat == info.seat);
                    let key = key.ok_or_else(|| damaged(format!("the key of seat {} is missing", info.seat)))?;
                    let player = note.players.get(&info.seat).cloned();
                    (info, Holder::Key(key.hash, player))
                }
            };
            chairs.push(Chair { info, holder, mail: Mailbox::default() });
        }
        let live = Live::new(info.id.clone(), note.settings, info.seed, table, chairs);
        let invite = note.invite.as_deref().and_then(store::KeyHash::from_hex);
        let live = live.since(info.created, info.updated).inviting(invite).rated_if(note.rated);
        let record = self.store.record(&info.id, 0).await?;
        let mut saying = note.saying;
        if !record.is_empty() {
            let replay = Replay::read(record.as_slice()).map_err(|error| damaged(error.to_string()))?;
            // What was said since is no longer waiting.
            saying.retain(|(seat, saying)| {
                let mut since = replay.turns.iter().skip(saying.turn as usize);
                !since.any(|step| step.line.said.contains_key(seat))
            });
            let text = str::from_utf8(&record).map_err(|error| damaged(error.to_string()))?;
            live.restore(replay, text.lines().map(Into::into).collect());
        }
        live.put_back(&note.resigned, saying);
        for sealed in self.store.sealed(&info.id).await? {
            let order: SealedOrder = serde_json::from_str(&sealed.order).map_err(|error| damaged(error.to_string()))?;
            if sealed.seat.index() < seats {
                live.take_up(sealed.seat, &order).map_err(|refusal| {
                    damaged(format!("what seat {} has sealed cannot be played: {}", sealed.seat, refusal.message))
                })?;
            }
        }
        let live = Arc::new(live);
        if info.status == MatchStatus::Live {
            self.update(&live).await?;
        }
        Ok(Some(live))
    }

    fn note(&self, live: &Live) -> String {
        let mut players = BTreeMap::new();
        let chairs = live.chairs().into_iter().map(|(info, holder)| match holder {
            Holder::House => StoredHolder::House(info),
            Holder::Key(_, player) => {
                players.extend(player.map(|player| (info.seat, player)));
                StoredHolder::Key(info)
            }
            Holder::With(seat) => StoredHolder::With(info, seat),
            Holder::Open => StoredHolder::Open(info),
        });
        let chairs = chairs.collect();
        let (resigned, saying) = live.pending();
        let note = ArchiveNote {
            arena: self.arena,
            settings: live.settings(),
            ruleset: serde_json::to_value(live.ruleset()).expect("a ruleset is JSON"),
            chairs,
            resigned,
            saying,
            players,
            invite: live.invite().map(store::KeyHash::to_hex),
            rated: live.is_rated(),
        };
        serde_json::to_string(&note).expect("plain fields")
    }
}

/// What an arena holds in the store, by the name that earlier releases gave it: they may share the store.
fn name(arena: u32) -> String {
    format!("hall {arena}")
}

/// The keys of a match's seats.
fn keys(live: &Live) -> Vec<Change> {
    let keys = live.chairs().into_iter().filter_map(|(info, holder)| match holder {
        Holder::Key(hash, _) => Some(store::StoredSeatKey { match_id: live.id().to_owned(), seat: info.seat, hash }),
        Holder::House | Holder::With(_) | Holder::Open => None,
    });
    keys.map(Change::Key).collect()
}
