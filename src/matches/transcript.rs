//! A record without its positions, for rules that this program does not know.

use std::io::BufRead;

use serde_json::Value as Json;

use super::error::ReplayError;
use super::lines::{Line, Lines, TurnLine};
use super::record::{Result as MatchResult, SeatInfo};
use crate::games::any::{Event, GameId};

/// Who played, what they did, what came of it and how it ended, as a record says and nobody has checked.
#[derive(Debug)]
pub struct Transcript {
    /// The match's own name.
    pub id: String,
    /// The ruleset as it is written.
    pub ruleset: Json,
    /// Who sat where.
    pub seats: Vec<SeatInfo>,
    /// The turns in order.
    pub turns: Vec<TranscriptTurn>,
    /// The last line, once there is one.
    pub result: Option<MatchResult>,
}

/// One turn of a [`Transcript`].
#[derive(Debug)]
pub struct TranscriptTurn {
    /// The line as it was written.
    pub line: TurnLine,
    /// What happened: events that this program knows, and others as they are written.
    pub events: Vec<Result<Event, Json>>,
}

impl Transcript {
    /// Reads a record whatever its rules are. Its chain of hashes must hold.
    ///
    /// # Errors
    /// With the first line that cannot be read.
    pub fn read(input: impl BufRead) -> Result<Transcript, ReplayError> {
        let (mut lines, header) = Lines::open(input)?;
        let ruleset: Json = lines.at(serde_json::from_str(header.ruleset.get()).map_err(Into::into))?;
        let game = ruleset["game"].as_str().and_then(GameId::named);
        let (turns, result) = (Vec::new(), None);
        let mut transcript = Transcript { id: header.id, ruleset, seats: header.seats, turns, result };
        while let Some(line) = lines.next()? {
            match line {
                Line::Turn(line) => {
                    let events = lines.at(line.events(game).map_err(Into::into))?;
                    transcript.turns.push(TranscriptTurn { line: *line, events });
                }
                Line::Result(result) => transcript.result = Some(result),
            }
        }
        Ok(transcript)
    }
}
