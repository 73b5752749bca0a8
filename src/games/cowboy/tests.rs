//! Cowboy, proven: every sentence of its rules on a drawn board, and the engine beside a naive twin.

mod compare;
mod course;
mod naive;
mod shots;
mod speech;
mod starts;
mod states;
mod steps;

use serde_json::json;

use super::{Action, Beam, Direction, Event, Hit, Player, Position, Rules, State};
use crate::games::game::Game;
use crate::games::joint::{Joint, Order};
use crate::games::ruleset::{self, Ruleset};
use crate::games::seat::{Seat, Seats};
use crate::games::{Outcome, Seed};

/// A T-shaped laser, bodies that block moves, speech that costs the turn.
const TEE: &str = "cowboy";
/// A straight laser, no bodies, free speech.
const STRAIGHT: &str = "cowboy-classic";

/// Plays what is written beside a board and compares all that happens, in words.
///
/// A cell is `.`, `#` or a block's hit points; `A` stands for a player, `a` for its body. After two spaces there are
/// notes: `A>3k2` has its shield to the right, 3 hit points and 2 kills (else the shield faces outward, with 10 hit
/// points and no kills), `round 7`, and `A: shoot up` is a turn. Turns are played from the top.
#[track_caller]
fn check(ruleset: &str, drawn: &str, expected: &str) {
    let (mut position, turns) = set_up(&rules(ruleset), drawn);
    let mut told = Vec::new();
    for (seat, order) in turns {
        let before = position.clone();
        match position.play(&Joint::one(seat, order), &mut Seed(0).dice()) {
            Ok(events) => told.extend(events.iter().map(words)),
            Err(refused) => {
                assert_eq!(position, before, "a refusal changes nothing");
                told.push(refused.code().to_string());
            }
        }
    }
    assert_eq!(told.join("; "), expected, "on this board:{drawn}");
}

fn rules(ruleset: &str) -> Rules {
    rules_with(&json!({ "base": ruleset }))
}

fn rules_with(ruleset: &serde_json::Value) -> Rules {
    match Ruleset::from_json(ruleset).expect("the ruleset can be played").rules {
        ruleset::Rules::Cowboy(rules) => rules,
        other => unreachable!("these are rules of another game: {other:?}"),
    }
}

/// The position that is drawn, and the turns that are noted beside it.
fn set_up(rules: &Rules, drawn: &str) -> (Position, Vec<(Seat, Order<Action>)>) {
    let mut state = State {
        ruleset: String::new(),
        turn: 0,
        to_act: Seats::none(),
        outcome: None,
        round: 1,
        grid: Vec::new(),
        players: Vec::new(),
    };
    let (mut notes, mut turns) = (Vec::new(), Vec::new());
    for (row, line) in drawn.trim_matches('\n').lines().map(str::trim).enumerate() {
        let (cells, beside) = line.split_once("  ").unwrap_or((line, ""));
        state.grid.push(Vec::new());
        for (col, word) in cells.split_whitespace().enumerate() {
            let value = match word {
                "." => 0,
                "#" => -1,
                _ => word.parse().unwrap_or(0),
            };
            if let Ok(seat) = word.parse() {
                let alive = word == word.to_uppercase();
                state.players.push(player(seat, alive, row, col));
            }
            state.grid[row].push(value);
        }
        for note in beside.split("  ").map(str::trim).filter(|note| !note.is_empty()) {
            match note.split_once(": ") {
                Some((seat, action)) => turns.push((seat.parse().expect("a seat"), order(action))),
                None => notes.push(note),
            }
        }
    }
    state.players.sort_by_key(|player| player.seat);
    for note in notes {
        if let Some(round) = note.strip_prefix("round ") {
            state.round = round.parse().expect("a number");
        } else {
            adjust(&mut state, note);
        }
    }
    state.to_act = turns.first().map(|(seat, _)| *seat).into_iter().collect();
    (Position::from_state(rules, &state).expect("the drawn position can be"), turns)
}

fn player(seat: Seat, alive: bool, row: usize, col: usize) -> Player {
    let shield = [Direction::Up, Direction::Left, Direction::Down, Direction::Right][seat.index()];
    let (row, col) = (u8::try_from(row).expect("small"), u8::try_from(col).expect("small"));
    Player { seat, row, col, hp: if alive { 10 } else { 0 }, shield, alive, kills: 0, place: None }
}

/// Reads a note such as `A>3k2` into the player that it is about.
fn adjust(state: &mut State, note: &str) {
    let (seat, rest) = note.split_at(1);
    let player = state.players.iter_mut().find(|player| player.seat.to_string() == seat).expect("a player in a note");
    player.shield = match rest.chars().next() {
        Some('^') => Direction::Up,
        Some('v') => Direction::Down,
        Some('<') => Direction::Left,
        Some('>') => Direction::Right,
        other => unreachable!("a note begins with a shield, not {other:?}"),
    };
    let (hp, kills) = rest[1..].split_once('k').unwrap_or((&rest[1..], "0"));
    if !hp.is_empty() {
        player.hp = hp.parse().expect("hit points");
    }
    player.kills = kills.parse().expect("kills");
}

fn order(text: &str) -> Order<Action> {
    match text {
        "pass" => Order::Pass,
        "forfeit" => Order::Forfeit,
        _ => Order::Play(text.parse().expect("an action")),
    }
}

fn words(event: &Event) -> String {
    match event {
        Event::Moved { seat, to, .. } => format!("{seat} goes to {to}"),
        Event::Shielded { seat, direction } => format!("{seat} shields {direction}"),
        Event::Shot { beams, .. } => beams.iter().map(beam_words).collect::<Vec<_>>().join(", "),
        Event::Spoke { seat, text } => format!("{seat} says {text}"),
        Event::Passed { seat } => format!("{seat} passes"),
        Event::Forfeited { seat } => format!("{seat} forfeits"),
        Event::Eliminated { seat, by: Some(by), place } => format!("{by} puts {seat} out, place {place}"),
        Event::Eliminated { seat, by: None, place } => format!("{seat} is out, place {place}"),
        Event::Ended { outcome } => outcome_words(outcome),
    }
}

fn beam_words(Beam { direction, to, hit, .. }: &Beam) -> String {
    match hit {
        Hit::Edge => format!("{direction} off at {to}"),
        Hit::Wall => format!("{direction} wall {to}"),
        Hit::Block { left } => format!("{direction} block {to} {left} left"),
        Hit::Player { seat, blocked: true, .. } => format!("{direction} {seat} blocks"),
        Hit::Player { seat, blocked: false, hp } => format!("{direction} hits {seat} {hp} left"),
    }
}

fn outcome_words(outcome: &Outcome) -> String {
    let places: Vec<String> = outcome.places.iter().map(|(seat, place)| format!("{seat} {place}")).collect();
    format!("{}: {}", outcome.reason, places.join(", "))
}
