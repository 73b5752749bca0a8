//! The program with its store on a PostgreSQL server. `./check` starts one where it can; on one's own, which should be one
//! to throw away:
//!
//! ```text
//! STANDOFF_POSTGRES=postgres://USER:PASSWORD@HOST/DATABASE cargo test postgres:: -- --ignored
//! ```

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use standoff::store::{Change, FoundInfo, JobEnd, JobInfo, JobQueue, Location, Store, StoreError};

use crate::program::{complaint, run, standoff, stdout};
use crate::serve::Server;

/// A place of its own on the server: the tests' server has room for as many databases as there are tests.
pub(crate) fn store(name: &str) -> String {
    let address = std::env::var("STANDOFF_POSTGRES").expect("STANDOFF_POSTGRES names a server to try things on");
    let made = std::process::Command::new("psql").args([&address, "-qc", &format!("CREATE SCHEMA {name}")]).output();
    let made = made.expect("psql is there with the server");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    format!("{address}?options=-csearch_path%3D{name}")
}

/// Every record of a store, by its file's name.
fn records(store: &str, folder: &Path) -> Vec<(String, Vec<u8>)> {
    stdout(&run(&["export", "--store", store, "--out", &folder.display().to_string()]));
    let name = |path: &Path| path.file_name().expect("a file").to_string_lossy().into_owned();
    let files = fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
    let mut files: Vec<_> = files.map(|file| (name(&file), fs::read(&file).expect("readable"))).collect();
    files.sort();
    files
}

#[test]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
fn a_tournament_killed_on_a_server_ends_as_one_in_a_file_that_was_not() {
    let server = store("killed");
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (cup, file) = (path("cup.toml"), path("whole.db"));
    fs::write(&cup, "name = \"long\"\nplayers = [\"random\", \"greedy\", \"search:1000\"]\nblocks = 30\n")
        .expect("writable");
    for (kill, resume) in [&[][..], &["--resume"], &["--resume"]].into_iter().enumerate() {
        let args = [&["tournament", &cup, "--json", "--store", &server], resume].concat();
        let mut child = standoff(&args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let mut news = BufReader::new(child.stdout.take().expect("piped")).lines();
        for _ in 0..=kill {
            news.next().expect("a game ends").expect("readable");
        }
        if kill == 0 {
            let said = complaint(&run(&["tournament", &cup, "--resume", "--store", &server]), 1);
            assert!(said.contains("is being played by another process"), "{said}");
        }
        child.kill().expect("it runs");
        child.wait().expect("it ends");
    }
    let begun: Output = run(&["tournament", &cup, "--store", &server]);
    let said = complaint(&begun, 1);
    let password = server.split([':', '@']).nth(2).expect("it has one");
    assert!(said.contains("--resume --store postgres://") && !said.contains(password), "{said}");
    stdout(&run(&["tournament", "--resume", "--store", &server]));
    stdout(&run(&["tournament", &cup, "--store", &file]));
    let (parts, whole) = (records(&server, &folder.path().join("parts")), records(&file, &folder.path().join("whole")));
    assert_eq!(parts.len(), 180);
    assert!(parts == whole, "the records differ");
    for command in ["leaderboard", "matches"] {
        let said = |store: &str| stdout(&run(&[command, "--json", "--store", store]));
        assert_eq!(said(&server).lines().count(), said(&file).lines().count(), "{command}");
    }
    let board = |store: &str| stdout(&run(&["leaderboard", "--json", "--store", store]));
    assert_eq!(board(&server), board(&file));
}

/// A process that ends with the test.
pub(crate) struct Ending(pub(crate) std::process::Child);

impl Drop for Ending {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A worker that ends with the test.
struct Worker(Ending);

impl Worker {
    fn start(args: &[&str], folder: &Path) -> Worker {
        let mut command = standoff(&[&["work", "--lost-after", "3"], args].concat());
        let command = command.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
        Worker(Ending(command.spawn().expect("it starts")))
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0.0), signal).expect("it runs");
    }
}

#[test]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
fn workers_that_come_go_and_are_killed_play_what_one_process_plays() {
    let server = store("crew");
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (cup, file) = (path("cup.toml"), path("whole.db"));
    fs::write(&cup, "name = \"crew\"\nplayers = [\"random\", \"greedy\", \"search:300\"]\nblocks = 40\n")
        .expect("writable");
    let mut workers: Vec<Worker> = (0..2).map(|_| Worker::start(&["--store", &server], folder.path())).collect();
    let args = ["tournament", &cup, "--workers", "--json", "--store", &server];
    let mut child = standoff(&args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut news = BufReader::new(child.stdout.take().expect("piped")).lines();
    news.next().expect("a game ends").expect("readable");
    // One is killed, another comes in its place.
    drop(workers.pop());
    workers.push(Worker::start(&["--store", &server], folder.path()));
    let last = news.map_while(Result::ok).last().expect("it ends");
    assert!(child.wait().expect("it ends").success(), "{last}");
    let status: serde_json::Value =
        serde_json::from_str(&stdout(&run(&["work", "--status", "--json", "--store", &server]))).expect("JSON");
    assert!(status["workers"].as_array().is_some_and(|workers| workers.len() >= 2), "{status}");
    for worker in &workers {
        worker.signal(Signal::TERM);
    }
    for worker in &mut workers {
        assert_eq!(worker.0.0.wait().expect("it ends").code(), Some(143));
    }
    stdout(&run(&["tournament", &cup, "--store", &file]));
    let (parts, whole) = (records(&server, &folder.path().join("parts")), records(&file, &folder.path().join("whole")));
    assert_eq!(parts.len(), 240);
    assert!(parts == whole, "the records differ");
    let board = |store: &str| stdout(&run(&["leaderboard", "--json", "--store", store]));
    assert_eq!(board(&server), board(&file));
}

#[test]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
fn a_job_that_takes_down_three_workers_in_a_row_is_set_aside_and_the_run_goes_on() {
    let server = store("deadly");
    let folder = tempfile::tempdir().expect("a folder");
    let cup = folder.path().join("cup.toml").display().to_string();
    // Whoever is slow has nothing to show yet when a worker is taken down by another job beside it.
    let slow = concat!("process:sh -c 'sleep 1; exec python3 ", env!("CARGO_MANIFEST_DIR"), "/examples/bot.py'");
    let players = format!("players = [\"greedy\", \"{slow}\", \"process:sh -c 'kill -9 $PPID'\"]");
    fs::write(&cup, format!("name = \"deadly\"\n{players}\nblocks = 1\n")).expect("writable");
    let args = ["tournament", &cup, "--workers", "--store", &server];
    let scheduler = standoff(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut ending = Ending(scheduler);
    let mut deaths = 0;
    while ending.0.try_wait().expect("it can be asked").is_none() {
        let args = ["work", "--programs", "--lost-after", "1", "--store", &server];
        let mut worker =
            Ending(standoff(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"));
        while worker.0.try_wait().expect("it can be asked").is_none()
            && ending.0.try_wait().expect("it can be asked").is_none()
        {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        deaths += 1;
        assert!(deaths < 20, "it is set aside some day");
    }
    let mut said = String::new();
    std::io::Read::read_to_string(ending.0.stderr.as_mut().expect("piped"), &mut said).expect("readable");
    assert!(said.contains("jobs that were set aside: 2") && said.contains("started 3 times in a row"), "{said}");
    assert!(deaths > 3, "{deaths}");
    let status = stdout(&run(&["work", "--status", "--store", &server]));
    assert_eq!(status.matches("set aside: deadly-").count(), 2, "{status}");
    // What the deadly one has no part in is played.
    let games = stdout(&run(&["matches", "--json", "--store", &server]));
    assert_eq!(games.lines().count(), 2, "{games}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
async fn whoever_lost_a_job_writes_nothing_more_of_it() {
    let store = Store::open(&Location::from(store("fences").as_str())).await.expect("a store");
    let queue = JobQueue::open(&store, "one").await.expect("a queue");
    let (name, tournament) = ("cup.7".to_owned(), "cup".to_owned());
    let job = JobInfo { name: name.clone(), tournament, body: "{}".to_owned(), needs: vec!["a".to_owned()] };
    // Twice is once.
    store.write(vec![Change::Job(job.clone())]).await.expect("written");
    store.write(vec![Change::Job(job)]).await.expect("written");
    queue.beat(serde_json::json!({})).await.expect("heard");
    assert!(queue.claim(&["b".to_owned()]).await.expect("asked").is_none(), "it cannot do what is needed");
    let claimed = queue.claim(&["a".to_owned(), "b".to_owned()]).await.expect("asked").expect("a job waits");
    assert!(queue.claim(&["a".to_owned()]).await.expect("asked").is_none(), "there is one");
    let start = |worker: &str| Change::StartJob { name: name.clone(), worker: worker.to_owned() };
    let fence = |epoch| Change::JobFence { name: name.clone(), epoch, is_progress: true };
    let found = |body: &str| {
        let (tournament, topic) = ("cup".to_owned(), "who".to_owned());
        Change::Found(FoundInfo { tournament, topic, body: body.to_owned() })
    };
    store.write(vec![start("one")]).await.expect("written");
    store.write(vec![start("two")]).await.expect("written");
    assert_eq!(store.job(&name).await.expect("read").expect("there").starts, 2);
    let refused = store.write(vec![fence(1), found("one")]).await;
    assert_eq!(refused, Err(StoreError::Fenced(name.clone())));
    store.write(vec![fence(2), found("two")]).await.expect("written");
    let job = store.job(&name).await.expect("read").expect("there");
    assert_eq!((job.worker.as_deref(), job.epoch, job.starts), (Some("two"), 2, 0));
    assert_eq!(store.found("cup").await.expect("read")[0].body, "two");
    let end = Change::EndJob { name: name.clone(), end: JobEnd::Done, reason: None };
    store.write(vec![fence(2), end]).await.expect("written");
    assert_eq!(store.write(vec![start("three")]).await, Err(StoreError::NoJob(name.clone())));
    queue.complete(&claimed).await.expect("told");
    store.write(vec![Change::ForgetJobs { names: vec![name.clone()], even_begun: true }]).await.expect("written");
    assert_eq!(store.write(vec![fence(2)]).await, Err(StoreError::Fenced(name)));
}

#[test]
fn a_file_has_no_workers() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (cup, file) = (path("cup.toml"), path("whole.db"));
    fs::write(&cup, "name = \"crew\"\nplayers = [\"random\", \"greedy\"]\nblocks = 1\n").expect("writable");
    for args in [&["work", "--store", &file][..], &["tournament", &cup, "--workers", "--store", &file]] {
        let said = complaint(&run(args), 1);
        assert!(said.contains("workers need a PostgreSQL server"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
async fn all_blocks_of_a_job_that_is_void_are_played_again_and_giving_back_is_for_whoever_has_it() {
    let address = store("void");
    let folder = tempfile::tempdir().expect("a folder");
    let cup = folder.path().join("cup.toml").display().to_string();
    fs::write(&cup, "name = \"void\"\nplayers = [\"random\", \"greedy\"]\nblocks = 8\n").expect("writable");
    let args = ["tournament", &cup, "--workers", "--store", &address];
    let scheduler = standoff(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut scheduler = Ending(scheduler);
    // This worker breaks down at its first job.
    let opened = async {
        loop {
            if let Ok(store) = Store::open(&Location::from(address.as_str())).await {
                return store;
            }
        }
    };
    let store = opened.await;
    let queue = JobQueue::open(&store, "clumsy").await.expect("a queue");
    let begun = std::time::Instant::now();
    let job = loop {
        if let Some(job) = store.jobs(None).await.expect("read").pop() {
            break job;
        }
        assert!(begun.elapsed() < std::time::Duration::from_mins(2), "it draws blocks");
    };
    queue.beat(serde_json::json!({})).await.expect("heard");
    let abilities = ["random", "greedy"].map(|name| format!("run {}: {name}", job.tournament));
    let abilities = [&abilities[..], &[format!("run {}", job.tournament), "games among bots".to_owned()]].concat();
    let claimed = queue.claim(&abilities).await.expect("asked").expect("a job waits");
    let name = claimed.name.clone();
    let start = |worker: &str| Change::StartJob { name: name.clone(), worker: worker.to_owned() };
    let give_back = |worker: &str| Change::GiveBackJob { name: name.clone(), worker: worker.to_owned() };
    store.write(vec![start("other"), start("clumsy"), give_back("other")]).await.expect("written");
    let job = store.job(&name).await.expect("read").expect("there");
    assert_eq!((job.worker.as_deref(), job.starts), (Some("clumsy"), 2), "somebody else gives nothing back");
    let first = job.body.split("\"number\":").nth(1).and_then(|rest| rest.split(',').next()).expect("a block");
    let reason = format!("{{\"block\":{first},\"game\":0,\"why\":\"it broke\",\"is_used_up\":false}}");
    let fence = Change::JobFence { name: name.clone(), epoch: job.epoch, is_progress: false };
    store
        .write(vec![fence, Change::EndJob { name: name.clone(), end: JobEnd::Void, reason: Some(reason) }])
        .await
        .expect("written");
    queue.complete(&claimed).await.expect("told");
    queue.leave().await;
    let _worker = Worker::start(&["--store", &address], folder.path());
    assert!(scheduler.0.wait().expect("it ends").success());
    let games = stdout(&run(&["matches", "--json", "--store", &address]));
    assert_eq!(games.lines().count(), 16, "{games}");
}

/// The one number that a question to the server gives.
fn number(sql: &str) -> u64 {
    let address = std::env::var("STANDOFF_POSTGRES").expect("STANDOFF_POSTGRES names a server to try things on");
    let asked = std::process::Command::new("psql").args([&address, "-Atqc", sql]).output().expect("psql is there");
    String::from_utf8_lossy(&asked.stdout).trim().parse().expect("a number")
}

#[test]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
fn looking_who_works_changes_nothing() {
    let server = store("looked");
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname LIKE 'looked%'";
    complaint(&run(&["work", "--status", "--store", &server]), 1);
    assert_eq!(number(tables), 0, "no store is made");
    let folder = tempfile::tempdir().expect("a folder");
    let cup = folder.path().join("cup.toml").display().to_string();
    fs::write(&cup, "name = \"cup\"\nplayers = [\"random\", \"greedy\"]\nblocks = 1\n").expect("writable");
    stdout(&run(&["tournament", &cup, "--store", &server]));
    let before = number(tables);
    assert_eq!(stdout(&run(&["work", "--status", "--store", &server])), "nobody works here\n");
    assert_eq!(number(tables), before, "no queue is made");
    let file = folder.path().join("s.db").display().to_string();
    stdout(&run(&["tournament", &cup, "--store", &file]));
    let said = complaint(&run(&["work", "--status", "--store", &file]), 1);
    assert!(said.contains("workers need a PostgreSQL server"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
async fn whoever_looks_sees_workers_jobs_and_what_waits_for_which_limit() {
    let address = store("board");
    let store = Store::open(&Location::from(address.as_str())).await.expect("a store");
    let queue = JobQueue::open(&store, "host 1").await.expect("a queue");
    let job = |name: &str| {
        let (name, tournament, body) = (name.to_owned(), "cup".to_owned(), "{}".to_owned());
        Change::Job(JobInfo { name, tournament, body, needs: Vec::new() })
    };
    let info = standoff::store::TournamentInfo {
        id: "cup".to_owned(),
        name: "cup".to_owned(),
        file: String::new(),
        hash: String::new(),
        plan: "{\"work\":{\"max_usd\":2.0,\"max_calls\":50}}".to_owned(),
        finished: false,
        created: 0,
    };
    let start = |name: &str| Change::StartJob { name: name.to_owned(), worker: "host 1".to_owned() };
    let aside =
        Change::EndJob { name: "cup.2".to_owned(), end: JobEnd::SetAside, reason: Some("it breaks".to_owned()) };
    let changes = vec![Change::Tournament(info), job("cup.0"), job("cup.1"), job("cup.2"), start("cup.1"), aside];
    store.write(changes).await.expect("written");
    let waiting = serde_json::json!([
        { "limit": "requests", "whose": "https://models.test/v1 $KEY", "calls": 5, "games": 3, "seconds": 12.5 },
        { "limit": "money", "whose": "cup", "calls": 2, "games": 2, "seconds": 1.5 },
    ]);
    let about =
        serde_json::json!({ "version": "0", "threads": 2, "concurrency": 16, "jobs": [{}], "waiting": waiting });
    queue.beat(about).await.expect("heard");
    let status = stdout(&run(&["work", "--status", "--store", &address]));
    for line in [
        "cup: jobs waiting 1, under way 1, over 0",
        "  set aside: it breaks",
        "  $0.0000 of $2.0000 are spent",
        "  0 of 50 calls are made",
        "waiting for the requests per minute of https://models.test/v1 $KEY: calls 5, games 3, for 12 s by now",
        "waiting for money of cup that is set aside for calls under way: calls 2, games 2, for 2 s by now",
    ] {
        assert!(status.lines().any(|own| own == line), "{line}: {status}");
    }
    for (open, sees) in [(&[][..], true), (&["--open"], false)] {
        let server = Server::start(Path::new(&address), open, None);
        let (code, answer) = server.ask("GET", "/api/v1/work", &[], "");
        assert_eq!(code, 200, "{answer}");
        let body = answer.split("\r\n\r\n").nth(1).expect("a body");
        let work: serde_json::Value = serde_json::from_str(body).expect("JSON");
        let (worker, run, limits) = (&work["workers"][0], &work["runs"][0], &work["waiting"]);
        assert_eq!((&worker["lost"], &worker["jobs"], &worker["concurrency"]), (&false.into(), &1.into(), &16.into()));
        assert_eq!((&run["run"], &run["waiting"], &run["under_way"]), (&"cup".into(), &1.into(), &1.into()));
        assert_eq!((&run["set_aside"], &run["max_usd"], &run["max_calls"]), (&1.into(), &2.0.into(), &50.into()));
        assert_eq!((&limits[0]["limit"], &limits[0]["calls"]), (&"requests".into(), &5.into()));
        assert_eq!((&limits[1]["limit"], &limits[1]["run"]), (&"money".into(), &"cup".into()));
        let waited = worker["heard"].as_i64().expect("a time") - limits[0]["since"].as_i64().expect("a time");
        assert_eq!(waited, 12_500);
        // Machines and addresses are for whoever runs the server.
        assert_eq!(answer.contains("host 1"), sees, "{answer}");
        assert_eq!(answer.contains("models.test"), sees, "{answer}");
        server.end();
    }
}
