//! The live Elo of an arena's ladder.

use super::super::score::Game;
use super::super::verdict::expected_score;

/// Elo ratings that change with every game: start 1000, K 32.
///
/// A game of n players counts as a game between every pair, by place (a shared place is a draw), each with K / (n − 1):
/// zero-sum, and for two players plain Elo.
#[derive(Clone, Debug, PartialEq)]
pub struct Elo {
    ratings: Vec<f64>,
}

impl Elo {
    /// What everybody begins with.
    pub const START: f64 = 1000.0;
    /// The most that two players can win or lose in a game.
    pub const K: f64 = 32.0;

    /// So many players who have not played yet.
    pub fn new(players: usize) -> Elo {
        Elo::from_ratings(vec![Elo::START; players])
    }

    /// Players who have played.
    pub fn from_ratings(ratings: Vec<f64>) -> Elo {
        Elo { ratings }
    }

    /// Takes in a game. Players that are not known are left out of it.
    pub fn play(&mut self, game: &Game) {
        let seated: Vec<(usize, u32)> = game
            .seats
            .iter()
            .zip(&game.places)
            .map(|(one, &place)| (one.index(), place))
            .filter(|&(one, _)| one < self.ratings.len())
            .collect();
        let ratings: Vec<f64> = seated.iter().map(|&(one, _)| self.ratings[one]).collect();
        let places: Vec<u32> = seated.iter().map(|&(_, place)| place).collect();
        for ((one, _), gain) in seated.iter().zip(gains(&ratings, &places)) {
            self.ratings[*one] += gain;
        }
    }

    /// The ratings as they stand.
    pub fn ratings(&self) -> &[f64] {
        &self.ratings
    }
}

/// What each of those who played a game gains, by their ratings before it and their places.
fn gains(ratings: &[f64], places: &[u32]) -> Vec<f64> {
    let others = super::count(ratings.len()) - 1.0;
    let pair = |one: usize, other: usize| {
        let score = match places[one].cmp(&places[other]) {
            std::cmp::Ordering::Less => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Greater => 0.0,
        };
        Elo::K / others * (score - expected_score(ratings[one] - ratings[other]))
    };
    let all = 0..ratings.len();
    all.clone().map(|one| all.clone().filter(|&other| other != one).map(|other| pair(one, other)).sum()).collect()
}
