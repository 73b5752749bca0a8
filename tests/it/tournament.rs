//! Tournaments, as people and scripts run them.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::time::Duration;

use serde_json::Value as Json;
use tempfile::TempDir;
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::program::{complaint, run, standoff, stdout};

/// A folder with a file in it.
struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new(file: &str) -> Scene {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("cup.toml"), file).expect("writable");
        Scene { folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn tournament(&self, args: &[&str]) -> Output {
        run(&words(args, &self.path("s.db"), &self.path("cup.toml")))
    }

    fn begin(&self, args: &[&str]) -> Child {
        let mut command = standoff(&words(args, &self.path("s.db"), &self.path("cup.toml")));
        command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program starts")
    }

    fn leaderboard(&self, store: &str) -> Json {
        let said = stdout(&run(&["leaderboard", "--store", &self.path(store), "--json"]));
        serde_json::from_str(&said).expect("one JSON object")
    }
}

fn words<'a>(args: &[&'a str], store: &'a str, file: &'a str) -> Vec<&'a str> {
    [&["tournament", file, "--store", store], args].concat()
}

/// The JSON lines of a type.
fn lines(text: &str, kind: &str) -> Vec<Json> {
    let lines = text.lines().map(|line| serde_json::from_str::<Json>(line).expect("a line is JSON"));
    lines.filter(|line| line["type"] == kind).collect()
}

const BOTS: &str = "name = \"Bots & co\"\nplayers = [\"random\", \"greedy\", \"search:40\"]\nblocks = 6\n";

#[test]
fn the_example_runs_as_it_is() {
    let scene = Scene::new(&stdout(&run(&["tournament", "--init"])));
    let plan = stdout(&scene.tournament(&["--plan"]));
    assert!(plan.contains("games   60 in 30 blocks"), "{plan}");
    assert!(plan.contains("no player here costs anything"), "{plan}");
    assert!(!Path::new(&scene.path("s.db")).exists(), "a plan makes nothing");
    let played = stdout(&scene.tournament(&[]));
    assert!(played.contains("60 games; random is rated 1000"), "{played}");
    let board = scene.leaderboard("s.db");
    let names: Vec<&str> =
        board["players"].as_array().expect("a list").iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(names[2], "random", "best first: {board}");
    for row in board["players"].as_array().expect("a list") {
        let number = |field: &str| row[field].as_f64().expect(field);
        assert!(number("low") <= number("rating") && number("rating") <= number("high"), "{row}");
        assert!(
            (number("games") - 40.0).abs() < 0.5
                && (number("wins") + number("draws") + number("losses") - 40.0).abs() < 0.5,
            "{row}"
        );
    }
}

#[test]
fn a_second_start_of_the_same_file_only_says_so() {
    let scene = Scene::new(BOTS);
    let first = stdout(&scene.tournament(&["--json"]));
    assert_eq!(lines(&first, "game").len(), 36);
    assert_eq!(lines(&first, "leaderboard")[0]["finished"], true);
    let second = stdout(&scene.tournament(&[]));
    assert!(second.contains("is over: all 36 games were played before, and none is played now"), "{second}");
    // Comments, budgets and speed make it no other tournament.
    fs::write(scene.path("cup.toml"), format!("# again\nconcurrency = 2\n{BOTS}")).expect("writable");
    assert!(stdout(&scene.tournament(&["--json", "--max-usd", "3"])).contains("\"type\":\"finished\""));
    fs::write(scene.path("cup.toml"), format!("seed = 2\n{BOTS}")).expect("writable");
    assert_eq!(lines(&stdout(&scene.tournament(&["--json"])), "game").len(), 36);
    let listed = stdout(&run(&["matches", "--tournaments", "--json", "--store", &scene.path("s.db")]));
    assert_eq!(listed.lines().count(), 2);
}

#[test]
fn killed_at_any_moment_it_goes_on_and_ends_as_if_nothing_had_happened() {
    let file = "name = \"long\"\nplayers = [\"random\", \"greedy\", \"search:200\"]\nblocks = 30\n";
    let scene = Scene::new(file);
    let mut seen: Vec<String> = Vec::new();
    for (kill, args) in [&["--json"][..], &["--json", "--resume"], &["--json", "--resume"]].into_iter().enumerate() {
        let mut child = scene.begin(args);
        let mut news = BufReader::new(child.stdout.take().expect("piped")).lines();
        for _ in 0..=kill {
            let line: Json = serde_json::from_str(&news.next().expect("a game ends").expect("readable")).expect("JSON");
            seen.push(line["match"].as_str().expect("a game").to_owned());
        }
        if kill == 0 {
            let other = complaint(&scene.tournament(&["--resume"]), 1);
            assert!(other.contains("is being played by another process"), "{other}");
        }
        child.kill().expect("it runs");
        child.wait().expect("it ends");
    }
    let begun = complaint(&scene.tournament(&[]), 1);
    assert!(begun.contains("was begun before") && begun.contains("--resume"), "{begun}");
    let resumed = stdout(&run(&["tournament", "--resume", "--json", "--store", &scene.path("s.db")]));
    assert!(lines(&resumed, "game").iter().all(|line| !seen.iter().any(|id| line["match"] == **id)), "played twice");
    let records = |store: &str| {
        let (store, out) = (scene.path(store), scene.path(&format!("{store}-records")));
        stdout(&run(&["export", "--store", &store, "--out", &out]));
        let mut files: Vec<_> = fs::read_dir(out).expect("a folder").map(|file| file.expect("a file").path()).collect();
        files.sort();
        files
            .into_iter()
            .map(|file| (file.file_name().map(ToOwned::to_owned), fs::read(file).expect("readable")))
            .collect::<Vec<_>>()
    };
    let (whole, file) = (scene.path("whole.db"), scene.path("cup.toml"));
    stdout(&run(&["tournament", &file, "--store", &whole]));
    let (parts, whole) = (records("s.db"), records("whole.db"));
    assert_eq!(parts.len(), 180);
    assert!(parts == whole, "the records differ");
    assert_eq!(scene.leaderboard("s.db"), scene.leaderboard("whole.db"));
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_place() {
    let scene = Scene::new("name = \"bad\"\nplayers = [\"greedy\", \"grredy\", \"human\"]\nrulesets = [\"cowboi\"]\n");
    let said = complaint(&scene.tournament(&[]), 2);
    for part in ["cup.toml:2:22: no player `grredy`", "cup.toml:2:32: people do not play in tournaments"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    fs::write(
        scene.path("cup.toml"),
        "name = \"bad\"\nplayers = [\"greedy\", \"random\"]\nrulesets = [\"cowboi\"]\nmaps = [\"nowhere\"]\n",
    )
    .expect("writable");
    let said = complaint(&scene.tournament(&[]), 2);
    assert!(said.contains("cup.toml:") && said.contains("no ruleset `cowboi`"), "{said}");
    fs::write(
        scene.path("cup.toml"),
        "name = \"bad\"\nplayers = [\"greedy\", \"random\"]\nformat = \"knockout\"\nseats = 3\n",
    )
    .expect("writable");
    let said = complaint(&scene.tournament(&[]), 2);
    assert!(said.contains("cup.toml:3:10: 2 players cannot fill 3 seats"), "{said}");
    assert!(!Path::new(&scene.path("s.db")).exists(), "nothing is made");
}

#[test]
fn a_store_that_cannot_be_used_is_said_in_one_line_and_left_alone() {
    let scene = Scene::new(BOTS);
    fs::write(scene.path("s.db"), "this is a shopping list, not a database").expect("writable");
    let said = complaint(&scene.tournament(&[]), 1);
    assert!(said.contains("is not a store of Standoff") && said.contains("--store"), "{said}");
    assert_eq!(fs::read_to_string(scene.path("s.db")).expect("readable"), "this is a shopping list, not a database");
    let (file, url) = (scene.path("cup.toml"), "postgres://ada:secret@127.0.0.1:1/x");
    let said = complaint(&run(&["tournament", &file, "--store", url]), 1);
    assert!(said.contains("cannot reach postgres://ada@127.0.0.1:1/x") && !said.contains("secret"), "{said}");
    let said = complaint(&run(&["tournament", &file, "--store", "postgres://ada:secret@localhost:x/y"]), 2);
    assert!(said.contains("PostgreSQL") && !said.contains("secret"), "{said}");
    let missing = complaint(&run(&["leaderboard", "--store", &scene.path("none.db")]), 1);
    assert!(missing.contains("there is no store at"), "{missing}");
}

#[test]
fn what_is_kept_can_be_listed_and_exported() {
    let scene = Scene::new(BOTS);
    stdout(&scene.tournament(&[]));
    let store = scene.path("s.db");
    let listed = stdout(&run(&["matches", "--store", &store, "--player", "greedy", "--limit", "5", "--json"]));
    let first: Json = serde_json::from_str(listed.lines().next().expect("five")).expect("JSON");
    assert_eq!((listed.lines().count(), &first["status"]), (5, &Json::from("finished")));
    let id = first["id"].as_str().expect("an id");
    let record = scene.path("m.jsonl");
    stdout(&run(&["export", id, "--store", &store, "--out", &record]));
    assert!(stdout(&run(&["replay", &record, "--verify"])).starts_with("verified"));
    let csv = stdout(&run(&["export", "--store", &store, "--format", "csv"]));
    assert_eq!(csv.lines().count(), 1 + 2 * 36);
    let json: Json =
        serde_json::from_str(&stdout(&run(&["export", "--store", &store, "--format", "json"]))).expect("JSON");
    assert_eq!(json["games"].as_array().map(Vec::len), Some(72));
    let md = stdout(&run(&["export", "--store", &store, "--format", "md", "--tournament", "Bots & co"]));
    assert!(md.starts_with("| rank | player |") && md.lines().count() > 36, "{md}");
    assert!(complaint(&run(&["export", "--store", &store]), 2).contains("--out DIR"));
    assert!(complaint(&run(&["export", "nobody", "--store", &store]), 2).contains("there is no match `nobody`"));
}

#[test]
fn an_experiment_with_the_same_thing_twice_finds_no_difference() {
    let scene = Scene::new(&stdout(&run(&["experiment", "--init"])));
    let (file, store) = (scene.path("cup.toml"), scene.path("s.db"));
    let start = |more: &[&str]| run(&[&["experiment", &file, "--store", &store, "--json"], more].concat());
    let first = start(&[]);
    assert_eq!(first.status.code(), Some(10), "{}", String::from_utf8_lossy(&first.stderr));
    let text = String::from_utf8(first.stdout).expect("UTF-8");
    let findings = &lines(&text, "findings")[0]["findings"];
    let questions = findings.as_array().expect("a list").iter().filter(|one| one["is_noise"] == false);
    let verdicts: Vec<&str> = questions.filter_map(|one| one["verdict"].as_str()).collect();
    assert!(
        !verdicts.is_empty() && verdicts.iter().all(|verdict| ["no_difference", "not_better"].contains(verdict)),
        "{findings}"
    );
    let games = lines(&text, "game").len();
    assert!((100..1600).contains(&games), "decided early: {games}");
    let again = start(&[]);
    let text = String::from_utf8(again.stdout).expect("UTF-8");
    assert_eq!((again.status.code(), lines(&text, "game").len()), (Some(10), 0));
    assert_eq!(&lines(&text, "findings")[0]["findings"], findings);
}

#[test]
fn a_report_of_a_knockout_has_its_bracket_and_the_worst_moves_drawn() {
    let file = "name = \"ko\"\nplayers = [\"search:50\", \"greedy\", \"random\"]\nformat = \"knockout\"\nblocks = 2\n";
    let scene = Scene::new(file);
    let report = scene.path("report");
    let played = stdout(&scene.tournament(&["--report", &report, "--analyze", "4", "--nodes", "200"]));
    assert!(played.contains("Final\n"), "{played}");
    for (file, parts) in [
        ("report.html", ["<h2>Bracket</h2>", "<h3>Final</h3>", "<div class=\"board\"><svg", "Accuracy"]),
        ("report.zh.html", ["<h2>对阵图</h2>", "<h3>决赛</h3>", "<div class=\"board\"><svg", "准确率"]),
        ("report.md", ["## Bracket", "goes on without play", "## Worst moves", "## Chance to win"]),
    ] {
        let text = fs::read_to_string(format!("{report}/{file}")).expect("it was written");
        for part in parts {
            assert!(text.contains(part), "{file}: {part}");
        }
    }
    // Scripts get the bracket too, and what decided each tie.
    let over = stdout(&scene.tournament(&["--json"]));
    let brackets = lines(&over, "bracket");
    assert_eq!(brackets.len(), 1, "{over}");
    let last = brackets[0]["rounds"].as_array().and_then(|rounds| rounds.last()).expect("a final");
    assert!(last[0]["winner"].is_string() && last[0]["decision"].is_string(), "{last}");
    // What was judged is kept: another report has it without judging again.
    let (store, again) = (scene.path("s.db"), scene.path("again"));
    stdout(&run(&["leaderboard", "--tournament", "ko", "--store", &store, "--report", &again]));
    let page = |folder: &str| fs::read(format!("{folder}/report.html")).expect("it was written");
    assert!(page(&report) == page(&again), "a report of the store is the same");
}

/// A model that always does the same.
async fn model() -> MockServer {
    let server = MockServer::start().await;
    let answer = serde_json::json!({
        "model": "still", "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": "ACTION: shield up" } }],
        "usage": { "prompt_tokens": 1000, "completion_tokens": 10 },
    });
    Mock::given(method("POST")).respond_with(ResponseTemplate::new(200).set_body_json(answer)).mount(&server).await;
    server
}

fn with_a_model(server: &MockServer) -> Scene {
    let scene = Scene::new("name = \"paid\"\nplayers = [\"still\", \"greedy\"]\nblocks = 1\nconcurrency = 1\n");
    let profile = format!(
        "[players.still]\nmodel = \"still\"\nbase_url = \"{}/v1\"\nmode = \"text\"\nprice = {{ input = 1.0, output = 5.0 }}\n",
        server.uri()
    );
    fs::write(scene.path("standoff.toml"), profile).expect("writable");
    scene
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_never_answers_loses_its_turns_and_nobody_waits_for_it() {
    let server = MockServer::start().await;
    let late = ResponseTemplate::new(200).set_delay(Duration::from_mins(5));
    Mock::given(method("POST")).respond_with(late).mount(&server).await;
    let scene = with_a_model(&server);
    let brief = "base = \"cowboy\"\nname = \"brief\"\nmax_rounds = 2\npolicy.turn_seconds = 1\n";
    fs::write(scene.path("brief.toml"), brief).expect("writable");
    let cup = format!(
        "name = \"late\"\nplayers = [\"still\", \"greedy\"]\nblocks = 1\nrulesets = [\"{}\"]\n",
        scene.path("brief.toml")
    );
    fs::write(scene.path("cup.toml"), cup).expect("writable");
    let played = scene.tournament(&["--config", &scene.path("standoff.toml"), "--json"]);
    let games = lines(&stdout(&played), "game");
    assert_eq!(games.len(), 2, "{games:?}");
    // Two games of two turns each, and the journal knows that all of them were sent.
    assert_eq!(asked(&server).await, 4);
    let board = scene.leaderboard("s.db");
    let late = board["players"].as_array().expect("a list").iter().find(|row| row["name"] == "still");
    let late = late.expect("it played");
    assert_eq!(late["lapses"]["too_slow"], 4, "{late}");
}

async fn asked(server: &MockServer) -> u64 {
    server.received_requests().await.map_or(0, |requests| requests.len() as u64)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_stops_it_and_no_answer_is_paid_for_twice() {
    let server = model().await;
    let scene = with_a_model(&server);
    let config = scene.path("standoff.toml");
    let first = complaint(&scene.tournament(&["--config", &config, "--max-calls", "7"]), 1);
    assert!(
        first.contains("--max-calls") && first.contains("resume; 0 of 2 games") && first.contains("--resume"),
        "{first}"
    );
    assert_eq!(asked(&server).await, 7);
    let again = complaint(&scene.tournament(&["--config", &config, "--max-calls", "7", "--resume"]), 1);
    assert!(again.contains("all 7 calls are made and none is under way"), "{again}");
    assert_eq!(asked(&server).await, 7);
    stdout(&scene.tournament(&["--config", &config, "--resume"]));
    let board = scene.leaderboard("s.db");
    let paid =
        board["players"].as_array().expect("a list").iter().find(|row| row["name"] == "still").expect("it played");
    assert_eq!(paid["calls"].as_u64(), Some(asked(&server).await), "{paid}");
    let usd = paid["usd"].as_f64().expect("a number");
    assert!((usd - 0.00105 * paid["calls"].as_f64().expect("a number")).abs() < 1e-9, "{paid}");
    let plan = stdout(&scene.tournament(&["--config", &config, "--plan"]));
    assert!(plan.contains("earlier calls"), "{plan}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_model_can_do_is_asked_once_however_often_a_run_is_taken_up() {
    let server = model().await;
    let scene = with_a_model(&server);
    let config = scene.path("standoff.toml");
    let profile = fs::read_to_string(&config).expect("readable").replace("\"text\"", "\"auto\"");
    fs::write(&config, profile).expect("writable");
    for calls in ["5", "9"] {
        complaint(&scene.tournament(&["--config", &config, "--max-calls", calls, "--resume"]), 1);
        assert_eq!(asked(&server).await.to_string(), calls);
    }
    stdout(&scene.tournament(&["--config", &config, "--resume"]));
    let board = scene.leaderboard("s.db");
    let paid = board["players"].as_array().expect("a list").iter().find(|row| row["name"] == "still");
    let calls = paid.expect("it played")["calls"].as_u64().expect("a number");
    // It calls no tools and answers under no schema: two questions.
    assert_eq!(asked(&server).await, calls + 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_in_the_middle_of_a_paid_game_it_asks_nothing_again_that_was_answered() {
    let server = model().await;
    let scene = with_a_model(&server);
    let config = scene.path("standoff.toml");
    let mut child = scene.begin(&["--config", &config]);
    let some = async {
        while asked(&server).await < 9 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), some).await.expect("it asks");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let resumed = scene.tournament(&["--config", &config, "--resume", "--json"]);
    let board = &lines(&stdout(&resumed), "leaderboard")[0];
    let paid =
        board["players"].as_array().expect("a list").iter().find(|row| row["name"] == "still").expect("it played");
    let calls = paid["calls"].as_u64().expect("a number");
    // The one that was under way had no answer yet.
    let asked = asked(&server).await;
    assert!((calls..=calls + 1).contains(&asked), "{asked} requests for {calls} calls");
}

#[test]
fn resuming_without_a_file_goes_on_with_the_last_one_of_its_own_kind() {
    let scene = Scene::new(&BOTS.replace("blocks = 6", "blocks = 600"));
    let experiment = "name = \"brief\"\nmodels = [\"greedy\"]\nvariants = [\"standard\", \"bare\"]\nblocks = 3000\ngates = [\"games\"]\n";
    fs::write(scene.path("e.toml"), experiment).expect("writable");
    let (store, file) = (scene.path("s.db"), scene.path("e.toml"));
    // Both are begun and stopped, the tournament first.
    complaint(&scene.tournament(&["--max-minutes", "0"]), 1);
    complaint(&run(&["experiment", &file, "--store", &store, "--max-minutes", "0"]), 13);
    let resumed = run(&["tournament", "--resume", "--store", &store, "--max-minutes", "0"]);
    let said = complaint(&resumed, 1);
    assert!(said.contains("of 3600 games"), "{said}");
    // And the other way round: now the tournament is what was begun last.
    let later = Scene { folder: tempfile::tempdir().expect("a folder") };
    fs::write(later.path("cup.toml"), BOTS.replace("blocks = 6", "blocks = 600")).expect("writable");
    let store = later.path("s.db");
    complaint(&run(&["experiment", &file, "--store", &store, "--max-minutes", "0"]), 13);
    complaint(&later.tournament(&["--max-minutes", "0"]), 1);
    let said = complaint(&run(&["experiment", "--resume", "--store", &store, "--max-minutes", "0"]), 13);
    assert!(said.contains("of 12000 games"), "{said}");
    let none = complaint(&run(&["experiment", "--resume", "--store", &later.path("other.db")]), 2);
    assert!(none.contains("no experiment is waiting to go on"), "{none}");
}

#[test]
fn a_report_that_cannot_be_written_is_said_before_anything_is_played() {
    let scene = Scene::new(BOTS);
    fs::write(scene.path("taken"), "a file").expect("writable");
    let said = complaint(&scene.tournament(&["--report", &scene.path("taken")]), 2);
    assert!(said.contains("no report can be written to"), "{said}");
    assert!(!Path::new(&scene.path("s.db")).exists(), "nothing is begun");
}

#[test]
fn variants_that_are_not_there_are_said_with_their_place_also_for_bots() {
    let scene = Scene::new(BOTS);
    let experiment = "name = \"brief\"\nmodels = [\"greedy\"]\nvariants = [\"standard\", \"nonesuch\"]\nblocks = 1\n";
    fs::write(scene.path("e.toml"), experiment).expect("writable");
    let said = complaint(&run(&["experiment", &scene.path("e.toml"), "--plan"]), 2);
    assert!(said.contains("e.toml:3:25") && said.contains("nonesuch"), "{said}");
}
