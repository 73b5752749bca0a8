//! Games of tournaments that another process plays, watched as they are played.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::client::{Client, server};

/// The seed of the tournament.
const SEED: u64 = 987_654_321;

/// Plays by the rules and waits after its third turn until it may go on.
const HESITANT: &str = r#"
import json, os, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready"}), flush=True)
    elif message["type"] == "turn":
        while message["seat"] in "SEATS" and message["turn"] >= 5 and not os.path.exists("GO"):
            time.sleep(0.01)
        print(json.dumps({"type": "action", "nonce": message["nonce"], "action": message["legal"][0]}), flush=True)
"#;

/// A tournament of that program and a bot, under way, and where it may be told to go on.
struct UnderWay {
    process: Child,
    go: std::path::PathBuf,
}

impl UnderWay {
    fn begin(folder: &Path, ruleset: &str) -> UnderWay {
        UnderWay::waiting(folder, ruleset, "AB")
    }

    /// The same where the program only waits on these seats.
    fn waiting(folder: &Path, ruleset: &str, seats: &str) -> UnderWay {
        let go = folder.join("go");
        let program = folder.join("hesitant.py");
        fs::write(&program, HESITANT.replace("GO", &go.display().to_string()).replace("SEATS", seats))
            .expect("written");
        let cup = folder.join("cup.toml");
        let text = format!(
            "name = \"cup\"\nplayers = [\"random\", \"process:python3 {}\"]\nrulesets = [\"{ruleset}\"]\nblocks = 1\nseed = {SEED}\n",
            program.display()
        );
        fs::write(&cup, text).expect("written");
        let process = Command::new(env!("CARGO_BIN_EXE_standoff"))
            .arg("tournament")
            .arg(&cup)
            .arg("--store")
            .arg(folder.join("s.db"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it runs");
        UnderWay { process, go }
    }

    fn finish(mut self) {
        fs::write(&self.go, "").expect("written");
        assert!(self.process.wait().expect("it ends").success());
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The tournament as soon as this is so.
fn once(anybody: &Client, is_so: impl Fn(&Json) -> bool) -> Json {
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        let answer = anybody.get("/tournaments/cup");
        if answer.status == 200 {
            let one = answer.json();
            if is_so(&one) {
                return one;
            }
        }
        assert!(Instant::now() < until, "it does not come to that: {}", answer.text);
    }
}

/// Nothing in a text of the server can be computed from.
fn gives_nothing_away(text: &str) {
    for word in ["\"seed\":\"", "state_hash", "\"hash\"", "\"chain\""] {
        assert!(!text.contains(word), "{word} in {text}");
    }
}

#[test]
fn a_game_of_a_tournament_is_watched_as_it_is_played() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let cup = UnderWay::begin(folder.path(), "cowboy");
    let waits = |one: &Json| {
        let turns = one["playing"].as_array().into_iter().flatten().map(|game| game["turn"].as_u64());
        turns.clone().count() > 0 && turns.flatten().all(|turn| turn >= 4)
    };
    let one = once(&anybody, waits);
    gives_nothing_away(&one.to_string());
    assert_eq!(one["in_play"], one["playing"].as_array().expect("a list").len());
    let game = &one["playing"][0];
    assert!(game["scene"]["board"].is_object(), "{game}");
    let id = game["match_id"].as_str().expect("a name").to_owned();
    // It is among the live matches, and looks like one of them.
    let listed = anybody.get("/matches?status=playing&boards=1").expect(200);
    assert!(listed["matches"].as_array().is_some_and(|all| all.iter().any(|one| one["match_id"] == id)), "{listed}");
    let view = anybody.view(&id);
    assert_eq!((&view["status"], &view["seat"]), (&json!("playing"), &Json::Null));
    assert_eq!(view["seats"][0]["player"].as_str().map(str::is_empty), Some(false));
    for path in ["", "/turns", "/record"] {
        let answer = anybody.get(&format!("/matches/{id}{path}"));
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        gives_nothing_away(&answer.text);
    }
    assert_eq!(anybody.get(&format!("/matches/{id}/analysis")).problem(409), "still_playing");
    assert_eq!(anybody.file(&format!("/m/{id}.svg"), "").0, 200);
    // Who follows it is told every turn once, and how it ended.
    let told = anybody.events(&format!("/matches/{id}/events?since=0"), "");
    cup.finish();
    let all: Vec<_> = told.collect();
    assert_eq!((all[0].name.as_str(), &all[0].data["status"]), ("match", &json!("playing")));
    let turns: Vec<_> = all.iter().filter(|event| event.name == "turn").map(|event| event.id).collect();
    let view = anybody.view(&id);
    let played = view["turn"].as_u64().expect("a number");
    assert_eq!(turns, (1..=played).map(Some).collect::<Vec<_>>());
    assert_eq!((&all.last().expect("events").name[..], &view["status"]), ("end", &json!("over")));
    // Nothing is left of having been watched.
    let one = once(&anybody, |one| one["finished"] == true);
    assert_eq!((&one["in_play"], &one["playing"]), (&json!(0), &json!([])));
    assert!(one["blocks"][0]["seed"].is_string(), "{}", one["blocks"]);
}

#[test]
fn a_game_that_hides_something_shows_no_more_while_it_is_played() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    let cup = UnderWay::begin(folder.path(), "grid-royale-fog");
    let one = once(&anybody, |one| one["playing"][0]["turn"].as_u64().is_some_and(|turn| turn >= 3));
    gives_nothing_away(&one.to_string());
    let id = one["playing"][0]["match_id"].as_str().expect("a name").to_owned();
    let view = anybody.view(&id);
    assert!(view["state"]["bots"].as_array().is_some_and(|bots| bots.iter().all(|bot| bot["position"].is_null())));
    assert_eq!(anybody.get(&format!("/matches/{id}/record")).problem(409), "hidden");
    let turns = anybody.get(&format!("/matches/{id}/turns")).expect(200);
    for turn in turns["turns"].as_array().expect("a list") {
        assert_eq!(turn["actions"], json!({}), "{turn}");
        assert!(turn["reasoning"].is_null(), "{turn}");
    }
    assert_eq!(anybody.file(&format!("/m/{id}.svg"), "").0, 409);
    cup.finish();
    assert!(anybody.get(&format!("/matches/{id}/record")).text.contains("\"seed\""));
}

#[test]
fn a_game_that_is_over_gives_nothing_away_of_its_sibling_that_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server(folder.path(), &[]);
    let anybody = Client::of(&server);
    // With the program on seat A the game goes on to its end, with it on seat B it waits.
    let cup = UnderWay::waiting(folder.path(), "cowboy", "B");
    let one = once(&anybody, |one| {
        one["blocks"][0]["games"][0].is_object() && one["playing"][0]["turn"].as_u64().is_some_and(|turn| turn >= 4)
    });
    let over = one["blocks"][0]["games"][0]["match_id"].as_str().expect("a name").to_owned();
    let in_play = one["playing"][0]["match_id"].as_str().expect("a name").to_owned();
    let mut paths = vec!["/api/v1/tournaments".to_owned(), "/t/cup".to_owned()];
    let below = ["", "/report", "/report?lang=zh"];
    paths.extend(below.map(|path| format!("/api/v1/tournaments/cup{path}")));
    for id in [&over, &in_play] {
        let below = ["", "/turns", "/record", "/verify", "/analysis", "/events?since=0"];
        paths.extend(below.map(|path| format!("/api/v1/matches/{id}{path}")));
        paths.extend(["", ".svg", "/turn/1", "/embed"].map(|path| format!("/m/{id}{path}")));
    }
    let below = ["", "/rating", "/history", "/head-to-head"];
    paths.extend(below.map(|path| format!("/api/v1/players/house:random{path}")));
    paths.extend(["/api/v1/matches?boards=1", "/api/v1/leaderboard", "/p/random"].map(str::to_owned));
    // A stream is read once the tournament is over: what it told before is in it.
    let (streams, paths): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| path.contains("/events"));
    let streams: Vec<_> =
        streams.iter().map(|path| (path, anybody.events(path.strip_prefix("/api/v1").expect("an API"), ""))).collect();
    let mut doors: Vec<(String, String)> = vec![("the tournament".to_owned(), one.to_string())];
    for path in paths {
        let answer = anybody.raw("GET", &path, "", "");
        assert!(matches!(answer.status, 200 | 202 | 409), "{path}: {} {}", answer.status, answer.text);
        doors.push((path, answer.text));
    }
    // Whoever asks on a pipe, beside the server.
    let mut pipe = crate::mcp::program::Program::start(&folder.path().join("s.db"));
    for (tool, arguments) in [
        ("list_matches", json!({})),
        ("list_matches", json!({ "show": "leaderboard" })),
        ("get_state", json!({ "match_id": in_play })),
    ] {
        doors.push((format!("MCP {tool} {arguments}"), pipe.call(tool, &arguments).to_string()));
    }
    for id in [&over, &in_play] {
        for part in ["state", "record"] {
            let uri = format!("standoff://match/{id}/{part}");
            doors.push((uri.clone(), pipe.ask("resources/read", &json!({ "uri": uri })).to_string()));
        }
    }
    drop(pipe);
    cup.finish();
    for (path, events) in streams {
        doors.extend(events.map(|event| (path.clone(), event.data.to_string())));
    }
    let one = once(&anybody, |one| one["finished"] == true);
    let shared = one["blocks"][0]["seed"].as_str().expect("it is told now").to_owned();
    for (door, text) in &doors {
        assert!(!text.contains(&shared), "{door} has the seed of the block: {text}");
        // That there is none yet may be said.
        let text = text.replace("\"seed\":null", "");
        assert_eq!(super::secrets::gives_away(&text, &[&SEED.to_string()]), None, "{door}: {text}");
    }
    // And now everybody may know.
    let record = anybody.get(&format!("/matches/{over}/record")).text;
    assert!(record.contains(&shared) && record.contains("state_hash"), "{record}");
    assert!(anybody.get(&format!("/matches/{over}/verify")).expect(200)["hash"].is_string());
    let report = anybody.get("/tournaments/cup/report").text;
    assert!(report.contains(&SEED.to_string()), "{report}");
}
