//! The rules of the games, pure: no clock, no file, no generator of chance but the dice that are handed in.
//!
//! [`game::Game`] says what a game is; [`cowboy`], [`paint`] and [`royale`] are some. [`ruleset::Ruleset`] is a game
//! with its numbers, [`table::Table`] any game behind one face.

pub mod cowboy;
pub mod dice;
pub mod fields;
pub mod game;
pub mod joint;
pub mod library;
pub mod map;
pub mod outcome;
pub mod paint;
pub mod playout;
pub mod refusal;
pub mod royale;
pub mod ruleset;
pub mod seat;
pub mod speech;
pub mod table;
mod words;

pub use self::dice::{Dice, Seed};
pub use self::game::Game;
pub use self::joint::{Joint, Order};
pub use self::outcome::{Outcome, Reason};
pub use self::refusal::{Code, Refusal};
pub use self::ruleset::Ruleset;
pub use self::seat::{BySeat, Seat, Seats};
pub use self::table::Table;

/// Writes bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8], f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    // Piece by piece through the formatter this would cost more than the hash that it writes.
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    f.write_str(&text)
}
