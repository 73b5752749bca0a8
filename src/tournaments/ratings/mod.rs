//! Ratings: the leaderboard of record ([`fit`]). The live Elo of an arena's ladder is in [`crate::matches::elo`].
//!
//! The leaderboard of record is a batch fit of the Plackett–Luce model with Davidson's ties to all games at once
//! (Turner, van Etten, Firth and Kosmidis, "Modelling rankings in R", 2020); between two players it is the model of
//! Bradley and Terry with draws as Davidson put them (1970), in which every player is given to draws as much as its games
//! say. A seat may be worth something of its own on each course, and each course has its own draws. How far players
//! scatter is estimated too. Games are brought into a canonical order first, so the order in which they were played
//! cannot matter. [`Quality`] says whether the model holds.

mod bootstrap;
mod dense;
mod games;
mod model;
mod newton;
mod quality;
#[cfg(test)]
mod tests;

use serde::Serialize;

use self::games::Outcomes;
use self::model::Layout;
pub use self::quality::{Pairing, Quality};
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
    /// How many blocks ended alike.
    pub times: u32,
}

/// How to fit.
#[derive(Clone, Debug, PartialEq)]
pub struct FitOptions {
    /// Who is rated 1000; where nobody does, the mean of all.
    pub anchor: Option<Entrant>,
    /// How far, in points, players are taken to scatter before a game is seen; by default as far as the
    /// games say. Without such a prior nobody who won all games would have a rating.
    pub spread: Option<f64>,
    /// Whether players are given to draws each in its own way.
    pub draws: DrawEffects,
    /// Whether seats are worth something of their own.
    pub seats: SeatEffects,
    /// The ruleset of each course: all of them count the same, however many games they have. Where it is empty every
    /// game counts the same.
    pub rulesets: Vec<u32>,
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

/// Whether the fit knows who is given to draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawEffects {
    /// Every player as much as its games say.
    Own,
    /// One propensity for all players.
    Common,
}

impl Default for FitOptions {
    fn default() -> FitOptions {
        FitOptions {
            anchor: None,
            spread: None,
            draws: DrawEffects::Own,
            seats: SeatEffects::Fitted,
            rulesets: Vec::new(),
            replicates: 1000,
            seed: Seed(0),
        }
    }
}

/// Ratings fitted to all games, with their uncertainty.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// In the order of the entrants.
    pub players: Vec<Rated>,
    /// What the seats are worth, in points: by course, then by seat, with mean 0. Empty where they were ignored.
    pub seats: Vec<Vec<f64>>,
    /// How many games could not be used: fewer than 2 or more than 8 seats.
    pub unusable: u64,
    /// ln ν of Davidson's model by course: how much more likely than their strengths say it is that two equals draw who
    /// are no more given to draws than others. Empty where nobody ever drew.
    pub log_draw_weights: Vec<f64>,
    /// How far players scatter, in points.
    pub spread: f64,
    /// What happened between every two who met, beside what the fit expects.
    pub pairings: Vec<Pairing>,
    /// Whether the model holds.
    pub quality: Quality,
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
    /// How much more it is given to draws than others: what it adds to ln ν of a pair.
    pub draw_tendency: f64,
}

impl Rated {
    /// Of whom nothing is known.
    const BLANK: Rated = Rated {
        rating: ANCHOR,
        low: ANCHOR,
        high: ANCHOR,
        rank: 1,
        rank_low: 1,
        rank_high: 1,
        best: 0.0,
        blocks: 0,
        games: 0,
        wins: 0,
        draws: 0,
        losses: 0,
        score: 0.5,
        draw_tendency: 0.0,
    };
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

impl Chances {
    /// What the first has of it: a draw is half a win.
    pub fn score(&self) -> f64 {
        self.win + self.draw / 2.0
    }
}

impl Fit {
    /// How a game between two would end, on any course.
    pub fn chances(&self, one: Entrant, other: Entrant) -> Option<Chances> {
        let (one, other) = (self.players.get(one.index())?, self.players.get(other.index())?);
        let lead = (one.rating - other.rating) / POINTS;
        // Shifted so that the larger of the two is 1: nothing overflows.
        let (win, loss) = ((lead.min(0.0)).exp(), (-lead).min(0.0).exp());
        let on_course = |log_weight: f64| {
            let draw = (log_weight + one.draw_tendency + other.draw_tendency).exp() * (win * loss).sqrt();
            let whole = win + draw + loss;
            [win / whole, draw / whole, loss / whole]
        };
        if self.log_draw_weights.is_empty() {
            return Some(Chances { win: win / (win + loss), draw: 0.0, loss: loss / (win + loss) });
        }
        let mut mean = [0.0; 3];
        for &log_weight in &self.log_draw_weights {
            for (sum, chance) in mean.iter_mut().zip(on_course(log_weight)) {
                *sum += chance / count(self.log_draw_weights.len());
            }
        }
        let [win, draw, loss] = mean;
        Some(Chances { win, draw, loss })
    }
}

/// Rates so many players by all these blocks.
pub fn fit(players: usize, blocks: &[PlayedBlock], options: &FitOptions) -> Fit {
    let outcomes = Outcomes::of(players, blocks, &options.rulesets);
    let layout = Layout::of(players, &outcomes, options);
    let solution = newton::solve(&outcomes, &layout, options);
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
    for (rated, at) in table.iter_mut().zip(layout.drawers()) {
        rated.draw_tendency = solution.parameters[at];
    }
    let ratings: Vec<f64> = table.iter().map(|rated| rated.rating).collect();
    for (rated, rank) in table.iter_mut().zip(bootstrap::ranks(&ratings)) {
        rated.rank = rank;
        rated.rank_low = rated.rank_low.min(rank);
        rated.rank_high = rated.rank_high.max(rank);
    }
    let (pairings, quality) = quality::assess(&outcomes, &layout, &solution);
    Fit {
        players: table,
        seats: layout.seat_points(&solution.parameters),
        unusable: outcomes.unusable,
        log_draw_weights: layout.log_draw_weights(&solution.parameters),
        spread: POINTS * solution.widths.strengths,
        pairings,
        quality,
    }
}
