//! The program: parse, run, exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    standoff::cli::main(std::env::args_os())
}
