//! Power-ups: what lies about to be picked up, where a ruleset has them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::Position;
use super::board::Tile;
use super::event::Event;
use crate::games::dice::Dice;
use crate::games::game::Tell;
use crate::games::seat::Seat;

/// No board has more power-ups at once.
pub const MAX_POWERUPS: usize = 8;

/// What a power-up does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum PowerUpKind {
    /// Hit points, at once; there is no upper limit.
    Health,
    /// The next few bullets do more damage. Each shot uses one up, whether or not it hits.
    Damage,
}

impl PowerUpKind {
    /// The names in rulesets.
    pub const NAMES: [(&str, PowerUpKind); 2] = [("health", PowerUpKind::Health), ("damage", PowerUpKind::Damage)];
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
    /// The hit points of [`PowerUpKind::Health`].
    pub health: u16,
    /// What [`PowerUpKind::Damage`] adds to the damage of a bullet …
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
    pub fn kinds(&self) -> impl Iterator<Item = PowerUpKind> {
        let has = self.has;
        PowerUpKind::NAMES.into_iter().map(|(_, kind)| kind).filter(move |&kind| has[kind as usize])
    }
}

/// A power-up on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerUp {
    /// The tile that it lies on.
    pub at: Tile,
    /// What it does.
    pub kind: PowerUpKind,
}

impl Position {
    /// Step 1, where there are power-ups: who stands on one takes it. More damage counts from this tick's shot on.
    pub(super) fn pick_up(&mut self, events: &mut impl Tell<Event>) {
        if self.powerups.is_empty() {
            return;
        }
        let PowerUps { health, damage_shots, .. } = self.terms.powerups;
        for (seat, bot) in self.bots.iter_mut().enumerate().filter(|(_, bot)| bot.alive) {
            let Some(found) = self.powerups.iter().position(|powerup| powerup.at == bot.at) else { continue };
            let PowerUp { at, kind } = self.powerups.remove(found);
            match kind {
                PowerUpKind::Health => bot.hp = bot.hp.saturating_add(health),
                PowerUpKind::Damage => bot.boost = bot.boost.saturating_add(damage_shots),
            }
            events.tell(|| Event::Pickup { bot: Seat::new(seat), kind, at });
        }
    }

    /// After step 6, where there are power-ups and play goes on: one appears every so many ticks, while there is room,
    /// on a tile of the coming tick's zone that has neither wall nor bot nor power-up.
    pub(super) fn supply(&mut self, dice: &mut Dice, events: &mut impl Tell<Event>) {
        let rules = self.terms.powerups;
        if !rules.on() || !(self.tick - 1).is_multiple_of(rules.every) || self.powerups.len() >= usize::from(rules.most)
        {
            return;
        }
        let free = |tile: &Tile| {
            !self.wall(*tile)
                && self.living().all(|(_, bot)| bot.at != *tile)
                && self.powerups.iter().all(|powerup| powerup.at != *tile)
        };
        let tiles = self.zone().tiles().filter(free);
        let Some(count) = u32::try_from(tiles.clone().count()).ok().filter(|&count| count > 0) else { return };
        let nth = dice.below(count) as usize;
        let at = tiles.clone().nth(nth).expect("one of those counted");
        let kinds: SmallVec<[PowerUpKind; 2]> = rules.kinds().collect();
        let kind = *dice.pick(&kinds).expect("checked: where there are power-ups there are kinds");
        self.powerups.push(PowerUp { at, kind });
        events.tell(|| Event::Spawn { kind, at });
    }
}
