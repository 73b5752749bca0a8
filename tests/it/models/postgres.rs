//! Games of models on workers that are killed, frozen and told to leave: no answer is paid for twice. As the rest of
//! `postgres::` they need a server.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Child;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::{KEY, Mind, PRICE, all_files, folder, program, spawn, stdout};
use crate::postgres::{Ending, store};

const CUP: &str = "name = \"minds\"\nplayers = [\"mind\", \"greedy\"]\nrulesets = [\"paint\"]\nblocks = 1\n";

fn worker(folder: &TempDir, store: &str) -> Ending {
    Ending(spawn(program(folder, &["work", "--no-check", "--concurrency", "1", "--lost-after", "2", "--store", store])))
}

fn scheduler(folder: &TempDir, store: &str) -> Child {
    spawn(program(folder, &["tournament", "cup.toml", "--workers", "--store", store]))
}

/// What is asked where nobody is disturbed.
async fn undisturbed() -> Vec<String> {
    let mind = Mind::default();
    let server = mind.serve().await;
    let folder = folder(&server, PRICE);
    fs::write(folder.path().join("cup.toml"), CUP).expect("written");
    stdout(&program(&folder, &["tournament", "cup.toml", "--store", "calm.db"]).output().expect("it starts"));
    mind.requests()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
async fn a_worker_that_is_killed_or_frozen_loses_its_job_and_nothing_is_asked_again_that_was_answered() {
    let requests = undisturbed().await;
    assert!(requests.len() > 8, "{}", requests.len());
    for (name, signal) in [("minds_killed", Signal::KILL), ("minds_frozen", Signal::STOP), ("minds_left", Signal::TERM)]
    {
        let store = store(name);
        let mind = Mind::default();
        let server = mind.serve().await;
        let folder = folder(&server, PRICE);
        fs::write(folder.path().join("cup.toml"), CUP).expect("written");
        let held = mind.hold(requests.len() / 2);
        let first = worker(&folder, &store);
        let mut scheduler = scheduler(&folder, &store);
        held.recv_timeout(Duration::from_mins(2)).expect("it asks so often");
        kill_process(Pid::from_child(&first.0), signal).expect("it runs");
        let second = worker(&folder, &store);
        assert!(scheduler.wait().expect("it ends").success(), "{name}");
        if signal == Signal::STOP {
            kill_process(Pid::from_child(&first.0), Signal::CONT).expect("it is there");
        }
        drop((first, second));
        assert_eq!(mind.requests(), requests, "it asks what it would have asked: {name}");
        assert_eq!(mind.count(), requests.len() + 1, "only what was not answered is asked again: {name}");
        let matches = stdout(&program(&folder, &["matches", "--json", "--store", &store]).output().expect("it starts"));
        assert_eq!(matches.lines().count(), 2, "{matches}");
        assert!(!all_files(folder.path()).contains(KEY));
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
async fn a_worker_without_the_key_or_with_another_prompt_takes_no_games_of_a_model_and_no_key_is_in_the_store() {
    let store = store("minds_keys");
    let mind = Mind::default();
    let server = mind.serve().await;
    let (able, keyless, other) = (folder(&server, PRICE), folder(&server, PRICE), folder(&server, PRICE));
    fs::write(able.path().join("cup.toml"), CUP).expect("written");
    let config = fs::read_to_string(other.path().join("standoff.toml")).expect("readable");
    fs::write(other.path().join("standoff.toml"), config.replace("scratchpad", "bare")).expect("written");
    let work = ["work", "--no-check", "--lost-after", "30", "--store", &store];
    let mut without = program(&keyless, &work);
    without.env_remove("STANDOFF_TEST_KEY");
    let _idle = [Ending(spawn(without)), Ending(spawn(program(&other, &work)))];
    let mut scheduler = scheduler(&able, &store);
    let status = || {
        let told = program(&able, &["work", "--status", "--json", "--store", &store]).output().expect("it starts");
        // Looking makes no store: until one of them has, there is none.
        let complaint = || serde_json::Value::from(String::from_utf8_lossy(&told.stderr));
        serde_json::from_slice::<serde_json::Value>(&told.stdout).unwrap_or_else(|_| complaint())
    };
    let declined = |status: &serde_json::Value| {
        let workers = status["workers"].as_array().into_iter().flatten();
        let runs = |worker: &serde_json::Value| worker["without"].as_object().cloned().unwrap_or_default();
        workers.filter(|worker| runs(worker).values().any(|players| players["mind"].is_string())).count()
    };
    let begun = std::time::Instant::now();
    while declined(&status()) < 2 {
        assert!(begun.elapsed() < Duration::from_mins(2), "{}", status());
        assert!(scheduler.try_wait().expect("it can be asked").is_none(), "nobody can play");
    }
    assert_eq!(mind.count(), 0);
    let _able = worker(&able, &store);
    assert!(scheduler.wait().expect("it ends").success());
    assert!(mind.count() > 0);
    let address = std::env::var("STANDOFF_POSTGRES").expect("it was there before");
    let dump = std::process::Command::new("pg_dump").args(["--schema", "minds_keys*", &address]).output();
    let dump = stdout(&dump.expect("pg_dump is there with the server"));
    assert!(dump.contains("minds-") && !dump.contains(KEY));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
async fn a_run_that_goes_on_without_workers_takes_its_games_back_and_pays_for_nothing_twice() {
    let requests = undisturbed().await;
    let store = store("minds_back");
    let mind = Mind { pause: Duration::from_millis(200), ..Mind::default() };
    let server = mind.serve().await;
    let folder = folder(&server, PRICE);
    fs::write(folder.path().join("cup.toml"), CUP).expect("written");
    let _worker = worker(&folder, &store);
    let mut first = scheduler(&folder, &store);
    wait_for("it asks", || mind.count() > 2);
    first.kill().expect("it runs");
    first.wait().expect("it ends");
    // The words that say how it goes on name the workers and the schema.
    let again = program(&folder, &["tournament", "cup.toml", "--workers", "--store", &store]).output();
    let said = crate::program::complaint(&again.expect("it starts"), 1);
    assert!(said.contains("--resume --workers --store postgres://"), "{said}");
    assert!(said.contains("?options=-csearch_path%3Dminds_back`"), "{said}");
    stdout(&program(&folder, &["tournament", "cup.toml", "--resume", "--store", &store]).output().expect("it starts"));
    assert_eq!(mind.requests(), requests);
    assert_eq!(mind.count(), requests.len(), "nothing is asked twice");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
async fn workers_keep_to_the_limits_that_a_run_has_now() {
    let requests = undisturbed().await;
    let store = store("minds_raised");
    let mind = Mind { pause: Duration::from_millis(80), ..Mind::default() };
    let server = mind.serve().await;
    let folder = folder(&server, PRICE);
    fs::write(folder.path().join("cup.toml"), CUP).expect("written");
    let _worker = worker(&folder, &store);
    let args = ["tournament", "cup.toml", "--workers", "--store", &store];
    let mut first = spawn(program(&folder, &[&args[..], &["--max-calls", "20"]].concat()));
    wait_for("it asks", || mind.count() > 1);
    first.kill().expect("it runs");
    first.wait().expect("it ends");
    let on = program(&folder, &[&args[..], &["--resume", "--max-calls", "1000"]].concat()).output();
    stdout(&on.expect("it starts"));
    assert_eq!((mind.requests(), mind.count()), (requests.clone(), requests.len()));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
async fn a_worker_is_gone_in_time_whatever_does_not_answer() {
    // A provider that is asked whether a player works, and never answers; a database that is there no more.
    let mut database = std::process::Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/postgres/server"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(database.stdout.take().expect("piped")).lines();
    let store = lines.next().expect("an address").expect("readable");
    let mind = Mind { pause: Duration::from_mins(10), ..Mind::default() };
    let server = mind.serve().await;
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let (able, checking) = (folder(&server, PRICE), folder(&server, PRICE));
    let config = fs::read_to_string(checking.path().join("standoff.toml")).expect("readable");
    let there = format!("http://{}", silent.local_addr().expect("it is bound"));
    fs::write(checking.path().join("standoff.toml"), config.replace(&server.uri(), &there)).expect("written");
    for folder in [&able, &checking] {
        fs::write(folder.path().join("cup.toml"), CUP).expect("written");
    }
    let mut scheduler = Ending(spawn(program(&checking, &["tournament", "cup.toml", "--workers", "--store", &store])));
    let mut asking = Ending(spawn(program(&checking, &["work", "--store", &store])));
    let asked = std::thread::spawn(move || silent.accept().expect("it asks"));
    let _held = asked.join().expect("no panic");
    let gone = |worker: &mut Ending, at_most: Duration| {
        kill_process(Pid::from_child(&worker.0), Signal::TERM).expect("it runs");
        let begun = std::time::Instant::now();
        assert_eq!(worker.0.wait().expect("it ends").code(), Some(143));
        assert!(begun.elapsed() < at_most, "{:?}", begun.elapsed());
    };
    gone(&mut asking, Duration::from_secs(10));
    scheduler.0.kill().expect("it runs");
    scheduler.0.wait().expect("it ends");
    let args = ["tournament", "cup.toml", "--workers", "--store", &store];
    let scheduler = Ending(spawn(program(&able, &[&args[..], &["--resume"]].concat())));
    let mut worker = worker(&able, &store);
    wait_for("it asks", || mind.count() > 0);
    drop(database.stdin.take());
    database.wait().expect("it ends");
    gone(&mut worker, Duration::from_secs(31));
    drop(scheduler);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
async fn a_scheduler_says_why_nobody_plays_and_leaves_nothing_behind_when_it_is_stopped() {
    let store = store("minds_idle");
    let mind = Mind::default();
    let server = mind.serve().await;
    let folder = folder(&server, PRICE);
    fs::write(folder.path().join("cup.toml"), CUP).expect("written");
    let mut command = program(&folder, &["tournament", "cup.toml", "--workers", "--json", "--store", &store]);
    let command = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null());
    let mut scheduler = Ending(command.spawn().expect("it starts"));
    let mut news = BufReader::new(scheduler.0.stdout.take().expect("piped")).lines();
    let mut next = || news.next().expect("it says something").expect("readable");
    let said = next();
    assert!(said.contains("no worker takes games of this run: start `standoff work --store postgres://"), "{said}");
    let mut without = program(&folder, &["work", "--no-check", "--store", &store]);
    without.env_remove("STANDOFF_TEST_KEY");
    let keyless = Ending(spawn(without));
    let said = next();
    assert!(said.contains("\"idle\"") && said.contains("STANDOFF_TEST_KEY"), "{said}");
    kill_process(Pid::from_child(&scheduler.0), Signal::TERM).expect("it runs");
    assert_eq!(scheduler.0.wait().expect("it ends").code(), Some(143));
    drop(keyless);
    let status =
        stdout(&program(&folder, &["work", "--status", "--json", "--store", &store]).output().expect("it starts"));
    assert!(status.contains("\"runs\":[]"), "{status}");
    assert_eq!(mind.count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
async fn every_format_and_an_experiment_end_on_workers_as_in_one_process() {
    let store = store("minds_formats");
    let mind = Mind::default();
    let server = mind.serve().await;
    let folder = folder(&server, PRICE);
    let bots = "players = [\"random\", \"greedy\", \"search:20\", \"search:10\"]\nblocks = 2\n";
    let kinds = [
        ("tournament", "swiss", format!("format = \"swiss\"\nrounds = 2\n{bots}")),
        ("tournament", "knockout", format!("format = \"knockout\"\n{bots}")),
        (
            "experiment",
            "experiment",
            "models = [\"mind\"]\nvariants = [\"scratchpad\", \"bare\"]\nblocks = 1\nrulesets = [\"paint\"]\n\
             gates = [\"games\"]\n"
                .to_owned(),
        ),
    ];
    let _workers = [worker(&folder, &store), worker(&folder, &store)];
    for (command, name, text) in &kinds {
        let file = format!("{name}.toml");
        fs::write(folder.path().join(&file), format!("name = \"{name}\"\n{text}")).expect("written");
        let calm = format!("{name}.db");
        let played = |more: &[&str]| {
            let args = [&[*command, &file, "--json"], more].concat();
            let output = program(&folder, &args).output().expect("it starts");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            // Few games decide nothing, which an experiment says with its exit code.
            let code = if *command == "experiment" { 12 } else { 0 };
            assert_eq!(output.status.code(), Some(code), "{name}: {said}");
        };
        played(&["--workers", "--store", &store]);
        played(&["--store", &calm]);
        let games = |store: &str| {
            let listed = program(&folder, &["matches", "--json", "--store", store]).output().expect("it starts");
            let listed = stdout(&listed);
            let games = listed.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
            let own = |game: &serde_json::Value| game["id"].as_str().is_some_and(|id| id.starts_with(*name));
            let mut games: Vec<String> =
                games.filter(own).map(|game| format!("{} {} {}", game["id"], game["seats"], game["result"])).collect();
            games.sort();
            games
        };
        let (parts, whole) = (games(&store), games(&calm));
        assert!(whole.len() > 3, "{name}: {whole:?}");
        assert_eq!(parts, whole, "{name}");
    }
}

/// Waits until something is so.
fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_mins(2), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
