use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::future::BoxFuture;
use tempfile::TempDir;

use super::dispatcher::FAILURES_IN_A_ROW;
use super::pool::GameJob;
use super::*;
use crate::bots::{Bot, BotSpec};
use crate::games::Seed;
use crate::games::seat::{BySeat, Seat};
use crate::matches::{Replay, SeatInfo};
use crate::players::{Answer, Ask, Player, PlayerError, TurnLog};
use crate::store::{Change, Filter, Location, MatchStatus, StoredRequest};
use crate::tournaments::leaderboard::{Forfeits, Leaderboard};
use crate::tournaments::schedule::{Edition, Format, Rung};

/// A player who plays like a bot, once it has been unreachable so many times.
struct Flaky {
    failures: AtomicU32,
}

struct FlakyPlayer {
    bot: Box<dyn Bot>,
    fails_at: Option<u32>,
}

impl PlayerFactory for Flaky {
    fn seat(&self, chair: SeatRequest) -> BoxFuture<'_, Result<Box<dyn Player>, String>> {
        let fails =
            self.failures.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
        let player = FlakyPlayer { bot: BotSpec::Greedy.seat(chair.seed), fails_at: fails.then_some(4) };
        Box::pin(async move { Ok(Box::new(player) as Box<dyn Player>) })
    }
}

impl Player for FlakyPlayer {
    fn act<'a>(&'a mut self, ask: &'a Ask, _log: &'a TurnLog) -> BoxFuture<'a, Result<Answer, PlayerError>> {
        Box::pin(async move {
            if self.fails_at.is_some_and(|turn| ask.view.turn() >= turn) {
                return Err(PlayerError::Backend("no route".to_owned()));
            }
            let action = self.bot.choose(&ask.view, ask.seat).expect("it is to act");
            Ok(ask.view.accept_action(ask.seat, action).expect("it is legal").into())
        })
    }

    fn is_timed(&self) -> bool {
        false
    }
}

fn bot(name: &str) -> Entry {
    Entry { name: name.to_owned(), model: None, kind: EntryKind::Bot(name.parse().expect("a bot")) }
}

fn flaky(failures: u32) -> Entry {
    let factory = Flaky { failures: AtomicU32::new(failures) };
    Entry { name: "flaky".to_owned(), model: None, kind: EntryKind::Factory(Arc::new(factory)) }
}

async fn store(folder: &Path, name: &str) -> Store {
    Store::open(&Location::File(folder.join(name))).await.expect("it opens")
}

fn run(store: Store, entries: Vec<Entry>, format: Format, blocks: u32) -> Run {
    let courses = ["cowboy", "cowboy-duel"]
        .map(|name| Course { name: name.to_owned(), ruleset: Arc::new(Ruleset::named(name).expect("built in")) });
    Run {
        id: "cup".to_owned(),
        setup: Setup {
            format,
            entrants: entries.len(),
            seats: 2,
            courses: 2,
            blocks,
            seed: Seed(7),
            edition: Edition::Second,
        },
        entries,
        courses: courses.to_vec(),
        store,
        budget: Arc::new(RunBudget::unlimited()),
        concurrency: 3,
        threads: 2,
        time: None,
        stop: CancellationToken::new(),
        journal: None,
        workers: None,
    }
}

fn bots() -> Vec<Entry> {
    ["random", "greedy", "search:5", "search:6"].map(bot).to_vec()
}

/// Stops a run after so many games.
struct StopAfter(u64, CancellationToken);

impl Audience for StopAfter {
    fn told(&mut self, _: &RunEvent, standings: &Standings) {
        if standings.games() - standings.earlier() >= self.0 {
            self.1.cancel();
        }
    }
}

/// All games with their records, in order.
async fn kept(store: &Store) -> Vec<(String, Vec<u8>)> {
    let mut kept = Vec::new();
    for game in store.games(Some("cup")).await.expect("readable") {
        let record = store.record(&game.match_id, 0).await.expect("readable");
        Replay::read(record.as_slice()).expect("it checks out").finished().expect("it is complete");
        kept.push((game.match_id, record));
    }
    kept
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

#[tokio::test]
async fn however_often_it_is_stopped_it_ends_the_same() {
    let rungs = vec![Rung { entrant: Entrant(0), rating: 600.0 }, Rung { entrant: Entrant(1), rating: 1000.0 }];
    for format in [Format::RoundRobin, Format::Swiss { rounds: 2 }, Format::Knockout, Format::Ladder { rungs }] {
        // So many that it cannot be over before it hears that it is to stop.
        let blocks = if format == Format::RoundRobin { 12 } else { 2 };
        let folder = folder();
        let whole = store(folder.path(), "whole").await;
        let RunReport { end, standings, .. } =
            run(whole.clone(), bots(), format.clone(), blocks).play(&mut ()).await.expect("it is played");
        assert_eq!((end, standings.earlier()), (RunEnd::Finished, 0));
        let parts = store(folder.path(), "parts").await;
        let mut starts = 0;
        let ended = loop {
            let run = run(parts.clone(), bots(), format.clone(), blocks);
            let mut audience = StopAfter(3, run.stop.clone());
            let RunReport { end, standings, .. } = run.play(&mut audience).await.expect("it is played");
            starts += 1;
            if end == RunEnd::Finished {
                break standings;
            }
            assert_eq!(end, RunEnd::Stopped);
        };
        assert!(starts > 1, "{format:?}");
        assert_eq!(ended.games(), standings.games(), "{format:?}");
        assert_eq!(kept(&parts).await, kept(&whole).await, "{format:?}");
    }
}

#[tokio::test]
async fn a_second_run_of_what_is_over_plays_nothing() {
    let folder = folder();
    let store = store(folder.path(), "s").await;
    let RunReport { standings: first, .. } =
        run(store.clone(), bots(), Format::RoundRobin, 1).play(&mut ()).await.expect("it is played");
    let RunReport { end, standings: second, .. } =
        run(store, bots(), Format::RoundRobin, 1).play(&mut ()).await.expect("it is played");
    assert_eq!((end, second.games(), second.earlier()), (RunEnd::Finished, first.games(), first.games()));
    assert_eq!(second.ranked(), first.ranked());
}

#[tokio::test]
async fn a_game_that_fails_by_nobodys_fault_is_void_and_played_again_on_the_same_seed() {
    let folder = folder();
    let store = store(folder.path(), "s").await;
    let entries = vec![flaky(2), bot("greedy")];
    let RunReport { end, standings, .. } =
        run(store.clone(), entries, Format::RoundRobin, 2).play(&mut ()).await.expect("it is played");
    assert_eq!((end, standings.games(), standings.faults()), (RunEnd::Finished, 8, 2));
    let faults = store.faults("cup").await.expect("readable");
    assert_eq!(faults.iter().map(|fault| fault.reason.as_str()).collect::<Vec<_>>(), ["no route"; 2]);
    let blocks = store.blocks("cup").await.expect("readable");
    assert_eq!(blocks.len(), 4);
    for game in store.games(Some("cup")).await.expect("readable") {
        let (block, _) = game.place.expect("it is of a tournament");
        assert_eq!(game.seed, blocks[usize::try_from(block).expect("small")].seed);
        assert_eq!(game.course, blocks[usize::try_from(block).expect("small")].ruleset);
    }
    let lost = Filter { status: Some(MatchStatus::Void), ..Filter::default() };
    assert_eq!(store.matches(&lost).await.expect("readable"), []);
}

#[tokio::test]
async fn where_nobody_can_be_reached_it_stops_and_says_why() {
    let folder = folder();
    let store = store(folder.path(), "s").await;
    let entries = vec![flaky(u32::MAX), bot("greedy"), bot("random")];
    let RunReport { end, standings, .. } =
        run(store.clone(), entries, Format::RoundRobin, 2).play(&mut ()).await.expect("it ends");
    assert_eq!(end, RunEnd::Failing { why: "no route".to_owned() });
    assert!(standings.faults() <= u64::from(FAILURES_IN_A_ROW) + 3, "{}", standings.faults());
    let entries = vec![flaky(0), bot("greedy"), bot("random")];
    let RunReport { end, standings, .. } =
        run(store, entries, Format::RoundRobin, 2).play(&mut ()).await.expect("it is played");
    assert_eq!((end, standings.games()), (RunEnd::Finished, 24));
}

#[tokio::test]
async fn time_that_is_up_ends_a_run() {
    let folder = folder();
    let store = store(folder.path(), "s").await;
    let run = Run { time: Some(Duration::ZERO), ..run(store, bots(), Format::RoundRobin, 500) };
    let RunReport { end, standings, .. } = run.play(&mut ()).await.expect("it ends");
    assert_eq!(end, RunEnd::OutOfTime);
    assert!(standings.games() < 12_000, "{}", standings.games());
}

#[tokio::test]
async fn a_table_that_the_rules_do_not_take_is_refused_before_anything_is_played() {
    let folder = folder();
    let store = store(folder.path(), "s").await;
    let mut run = run(store, (0..8).map(|_| bot("random")).collect(), Format::RoundRobin, 1);
    run.setup.seats = 8;
    let error = run.play(&mut ()).await.expect_err("cowboy takes four");
    assert!(matches!(error, RunError::Seats(_)), "{error}");
}

/// Plays like a bot that thinks for four seconds each time.
struct Thinker(Box<dyn Bot>);

impl Player for Thinker {
    fn act<'a>(&'a mut self, ask: &'a Ask, _log: &'a TurnLog) -> BoxFuture<'a, Result<Answer, PlayerError>> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_secs(4)).await;
            let action = self.0.choose(&ask.view, ask.seat).expect("it is to act");
            Ok(ask.view.accept_action(ask.seat, action).expect("it is legal").into())
        })
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_thinks_for_four_seconds_a_turn_loses_none() {
    let royale = Ruleset::named("grid-royale").expect("built in");
    for (ruleset, lapses) in [(royale.clone().for_tournament(None), 0), (royale.live(), 10)] {
        let seats = Seat::first(2).map(|seat| SeatInfo::configured(seat, "thinker".to_owned(), None));
        let job = GameJob {
            tournament: "cup".to_owned(),
            block: 0,
            game: 0,
            match_id: "cup.0.0".to_owned(),
            ruleset: Arc::new(ruleset),
            seed: Seed(3),
            seats: seats.collect(),
            entrants: vec![Entrant::new(0), Entrant::new(1)],
            bots: vec![None, None],
            drawn: None,
        };
        let thinker = |seat: u64| Box::new(Thinker(BotSpec::Greedy.seat(Seed(seat)))) as Box<dyn Player>;
        let mut players: BySeat<Box<dyn Player>> = (0..2).map(thinker).collect();
        let mut record = Vec::new();
        game::refereed(&job, &mut players, &mut record, |_| {}).await.expect("it is played to its end");
        let replay = Replay::verify(record.as_slice()).expect("it verifies");
        let found: usize = replay.turns.iter().map(|step| step.line.lapses.len()).sum();
        assert_eq!(found, lapses);
    }
}

#[tokio::test]
async fn what_games_cost_is_what_the_ledger_says_and_not_what_was_answered() {
    let folder = folder();
    let store = store(folder.path(), "cup").await;
    run(store.clone(), bots(), Format::RoundRobin, 1).play(&mut ()).await.expect("it is played");
    let game = store.games(Some("cup")).await.expect("readable").swap_remove(0);
    let name = game.players[1].clone();
    let request = |id: &str, outcome: &str, cost: u64, is_known: bool| {
        Change::Request(Box::new(StoredRequest {
            id: id.to_owned(),
            match_id: Some(game.match_id.clone()),
            seat: Seat::new(1),
            turn: 0,
            ordinal: 0,
            player: "tiny".to_owned(),
            outcome: outcome.to_owned(),
            why: None,
            requests: 1,
            cost,
            is_known,
        }))
    };
    let row = async || {
        let games = games(&store, Some("cup")).await.expect("readable");
        let board = Leaderboard::of([games.as_slice()], None, Forfeits::Counted);
        board.players.into_iter().find(|row| row.name == name).expect("it played").summary
    };
    assert_eq!((row().await.requests, row().await.money()), (0, "$0.0000".to_owned()));
    let half = 500_000_000_000;
    store.write(vec![request("1", "answered", half, true), request("2", "failed", 0, true)]).await.expect("kept");
    assert_eq!((row().await.requests, row().await.money()), (2, "$0.5000".to_owned()));
    store.write(vec![request("3", "cut_off", half, false)]).await.expect("kept");
    assert_eq!((row().await.requests, row().await.money()), (3, "≤ $1.0000".to_owned()));
    store.write(vec![request("4", "answered", 0, false)]).await.expect("kept");
    assert_eq!((row().await.requests, row().await.money()), (4, "cost unknown".to_owned()));
}
