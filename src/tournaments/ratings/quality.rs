//! Whether the model holds: what happened between every two, beside what the fit expects.

use std::collections::BTreeMap;

use serde::Serialize;

use super::games::Outcomes;
use super::model::{Layout, Local};
use super::newton::Solution;
use super::{Chances, count};

/// A pair that is further off than so many standard errors does not fit.
const MAX_Z: f64 = 4.0;

/// How far above its mean, in standard deviations, a deviance may be: it is once in a thousand by chance.
const MAX_DEVIANCE: f64 = 3.09;

/// What happened between two, beside what the fit expects.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pairing {
    /// The first, by its index.
    pub one: u32,
    /// The second; its index is larger.
    pub other: u32,
    /// Games in which both took part.
    pub games: f64,
    /// How they ended for the first, as shares: above the second, beside it, below it.
    pub observed: Chances,
    /// How the fit says that they end, on the seats that the two had.
    pub fitted: Chances,
    /// By how many standard errors the first's score against the second is more than the fit says.
    pub z: f64,
}

impl Pairing {
    /// The same of two with other numbers; seen from the one with the smaller.
    #[must_use]
    pub fn numbered(&self, one: u32, other: u32) -> Pairing {
        let turned = |chances: Chances| Chances { win: chances.loss, draw: chances.draw, loss: chances.win };
        if one <= other {
            return Pairing { one, other, ..*self };
        }
        let (observed, fitted) = (turned(self.observed), turned(self.fitted));
        Pairing { one: other, other: one, observed, fitted, z: -self.z, games: self.games }
    }
}

/// How well the model fits.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Quality {
    /// How much less likely the games are by the fit than by the counts of every pair, twice its logarithm.
    pub deviance: f64,
    /// What the deviance is expected to be where the model holds: its degrees of freedom.
    pub degrees: u32,
    /// The largest |z| of a pair.
    pub largest_z: f64,
    /// Whether the ratings can be taken at their word.
    pub holds: bool,
}

#[derive(Clone, Copy, Default)]
struct Cell {
    games: f64,
    seen: [f64; 3],
    expected: [f64; 3],
    variance: f64,
}

/// What happened between every two who met, and how well it fits.
pub(super) fn assess(outcomes: &Outcomes, layout: &Layout, solution: &Solution) -> (Vec<Pairing>, Quality) {
    let mut cells: BTreeMap<(u32, u32), Cell> = BTreeMap::new();
    let mut local = Local::new();
    let mut known = None;
    let mut most_seats = 2;
    for (outcome, &times) in outcomes.distinct.iter().zip(&outcomes.counts) {
        // Outcomes are sorted: those of the same seats follow each other.
        let seating = (outcome.course, outcome.seats, outcome.players);
        if known.as_ref().is_none_or(|(other, _)| *other != seating) {
            known = Some((seating, layout.pairs(outcome, &solution.parameters, &mut local)));
        }
        let Some((_, pairs)) = &known else { continue };
        let (seated, tiers) = (outcome.seated(), outcome.ranked());
        most_seats = most_seats.max(seated.len());
        let times = times * outcomes.weight(outcome);
        let seats_of = |player: u32| count(seated.iter().filter(|&&other| other == player).count());
        for one in 0..seated.len() {
            for other in (0..seated.len()).filter(|&other| seated[one] < seated[other]) {
                // Whoever sits several times counts once.
                let times = times / (seats_of(seated[one]) * seats_of(seated[other]));
                let cell = cells.entry((seated[one], seated[other])).or_default();
                cell.games += times;
                cell.seen[match tiers[one].cmp(&tiers[other]) {
                    std::cmp::Ordering::Less => 0,
                    std::cmp::Ordering::Equal => 1,
                    std::cmp::Ordering::Greater => 2,
                }] += times;
                let chances = [pairs.above[one][other], pairs.tied[one][other], pairs.above[other][one]];
                for (sum, chance) in cell.expected.iter_mut().zip(chances) {
                    *sum += times * chance;
                }
                let mean = chances[0] + chances[1] / 2.0;
                cell.variance += times * (chances[0] + chances[1] / 4.0 - mean * mean);
            }
        }
    }
    // What fits to the last digit is rounded to either side of 0.
    let deviance = cells.values().map(Cell::deviance).sum::<f64>().max(0.0) + 0.0;
    let players = outcomes.blocks_played(layout.players()).iter().filter(|&&blocks| blocks > 0.0).count();
    let ways = if layout.has_ties() { 2 } else { 1 };
    let degrees = (ways * cells.len()).saturating_sub(layout.freedom(players));
    let pairings: Vec<Pairing> = cells.into_iter().map(|((one, other), cell)| cell.pairing(one, other)).collect();
    let largest_z = pairings.iter().fold(0.0_f64, |most, pairing| most.max(pairing.z.abs()));
    // Pairs at one table depend on each other: that widens the deviance's scatter and leaves its mean alone.
    let scatter = (2.0 * count(degrees.max(1)) * count(most_seats) / 2.0).sqrt();
    // Few degrees have a long tail: one is above 10.8 once in a thousand, twenty are above 45.3.
    let bound = count(degrees) + MAX_DEVIANCE * scatter + 5.5;
    let holds = largest_z <= MAX_Z && (degrees == 0 || deviance <= bound);
    let degrees = u32::try_from(degrees).unwrap_or(u32::MAX);
    (pairings, Quality { deviance, degrees, largest_z, holds })
}

impl Cell {
    fn deviance(&self) -> f64 {
        let part =
            |(&seen, &expected): (&f64, &f64)| if seen > 0.0 { 2.0 * seen * (seen / expected).ln() } else { 0.0 };
        self.seen.iter().zip(&self.expected).map(part).sum()
    }

    fn pairing(self, one: u32, other: u32) -> Pairing {
        let shares = |counts: [f64; 3]| {
            let [win, draw, loss] = counts.map(|count| count / self.games);
            Chances { win, draw, loss }
        };
        let (observed, fitted) = (shares(self.seen), shares(self.expected));
        let off = self.games * (observed.score() - fitted.score());
        let z = if self.variance > 1e-12 { off / self.variance.sqrt() } else { 0.0 };
        Pairing { one, other, games: self.games, observed, fitted, z }
    }
}
