//! Harvesting positions.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
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
    /// Who finds the best action. One that looks ten times as deep must confirm it, or the position is dropped; what
    /// actions are worth is what that one says.
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

/// So many times as deep as the search that finds a best action looks the one that confirms it.
pub const CONFIRMED_BY: u32 = 10;

/// Between the best and the worst action there must lie so much of the chance to win: with less, which is which is noise.
const LEAST_RANGE: f64 = 0.1;

impl BankSpec {
    /// How many positions should be enough to judge.
    fn sample(&self) -> usize {
        let enough = super::super::score::count(self.positions) / self.share.clamp(0.01, 1.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
        let sample = enough.ceil() as usize;
        sample.max(1)
    }

    /// Who confirms what the oracle has found.
    pub fn confirming(&self) -> Oracle {
        let Oracle { nodes, seed } = self.oracle;
        Oracle { nodes: nodes.saturating_mul(CONFIRMED_BY), seed: seed.child("confirm", 0) }
    }
}

/// A search for positions goes on so many times as long as it was expected to take, and then it is given up.
const PATIENCE: usize = 12;

/// What became of the positions that were looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HarvestReport {
    /// How many were judged.
    pub judged: usize,
    /// Dropped because too little hangs on the choice, or the match is as good as decided.
    pub indifferent: usize,
    /// Dropped because the deeper search finds another action best, or too little to choose between.
    pub unconfirmed: usize,
    /// How many the bank has.
    pub kept: usize,
}

/// A bank in the making.
struct Judging<'a> {
    wanted: &'a BankSpec,
    seen: BTreeSet<(String, Seat)>,
    positions: Vec<Critical>,
    report: HarvestReport,
}

impl<'a> Judging<'a> {
    fn new(wanted: &'a BankSpec) -> Judging<'a> {
        Judging { wanted, seen: BTreeSet::new(), positions: Vec::new(), report: HarvestReport::default() }
    }

    fn is_full(&self) -> bool {
        self.positions.len() >= self.wanted.positions
    }

    /// Judges as many positions as were expected to be enough and keeps those that tell most, if a deeper search confirms
    /// what is best in them. Says whether there were any that it had not seen.
    fn go_on(&mut self, harvest: &Harvest, progress: &mut dyn FnMut(usize, usize)) -> bool {
        let sample = self.wanted.sample();
        let tells = |judgement: &Judgement| !judgement.is_decided() && judgement.worst_loss() >= LEAST_RANGE;
        // Names are fingerprints: their order is as good as a draw by lot.
        let fresh: Vec<_> = harvest.found.iter().filter(|(key, _)| !self.seen.contains(*key)).take(sample).collect();
        let mut judged: Vec<(Judgement, &(String, Seat), &Table)> = Vec::with_capacity(fresh.len());
        for (number, (key, table)) in fresh.iter().copied().enumerate() {
            progress(number, fresh.len());
            self.seen.insert(key.clone());
            self.report.judged += 1;
            match self.wanted.oracle.judge(table, key.1).filter(tells) {
                Some(judgement) => judged.push((judgement, key, table)),
                None => self.report.indifferent += 1,
            }
        }
        judged.sort_by(|(one, one_key, _), (other, other_key, _)| {
            other.sharpness().total_cmp(&one.sharpness()).then(one_key.cmp(other_key))
        });
        let deeper = self.wanted.confirming();
        for (found, key, table) in judged {
            if self.is_full() {
                break;
            }
            let sure = deeper.judge(table, key.1).filter(tells);
            match sure.filter(|sure| sure.best_action() == found.best_action()) {
                Some(sure) => self.positions.push(critical((sure, key, table))),
                None => self.report.unconfirmed += 1,
            }
            progress(self.positions.len(), self.wanted.positions);
        }
        !fresh.is_empty()
    }

    fn bank(mut self, ruleset: &Ruleset) -> (Bank, HarvestReport) {
        self.positions.sort_by(|one, other| one.id.cmp(&other.id));
        self.report.kept = self.positions.len();
        let deeper = self.wanted.confirming();
        let bank = Bank {
            version: BANK_VERSION,
            ruleset: json!(ruleset),
            oracle: deeper.version(),
            nodes: deeper.nodes,
            positions: self.positions,
            calibration: None,
        };
        (bank, self.report)
    }
}

/// Judges a harvest until the bank is full or nothing is left. `progress` is told how many of how many are judged.
pub fn harvest(
    ruleset: &Ruleset,
    harvest: &Harvest,
    wanted: &BankSpec,
    mut progress: impl FnMut(usize, usize),
) -> (Bank, HarvestReport) {
    let mut judging = Judging::new(wanted);
    while !judging.is_full() && judging.go_on(harvest, &mut progress) {}
    judging.bank(ruleset)
}

/// A bank of positions from games of bots: games are played, and positions judged, until it is full, or a dozen times as
/// many were judged as should have been enough.
///
/// # Errors
/// If the ruleset does not take so many seats.
pub fn harvest_bots(
    ruleset: &Arc<Ruleset>,
    seats: usize,
    wanted: &BankSpec,
    mut progress: impl FnMut(usize, usize),
) -> Result<(Bank, HarvestReport), Refusal> {
    let mut judging = Judging::new(wanted);
    let (mut found, mut games) = (Harvest::default(), 0..10_000);
    while !judging.is_full() && judging.report.judged < PATIENCE * wanted.sample() {
        let left = found.len() - judging.seen.len();
        if left < wanted.sample() {
            play_more(ruleset, seats, wanted, &mut found, &mut games)?;
        }
        if !judging.go_on(&found, &mut progress) {
            break;
        }
    }
    Ok(judging.bank(ruleset))
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

/// Adds positions from further games of bots of several strengths that now and then play anything, each after an opening as
/// in tournaments, so that all sorts of positions come up.
fn play_more(
    ruleset: &Arc<Ruleset>,
    seats: usize,
    wanted: &BankSpec,
    harvest: &mut Harvest,
    games: &mut Range<u64>,
) -> Result<(), Refusal> {
    const BOTS: [BotSpec; 3] = [BotSpec::Greedy, BotSpec::Search(Budget::Nodes(50)), BotSpec::Random];
    let ruleset = Arc::new(Ruleset::clone(ruleset).for_tournament(None));
    let enough = harvest.len() + 2 * wanted.sample();
    while harvest.len() < enough
        && let Some(number) = games.next()
    {
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
    Ok(())
}
