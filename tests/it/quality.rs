//! `analyze`, `quiz` and `bank`, as people and scripts meet them.

use std::fs;

use serde_json::{Value as Json, json};

use crate::program::{complaint, run, run_with, stdout};

fn path(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

#[test]
fn a_record_is_analysed_in_words_and_in_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = path(&folder, "m.jsonl");
    run(&["play", "--players", "random,search:100", "--hp", "2", "--seed", "3", "--record", &file, "--json"]);
    let line = stdout(&run(&["analyze", &file, "--nodes", "200", "--json"]));
    let review: Json = serde_json::from_str(&line).expect("one JSON line");
    let players = review["players"].as_array().expect("a list");
    assert_eq!(players.len(), 2);
    assert!(players.iter().all(|player| (0.0..=100.0).contains(&player["accuracy"].as_f64().expect("a number"))));
    for (language, words) in [("en", ["accuracy", "worse than"]), ("zh", ["准确率", "个百分点"])] {
        let told = stdout(&run(&["analyze", &file, "--nodes", "200", "--lang", language]));
        assert!(words.iter().all(|word| told.contains(word)), "{told}");
    }
    complaint(&run(&["analyze", &path(&folder, "nothing.jsonl")]), 1);
}

#[test]
fn a_bank_is_built_and_put_to_bots() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = path(&folder, "bank.json");
    let built = run(&[
        "bank",
        "build",
        "--positions",
        "8",
        "--nodes",
        "100",
        "--seed",
        "2",
        "--calibrate",
        "0",
        "--out",
        &file,
    ]);
    assert!(stdout(&built).starts_with("8 positions"));
    let told = stdout(&run(&["bank", "run", &file, "--players", "search:200,random", "--json"]));
    let mut lines: Vec<Json> = told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let marks = lines.pop().expect("the totals");
    assert_eq!(lines.len(), 16, "a line for each position and player");
    for line in &lines {
        for field in ["position", "player", "action", "score", "loss", "better", "words", "tokens", "usd"] {
            assert!(line.get(field).is_some(), "{field}: {line}");
        }
        let (loss, words) = (line["loss"].as_f64().expect("a number"), line["words"].as_str().expect("a text"));
        assert!((0.0..=1.0).contains(&loss) && (0.0..=1.0).contains(&line["score"].as_f64().expect("a number")));
        let better = line["better"].as_str();
        assert_eq!(better.is_some(), !words.is_empty(), "{line}");
        assert!(better.is_none_or(|better| words.contains(better)), "{line}");
    }
    let loss = |player: usize| marks["players"][player]["mean_loss"].as_f64().expect("a number");
    assert!(loss(0) < loss(1), "{marks}");
    assert!(marks["comparison"]["verdict"].is_string());
    for (tool, expected) in [("promptfoo", "prompts:"), ("inspect", "\"target\"")] {
        assert!(stdout(&run(&["bank", "export", &file, "--to", tool])).contains(expected));
    }
    fs::write(&file, "{}").expect("written");
    complaint(&run(&["bank", "run", &file, "--players", "random"]), 2);
}

#[test]
fn a_quiz_is_listed_graded_and_exported() {
    let listed = stdout(&run(&["quiz", "--per-rule", "4"]));
    let items: Vec<Json> = listed.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(items.iter().all(|item| item["message_en"].is_string() && item["message_zh"].is_string()));
    let answers: Vec<String> = items
        .iter()
        .map(|item| {
            let answer = if item["answer"] == true { "Yes." } else { "No." };
            json!({ "id": item["id"], "language": "en", "answer": answer }).to_string()
        })
        .collect();
    let input = answers.join("\n");
    let graded = run_with(&["quiz", "--per-rule", "4", "--answers", "-", "--lang", "en", "--json"], input.as_bytes());
    let grades: Json = serde_json::from_str(&stdout(&graded)).expect("one JSON line");
    assert_eq!(grades["total"]["en"]["percent"], 100.0);
    assert!(stdout(&run(&["quiz", "--per-rule", "4", "--export", "inspect"])).lines().count() == 2 * items.len());
    let wrong = br#"{"id":"nothing-01","language":"en","answer":"yes"}"#;
    let said = complaint(&run_with(&["quiz", "--per-rule", "4", "--answers", "-"], wrong), 2);
    assert!(said.contains("no question `nothing-01`"), "{said}");
    complaint(&run(&["quiz", "--players", "greedy"]), 2);
}
