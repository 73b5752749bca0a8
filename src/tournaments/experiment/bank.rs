//! The second gate: the same critical positions for everybody, until it is decided who answers them better.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::examine::{AnswerCost, ContenderInfo, Examiner, Interrupted, News, Tell};
use super::gates::Gate;
use super::trial::{Failures, GateFindings, Trial, told};
use crate::games::{Accepted, Seed, Viewer};
use crate::matches::Fault;
use crate::players::{Ask, BotPlayer, Player, PlayerError, TurnLog};
use crate::tournaments::bank::{Bank, BankSpec, CalibrationSpec, Exercise, Mark, Marks, against, harvest_bots};
use crate::tournaments::chance::shuffle;
use crate::tournaments::oracle::Oracle;
use crate::tournaments::run::{EntryKind, RunError, SeatRequest};
use crate::tournaments::score::Entrant;
use crate::tournaments::verdict::Scale;

/// Where the positions are kept.
pub const POSITIONS: &str = "positions";

/// What the bank found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BankFound {
    /// The fingerprints of the oracles that judged, by ruleset and map.
    pub oracles: Vec<(String, String)>,
    /// Everybody's answers, a ruleset each.
    pub rows: Vec<BankRow>,
    /// What that means.
    pub told: GateFindings,
}

/// The answers of a player on the bank of a ruleset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BankRow {
    /// The contender who answered.
    pub who: ContenderInfo,
    /// Which ruleset and map.
    pub course: String,
    /// What they are worth together.
    pub marks: Marks,
    /// One by one.
    pub answers: Vec<BankAnswer>,
    /// What it cost.
    pub bill: AnswerCost,
}

/// An answer to a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BankAnswer {
    /// The position, by its id in the bank.
    pub id: String,
    /// What was answered; nothing where that was no action.
    pub answer: Option<String>,
    /// What it is worth.
    pub mark: Mark,
    /// What was wrong with it, where it was no action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// Under which name the store keeps what was asked and answered, where that was no action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
}

/// The banks of an experiment, as they are kept: made once.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct StoredBanks {
    /// What they were made by.
    by: String,
    /// A ruleset and map each.
    banks: Vec<(String, Bank)>,
}

/// A position for somebody.
struct BankJob<'a> {
    entrant: Entrant,
    course: usize,
    exercise: &'a Exercise<'a>,
}

impl Examiner<'_> {
    pub(super) async fn bank(
        &self,
        left_out: &BTreeSet<Entrant>,
        halt: &CancellationToken,
        end: Option<Instant>,
        tell: &mut Tell<'_>,
    ) -> Result<BankFound, Interrupted> {
        let banks = self.banks(tell).await?;
        let set_up = |bank| Bank::exercises(bank).map_err(|bad| Interrupted::Failed(RunError::Seats(bad.to_string())));
        let exercises: Vec<Vec<Exercise<'_>>> = banks.iter().map(|(_, bank)| set_up(bank)).collect::<Result<_, _>>()?;
        let comparisons = self.comparisons(|one| !left_out.contains(&one));
        let scales: Vec<Scale> = banks.iter().map(|(_, bank)| bank.scale()).collect();
        let mut trials = Trial::of_answers(&comparisons, self.settings, &scales);
        let everybody: Vec<Entrant> =
            (0..self.entries.len()).map(Entrant::new).filter(|one| !left_out.contains(one)).collect();
        let lengths: Vec<usize> = exercises.iter().map(Vec::len).collect();
        let order = order(&lengths, self.gates.bank.positions as usize, self.gates.bank.seed);
        let mut given: Vec<Vec<(usize, BankAnswer, AnswerCost)>> = vec![Vec::new(); self.entries.len()];
        let mut done = 0;
        // A handful of positions at a time: what is decided costs nothing more.
        while done < order.len() {
            let some = &order[done..order.len().min(done + self.handful(done))];
            let needed = self.needed(&comparisons, &trials, is_open);
            if needed.is_empty() && !comparisons.is_empty() {
                break;
            }
            // Bots cost nothing: they are there to measure by.
            let asked: Vec<Entrant> = everybody
                .iter()
                .copied()
                .filter(|one| needed.contains(one) || self.entries[one.index()].bot().is_some())
                .collect();
            // Everybody answers a position before anybody answers the next: a pair costs two calls, whenever it ends.
            let mut jobs = Vec::new();
            for &(course, at) in some {
                jobs.extend(asked.iter().map(|&entrant| BankJob { entrant, course, exercise: &exercises[course][at] }));
            }
            let names: Vec<String> = needed.iter().map(|one| self.matrix.players()[one.index()].name()).collect();
            let each = |more: usize| {
                let done = done + more / asked.len().max(1);
                tell(News::Answered { gate: Gate::Bank, done, of: order.len(), asked: &names });
            };
            let answers = self.all(jobs, |job| self.set(job), halt, end, each).await?;
            done += some.len();
            let mut answers = answers.into_iter();
            for &(course, _) in some {
                let row: Vec<(BankAnswer, AnswerCost)> = answers.by_ref().take(asked.len()).collect();
                let mark = |one: Entrant| asked.iter().position(|&other| other == one).map(|at| row[at].0.mark);
                for (comparison, trial) in comparisons.iter().zip(&mut trials) {
                    if let (true, Some(one), Some(other)) =
                        (is_open(trial), mark(comparison.one), mark(comparison.other))
                    {
                        trial.push_on(course, against(&one, &other));
                    }
                }
                for (one, (answered, bill)) in asked.iter().zip(row) {
                    given[one.index()].push((course, answered, bill));
                }
            }
        }
        let tested: Vec<_> = comparisons.iter().zip(&trials).collect();
        let mut told = told(Gate::Bank, self.matrix, &tested, self.settings, |_| false);
        let bills: Vec<_> = everybody.iter().map(|&one| bill(one, &given[one.index()])).collect();
        told.spent = self.spent(Gate::Bank, &comparisons, &bills);
        told.explain(|name| {
            let one = everybody.iter().find(|one| self.matrix.players()[one.index()].name() == name)?;
            let own = &given[one.index()];
            let mut kinds: BTreeMap<Fault, u64> = BTreeMap::new();
            for (_, answered, _) in own.iter().filter(|(_, answered, _)| !answered.mark.legal) {
                *kinds.entry(answered.fault.unwrap_or(Fault::Illegal)).or_default() += 1;
            }
            let (&kind, _) = kinds.iter().max_by_key(|(_, times)| **times)?;
            Some(Failures { kind: kind.name().to_owned(), times: kinds.values().sum(), of: own.len() as u64 })
        });
        Ok(BankFound {
            oracles: banks.iter().map(|(course, bank)| (course.clone(), bank.oracle.clone())).collect(),
            rows: self.rows(&everybody, &given),
            told,
        })
    }

    fn rows(&self, everybody: &[Entrant], given: &[Vec<(usize, BankAnswer, AnswerCost)>]) -> Vec<BankRow> {
        let mut rows = Vec::new();
        for (number, course) in self.courses.iter().enumerate() {
            for one in everybody {
                let own: Vec<_> = given[one.index()].iter().filter(|(course, _, _)| *course == number).collect();
                let mut bill = AnswerCost::default();
                for (_, _, cost) in &own {
                    bill.join(cost);
                }
                let name = format!("{}.bank.{}.{number}.", self.id, one.index());
                let bill = bill.by_ledger(self.budget.spent_under(&name));
                let marks: Vec<Mark> = own.iter().map(|(_, answered, _)| answered.mark).collect();
                if !marks.is_empty() {
                    rows.push(BankRow {
                        who: ContenderInfo::of(&self.matrix.players()[one.index()]),
                        course: course.name.clone(),
                        marks: Marks::of(&marks),
                        answers: own.into_iter().map(|(_, answered, _)| answered.clone()).collect(),
                        bill,
                    });
                }
            }
        }
        rows
    }

    /// The bank of every course: from a file, as it was made before, or made now.
    async fn banks(&self, tell: &mut Tell<'_>) -> Result<Vec<(String, Bank)>, Interrupted> {
        let gate = &self.gates.bank;
        let rulesets: Vec<String> = self.courses.iter().map(|course| course.ruleset.identity().to_string()).collect();
        let by = format!(
            "{} positions, share {}, {} nodes, calibrated by {}, seed {}, {}",
            gate.positions,
            gate.share,
            gate.nodes,
            gate.calibrate,
            gate.seed.0,
            rulesets.join(" ")
        );
        let kept = self.store.found(self.id).await?.into_iter().find(|found| found.topic == POSITIONS);
        let kept: Option<StoredBanks> = kept.and_then(|found| serde_json::from_str(&found.body).ok());
        let kept = kept.filter(|kept| kept.by == by).map(|kept| kept.banks).unwrap_or_default();
        let mut banks = Vec::new();
        for course in self.courses {
            let from_file = self.banks.iter().find(|bank| bank.is_of(&course.ruleset)).cloned();
            let before = kept.iter().find(|(name, _)| *name == course.name).map(|(_, bank)| bank.clone());
            let of_program = || Bank::built_in(&course.ruleset).ok().flatten();
            let bank = if let Some(bank) = from_file.or(before).or_else(of_program) {
                bank
            } else {
                tell(News::Making);
                let failed = |why| Interrupted::Failed(RunError::Seats(format!("{}: {why}", course.name)));
                make(self, course).await.map_err(failed)?
            };
            banks.push((course.name.clone(), bank));
        }
        let kept = StoredBanks { by, banks };
        self.keep(POSITIONS, &kept).await?;
        Ok(kept.banks)
    }

    /// Puts one position.
    async fn set(&self, job: BankJob<'_>) -> Result<(BankAnswer, AnswerCost), String> {
        let BankJob { entrant, course, exercise } = job;
        let (critical, table) = (exercise.critical, &exercise.table);
        let seed = Seed(self.gates.bank.seed.0).child("bank", entrant.index() as u64).child(&critical.id, 0);
        let mut player: Box<dyn Player> = match &self.entries[entrant.index()].kind {
            EntryKind::Bot(spec) => Box::new(BotPlayer::new(spec.seat(seed))),
            EntryKind::Factory(factory) => {
                let ruleset = table.ruleset().clone();
                factory.seat(SeatRequest { ruleset, seats: table.seats(), seat: critical.seat, seed }).await?
            }
        };
        let ask = Ask {
            match_id: format!("{}.bank.{}.{course}.{}", self.id, entrant.index(), critical.id),
            view: table.view(Viewer::Seat(critical.seat)),
            seat: critical.seat,
            since: Vec::new(),
            said: Vec::new(),
        };
        let log = TurnLog::default();
        let (answer, fault) = match player.act(&ask, &log).await {
            Ok(answer) => (Some(answer.action), None),
            Err(PlayerError::NoAction(attempt)) => (None, Some(attempt.problem.fault())),
            Err(PlayerError::TooSlow) => (None, Some(Fault::TooSlow)),
            Err(PlayerError::Resigned) => (None, Some(Fault::Resigned)),
            Err(
                error @ (PlayerError::Crashed(_)
                | PlayerError::Left
                | PlayerError::Backend(_)
                | PlayerError::Withheld(_)),
            ) => {
                return Err(error.to_string());
            }
        };
        let mut bill = AnswerCost::default();
        bill.add(&log.calls());
        let mark = exercise.mark(answer.as_ref());
        let answer = answer.map(Accepted::into_notation);
        let asked = fault.map(|_| ask.match_id);
        Ok((BankAnswer { id: critical.id.clone(), answer, mark, fault, asked }, bill))
    }
}

/// So many positions of each ruleset in an order that the seed gives, whatever their names; rulesets in turn, so that none is
/// left out where it is decided early.
fn order(lengths: &[usize], most: usize, seed: Seed) -> Vec<(usize, usize)> {
    let shuffles: Vec<Vec<usize>> = lengths
        .iter()
        .zip(0..)
        .map(|(&length, course)| {
            let mut order: Vec<usize> = (0..length).collect();
            shuffle(&mut order, &mut seed.child("order", course).dice());
            order.truncate(most);
            order
        })
        .collect();
    let longest = shuffles.iter().map(Vec::len).max().unwrap_or(0);
    let turns = (0..longest).flat_map(|at| (0..shuffles.len()).map(move |course| (course, at)));
    turns.filter_map(|(course, at)| Some((course, *shuffles[course].get(at)?))).collect()
}

/// Whether more positions could change the verdict. That a variant is not better is not enough to know here: if it is
/// worse, it need not play.
fn is_open(trial: &Trial) -> bool {
    !trial.test.verdict().is_final()
}

/// What somebody answered, and what it cost.
fn bill(one: Entrant, given: &[(usize, BankAnswer, AnswerCost)]) -> (Entrant, u64, AnswerCost) {
    let mut bill = AnswerCost::default();
    for (_, _, cost) in given {
        bill.join(cost);
    }
    (one, given.len() as u64, bill)
}

/// Makes a bank from games of bots, off the threads that wait for models.
async fn make(examiner: &Examiner<'_>, course: &crate::tournaments::run::Course) -> Result<Bank, String> {
    let gate = &examiner.gates.bank;
    let oracle = Oracle { nodes: gate.nodes, seed: Seed(0) };
    let wanted = BankSpec { positions: gate.positions as usize, share: gate.share, oracle, seed: gate.seed };
    let calibrate = CalibrationSpec { blocks: gate.calibrate, seed: gate.seed };
    let ruleset = course.ruleset.clone();
    let made = tokio::task::spawn_blocking(move || {
        let (mut bank, _) = harvest_bots(&ruleset, 2, &wanted, |_, _| {}).map_err(|refusal| refusal.message)?;
        if calibrate.blocks > 0 && !bank.positions.is_empty() {
            bank.calibration = Some(bank.calibrate(calibrate, |_, _| {}).map_err(|bad| bad.to_string())?);
        }
        Ok(bank)
    });
    made.await.map_err(|error| error.to_string())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_come_shuffled_by_the_seed_and_rulesets_in_turn() {
        let found = order(&[100, 5], 30, Seed(1));
        let of = |found: &[(usize, usize)], course| -> Vec<usize> {
            found.iter().filter(|(other, _)| *other == course).map(|(_, position)| *position).collect()
        };
        assert_eq!(found[..10].iter().map(|(course, _)| *course).collect::<Vec<_>>(), [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
        let (long, mut short) = (of(&found, 0), of(&found, 1));
        assert_eq!((long.len(), short.len()), (30, 5));
        // A sample of all of them, not those that stand first.
        assert!(long.iter().any(|position| *position >= 50) && !long.is_sorted(), "{long:?}");
        assert_ne!(long, of(&order(&[100, 5], 30, Seed(2)), 0));
        assert_eq!(found, order(&[100, 5], 30, Seed(1)));
        short.sort_unstable();
        assert_eq!(short, [0, 1, 2, 3, 4]);
    }
}
