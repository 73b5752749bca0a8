//! How much one caller may ask for.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use governor::clock::Clock;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use tokio::time::Instant;

use super::error::ApiError;
use crate::store::KeyHash;

/// So many callers are remembered before those who have been quiet are forgotten.
const MOST_CALLERS: usize = 10_000;

/// So many seconds' requests pass at once.
const BURST_SECONDS: NonZeroU32 = NonZeroU32::new(2).expect("it is not 0");

/// Where anybody can have any number of tokens, all that come from one address have so many times what one caller has.
const CALLERS_AN_ADDRESS: u32 = 5;

/// So many analyses may wait to be worked out.
pub(super) const MOST_ANALYSES: usize = 200;

/// How much one caller may ask for, and all together.
#[derive(Clone, Copy, Debug)]
pub struct RequestLimits {
    /// Requests a second of one caller; 0 is no limit. Twice as many at once pass.
    pub rate: u32,
    /// Open streams and waiting requests of one caller.
    pub streams_each: usize,
    /// The same of all callers.
    pub streams: usize,
    /// Unfinished matches that one caller opened.
    pub matches_each: usize,
    /// Connections that may be open at once.
    pub connections: usize,
    /// The same from one address.
    pub connections_each: usize,
    /// MCP sessions of one caller.
    pub sessions_each: usize,
    /// The same of all callers.
    pub sessions: usize,
    /// Analyses that one caller waits for.
    pub analyses_each: usize,
    /// Players that callers from one address may register an hour, and at once, where they need nobody's token for it; 0 is
    /// no limit.
    pub registrations: u32,
}

impl RequestLimits {
    /// For callers on this machine, who only have themselves to disturb.
    pub const AT_HOME: RequestLimits = RequestLimits {
        rate: 5_000,
        streams_each: 2_000,
        streams: 5_000,
        matches_each: 5_000,
        connections: 10_000,
        connections_each: 10_000,
        sessions_each: 2_000,
        sessions: 5_000,
        analyses_each: 10,
        registrations: 0,
    };

    /// For an open server, where nobody can be told apart but by where they come from.
    pub const OPEN: RequestLimits = RequestLimits {
        rate: 20,
        streams_each: 20,
        streams: 1_000,
        matches_each: 5,
        connections: 2_000,
        connections_each: 100,
        sessions_each: 10,
        registrations: 20,
        ..RequestLimits::ABROAD
    };

    /// For everybody else.
    pub const ABROAD: RequestLimits = RequestLimits {
        rate: 50,
        streams_each: 40,
        matches_each: 20,
        connections_each: 200,
        sessions_each: 20,
        analyses_each: 3,
        ..RequestLimits::AT_HOME
    };

    /// Requests a second of all who come from one address, where tokens are free.
    fn rate_from_address(&self) -> u32 {
        self.rate.saturating_mul(CALLERS_AN_ADDRESS)
    }

    /// Unfinished matches of the same.
    pub(super) fn matches_from_address(&self) -> usize {
        self.matches_each.saturating_mul(CALLERS_AN_ADDRESS as usize)
    }

    /// Each of them by its name.
    pub(super) fn by_name(&self) -> [(&'static str, usize); 13] {
        [
            (limits::REQUESTS_ADDRESS, self.rate_from_address() as usize),
            (limits::MATCHES_ADDRESS, self.matches_from_address()),
            (limits::REGISTRATIONS, self.registrations as usize),
            (limits::ANALYSES, MOST_ANALYSES),
            (limits::REQUESTS, self.rate as usize),
            (limits::STREAMS_EACH, self.streams_each),
            (limits::STREAMS, self.streams),
            (limits::MATCHES_EACH, self.matches_each),
            (limits::CONNECTIONS, self.connections),
            (limits::CONNECTIONS_EACH, self.connections_each),
            (limits::SESSIONS_EACH, self.sessions_each),
            (limits::SESSIONS, self.sessions),
            (limits::ANALYSES_EACH, self.analyses_each),
        ]
    }
}

/// What limits are called in errors and metrics.
pub(super) mod limits {
    pub(in crate::http) const REQUESTS: &str = "requests_per_second";
    pub(in crate::http) const REQUESTS_ADDRESS: &str = "requests_per_address";
    pub(in crate::http) const MATCHES_ADDRESS: &str = "matches_per_address";
    pub(in crate::http) const REGISTRATIONS: &str = "registrations_per_address";
    pub(in crate::http) const MATCHES: &str = "matches";
    pub(in crate::http) const STREAMS_EACH: &str = "streams_per_caller";
    pub(in crate::http) const STREAMS: &str = "streams";
    pub(in crate::http) const MATCHES_EACH: &str = "matches_per_caller";
    pub(in crate::http) const CONNECTIONS: &str = "connections";
    pub(in crate::http) const CONNECTIONS_EACH: &str = "connections_per_address";
    pub(in crate::http) const SESSIONS_EACH: &str = "sessions_per_caller";
    pub(in crate::http) const SESSIONS: &str = "sessions";
    pub(in crate::http) const ANALYSES_EACH: &str = "analyses_per_caller";
    pub(in crate::http) const ANALYSES: &str = "analyses";
}

/// An MCP session that says nothing for so long does not count any more; it is forgotten then.
const SESSION_LASTS: Duration = Duration::from_mins(30);

/// Who is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Counted {
    /// A registered player, whatever token or seat key it shows, or whoever has the server's token.
    Player(KeyHash),
    /// Whoever comes from there.
    Address(IpAddr),
}

impl Counted {
    /// A name that nobody else is counted under.
    pub(super) fn name(self) -> String {
        match self {
            Counted::Player(hash) => hash.to_hex(),
            Counted::Address(address) => address.to_string(),
        }
    }

    /// A registered player.
    pub(super) fn player(id: &str) -> Counted {
        Counted::Player(KeyHash::of(id))
    }

    /// An address; whoever has one of version 6 has its whole network.
    pub(super) fn address(address: IpAddr) -> Counted {
        Counted::Address(match address {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                let network = Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0);
                address.to_ipv4_mapped().map_or(network.into(), Into::into)
            }
            address @ IpAddr::V4(_) => address,
        })
    }
}

/// How often each caller may do something.
type Rate = RateLimiter<Counted, HashMapStateStore<Counted>, Timer>;

/// Counts what callers do.
#[derive(Debug)]
pub(super) struct Toll {
    limits: RequestLimits,
    /// None if requests are not limited.
    requests: Option<Rate>,
    /// The same of all who come from one address.
    crowds: Option<Rate>,
    /// None if registrations are not limited.
    registrations: Option<Rate>,
    /// Secrets that were found good lately, and whose they are; a seat key that is no player's counts for where it
    /// comes from.
    known: Mutex<HashMap<KeyHash, Option<Counted>>>,
    streams: Arc<Streams>,
    /// MCP sessions, whose they are, and when they were last heard of.
    sessions: Arc<Mutex<Sessions>>,
}

/// MCP sessions that count.
#[derive(Debug, Default)]
struct Sessions {
    open: HashMap<String, (Counted, Instant)>,
    /// Calls without one: each may begin a session, and counts as one until it is answered.
    beginning: HashMap<Counted, usize>,
}

impl Sessions {
    fn has_begun(&mut self, whose: Counted) {
        match self.beginning.get_mut(&whose) {
            Some(own) if *own > 1 => *own -= 1,
            _ => {
                self.beginning.remove(&whose);
            }
        }
    }

    fn count(&self) -> usize {
        self.open.len() + self.beginning.values().sum::<usize>()
    }
}

/// Leave to begin an MCP session. Dropped without one, it is given back.
#[derive(Debug)]
pub(super) struct NewSession {
    sessions: Arc<Mutex<Sessions>>,
    whose: Counted,
    has_begun: bool,
}

impl NewSession {
    /// The session that was begun.
    pub(super) fn begun(mut self, id: &str) {
        let mut sessions = locked(&self.sessions);
        sessions.has_begun(self.whose);
        sessions.open.insert(id.to_owned(), (self.whose, Instant::now()));
        self.has_begun = true;
    }
}

impl Drop for NewSession {
    fn drop(&mut self) {
        if !self.has_begun {
            locked(&self.sessions).has_begun(self.whose);
        }
    }
}

#[derive(Debug, Default)]
struct Streams {
    all: AtomicUsize,
    each: Mutex<HashMap<Counted, usize>>,
}

/// An open stream; it is counted as long as this lives.
#[derive(Debug)]
pub(super) struct OpenStream {
    streams: Arc<Streams>,
    whose: Counted,
}

impl Toll {
    pub(super) fn new(limits: RequestLimits) -> Toll {
        let rate = |quota: Quota| RateLimiter::new(quota, HashMapStateStore::default(), Timer);
        let a_second = |most: u32| {
            let most = NonZeroU32::new(most)?;
            Some(rate(Quota::per_second(most).allow_burst(most.saturating_mul(BURST_SECONDS))))
        };
        Toll {
            limits,
            requests: a_second(limits.rate),
            crowds: a_second(limits.rate_from_address()),
            registrations: NonZeroU32::new(limits.registrations).map(|most| rate(Quota::per_hour(most))),
            known: Mutex::default(),
            streams: Arc::default(),
            sessions: Arc::default(),
        }
    }

    pub(super) fn limits(&self) -> RequestLimits {
        self.limits
    }

    /// Counts a request.
    ///
    /// # Errors
    /// If it is one too many.
    pub(super) fn request(&self, whose: Counted) -> Result<(), ApiError> {
        let Some(requests) = &self.requests else { return Ok(()) };
        passed(requests, whose).map_err(|_| {
            let detail = format!("more than {} requests per second; slow down", self.limits.rate);
            ApiError::limited(limits::REQUESTS, self.limits.rate as usize, "too_many_requests", detail, 1)
        })
    }

    /// Counts a request of somebody who has a purse of their own for where it comes from.
    ///
    /// # Errors
    /// If it is one too many.
    pub(super) fn request_from(&self, address: Counted) -> Result<(), ApiError> {
        let Some(crowds) = &self.crowds else { return Ok(()) };
        passed(crowds, address).map_err(|_| {
            let most = self.limits.rate_from_address();
            let detail =
                format!("more than {most} requests per second from your address, whoever sends them; slow down");
            ApiError::limited(limits::REQUESTS_ADDRESS, most as usize, "too_many_requests", detail, 1)
        })
    }

    /// Counts somebody who is registered by whoever comes from there.
    ///
    /// # Errors
    /// If it is one too many.
    pub(super) fn registration(&self, address: Counted) -> Result<(), ApiError> {
        let Some(registrations) = &self.registrations else { return Ok(()) };
        passed(registrations, address).map_err(|wait| {
            let most = self.limits.registrations;
            let detail = format!("{most} players an hour can be registered from one address; use one that you have");
            let wait = wait.as_secs() + 1;
            ApiError::limited(limits::REGISTRATIONS, most as usize, "too_many_registrations", detail, wait)
        })
    }

    /// For whom a secret counts that has been found good lately.
    pub(super) fn knows(&self, secret: &KeyHash, from: Counted) -> Option<Counted> {
        locked(&self.known).get(secret).map(|whose| whose.unwrap_or(from))
    }

    /// Notes that a secret is good, and whose it is.
    pub(super) fn know(&self, secret: KeyHash, whose: Option<Counted>) {
        let mut known = locked(&self.known);
        if known.len() >= MOST_CALLERS {
            known.clear();
        }
        known.insert(secret, whose);
    }

    /// Has all secrets of somebody looked up again when they are next shown.
    pub(super) fn forget(&self, whose: Counted) {
        locked(&self.known).retain(|_, known| *known != Some(whose));
    }

    /// Leave for a caller to begin one more MCP session.
    ///
    /// # Errors
    /// If it is one too many.
    pub(super) fn reserve_session(&self, whose: Counted) -> Result<NewSession, ApiError> {
        let mut sessions = locked(&self.sessions);
        sessions.open.retain(|_, (_, heard)| heard.elapsed() < SESSION_LASTS);
        let own = sessions.open.values().filter(|(other, _)| *other == whose).count();
        let own = own + sessions.beginning.get(&whose).copied().unwrap_or(0);
        if own >= self.limits.sessions_each {
            let detail = format!("you have {own} MCP sessions, as many as one may have; end some with DELETE");
            return Err(ApiError::limited(
                limits::SESSIONS_EACH,
                self.limits.sessions_each,
                "too_many_sessions",
                detail,
                60,
            ));
        }
        if sessions.count() >= self.limits.sessions {
            let detail = "as many MCP sessions are open as there may be";
            return Err(ApiError::limited(limits::SESSIONS, self.limits.sessions, "too_many_sessions", detail, 60));
        }
        *sessions.beginning.entry(whose).or_default() += 1;
        Ok(NewSession { sessions: self.sessions.clone(), whose, has_begun: false })
    }

    /// Notes that an MCP session was heard of, where it is one that counts.
    pub(super) fn heard_of_session(&self, id: &str) {
        if let Some((_, heard)) = locked(&self.sessions).open.get_mut(id) {
            *heard = Instant::now();
        }
    }

    /// Notes that an MCP session has ended.
    pub(super) fn session_ended(&self, id: &str) {
        locked(&self.sessions).open.remove(id);
    }

    /// How many MCP sessions there are.
    pub(super) fn sessions(&self) -> usize {
        locked(&self.sessions).open.len()
    }

    /// Counts a stream, or a request that waits.
    ///
    /// # Errors
    /// If it is one too many.
    pub(super) fn stream(&self, whose: Counted) -> Result<OpenStream, ApiError> {
        let mut each = locked(&self.streams.each);
        let own = each.get(&whose).copied().unwrap_or(0);
        if own >= self.limits.streams_each {
            let detail = format!("you have {own} streams and waiting requests open, as many as one may have");
            return Err(ApiError::limited(
                limits::STREAMS_EACH,
                self.limits.streams_each,
                "too_many_streams",
                detail,
                5,
            ));
        }
        if self.streams.all.load(Ordering::Relaxed) >= self.limits.streams {
            let detail = "as many streams and waiting requests are open as there may be";
            return Err(ApiError::limited(limits::STREAMS, self.limits.streams, "too_many_streams", detail, 30));
        }
        self.streams.all.fetch_add(1, Ordering::Relaxed);
        each.insert(whose, own + 1);
        Ok(OpenStream { streams: self.streams.clone(), whose })
    }

    /// How many are open.
    pub(super) fn streams(&self) -> usize {
        self.streams.all.load(Ordering::Relaxed)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.streams.all.fetch_sub(1, Ordering::Relaxed);
        let mut each = locked(&self.streams.each);
        match each.get_mut(&self.whose) {
            Some(own) if *own > 1 => *own -= 1,
            _ => {
                each.remove(&self.whose);
            }
        }
    }
}

/// Counts one thing that somebody does; how long to wait where it is one too many.
fn passed(rate: &Rate, whose: Counted) -> Result<(), Duration> {
    let counted = rate.check_key(&whose).map_err(|until| until.wait_time_from(Timer.now()));
    if rate.len() > MOST_CALLERS {
        // Whoever was quiet for as long as a burst is as good as new, remembered or not.
        rate.retain_recent();
    }
    counted
}

/// The clock that timers go by.
#[derive(Clone, Copy, Debug)]
struct Timer;

impl Clock for Timer {
    type Instant = std::time::Instant;

    fn now(&self) -> std::time::Instant {
        Instant::now().into_std()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Counters are never left half-changed.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn toll() -> Toll {
        Toll::new(RequestLimits { rate: 10, streams_each: 2, streams: 3, sessions_each: 2, ..RequestLimits::AT_HOME })
    }

    fn address(text: &str) -> Counted {
        Counted::address(text.parse().expect("an address"))
    }

    #[tokio::test(start_paused = true)]
    async fn who_asks_too_fast_waits_and_nobody_else_does() {
        let toll = toll();
        let passed = |address| (0..100).filter(|_| toll.request(address).is_ok()).count();
        assert_eq!(passed(address("10.0.0.1")), 20);
        assert!(toll.request(address("10.0.0.2")).is_ok());
        advance(Duration::from_millis(500)).await;
        assert_eq!(passed(address("10.0.0.1")), 5);
    }

    #[tokio::test(start_paused = true)]
    async fn callers_who_are_quiet_are_forgotten() {
        let toll = toll();
        for number in 0..MOST_CALLERS {
            toll.request(Counted::player(&number.to_string())).expect("the first of each");
        }
        advance(Duration::from_secs(3)).await;
        toll.request(address("10.0.0.1")).expect("the first");
        assert_eq!(toll.requests.as_ref().map(RateLimiter::len), Some(1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_counts_until_it_ends_or_is_silent_for_long() {
        let toll = toll();
        let (one, other) = (address("10.0.0.1"), address("10.0.0.2"));
        toll.reserve_session(one).expect("two are allowed").begun("a");
        let second = toll.reserve_session(one).expect("two are allowed");
        assert!(toll.reserve_session(one).is_err(), "one is open, and one is about to be");
        drop(second);
        toll.reserve_session(one).expect("it came to nothing").begun("b");
        assert!(toll.reserve_session(one).is_err());
        drop(toll.reserve_session(other).expect("another caller"));
        toll.session_ended("a");
        toll.reserve_session(one).expect("one has ended").begun("c");
        advance(SESSION_LASTS).await;
        drop(toll.reserve_session(one).expect("all are forgotten"));
        assert_eq!(toll.sessions(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn all_of_an_address_have_five_times_what_one_has_however_many_they_are() {
        let toll = Toll::new(RequestLimits { rate: 2, registrations: 3, ..RequestLimits::AT_HOME });
        let (here, there) = (address("10.0.0.1"), address("10.0.0.2"));
        let asked = |from: Counted| {
            let players = (0..40).map(|number| Counted::player(&number.to_string()));
            players.filter(|player| toll.request(*player).is_ok() && toll.request_from(from).is_ok()).count()
        };
        assert_eq!(asked(here), 20, "two seconds of ten requests");
        assert_eq!(asked(there), 20, "another address has its own");
        advance(Duration::from_secs(1)).await;
        assert_eq!(asked(here), 10);
        let registered = |from| (0..10).filter(|_| toll.registration(from).is_ok()).count();
        assert_eq!((registered(here), registered(there), registered(here)), (3, 3, 0));
        advance(Duration::from_mins(20)).await;
        assert_eq!(registered(here), 1);
    }

    #[test]
    fn a_stream_counts_until_it_ends() {
        let toll = toll();
        let (one, two) = (address("10.0.0.1"), address("::ffff:10.0.0.1"));
        let first = toll.stream(one).expect("the first");
        let second = toll.stream(two).expect("the second");
        assert!(toll.stream(one).is_err());
        let third = toll.stream(address("2001:db8::1")).expect("another caller");
        assert!(toll.stream(address("10.0.0.9")).is_err(), "three in all");
        drop(first);
        assert_eq!(toll.streams(), 2);
        assert!(toll.stream(one).is_ok());
        drop((second, third));
        assert!(locked(&toll.streams.each).is_empty());
    }
}
