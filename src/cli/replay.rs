//! `standoff replay`: watch a recorded match, check it, or take it apart.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read as _, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::draw::viewer::{self, ReplayViewer};
use super::error::Failure;
use super::screen;
use crate::briefs::{Language, event_sentence, failure_sentences, said_sentence};
use crate::matches::{self, LineProblem, ReplayError, Transcript, TranscriptTurn};
use crate::pictures::{self, Frame, PictureError, Show, Surroundings};

/// Watch a recorded match, check it, or print its positions.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff replay match.jsonl                        watch it: space plays, arrows step, g jumps, q leaves
  standoff replay match.jsonl --verify               recompute every line
  standoff replay match.jsonl --json | jq .players   one state per line, the start included
  standoff replay match.jsonl --svg board.svg --turn 12
  standoff replay match.jsonl --gif match.gif --turns 10-30
  standoff replay match.jsonl --html match.html     one file that replays by itself")]
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
    #[arg(long, value_name = "FILE", group = "picture", conflicts_with_all = ["verify", "json"])]
    svg: Option<PathBuf>,
    /// Draw one position as a PNG card of 1200 × 630 pixels
    #[arg(long, value_name = "FILE", group = "picture", conflicts_with_all = ["verify", "json"])]
    png: Option<PathBuf>,
    /// Draw the match as an animated GIF, at most 300 turns
    #[arg(long, value_name = "FILE", group = "picture", conflicts_with_all = ["verify", "json"])]
    gif: Option<PathBuf>,
    /// Write the match as one HTML file that replays by itself, without a server
    #[arg(long, value_name = "FILE", group = "picture", conflicts_with_all = ["verify", "json"])]
    html: Option<PathBuf>,
    /// Which position of `--svg` and `--png`, by turns played (default: the last)
    #[arg(long, value_name = "N", requires = "picture", conflicts_with_all = ["gif", "html"])]
    turn: Option<usize>,
    /// The first and the last turn of `--gif`, as 10-30 (default: all)
    #[arg(long, value_name = "FROM-TO", requires = "gif", value_parser = span)]
    turns: Option<(usize, usize)>,
    /// English or Chinese
    #[arg(long, default_value_t = super::help::usual_language(), value_name = "en|zh")]
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
        let unread = |error| Failure::work(format!("cannot read {}: {error}", self.file.display()));
        open(&self.file)?.read_to_end(&mut bytes).map_err(unread)?;
        let read = if self.verify { matches::Replay::verify } else { matches::Replay::read };
        let record = match read(bytes.as_slice()) {
            Ok(record) => record,
            Err(error @ ReplayError { problem: LineProblem::Rules(_), .. }) => {
                if !self.verify && !self.json && self.picture().is_none() {
                    let transcript = Transcript::read(bytes.as_slice()).map_err(differs)?;
                    print_transcript(&transcript, self.lang, out)?;
                }
                return Err(differs(error));
            }
            Err(error @ ReplayError { problem: LineProblem::Version(_) | LineProblem::Minor(_), .. }) => {
                return Err(differs(error));
            }
            Err(error) => {
                let hint = if error.line <= 1 {
                    "`standoff play --record FILE` makes a record"
                } else {
                    "the lines before this one check out; a record is never edited by hand"
                };
                return Err(differs(error).hint(hint));
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
        let show = Show::of(&record, self.lang);
        let frames = pictures::frames(&record, self.lang);
        if let Some(path) = self.picture() {
            let drawn = self.draw(&show, &frames)?;
            if path == Path::new("-") {
                return Ok(out.write_all(&drawn)?);
            }
            let failed = |error| Failure::work(format!("cannot write {}: {error}", path.display()));
            return std::fs::write(path, drawn).map_err(failed);
        }
        let mut viewer = ReplayViewer::new(show, frames);
        if screen::is_interactive() {
            viewer::run(&mut viewer, screen::depth(), out)?;
        } else {
            viewer::print(&viewer, &screen::options(), out)?;
        }
        Ok(())
    }

    /// The file that a picture goes into.
    fn picture(&self) -> Option<&PathBuf> {
        self.svg.as_ref().or(self.png.as_ref()).or(self.gif.as_ref()).or(self.html.as_ref())
    }

    /// The picture that was asked for.
    fn draw(&self, show: &Show, frames: &[Frame]) -> Result<Vec<u8>, Failure> {
        let last = frames.len() - 1;
        let failed = |error: PictureError| Failure::work(error.to_string());
        if self.gif.is_some() {
            let (from, to) = self.turns.unwrap_or((0, last));
            return pictures::render_gif(show, frames, &(from..=to)).map_err(failed);
        }
        if self.html.is_some() {
            return Ok(pictures::render_html(show, frames, Surroundings::Alone).into_bytes());
        }
        let turn = self.turn.unwrap_or(last);
        let frame = frames.get(turn).ok_or_else(|| {
            Failure::call(format!("there is no turn {turn}")).hint(format!("this record has turns 0 to {last}"))
        })?;
        let mut picture = show.picture(&frame.state, &frame.events);
        picture.notes.clone_from(&frame.notes);
        if self.png.is_some() {
            return pictures::render_png(&picture).map_err(failed);
        }
        Ok(pictures::render_svg(&picture).into_bytes())
    }
}

/// A first and a last turn.
fn span(text: &str) -> Result<(usize, usize), String> {
    let read = |part: &str| part.trim().parse().map_err(|_| format!("`{part}` is not a turn: write 10-30"));
    let (from, to) = text.split_once('-').ok_or("write the first and the last turn: 10-30")?;
    let (from, to) = (read(from)?, read(to)?);
    if from > to { Err(format!("turn {from} comes after turn {to}")) } else { Ok((from, to)) }
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
