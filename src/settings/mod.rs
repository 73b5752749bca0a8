//! Files that people write, read so that every problem is found at once and named with its place.
//!
//! [`fields`] reads TOML and JSON with the line and column of every value; rulesets, profiles, tournaments and prompt
//! variants are read with it.

pub mod fields;
pub mod files;
#[cfg(test)]
pub(crate) mod growth;
mod nearest;

pub use self::nearest::did_you_mean;

/// The beginning of a text that may be long or hold anything, fit to be printed inside a sentence.
pub fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(60).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(60).is_some() {
        short.push('…');
    }
    short
}
