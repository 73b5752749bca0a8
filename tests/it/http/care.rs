//! `standoff store`: what whoever runs a store does to it, on a SQLite file and on a PostgreSQL server.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use sqlx::Connection as _;

use super::client::Client;
use crate::program::{complaint, run, stdout};
use crate::serve::Server;

/// Changes a store behind the program's back.
fn alter(store: &str, sql: &str) {
    if store.starts_with("postgres:") {
        let (address, schema) = store.split_once("?options=-csearch_path%3D").expect("a schema of its own");
        let sql = format!("SET search_path = {schema}; {sql}");
        let psql = std::process::Command::new("psql").args([address, "-qv", "ON_ERROR_STOP=1", "-c", &sql]).output();
        let psql = psql.expect("psql is there with the server");
        assert!(psql.status.success(), "{sql}: {}", String::from_utf8_lossy(&psql.stderr));
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut file = sqlx::SqliteConnection::connect(&format!("sqlite://{store}")).await.expect("it opens");
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql))
            .execute(&mut file)
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
        file.close().await.expect("it closes");
    });
}

fn check(store: &str) -> Output {
    run(&["store", "check", "--json", "--store", store])
}

/// What a check finds wrong, and the rest of what it says.
fn findings(store: &str) -> (Vec<String>, Json) {
    let checked = check(store);
    let said: Json = serde_json::from_slice(&checked.stdout).unwrap_or_else(|error| panic!("{error}: {checked:?}"));
    let wrong: Vec<String> = serde_json::from_value(said["wrong"].clone()).expect("a list");
    assert_eq!(checked.status.code(), Some(i32::from(!wrong.is_empty())), "{said}");
    (wrong, said)
}

/// A small tournament among bots: eight games, from `.0.0` to `.3.1`.
fn tournament(store: &str, folder: &Path) {
    let cup = folder.join("cup.toml");
    fs::write(&cup, "name = \"cup\"\nplayers = [\"random\", \"greedy\"]\nblocks = 4\n").expect("writable");
    stdout(&run(&["tournament", cup.to_str().expect("UTF-8"), "--store", store]));
}

/// Everything that can be wrong with one match, each with another one.
fn every_fault_is_named(store: &str, folder: &Path) {
    tournament(store, folder);
    assert!(stdout(&run(&["store", "check", "--store", store])).starts_with("8 matches, 8 verified"));
    let faults = [
        (".0.0", "UPDATE matches SET result = replace(result, '\"turns\":', '\"turns\":1')", "the result"),
        (".0.1", "UPDATE matches SET lines = lines + 1", "are noted"),
        (".1.0", "UPDATE matches SET status = 'live'", "the other way round"),
        (".1.1", "UPDATE matches SET seats = replace(seats, 'greedy', 'clever')", "the players"),
        (".2.0", "UPDATE matches SET seed = seed + 1", "the seed"),
        (".2.1", "UPDATE matches SET chain = '00112233445566778899aabbccddeeff'", "the digest"),
        (".3.0", "DELETE FROM matches", ""),
    ];
    for (id, sql, _) in faults {
        alter(store, &format!("{sql} WHERE id LIKE '%{id}'"));
    }
    // Whether the one that is gone was alone in its pack hangs on which games were stored together.
    alter(store, "DELETE FROM packs WHERE NOT EXISTS (SELECT 1 FROM matches WHERE pack = packs.number)");
    alter(store, "INSERT INTO sealed (match_id, turn, seat, action) VALUES ('nowhere', 1, 'A', 'move up')");
    let (wrong, said) = findings(store);
    for (id, _, words) in faults.iter().filter(|(.., words)| !words.is_empty()) {
        let of_it: Vec<&String> = wrong.iter().filter(|line| line.contains(&format!("{id}:"))).collect();
        assert!(of_it.len() == 1 && of_it[0].contains(words), "{id} {words}: {wrong:?}");
    }
    for orphan in ["games of a tournament without a match: 1", "sealed actions without a match: 1"] {
        assert!(wrong.iter().any(|line| line == orphan), "{orphan}: {wrong:?}");
    }
    assert_eq!(wrong.len(), 8, "{wrong:?}");
    // Of the one whose lines are counted wrongly the record itself holds.
    assert_eq!((&said["matches"], &said["verified"]), (&json!(7), &json!(2)), "{said}");
}

/// Records that cannot be read any more are named one by one, and what can be read is looked at.
fn damaged_packs_are_named(store: &str, folder: &Path) {
    tournament(store, folder);
    let server = Server::start(Path::new(store), &[], None);
    let (id, _) = give_up(&Client::of(&server));
    drop(server);
    alter(
        store,
        "UPDATE packs SET bytes = substr(bytes, 1, length(bytes) - 20) WHERE number IN (SELECT pack FROM matches WHERE id LIKE 'cup-%')",
    );
    let (wrong, said) = findings(store);
    assert!(wrong.len() == 8 && wrong.iter().all(|line| line.starts_with("cup-")), "{wrong:?}");
    assert_eq!(said["verified"], 1, "{id} is as it was");
}

/// A guest plays a bot and gives up: a match that counts for nobody. Gives its name and its seat.
fn give_up(anybody: &Client) -> (String, Client) {
    let (id, seats) = anybody.open(&json!({ "ruleset": "cowboy-duel", "seats": ["me", "random"], "ticks": false }));
    seats[0].post(&format!("/matches/{id}/resign"), &Json::Null).expect(200);
    seats[0].after(&id, 1000);
    (id, seats[0].clone())
}

/// What is old and never counted goes; what is in play, counted or of a tournament stays.
fn only_what_never_counted_is_pruned(store: &str, folder: &Path) {
    tournament(store, folder);
    let server = Server::start(Path::new(store), &[], None);
    let anybody = Client::of(&server);
    let (gone, _) = give_up(&anybody);
    let (live, seats) = anybody.open(&json!({ "ruleset": "paint", "seats": ["me", "me"], "ticks": false }));
    seats[0].act(&live, &json!({ "action": "move east" })).expect(200);
    let (ann, bob) = (anybody.register("Ann"), anybody.register("Bob"));
    let queue =
        |player: &Client| player.post("/matches/queue", &json!({ "mode": "paint", "players": 2, "bots": false }));
    queue(&ann).expect(200);
    let left = queue(&bob).expect(200)["match_id"].as_str().expect("a match").to_owned();
    drop(server);
    // A match of the queue that was broken off never counted either.
    alter(store, &format!("UPDATE matches SET status = 'suspended' WHERE id = '{left}'"));
    for id in [&gone, &live] {
        let values = format!("'{id}', 'A', 0, 0, 'd', 'request', 'answer', 1");
        alter(
            store,
            &format!(
                "INSERT INTO calls (match_id, seat, turn, ordinal, digest, request, answer, at) VALUES ({values})"
            ),
        );
    }
    let prune = |args: &[&str]| stdout(&run(&[&["store", "prune", "--store", store], args].concat()));
    assert_eq!(prune(&["--older-than", "1h"]), "0 matches are gone\n", "nothing is so old");
    assert_eq!(prune(&["calls", "--older-than", "0m", "--dry-run"]), "1 calls to models would go\n");
    assert_eq!(prune(&["calls", "--older-than", "0m"]), "1 calls to models are gone\n");
    assert_eq!(prune(&["calls", "--older-than", "0m"]), "0 calls to models are gone\n");
    assert_eq!(prune(&["--older-than", "0m", "--dry-run"]), "2 matches would go\n");
    assert_eq!(prune(&["--older-than", "0m"]), "2 matches are gone\n");
    assert_eq!(findings(store).1["matches"], 9, "the tournament's, and the one in play");
    let server = Server::start(Path::new(store), &[], None);
    let anybody = Client::of(&server);
    for id in [&gone, &left] {
        assert_eq!(anybody.get(&format!("/matches/{id}")).problem(404), "no_match");
    }
    let seat = seats[1].at(&anybody);
    seat.act(&live, &json!({ "action": "move north" })).expect(200);
    assert_eq!(seat.after(&live, 0)["turn"], 1, "it goes on, with what was sealed before");
    // Nobody waits for ever in a match that is no more.
    assert_eq!(queue(&ann.at(&anybody)).expect(200)["status"], "waiting");
    assert_eq!(queue(&bob.at(&anybody)).expect(200)["status"], "matched");
}

fn file(folder: &Path) -> String {
    folder.join("s.db").to_str().expect("UTF-8").to_owned()
}

#[test]
fn every_fault_of_a_file_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    every_fault_is_named(&file(folder.path()), folder.path());
}

#[test]
fn damaged_packs_of_a_file_are_named_and_the_rest_is_looked_at() {
    let folder = tempfile::tempdir().expect("a folder");
    damaged_packs_are_named(&file(folder.path()), folder.path());
}

#[test]
fn what_never_counted_is_pruned_from_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    only_what_never_counted_is_pruned(&file(folder.path()), folder.path());
}

#[test]
fn a_file_whose_pages_are_damaged_is_said_to_be() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = file(folder.path());
    tournament(&store, folder.path());
    let mut bytes = fs::read(&store).expect("readable");
    let (from, to) = (bytes.len() / 2, bytes.len());
    bytes[from..to].fill(0xa5);
    fs::write(&store, &bytes).expect("writable");
    let checked = check(&store);
    let said = format!("{}{}", String::from_utf8_lossy(&checked.stdout), String::from_utf8_lossy(&checked.stderr));
    assert_eq!(checked.status.code(), Some(1), "{said}");
    assert!(said.contains("malformed") || said.contains("Tree") || said.contains("damaged"), "{said}");
}

/// A server plays while its store is copied, again and again: each copy is whole, has all that was acknowledged before it,
/// and goes on with the same keys.
#[test]
fn a_copy_is_made_while_a_server_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = file(folder.path());
    let server = Server::start(Path::new(&store), &["--rate", "0"], None);
    let anybody = Client::of(&server);
    let rules = json!({ "base": "paint", "turns": 1000, "policy": { "turn_seconds": 0 } });
    let open = json!({ "ruleset": rules, "seats": ["me", "me"], "ticks": false });
    let matches: Vec<(String, Vec<Client>)> = (0..3).map(|_| anybody.open(&open)).collect();
    let done = AtomicBool::new(false);
    let copies: Vec<(String, Vec<u64>)> = std::thread::scope(|scope| {
        for (id, seats) in &matches {
            let done = &done;
            scope.spawn(move || {
                let mut turn = 0;
                while !done.load(Ordering::Relaxed) {
                    for seat in seats {
                        let action = seat.view(id)["legal_actions"][0].clone();
                        seat.act(id, &json!({ "action": action, "turn": turn })).expect(200);
                    }
                    turn = seats[0].after(id, turn)["turn"].as_u64().expect("a number");
                }
            });
        }
        let turns = || matches.iter().map(|(id, _)| anybody.view(id)["turn"].as_u64().expect("a number")).collect();
        let copies = (0..3).map(|number| {
            let before: Vec<u64> = turns();
            // Something happens in between, in every match.
            let until = Instant::now() + Duration::from_mins(1);
            let stands_still = |now: Vec<u64>| now.iter().zip(&before).any(|(now, before)| now <= before);
            while stands_still(turns()) && Instant::now() < until {}
            let before = turns();
            let copy = folder.path().join(format!("copy{number}.db")).to_str().expect("UTF-8").to_owned();
            stdout(&run(&["store", "backup", &copy, "--store", &store]));
            (copy, before)
        });
        let copies = copies.collect();
        // The store itself can be looked at in the meantime, too.
        assert_eq!(findings(&store).0, Vec::<String>::new());
        done.store(true, Ordering::Relaxed);
        copies
    });
    drop(server);
    for (copy, before) in &copies {
        assert_eq!(findings(copy).0, Vec::<String>::new(), "{copy}");
        let server = Server::start(Path::new(copy), &[], None);
        let there = Client::of(&server);
        for ((id, seats), before) in matches.iter().zip(before) {
            let seat = seats[0].at(&there);
            let turn = seat.view(id)["turn"].as_u64().expect("a number");
            assert!(turn >= *before && *before > 0, "{copy} {id}: {turn}, and {before} were played");
            for seat in seats {
                let seat = seat.at(&there);
                let action = seat.view(id)["legal_actions"][0].clone();
                // One that was sealed already stays as it is.
                assert!([200, 409].contains(&seat.act(id, &json!({ "action": action, "turn": turn })).status));
            }
            assert_eq!(seat.after(id, turn)["turn"], turn + 1);
        }
    }
    let (copy, _) = &copies[0];
    let said = complaint(&run(&["store", "backup", copy, "--store", &store]), 1);
    assert!(said.contains("already exists"), "{said}");
}

mod postgres {
    use super::*;
    use crate::postgres::store;

    #[test]
    #[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
    fn every_fault_of_a_database_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        every_fault_is_named(&store("care_faults"), folder.path());
    }

    #[test]
    #[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
    fn damaged_packs_of_a_database_are_named_and_the_rest_is_looked_at() {
        let folder = tempfile::tempdir().expect("a folder");
        damaged_packs_are_named(&store("care_packs"), folder.path());
    }

    #[test]
    #[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
    fn what_never_counted_is_pruned_from_a_database() {
        let folder = tempfile::tempdir().expect("a folder");
        only_what_never_counted_is_pruned(&store("care_prune"), folder.path());
    }

    #[test]
    #[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
    fn a_database_is_copied_by_its_own_means_and_the_program_says_which() {
        let (store, folder) = (store("care_backup"), tempfile::tempdir().expect("a folder"));
        tournament(&store, folder.path());
        let copy = folder.path().join("copy.db");
        let said = complaint(&run(&["store", "backup", copy.to_str().expect("UTF-8"), "--store", &store]), 1);
        let password = store.split([':', '@']).nth(2).expect("it has one");
        assert!(said.contains("pg_dump") && !said.contains(password) && !copy.exists(), "{said}");
    }
}
