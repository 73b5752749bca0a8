//! How much seats matter.

use serde::Serialize;

use super::super::score::count;

/// How much of what happens in a game is the seat's doing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeatBias {
    /// The mean score on every seat, whoever sat there.
    pub seats: Vec<f64>,
    /// How the games of a block go together for a player, from −1 to 1: below 0 where the seat decides, so that who
    /// wins from one loses from the other; about 0 where seats and seeds do not matter. Nothing where all scores of
    /// single games are the same.
    pub correlation: Option<f64>,
}

/// A player's games of one block.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatRow {
    /// The seat and the score of each.
    pub games: Vec<(usize, f64)>,
    /// How many blocks were like this.
    pub times: f64,
}

/// The bias of seats, out of what each player had of every game of a block.
pub fn seat_bias(rows: &[SeatRow]) -> SeatBias {
    let games = || rows.iter().flat_map(|row| row.games.iter().map(|&(seat, score)| (seat, score, row.times)));
    let seats = games().map(|(seat, ..)| seat + 1).max().unwrap_or(0);
    let mut sums = vec![(0.0, 0.0); seats];
    for (seat, score, times) in games() {
        sums[seat].0 += times * score;
        sums[seat].1 += times;
    }
    let seats = sums.into_iter().map(|(sum, games)| if games > 0.0 { sum / games } else { 0.5 }).collect();
    SeatBias { seats, correlation: correlation(rows) }
}

/// The variance of means of k games is (1 + (k − 1) ρ) / k of that of single games.
fn correlation(rows: &[SeatRow]) -> Option<f64> {
    let rows = || rows.iter().filter(|row| !row.games.is_empty());
    let games: Vec<(f64, f64)> =
        rows().flat_map(|row| row.games.iter().map(|&(_, score)| (score, row.times))).collect();
    let mean = |row: &SeatRow| row.games.iter().map(|&(_, score)| score).sum::<f64>() / count(row.games.len());
    let means: Vec<(f64, f64)> = rows().map(|row| (mean(row), row.times)).collect();
    let size = weight(&games) / weight(&means).max(1.0);
    let (single, together) = (variance(&games)?, variance(&means)?);
    (single > 1e-12 && size > 1.0).then(|| ((together * size / single - 1.0) / (size - 1.0)).clamp(-1.0, 1.0))
}

fn weight(values: &[(f64, f64)]) -> f64 {
    values.iter().map(|(_, times)| times).sum()
}

/// Of values with how often they came up.
fn variance(values: &[(f64, f64)]) -> Option<f64> {
    let whole = weight(values);
    let mean = values.iter().map(|(value, times)| times * value).sum::<f64>() / whole;
    let squares: f64 = values.iter().map(|(value, times)| times * (value - mean).powi(2)).sum();
    (whole > 1.0).then_some(squares / whole)
}
