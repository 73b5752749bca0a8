//! Who is out, and who comes in which place.

use super::{Cowboy, Event, MAX_SEATS, Position, Stage, narrow};
use crate::games::Game as _;
use crate::games::game::Tell;
use crate::games::outcome::Reason;
use crate::games::seat::Seat;

impl Position {
    /// Takes the fallen out. All who fall together share a place, behind everybody who still lives; with fewer than
    /// two left the match is over, unless it was practice.
    pub(super) fn bury(&mut self, fallen: u8, by: Option<Seat>, events: &mut impl Tell<Event>) {
        self.place_the_dead();
        self.living &= !fallen;
        let left = self.living.count_ones();
        let place = narrow(left as usize + 1);
        for index in (0..MAX_SEATS).filter(|index| fallen & (1 << index) != 0) {
            self.cowboys[index].place = place;
            if let Some(shooter) = by {
                let kills = &mut self.cowboys[shooter.index()].kills;
                *kills = kills.saturating_add(1);
            }
            events.tell(|| Event::Eliminated { seat: Seat::new(index), by, place: u32::from(place) });
        }
        if left == 0 || (left == 1 && self.seats > 1) {
            self.end(if by.is_some() { Reason::LastAlive } else { Reason::Forfeit }, events);
        }
    }

    /// Settles the places of the dead. A position set up by hand need not say when they fell: they share what is left.
    fn place_the_dead(&mut self) {
        let place = narrow(self.living.count_ones() as usize + 1);
        for (seat, cowboy) in self.cowboys.iter_mut().enumerate().take(usize::from(self.seats)) {
            if self.living & (1 << seat) == 0 && cowboy.place == 0 {
                cowboy.place = place;
            }
        }
    }

    /// Ranks the living by hit points, then kills.
    pub(super) fn end(&mut self, reason: Reason, events: &mut impl Tell<Event>) {
        self.place_the_dead();
        let merit = |cowboy: &Cowboy| (cowboy.hp, cowboy.kills);
        let living = self.living;
        let alive = |seat: usize| living & (1 << seat) != 0;
        let merits = self.cowboys.map(|cowboy| merit(&cowboy));
        for (seat, cowboy) in self.cowboys.iter_mut().enumerate().take(usize::from(self.seats)) {
            if alive(seat) {
                let better = (0..MAX_SEATS).filter(|&other| alive(other) && merits[other] > merit(cowboy));
                cowboy.place = 1 + narrow(better.count());
            }
        }
        self.stage = Stage::Over(reason);
        events.tell(|| Event::Ended { outcome: self.outcome().expect("it is over") });
    }
}
