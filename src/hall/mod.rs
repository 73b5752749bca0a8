//! The hall: live matches, whoever drives them. Seats belong to the holders of their keys; the referee runs each match
//! as it runs any other, and finds what the holders send in their mailboxes.
//!
//! Shared by the servers: [`Hall::open`] begins a match, [`Hall::join`] takes an open seat, [`Hall::seat`] gives a
//! [`Seated`] to whoever has the key, [`Hall::watch`] lets anybody look on. What a seat has sealed is seen by nobody
//! before its turn is played.

mod archive;
mod key;
mod live;
mod remote;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use self::archive::Archive;
pub use self::key::SeatKey;
use self::live::{Chair, Holder, Taken};
pub use self::live::{Glance, Live, Played, Stage, View};
use self::remote::{Mailbox, RemotePlayer};
use crate::briefs::Language;
use crate::matches::{Log, Match, Record, Replay, SeatInfo, Step};
use crate::players::Player;
use crate::referee::{self, Stopped, Watch};
use crate::rules::dice::Seed;
use crate::rules::refusal::Refusal;
use crate::rules::ruleset::Ruleset;
use crate::rules::seat::{BySeat, Seat, Seats};
use crate::rules::table::Table;
use crate::store::{KeyHash, Store, StoreError};

/// Who can be asked to sit down: bots, and the models that somebody configured.
pub trait Guests: Send + Sync + 'static {
    /// The names that can be asked for.
    fn names(&self) -> Vec<String>;

    /// Brings a player to a seat.
    ///
    /// # Errors
    /// In words, if nobody of that name can come.
    fn invite(&self, name: &str, place: &Place) -> Result<Guest, String>;
}

/// Where a guest is to sit.
#[derive(Clone, Debug)]
pub struct Place {
    /// The seat.
    pub seat: Seat,
    /// How many seats there are.
    pub seats: usize,
    /// The rules.
    pub ruleset: Arc<Ruleset>,
    /// The match's seed.
    pub seed: Seed,
    /// The match's language.
    pub language: Language,
}

/// A player of the house.
#[expect(missing_debug_implementations, reason = "players have no such form")]
pub struct Guest {
    /// What the record says of it.
    pub info: SeatInfo,
    /// Who answers.
    pub player: Box<dyn Player>,
}

/// What somebody wants of a new match.
#[derive(Clone, Debug)]
pub struct Wish {
    /// The rules.
    pub ruleset: Arc<Ruleset>,
    /// Who sits where, in seat order.
    pub chairs: Vec<Invited>,
    /// Where chance comes from; drawn where nothing is said.
    pub seed: Option<Seed>,
    /// How it is played.
    pub settings: Settings,
}

/// How a match is played, beside its rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// The language of briefs and events.
    pub language: Language,
    /// Whether players are not shown what they may do.
    pub withhold_legal: bool,
}

/// Who is to sit on a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invited {
    /// The one who opens the match, or somebody whom that one speaks for, by the name for the record.
    Me(String),
    /// The person who sits with the one who opens the match.
    Person,
    /// A player of the house, by name.
    House(String),
    /// Whoever joins.
    Anybody,
}

/// A seat, in the hands of whoever had its key.
#[derive(Clone, Debug)]
pub struct Seated {
    hall: Hall,
    live: Arc<Live>,
    seat: Seat,
}

/// A match that was opened.
#[derive(Debug)]
pub struct Opened {
    /// The match.
    pub live: Arc<Live>,
    /// The seats of the one who opened it, with their keys.
    pub mine: Vec<(Seated, SeatKey)>,
}

/// How many matches there may be, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// So many are in play at once at most.
    pub matches: usize,
    /// A match that nobody looked at for so long is put away.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { matches: 10_000, idle: Duration::from_hours(24) }
    }
}

/// Why the hall cannot do as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HallError {
    /// No such match.
    #[error("there is no match `{0}`")]
    NoMatch(String),
    /// A key that opens no seat.
    #[error("that seat key opens no seat: it is mistyped, or the match was put away")]
    NoSeat,
    /// As many as there may be.
    #[error("{0} matches are in play here, which is as many as there may be; try again when some have ended")]
    Full(usize),
    /// A guest who cannot come.
    #[error("{0}")]
    Guest(String),
    /// A match that the rules do not allow.
    #[error("{0}")]
    Refused(Refusal),
    /// A seat that cannot be taken.
    #[error(transparent)]
    Seat(#[from] ActError),
    /// A match that another process of this program has.
    #[error("the match {0} is in play in another process of this program; it is free again when that one ends")]
    Elsewhere(String),
    /// What is kept of a match cannot be read.
    #[error("what is kept of the match {match_id} cannot be read: {why}")]
    Damaged {
        /// Which.
        match_id: String,
        /// Why.
        why: String,
    },
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No random numbers for keys.
    #[error("the system gives no random numbers: {0}")]
    NoChance(String),
}

/// Why an action, a message or a seat was not taken. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActError {
    /// The rule that it breaks, or what makes it no action.
    #[error("{0}")]
    Refused(Refusal),
    /// Somebody else is to act.
    #[error("it is not your turn; to act: {to_act}")]
    NotYourTurn {
        /// Who.
        to_act: Seats,
    },
    /// The seat has acted in this turn, otherwise.
    #[error("you have acted in this turn, with `{action}`; wait until it is played")]
    Acted {
        /// What it did.
        action: String,
    },
    /// For a turn that is past.
    #[error("turn {turn} is past; it is turn {now}")]
    Past {
        /// For which.
        turn: u32,
        /// The one at hand.
        now: u32,
    },
    /// For a turn that has not come.
    #[error("turn {turn} has not come; it is turn {now}")]
    Future {
        /// For which.
        turn: u32,
        /// The one at hand.
        now: u32,
    },
    /// Seats are open.
    #[error("the match begins when everybody is there; open: {}", list(open))]
    Gathering {
        /// Which.
        open: Vec<Seat>,
    },
    /// It has ended.
    #[error("the match is over")]
    Over,
    /// A player of the house cannot be reached.
    #[error("the match is suspended and nobody has lost: {0}")]
    Suspended(String),
    /// The seat gave up.
    #[error("you have resigned")]
    Resigned,
    /// The seat is not open.
    #[error("seat {seat} is not open; open: {}", list(open))]
    Taken {
        /// Which.
        seat: Seat,
        /// Those that are.
        open: Vec<Seat>,
    },
    /// No seat is open.
    #[error("no seat is open in this match")]
    Full,
    /// It could not be written down, so it does not count.
    #[error("it could not be kept and does not count; try again: {0}")]
    NotKept(StoreError),
}

fn list(seats: &[Seat]) -> String {
    let seats: Vec<String> = seats.iter().map(ToString::to_string).collect();
    if seats.is_empty() { "none".to_owned() } else { seats.join(", ") }
}

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
            if let Holder::Key(hash) = holder {
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
                    let holder = Holder::Key(key.hash());
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
        let seat = live.take_seat(seat, key.hash(), name)?;
        self.floor().keys.insert(key.hash(), live.clone());
        if let Some(archive) = &self.inner.archive {
            archive.update(&live).await?;
        }
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
                Holder::Key(_) | Holder::With(_) | Holder::Open => {
                    Box::new(RemotePlayer { live: live.clone(), seat: info.seat })
                }
            });
        }
        let lines = live.lines();
        let archive = self.inner.archive.clone();
        let started = if lines.is_empty() {
            let seats = chairs.into_iter().map(|(info, _)| info).collect();
            let opened = Match::open_seated(live.id(), ruleset, live.seed(), seats);
            let (game, header) = opened.map_err(HallError::Refused)?;
            Started { game, past: None, log: Log::new(Vec::new()), header: Some(header), lines: 0 }
        } else {
            let damaged = |why: String| HallError::Damaged { match_id: live.id().to_owned(), why };
            let text = lines.join("\n");
            let replay = Replay::read(text.as_bytes()).map_err(|error| damaged(error.to_string()))?;
            let log = Log::after(Vec::new(), replay.chain);
            Started { game: replay.resume(), past: Some(replay), log, header: None, lines: lines.len() as u64 }
        };
        live.referee_with(|| {
            live.enter(Stage::Playing);
            tokio::spawn(referee(live.clone(), started, players.into_iter().collect(), archive)).abort_handle()
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

/// A match on its way to the referee.
struct Started {
    game: Match,
    /// What was played before, where the match goes on.
    past: Option<Replay>,
    log: Log<Vec<u8>>,
    /// The first line, where it is not written yet.
    header: Option<Record>,
    /// How many lines are written.
    lines: u64,
}

/// Runs a match to its end, or to where it stops.
async fn referee(
    live: Arc<Live>,
    started: Started,
    mut players: BySeat<Box<dyn Player>>,
    archive: Option<Arc<Archive>>,
) {
    let Started { mut game, past, log, header, lines } = started;
    let (out, settled) = mpsc::unbounded_channel();
    let id = live.id();
    let play = async move {
        // Dropped at the end of the match, which ends the publishing too.
        let mut keeper = Keeper { log, out };
        for record in header.into_iter().chain(game.result()) {
            keeper.record(&game, &record)?;
        }
        if let Some(past) = &past {
            referee::remember(past, &mut players).await;
        }
        let turns = past.as_ref().map_or(&[] as &[Step], |past| &past.turns);
        referee::run(id, &mut game, turns, &mut players, &mut keeper, Duration::ZERO).await?;
        Ok::<(), Stopped>(())
    };
    // The match goes on while its lines are written; what is not written yet, nobody sees.
    let (played, kept) = tokio::join!(play, publish(&live, settled, lines, archive));
    let why = match (played, kept) {
        (Ok(()), Ok(())) => return,
        (_, Err(error)) => format!("the record cannot be kept: {error}"),
        (Err(stopped), _) => stopped.to_string(),
    };
    tracing::warn!(match_id = live.id(), why, "a match stopped");
    live.enter(Stage::Suspended(why));
}

/// A line of a record and the position that it led to.
struct Settled {
    table: Table,
    record: Record,
    line: String,
}

/// Writes lines down, then shows them.
async fn publish(
    live: &Live,
    mut settled: mpsc::UnboundedReceiver<Settled>,
    mut written: u64,
    archive: Option<Arc<Archive>>,
) -> Result<(), StoreError> {
    let mut batch = Vec::new();
    while settled.recv_many(&mut batch, 64).await > 0 {
        if let Some(archive) = &archive {
            let lines: Vec<String> = batch.iter().map(|settled| settled.line.clone()).collect();
            archive.append(live.id(), written, &lines).await?;
            written += lines.len() as u64;
        }
        for Settled { table, record, line } in batch.drain(..) {
            live.publish(&table, &record, line);
        }
    }
    Ok(())
}

/// Turns records into lines.
struct Keeper {
    log: Log<Vec<u8>>,
    out: mpsc::UnboundedSender<Settled>,
}

impl Watch for Keeper {
    fn record(&mut self, game: &Match, record: &Record) -> io::Result<()> {
        self.log.write(record)?;
        let mut line = std::mem::take(self.log.get_mut());
        line.pop();
        let line = String::from_utf8(line).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        let settled = Settled { table: game.table().clone(), record: record.clone(), line };
        self.out.send(settled).map_err(|_| io::Error::other("the lines before could not be kept"))
    }
}

impl Seated {
    /// The match.
    pub fn live(&self) -> &Arc<Live> {
        &self.live
    }

    /// The seat.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// The seat of the person who sits with this one, to be acted for with what that person says and nothing else.
    pub fn person(&self) -> Option<Seated> {
        let seat = self.live.person_with(self.seat)?;
        Some(Seated { seat, ..self.clone() })
    }

    /// Whether the match has changed for this seat.
    pub fn glance(&self) -> Glance {
        self.live.glance(Some(self.seat))
    }

    /// The match as this seat sees it.
    pub fn view(&self) -> View {
        self.live.view(Some(self.seat))
    }

    /// Acts in the turn that the player saw (`turn` turns played), or in the one at hand. The same again for the same
    /// turn changes nothing.
    ///
    /// # Errors
    /// With the reason why not; nothing has changed.
    pub async fn act(&self, turn: Option<u32>, action: &str, reasoning: Option<&str>) -> Result<(), ActError> {
        self.live.touch(self.hall.now());
        let Taken::Now(sealed) = self.live.seal(self.seat, turn, action, reasoning)? else { return Ok(()) };
        if let Some(archive) = &self.hall.inner.archive {
            archive.seal(&self.live, self.seat, &sealed).await.map_err(ActError::NotKept)?;
        }
        self.live.deliver(self.seat, sealed);
        Ok(())
    }

    /// Says something beside the next action, where talk is free.
    ///
    /// # Errors
    /// If nobody may speak, or the message is none.
    pub async fn say(&self, text: &str) -> Result<(), ActError> {
        self.live.say(self.seat, text)?;
        self.keep().await
    }

    /// Gives up.
    ///
    /// # Errors
    /// If the match is over.
    pub async fn resign(&self) -> Result<(), ActError> {
        self.live.resign(self.seat)?;
        self.keep().await
    }

    async fn keep(&self) -> Result<(), ActError> {
        match &self.hall.inner.archive {
            Some(archive) => archive.update(&self.live).await.map_err(ActError::NotKept),
            None => Ok(()),
        }
    }

    /// Waits until this seat is awaited or the match is over, or the time is up.
    pub async fn turn(&self, at_most: Duration) {
        self.live.turn_of(self.seat, at_most).await;
    }
}
