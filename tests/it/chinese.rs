//! The program in Chinese: what it says is Chinese, and files and data are the same in every language.

use std::fs;

use crate::program::{complaint, run, run_with, standoff, stdout};

/// What a call prints, byte for byte, in English and in Chinese.
fn both(args: &[&str]) -> [Vec<u8>; 2] {
    // By the environment: `quiz` has a `--lang` of its own, which says in which language is asked.
    ["C.UTF-8", "zh_CN.UTF-8"].map(|locale| {
        let output = standoff(args).env("LC_ALL", locale).env("LANG", locale).output().expect("it runs");
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    })
}

#[test]
fn files_and_data_are_the_same_in_every_language() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("m.jsonl").display().to_string();
    let play = ["play", "--players", "greedy,random", "--seed", "7", "--record", &record, "--json"];
    stdout(&run(&play));
    let small = ["--positions", "2", "--nodes", "50", "--calibrate", "0", "--share", "100"];
    let build = [&["bank", "build", "--from", record.as_str()][..], &small].concat();
    let bank = folder.path().join("b.bank.json").display().to_string();
    stdout(&run(&[&build[..], &["--out", bank.as_str()]].concat()));
    for args in [
        &["players", "--init"][..],
        &["tournament", "--init"],
        &["experiment", "--init"],
        &["rulesets", "--show", "cowboy"],
        &["rulesets", "--show", "grid-royale"],
        &["rulesets", "--show", "paint"],
        &["rulesets", "--json"],
        &["quiz", "--per-rule", "4"],
        &["quiz", "--per-rule", "4", "--export", "promptfoo"],
        &["quiz", "--per-rule", "4", "--export", "inspect"],
        &["bank", "export", &bank, "--to", "promptfoo"],
        &["bank", "export", &bank, "--to", "inspect"],
        &build,
        &["completions", "bash"],
        &["completions", "fish"],
    ] {
        let [english, chinese] = both(args);
        assert!(!english.is_empty(), "{args:?}");
        assert!(english == chinese, "{args:?} differs:\n{}", String::from_utf8_lossy(&chinese));
    }
}

#[test]
fn what_opens_a_complaint_stands_at_its_beginning() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (record, cup, store) = (path("m.jsonl"), path("cup.toml"), path("s.db"));
    stdout(&run(&["play", "--players", "greedy,random", "--seed", "7", "--record", &record, "--json"]));
    fs::write(&cup, "name = \"cup\"\nplayers = [\"search:200000\", \"search:200001\"]\nblocks = 500\n")
        .expect("writable");
    let config = path("standoff.toml");
    fs::write(&config, "[players.local]\nmodel = \"none\"\nbase_url = \"http://127.0.0.1:9/v1\"\n").expect("writable");
    let of = |args: &[&str], code: i32| {
        let told = complaint(&run(&[args, &["--lang", "zh"]].concat()), code);
        for line in told.lines() {
            for mark in ["错误：", "提示：", "error:", "hint:"] {
                assert!(!line.trim_start_matches(mark).contains(mark), "{line}");
                assert!(line.starts_with(mark) || !line.contains(mark), "{line}");
            }
        }
        told
    };
    let told = of(&["tournament", &cup, "--store", &store, "--max-minutes", "0.01"], 1);
    assert!(told.contains("错误：时间到了；") && told.contains("局中已下完并保存"), "{told}");
    let told = of(&["prompt", "--record", &record, "--turn", "999"], 2);
    assert!(told.starts_with("错误：第 999 回合没有问过"), "{told}");
    let told = of(&["players", "check", "--config", &config], 1);
    assert!(told.contains("错误：1 名玩家中有 1 名不能对局"), "{told}");
}

#[test]
fn who_calls_without_a_file_is_told_of_the_example_in_every_language() {
    for command in ["tournament", "experiment"] {
        for args in [&[command][..], &["--lang", "zh", command], &["--lang=zh", command], &[command, "--lang", "zh"]] {
            let told = complaint(&run(args), 2);
            assert!(told.contains(&format!("standoff {command} --init > {command}.toml")), "{args:?}: {told}");
        }
    }
}

#[test]
fn complaints_name_what_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().display().to_string();
    for command in [&["replay"][..], &["analyze"], &["quiz", "--answers"], &["bank", "build", "--from"]] {
        let told = complaint(&run(&[command, &[place.as_str()]].concat()), 1);
        assert!(told.contains("cannot read") && !told.contains("cannot write"), "{command:?}: {told}");
    }
    let told = complaint(&run_with(&["replay", "-"], b"hello\n"), 1);
    assert!(told.contains("--record FILE") && !told.contains("lines before"), "{told}");
    let told = complaint(&run(&["quiz", "--answers", "nofile"]), 1);
    assert!(!told.contains("play --record"), "{told}");
    let told = complaint(&run(&["prompt", "--variant", "standrad"]), 2);
    assert!(told.contains("did you mean `standard`?"), "{told}");
    let told = complaint(&run(&["bots", "--ladder", "greedy,serach", "--ruleset", "paint"]), 2);
    assert!(told.contains("did you mean `search`?"), "{told}");
}

#[test]
fn the_ladder_plays_every_seat_as_often_and_says_so() {
    complaint(&run(&["bots", "--ladder", "greedy,random", "--ruleset", "paint", "--games", "0"]), 2);
    let ladder = ["bots", "--ladder", "greedy,random", "--ruleset", "paint", "--json", "--games"];
    let output = run(&[&ladder[..], &["3"]].concat());
    assert!(String::from_utf8_lossy(&output.stderr).contains("4 games per pairing"), "{output:?}");
    assert!(stdout(&output).contains("\"games\":4"), "{output:?}");
    assert!(run(&[&ladder[..], &["4"]].concat()).stderr.is_empty());
}

#[test]
fn what_bots_cost_is_nothing_and_not_less_than_nothing() {
    let args = ["bank", "run", "cowboy", "--players", "greedy", "--positions", "2", "--json"];
    let told = stdout(&run(&args));
    assert!(told.contains("\"usd\":0.0") && !told.contains("-0.0"), "{told}");
}

/// The interrupt reaches a tournament while it plays.
#[cfg(unix)]
#[test]
fn an_interrupted_tournament_says_so_in_chinese() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::Stdio;

    use rustix::process::{Pid, Signal, kill_process};

    let folder = tempfile::tempdir().expect("a folder");
    let cup = folder.path().join("cup.toml").display().to_string();
    let store = folder.path().join("s.db").display().to_string();
    fs::write(&cup, "name = \"cup\"\nplayers = [\"greedy\", \"random\", \"search:2000\"]\nblocks = 2000\n")
        .expect("writable");
    let mut child = standoff(&["tournament", &cup, "--store", &store, "--json", "--lang", "zh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut games = BufReader::new(child.stdout.take().expect("piped"));
    let mut first = String::new();
    games.read_line(&mut first).expect("a first game");
    kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    let rest = std::thread::spawn(move || games.read_to_end(&mut Vec::new()));
    let told = complaint(&child.wait_with_output().expect("it ends"), 130);
    rest.join().expect("no panic").expect("readable");
    assert!(told.contains("错误：已停止；") && told.contains("局中已下完并保存"), "{told}");
}
