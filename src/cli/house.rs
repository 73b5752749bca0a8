//! Whom the house can send to a seat: bots, and the models of the configuration.

use std::sync::Arc;

use super::invite;
use super::seat::PlayerSpec;
use crate::arena::{HousePlayer, HousePlayers, HouseSeat};
use crate::bots::BOTS;
use crate::briefs::{Language, bot_sentence};
use crate::http::Card;
use crate::players::model::{Journal, RunBudget};
use crate::players::{BotPlayer, Profile};

/// Bots and configured models. Programs and files are never among them: whoever may open a match from elsewhere must not
/// start anything on this machine.
pub(crate) struct ConfiguredPlayers {
    profiles: Vec<Profile>,
    budget: Arc<RunBudget>,
    journal: Arc<dyn Journal>,
}

impl ConfiguredPlayers {
    /// Bots, and these models out of one purse.
    pub(crate) fn new(profiles: Vec<Profile>, budget: Arc<RunBudget>, journal: Arc<dyn Journal>) -> ConfiguredPlayers {
        ConfiguredPlayers { profiles, budget, journal }
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
        let seated = PlayerSpec::parse(name, &self.profiles);
        let nobody = || format!("no player `{}` here; there are {}", crate::settings::shorten(name), self.known());
        let is_known = |profile: &Profile| self.profiles.iter().any(|known| known.name == profile.name);
        let seated = match seated {
            Ok(seated @ PlayerSpec::Bot(_)) => seated,
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
                let model = invite::model(profile, self.budget.clone(), self.journal.clone())
                    .map_err(|failure| failure.to_string())?;
                model.seat(language)
            }
            PlayerSpec::Human | PlayerSpec::Process(_) | PlayerSpec::Scripted(_) => return Err(nobody()),
        };
        Ok(HousePlayer { info, player })
    }
}
