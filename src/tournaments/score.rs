//! What a game and a block are worth to those who played them.
//!
//! A game is worth `(n − place) / (n − 1)`, shared places averaged; a block the mean of its games. All in [0, 1].

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Somebody who takes part, by its index in the tournament's list of players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Entrant(pub u32);

impl Entrant {
    /// The entrant with this index, counted from 0.
    ///
    /// # Panics
    /// If the index is 2³² or more.
    pub fn new(index: usize) -> Entrant {
        Entrant(u32::try_from(index).expect("a tournament has fewer than 2^32 players"))
    }

    /// Counted from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0 + 1)
    }
}

/// A game that was played: who sat where, and who came where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameResult {
    /// Who sat where, by seat.
    pub seats: Vec<Entrant>,
    /// By seat; 1 is the best, and those who share a place have the same.
    pub places: Vec<u32>,
}

impl GameResult {
    /// What each player of the game has of it, in seat order.
    pub fn scores(&self) -> impl Iterator<Item = (Entrant, f64)> {
        self.seats.iter().copied().zip(scores(&self.places))
    }
}

/// Scores of a game in [0, 1] by its places.
pub fn scores(places: &[u32]) -> Vec<f64> {
    let others = count(places.len()) - 1.0;
    places
        .iter()
        .map(|place| {
            if others < 1.0 {
                return 1.0;
            }
            // Counted instead of computed from the number: a gap in the places, or a place from 0, changes nothing.
            let below = places.iter().filter(|&other| other > place).count();
            let beside = places.iter().filter(|&other| other == place).count() - 1;
            (count(below) + count(beside) / 2.0) / others
        })
        .collect()
}

/// What a block is worth to each of its players: the mean of the games that it played.
pub fn block_scores<'a>(games: impl IntoIterator<Item = &'a GameResult>) -> BTreeMap<Entrant, f64> {
    let mut sums: BTreeMap<Entrant, (f64, f64)> = BTreeMap::new();
    for (entrant, score) in games.into_iter().flat_map(GameResult::scores) {
        let (sum, games) = sums.entry(entrant).or_default();
        *sum += score;
        *games += 1.0;
    }
    sums.into_iter().map(|(entrant, (sum, games))| (entrant, sum / games)).collect()
}

/// How one player did against another, in [0, 1], out of what the same block was worth to both: ½ is no difference.
///
/// Between two players of one game it is the score of the first. It is also right for two that met the same opponents
/// on the same seeds and not each other.
pub fn versus(one: f64, other: f64) -> f64 {
    f64::midpoint(1.0, one - other)
}

/// A count as a number to reckon with.
#[expect(clippy::cast_precision_loss, reason = "counts of games and players are far below 2^52")]
pub(super) fn count(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_places_are_averaged() {
        for (places, expected) in [
            (&[1, 2][..], &[1.0, 0.0][..]),
            (&[1, 1], &[0.5, 0.5]),
            (&[1, 2, 2, 4], &[1.0, 0.5, 0.5, 0.0]),
            (&[3, 1, 1], &[0.0, 0.75, 0.75]),
            (&[1], &[1.0]),
            (&[], &[]),
        ] {
            assert_eq!(scores(places), expected, "{places:?}");
        }
    }

    #[test]
    fn a_block_is_worth_the_mean_of_its_games() {
        let [one, two] = [Entrant(0), Entrant(1)];
        let games = [
            GameResult { seats: vec![one, two], places: vec![1, 2] },
            GameResult { seats: vec![two, one], places: vec![1, 1] },
        ];
        assert_eq!(block_scores(&games), BTreeMap::from([(one, 0.75), (two, 0.25)]));
    }

    #[test]
    fn the_first_players_score_is_how_it_did_against_the_other() {
        for score in [0.0, 0.25, 0.5, 1.0] {
            assert!((versus(score, 1.0 - score) - score).abs() < 1e-12);
        }
    }
}
