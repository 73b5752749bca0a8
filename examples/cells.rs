//! Whether ratings fit what happens: `cargo run --release --example cells [GAMES] [RULESET …]`.
//!
//! A round robin of six bots, so many games in all (450 unless said), is played and fitted. Printed are the deviance with
//! its degrees of freedom, the largest |z| of a pair (by how many standard errors its score is off), and whether the fit
//! says that the model holds: the figures of docs/verdicts.md.

use std::error::Error;
use std::io::{self, Write as _};
use std::sync::Arc;

use standoff::bots::{BotSpec, Budget};
use standoff::games::{Ruleset, Seed};
use standoff::tournaments::bank::Bank;
use standoff::tournaments::graded::{Graded, play_out};
use standoff::tournaments::ratings::{FitOptions, PlayedBlock, fit};
use standoff::tournaments::score::{Entrant, GameResult};

/// Six of several strengths.
const PLAYERS: [Graded; 6] = [
    Graded::Bot(BotSpec::Random),
    Graded::Mixture { nodes: 100, percent: 40 },
    Graded::Bot(BotSpec::Greedy),
    Graded::Mixture { nodes: 100, percent: 80 },
    Graded::Bot(BotSpec::Search(Budget::Nodes(100))),
    Graded::Bot(BotSpec::Search(Budget::Nodes(300))),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let games: usize = args.next().and_then(|arg| arg.parse().ok()).unwrap_or(450);
    let named: Vec<String> = args.collect();
    let rulesets = if named.is_empty() { Bank::built_in_names() } else { named };
    let mut out = io::stdout().lock();
    writeln!(out, "| ruleset | games | drawn | deviance | largest z | holds |\n|---|---|---|---|---|---|")?;
    for name in rulesets {
        let ruleset = Arc::new(Ruleset::named(&name)?.for_tournament(None));
        let pairs: Vec<(usize, usize)> = (0..6).flat_map(|one| (0..one).map(move |other| (one, other))).collect();
        let mut blocks = Vec::new();
        let mut drawn = 0;
        for block in 0..games / 2 {
            let (one, other) = pairs[block % pairs.len()];
            let seed = Seed(7).child(&name, block as u64);
            let mut played = Vec::new();
            for seats in [[one, other], [other, one]] {
                let scores = play_out(&ruleset, &seats.map(|at| PLAYERS[at]), seed)?.scores;
                let place = |own: usize| 1 + u32::from(scores[own] < scores[1 - own]);
                drawn += usize::from(place(0) == place(1));
                played.push(GameResult { seats: seats.map(Entrant::new).to_vec(), places: vec![place(0), place(1)] });
            }
            blocks.push(PlayedBlock { course: 0, games: played, times: 1 });
        }
        let fitted = fit(PLAYERS.len(), &blocks, &FitOptions { replicates: 40, ..FitOptions::default() });
        let quality = fitted.quality;
        writeln!(
            out,
            "| {name} | {} | {} % | {:.1} on {} | {:.2} | {} |",
            2 * blocks.len(),
            100 * drawn / (2 * blocks.len()),
            quality.deviance,
            quality.degrees,
            quality.largest_z,
            if quality.holds { "yes" } else { "no" }
        )?;
    }
    Ok(())
}
