//! Commands that are stopped and killed again and again, and what they ask meanwhile.

use std::collections::BTreeMap;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::scene::{Asked, Scene, Stage};

/// How long an answer takes, so that signals come while one is under way.
pub(super) const PAUSE: Option<Duration> = Some(Duration::from_millis(40));

/// How much a command does at once where it can.
pub(super) const AT_ONCE: usize = 3;

/// The signals with the exit codes that shells know them by.
const SIGNALS: [(Signal, i32); 3] = [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)];

/// How many stops of each kind a command gets.
fn stops() -> usize {
    std::env::var("STANDOFF_STOPS").map_or(3, |stops| stops.parse().expect("a number of stops"))
}

/// A command that is stopped again and again.
pub(super) struct Stoppable {
    begin: &'static str,
    /// With which it goes on.
    resume: &'static str,
    /// Whether it is told by a flag how much to do at once.
    has_flag: bool,
    /// The exit codes with which it ends where nobody stops it.
    done: &'static [i32],
}

pub(super) const PLAY: Stoppable = Stoppable {
    begin: "play --ruleset brief.toml --players still,still --seed 7 --record m.jsonl --json",
    resume: "play --resume m.jsonl --json",
    has_flag: false,
    done: &[0],
};

pub(super) const TOURNAMENT: Stoppable = Stoppable {
    begin: "tournament cup.toml --json",
    resume: "tournament cup.toml --json --resume",
    has_flag: false,
    done: &[0],
};

pub(super) const EXPERIMENT: Stoppable = Stoppable {
    begin: "experiment e.toml --json",
    resume: "experiment e.toml --json --resume",
    has_flag: false,
    done: &[0, 1, 2, 3, 10, 11, 12],
};

pub(super) const QUIZ: Stoppable = Stoppable {
    begin: "quiz --ruleset brief.toml --players still --per-rule 4 --lang en --json",
    resume: "quiz --ruleset brief.toml --players still --per-rule 4 --lang en --json --resume",
    has_flag: true,
    done: &[0],
};

pub(super) const BANK: Stoppable = Stoppable {
    begin: "bank run bank.json --players still,greedy --json",
    resume: "bank run bank.json --players still,greedy --json --resume",
    has_flag: true,
    done: &[0],
};

/// A run of a command to its end.
struct Run {
    scene: Scene,
    /// When each of its lives but the last was ended.
    stopped: Vec<Instant>,
}

impl Stoppable {
    /// Its first word.
    fn name(&self) -> &'static str {
        self.begin.split(' ').next().expect("a word")
    }

    /// How it begins, with more flags.
    pub(super) fn begin_with(&self, more: &[&'static str]) -> Vec<&'static str> {
        self.begin.split(' ').chain(more.iter().copied()).collect()
    }

    /// How it goes on, with more flags.
    pub(super) fn resume_with(&self, more: &[&'static str]) -> Vec<&'static str> {
        self.resume.split(' ').chain(more.iter().copied()).collect()
    }

    /// How many requests it takes where nobody stops it.
    pub(super) async fn whole(&self) -> usize {
        self.run(AT_ONCE, &mut 0, |_, _| unreachable!("it is not stopped")).await.scene.asked()
    }

    /// Stops it by each signal as often as is wanted: nothing is asked that would not have been asked anyway.
    pub(super) async fn signals(&self) {
        let whole = self.whole().await;
        let mut left = SIGNALS.len() * stops();
        while left > 0 {
            let run = self.run(AT_ONCE, &mut left, |child, left| {
                let (signal, code) = SIGNALS[left % SIGNALS.len()];
                kill_process(Pid::from_child(child), signal).expect("it runs");
                Some(code)
            });
            let asked = run.await.scene.asked();
            assert_eq!(asked, whole, "answered and asked again: {}", asked.abs_diff(whole));
        }
        println!("{}: {} each of SIGINT, SIGTERM and SIGHUP, 0 answered and asked again", self.name(), stops());
    }

    /// Kills it as often as is wanted. Each of the things that it does at once waits until its answer is kept before it
    /// goes on: it can lose only the last one. Where it does one thing at a time, that is the last request of its life.
    /// Nothing that was sent is missing in the ledger.
    pub(super) async fn kills(&self) {
        let mut wanted = BTreeMap::new();
        for at_once in [1, AT_ONCE] {
            let whole = self.run(at_once, &mut 0, |_, _| unreachable!("it is not killed")).await;
            wanted.insert(at_once, by_body(&whole.scene.requests()));
        }
        let (mut left, mut at_once, mut lost) = (stops(), AT_ONCE, Vec::new());
        while left > 0 {
            let run = self.run(at_once, &mut left, |child, _| {
                child.kill().expect("it runs");
                None
            });
            let run = run.await;
            let (asked, entered) = (run.scene.asked(), run.scene.entered().await);
            assert!(entered >= asked, "{asked} requests were sent, and the ledger knows of {entered}");
            lost.extend(run.lost(&wanted[&at_once], at_once));
            at_once = if at_once == 1 { AT_ONCE } else { 1 };
        }
        let answered = lost.iter().filter(|lost| lost.answered).count();
        let read: Vec<Duration> = lost.iter().filter_map(|lost| lost.read).collect();
        println!(
            "{}: {} kills, {} under way and asked again, {answered} answered and asked again, {} of these read by the \
             program, at most {:?} before the kill",
            self.name(),
            stops(),
            lost.len() - answered,
            read.len(),
            read.iter().max().copied().unwrap_or_default(),
        );
    }

    /// Runs it to its end, stopped so many times on the way, as far as it goes. `stop` gives the exit code that is due.
    async fn run(&self, at_once: usize, left: &mut usize, stop: impl Fn(&mut Child, usize) -> Option<i32>) -> Run {
        let scene = Scene::new(PAUSE, at_once).await;
        let mut stopped = Vec::new();
        loop {
            let life = stopped.len();
            let words = if life == 0 { self.begin } else { self.resume };
            let mut args: Vec<String> = words.split(' ').map(str::to_owned).collect();
            if self.has_flag {
                args.extend(["--concurrency".to_owned(), at_once.to_string()]);
            }
            let mut command = scene.program_in(life, &args);
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
            if *left > 0 {
                // At every moment of a call: as it is sent, as it is answered, as the answer is kept.
                let (stage, pause) = match *left % 4 {
                    0 => (Stage::Asked, 0),
                    1 => (Stage::Answered, 0),
                    2 => (Stage::Read, 0),
                    _ => (Stage::Read, *left as u64 % 23),
                };
                scene.wait_for(life, 1 + *left % 5, stage, &mut child);
                std::thread::sleep(Duration::from_millis(pause));
                if child.try_wait().expect("it can be asked").is_none() {
                    let now = Instant::now();
                    let due = stop(&mut child, *left);
                    let output = child.wait_with_output().expect("it ends");
                    if output.status.code() == due {
                        let said = said(&output);
                        assert!(due.is_none() || said.contains("--resume"), "{said}");
                        *left -= 1;
                        stopped.push(now);
                        continue;
                    }
                    // It had come to its end meanwhile.
                    self.check_end(&output);
                    return Run { scene, stopped };
                }
            }
            self.check_end(&child.wait_with_output().expect("it ends"));
            return Run { scene, stopped };
        }
    }

    fn check_end(&self, output: &Output) {
        let code = output.status.code();
        assert!(code.is_some_and(|code| self.done.contains(&code)), "{code:?}: {}", said(output));
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// How often each request was asked.
fn by_body(requests: &[Asked]) -> BTreeMap<Vec<u8>, usize> {
    let mut counts = BTreeMap::new();
    for asked in requests {
        *counts.entry(asked.body.clone()).or_default() += 1;
    }
    counts
}

/// A request that was asked once more because of a kill.
struct Lost {
    /// Whether all of its answer had been sent.
    answered: bool,
    /// How long before the kill the program had read it, if it had.
    read: Option<Duration>,
}

impl Run {
    /// What was asked once more than it would have been, all of which must have been on its way to be kept.
    fn lost(&self, wanted: &BTreeMap<Vec<u8>, usize>, at_once: usize) -> Vec<Lost> {
        let requests = self.scene.requests();
        let asked = by_body(&requests);
        assert!(asked.keys().eq(wanted.keys()), "it asks the same");
        let mut lost = Vec::new();
        let mut in_life = vec![0_usize; self.stopped.len()];
        for (body, count) in asked {
            let killed = |asked: &&Asked| asked.body == body && asked.life < self.stopped.len();
            // Those that came last in their life are those that may have been lost.
            let later = |asked: &Asked| {
                let this = requests.iter().position(|other| std::ptr::eq(other, asked)).expect("it is one of them");
                requests[this + 1..].iter().filter(|other| other.life == asked.life).count()
            };
            let mut candidates: Vec<(usize, &Asked)> =
                requests.iter().filter(killed).map(|asked| (later(asked), asked)).collect();
            candidates.sort_by_key(|(later, _)| *later);
            let extra = count - wanted[&body];
            assert!(extra <= candidates.len(), "asked twice in one life: {}", String::from_utf8_lossy(&body));
            for (later, asked) in &candidates[..extra] {
                let body = String::from_utf8_lossy(&asked.body);
                assert!(at_once > 1 || *later == 0, "its answer was used, and it is asked again: {body}");
                in_life[asked.life] += 1;
                let killed = self.stopped[asked.life];
                let before = |moment: Option<Instant>| moment.and_then(|moment| killed.checked_duration_since(moment));
                lost.push(Lost { answered: before(asked.answered).is_some(), read: before(asked.read) });
            }
        }
        assert!(in_life.iter().all(|lost| *lost <= at_once), "lost more than was done at once: {in_life:?}");
        lost
    }
}
