//! How often a bank tells players of known skill apart, and after how many positions: the figures of docs/verdicts.md.
//!
//! `cargo run --release --example bars [RULESET …]`
//!
//! The players play the move of a search in a share p of their turns and any legal action in the others. What p is worth
//! in Elo was measured in games when the bank was frozen. "Alike" arms draw the same dice, as a model at temperature 0
//! does where a prompt changes nothing; "independent" ones draw their own.

use std::error::Error;
use std::io::{self, Write as _};

use standoff::games::{Dice, Ruleset, Seed, Viewer};
use standoff::tournaments::bank::{Bank, GRADED_NODES};
use standoff::tournaments::graded::Graded;
use standoff::tournaments::verdict::{Test, TestSettings, Verdict};

/// So often every experiment is simulated.
const RUNS: u64 = 400;

/// What answers to a position score: the search's, and every legal one.
struct Position {
    search: f64,
    all: Vec<f64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let usual = ["cowboy", "grid-royale", "paint"].map(str::to_owned);
    let rulesets = if named.is_empty() { usual.to_vec() } else { named };
    let mut out = io::stdout().lock();
    writeln!(out, "ruleset          Elo  answers      strength  better  worse  no diff.  open  positions  calls")?;
    for name in rulesets {
        let bank = Bank::built_in(&Ruleset::named(&name)?)?.ok_or("it has no bank")?;
        let calibration = bank.calibration.as_ref().ok_or("it has no calibration")?;
        let positions = positions(&bank)?;
        for middle in [0.3, 0.5, 0.8] {
            for (elo, alike) in [(0.0, true), (0.0, false), (70.0, true), (70.0, false), (200.0, true), (200.0, false)]
            {
                let centre = calibration.elo_of_share(middle);
                let shares = [centre + elo / 2.0, centre - elo / 2.0].map(|elo| calibration.share_of_elo(elo));
                let mut counts = [0_u32; 4];
                let mut lengths = Vec::new();
                for run in 0..RUNS {
                    let test = simulate(&bank, &positions, shares, alike, Seed(run))?;
                    let at = match test.verdict() {
                        Verdict::Better => 0,
                        Verdict::Worse => 1,
                        Verdict::NoDifference => 2,
                        Verdict::NotBetter | Verdict::NotWorse | Verdict::Undecided => 3,
                    };
                    counts[at] += 1;
                    if at == 0 || elo < 1.0 {
                        lengths.push(f64::from(u32::try_from(test.blocks())?));
                    }
                }
                let percent =
                    counts.map(|count| 100.0 * f64::from(count) / f64::from(u32::try_from(RUNS).unwrap_or(1)));
                let mean = lengths.iter().sum::<f64>() / f64::from(u32::try_from(lengths.len().max(1))?);
                writeln!(
                    out,
                    "{name:<15} {elo:>4}  {:<11}  {:>6.0} %  {:>5.1}%  {:>4.1}%  {:>6.1}%  {:>4.1}%  {mean:>9.0}  {:>5.0}",
                    if alike { "alike" } else { "independent" },
                    100.0 * middle,
                    percent[0],
                    percent[1],
                    percent[2],
                    percent[3],
                    2.0 * mean,
                )?;
            }
        }
    }
    Ok(())
}

fn positions(bank: &Bank) -> Result<Vec<Position>, Box<dyn Error>> {
    let searching = Graded::Mixture { nodes: GRADED_NODES, percent: 100 };
    let mut positions = Vec::new();
    for exercise in bank.exercises()? {
        let seat = exercise.critical.seat;
        let action = searching.seat(Seed(0)).choose(&exercise.table.view(Viewer::Seat(seat)), seat);
        let accepted = action.and_then(|action| exercise.table.accept_action(seat, action).ok());
        positions.push(Position { search: exercise.mark(accepted.as_ref()).score, all: exercise.scores().collect() });
    }
    Ok(positions)
}

/// An experiment with players who play the search's move in these shares of their turns.
fn simulate(
    bank: &Bank,
    positions: &[Position],
    shares: [f64; 2],
    alike: bool,
    seed: Seed,
) -> Result<Test, Box<dyn Error>> {
    let settings = TestSettings::of_elo(70.0, 0.05, 0.05)?;
    let mut test = Test::of_answers(settings, &[bank.scale()]);
    let mut order: Vec<usize> = (0..positions.len()).collect();
    let mut dice = seed.dice();
    for last in (1..order.len()).rev() {
        order.swap(last, dice.below(u32::try_from(last + 1)?) as usize);
    }
    for at in order {
        if test.verdict().is_final() {
            break;
        }
        let position = &positions[at];
        let mut arms =
            [seed.child("one", at as u64).dice(), seed.child(if alike { "one" } else { "other" }, at as u64).dice()];
        let scores = [0, 1].map(|arm| answer(position, shares[arm], &mut arms[arm]));
        test.push(0.5 + (scores[0] - scores[1]) / 2.0);
    }
    Ok(test)
}

fn answer(position: &Position, share: f64, dice: &mut Dice) -> f64 {
    let (throw, any) = (f64::from(dice.below(1_000_000)) / 1e6, dice.pick(&position.all).copied().unwrap_or(0.0));
    if throw < share { position.search } else { any }
}
