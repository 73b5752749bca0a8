//! Power-ups: what lies about to be picked up, where a ruleset has them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::Tile;

/// No board has more power-ups at once.
pub const MAX_POWERUPS: usize = 8;

/// What a power-up does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Kind {
    /// Hit points, at once; there is no upper limit.
    Health,
    /// The next few bullets do more damage. Each shot uses one up, whether or not it hits.
    Damage,
}

impl Kind {
    /// The names in rulesets.
    pub const NAMES: [(&str, Kind); 2] = [("health", Kind::Health), ("damage", Kind::Damage)];
}

/// The rules of power-ups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerUps {
    /// One appears at the end of every tick that this divides; 0 where there are none.
    pub every: u32,
    /// So many lie about at once.
    pub most: u8,
    /// Which kinds there are, by their number.
    pub(super) has: [bool; 2],
    /// The hit points of [`Kind::Health`].
    pub health: u16,
    /// What [`Kind::Damage`] adds to the damage of a bullet …
    pub damage: u16,
    /// … for so many shots. What is left of an earlier one stays on top.
    pub damage_shots: u8,
}

impl PowerUps {
    /// Whether there are any in this ruleset.
    pub fn on(&self) -> bool {
        self.every > 0
    }

    /// The kinds that appear, each as likely as the others.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        let has = self.has;
        Kind::NAMES.into_iter().map(|(_, kind)| kind).filter(move |&kind| has[kind as usize])
    }
}

/// A power-up on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerUp {
    /// Where.
    pub at: Tile,
    /// Which.
    pub kind: Kind,
}
