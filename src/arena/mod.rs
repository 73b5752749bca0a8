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
//! [`Arena::take_up`] goes on with every match at the turn that it had: what was sealed is sealed, lapses and the clocks of
//! the match are counted from the record. The clock of the turn at hand starts anew, so nobody loses time by our fault;
//! whoever was slow before the end gets that much more, once. A match and its effect on the ladder are one write, so a
//! match that is over is rated, and once.

mod archive;
mod error;
mod game;
mod handle;
mod key;
mod live;
mod players;
mod queue;
mod remote;
mod request;
#[cfg(test)]
mod tests;
mod ticks;
mod view;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::archive::Archive;
pub use self::error::{ActError, ArenaError};
use self::game::StartedMatch;
pub use self::handle::{Receipt, SeatHandle};
pub use self::key::SeatKey;
pub use self::live::Live;
use self::live::{Chair, Holder, Referee};
use self::players::TokenCache;
pub use self::players::{PlayerToken, Registered};
use self::queue::Queue;
pub use self::queue::Queued;
use self::remote::{Mailbox, RemotePlayer};
pub use self::request::{
    ArenaLimits, HousePlayer, HousePlayers, HouseSeat, Joining, MatchRequest, MatchSettings, Opened, SeatChoice,
};
pub use self::ticks::Ticks;
pub use self::view::{Glance, HolderKind, MatchView, Moment, SeatStatus, Spent, Stage};
use crate::games::dice::Seed;
use crate::games::seat::Seat;
use crate::games::table::Table;
use crate::matches::{Log, Match, SeatInfo};
use crate::players::Player;
pub use crate::referee::Clock;
use crate::store::{Change, KeyHash, Store, StoreError, Ticket};

/// All live matches. Cheap to clone.
#[derive(Clone)]
pub struct Arena {
    inner: Arc<Inner>,
}

struct Inner {
    guests: Arc<dyn HousePlayers>,
    limits: ArenaLimits,
    archive: Option<Arc<Archive>>,
    begun: Instant,
    index: Mutex<MatchIndex>,
    known: Mutex<TokenCache>,
    /// Held while tickets are written: whoever comes next finds them as the store has them.
    queue: tokio::sync::Mutex<Queue>,
    /// Referees, and whoever looks after the queue.
    tasks: TaskTracker,
    closing: CancellationToken,
    ticks: Arc<Ticks>,
}

/// The matches, and which of them a key belongs to.
#[derive(Default)]
struct MatchIndex {
    matches: HashMap<String, Arc<Live>>,
    keys: HashMap<KeyHash, Arc<Live>>,
    /// The matches of registered players, by their ids.
    players: HashMap<Arc<str>, Vec<Arc<Live>>>,
}

impl MatchIndex {
    /// The match of this name that is here, which is this one if there was none: two who ask at once for a match from
    /// the store get the same.
    fn admit(&mut self, live: Arc<Live>) -> Arc<Live> {
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
    fn seat(&mut self, live: &Arc<Live>, holder: &Holder) {
        let Holder::Key(hash, player) = holder else { return };
        self.keys.insert(*hash, live.clone());
        if let Some(player) = player {
            let theirs = self.players.entry(player.clone()).or_default();
            if !theirs.iter().any(|other| Arc::ptr_eq(other, live)) {
                theirs.push(live.clone());
            }
        }
    }

    fn forget(&mut self, live: &Arc<Live>) {
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
        Ok(Arena::with(guests, limits, Some(Arc::new(Archive::new(store)?))))
    }

    fn with(guests: Arc<dyn HousePlayers>, limits: ArenaLimits, archive: Option<Arc<Archive>>) -> Arena {
        Arena {
            inner: Arc::new(Inner {
                guests,
                limits,
                archive,
                begun: Instant::now(),
                index: Mutex::default(),
                known: Mutex::default(),
                queue: tokio::sync::Mutex::default(),
                tasks: TaskTracker::new(),
                closing: CancellationToken::new(),
                ticks: Arc::default(),
            }),
        }
    }

    /// How late turns are that are played by the clock.
    pub fn ticks(&self) -> &Ticks {
        &self.inner.ticks
    }

    /// Takes up every match that was in play when an earlier arena on the same store closed, and says how many.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn take_up(&self) -> Result<usize, ArenaError> {
        let Some(archive) = &self.inner.archive else { return Ok(0) };
        let all = archive.all().await?;
        let count = all.len();
        for live in all {
            self.welcome(live)?;
        }
        self.take_up_queue().await?;
        Ok(count)
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
    }

    /// Tells when the arena closes.
    pub fn closing(&self) -> &CancellationToken {
        &self.inner.closing
    }

    fn store(&self) -> Result<&Store, ArenaError> {
        self.inner.archive.as_ref().map(|archive| archive.store()).ok_or(ArenaError::NoStore)
    }

    /// The players of the house, by name.
    pub fn guests(&self) -> Vec<String> {
        self.inner.guests.names()
    }

    /// Opens a match. It begins when every seat is taken.
    ///
    /// # Errors
    /// If the rules do not allow it, a guest cannot come, or there are too many matches.
    pub async fn open(&self, request: &MatchRequest) -> Result<Opened, ArenaError> {
        for invited in &request.chairs {
            if let SeatChoice::Player(player) = invited {
                self.check_room_for(player)?;
            }
        }
        let is_open = request.chairs.contains(&SeatChoice::Anybody);
        let invite = if is_open { Some(format!("i{}", key::digits::<14>()?)) } else { None };
        let (live, keys) = self.lay(request)?;
        let live = live.inviting(invite.as_deref().map(KeyHash::of));
        let live = self.admit_new(live, Vec::new()).await?;
        let seated = |(seat, key)| (SeatHandle { arena: self.clone(), live: live.clone(), seat }, key);
        Ok(Opened { mine: keys.into_iter().map(seated).collect(), live, invite })
    }

    /// Opens a match from the queue that counts on the ladder, and notes on the tickets that they have it.
    async fn open_rated(&self, request: &MatchRequest, tickets: &[Ticket]) -> Result<Arc<Live>, ArenaError> {
        let (live, _) = self.lay(request)?;
        let live = live.rated_if(true);
        let matched = tickets.iter().map(|ticket| {
            let match_id = Some(live.id().to_owned());
            Change::Queue(Ticket { match_id, ..ticket.clone() })
        });
        let matched = matched.collect();
        self.admit_new(live, matched).await
    }

    /// A new match with its table laid and its chairs taken, and the keys of those who are not the house's.
    fn lay(&self, request: &MatchRequest) -> Result<(Live, Vec<(Seat, SeatKey)>), ArenaError> {
        self.make_room()?;
        let seed = match request.seed {
            Some(seed) => seed,
            None => Seed(getrandom::u64().map_err(|error| ArenaError::NoChance(error.to_string()))?).short(),
        };
        let seats = request.chairs.len();
        let table = Table::open(request.ruleset.clone(), seats, seed).map_err(ArenaError::Refused)?;
        let is_mine = |invited: &SeatChoice| matches!(invited, SeatChoice::Me(_) | SeatChoice::Player(_));
        let mine = request.chairs.iter().position(is_mine);
        let mut keys = Vec::new();
        let mut chairs = Vec::new();
        for (seat, invited) in Seat::first(seats).zip(&request.chairs) {
            let nobody = |name: &str| SeatInfo { seat, player: name.to_owned(), model: None };
            let mut holding = |player: Option<Arc<str>>| {
                let key = SeatKey::random()?;
                let holder = Holder::Key(key.hash(), player);
                keys.push((seat, key));
                Ok::<Holder, ArenaError>(holder)
            };
            let (info, holder) = match invited {
                SeatChoice::Me(name) => (nobody(name), holding(None)?),
                SeatChoice::Player(player) => (nobody(&player.name), holding(Some(player.id.clone()))?),
                SeatChoice::Person => {
                    let with = mine.ok_or_else(|| ArenaError::Guest("a person sits beside a player".to_owned()))?;
                    (nobody("human"), Holder::With(Seat::new(with)))
                }
                SeatChoice::House(name) => {
                    let language = request.settings.language;
                    let place = HouseSeat { seat, seats, ruleset: request.ruleset.clone(), seed, language };
                    // Asked now so that whoever cannot come is known before anybody waits for them.
                    let guest = self.inner.guests.invite(name, &place).map_err(ArenaError::Guest)?;
                    (guest.info, Holder::House)
                }
                SeatChoice::Anybody => (nobody("open"), Holder::Open),
            };
            chairs.push(Chair { info, holder, mail: Mailbox::default() });
        }
        Ok((Live::new(key::match_id()?, request.settings, seed, table, chairs), keys))
    }

    /// Writes a new match down, with what goes with it, and lets it begin.
    async fn admit_new(&self, live: Live, beside: Vec<Change>) -> Result<Arc<Live>, ArenaError> {
        if let Some(archive) = &self.inner.archive {
            archive.open(&live, beside).await?;
        }
        self.welcome(Arc::new(live))
    }

    /// Takes an open seat of a match that is not private.
    ///
    /// # Errors
    /// If there is none.
    pub async fn join(
        &self,
        match_id: &str,
        seat: Option<Seat>,
        name: &str,
    ) -> Result<(SeatHandle, SeatKey), ArenaError> {
        self.join_as(match_id, seat, &Joining::Named(name.to_owned()), None).await
    }

    /// Takes an open seat of a match, with its invite code where it is private.
    ///
    /// # Errors
    /// If there is none, the code is missing, or the player has a seat in the match or too many matches.
    pub async fn join_as(
        &self,
        match_id: &str,
        seat: Option<Seat>,
        who: &Joining,
        invite: Option<&str>,
    ) -> Result<(SeatHandle, SeatKey), ArenaError> {
        let live = self.watch(match_id).await?;
        if live.is_private() && !invite.is_some_and(|code| live.is_invite(code)) {
            return Err(ArenaError::NotInvited);
        }
        let key = SeatKey::random()?;
        let (name, player) = match who {
            Joining::Named(name) => (name.as_str(), None),
            Joining::Player(player) => {
                if let Some(seat) = live.seats_of(&player.id).first() {
                    return Err(ArenaError::AlreadySeated(*seat));
                }
                self.check_room_for(player)?;
                (&*player.name, Some(player.id.clone()))
            }
        };
        let holder = Holder::Key(key.hash(), player);
        let seat = live.take_seat(seat, holder.clone(), name)?;
        if let Some(archive) = &self.inner.archive
            && let Err(error) = archive.update(&live).await
        {
            live.leave_seat(seat);
            return Err(error.into());
        }
        self.index().seat(&live, &holder);
        let live = self.welcome(live)?;
        Ok((SeatHandle { arena: self.clone(), live, seat }, key))
    }

    /// The seat that a key opens.
    ///
    /// # Errors
    /// If it opens none.
    pub async fn seat(&self, key: &SeatKey) -> Result<SeatHandle, ArenaError> {
        let hash = key.hash();
        let known = self.index().keys.get(&hash).cloned();
        let live = match (known, &self.inner.archive) {
            (Some(live), _) => live,
            (None, Some(archive)) => archive.find_by_key(hash).await?.ok_or(ArenaError::NoSeat)?,
            (None, None) => return Err(ArenaError::NoSeat),
        };
        let seat = live.seat_of(&hash).ok_or(ArenaError::NoSeat)?;
        let live = self.welcome(live)?;
        Ok(SeatHandle { arena: self.clone(), live, seat })
    }

    /// A match, to look on.
    ///
    /// # Errors
    /// If there is none of that name.
    pub async fn watch(&self, match_id: &str) -> Result<Arc<Live>, ArenaError> {
        let known = self.index().matches.get(match_id.trim()).cloned();
        let nobody = || ArenaError::NoMatch(crate::settings::shorten(match_id));
        let live = match (known, &self.inner.archive) {
            (Some(live), _) => live,
            (None, Some(archive)) => archive.find(match_id.trim()).await?.ok_or_else(nobody)?,
            (None, None) => return Err(nobody()),
        };
        self.welcome(live)
    }

    /// The matches that are in memory, the latest first.
    pub fn list(&self) -> Vec<Arc<Live>> {
        let mut all: Vec<Arc<Live>> = self.index().matches.values().cloned().collect();
        all.sort_by(|one, other| (other.touched(), other.id()).cmp(&(one.touched(), one.id())));
        all
    }

    /// A match that somebody asks for: brought into memory, unless it is there, and begun, or gone on with, if it can
    /// be played.
    fn welcome(&self, live: Arc<Live>) -> Result<Arc<Live>, ArenaError> {
        let live = self.index().admit(live);
        live.touch(self.now());
        let is_open = !self.inner.closing.is_cancelled();
        if is_open && !live.is_refereed() && live.stage() != Stage::Over && live.is_full() {
            self.begin(&live)?;
        }
        Ok(live)
    }

    /// Seats everybody and sends a referee.
    fn begin(&self, live: &Arc<Live>) -> Result<(), ArenaError> {
        let chairs = live.chairs();
        let ruleset = live.ruleset();
        let mut players: Vec<Box<dyn Player>> = Vec::new();
        for (info, holder) in &chairs {
            players.push(match holder {
                Holder::House => {
                    let place = HouseSeat {
                        seat: info.seat,
                        seats: chairs.len(),
                        ruleset: ruleset.clone(),
                        seed: live.seed(),
                        language: live.language(),
                    };
                    self.inner.guests.invite(&info.player, &place).map_err(ArenaError::Guest)?.player
                }
                Holder::Key(..) | Holder::With(_) | Holder::Open => {
                    Box::new(RemotePlayer { live: live.clone(), seat: info.seat })
                }
            });
        }
        let damaged = |why: String| ArenaError::Damaged { match_id: live.id().to_owned(), why };
        let archive = self.inner.archive.clone();
        let started = match live.replay().map_err(|error| damaged(error.to_string()))? {
            None => {
                let seats = chairs.into_iter().map(|(info, _)| info).collect();
                let opened = Match::open_seated(live.id(), ruleset, live.seed(), seats);
                let (game, header) = opened.map_err(ArenaError::Refused)?;
                StartedMatch { game, past: None, log: Log::new(Vec::new()), header: Some(header), lines: 0 }
            }
            Some(replay) => {
                let log = Log::after(Vec::new(), replay.chain);
                let lines = 1 + replay.turns.len() as u64 + u64::from(replay.result.is_some());
                let game = replay.resume().map_err(|error| damaged(error.to_string()))?;
                StartedMatch { game, past: Some(replay), log, header: None, lines }
            }
        };
        live.referee_with(|| {
            live.enter(Stage::Playing);
            // Whoever comes while the arena closes is sent home with the others.
            let (stop, ticks) = (self.inner.closing.child_token(), self.inner.ticks.clone());
            let players = players.into_iter().collect();
            let play = game::referee(live.clone(), started, players, archive, ticks, stop.clone());
            Referee { task: self.inner.tasks.spawn(play).abort_handle(), stop }
        });
        Ok(())
    }

    /// Forgets matches that nobody has looked at for long, and, where there are too many, the one untouched the longest.
    /// What is kept on disk can be taken up again.
    fn make_room(&self) -> Result<(), ArenaError> {
        let ArenaLimits { matches, idle, over, .. } = self.inner.limits;
        let now = self.now();
        let kept = self.inner.archive.is_some();
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
