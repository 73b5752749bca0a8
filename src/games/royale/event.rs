//! What happens in a tick, and the rule that cannot be broken.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::action::Direction;
use super::board::Tile;
use super::powerup::PowerUpKind;
use crate::games::outcome::Outcome;
use crate::games::refusal::{self, Code};
use crate::games::seat::{Seat, Seats};

/// What happens in a tick, in the order of its steps and within a step in seat order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The referee drew a bot's action, because its player gave none.
    StandIn {
        /// The bot that the referee acted for.
        bot: Seat,
        /// How often by now.
        timeouts: u16,
    },
    /// The referee used up a bot's tick.
    Passed {
        /// The seat that lost its turn.
        bot: Seat,
    },
    /// A player gave up or was taken out by the referee. Its bot stands there until the end of the tick.
    Forfeited {
        /// The seat that forfeited.
        bot: Seat,
    },
    /// A bot stayed because of a wall or the edge of the grid.
    Blocked {
        /// The bot that stays where it is.
        bot: Seat,
        /// Where it stays.
        at: Tile,
        /// Where it would have gone.
        direction: Direction,
    },
    /// A bot went back because it would have shared a tile.
    Bounce {
        /// The bot that stays where it is.
        bot: Seat,
        /// Where it is back.
        at: Tile,
        /// Where it would have gone.
        direction: Direction,
    },
    /// A bot went one tile.
    Move {
        /// The bot that moved.
        bot: Seat,
        /// The tile that it left; null where that is out of sight.
        from: Option<Tile>,
        /// The tile that it reached; null where that is out of sight.
        to: Option<Tile>,
    },
    /// A bot took a power-up.
    Pickup {
        /// The bot that picked it up.
        bot: Seat,
        /// What the power-up does.
        kind: PowerUpKind,
        /// The tile that it lay on.
        at: Tile,
    },
    /// A bot shot.
    Shot {
        /// The bot that shot; null where it is out of sight.
        bot: Option<Seat>,
        /// The direction of fire.
        direction: Direction,
        /// From here; that tile itself is not hit. Null where it is out of sight.
        from: Option<Tile>,
        /// The last tile that the bullet reached; null where it is out of sight.
        to: Option<Tile>,
        /// Whom it hit; null for nobody.
        hit: Option<Seat>,
    },
    /// A bot lost hit points.
    Damage {
        /// The bot that was hurt.
        bot: Seat,
        /// How many, to all bullets together or to the zone.
        amount: u16,
        /// What hurt it.
        source: Source,
        /// How many it has left.
        hp: u16,
    },
    /// Bullets brought a bot to 0 hit points.
    Kill {
        /// The bot that was shot down.
        bot: Seat,
        /// Everybody whose bullet hit it in this tick: a kill for each.
        by: Seats,
    },
    /// A bot is out.
    Eliminated {
        /// The bot that is out.
        bot: Seat,
        /// Its place; null while its team plays on.
        place: Option<u32>,
    },
    /// A power-up appeared.
    Spawn {
        /// What the power-up does.
        kind: PowerUpKind,
        /// The tile that it lies on.
        at: Tile,
    },
    /// The match has ended.
    Ended {
        /// The places of all seats and the reason.
        outcome: Outcome,
    },
}

/// What took hit points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Source {
    /// Somebody's shot.
    Bullet,
    /// Standing outside the zone.
    Zone,
}

/// How an action can break the rules of Grid Royale: not at all, every combination is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
pub enum Illegal {}

impl refusal::Illegal for Illegal {
    fn code(&self) -> Code {
        match *self {}
    }
}
