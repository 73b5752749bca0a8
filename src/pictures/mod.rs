//! Pictures of matches for people to look at and to share.
//!
//! A [`Show`] knows a match's ruleset and players and makes a [`Picture`] of any of its positions: a scene of the game,
//! with names and notes beside it. [`render_svg`] makes it a drawing; the terminal draws the same pictures as text.
//!
//! Nowhere is colour the only cue, and nothing that players write reaches a picture as they wrote it.

mod animation;
pub(crate) mod colour;
mod fonts;
mod frames;
mod page;
pub mod picture;
mod raster;
mod svg;
#[cfg(test)]
mod tests;
pub(crate) mod text;
mod words;

use std::sync::Arc;

pub use self::animation::{MOST_TURNS, render_gif};
pub(crate) use self::frames::TurnDigest;
pub use self::frames::{Frame, frames};
pub use self::page::{Surroundings, render_html, title};
pub use self::picture::{Picture, PictureNote};
pub use self::raster::{PictureError, render_png};
pub use self::svg::{render_card, render_svg};
pub use crate::briefs::Language;
use crate::games::grid::Direction;
use crate::games::ruleset::Ruleset;
use crate::games::scene::{self, Scene, Tone};
use crate::games::table::{Event, State};
use crate::matches::Replay;

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
    /// The players of a record, with labels in a language.
    pub fn of(record: &Replay, language: Language) -> Show {
        let names = record.seats.iter().map(|info| info.player.clone()).collect();
        Show { ruleset: record.ruleset.clone(), names, language }
    }

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

/// The arrow of where somebody faces.
pub(crate) fn arrow(direction: Direction) -> char {
    match direction {
        Direction::North => '▲',
        Direction::NorthEast => '◥',
        Direction::East => '▶',
        Direction::SouthEast => '◢',
        Direction::South => '▼',
        Direction::SouthWest => '◣',
        Direction::West => '◀',
        Direction::NorthWest => '◤',
    }
}
