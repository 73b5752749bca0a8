//! What our own machinery costs where models play: `cargo bench --bench models`.
//!
//! `cpu a turn` is the CPU time of a whole model turn (prompt, request, stream, answer, referee, record) less that of the
//! same exchange by the HTTP client alone. `memory` is the most that 500 matches of two models each took, all at once in
//! this process. `throughput` is 500 requests under way all the time, by 250 matches of two whose answers and ledger go into a
//! store: the wall time against that of the server's latency alone, and the CPU time per call, the HTTP client's included.
//! The server is a process of its own, and counts in none of them.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use standoff::briefs::{Language, Variant};
use standoff::games::{BySeat, Ruleset, Seed};
use standoff::matches::{Log, Match, Record};
use standoff::players::model::{Model, NoJournal, RunBudget};
use standoff::players::{EndpointLimits, Player, Price, Profile};
use standoff::referee::{self, Watch};
use standoff::store::{Location, Store};
use standoff::tournaments::run::StoreJournal;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Turns of a match of two; each is two model turns.
const TURNS: u64 = 100;
/// Matches one after the other, for the CPU time.
const ROUNDS: u64 = 5;
/// Turns of each of the matches that keep 500 requests under way, and how long the server takes for an answer.
const LONG_TURNS: u32 = 20;
const LATENCY: Duration = Duration::from_secs(1);
/// Matches at once, for the memory.
const AT_ONCE: usize = 500;

fn main() {
    if std::env::args().any(|arg| arg == "--serve") {
        return runtime().block_on(serve());
    }
    let me = std::env::current_exe().expect("it runs");
    let mut child =
        Command::new(me).arg("--serve").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
    let mut url = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut url).expect("it says where it is");
    let (whole, bare) = runtime().block_on(cpu(url.trim()));
    let ours = whole.saturating_sub(bare);
    say(&format!(
        "cpu a turn   {ours:?} our own = {whole:?} in all - {bare:?} for the HTTP exchange alone (at most 500µs)"
    ));
    let before = status("VmRSS");
    runtime().block_on(memory(url.trim()));
    let most = status("VmHWM");
    say(&format!("memory       {most} MB at most with {AT_ONCE} matches at once, {before} MB before (at most 300 MB)"));
    let (wall, cpu) = runtime().block_on(throughput(url.trim()));
    let ideal = LATENCY * LONG_TURNS;
    say(&format!(
        "throughput   {wall:.2?} for {LONG_TURNS} turns of {AT_ONCE} requests at once, {:.3} times the ideal {ideal:?} (at \
         most 1.25); {cpu:?} of CPU time a call (at most 350µs)",
        wall.as_secs_f64() / ideal.as_secs_f64()
    ));
    // The server ends with its input.
    drop(child.stdin.take());
    child.wait().expect("it ends");
}

/// Prints a line at once.
fn say(line: &str) {
    let mut out = std::io::stdout();
    writeln!(out, "{line}").and_then(|()| out.flush()).expect("somebody reads");
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("there are threads")
}

/// A size of this process, in whole megabytes.
fn status(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with(field)).expect("a field");
    line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok()).expect("a number") / 1024
}

/// The CPU time of all threads so far.
fn cpu_time() -> Duration {
    let threads = std::fs::read_dir("/proc/self/task").expect("Linux");
    let nanos = threads.filter_map(|thread| {
        let text = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanos.sum())
}

fn model(base_url: &str) -> Model {
    let limits = EndpointLimits { requests_per_minute: None, tokens_per_minute: None, concurrency: 500 };
    let profile = Profile { limits, ..Profile::at(base_url, "mind") };
    let variant = Variant::named("standard").expect("it is built in");
    Model::new(profile, None, variant, Arc::new(RunBudget::unlimited()), Arc::new(NoJournal)).expect("a profile")
}

/// Writes the record as `standoff play` does.
struct Keeper(Log<Vec<u8>>);

impl Watch for Keeper {
    fn record(&mut self, _: &Match, record: &Record) -> std::io::Result<()> {
        self.0.write(record)
    }
}

/// Plays a match of two models, and gives the size of its record.
async fn play(model: &Model, turns: u64, seed: u64) -> usize {
    play_as("bench", model, turns, seed).await
}

async fn play_as(id: &str, model: &Model, turns: u64, seed: u64) -> usize {
    let ruleset = Ruleset::from_json(&json!({ "base": "paint", "turns": turns })).expect("a ruleset");
    let names = vec!["mind".to_owned(); 2];
    let (mut game, header) = Match::open(id, Arc::new(ruleset), Seed(seed), names).expect("it opens");
    let mut players: BySeat<Box<dyn Player>> = (0..2).map(|_| model.seat(Language::En)).collect();
    let mut keeper = Keeper(Log::new(Vec::new()));
    keeper.0.write(&header).expect("a vector takes anything");
    referee::run(id, &mut game, None, &mut players, &mut keeper, Duration::ZERO).await.expect("it ends");
    keeper.0.into_inner().len()
}

/// The CPU time of a model turn, and that of the same exchange by the HTTP client alone.
async fn cpu(url: &str) -> (Duration, Duration) {
    let model = model(&format!("{url}/v1"));
    play(&model, TURNS, 0).await;
    let turns = u32::try_from(2 * TURNS * ROUNDS).expect("few");
    let before = cpu_time();
    for round in 0..ROUNDS {
        play(&model, TURNS, round).await;
    }
    let whole = cpu_time().saturating_sub(before) / turns;

    // A request of a usual size, two at once as in the match.
    let body = "x".repeat(8 * 1024);
    let client = reqwest::Client::new();
    let exchange = || async {
        let mut response =
            client.post(format!("{url}/v1/chat/completions")).body(body.clone()).send().await.expect("an answer");
        while response.chunk().await.expect("a piece").is_some() {}
    };
    tokio::join!(exchange(), exchange());
    let before = cpu_time();
    for _ in 0..turns / 2 {
        tokio::join!(exchange(), exchange());
    }
    (whole, cpu_time().saturating_sub(before) / turns)
}

/// Plays all matches at once.
async fn memory(url: &str) {
    let model = model(&format!("{url}/slow/v1"));
    let matches: Vec<_> = (0..AT_ONCE)
        .map(|seed| {
            let model = model.clone();
            tokio::spawn(async move { play(&model, 5, seed as u64).await })
        })
        .collect();
    for each in matches {
        each.await.expect("no match panics");
    }
}

/// Plays half as many matches of two with a store: the wall time, and the CPU time of a call.
async fn throughput(url: &str) -> (Duration, Duration) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&Location::File(folder.path().join("bench.sqlite"))).await.expect("a store");
    let journal = Arc::new(StoreJournal::new(store.clone(), Vec::new()));
    let limits = EndpointLimits { requests_per_minute: None, tokens_per_minute: None, concurrency: AT_ONCE };
    let price = Some(Price { input: 1.0, cached_input: 0.1, cache_write: 1.25, output: 5.0 });
    let profile = Profile { limits, price, ..Profile::at(&format!("{url}/long/v1"), "mind") };
    let variant = Variant::named("standard").expect("it is built in");
    let budget = Arc::new(RunBudget::new(Some(1e6), None));
    let model = Model::new(profile, None, variant, budget, journal).expect("a profile");
    let (begun, before) = (Instant::now(), cpu_time());
    let matches: Vec<_> = (0..AT_ONCE / 2)
        .map(|seed| {
            let model = model.clone();
            tokio::spawn(async move { play_as(&format!("bench.{seed}"), &model, LONG_TURNS.into(), seed as u64).await })
        })
        .collect();
    for each in matches {
        each.await.expect("no match panics");
    }
    let (wall, cpu) = (begun.elapsed(), cpu_time().saturating_sub(before));
    store.close().await;
    (wall, cpu / (LONG_TURNS * u32::try_from(AT_ONCE).expect("few")))
}

/// A model that always does the same, slowly if the path says so.
async fn serve() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    say(&format!("http://{}", listener.local_addr().expect("it is bound")));
    let input = tokio::task::spawn_blocking(|| std::io::stdin().read_line(&mut String::new()));
    tokio::spawn(accept(listener));
    // Whoever started it is gone then.
    let _ = input.await;
}

async fn accept(listener: TcpListener) {
    loop {
        let (socket, _) = listener.accept().await.expect("a connection");
        tokio::spawn(answer(socket));
    }
}

async fn answer(mut socket: TcpStream) -> Option<()> {
    let call =
        json!({ "index": 0, "id": "c", "function": { "name": "act", "arguments": "{\"action\":\"shoot north\"}" } });
    let chunk =
        json!({ "model": "mind", "choices": [{ "delta": { "tool_calls": [call] }, "finish_reason": "tool_calls" }] });
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 1, "completion_tokens": 1 } });
    let body = format!("data: {chunk}\n\ndata: {usage}\n\ndata: [DONE]\n\n");
    let reply =
        format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let mut buffer = Vec::new();
    loop {
        let end = loop {
            if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            if socket.read_buf(&mut buffer).await.ok()? == 0 {
                return None;
            }
        };
        let head = String::from_utf8_lossy(&buffer[..end]).to_ascii_lowercase();
        let length: usize =
            head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok()).unwrap_or(0);
        while buffer.len() < end + length {
            if socket.read_buf(&mut buffer).await.ok()? == 0 {
                return None;
            }
        }
        buffer.drain(..end + length);
        if head.starts_with("post /slow") {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        if head.starts_with("post /long") {
            tokio::time::sleep(LATENCY).await;
        }
        socket.write_all(reply.as_bytes()).await.ok()?;
    }
}
