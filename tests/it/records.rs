//! Records of every version that was ever written: they are read and verified for ever.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use standoff::games::library;
use standoff::matches::format::Minor;
use standoff::matches::{Chain, Replay, Transcript};

use crate::program::{complaint, run, run_with, stdout};

fn kept() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records");
    let mut paths: Vec<_> = fs::read_dir(folder).expect("there").map(|file| file.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    paths.sort();
    paths
}

/// A record of the folder.
pub(crate) fn record(name: &str) -> String {
    let path = kept().into_iter().find(|path| path.file_name().is_some_and(|other| other == name)).expect(name);
    fs::read_to_string(path).expect("UTF-8")
}

/// The record with one line changed, and a chain that fits.
pub(crate) fn changed(record: &str, line: usize, from: &str, to: &str) -> String {
    let mut chain = Chain::default();
    let lines = record.lines().enumerate().map(|(number, text)| {
        let (body, _) = text.rsplit_once(",\"hash\":").expect("a line ends in its hash");
        let new = if number + 1 == line { body.replacen(from, to, 1) } else { body.to_owned() };
        assert!(number + 1 != line || new != body, "`{from}` is not in {body}");
        chain = chain.after(new.as_bytes());
        format!("{new},\"hash\":\"{chain}\"}}\n")
    });
    lines.collect()
}

/// Rulesets that are younger than the first minor, and the minor that they came with.
const NEWER: [(&str, Minor); 2] = [("grid-royale-fog", Minor(1)), ("trails", Minor(1))];

#[test]
fn records_of_every_minor_and_ruleset_verify_for_ever() {
    let mut seen = BTreeSet::new();
    for path in kept() {
        let bytes = fs::read(&path).expect("readable");
        let replay = Replay::verify(bytes.as_slice()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        replay.finished().expect("complete");
        Transcript::read(bytes.as_slice()).expect("readable");
        seen.insert((replay.minor, replay.ruleset.name.clone()));
    }
    for minor in (0..=Minor::CURRENT.0).map(Minor) {
        let there = |name: &&str| NEWER.iter().all(|(newer, since)| newer != name || minor >= *since);
        for ruleset in library::rulesets().filter(there) {
            assert!(seen.contains(&(minor, ruleset.to_owned())), "no record of minor {} of {ruleset}", minor.0);
        }
    }
}

#[test]
fn the_program_reads_the_first_records_as_its_own() {
    for name in ["v1-cowboy-1.jsonl", "v1-paint-7.jsonl", "v1-royale8.jsonl"] {
        let record = record(name);
        assert!(stdout(&run_with(&["replay", "-", "--verify"], record.as_bytes())).starts_with("verified"));
        let states = stdout(&run_with(&["replay", "-", "--json"], record.as_bytes()));
        // A state says its game, also where the record did not.
        let header: Json = serde_json::from_str(record.lines().next().expect("a header")).expect("JSON");
        let game = &header["ruleset"]["game"];
        let states: Vec<Json> = states.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert!(states.iter().all(|state| state["game"] == *game), "{name}");
        let mut first = states[0].clone();
        first.as_object_mut().expect("an object").remove("game");
        assert_eq!(first, header["state"]);
    }
}

#[test]
fn no_command_but_verify_minds_a_field_that_it_does_not_know() {
    let record = record("v1-cowboy-duel-3.jsonl");
    let last = record.lines().count();
    for (line, from, to) in [
        (1, "\"seed\":", "\"mood\":\"tense\",\"seed\":"),
        (1, "\"seat\":\"B\",\"player\"", "\"seat\":\"B\",\"club\":\"north\",\"player\""),
        (1, "\"state\":{", "\"state\":{\"wind\":3,"),
        (2, "\"turn\":1,", "\"turn\":1,\"crowd\":[9],"),
        (2, "\"events\":[{", "\"events\":[{\"echo\":true,"),
        (last, "\"reason\":", "\"weather\":\"fair\",\"reason\":"),
    ] {
        let more = changed(&record, line, from, to);
        assert!(!stdout(&run_with(&["replay", "-"], more.as_bytes())).is_empty());
        let states = stdout(&run_with(&["replay", "-", "--json"], more.as_bytes()));
        assert_eq!(states.lines().count(), last - 1);
        assert_eq!(states.contains("\"wind\":3"), to.contains("wind"), "what is written of the start is passed on");
        let said = complaint(&run_with(&["replay", "-", "--verify"], more.as_bytes()), 1);
        assert!(said.contains(&format!("line {line}")), "{said}");
    }
    let more = changed(&record, 2, "\"turn\":1,", "\"turn\":1,\"crowd\":[9],");
    stdout(&run_with(&["analyze", "-", "--nodes", "50", "--brief"], more.as_bytes()));
}

#[test]
fn rules_that_are_not_known_are_told_without_positions() {
    let record = record("v1-cowboy-1.jsonl");
    for (from, to) in
        [("\"hp\":10,", "\"hp\":10,\"horses\":2,"), (",\"version\":1},\"seed\"", ",\"version\":7},\"seed\"")]
    {
        let unknown = changed(&record, 1, from, to);
        for (language, why, moved) in
            [("en", "does not know these rules", "A moves from"), ("zh", "本程序不认识这些规则", "A 从")]
        {
            let shown = run_with(&["replay", "-", "--lang", language], unknown.as_bytes());
            let said = complaint(&shown, 1);
            assert!(said.contains(why), "{said}");
            let told = String::from_utf8(shown.stdout).expect("UTF-8");
            assert!(told.contains("A random · B random") && told.contains("1. A move down"), "{told}");
            assert!(told.contains(moved), "{told}");
            assert!(told.ends_with("(round_limit)\n"), "{told}");
        }
        for also in ["--json", "--verify"] {
            let said = run_with(&["replay", "-", also], unknown.as_bytes());
            assert!(complaint(&said, 1).contains("does not know these rules"));
            assert!(said.stdout.is_empty());
        }
    }
}

#[test]
fn another_version_is_named_together_with_those_that_are_read() {
    let newer = changed(&record("v1-cowboy-1.jsonl"), 1, "\"version\":1,\"id\"", "\"version\":2,\"id\"");
    for verify in [&["replay", "-"][..], &["replay", "-", "--verify"]] {
        let said = complaint(&run_with(verify, newer.as_bytes()), 1);
        assert!(said.contains("version 2") && said.contains("reads version 1"), "{said}");
    }
}

#[test]
fn a_ruleset_of_another_version_of_the_rules_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.toml").display().to_string();
    fs::write(&file, "base = \"paint\"\nversion = 3\n").expect("written");
    let said = complaint(&run(&["play", "--ruleset", &file, "--players", "random,random", "--json"]), 2);
    assert!(said.contains("mine.toml:2:11") && said.contains("`version` is 3"), "{said}");
    let request = b"{\"op\":\"start\",\"ruleset\":{\"base\":\"paint\",\"version\":3},\"players\":2,\"seed\":7}\n";
    let answer: Json = serde_json::from_str(&stdout(&run_with(&["engine"], request))).expect("JSON");
    assert_eq!(answer["error"]["code"], "bad_ruleset");
}

#[test]
fn the_engine_reads_a_state_by_its_game() {
    let ask = |request: Json| -> Json {
        let request = format!("{request}\n");
        serde_json::from_str(&stdout(&run_with(&["engine"], request.as_bytes()))).expect("JSON")
    };
    for (ruleset, game, other) in [
        ("cowboy-duel", "cowboy", "paint"),
        ("paint", "paint", "cowboy"),
        ("grid-royale", "grid-royale", "trails"),
        ("trails", "trails", "cowboy"),
    ] {
        let start = ask(serde_json::json!({ "op": "start", "ruleset": ruleset, "players": 2, "seed": 7 }));
        let mut state = start["state"].clone();
        assert_eq!(state["game"], game);
        let legal =
            |state: &Json| ask(serde_json::json!({ "op": "legal", "ruleset": ruleset, "state": state, "seat": "A" }));
        let actions = legal(&state);
        assert_eq!(actions["ok"], true, "{actions}");
        state.as_object_mut().expect("an object").remove("game");
        assert_eq!(legal(&state), actions, "it may be left out");
        state["game"] = other.into();
        assert_eq!(legal(&state)["error"]["code"], "bad_state");
    }
}
