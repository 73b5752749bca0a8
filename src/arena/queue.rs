//! Matchmaking: whoever waits is brought together with those of about the same rating.
//!
//! A ticket is in the store before it is acknowledged, and a match is opened in the same write that takes its players out
//! of the queue: whatever happens to the process, a player waits or has a match, never both or neither.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::MutexGuard;
use tokio::time::Instant;

use super::answers::{IdempotencyKey, Question};
use super::live::now;
use super::players::{self, Registered};
use super::process::ClaimError;
use super::purses::{CallerPurses, ReservedMatch};
use super::request::{MatchRequest, MatchSettings, SeatChoice};
use super::view::Stage;
use super::{Arena, ArenaError};
use crate::games::dice::Seed;
use crate::games::ruleset::Ruleset;
use crate::matches::elo;
use crate::store::{Change, Pace, StoreError, Ticket};

/// So many points of Elo apart players may be at once …
const WINDOW: f64 = 100.0;

/// … and so many more for every second that one of them has waited.
const WIDENING: f64 = 50.0;

/// What the process owns that keeps the queue.
const QUEUE: &str = "queue";

/// How often those who wait are looked at.
const LOOK: Duration = Duration::from_millis(250);

/// What a player waits for in the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueRequest {
    /// A match of this ruleset.
    pub mode: String,
    /// With so many at the table; by default as many as usually play.
    pub players: Option<usize>,
    /// Whether bots may fill up.
    pub bots: bool,
    /// By these clocks.
    pub pace: Pace,
}

/// How a player stands in the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Queued {
    /// It is not in it.
    Idle,
    /// In the queue, without opponents so far.
    Waiting {
        /// For a match of this ruleset.
        mode: String,
        /// By these clocks.
        pace: Pace,
        /// Whether bots may fill up.
        bots: bool,
        /// Since when, in milliseconds since 1970.
        since: i64,
        /// How many who want the same came before it, and itself.
        position: usize,
    },
    /// It has a match.
    Matched {
        /// Of this ruleset.
        mode: String,
        /// The match that came of it.
        match_id: String,
    },
}

/// The tickets of everybody who waits in the queue.
#[derive(Default)]
pub(super) struct Queue {
    /// Since which change of hands this process keeps the queue, if it does.
    epoch: Option<u64>,
    tickets: HashMap<Arc<str>, QueueEntry>,
    /// How many have come.
    count: u64,
    /// Whether somebody looks after those who wait.
    is_tended: bool,
}

/// A ticket and who has it.
struct QueueEntry {
    ticket: Ticket,
    player: Registered,
    elo: f64,
    /// Since when it waits, on the clock that never goes back.
    begun: Instant,
    /// Who came first, where the clock does not tell.
    number: u64,
    /// The match to come, where it counts for whoever asked.
    reserved: Option<ReservedMatch>,
}

impl QueueEntry {
    fn waits(&self) -> bool {
        self.ticket.match_id.is_none()
    }

    /// Whether both wait for a match of the same ruleset by the same clocks.
    fn wants_the_same(&self, other: &QueueEntry) -> bool {
        (&self.ticket.mode, self.ticket.pace) == (&other.ticket.mode, other.ticket.pace)
    }

    /// When it came, before or after others.
    fn came(&self) -> (Instant, u64) {
        (self.begun, self.number)
    }

    /// How far from its own rating others may be.
    fn window(&self) -> f64 {
        WINDOW + WIDENING * self.begun.elapsed().as_secs_f64()
    }
}

/// A match that is to begin.
struct Party {
    ruleset: Arc<Ruleset>,
    players: Vec<Registered>,
    /// So many players of the house fill up.
    bots: usize,
}

impl Arena {
    /// Lets a player wait for a match. Who waits already, or has a match from the queue that is not over, stays as it is.
    ///
    /// # Errors
    /// If there is no such ruleset or it does not take so many, the player has too many matches, or it cannot be kept.
    pub async fn queue(&self, player: &Registered, wanted: &QueueRequest) -> Result<Queued, ArenaError> {
        self.queue_once(player, wanted, None, None).await
    }

    /// The same for whoever has changed its mind: a ticket with which it waits for something else is replaced.
    ///
    /// # Errors
    /// Likewise, and if a purse is full that the match would count in.
    pub async fn queue_anew(
        &self,
        player: &Registered,
        wanted: &QueueRequest,
        purses: Option<&CallerPurses>,
    ) -> Result<Queued, ArenaError> {
        let (arena, player, wanted, purses) = (self.clone(), player.clone(), wanted.clone(), purses.cloned());
        self.shielded(async move {
            match arena.queue_now(&player, &wanted, None, purses.as_ref(), true).await {
                Err(ArenaError::Store(StoreError::Fenced(_))) => {
                    arena.queue_now(&player, &wanted, None, purses.as_ref(), true).await
                }
                queued => queued,
            }
        })
        .await
    }

    /// The same with a key with which the answer can be asked for again: how it stands with that ticket by then, and no
    /// second one.
    ///
    /// # Errors
    /// Likewise, if the key came with another request, and if a purse is full that the match would count in.
    pub async fn queue_once(
        &self,
        player: &Registered,
        wanted: &QueueRequest,
        key: Option<&IdempotencyKey>,
        purses: Option<&CallerPurses>,
    ) -> Result<Queued, ArenaError> {
        let (arena, player, wanted, key) = (self.clone(), player.clone(), wanted.clone(), key.cloned());
        let purses = purses.cloned();
        self.shielded(async move {
            let QueueRequest { mode, players, bots, pace } = &wanted;
            let asked = format!("{mode} {players:?} {bots} {pace:?}");
            let question = key.as_ref().map(|key| Question::new(key, "queue", &asked));
            match arena.queue_now(&player, &wanted, question.as_ref(), purses.as_ref(), false).await {
                // Another process keeps the queue by now, or has kept it until now.
                Err(ArenaError::Store(StoreError::Fenced(_))) => {
                    arena.queue_now(&player, &wanted, question.as_ref(), purses.as_ref(), false).await
                }
                queued => queued,
            }
        })
        .await
    }

    async fn queue_now(
        &self,
        player: &Registered,
        wanted: &QueueRequest,
        question: Option<&Question<'_>>,
        purses: Option<&CallerPurses>,
        is_anew: bool,
    ) -> Result<Queued, ArenaError> {
        let QueueRequest { mode, players, bots, pace } = wanted;
        let mode = mode.trim().replace('_', "-");
        let ruleset = Ruleset::named(&mode).map_err(|_| ArenaError::NoMode(crate::settings::shorten(&mode)))?;
        if let Some(players) = *players {
            ruleset.check_players(players).map_err(ArenaError::Refused)?;
        }
        let mut queue = self.tickets().await?;
        if let Some(since) = self.answered::<i64>(question).await? {
            return Ok(queue.standing_since(&player.id, since));
        }
        match queue.standing(&player.id) {
            Queued::Idle => {}
            Queued::Waiting { mode: other, pace: by, bots: with, .. }
                if is_anew && (&other, by, with) != (&mode, *pace, *bots) => {}
            Queued::Matched { match_id, .. } if self.is_over(&match_id).await => {}
            standing => return Ok(standing),
        }
        self.check_room_for(player)?;
        // A ticket that is replaced has its match counted already.
        let is_counted = queue.tickets.get(&player.id).is_some_and(|entry| entry.reserved.is_some());
        let reserved = purses.filter(|_| !is_counted).map(CallerPurses::reserve).transpose()?;
        let ticket = Ticket {
            player: player.id.to_string(),
            mode,
            players: players.and_then(|players| u32::try_from(players).ok()),
            bots: *bots,
            pace: *pace,
            since: now(),
            match_id: None,
        };
        let elo = self.elo_of(player, &ticket.mode).await?;
        let answer = question.map(|question| question.answered(&ticket.since));
        let answer = self.keep_answer(answer);
        self.write_queue(&mut queue, std::iter::once(Change::Queue(ticket.clone())).chain(answer).collect()).await?;
        queue.admit(ticket, player.clone(), elo, Instant::now(), reserved);
        self.pair(&mut queue).await;
        self.tend(&mut queue);
        Ok(queue.standing(&player.id))
    }

    /// How a player stands in the queue.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn queue_status(&self, player: &Registered) -> Result<Queued, ArenaError> {
        let queue = self.tickets().await?;
        Ok(queue.standing(&player.id))
    }

    /// Takes a player out of the queue. A match that it has got stays.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub async fn leave_queue(&self, player: &Registered) -> Result<Queued, ArenaError> {
        let (arena, player) = (self.clone(), player.clone());
        self.shielded(async move {
            let mut queue = arena.tickets().await?;
            if queue.tickets.contains_key(&player.id) {
                let unqueue = Change::Unqueue { player: player.id.to_string() };
                arena.write_queue(&mut queue, vec![unqueue]).await?;
                queue.tickets.remove(&player.id);
            }
            Ok(Queued::Idle)
        })
        .await
    }

    /// Looks after those who waited when an earlier arena on the same store closed.
    pub(super) async fn take_up_queue(&self) -> Result<(), ArenaError> {
        // Only an arena that somebody has queued in before needs to have one now.
        if !self.store()?.tickets().await?.iter().any(|ticket| ticket.match_id.is_none()) {
            return Ok(());
        }
        match self.tickets().await {
            Ok(mut queue) => self.tend(&mut queue),
            Err(ArenaError::QueueElsewhere(_)) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// The tickets, read from the store when they are first asked for.
    async fn tickets(&self) -> Result<MutexGuard<'_, Queue>, ArenaError> {
        let store = self.store()?;
        self.let_go().await;
        let mut queue = self.inner.queue.lock().await;
        if queue.epoch.is_none() {
            let archive = self.inner.context.archive.as_ref().ok_or(ArenaError::NoStore)?;
            let epoch = archive.process().claim(QUEUE).await.map_err(|error| match error {
                ClaimError::Elsewhere(process) => ArenaError::QueueElsewhere(process),
                ClaimError::Failed(error) => error,
            })?;
            let mut left = Vec::new();
            for ticket in store.tickets().await? {
                // Whoever waits by the word of an assistant asks again and again, and is put back then. Where it waited is
                // gone, and perhaps so is the assistant: nobody is to be brought together with it.
                if ticket.match_id.is_none() && players::is_assistant(&ticket.player) {
                    left.push(Change::Unqueue { player: ticket.player });
                    continue;
                }
                let Some(info) = store.player(&ticket.player).await? else { continue };
                let player = Registered::from(info);
                let elo = self.elo_of(&player, &ticket.mode).await?;
                let waited = Duration::from_millis(u64::try_from(now().saturating_sub(ticket.since)).unwrap_or(0));
                let begun = Instant::now().checked_sub(waited).unwrap_or_else(Instant::now);
                queue.admit(ticket, player, elo, begun, None);
            }
            queue.epoch = Some(epoch);
            if !left.is_empty() {
                self.write_queue(&mut queue, left).await?;
            }
        }
        Ok(queue)
    }

    /// Forgets the queue if another process keeps it by now.
    pub(super) async fn let_go_of_queue(&self) -> Result<(), ArenaError> {
        let Some(archive) = &self.inner.context.archive else { return Ok(()) };
        // Whoever holds it is about to ask for a match, and must not wait for this: what it writes is refused if it must be.
        let Ok(mut queue) = self.inner.queue.try_lock() else { return Ok(()) };
        if let Some(epoch) = queue.epoch
            && !archive.process().has(QUEUE, epoch).await?
        {
            *queue = Queue::default();
        }
        Ok(())
    }

    /// Writes what changes in the queue, if this process still keeps it.
    async fn write_queue(&self, queue: &mut Queue, changes: Vec<Change>) -> Result<(), ArenaError> {
        let changes = std::iter::once(queue.fence()).chain(changes).collect();
        let written = self.store()?.write(changes).await;
        if matches!(written, Err(StoreError::Fenced(_))) {
            *queue = Queue::default();
        }
        Ok(written?)
    }

    /// Whether nothing comes of a match any more: it is over, or was cleared away.
    async fn is_over(&self, match_id: &str) -> bool {
        match self.watch(match_id).await {
            Ok(live) => live.stage() == Stage::Over,
            Err(error) => matches!(error, ArenaError::NoMatch(_)),
        }
    }

    async fn elo_of(&self, player: &Registered, mode: &str) -> Result<f64, ArenaError> {
        let ratings = self.store()?.ratings(&player.identity()).await?;
        Ok(ratings.into_iter().find(|at| at.ruleset == mode).map_or(elo::START, |at| at.elo))
    }

    /// Looks at those who wait again and again, until nobody does.
    fn tend(&self, queue: &mut Queue) {
        if queue.is_tended || !queue.tickets.values().any(QueueEntry::waits) {
            return;
        }
        queue.is_tended = true;
        let arena = self.clone();
        self.inner.tasks.spawn(async move {
            loop {
                tokio::select! {
                    () = tokio::time::sleep(LOOK) => {}
                    () = arena.inner.closing.cancelled() => return,
                }
                let mut queue = arena.inner.queue.lock().await;
                arena.pair(&mut queue).await;
                if queue.epoch.is_none() || !queue.tickets.values().any(QueueEntry::waits) {
                    queue.is_tended = false;
                    return;
                }
            }
        });
    }

    /// Begins every match that can begin.
    async fn pair(&self, queue: &mut Queue) {
        while let Some(party) = queue.party(self.inner.limits.queue_wait) {
            if let Err(error) = self.begin_party(queue, &party).await {
                if matches!(error, ArenaError::Store(StoreError::Fenced(_))) {
                    tracing::info!("another process keeps the queue now");
                    *queue = Queue::default();
                    return;
                }
                tracing::warn!(%error, "those who wait for a match go on waiting");
                return;
            }
        }
    }

    async fn begin_party(&self, queue: &mut Queue, party: &Party) -> Result<(), ArenaError> {
        let mut chairs: Vec<SeatChoice> = party.players.iter().cloned().map(SeatChoice::Player).collect();
        if party.bots > 0 {
            let filler =
                self.inner.context.guests.filler().ok_or_else(|| ArenaError::Guest("no bot can fill up".to_owned()))?;
            chairs.extend(std::iter::repeat_n(SeatChoice::House(filler), party.bots));
        }
        // Nobody has a seat by having waited longer.
        let seed = Seed(getrandom::u64().map_err(|error| ArenaError::NoChance(error.to_string()))?);
        let mut dice = seed.child("seats", 0).dice();
        for last in (1..chairs.len()).rev() {
            let other = dice.below(u32::try_from(last + 1).expect("a table has few seats")) as usize;
            chairs.swap(last, other);
        }
        let settings = MatchSettings { ticks: true, ..MatchSettings::default() };
        let request = MatchRequest { ruleset: party.ruleset.clone(), chairs, seed: None, settings };
        let mut matched = Vec::new();
        for player in &party.players {
            matched.extend(queue.tickets.get(&player.id).map(|entry| entry.ticket.clone()));
        }
        let live = self.open_rated(&request, &matched, queue.fence()).await?;
        for player in &party.players {
            if let Some(entry) = queue.tickets.get_mut(&player.id) {
                entry.ticket.match_id = Some(live.id().to_owned());
                if let Some(reserved) = entry.reserved.take() {
                    reserved.opened(&live);
                }
            }
        }
        Ok(())
    }
}

impl Queue {
    /// How it stands with a player.
    fn standing(&self, player: &str) -> Queued {
        let Some(entry) = self.tickets.get(player) else { return Queued::Idle };
        let Ticket { mode, pace, bots, since, match_id, .. } = &entry.ticket;
        if let Some(match_id) = match_id {
            return Queued::Matched { mode: mode.clone(), match_id: match_id.clone() };
        }
        let earlier = |other: &&QueueEntry| other.waits() && other.wants_the_same(entry) && other.came() < entry.came();
        let position = 1 + self.tickets.values().filter(earlier).count();
        Queued::Waiting { mode: mode.clone(), pace: *pace, bots: *bots, since: *since, position }
    }

    /// The same, if it is still by the ticket of that time.
    fn standing_since(&self, player: &str, since: i64) -> Queued {
        match self.tickets.get(player) {
            Some(entry) if entry.ticket.since == since => self.standing(player),
            _ => Queued::Idle,
        }
    }

    /// What every write to the queue carries.
    fn fence(&self) -> Change {
        Change::Fence { name: QUEUE.to_owned(), epoch: self.epoch.unwrap_or(0) }
    }

    fn admit(&mut self, ticket: Ticket, player: Registered, elo: f64, begun: Instant, reserved: Option<ReservedMatch>) {
        self.count += 1;
        let reserved = reserved.or_else(|| self.tickets.remove(&player.id)?.reserved);
        let entry = QueueEntry { ticket, elo, begun, number: self.count, player: player.clone(), reserved };
        self.tickets.insert(player.id, entry);
    }

    /// Who can play now.
    fn party(&self, patience: Duration) -> Option<Party> {
        let mut waiting: Vec<&QueueEntry> = self.tickets.values().filter(|entry| entry.waits()).collect();
        waiting.sort_by_key(|entry| entry.came());
        waiting.iter().find_map(|first| party_of(first, &waiting, patience))
    }
}

/// The match that one of those who wait can have now.
fn party_of(first: &QueueEntry, waiting: &[&QueueEntry], patience: Duration) -> Option<Party> {
    let ruleset = Ruleset::named(&first.ticket.mode).ok()?;
    let ruleset = match first.ticket.pace {
        Pace::Live => ruleset.live(),
        Pace::OwnPace => ruleset,
    };
    let wanted = |entry: &QueueEntry| entry.ticket.players.map_or(ruleset.players.default, |players| players as usize);
    let number = wanted(first);
    let apart = |entry: &QueueEntry| (entry.elo - first.elo).abs();
    let same = |entry: &&&QueueEntry| entry.wants_the_same(first) && wanted(entry) == number;
    let mut near: Vec<&QueueEntry> = waiting.iter().filter(same).copied().collect();
    near.sort_by(|one, other| apart(one).total_cmp(&apart(other)).then(one.came().cmp(&other.came())));
    let is_first = |entry: &&QueueEntry| entry.player.id == first.player.id;
    let others = near.into_iter().filter(|entry| !is_first(entry) && apart(entry) <= first.window());
    let others: Vec<&QueueEntry> = others.collect();
    let with = |others: &[&QueueEntry], bots: usize| {
        let players = std::iter::once(first).chain(others.iter().copied()).map(|entry| entry.player.clone()).collect();
        Some(Party { ruleset: Arc::new(ruleset.clone()), players, bots })
    };
    if others.len() + 1 >= number {
        return with(&others[..number - 1], 0);
    }
    if first.begun.elapsed() < patience {
        return None;
    }
    let all = || std::iter::once(&first).chain(&others);
    let allowing: Vec<&QueueEntry> = others.iter().copied().filter(|entry| entry.ticket.bots).collect();
    if all().all(|entry| entry.ticket.bots) {
        return with(&others, number - others.len() - 1);
    }
    // Who has not said how many there must be is content with fewer.
    if others.len() + 1 >= ruleset.players.min.max(2) && all().all(|entry| entry.ticket.players.is_none()) {
        return with(&others, 0);
    }
    if first.ticket.bots { with(&allowing, number - allowing.len() - 1) } else { None }
}
