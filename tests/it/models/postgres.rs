//! Games of models on workers that are killed, frozen and told to leave: no answer is paid for twice. As the rest of
//! `postgres::` they need a server.

use std::fs;
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
        serde_json::from_str::<serde_json::Value>(&stdout(&told)).expect("JSON")
    };
    let declined = |status: &serde_json::Value| {
        let workers = status["workers"].as_array().expect("a list").iter();
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
