//! `standoff play`: one match, here and now.

mod display;

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use self::display::Display;
use super::args::RulesetArgs;
use super::bill::SeatCosts;
use super::error::Failure;
use super::invite::{self, Invitation, ModelArgs};
use super::messages::{self, TranslatedOutput};
use super::person::Keyboard;
use super::players::ConfigArgs;
use super::seat::PlayerSpec;
use super::signals::Signals;
use super::telemetry::{Telemetry, TelemetryArgs};
use super::{screen, storage};
use crate::bots::{BotSpec, Budget};
use crate::briefs::Language;
use crate::config::Environment;
use crate::games::dice::Seed;
use crate::games::ruleset::Ruleset;
use crate::games::seat::{BySeat, Seat};
use crate::games::table::Table;
use crate::games::view::Viewer;
use crate::matches::{Call, Chain, Log, Match, Record, Replay};
use crate::pictures::Show;
use crate::players::model::{NoJournal, Spent};
use crate::players::{Contestants, Interruptible, Player};
use crate::referee::{self, Clock, Watch};

/// Play one match in the terminal: against bots, against each other, or watch bots play.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff play                                        you (A) against a bot
  standoff play --players greedy,search                two bots, you watch
  standoff play --ruleset grid-royale --players human,search,search,greedy
  standoff play --players random,random --seed 7 --record match.jsonl --json
  standoff play --map canyon --hp 3 --lang zh")]
pub(crate) struct PlayCommand {
    #[command(flatten)]
    rules: RulesetArgs,
    /// Who plays, in seat order: `human`, `random`, `greedy`, `search`, `search:2000` (playouts per move), `search:500ms`,
    /// a player of the configuration, `openai:MODEL` (or `anthropic:`, `gemini:`, `openrouter:`), `process:COMMAND`,
    /// `scripted:FILE`, `agent:NAME` of the configuration. Given more than once, each
    /// names one player
    #[arg(long, value_name = "LIST")]
    players: Vec<String>,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    models: ModelArgs,
    #[command(flatten)]
    telemetry: TelemetryArgs,
    /// The seed of all chance; the same seed and the same bots give the same match
    #[arg(long, value_name = "SEED", allow_negative_numbers = true)]
    seed: Option<Seed>,
    /// Milliseconds between turns when people watch
    #[arg(long, value_name = "MS")]
    delay: Option<u64>,
    /// Keep the match in this file, line by line; `standoff replay` reads it
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Go on with a match that stopped before its end, from its record; its players and rules are those of the record
    #[arg(long, value_name = "FILE", conflicts_with_all = ["record", "players", "seed", "ruleset", "map", "hp", "opening", "set"])]
    resume: Option<PathBuf>,
    /// Show nothing and print the result as one JSON line
    #[arg(long)]
    json: bool,
    /// English or Chinese
    #[arg(long, default_value_t = super::help::usual_language(), value_name = "en|zh")]
    lang: Language,
}

impl PlayCommand {
    /// Plays the match to its end.
    ///
    /// # Errors
    /// If the call makes no sense, the record cannot be written, or a person leaves.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let telemetry = self.telemetry.start()?;
        let played = Telemetry::run("play").in_scope(|| self.play(out));
        telemetry.finish();
        played
    }

    fn play(&self, out: &mut impl Write) -> Result<(), Failure> {
        let profiles = self.config.load()?.known;
        let plan = match &self.resume {
            Some(path) => PreparedMatch::from_record(path, &profiles)?,
            None => self.begin(&profiles)?,
        };
        let PreparedMatch { id, mut game, past, seated, seed, log } = plan;
        let turns = past.as_ref().map_or(&[][..], |past| past.turns.as_slice());
        let runtime = storage::runtime()?;
        let mut signals = runtime.block_on(async { Signals::listen() })?;
        let stop = signals.stop();
        let record = log.as_ref().map(|log| log.path.as_path()).filter(|_| has_models(&seated));
        let journal = self.models.journal(record)?;
        let mut ledger = journal.ledger();
        // A journal that is lost, or of before there was a ledger, leaves what the record has.
        for (seat, call) in
            turns.iter().filter(|_| journal.ledger().is_empty()).flat_map(|step| calls(&step.line.calls))
        {
            let unknown = u64::from(call.usd.is_none());
            ledger.add(Some(&id), seat, Spent { unknown, ..Spent::new(1, call.usd.unwrap_or(0.0)) });
        }
        let budget = Arc::new(self.models.budget().after(ledger).stopped_by(stop.clone()));
        let invitation = Invitation {
            ruleset: game.table().ruleset().clone(),
            seats: seated.len(),
            seed,
            language: self.lang,
            budget: budget.clone(),
            journal,
            keyboard: Keyboard::default(),
            shared: seated.iter().filter(|seated| **seated == PlayerSpec::Human).count() > 1,
        };
        let mut players = runtime.block_on(async {
            let mut players = Vec::new();
            for (seat, seated) in Seat::first(seated.len()).zip(&seated) {
                let info = past.as_ref().and_then(|past| past.seats.get(seat.index()));
                let player = invitation.seat(seat, seated, info.and_then(|info| info.model.as_ref())).await?;
                players.push(match seated {
                    PlayerSpec::Human => Interruptible::person(player, stop.clone()),
                    _ => Interruptible::new(player, stop.clone()),
                });
            }
            let players = players.into_iter().map(|player| Box::new(player) as Box<dyn Player>);
            let mut players: BySeat<Box<dyn Player>> = players.collect();
            if let Some(past) = &past {
                referee::remember(past, &mut players).await;
            }
            Ok::<_, Failure>(players)
        })?;
        let names: Vec<String> = seated.iter().map(ToString::to_string).collect();
        let show = Show { ruleset: game.table().ruleset().clone(), names: names.clone(), language: self.lang };
        let mut people = Seat::first(seated.len()).zip(&seated).filter(|(_, seated)| **seated == PlayerSpec::Human);
        let viewer = match (people.next(), people.next()) {
            (Some((seat, _)), None) => Viewer::Seat(seat),
            _ => Viewer::Public,
        };
        let people = Seat::first(seated.len()).zip(&seated).filter(|(_, seated)| **seated == PlayerSpec::Human);
        let people = people.map(|(seat, _)| seat).collect();
        let mut stage = Display::new(self.json, self.delay, show, viewer, people);
        // People share the terminal with the board: what they are asked comes after what is shown.
        stage.opening(&game, out)?;
        out.flush()?;
        let delay = stage.delay;
        let mut booth = Booth { log, stage, before: game.table().clone(), bill: SeatCosts::default(), out };
        for step in turns {
            booth.bill.add(&step.line.calls);
        }
        let played = referee::run(&id, &mut game, past.as_ref(), &mut players, &mut booth, delay);
        let played = runtime.block_on(signals.heed(played));
        // A person's line may still be awaited on a thread of its own; it must not hold up the end.
        runtime.shutdown_background();
        booth.flush()?;
        booth.bill.settle(budget.spent_in(&id).into_iter());
        if !self.json {
            booth.bill.tell(&names, &mut TranslatedOutput::new(io::stderr()))?;
        }
        let kept = booth.log.as_ref().map(|log| log.path.clone());
        let outcome = match (played, signals.received()) {
            (Some(Ok(outcome)), _) => outcome,
            (Some(Err(stopped)), None) => return Err(self.stopped(&stopped, kept.as_deref(), seed)),
            (Some(Err(_)), Some(signal)) => {
                let said = format!("the match was stopped by {signal}, and nobody has lost");
                return Err(signals.failure(self.stopped(&said, kept.as_deref(), seed)));
            }
            (None, _) => {
                let said = "left at once; every turn and every answer up to here is kept";
                return Err(signals.failure(self.stopped(&said, kept.as_deref(), seed)));
            }
        };
        self.models.finish_cassette()?;
        booth.stage.ending(&game, booth.out)?;
        if self.json {
            let mut line = json!({
                "type": "result", "id": id, "seed": seed, "places": outcome.places, "reason": outcome.reason,
                "turns": game.table().turn(),
            });
            if !booth.bill.is_empty() {
                line["models"] = json!(booth.bill);
            }
            writeln!(out, "{line}")?;
        }
        Ok(())
    }

    fn begin(&self, profiles: &Contestants) -> Result<PreparedMatch, Failure> {
        let named = PlayerSpec::list(&self.players, profiles).map_err(Failure::call)?;
        let mut rules = self.rules.clone();
        // Nobody at a keyboard should lose a turn to the clock, unless they ask for it.
        let people = named.contains(&PlayerSpec::Human) || (named.is_empty() && self.somebody_is_there());
        if people && !rules.set.iter().any(|field| field.starts_with("policy.turn_seconds")) {
            rules.set.push("policy.turn_seconds=0".to_owned());
        }
        let ruleset = rules.resolve()?;
        let seated = if named.is_empty() { self.usual(&ruleset) } else { named };
        let seed = match self.seed {
            Some(seed) => seed,
            None => random_seed()?,
        };
        let (min, max) = (ruleset.players.min, ruleset.players.max);
        let hint = format!("name {min} to {max} players with --players, separated by commas");
        ruleset.check_players(seated.len()).map_err(|refusal| Failure::call(refusal).hint(hint.as_str()))?;
        let seats = Seat::first(seated.len()).zip(&seated);
        let seats = seats.map(|(seat, seated)| invite::seat_info(seat, seated, self.lang)).collect::<Result<_, _>>()?;
        let id = self.id(&ruleset, seed, &seated);
        let (game, header) = Match::open_seated(id.clone(), ruleset, seed, seats)
            .map_err(|refusal| Failure::call(refusal).hint(hint.as_str()))?;
        // Nothing is begun that cannot go on: no record is made, and no earlier one is moved aside.
        for seated in seated.iter().filter(|_| !self.models.is_played_back()) {
            if let PlayerSpec::Model(profile) = seated {
                invite::model(profile, Arc::new(self.models.budget()), Arc::new(NoJournal))?;
            }
        }
        let mut log = match &self.record {
            Some(path) => {
                Some(RecordFile::create(path, !seated.iter().all(|seated| matches!(seated, PlayerSpec::Bot(_))))?)
            }
            // What was paid for is kept, even if nobody asked for it.
            None if has_models(&seated) && self.models.cassette.is_none() => keep_anyway(&id),
            None => None,
        };
        if let Some(log) = &mut log {
            log.write(&header)?;
        }
        Ok(PreparedMatch { id, game, past: None, seated, seed, log })
    }

    fn stopped(&self, stopped: &dyn fmt::Display, kept: Option<&Path>, seed: Seed) -> Failure {
        let failure = Failure::work(stopped);
        match (kept.or(self.resume.as_deref()), &self.models.cassette) {
            (Some(path), _) => failure
                .hint(format!("the record up to here is in {0}; `standoff play --resume {0}` goes on", path.display())),
            (None, Some(folder)) => failure.hint(format!(
                "the answers up to here are in {}; the same call with --seed {seed} goes on",
                folder.display()
            )),
            (None, None) => failure.hint("with --record FILE a match can go on later"),
        }
    }

    /// The match's own name. A match on a cassette is always the same match.
    fn id(&self, ruleset: &Ruleset, seed: Seed, seated: &[PlayerSpec]) -> String {
        if self.models.cassette.is_none() {
            return uuid::Uuid::now_v7().to_string();
        }
        let players: Vec<String> = seated.iter().map(ToString::to_string).collect();
        let name = seed.child(&format!("{} {}", ruleset.name, players.join(",")), seated.len() as u64);
        format!("cassette-{:016x}", name.0)
    }

    fn somebody_is_there(&self) -> bool {
        screen::is_interactive() && !self.json
    }

    /// Who plays by default: a person against bots that a newcomer can beat if a person can be asked, otherwise bots.
    fn usual(&self, ruleset: &Ruleset) -> Vec<PlayerSpec> {
        let greedy = PlayerSpec::Bot(BotSpec::Greedy);
        let (first, others) = if self.somebody_is_there() {
            (PlayerSpec::Human, greedy)
        } else {
            (greedy, PlayerSpec::Bot(BotSpec::Search(Budget::DEFAULT)))
        };
        std::iter::once(first).chain(std::iter::repeat(others)).take(ruleset.players.default).collect()
    }
}

/// A match that is about to be played.
struct PreparedMatch {
    id: String,
    game: Match,
    /// The record, where it goes on from one.
    past: Option<Replay>,
    seated: Vec<PlayerSpec>,
    seed: Seed,
    log: Option<RecordFile>,
}

impl PreparedMatch {
    /// A match that stopped before its end, from its record.
    fn from_record(path: &Path, profiles: &Contestants) -> Result<PreparedMatch, Failure> {
        let cannot = |error: io::Error| Failure::work(format!("cannot read {}: {error}", path.display()));
        let text = std::fs::read(path).map_err(cannot)?;
        // A line that was cut off in the middle was never settled: it is played again.
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let replay = Replay::read(&text[..whole]).map_err(|error| {
            let failure = Failure::work(format!("{}: {error}", path.display()));
            if whole == 0 {
                failure.hint("it stopped before it began: nothing is lost, begin it again")
            } else {
                failure
            }
        })?;
        if replay.result.is_some() {
            return Err(
                Failure::call(format!("the match in {} is over", path.display())).hint("`standoff replay` shows it")
            );
        }
        let seated = replay.seats.iter().map(|info| PlayerSpec::parse(&info.player, profiles));
        let seated = seated.collect::<Result<Vec<PlayerSpec>, _>>().map_err(Failure::call)?;
        for (info, seated) in replay.seats.iter().zip(&seated) {
            invite::is_same(info, seated)?;
        }
        let mut log = RecordFile::append(path, whole as u64, replay.chain)?;
        let game = replay.resume().map_err(|error| Failure::work(format!("{}: {error}", path.display())))?;
        // It may have stopped between the last turn and the line that says how it ended.
        if let Some(record) = game.result() {
            log.write(&record)?;
        }
        Ok(PreparedMatch { id: replay.id.clone(), game, seated, seed: replay.seed, log: Some(log), past: Some(replay) })
    }
}

/// A record in the user's data folder, for a match that must not be paid for twice.
fn keep_anyway(id: &str) -> Option<RecordFile> {
    let folder = Environment::of_process().data_folder()?.join("matches");
    let path = folder.join(format!("{id}.jsonl"));
    let made = std::fs::create_dir_all(&folder)
        .map_err(|error| Failure::work(format!("cannot make the folder {}: {error}", folder.display())));
    let (file, said) = match made.and_then(|()| RecordFile::create(&path, true)) {
        Ok(file) => (Some(file), format!("the match is kept in {}", path.display())),
        Err(failure) => (None, format!("warning: the match is not kept: {}", failure.cause())),
    };
    messages::tell(&said);
    file
}

/// What models were asked in a turn, and by whom.
fn calls(calls: &BTreeMap<Seat, Vec<Call>>) -> impl Iterator<Item = (Seat, &Call)> {
    calls.iter().flat_map(|(&seat, calls)| calls.iter().map(move |call| (seat, call)))
}

fn has_models(seated: &[PlayerSpec]) -> bool {
    seated.iter().any(|seated| matches!(seated, PlayerSpec::Model(_) | PlayerSpec::Agent(_)))
}

fn random_seed() -> Result<Seed, Failure> {
    let number =
        getrandom::u64().map_err(|error| Failure::work(format!("the system gives no random numbers: {error}")))?;
    Ok(Seed(number).short())
}

/// Keeps the record and shows the match.
struct Booth<'a, W> {
    log: Option<RecordFile>,
    stage: Display,
    /// The position before the turn at hand, where something is hidden.
    before: Table,
    bill: SeatCosts,
    out: &'a mut W,
}

impl<W: Write> Booth<'_, W> {
    fn flush(&mut self) -> Result<(), Failure> {
        self.log.as_mut().map_or(Ok(()), RecordFile::flush)
    }
}

impl<W: Write> Watch for Booth<'_, W> {
    fn asking(&mut self, clock: impl FnOnce() -> Clock) {
        if self.stage.shows_thinking() {
            let asked: Vec<Seat> = clock().until.iter().map(|(seat, _)| *seat).collect();
            self.stage.thinking(&asked, self.bill.usd());
        }
    }

    fn record(&mut self, game: &Match, record: &Record) -> io::Result<()> {
        if let Some(log) = &mut self.log {
            log.keep(record)?;
        }
        if let Record::Turn(turn) = record {
            self.stage.stop_thinking();
            self.bill.add(&turn.calls);
            let events = game.table().told(&self.before, &turn.events.as_slice().into(), self.stage.viewer);
            if game.table().hides() {
                self.before = game.table().clone();
            }
            self.stage.turn(game, turn, &events, self.out)?;
        }
        Ok(())
    }
}

/// The file of a record.
struct RecordFile {
    path: PathBuf,
    log: Log<BufWriter<File>>,
    /// Whether every line goes to the file at once: no turn of a person or a paid model is ever lost.
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
            // Its journal goes with it: it may still go on one day.
            let journal = invite::journal_of(path);
            if journal.exists() {
                std::fs::rename(&journal, invite::journal_of(&aside)).map_err(cannot)?;
            }
            messages::tell(&format!("note: the earlier {} is now {}", path.display(), aside.display()));
        }
        let file = File::create(path).map_err(cannot)?;
        Ok(RecordFile { path: path.to_owned(), log: Log::new(BufWriter::new(file)), at_once })
    }

    /// A file that is there, after its first `whole` bytes.
    fn append(path: &Path, whole: u64, chain: Chain) -> Result<RecordFile, Failure> {
        let open = || {
            let mut file = File::options().write(true).open(path)?;
            file.set_len(whole)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        let file = open().map_err(|error: io::Error| {
            Failure::work(format!("cannot write the record {}: {error}", path.display()))
        })?;
        Ok(RecordFile { path: path.to_owned(), log: Log::after(BufWriter::new(file), chain), at_once: true })
    }

    fn keep(&mut self, record: &Record) -> io::Result<()> {
        self.log.write(record)?;
        if self.at_once { self.log.get_mut().flush() } else { Ok(()) }
    }

    fn write(&mut self, record: &Record) -> Result<(), Failure> {
        self.keep(record).map_err(|error| self.cannot(&error))
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.log.get_mut().flush().map_err(|error| self.cannot(&error))
    }

    fn cannot(&self, error: &io::Error) -> Failure {
        Failure::work(format!("cannot write the record {}: {error}", self.path.display()))
    }
}
