//! Tournaments that are kept, as pages and programs read them.

use std::process::Command;

use serde_json::{Value as Json, json};
use standoff::store::{Change, Location, Store, TournamentInfo};

use super::client::{Client, answered, server};

const CUP: &str = r#"
name = "cup"
players = ["random", "greedy", "search:50"]
rulesets = ["paint"]
format = "knockout"
blocks = 1
seed = 3
"#;

#[test]
fn a_tournament_is_read_with_its_bracket_its_games_and_its_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("cup.toml");
    std::fs::write(&file, CUP).expect("written");
    let played = Command::new(env!("CARGO_BIN_EXE_standoff"))
        .arg("tournament")
        .arg(&file)
        .arg("--store")
        .arg(folder.path().join("s.db"))
        .output()
        .expect("it runs");
    assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let list = anybody.get("/tournaments").expect(200);
    let line = &list["tournaments"][0];
    assert_eq!((&line["name"], &line["kind"], &line["finished"]), (&json!("cup"), &json!("tournament"), &json!(true)));
    let id = line["id"].as_str().expect("an id");
    let one = anybody.get(&format!("/tournaments/{id}")).expect(200);
    let games: usize = one["blocks"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|block| block["games"].as_array().map_or(0, Vec::len))
        .sum();
    assert_eq!(line["games"], games);
    let standings = one["standings"].as_array().expect("a list");
    let played: u64 = standings.iter().filter_map(|row| row["games"].as_u64()).sum();
    assert_eq!((standings.len(), played), (3, 2 * games as u64), "two play in a game");
    let rounds = one["bracket"].as_array().expect("a knockout has one");
    assert_eq!((rounds.len(), &rounds[0][0]["upper"], &rounds[0][0]["lower"]), (2, &json!("random"), &Json::Null));
    assert_eq!(rounds[1][0]["winner"], standings[0]["name"]);
    // Nobody works on a file but the process that plays.
    let work = anybody.get("/work").expect(200);
    assert_eq!(work, json!({ "worker_count": 0, "workers": [], "run_count": 0, "runs": [], "waiting": [] }));
    let board = anybody.get(&format!("/leaderboard?tournament={id}")).expect(200);
    assert_eq!(board["games"], games);
    let report = anybody.get(&format!("/tournaments/{id}/report?lang=zh"));
    assert_eq!((report.status, report.header("content-type")), (200, Some("text/html; charset=utf-8")));
    assert!(report.text.contains("search:50"));
    assert!(report.header("content-security-policy").is_some_and(|policy| !policy.contains("script")));
    // Its games are matches like any other, though no arena has them.
    let game = one["blocks"][0]["games"][0]["match_id"].as_str().expect("a name");
    let view = anybody.view(game);
    assert_eq!((&view["status"], &view["seat"]), (&json!("over"), &Json::Null));
    assert_eq!(anybody.get(&format!("/matches/{game}/verify")).expect(200)["verified"], true);
    let events: Vec<_> =
        anybody.get(&format!("/matches/{game}/events?since=98")).text.matches("event: turn").map(drop).collect();
    assert_eq!(events.len(), 2);
    let found = anybody.get("/matches?status=over&player=greedy").expect(200);
    assert_eq!(
        found["matches"].as_array().map(Vec::len),
        standings
            .iter()
            .find(|row| row["name"] == "greedy")
            .and_then(|row| usize::try_from(row["games"].as_u64()?).ok())
    );
}

#[test]
fn an_experiment_says_what_was_asked_of_models_and_what_it_has_cost() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.db");
    let run = |id: &str, kind: &str| {
        Change::Tournament(TournamentInfo {
            id: id.to_owned(),
            name: id.to_owned(),
            file: String::new(),
            hash: String::new(),
            plan: json!({ "kind": kind }).to_string(),
            finished: false,
            created: 0,
        })
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let store = Store::open(&Location::File(path)).await.expect("a store");
        let changes = vec![
            run("prompts-1", "experiment"),
            run("prompts-12", "experiment"),
            run("free-1", "experiment"),
            run("cup-1", "tournament"),
            answered("1", "prompts-1.quiz.0.0.q1", 250_000_000_000, true),
            answered("2", "prompts-1.bank.0.0.p1", 500_000_000_000, true),
            answered("3", "prompts-1.bank.1.0.p1", 500_000_000_000, true),
            answered("4", "prompts-1.bank.1.0.p1", 0, true),
            answered("5", "prompts-1.7.0", 1_000_000_000_000, true),
            answered("6", "prompts-12.bank.0.0.p1", 9_000_000_000_000, false),
        ];
        store.write(changes).await.expect("written");
        store.close().await;
    });
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let spending = |id: &str| anybody.get(&format!("/tournaments/{id}")).expect(200)["spending"].clone();
    assert_eq!(spending("prompts-1"), json!({ "calls": 5, "usd": 2.25, "questions": 1, "positions": 2 }));
    assert_eq!(spending("prompts-12"), json!({ "calls": 1, "usd": null, "questions": 0, "positions": 1 }));
    assert_eq!(spending("free-1"), json!({ "calls": 0, "usd": 0.0, "questions": 0, "positions": 0 }));
    assert_eq!(spending("cup-1"), Json::Null);
    server.end();
}
