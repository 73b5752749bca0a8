//! What can be asked about Cowboy: legal actions, where beams end, what they do, and who is in danger.

use serde_json::json;

use super::{Action, Beam, Direction, Event, Hit, Position, State};
use crate::games::quiz::{Corner, PlayedTurn, Quiz, QuizRule, Solvable, draw_below, draw_other};
use crate::games::{Dice, Game, Joint, Order, Seat};

type Question = Solvable<Position>;

impl Quiz for Position {
    const ASKED: &'static [QuizRule<Position>] = &[
        QuizRule { rule: "legal-move", ask: ask_legal_move },
        QuizRule { rule: "legal-shot", ask: ask_legal_shot },
        QuizRule { rule: "beam-path", ask: ask_path },
        QuizRule { rule: "beam-hit", ask: ask_hit },
        QuizRule { rule: "shield", ask: ask_shield },
        QuizRule { rule: "hp", ask: ask_hp },
        QuizRule { rule: "turn", ask: ask_turn },
        QuizRule { rule: "danger", ask: ask_danger },
    ];

    /// Puts the players near each other, turns their shields, takes some of their hit points.
    fn gather(&self, state: &mut State, dice: &mut Dice) {
        let corner = Corner::draw(self.size(), dice);
        for player in &mut state.players {
            (player.row, player.col) = corner.place(dice);
            player.shield = draw_direction(dice);
            player.hp = 1 + u16::from(draw_below(3, dice));
            state.grid[usize::from(player.row)][usize::from(player.col)] = 0;
        }
    }

    /// Turns a shield, puts up a wall or takes away what stands on a cell.
    fn vary(&self, state: &mut State, dice: &mut Dice) {
        if dice.below(3) == 0 {
            let player = draw_below(self.seats, dice);
            state.players[usize::from(player)].shield = draw_direction(dice);
        } else {
            let (row, col) = (draw_below(self.rows, dice), draw_below(self.cols, dice));
            let cell = &mut state.grid[usize::from(row)][usize::from(col)];
            *cell = if *cell == 0 { -1 } else { 0 };
        }
    }
}

fn ask_legal_move(position: &Position, dice: &mut Dice) -> Option<Question> {
    let (seat, direction) = (actor(position)?, draw_direction(dice));
    Some(Question::legal(seat, Action::Move { direction }))
}

fn ask_legal_shot(position: &Position, dice: &mut Dice) -> Option<Question> {
    let (seat, direction) = (actor(position)?, draw_direction(dice));
    Some(Question::legal(seat, Action::Shoot { direction }))
}

/// Does a beam end on the cell?
fn ask_path(position: &Position, dice: &mut Dice) -> Option<Question> {
    let (_, shot) = draw_shot(position, dice)?;
    let ends: Vec<(u8, u8)> = beams(&PlayedTurn::from(position, &shot)?)?.iter().map(|beam| beam.to.into()).collect();
    let &(row, col) = dice.pick(&ends)?;
    // One cell short of the end or one beyond it is as good a question.
    let around = [(row.saturating_sub(1), col), (row + 1, col), (row, col.saturating_sub(1)), (row, col + 1)];
    let at = if dice.below(2) == 0 { (row, col) } else { *dice.pick(&around)? };
    (at.0 < position.rows && at.1 < position.cols).then(|| {
        Question::after(shot, "stops", [("at", json!(at))], move |after| {
            Some(beams(after)?.iter().any(|beam| beam.to == at.into()))
        })
    })
}

/// Does the shot reach the target, shielded or not?
fn ask_hit(position: &Position, dice: &mut Dice) -> Option<Question> {
    let (seat, shot) = draw_shot(position, dice)?;
    let target = draw_other(position, seat, dice)?;
    Some(Question::after(shot, "hit", [("seat", json!(seat)), ("target", json!(target))], move |after| {
        Some(beams(after)?.iter().any(|beam| matches!(beam.hit, Hit::Player { seat, .. } if seat == target)))
    }))
}

/// Does the target's shield stop a beam?
fn ask_shield(position: &Position, dice: &mut Dice) -> Option<Question> {
    let (_, shot) = draw_shot(position, dice)?;
    let met = beams(&PlayedTurn::from(position, &shot)?)?.iter().find_map(|beam| match beam.hit {
        Hit::Player { seat, .. } => Some(seat),
        Hit::Edge | Hit::Wall | Hit::Block { .. } => None,
    });
    let target = met?;
    Some(Question::after(shot, "blocks", [("target", json!(target))], move |after| {
        beams(after)?.iter().find_map(|beam| match beam.hit {
            Hit::Player { seat, blocked, .. } if seat == target => Some(blocked),
            _ => None,
        })
    }))
}

/// Does the target have so many hit points afterwards?
fn ask_hp(position: &Position, dice: &mut Dice) -> Option<Question> {
    let (seat, shot) = draw_shot(position, dice)?;
    let target = draw_other(position, seat, dice)?;
    let after = PlayedTurn::from(position, &shot)?.position;
    let hp = hit_points(if dice.below(2) == 0 { position } else { &after }, target);
    Some(Question::after(shot, "hp", [("target", json!(target)), ("hp", json!(hp))], move |after| {
        Some(hit_points(&after.position, target) == hp)
    }))
}

/// Is it the target's turn afterwards?
fn ask_turn(position: &Position, dice: &mut Dice) -> Option<Question> {
    let (seat, shot) = draw_shot(position, dice)?;
    PlayedTurn::from(position, &shot)?;
    let target = draw_other(position, seat, dice)?;
    Some(Question::after(shot, "next", [("target", json!(target))], move |after| {
        Some(after.position.to_act().contains(target))
    }))
}

/// Could the target hurt the seat with its next action?
fn ask_danger(position: &Position, dice: &mut Dice) -> Option<Question> {
    let seat = actor(position)?;
    // Drawn in vain: without it the same seed would give other questions.
    draw_direction(dice);
    let action = dice.pick(&position.legal(seat))?.clone();
    let target = draw_other(position, seat, dice)?;
    let terms = [("seat", json!(seat)), ("target", json!(target))];
    Some(Question::after(Joint::one(seat, Order::Play(action)), "danger", terms, move |after| {
        Some(can_hurt(&after.position, target, seat))
    }))
}

fn actor(position: &Position) -> Option<Seat> {
    position.to_act().iter().next()
}

fn draw_direction(dice: &mut Dice) -> Direction {
    *dice.pick(&Direction::ALL).expect("there are four")
}

/// A shot of the seat whose turn it is.
fn draw_shot(position: &Position, dice: &mut Dice) -> Option<(Seat, Joint<Action>)> {
    let (seat, direction) = (actor(position)?, draw_direction(dice));
    Some((seat, Joint::one(seat, Order::Play(Action::Shoot { direction }))))
}

/// The beams of the turn's shot.
fn beams(after: &PlayedTurn<Position>) -> Option<&[Beam]> {
    after
        .events
        .iter()
        .find_map(|event| if let Event::Shot { beams, .. } = event { Some(beams.as_slice()) } else { None })
}

fn hit_points(position: &Position, seat: Seat) -> u16 {
    if position.alive(seat) { position.hp(seat) } else { 0 }
}

/// Whether one of a seat's legal actions would hurt another.
fn can_hurt(position: &Position, by: Seat, victim: Seat) -> bool {
    let hurts = |action| {
        let after = PlayedTurn::from(position, &Joint::one(by, Order::Play(action)));
        after.is_some_and(|after| hit_points(&after.position, victim) < hit_points(position, victim))
    };
    position.to_act().contains(by) && position.legal(by).into_iter().any(hurts)
}
