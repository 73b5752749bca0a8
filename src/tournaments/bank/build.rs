//! Harvesting positions.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::super::chance::unit;
use super::super::oracle::{Judgement, Oracle};
use super::{BANK_VERSION, Bank, Critical};
use crate::bots::{Bot, BotSpec, Budget};
use crate::games::Viewer;
use crate::games::{Joint, Order, Refusal, Ruleset, Seat, Seed, Table};
use crate::matches::Replay;

/// What is wanted of a bank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BankSpec {
    /// How many positions.
    pub positions: usize,
    /// Which part of all positions is critical enough, from 0 to 1: 0.1 to 0.25 is usual.
    pub share: f64,
    /// Who judges what an action is worth.
    pub oracle: Oracle,
    /// Where the bots' games come from.
    pub seed: Seed,
}

/// Positions that might go into a bank.
#[derive(Clone, Debug, Default)]
pub struct Harvest {
    /// By fingerprint and seat, so that a position comes once and the order of the sources does not matter.
    found: BTreeMap<(String, Seat), Table>,
}

impl Harvest {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    fn add(&mut self, table: &Table) {
        for seat in table.to_act().iter() {
            self.found.entry((table.hash().to_string(), seat)).or_insert_with(|| table.clone());
        }
    }

    /// Takes in every decision of a record.
    pub fn record(&mut self, record: &Replay) {
        let tables = std::iter::once(&record.start).chain(record.turns.iter().map(|step| &step.table));
        tables.for_each(|table| self.add(table));
    }
}

/// Judges a harvest and keeps the most critical positions. `progress` is told how many of how many are judged.
pub fn harvest(
    ruleset: &Ruleset,
    harvest: &Harvest,
    wanted: &BankSpec,
    mut progress: impl FnMut(usize, usize),
) -> Bank {
    let keep = super::super::score::count(wanted.positions) / wanted.share.clamp(0.01, 1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    let sample = (keep.ceil() as usize).min(harvest.len());
    let mut judged: Vec<(Judgement, &(String, Seat), &Table)> = Vec::with_capacity(sample);
    // Names are fingerprints: their order is as good as a draw by lot.
    for (number, (key, table)) in harvest.found.iter().take(sample).enumerate() {
        progress(number, sample);
        if let Some(judgement) = wanted.oracle.judge(table, key.1).filter(|judgement| !judgement.is_decided()) {
            judged.push((judgement, key, table));
        }
    }
    judged.sort_by(|(one, one_key, _), (other, other_key, _)| {
        other.gap().total_cmp(&one.gap()).then(one_key.cmp(other_key))
    });
    judged.truncate(wanted.positions);
    let mut positions: Vec<Critical> = judged.into_iter().map(critical).collect();
    positions.sort_by(|one, other| one.id.cmp(&other.id));
    Bank { version: BANK_VERSION, ruleset: json!(ruleset), oracle: wanted.oracle.version(), positions }
}

fn critical((judgement, (hash, seat), table): (Judgement, &(String, Seat), &Table)) -> Critical {
    Critical {
        id: format!("{}-{seat}", &hash[..12.min(hash.len())]),
        seat: *seat,
        state: json!(table.state()),
        best: judgement.best_action().to_owned(),
        gap: rounded(judgement.gap()),
        values: judgement.values.iter().map(|(action, value)| (action.clone(), rounded(*value))).collect(),
    }
}

/// To a hundredth of a point: nobody knows more, and the file reads back as it was written.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// Positions from games of bots of several strengths that now and then play anything, so that all sorts of positions
/// come up.
///
/// # Errors
/// If the ruleset does not take so many seats.
pub fn harvest_bots(ruleset: &Arc<Ruleset>, seats: usize, wanted: &BankSpec) -> Result<Harvest, Refusal> {
    const BOTS: [BotSpec; 3] = [BotSpec::Greedy, BotSpec::Search(Budget::Nodes(50)), BotSpec::Random];
    let mut harvest = Harvest::default();
    let keep = super::super::score::count(wanted.positions) / wanted.share.clamp(0.01, 1.0);
    for number in 0..10_000 {
        if super::super::score::count(harvest.len()) >= 2.0 * keep {
            break;
        }
        let seed = wanted.seed.child("harvest", number);
        let mut table = Table::open(ruleset.clone(), seats, seed)?;
        let mut dice = seed.child("noise", 0).dice();
        let mut bots: Vec<Box<dyn Bot>> = (0..seats as u64)
            .map(|seat| {
                let at = dice.below(3) as usize;
                BOTS[at].seat(seed.child("bot", seat))
            })
            .collect();
        while table.outcome().is_none() {
            // A few of a game's positions: neighbours say the same.
            if unit(&mut dice) < 0.25 {
                harvest.add(&table);
            }
            let mut joint = Joint::new();
            for seat in table.to_act().iter() {
                let astray = unit(&mut dice) < 0.15;
                let thought =
                    if astray { None } else { bots[seat.index()].choose(&table.view(Viewer::Seat(seat)), seat) };
                joint.set(seat, Order::Play(thought.unwrap_or_else(|| table.random_legal(seat, &mut dice))));
            }
            table.play(&joint, &mut seed.turn(table.turn().into()))?;
        }
    }
    Ok(harvest)
}
