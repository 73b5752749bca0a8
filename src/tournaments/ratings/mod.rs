//! Ratings: the leaderboard of record ([`fit`]). The live Elo of an arena's ladder is in [`crate::matches::elo`].
//!
//! The leaderboard of record is a batch fit of the Plackett–Luce model with Davidson's ties to all games at once
//! (Turner, van Etten, Firth and Kosmidis, "Modelling rankings in R", 2020); between two players it is the model of
//! Bradley and Terry with draws as Davidson put them (1970). A seat may be worth something of its own on each course.
//! Games are brought into a canonical order first, so the order in which they were played cannot matter.

mod bootstrap;
mod dense;
mod games;
mod model;
mod newton;
#[cfg(test)]
mod tests;

use serde::Serialize;

use self::games::Outcomes;
use self::model::Layout;
use super::score::{Entrant, GameResult, count};
use crate::games::Seed;

/// What a rating is where the anchor stands.
pub const ANCHOR: f64 = 1000.0;

/// Points of rating in one unit of log-strength: 400 points are odds of ten to one.
pub(super) const POINTS: f64 = 400.0 / std::f64::consts::LN_10;

/// The games of one seed in all seat rotations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedBlock {
    /// Which ruleset and map, counted from 0.
    pub course: u32,
    /// The games of the block, one per rotation.
    pub games: Vec<GameResult>,
}

/// How to fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitOptions {
    /// Who stands at 1000; where nobody does, the mean of all.
    pub anchor: Option<Entrant>,
    /// How far, in points, players are taken to scatter before a game is seen: a weak prior, without which nobody who
    /// won all games would have a rating.
    pub spread: f64,
    /// Whether seats are worth something of their own.
    pub seats: SeatEffects,
    /// How often the blocks are drawn anew for the intervals.
    pub replicates: u32,
    /// The dice of that.
    pub seed: Seed,
}

/// Whether the fit knows of seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatEffects {
    /// Each seat of each course is worth what the games say.
    Fitted,
    /// All seats are taken to be equal.
    Ignored,
}

impl Default for FitOptions {
    fn default() -> FitOptions {
        FitOptions { anchor: None, spread: 600.0, seats: SeatEffects::Fitted, replicates: 1000, seed: Seed(0) }
    }
}

/// Ratings fitted to all games, with their uncertainty.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// In the order of the entrants.
    pub players: Vec<Rated>,
    /// What the seats are worth, in points: by course, then by seat, with mean 0. Empty where they were ignored.
    pub seats: Vec<Vec<f64>>,
    /// How many games could not be used: fewer than 2 or more than 8 seats, or somebody twice at one table.
    pub unusable: usize,
    /// How much more likely than their strengths say it is that two equals draw: ν of Davidson's model.
    pub draw_weight: f64,
}

/// A player on the leaderboard.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rated {
    /// The rating, in points of Elo.
    pub rating: f64,
    /// The lower end of the 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// 1 is the best.
    pub rank: u32,
    /// The best rank in the 95 % interval.
    pub rank_low: u32,
    /// The worst rank within the interval.
    pub rank_high: u32,
    /// How likely it is that nobody is better.
    pub best: f64,
    /// Blocks that it took part in.
    pub blocks: u32,
    /// Games that it took part in.
    pub games: u32,
    /// Games in which it came first alone.
    pub wins: u32,
    /// Games in which it shared the first place.
    pub draws: u32,
    /// All other games.
    pub losses: u32,
    /// Its mean score in [0, 1].
    pub score: f64,
}

/// How likely a game between two is to end how, when seats are equal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Chances {
    /// The first wins.
    pub win: f64,
    /// The game is drawn.
    pub draw: f64,
    /// The second wins.
    pub loss: f64,
}

impl Fit {
    /// How a game between two would end.
    pub fn chances(&self, one: Entrant, other: Entrant) -> Option<Chances> {
        let lead = (self.players.get(one.index())?.rating - self.players.get(other.index())?.rating) / POINTS;
        // Shifted so that the larger of the two is 1: nothing overflows.
        let (win, loss) = ((lead.min(0.0)).exp(), (-lead).min(0.0).exp());
        let draw = self.draw_weight * (win * loss).sqrt();
        let whole = win + draw + loss;
        Some(Chances { win: win / whole, draw: draw / whole, loss: loss / whole })
    }
}

/// Rates so many players by all these blocks.
pub fn fit(players: usize, blocks: &[PlayedBlock], options: &FitOptions) -> Fit {
    let outcomes = Outcomes::of(players, blocks);
    let layout = Layout::of(players, &outcomes, options.seats);
    let spread = if options.spread.is_finite() { options.spread.abs().max(1.0) } else { 600.0 };
    let solution = newton::solve(&outcomes, &layout, spread / POINTS);
    let strengths = &solution.parameters[..players];
    let zero = match options.anchor.and_then(|anchor| strengths.get(anchor.index())) {
        Some(strength) => *strength,
        None => strengths.iter().sum::<f64>() / count(players.max(1)),
    };
    let spans = bootstrap::intervals(&outcomes, &layout, &solution, options);
    let mut table: Vec<Rated> = outcomes.tallies(players);
    for (index, rated) in table.iter_mut().enumerate() {
        rated.rating = ANCHOR + POINTS * (strengths[index] - zero);
        let span = &spans[index];
        // The rounding of a sum must not put an end of the interval on the wrong side of the rating.
        rated.low = (ANCHOR + POINTS * span.low).min(rated.rating);
        rated.high = (ANCHOR + POINTS * span.high).max(rated.rating);
        rated.best = span.best;
        (rated.rank_low, rated.rank_high) = span.ranks;
    }
    let ratings: Vec<f64> = table.iter().map(|rated| rated.rating).collect();
    for (rated, rank) in table.iter_mut().zip(bootstrap::ranks(&ratings)) {
        rated.rank = rank;
        rated.rank_low = rated.rank_low.min(rank);
        rated.rank_high = rated.rank_high.max(rank);
    }
    Fit {
        players: table,
        seats: layout.seat_points(&solution.parameters),
        unusable: outcomes.unusable,
        draw_weight: layout.draw_weight(&solution.parameters),
    }
}
