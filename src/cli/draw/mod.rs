//! Pictures on the terminal.
//!
//! [`render_ansi`] makes a [`Picture`](crate::pictures::Picture) text for a terminal, with colours or without; [`viewer`] turns over the pictures of
//! a whole match.

mod ansi;
mod canvas;
mod colour;
mod legend;
#[cfg(test)]
mod tests;
pub mod viewer;

pub use self::ansi::{AnsiOptions, render_ansi, render_screen};
pub use self::colour::Depth;
