//! The arena against the least that could be done, in the same run: a state request against an empty handler of the same
//! library, and a thousand spectators against a program that only sends. `cargo bench --bench http`; the machine's noise
//! hits both sides alike, so look at the ratios. Processor time is read from /proc, so Linux only.

#![expect(clippy::print_stdout, reason = "a benchmark tells what it measured")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use axum::serve::ListenerExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _};

/// Requests of each kind.
const REQUESTS: usize = 10_000;

/// Turns that are watched.
const TURNS: u32 = 60;

const ROLE: &str = "--role=";

/// A server in a process of its own.
struct Server {
    child: Child,
    address: String,
    input: Option<ChildStdin>,
}

impl Server {
    fn start(command: &mut Command) -> Server {
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let address = lines.find_map(|line| Some(line.ok()?.strip_prefix("listening on http://")?.to_owned()));
        std::thread::spawn(move || lines.for_each(drop));
        let input = child.stdin.take();
        Server { child, address: address.expect("it listens"), input }
    }

    /// Itself in another part.
    fn role(role: &str) -> Server {
        let this = std::env::args_os().next().expect("a program has a name");
        Server::start(Command::new(this).arg(format!("{ROLE}{role}")))
    }

    /// The processor time of all its threads so far.
    fn busy(&self) -> Duration {
        let folder = format!("/proc/{}/task", self.child.id());
        let tasks = std::fs::read_dir(folder).expect("Linux").flatten();
        let nanos = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("schedstat")).ok());
        Duration::from_nanos(nanos.filter_map(|text| text.split(' ').next()?.parse::<u64>().ok()).sum())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that stays open.
struct Connection {
    stream: BufReader<TcpStream>,
    host: String,
    body: Vec<u8>,
}

impl Connection {
    fn to(server: &Server) -> Connection {
        let stream = TcpStream::connect(&server.address).expect("it listens");
        stream.set_nodelay(true).expect("a socket");
        Connection {
            stream: BufReader::with_capacity(64 * 1024, stream),
            host: server.address.clone(),
            body: Vec::new(),
        }
    }

    fn ask(&mut self, method: &str, path: &str, token: Option<&str>, body: &str) -> &[u8] {
        let host = &self.host;
        let token = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\n{token}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        self.stream.get_mut().write_all(head.as_bytes()).expect("it reads");
        let mut length = 0;
        let mut line = String::new();
        loop {
            line.clear();
            self.stream.read_line(&mut line).expect("it answers");
            if line == "\r\n" {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a number");
            }
        }
        self.body.resize(length, 0);
        self.stream.read_exact(&mut self.body).expect("a body");
        &self.body
    }

    fn json(&mut self, method: &str, path: &str, token: Option<&str>, body: &Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        serde_json::from_slice(self.ask(method, path, token, &body)).expect("JSON")
    }
}

fn main() {
    let role = std::env::args().find_map(|argument| Some(argument.strip_prefix(ROLE)?.to_owned()));
    let runtime = || tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads");
    match role.as_deref() {
        Some("empty") => return runtime().block_on(empty()),
        Some("sender") => return runtime().block_on(sender()),
        _ => {}
    }
    let folder = std::env::temp_dir().join(format!("standoff-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_standoff"));
    command.args(["serve", "--port", "0", "--rate", "0", "--store"]).arg(folder.join("s.db"));
    let arena = Server::start(&mut command);
    states(&arena);
    spectators(&arena);
    drop(arena);
    let _ = std::fs::remove_dir_all(&folder);
}

/// An empty handler.
async fn empty() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let _ = writeln!(std::io::stderr(), "listening on http://{}", listener.local_addr().expect("bound"));
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let router = axum::Router::new().route("/", axum::routing::get(async || ""));
    axum::serve(listener, router).await.expect("it serves");
}

/// Sends so many bytes to everybody who is connected, whenever it is told a number.
async fn sender() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let _ = writeln!(std::io::stderr(), "listening on http://{}", listener.local_addr().expect("bound"));
    let frames = tokio::sync::broadcast::Sender::<std::sync::Arc<[u8]>>::new(16);
    let told = frames.clone();
    tokio::spawn(async move {
        let mut lines = tokio::io::BufReader::new(tokio::io::stdin()).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let _ = told.send(vec![b'x'; line.trim().parse().expect("a number")].into());
        }
    });
    while let Ok((mut stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        let mut frames = frames.subscribe();
        tokio::spawn(async move {
            while let Ok(frame) = frames.recv().await {
                if stream.write_all(&frame).await.is_err() {
                    return;
                }
            }
        });
    }
}

/// A state request against an empty handler.
fn states(arena: &Server) {
    let empty = Server::role("empty");
    let mut here = Connection::to(arena);
    let request = json!({ "ruleset": "grid-royale", "seats": ["me", "me", "me", "me"], "turn_seconds": 0 });
    let opened = here.json("POST", "/api/v1/matches", None, &request);
    let path = format!("/api/v1/matches/{}", opened["match_id"].as_str().expect("a name"));
    let key = opened["mine"][0]["seat_key"].as_str().expect("a key").to_owned();
    let mut there = Connection::to(&empty);
    let mut times: [Vec<Duration>; 3] = Default::default();
    // One by one in turn, so that whatever else the machine does hits all alike.
    for _ in 0..REQUESTS {
        times[0].push(timed(|| _ = there.ask("GET", "/", None, "")));
        times[1].push(timed(|| _ = here.ask("GET", &path, None, "")));
        times[2].push(timed(|| _ = here.ask("GET", &path, Some(&key), "")));
    }
    let [nothing, spectator, seat] = times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1e6
    });
    // The clock has the waking of threads in it, which a machine without a core to spare feels; what the server itself
    // needs is its processor time.
    let none = busy(&empty, || _ = there.ask("GET", "/", None, ""));
    let own = [
        busy(arena, || _ = here.ask("GET", &path, None, "")),
        busy(arena, || _ = here.ask("GET", &path, Some(&key), "")),
    ];
    println!("empty handler        {nothing:7.1} µs a request by the clock, {none:5.1} µs of processor time");
    for (who, clock, own) in [("spectator", spectator, own[0]), ("a seat", seat, own[1])] {
        println!(
            "state, as {who:<9}  {clock:7.1} µs a request by the clock, {own:5.1} µs of processor time: {:.2} and {:.2} \
             times the empty handler",
            clock / nothing,
            own / none
        );
    }
}

/// The processor time that a server needs for a request, in microseconds.
fn busy(server: &Server, mut ask: impl FnMut()) -> f64 {
    let before = server.busy();
    for _ in 0..REQUESTS {
        ask();
    }
    server.busy().saturating_sub(before).as_secs_f64() * 1e6 / f64::from(u32::try_from(REQUESTS).expect("small"))
}

fn timed(ask: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    ask();
    begun.elapsed()
}

/// Spectators against a program that only sends.
fn spectators(arena: &Server) {
    let (one, _, _) = watched(arena, 1);
    let (many, bytes, pieces) = watched(arena, 1_000);
    let sending = sent(1_000, bytes, pieces);
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    println!("one spectator        {:7.0} µs of server time a turn", micros(one));
    println!(
        "1000 spectators      {:7.0} µs of server time a turn, {bytes} bytes in {pieces} pieces to each",
        micros(many)
    );
    println!("only sending to 1000 {:7.0} µs a turn", micros(sending));
    let allowed = 2.0 * micros(one) + micros(sending);
    println!("{:.2} times (twice one spectator and the sending)", micros(many) / allowed);
}

/// Server time a turn with so many spectators, and how many bytes in how many pieces each of them gets a turn.
fn watched(arena: &Server, spectators: usize) -> (Duration, usize, usize) {
    let mut player = Connection::to(arena);
    let rules = json!({ "base": "paint", "turns": 1000, "policy": { "turn_seconds": 0 } });
    let request = json!({ "ruleset": rules, "seats": ["me", "me"] });
    let opened = player.json("POST", "/api/v1/matches", None, &request);
    let path = format!("/api/v1/matches/{}", opened["match_id"].as_str().expect("a name"));
    let keys: Vec<String> =
        (0..2).map(|at| opened["mine"][at]["seat_key"].as_str().expect("a key").to_owned()).collect();
    let read: Vec<_> = (0..spectators).map(|_| follow(&format!("{path}/events"), &arena.address)).collect();
    let mut play = |turn: u32| {
        for key in &keys {
            let legal = player.json("GET", &path, Some(key), &Value::Null)["legal_actions"][0].clone();
            let action = json!({ "action": legal, "turn": turn });
            player.json("POST", &format!("{path}/action"), Some(key), &action);
        }
        player.json("GET", &format!("{path}?wait=20&since={turn}"), None, &Value::Null);
    };
    (0..5).for_each(&mut play);
    let before = arena.busy();
    (5..5 + TURNS).for_each(&mut play);
    std::thread::sleep(Duration::from_millis(300));
    let busy = arena.busy().saturating_sub(before) / TURNS;
    player.json("POST", &format!("{path}/resign"), Some(&keys[0]), &Value::Null);
    player.json("POST", &format!("{path}/action"), Some(&keys[1]), &json!({ "action": "shoot north" }));
    // Streams end with the match.
    let read: Vec<(usize, usize)> = read.into_iter().map(|reader| reader.join().expect("it reads")).collect();
    let turns = TURNS as usize + 6;
    let (bytes, pieces) = read[0];
    (busy, bytes / turns, (pieces / turns).max(1))
}

/// Reads a stream to its end, and counts.
fn follow(path: &str, address: &str) -> std::thread::JoinHandle<(usize, usize)> {
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").expect("it reads");
    let mut first = [0; 1];
    stream.read_exact(&mut first).expect("it answers");
    let count = move || {
        let mut buffer = vec![0; 64 * 1024];
        let (mut bytes, mut pieces) = (0, 0);
        while let Ok(read @ 1..) = stream.read(&mut buffer) {
            bytes += read;
            pieces += 1;
        }
        (bytes, pieces)
    };
    std::thread::Builder::new().stack_size(192 * 1024).spawn(count).expect("a thread")
}

/// The time that it takes only to send so many bytes in so many pieces to so many.
fn sent(readers: usize, bytes: usize, pieces: usize) -> Duration {
    let mut sender = Server::role("sender");
    let streams: Vec<TcpStream> =
        (0..readers).map(|_| TcpStream::connect(&sender.address).expect("it listens")).collect();
    let read: Vec<_> = streams
        .into_iter()
        .map(|mut stream| {
            let drain = move || {
                let mut buffer = vec![0; 64 * 1024];
                while let Ok(1..) = stream.read(&mut buffer) {}
            };
            std::thread::Builder::new().stack_size(192 * 1024).spawn(drain).expect("a thread")
        })
        .collect();
    std::thread::sleep(Duration::from_millis(500));
    let mut input = sender.input.take().expect("piped");
    let before = sender.busy();
    for _ in 0..TURNS {
        for _ in 0..pieces {
            writeln!(input, "{}", bytes / pieces).expect("it reads");
            std::thread::sleep(Duration::from_millis(30));
        }
    }
    std::thread::sleep(Duration::from_millis(300));
    let busy = sender.busy().saturating_sub(before) / TURNS;
    drop(sender);
    for reader in read {
        let _ = reader.join();
    }
    busy
}
