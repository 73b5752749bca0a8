//! `standoff bench`: how fast the engine plays random games.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;

use super::error::Failure;
use crate::games::dice::Seed;
use crate::games::library;
use crate::games::playout::playouts;
use crate::games::table::Table;

/// Measure the engine: random legal games, no events collected, on one core and on all.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  standoff bench cowboy --players 4 --seconds 3 --json")]
pub(crate) struct BenchCommand {
    /// A ruleset (default: all built-in ones)
    ruleset: Option<String>,
    /// The number of players (default: the ruleset's)
    #[arg(long, value_name = "N")]
    players: Option<usize>,
    /// Seconds for each of the two measurements
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    seconds: f64,
    /// One JSON object per ruleset
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct BenchReport {
    ruleset: String,
    players: usize,
    one_core: Speed,
    all_cores: AllCores,
}

#[derive(Clone, Copy, Serialize)]
struct Speed {
    steps_per_second: f64,
    games_per_second: f64,
}

#[derive(Serialize)]
struct AllCores {
    steps_per_second: f64,
    games_per_second: f64,
    threads: usize,
}

impl BenchCommand {
    /// Measures and reports.
    ///
    /// # Errors
    /// If the ruleset or the number of players is no good.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        if !(self.seconds > 0.0 && self.seconds <= 3600.0) {
            return Err(Failure::call("--seconds must be more than 0 and at most 3600"));
        }
        let names = match &self.ruleset {
            Some(name) => vec![name.as_str()],
            None => library::rulesets().collect(),
        };
        for name in names {
            let ruleset = super::args::ruleset(name)?;
            let players = self.players.unwrap_or(ruleset.players.default);
            let table = Table::open(Arc::new(ruleset), players, Seed(0)).map_err(Failure::call)?;
            let report = measure(name, &table, Duration::from_secs_f64(self.seconds));
            if self.json {
                writeln!(out, "{}", serde_json::to_string(&report).expect("plain data"))?;
            } else {
                writeln!(
                    out,
                    "{name}, {players} players: {} on one core, {} on {} threads ({:.2} ×)",
                    speed(report.one_core.steps_per_second, report.one_core.games_per_second),
                    speed(report.all_cores.steps_per_second, report.all_cores.games_per_second),
                    report.all_cores.threads,
                    report.all_cores.steps_per_second / report.one_core.steps_per_second,
                )?;
            }
        }
        Ok(())
    }
}

fn speed(steps: f64, games: f64) -> String {
    format!("{:.2} million steps per second ({games:.0} games)", steps / 1e6)
}

fn measure(name: &str, table: &Table, time: Duration) -> BenchReport {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let one_core = sum(&[play(table, time, 0)]);
    let counts: Vec<StepCount> = std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..threads as u64).map(|worker| scope.spawn(move || play(table, time, worker))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a playout does not panic")).collect()
    });
    let Speed { steps_per_second, games_per_second } = sum(&counts);
    let all_cores = AllCores { steps_per_second, games_per_second, threads };
    BenchReport { ruleset: name.to_owned(), players: table.seats(), one_core, all_cores }
}

struct StepCount {
    steps: u64,
    games: u64,
    time: Duration,
}

#[expect(clippy::cast_precision_loss, reason = "counts of a benchmark are far below 2^53")]
fn sum(counts: &[StepCount]) -> Speed {
    let rate = |number: fn(&StepCount) -> u64| {
        counts.iter().map(|count| number(count) as f64 / count.time.as_secs_f64()).sum::<f64>()
    };
    Speed { steps_per_second: rate(|count| count.steps), games_per_second: rate(|count| count.games) }
}

/// Plays games until the time is up; the last one is played to its end.
fn play(table: &Table, time: Duration, worker: u64) -> StepCount {
    let mut dice = Seed(0).child("bench", worker).dice();
    let begun = Instant::now();
    let (games, steps) = playouts(table, &mut dice, || begun.elapsed() < time);
    StepCount { steps, games, time: begun.elapsed() }
}
