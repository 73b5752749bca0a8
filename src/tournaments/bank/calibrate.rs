//! What a point on a bank is worth in Elo: graded players play games with each other and answer the bank.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::super::graded::{Graded, play_out};
use super::super::score::count;
use super::{BadBank, Bank};
use crate::bots::{BotSpec, Budget};
use crate::games::{Refusal, Ruleset, Seed, Viewer};

/// The search whose moves the graded players mix with random ones.
pub const GRADED_NODES: u32 = 100;

/// The shares of its moves, in percent.
const SHARES: [u32; 6] = [0, 20, 40, 60, 80, 100];

/// Two players so far apart, in Elo, or more, say something about the slope between them.
const APART: f64 = 100.0;

/// How scores on a bank translate into Elo of games, frozen with the bank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The players that were measured both ways.
    pub rungs: Vec<Rung>,
    /// How much of a bank's score a point of Elo is worth: the slope over all of them.
    pub score_per_elo: f64,
    /// The same where it is least, between any two mixtures a hundred Elo or more apart: "no difference" is said by this.
    pub least_score_per_elo: f64,
    /// In how much more of its turns a player must play the search's move to be a point of Elo stronger, where that is
    /// least: what the scale of the quiz is made of.
    pub least_share_per_elo: f64,
    /// The mean square of half the difference between two independent answers of middling players: how far the first
    /// bets reach.
    pub moment: f64,
}

/// A graded player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rung {
    /// What it is.
    pub player: String,
    /// In how many of a hundred turns it plays the search's move, if it is a mixture.
    pub percent: Option<u32>,
    /// Its strength in games, with `random` at 0.
    pub elo: f64,
    /// Its mean score on the bank, in [0, 1].
    pub score: f64,
    /// Games that it played.
    pub games: u32,
    /// Turns that it had in a game, in the mean.
    pub turns: f64,
}

/// How a calibration is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CalibrationSpec {
    /// Blocks that each pair of neighbours plays.
    pub blocks: u32,
    /// Where the games come from.
    pub seed: Seed,
}

/// The games of two.
struct Pairing {
    one: usize,
    other: usize,
    score: f64,
    games: f64,
}

impl Bank {
    /// Measures what a point on this bank is worth in Elo, in games of two with the openings of tournaments. `progress`
    /// is told how many of how many games are played.
    ///
    /// # Errors
    /// If the bank is no good, or its ruleset does not seat two.
    pub fn calibrate(&self, spec: CalibrationSpec, mut progress: impl FnMut(u32, u32)) -> Result<Calibration, BadBank> {
        let ruleset = Ruleset::from_json(&self.ruleset).map_err(BadBank::Ruleset)?;
        let ruleset = Arc::new(ruleset.for_tournament(None));
        let players = ladder();
        let pairs = pairs();
        let (mut done, all) = (0, 2 * spec.blocks * u32::try_from(pairs.len()).unwrap_or(u32::MAX));
        let mut pairings = Vec::new();
        let mut turns = vec![(0.0_f64, 0.0_f64); players.len()];
        let refused = |refusal: Refusal| BadBank::Calibration(refusal.message);
        for (number, (one, other)) in (0..).zip(pairs) {
            let mut pairing = Pairing { one, other, score: 0.0, games: 0.0 };
            for block in 0..spec.blocks {
                let seed = spec.seed.child("calibrate", number).child("block", block.into());
                for [first, second] in [[one, other], [other, one]] {
                    let played = play_out(&ruleset, &[players[first], players[second]], seed).map_err(refused)?;
                    pairing.score += played.scores[usize::from(first != one)];
                    pairing.games += 1.0;
                    for (seat, player) in [first, second].into_iter().enumerate() {
                        #[expect(clippy::cast_precision_loss, reason = "turns of a game are few")]
                        let own = played.turns[seat] as f64;
                        turns[player] = (turns[player].0 + own, turns[player].1 + 1.0);
                    }
                    done += 1;
                }
                progress(done, all);
            }
            pairings.push(pairing);
        }
        let elo = fit(players.len(), &pairings);
        let (scores, moment) = self.answered(&players)?;
        let rungs: Vec<Rung> = (0..players.len())
            .map(|at| Rung {
                player: players[at].to_string(),
                percent: match players[at] {
                    Graded::Mixture { percent, .. } => Some(percent),
                    Graded::Bot(_) => None,
                },
                elo: rounded(elo[at] - elo[0]),
                score: (scores[at] * 1e4).round() / 1e4,
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of games")]
                games: turns[at].1 as u32,
                turns: rounded(turns[at].0 / turns[at].1.max(1.0)),
            })
            .collect();
        Ok(Calibration::of(rungs, moment))
    }

    /// The mean score of every player on the bank, and how far two answers of a middling one lie apart.
    fn answered(&self, players: &[Graded]) -> Result<(Vec<f64>, f64), BadBank> {
        let exercises = self.exercises()?;
        let n = count(exercises.len()).max(1.0);
        let (mut random, mut search, mut squares) = (0.0, 0.0, 0.0);
        let mut others = vec![0.0; players.len()];
        for exercise in &exercises {
            let seat = exercise.critical.seat;
            let view = exercise.table.view(Viewer::Seat(seat));
            let answer = |player: Graded| {
                let action = player.seat(Seed(0)).choose(&view, seat)?;
                Some(exercise.mark(exercise.table.accept_action(seat, action).ok().as_ref()).score)
            };
            let any: Vec<f64> = exercise.scores().collect();
            let mean = any.iter().sum::<f64>() / count(any.len()).max(1.0);
            let best = answer(Graded::Mixture { nodes: GRADED_NODES, percent: 100 }).unwrap_or(0.0);
            random += mean / n;
            search += best / n;
            // Half of its answers are the search's, the others any.
            let second = any.iter().map(|score| score * score).sum::<f64>() / count(any.len()).max(1.0);
            let (middle, middle_second) = (f64::midpoint(best, mean), f64::midpoint(best * best, second));
            squares += 2.0 * (middle_second - middle * middle) / 4.0 / n;
            for (sum, player) in others.iter_mut().zip(players) {
                if let Graded::Bot(BotSpec::Greedy | BotSpec::Search(_)) = player {
                    *sum += answer(*player).unwrap_or(0.0) / n;
                }
            }
        }
        let scores = players.iter().zip(others).map(|(player, own)| match player {
            Graded::Mixture { percent, .. } => random + f64::from(*percent) / 100.0 * (search - random),
            Graded::Bot(BotSpec::Random) => random,
            Graded::Bot(_) => own,
        });
        Ok((scores.collect(), squares))
    }
}

impl Calibration {
    /// The slopes between such players.
    pub fn of(rungs: Vec<Rung>, moment: f64) -> Calibration {
        let n = count(rungs.len()).max(1.0);
        let mean = |of: fn(&Rung) -> f64| rungs.iter().map(of).sum::<f64>() / n;
        let (elo, score) = (mean(|rung| rung.elo), mean(|rung| rung.score));
        let spread: f64 = rungs.iter().map(|rung| (rung.elo - elo).powi(2)).sum();
        let together: f64 = rungs.iter().map(|rung| (rung.elo - elo) * (rung.score - score)).sum();
        let least = |of: &dyn Fn(&Rung) -> Option<f64>| {
            let mut least = f64::INFINITY;
            for one in &rungs {
                for other in rungs.iter().filter(|other| other.elo - one.elo >= APART && other.percent.is_some()) {
                    if let (Some(low), Some(high), Some(_)) = (of(one), of(other), one.percent) {
                        least = least.min((high - low) / (other.elo - one.elo));
                    }
                }
            }
            if least.is_finite() { least.max(0.0) } else { 0.0 }
        };
        let least_score_per_elo = least(&|rung| Some(rung.score));
        let least_share_per_elo = least(&|rung| rung.percent.map(|percent| f64::from(percent) / 100.0));
        let score_per_elo = if spread > 0.0 { together / spread } else { 0.0 };
        Calibration { rungs, score_per_elo, least_score_per_elo, least_share_per_elo, moment }
    }

    /// A difference on the bank, in [−1, 1], as a difference in Elo.
    pub fn elo(&self, difference: f64) -> Option<f64> {
        (self.score_per_elo > 0.0).then(|| difference / self.score_per_elo)
    }

    /// The strength of a mixture with such a share of the search's moves, in [0, 1], between those that were measured.
    pub fn elo_of_share(&self, share: f64) -> f64 {
        let mut known: Vec<(f64, f64)> =
            self.rungs.iter().filter_map(|rung| Some((f64::from(rung.percent?) / 100.0, rung.elo))).collect();
        known.sort_by(|one, other| one.0.total_cmp(&other.0));
        interpolated(&known, share)
    }

    /// The share of the search's moves that makes a mixture so strong.
    pub fn share_of_elo(&self, elo: f64) -> f64 {
        let mut known: Vec<(f64, f64)> =
            self.rungs.iter().filter_map(|rung| Some((rung.elo, f64::from(rung.percent?) / 100.0))).collect();
        known.sort_by(|one, other| one.0.total_cmp(&other.0));
        interpolated(&known, elo)
    }
}

/// What lies between two of these points; beyond the ends, what the last two make of it.
fn interpolated(points: &[(f64, f64)], at: f64) -> f64 {
    let Some(pair) = points.windows(2).find(|pair| at <= pair[1].0).or_else(|| points.windows(2).last()) else {
        return points.first().map_or(0.0, |point| point.1);
    };
    let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
    if x1 > x0 { y0 + (at - x0) / (x1 - x0) * (y1 - y0) } else { y0 }
}

fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// The graded players: mixtures first, from random to the search.
fn ladder() -> Vec<Graded> {
    let mixtures = SHARES.map(|percent| Graded::Mixture { nodes: GRADED_NODES, percent });
    let bots = [BotSpec::Greedy, BotSpec::Search(Budget::Nodes(3 * GRADED_NODES))].map(Graded::Bot);
    mixtures.into_iter().chain(bots).collect()
}

/// Who meets whom: neighbours and those next to them, and bots the mixtures around them.
fn pairs() -> Vec<(usize, usize)> {
    let mixtures = SHARES.len();
    let mut pairs = Vec::new();
    for one in 0..mixtures {
        pairs.extend((one + 1..mixtures.min(one + 3)).map(|other| (one, other)));
    }
    pairs.extend([(mixtures, 2), (mixtures, 4), (mixtures + 1, mixtures - 1)]);
    pairs
}

/// Strengths in Elo by which scores are likeliest (Bradley and Terry), a draw being half a win; half a draw is added to
/// every pairing, so that nobody is endlessly strong.
fn fit(players: usize, pairings: &[Pairing]) -> Vec<f64> {
    let mut logits = vec![0.0_f64; players];
    for _ in 0..2000 {
        for player in 1..players {
            let (mut slope, mut curve) = (0.0, 1e-9);
            for Pairing { one, other, score, games } in pairings {
                let (against, own) = match player {
                    player if player == *one => (*other, score + 0.25),
                    player if player == *other => (*one, games - score + 0.25),
                    _ => continue,
                };
                let games = games + 0.5;
                let expected = 1.0 / (1.0 + (logits[against] - logits[player]).exp());
                slope += own - games * expected;
                curve += games * expected * (1.0 - expected);
            }
            logits[player] += (slope / curve).clamp(-1.0, 1.0);
        }
    }
    logits.into_iter().map(|logit| logit * 400.0 / std::f64::consts::LN_10).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rung(percent: u32, elo: f64, score: f64) -> Rung {
        Rung { player: format!("{percent} %"), percent: Some(percent), elo, score, games: 100, turns: 30.0 }
    }

    #[test]
    fn the_slope_is_between_the_players_and_no_difference_is_said_by_the_least() {
        let calibration = Calibration::of(vec![rung(0, 0.0, 0.2), rung(50, 200.0, 0.5), rung(100, 600.0, 0.8)], 0.05);
        assert!((calibration.least_score_per_elo - 0.3 / 400.0).abs() < 1e-12, "{calibration:?}");
        assert!((calibration.least_share_per_elo - 0.5 / 400.0).abs() < 1e-12, "{calibration:?}");
        assert!(calibration.score_per_elo > calibration.least_score_per_elo);
        assert!((calibration.elo_of_share(0.75) - 400.0).abs() < 1e-9);
        assert!((calibration.share_of_elo(400.0) - 0.75).abs() < 1e-9);
        assert!((calibration.share_of_elo(100.0) - 0.25).abs() < 1e-9);
    }

    #[test]
    fn strengths_come_out_of_the_scores_that_they_make() {
        let true_elo = [0.0, 120.0, 300.0];
        let pairing = |one: usize, other: usize| {
            let expected = 1.0 / (1.0 + 10_f64.powf((true_elo[other] - true_elo[one]) / 400.0));
            Pairing { one, other, score: 1e6 * expected, games: 1e6 }
        };
        let found = fit(3, &[pairing(0, 1), pairing(1, 2), pairing(2, 0)]);
        for (found, wanted) in found.iter().zip(true_elo) {
            assert!((found - found.min(0.0) - wanted).abs() < 0.1, "{found} {wanted}");
        }
    }
}
