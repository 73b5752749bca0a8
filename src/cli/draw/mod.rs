//! Positions drawn for people.
//!
//! A [`Show`] knows a match's ruleset and players and makes a [`Picture`] of any of its positions: a scene of the game,
//! with names and notes beside it. A picture is neither text nor drawing yet: [`render_ansi`] makes it text for a terminal, with colours or without, [`render_svg`] a
//! drawing. [`viewer`] turns over the pictures of a whole match.
//!
//! Nowhere is colour the only cue, and nothing that players write reaches a terminal as they wrote it.

mod ansi;
mod canvas;
mod colour;
pub mod picture;
mod svg;
#[cfg(test)]
mod tests;
mod text;
pub mod viewer;
mod words;

use std::sync::Arc;

pub use self::ansi::{AnsiOptions, render_ansi};
pub use self::colour::Depth;
pub use self::picture::{Picture, PictureNote};
pub use self::svg::render_svg;
pub use self::words::Language;
use crate::games::ruleset::Ruleset;
use crate::games::scene::{self, Scene, Tone};
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

impl Show {
    /// The picture of a position and of the turn that led to it. What was spoken as that turn's action is among its
    /// notes; all else that is to be read beside the board is the caller's to add.
    pub fn picture(&self, state: &State, events: &[Event]) -> Picture {
        let spoken = events.iter().filter_map(|event| match scene::tone(event) {
            Tone::Speech { seat, text } => Some(PictureNote::said(seat, text)),
            Tone::Plain | Tone::Hit => None,
        });
        Picture {
            scene: Scene::new(&self.ruleset, state, &[events]),
            names: self.names.clone(),
            notes: spoken.collect(),
            language: self.language,
        }
    }
}
