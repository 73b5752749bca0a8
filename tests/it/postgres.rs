//! The program with its store on a PostgreSQL server. `./check` starts one where it can; on one's own, which should be one
//! to throw away:
//!
//! ```text
//! STANDOFF_POSTGRES=postgres://USER:PASSWORD@HOST/DATABASE cargo test postgres:: -- --ignored
//! ```

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Output, Stdio};

use crate::program::{complaint, run, standoff, stdout};

/// A place of its own on the server: the tests' server has room for as many databases as there are tests.
fn store(name: &str) -> String {
    let address = std::env::var("STANDOFF_POSTGRES").expect("STANDOFF_POSTGRES names a server to try things on");
    let made = std::process::Command::new("psql").args([&address, "-qc", &format!("CREATE SCHEMA {name}")]).output();
    let made = made.expect("psql is there with the server");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    format!("{address}?options=-csearch_path%3D{name}")
}

/// Every record of a store, by its file's name.
fn records(store: &str, folder: &Path) -> Vec<(String, Vec<u8>)> {
    stdout(&run(&["export", "--store", store, "--out", &folder.display().to_string()]));
    let name = |path: &Path| path.file_name().expect("a file").to_string_lossy().into_owned();
    let files = fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
    let mut files: Vec<_> = files.map(|file| (name(&file), fs::read(&file).expect("readable"))).collect();
    files.sort();
    files
}

#[test]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
fn a_tournament_killed_on_a_server_ends_as_one_in_a_file_that_was_not() {
    let server = store("killed");
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (cup, file) = (path("cup.toml"), path("whole.db"));
    fs::write(&cup, "name = \"long\"\nplayers = [\"random\", \"greedy\", \"search:1000\"]\nblocks = 30\n")
        .expect("writable");
    for (kill, resume) in [&[][..], &["--resume"], &["--resume"]].into_iter().enumerate() {
        let args = [&["tournament", &cup, "--json", "--store", &server], resume].concat();
        let mut child = standoff(&args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let mut news = BufReader::new(child.stdout.take().expect("piped")).lines();
        for _ in 0..=kill {
            news.next().expect("a game ends").expect("readable");
        }
        if kill == 0 {
            let said = complaint(&run(&["tournament", &cup, "--resume", "--store", &server]), 1);
            assert!(said.contains("is being played by another process"), "{said}");
        }
        child.kill().expect("it runs");
        child.wait().expect("it ends");
    }
    let begun: Output = run(&["tournament", &cup, "--store", &server]);
    let said = complaint(&begun, 1);
    let password = server.split([':', '@']).nth(2).expect("it has one");
    assert!(said.contains("--resume --store postgres://") && !said.contains(password), "{said}");
    stdout(&run(&["tournament", "--resume", "--store", &server]));
    stdout(&run(&["tournament", &cup, "--store", &file]));
    let (parts, whole) = (records(&server, &folder.path().join("parts")), records(&file, &folder.path().join("whole")));
    assert_eq!(parts.len(), 180);
    assert!(parts == whole, "the records differ");
    for command in ["leaderboard", "matches"] {
        let said = |store: &str| stdout(&run(&[command, "--json", "--store", store]));
        assert_eq!(said(&server).lines().count(), said(&file).lines().count(), "{command}");
    }
    let board = |store: &str| stdout(&run(&["leaderboard", "--json", "--store", store]));
    assert_eq!(board(&server), board(&file));
}
