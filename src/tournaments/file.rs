//! A tournament as a file describes it.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use crate::briefs::Language;
use crate::games::Seed;
use crate::games::library;
use crate::games::opening::MAX_TURNS;
use crate::games::ruleset::Ruleset;
use crate::matches::ModelInfo;
use crate::settings::fields::{BadFile, Fields, Place, Reader};

use super::schedule::{Edition, Format, Rung, Setup};
use super::score::Entrant;

/// A text and where it stands.
pub(crate) type PlacedName = (String, Place);

/// What a file says; whom and what its names stand for is not known yet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TournamentFile {
    /// What people call it.
    pub name: String,
    /// Who plays, those on the ladder's rungs included.
    pub players: Vec<PlacedName>,
    /// What is played: names of rulesets, or files.
    pub rulesets: Vec<PlacedName>,
    /// On which maps; the rulesets' own where there is none.
    pub maps: Vec<PlacedName>,
    /// How many random turns every match starts after, whatever its ruleset says.
    pub opening: Option<u32>,
    /// The player whose rating is 1000; by default a bot's.
    pub anchor: Option<PlacedName>,
    /// The language of the briefs.
    pub language: Language,
    /// How many matches with models or programs are played at once.
    pub concurrency: usize,
    /// What it may use.
    pub limits: RunLimits,
    /// Who meets whom.
    format: Format,
    seats: usize,
    blocks: u32,
    seed: Seed,
    /// Where the set-up is described, for problems with it as a whole.
    place: Place,
}

/// What a tournament may use.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::struct_field_names, reason = "the file calls them so")]
pub struct RunLimits {
    /// Money, in US dollars.
    pub max_usd: Option<f64>,
    /// Requests to models.
    pub max_calls: Option<u64>,
    /// Minutes, of each start.
    pub max_minutes: Option<f64>,
}

impl TournamentFile {
    /// Reads a tournament. `source` is what problems call the text: its path.
    ///
    /// # Errors
    /// With every problem, each with its line and column.
    pub(crate) fn read(source: &str, text: &str) -> Result<TournamentFile, BadFile> {
        let mut reader = Reader::new(Fields::from_toml(source, text)?);
        let name = reader.text("name");
        let seed = reader.optional("seed", |reader, key| reader.int::<i64>(key, 0..=i64::MAX)).unwrap_or(1);
        let mut players = reader.optional("players", Reader::texts).unwrap_or_default();
        let rulesets = reader.optional("rulesets", Reader::texts).filter(|rulesets| !rulesets.is_empty());
        let maps = reader.optional("maps", Reader::texts).unwrap_or_default();
        let opening = opening(&mut reader);
        let place = reader.place("format");
        let format = format(&mut reader, &mut players);
        let seats = reader.optional("seats", |reader, key| reader.int(key, 2..=8)).unwrap_or(2_usize);
        let blocks = reader.optional("blocks", |reader, key| reader.int(key, 1..=1_000_000)).unwrap_or(10_u32);
        let anchor_place = reader.place("anchor");
        let anchor = reader.optional("anchor", Reader::text).map(|name| (name, anchor_place));
        let language =
            reader.optional("lang", |reader, key| reader.choice(key, &Language::NAMES)).unwrap_or(Language::En);
        let concurrency = reader.optional("concurrency", |reader, key| reader.int(key, 1..=10_000)).unwrap_or(8);
        let limits = limits(&mut reader);
        if let Some((name, place)) = &anchor
            && players.iter().all(|(other, _)| other != name)
        {
            reader.problem(place, format!("`anchor` must be one of the players, not \"{name}\""));
        }
        let whole = reader.whole();
        let rulesets = rulesets.unwrap_or_else(|| vec![(library::DEFAULT.to_owned(), whole)]);
        let file = TournamentFile {
            name,
            players,
            rulesets,
            maps,
            opening,
            anchor,
            language,
            concurrency,
            limits,
            format,
            seats,
            blocks,
            seed: Seed(seed.cast_unsigned()),
            place,
        };
        reader.finish().map(|()| file).map_err(|mut bad| {
            bad.problems.sort_by_key(|problem| problem.place.at);
            bad
        })
    }

    /// What the schedule needs, for so many courses.
    pub(crate) fn setup(&self, courses: usize) -> Setup {
        let &TournamentFile { seats, blocks, seed, .. } = self;
        Setup {
            format: self.format.clone(),
            entrants: self.players.len(),
            seats,
            courses,
            blocks,
            seed,
            edition: Edition::default(),
        }
    }

    /// What makes it this tournament and no other, with the rulesets and models that its names stand for: 64 digits.
    /// How fast it is played and what it may use are no part of that.
    pub(crate) fn fingerprint(&self, rulesets: &[Arc<Ruleset>], models: &[Option<ModelInfo>]) -> String {
        #[derive(Serialize)]
        struct Identity<'a> {
            name: &'a str,
            players: Vec<&'a str>,
            models: &'a [Option<ModelInfo>],
            rulesets: Vec<Json>,
            format: &'static str,
            rounds: u32,
            rungs: Vec<(u32, f64)>,
            seats: usize,
            blocks: u32,
            seed: Seed,
            language: String,
        }
        let (format, rounds, rungs): (_, _, &[Rung]) = match &self.format {
            Format::RoundRobin => ("round-robin", 0, &[]),
            Format::Swiss { rounds } => ("swiss", *rounds, &[]),
            Format::Knockout => ("knockout", 0, &[]),
            Format::Ladder { rungs } => ("ladder", 0, rungs),
            Format::Arms { .. } => ("arms", 0, &[]),
        };
        let identity = Identity {
            name: &self.name,
            players: self.players.iter().map(|(name, _)| name.as_str()).collect(),
            models,
            rulesets: rulesets.iter().map(|ruleset| ruleset.identity()).collect(),
            format,
            rounds,
            rungs: rungs.iter().map(|rung| (rung.entrant.0, rung.rating)).collect(),
            seats: self.seats,
            blocks: self.blocks,
            seed: self.seed,
            language: self.language.to_string(),
        };
        let text = serde_json::to_string(&identity).expect("plain data");
        let mut digits = String::with_capacity(64);
        for byte in Sha256::digest(text.as_bytes()) {
            write!(digits, "{byte:02x}").expect("a text takes anything");
        }
        digits
    }

    /// The tournament's own name in the store, of its name and its fingerprint.
    pub(crate) fn id(&self, fingerprint: &str) -> String {
        id(&self.name, fingerprint)
    }

    /// Where the set-up as a whole is described.
    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// How many sit at a table.
    pub(crate) fn seats(&self) -> usize {
        self.seats
    }
}

/// A name in the store, of what people call it and a fingerprint.
pub(super) fn id(name: &str, fingerprint: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = name.chars().take(40).map(plain).collect();
    let name = name.trim_matches('-');
    let name = if name.is_empty() { "tournament" } else { name };
    format!("{name}-{}", &fingerprint[..fingerprint.len().min(8)])
}

fn format(reader: &mut Reader, players: &mut Vec<PlacedName>) -> Format {
    #[derive(Clone, Copy, PartialEq)]
    enum FormatName {
        RoundRobin,
        Swiss,
        Knockout,
        Ladder,
    }
    let kinds = [
        ("round-robin", FormatName::RoundRobin),
        ("swiss", FormatName::Swiss),
        ("knockout", FormatName::Knockout),
        ("ladder", FormatName::Ladder),
    ];
    let kind = reader.optional("format", |reader, key| reader.choice(key, &kinds)).unwrap_or(FormatName::RoundRobin);
    for (key, owner, name) in [("rounds", FormatName::Swiss, "swiss"), ("ladder", FormatName::Ladder, "ladder")] {
        if kind != owner {
            reader.refuse(key, &format!("only with format = \"{name}\""));
        }
    }
    match kind {
        FormatName::RoundRobin => Format::RoundRobin,
        FormatName::Knockout => Format::Knockout,
        FormatName::Swiss => Format::Swiss { rounds: reader.int("rounds", 1..=1000) },
        FormatName::Ladder => {
            let mut rungs = Vec::new();
            for (name, rating, place) in reader.numbers("ladder") {
                let known = players.iter().position(|(other, _)| *other == name);
                let entrant = known.unwrap_or_else(|| {
                    players.push((name, place));
                    players.len() - 1
                });
                rungs.push(Rung { entrant: Entrant::new(entrant), rating });
            }
            Format::Ladder { rungs }
        }
    }
}

/// How many turns the openings have, where a file says it.
pub(super) fn opening(reader: &mut Reader) -> Option<u32> {
    reader.optional("opening", |reader, key| reader.int(key, 0..=MAX_TURNS.into()))
}

pub(super) fn limits(reader: &mut Reader) -> RunLimits {
    let read = |reader: &mut Reader, key: &'static str| {
        let problems = reader.problems.len();
        let mut table = reader.table(key);
        if reader.problems.len() > problems {
            return RunLimits::default();
        }
        let limits = RunLimits {
            max_usd: table.optional("max_usd", |table, key| table.decimal(key, 0.0..=1_000_000.0)),
            max_calls: table.optional("max_calls", |table, key| table.int::<i64>(key, 0..=i64::MAX).cast_unsigned()),
            max_minutes: table.optional("max_minutes", |table, key| table.decimal(key, 0.0..=1_000_000.0)),
        };
        reader.close(table);
        limits
    };
    reader.optional("budget", read).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> String {
        TournamentFile::read("cup.toml", text).expect_err("it is no good").to_string()
    }

    #[test]
    fn a_short_file_has_the_usual_for_the_rest() {
        let file =
            TournamentFile::read("cup.toml", "name = \"cup\"\nplayers = [\"greedy\", \"random\"]").expect("good");
        let setup = file.setup(1);
        assert_eq!((setup.seats, setup.blocks, setup.seed), (2, 10, Seed(1)));
        assert_eq!(setup.format, Format::RoundRobin);
        assert_eq!(file.rulesets[0].0, "cowboy");
        assert_eq!(file.limits, RunLimits::default());
    }

    #[test]
    fn every_problem_is_named_with_its_line_and_column() {
        let text = "name = \"cup\"\nplayers = [\"greedy\", \"greedy\", 7]\nformat = \"swis\"\nseats = 9\nrounds = 3\n\
                    anchor = \"bob\"\ntypo = 1\n[budget]\nmax_usd = -1\n";
        let said = problems(text);
        for line in [
            "cup.toml:2:22: `players` has \"greedy\" twice",
            "cup.toml:2:32: `players` must be a list of texts, not a whole number",
            "cup.toml:3:10: `format` must be \"round-robin\", \"swiss\", \"knockout\" or \"ladder\", not \"swis\"",
            "cup.toml:4:9: `seats` must be a whole number from 2 to 8, not 9",
            "cup.toml:5:10: `rounds`: only with format = \"swiss\"",
            "cup.toml:6:10: `anchor` must be one of the players, not \"bob\"",
            "cup.toml:7:8: unknown key `typo`",
            "cup.toml:9:11: `budget.max_usd` must be a number from 0 to 1000000, not -1",
        ] {
            assert!(said.contains(line), "{line}\nnot in\n{said}");
        }
    }

    #[test]
    fn bots_on_the_rungs_of_a_ladder_take_part() {
        let text = "name = \"climb\"\nplayers = [\"greedy\"]\nformat = \"ladder\"\n[ladder]\nrandom = 600\n\"search:50\" = 1200.5\n";
        let file = TournamentFile::read("cup.toml", text).expect("good");
        let names: Vec<&str> = file.players.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["greedy", "random", "search:50"]);
        let Format::Ladder { rungs } = file.setup(1).format else { panic!("a ladder") };
        assert_eq!(rungs.iter().map(|rung| rung.entrant.index()).collect::<Vec<_>>(), [1, 2]);
        assert!((rungs[1].rating - 1200.5).abs() < 1e-9);
    }
}
