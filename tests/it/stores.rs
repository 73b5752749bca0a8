//! Stores that earlier versions of the program wrote.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;
use standoff::store::{Filter, Location, Store};

use crate::program::{run, stdout};

/// Every match of a store with its record, byte for byte.
async fn records(store: &Store) -> Vec<(String, Vec<u8>)> {
    let mut records = Vec::new();
    for found in store.matches(&Filter::default()).await.expect("a list") {
        let record = store.record(&found.id, 0).await.expect("a record");
        records.push((found.id, record));
    }
    records
}

/// `tests/stores/first.db` is of the fourth version of the tables, with its leaderboard beside it.
#[tokio::test]
async fn a_store_of_an_earlier_version_gives_the_same_before_and_after_it_is_brought_up_to_date() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stores");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("first.db");
    fs::write(&path, fs::read(kept.join("first.db")).expect("it is there")).expect("a copy");
    let location = Location::File(path.clone());
    let store = Store::open_to_read(&location).await.expect("it can be read as it is");
    let before = records(&store).await;
    store.close().await;
    assert_eq!(before.len(), 54);
    assert!(before.iter().all(|(_, record)| record.starts_with(b"{") && record.ends_with(b"}\n")));

    let store = Store::open(&location).await.expect("it is brought up to date");
    assert!(records(&store).await == before, "a record has changed");
    store.close().await;
    let board = run(&["leaderboard", "--json", "--store", path.to_str().expect("UTF-8")]);
    let board: Json = serde_json::from_str(&stdout(&board)).expect("JSON");
    let expected = fs::read_to_string(kept.join("first-leaderboard.json")).expect("it is there");
    assert_eq!(board["players"], serde_json::from_str::<Json>(&expected).expect("JSON")["players"]);
}
