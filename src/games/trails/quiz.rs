//! What can be asked about Trails: legal moves, who crashes, where everybody ends up, when it is over.

use serde_json::json;

use super::{Action, CellContent, Direction, Event, Position, State};
use crate::games::quiz::{
    Corner, PlayedTurn, Quiz, QuizRule, Solvable, draw_actor, draw_below, draw_orders, step_aside,
};
use crate::games::{Dice, Game, Seat};

type Question = Solvable<Position>;

impl Quiz for Position {
    const ASKED: &'static [QuizRule<Position>] = &[
        QuizRule { rule: "legal-move", ask: ask_legal_move },
        QuizRule { rule: "crash", ask: ask_crash },
        QuizRule { rule: "moves", ask: ask_moves },
        QuizRule { rule: "end", ask: ask_end },
    ];

    /// Puts the riders near each other, each with a piece of its trail.
    fn gather(&self, state: &mut State, dice: &mut Dice) {
        let corner = Corner::draw(self.size(), dice);
        for rider in &mut state.riders {
            (rider.row, rider.col) = corner.place(dice);
            rider.facing = *dice.pick(&Direction::ALL).expect("there are four");
            let (row, col) = (usize::from(rider.row), usize::from(rider.col));
            let trail = state.grid[row].iter_mut().skip(col + 1);
            for cell in trail.take(usize::from(draw_below(4, dice))) {
                *cell = CellContent::Owned(rider.seat);
            }
        }
        for rider in &state.riders {
            state.grid[usize::from(rider.row)][usize::from(rider.col)] = CellContent::Empty;
        }
    }

    /// Moves a rider one cell, turns it, or makes something else of a cell.
    fn vary(&self, state: &mut State, dice: &mut Dice) {
        let seats = u8::try_from(self.seats()).expect("a table of this game has four seats");
        let seat = usize::from(draw_below(seats, dice));
        match dice.below(4) {
            0 => {
                let rider = &mut state.riders[seat];
                step_aside(if dice.below(2) == 0 { &mut rider.row } else { &mut rider.col }, dice);
            }
            1 => state.riders[seat].facing = *dice.pick(&Direction::ALL).expect("there are four"),
            _ => {
                let (rows, cols) = self.size();
                let (row, col) = (draw_below(rows, dice), draw_below(cols, dice));
                state.grid[usize::from(row)][usize::from(col)] = match dice.below(3) {
                    0 => CellContent::Wall,
                    1 => CellContent::Empty,
                    _ => CellContent::Owned(Seat::new(seat)),
                };
            }
        }
    }
}

fn ask_legal_move(position: &Position, dice: &mut Dice) -> Option<Question> {
    let seat = draw_actor(position, dice)?;
    let direction = *dice.pick(&Direction::ALL)?;
    Some(Question::legal(seat, Action::Move { direction }))
}

/// Does the target crash?
fn ask_crash(position: &Position, dice: &mut Dice) -> Option<Question> {
    let target = draw_actor(position, dice)?;
    let joint = draw_orders(position, |_| true, dice);
    Some(Question::after(joint, "crash", [("target", json!(target))], move |after| {
        Some(after.events.iter().any(|event| matches!(event, Event::Crashed { seat, .. } if *seat == target)))
    }))
}

/// Is the target there afterwards?
fn ask_moves(position: &Position, dice: &mut Dice) -> Option<Question> {
    let target = draw_actor(position, dice)?;
    let joint = draw_orders(position, |_| true, dice);
    let after = PlayedTurn::from(position, &joint)?.position;
    // Where it is, or where it wants to go: which of the two is the question.
    let at = if dice.below(2) == 0 { position } else { &after }.at(target);
    Some(Question::after(joint, "stands", [("target", json!(target)), ("at", json!(at))], move |after| {
        Some(after.position.at(target) == at)
    }))
}

/// Is the match over afterwards?
fn ask_end(position: &Position, dice: &mut Dice) -> Option<Question> {
    let joint = draw_orders(position, |_| true, dice);
    let over = |after: &PlayedTurn<Position>| Some(after.position.outcome().is_some());
    (!joint.is_empty()).then(|| Question::after(joint, "over", [], over))
}
