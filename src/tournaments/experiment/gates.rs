//! The gates of an experiment, cheapest first, as a file describes them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::super::file::PlacedName;
use crate::games::Seed;
use crate::settings::fields::Reader;

/// A way to find out which of two is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// Questions about the rules.
    Quiz,
    /// Critical positions, where much hangs on the choice.
    Bank,
    /// Whole games, in pairs: the result of record.
    Games,
}

impl Gate {
    /// All of them, the cheapest first.
    pub const ALL: [Gate; 3] = [Gate::Quiz, Gate::Bank, Gate::Games];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Gate::Quiz => "quiz",
            Gate::Bank => "bank",
            Gate::Games => "games",
        }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What becomes of a variant that a cheap gate finds worse than the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IfWorse {
    /// It does not come to the dearer gates: that it is worse is its result.
    LeaveOut,
    /// It goes on all the same, and the last gate decides.
    GoOn,
}

/// The gates of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Gates {
    /// Which, the cheapest first. The last of them is the one that decides.
    pub list: Vec<Gate>,
    /// What becomes of a variant that is worse.
    pub if_worse: IfWorse,
    /// How the quiz is made.
    pub quiz: QuizGate,
    /// How the bank is made.
    pub bank: BankGate,
}

/// How the quiz is made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuizGate {
    /// Questions a rule.
    pub per_rule: u32,
    /// Another seed gives other questions.
    pub seed: Seed,
    /// Whether a variant that it finds worse goes no further. By default it only warns.
    #[serde(default)]
    pub eliminates: bool,
}

/// How the bank is made.
#[derive(Clone, Debug, PartialEq)]
pub struct BankGate {
    /// Banks from files. A ruleset of which there is none has the bank that comes with the program, or one from games of
    /// bots.
    pub files: Vec<PlacedName>,
    /// Positions per ruleset, at the most.
    pub positions: u32,
    /// Which part of all positions is critical enough.
    pub share: f64,
    /// Playouts per position of the search that finds best actions, where a bank is made; one ten times as deep confirms
    /// them.
    pub nodes: u32,
    /// Blocks per pair of graded players that calibrate a bank that is made; without any it has no scale in Elo.
    pub calibrate: u32,
    /// Where the games of bots come from, and the order of the positions.
    pub seed: Seed,
}

impl Gates {
    /// Whether a gate is among them.
    pub fn has(&self, gate: Gate) -> bool {
        self.list.contains(&gate)
    }

    pub(super) fn read(reader: &mut Reader, seed: Seed) -> Gates {
        let names = Gate::ALL.map(|gate| (gate.name(), gate));
        let place = reader.place("gates");
        let named = reader.optional("gates", |reader, key| reader.choices(key, &names));
        if named.as_ref().is_some_and(Vec::is_empty) {
            reader.problem(&place, "`gates` must name at least one of \"quiz\", \"bank\" and \"games\"");
        }
        let mut list = named.unwrap_or_else(|| Gate::ALL.to_vec());
        list.sort_unstable();
        let choices = [("leave-out", IfWorse::LeaveOut), ("go-on", IfWorse::GoOn)];
        let if_worse =
            reader.optional("if_worse", |reader, key| reader.choice(key, &choices)).unwrap_or(IfWorse::LeaveOut);
        let quiz = section(reader, "quiz", |table| QuizGate {
            per_rule: table.optional("per_rule", |table, key| table.int(key, 1..=1000)).unwrap_or(8),
            seed,
            eliminates: table.optional("eliminate", Reader::flag).unwrap_or(false),
        });
        let bank = section(reader, "bank", |table| BankGate {
            files: table.optional("files", Reader::texts).unwrap_or_default(),
            positions: table.optional("positions", |table, key| table.int(key, 1..=10_000)).unwrap_or(1000),
            share: table.optional("share", |table, key| table.decimal(key, 0.01..=1.0)).unwrap_or(0.1),
            nodes: table.optional("nodes", |table, key| table.int(key, 50..=1_000_000)).unwrap_or(400),
            calibrate: table.optional("calibrate", |table, key| table.int(key, 0..=10_000)).unwrap_or(60),
            seed,
        });
        Gates { list, if_worse, quiz, bank }
    }
}

/// A table of the file, or what holds where it has none.
fn section<T>(reader: &mut Reader, key: &'static str, read: impl FnOnce(&mut Reader) -> T) -> T {
    let problems = reader.problems.len();
    let found = reader.optional(key, Reader::table);
    let whole = reader.problems.len() == problems;
    let mut table = found.filter(|_| whole).unwrap_or_else(|| Reader::new(crate::settings::fields::Fields::none(key)));
    let value = read(&mut table);
    reader.close(table);
    value
}
