//! Positions to ask about, and the smallest changes of them.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::answer::solve;
use crate::briefs::Question;
use crate::games::cowboy::Direction;
use crate::games::table::{Position, Table};
use crate::games::{Dice, Joint, Order, Ruleset, Seat, Seed};

/// So many changes of a position are tried.
const MAX_EDITS: u32 = 60;

/// A position in which something can happen: some turns of play, then everybody is brought together.
pub(super) fn draw(ruleset: &Arc<Ruleset>, seats: usize, dice: &mut Dice) -> Option<Table> {
    let seed = Seed(dice.bits());
    let mut table = Table::open(ruleset.clone(), seats, seed).ok()?;
    for _ in 0..dice.below(12) {
        let mut joint = Joint::new();
        for seat in table.to_act().iter() {
            joint.set(seat, Order::Play(table.random_legal(seat, dice)));
        }
        table.play(&joint, &mut seed.turn(table.turn().into())).ok()?;
        if table.outcome().is_some() {
            return None;
        }
    }
    let mut state = json!(table.state());
    gather(&table, &mut state, dice);
    Table::from_state(ruleset.clone(), &state).ok().filter(|table| table.outcome().is_none())
}

/// Puts the players near each other, turns their shields, takes some of their hit points.
fn gather(table: &Table, state: &mut Json, dice: &mut Dice) {
    let (rows, cols) = match table.position() {
        Position::Cowboy(position) => position.size(),
        Position::Paint(position) => position.size(),
        Position::Royale(position) => position.size(),
    };
    let corner = |side: u8, dice: &mut Dice| dice.below(u32::from(side.saturating_sub(5)).max(1));
    let (top, left) = (corner(rows, dice), corner(cols, dice));
    let near = |from: u32, side: u8, dice: &mut Dice| (from + dice.below(5)).min(u32::from(side) - 1);
    for seat in Seat::first(table.seats()) {
        let (row, col) = (near(top, rows, dice), near(left, cols, dice));
        match table.position() {
            Position::Cowboy(_) => {
                let player = &mut state["players"][seat.index()];
                player["shield"] = json!(Direction::ALL[dice.below(4) as usize]);
                player["hp"] = json!(1 + dice.below(3));
                (player["row"], player["col"]) = (json!(row), json!(col));
                state["grid"][row as usize][col as usize] = json!(0);
            }
            Position::Paint(_) => {
                let player = &mut state["players"][seat.index()];
                (player["row"], player["col"]) = (json!(row), json!(col));
                state["grid"][row as usize][col as usize] = json!(seat);
                // A trail behind it, so that shots have a range.
                for step in 1..=dice.below(4) {
                    if let Some(square) = state["grid"][row as usize].get_mut((col + step) as usize) {
                        *square = json!(seat);
                    }
                }
            }
            Position::Royale(_) => {
                state["bots"][seat.index()]["position"] = json!({ "x": row, "y": col });
            }
        }
    }
    if let Position::Royale(_) = table.position() {
        // Late enough for a zone that can be left.
        let late = dice.below(60);
        state["tick"] = json!(1 + late);
        state["turn"] = json!(late);
        if let Some(fields) = state.as_object_mut() {
            fields.remove("zone");
        }
    }
}

/// The position with one thing changed, a wall, a shield, a square or a step aside, so that the other answer is right.
pub(super) fn twin(table: &Table, question: &Question, answer: bool, dice: &mut Dice) -> Option<Table> {
    let state = json!(table.state());
    for _ in 0..MAX_EDITS {
        let edited = edit(table, state.clone(), dice)?;
        let changed = Table::from_state(table.ruleset().clone(), &edited).ok();
        if let Some(changed) = changed.filter(|changed| solve(changed, question) == Some(!answer)) {
            return Some(changed);
        }
    }
    None
}

fn edit(table: &Table, mut state: Json, dice: &mut Dice) -> Option<Json> {
    let below = |side: u8, dice: &mut Dice| dice.below(u32::from(side)) as usize;
    match table.position() {
        Position::Cowboy(position) => {
            if dice.below(3) == 0 {
                let player = below(u8::try_from(table.seats()).ok()?, dice);
                state["players"][player]["shield"] = json!(Direction::ALL[dice.below(4) as usize]);
            } else {
                let (row, col) = (below(position.size().0, dice), below(position.size().1, dice));
                let cell = &mut state["grid"][row][col];
                *cell = json!(if *cell == 0 { -1 } else { 0 });
            }
        }
        Position::Paint(_) if dice.below(3) == 0 => {
            let player = below(u8::try_from(table.seats()).ok()?, dice);
            let number = ["row", "col"][dice.below(2) as usize];
            step(&mut state["players"][player][number], dice)?;
        }
        Position::Royale(_) if dice.below(3) == 0 => {
            let bot = below(u8::try_from(table.seats()).ok()?, dice);
            let number = ["x", "y"][dice.below(2) as usize];
            step(&mut state["bots"][bot]["position"][number], dice)?;
        }
        Position::Paint(position) => {
            let (row, col) = (below(position.size().0, dice), below(position.size().1, dice));
            let square = &mut state["grid"][row][col];
            let seat = Seat::new(below(u8::try_from(table.seats()).ok()?, dice));
            *square = match dice.below(3) {
                0 => json!("#"),
                1 => Json::Null,
                _ => json!(seat),
            };
        }
        Position::Royale(position) => {
            let (x, y) = (below(position.size().0, dice), below(position.size().1, dice));
            let walls = state["walls"].as_array_mut()?;
            let wall = json!([x, y]);
            match walls.iter().position(|other| *other == wall) {
                Some(at) => drop(walls.remove(at)),
                None => walls.push(wall),
            }
        }
    }
    Some(state)
}

/// One further or one back.
fn step(number: &mut Json, dice: &mut Dice) -> Option<()> {
    let from = number.as_u64()?;
    *number = json!(if dice.below(2) == 0 { from + 1 } else { from.saturating_sub(1) });
    Some(())
}
