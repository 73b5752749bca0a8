//! What can be asked about Paint: legal moves, who ends up where, which squares a turn paints.

use serde_json::json;

use super::{Action, CellContent, Direction, Position, Square, State};
use crate::games::quiz::{
    Corner, PlayedTurn, Quiz, QuizRule, Solvable, draw_actor, draw_below, draw_orders, step_aside,
};
use crate::games::{Dice, Game, Seat};

type Question = Solvable<Position>;

impl Quiz for Position {
    const ASKED: &'static [QuizRule<Position>] = &[
        QuizRule { rule: "legal-move", ask: ask_legal_move },
        QuizRule { rule: "moves", ask: ask_moves },
        QuizRule { rule: "paint", ask: ask_paint },
        QuizRule { rule: "score", ask: ask_score },
    ];

    /// Puts the avatars near each other, each with a trail of its colour, so that shots have a range.
    fn gather(&self, state: &mut State, dice: &mut Dice) {
        let corner = Corner::draw(self.size(), dice);
        for player in &mut state.players {
            (player.row, player.col) = corner.place(dice);
            let trail = state.grid[usize::from(player.row)].iter_mut().skip(usize::from(player.col));
            for square in trail.take(1 + usize::from(draw_below(4, dice))) {
                *square = CellContent::Owned(player.seat);
            }
        }
    }

    /// Moves an avatar one square, or makes something else of a square.
    fn vary(&self, state: &mut State, dice: &mut Dice) {
        let draw_seat = |dice: &mut Dice| draw_below(u8::try_from(self.seats()).unwrap_or(u8::MAX), dice);
        if dice.below(3) == 0 {
            let player = &mut state.players[usize::from(draw_seat(dice))];
            step_aside(if dice.below(2) == 0 { &mut player.row } else { &mut player.col }, dice);
        } else {
            let (rows, cols) = self.size();
            let (row, col) = (draw_below(rows, dice), draw_below(cols, dice));
            let seat = Seat::new(draw_seat(dice).into());
            state.grid[usize::from(row)][usize::from(col)] = match dice.below(3) {
                0 => CellContent::Wall,
                1 => CellContent::Empty,
                _ => CellContent::Owned(seat),
            };
        }
    }
}

fn ask_legal_move(position: &Position, dice: &mut Dice) -> Option<Question> {
    let seat = draw_actor(position, dice)?;
    let direction = *dice.pick(&Direction::ALL)?;
    Some(Question::legal(seat, Action::Move { direction }))
}

/// Does the target stand there afterwards?
fn ask_moves(position: &Position, dice: &mut Dice) -> Option<Question> {
    let target = draw_actor(position, dice)?;
    let joint = draw_orders(position, |action| matches!(action, Action::Move { .. }), dice);
    let after = PlayedTurn::from(position, &joint)?.position;
    // Where it is, or where it wants to go: which of the two is the question.
    let at = if dice.below(2) == 0 { position } else { &after }.at(target);
    Some(Question::after(joint, "stands", [("target", json!(target)), ("at", json!(at))], move |after| {
        Some(after.position.at(target) == at)
    }))
}

/// Does the square have the target's colour afterwards?
fn ask_paint(position: &Position, dice: &mut Dice) -> Option<Question> {
    let target = draw_actor(position, dice)?;
    let joint = draw_orders(position, |action| matches!(action, Action::Shoot { .. }), dice);
    let from = PlayedTurn::from(position, &joint)?.position.at(target);
    // At most three squares away, in a line that a shot could take.
    let mut near = |number: u8| (number + draw_below(7, dice)).checked_sub(3);
    let at = Square { row: near(from.row)?, col: near(from.col)? };
    let (down, right) = (at.row.abs_diff(from.row), at.col.abs_diff(from.col));
    let (rows, cols) = position.size();
    let lined = (down == 0 || right == 0 || down == right) && at.row < rows && at.col < cols;
    lined.then(|| {
        Question::after(joint, "colour", [("target", json!(target)), ("at", json!(at))], move |after| {
            Some(after.position.content(at) == CellContent::Owned(target))
        })
    })
}

/// Does the target have so many squares afterwards?
fn ask_score(position: &Position, dice: &mut Dice) -> Option<Question> {
    let target = draw_actor(position, dice)?;
    let joint = draw_orders(position, |action| matches!(action, Action::Shoot { .. }), dice);
    let after = PlayedTurn::from(position, &joint)?.position;
    let slip = *dice.pick(&[0, 0, 1, 2])?;
    let score = after.score(target).checked_sub(slip)?;
    Some(Question::after(joint, "score", [("target", json!(target)), ("score", json!(score))], move |after| {
        Some(after.position.score(target) == score)
    }))
}
