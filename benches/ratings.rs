//! How long the leaderboard of record takes: a thousand players and a million games, intervals included.

use standoff::games::Seed;
use standoff::tournaments::ratings::{FitOptions, PlayedBlock, fit};
use standoff::tournaments::score::{Entrant, GameResult};

fn main() {
    divan::main();
}

/// Pairs by lot, in blocks of two games; the lower number is the better player.
fn tournament(players: u32, games: usize) -> Vec<PlayedBlock> {
    let mut dice = Seed(7).dice();
    let mut blocks = Vec::with_capacity(games / 2);
    for _ in 0..games / 2 {
        let one = dice.below(players);
        let other = (one + 1 + dice.below(players - 1)) % players;
        let seats = [vec![Entrant(one), Entrant(other)], vec![Entrant(other), Entrant(one)]];
        let games = seats.map(|seats| {
            let chance = 500.0 + (f64::from(seats[1].0) - f64::from(seats[0].0)) * 300.0 / f64::from(players);
            let places = match dice.below(1000) {
                throw if throw < 100 => vec![1, 1],
                throw if f64::from(throw) < chance => vec![1, 2],
                _ => vec![2, 1],
            };
            GameResult { seats, places }
        });
        blocks.push(PlayedBlock { course: 0, games: games.into(), times: 1 });
    }
    blocks
}

#[divan::bench(sample_count = 3)]
fn a_thousand_players_and_a_million_games(bencher: divan::Bencher<'_, '_>) {
    let blocks = tournament(1000, 1_000_000);
    let options = FitOptions { anchor: Some(Entrant(0)), replicates: 200, ..FitOptions::default() };
    bencher.bench(|| fit(1000, &blocks, &options));
}

#[divan::bench]
fn ten_players_and_a_thousand_games(bencher: divan::Bencher<'_, '_>) {
    let blocks = tournament(10, 1000);
    let options = FitOptions { anchor: Some(Entrant(0)), ..FitOptions::default() };
    bencher.bench(|| fit(10, &blocks, &options));
}
