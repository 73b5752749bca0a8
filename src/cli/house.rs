//! Whom the house can send to a seat: bots, and the models of the configuration.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::invite;
use super::seat::PlayerSpec;
use crate::arena::{HousePlayer, HousePlayers, HouseSeat, Payer};
use crate::bots::{BOTS, BotSpec, Budget};
use crate::briefs::{Language, bot_sentence};
use crate::games::Seat;
use crate::http::Card;
use crate::players::model::{Journal, Lease, LeaseRequest, Ledger, Limiter, RunBudget, Spent, Withheld, lease_beside};
use crate::players::{BotPlayer, Profile};

/// A search by the clock is allowed as long as one that does so many playouts takes.
const PLAYOUTS_PER_MILLI: u64 = 10;

/// Bots and configured models. Programs and files are never among them: whoever may open a match from elsewhere must not
/// start anything on this machine.
pub(crate) struct ConfiguredPlayers {
    profiles: Vec<Profile>,
    budget: Arc<RunBudget>,
    journal: Arc<dyn Journal>,
    /// How hard a bot may think; unlimited by default.
    most_playouts: Option<u32>,
    /// What one caller may have of the budget, in dollars.
    share: Option<f64>,
    /// What each has had.
    shares: Mutex<HashMap<Payer, Arc<RunBudget>>>,
    /// What each had before this process began.
    before: Vec<(Payer, Seat, Spent)>,
}

impl ConfiguredPlayers {
    /// Bots, and these models out of one purse.
    pub(crate) fn new(profiles: Vec<Profile>, budget: Arc<RunBudget>, journal: Arc<dyn Journal>) -> ConfiguredPlayers {
        let (most_playouts, share) = (None, None);
        let before = Vec::new();
        ConfiguredPlayers { profiles, budget, journal, most_playouts, share, shares: Mutex::default(), before }
    }

    /// The same for callers who need not be trusted: bots think no harder than this, and nobody has more than a share of
    /// the budget.
    pub(crate) fn limited(self, most_playouts: u32, share: Option<f64>) -> ConfiguredPlayers {
        ConfiguredPlayers { most_playouts: Some(most_playouts), share, ..self }
    }

    /// The same where callers have had this much of their shares.
    pub(crate) fn having_spent(self, before: Vec<(Payer, Seat, Spent)>) -> ConfiguredPlayers {
        ConfiguredPlayers { before, ..self }
    }

    /// The names of models that cost money.
    pub(crate) fn priced(&self) -> Vec<&str> {
        let priced = self.profiles.iter().filter(|profile| profile.price.is_some());
        priced.map(|profile| profile.name.as_str()).collect()
    }

    /// Whether a bot thinks no harder than it may.
    fn check(&self, spec: &BotSpec) -> Result<(), String> {
        let (Some(most), BotSpec::Search(budget)) = (self.most_playouts, spec) else { return Ok(()) };
        let longest = Duration::from_millis(u64::from(most) / PLAYOUTS_PER_MILLI);
        match budget {
            Budget::Nodes(nodes) if *nodes > most => Err(format!(
                "`search:{nodes}` is more than this server allows: at most `search:{most}` (serve --max-playouts)"
            )),
            Budget::Time(time) if *time > longest => Err(format!(
                "`{spec}` is longer than this server allows: at most `search:{}ms` (serve --max-playouts)",
                longest.as_millis()
            )),
            Budget::Nodes(_) | Budget::Time(_) => Ok(()),
        }
    }

    /// The purse out of which a caller's models are paid.
    fn purse(&self, payer: Option<Payer>) -> Arc<dyn Limiter> {
        let Some(share) = self.share else { return self.budget.clone() };
        // Whoever cannot be told from others has one share with them.
        let payer = payer.unwrap_or(Payer::of(""));
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = || {
            let mut ledger = Ledger::default();
            for (_, seat, spent) in self.before.iter().filter(|(other, ..)| *other == payer) {
                ledger.add(None, *seat, *spent);
            }
            Arc::new(RunBudget::new(Some(share), None).after(ledger))
        };
        let own = shares.entry(payer).or_insert_with(fresh).clone();
        Arc::new(SharedPurse { own, all: self.budget.clone() })
    }

    /// Everybody, as they are offered.
    pub(crate) fn cards(&self) -> Vec<Card> {
        let bots = BOTS.iter().map(|name| Card {
            name: (*name).to_owned(),
            is_model: false,
            en: bot_sentence(name, Language::En),
            zh: bot_sentence(name, Language::Zh),
        });
        let models = self.profiles.iter().map(|profile| {
            let name = profile.name.clone();
            Card { en: format!("A model: {name}."), zh: format!("语言模型：{name}。"), name, is_model: true }
        });
        bots.chain(models).collect()
    }

    fn known(&self) -> String {
        let names: Vec<String> = self.names();
        format!("{}, `open` and `human`", names.join(", "))
    }
}

impl HousePlayers for ConfiguredPlayers {
    fn names(&self) -> Vec<String> {
        let bots = BOTS.iter().map(|name| (*name).to_owned());
        bots.chain(self.profiles.iter().map(|profile| profile.name.clone())).collect()
    }

    fn invite(&self, name: &str, place: &HouseSeat) -> Result<HousePlayer, String> {
        let seated = PlayerSpec::parse(name, &self.profiles.clone().into());
        let nobody = || format!("no player `{}` here; available: {}", crate::settings::shorten(name), self.known());
        let is_known = |profile: &Profile| self.profiles.iter().any(|known| known.name == profile.name);
        let seated = match seated {
            Ok(PlayerSpec::Bot(spec)) => {
                self.check(&spec)?;
                PlayerSpec::Bot(spec)
            }
            // A model that nobody configured would be somebody else's bill.
            Ok(PlayerSpec::Model(profile)) if is_known(&profile) => PlayerSpec::Model(profile),
            Err(super::seat::SeatError::Bot(error)) => return Err(error.to_string()),
            Ok(_) | Err(_) => return Err(nobody()),
        };
        let language: Language = place.language;
        let info = invite::seat_info(place.seat, &seated, language).map_err(|failure| failure.to_string())?;
        let player: Box<dyn crate::players::Player> = match &seated {
            PlayerSpec::Bot(spec) => {
                Box::new(BotPlayer::new(spec.seat(place.seed.child("bot", place.seat.index() as u64))))
            }
            PlayerSpec::Model(profile) => {
                let model = invite::model(profile, self.purse(place.payer), self.journal.clone())
                    .map_err(|failure| failure.to_string())?;
                model.seat(language)
            }
            PlayerSpec::Human | PlayerSpec::Process(_) | PlayerSpec::Scripted(_) | PlayerSpec::Agent(_) => {
                return Err(nobody());
            }
        };
        Ok(HousePlayer { info, player })
    }
}

/// A caller's share of the budget, and the budget itself: a request must fit into both.
struct SharedPurse {
    own: Arc<RunBudget>,
    all: Arc<RunBudget>,
}

impl Limiter for SharedPurse {
    fn lease<'a>(&'a self, wanted: LeaseRequest<'a>) -> BoxFuture<'a, Result<Box<dyn Lease>, Withheld>> {
        Box::pin(async move {
            let own = self.own.lease(wanted).await.map_err(|withheld| match withheld {
                Withheld::Money { max, spent, next } => Withheld::Share { max, spent, next },
                other => other,
            })?;
            lease_beside(own, &*self.all, wanted).await
        })
    }

    fn stopped(&self) -> BoxFuture<'_, ()> {
        self.all.stopped()
    }

    fn limits_money(&self) -> bool {
        true
    }

    fn is_used_up(&self) -> bool {
        self.own.is_used_up() || self.all.is_used_up()
    }
}
