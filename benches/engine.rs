//! Benchmarks of the engine: `cargo bench --bench engine`, or `cargo bench --bench engine -- recorded`.
//!
//! `random_games` is one core of what `standoff bench` reports; `recorded_match` is the whole cost of a turn beside the
//! players' thinking: reading the action, checking, playing, events, digests and JSON lines into a file.

use std::io::BufWriter;
use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use standoff::games::playout::playouts;
use standoff::games::{Ruleset, Seat, Seed, Table};
use standoff::matches::{Log, Match};

fn main() {
    divan::main();
}

const TABLES: [(&str, usize); 6] =
    [("cowboy", 2), ("cowboy", 4), ("cowboy-classic", 2), ("paint", 2), ("grid-royale", 4), ("grid-royale", 8)];

fn ruleset(name: &str) -> Arc<Ruleset> {
    Arc::new(Ruleset::named(name).expect("built in"))
}

/// Uniformly random legal games, no events collected.
#[divan::bench(args = TABLES)]
fn random_games(bencher: Bencher<'_, '_>, (name, players): (&str, usize)) {
    let table = Table::open(ruleset(name), players, Seed(0)).expect("so many can play");
    let play = || {
        let mut dice = Seed(1).dice();
        let mut left = 20;
        let another = || {
            left -= 1;
            left >= 0
        };
        playouts(&table, &mut dice, another).1
    };
    let steps = play();
    bencher.counter(ItemsCount::new(steps)).bench_local(play);
}

/// A match whose actions are known beforehand, submitted, played and written to a file.
#[divan::bench(args = TABLES)]
fn recorded_match(bencher: Bencher<'_, '_>, (name, players): (&str, usize)) {
    let ruleset = ruleset(name);
    let open = || Match::open("bench", ruleset.clone(), Seed(3), vec!["random".to_owned(); players]).expect("opens");
    let mut actions: Vec<(Seat, String)> = Vec::new();
    let (mut game, _) = open();
    let mut dice = Seed(1).dice();
    while let Some(seat) = game.awaiting().iter().next() {
        let action = game.table().random_legal(seat, &mut dice).to_string();
        game.submit(seat, &action).expect("legal");
        actions.push((seat, action));
    }
    let mut file = BufWriter::new(tempfile::tempfile().expect("a file"));
    bencher.counter(ItemsCount::new(game.table().turn())).bench_local(|| {
        let mut log = Log::new(&mut file);
        let (mut game, header) = open();
        log.write(&header).expect("written");
        for (seat, action) in &actions {
            for record in game.submit(*seat, action).expect("legal") {
                log.write(&record).expect("written");
            }
        }
    });
}
