//! The hall: live matches, whoever drives them. Seats belong to the holders of their keys; the referee runs each match
//! as it runs any other, and finds what the holders send in their mailboxes.
//!
//! Shared by the servers: [`Hall::open`] begins a match, [`Hall::join`] takes an open seat, [`Hall::seat`] gives a
//! [`Seated`] to whoever has the key, [`Hall::watch`] lets anybody look on. What a seat has sealed is seen by nobody
//! before its turn is played.

mod key;
mod live;
mod remote;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub use self::key::{KeyHash, SeatKey};
use self::live::{Chair, Holder, Taken};
pub use self::live::{Live, Played, Stage, View};
use self::remote::{Mailbox, RemotePlayer};
use crate::briefs::Language;
use crate::matches::{Log, Match, Record, SeatInfo};
use crate::players::Player;
use crate::referee::{self, Stopped, Watch};
use crate::rules::dice::Seed;
use crate::rules::refusal::Refusal;
use crate::rules::ruleset::Ruleset;
use crate::rules::seat::{BySeat, Seat, Seats};
use crate::rules::table::Table;

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
    begun: Instant,
    floor: Mutex<Floor>,
}

/// The matches, and which of them a key belongs to.
#[derive(Default)]
struct Floor {
    matches: HashMap<String, Arc<Live>>,
    keys: HashMap<KeyHash, Arc<Live>>,
}

impl std::fmt::Debug for Hall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hall").field("matches", &self.floor().matches.len()).finish_non_exhaustive()
    }
}

impl Hall {
    /// An empty hall.
    pub fn new(guests: Arc<dyn Guests>, limits: Limits) -> Hall {
        Hall { inner: Arc::new(Inner { guests, limits, begun: Instant::now(), floor: Mutex::default() }) }
    }

    /// The players of the house, by name.
    pub fn guests(&self) -> Vec<String> {
        self.inner.guests.names()
    }

    /// Opens a match. It begins when every seat is taken.
    ///
    /// # Errors
    /// If the rules do not allow it, a guest cannot come, or there are too many matches.
    pub fn open(&self, wish: &Wish) -> Result<Opened, HallError> {
        self.put_away();
        if self.floor().matches.len() >= self.inner.limits.matches {
            return Err(HallError::Full(self.inner.limits.matches));
        }
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
                    let with = mine.ok_or_else(|| HallError::Guest("a person sits with a player, never alone".to_owned()))?;
                    (nobody("human"), Holder::With(Seat::new(with)))
                }
                Invited::House(name) => {
                    let place = Place { seat, seats, ruleset: wish.ruleset.clone(), seed, language: wish.language };
                    // Asked now so that whoever cannot come is known before anybody waits for them.
                    let guest = self.inner.guests.invite(name, &place).map_err(HallError::Guest)?;
                    (guest.info, Holder::House)
                }
                Invited::Anybody => (nobody("open"), Holder::Open),
            };
            chairs.push(Chair { info, holder, mail: Mailbox::default() });
        }
        let id = key::match_id()?;
        let live = Arc::new(Live::new(id.clone(), wish, seed, table, chairs));
        live.touch(self.now());
        let mut floor = self.floor();
        floor.matches.insert(id, live.clone());
        floor.keys.extend(keys.iter().map(|(_, key)| (key.hash(), live.clone())));
        drop(floor);
        self.begin(&live)?;
        let seated = |(seat, key)| (Seated { hall: self.clone(), live: live.clone(), seat }, key);
        Ok(Opened { mine: keys.into_iter().map(seated).collect(), live })
    }

    /// Takes an open seat of a match.
    ///
    /// # Errors
    /// If there is none.
    pub fn join(&self, match_id: &str, seat: Option<Seat>, name: &str) -> Result<(Seated, SeatKey), HallError> {
        let live = self.watch(match_id)?;
        let key = SeatKey::random()?;
        let seat = live.take_seat(seat, key.hash(), name)?;
        self.floor().keys.insert(key.hash(), live.clone());
        self.begin(&live)?;
        Ok((Seated { hall: self.clone(), live, seat }, key))
    }

    /// The seat that a key opens.
    ///
    /// # Errors
    /// If it opens none.
    pub fn seat(&self, key: &SeatKey) -> Result<Seated, HallError> {
        let hash = key.hash();
        let live = self.floor().keys.get(&hash).cloned().ok_or(HallError::NoSeat)?;
        let seat = live.seat_of(&hash).ok_or(HallError::NoSeat)?;
        live.touch(self.now());
        Ok(Seated { hall: self.clone(), live, seat })
    }

    /// A match, to look on.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn watch(&self, match_id: &str) -> Result<Arc<Live>, HallError> {
        let live = self.floor().matches.get(match_id.trim()).cloned();
        let live = live.ok_or_else(|| HallError::NoMatch(crate::rules::refusal::shorten(match_id)))?;
        live.touch(self.now());
        Ok(live)
    }

    /// All matches, the latest first.
    pub fn list(&self) -> Vec<Arc<Live>> {
        let mut all: Vec<Arc<Live>> = self.floor().matches.values().cloned().collect();
        all.sort_by(|one, other| (other.touched(), other.id()).cmp(&(one.touched(), one.id())));
        all
    }

    /// Begins a match whose seats are all taken.
    fn begin(&self, live: &Arc<Live>) -> Result<(), HallError> {
        if !live.is_full() || live.refereed.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
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
                Holder::Key(_) | Holder::With(_) | Holder::Open => Box::new(RemotePlayer { live: live.clone(), seat: info.seat }),
            });
        }
        let seats = chairs.into_iter().map(|(info, _)| info).collect();
        let (game, header) =
            Match::open_seated(live.id(), ruleset, live.seed(), seats).map_err(HallError::Refused)?;
        let mut keeper = Keeper { live: live.clone(), log: Log::new(Vec::new()) };
        keeper.take(&game, &header).expect("a line in memory can be written");
        live.enter(Stage::Playing);
        tokio::spawn(referee(live.clone(), game, players.into_iter().collect(), keeper));
        Ok(())
    }

    /// Forgets matches that nobody has looked at for long.
    fn put_away(&self) {
        let idle = self.inner.limits.idle.as_secs();
        let now = self.now();
        let fresh = |live: &Arc<Live>| now.saturating_sub(live.touched()) <= idle;
        let mut floor = self.floor();
        floor.matches.retain(|_, live| fresh(live));
        floor.keys.retain(|_, live| fresh(live));
    }

    /// Seconds since the hall opened.
    fn now(&self) -> u64 {
        self.inner.begun.elapsed().as_secs()
    }

    fn floor(&self) -> MutexGuard<'_, Floor> {
        self.inner.floor.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a match to its end, or to where it stops.
async fn referee(live: Arc<Live>, mut game: Match, mut players: BySeat<Box<dyn Player>>, mut keeper: Keeper) {
    let id = live.id().to_owned();
    let pace = Duration::ZERO;
    match referee::run(&id, &mut game, &[], &mut players, &mut keeper, pace).await {
        Ok(_) => {}
        Err(stopped @ Stopped::Backend { .. }) => live.enter(Stage::Suspended(stopped.to_string())),
        Err(stopped @ (Stopped::Left | Stopped::Record(_))) => {
            tracing::error!(match_id = id, error = %stopped, "a match stopped");
            live.enter(Stage::Suspended(stopped.to_string()));
        }
    }
}

/// Keeps the record of a match and shows it to the hall.
struct Keeper {
    live: Arc<Live>,
    log: Log<Vec<u8>>,
}

impl Keeper {
    fn take(&mut self, game: &Match, record: &Record) -> io::Result<()> {
        self.log.write(record)?;
        let mut line = std::mem::take(self.log.get_mut());
        line.pop();
        let line = String::from_utf8(line).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        self.live.publish(game.table(), record, line);
        Ok(())
    }
}

impl Watch for Keeper {
    fn record(&mut self, game: &Match, record: &Record) -> io::Result<()> {
        self.take(game, record)
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

    /// The match as this seat sees it.
    pub fn view(&self) -> View {
        self.live.view(Some(self.seat))
    }

    /// Acts in the turn that the player saw (`turn` turns played), or in the one at hand. The same again for the same
    /// turn changes nothing.
    ///
    /// # Errors
    /// With the reason why not; nothing has changed.
    pub fn act(&self, turn: Option<u32>, action: &str, reasoning: Option<&str>) -> Result<(), ActError> {
        self.live.touch(self.hall.now());
        match self.live.seal(self.seat, turn, action, reasoning)? {
            Taken::Before => {}
            Taken::Now(sealed) => self.live.deliver(self.seat, sealed),
        }
        Ok(())
    }

    /// Says something beside the next action, where talk is free.
    ///
    /// # Errors
    /// If nobody may speak, or the message is none.
    pub fn say(&self, text: &str) -> Result<(), ActError> {
        self.live.say(self.seat, text)
    }

    /// Gives up.
    ///
    /// # Errors
    /// If the match is over.
    pub fn resign(&self) -> Result<(), ActError> {
        self.live.resign(self.seat)
    }

    /// Waits until this seat is awaited or the match is over, or the time is up.
    pub async fn turn(&self, at_most: Duration) {
        self.live.turn_of(self.seat, at_most).await;
    }
}
