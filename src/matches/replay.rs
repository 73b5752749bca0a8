//! Playing a record again, and checking every word of it.

use std::io::BufRead;
use std::sync::Arc;

use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::error::{LineProblem, ReplayError};
use super::format::{self, Minor};
use super::lines::{HeaderLine, Line, Lines, TurnLine};
use super::log::Chain;
use super::play::Match;
use super::record::{Record, Result as MatchResult, SeatInfo, Turn};
use super::transcript::TranscriptTurn;
use crate::games::any::{Event, GameId};
use crate::games::dice::Seed;
use crate::games::joint::{Joint, Order};
use crate::games::json::Bare;
use crate::games::ruleset::Ruleset;
use crate::games::seat::BySeat;
use crate::games::table::{Opening, StateHash, Table};

/// A record that was read, with every position of the match recomputed.
#[derive(Debug)]
pub struct Replay {
    /// How much the record says.
    pub minor: Minor,
    /// The match's own name.
    pub id: String,
    /// The rules that the match is played by.
    pub ruleset: Arc<Ruleset>,
    /// Where chance came from.
    pub seed: Seed,
    /// Who sat where.
    pub seats: Vec<SeatInfo>,
    /// The turns of the opening, where one was drawn.
    pub opening: Opening,
    /// The first position, after the opening.
    pub start: Table,
    /// The first position as it is written, where that says more than is known here.
    start_written: Option<Json>,
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
    /// What happened in it.
    pub events: Vec<Event>,
    /// The line as it was written.
    pub line: TurnLine,
}

/// How closely a record is compared with what the rules give.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strictness {
    /// Where both say something, they say the same.
    Known,
    /// Byte for byte, and nothing beside it.
    Everything,
}

impl Replay {
    /// Reads a record and plays it again. What the record says of positions and events must be so; fields that are not
    /// known here are left alone. A record that breaks off between two turns is read as far as it goes: `result` is
    /// `None` then.
    ///
    /// # Errors
    /// With the first line that differs.
    pub fn read(input: impl BufRead) -> Result<Replay, ReplayError> {
        Replay::checked(input, Strictness::Known)
    }

    /// Reads a record, plays it again and compares byte for byte with what this program writes in the record's minor.
    ///
    /// # Errors
    /// With the first line that differs.
    pub fn verify(input: impl BufRead) -> Result<Replay, ReplayError> {
        Replay::checked(input, Strictness::Everything)
    }

    fn checked(input: impl BufRead, check: Strictness) -> Result<Replay, ReplayError> {
        let (mut lines, header) = Lines::open(input)?;
        let mut replay = lines.at(open(header, lines.text(), check))?;
        let mut table = replay.start.clone();
        loop {
            replay.chain = lines.chain;
            match lines.next()? {
                None => return Ok(replay),
                Some(Line::Turn(line)) => {
                    let step = lines.at(turn(*line, &mut table, replay.seed, replay.minor, check))?;
                    replay.turns.push(step);
                }
                Some(Line::Result(result)) => {
                    lines.at(ended(&result, lines.text(), &table, check))?;
                    replay.result = Some(result);
                }
            }
        }
    }

    /// The turns in order, each with the position before it.
    pub fn steps(&self) -> impl Iterator<Item = (&Table, &Step)> {
        let before = std::iter::once(&self.start).chain(self.turns.iter().map(|step| &step.table));
        before.zip(&self.turns)
    }

    /// The record as one that is complete.
    ///
    /// # Errors
    /// If the last line is missing.
    pub fn finished(&self) -> Result<&MatchResult, ReplayError> {
        let line = self.turns.len() + 2;
        self.result.as_ref().ok_or(ReplayError { line, problem: LineProblem::Unfinished })
    }

    /// The first position in JSON, with what is written of it and not known here.
    pub fn start_json(&self) -> String {
        let state = self.start.state();
        match &self.start_written {
            None => serde_json::to_string(&state).expect("plain data"),
            Some(written) => format::with_unknown(written, serde_json::json!(state)).to_string(),
        }
    }

    /// The match at the last position, ready to go on in the record's minor.
    ///
    /// # Errors
    /// If this program does not write that minor.
    pub fn resume(&self) -> Result<Match, ReplayError> {
        if !self.minor.is_known() {
            return Err(ReplayError { line: 1, problem: LineProblem::Minor(self.minor) });
        }
        let table = self.turns.last().map_or(&self.start, |step| &step.table);
        let lapses = BySeat::from_fn(table.seats(), |seat| {
            let lapsed = self.turns.iter().filter(|step| step.line.lapses.contains_key(&seat)).count();
            u32::try_from(lapsed).unwrap_or(u32::MAX)
        });
        Ok(Match::at(table.clone(), self.seed, self.minor, lapses))
    }
}

impl Turn {
    /// Reads a line of a record as it was written. Nothing of it is checked against the rules: for lines that were.
    ///
    /// # Errors
    /// If it is no turn of this ruleset's game.
    pub fn read(ruleset: &Ruleset, line: &str) -> Result<Turn, serde_json::Error> {
        let line = TurnLine::read(line)?;
        let events = line.events(Some(ruleset.rules.game()))?.into_iter().filter_map(Result::ok).collect();
        let hash = line.hash()?;
        Ok(Turn::new(line, events, hash).keeping_unknown())
    }

    fn new(line: TurnLine, events: Vec<Event>, state_hash: StateHash) -> Turn {
        Turn {
            game: line.game.as_deref().and_then(GameId::named),
            turn: line.turn,
            actions: line.actions,
            events,
            state_hash: Some(state_hash),
            lapses: line.lapses,
            said: line.said,
            reasoning: line.reasoning,
            refused: line.refused,
            micros: line.micros,
            waited_micros: line.waited_micros,
            backend_micros: line.backend_micros,
            calls: line.calls,
            written: Some(line.written),
        }
    }

    /// Forgets how it was written where that says no more than is known here.
    fn keeping_unknown(mut self) -> Turn {
        let written = self.written.take().filter(|line| unknown_in(line, &self).is_some());
        Turn { written, ..self }
    }
}

impl TryFrom<TranscriptTurn> for Turn {
    type Error = serde_json::Error;

    /// The turn as it was recorded, by rules that are not known here.
    fn try_from(TranscriptTurn { line, events }: TranscriptTurn) -> Result<Turn, serde_json::Error> {
        let hash = line.hash()?;
        Ok(Turn::new(line, events.into_iter().filter_map(Result::ok).collect(), hash).keeping_unknown())
    }
}

impl From<Step> for Turn {
    /// The turn as it was recorded, without the position.
    fn from(Step { table, events, line }: Step) -> Turn {
        Turn::new(line, events, table.hash()).keeping_unknown()
    }
}

impl TurnLine {
    fn hash(&self) -> Result<StateHash, serde_json::Error> {
        let bad = |()| serde::de::Error::custom("`state_hash` is no fingerprint");
        self.state_hash.parse().map_err(bad)
    }

    /// What happened, event by event: as this program knows it, or as it is written where it does not. The line itself
    /// says the game from minor 1 on; before that the header's ruleset does.
    ///
    /// # Errors
    /// If the line has no list of events.
    pub fn events(&self, of_ruleset: Option<GameId>) -> Result<Vec<Result<Event, Json>>, serde_json::Error> {
        let game = self.game.as_deref().map_or(of_ruleset, GameId::named);
        let events: Vec<Box<RawValue>> = serde_json::from_str(self.events.get())?;
        let read = |event: Box<RawValue>| match game.map(|game| Event::read(game, event.get())) {
            Some(Ok(known)) => Ok(Ok(known)),
            Some(Err(_)) | None => serde_json::from_str(event.get()).map(Err),
        };
        events.into_iter().map(read).collect()
    }
}

/// The path of a field of a written turn that this program does not know.
fn unknown_in(line: &str, turn: &Turn) -> Option<String> {
    let known = Record::Turn(Turn { written: None, ..turn.clone() });
    // Nearly always the line is what would be written here too.
    let body = super::log::split(line).map_or(line, |(body, _)| body);
    let same = serde_json::to_string(&known).is_ok_and(|known| known.strip_suffix('}') == Some(body));
    if same {
        return None;
    }
    let mut known = serde_json::to_value(&known).ok()?;
    known["hash"] = Json::Null;
    format::unknown(&serde_json::from_str(line).ok()?, &known)
}

fn open(header: HeaderLine, line: &str, check: Strictness) -> Result<Replay, LineProblem> {
    let HeaderLine { minor, id, ruleset: written, seed, seats, opening: told, state } = header;
    if check == Strictness::Everything && !minor.is_known() {
        return Err(LineProblem::Minor(minor));
    }
    let fields: Json = serde_json::from_str(written.get())?;
    let ruleset = Ruleset::from_json(&fields).map_err(|bad| LineProblem::Rules(bad.to_string()))?;
    let ruleset = Arc::new(ruleset);
    let (start, opening) = Table::open_told(ruleset.clone(), seats.len(), seed)
        .map_err(|refusal| LineProblem::Differs { field: "seats", why: refusal.message })?;
    same("opening", &serde_json::to_string(&told)?, &serde_json::to_string(&opening)?)?;
    let right = start.state();
    let right = if minor.says_game() { serde_json::to_string(&right)? } else { serde_json::to_string(&Bare(&right))? };
    let mut start_written = None;
    match check {
        Strictness::Everything => {
            // Fields that were added since are not in it.
            let resolved = format::only_written(&fields, serde_json::to_value(&*ruleset)?);
            same("ruleset", written.get(), &resolved.to_string())?;
            same("state", state.get(), &right)?;
            let mut known = serde_json::json!({
                "type": "match", "version": format::VERSION, "minor": minor, "id": id, "ruleset": null, "seed": seed,
                "seats": seats, "state": null, "hash": null,
            });
            if !opening.is_empty() {
                known["opening"] = serde_json::json!(opening);
            }
            no_unknown(line, &known)?;
        }
        Strictness::Known if state.get() == right => {}
        Strictness::Known => {
            let written: Json = serde_json::from_str(state.get())?;
            let known: Json = serde_json::to_value(start.state())?;
            if !format::agrees(&written, &known) {
                same("state", state.get(), &right)?;
            }
            start_written = format::unknown(&written, &known).map(|_| written);
        }
    }
    let (turns, chain) = (Vec::new(), Chain::default());
    Ok(Replay { minor, id, ruleset, seed, seats, opening, start, start_written, turns, result: None, chain })
}

fn turn(line: TurnLine, table: &mut Table, seed: Seed, minor: Minor, check: Strictness) -> Result<Step, LineProblem> {
    let differs = |field, why| LineProblem::Differs { field, why };
    let game = table.ruleset().rules.game();
    let is_named = match &line.game {
        Some(named) => named == game.name() && (minor.says_game() || check == Strictness::Known),
        None => !minor.says_game() || check == Strictness::Known,
    };
    if !is_named {
        let named = line.game.as_deref().unwrap_or("missing");
        return Err(differs("game", format!("it is {named}, but this is minor {} of {}", minor.0, game.name())));
    }
    let mut joint = Joint::new();
    for (&seat, notation) in &line.actions {
        let read = || {
            let (action, _) = table.read(notation).map_err(|refusal| differs("actions", refusal.message))?;
            if check == Strictness::Everything {
                same("actions", notation, &action.to_string())?;
            }
            Ok::<_, LineProblem>(action)
        };
        let stand_in = line.lapses.get(&seat).is_some_and(|lapse| lapse.stand_in);
        let order = match notation.as_str() {
            "pass" => Order::Pass,
            "forfeit" => Order::Forfeit,
            _ if stand_in => Order::StandIn(read()?),
            _ => Order::Play(read()?),
        };
        joint.set(seat, order);
    }
    let mut dice = seed.turn(table.turn().into());
    let events = table.play(&joint, &mut dice).map_err(|refusal| differs("actions", refusal.message))?;
    if line.turn != table.turn() {
        return Err(differs("turn", format!("it is {}, but this is turn {}", line.turn, table.turn())));
    }
    let right = serde_json::to_string(&events)?;
    if check == Strictness::Everything || (line.events.get() != right && !tells(&line, &events, game)?) {
        same("events", line.events.get(), &right)?;
    }
    same("state_hash", &line.state_hash, &table.hash().to_string())?;
    let step = Step { table: table.clone(), events, line };
    if check == Strictness::Everything {
        let written = step.line.written.clone();
        let turn = Turn::new(TurnLine::read(&written)?, step.events.clone(), step.table.hash());
        if let Some(path) = unknown_in(&written, &turn) {
            return Err(LineProblem::Field(path));
        }
    }
    Ok(step)
}

/// Whether a line tells of these events, in this order, and of nothing else that is known here.
fn tells(line: &TurnLine, events: &[Event], game: GameId) -> Result<bool, LineProblem> {
    let mut right = events.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>()?.into_iter().peekable();
    let written: Vec<Json> = serde_json::from_str(line.events.get())?;
    for event in written {
        if right.next_if(|right| right["type"] == event["type"] && format::agrees(&event, right)).is_none()
            && Event::read(game, &event.to_string()).is_ok()
        {
            return Ok(false);
        }
    }
    Ok(right.next().is_none())
}

fn ended(result: &MatchResult, line: &str, table: &Table, check: Strictness) -> Result<(), LineProblem> {
    let Some(outcome) = table.outcome() else {
        let why = "the match is not over at this point".to_owned();
        return Err(LineProblem::Differs { field: "result", why });
    };
    let right = MatchResult { places: outcome.places, reason: outcome.reason, turns: table.turn() };
    same("result", &serde_json::to_string(result)?, &serde_json::to_string(&right)?)?;
    if check == Strictness::Everything {
        let mut known = serde_json::to_value(Record::Result(right))?;
        known["hash"] = Json::Null;
        no_unknown(line, &known)?;
    }
    Ok(())
}

fn no_unknown(line: &str, known: &Json) -> Result<(), LineProblem> {
    format::unknown(&serde_json::from_str(line)?, known).map_or(Ok(()), |path| Err(LineProblem::Field(path)))
}

fn same(field: &'static str, written: &str, right: &str) -> Result<(), LineProblem> {
    if written == right {
        return Ok(());
    }
    let at = written.bytes().zip(right.bytes()).take_while(|(a, b)| a == b).count();
    let around = |text: &str| {
        let start = text.floor_char_boundary(at.saturating_sub(20));
        text[start..text.floor_char_boundary(start + 60)].to_owned()
    };
    Err(LineProblem::Differs {
        field, why: format!("…{}… is written, …{}… is right", around(written), around(right))
    })
}
