//! Positions drawn for people.
//!
//! A [`Show`] knows a match's ruleset and players and makes a [`Picture`] of any of its positions. A picture is neither
//! text nor drawing yet: [`render_ansi`] makes it text for a terminal, with colours or without, [`render_svg`] a
//! drawing. [`viewer`] turns over the pictures of a whole match.
//!
//! Nowhere is colour the only cue, and nothing that players write reaches a terminal as they wrote it.

mod ansi;
mod canvas;
mod colour;
mod cowboy;
mod paint;
pub mod picture;
mod royale;
mod svg;
#[cfg(test)]
mod tests;
mod text;
pub mod viewer;
mod words;

use std::sync::Arc;

pub use self::ansi::{Options, render_ansi};
pub use self::colour::Depth;
pub use self::picture::{Note, Picture};
pub use self::svg::render_svg;
pub use self::words::Language;
use crate::games::outcome::Outcome;
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::games::table::{Event, State};

/// What stays the same from picture to picture of a match.
#[derive(Clone, Debug)]
pub struct Show {
    /// What is played.
    pub ruleset: Arc<Ruleset>,
    /// Who plays, in seat order; a seat without a name goes by its letter.
    pub names: Vec<String>,
    /// The language of the labels.
    pub language: Language,
}

/// The events of one game.
macro_rules! typed {
    ($events:expr, $game:ident) => {
        $events
            .iter()
            .filter_map(|event| if let Event::$game(event) = event { Some(event) } else { None })
            .collect::<Vec<_>>()
    };
}

impl Show {
    /// The picture of a position and of the turn that led to it. What was spoken as that turn's action is among its
    /// notes; all else that is to be read beside the board is the caller's to add.
    pub fn picture(&self, state: &State, events: &[Event]) -> Picture {
        match state {
            State::Cowboy(state) => cowboy::picture(self, state, &typed!(events, Cowboy)),
            State::Paint(state) => paint::picture(self, state, &typed!(events, Paint)),
            State::Royale(state) => royale::picture(self, state, &typed!(events, Royale)),
        }
    }

    fn name(&self, seat: Seat) -> String {
        self.names.get(seat.index()).map(|name| text::clean(name)).unwrap_or_default()
    }

    fn result(&self, outcome: Option<&Outcome>) -> Option<String> {
        let called = |seat| match self.name(seat) {
            name if name.trim().is_empty() => seat.to_string(),
            name => format!("{seat} {name}"),
        };
        outcome.map(|outcome| self.language.result(outcome, called))
    }
}
