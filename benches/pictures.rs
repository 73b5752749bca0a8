//! What pictures to share cost in CPU time: an animation of a hundred turns, and a picture of one position.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::sync::Arc;
use std::time::Duration;

use standoff::bots::BotSpec;
use standoff::briefs::Language;
use standoff::games::{Ruleset, Seat, Seed, Viewer};
use standoff::matches::{Log, Match, Replay};
use standoff::pictures::{Show, frames, render_gif, render_png};

/// So many rounds; the best counts, since the machine does other things as well.
const ROUNDS: usize = 5;

/// So many turns are drawn.
const TURNS: usize = 100;

/// The record of a match of `random` bots that lasts long enough.
fn record(ruleset: &str) -> Replay {
    let ruleset = Arc::new(Ruleset::named(ruleset).expect("built in"));
    // A seed whose match lasts long enough.
    for seed in (1..).map(Seed) {
        let names = vec!["random".to_owned(); 2];
        let (mut game, header) = Match::open("m", ruleset.clone(), seed, names).expect("two can play");
        let mut log = Log::new(Vec::new());
        log.write(&header).expect("memory");
        let mut bots: Vec<_> = (0..2).map(|seat| BotSpec::Random.seat(seed.child("bot", seat))).collect();
        while !game.awaiting().is_empty() {
            let waiting: Vec<Seat> = game.awaiting().iter().collect();
            for seat in waiting {
                let view = game.table().view(Viewer::Seat(seat));
                let action = bots[seat.index()].choose(&view, seat).expect("it may act");
                for line in game.seal(view.accept_action(seat, action).expect("it is legal")) {
                    log.write(&line).expect("memory");
                }
            }
        }
        let replay = Replay::read(log.into_inner().as_slice()).expect("it was just written");
        if replay.turns.len() >= TURNS {
            return replay;
        }
    }
    unreachable!("seeds do not end")
}

/// The least CPU time of several rounds, in milliseconds.
fn least(mut work: impl FnMut()) -> f64 {
    let mut round = || {
        let before = cpu_time();
        work();
        cpu_time().saturating_sub(before).as_secs_f64() * 1e3
    };
    (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min)
}

/// The CPU time of this thread so far: nothing else runs in this program.
fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("Linux");
    let nanos = text.split_whitespace().next().and_then(|nanos| nanos.parse().ok()).expect("a number");
    Duration::from_nanos(nanos)
}

fn main() {
    for ruleset in ["cowboy", "paint"] {
        let replay = record(ruleset);
        let (show, frames) = (Show::of(&replay, Language::En), frames(&replay, Language::En));
        let gif = least(|| drop(render_gif(&show, &frames, &(1..=TURNS)).expect("it is drawn")));
        let last = replay.turns.last().expect("it was played");
        let picture = show.picture(&last.table.state(), &last.events);
        let png = least(|| drop(render_png(&picture).expect("it is drawn")));
        println!("{ruleset}: GIF of {TURNS} turns {gif:.0} ms of CPU (bar 150), PNG of a position {png:.0} ms");
    }
}
