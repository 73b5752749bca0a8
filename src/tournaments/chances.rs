//! The chance of everybody at a table to come first, out of what each can expect.

use std::collections::BTreeMap;

use super::score::count;
use crate::games::Seat;

/// So often the strengths are brought nearer to what is expected of them.
const ROUNDS: usize = 60;
/// Nobody is surer than this while the match goes on.
const NEARLY: f64 = 0.999;

/// The chance of each seat to come first, from the score that each can expect, 0 to 1; whoever is out has none. They sum
/// to 1.
///
/// Scores are what the living could expect against each other, and the strengths that would give these scores (each wins
/// against another in proportion to both) give the chance to be first: for two it is the score itself.
pub(crate) fn win_chances(scores: &BTreeMap<Seat, f64>, is_alive: impl Fn(Seat) -> bool) -> BTreeMap<Seat, f64> {
    let living: Vec<Seat> = scores.keys().copied().filter(|&seat| is_alive(seat)).collect();
    let (all, fallen) = (scores.len(), scores.len() - living.len());
    // Whoever fell is behind everybody who lives: that part of a score is settled.
    let settled = if all > 1 { count(fallen) / count(all - 1) } else { 0.0 };
    let open = (1.0 - settled).max(f64::EPSILON);
    let mut wanted: Vec<f64> =
        living.iter().map(|seat| ((scores[seat] - settled) / open).clamp(1.0 - NEARLY, NEARLY)).collect();
    let sum: f64 = wanted.iter().sum();
    for score in &mut wanted {
        *score = (*score * count(living.len()) / (2.0 * sum)).clamp(1.0 - NEARLY, NEARLY);
    }
    let mut strengths = vec![1.0; living.len()];
    for _ in 0..ROUNDS {
        for at in 0..living.len() {
            let others = (0..living.len()).filter(|&other| other != at);
            let won: f64 = others.map(|other| strengths[at] / (strengths[at] + strengths[other])).sum();
            let given = won / count(living.len().saturating_sub(1).max(1));
            if given > 0.0 {
                let factor = (wanted[at] / (1.0 - wanted[at])) / (given / (1.0 - given).max(f64::EPSILON));
                strengths[at] = (strengths[at] * factor).clamp(1e-6, 1e6);
            }
        }
    }
    let whole: f64 = strengths.iter().sum();
    let mut chances: BTreeMap<Seat, f64> = scores.keys().map(|&seat| (seat, 0.0)).collect();
    for (&seat, strength) in living.iter().zip(&strengths) {
        chances.insert(seat, strength / whole);
    }
    chances
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chances(scores: &[f64], alive: &[bool]) -> Vec<f64> {
        let scores = scores.iter().enumerate().map(|(seat, &score)| (Seat::new(seat), score)).collect();
        win_chances(&scores, |seat| alive[seat.index()]).into_values().collect()
    }

    #[test]
    fn chances_sum_to_one_and_the_fallen_have_none() {
        for (scores, alive) in [
            (vec![0.7, 0.3], vec![true; 2]),
            (vec![0.5; 8], vec![true; 8]),
            (vec![0.9, 0.8, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4], [vec![true; 3], vec![false; 5]].concat()),
            (vec![1.0, 0.5, 0.0], vec![true, false, false]),
            (vec![0.0, 0.0, 0.0], vec![true; 3]),
        ] {
            let chances = chances(&scores, &alive);
            assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{chances:?}");
            assert!(chances.iter().zip(&alive).all(|(&chance, &alive)| alive || chance == 0.0), "{chances:?}");
            assert!(chances.iter().all(|chance| (0.0..=1.0).contains(chance)));
        }
    }

    #[test]
    fn the_chance_of_one_of_two_is_its_score_and_equals_share_alike() {
        let two = chances(&[0.7, 0.3], &[true; 2]);
        assert!((two[0] - 0.7).abs() < 0.01, "{two:?}");
        for chance in chances(&[0.5; 8], &[true; 8]) {
            assert!((chance - 0.125).abs() < 1e-6, "{chance}");
        }
        let sure = chances(&[1.0, 0.4, 0.3, 0.3], &[true; 4]);
        assert!(sure[0] > 0.9, "{sure:?}");
    }
}
