//! SIGINT, SIGTERM and SIGHUP in the middle of calls: nothing that was answered is ever asked again.
//!
//! `STANDOFF_STOPS=100 cargo test --test it signals::` is the campaign of a hundred stops for each command.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, Request};

use crate::experiment;
use crate::program::{complaint, standoff, stdout};

/// The signals with the exit codes that shells know them by.
const SIGNALS: [(Signal, i32); 3] = [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)];

/// How long an answer takes, so that signals come while one is under way.
const PAUSE: Duration = Duration::from_millis(40);

/// Longer than anything takes here, on however busy a machine.
const LONG: Duration = Duration::from_mins(2);

/// How many stops each command gets.
fn stops() -> usize {
    std::env::var("STANDOFF_STOPS").map_or(5, |stops| stops.parse().expect("a number of stops"))
}

/// A model next door that answers every request after a pause, and a folder with all that commands need.
struct Scene {
    folder: TempDir,
    server: MockServer,
    asked: Arc<AtomicUsize>,
}

impl Scene {
    async fn new() -> Scene {
        let server = MockServer::start().await;
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        let answer = move |request: &Request| {
            count.fetch_add(1, Ordering::SeqCst);
            experiment::answer(request).set_delay(PAUSE)
        };
        Mock::given(method("POST")).respond_with(answer).mount(&server).await;
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("writable");
        write(
            "standoff.toml",
            &format!(
                "[players.still]\nmodel = \"still\"\nbase_url = \"{}/v1\"\nmode = \"text\"\nconcurrency = 3\n\
                 price = {{ input = 1.0, output = 5.0 }}\n",
                server.uri()
            ),
        );
        write("brief.toml", "base = \"cowboy\"\nname = \"brief\"\nmax_rounds = 8\n");
        write(
            "cup.toml",
            "name = \"cup\"\nplayers = [\"still\", \"greedy\"]\nblocks = 2\nconcurrency = 3\nrulesets = [\"brief.toml\"]\n",
        );
        write(
            "e.toml",
            "name = \"e\"\nmodels = [\"still\"]\nvariants = [\"standard\", \"bare\"]\nblocks = 1\nconcurrency = 3\n\
             gates = [\"quiz\", \"games\"]\nrulesets = [\"brief.toml\"]\n[quiz]\nper_rule = 4\n",
        );
        fs::write(folder.path().join("bank.json"), bank()).expect("writable");
        Scene { folder, server, asked }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn program(&self, args: &[&str]) -> Command {
        let mut command = standoff(args);
        command.current_dir(&self.folder).env("HOME", self.folder.path());
        for name in ["STANDOFF_CONFIG", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
            command.env_remove(name);
        }
        command
    }

    /// Waits until so many requests have come or the program has ended.
    fn wait_for(&self, asked: usize, child: &mut Child) {
        let begun = Instant::now();
        while self.asked() < asked && child.try_wait().expect("it can be asked").is_none() {
            assert!(begun.elapsed() < LONG, "it gets on");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// A command that is stopped again and again.
struct Stoppable {
    begin: &'static [&'static str],
    resume: &'static [&'static str],
    /// The exit codes with which it ends where nobody stops it.
    done: &'static [i32],
}

const PLAY: Stoppable = Stoppable {
    begin: &[
        "play",
        "--ruleset",
        "brief.toml",
        "--players",
        "still,still",
        "--seed",
        "7",
        "--record",
        "m.jsonl",
        "--json",
    ],
    resume: &["play", "--resume", "m.jsonl", "--json"],
    done: &[0],
};

const TOURNAMENT: Stoppable = Stoppable {
    begin: &["tournament", "cup.toml", "--json"],
    resume: &["tournament", "cup.toml", "--json", "--resume"],
    done: &[0],
};

const EXPERIMENT: Stoppable = Stoppable {
    begin: &["experiment", "e.toml", "--json"],
    resume: &["experiment", "e.toml", "--json", "--resume"],
    done: &[0, 1, 2, 3, 10, 11, 12],
};

const QUIZ: Stoppable = Stoppable {
    begin: &["quiz", "--ruleset", "brief.toml", "--players", "still", "--per-rule", "4", "--lang", "en", "--json"],
    resume: &[
        "quiz",
        "--ruleset",
        "brief.toml",
        "--players",
        "still",
        "--per-rule",
        "4",
        "--lang",
        "en",
        "--json",
        "--resume",
    ],
    done: &[0],
};

const BANK: Stoppable = Stoppable {
    begin: &["bank", "run", "bank.json", "--players", "still,greedy", "--json"],
    resume: &["bank", "run", "bank.json", "--players", "still,greedy", "--json", "--resume"],
    done: &[0],
};

/// A bank of a handful of positions, made once.
fn bank() -> &'static [u8] {
    static BANK: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    BANK.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("bank.json").display().to_string();
        let build =
            ["bank", "build", "--positions", "24", "--share", "60", "--nodes", "60", "--seed", "2", "--out", &file];
        stdout(&standoff(&build).output().expect("it starts"));
        fs::read(file).expect("it was made")
    })
}

impl Stoppable {
    /// Stops it as often as is wanted, and counts what it asks.
    async fn campaign(&self) {
        let whole = self.requests(&mut 0).await;
        let mut left = stops();
        while left > 0 {
            let asked = self.requests(&mut left).await;
            assert_eq!(asked, whole, "answered and asked again: {}", asked.abs_diff(whole));
        }
    }

    /// How many requests it takes to its end, stopped so many times on the way, as far as it goes.
    async fn requests(&self, stops: &mut usize) -> usize {
        let scene = Scene::new().await;
        let mut args = self.begin;
        loop {
            let from = scene.asked();
            let mut child =
                scene.program(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
            if *stops > 0 {
                // No two stops in a row come at the same point.
                scene.wait_for(from + 1 + *stops % 4, &mut child);
                let (signal, code) = SIGNALS[*stops % SIGNALS.len()];
                let running = child.try_wait().expect("it can be asked").is_none();
                if running {
                    kill_process(Pid::from_child(&child), signal).expect("it runs");
                    *stops -= 1;
                }
                let output = child.wait_with_output().expect("it ends");
                let ended = output.status.code().expect("it handles signals");
                if running && ended == code {
                    let said = String::from_utf8_lossy(&output.stderr);
                    assert!(said.contains("--resume"), "{said}");
                    args = self.resume;
                    continue;
                }
                assert!(self.done.contains(&ended), "{ended}: {}", String::from_utf8_lossy(&output.stderr));
                return scene.asked();
            }
            let output = child.wait_with_output().expect("it ends");
            let ended = output.status.code().expect("nobody killed it");
            assert!(self.done.contains(&ended), "{ended}: {}", String::from_utf8_lossy(&output.stderr));
            return scene.asked();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_is_stopped_asks_nothing_again() {
    PLAY.campaign().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tournament_that_is_stopped_asks_nothing_again() {
    TOURNAMENT.campaign().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_experiment_that_is_stopped_asks_nothing_again() {
    EXPERIMENT.campaign().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_quiz_that_is_stopped_asks_nothing_again() {
    QUIZ.campaign().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bank_that_is_stopped_asks_nothing_again() {
    BANK.campaign().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn budgets_stop_a_quiz_and_a_bank_and_a_cassette_that_is_not_complete_goes_on() {
    for stoppable in [&QUIZ, &BANK] {
        let whole = stoppable.requests(&mut 0).await;
        let scene = Scene::new().await;
        let run = |args: &[&str], more: &[&str]| scene.program(&[args, more].concat()).output().expect("it starts");
        let first = complaint(&run(stoppable.begin, &["--max-calls", "7"]), 1);
        assert!(first.contains("--max-calls") && first.contains("--resume"), "{first}");
        assert_eq!(scene.asked(), 7);
        let again = complaint(&run(stoppable.begin, &[]), 1);
        assert!(again.contains("was begun before"), "{again}");
        complaint(&run(stoppable.resume, &["--max-calls", "7"]), 1);
        assert_eq!(scene.asked(), 7, "what was asked before counts");
        let told = stdout(&run(stoppable.resume, &[]));
        assert_eq!(scene.asked(), whole);
        // What is over is told again, and nobody is asked.
        assert_eq!(stdout(&run(stoppable.begin, &[])), told);
        assert_eq!(scene.asked(), whole);
        complaint(&run(stoppable.begin, &["--cassette", "tape", "--max-calls", "5"]), 1);
        assert_eq!(scene.asked(), whole + 5);
        assert_eq!(stdout(&run(stoppable.begin, &["--cassette", "tape"])), told);
        assert_eq!(scene.asked(), 2 * whole, "only what is missing is asked");
        assert_eq!(stdout(&run(stoppable.begin, &["--cassette", "tape"])), told);
        assert_eq!(scene.asked(), 2 * whole);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_with_a_model_is_kept_where_nobody_named_a_file() {
    let scene = Scene::new().await;
    let begin = ["play", "--ruleset", "brief.toml", "--players", "still,greedy", "--seed", "7", "--json"];
    let mut child = scene.program(&begin).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    scene.wait_for(3, &mut child);
    kill_process(Pid::from_child(&child), Signal::TERM).expect("it runs");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(143), "{said}");
    let kept = said.lines().find_map(|line| line.strip_prefix("the match is kept in ")).expect("it says where");
    assert!(kept.starts_with(scene.folder.path().to_str().expect("a path")), "{kept}");
    assert!(said.contains(&format!("standoff play --resume {kept}")), "{said}");
    let before = scene.asked();
    stdout(&scene.program(&["play", "--resume", kept, "--json"]).output().expect("it starts"));
    let again = scene.asked();
    assert!(again > before);
    let whole = Scene::new().await;
    stdout(&whole.program(&begin).output().expect("it starts"));
    assert_eq!(again, whole.asked(), "nothing is asked twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_it_at_once() {
    let scene = Scene::new().await;
    scene.server.reset().await;
    let late = wiremock::ResponseTemplate::new(200).set_delay(LONG);
    let asked = scene.asked.clone();
    let answer = move |_: &Request| {
        asked.fetch_add(1, Ordering::SeqCst);
        late.clone()
    };
    Mock::given(method("POST")).respond_with(answer).mount(&scene.server).await;
    for stoppable in [&PLAY, &TOURNAMENT] {
        let from = scene.asked();
        let mut child =
            scene.program(stoppable.begin).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        scene.wait_for(from + 1, &mut child);
        let begun = Instant::now();
        kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
        // Two of one kind that come together are one signal to the system.
        kill_process(Pid::from_child(&child), Signal::TERM).expect("it runs");
        let output = child.wait_with_output().expect("it ends");
        let code = output.status.code().expect("it handles signals");
        assert!([130, 143].contains(&code), "{code}");
        assert!(begun.elapsed() < Duration::from_secs(25), "it was not waited for");
    }
}
