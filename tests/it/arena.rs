//! An arena whose process is killed at any moment: everything that it had acknowledged is there afterwards, and every
//! rated match counts once.
#![expect(clippy::print_stdout, reason = "the process that is killed tells the test what it acknowledged")]

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use standoff::arena::{
    Arena, ArenaLimits, HousePlayer, HousePlayers, HouseSeat, PlayerToken, QueueRequest, Queued, Registered,
    SeatHandle, Stage,
};
use standoff::bots::BotSpec;
use standoff::games::Seat;
use standoff::matches::{Replay, SeatInfo};
use standoff::players::BotPlayer;
use standoff::store::{Filter, Location, MatchStatus, Pace, Store};

/// Where the process that is killed has its store; only set for that one.
const STORE: &str = "STANDOFF_TEST_STORE";

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

async fn arena(path: &Path) -> (Arena, Store) {
    let store = Store::open(&Location::File(path.to_owned())).await.expect("a store");
    let arena = Arena::with_store(Arc::new(Bots), ArenaLimits::default(), store.clone()).expect("an arena");
    arena.take_up().await.expect("readable");
    (arena, store)
}

const LONG: Duration = Duration::from_secs(30);

/// Two players who meet in the queue again and again; everything that is acknowledged is told at once.
async fn live_until_killed(path: &Path) {
    let (arena, _) = arena(path).await;
    let wanted = QueueRequest { mode: "paint".to_owned(), players: Some(2), bots: false, pace: Pace::Live };
    let mut players = Vec::new();
    for name in ["ada", "bob"] {
        let (player, token) = arena.register(&format!("{name} {}", std::process::id())).await.expect("a new name");
        println!("\n@ registered {} {}", player.id, token.reveal());
        players.push(player);
    }
    loop {
        for player in &players {
            arena.queue(player, &wanted).await.expect("it waits");
            println!("\n@ queued {}", player.id);
        }
        let mut matched = Vec::new();
        for player in &players {
            matched.push(arena.queue_status(player).await.expect("readable"));
        }
        let match_id = match matched.as_slice() {
            [Queued::Matched { match_id, .. }, other] if matched[0] == *other => match_id.clone(),
            // Somebody who waited when an earlier process was killed was faster: once more.
            _ => {
                for player in &players {
                    println!("\n@ left {}", player.id);
                    arena.leave_queue(player).await.expect("it leaves");
                }
                continue;
            }
        };
        println!("\n@ matched {match_id} {} {}", players[0].id, players[1].id);
        let (one, other) = (player_out(&arena, &match_id, &players[0]), player_out(&arena, &match_id, &players[1]));
        tokio::join!(one, other);
    }
}

/// Plays a player's part of a match.
async fn player_out(arena: &Arena, match_id: &str, player: &Registered) {
    let seated: SeatHandle = arena.seat_of_player(match_id, player).await.expect("seated");
    loop {
        seated.turn(LONG).await;
        let view = seated.view();
        if view.stage == Stage::Over {
            return;
        }
        let legal = view.seen.legal(seated.seat());
        let action = &legal[view.seen.turn() as usize % legal.len()];
        seated.act(Some(view.seen.turn()), action, None).await.expect("legal");
        println!("\n@ acted {match_id} {} {} {action}", seated.seat(), view.seen.turn());
    }
}

/// The process that is killed; a test only so that this program can be started as it.
#[test]
#[ignore = "started and killed by the test below"]
fn victim() {
    let Some(path) = std::env::var_os(STORE) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(live_until_killed(Path::new(&path)));
}

/// What was acknowledged before the end.
#[derive(Default)]
struct Acknowledged {
    players: BTreeMap<String, String>,
    queued: Vec<String>,
    matched: Vec<(String, [String; 2])>,
    acted: Vec<(String, Seat, u32, String)>,
}

impl Acknowledged {
    fn take(&mut self, line: &str) -> bool {
        let Some(told) = line.strip_prefix("@ ") else { return false };
        let words: Vec<&str> = told.splitn(5, ' ').collect();
        match words.as_slice() {
            ["registered", id, token] => drop(self.players.insert((*id).to_owned(), (*token).to_owned())),
            ["queued", id] => self.queued.push((*id).to_owned()),
            ["left", id] => self.queued.retain(|queued| queued != id),
            ["matched", id, one, other] => self.matched.push(((*id).to_owned(), [one, other].map(ToString::to_string))),
            ["acted", id, seat, turn, action] => {
                let seat = seat.parse().expect("a seat");
                self.acted.push(((*id).to_owned(), seat, turn.parse().expect("a turn"), (*action).to_owned()));
            }
            // The last line may be cut off: then nobody was told.
            _ => return false,
        }
        true
    }

    /// Everything is there; how many matches are over.
    async fn check(&self, path: &Path) -> usize {
        let (arena, store) = arena(path).await;
        for (id, token) in &self.players {
            let player = arena.player(&PlayerToken::claimed(token)).await.expect("it is registered");
            assert_eq!(&*player.id, id);
            if self.queued.contains(id) {
                assert_ne!(arena.queue_status(&player).await.expect("readable"), Queued::Idle, "{id} is forgotten");
            }
        }
        for (match_id, players) in &self.matched {
            for id in players {
                let player = arena.player(&PlayerToken::claimed(&self.players[id])).await.expect("registered");
                arena.seat_of_player(match_id, &player).await.expect("it has its seat");
            }
        }
        for (match_id, seat, turn, action) in &self.acted {
            let live = arena.watch(match_id).await.expect("the match is there");
            let played = live.turns_after(*turn).first().and_then(|played| played.actions.get(seat).cloned());
            let done = played.or_else(|| live.view(Some(*seat)).sealed);
            assert_eq!(done.as_ref(), Some(action), "{match_id} {seat} {turn}");
        }
        // Every match that is over counts once, for both.
        let mut games: BTreeMap<String, u64> = BTreeMap::new();
        let finished = Filter { status: Some(MatchStatus::Finished), ..Filter::default() };
        let over = store.matches(&finished).await.expect("readable");
        for info in &over {
            let record = store.record(&info.id, 0).await.expect("readable");
            Replay::read(record.as_slice()).expect("it verifies").finished().expect("it is over");
            for seat in &info.seats {
                *games.entry(seat.player.clone()).or_default() += 1;
            }
        }
        let ladder = store.ladder(Some("paint")).await.expect("readable");
        let rated: BTreeMap<String, u64> = ladder.iter().map(|at| (at.name.clone(), at.games)).collect();
        assert_eq!(rated, games);
        let start = 1000.0 * ladder.iter().map(|_| 1.0).sum::<f64>();
        assert!((ladder.iter().map(|at| at.elo).sum::<f64>() - start).abs() < 1e-6, "{ladder:?}");
        arena.close().await;
        over.len()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_was_acknowledged_outlives_a_kill_at_any_moment() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("arena.db");
    let mut known = Acknowledged::default();
    let mut over = 0;
    for lines in [1, 3, 5, 40, 130, 300, 900] {
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "arena::victim", "--ignored", "--nocapture", "--test-threads", "1"])
            .env(STORE, &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut told = BufReader::new(child.stdout.take().expect("piped")).lines();
        let mut taken = 0;
        while taken < lines {
            let line = told.next().expect("it goes on until it is killed").expect("readable");
            taken += usize::from(known.take(&line));
        }
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        // What it told before the end is acknowledged too.
        let mut rest = told.map_while(Result::ok).peekable();
        while let Some(line) = rest.next() {
            if rest.peek().is_some() {
                known.take(&line);
            }
        }
        over = known.check(&path).await;
    }
    let begun = known.matched.len();
    assert!(over > 1 && begun > over, "{begun} matches began and {over} ended: enough to be caught in the middle");
}
