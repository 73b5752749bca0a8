//! Where the arena keeps its matches, so that they outlive it and one process at a time plays each.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::elsewhere::Gathering;
use super::live::Live;
use super::process::{ClaimError, OwnProcess};
use super::remote::{Mailbox, Saying, SealedOrder};
use super::seats::{Chair, Holder};
use super::{Arena, ArenaError, MatchSettings, Payer};
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::games::table::{Accepted, Table};
use crate::matches::{Replay, SeatInfo};
use crate::store::{self, Change, MatchInfo, MatchStatus, NewMatch, Store};

/// The store, and which of the processes on it this one is.
pub(super) struct Archive {
    store: Store,
    process: Arc<OwnProcess>,
    /// One of these is held while a match is taken up, so that two who ask for it at once get the same.
    taking_up: [tokio::sync::Mutex<()>; 16],
}

/// What is kept of a match beside its record.
#[derive(Serialize, Deserialize)]
struct ArchiveNote {
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

/// What changes in what is kept of a match beside its record.
pub(super) enum NoteChange {
    Nothing,
    /// A seat says something beside its next action.
    Say(Seat, Saying),
    /// A seat gives up.
    Resign(Seat),
    /// Somebody of this name takes a seat.
    Seat(Seat, Holder, String),
}

impl Archive {
    pub(super) fn new(store: Store) -> Archive {
        Archive { process: OwnProcess::new(store.clone()), store, taking_up: Default::default() }
    }

    pub(super) fn process(&self) -> &Arc<OwnProcess> {
        &self.process
    }

    /// Keeps a new match of this process's with the keys of its seats, and what goes with it.
    pub(super) async fn open(&self, live: &Live, beside: Vec<Change>) -> Result<(), ArenaError> {
        let seats = live.chairs().into_iter().map(|(info, _)| info).collect();
        let ruleset = live.ruleset().name.clone();
        let note = Some(note(live, &NoteChange::Nothing));
        let open = Change::Open(NewMatch { id: live.id().to_owned(), ruleset, seed: live.seed(), seats, note });
        let own = self.process.owning(live.id()).await?;
        // What must still hold stands first.
        let changes = beside.into_iter().chain([open, own]).chain(keys(live)).collect();
        Ok(self.store.write(changes).await?)
    }

    /// Held while the match of a name is taken up.
    pub(super) async fn taking_up(&self, match_id: &str) -> tokio::sync::MutexGuard<'_, ()> {
        let number = match_id.bytes().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        self.taking_up[number % self.taking_up.len()].lock().await
    }

    /// What keeps who sits where, who gave up and what waits to be said, once something has changed.
    pub(super) fn update(live: &Live, change: &NoteChange) -> Vec<Change> {
        let match_id = live.id().to_owned();
        let note = Change::Note { match_id: match_id.clone(), note: note(live, change) };
        let key = match change {
            &NoteChange::Seat(seat, Holder::Key(hash, _), _) => {
                Some(Change::Key(store::StoredSeatKey { match_id, seat, hash }))
            }
            _ => None,
        };
        std::iter::once(note).chain(key).collect()
    }

    /// What keeps an action before it is acknowledged.
    pub(super) fn seal(live: &Live, accepted: &Accepted, say: Option<&Saying>) -> Change {
        let order = serde_json::to_string(&SealedOrder::new(accepted, say)).expect("plain fields");
        let sealed = store::SealedAction { seat: accepted.seat(), turn: accepted.turn(), order };
        Change::Seal { match_id: live.id().to_owned(), sealed }
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// The match of a name as it was left. One that is not over is this process's from now on.
    ///
    /// # Errors
    /// If another process plays it, or it cannot be read.
    pub(super) async fn find(&self, match_id: &str) -> Result<Option<Arc<Live>>, ArenaError> {
        let Some(info) = self.store.find(match_id).await? else { return Ok(None) };
        if read_note(&info).is_none() {
            return Ok(None);
        }
        if info.status != MatchStatus::Live {
            return self.restore(info, 0).await;
        }
        let epoch = self.process.claim(match_id).await.map_err(|error| match error {
            ClaimError::Elsewhere(process) => ArenaError::Elsewhere { match_id: match_id.to_owned(), process },
            ClaimError::Failed(error) => error,
        })?;
        // As it is now that nobody else can change it.
        match self.store.find(match_id).await? {
            Some(info) => self.restore(info, epoch).await,
            None => Ok(None),
        }
    }

    /// The match that a key belongs to.
    pub(super) async fn match_of(&self, key: store::KeyHash) -> Result<Option<String>, ArenaError> {
        Ok(self.store.seat_of(key).await?.map(|(match_id, _)| match_id))
    }

    /// A match as it was left. None if it was never one of an arena.
    async fn restore(&self, info: MatchInfo, epoch: u64) -> Result<Option<Arc<Live>>, ArenaError> {
        let damaged = |why: String| ArenaError::Damaged { match_id: info.id.clone(), why };
        let Some(note) = read_note(&info) else { return Ok(None) };
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
        let live = live.since(info.created, info.updated).inviting(invite).rated_if(note.rated).owned(epoch);
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
        Ok(Some(Arc::new(live)))
    }
}

/// A match some of whose seats are open.
pub(super) fn gathering(info: &MatchInfo) -> Option<Gathering> {
    let note = read_note(info)?;
    let is_private = note.settings.private;
    let mut open = Vec::new();
    let seats = note.chairs.into_iter().map(|chair| match chair {
        StoredHolder::House(info) | StoredHolder::Key(info) | StoredHolder::With(info, _) => info,
        StoredHolder::Open(info) => {
            open.push(info.seat);
            info
        }
    });
    let seats = seats.collect();
    let (match_id, ruleset) = (info.id.clone(), info.ruleset.clone());
    (!open.is_empty()).then_some(Gathering { match_id, ruleset, seats, open, is_private })
}

/// The table as a match begins at it, if it is one of an arena.
pub(super) fn opening(info: &MatchInfo) -> Option<Table> {
    let note = read_note(info)?;
    let ruleset = Ruleset::from_json(&note.ruleset).ok()?;
    Table::open(Arc::new(ruleset), note.chairs.len(), info.seed).ok()
}

/// Whether a registered player has a seat in a match.
pub(super) fn seats_player(info: &MatchInfo, id: &str) -> bool {
    let is_named = info.note.as_ref().is_some_and(|note| note.contains(id));
    is_named && read_note(info).is_some_and(|note| note.players.values().any(|player| **player == *id))
}

/// What is kept of a match beside its record, if an arena wrote it.
fn read_note(info: &MatchInfo) -> Option<ArchiveNote> {
    info.note.as_deref().and_then(|note| serde_json::from_str(note).ok())
}

impl Arena {
    /// On whose account models were asked in a match that is kept.
    pub fn payer_of(info: &MatchInfo) -> Option<Payer> {
        read_note(info)?.settings.payer
    }
}

/// What is kept of a match beside its record, once something has changed.
fn note(live: &Live, change: &NoteChange) -> String {
    let mut players = BTreeMap::new();
    let mut seated = live.chairs();
    if let NoteChange::Seat(seat, holder, name) = change {
        let (info, held) = &mut seated[seat.index()];
        *info = holder.info(*seat, name);
        held.clone_from(holder);
    }
    let chairs = seated.into_iter().map(|(info, holder)| match holder {
        Holder::House => StoredHolder::House(info),
        Holder::Key(_, player) => {
            players.extend(player.map(|player| (info.seat, player)));
            StoredHolder::Key(info)
        }
        Holder::With(seat) => StoredHolder::With(info, seat),
        Holder::Open => StoredHolder::Open(info),
    });
    let chairs = chairs.collect();
    let (mut resigned, mut saying) = live.pending();
    match change {
        NoteChange::Say(seat, said) => saying.push((*seat, said.clone())),
        NoteChange::Resign(seat) if !resigned.contains(seat) => resigned.push(*seat),
        NoteChange::Resign(_) | NoteChange::Seat(..) | NoteChange::Nothing => {}
    }
    let note = ArchiveNote {
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

/// The keys of a match's seats.
fn keys(live: &Live) -> Vec<Change> {
    let keys = live.chairs().into_iter().filter_map(|(info, holder)| match holder {
        Holder::Key(hash, _) => Some(store::StoredSeatKey { match_id: live.id().to_owned(), seat: info.seat, hash }),
        Holder::House | Holder::With(_) | Holder::Open => None,
    });
    keys.map(Change::Key).collect()
}
