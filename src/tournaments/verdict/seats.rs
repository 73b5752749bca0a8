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

/// The bias of seats, out of what each player had of every game of a block: its seat and its score. A row is one
/// player's games of one block.
pub fn seat_bias(rows: &[Vec<(usize, f64)>]) -> SeatBias {
    let seats = rows.iter().flatten().map(|&(seat, _)| seat + 1).max().unwrap_or(0);
    let mut sums = vec![(0.0, 0.0); seats];
    for &(seat, score) in rows.iter().flatten() {
        sums[seat].0 += score;
        sums[seat].1 += 1.0;
    }
    let seats = sums.into_iter().map(|(sum, games)| if games > 0.0 { sum / games } else { 0.5 }).collect();
    SeatBias { seats, correlation: correlation(rows) }
}

/// The variance of means of k games is (1 + (k − 1) ρ) / k of that of single games.
fn correlation(rows: &[Vec<(usize, f64)>]) -> Option<f64> {
    let games: Vec<f64> = rows.iter().flatten().map(|&(_, score)| score).collect();
    let size = count(games.len()) / count(rows.len()).max(1.0);
    let means: Vec<f64> = rows
        .iter()
        .filter(|row| !row.is_empty())
        .map(|row| row.iter().map(|&(_, score)| score).sum::<f64>() / count(row.len()))
        .collect();
    let (single, together) = (variance(&games)?, variance(&means)?);
    (single > 1e-12 && size > 1.0).then(|| ((together * size / single - 1.0) / (size - 1.0)).clamp(-1.0, 1.0))
}

fn variance(values: &[f64]) -> Option<f64> {
    let mean = values.iter().sum::<f64>() / count(values.len());
    (values.len() > 1).then(|| values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count(values.len()))
}
