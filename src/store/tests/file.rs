//! What only a file can be.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};

use super::*;

fn file() -> (TestPlace, PathBuf) {
    let place = TestPlace::file();
    let Location::File(path) = place.location.clone() else { unreachable!("a file") };
    (place, path)
}

/// Another program at the same file.
pub(super) async fn other(path: &Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(path).create_if_missing(true).connect().await.expect("it connects")
}

pub(super) async fn run(connection: &mut SqliteConnection, sql: &'static str) {
    sqlx::raw_sql(sql).execute(connection).await.expect("it runs");
}

async fn open_as(find: impl FnOnce() -> Sqlite + Send + 'static) -> Store {
    Store { connections: Connections::open(async || Ok(find())).await.expect("opens") }
}

#[tokio::test]
async fn what_is_no_store_of_ours_is_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("file");
    let refused = async |error: fn(Location) -> StoreError| {
        let before = std::fs::read(&path).expect("readable");
        let location = Location::File(path.clone());
        assert_eq!(Store::open(&location).await.expect_err("refused"), error(location.clone()));
        assert_eq!(Store::open_to_read(&location).await.expect_err("refused"), error(location.clone()));
        assert_eq!(std::fs::read(&path).expect("readable"), before);
    };
    std::fs::write(&path, "a text, and a long one at that; no database").expect("writable");
    refused(|at| StoreError::NotAStore { at }).await;
    std::fs::remove_file(&path).expect("removable");
    let mut theirs = other(&path).await;
    run(&mut theirs, "CREATE TABLE recipes (name TEXT)").await;
    theirs.close().await.expect("closes");
    refused(|at| StoreError::NotAStore { at }).await;
    std::fs::remove_file(&path).expect("removable");
    Store::open(&Location::File(path.clone())).await.expect("it opens").close().await;
    let mut later = other(&path).await;
    run(&mut later, "PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)").await;
    later.close().await.expect("closes");
    refused(|at| StoreError::Newer { at, found: 99, known: schema::VERSION }).await;
}

#[tokio::test]
async fn a_file_that_another_program_holds_is_an_error_and_fine_afterwards() {
    let (place, path) = file();
    let (store, record) = begun(&place, 3).await;
    store.close().await;
    let timeout = Duration::from_millis(50);
    let store = open_as({
        let path = path.clone();
        move || Sqlite::with_timeout(path, timeout)
    })
    .await;
    let mut theirs = other(&path).await;
    run(&mut theirs, "BEGIN IMMEDIATE").await;
    let locked = store.append("m1", 3, &record[3..4]).await.expect_err("locked");
    assert_eq!(locked, StoreError::Locked { at: place.location.clone() });
    assert_eq!(store.find("m1").await.expect("readers do not care").expect("there").lines, 3);
    run(&mut theirs, "ROLLBACK").await;
    store.append("m1", 3, &record[3..4]).await.expect("it is free again");
}

#[tokio::test]
async fn a_full_disk_takes_back_the_last_write_alone() {
    let (place, path) = file();
    let (store, record) = begun(&place, 3).await;
    store.close().await;
    // SQLite treats a file that may not grow like a disk that is full.
    let store = open_as(|| Sqlite::cramped(path, "40")).await;
    let long = Change::Note { match_id: "m1".into(), note: "x".repeat(1_000_000) };
    assert_eq!(store.write(vec![long]).await, Err(StoreError::Full { at: place.location.clone() }));
    store.append("m1", 3, &record[3..4]).await.expect("a little one has room");
    assert_eq!(store.find("m1").await.expect("readable").expect("there").lines, 4);
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_may_only_be_read_can_be_read() {
    use std::os::unix::fs::PermissionsExt as _;

    let (place, path) = file();
    let (store, record) = begun(&place, 3).await;
    store.close().await;
    let set = |mode| {
        let parent = path.parent().expect("it has one");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("ours");
        std::fs::set_permissions(parent, std::fs::Permissions::from_mode(mode | 0o111)).expect("ours");
    };
    set(0o444);
    let reader = Store::open_to_read(&place.location).await.expect("it may be read");
    assert_eq!(reader.find("m1").await.expect("readable").expect("there").lines, 3);
    let error = reader.append("m1", 3, &record[3..4]).await.expect_err("a reader");
    assert_eq!(error, StoreError::ReadOnly { at: place.location.clone() });
    // Nothing keeps the superuser from writing.
    if std::fs::OpenOptions::new().write(true).open(&path).is_err() {
        let error = Store::open(&place.location).await.expect_err("it may not be written");
        assert_eq!(error, StoreError::ReadOnly { at: place.location.clone() });
    }
    set(0o755);
}

#[tokio::test]
async fn a_store_that_is_not_there_is_not_made_by_reading() {
    let (place, path) = file();
    let error = Store::open_to_read(&place.location).await.expect_err("nothing there");
    assert_eq!(error, StoreError::Missing { at: place.location.clone() });
    assert!(!path.exists());
}
