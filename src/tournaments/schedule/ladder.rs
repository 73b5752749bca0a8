//! A ladder: everybody meets graded bots, as near to an even match as there is one.

use std::ops::RangeInclusive;

use super::super::score::{Entrant, count};
use super::{BadSetup, Played};

/// What a climber is expected to score against its next opponent, where there is such a one: games that are won or
/// lost before they begin tell nothing.
pub const BAND: RangeInclusive<f64> = 0.35..=0.65;

/// Points of rating in which odds grow tenfold.
const SPREAD: f64 = 400.0;

/// A bot that others are measured by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rung {
    /// Which entrant it is.
    pub entrant: Entrant,
    /// How strong it is, in points of Elo.
    pub rating: f64,
}

pub(super) fn check(rungs: &[Rung], entrants: usize) -> Result<(), BadSetup> {
    let mut known: Vec<Entrant> = rungs.iter().map(|rung| rung.entrant).collect();
    known.sort_unstable();
    known.dedup();
    let sound = rungs.iter().all(|rung| rung.rating.is_finite() && rung.entrant.index() < entrants);
    if sound && !known.is_empty() && known.len() == rungs.len() && known.len() < entrants {
        Ok(())
    } else {
        Err(BadSetup::Ladder)
    }
}

/// Every climber with its next opponent.
pub(super) fn opponents(rungs: &[Rung], entrants: usize, played: &Played) -> Vec<Vec<Entrant>> {
    let climbers = (0..entrants).map(Entrant::new).filter(|one| rungs.iter().all(|rung| rung.entrant != *one));
    climbers.map(|one| vec![one, next(rungs, one, played)]).collect()
}

/// The bot in the band that the climber met least, the nearest to even first; the nearest at all where there is none.
fn next(rungs: &[Rung], climber: Entrant, played: &Played) -> Entrant {
    let met: Vec<(f64, f64)> = played
        .values()
        .filter(|(group, _)| group.first() == Some(&climber))
        .filter_map(|(group, scores)| {
            let rung = rungs.iter().find(|rung| group.get(1) == Some(&rung.entrant))?;
            Some((rung.rating, *scores.first()?))
        })
        .collect();
    let strength = estimate(rungs, &met);
    let often = |rung: &Rung| met.iter().filter(|(rating, _)| rating.to_bits() == rung.rating.to_bits()).count();
    let even = |rung: &Rung| (expected(strength, rung.rating) - 0.5).abs();
    let mut order: Vec<&Rung> = rungs.iter().collect();
    order.sort_by(|one, other| {
        let outside = |rung: &Rung| !BAND.contains(&expected(strength, rung.rating));
        let within = |rung: &Rung| if outside(rung) { 0 } else { often(rung) };
        outside(one)
            .cmp(&outside(other))
            .then(within(one).cmp(&within(other)))
            .then(even(one).total_cmp(&even(other)))
            .then(one.entrant.cmp(&other.entrant))
    });
    order.first().map_or(climber, |rung| rung.entrant)
}

/// What somebody so strong is expected to score against a bot.
fn expected(strength: f64, rating: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf((rating - strength) / SPREAD))
}

/// How strong somebody with these results most likely is, who might have been about as strong as the middle of the
/// ladder, give or take 400.
fn estimate(rungs: &[Rung], met: &[(f64, f64)]) -> f64 {
    let middle = rungs.iter().map(|rung| rung.rating).sum::<f64>() / count(rungs.len());
    let scale = std::f64::consts::LN_10 / SPREAD;
    let mut strength = middle;
    for _ in 0..50 {
        let (mut slope, mut bend) = ((middle - strength) / (SPREAD * SPREAD), 1.0 / (SPREAD * SPREAD));
        for &(rating, score) in met {
            let chance = expected(strength, rating);
            slope += scale * (score - chance);
            bend += scale * scale * chance * (1.0 - chance);
        }
        // The sum is concave; half steps of at most one ladder's spread always arrive.
        let step = (slope / bend).clamp(-SPREAD, SPREAD);
        strength += step;
        if step.abs() < 1e-9 {
            break;
        }
    }
    strength
}
