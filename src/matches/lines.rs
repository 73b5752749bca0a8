//! The lines of a record as they stand in the file: chained, in order, and not yet played.

use std::collections::BTreeMap;
use std::io::BufRead;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::error::{LineProblem, ReplayError};
use super::format::{Minor, VERSION};
use super::log::{self, Chain};
use super::record::{Call, Lapse, RefusedAttempt, Result as MatchResult, SeatInfo};
use crate::games::dice::Seed;
use crate::games::seat::Seat;
use crate::games::table::Opening;

/// The first line.
#[derive(Deserialize)]
pub(super) struct HeaderLine {
    #[serde(default)]
    pub(super) minor: Minor,
    pub(super) id: String,
    pub(super) ruleset: Box<RawValue>,
    pub(super) seed: Seed,
    pub(super) seats: Vec<SeatInfo>,
    #[serde(default)]
    pub(super) opening: Opening,
    pub(super) state: Box<RawValue>,
}

/// A turn as a record has it.
#[derive(Debug, Deserialize)]
pub struct TurnLine {
    /// The game, from minor 1 on.
    #[serde(default)]
    pub game: Option<String>,
    /// Counted from 1.
    pub turn: u32,
    /// What each seat did, in notation.
    pub actions: BTreeMap<Seat, String>,
    pub(super) events: Box<RawValue>,
    pub(super) state_hash: String,
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
    pub refused: Vec<RefusedAttempt>,
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
    /// All of it, byte for byte.
    #[serde(skip)]
    pub(super) written: Box<str>,
}

impl TurnLine {
    /// Reads a line.
    pub(super) fn read(line: &str) -> Result<TurnLine, serde_json::Error> {
        Ok(TurnLine { written: line.into(), ..serde_json::from_str(line)? })
    }
}

/// A line after the first.
pub(super) enum Line {
    Turn(Box<TurnLine>),
    Result(MatchResult),
}

#[derive(Deserialize)]
struct Tag {
    #[serde(rename = "type")]
    name: String,
    version: Option<u32>,
}

/// Reads line after line and follows the chain.
pub(super) struct Lines<R> {
    input: R,
    number: usize,
    /// Where the chain stands after the lines that were read.
    pub(super) chain: Chain,
    line: String,
    is_over: bool,
}

impl<R: BufRead> Lines<R> {
    /// Reads the first line.
    pub(super) fn open(input: R) -> Result<(Lines<R>, HeaderLine), ReplayError> {
        let mut lines = Lines { input, number: 0, chain: Chain::default(), line: String::new(), is_over: false };
        if !lines.read()? {
            return Err(lines.error(LineProblem::Empty));
        }
        // The version is looked at before anything that a later one may have changed, the chain included.
        let tag = serde_json::from_str(lines.text()).ok();
        if let Some(Tag { version: Some(version), .. }) =
            tag.filter(|tag: &Tag| tag.name == "match" && tag.version != Some(VERSION))
        {
            return Err(lines.error(LineProblem::Version(version)));
        }
        lines.follow()?;
        let header = lines.at(lines.header())?;
        Ok((lines, header))
    }

    fn header(&self) -> Result<HeaderLine, LineProblem> {
        let tag: Tag = serde_json::from_str(self.text())?;
        if tag.name != "match" {
            return Err(LineProblem::Expected { expected: "match" });
        }
        if tag.version.is_none() {
            return Err(LineProblem::Expected { expected: "versioned" });
        }
        let header: HeaderLine = serde_json::from_str(self.text())?;
        let in_order = Seat::first(header.seats.len().min(Seat::MAX)).eq(header.seats.iter().map(|info| info.seat));
        if !in_order {
            let why = "the seats must be A, B, … in order".to_owned();
            return Err(LineProblem::Differs { field: "seats", why });
        }
        Ok(header)
    }

    /// The line after those that were read. Nothing may follow the result.
    pub(super) fn next(&mut self) -> Result<Option<Line>, ReplayError> {
        if !self.advance()? {
            return Ok(None);
        }
        if self.is_over {
            return Err(self.error(LineProblem::Expected { expected: "no further" }));
        }
        let line = self.at(self.body())?;
        self.is_over = matches!(line, Line::Result(_));
        Ok(Some(line))
    }

    fn body(&self) -> Result<Line, LineProblem> {
        let tag: Tag = serde_json::from_str(self.text())?;
        match tag.name.as_str() {
            "turn" => Ok(Line::Turn(Box::new(TurnLine::read(self.text())?))),
            "result" => Ok(Line::Result(serde_json::from_str(self.text())?)),
            _ => Err(LineProblem::Expected { expected: "turn" }),
        }
    }

    /// The line that was read last, without its end.
    pub(super) fn text(&self) -> &str {
        self.line.strip_suffix('\n').unwrap_or(&self.line)
    }

    pub(super) fn error(&self, problem: LineProblem) -> ReplayError {
        ReplayError { line: self.number, problem }
    }

    /// Says in which line it was.
    pub(super) fn at<T>(&self, outcome: Result<T, LineProblem>) -> Result<T, ReplayError> {
        outcome.map_err(|problem| self.error(problem))
    }

    /// Goes on to the next line, if there is one.
    fn advance(&mut self) -> Result<bool, ReplayError> {
        let is_there = self.read()?;
        if is_there {
            self.follow()?;
        }
        Ok(is_there)
    }

    /// Reads the next line, if there is one.
    fn read(&mut self) -> Result<bool, ReplayError> {
        self.number += 1;
        self.line.clear();
        let read = self.input.read_line(&mut self.line);
        Ok(self.at(read.map_err(LineProblem::from))? > 0)
    }

    /// Follows the chain along the line that was read.
    fn follow(&mut self) -> Result<(), ReplayError> {
        let Some((body, written)) = log::split(self.text()) else { return Err(self.error(LineProblem::NoHash)) };
        let actual = self.chain.after(body.as_bytes());
        if actual.to_string() != written {
            return Err(self.error(LineProblem::Hash { written: written.chars().take(40).collect(), actual }));
        }
        self.chain = actual;
        Ok(())
    }
}
