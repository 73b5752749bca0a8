//! Many live matches at once, with ticks, kept in a SQLite file: how late ticks are shown, and what that costs.
//! `cargo bench --bench arena -- [matches] [seconds] [remote]`; 2000 matches of four bots for 60 seconds where nothing is
//! said. With `remote` the bots hold seats as players elsewhere do: every action is sealed on the disk before its tick.
//!
//! A tick is late by the time from when it was due to when a spectator who listens has it, which is after it is on the
//! disk. A match that ends is followed by another, so that so many are always in play.

#![expect(clippy::print_stdout, reason = "a benchmark tells what it measured")]

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use standoff::arena::{
    Arena, ArenaLimits, HousePlayer, HousePlayers, HouseSeat, Live, MatchRequest, MatchSettings, SeatChoice,
    SeatHandle, Stage,
};
use standoff::bots::BotSpec;
use standoff::games::Ruleset;
use standoff::matches::SeatInfo;
use standoff::players::BotPlayer;
use standoff::store::{Location, Store};
use tokio::time::Instant;

/// Brings any built-in bot.
struct Bots;

impl HousePlayers for Bots {
    fn names(&self) -> Vec<String> {
        vec!["greedy".to_owned()]
    }

    fn invite(&self, name: &str, place: &HouseSeat) -> Result<HousePlayer, String> {
        let spec: BotSpec = name.parse().map_err(|_| format!("no player `{name}`"))?;
        let bot = spec.seat(place.seed.child("bot", place.seat.index() as u64));
        let info = SeatInfo::configured(place.seat, name.to_owned(), None);
        Ok(HousePlayer { info, player: Box::new(BotPlayer::new(bot)) })
    }
}

/// What was measured.
#[derive(Default)]
struct Measured {
    counting: AtomicBool,
    /// Microseconds.
    late: Mutex<Vec<u64>>,
    matches: AtomicU64,
}

/// Follows a match to its end, as a spectator would.
async fn follow(live: &Live, measured: &Measured) {
    let mut changes = live.listen_closely();
    let mut due: Option<(u32, Instant)> = None;
    while changes.changed().await.is_ok() {
        let now = Instant::now();
        let view = live.view(None);
        if let Some((turn, due)) = due.take_if(|(turn, _)| view.seen.turn() > *turn)
            && measured.counting.load(Ordering::Relaxed)
        {
            assert_eq!(view.seen.turn(), turn + 1, "no tick is missed");
            let late = now.saturating_duration_since(due).as_micros();
            measured.late.lock().expect("not poisoned").push(u64::try_from(late).expect("short"));
        }
        if view.stage == Stage::Over {
            return;
        }
        assert!(!matches!(view.stage, Stage::Suspended(_)), "{:?}", view.stage);
        if let Some(clock) = view.clock {
            due = due.or(clock.due.map(|due| (clock.turn, due)));
        }
    }
}

/// Seconds of processor time that this process has used.
fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields: Vec<&str> = stat.rsplit(')').next().expect("a name").split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>().expect("a number") + fields[12].parse::<f64>().expect("a number");
    ticks / 100.0
}

/// Megabytes of memory, now and at the most.
fn memory() -> (u64, u64) {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("it is there");
        line.trim().trim_end_matches(" kB").trim().parse::<u64>().expect("a number") / 1024
    };
    (field("VmRSS:"), field("VmHWM:"))
}

/// Plays a seat by rules of thumb, as somebody elsewhere would.
async fn play(seated: SeatHandle) {
    let mut bot = BotSpec::Greedy.seat(seated.live().seed().child("bot", seated.seat().index() as u64));
    loop {
        seated.turn(Duration::from_mins(1)).await;
        let view = seated.view();
        let is_done = view.stage == Stage::Over || seated.live().is_closed();
        if is_done || !view.seen.to_act().contains(seated.seat()) {
            return;
        }
        let action = bot.choose(&view.seen, seated.seat()).map(|action| action.to_string()).unwrap_or_default();
        // Whoever comes too late has the next turn.
        let _ = seated.act(Some(view.seen.turn()), &action, None).await;
    }
}

async fn run(matches: usize, seconds: u64, remote: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("arena.db");
    let store = Store::open(&Location::File(path.clone())).await.expect("a store");
    let arena = Arena::with_store(Arc::new(Bots), ArenaLimits::default(), store).expect("an arena");
    let ruleset = Arc::new(Ruleset::named("grid-royale").expect("built in"));
    let measured = Arc::new(Measured::default());
    let begun = Instant::now();
    for _ in 0..matches {
        let (arena, ruleset, measured) = (arena.clone(), ruleset.clone(), measured.clone());
        tokio::spawn(async move {
            loop {
                let bot =
                    if remote { SeatChoice::Me("bot".to_owned()) } else { SeatChoice::House("greedy".to_owned()) };
                let chairs = vec![bot; 4];
                let settings = MatchSettings { ticks: true, ..MatchSettings::default() };
                let request = MatchRequest { ruleset: ruleset.clone(), chairs, seed: None, settings };
                let opened = arena.open(&request).await.expect("there is room");
                for (seated, _) in opened.mine {
                    tokio::spawn(play(seated));
                }
                follow(&opened.live, &measured).await;
                measured.matches.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    tokio::time::sleep(Duration::from_secs(5)).await;
    println!("{matches} matches opened; measuring after {:.1} s", begun.elapsed().as_secs_f64());
    measured.counting.store(true, Ordering::Relaxed);
    let (begun, used) = (Instant::now(), processor_seconds());
    let mut most = 0;
    for _ in 0..seconds {
        tokio::time::sleep(Duration::from_secs(1)).await;
        most = most.max(memory().0);
    }
    let (elapsed, used) = (begun.elapsed().as_secs_f64(), processor_seconds() - used);
    measured.counting.store(false, Ordering::Relaxed);
    let mut late = std::mem::take(&mut *measured.late.lock().expect("not poisoned"));
    late.sort_unstable();
    let at = |share: f64| {
        #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "few")]
        let index = ((late.len() - 1) as f64 * share) as usize;
        f64::from(u32::try_from(late[index]).expect("short")) / 1000.0
    };
    println!(
        "ticks        {} in {elapsed:.1} s, {} matches ended",
        late.len(),
        measured.matches.load(Ordering::Relaxed)
    );
    println!(
        "late, ms     {:.1} median, {:.1} at 90 %, {:.1} at 99 %, {:.1} at 99.9 %, {:.1} at the most",
        at(0.5),
        at(0.9),
        at(0.99),
        at(0.999),
        at(1.0)
    );
    println!("processor    {:.2} of a core", used / elapsed);
    println!("memory       {most} MB at the most while measured, {} MB ever", memory().1);
    println!("file         {} MB", fs::metadata(path).expect("there").len() >> 20);
    arena.close().await;
}

fn main() {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let matches = usize::try_from(numbers.first().copied().unwrap_or(2000)).expect("a number of matches");
    let seconds = numbers.get(1).copied().unwrap_or(60);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let remote = std::env::args().any(|argument| argument == "remote");
    runtime.expect("a runtime").block_on(run(matches, seconds, remote));
}
