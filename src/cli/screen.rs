//! What the terminal at hand can show.

use std::io::{self, IsTerminal};

use super::draw::{Depth, Options};

/// Whether a person sits at both ends: keys come in, and pictures can be redrawn.
pub(super) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// How many colours there are: none where the output goes to a file, or where the user wants none.
pub(super) fn depth() -> Depth {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let says = |name: &str, word: &str| std::env::var(name).is_ok_and(|value| value.contains(word));
    if !io::stdout().is_terminal() || set("NO_COLOR") || says("TERM", "dumb") {
        Depth::Plain
    } else if says("COLORTERM", "truecolor") || says("COLORTERM", "24bit") {
        Depth::True
    } else {
        Depth::Indexed
    }
}

/// How to draw here.
pub(super) fn options() -> Options {
    let width = crossterm::terminal::size().map_or(100, |(columns, _)| usize::from(columns));
    Options { depth: depth(), width: if io::stdout().is_terminal() { width } else { 100 } }
}
