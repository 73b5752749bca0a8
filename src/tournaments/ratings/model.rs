//! The likelihood: Plackett–Luce with Davidson's ties.
//!
//! A ranking is a row of choices: of those who are left, who comes next? Each set S of up to as many as ever shared a
//! place is chosen with a weight of e^τ, τ belonging to the size of S, times the geometric mean of the strengths of its
//! members. In logarithms that is linear, so every choice is a multinomial logit, the likelihood is concave and its
//! second derivative is the covariance of what was chosen between.

use super::games::{MAX_SEATS, Outcomes, RatedGame};
use super::{POINTS, SeatEffects, count};

/// The most numbers that one game depends on: the strength at each seat, and a τ for ties of 2 to 8.
const MAX_LOCAL: usize = 2 * MAX_SEATS - 1;

/// Where each parameter stands: strengths, then τ of ties of 2, 3, …, then the worth of seats by course.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    players: usize,
    /// The largest number that ever shared a place; 1 where nobody did.
    largest_tie: usize,
    courses: usize,
    /// Seats that have a worth of their own on each course.
    seats: usize,
}

/// What one game says: the logarithm of its likelihood, its slope, and its curvature (negative second derivative). Used
/// again from game to game: there are millions.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) log_likelihood: f64,
    /// How many numbers the game depends on.
    pub(super) size: usize,
    /// Which parameters they stand for: one or, where seats are worth something, two each.
    pub(super) places: [(usize, Option<usize>); MAX_LOCAL],
    pub(super) slope: [f64; MAX_LOCAL],
    pub(super) curvature: [[f64; MAX_LOCAL]; MAX_LOCAL],
    values: [f64; MAX_LOCAL],
    weights: [f64; 1 << MAX_SEATS],
}

impl Layout {
    pub(super) fn of(players: usize, outcomes: &Outcomes, effects: SeatEffects) -> Layout {
        let largest_tie = outcomes.distinct.iter().map(RatedGame::largest_tie).max().unwrap_or(1);
        let courses = outcomes.distinct.iter().map(|outcome| outcome.course as usize + 1).max().unwrap_or(0);
        let seats = outcomes.distinct.iter().map(|outcome| outcome.seats.into()).max().unwrap_or(0);
        // Courses are counted from 0; a number out of all proportion must not cost memory.
        let fitted = effects == SeatEffects::Fitted && courses <= 1000;
        Layout {
            players,
            largest_tie,
            courses: if fitted { courses } else { 0 },
            seats: if fitted { seats } else { 0 },
        }
    }

    pub(super) fn players(&self) -> usize {
        self.players
    }

    /// How many parameters there are.
    pub(super) fn len(&self) -> usize {
        self.players + self.largest_tie - 1 + self.courses * self.seats
    }

    fn tau(&self, tied: usize) -> usize {
        self.players + tied - 2
    }

    fn seat(&self, course: u32, seat: usize) -> Option<usize> {
        (seat < self.seats && (course as usize) < self.courses)
            .then(|| self.players + self.largest_tie - 1 + course as usize * self.seats + seat)
    }

    /// How precisely each parameter is taken to be 0 before a game is seen: 1 / variance.
    pub(super) fn precisions(&self, spread: f64) -> Vec<f64> {
        let mut all = vec![1.0 / (spread * spread); self.players];
        // A factor of e³ either way for ties, of e for seats: about all that happens in a game worth playing.
        all.resize(self.players + self.largest_tie - 1, 1.0 / 9.0);
        all.resize(self.len(), 1.0);
        all
    }

    /// What the seats are worth in points.
    pub(super) fn seat_points(&self, parameters: &[f64]) -> Vec<Vec<f64>> {
        let first = self.players + self.largest_tie - 1;
        let course = |course: usize| {
            let worth = &parameters[first + course * self.seats..first + (course + 1) * self.seats];
            let mean = worth.iter().sum::<f64>() / count(self.seats.max(1));
            worth.iter().map(|worth| POINTS * (worth - mean)).collect()
        };
        (0..self.courses).map(course).collect()
    }

    /// Davidson's ν.
    pub(super) fn draw_weight(&self, parameters: &[f64]) -> f64 {
        if self.largest_tie < 2 { 0.0 } else { parameters[self.tau(2)].exp() }
    }

    /// What one game says at these parameters.
    pub(super) fn look(&self, outcome: &RatedGame, parameters: &[f64], local: &mut Local) {
        let seats = usize::from(outcome.seats);
        let largest = self.largest_tie.min(seats);
        local.log_likelihood = 0.0;
        local.size = seats + largest - 1;
        for seat in 0..seats {
            local.places[seat] = (outcome.players[seat] as usize, self.seat(outcome.course, seat));
        }
        for tied in 2..=largest {
            local.places[seats + tied - 2] = (self.tau(tied), None);
        }
        for at in 0..local.size {
            let (one, other) = local.places[at];
            local.values[at] = parameters[one] + other.map_or(0.0, |other| parameters[other]);
            local.slope[at] = 0.0;
            local.curvature[at][..local.size].fill(0.0);
        }
        let mut left: u32 = (1 << seats) - 1;
        let mut tier = 0;
        while left.count_ones() > 1 {
            let chosen = (0..seats).filter(|&seat| outcome.tiers[seat] == tier).fold(0, |set, seat| set | 1 << seat);
            if chosen == 0 {
                break;
            }
            local.choose(seats, largest, left, chosen);
            left &= !chosen;
            tier += 1;
        }
    }
}

impl Local {
    pub(super) fn new() -> Local {
        Local {
            log_likelihood: 0.0,
            size: 0,
            places: [(0, None); MAX_LOCAL],
            slope: [0.0; MAX_LOCAL],
            curvature: [[0.0; MAX_LOCAL]; MAX_LOCAL],
            values: [0.0; MAX_LOCAL],
            weights: [0.0; 1 << MAX_SEATS],
        }
    }

    /// Takes in one choice of a set out of those that are left.
    fn choose(&mut self, seats: usize, largest: usize, left: u32, chosen: u32) {
        let Local { values, weights, .. } = self;
        let log_weight = |set: u32| {
            let members = set.count_ones() as usize;
            let sum: f64 = members_of(set).map(|seat| values[seat]).sum();
            let tie = if members > 1 { values[seats + members - 2] } else { 0.0 };
            tie + sum / count(members)
        };
        let mut most = f64::MIN;
        for set in sets(left, largest) {
            let weight = log_weight(set);
            weights[set as usize] = weight;
            most = most.max(weight);
        }
        let mut whole = 0.0;
        for set in sets(left, largest) {
            let weight = &mut weights[set as usize];
            *weight = (*weight - most).exp();
            whole += *weight;
        }
        self.log_likelihood += log_weight(chosen) - most - whole.ln();
        let mut mean = [0.0; MAX_LOCAL];
        for set in sets(left, largest) {
            let chance = self.weights[set as usize] / whole;
            let members = set.count_ones() as usize;
            let share = 1.0 / count(members);
            let tie = (members > 1).then_some(seats + members - 2);
            for one in members_of(set) {
                mean[one] += chance * share;
                for other in members_of(set) {
                    self.curvature[one][other] += chance * share * share;
                }
                if let Some(tie) = tie {
                    self.curvature[one][tie] += chance * share;
                    self.curvature[tie][one] += chance * share;
                }
            }
            if let Some(tie) = tie {
                mean[tie] += chance;
                self.curvature[tie][tie] += chance;
            }
        }
        let members = chosen.count_ones() as usize;
        for one in members_of(chosen) {
            self.slope[one] += 1.0 / count(members);
        }
        if members > 1 {
            self.slope[seats + members - 2] += 1.0;
        }
        for one in 0..self.size {
            self.slope[one] -= mean[one];
            for other in 0..self.size {
                self.curvature[one][other] -= mean[one] * mean[other];
            }
        }
    }
}

/// The seats in a set.
fn members_of(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let seat = set.trailing_zeros() as usize;
            set &= set - 1;
            seat
        })
    })
}

/// All sets of at most so many of those that are left.
fn sets(left: u32, largest: usize) -> impl Iterator<Item = u32> {
    let mut next = left;
    std::iter::from_fn(move || {
        while next != 0 {
            let set = next;
            next = (next - 1) & left;
            if set.count_ones() as usize <= largest {
                return Some(set);
            }
        }
        None
    })
}
