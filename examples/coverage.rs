//! How often the intervals of the leaderboard hold the truth: `cargo run --release --example coverage [TOURNAMENTS]`.
//!
//! Tournaments of players whose strengths are known are played by dice, in blocks of two games, and fitted. Printed are
//! the share of 95 % intervals that hold the truth, their width, how many games were drawn, the mean deviance with its
//! degrees of freedom, and in how many tournaments the fit said that the model does not hold, which it does.

#![expect(clippy::print_stdout, reason = "an example reports there")]

use standoff::games::{Dice, Seed};
use standoff::tournaments::ratings::{ANCHOR, FitOptions, PlayedBlock, fit};
use standoff::tournaments::score::{Entrant, GameResult};

/// Players as they are, in points of rating, and how much each adds to ln ν of a pair.
struct Field {
    name: &'static str,
    ratings: Vec<f64>,
    draws: Vec<f64>,
    /// ln ν of a pair that adds nothing; none where nobody draws.
    tau: Option<f64>,
    blocks: u32,
}

fn unit(dice: &mut Dice) -> f64 {
    f64::from(dice.below(u32::MAX)) / f64::from(u32::MAX)
}

impl Field {
    fn play(&self, one: usize, other: usize, dice: &mut Dice) -> GameResult {
        let lead = (self.ratings[one] - self.ratings[other]) * std::f64::consts::LN_10 / 400.0;
        let (win, loss) = ((lead / 2.0).exp(), (-lead / 2.0).exp());
        let draw = self.tau.map_or(0.0, |tau| (tau + self.draws[one] + self.draws[other]).exp());
        let throw = unit(dice) * (win + draw + loss);
        let places = if throw < win {
            [1, 2]
        } else if throw < win + draw {
            [1, 1]
        } else {
            [2, 1]
        };
        GameResult { seats: vec![Entrant::new(one), Entrant::new(other)], places: places.to_vec() }
    }

    fn tournament(&self, number: u64) -> Vec<PlayedBlock> {
        let mut dice = Seed(number).child(self.name, 0).dice();
        let mut blocks = Vec::new();
        for one in 0..self.ratings.len() {
            for other in 0..one {
                for _ in 0..self.blocks {
                    let games = vec![self.play(one, other, &mut dice), self.play(other, one, &mut dice)];
                    blocks.push(PlayedBlock { course: 0, games, times: 1 });
                }
            }
        }
        blocks
    }

    fn measure(&self, tournaments: u64) {
        let options = FitOptions { anchor: Some(Entrant(0)), replicates: 240, ..FitOptions::default() };
        let (mut held, mut all, mut width, mut drawn, mut games) = (0.0, 0.0, 0.0, 0.0, 0.0);
        let (mut deviance, mut degrees, mut warned, mut runs) = (0.0, 0.0, 0.0, 0.0);
        for number in 0..tournaments {
            let fit = fit(self.ratings.len(), &self.tournament(number), &options);
            runs += 1.0;
            deviance += fit.quality.deviance;
            degrees += f64::from(fit.quality.degrees);
            warned += f64::from(u8::from(!fit.quality.holds));
            for (rated, truth) in fit.players.iter().zip(&self.ratings).skip(1) {
                let truth = ANCHOR + truth - self.ratings[0];
                held += f64::from(u8::from(rated.low <= truth && truth <= rated.high));
                all += 1.0;
                width += rated.high - rated.low;
                drawn += f64::from(rated.draws);
                games += f64::from(rated.games);
            }
        }
        println!(
            "| {} | {:.1} % | {:.0} | {:.0} % | {:.1} on {:.0} | {:.1} % |",
            self.name,
            100.0 * held / all,
            width / all,
            100.0 * drawn / games,
            deviance / runs,
            degrees / runs,
            100.0 * warned / runs
        );
    }
}

fn main() {
    let tournaments = std::env::args().nth(1).and_then(|arg| arg.parse().ok()).unwrap_or(1000);
    let field = |name, ratings: &[f64], draws: &[f64], tau, blocks| {
        let mut draws = draws.to_vec();
        draws.resize(ratings.len(), 0.0);
        Field { name, ratings: ratings.to_vec(), draws, tau, blocks }
    };
    let near = [0.0, 50.0, -70.0, 160.0, 35.0];
    let wide = [0.0, 200.0, 400.0, 600.0, 800.0];
    let own = [-2.0, -1.0, 0.0, 1.0, 1.5];
    println!("| players | hold the truth | width | drawn | deviance | warned |\n|---|---|---|---|---|---|");
    for field in [
        field("near each other, no draws", &near, &[], None, 15),
        field("near each other, draws", &near, &[], Some(0.0), 15),
        field("equal", &[0.0; 5], &[], Some(0.0), 15),
        field("800 apart, no draws", &wide, &[], None, 15),
        field("800 apart, draws", &wide, &[], Some(0.5), 15),
        field("800 apart, each draws its own way", &wide, &own, Some(0.5), 15),
        field("near each other, 90 % drawn", &near, &[], Some(2.95), 15),
        field("800 apart, 90 % drawn", &wide, &[], Some(4.2), 15),
        field("90 % drawn, each draws its own way", &near, &own, Some(3.5), 15),
        field("few blocks", &near, &[], Some(0.0), 3),
        field("many blocks", &near, &own, Some(0.5), 100),
    ] {
        field.measure(tournaments);
    }
}
