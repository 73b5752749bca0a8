//! Prompt experiments through all their gates, as people and builds run them.

use std::fs;
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::{Value as Json, json};
use tempfile::TempDir;
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::program::{complaint, run, standoff, stdout};

/// A folder with an experiment, a profile, and a prompt that makes the model talk nonsense.
struct Scene {
    folder: TempDir,
    server: MockServer,
}

/// A model that says yes to everything, shoots where it can, and dances where its prompt tells it to.
fn answer(request: &Request) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(completion(&request.body))
}

/// What it says to a request.
pub(crate) fn completion(request: &[u8]) -> Json {
    let body: Json = serde_json::from_slice(request).expect("a request is JSON");
    let text = |at: usize| body["messages"][at]["content"].as_str().unwrap_or_default().to_owned();
    let (system, message) = (text(0), text(1));
    let choice = || {
        let wanted = ["shoot up", "shoot down", "shoot left", "shoot right", "move up", "move down"];
        let listed =
            |action: &&str| [format!("`{action}`"), format!("- {action}\n")].iter().any(|it| message.contains(it));
        wanted.into_iter().find(listed).unwrap_or("shield up")
    };
    let said = if system.contains("MUMBLE") && message.contains("`ANSWER: yes`") {
        "Well, that depends.".to_owned()
    } else if message.contains("`ANSWER: yes`") {
        "ANSWER: yes".to_owned()
    } else if message.contains("`答案：是`") {
        "答案：是".to_owned()
    } else {
        format!("ACTION: {}", if system.contains("DANCE") { "dance" } else { choice() })
    };
    json!({
        "model": "still", "choices": [{ "index": 0, "finish_reason": "stop",
            "message": { "role": "assistant", "content": said } }],
        "usage": { "prompt_tokens": 1000, "completion_tokens": 10 },
    })
}

impl Scene {
    async fn new(file: &str) -> Scene {
        let server = MockServer::start().await;
        Mock::given(method("POST")).respond_with(answer).mount(&server).await;
        let folder = tempfile::tempdir().expect("a folder");
        let scene = Scene { folder, server };
        let dance = scene.path("dance.toml");
        fs::write(&dance, "base = \"standard\"\n[extra]\nen = \"DANCE\"\nzh = \"DANCE\"\n").expect("writable");
        // Little hangs on a move where everybody has many lives.
        let brief = scene.path("brief.toml");
        fs::write(&brief, "base = \"cowboy-duel\"\nname = \"brief-duel\"\nhp = 1\n").expect("writable");
        let file = file.replace("DANCE", &dance).replace("BRIEF", &brief);
        fs::write(scene.path("e.toml"), file).expect("writable");
        let profile = format!(
            "[players.still]\nmodel = \"still\"\nbase_url = \"{}/v1\"\nmode = \"text\"\nprice = {{ input = 1.0, output = 5.0 }}\n",
            scene.server.uri()
        );
        fs::write(scene.path("standoff.toml"), profile).expect("writable");
        scene
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn words(&self, args: &[&str]) -> Vec<String> {
        let (file, store, config) = (self.path("e.toml"), self.path("s.db"), self.path("standoff.toml"));
        let own = ["experiment", &file, "--store", &store, "--config", &config];
        own.iter().chain(args).map(|&word| word.to_owned()).collect()
    }

    fn experiment(&self, args: &[&str]) -> Output {
        let words = self.words(args);
        run(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    async fn asked(&self) -> u64 {
        self.server.received_requests().await.map_or(0, |requests| requests.len() as u64)
    }
}

fn lines(output: &Output, kind: &str) -> Vec<Json> {
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().map(|line| serde_json::from_str::<Json>(line).expect("a line is JSON"));
    lines.filter(|line| line["type"] == kind).collect()
}

const TWO_PROMPTS: &str = "name = \"dance\"\nmodels = [\"still\"]\nvariants = [\"standard\", 'DANCE']\nblocks = 1\n\
                           rulesets = ['BRIEF']\n[quiz]\nper_rule = 4\n[bank]\npositions = 60\nshare = 0.2\nnodes = 50\ncalibrate = 0\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_variant_that_the_bank_finds_worse_costs_no_games() {
    let scene = Scene::new(TWO_PROMPTS).await;
    let plan = stdout(&scene.experiment(&["--plan", "--max-usd", "100"]));
    for part in [
        "quiz ",
        "bank ",
        "games ",
        "all ",
        "worst ",
        "delta   70 Elo (0.099 in score) takes",
        "budget  $100.00: 1 blocks",
    ] {
        assert!(plan.contains(part), "{part}: {plan}");
    }
    assert_eq!(scene.asked().await, 0, "a plan asks nobody");
    let report = scene.path("report");
    let done = scene.experiment(&["--json", "--report", &report, "--analyze", "2", "--nodes", "100"]);
    assert_eq!(done.status.code(), Some(11), "{}", String::from_utf8_lossy(&done.stderr));
    let gates = lines(&done, "gate");
    assert_eq!(gates.iter().map(|gate| gate["gate"].as_str().expect("named")).collect::<Vec<_>>(), ["quiz", "bank"]);
    let told = |gate: &Json, noise: bool| {
        let findings = gate["findings"].as_array().expect("a list").clone();
        findings.into_iter().find(|it| it["is_noise"] == noise).expect("it is there")
    };
    // Both say yes to everything: no question tells them apart.
    assert_eq!(told(&gates[0], false)["score"], 0.5, "{gates:?}");
    assert_eq!(told(&gates[1], false)["verdict"], "worse", "{gates:?}");
    assert_ne!(told(&gates[1], true)["verdict"], "worse", "{gates:?}");
    assert_eq!(told(&gates[1], true)["blocks"], 8, "the noise is a small sample: {gates:?}");
    let cause = &told(&gates[1], false)["cause"];
    assert_eq!((&cause["kind"], &cause["times"]), (&json!("unreadable"), &cause["of"]), "every answer was a dance");
    assert_eq!(lines(&done, "game").len(), 0, "nothing is left to find out, so nothing is played");
    for (file, parts) in [
        ("report.html", &["is worse than still/standard/en", "Quiz by rule", "Critical positions"][..]),
        ("report.zh.html", &["弱于 still/standard/en", "规则测验", "关键局面", "噪声（同一提示词的自我对照"][..]),
        ("report.md", &["went no further than the bank", "1/α", "fingerprint"][..]),
    ] {
        let text = fs::read_to_string(format!("{report}/{file}")).expect("it was written");
        for part in parts {
            assert!(text.contains(part), "{file}: {part}");
        }
    }
    // What the variant was told, what it answered and what was wrong with that is in the report.
    let json: Json =
        serde_json::from_slice(&fs::read(format!("{report}/report.json")).expect("it was written")).expect("JSON");
    let transcript = &json["transcripts"][0];
    assert_eq!(transcript["kind"], "unreadable", "{transcript}");
    let said = |at: usize| transcript["said"][at].clone();
    assert!(said(0)[1].as_str().is_some_and(|text| text.contains("DANCE")), "the system prompt: {transcript}");
    assert_eq!((&said(0)[0], &said(1)[0], &said(2)[0]), (&json!("system"), &json!("referee"), &json!("model")));
    assert_eq!(said(2)[1], "ACTION: dance");
    // All of it can be told again, and nobody is asked for that.
    let asked = scene.asked().await;
    let again = scene.experiment(&["--json"]);
    assert_eq!((again.status.code(), lines(&again, "game").len()), (Some(11), 0));
    assert_eq!(lines(&again, "findings"), lines(&done, "findings"));
    assert_eq!(scene.asked().await, asked);
    let from_store = scene.path("again");
    let (id, store) = (lines(&done, "findings")[0]["experiment"].clone(), scene.path("s.db"));
    let id = id.as_str().expect("named");
    stdout(&run(&["leaderboard", "--tournament", id, "--store", &store, "--report", &from_store]));
    let page = |folder: &str| fs::read(format!("{folder}/report.zh.html")).expect("it was written");
    assert!(page(&report) == page(&from_store), "a report of the store is the same");
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_or_out_of_budget_at_a_gate_it_goes_on_and_asks_nothing_twice() {
    let scene = Scene::new(&format!("languages = [\"en\", \"zh\"]\ngates = [\"quiz\", \"bank\"]\n{TWO_PROMPTS}")).await;
    let first = complaint(&scene.experiment(&["--max-calls", "10"]), 13);
    assert!(first.contains("the budget of this run is used up") && first.contains("--resume"), "{first}");
    assert_eq!(scene.asked().await, 10);
    let more = complaint(&scene.experiment(&["--max-calls", "25", "--resume"]), 13);
    assert!(more.contains("the budget of this run is used up"), "{more}");
    assert_eq!(scene.asked().await, 25, "what was paid for before counts once");
    let words = scene.words(&["--resume"]);
    let mut command = standoff(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    let some = async {
        while scene.asked().await < 60 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), some).await.expect("it asks");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let report = scene.path("report");
    let done = scene.experiment(&["--resume", "--json", "--report", &report]);
    let gates = lines(&done, "gate");
    let calls = gates[1]["calls"].as_u64().expect("a number");
    let asked = scene.asked().await;
    // Each is in the ledger before it is sent: none is forgotten, and those that it was killed over may not have left.
    assert!((asked..=asked + 8).contains(&calls), "{asked} requests for {calls} calls");
    assert_eq!(lines(&done, "game").len(), 0, "no games were asked for");
    // Whoever always says yes has half of every rule in every language.
    let html = fs::read_to_string(format!("{report}/report.html")).expect("it was written");
    for part in ["English against Chinese", "only Chinese right", "still/standard/zh", "50 %"] {
        assert!(html.contains(part), "{part}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_to_the_quiz_that_cannot_be_read_throw_nobody_out() {
    let file =
        TWO_PROMPTS.replace("DANCE", "MUMBLE").replace("blocks = 1", "blocks = 1\nnoise = 0\ngates = [\"quiz\"]");
    let scene = Scene::new(&file).await;
    let mumble = scene.path("mumble.toml");
    fs::write(&mumble, "base = \"standard\"\n[extra]\nen = \"MUMBLE\"\nzh = \"MUMBLE\"\n").expect("writable");
    let text =
        fs::read_to_string(scene.path("e.toml")).expect("it is there").replace("'MUMBLE'", &format!("'{mumble}'"));
    fs::write(scene.path("e.toml"), text.replace("per_rule = 4", "per_rule = 4\neliminate = true")).expect("writable");
    let report = scene.path("report");
    let done = scene.experiment(&["--json", "--report", &report]);
    assert_eq!(done.status.code(), Some(12), "{}", String::from_utf8_lossy(&done.stderr));
    // What was asked and answered instead is in the report, once.
    let read = |file: &str| fs::read_to_string(format!("{report}/{file}")).expect("it was written");
    let json: Json = serde_json::from_str(&read("report.json")).expect("JSON");
    let transcripts = json["transcripts"].as_array().expect("a list");
    assert_eq!(transcripts.len(), 1, "{transcripts:?}");
    assert_eq!((&transcripts[0]["gate"], &transcripts[0]["kind"]), (&json!("quiz"), &json!("unreadable")));
    assert_eq!(transcripts[0]["said"][2], json!(["model", "Well, that depends."]));
    let question = transcripts[0]["place"].as_str().expect("a question");
    for (file, parts) in [
        ("report.html", [format!("(quiz question {question})"), "does not answer yes or no".to_owned()]),
        ("report.zh.html", [format!("（规则题 {question}）"), "末行没有回答“是”或“否”".to_owned()]),
        ("report.md", ["Well, that depends.".to_owned(), "does not answer yes or no".to_owned()]),
    ] {
        let text = read(file);
        for part in parts.iter().chain([&"MUMBLE".to_owned()]) {
            assert!(text.contains(part), "{file}: {part}");
        }
    }
    let found = &lines(&done, "findings")[0]["findings"][0];
    assert_eq!((&found["verdict"], &found["blocks"]), (&json!("undecided"), &json!(0)), "{found}");
}

#[test]
fn what_is_wrong_with_gates_is_said_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("e.toml").display().to_string();
    let text = "name = \"x\"\nmodels = [\"greedy\"]\nvariants = [\"standard\"]\ngates = [\"quizz\"]\nif_worse = \"stop\"\n[bank]\nshare = 2.0\nnode = 5\n";
    fs::write(&file, text).expect("writable");
    let said = complaint(&run(&["experiment", &file]), 2);
    for part in [
        "e.toml:4:10: `gates` must be a list, each item \"quiz\"",
        "e.toml:5:12: `if_worse` must be \"leave-out\" or \"go-on\"",
        "`bank.share` must be a number from 0.01 to 1",
        "unknown key `bank.node`",
    ] {
        assert!(said.contains(part), "{part}\nnot in\n{said}");
    }
    fs::write(
        &file,
        "name = \"x\"\nmodels = [\"greedy\"]\nvariants = [\"standard\"]\n[bank]\nfiles = [\"nowhere.json\"]\n",
    )
    .expect("writable");
    let said = complaint(&run(&["experiment", &file]), 2);
    assert!(said.contains("e.toml:5:10: cannot read nowhere.json"), "{said}");
}

/// Two prompts whose games are over at the first answer of one of them: far sooner than bots' games are.
const SHORT_GAMES: &str = "name = \"dance\"\nmodels = [\"still\"]\nvariants = [\"standard\", 'DANCE']\nblocks = 6\nnoise = 0\n\
                           pilot = 2\ngates = [\"games\"]\nrulesets = ['BRIEF']\nconcurrency = 1\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_pilot_reports_what_it_found_and_nothing_but_consent_goes_on_after_it() {
    let scene = Scene::new(SHORT_GAMES).await;
    let strict = "base = \"cowboy-duel\"\nname = \"brief-duel\"\n[policy]\nattempts = 1\non_lapse = \"forfeit\"\n";
    fs::write(scene.path("brief.toml"), strict).expect("writable");
    let (report, config) = (scene.path("report"), scene.path("standoff.toml"));
    let objects = |args: &[&str]| {
        let stopped = scene.experiment(&[&["--json"], args].concat());
        let told = complaint(&stopped, 13);
        // One side needs no request where the other has given up before its first turn.
        assert!(told.contains("after 2 blocks of every question, the games are forecast to take 18 calls;"), "{told}");
        assert!(told.contains(&format!("--config {config} --resume")) && told.contains("--yes"), "{told}");
        lines(&stopped, "findings")[0]["findings"][0].clone()
    };
    let found = objects(&["--report", &report]);
    assert_eq!((&found["verdict"], &found["blocks"]), (&json!("undecided"), &json!(2)), "{found}");
    for file in ["report.html", "report.zh.html"] {
        let page = fs::read_to_string(format!("{report}/{file}")).expect("it was written");
        assert!(page.contains(&format!("--config {config}")), "{file} says how to reproduce it");
    }
    // The games of the pilot are no part of the plan that they are compared with.
    let asked = scene.asked().await;
    assert_eq!(objects(&["--resume"]), found);
    assert_eq!(scene.asked().await, asked, "nobody said yes");
    let agreed = complaint(&scene.experiment(&["--resume", "--yes", "--max-calls", "9"]), 13);
    assert!(agreed.contains("the budget of this run is used up"), "{agreed}");
    // Who has said yes need not say it again.
    let done = scene.experiment(&["--resume", "--json"]);
    assert_eq!(done.status.code(), Some(12), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(lines(&done, "findings")[0]["findings"][0]["blocks"], 6);
    assert_eq!(scene.asked().await, 18);
}

#[tokio::test(flavor = "multi_thread")]
async fn games_that_were_under_way_at_the_verdict_are_paid_for_and_change_nothing() {
    let file = SHORT_GAMES.replace("blocks = 6", "blocks = 200").replace("pilot = 2", "pilot = 0");
    let scene = Scene::new(&file.replace("concurrency = 1", "concurrency = 8")).await;
    let strict = "base = \"cowboy-duel\"\nname = \"brief-duel\"\n[policy]\nattempts = 1\non_lapse = \"forfeit\"\n";
    fs::write(scene.path("brief.toml"), strict).expect("writable");
    let report = scene.path("report");
    let done = scene.experiment(&["--json", "--report", &report]);
    assert_eq!(done.status.code(), Some(10), "{}", String::from_utf8_lossy(&done.stderr));
    let games = lines(&done, "game").len() as u64;
    let found = &lines(&done, "findings")[0]["findings"][0];
    // The variant has lost every game: that is sure after so many blocks, whatever else was begun.
    assert_eq!((&found["verdict"], &found["score"], &found["blocks"]), (&json!("not_better"), &json!(0.0), &json!(8)));
    assert!(games > 16, "games of other blocks were under way: {games}");
    let text = fs::read_to_string(format!("{report}/report.json")).expect("it was written");
    let spent = &serde_json::from_str::<Json>(&text).expect("JSON")["spent"][0];
    assert_eq!((&spent["items"], &spent["cost"]["calls"]), (&json!(games), &json!(scene.asked().await)), "{spent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_variant_that_is_not_there_is_answered_with_those_that_are() {
    let scene = Scene::new(TWO_PROMPTS).await;
    let told = complaint(&scene.experiment(&["--baseline", "standrad"]), 2);
    assert!(told.contains("`--baseline` must be one of the variants (standard, "), "{told}");
    assert!(told.contains("not \"standrad\"; did you mean `standard`?"), "{told}");
    let bank = ["bank", "run", "cowboy", "--positions", "2", "--players", "greedy", "--variant"];
    let told = complaint(&run(&[&bank[..], &["no-legel"]].concat()), 2);
    for part in ["no prompt variant `no-legel`", "standard, bare", "did you mean `no-legal`?"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_optimiser_learns_why_an_answer_was_none() {
    let scene = Scene::new(TWO_PROMPTS).await;
    let (dance, store, config) = (scene.path("dance.toml"), scene.path("s.db"), scene.path("standoff.toml"));
    let bank = ["bank", "run", "cowboy", "--players", "still", "--variant", &dance, "--positions", "2", "--json"];
    for (lang, reason) in [("en", "no action that can be read"), ("zh", "看不懂")] {
        let told = stdout(&run(&[&bank[..], &["--lang", lang, "--store", &store, "--config", &config]].concat()));
        let first: Json = serde_json::from_str(told.lines().next().expect("a line")).expect("JSON");
        let words = first["words"].as_str().expect("a text");
        assert_eq!(first["action"], Json::Null, "{first}");
        assert!(words.contains("dance") && words.contains(reason), "{words}");
    }
}

#[test]
fn the_example_of_an_optimiser_tells_prompts_apart() {
    let example = format!("{}/examples/optimise.py", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&example).expect("it is there");
    assert!(text.lines().count() <= 40, "an example of 40 lines");
    let program = env!("CARGO_BIN_EXE_standoff");
    let mut command = std::process::Command::new("python3");
    let told = stdout(
        &command.env("PYTHONDONTWRITEBYTECODE", "1").args([&example, program, "12"]).output().expect("it starts"),
    );
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), 6, "{told}");
    assert!(lines[0].ends_with("  legal actions listed"), "what helps comes first: {told}");
    for pair in lines.chunks(2) {
        let score: f64 = pair[0].split(' ').next().and_then(|score| score.parse().ok()).expect("a number");
        assert!((0.0..=1.0).contains(&score) && pair[1].trim().starts_with("its worst answer: "), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whether_a_report_can_be_written_is_tried_before_anybody_is_asked() {
    let scene = Scene::new(TWO_PROMPTS).await;
    let said = complaint(&scene.experiment(&["--report", &scene.path("e.toml")]), 2);
    assert!(said.contains("no report can be written to"), "{said}");
    assert_eq!(scene.asked().await, 0);
}
