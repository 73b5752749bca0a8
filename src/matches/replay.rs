//! Playing a record again, and checking every word of it.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::log::{self, Chain};
use super::play::Match;
use super::record::{Call, Lapse, RECORD_VERSION, Refused, Result as MatchResult, SeatInfo, Turn};
use crate::games::any::Action;
use crate::games::dice::Seed;
use crate::games::joint::{Joint, Order};
use crate::games::refusal::Refusal;
use crate::games::ruleset::Ruleset;
use crate::games::seat::{BySeat, Seat};
use crate::games::table::{Event, Table, event_from_json};

/// Where a record differs from what the engine makes of it.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ReplayError {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a line of a record.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The file cannot be read on.
    #[error("cannot read: {0}")]
    Io(#[from] std::io::Error),
    /// There is nothing there.
    #[error("the record is empty")]
    Empty,
    /// Not a line of a record.
    #[error("not a line of a match record: {0}")]
    Malformed(#[from] serde_json::Error),
    /// A line without a hash.
    #[error("the line does not end in its hash: it is cut off or was written by something else")]
    NoHash,
    /// The chain is broken.
    #[error("the hash is {written}, but this line after those before it has {actual}: something was changed")]
    Hash {
        /// As the line has it.
        written: String,
        /// As it should be.
        actual: Chain,
    },
    /// The record is from a later version of the program.
    #[error("the record has version {0}, this program reads version {RECORD_VERSION}; use a newer one")]
    Version(u32),
    /// Another line was due.
    #[error("a `{expected}` line was due here")]
    Expected {
        /// Which.
        expected: &'static str,
    },
    /// Something is not what the engine makes of the lines before.
    #[error("`{field}` differs from what the rules give: {why}")]
    Differs {
        /// Which field.
        field: &'static str,
        /// How.
        why: String,
    },
    /// The last line is missing.
    #[error("the record ends here without a result: the match is unfinished")]
    Unfinished,
}

/// A record that was read, with every position of the match recomputed.
#[derive(Debug)]
pub struct Replay {
    /// The match's own name.
    pub id: String,
    /// The rules.
    pub ruleset: Arc<Ruleset>,
    /// Where chance came from.
    pub seed: Seed,
    /// Who sat where.
    pub seats: Vec<SeatInfo>,
    /// The first position.
    pub start: Table,
    /// The turns in order.
    pub turns: Vec<Step>,
    /// The last line, once there is one.
    pub result: Option<MatchResult>,
    /// Where the chain of hashes stands.
    pub chain: Chain,
}

/// One turn of a [`Replay`].
#[derive(Debug)]
pub struct Step {
    /// The position after it.
    pub table: Table,
    /// What happened.
    pub events: Vec<Event>,
    /// The line as it was written.
    pub line: TurnLine,
}

#[derive(Deserialize)]
struct HeaderLine {
    id: String,
    ruleset: serde_json::Value,
    seed: Seed,
    seats: Vec<SeatInfo>,
    state: Box<RawValue>,
}

/// A turn as a record has it.
#[derive(Debug, Deserialize)]
pub struct TurnLine {
    #[serde(rename = "type")]
    kind: String,
    /// Counted from 1.
    pub turn: u32,
    /// What each seat did, in notation.
    pub actions: BTreeMap<Seat, String>,
    events: Box<RawValue>,
    state_hash: String,
    /// Which of the actions are the referee's doing, and why.
    #[serde(default)]
    pub lapses: BTreeMap<Seat, Lapse>,
    /// What was said beside the action.
    #[serde(default)]
    pub said: BTreeMap<Seat, String>,
    /// What players gave as their reasons.
    #[serde(default)]
    pub reasoning: BTreeMap<Seat, String>,
    /// Attempts that were refused.
    #[serde(default)]
    pub refused: Vec<Refused>,
    /// How long each player thought, in microseconds.
    #[serde(default)]
    pub micros: BTreeMap<Seat, u64>,
    /// How long each player waited in our own queues.
    #[serde(default)]
    pub waited_micros: BTreeMap<Seat, u64>,
    /// How long each player's backend was in trouble.
    #[serde(default)]
    pub backend_micros: BTreeMap<Seat, u64>,
    /// What each player asked of a model.
    #[serde(default)]
    pub calls: BTreeMap<Seat, Vec<Call>>,
}

impl Turn {
    /// Reads a line of a record as it was written. Nothing of it is checked against the rules: for lines that were.
    ///
    /// # Errors
    /// If it is no turn of this ruleset's game.
    pub fn read(ruleset: &Ruleset, line: &str) -> Result<Turn, serde_json::Error> {
        let line: TurnLine = serde_json::from_str(line)?;
        let events: Vec<Box<RawValue>> = serde_json::from_str(line.events.get())?;
        let events = events.iter().map(|event| event_from_json(ruleset, event.get())).collect::<Result<_, _>>()?;
        let bad = |()| serde::de::Error::custom("`state_hash` is no fingerprint");
        Ok(Turn {
            turn: line.turn,
            actions: line.actions,
            events,
            state_hash: line.state_hash.parse().map_err(bad)?,
            lapses: line.lapses,
            said: line.said,
            reasoning: line.reasoning,
            refused: line.refused,
            micros: line.micros,
            waited_micros: line.waited_micros,
            backend_micros: line.backend_micros,
            calls: line.calls,
        })
    }
}

impl From<Step> for Turn {
    /// The turn as it was recorded, without the position.
    fn from(Step { table, events, line }: Step) -> Turn {
        Turn {
            turn: line.turn,
            actions: line.actions,
            events,
            state_hash: table.hash(),
            lapses: line.lapses,
            said: line.said,
            reasoning: line.reasoning,
            refused: line.refused,
            micros: line.micros,
            waited_micros: line.waited_micros,
            backend_micros: line.backend_micros,
            calls: line.calls,
        }
    }
}

#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    kind: String,
    version: Option<u32>,
}

impl Replay {
    /// Reads a record, plays it again and compares. A record that breaks off between two turns is read as far as it
    /// goes: `result` is `None` then.
    ///
    /// # Errors
    /// With the first line that differs.
    pub fn read(mut input: impl BufRead) -> Result<Replay, ReplayError> {
        let mut reader = Reader { number: 0, chain: Chain::default(), line: String::new() };
        let first = reader.next(&mut input)?.map(ToOwned::to_owned);
        let first = first.ok_or(ReplayError { line: 1, problem: Problem::Empty })?;
        let mut replay = reader.at(header(&first))?;
        let mut table = replay.start.clone();
        loop {
            replay.chain = reader.chain;
            let Some(line) = reader.next(&mut input)?.map(ToOwned::to_owned) else { return Ok(replay) };
            let kind: Kind = reader.at(serde_json::from_str(&line).map_err(Problem::from))?;
            if replay.result.is_some() {
                return Err(reader.error(Problem::Expected { expected: "no further" }));
            }
            if kind.kind == "result" {
                replay.result = Some(reader.at(result(&line, &table))?);
            } else {
                let step = reader.at(turn(&line, &mut table, replay.seed))?;
                replay.turns.push(step);
            }
        }
    }

    /// The record as one that is complete.
    ///
    /// # Errors
    /// If the last line is missing.
    pub fn finished(&self) -> Result<&MatchResult, ReplayError> {
        let line = self.turns.len() + 2;
        self.result.as_ref().ok_or(ReplayError { line, problem: Problem::Unfinished })
    }

    /// The match at the last position, ready to go on.
    pub fn resume(&self) -> Match {
        let table = self.turns.last().map_or(&self.start, |step| &step.table);
        let lapses = BySeat::from_fn(table.seats(), |seat| {
            let lapsed = self.turns.iter().filter(|step| step.line.lapses.contains_key(&seat)).count();
            u32::try_from(lapsed).unwrap_or(u32::MAX)
        });
        Match::at(table.clone(), self.seed, lapses)
    }
}

/// Reads line after line and follows the chain.
struct Reader {
    number: usize,
    chain: Chain,
    line: String,
}

impl Reader {
    fn error(&self, problem: Problem) -> ReplayError {
        ReplayError { line: self.number, problem }
    }

    fn at<T>(&self, outcome: Result<T, Problem>) -> Result<T, ReplayError> {
        outcome.map_err(|problem| self.error(problem))
    }

    fn next(&mut self, input: &mut impl BufRead) -> Result<Option<&str>, ReplayError> {
        self.number += 1;
        self.line.clear();
        let read = input.read_line(&mut self.line);
        if self.at(read.map_err(Problem::from))? == 0 {
            return Ok(None);
        }
        let line = self.line.strip_suffix('\n').unwrap_or(&self.line);
        let Some((body, written)) = log::split(line) else { return Err(self.error(Problem::NoHash)) };
        let actual = self.chain.after(body.as_bytes());
        if actual.to_string() != written {
            return Err(self.error(Problem::Hash { written: written.chars().take(40).collect(), actual }));
        }
        self.chain = actual;
        Ok(Some(line))
    }
}

fn header(line: &str) -> Result<Replay, Problem> {
    let kind: Kind = serde_json::from_str(line)?;
    if kind.kind != "match" {
        return Err(Problem::Expected { expected: "match" });
    }
    // The version is looked at before anything that a later one may have changed.
    match kind.version {
        Some(RECORD_VERSION) => {}
        Some(version) => return Err(Problem::Version(version)),
        None => return Err(Problem::Expected { expected: "versioned" }),
    }
    let header: HeaderLine = serde_json::from_str(line)?;
    let ruleset = Ruleset::from_json(&header.ruleset)
        .map_err(|bad| Problem::Differs { field: "ruleset", why: bad.to_string() })?;
    let ruleset = Arc::new(ruleset);
    let in_order = Seat::first(header.seats.len().min(Seat::MAX)).eq(header.seats.iter().map(|info| info.seat));
    if !in_order {
        let why = "the seats must be A, B, … in order".to_owned();
        return Err(Problem::Differs { field: "seats", why });
    }
    let start = Table::open(ruleset.clone(), header.seats.len(), header.seed)
        .map_err(|refusal| Problem::Differs { field: "seats", why: refusal.message })?;
    same("state", header.state.get(), &serde_json::to_string(&start.state())?)?;
    let HeaderLine { id, seed, seats, .. } = header;
    Ok(Replay { id, ruleset, seed, seats, start, turns: Vec::new(), result: None, chain: Chain::default() })
}

fn turn(line: &str, table: &mut Table, seed: Seed) -> Result<Step, Problem> {
    let line: TurnLine = serde_json::from_str(line)?;
    if line.kind != "turn" {
        return Err(Problem::Expected { expected: "turn" });
    }
    let differs = |field, why| Problem::Differs { field, why };
    let joint: Joint<Action> = line
        .actions
        .iter()
        .map(|(&seat, notation)| {
            let stand_in = line.lapses.get(&seat).is_some_and(|lapse| lapse.stand_in);
            let order = match notation.as_str() {
                "pass" => Order::Pass,
                "forfeit" => Order::Forfeit,
                _ if stand_in => Order::StandIn(table.read(notation)?.0),
                _ => Order::Play(table.read(notation)?.0),
            };
            Ok((seat, order))
        })
        .collect::<Result<_, Refusal>>()
        .map_err(|refusal| differs("actions", refusal.message))?;
    let mut dice = seed.turn(table.turn().into());
    let events = table.play(&joint, &mut dice).map_err(|refusal| differs("actions", refusal.message))?;
    if line.turn != table.turn() {
        return Err(differs("turn", format!("it is {}, but this is turn {}", line.turn, table.turn())));
    }
    same("events", line.events.get(), &serde_json::to_string(&events)?)?;
    same("state_hash", &line.state_hash, &table.hash().to_string())?;
    Ok(Step { table: table.clone(), events, line })
}

fn result(line: &str, table: &Table) -> Result<MatchResult, Problem> {
    let result: MatchResult = serde_json::from_str(line)?;
    let Some(outcome) = table.outcome() else {
        let why = "the match is not over at this point".to_owned();
        return Err(Problem::Differs { field: "result", why });
    };
    let actual = MatchResult { places: outcome.places, reason: outcome.reason, turns: table.turn() };
    same("result", &serde_json::to_string(&result)?, &serde_json::to_string(&actual)?)?;
    Ok(result)
}

fn same(field: &'static str, written: &str, actual: &str) -> Result<(), Problem> {
    if written == actual {
        return Ok(());
    }
    let at = written.bytes().zip(actual.bytes()).take_while(|(a, b)| a == b).count();
    let around = |text: &str| {
        let start = text.floor_char_boundary(at.saturating_sub(20));
        text[start..text.floor_char_boundary(start + 60)].to_owned()
    };
    Err(Problem::Differs {
        field, why: format!("…{}… is written, …{}… is right", around(written), around(actual))
    })
}
