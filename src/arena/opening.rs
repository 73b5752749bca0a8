//! Opening matches, and taking their open seats.

use std::sync::Arc;

use super::answers::{IdempotencyKey, KeySource, Question, SeatedAnswer, source};
use super::live::Live;
use super::remote::Mailbox;
use super::seats::{Chair, Holder};
use super::task::Command;
use super::{Arena, ArenaError, HouseSeat, Joining, MatchRequest, Opened, SeatChoice, SeatHandle, SeatKey, key};
use crate::games::dice::Seed;
use crate::games::seat::Seat;
use crate::games::table::Table;
use crate::matches::SeatInfo;
use crate::store::{Change, KeyHash, StoreError, Ticket};

impl Arena {
    /// Opens a match. It begins when every seat is taken.
    ///
    /// # Errors
    /// If the rules do not allow it, a guest cannot come, or there are too many matches.
    pub async fn open(&self, request: &MatchRequest) -> Result<Opened, ArenaError> {
        self.open_once(request, None).await
    }

    /// The same with a key with which the answer can be asked for again: the same match with the same keys.
    ///
    /// # Errors
    /// Likewise, and if the key came with another request.
    pub async fn open_once(&self, request: &MatchRequest, key: Option<&IdempotencyKey>) -> Result<Opened, ArenaError> {
        let (arena, request, key) = (self.clone(), request.clone(), key.cloned());
        self.shielded(async move {
            let asked = asked(&request);
            let question = key.as_ref().map(|key| Question::new(key, "open", &asked));
            if let Some(answer) = arena.answered(question.as_ref()).await? {
                return arena.opened_before(question.as_ref(), &answer).await;
            }
            match arena.open_now(&request, question.as_ref()).await {
                // Perhaps the same came twice at once, and this one was the second.
                Err(error) => match arena.answered(question.as_ref()).await? {
                    Some(answer) => arena.opened_before(question.as_ref(), &answer).await,
                    None => Err(error),
                },
                opened => opened,
            }
        })
        .await
    }

    /// Whether a match was opened by this very request before.
    ///
    /// # Errors
    /// If the key came with another request, or the store fails.
    pub async fn was_opened(&self, request: &MatchRequest, key: Option<&IdempotencyKey>) -> Result<bool, ArenaError> {
        let question = key.map(|key| Question::new(key, "open", &asked(request)));
        Ok(self.answered::<SeatedAnswer>(question.as_ref()).await?.is_some())
    }

    /// The answer to whoever opened a match, once more.
    async fn opened_before(
        &self,
        question: Option<&Question<'_>>,
        answer: &SeatedAnswer,
    ) -> Result<Opened, ArenaError> {
        let source = source(question, &answer.salt);
        let live = self.watch(&answer.match_id).await?;
        let mut mine = Vec::new();
        for (info, _) in live.chairs() {
            let key = source.seat_key(Some(info.seat))?;
            if live.seat_of(&key.hash()) == Some(info.seat) {
                mine.push((SeatHandle { arena: self.clone(), live: live.clone(), seat: info.seat }, key));
            }
        }
        let invite = source.invite()?;
        let invite = live.is_invite(&invite).then_some(invite);
        Ok(Opened { live, mine, invite })
    }

    async fn open_now(&self, request: &MatchRequest, question: Option<&Question<'_>>) -> Result<Opened, ArenaError> {
        for invited in &request.chairs {
            match invited {
                SeatChoice::Player(player) => self.check_room_for(player)?,
                SeatChoice::Me(name) => drop(self.guest_name(name).await?),
                SeatChoice::Person | SeatChoice::House(_) | SeatChoice::Anybody => {}
            }
        }
        let is_open = request.chairs.contains(&SeatChoice::Anybody);
        let salt = key::digits::<26>()?;
        let source = source(question, &salt);
        let invite = if is_open { Some(source.invite()?) } else { None };
        let (live, keys) = self.lay(request, &source)?;
        let live = live.inviting(invite.as_deref().map(KeyHash::of));
        let answer = SeatedAnswer { match_id: live.id().to_owned(), seat: None, salt: salt.clone() };
        let answer = self.keep_answer(question.map(|question| question.answered(&answer)));
        let live = self.admit_new(live, answer.into_iter().collect()).await?;
        let seated = |(seat, key)| (SeatHandle { arena: self.clone(), live: live.clone(), seat }, key);
        Ok(Opened { mine: keys.into_iter().map(seated).collect(), live, invite })
    }

    /// Opens a match from the queue that counts on the ladder, and notes on the tickets that they have it. The fence is
    /// the queue's.
    pub(super) async fn open_rated(
        &self,
        request: &MatchRequest,
        tickets: &[Ticket],
        fence: Change,
    ) -> Result<Arc<Live>, ArenaError> {
        let (live, _) = self.lay(request, &KeySource::Chance)?;
        let live = live.rated_if(true);
        let matched = tickets.iter().map(|ticket| {
            let match_id = Some(live.id().to_owned());
            Change::Queue(Ticket { match_id, ..ticket.clone() })
        });
        let matched = std::iter::once(fence).chain(matched).collect();
        self.admit_new(live, matched).await
    }

    /// A new match with its table laid and its chairs taken, and the keys of those who are not the house's.
    fn lay(&self, request: &MatchRequest, source: &KeySource<'_>) -> Result<(Live, Vec<(Seat, SeatKey)>), ArenaError> {
        self.make_room()?;
        let seed = match request.seed {
            Some(seed) => seed,
            None => Seed(getrandom::u64().map_err(|error| ArenaError::NoChance(error.to_string()))?),
        };
        let seats = request.chairs.len();
        let table = Table::open(request.ruleset.clone(), seats, seed).map_err(ArenaError::Refused)?;
        let is_mine = |invited: &SeatChoice| matches!(invited, SeatChoice::Me(_) | SeatChoice::Player(_));
        let mine = request.chairs.iter().position(is_mine);
        let mut keys = Vec::new();
        let mut chairs = Vec::new();
        for (seat, invited) in Seat::first(seats).zip(&request.chairs) {
            let guest = |name: &str| SeatInfo::guest(seat, name);
            let mut holding = |player: Option<Arc<str>>| {
                let key = source.seat_key(Some(seat))?;
                let holder = Holder::Key(key.hash(), player);
                keys.push((seat, key));
                Ok::<Holder, ArenaError>(holder)
            };
            let (info, holder) = match invited {
                SeatChoice::Me(name) => (guest(name), holding(None)?),
                SeatChoice::Player(player) => {
                    let info = SeatInfo { identity: Some(player.identity()), ..guest(&player.name) };
                    (info, holding(Some(player.id.clone()))?)
                }
                SeatChoice::Person => {
                    let with = mine.ok_or_else(|| ArenaError::Guest("a person sits beside a player".to_owned()))?;
                    (guest("human"), Holder::With(Seat::new(with)))
                }
                SeatChoice::House(name) => {
                    let language = request.settings.language;
                    let payer = request.settings.payer;
                    let place = HouseSeat { seat, seats, ruleset: request.ruleset.clone(), seed, language, payer };
                    // Asked now so that whoever cannot come is known before anybody waits for them.
                    let guest = self.inner.context.guests.invite(name, &place).map_err(ArenaError::Guest)?;
                    (guest.info, Holder::House)
                }
                SeatChoice::Anybody => (guest("open"), Holder::Open),
            };
            chairs.push(Chair { info, holder, mail: Mailbox::default() });
        }
        Ok((Live::new(key::match_id()?, request.settings, seed, table, chairs), keys))
    }

    /// Writes a new match down, with what goes with it, and lets it begin.
    async fn admit_new(&self, live: Live, beside: Vec<Change>) -> Result<Arc<Live>, ArenaError> {
        if let Some(archive) = &self.inner.context.archive {
            archive.open(&live, beside).await?;
        }
        live.attend();
        self.welcome(Arc::new(live)).await
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
        self.join_once(match_id, seat, who, invite, None).await
    }

    /// The same with a key with which the answer can be asked for again: the same seat with the same key.
    ///
    /// # Errors
    /// Likewise, and if the key came with another request.
    pub async fn join_once(
        &self,
        match_id: &str,
        seat: Option<Seat>,
        who: &Joining,
        invite: Option<&str>,
        key: Option<&IdempotencyKey>,
    ) -> Result<(SeatHandle, SeatKey), ArenaError> {
        let (arena, match_id, who, key) = (self.clone(), match_id.trim().to_owned(), who.clone(), key.cloned());
        let invite = invite.map(str::to_owned);
        self.shielded(async move {
            let asked = format!("{match_id} {seat:?} {who:?} {invite:?}");
            let question = key.as_ref().map(|key| Question::new(key, "join", &asked));
            if let Some(answer) = arena.answered(question.as_ref()).await? {
                return arena.joined_before(question.as_ref(), &answer).await;
            }
            let mut joined = arena.join_now(&match_id, seat, &who, invite.as_deref(), question.as_ref()).await;
            if matches!(joined, Err(ArenaError::Store(StoreError::Fenced(_) | StoreError::Closed))) {
                // It was put away, or another process plays it by now.
                joined = arena.join_now(&match_id, seat, &who, invite.as_deref(), question.as_ref()).await;
            }
            match joined {
                // Perhaps the same came twice at once: the seat is taken, by this very request.
                Err(error) => match arena.answered(question.as_ref()).await? {
                    Some(answer) => arena.joined_before(question.as_ref(), &answer).await,
                    None => Err(error),
                },
                joined => joined,
            }
        })
        .await
    }

    /// The answer to whoever took a seat, once more.
    async fn joined_before(
        &self,
        question: Option<&Question<'_>>,
        answer: &SeatedAnswer,
    ) -> Result<(SeatHandle, SeatKey), ArenaError> {
        let key = source(question, &answer.salt).seat_key(None)?;
        Ok((self.seat(&key).await?, key))
    }

    async fn join_now(
        &self,
        match_id: &str,
        seat: Option<Seat>,
        who: &Joining,
        invite: Option<&str>,
        question: Option<&Question<'_>>,
    ) -> Result<(SeatHandle, SeatKey), ArenaError> {
        let live = self.watch(match_id).await?;
        if live.is_private() && !invite.is_some_and(|code| live.is_invite(code)) {
            return Err(ArenaError::NotInvited);
        }
        let salt = key::digits::<26>()?;
        let key = source(question, &salt).seat_key(None)?;
        let (name, player) = match who {
            Joining::Named(name) => (self.guest_name(name).await?, None),
            Joining::Player(player) => {
                if let Some(seat) = live.seats_of(&player.id).first() {
                    return Err(ArenaError::AlreadySeated(*seat));
                }
                self.check_room_for(player)?;
                (player.name.to_string(), Some(player.id.clone()))
            }
        };
        let holder = Holder::Key(key.hash(), player);
        let answer = SeatedAnswer { match_id: live.id().to_owned(), seat, salt: salt.clone() };
        let beside = self.keep_answer(question.map(|question| question.answered(&answer)));
        let join = |answer| Command::Join { wanted: seat, holder: holder.clone(), name, beside, answer };
        let joined = live.ask(join).await;
        let seat = joined.unwrap_or(Err(ArenaError::Store(StoreError::Closed)))?;
        self.index().seat(&live, &holder);
        Ok((SeatHandle { arena: self.clone(), live, seat }, key))
    }
}

/// All that makes a request for a match what it is.
fn asked(request: &MatchRequest) -> String {
    let MatchRequest { ruleset, chairs, seed, settings } = request;
    let ruleset = serde_json::to_string(&**ruleset).unwrap_or_default();
    format!("{ruleset} {chairs:?} {seed:?} {settings:?}")
}
