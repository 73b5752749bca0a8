//! Intervals: the blocks are drawn anew, again and again, and the fit follows.
//!
//! A full fit of every draw would take hours for a thousand players. One Newton step from the fit of all games, with
//! its curvature, is as good to first order and costs next to nothing: a draw shifts the fit by the inverse curvature
//! times what the drawn blocks say more, or less, than all of them. The prior is drawn anew with the blocks, so that
//! somebody who won every game, and in every draw, still has an interval as wide as the little that is known.
//! Few blocks show too little of how blocks scatter: for a player with few, what the model itself expects stands in for
//! part of what was seen.
//!
//! Two things make such an interval too short at one end. The further two lie apart the less a game between them tells,
//! so that the curvature is not the same all along the interval: where there is not too much to reckon, every draw goes a
//! third of the way to where the true curvature leads, which is what the interval of a likelihood ratio does. And the prior
//! pulls everybody towards the middle: the outer end goes back by half of that. `examples/coverage.rs` measures what is
//! held.

use super::super::chance::{TimesDrawn, normal};
use super::games::{Outcomes, RatedGame};
use super::model::{Layout, Local};
use super::newton::{self, Solution, both};
use super::{FitOptions, count};
use crate::games::Dice;

/// The model's own scatter counts as much as so many blocks that were seen.
const MODEL_WEIGHT: f64 = 4.0;

/// How far draws go towards where the true curvature leads.
const BEND: f64 = 1.0 / 3.0;
/// How much of the prior's pull the outer end of an interval takes back.
const UNPULL: f64 = 0.5;
/// Draws follow the true curvature where that costs no more than about so many multiplications each.
const MOST_TO_BEND: usize = 100_000;

/// What the draws say of one player, relative to the anchor, in units of log-strength.
#[derive(Clone, Copy, Debug)]
pub(super) struct BootstrapInterval {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) ranks: (u32, u32),
    pub(super) best: f64,
}

/// What every block adds to the slope at the fit, in sparse rows.
struct Slopes {
    ends: Vec<usize>,
    cells: Vec<(u32, f64)>,
    /// How often each block happened.
    times: Vec<f64>,
}

/// The intervals of all players.
pub(super) fn intervals(
    outcomes: &Outcomes,
    layout: &Layout,
    solution: &Solution,
    options: &FitOptions,
) -> Vec<BootstrapInterval> {
    let blocks = outcomes.all_blocks();
    let players = layout.players();
    let slopes = Slopes::of(outcomes, layout, solution);
    let seen = outcomes.blocks_played(players);
    // Parameters that are fitted take some of the scatter with them.
    let freedom = (blocks / (blocks - solution.told).max(blocks / 4.0).max(1.0)).sqrt();
    let trust = |at: usize| MODEL_WEIGHT / (MODEL_WEIGHT + layout.owner(at).map_or(blocks, |one| seen[one]));
    let trusts: Vec<f64> = (0..layout.len()).map(trust).collect();
    let pull = pull(solution, options);
    let work = |outcome: &RatedGame| (4 * usize::from(outcome.seats).pow(2)) << outcome.seats;
    let bends = outcomes.distinct.iter().map(work).sum::<usize>() + layout.len().pow(3) <= MOST_TO_BEND;
    let mut dice = options.seed.child("bootstrap", 0).dice();
    let times = TimesDrawn::new();
    let replicates = options.replicates.max(40) as usize;
    let mut draws: Vec<Vec<f64>> = vec![Vec::with_capacity(replicates); players];
    let mut ranked: Vec<Vec<u32>> = vec![Vec::with_capacity(replicates); players];
    let mut bests = vec![0.0; players];
    for _ in 0..replicates {
        let seen = slopes.draw(layout.len(), &times, &mut dice);
        let noise: Vec<f64> = (0..layout.len()).map(|_| normal(&mut dice)).collect();
        let expected = solution.factor.times(&noise);
        let mut shift: Vec<f64> = (0..layout.len())
            .map(|at| {
                let prior = solution.precisions[at].sqrt() * normal(&mut dice);
                trusts[at].sqrt() * expected[at] + (1.0 - trusts[at]).sqrt() * (freedom * seen[at] + prior)
            })
            .collect();
        let more = shift.clone();
        solution.factor.solve(&mut shift);
        if bends {
            let bent = newton::bent(outcomes, layout, solution, &more, &shift);
            shift.iter_mut().zip(&bent).for_each(|(straight, bent)| *straight += BEND * (bent - *straight));
        }
        let strengths: Vec<f64> = (0..players).map(|at| solution.parameters[at] + shift[at]).collect();
        let zero = match options.anchor.and_then(|anchor| strengths.get(anchor.index())) {
            Some(strength) => *strength,
            None => strengths.iter().sum::<f64>() / count(players.max(1)),
        };
        let ranks = ranks(&strengths);
        let firsts = count(ranks.iter().filter(|&&rank| rank == 1).count());
        for at in 0..players {
            draws[at].push(strengths[at] - zero);
            ranked[at].push(ranks[at]);
            if ranks[at] == 1 {
                bests[at] += 1.0 / firsts;
            }
        }
    }
    let mut span = |at: usize| {
        draws[at].sort_unstable_by(f64::total_cmp);
        ranked[at].sort_unstable();
        let (low, high) = (replicates / 40, replicates - 1 - replicates / 40);
        BootstrapInterval {
            low: draws[at][low] + UNPULL * pull[at].min(0.0),
            high: draws[at][high] + UNPULL * pull[at].max(0.0),
            ranks: (ranked[at][low], ranked[at][high]),
            best: bests[at] / count(replicates),
        }
    };
    (0..players).map(&mut span).collect()
}

/// How far the prior has pulled each parameter towards the middle, relative to the anchor.
fn pull(solution: &Solution, options: &FitOptions) -> Vec<f64> {
    let parts = solution.precisions.iter().zip(&solution.parameters);
    let mut pull: Vec<f64> = parts.map(|(precision, value)| precision * value).collect();
    solution.factor.solve(&mut pull);
    let zero = options.anchor.and_then(|anchor| pull.get(anchor.index())).copied().unwrap_or(0.0);
    pull.into_iter().map(|one| one - zero).collect()
}

impl Slopes {
    fn of(outcomes: &Outcomes, layout: &Layout, solution: &Solution) -> Slopes {
        let room = Vec::with_capacity(outcomes.blocks.len());
        let mut slopes = Slopes { ends: room.clone(), cells: Vec::new(), times: Vec::new() };
        // The slopes of single games, end to end.
        let mut games = Slopes { ends: vec![0], cells: Vec::new(), times: Vec::new() };
        let mut local = Local::new();
        for outcome in &outcomes.distinct {
            layout.look(outcome, &solution.parameters, &mut local);
            let weight = outcomes.weight(outcome);
            for at in 0..local.size {
                games.cells.extend(both(local.places[at]).map(|place| (narrow(place), weight * local.slope[at])));
            }
            games.ends.push(games.cells.len());
        }
        for (block, times) in &outcomes.blocks {
            slopes.times.push(*times);
            let start = slopes.cells.len();
            let cells = |&game: &u32| &games.cells[games.ends[game as usize]..games.ends[game as usize + 1]];
            for &(place, value) in block.iter().flat_map(cells) {
                match slopes.cells[start..].iter_mut().find(|(other, _)| *other == place) {
                    Some((_, sum)) => *sum += value,
                    None => slopes.cells.push((place, value)),
                }
            }
            slopes.ends.push(slopes.cells.len());
        }
        slopes
    }

    /// How far the slope is from that of all blocks when as many blocks are drawn with repetition.
    fn draw(&self, size: usize, times: &TimesDrawn, dice: &mut Dice) -> Vec<f64> {
        let mut sum = vec![0.0; size];
        let mut start = 0;
        for (&end, &happened) in self.ends.iter().zip(&self.times) {
            let more = times.of(happened, dice) - happened;
            if more.abs() > 0.5 {
                for &(place, value) in &self.cells[start..end] {
                    sum[place as usize] += more * value;
                }
            }
            start = end;
        }
        sum
    }
}

fn narrow(place: usize) -> u32 {
    u32::try_from(place).expect("there are fewer than 2^32 parameters")
}

/// Ranks from 1, the largest first; equals share one.
pub(super) fn ranks(values: &[f64]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&one, &other| values[other].total_cmp(&values[one]));
    let mut ranks = vec![1; values.len()];
    let mut rank = 1;
    for (at, &player) in order.iter().enumerate() {
        // Rounding must not part those whom the games do not tell apart.
        if at > 0 && values[order[at - 1]] - values[player] > 1e-9 {
            rank = u32::try_from(at + 1).unwrap_or(u32::MAX);
        }
        ranks[player] = rank;
    }
    ranks
}
