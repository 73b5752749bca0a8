//! The rules of the games, pure: no clock, no file, no generator of chance but the dice that are handed in.
//!
//! [`game::Game`] says what a game is; [`cowboy`], [`paint`] and [`royale`] are some. [`ruleset::Ruleset`] is a game
//! with its numbers, [`table::Table`] any game behind one face. [`scene::Scene`] and [`controls::Controls`] carry a position
//! to whoever draws it or plays by hand, without a word of any game.

/// The list of games: the one place that names them. A game is a module beside this one with `Position`, `Rules` and
/// what [`Game`] asks for; the types over all games in [`any`] are generated from here.
macro_rules! list {
    ($generate:ident $dollar:tt) => {
        $generate! { $dollar
            /// Cowboy, with either laser.
            Cowboy = cowboy,
            /// Paint.
            Paint = paint,
            /// Grid Royale.
            Royale = royale,
            /// Trails.
            Trails = trails,
        }
    };
}
use list;

pub mod accepted;
pub mod any;
mod bad_json;
pub mod controls;
pub mod cowboy;
pub mod dice;
pub mod game;
pub mod grid;
pub mod joint;
pub mod json;
pub mod judge;
pub mod library;
pub mod map;
mod notation;
pub mod opening;
pub mod outcome;
pub mod paint;
pub mod playout;
pub mod quiz;
pub mod refusal;
pub mod royale;
pub mod ruleset;
pub mod scene;
pub mod seat;
mod setup;
pub mod sketch;
pub mod speech;
pub mod table;
#[cfg(test)]
mod testing;
pub mod trails;
pub mod view;
pub mod words;

pub use self::accepted::{Accepted, Raw};
pub use self::any::{Action, Event, GameId, Illegal, Position, Rules, State};
pub use self::bad_json::BadJson;
pub use self::controls::Controls;
pub use self::dice::{Dice, Seed};
pub use self::game::Game;
pub use self::joint::{Joint, Order};
pub use self::outcome::{Outcome, Reason};
pub use self::refusal::{Code, Refusal};
pub use self::ruleset::Ruleset;
pub use self::scene::Scene;
pub use self::seat::{BySeat, Seat, Seats};
pub use self::table::Table;
pub use self::view::{View, Viewer};

/// Sixteen bytes in hexadecimal.
pub(crate) struct Hex([u8; 32]);

impl Hex {
    pub(crate) fn new(bytes: [u8; 16]) -> Hex {
        const DIGITS: [u8; 16] = *b"0123456789abcdef";
        let mut digits = [0; 32];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(bytes) {
            pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
        Hex(digits)
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("digits are ASCII")
    }
}
