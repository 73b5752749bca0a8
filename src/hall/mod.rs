//! The hall: live matches, whoever drives them. Seats belong to the holders of their keys; the referee runs each match
//! as it runs any other, and finds what the holders send in their mailboxes.
//!
//! Shared by the servers: [`Hall::open`] begins a match, [`Hall::join`] takes an open seat, [`Hall::seat`] gives a
//! [`Seated`] to whoever has the key, [`Hall::watch`] lets anybody look on. What a seat has sealed is seen by nobody
//! before its turn is played.

mod archive;
mod error;
mod game;
mod key;
mod live;
mod remote;
mod seated;
#[cfg(test)]
mod tests;
mod view;
mod wish;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use self::archive::Archive;
pub use self::error::{ActError, HallError};
use self::game::Started;
pub use self::key::SeatKey;
pub use self::live::Live;
use self::live::{Chair, Holder};
use self::remote::{Mailbox, RemotePlayer};
pub use self::seated::{Accepted, Seated};
pub use self::view::{Glance, Kind, Moment, Sitting, Spent, Stage, View};
pub use self::wish::{Guest, Guests, Invited, Limits, Opened, Place, Settings, Wish};
use crate::matches::{Log, Match, SeatInfo};
use crate::players::Player;
pub use crate::referee::Clock;
use crate::rules::dice::Seed;
use crate::rules::seat::Seat;
use crate::rules::table::Table;
use crate::store::{KeyHash, Store, StoreError};

/// All live matches. Cheap to clone.
#[derive(Clone)]
pub struct Hall {
    inner: Arc<Inner>,
}

struct Inner {
    guests: Arc<dyn Guests>,
    limits: Limits,
    archive: Option<Arc<Archive>>,
    begun: Instant,
    floor: Mutex<Floor>,
}

/// The matches, and which of them a key belongs to.
#[derive(Default)]
struct Floor {
    matches: HashMap<String, Arc<Live>>,
    keys: HashMap<KeyHash, Arc<Live>>,
}

impl Floor {
    /// The match of this name that is here, which is this one if there was none: two who ask at once for a match from
    /// the store get the same.
    fn admit(&mut self, live: Arc<Live>) -> Arc<Live> {
        if let Some(here) = self.matches.get(live.id()) {
            return here.clone();
        }
        self.matches.insert(live.id().to_owned(), live.clone());
        for (_, holder) in live.chairs() {
            if let Holder::Key(hash, _) = holder {
                self.keys.insert(hash, live.clone());
            }
        }
        live
    }
}

impl std::fmt::Debug for Hall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hall").field("matches", &self.floor().matches.len()).finish_non_exhaustive()
    }
}

impl Hall {
    /// How the names of a hall's matches begin.
    pub const PREFIX: &str = "m";

    /// An empty hall whose matches end with it.
    pub fn new(guests: Arc<dyn Guests>, limits: Limits) -> Hall {
        Hall::with(guests, limits, None)
    }

    /// A hall whose matches are kept: every accepted action is on the disk before it is acknowledged.
    ///
    /// # Errors
    /// If the store cannot be used.
    pub fn kept(guests: Arc<dyn Guests>, limits: Limits, store: Store) -> Result<Hall, StoreError> {
        Ok(Hall::with(guests, limits, Some(Arc::new(Archive::new(store)?))))
    }

    fn with(guests: Arc<dyn Guests>, limits: Limits, archive: Option<Arc<Archive>>) -> Hall {
        Hall { inner: Arc::new(Inner { guests, limits, archive, begun: Instant::now(), floor: Mutex::default() }) }
    }

    /// Takes up every match that was in play when an earlier hall on the same store closed, and says how many.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn take_up(&self) -> Result<usize, HallError> {
        let Some(archive) = &self.inner.archive else { return Ok(0) };
        let all = archive.all().await?;
        let count = all.len();
        for live in all {
            self.welcome(live)?;
        }
        Ok(count)
    }

    /// The players of the house, by name.
    pub fn guests(&self) -> Vec<String> {
        self.inner.guests.names()
    }

    /// Opens a match. It begins when every seat is taken.
    ///
    /// # Errors
    /// If the rules do not allow it, a guest cannot come, or there are too many matches.
    pub async fn open(&self, wish: &Wish) -> Result<Opened, HallError> {
        self.make_room()?;
        let seed = match wish.seed {
            Some(seed) => seed,
            None => Seed(getrandom::u64().map_err(|error| HallError::NoChance(error.to_string()))?).short(),
        };
        let seats = wish.chairs.len();
        let table = Table::open(wish.ruleset.clone(), seats, seed).map_err(HallError::Refused)?;
        let mine = wish.chairs.iter().position(|invited| matches!(invited, Invited::Me(_)));
        let mut keys = Vec::new();
        let mut chairs = Vec::new();
        for (seat, invited) in Seat::first(seats).zip(&wish.chairs) {
            let nobody = |name: &str| SeatInfo { seat, player: name.to_owned(), model: None };
            let (info, holder) = match invited {
                Invited::Me(name) => {
                    let key = SeatKey::random()?;
                    let holder = Holder::Key(key.hash(), None);
                    keys.push((seat, key));
                    (nobody(name), holder)
                }
                Invited::Person => {
                    let with = mine.ok_or_else(|| HallError::Guest("a person sits beside a player".to_owned()))?;
                    (nobody("human"), Holder::With(Seat::new(with)))
                }
                Invited::House(name) => {
                    let language = wish.settings.language;
                    let place = Place { seat, seats, ruleset: wish.ruleset.clone(), seed, language };
                    // Asked now so that whoever cannot come is known before anybody waits for them.
                    let guest = self.inner.guests.invite(name, &place).map_err(HallError::Guest)?;
                    (guest.info, Holder::House)
                }
                Invited::Anybody => (nobody("open"), Holder::Open),
            };
            chairs.push(Chair { info, holder, mail: Mailbox::default() });
        }
        let live = Arc::new(Live::new(key::match_id()?, wish.settings, seed, table, chairs));
        if let Some(archive) = &self.inner.archive {
            archive.open(&live).await?;
        }
        let live = self.welcome(live)?;
        let seated = |(seat, key)| (Seated { hall: self.clone(), live: live.clone(), seat }, key);
        Ok(Opened { mine: keys.into_iter().map(seated).collect(), live })
    }

    /// Takes an open seat of a match.
    ///
    /// # Errors
    /// If there is none.
    pub async fn join(&self, match_id: &str, seat: Option<Seat>, name: &str) -> Result<(Seated, SeatKey), HallError> {
        let live = self.watch(match_id).await?;
        let key = SeatKey::random()?;
        let seat = live.take_seat(seat, Holder::Key(key.hash(), None), name)?;
        if let Some(archive) = &self.inner.archive
            && let Err(error) = archive.update(&live).await
        {
            live.leave_seat(seat);
            return Err(error.into());
        }
        self.floor().keys.insert(key.hash(), live.clone());
        let live = self.welcome(live)?;
        Ok((Seated { hall: self.clone(), live, seat }, key))
    }

    /// The seat that a key opens.
    ///
    /// # Errors
    /// If it opens none.
    pub async fn seat(&self, key: &SeatKey) -> Result<Seated, HallError> {
        let hash = key.hash();
        let known = self.floor().keys.get(&hash).cloned();
        let live = match (known, &self.inner.archive) {
            (Some(live), _) => live,
            (None, Some(archive)) => archive.find_by_key(hash).await?.ok_or(HallError::NoSeat)?,
            (None, None) => return Err(HallError::NoSeat),
        };
        let seat = live.seat_of(&hash).ok_or(HallError::NoSeat)?;
        let live = self.welcome(live)?;
        Ok(Seated { hall: self.clone(), live, seat })
    }

    /// A match, to look on.
    ///
    /// # Errors
    /// If there is none of that name.
    pub async fn watch(&self, match_id: &str) -> Result<Arc<Live>, HallError> {
        let known = self.floor().matches.get(match_id.trim()).cloned();
        let nobody = || HallError::NoMatch(crate::rules::refusal::shorten(match_id));
        let live = match (known, &self.inner.archive) {
            (Some(live), _) => live,
            (None, Some(archive)) => archive.find(match_id.trim()).await?.ok_or_else(nobody)?,
            (None, None) => return Err(nobody()),
        };
        self.welcome(live)
    }

    /// The matches that are in memory, the latest first.
    pub fn list(&self) -> Vec<Arc<Live>> {
        let mut all: Vec<Arc<Live>> = self.floor().matches.values().cloned().collect();
        all.sort_by(|one, other| (other.touched(), other.id()).cmp(&(one.touched(), one.id())));
        all
    }

    /// A match that somebody asks for: brought onto the floor, unless it is there, and begun, or gone on with, if it can
    /// be played.
    fn welcome(&self, live: Arc<Live>) -> Result<Arc<Live>, HallError> {
        let live = self.floor().admit(live);
        live.touch(self.now());
        if !live.is_refereed() && live.stage() != Stage::Over && live.is_full() {
            self.begin(&live)?;
        }
        Ok(live)
    }

    /// Seats everybody and sends a referee.
    fn begin(&self, live: &Arc<Live>) -> Result<(), HallError> {
        let chairs = live.chairs();
        let ruleset = live.ruleset();
        let mut players: Vec<Box<dyn Player>> = Vec::new();
        for (info, holder) in &chairs {
            players.push(match holder {
                Holder::House => {
                    let place = Place {
                        seat: info.seat,
                        seats: chairs.len(),
                        ruleset: ruleset.clone(),
                        seed: live.seed(),
                        language: live.language(),
                    };
                    self.inner.guests.invite(&info.player, &place).map_err(HallError::Guest)?.player
                }
                Holder::Key(..) | Holder::With(_) | Holder::Open => {
                    Box::new(RemotePlayer { live: live.clone(), seat: info.seat, turn: 0 })
                }
            });
        }
        let damaged = |why: String| HallError::Damaged { match_id: live.id().to_owned(), why };
        let archive = self.inner.archive.clone();
        let started = match live.replay().map_err(|error| damaged(error.to_string()))? {
            None => {
                let seats = chairs.into_iter().map(|(info, _)| info).collect();
                let opened = Match::open_seated(live.id(), ruleset, live.seed(), seats);
                let (game, header) = opened.map_err(HallError::Refused)?;
                Started { game, past: None, log: Log::new(Vec::new()), header: Some(header), lines: 0 }
            }
            Some(replay) => {
                let log = Log::after(Vec::new(), replay.chain);
                let lines = 1 + replay.turns.len() as u64 + u64::from(replay.result.is_some());
                Started { game: replay.resume(), past: Some(replay), log, header: None, lines }
            }
        };
        live.referee_with(|| {
            live.enter(Stage::Playing);
            tokio::spawn(game::referee(live.clone(), started, players.into_iter().collect(), archive)).abort_handle()
        });
        Ok(())
    }

    /// Forgets matches that nobody has looked at for long, and, where there are too many, the one untouched the longest.
    /// What is kept on disk can be taken up again.
    fn make_room(&self) -> Result<(), HallError> {
        let Limits { matches, idle } = self.inner.limits;
        let now = self.now();
        let mut floor = self.floor();
        let is_stale = |live: &Live| now.saturating_sub(live.touched()) > idle.as_secs();
        let mut stale: Vec<Arc<Live>> = floor.matches.values().filter(|live| is_stale(live)).cloned().collect();
        if floor.matches.len() - stale.len() >= matches {
            // Who is over, or kept on disk, can go.
            let kept = self.inner.archive.is_some();
            let oldest = floor.matches.values().filter(|live| kept || live.stage() == Stage::Over);
            stale.push(oldest.min_by_key(|live| live.touched()).ok_or(HallError::Full(matches))?.clone());
        }
        for live in stale {
            live.stop();
            floor.matches.remove(live.id());
            floor.keys.retain(|_, other| !Arc::ptr_eq(other, &live));
        }
        Ok(())
    }

    /// Seconds since the hall opened.
    fn now(&self) -> u64 {
        self.inner.begun.elapsed().as_secs()
    }

    fn floor(&self) -> MutexGuard<'_, Floor> {
        self.inner.floor.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
