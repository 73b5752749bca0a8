//! What keeping costs, and what waiting costs: `cargo bench --bench tournament`, or with `-- bots` or `-- models` one of
//! the two.
//!
//! `bots` plays 10,000 games of `cowboy`, `greedy` against `greedy`, in three ways on the same seeds: bare, recorded in
//! memory, and as a tournament that records and stores them. Each is done several times in turn, and the best counts: a
//! machine that has something else to do makes everything slower, never faster. `models` plays 1,000 games at once against a server in this
//! process that answers after 200 ms, and compares with the time that the longest game would take if nothing but the
//! server took any. Everything is measured in one run, so that the ratios mean something on any machine.

#![expect(clippy::print_stdout, reason = "a benchmark reports there")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use standoff::bots::{BotSpec, Ladder};
use standoff::briefs::{Language, Variant};
use standoff::games::Viewer;
use standoff::games::{Ruleset, Seat, Seed};
use standoff::matches::{Log, Match};
use standoff::players::model::{Journal, Model, RunBudget};
use standoff::players::{EndpointLimits, Mode, Player, Profile};
use standoff::store::{Location, Store};
use standoff::tournaments::run::{
    Course, Entry, EntryKind, PlayerFactory, Run, RunEnd, RunReport, SeatRequest, StoreJournal,
};
use standoff::tournaments::schedule::{Edition, Format, Setup};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

const GAMES: u64 = 10_000;
const ROUNDS: u32 = 7;
const AT_ONCE: u32 = 1000;
const LATENCY: Duration = Duration::from_millis(200);

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let wants = |name: &str| asked.is_empty() || asked.iter().any(|arg| arg == name);
    if wants("bots") {
        bots();
    }
    if wants("models") {
        models();
    }
}

fn threads() -> usize {
    thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Seconds by the clock, and seconds that all cores together were busy for us.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64, f64) {
    let (begun, busy) = (Instant::now(), busy());
    let made = work();
    (made, begun.elapsed().as_secs_f64(), self::busy() - busy)
}

/// Processor time of this process so far, where the system tells.
fn busy() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> =
        stat.rsplit(')').next().unwrap_or("").split_whitespace().map(|field| field.parse().unwrap_or(0.0)).collect();
    // Ticks in user and in system mode, a hundred a second.
    fields.get(11..13).map_or(0.0, |ticks| (ticks[0] + ticks[1]) / 100.0)
}

fn bots() {
    let ruleset = Arc::new(Ruleset::named("cowboy").expect("built in"));
    let blocks = GAMES / 2;
    let (first, second) = (BotSpec::Greedy, BotSpec::Greedy);
    let ladder = Ladder { ruleset: ruleset.clone(), seats: 2, first, second, blocks, seed: Seed(1) };
    let (mut bare, mut recorded, mut stored) = (Best::NONE, Best::NONE, Best::NONE);
    let (mut turns, mut bytes, mut on_disk) = (0, 0, 0);
    for _ in 0..ROUNDS {
        bare.time(|| ladder.play(threads()).expect("two can play"));
        (turns, bytes) = recorded.time(|| record(&ruleset, blocks));
        let folder = tempfile::tempdir().expect("a folder");
        let games = stored.time(|| runtime().block_on(store(&ruleset, folder.path())));
        assert_eq!(games, GAMES);
        on_disk = std::fs::metadata(folder.path().join("bots.db")).expect("it is there").len();
    }
    let cores = threads();
    #[expect(clippy::cast_precision_loss, reason = "counts of a benchmark are small")]
    let (plies, cores_f, games_f) = (turns as f64, cores as f64, GAMES as f64);
    println!(
        "{GAMES} games of cowboy, greedy against greedy, {turns} plies, {bytes} bytes of records, {on_disk} in the store; \
         {cores} threads, the best of {ROUNDS}"
    );
    println!("bare      {:.3} s, {:.0} games a second", bare.seconds, games_f / bare.seconds);
    println!(
        "recorded  {:.3} s, {:.0} % of all cores busy, {:.2} µs of processor time a ply over bare",
        recorded.seconds,
        100.0 * recorded.load / cores_f,
        1e6 * (recorded.busy - bare.busy) / plies,
    );
    println!(
        "stored    {:.3} s, {:.0} % of all cores busy, {:+.0} % over recorded by the clock and {:+.0} % by processor \
         time, {:.2} µs of it a ply over bare",
        stored.seconds,
        100.0 * stored.load / cores_f,
        100.0 * (stored.seconds / recorded.seconds - 1.0),
        100.0 * (stored.busy / recorded.busy - 1.0),
        1e6 * (stored.busy - bare.busy) / plies,
    );
}

/// The best of several times that something was done.
struct Best {
    seconds: f64,
    /// Processor time.
    busy: f64,
    /// Cores at work, in the quickest.
    load: f64,
}

impl Best {
    const NONE: Best = Best { seconds: f64::INFINITY, busy: f64::INFINITY, load: 0.0 };

    fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (made, seconds, busy) = timed(work);
        if seconds < self.seconds {
            (self.seconds, self.load) = (seconds, busy / seconds);
        }
        self.busy = self.busy.min(busy);
        made
    }
}

/// The same games with their records, which nobody keeps. Plies and bytes.
fn record(ruleset: &Arc<Ruleset>, blocks: u64) -> (u64, u64) {
    let next = AtomicU64::new(0);
    let work = || {
        let (mut turns, mut bytes) = (0, 0);
        loop {
            let block = next.fetch_add(1, Ordering::Relaxed);
            if block >= blocks {
                return (turns, bytes);
            }
            let seed = Seed(1).child("fixture", block);
            for _ in 0..2 {
                let names = vec!["greedy".to_owned(); 2];
                let (mut game, header) = Match::open("m", ruleset.clone(), seed, names).expect("two can play");
                let mut log = Log::new(Vec::with_capacity(16 * 1024));
                log.write(&header).expect("memory");
                let mut bots: Vec<_> =
                    Seat::first(2).map(|seat| BotSpec::Greedy.seat(seed.child("bot", seat.index() as u64))).collect();
                while let Some(seat) = game.awaiting().iter().next() {
                    let action = bots[seat.index()].choose(&game.table().view(Viewer::Seat(seat)), seat);
                    let accepted = game.table().accept_action(seat, action.expect("it is to act")).expect("legal");
                    for record in game.seal(accepted) {
                        log.write(&record).expect("memory");
                    }
                }
                turns += u64::from(game.table().turn());
                bytes += log.into_inner().len() as u64;
            }
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads()).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("no panic"))
            .fold((0, 0), |(turns, bytes), (more, longer)| (turns + more, bytes + longer))
    })
}

async fn store(ruleset: &Arc<Ruleset>, folder: &std::path::Path) -> u64 {
    let store = Store::open(&Location::File(folder.join("bots.db"))).await.expect("it opens");
    // Two entries of the same bot under different names: who they are is not the question here.
    let entry = |name: &str| Entry { name: name.to_owned(), model: None, kind: EntryKind::Bot(BotSpec::Greedy) };
    let entries = vec![entry("greedy"), entry("greedy too")];
    let run = run(&store, ruleset, entries, u32::try_from(GAMES / 2).expect("small"), Arc::new(RunBudget::unlimited()));
    let RunReport { end, standings, .. } = run.play(&mut ()).await.expect("it is played");
    assert_eq!(end, RunEnd::Finished);
    store.close().await;
    standings.games()
}

fn run(store: &Store, ruleset: &Arc<Ruleset>, entries: Vec<Entry>, blocks: u32, budget: Arc<RunBudget>) -> Run {
    Run {
        id: "bench".to_owned(),
        setup: Setup {
            format: Format::RoundRobin,
            entrants: entries.len(),
            seats: 2,
            courses: 1,
            blocks,
            seed: Seed(1),
            edition: Edition::Second,
        },
        entries,
        courses: vec![Course { name: "cowboy".to_owned(), ruleset: ruleset.clone() }],
        store: store.clone(),
        budget,
        concurrency: AT_ONCE as usize,
        threads: threads(),
        time: None,
        stop: CancellationToken::new(),
        journal: None,
        workers: None,
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads")
}

/// A model whose answers are not worth waiting for.
struct Slow(Model);

impl PlayerFactory for Slow {
    fn seat(&self, _: SeatRequest) -> futures_util::future::BoxFuture<'_, Result<Box<dyn Player>, String>> {
        let player = self.0.seat(Language::En);
        Box::pin(async move { Ok(player) })
    }
}

fn models() {
    // The server has threads of its own, as if it were elsewhere.
    let server = runtime();
    let listener = server.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
    let url = format!("http://{}/v1", listener.local_addr().expect("it is bound"));
    server.spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(serve(socket));
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let ((longest, calls), seconds, busy) = timed(|| runtime().block_on(play(url, folder.path())));
    let ideal = LATENCY.as_secs_f64() * f64::from(longest);
    println!(
        "{AT_ONCE} games of models at once, {calls} calls of {LATENCY:?}: {seconds:.2} s, {:.2} times the ideal {ideal:.2} s, \
         {:.2} ms of processor time a call with the server's",
        seconds / ideal,
        1000.0 * busy / f64::from(u32::try_from(calls).unwrap_or(u32::MAX)),
    );
}

/// The calls of the longest game, and of all.
async fn play(url: String, folder: &std::path::Path) -> (u32, u64) {
    let mut ruleset = Ruleset::named("cowboy").expect("built in");
    // Both only ever turn their shields: the rounds decide how long a game is.
    if let standoff::games::ruleset::Rules::Cowboy(rules) = &mut ruleset.rules {
        rules.max_rounds = 12;
    }
    let ruleset = Arc::new(ruleset);
    let store = Store::open(&Location::File(folder.join("models.db"))).await.expect("it opens");
    let journal: Arc<dyn Journal> = Arc::new(StoreJournal::new(store.clone(), Vec::new()));
    let budget = Arc::new(RunBudget::unlimited());
    let profile = Profile {
        mode: Mode::Text,
        limits: EndpointLimits { requests_per_minute: None, tokens_per_minute: None, concurrency: AT_ONCE as usize },
        ..Profile::at(&url, "slow")
    };
    let variant = Variant::named("standard").expect("built in");
    let entry = |name: &str| {
        let model = Model::new(profile.clone(), None, variant.clone(), budget.clone(), journal.clone());
        Entry { name: name.to_owned(), model: None, kind: EntryKind::Factory(Arc::new(Slow(model.expect("sound")))) }
    };
    let run = run(&store, &ruleset, vec![entry("one"), entry("two")], AT_ONCE / 2, budget.clone());
    let RunReport { end, standings, .. } = run.play(&mut ()).await.expect("it is played");
    assert_eq!((end, standings.games()), (RunEnd::Finished, u64::from(AT_ONCE)));
    let games = store.games(None).await.expect("readable");
    assert!(games.is_empty(), "all are of the tournament");
    let games = store.games(Some("bench")).await.expect("readable");
    store.close().await;
    (games.iter().map(|game| game.result.turns).max().unwrap_or(0), budget.calls())
}

/// Answers every request after a while.
async fn serve(mut socket: TcpStream) {
    const ANSWER: &str = r#"{"model":"slow","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"shield up"}}],"usage":{"prompt_tokens":900,"completion_tokens":3}}"#;
    let reply = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{ANSWER}",
        ANSWER.len()
    );
    let mut buffer = Vec::new();
    loop {
        let whole = loop {
            if let Some(end) = request_end(&buffer) {
                break end;
            }
            let mut piece = [0; 16 * 1024];
            match socket.read(&mut piece).await {
                Ok(read) if read > 0 => buffer.extend_from_slice(&piece[..read]),
                _ => return,
            }
        };
        buffer.drain(..whole);
        tokio::time::sleep(LATENCY).await;
        if socket.write_all(reply.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// Where the first request ends, once all of it is there.
fn request_end(buffer: &[u8]) -> Option<usize> {
    let head = buffer.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&buffer[..head]).ok()?.to_ascii_lowercase();
    let length: usize = text.split("content-length:").nth(1)?.lines().next()?.trim().parse().ok()?;
    (buffer.len() >= head + length).then_some(head + length)
}
