//! The rulesets and maps that come with the program.

/// A built-in file: its name and its text.
type File = (&'static str, &'static str);

const RULESETS: &[File] = &[
    ("cowboy", include_str!("../../rulesets/cowboy.toml")),
    ("cowboy-duel", include_str!("../../rulesets/cowboy-duel.toml")),
    ("cowboy-classic", include_str!("../../rulesets/cowboy-classic.toml")),
    ("paint", include_str!("../../rulesets/paint.toml")),
    ("grid-royale", include_str!("../../rulesets/grid-royale.toml")),
];

const MAPS: &[File] = &[
    ("corral", include_str!("../../rulesets/maps/corral.txt")),
    ("prairie", include_str!("../../rulesets/maps/prairie.txt")),
    ("canyon", include_str!("../../rulesets/maps/canyon.txt")),
    ("garden", include_str!("../../rulesets/maps/garden.txt")),
    ("courtyard", include_str!("../../rulesets/maps/courtyard.txt")),
    ("pillars", include_str!("../../rulesets/maps/pillars.txt")),
    ("crossroads", include_str!("../../rulesets/maps/crossroads.txt")),
];

/// The names of the built-in rulesets.
pub fn rulesets() -> impl Iterator<Item = &'static str> {
    RULESETS.iter().map(|(name, _)| *name)
}

/// The names of the built-in maps.
pub fn maps() -> impl Iterator<Item = &'static str> {
    MAPS.iter().map(|(name, _)| *name)
}

/// The text of a built-in ruleset.
pub fn ruleset(name: &str) -> Option<&'static str> {
    find(RULESETS, name)
}

/// The text of a built-in map.
pub fn map(name: &str) -> Option<&'static str> {
    find(MAPS, name)
}

fn find(files: &[File], name: &str) -> Option<&'static str> {
    files.iter().find(|(other, _)| *other == name).map(|(_, text)| *text)
}
