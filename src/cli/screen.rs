//! What the terminal at hand can show.

use std::io::{self, IsTerminal};

use super::draw::{AnsiOptions, Depth};
use crate::config::Environment;

/// Whether a person sits at both ends: keys come in, and pictures can be redrawn.
pub(super) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// How many colours there are: none where the output goes to a file, or where the user wants none.
pub(super) fn depth() -> Depth {
    let environment = Environment::of_process();
    if !io::stdout().is_terminal() || environment.wants_no_colour() {
        Depth::Plain
    } else if environment.has_true_colour() {
        Depth::True
    } else {
        Depth::Indexed
    }
}

/// How to draw here.
pub(super) fn options() -> AnsiOptions {
    let width = crossterm::terminal::size().map_or(100, |(columns, _)| usize::from(columns));
    AnsiOptions { depth: depth(), width: if io::stdout().is_terminal() { width } else { 100 } }
}

/// How many rows there are for a picture, with room left for the line below it.
pub(super) fn rows() -> usize {
    crossterm::terminal::size().map_or(24, |(_, rows)| usize::from(rows)).saturating_sub(2)
}
