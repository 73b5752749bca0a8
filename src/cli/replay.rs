//! `standoff replay`: watch a recorded match, check it, or take it apart.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read as _, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::draw::viewer::{self, Frame, ReplayViewer};
use super::draw::{PictureNote, Show, render_svg};
use super::error::Failure;
use super::screen;
use crate::briefs::{Language, event_sentence, failure_sentences, opening_sentence, said_sentence};
use crate::games::seat::Seat;
use crate::games::table::{Event, Opening};
use crate::matches::{self, Lapse, LineProblem, RefusedAttempt, ReplayError, Transcript, TranscriptTurn};

/// Watch a recorded match, check it, or print its positions.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff replay match.jsonl                        watch it: space plays, arrows step, g jumps, q leaves
  standoff replay match.jsonl --verify               recompute every line
  standoff replay match.jsonl --json | jq .players   one state a line, the start included
  standoff replay match.jsonl --svg board.svg --turn 12")]
pub(crate) struct ReplayCommand {
    /// The record; `-` is standard input
    file: PathBuf,
    /// Recompute everything from the first line: exit code 0 and `verified`, or 1 and the first line that differs
    #[arg(long)]
    verify: bool,
    /// One state per line, the start included
    #[arg(long)]
    json: bool,
    /// Draw one position as an SVG picture into this file; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["verify", "json"])]
    svg: Option<PathBuf>,
    /// Which position, by turns played (default: the last)
    #[arg(long, value_name = "N", requires = "svg")]
    turn: Option<usize>,
    /// English or Chinese
    #[arg(long, default_value = "en", value_name = "en|zh")]
    lang: Language,
}

impl ReplayCommand {
    /// Does what was asked with the record.
    ///
    /// # Errors
    /// If it cannot be read or does not check out.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let differs = |error: ReplayError| Failure::work(format!("{}: {error}", self.file.display()));
        let mut bytes = Vec::new();
        open(&self.file)?.read_to_end(&mut bytes)?;
        let read = if self.verify { matches::Replay::verify } else { matches::Replay::read };
        let record = match read(bytes.as_slice()) {
            Ok(record) => record,
            Err(error @ ReplayError { problem: LineProblem::Rules(_), .. }) => {
                if !self.verify && !self.json && self.svg.is_none() {
                    let transcript = Transcript::read(bytes.as_slice()).map_err(differs)?;
                    print_transcript(&transcript, self.lang, out)?;
                }
                return Err(differs(error));
            }
            Err(error @ ReplayError { problem: LineProblem::Version(_) | LineProblem::Minor(_), .. }) => {
                return Err(differs(error));
            }
            Err(error) => {
                return Err(
                    differs(error).hint("the lines before this one check out; a record is never edited by hand")
                );
            }
        };
        if self.verify {
            let result = record.finished().map_err(differs)?;
            if self.json {
                let line = json!({ "verified": true, "id": record.id, "turns": result.turns, "places": result.places, "reason": result.reason });
                writeln!(out, "{line}")?;
            } else {
                writeln!(out, "verified: {} turns of {}", result.turns, record.ruleset.name)?;
            }
            return Ok(());
        }
        if self.json {
            writeln!(out, "{}", record.start_json())?;
            for step in &record.turns {
                writeln!(out, "{}", serde_json::to_string(&step.table.state()).expect("plain data"))?;
            }
            return Ok(());
        }
        let show = Show {
            ruleset: record.ruleset.clone(),
            names: record.seats.iter().map(|info| info.player.clone()).collect(),
            language: self.lang,
        };
        if let Some(path) = &self.svg {
            return self.draw(&record, &show, path, out);
        }
        let mut viewer = ReplayViewer::new(show, frames(&record, self.lang));
        if screen::is_interactive() {
            viewer::run(&mut viewer, screen::depth(), out)?;
        } else {
            viewer::print(&viewer, &screen::options(), out)?;
        }
        Ok(())
    }

    fn draw(&self, record: &matches::Replay, show: &Show, path: &Path, out: &mut impl Write) -> Result<(), Failure> {
        let last = record.turns.len();
        let turn = self.turn.unwrap_or(last);
        let frame = frames(record, self.lang).into_iter().nth(turn).ok_or_else(|| {
            Failure::call(format!("there is no turn {turn}")).hint(format!("this record has turns 0 to {last}"))
        })?;
        let mut picture = show.picture(&frame.state, &frame.events);
        picture.notes = frame.notes;
        let svg = render_svg(&picture);
        if path == Path::new("-") {
            return Ok(out.write_all(svg.as_bytes())?);
        }
        std::fs::write(path, svg).map_err(|error| Failure::work(format!("cannot write {}: {error}", path.display())))
    }
}

/// A record, or standard input.
///
/// # Errors
/// If it cannot be opened.
pub(super) fn open(path: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if path == Path::new("-") {
        if io::stdin().is_terminal() {
            return Err(Failure::call("nothing is piped in").hint("give a file: standoff replay match.jsonl"));
        }
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let file = File::open(path).map_err(|error| {
        Failure::work(format!("cannot open {}: {error}", path.display()))
            .hint("`standoff play --record FILE` makes a record")
    })?;
    Ok(Box::new(BufReader::new(file)))
}

/// Who played, what they did, what came of it and how it ended, without the positions.
fn print_transcript(transcript: &Transcript, language: Language, out: &mut impl Write) -> io::Result<()> {
    let seats: Vec<String> = transcript.seats.iter().map(|info| format!("{} {}", info.seat, info.player)).collect();
    writeln!(out, "{}: {}", transcript.ruleset["name"].as_str().unwrap_or("?"), seats.join(" · "))?;
    for TranscriptTurn { line, events } in &transcript.turns {
        let actions: Vec<String> = line.actions.iter().map(|(seat, action)| format!("{seat} {action}")).collect();
        writeln!(out, "{}. {}", line.turn, actions.join(" · "))?;
        for failure in failure_sentences(&line.refused, &line.lapses, language) {
            writeln!(out, "   {failure}")?;
        }
        for event in events {
            match event {
                Ok(event) => writeln!(out, "   {}", event_sentence(event, language))?,
                Err(unknown) => writeln!(out, "   {unknown}")?,
            }
        }
        for (seat, text) in &line.said {
            writeln!(out, "   {}", said_sentence(*seat, text, language))?;
        }
    }
    if let Some(result) = &transcript.result {
        let places: Vec<String> = result.places.iter().map(|(seat, place)| format!("{place}. {seat}")).collect();
        writeln!(out, "{} ({})", places.join(" · "), json!(result.reason).as_str().unwrap_or_default())?;
    }
    out.flush()
}

/// What there is to see, from the start on.
fn frames(record: &matches::Replay, language: Language) -> Vec<Frame> {
    let start = Frame { state: record.start.state(), events: Vec::new(), notes: opening(&record.opening, language) };
    let turns = record.turns.iter().map(|step| {
        let line = &step.line;
        let told = TurnDigest {
            events: &step.events,
            refused: &line.refused,
            lapses: &line.lapses,
            said: &line.said,
            reasoning: &line.reasoning,
        };
        Frame { state: step.table.state(), events: step.events.clone(), notes: told.notes(language) }
    });
    std::iter::once(start).chain(turns).collect()
}

/// That the match began from an opening, and what was done in it.
fn opening(turns: &Opening, language: Language) -> Vec<PictureNote> {
    if turns.is_empty() {
        return Vec::new();
    }
    let actions = |turn: &BTreeMap<Seat, String>| {
        let actions: Vec<String> = turn.iter().map(|(seat, action)| format!("{seat} {action}")).collect();
        actions.join(" · ")
    };
    let sentence = std::iter::once(opening_sentence(language));
    sentence.chain(turns.iter().map(actions)).map(|line| PictureNote::told(&line)).collect()
}

/// What a turn has to tell.
pub(super) struct TurnDigest<'a> {
    pub(super) events: &'a [Event],
    pub(super) refused: &'a [RefusedAttempt],
    pub(super) lapses: &'a BTreeMap<Seat, Lapse>,
    pub(super) said: &'a BTreeMap<Seat, String>,
    pub(super) reasoning: &'a BTreeMap<Seat, String>,
}

impl TurnDigest<'_> {
    /// What was refused and why, what happened, what was said and thought.
    pub(super) fn notes(&self, language: Language) -> Vec<PictureNote> {
        let failures = failure_sentences(self.refused, self.lapses, language).into_iter();
        let events = self.events.iter().map(|event| event_sentence(event, language));
        let said = self.said.iter().map(|(&seat, text)| PictureNote::said(seat, text));
        let thoughts = self.reasoning.iter().map(|(&seat, text)| PictureNote::thought(seat, text));
        failures.chain(events).map(|text| PictureNote::told(&text)).chain(said).chain(thoughts).collect()
    }
}
