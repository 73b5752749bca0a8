//! Who is out, who has won, and on which place.
//!
//! A *side* is what places are given to: a team where the ruleset has teams, otherwise a bot alone. All members of a
//! side share its place, so that two teams of two end on places 1, 1, 3, 3.

use std::array;

use super::event::Event;
use super::{Bot, MAX_SEATS, Position, Tick, narrow};
use crate::games::game::Tell;
use crate::games::outcome::Reason;
use crate::games::seat::Seat;

/// What ranks sides against each other, the weightiest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Merit {
    /// Not every one of those who went out now gave up.
    stood: bool,
    hp: u32,
    kills: u32,
}

impl Position {
    /// Step 5. Takes out who has no hit points left or gives up. A side whose last bots go is placed behind every side
    /// that still lives; sides that go in the same tick by their hit points when it began, then by kills, those that
    /// gave up below the rest.
    pub(super) fn bury(&mut self, tick: &mut Tick, events: &mut impl Tell<Event>) {
        for (index, bot) in self.bots.iter_mut().enumerate() {
            if bot.alive && (bot.hp == 0 || tick.forfeited[index]) {
                bot.alive = false;
                tick.fallen[index] = true;
            }
        }
        if !tick.any_fallen() {
            return;
        }
        let lost = self.merits(|position, side| position.lost(side, tick));
        let living = self.living_sides();
        for (side, merit) in lost.iter().enumerate() {
            if let Some(merit) = merit {
                self.place(side, living + better(&lost, *merit));
            }
        }
        for (bot, Bot { place, .. }) in self.present().filter(|(seat, _)| tick.fallen[seat.index()]) {
            events.tell(|| Event::Eliminated { bot, place: (*place > 0).then_some(u32::from(*place)) });
        }
    }

    /// Step 6. Whether the match is over: one side or none lives, or the last tick is played.
    #[inline]
    pub(super) fn verdict(&self, tick: &Tick) -> Option<Reason> {
        let living = if tick.any_fallen() { self.living_sides() } else { usize::MAX };
        match living {
            0 | 1 if tick.only_forfeits() => Some(Reason::Forfeit),
            0 => Some(Reason::AllDead),
            1 => Some(Reason::LastAlive),
            _ => (self.tick > self.terms.max_ticks).then_some(Reason::TurnLimit),
        }
    }

    /// Ranks the living sides by hit points, then kills, and ends the match.
    pub(super) fn end(&mut self, reason: Reason, events: &mut impl Tell<Event>) {
        let merits = self.merits(Position::standing);
        for (side, merit) in merits.iter().enumerate() {
            if let Some(merit) = merit {
                self.place(side, better(&merits, *merit));
            }
        }
        // A position set up by hand need not say when its dead fell: they share the last places.
        let unplaced: [bool; MAX_SEATS] =
            array::from_fn(|side| side < self.sides() && self.members(side).all(|bot| bot.place == 0));
        let above = self.sides() - unplaced.iter().filter(|unplaced| **unplaced).count();
        for (side, _) in unplaced.iter().enumerate().filter(|(_, unplaced)| **unplaced) {
            self.place(side, above);
        }
        self.over = Some(reason);
        events.tell(|| Event::Ended { outcome: self.result(reason) });
    }

    /// How many sides there are.
    pub(super) fn sides(&self) -> usize {
        usize::from(if self.terms.teams > 0 { self.terms.teams } else { self.seats })
    }

    /// The side of a seat.
    pub(super) fn side(&self, seat: Seat) -> usize {
        seat.index() % self.sides()
    }

    fn members(&self, side: usize) -> impl Iterator<Item = &Bot> {
        self.bots[..usize::from(self.seats)].iter().skip(side).step_by(self.sides())
    }

    fn living_sides(&self) -> usize {
        if self.terms.teams == 0 {
            return self.living().count();
        }
        (0..self.sides()).filter(|&side| self.members(side).any(|bot| bot.alive)).count()
    }

    fn merits(&self, merit: impl Fn(&Position, usize) -> Option<Merit>) -> [Option<Merit>; MAX_SEATS] {
        array::from_fn(|side| if side < self.sides() { merit(self, side) } else { None })
    }

    /// The merit of a side whose last bots fell in this tick.
    fn lost(&self, side: usize, tick: &Tick) -> Option<Merit> {
        let fallen = || (side..usize::from(self.seats)).step_by(self.sides()).filter(|&bot| tick.fallen[bot]);
        let out = fallen().next().is_some() && !self.members(side).any(|bot| bot.alive);
        out.then(|| Merit {
            stood: fallen().any(|bot| !tick.forfeited[bot]),
            hp: fallen().map(|bot| u32::from(tick.hp[bot])).sum(),
            kills: self.total_kills(side),
        })
    }

    /// The merit of a side that lives. The hit points of members who gave up do not count.
    fn standing(&self, side: usize) -> Option<Merit> {
        let living = || self.members(side).filter(|bot| bot.alive);
        living().next()?;
        let hp = living().map(|bot| u32::from(bot.hp)).sum();
        Some(Merit { stood: true, hp, kills: self.total_kills(side) })
    }

    fn total_kills(&self, side: usize) -> u32 {
        self.members(side).map(|bot| u32::from(bot.kills)).sum()
    }

    /// Puts a side behind so many others.
    fn place(&mut self, side: usize, above: usize) {
        let sides = self.sides();
        let seats = usize::from(self.seats);
        let place = narrow(1 + above * (seats / sides));
        for bot in self.bots[..seats].iter_mut().skip(side).step_by(sides) {
            bot.place = place;
        }
    }
}

fn better(merits: &[Option<Merit>], merit: Merit) -> usize {
    merits.iter().flatten().filter(|other| **other > merit).count()
}
