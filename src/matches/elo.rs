//! Live Elo: what a match changes in the ratings of those who played it.

/// What everybody begins with.
pub const START: f64 = 1000.0;

/// The most that two players can win or lose in a match.
pub const K: f64 = 32.0;

/// What a player so many points of Elo stronger scores in the mean.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// What each of those who played gains, by their ratings before the match and their places.
///
/// A match of n players counts as one between every pair, by place (a shared place is a draw), each with K / (n − 1):
/// zero-sum, and for two players plain Elo. A player without a place is as good as one on the last.
pub fn gains(ratings: &[f64], places: &[u32]) -> Vec<f64> {
    let others = f64::from(u32::try_from(ratings.len()).unwrap_or(u32::MAX)) - 1.0;
    let place = |one: usize| places.get(one).copied().unwrap_or(u32::MAX);
    let pair = |one: usize, other: usize| {
        let score = match place(one).cmp(&place(other)) {
            std::cmp::Ordering::Less => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Greater => 0.0,
        };
        K / others * (score - expected_score(ratings[one] - ratings[other]))
    };
    let all = 0..ratings.len();
    all.clone().map(|one| all.clone().filter(|&other| other != one).map(|other| pair(one, other)).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_example() {
        // The worked example of Wikipedia's article on Elo, game by game with one rating change each: a player of 1613
        // against 1609, 1477, 1388, 1586 and 1720 is expected to score 0.506, 0.686, 0.785, 0.539 and 0.351.
        let rivals = [1609.0, 1477.0, 1388.0, 1586.0, 1720.0];
        let expected = [0.506, 0.686, 0.785, 0.539, 0.351];
        for (rival, expected) in rivals.into_iter().zip(expected) {
            let chance = -gains(&[1613.0, rival], &[2, 1])[0] / K;
            assert!((chance - expected).abs() < 6e-4, "{rival}: {chance}");
        }
    }

    #[test]
    fn many_players_are_zero_sum_and_pairwise() {
        let found = gains(&[START; 4], &[2, 4, 1, 2]);
        // All begin equal: a third of K for every pair, half of it won or lost.
        let sixth = K / 6.0;
        for (one, other) in found.iter().zip([0.0, -3.0 * sixth, 3.0 * sixth, 0.0]) {
            assert!((one - other).abs() < 1e-9, "{found:?}");
        }
        let uneven = gains(&[1200.0, 900.0, 1000.0], &[3, 1, 2]);
        assert!(uneven.iter().sum::<f64>().abs() < 1e-9, "{uneven:?}");
        assert_eq!(gains(&[1000.0], &[1]), [0.0]);
    }
}
