//! Agents as players: what the record says of good ones and bad ones, over both protocols, and what they get to see.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::program::{complaint, run, standoff, stdout};

/// Longer than anything takes here, on however busy a machine.
const LONG: Duration = Duration::from_mins(2);

/// A folder with the agent `fake`, which behaves in this manner.
fn scene(kind: &str, manner: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let agent = format!("{}/tests/agents/fake.py", env!("CARGO_MANIFEST_DIR"));
    let (protocol, rest) = if kind == "acp" { ("acp", "") } else { ("mcp", " {config} {prompt}") };
    let log = folder.path().join("log").display().to_string();
    let file = format!(
        "[agents.fake]\ncommand = \"python3 {agent} {kind} {manner}{rest}\"\nprotocol = \"{protocol}\"\n\
         environment = {{ FAKE_LOG = '{log}', FAKE_SECRET = '${{FAKE_SECRET}}' }}\nfiles = {{ 'a/b.txt' = 'settings' }}\n\
         max_tool_calls = 9\n"
    );
    fs::write(folder.path().join("standoff.toml"), file).expect("written");
    fs::write(folder.path().join("brief.toml"), "base = \"cowboy\"\nname = \"brief\"\nmax_rounds = 3\n")
        .expect("written");
    folder
}

fn program(folder: &TempDir, args: &[&str]) -> Command {
    let mut command = standoff(args);
    command.current_dir(folder).env("FAKE_SECRET", "for-the-agent").env("OURS_ALONE", "secret");
    for name in ["STANDOFF_CONFIG", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
        command.env_remove(name);
    }
    command.env("XDG_DATA_HOME", folder.path()).env("XDG_STATE_HOME", folder.path());
    command
}

const PLAY: [&str; 10] = [
    "play",
    "--ruleset",
    "brief.toml",
    "--players",
    "agent:fake,greedy",
    "--seed",
    "7",
    "--record",
    "m.jsonl",
    "--json",
];

fn play(folder: &TempDir, more: &[&str]) -> std::process::Output {
    program(folder, &[&PLAY[..], more].concat()).output().expect("it starts")
}

fn lines(folder: &TempDir, name: &str) -> Vec<Json> {
    let text = fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// What the agent noted under this name.
fn noted(folder: &TempDir, name: &str) -> Vec<Json> {
    lines(folder, "log").into_iter().filter_map(|line| line.get(name).cloned()).collect()
}

/// What was held against A, turn by turn.
fn faults(folder: &TempDir) -> Vec<String> {
    let turns = lines(folder, "m.jsonl").into_iter().filter(|line| line["type"] == "turn");
    let of_a = turns.filter(|turn| turn["actions"].get("A").is_some());
    of_a.map(|turn| {
        let refused = turn["refused"].as_array().map_or(0, Vec::len);
        let fault = turn["lapses"]["A"]["fault"].as_str().unwrap_or("none");
        format!("{fault} {refused}")
    })
    .collect()
}

fn is_alive(pid: u64) -> bool {
    // A process that is dead and not yet waited for is of no use to anybody.
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !status.is_empty() && !status.contains(") Z ")
}

#[test]
fn an_agent_plays_a_match_and_the_record_tells_what_it_did_and_cost() {
    for kind in ["acp", "command"] {
        let folder = scene(kind, "plays");
        stdout(&play(&folder, &[]));
        assert_eq!(faults(&folder), ["none 0"; 3], "{kind}");
        let record = fs::read_to_string(folder.path().join("m.jsonl")).expect("it is there");
        let turn = lines(&folder, "m.jsonl").into_iter().find(|line| line["calls"]["A"].is_array()).expect("it cost");
        let call = &turn["calls"]["A"][0];
        let used = [&call["input_tokens"], &call["cached_tokens"], &call["output_tokens"]].map(Json::as_u64);
        assert_eq!((used, call["usd"].as_f64()), ([Some(1000), Some(900), Some(20)], Some(0.25)), "{call}");
        assert!(record.contains("\"player\":\"agent:fake\""), "{record}");
        let thoughts = turn["reasoning"]["A"].as_str().expect("it thought");
        assert!(thoughts.contains("it is the first") && thoughts.contains("get_state"), "{thoughts}");
        assert!(
            stdout(&run(&["replay", folder.path().join("m.jsonl").to_str().expect("a path"), "--verify"]))
                .starts_with("verified")
        );
        // It sees its own folder and what its profile says, and nothing else of ours.
        let environment = noted(&folder, "environment")[0].to_string();
        assert!(environment.contains("FAKE_SECRET") && !environment.contains("OURS_ALONE"), "{environment}");
        let tools = noted(&folder, "tools")[0].as_str().expect("as it came").to_owned();
        let at = |field: &str| tools.find(field).expect(field);
        assert!(at("\"reasoning\":{") < at("\"action\":{"), "{tools}");
        let prompts = noted(&folder, "prompt");
        let first = prompts[0].as_str().expect("a text");
        assert!(first.starts_with("# The rules of brief") && first.contains("You are player A"), "{first}");
        if kind == "acp" {
            let later = prompts[1].as_str().expect("a text");
            assert!(!later.contains("# The rules of brief") && later.contains("Call `act` now."), "{later}");
            assert_eq!(noted(&folder, "servers"), [serde_json::json!(["standoff"])]);
            assert_eq!(
                (noted(&folder, "cwd"), noted(&folder, "folder")),
                (vec![true.into()], vec![serde_json::json!(["a"])])
            );
            // Whatever it started is gone with it.
            let child = noted(&folder, "child")[0].as_u64().expect("a process");
            assert!(!is_alive(child));
        }
    }
}

#[test]
fn what_goes_wrong_is_told_apart() {
    for (kind, manner, wanted) in [
        ("acp", "breaks-a-rule", "none 1"),
        ("command", "breaks-a-rule", "none 1"),
        ("acp", "words", "none 0"),
        ("acp", "twice", "none 0"),
        ("acp", "asks-leave", "none 0"),
        ("acp", "silent", "unreadable 3"),
        ("command", "silent", "unreadable 3"),
        ("acp", "looks-for-ever", "unreadable 3"),
        ("acp", "crashes", "crashed 0"),
        ("command", "crashes", "crashed 0"),
    ] {
        let folder = scene(kind, manner);
        stdout(&play(&folder, &[]));
        assert_eq!(faults(&folder), [wanted; 3], "{kind} {manner}: {:?}", lines(&folder, "log").last());
        match manner {
            "breaks-a-rule" => {
                let told = lines(&folder, "log").into_iter().find(|line| line["error"] == true).expect("it was told");
                assert!(told["text"].as_str().is_some_and(|text| text.contains("`dance`")), "{told}");
            }
            "twice" => {
                let second = lines(&folder, "log").into_iter().filter(|line| line["called"] == "act").nth(1);
                let second = second.expect("it acts twice");
                assert!(second["text"].as_str().is_some_and(|text| text.contains("It is not your turn")), "{second}");
            }
            "asks-leave" => {
                assert_eq!(noted(&folder, "leave")[0], serde_json::json!(["reject_once", "allow_once"]));
                let record = fs::read_to_string(folder.path().join("m.jsonl")).expect("it is there");
                assert!(record.contains("(bash: refused)"), "{record}");
            }
            _ => {}
        }
    }
    for kind in ["acp", "command"] {
        let folder = scene(kind, "fails");
        let said = complaint(&play(&folder, &[]), 1);
        assert!(said.contains("overloaded") && said.contains("nobody has lost"), "{kind}: {said}");
    }
    let folder = scene("acp", "other-version");
    assert!(complaint(&play(&folder, &[]), 2).contains("it speaks version 2 and not 1"));
    let folder = scene("acp", "slow");
    stdout(&play(&folder, &["--set", "policy.turn_seconds=2"]));
    assert_eq!(faults(&folder), ["too_slow 0"; 3]);
    assert!(!noted(&folder, "cancelled").is_empty(), "its prompts are cancelled");
}

#[test]
fn a_session_that_begins_later_is_told_all_that_was_before() {
    let folder = scene("acp", "crashes-once");
    stdout(&play(&folder, &[]));
    assert_eq!(faults(&folder), ["crashed 0", "none 0", "none 0"]);
    let prompts = noted(&folder, "prompt");
    let second = prompts[1].as_str().expect("a text");
    assert!(second.starts_with("# The rules of brief") && second.contains("B "), "{second}");
    // Killed in the middle, a match goes on with a new session.
    let folder = scene("acp", "plays");
    let mut child = program(&folder, &PLAY).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let begun = Instant::now();
    while noted(&folder, "called").iter().filter(|name| **name == "act").count() < 1 {
        assert!(begun.elapsed() < LONG, "it gets on");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let before = noted(&folder, "prompt").len();
    let resumed = program(&folder, &["play", "--resume", "m.jsonl", "--json"]).output().expect("it starts");
    stdout(&resumed);
    assert_eq!(faults(&folder), ["none 0"; 3]);
    let prompts = noted(&folder, "prompt");
    assert!(prompts[before].as_str().is_some_and(|text| text.starts_with("# The rules of brief")), "{prompts:?}");
}

#[test]
fn a_tournament_of_agents_is_killed_and_goes_on_and_the_leaderboard_comes_out() {
    let folder = scene("acp", "plays");
    let cup = "name = \"cup\"\nplayers = [\"agent:fake\", \"greedy\"]\nblocks = 3\nconcurrency = 2\nrulesets = [\"brief.toml\"]\n";
    fs::write(folder.path().join("cup.toml"), cup).expect("written");
    let store = ["--store", "cup.sqlite"];
    let mut child = program(&folder, &[&["tournament", "cup.toml", "--json"][..], &store].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let begun = Instant::now();
    while noted(&folder, "called").iter().filter(|name| **name == "act").count() < 5 {
        assert!(begun.elapsed() < LONG, "it gets on");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let resume = [&["tournament", "cup.toml", "--json", "--resume"][..], &store].concat();
    let told = stdout(&program(&folder, &resume).output().expect("it starts"));
    let board: Json = told.lines().last().and_then(|line| serde_json::from_str(line).ok()).expect("the leaderboard");
    let players = board["players"].as_array().expect("players");
    let fake = players.iter().find(|row| row["name"] == "agent:fake").expect("it played");
    assert_eq!(
        (fake["games"].as_u64(), fake["calls"].as_u64().is_some_and(|calls| calls > 0)),
        (Some(6), true),
        "{fake}"
    );
}

#[test]
fn profiles_of_agents_are_read_with_every_problem_and_named_where_somebody_asks() {
    let folder = scene("acp", "plays");
    let said =
        complaint(&program(&folder, &["play", "--players", "agent:other,greedy"]).output().expect("it starts"), 2);
    assert!(said.contains("no player `agent:other`") && said.contains("agent:fake"), "{said}");
    assert!(stdout(&program(&folder, &["players"]).output().expect("it starts")).contains("agent:fake"));
    let missing = program(&folder, &PLAY).env_remove("FAKE_SECRET").output().expect("it starts");
    assert!(complaint(&missing, 2).contains("FAKE_SECRET is not set"));
    let bad = "[agents.a]\nprotocol = 'mcp'\ncommand = 'x'\n[agents.b]\nprotocol = 'acp'\npreset = 'codex'\nfiles = { '../x' = '' }\n\
               [agents.c]\nprotocol = 'telepathy'\n[agents.d]\nprotocol = 'mcp'\npreset = 'claude-code'\n";
    fs::write(folder.path().join("standoff.toml"), bad).expect("written");
    let said = complaint(&program(&folder, &["players"]).output().expect("it starts"), 2);
    for word in ["{prompt}", "does not speak ACP", "`command` is missing", "no file inside", "telepathy"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!(!said.contains("agents.d"), "{said}");
}

#[test]
fn a_bank_puts_its_positions_to_an_agent_under_the_variant_of_the_call() {
    let folder = scene("acp", "plays");
    fs::write(
        folder.path().join("v.toml"),
        "base = \"standard\"\n[extra]\nen = \"MIND THE WALLS\"\nzh = \"MIND THE WALLS\"\n",
    )
    .expect("written");
    let args =
        ["bank", "run", "cowboy", "--players", "agent:fake", "--positions", "1", "--variant", "./v.toml", "--json"];
    stdout(&program(&folder, &args).output().expect("it starts"));
    let prompts = noted(&folder, "prompt");
    assert!(
        prompts.iter().any(|prompt| prompt.as_str().is_some_and(|it| it.contains("MIND THE WALLS"))),
        "{prompts:?}"
    );
}

#[test]
fn a_plan_says_that_what_agents_ask_is_not_counted() {
    let folder = scene("acp", "plays");
    let cup = "name = \"cup\"\nplayers = [\"agent:fake\", \"greedy\"]\nblocks = 2\n";
    let brief =
        "name = \"brief\"\nmodels = [\"agent:fake\"]\nvariants = [\"standard\", \"bare\"]\ngates = [\"games\"]\n";
    for (command, file) in [("tournament", cup), ("experiment", brief)] {
        fs::write(folder.path().join("f.toml"), file).expect("written");
        let plan = stdout(&program(&folder, &[command, "f.toml", "--plan"]).output().expect("it starts"));
        assert!(plan.contains("agents  what these ask of models is not counted here: agent:fake"), "{plan}");
        assert!(!plan.contains("costs anything"), "{plan}");
    }
}
