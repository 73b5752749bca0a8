//! What somebody wants of a match, and who can be asked to it.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::live::Live;
use super::players::Registered;
use super::{SeatHandle, SeatKey};
use crate::briefs::Language;
use crate::games::dice::Seed;
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::matches::SeatInfo;
use crate::players::Player;
use crate::store::KeyHash;

/// Who can be asked to sit down: bots, and the models that somebody configured.
pub trait HousePlayers: Send + Sync + 'static {
    /// The names that can be asked for.
    fn names(&self) -> Vec<String>;

    /// The bot that fills up a match from the queue.
    fn filler(&self) -> Option<String> {
        let names = self.names();
        names.iter().find(|name| *name == "greedy").or(names.first()).cloned()
    }

    /// Brings a player to a seat.
    ///
    /// # Errors
    /// In words, if nobody of that name can come.
    fn invite(&self, name: &str, place: &HouseSeat) -> Result<HousePlayer, String>;
}

/// Where a guest is to sit.
#[derive(Clone, Debug)]
pub struct HouseSeat {
    /// The seat that the player is to take.
    pub seat: Seat,
    /// How many seats there are.
    pub seats: usize,
    /// The rules of the match.
    pub ruleset: Arc<Ruleset>,
    /// The match's seed.
    pub seed: Seed,
    /// The match's language.
    pub language: Language,
    /// On whose account a model is asked.
    pub payer: Option<Payer>,
}

/// A player of the house.
#[expect(missing_debug_implementations, reason = "players have no such form")]
pub struct HousePlayer {
    /// What the record says of it.
    pub info: SeatInfo,
    /// What answers for the seat.
    pub player: Box<dyn Player>,
}

/// What somebody wants of a new match.
#[derive(Clone, Debug)]
pub struct MatchRequest {
    /// The rules to play by.
    pub ruleset: Arc<Ruleset>,
    /// Who sits where, in seat order.
    pub chairs: Vec<SeatChoice>,
    /// Where chance comes from; drawn by default.
    pub seed: Option<Seed>,
    /// How it is played.
    pub settings: MatchSettings,
}

/// How a match is played, beside its rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "switches that have nothing to do with each other")]
pub struct MatchSettings {
    /// The language of briefs and events.
    pub language: Language,
    /// Whether players are not shown what they may do.
    pub withhold_legal: bool,
    /// Whether turns keep the ruleset's pace, `policy.tick_seconds` from one to the next at the least: for matches that
    /// are watched. Without, a turn is played as soon as everybody has acted.
    #[serde(default)]
    pub ticks: bool,
    /// Whether only those with the invite code can join.
    #[serde(default)]
    pub private: bool,
    /// Whether the clock of a turn runs for players of the house only. Everybody else takes as long as they like.
    #[serde(default)]
    pub unhurried: bool,
    /// On whose account models are asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payer: Option<Payer>,
}

/// Whoever opened a match, as far as the purse needs to know: a fingerprint of the player's identity or of the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Payer(u64);

impl Payer {
    /// Whoever is counted under this name.
    pub fn of(name: &str) -> Payer {
        Payer(u64::from_str_radix(&KeyHash::of(name).to_hex()[..16], 16).unwrap_or(0))
    }
}

/// Who is to sit on a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeatChoice {
    /// The one who opens the match, or somebody whom that one speaks for, by the name for the record.
    Me(String),
    /// The person who sits with the one who opens the match.
    Person,
    /// A player of the house, by name.
    House(String),
    /// A registered player, who is there already.
    Player(Registered),
    /// Open to whoever joins.
    Anybody,
}

/// Somebody who wants an open seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Joining {
    /// Somebody known by a name only.
    Named(String),
    /// A registered player.
    Player(Registered),
}

/// A match that was opened.
#[derive(Debug)]
pub struct Opened {
    /// The match, to watch and to act in.
    pub live: Arc<Live>,
    /// The seats of the one who opened it, with their keys.
    pub mine: Vec<(SeatHandle, SeatKey)>,
    /// The code that lets somebody join, where seats are open. It is shown this once.
    pub invite: Option<String>,
}

/// How many matches there may be, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct ArenaLimits {
    /// So many are in play at once at most.
    pub matches: usize,
    /// A match that nobody looked at for so long is put away.
    pub idle: Duration,
    /// One that is over and kept on disk, after so long.
    pub over: Duration,
    /// So many of one registered player at most.
    pub matches_a_player: usize,
    /// So long those in the queue wait for their like before they are content with fewer, or with bots.
    pub queue_wait: Duration,
}

impl Default for ArenaLimits {
    fn default() -> ArenaLimits {
        ArenaLimits {
            matches: 10_000,
            idle: Duration::from_hours(24),
            over: Duration::from_mins(1),
            matches_a_player: 20,
            queue_wait: Duration::from_secs(10),
        }
    }
}
