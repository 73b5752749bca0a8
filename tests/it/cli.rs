//! The commands, as people and scripts meet them.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use crate::program::{complaint, run, run_with, stdout};

const RULESETS: [&str; 7] =
    ["cowboy", "cowboy-duel", "cowboy-classic", "paint", "grid-royale", "grid-royale-fog", "trails"];

fn path(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

#[test]
fn a_recorded_match_verifies_and_prints_its_states() {
    let folder = tempfile::tempdir().expect("a folder");
    for ruleset in RULESETS {
        let file = path(&folder, &format!("{ruleset}.jsonl"));
        let players = "random,random";
        let played =
            run(&["play", "--players", players, "--ruleset", ruleset, "--seed", "7", "--record", &file, "--json"]);
        let result: Json = serde_json::from_str(&stdout(&played)).expect("one JSON line");
        assert_eq!(result["type"], "result");
        assert_eq!(result["seed"], 7);
        assert!(stdout(&run(&["replay", &file, "--verify"])).starts_with("verified"));
        let states = stdout(&run(&["replay", &file, "--json"]));
        let last: Json = serde_json::from_str(states.lines().last().expect("states")).expect("JSON");
        assert_eq!(last["outcome"]["places"], result["places"]);
        assert_eq!(states.lines().count() as u64, 1 + result["turns"].as_u64().expect("a number"));
    }
}

#[test]
fn the_same_seed_is_the_same_match() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = |name: &str| {
        let file = path(&folder, name);
        run(&["play", "--players", "greedy,search:50", "--hp", "2", "--seed", "3", "--record", &file, "--json"]);
        let text = fs::read_to_string(file).expect("written");
        // The first line has the match's own name, and the chain hangs on it.
        let body = |line: &str| line.rsplit_once(",\"hash\"").map(|(body, _)| body.to_owned());
        text.lines().skip(1).filter_map(body).collect::<Vec<_>>()
    };
    let first = lines("a");
    assert!(first.len() > 3);
    assert_eq!(first, lines("b"));
}

#[test]
fn a_changed_record_is_found_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = path(&folder, "m.jsonl");
    run(&["play", "--players", "random,random", "--seed", "7", "--record", &file, "--json"]);
    let text = fs::read_to_string(&file).expect("written");
    let mut lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
    lines[4] = lines[4].replacen("\"turn\":4", "\"turn\":5", 1);
    fs::write(&file, lines.join("\n")).expect("written");
    let said = complaint(&run(&["replay", &file, "--verify"]), 1);
    assert!(said.contains("line 5"), "{said}");
    fs::write(&file, text.lines().take(6).collect::<Vec<_>>().join("\n")).expect("written");
    let said = complaint(&run(&["replay", &file, "--verify"]), 1);
    assert!(said.contains("unfinished"), "{said}");
    for broken in ["", "{}", "not json", "{\"type\":\"match\",\"version\":99,\"hash\":\"\"}"] {
        fs::write(&file, broken).expect("written");
        assert!(complaint(&run(&["replay", &file]), 1).contains("line 1"));
    }
}

#[test]
fn an_earlier_record_is_never_written_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = path(&folder, "m.jsonl");
    fs::write(&file, "precious").expect("written");
    let output = run(&["play", "--players", "random,random", "--seed", "7", "--record", &file, "--json"]);
    assert!(output.status.success());
    assert_eq!(fs::read_to_string(format!("{file}.1")).expect("moved aside"), "precious");
}

#[test]
fn a_person_is_told_which_rule_and_asked_again() {
    let input = "shoot up\ndance\nmove up\n\nlegal\nmove down\nresign\n";
    let shown = stdout(&run_with(&["play", "--players", "human,random", "--seed", "1"], input.as_bytes()));
    assert!(shown.contains("your own shield faces up"), "{shown}");
    assert!(shown.contains("dance"), "{shown}");
    assert!(shown.contains("a wall stands on (0, 5)"), "{shown}");
    assert!(shown.contains("shield left"), "the list of what is legal: {shown}");
    let chinese =
        run_with(&["play", "--players", "human,random", "--seed", "1", "--lang", "zh"], "射击 上\n认输\n".as_bytes());
    assert!(stdout(&chinese).contains("护盾"), "{}", stdout(&chinese));
}

#[test]
fn a_person_who_leaves_keeps_the_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = path(&folder, "m.jsonl");
    let output = run_with(&["play", "--players", "human,random", "--seed", "1", "--record", &file], b"move down\n");
    let said = complaint(&output, 1);
    assert!(said.contains("left before its end") && said.contains("hint: the record up to here"), "{said}");
    assert_eq!(fs::read_to_string(&file).expect("written").lines().count(), 3, "the start, A's turn, B's turn");
}

#[test]
fn a_match_goes_on_from_its_record_as_if_it_had_never_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, part) = (path(&folder, "whole.jsonl"), path(&folder, "part.jsonl"));
    run(&["play", "--players", "greedy,random", "--hp", "3", "--seed", "3", "--record", &whole, "--json"]);
    let text = fs::read_to_string(&whole).expect("written");
    // Stopped in the middle of a line, as by a power cut.
    for cut in [text.len() / 3, text.len() / 2, text.len() - 5] {
        fs::write(&part, &text[..cut]).expect("written");
        let resumed = run(&["play", "--resume", &part, "--json"]);
        assert!(stdout(&resumed).contains("\"result\""));
        assert!(fs::read_to_string(&part).expect("written") == text, "not the same after a cut at {cut}");
    }
    let said = complaint(&run(&["play", "--resume", &whole]), 2);
    assert!(said.contains("is over"), "{said}");
}

#[test]
fn bots_are_shown_where_nobody_can_be_asked() {
    let shown = stdout(&run(&["play", "--hp", "1", "--seed", "5", "--players", "greedy,random"]));
    assert!(shown.lines().count() > 20, "{shown}");
    assert!(!shown.contains('\x1b'), "no colours into a pipe");
}

#[test]
fn a_wrong_call_is_explained_with_code_2() {
    let folder = tempfile::tempdir().expect("a folder");
    let bad = path(&folder, "bad.toml");
    fs::write(&bad, "base = \"cowboy\"\nhp = 0\nlazer = \"tee\"\nmax_rounds = \"many\"\n").expect("written");
    let ragged = path(&folder, "ragged.txt");
    fs::write(&ragged, "...\n....\n.?.\n").expect("written");
    let cases: &[(&[&str], &[&str])] = &[
        (&["play", "--ruleset", "chess"], &["no ruleset `chess`", "cowboy-classic", "hint:"]),
        (&["play", "--ruleset", &bad], &["bad.toml:2:6", "1 to 10000", "bad.toml:3:9", "`lazer`", "bad.toml:4:14"]),
        (&["play", "--map", &ragged], &["ragged.txt:2:4", "ragged.txt:3:2", "`.` is empty"]),
        (&["play", "--map", "nowhere"], &["nowhere", "corral"]),
        (&["play", "--players", "grandma,random"], &["grandma", "human"]),
        (&["play", "--players", "random,random,random,random,random"], &["1 to 4 players"]),
        (&["play", "--players", "search:0,random"], &["search:5000"]),
        (&["play", "--seed", "-1"], &["seed"]),
        (&["play", "--set", "hp"], &["--set hp=3"]),
        (&["play", "--hp", "0"], &["1 to 10000"]),
        (&["rules", "chess"], &["no ruleset"]),
        (&["rules", "cowboy", "--lang", "fr"], &["zh"]),
        (&["bench", "cowboy", "--seconds", "0"], &["--seconds"]),
        (&["bench", "cowboy", "--players", "9"], &["1 to 4"]),
        (&["bots", "--ladder", "greedy"], &["FIRST,SECOND"]),
        (&["fly"], &["fly"]),
        (&[], &["Usage"]),
    ];
    for (args, expected) in cases {
        let said = complaint(&run(args), 2);
        for part in *expected {
            assert!(said.contains(part), "{args:?} should say {part}: {said}");
        }
    }
}

#[test]
fn a_file_that_is_not_there_is_work_that_failed() {
    let said = complaint(&run(&["replay", "nowhere.jsonl"]), 1);
    assert!(said.starts_with("error: cannot open nowhere.jsonl") && said.contains("\nhint: "), "{said}");
    let said = complaint(&run(&["play", "--players", "random,random", "--record", "/nowhere/at/all", "--json"]), 1);
    assert!(said.contains("cannot write the record"), "{said}");
}

#[test]
fn every_command_has_help_with_an_example() {
    let help = stdout(&run(&["--help"]));
    for command in ["play", "replay", "rules", "rulesets", "bots", "bench", "engine", "prompt"] {
        assert!(help.contains(command), "{command}");
        let help = stdout(&run(&[command, "--help"]));
        assert!(help.contains(&format!("standoff {command}")) || help.contains("| standoff"), "{command}: {help}");
        assert!(help.contains("Example"), "{command}: {help}");
    }
}

#[test]
fn lists_are_for_people_and_for_scripts() {
    let shown = stdout(&run(&["rulesets"]));
    let json: Json = serde_json::from_str(&stdout(&run(&["rulesets", "--json"]))).expect("JSON");
    let names: Vec<&str> =
        json["rulesets"].as_array().expect("a list").iter().filter_map(|ruleset| ruleset["name"].as_str()).collect();
    assert_eq!(names, RULESETS);
    assert!(RULESETS.iter().all(|name| shown.contains(name)), "{shown}");
    let bots: Json = serde_json::from_str(&stdout(&run(&["bots", "--json"]))).expect("JSON");
    assert_eq!(bots["bots"].as_array().map(Vec::len), Some(3));
    assert!(stdout(&run(&["rulesets", "--show", "cowboy"])).contains("laser = \"tee\""));
}

#[test]
fn the_benchmark_reports_steps_and_games() {
    let line = stdout(&run(&["bench", "cowboy", "--players", "2", "--seconds", "0.05", "--json"]));
    let report: Json = serde_json::from_str(&line).expect("JSON");
    assert_eq!((&report["ruleset"], &report["players"]), (&"cowboy".into(), &2.into()));
    for part in ["one_core", "all_cores"] {
        assert!(report[part]["steps_per_second"].as_f64().is_some_and(|speed| speed > 1000.0), "{line}");
        assert!(report[part]["games_per_second"].as_f64().is_some_and(|speed| speed > 1.0), "{line}");
    }
    assert!(report["all_cores"]["threads"].as_u64().is_some_and(|threads| threads >= 1));
}

#[test]
fn a_picture_is_drawn_of_a_turn() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, picture) = (path(&folder, "m.jsonl"), path(&folder, "m.svg"));
    run(&["play", "--players", "random,random", "--seed", "7", "--record", &file, "--json"]);
    run(&["replay", &file, "--svg", &picture, "--turn", "3"]);
    let svg = fs::read_to_string(Path::new(&picture)).expect("drawn");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    let said = complaint(&run(&["replay", &file, "--svg", &picture, "--turn", "99999"]), 2);
    assert!(said.contains("turns 0 to"), "{said}");
}

#[test]
fn a_prompt_is_printed_as_text_and_as_messages() {
    let args = ["prompt", "--variant", "json-board", "--ruleset", "paint", "--lang", "zh", "--seat", "B"];
    let output = run(&args);
    let text = stdout(&output);
    let messages: Json = serde_json::from_str(&stdout(&run(&[&args[..], &["--json"]].concat()))).expect("JSON");
    let content = |index: usize| messages[index]["content"].as_str().expect("a text");
    assert_eq!(text, format!("=== system ===\n{}=== user ===\n{}", content(0), content(1)));
    assert_eq!((&messages[0]["role"], &messages[1]["role"]), (&"system".into(), &"user".into()));
    assert!(content(1).starts_with("你是 B。") && content(1).contains("```json\n{"), "{text}");
    let counted = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(counted.contains("variant json-board ") && counted.contains("o200k_base: "), "{counted}");
}

#[test]
fn a_prompt_of_a_record_is_what_the_seat_was_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = path(&folder, "m.jsonl");
    run(&["play", "--players", "random,random", "--seed", "7", "--set", "max_rounds=5", "--record", &file, "--json"]);
    let prompt = |more: &[&str]| run(&[&["prompt", "--record", &file], more].concat());
    let told = stdout(&prompt(&["--seat", "B", "--turn", "4", "--ruleset", "cowboy"]));
    let (_, turn) = told.split_once("=== user ===\n").expect("two messages");
    assert!(turn.starts_with("You are B. Round 2 of 5.\n\nSince your last turn:\n- B "), "{turn}");
    assert_eq!(turn.lines().filter(|line| line.starts_with("- ")).count(), 4, "two turns and two players: {turn}");
    let told = stdout(&prompt(&["--variant", "scratchpad", "--seat", "B"]));
    assert!(told.contains("\nWhat you were told in the 4 turns before this one, oldest first:\n- A "), "{told}");
    let said = complaint(&prompt(&["--seat", "B", "--turn", "3"]), 2);
    assert!(said.contains("B was not asked in turn 3\nhint: its turns in this record: 2, 4, 6, 8, 10"), "{said}");
    assert!(complaint(&prompt(&["--ruleset", "paint"]), 2).contains("the record is of `cowboy`, not of `paint`"));
    assert!(complaint(&prompt(&["--seat", "C"]), 2).contains("C was not asked"));
}

#[test]
fn a_prompt_variant_is_a_file_to_copy_and_change() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = path(&folder, "mine.toml");
    let standard = stdout(&run(&["prompt", "--file"]));
    fs::write(&file, &standard).expect("written");
    assert_eq!(stdout(&run(&["prompt", "--variant", &file])), stdout(&run(&["prompt"])));
    fs::write(&file, standard.replace("board = \"auto\"", "board = \"globe\"")).expect("written");
    let said = complaint(&run(&["prompt", "--variant", &file]), 2);
    let line = 1 + standard.lines().position(|line| line == "board = \"auto\"").expect("it is documented");
    let complaint_at =
        format!("mine.toml:{line}:9: `board` must be \"auto\", \"grid\", \"list\" or \"json\", not \"globe\"");
    assert!(said.contains(&complaint_at), "{said}");
    let said = complaint(&run(&["prompt", "--variant", "fancy"]), 2);
    assert!(said.contains("no prompt variant `fancy` is built in; available: standard, bare"), "{said}");
}

#[test]
fn every_refused_answer_and_every_lapse_is_on_the_screen_with_its_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    fs::write(path("a.txt"), "move up\ndance\n!truncated I think that\n!crash out of memory\nshield up\n")
        .expect("writable");
    let players = format!("scripted:{},process:false", path("a.txt"));
    for (lang, told) in [
        (
            "en",
            [
                "Refused: A \"move up\" (a move into a wall or a block).",
                "Refused: A \"dance\" (no action that can be read).",
                "Refused: A \"I think that\" (cut off before it was complete).",
                "The turn of A lapses: its answer was cut off.",
                "The turn of A lapses: its program failed (out of memory).",
                "The turn of B lapses: its program failed (",
            ],
        ),
        (
            "zh",
            [
                "驳回：A“move up”（走进了墙或障碍）。",
                "驳回：A“dance”（看不懂是什么动作）。",
                "驳回：A“I think that”（没写完就被截断了）。",
                "A 的这回合作废：回答被截断了。",
                "A 的这回合作废：程序出错了（out of memory）。",
                "B 的这回合作废：程序出错了（",
            ],
        ),
    ] {
        let record = path(&format!("{lang}.jsonl"));
        let rules = ["--ruleset", "cowboy", "--set", "max_rounds=3", "--set", "policy.forfeit_after=0"];
        let play = ["play", "--players", &players, "--seed", "1", "--lang", lang, "--record", &record];
        let played = stdout(&run(&[&play[..], &rules[..]].concat()));
        let replayed = stdout(&run(&["replay", &record, "--lang", lang]));
        for sentence in told {
            assert!(played.contains(sentence), "{sentence}: {played}");
            // The picture beside the board breaks long lines.
            let joined = replayed.split_whitespace().collect::<String>();
            assert!(joined.contains(&sentence.split_whitespace().collect::<String>()), "{sentence}: {replayed}");
        }
    }
}
