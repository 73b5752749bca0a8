//! The likelihood: Plackett–Luce with Davidson's ties, and a propensity to draw of each player.
//!
//! A ranking is a row of choices: of those who are left, who comes next? Each set S of up to as many as ever shared a
//! place is chosen with a weight: the geometric mean of the strengths of its members, and where they are several e^τ, τ
//! belonging to the course and the size of S, times e to the sum (of two; twice the mean of more) of what each of them is
//! more given to draws than others. So ln ν of a pair is `e_i + e_j`. In logarithms that is linear, so every choice is a
//! multinomial logit, the likelihood is concave and its second derivative is the covariance of what was chosen between.

use super::games::{MAX_SEATS, Outcomes, RatedGame};
use super::{DrawEffects, FitOptions, POINTS, SeatEffects, count};

/// The most numbers that one game depends on: strength and propensity to draw at each seat, and a τ for ties of 2 to 8.
const MAX_LOCAL: usize = 3 * MAX_SEATS - 1;

/// Courses are counted from 0; a number out of all proportion must not cost memory.
const MAX_COURSES: usize = 1000;

/// Where each parameter stands: strengths, then propensities to draw, then τ of ties of 2, 3, … by course, then the
/// worth of seats by course.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    players: usize,
    /// The largest number that ever shared a place; 1 where nobody did.
    largest_tie: usize,
    /// Players with a propensity of their own: all or none.
    drawers: usize,
    courses: usize,
    /// Seats that have a worth of their own on each course.
    seats: usize,
}

/// How far parameters scatter before a game is seen, in units of log-strength.
#[derive(Clone, Copy, Debug)]
pub(super) struct Widths {
    pub(super) strengths: f64,
    pub(super) draws: f64,
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
    shape: Shape,
    values: [f64; MAX_LOCAL],
    weights: [f64; 1 << MAX_SEATS],
}

/// Where the numbers of one game stand: strengths by seat, then τ by size from 2, then propensities by seat.
#[derive(Clone, Copy, Debug)]
struct Shape {
    seats: usize,
    largest: usize,
    /// Whether there are propensities.
    drawing: bool,
}

impl Shape {
    fn tau(self, members: usize) -> usize {
        self.seats + members - 2
    }

    fn drawer(self, seat: usize) -> usize {
        self.seats + self.largest - 1 + seat
    }

    fn size(self) -> usize {
        self.seats + self.largest - 1 + if self.drawing { self.seats } else { 0 }
    }
}

impl Layout {
    pub(super) fn of(players: usize, outcomes: &Outcomes, options: &FitOptions) -> Layout {
        let largest_tie = outcomes.distinct.iter().map(RatedGame::largest_tie).max().unwrap_or(1);
        let courses = outcomes.distinct.iter().map(|outcome| outcome.course as usize + 1).max().unwrap_or(0);
        let seats = outcomes.distinct.iter().map(|outcome| outcome.seats.into()).max().unwrap_or(0);
        Layout {
            players,
            largest_tie,
            drawers: if largest_tie > 1 && options.draws == DrawEffects::Own { players } else { 0 },
            courses: if courses > MAX_COURSES { 1 } else { courses.max(1) },
            seats: if options.seats == SeatEffects::Fitted { seats } else { 0 },
        }
    }

    pub(super) fn players(&self) -> usize {
        self.players
    }

    /// How many parameters there are.
    pub(super) fn len(&self) -> usize {
        self.first_seat() + self.courses * self.seats
    }

    /// Whose parameter this is, where it is somebody's.
    pub(super) fn owner(&self, at: usize) -> Option<usize> {
        if at < self.players { Some(at) } else { (at < self.first_tau()).then(|| at - self.players) }
    }

    fn first_tau(&self) -> usize {
        self.players + self.drawers
    }

    fn first_seat(&self) -> usize {
        self.first_tau() + self.courses * (self.largest_tie - 1)
    }

    /// Where there are too many they are all taken for one.
    fn course(&self, course: u32) -> usize {
        (course as usize).min(self.courses - 1)
    }

    fn tau(&self, course: u32, tied: usize) -> usize {
        self.first_tau() + self.course(course) * (self.largest_tie - 1) + tied - 2
    }

    fn seat(&self, course: u32, seat: usize) -> Option<usize> {
        (seat < self.seats).then(|| self.first_seat() + self.course(course) * self.seats + seat)
    }

    /// The propensities to draw.
    pub(super) fn drawers(&self) -> std::ops::Range<usize> {
        self.players..self.players + self.drawers
    }

    /// How many parameters tell pairs of players apart.
    pub(super) fn freedom(&self, players: usize) -> usize {
        let draws = match (self.largest_tie, self.drawers) {
            (1, _) => 0,
            (_, 0) => 1,
            _ => players,
        };
        players.saturating_sub(1) + draws
    }

    /// Whether anybody ever shared a place.
    pub(super) fn has_ties(&self) -> bool {
        self.largest_tie > 1
    }

    /// How precisely each parameter is taken to be 0 before a game is seen: 1 / variance.
    pub(super) fn precisions(&self, widths: Widths) -> Vec<f64> {
        let mut all = vec![widths.strengths.powi(-2); self.players];
        all.resize(self.first_tau(), widths.draws.powi(-2));
        // A factor of e³ either way for ties, of e for seats: about all that happens in a game worth playing.
        all.resize(self.first_seat(), 1.0 / 9.0);
        all.resize(self.len(), 1.0);
        all
    }

    /// What the seats are worth in points.
    pub(super) fn seat_points(&self, parameters: &[f64]) -> Vec<Vec<f64>> {
        let first = self.first_seat();
        let course = |course: usize| {
            let worth = &parameters[first + course * self.seats..first + (course + 1) * self.seats];
            let mean = worth.iter().sum::<f64>() / count(self.seats.max(1));
            worth.iter().map(|worth| POINTS * (worth - mean)).collect()
        };
        if self.seats == 0 { Vec::new() } else { (0..self.courses).map(course).collect() }
    }

    /// ln ν between two who are no more given to draws than others, by course.
    pub(super) fn log_draw_weights(&self, parameters: &[f64]) -> Vec<f64> {
        if self.largest_tie < 2 {
            return Vec::new();
        }
        (0..self.courses).map(|course| parameters[self.first_tau() + course * (self.largest_tie - 1)]).collect()
    }

    /// What one game says at these parameters.
    pub(super) fn look(&self, outcome: &RatedGame, parameters: &[f64], local: &mut Local) {
        let shape = self.enter(outcome, parameters, local);
        local.log_likelihood = 0.0;
        for at in 0..local.size {
            local.slope[at] = 0.0;
            local.curvature[at][..local.size].fill(0.0);
        }
        let mut left: u32 = (1 << shape.seats) - 1;
        let mut tier = 0;
        while left.count_ones() > 1 {
            let seats = 0..shape.seats;
            let chosen = seats.filter(|&seat| outcome.tiers[seat] == tier).fold(0, |set, seat| set | 1 << seat);
            if chosen == 0 {
                break;
            }
            local.choose(left, chosen);
            left &= !chosen;
            tier += 1;
        }
    }

    /// How likely each seat is to end above each other, and on the same place, whatever else happens at the table.
    pub(super) fn pairs(&self, outcome: &RatedGame, parameters: &[f64], local: &mut Local) -> SeatPairs {
        let seats = self.enter(outcome, parameters, local).seats;
        let whole = (1_usize << seats) - 1;
        let mut found = SeatPairs { above: [[0.0; MAX_SEATS]; MAX_SEATS], tied: [[0.0; MAX_SEATS]; MAX_SEATS] };
        let mut reached = [0.0; 1 << MAX_SEATS];
        reached[whole] = 1.0;
        // Smaller sets are smaller numbers: all ways to a set come before it.
        for left in (1..=whole).rev().filter(|left| left.count_ones() > 1) {
            if reached[left] < 1e-300 {
                continue;
            }
            let mask = u32::try_from(left).expect("at most 8 seats");
            let sum = local.weigh(mask).1;
            for set in sets(mask, local.shape.largest) {
                let chance = reached[left] * local.weights[set as usize] / sum;
                reached[(mask & !set) as usize] += chance;
                for one in members_of(set) {
                    members_of(mask & !set).for_each(|other| found.above[one][other] += chance);
                    members_of(set).filter(|&other| other != one).for_each(|other| found.tied[one][other] += chance);
                }
            }
        }
        found
    }

    fn enter(&self, outcome: &RatedGame, parameters: &[f64], local: &mut Local) -> Shape {
        let seats = usize::from(outcome.seats);
        let shape = Shape { seats, largest: self.largest_tie.min(seats), drawing: self.drawers > 0 };
        (local.shape, local.size) = (shape, shape.size());
        for (seat, &player) in outcome.seated().iter().enumerate() {
            local.places[seat] = (player as usize, self.seat(outcome.course, seat));
            if shape.drawing {
                local.places[shape.drawer(seat)] = (self.players + player as usize, None);
            }
        }
        for tied in 2..=shape.largest {
            local.places[shape.tau(tied)] = (self.tau(outcome.course, tied), None);
        }
        for at in 0..local.size {
            let (one, other) = local.places[at];
            local.values[at] = parameters[one] + other.map_or(0.0, |other| parameters[other]);
        }
        shape
    }
}

/// How likely each seat is to end above each other, and beside it.
pub(super) struct SeatPairs {
    pub(super) above: [[f64; MAX_SEATS]; MAX_SEATS],
    pub(super) tied: [[f64; MAX_SEATS]; MAX_SEATS],
}

impl Local {
    pub(super) fn new() -> Local {
        Local {
            log_likelihood: 0.0,
            size: 0,
            places: [(0, None); MAX_LOCAL],
            slope: [0.0; MAX_LOCAL],
            curvature: [[0.0; MAX_LOCAL]; MAX_LOCAL],
            shape: Shape { seats: 0, largest: 1, drawing: false },
            values: [0.0; MAX_LOCAL],
            weights: [0.0; 1 << MAX_SEATS],
        }
    }

    fn log_weight(&self, set: u32) -> f64 {
        let members = set.count_ones() as usize;
        let sum: f64 = members_of(set).map(|seat| self.values[seat]).sum();
        if members < 2 {
            return sum;
        }
        let drawing: f64 = if self.shape.drawing {
            members_of(set).map(|seat| self.values[self.shape.drawer(seat)]).sum()
        } else {
            0.0
        };
        self.values[self.shape.tau(members)] + (sum + 2.0 * drawing) / count(members)
    }

    /// Weighs all sets of those that are left: the logarithm of the unit, and the sum in it.
    fn weigh(&mut self, left: u32) -> (f64, f64) {
        let mut most = f64::MIN;
        for set in sets(left, self.shape.largest) {
            let weight = self.log_weight(set);
            self.weights[set as usize] = weight;
            most = most.max(weight);
        }
        let mut whole = 0.0;
        for set in sets(left, self.shape.largest) {
            let weight = &mut self.weights[set as usize];
            *weight = (*weight - most).exp();
            whole += *weight;
        }
        (most, whole)
    }

    /// Takes in one choice of a set out of those that are left.
    fn choose(&mut self, left: u32, chosen: u32) {
        let shape = self.shape;
        let (most, whole) = self.weigh(left);
        self.log_likelihood += self.log_weight(chosen) - most - whole.ln();
        let mut mean = [0.0; MAX_LOCAL];
        // Strengths among themselves where several are chosen; the same factors, doubled, hold for propensities.
        let mut several = [[0.0; MAX_SEATS]; MAX_SEATS];
        for set in sets(left, shape.largest) {
            let chance = self.weights[set as usize] / whole;
            let members = set.count_ones() as usize;
            if members == 1 {
                let seat = set.trailing_zeros() as usize;
                mean[seat] += chance;
                self.curvature[seat][seat] += chance;
                continue;
            }
            let share = 1.0 / count(members);
            let tie = shape.tau(members);
            mean[tie] += chance;
            self.curvature[tie][tie] += chance;
            for one in members_of(set) {
                mean[one] += chance * share;
                members_of(set).for_each(|other| several[one][other] += chance * share * share);
                self.add(one, tie, chance * share);
                if shape.drawing {
                    mean[shape.drawer(one)] += 2.0 * chance * share;
                    self.add(shape.drawer(one), tie, 2.0 * chance * share);
                }
            }
        }
        for (one, row) in several.iter().enumerate().take(shape.seats) {
            for (other, &value) in row.iter().enumerate().take(shape.seats) {
                self.curvature[one][other] += value;
                if shape.drawing {
                    self.curvature[shape.drawer(one)][shape.drawer(other)] += 4.0 * value;
                    self.curvature[one][shape.drawer(other)] += 2.0 * value;
                    self.curvature[shape.drawer(other)][one] += 2.0 * value;
                }
            }
        }
        let members = chosen.count_ones() as usize;
        for one in members_of(chosen) {
            self.slope[one] += 1.0 / count(members);
            if members > 1 && shape.drawing {
                self.slope[shape.drawer(one)] += 2.0 / count(members);
            }
        }
        if members > 1 {
            self.slope[shape.tau(members)] += 1.0;
        }
        for one in 0..self.size {
            self.slope[one] -= mean[one];
            for other in 0..self.size {
                self.curvature[one][other] -= mean[one] * mean[other];
            }
        }
    }

    /// Adds to a cell and its mirror image.
    fn add(&mut self, one: usize, other: usize, value: f64) {
        self.curvature[one][other] += value;
        self.curvature[other][one] += value;
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
