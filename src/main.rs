//! The command line of Standoff.

fn main() {}
