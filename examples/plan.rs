//! How wide the ranges of a plan are and how often they hold: `cargo run --release --example plan [RULESET …]`.
//!
//! An experiment with one question (two prompts of one model, all three gates, 200 blocks at the most) is planned as
//! `standoff experiment --plan` does, and played through by fresh dice. Printed are, by how much better the variant is,
//! the planned range of calls, by what factor its ends differ, and how many of the fresh runs lie in it: the figures of
//! docs/verdicts.md.

use std::error::Error;
use std::io::{self, Write as _};
use std::sync::Arc;

use standoff::games::{Ruleset, Seed};
use standoff::tournaments::bank::Bank;
use standoff::tournaments::experiment::{
    Assumption, ExperimentFile, GamesOutlook, GateOutlook, Hypothesis, Outlook, PlayerOutlook, SimulatedRun,
    quiz_scale, range_of,
};
use standoff::tournaments::graded::{Graded, play_out};
use standoff::tournaments::plan::USUAL_VARIANCE;
use standoff::tournaments::quiz::Quiz;
use standoff::tournaments::verdict::TestSettings;

fn main() -> Result<(), Box<dyn Error>> {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let rulesets: Vec<String> = if named.is_empty() { Bank::built_in_names() } else { named };
    let file = "name = \"plan\"\nmodels = [\"m\"]\nvariants = [\"standard\", \"bare\"]\n";
    let matrix = ExperimentFile::read("plan.toml", file, None)?.matrix();
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "| ruleset | true difference, moves of a search | calls, nine times out of ten | factor | held |\n|---|---|---|---|---|"
    )?;
    for name in rulesets {
        let ruleset = Arc::new(Ruleset::named(&name)?.for_tournament(None));
        let bank = Bank::built_in(&ruleset)?.ok_or("it has no bank")?;
        let questions = Quiz::build(ruleset.clone(), 2, 8, Seed(1))?.items.len() as u64;
        let mut most_calls = 0.0_f64;
        let mut calls = Vec::new();
        for percent in [20, 50, 80] {
            let player = Graded::Mixture { nodes: 30, percent };
            let mut of_strength = Vec::new();
            for game in 0..10 {
                let played = play_out(&ruleset, &[player; 2], Seed(0).child("plan", game))?;
                of_strength.push(f64::from(u32::try_from(played.turns[0])?));
            }
            most_calls = of_strength.iter().copied().fold(most_calls, f64::max);
            calls.push(of_strength);
        }
        let player = PlayerOutlook { is_model: true, calls };
        let outlook = Outlook {
            matrix: &matrix,
            settings: TestSettings::of_elo(70.0, 0.05, 0.05)?,
            question: Hypothesis::IsBetter,
            noise: 8,
            quiz: Some(GateOutlook {
                items: questions,
                scale: quiz_scale(bank.calibration.as_ref()),
                eliminates: false,
            }),
            bank: Some(GateOutlook { items: 1000, scale: bank.scale(), eliminates: true }),
            games: Some(GamesOutlook { most_blocks: 200, variance: USUAL_VARIANCE, most_calls }),
            players: vec![player; matrix.players().len()],
        };
        for (elo, strength) in [(0.0, 0.0), (0.0, 1.0), (70.0, 0.0), (70.0, 1.0), (140.0, 0.0), (140.0, 1.0)] {
            let calls = |seed: u64| -> Vec<f64> {
                let runs = outlook.simulate_with(Assumption { elo, strength }, Seed(seed));
                runs.iter().map(SimulatedRun::all_calls).collect()
            };
            let planned = range_of(calls(1));
            let fresh: Vec<f64> = (2..12).flat_map(calls).collect();
            let held = fresh.iter().filter(|&&calls| calls >= planned.low && calls <= planned.high).count();
            writeln!(
                out,
                "| {name} | {elo:.0} Elo, {} | {:.0} to {:.0} | {:.1} | {:.1} % |",
                if strength > 0.5 { "80 %" } else { "20 %" },
                planned.low,
                planned.high,
                planned.high / planned.low,
                100.0 * f64::from(u32::try_from(held)?) / f64::from(u32::try_from(fresh.len())?)
            )?;
        }
    }
    Ok(())
}
