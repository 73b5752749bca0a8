//! `standoff engine`: the rules engine for programs in any language, JSON lines in and out.

use std::collections::BTreeMap;
use std::io::{BufRead, Read, Write};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::error::Failure;
use crate::games::Action;
use crate::games::dice::Seed;
use crate::games::joint::{Joint, Order};
use crate::games::library;
use crate::games::refusal::{Code, Refusal};
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::games::table::{Opening, State, Table, order};
use crate::games::view::Viewer;
use crate::settings::shorten;

/// A longer line is refused unread.
const MAX_LINE: u64 = 16 * 1024 * 1024;

/// Answers requests until the input ends.
///
/// # Errors
/// If the input cannot be read or the output not be written.
pub(crate) fn run(mut input: impl BufRead, mut output: impl Write) -> Result<(), Failure> {
    let mut engine = Engine::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
        if read.map_err(|error| Failure::work(format!("cannot read the input: {error}")))? == 0 {
            return Ok(());
        }
        let answer = if line.last() != Some(&b'\n') && line.len() as u64 == MAX_LINE {
            skip_line(&mut input)?;
            Err(bad_request(format!("a request has at most {MAX_LINE} bytes")))
        } else if line.trim_ascii().is_empty() {
            continue;
        } else {
            engine.answer(&line)
        };
        let answer = answer.unwrap_or_else(|refusal| json!({ "ok": false, "error": refusal }).to_string());
        output.write_all(answer.as_bytes())?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
}

fn skip_line(input: &mut impl BufRead) -> Result<(), Failure> {
    loop {
        let buffer = input.fill_buf().map_err(|error| Failure::work(format!("cannot read the input: {error}")))?;
        let (used, done) = match buffer.iter().position(|&byte| byte == b'\n') {
            Some(end) => (end + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(used);
        if done {
            return Ok(());
        }
    }
}

/// The ruleset of the last request is kept: programs ask about the same one again and again.
#[derive(Default)]
struct Engine {
    last: Option<(Json, Arc<Ruleset>)>,
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
enum EngineRequest {
    Rulesets {},
    Start {
        ruleset: Json,
        players: Option<usize>,
        #[serde(default)]
        seed: Option<Seed>,
    },
    Legal {
        ruleset: Json,
        state: Json,
        seat: String,
    },
    Apply {
        ruleset: Json,
        state: Json,
        actions: BTreeMap<String, Json>,
        #[serde(default)]
        seed: Option<Seed>,
    },
    View {
        ruleset: Json,
        state: Json,
        #[serde(default)]
        seat: Option<String>,
    },
    Playout {
        ruleset: Json,
        players: Option<usize>,
        #[serde(default)]
        seed: Option<Seed>,
    },
}

#[derive(Serialize)]
struct PlayoutTurn {
    actions: BTreeMap<Seat, String>,
    state: State,
}

impl Engine {
    fn answer(&mut self, line: &[u8]) -> Result<String, Refusal> {
        let request: EngineRequest = serde_json::from_slice(line).map_err(|error| {
            bad_request(format!(
                "{error}; a request is an object with `op` (rulesets, start, legal, apply, view or playout) and its fields"
            ))
        })?;
        let answer = match request {
            EngineRequest::Rulesets {} => rulesets(),
            EngineRequest::Start { ruleset, players, seed } => {
                let (table, opening) = self.open(ruleset, players, seed)?;
                json_text(&EngineAnswer { ok: true, state: table.state(), rest: Start { opening } })
            }
            EngineRequest::Legal { ruleset, state, seat } => {
                let table = Table::from_state(self.ruleset(ruleset)?, &state)?;
                let seat = seat_at(&table, &seat)?;
                to_act(&table, seat)?;
                json!({ "ok": true, "actions": table.legal(seat) }).to_string()
            }
            EngineRequest::Apply { ruleset, state, actions, seed } => {
                let mut table = Table::from_state(self.ruleset(ruleset)?, &state)?;
                let joint = joint(&table, &actions)?;
                // Only power-ups are left to chance; without a seed of the caller's they fall by seed 0.
                let mut dice = seed.unwrap_or(Seed(0)).turn(table.turn().into());
                let events = table.play(&joint, &mut dice)?;
                json_text(&EngineAnswer { ok: true, state: table.state(), rest: Events { events } })
            }
            EngineRequest::View { ruleset, state, seat } => {
                let table = Table::from_state(self.ruleset(ruleset)?, &state)?;
                let seat = seat.map(|seat| seat_at(&table, &seat)).transpose()?;
                let state = table.view(Viewer::from(seat)).state();
                json_text(&EngineAnswer { ok: true, state, rest: () })
            }
            EngineRequest::Playout { ruleset, players, seed } => {
                let (table, _) = self.open(ruleset, players, seed)?;
                json_text(&Playout { ok: true, start: table.state(), turns: playout(table, seed.unwrap_or(Seed(0)))? })
            }
        };
        Ok(answer)
    }

    fn ruleset(&mut self, json: Json) -> Result<Arc<Ruleset>, Refusal> {
        if let Some((last, ruleset)) = &self.last
            && *last == json
        {
            return Ok(ruleset.clone());
        }
        let ruleset = Ruleset::from_json(&json).map_err(|bad| Refusal::new(Code::BadRuleset, bad.to_string()))?;
        let ruleset = Arc::new(ruleset);
        self.last = Some((json, ruleset.clone()));
        Ok(ruleset)
    }

    fn open(&mut self, ruleset: Json, players: Option<usize>, seed: Option<Seed>) -> Result<(Table, Opening), Refusal> {
        let ruleset = self.ruleset(ruleset)?;
        let players = players.unwrap_or(ruleset.players.default);
        Table::open_told(ruleset, players, seed.unwrap_or(Seed(0)))
    }
}

#[derive(Serialize)]
struct EngineAnswer<R> {
    ok: bool,
    state: State,
    #[serde(flatten)]
    rest: R,
}

#[derive(Serialize)]
struct Start {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    opening: Opening,
}

#[derive(Serialize)]
struct Events {
    events: Vec<crate::games::table::Event>,
}

#[derive(Serialize)]
struct Playout {
    ok: bool,
    start: State,
    turns: Vec<PlayoutTurn>,
}

fn rulesets() -> String {
    let list: Vec<Json> = library::rulesets()
        .filter_map(|name| Ruleset::named(name).ok())
        .map(|ruleset| {
            json!({
                "name": ruleset.name,
                "version": ruleset.version,
                "summary": { "en": ruleset.summary_en, "zh": ruleset.summary_zh },
                "players": ruleset.players,
            })
        })
        .collect();
    json!({ "ok": true, "rulesets": list }).to_string()
}

/// Every seat's order, checked for whose turn it is before anything is read.
fn joint(table: &Table, actions: &BTreeMap<String, Json>) -> Result<Joint<Action>, Refusal> {
    let mut seats = BTreeMap::new();
    for (name, action) in actions {
        let seat = seat_at(table, name)?;
        to_act(table, seat)?;
        if seats.insert(seat, action).is_some() {
            return Err(bad_request(format!("seat {seat} is named twice")));
        }
    }
    seats
        .into_iter()
        .map(|(seat, action)| match action {
            Json::String(text) => Ok((seat, order(table, text)?)),
            Json::Object(_) => Ok((seat, order(table, &action.to_string())?)),
            _ => Err(Refusal::new(
                Code::UnreadableAction,
                format!("the action of {seat} must be a text or an object, not {}", shorten(&action.to_string())),
            )),
        })
        .collect()
}

fn seat_at(table: &Table, name: &str) -> Result<Seat, Refusal> {
    let seat: Seat = name.parse().map_err(|error| bad_request(format!("{error}")))?;
    if seat.index() < table.seats() {
        return Ok(seat);
    }
    let last = Seat::new(table.seats() - 1);
    Err(bad_request(format!("there is no seat {seat} at this table; its seats are A to {last}")))
}

fn to_act(table: &Table, seat: Seat) -> Result<(), Refusal> {
    let to_act = table.to_act();
    if to_act.is_empty() {
        Err(Refusal::new(Code::MatchOver, "the match is over"))
    } else if to_act.contains(seat) {
        Ok(())
    } else {
        Err(Refusal::new(Code::NotToAct, format!("{seat} has nothing to do now; to act: {to_act}")))
    }
}

/// A game of uniformly random legal actions. The choices come from a stream of their own.
fn playout(mut table: Table, seed: Seed) -> Result<Vec<PlayoutTurn>, Refusal> {
    let mut choices = seed.child("playout", 0).dice();
    let mut turns = Vec::new();
    while table.outcome().is_none() {
        let joint: Joint<Action> =
            table.to_act().iter().map(|seat| (seat, Order::Play(table.random_legal(seat, &mut choices)))).collect();
        let mut dice = seed.turn(table.turn().into());
        table.play(&joint, &mut dice)?;
        let actions = joint.iter().filter_map(|(seat, order)| Some((seat, order.action()?.to_string()))).collect();
        turns.push(PlayoutTurn { actions, state: table.state() });
    }
    Ok(turns)
}

fn bad_request(message: impl Into<String>) -> Refusal {
    Refusal::new(Code::BadRequest, message)
}

fn json_text(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("answers are plain data")
}
