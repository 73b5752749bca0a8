//! Running the program as its users do.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// The program with these arguments, away from the user's terminal and settings.
pub(crate) fn standoff(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_standoff"));
    command.args(args).env_remove("NO_COLOR").stdin(Stdio::null());
    command
}

/// Runs it to its end.
pub(crate) fn run(args: &[&str]) -> Output {
    standoff(args).output().expect("the program starts")
}

/// Runs it with an input.
pub(crate) fn run_with(args: &[&str], input: &[u8]) -> Output {
    let mut child = standoff(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // The program may leave before it has read all of it.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("writing does not panic");
    output
}

/// What it printed, where all went well.
pub(crate) fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{:?}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// What it complained about, with this exit code.
pub(crate) fn complaint(output: &Output, code: i32) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    assert!(!stderr.contains("panicked") && !stderr.contains("RUST_BACKTRACE"), "{stderr}");
    stderr
}
