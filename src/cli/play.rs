//! `standoff play`: one match, here and now.

use std::fs::File;
use std::io::{self, BufRead, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::args::RulesetArgs;
use super::draw::{Note, Show, render_ansi};
use super::error::Failure;
use super::person::{Person, Word};
use super::{replay, screen};
use crate::briefs::Language;
use crate::matches::{Fault, Log, Match, Record};
use crate::players::{Bot, BotSpec};
use crate::rules::dice::Seed;
use crate::rules::ruleset::Ruleset;
use crate::rules::seat::Seat;
use crate::rules::table::Event;

/// Play one match in the terminal: against bots, against each other, or watch bots play.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff play                                        you (A) against a bot
  standoff play --players greedy,search                two bots, you watch
  standoff play --ruleset grid-royale --players human,search,search,greedy
  standoff play --players random,random --seed 7 --record match.jsonl --json
  standoff play --map canyon --hp 3 --lang zh")]
pub(crate) struct Play {
    #[command(flatten)]
    rules: RulesetArgs,
    /// Who plays, in seat order: `human`, `random`, `greedy`, `search`, `search:2000` (playouts a move), `search:500ms`
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    players: Vec<Seated>,
    /// Where all chance comes from; the same seed and the same bots give the same match
    #[arg(long, value_name = "SEED", allow_negative_numbers = true)]
    seed: Option<Seed>,
    /// Milliseconds between turns when people watch
    #[arg(long, value_name = "MS")]
    delay: Option<u64>,
    /// Keep the match in this file, line by line; `standoff replay` reads it
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Show nothing and print the result as one JSON line
    #[arg(long)]
    json: bool,
    /// English or Chinese
    #[arg(long, default_value = "en", value_name = "en|zh")]
    lang: Language,
}

/// Who sits on a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seated {
    Human,
    Bot(BotSpec),
}

impl FromStr for Seated {
    type Err = String;

    fn from_str(text: &str) -> Result<Seated, String> {
        if text.trim().eq_ignore_ascii_case("human") {
            return Ok(Seated::Human);
        }
        text.parse().map(Seated::Bot).map_err(|error| format!("{error}; a person is `human`"))
    }
}

impl std::fmt::Display for Seated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Seated::Human => f.write_str("human"),
            Seated::Bot(spec) => spec.fmt(f),
        }
    }
}

impl Play {
    /// Plays the match to its end.
    ///
    /// # Errors
    /// If the call makes no sense, the record cannot be written, or a person leaves.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let ruleset = self.rules.resolve()?;
        let seated = self.seated(&ruleset);
        let seed = match self.seed {
            Some(seed) => seed,
            None => random_seed()?,
        };
        let names: Vec<String> = seated.iter().map(ToString::to_string).collect();
        let id = uuid::Uuid::now_v7().to_string();
        let (game, header) = Match::open(id.clone(), ruleset.clone(), seed, names.clone()).map_err(|refusal| {
            Failure::call(refusal).hint("name as many players as you like with --players, separated by commas")
        })?;
        let log = match &self.record {
            Some(path) => Some(RecordFile::create(path, seated.contains(&Seated::Human))?),
            None => None,
        };
        let bots = Seat::first(seated.len()).zip(&seated).map(|(seat, seated)| match seated {
            Seated::Human => None,
            Seated::Bot(spec) => Some(spec.seat(seed.child("bot", seat.index() as u64))),
        });
        let stage = Stage::new(&self, Show { ruleset, names, language: self.lang }, &seated);
        let mut session = Session { game, bots: bots.collect(), log, stage, out };
        session.write(&header)?;
        let result = session.play(self.lang)?;
        if self.json {
            let line = json!({
                "type": "result", "id": id, "seed": seed, "places": result.places, "reason": result.reason, "turns": result.turns,
            });
            writeln!(out, "{line}")?;
        }
        Ok(())
    }

    /// Who plays where nothing is said: a person against bots where a person can be asked, else bots.
    fn seated(&self, ruleset: &Ruleset) -> Vec<Seated> {
        if !self.players.is_empty() {
            return self.players.clone();
        }
        let search = Seated::Bot(BotSpec::Search(crate::players::Budget::DEFAULT));
        let first = if screen::is_interactive() && !self.json { Seated::Human } else { Seated::Bot(BotSpec::Greedy) };
        std::iter::once(first).chain(std::iter::repeat(search)).take(ruleset.players.default).collect()
    }
}

fn random_seed() -> Result<Seed, Failure> {
    let number =
        getrandom::u64().map_err(|error| Failure::work(format!("the system gives no random numbers: {error}")))?;
    Ok(Seed(number).short())
}

/// A match at the terminal.
struct Session<'a, W> {
    game: Match,
    /// The bots by seat; people have none.
    bots: Vec<Option<Box<dyn Bot>>>,
    log: Option<RecordFile>,
    stage: Stage,
    out: &'a mut W,
}

impl<W: Write> Session<'_, W> {
    fn play(&mut self, language: Language) -> Result<crate::matches::Result, Failure> {
        let stdin = io::stdin();
        let mut person = Person::new(stdin.lock(), language);
        self.stage.opening(&self.game, self.out)?;
        loop {
            let seat = self.game.awaiting().iter().next().expect("a match that is not over awaits somebody");
            let records = match &mut self.bots[seat.index()] {
                Some(bot) => {
                    let action = bot.choose(self.game.table(), seat);
                    self.game.submit(seat, &action).map_err(|refusal| {
                        Failure::work(format!("the bot on seat {seat} played {action}: {refusal}"))
                    })?
                }
                None => self.ask(seat, &mut person)?,
            };
            for record in records {
                self.write(&record)?;
                match record {
                    Record::Turn(turn) => {
                        let said = turn.said.iter().map(|(&seat, text)| Note::said(seat, text));
                        self.stage.turn(&self.game, &turn.events, said.collect(), self.out)?;
                    }
                    Record::Result(result) => {
                        if let Some(log) = &mut self.log {
                            log.flush()?;
                        }
                        self.stage.ending(&self.game, self.out)?;
                        return Ok(result);
                    }
                    Record::Match(_) => {}
                }
            }
        }
    }

    /// Asks a person until there is an action that the rules take.
    fn ask(&mut self, seat: Seat, person: &mut Person<impl BufRead>) -> Result<Vec<Record>, Failure> {
        let hidden = self.stage.people > 1 && self.game.awaiting().len() > 1;
        loop {
            let word = person.ask(self.game.table(), seat, self.out)?;
            if hidden && screen::is_interactive() {
                // Others at this keyboard are still to choose: the line just typed goes.
                write!(self.out, "\x1b[1A\x1b[2K")?;
            }
            match word {
                Word::Action(text) => match self.game.submit(seat, &text) {
                    Ok(records) => return Ok(records),
                    Err(refusal) => person.refused(self.game.table(), seat, &text, &refusal, self.out)?,
                },
                Word::Say(text) => {
                    if let Err(refusal) = self.game.say(seat, &text) {
                        person.refused(self.game.table(), seat, &text, &refusal, self.out)?;
                    }
                }
                Word::Resign => return Ok(self.game.forfeit(seat, Fault::Resigned)),
                Word::Leave => {
                    let kept =
                        self.log.as_ref().map(|log| format!("the record up to here is in {}", log.path.display()));
                    let failure = Failure::work("the match was left before its end");
                    return Err(failure.hint(kept.unwrap_or_else(|| "`resign` gives up and ends the match".to_owned())));
                }
            }
        }
    }

    fn write(&mut self, record: &Record) -> Result<(), Failure> {
        self.log.as_mut().map_or(Ok(()), |log| log.write(record))
    }
}

/// What is shown of a match, and how fast.
struct Stage {
    show: Show,
    view: View,
    delay: Duration,
    people: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    /// The board is redrawn in place.
    Screen,
    /// What happens is told line by line, with the board at the start and at the end.
    Lines,
    /// Nothing.
    Nothing,
}

impl Stage {
    fn new(play: &Play, show: Show, seated: &[Seated]) -> Stage {
        let people = seated.iter().filter(|seated| **seated == Seated::Human).count();
        let view = match (play.json, io::stdout().is_terminal()) {
            (true, _) => View::Nothing,
            (false, true) => View::Screen,
            (false, false) => View::Lines,
        };
        let usual = if view == View::Screen { 350 } else { 0 };
        Stage { show, view, delay: Duration::from_millis(play.delay.unwrap_or(usual)), people }
    }

    fn opening(&self, game: &Match, out: &mut impl Write) -> io::Result<()> {
        match self.view {
            View::Nothing => Ok(()),
            View::Screen | View::Lines => self.board(game, &[], Vec::new(), out),
        }
    }

    fn turn(&self, game: &Match, events: &[Event], said: Vec<Note>, out: &mut impl Write) -> io::Result<()> {
        let mut notes = replay::told(events, self.show.language);
        notes.extend(said);
        match self.view {
            View::Nothing => return Ok(()),
            View::Screen => self.board(game, events, notes, out)?,
            View::Lines => {
                for note in notes {
                    match note.seat {
                        Some(seat) => writeln!(out, "{:>4}  {seat}: «{}»", game.table().turn(), note.text())?,
                        None => writeln!(out, "{:>4}  {}", game.table().turn(), note.text())?,
                    }
                }
                out.flush()?;
            }
        }
        std::thread::sleep(self.delay);
        Ok(())
    }

    fn ending(&self, game: &Match, out: &mut impl Write) -> io::Result<()> {
        match self.view {
            View::Nothing | View::Screen => Ok(()),
            View::Lines => self.board(game, &[], Vec::new(), out),
        }
    }

    fn board(&self, game: &Match, events: &[Event], notes: Vec<Note>, out: &mut impl Write) -> io::Result<()> {
        let mut picture = self.show.picture(&game.table().state(), events);
        picture.notes = notes;
        if self.view == View::Screen {
            write!(out, "\x1b[2J\x1b[H")?;
        }
        out.write_all(render_ansi(&picture, &screen::options()).as_bytes())?;
        out.flush()
    }
}

/// The file of a record.
struct RecordFile {
    path: PathBuf,
    log: Log<BufWriter<File>>,
    /// Whether every line goes to the file at once: a person's turn is never lost.
    at_once: bool,
}

impl RecordFile {
    /// A new file. One that is already there and not empty is moved aside first, never written over.
    fn create(path: &Path, at_once: bool) -> Result<RecordFile, Failure> {
        let cannot = |error: io::Error| Failure::work(format!("cannot write the record {}: {error}", path.display()));
        if path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() > 0) {
            let mut names = (1..100_000).map(|n| PathBuf::from(format!("{}.{n}", path.display())));
            let aside = names.find(|aside| !aside.exists()).ok_or_else(|| {
                Failure::work(format!("{} is there already, and so are 99999 older ones", path.display()))
            })?;
            std::fs::rename(path, &aside).map_err(cannot)?;
            let _ = writeln!(io::stderr(), "note: the earlier {} is now {}", path.display(), aside.display());
        }
        let file = File::create(path).map_err(cannot)?;
        Ok(RecordFile { path: path.to_owned(), log: Log::new(BufWriter::new(file)), at_once })
    }

    fn write(&mut self, record: &Record) -> Result<(), Failure> {
        let cannot = |path: &Path, error| Failure::work(format!("cannot write the record {}: {error}", path.display()));
        self.log.write(record).map_err(|error| cannot(&self.path, error))?;
        if self.at_once { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        let path = &self.path;
        let cannot = |error| Failure::work(format!("cannot write the record {}: {error}", path.display()));
        self.log.get_mut().flush().map_err(cannot)
    }
}
