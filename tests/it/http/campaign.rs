//! Several servers on one store that are killed or stand still at any moment, clients that hang up, a disk that is full again and again,
//! and a load balancer that sends every request anywhere: no two processes acknowledge different actions of one seat and
//! turn, and nothing that was acknowledged is lost.
//!
//! The tests are the short form. The long one takes as many seconds as it is told to, and prints what it found:
//!
//! ```text
//! STANDOFF_CAMPAIGN=600 cargo test --test it http::campaign -- --nocapture --test-threads 1
//! STANDOFF_CAMPAIGN=600 STANDOFF_POSTGRES=postgres://… cargo test --test it http::campaign::postgres -- --ignored --nocapture
//! ```
//!
//! Slow clients have theirs in `purse`.
#![expect(clippy::print_stderr, reason = "a campaign prints its figures")]

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value as Json, json};
use standoff::matches::Replay;

use super::client::Client;
use super::purse::SmallDisk;
use crate::serve::Server;

/// So long a server stands still: its lease has run out by then.
const FROZEN: Duration = Duration::from_secs(12);

/// How long a campaign lasts.
fn lasts() -> Duration {
    let seconds = std::env::var("STANDOFF_CAMPAIGN").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(seconds.unwrap_or(8))
}

/// Numbers that are the same for the same seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % limit
    }
}

/// Servers on one store, of which any answers.
struct Cluster {
    store: PathBuf,
    servers: Mutex<Vec<Server>>,
    ports: RwLock<Vec<u16>>,
    /// The server that stands still: the load balancer has noticed, the other servers have not.
    still: RwLock<Option<usize>>,
}

fn port(server: &Server) -> u16 {
    server.address.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port")
}

impl Cluster {
    fn start(store: &Path, count: usize) -> Cluster {
        let servers: Vec<Server> = (0..count).map(|_| Server::start(store, &["--rate", "0"], None)).collect();
        let ports = servers.iter().map(port).collect();
        Cluster {
            store: store.to_owned(),
            servers: Mutex::new(servers),
            ports: RwLock::new(ports),
            still: RwLock::default(),
        }
    }

    /// Kills one server and starts another.
    fn kill(&self, which: usize) {
        let mut servers = self.servers.lock().expect("sound");
        servers[which].child.kill().expect("it runs");
        servers[which].child.wait().expect("it ends");
        servers[which] = Server::start(&self.store, &["--rate", "0"], None);
        self.ports.write().expect("sound")[which] = port(&servers[which]);
    }

    /// Lets one server stand still for longer than its lease lasts.
    fn freeze(&self, which: usize) {
        let process = Pid::from_child(&self.servers.lock().expect("sound")[which].child);
        *self.still.write().expect("sound") = Some(which);
        kill_process(process, Signal::STOP).expect("it runs");
        thread::sleep(FROZEN);
        kill_process(process, Signal::CONT).expect("it stands still");
        *self.still.write().expect("sound") = None;
    }

    /// Sends a request to any server; nothing if that one ended meanwhile.
    fn send(&self, numbers: &mut Numbers, request: &Request<'_>) -> Option<TcpStream> {
        let port = {
            let ports = self.ports.read().expect("sound");
            let which = numbers.below(ports.len());
            let still = *self.still.read().expect("sound");
            ports[if still == Some(which) { (which + 1) % ports.len() } else { which }]
        };
        let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(40))).ok()?;
        let Request { method, path, token, key, body } = request;
        let token = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
        let key = key.map(|key| format!("Idempotency-Key: {key}\r\n")).unwrap_or_default();
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
        let length = body.len();
        let text = format!(
            "{method} /api/v1{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n{token}{key}{kind}Content-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(text.as_bytes()).ok()?;
        Some(stream)
    }

    fn ask_once(&self, numbers: &mut Numbers, request: &Request<'_>) -> Option<(u16, Json)> {
        let mut answer = Vec::new();
        self.send(numbers, request)?.read_to_end(&mut answer).ok()?;
        let text = String::from_utf8_lossy(&answer);
        let (head, body) = text.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        // What comes in pieces is put together.
        let body = if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
            dechunked(body)?
        } else {
            body.to_owned()
        };
        Some((status, serde_json::from_str(&body).ok()?))
    }

    /// Asks again and again, as a client does that wants an answer, whatever ends meanwhile.
    fn ask(&self, numbers: &mut Numbers, request: &Request<'_>) -> (u16, Json) {
        let until = Instant::now() + Duration::from_mins(1);
        loop {
            match self.ask_once(numbers, request) {
                Some((status, answer)) if status != 503 => return (status, answer),
                other => {
                    assert!(
                        Instant::now() < until,
                        "{} {}: no answer, at last {other:?}",
                        request.method,
                        request.path
                    );
                    thread::sleep(Duration::from_millis(20));
                }
            }
        }
    }
}

fn dechunked(mut rest: &str) -> Option<String> {
    let mut body = String::new();
    loop {
        let (size, after) = rest.split_once("\r\n")?;
        let size = usize::from_str_radix(size.trim(), 16).ok()?;
        if size == 0 {
            return Some(body);
        }
        body.push_str(after.get(..size)?);
        rest = after.get(size + 2..)?;
    }
}

#[derive(Clone)]
struct Request<'a> {
    method: &'a str,
    path: &'a str,
    token: Option<&'a str>,
    key: Option<&'a str>,
    body: &'a Json,
}

/// What was acknowledged of one match: by seat and turn, every action that somebody was told is taken.
type Acknowledged = BTreeMap<(String, u64), Vec<String>>;

#[derive(Default)]
struct Figures {
    acknowledged: AtomicU64,
    hung_up: AtomicU64,
    rivals: AtomicU64,
    matches: AtomicU64,
    /// Servers killed, or disks filled.
    troubles: AtomicU64,
    /// Matches that were shown as they had been, after more of them was seen.
    stale: AtomicU64,
    slowest_millis: AtomicU64,
}

/// What was acknowledged of a match, with the seats and their keys.
struct Played {
    id: String,
    mine: Json,
    acknowledged: Acknowledged,
}

/// Plays one match after the other until time is up, and gives what was acknowledged.
fn play(cluster: &Arc<Cluster>, seed: u64, until: Instant, figures: &Figures) -> Vec<Played> {
    let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut played = Vec::new();
    while Instant::now() < until {
        let rules = json!({ "base": "paint", "policy": { "turn_seconds": 0 } });
        let wanted = json!({ "ruleset": rules, "seats": ["me", "me"], "ticks": false });
        let key = format!("opening-no-{seed}-{}-{}", played.len(), std::process::id());
        let open = Request { method: "POST", path: "/matches", token: None, key: Some(&key), body: &wanted };
        if numbers.below(3) == 0 {
            // Whoever hangs up asks again and has one match, not two.
            drop(cluster.send(&mut numbers, &open));
            figures.hung_up.fetch_add(1, Ordering::Relaxed);
        }
        let (status, opened) = cluster.ask(&mut numbers, &open);
        assert_eq!(status, 201, "{opened}");
        let (again, same) = cluster.ask(&mut numbers, &open);
        assert_eq!((again, &same["match_id"], &same["mine"]), (201, &opened["match_id"], &opened["mine"]));
        figures.matches.fetch_add(1, Ordering::Relaxed);
        let mut seen = 0;
        let id = opened["match_id"].as_str().expect("a name").to_owned();
        let mut acknowledged = Acknowledged::new();
        while Instant::now() < until
            && step(cluster, &mut numbers, (&id, &opened["mine"]), &mut seen, &mut acknowledged, figures)
        {}
        played.push(Played { id, mine: opened["mine"].clone(), acknowledged });
    }
    played
}

/// Plays one turn of a match for both seats; whether it goes on.
fn step(
    cluster: &Arc<Cluster>,
    numbers: &mut Numbers,
    (id, mine): (&str, &Json),
    seen: &mut u64,
    acknowledged: &mut Acknowledged,
    figures: &Figures,
) -> bool {
    let (look, action) = (format!("/matches/{id}"), format!("/matches/{id}/action"));
    for mine in mine.as_array().expect("a list") {
        let (seat, token) = (mine["seat"].as_str().expect("a seat"), mine["seat_key"].as_str().expect("a key"));
        let begun = Instant::now();
        let see = Request { method: "GET", path: &look, token: Some(token), key: None, body: &Json::Null };
        let (status, view) = cluster.ask(numbers, &see);
        assert_eq!(status, 200, "{view}");
        if view["status"] == "over" {
            return false;
        }
        let (Some(turn), Some(legal)) = (view["turn"].as_u64(), view["legal_actions"].as_array()) else {
            panic!("no view: {view}")
        };
        if turn < *seen {
            figures.stale.fetch_add(1, Ordering::Relaxed);
        }
        *seen = turn.max(*seen);
        if view["your_turn"] != true {
            continue;
        }
        let chosen = |numbers: &mut Numbers| legal[numbers.below(legal.len())].clone();
        let (one, other) = (chosen(numbers), chosen(numbers));
        let bodies = [json!({ "action": one, "turn": turn }), json!({ "action": other, "turn": turn })];
        let act = |body| Request { method: "POST", path: &action, token: Some(token), key: None, body };
        let mut took = |body: &Json, answer: (u16, Json)| match answer {
            (200, answer) => {
                figures.acknowledged.fetch_add(1, Ordering::Relaxed);
                let action = answer["action"].as_str().expect("a notation").to_owned();
                assert_eq!(answer["turn"], turn);
                let all = acknowledged.entry((seat.to_owned(), turn)).or_default();
                if !all.contains(&action) {
                    all.push(action);
                }
            }
            (409, _) => {}
            (status, answer) => panic!("{status} {body}: {answer}"),
        };
        match numbers.below(4) {
            // Two send different actions to different servers at once: one of them is taken.
            0 => {
                figures.rivals.fetch_add(1, Ordering::Relaxed);
                let (servers, token, path) = (cluster.clone(), token.to_owned(), action.clone());
                let (body, mut theirs) = (bodies[1].clone(), Numbers(numbers.0 ^ 0x5555));
                let rival = thread::spawn(move || {
                    let act = Request { method: "POST", path: &path, token: Some(&token), key: None, body: &body };
                    servers.ask_once(&mut theirs, &act).filter(|(status, _)| *status != 503)
                });
                if let Some(answer) = cluster.ask_once(numbers, &act(&bodies[0])).filter(|(status, _)| *status != 503) {
                    took(&bodies[0], answer);
                }
                if let Some(answer) = rival.join().expect("it only asks") {
                    took(&bodies[1], answer);
                }
            }
            // Somebody hangs up at once, and asks again for other reasons.
            1 => {
                figures.hung_up.fetch_add(1, Ordering::Relaxed);
                drop(cluster.send(numbers, &act(&bodies[0])));
                let again = json!({ "action": one, "turn": turn, "reasoning": "the line was cut" });
                let answer = cluster.ask(numbers, &act(&again));
                assert_eq!(answer.0, 200, "the same action for the same turn: {}", answer.1);
                took(&again, answer);
            }
            _ => {
                let answer = cluster.ask(numbers, &act(&bodies[0]));
                took(&bodies[0], answer);
            }
        }
        let millis = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        figures.slowest_millis.fetch_max(millis, Ordering::Relaxed);
    }
    true
}

/// Makes trouble under load, then looks for everything that was acknowledged.
fn campaign(
    store: &Path,
    servers: usize,
    what: &str,
    at_least: Duration,
    trouble: impl Fn(&Cluster, &mut Numbers) + Send + 'static,
) {
    let (cluster, figures) = (Arc::new(Cluster::start(store, servers)), Arc::new(Figures::default()));
    let until = Instant::now() + lasts().max(at_least);
    let done = Arc::new(AtomicBool::new(false));
    let troubles = {
        let (cluster, figures, done) = (cluster.clone(), figures.clone(), done.clone());
        thread::spawn(move || {
            let mut numbers = Numbers(7);
            while !done.load(Ordering::Relaxed) && Instant::now() < until {
                thread::sleep(Duration::from_millis(1_500 + numbers.below(1_500) as u64));
                trouble(&cluster, &mut numbers);
                figures.troubles.fetch_add(1, Ordering::Relaxed);
            }
        })
    };
    let players: Vec<_> = (0..4)
        .map(|seed| {
            let (cluster, figures) = (cluster.clone(), figures.clone());
            thread::spawn(move || play(&cluster, seed, until, &figures))
        })
        .collect();
    let played: Vec<_> = players.into_iter().map(thread::JoinHandle::join).collect();
    done.store(true, Ordering::Relaxed);
    troubles.join().expect("it only makes trouble");
    if played.iter().any(Result::is_err) {
        // Whoever was kept from playing was told to look into the log.
        for server in std::mem::take(&mut *cluster.servers.lock().expect("sound")) {
            eprintln!("{}", server.end());
        }
    }
    // What was acknowledged is on the disk, not in somebody's memory.
    for which in 0..servers {
        cluster.kill(which);
    }
    let mut numbers = Numbers(11);
    let (mut turns, mut sealed, mut twice, mut lost) = (0, 0, Vec::new(), Vec::new());
    for Played { id, mine, acknowledged } in
        played.into_iter().flat_map(|played| played.expect("nobody is kept from playing"))
    {
        let path = format!("/matches/{id}/turns");
        let history = Request { method: "GET", path: &path, token: None, key: None, body: &Json::Null };
        let (status, history) = cluster.ask(&mut numbers, &history);
        assert_eq!(status, 200, "{history}");
        let history = history["turns"].as_array().expect("a list");
        for ((seat, turn), actions) in acknowledged {
            turns += 1;
            let [action] = actions.as_slice() else {
                twice.push(format!("{id} {seat} {turn}: {actions:?}"));
                continue;
            };
            // Turn n leads to entry n; an action of a turn that is not played yet is sealed.
            let entry = history.iter().find(|entry| entry["turn"].as_u64() == Some(turn + 1));
            let kept = if let Some(entry) = entry {
                entry["actions"][&seat].clone()
            } else {
                sealed += 1;
                let key = mine.as_array().and_then(|mine| mine.iter().find(|mine| mine["seat"] == *seat));
                let token = key.and_then(|mine| mine["seat_key"].as_str());
                let path = format!("/matches/{id}/action");
                let body = json!({ "action": action, "turn": turn });
                let again = Request { method: "POST", path: &path, token, key: None, body: &body };
                let (status, receipt) = cluster.ask(&mut numbers, &again);
                // A receipt for what was there before, not a new action in its place.
                if status == 200 && receipt["repeated"] == true { receipt["action"].clone() } else { receipt }
            };
            if kept != **action {
                lost.push(format!("{id} {seat} {turn}: {action}, and there is {kept}"));
            }
        }
    }
    let figure = |figure: &AtomicU64| figure.load(Ordering::Relaxed);
    eprintln!(
        "{what}: {} matches, {turns} seats and turns acknowledged ({} answers, {sealed} still sealed at the end), {} twice, {} lost, {} shown as they had been; {} times trouble, {} hang-ups, {} pairs of rival actions; the slowest turn took {} ms",
        figure(&figures.matches),
        figure(&figures.acknowledged),
        twice.len(),
        lost.len(),
        figure(&figures.stale),
        figure(&figures.troubles),
        figure(&figures.hung_up),
        figure(&figures.rivals),
        figure(&figures.slowest_millis),
    );
    assert!(twice.is_empty() && lost.is_empty(), "twice: {twice:?}\nlost: {lost:?}");
    assert_eq!(figure(&figures.stale), 0, "a server showed a match as it had been");
    assert!(figure(&figures.troubles) > 0 && turns > 20, "enough happened to tell");
}

/// One of three servers is killed.
fn kill_one(cluster: &Cluster, numbers: &mut Numbers) {
    cluster.kill(numbers.below(3));
}

/// One of three servers stands still for longer than its lease lasts, and comes back.
fn freeze_one(cluster: &Cluster, numbers: &mut Numbers) {
    cluster.freeze(numbers.below(3));
}

/// Clients that hang up at any moment while they open, join, wait and act: whoever asks again gets the answer that was on its
/// way, and everything happened once.
#[test]
fn whoever_hangs_up_and_asks_again_has_everything_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let cluster = Cluster::start(&folder.path().join("s.db"), 1);
    let mut numbers = Numbers(3);
    let (mut asked, mut rounds) = (0_u64, 0_u64);
    let until = Instant::now() + lasts();
    let anybody = Client::of(&cluster.servers.lock().expect("sound")[0]);
    let players = [anybody.register("Ann"), anybody.register("Bob")];
    while Instant::now() < until {
        rounds += 1;
        // Sends a request, hangs up some time later, and asks twice more: both answers are the same.
        let mut hang_up = |path: &str, token: Option<&str>, body: &Json, key: &str| {
            let key = format!("a-key-of-round-{rounds}-{key}");
            let request = Request { method: "POST", path, token, key: Some(&key), body };
            let stream = cluster.send(&mut numbers, &request);
            thread::sleep(Duration::from_micros(numbers.below(3_000) as u64));
            drop(stream);
            let (first, second) = (cluster.ask(&mut numbers, &request), cluster.ask(&mut numbers, &request));
            asked += 1;
            assert!(first.0 < 300, "{path}: {}", first.1);
            (first, second)
        };
        let rules = json!({ "base": "paint", "turns": 2, "policy": { "turn_seconds": 0 } });
        let wish = json!({ "ruleset": rules, "seats": ["me", "open"], "ticks": false });
        let (opened, again) = hang_up("/matches", None, &wish, "open");
        assert_eq!((&opened.1["match_id"], &opened.1["mine"]), (&again.1["match_id"], &again.1["mine"]));
        let id = opened.1["match_id"].as_str().expect("a name").to_owned();
        let (joined, again) = hang_up(&format!("/matches/{id}/join"), None, &json!({}), "join");
        assert_eq!(joined, again, "one seat, one key");
        let keys = [&opened.1["mine"][0]["seat_key"], &joined.1["seat_key"]]
            .map(|key| key.as_str().expect("a key").to_owned());
        for (number, key) in keys.iter().enumerate() {
            let path = format!("/matches/{id}/action");
            let action = anybody.with(&json!(key)).view(&id)["legal_actions"][0].clone();
            let body = json!({ "action": action, "turn": 0 });
            let (acted, again) = hang_up(&path, Some(key), &body, &format!("act-{number}"));
            let receipt = |answer: &Json| (answer["seat"].clone(), answer["turn"].clone(), answer["action"].clone());
            assert_eq!(receipt(&acted.1), receipt(&again.1));
            assert_eq!(acted.1["action"], action);
        }
        // Both sealed once: the turn is played.
        let view = anybody.after(&id, 0);
        assert_eq!(view["turn"], 1, "{view}");
        let wanted = json!({ "mode": "paint", "players": 2, "bots": false });
        let mut matched = Vec::new();
        for (number, player) in players.iter().enumerate() {
            let (_, stands) = hang_up("/matches/queue", player.token.as_deref(), &wanted, &format!("queue-{number}"));
            matched.push(stands.1["match_id"].clone());
        }
        let id = matched[1].as_str().expect("two are there").to_owned();
        assert_eq!(players[0].get("/matches/queue/status").expect(200)["match_id"], matched[1], "one match for both");
        for player in &players {
            assert_eq!(player.get("/players/me").expect(200)["matches"], json!([id]), "and no other");
        }
        for player in &players {
            player.post(&format!("/matches/{id}/resign"), &Json::Null).expect(200);
        }
        players[0].after(&id, 1000);
    }
    eprintln!("hang-ups: {asked} requests were broken off and sent again in {rounds} rounds; 0 stuck, 0 twice");
    assert!(rounds > 1, "enough happened to tell");
}

/// The disk is full for a moment again and again.
#[test]
fn a_disk_that_is_full_now_and_then_loses_nothing() {
    let Some(disk) = SmallDisk::new() else {
        eprintln!("NOT TRIED: no small disk can be mounted here");
        return;
    };
    let folder = disk.path().to_owned();
    campaign(&folder.join("s.db"), 1, "full disk", Duration::ZERO, move |_, numbers| {
        let filler = folder.join("filler");
        let mut file = std::fs::File::create(&filler).expect("a file without bytes");
        while let Ok(1..) = file.write(&[0; 8_192]) {}
        while let Ok(1..) = file.write(&[0]) {}
        thread::sleep(Duration::from_millis(200 + numbers.below(800) as u64));
        std::fs::remove_file(&filler).expect("it is there");
    });
}

#[test]
fn three_servers_on_one_file_that_are_killed_lose_nothing_and_agree() {
    let folder = tempfile::tempdir().expect("a folder");
    campaign(&folder.path().join("s.db"), 3, "three processes on SQLite", Duration::ZERO, kill_one);
}

#[test]
fn three_servers_on_one_file_that_stand_still_lose_nothing_and_agree() {
    let folder = tempfile::tempdir().expect("a folder");
    campaign(&folder.path().join("s.db"), 3, "three processes on SQLite, frozen", 3 * FROZEN, freeze_one);
}

/// A match whose server stands still is had from the other as soon as the lease has run out, however it is asked for; when
/// the first comes back, it shows nothing of what it had.
fn stands_still(store: &Path) {
    let cluster = Cluster::start(store, 2);
    let [here, there] = {
        let servers = cluster.servers.lock().expect("sound");
        [Client::of(&servers[0]), Client::of(&servers[1])]
    };
    let wish = json!({ "ruleset": "paint", "seats": ["me", "me"], "seed": 5, "ticks": false });
    let [(id, seats), (over_mcp, keys)] = [here.open(&wish), here.open(&wish)];
    here.begun(&id);
    here.begun(&over_mcp);
    let (ada, bob) = (here.register("Ada"), there.register("Bob"));
    let mode = json!({ "mode": "paint", "players": 2, "bots": false });
    ada.post("/matches/queue", &mode).expect(200);
    let mut stream = there.events(&format!("/matches/{id}/events"), "");
    stream.next().expect("the match");
    let process = Pid::from_child(&cluster.servers.lock().expect("sound")[0].child);
    kill_process(process, Signal::STOP).expect("it runs");
    let begun = Instant::now();
    let patience = Duration::from_secs(20);
    let asked = {
        let (there, key) = (there.clone(), keys[0].token.clone());
        thread::spawn(move || {
            let call = json!({ "name": "get_state", "arguments": { "seat_key": key, "full": true } });
            let told = super::secrets::over_mcp(&there, "tools/call", &call);
            assert!(told.contains("your_turn") && !told.contains("\"isError\":true"), "{told}");
            begun.elapsed()
        })
    };
    let followed = thread::spawn(move || {
        for _ in &mut stream {}
        begun.elapsed()
    });
    let seats: Vec<Client> = seats.iter().map(|seat| seat.at(&there)).collect();
    for seat in &seats {
        let view = seat.view(&id);
        seat.act(&id, &json!({ "action": view["legal_actions"][0], "turn": 0 })).expect(200);
    }
    assert_eq!(there.after(&id, 0)["turn"], 1);
    let matched = bob.post("/matches/queue", &mode).expect(200);
    assert_eq!(matched["status"], "matched", "{matched}");
    assert!(begun.elapsed() < patience, "the match: {:?}", begun.elapsed());
    let (asked, followed) = (asked.join().expect("answered"), followed.join().expect("it breaks off"));
    assert!(asked < patience && followed < patience, "over MCP: {asked:?}; the stream broke off after {followed:?}");
    kill_process(process, Signal::CONT).expect("it stands still");
    // At once, before it has had time to look around.
    assert_eq!(here.view(&id)["turn"], 1, "it shows the match as it had been");
    assert_eq!(ada.get("/matches/queue/status").expect(200)["match_id"], matched["match_id"]);
    let seats: Vec<Client> = seats.iter().map(|seat| seat.at(&here)).collect();
    for seat in &seats {
        let view = seat.view(&id);
        seat.act(&id, &json!({ "action": view["legal_actions"][0], "turn": 1 })).expect(200);
    }
    assert_eq!(there.after(&id, 1)["turn"], 2);
}

#[test]
fn a_server_that_stands_still_holds_nobody_up_and_comes_back_without_what_it_had() {
    let folder = tempfile::tempdir().expect("a folder");
    stands_still(&folder.path().join("s.db"));
}

/// A match opened at one server is looked at, followed and played through the other.
fn passed_on(store: &Path) {
    let (one, other) = (Server::start(store, &[], None), Server::start(store, &[], None));
    let (here, there) = (Client::of(&one), Client::of(&other));
    let (id, seats) = here.open(&json!({ "ruleset": "paint", "seats": ["me", "me"], "seed": 5, "ticks": false }));
    let seats: Vec<Client> = seats.iter().map(|seat| seat.at(&there)).collect();
    there.begun(&id);
    let mut stream = there.events(&format!("/matches/{id}/events"), "");
    let first = stream.next().expect("the match");
    assert_eq!((first.name.as_str(), &first.data["match_id"]), ("match", &json!(id)));
    for turn in 0..3 {
        for seat in &seats {
            let view = seat.view(&id);
            seat.act(&id, &json!({ "action": view["legal_actions"][0], "turn": turn })).expect(200);
        }
        assert_eq!(there.after(&id, turn)["turn"], turn + 1);
        let told = stream.find(|event| event.name == "turn").expect("the stream goes on");
        assert_eq!(told.id, Some(turn + 1));
    }
    // What is shared of it is the same at both.
    for path in [format!("/m/{id}.svg"), format!("/m/{id}/embed"), format!("/m/{id}")] {
        let (one, other) = (here.raw("GET", &path, "", ""), there.raw("GET", &path, "", ""));
        assert_eq!((one.status, other.status), (200, 200), "{path}: {}", other.text);
        let origin = |client: &Client, text: &str| text.replace(&format!("127.0.0.1:{}", client.port), "HERE");
        assert_eq!(origin(&here, &one.text), origin(&there, &other.text), "{path}");
    }
    for part in ["state", "record"] {
        let params = json!({ "uri": format!("standoff://match/{id}/{part}") });
        let read = |client: &Client| super::secrets::over_mcp(client, "resources/read", &params);
        let (one, other) = (read(&here), read(&there));
        assert!(one.contains("\"result\""), "{one}");
        let text = |answer: &str| answer.lines().find(|line| line.starts_with("data: {")).map(str::to_owned);
        assert_eq!(text(&one), text(&other), "{part}");
    }
    // The queue is kept by one of them too.
    let (ada, bob) = (here.register("Ada"), there.register("Bob"));
    let wish = json!({ "mode": "paint", "players": 2, "bots": false });
    ada.post("/matches/queue", &wish).expect(200);
    let matched = bob.post("/matches/queue", &wish).expect(200);
    assert_eq!(matched["status"], "matched", "{matched}");
    assert_eq!(ada.at(&there).get("/matches/queue/status").expect(200)["match_id"], matched["match_id"]);
    // When the first is killed, the stream breaks off, and the other goes on with the match.
    drop(one);
    let begun = Instant::now();
    for _ in &mut stream {}
    assert!(begun.elapsed() < Duration::from_secs(20), "it does not break off");
    let view = seats[0].view(&id);
    assert_eq!(view["turn"], 3);
    for seat in &seats {
        let view = seat.view(&id);
        seat.act(&id, &json!({ "action": view["legal_actions"][0], "turn": 3 })).expect(200);
    }
    assert_eq!(there.after(&id, 3)["turn"], 4);
    let record = there.get(&format!("/matches/{id}/turns"));
    assert_eq!(record.status, 200);
}

#[test]
fn what_one_server_plays_is_passed_on_by_another_and_taken_up_when_it_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    passed_on(&folder.path().join("s.db"));
}

mod postgres {
    use super::*;
    use crate::postgres::store;

    #[test]
    #[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
    fn three_servers_on_one_database_that_are_killed_lose_nothing_and_agree() {
        campaign(Path::new(&store("campaign")), 3, "three processes on PostgreSQL", Duration::ZERO, kill_one);
    }

    #[test]
    #[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
    fn three_servers_on_one_database_that_stand_still_lose_nothing_and_agree() {
        campaign(Path::new(&store("frozen")), 3, "three processes on PostgreSQL, frozen", 3 * FROZEN, freeze_one);
    }

    #[test]
    #[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
    fn a_server_that_stands_still_holds_nobody_up_and_comes_back_without_what_it_had() {
        stands_still(Path::new(&store("still")));
    }

    #[test]
    #[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
    fn what_one_server_plays_is_passed_on_by_another_and_taken_up_when_it_ends() {
        passed_on(Path::new(&store("passed_on")));
    }
}

#[test]
fn the_record_of_a_live_match_is_packed_when_it_is_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.db");
    let server = Server::start(&path, &[], None);
    let client = Client::of(&server);
    let (id, _) = client.open(&json!({ "ruleset": "paint", "seats": ["random", "random"], "ticks": false }));
    let mut turns = 0;
    while client.after(&id, turns)["status"] != "over" {
        turns += 1;
    }
    let live = client.get(&format!("/matches/{id}/record")).text;
    drop(server);
    let server = Server::start(&path, &[], None);
    let kept = Client::of(&server).get(&format!("/matches/{id}/record")).text;
    assert_eq!(kept, live);
    Replay::verify(kept.as_bytes()).expect("byte for byte").finished().expect("over");
}
