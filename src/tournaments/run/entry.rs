//! Who takes part in a tournament, and how a player comes to its seat.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::bots::BotSpec;
use crate::games::Seed;
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::matches::ModelInfo;
use crate::players::Player;
use crate::players::model::Model;

/// A participant of a tournament.
#[derive(Clone)]
pub struct Entry {
    /// What records and leaderboards call it.
    pub name: String,
    /// How the model is asked, if it is one.
    pub model: Option<ModelInfo>,
    /// Who plays for it.
    pub kind: EntryKind,
}

/// Who plays for an entry.
#[derive(Clone)]
pub enum EntryKind {
    /// A built-in bot.
    Bot(BotSpec),
    /// A model, a program or a script: made anew for every match, and waited for.
    Factory(Arc<dyn PlayerFactory>),
}

/// The seat of a match for which a [`PlayerFactory`] makes a player.
#[derive(Clone, Debug)]
pub struct SeatRequest {
    /// What is played.
    pub ruleset: Arc<Ruleset>,
    /// How many seats the match has.
    pub seats: usize,
    /// Which of them.
    pub seat: Seat,
    /// Where the player's own chance comes from.
    pub seed: Seed,
}

/// Makes the players of one entry, one for every match.
pub trait PlayerFactory: Send + Sync {
    /// The player for one seat of one match. The error says in words why there is none; nobody has lost by it.
    fn seat(&self, request: SeatRequest) -> BoxFuture<'_, Result<Box<dyn Player>, String>>;

    /// The language model behind it, if there is one: models can be quizzed about the rules.
    fn model(&self) -> Option<&Model> {
        None
    }
}

impl Entry {
    /// The bot that it is, if it is one.
    pub fn bot(&self) -> Option<BotSpec> {
        match self.kind {
            EntryKind::Bot(spec) => Some(spec),
            EntryKind::Factory(_) => None,
        }
    }
}

impl fmt::Debug for EntryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EntryKind::Bot(spec) => f.debug_tuple("Bot").field(spec).finish(),
            EntryKind::Factory(_) => f.write_str("Factory(…)"),
        }
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).finish_non_exhaustive()
    }
}
