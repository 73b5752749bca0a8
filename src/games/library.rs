//! The rulesets and maps that come with the program: each game lists its own.

use super::any::{GameId, each_type};
use super::game::{Game, GameRules};

/// A built-in file: its name and its text.
pub type BuiltinFile = (&'static str, &'static str);

/// The ruleset that is played by default: the first of the first game.
pub const DEFAULT: &str = each_type!(GameId::NAMES[0].1, G => <<G as Game>::Rules as GameRules>::RULESETS[0].0);

/// The names of the built-in rulesets.
pub fn rulesets() -> impl Iterator<Item = &'static str> {
    ruleset_files().map(|(name, _)| name)
}

/// The names of the built-in maps.
pub fn maps() -> impl Iterator<Item = &'static str> {
    map_files().map(|(name, _)| name)
}

/// The text of a built-in ruleset.
pub fn ruleset(name: &str) -> Option<&'static str> {
    ruleset_files().find(|(other, _)| *other == name).map(|(_, text)| text)
}

/// The text of a built-in map.
pub fn map(name: &str) -> Option<&'static str> {
    map_files().find(|(other, _)| *other == name).map(|(_, text)| text)
}

fn ruleset_files() -> impl Iterator<Item = BuiltinFile> {
    GameId::NAMES
        .iter()
        .flat_map(|&(_, game)| each_type!(game, G => <<G as Game>::Rules as GameRules>::RULESETS))
        .copied()
}

fn map_files() -> impl Iterator<Item = BuiltinFile> {
    GameId::NAMES.iter().flat_map(|&(_, game)| each_type!(game, G => <<G as Game>::Rules as GameRules>::MAPS)).copied()
}
