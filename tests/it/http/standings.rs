//! Tournaments that are kept, as pages and programs read them.

use std::process::Command;

use serde_json::{Value as Json, json};

use super::client::{Client, server};

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
