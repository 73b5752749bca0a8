//! SIGINT, SIGTERM and SIGHUP in the middle of calls: nothing that was answered is ever asked again. After SIGKILL only
//! what was under way is, or was being kept: an answer that was used never is.
//!
//! The campaign, which prints its figures: a hundred stops by each signal and a hundred kills of every command.
//!
//! ```text
//! STANDOFF_STOPS=100 cargo test --test it signals:: -- --nocapture
//! ```

#![expect(clippy::print_stdout, reason = "a campaign prints its figures")]

mod campaign;
mod scene;

use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use self::campaign::{AT_ONCE, BANK, EXPERIMENT, PAUSE, PLAY, QUIZ, TOURNAMENT};
use self::scene::{LONG, Scene, Stage};
use crate::program::{complaint, stdout};

#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_is_stopped_asks_nothing_again() {
    PLAY.signals().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tournament_that_is_stopped_asks_nothing_again() {
    TOURNAMENT.signals().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_experiment_that_is_stopped_asks_nothing_again() {
    EXPERIMENT.signals().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_quiz_that_is_stopped_asks_nothing_again() {
    QUIZ.signals().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bank_that_is_stopped_asks_nothing_again() {
    BANK.signals().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_is_killed_asks_again_only_what_could_not_be_kept() {
    PLAY.kills().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tournament_that_is_killed_asks_again_only_what_could_not_be_kept() {
    TOURNAMENT.kills().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_experiment_that_is_killed_asks_again_only_what_could_not_be_kept() {
    EXPERIMENT.kills().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_quiz_that_is_killed_asks_again_only_what_could_not_be_kept() {
    QUIZ.kills().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bank_that_is_killed_asks_again_only_what_could_not_be_kept() {
    BANK.kills().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_are_never_answered_are_abandoned_after_half_a_minute_and_marked() {
    let scene = Scene::new(None, AT_ONCE).await;
    let running: Vec<(Child, Instant)> = [&PLAY, &TOURNAMENT]
        .into_iter()
        .enumerate()
        .map(|(life, stoppable)| {
            let mut command = scene.program_in(life, &stoppable.begin_with(&[]));
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
            scene.wait_for(life, 1, Stage::Asked, &mut child);
            kill_process(Pid::from_child(&child), Signal::TERM).expect("it runs");
            (child, Instant::now())
        })
        .collect();
    for (child, begun) in running {
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(143), "{said}");
        assert!(said.contains("at most 30 s") && said.contains("--resume"), "{said}");
        let waited = begun.elapsed();
        assert!((Duration::from_secs(29)..LONG).contains(&waited), "{waited:?}");
    }
    let journal = fs::read_to_string(scene.folder.path().join("m.jsonl.journal")).expect("it is there");
    assert!(journal.contains("\"outcome\":\"cut_off\""), "{journal}");
    assert!(!journal.contains("\"outcome\":\"answered\""), "{journal}");
}

#[tokio::test(flavor = "multi_thread")]
async fn budgets_stop_a_quiz_and_a_bank_and_a_cassette_that_is_not_complete_goes_on() {
    for stoppable in [&QUIZ, &BANK] {
        let whole = stoppable.whole().await;
        let scene = Scene::new(PAUSE, AT_ONCE).await;
        let begin = |more: &[&'static str]| scene.program(&stoppable.begin_with(more)).output().expect("it starts");
        let resume = |more: &[&'static str]| scene.program(&stoppable.resume_with(more)).output().expect("it starts");
        let first = complaint(&begin(&["--max-calls", "7"]), 1);
        assert!(first.contains("--max-calls") && first.contains("--resume"), "{first}");
        assert_eq!(scene.asked(), 7);
        let again = complaint(&begin(&[]), 1);
        assert!(again.contains("was begun before"), "{again}");
        complaint(&resume(&["--max-calls", "7"]), 1);
        assert_eq!(scene.asked(), 7, "what was asked before counts");
        let told = stdout(&resume(&[]));
        assert_eq!(scene.asked(), whole);
        // What is over is told again, and nobody is asked.
        assert_eq!(stdout(&begin(&[])), told);
        assert_eq!(scene.asked(), whole);
        complaint(&begin(&["--cassette", "tape", "--max-calls", "5"]), 1);
        assert_eq!(scene.asked(), whole + 5);
        assert_eq!(stdout(&begin(&["--cassette", "tape"])), told);
        assert_eq!(scene.asked(), 2 * whole, "only what is missing is asked");
        assert_eq!(stdout(&begin(&["--cassette", "tape"])), told);
        assert_eq!(scene.asked(), 2 * whole);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_with_a_model_is_kept_where_nobody_named_a_file() {
    let scene = Scene::new(PAUSE, AT_ONCE).await;
    let begin = ["play", "--ruleset", "brief.toml", "--players", "still,greedy", "--seed", "7", "--json"];
    let mut child = scene.program(&begin).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    scene.wait_for(0, 3, Stage::Asked, &mut child);
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
    let whole = Scene::new(PAUSE, AT_ONCE).await;
    stdout(&whole.program(&begin).output().expect("it starts"));
    assert_eq!(again, whole.asked(), "nothing is asked twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_it_at_once() {
    let scene = Scene::new(None, AT_ONCE).await;
    for (life, stoppable) in [&PLAY, &TOURNAMENT].into_iter().enumerate() {
        let mut command = scene.program_in(life, &stoppable.begin_with(&[]));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        scene.wait_for(life, 1, Stage::Asked, &mut child);
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
