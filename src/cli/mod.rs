//! The command line: one file a command, and what people see of a match.

pub mod draw;
