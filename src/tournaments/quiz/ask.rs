//! Drawing questions about a position.

use super::answer::{beams, hit_points, place, play};
use crate::briefs::{Did, Question};
use crate::games::cowboy::{Direction, Hit};
use crate::games::ruleset::Rules;
use crate::games::table::{Position, Table};
use crate::games::{Dice, Seat, paint};

/// The rules that can be asked about.
pub(super) fn rules(rules: &Rules) -> &'static [&'static str] {
    match rules {
        Rules::Cowboy(_) => &["legal-move", "legal-shot", "beam-path", "beam-hit", "shield", "hp", "turn", "danger"],
        Rules::Paint(_) => &["legal-move", "moves", "paint", "score"],
        Rules::Royale(_) => &["moves", "shot", "hp", "zone"],
    }
}

/// A question about a rule; nothing where the position does not lend itself to one.
pub(super) fn draw(table: &Table, rule: &str, dice: &mut Dice) -> Option<Question> {
    match table.position() {
        Position::Cowboy(_) => cowboy(table, rule, dice),
        Position::Paint(_) | Position::Royale(_) => at_once(table, rule, dice),
    }
}

fn pick<T: Copy>(items: &[T], dice: &mut Dice) -> Option<T> {
    dice.pick(items).copied()
}

fn other(table: &Table, seat: Seat, dice: &mut Dice) -> Option<Seat> {
    let others: Vec<Seat> = Seat::first(table.seats()).filter(|&other| other != seat).collect();
    pick(&others, dice)
}

fn cowboy(table: &Table, rule: &str, dice: &mut Dice) -> Option<Question> {
    let seat = table.to_act().iter().next()?;
    let direction = pick(&Direction::ALL, dice)?;
    let shot = vec![Did { seat, action: format!("shoot {direction}") }];
    Some(match rule {
        "legal-move" => Question::Legal { seat, action: format!("move {direction}") },
        "legal-shot" => Question::Legal { seat, action: format!("shoot {direction}") },
        "beam-path" => {
            let beams = beams(table, &shot)?;
            let ends: Vec<(u8, u8)> = beams.iter().map(|beam| (beam.to.row, beam.to.col)).collect();
            let end = pick(&ends, dice)?;
            // One cell short of the end or one beyond it is as good a question.
            let at = [
                end,
                (end.0.saturating_sub(1), end.1),
                (end.0 + 1, end.1),
                (end.0, end.1.saturating_sub(1)),
                (end.0, end.1 + 1),
            ];
            let at = if dice.below(2) == 0 { end } else { pick(&at[1..], dice)? };
            on_board(table, at).then_some(Question::Stops { actions: shot, at })?
        }
        "beam-hit" => Question::Hit { target: other(table, seat, dice)?, seat, actions: shot },
        "shield" => {
            let met = beams(table, &shot)?.into_iter().find_map(|beam| match beam.hit {
                Hit::Player { seat, .. } => Some(seat),
                _ => None,
            });
            Question::Blocks { target: met?, actions: shot }
        }
        "hp" => {
            let target = other(table, seat, dice)?;
            let (after, _) = play(table, &shot)?;
            let hp = hit_points(if dice.below(2) == 0 { table } else { &after }, target)?;
            Question::Hp { actions: shot, target, hp }
        }
        "turn" => {
            play(table, &shot)?;
            Question::Next { target: other(table, seat, dice)?, actions: shot }
        }
        "danger" => {
            let legal: Vec<String> =
                table.legal(seat).into_iter().filter(|action| !action.starts_with("speak")).collect();
            let action = dice.pick(&legal)?.clone();
            Question::Danger { target: other(table, seat, dice)?, seat, actions: vec![Did { seat, action }] }
        }
        _ => return None,
    })
}

fn on_board(table: &Table, at: (u8, u8)) -> bool {
    match table.position() {
        Position::Cowboy(position) => at.0 < position.size().0 && at.1 < position.size().1,
        Position::Paint(position) => at.0 < position.size().0 && at.1 < position.size().1,
        Position::Royale(position) => at.0 < position.size().0 && at.1 < position.size().1,
    }
}

fn at_once(table: &Table, rule: &str, dice: &mut Dice) -> Option<Question> {
    let seats: Vec<Seat> = table.to_act().iter().collect();
    let target = pick(&seats, dice)?;
    if rule == "legal-move" {
        let direction = pick(&paint::Direction::ALL, dice)?;
        return Some(Question::Legal { seat: target, action: format!("move {direction}") });
    }
    let mut actions = Vec::new();
    for &seat in &seats {
        let legal = table.legal(seat);
        let wanted: Vec<&String> = legal.iter().filter(|action| lends_itself(rule, action)).collect();
        let action =
            dice.pick(&wanted).map_or_else(|| table.random_legal(seat, dice).to_string(), |&action| action.clone());
        actions.push(Did { seat, action });
    }
    let (after, _) = play(table, &actions)?;
    Some(match rule {
        "moves" => {
            // Where it is, or where it wants to go: which of the two is the question.
            let at = place(if dice.below(2) == 0 { table } else { &after }, target);
            Question::Stands { actions, target, at }
        }
        "paint" => {
            let (row, col) = place(&after, target);
            let near = |number: u8, dice: &mut Dice| u32::from(number) + dice.below(7);
            let short = |number: u32| number.checked_sub(3).and_then(|number| u8::try_from(number).ok());
            let at = (short(near(row, dice))?, short(near(col, dice))?);
            let lined = at.0 == row || at.1 == col || at.0.abs_diff(row) == at.1.abs_diff(col);
            (lined && on_board(table, at)).then_some(Question::Colour { actions, target, at })?
        }
        "score" => {
            let Position::Paint(position) = after.position() else { return None };
            let slip = [0, 0, 1, 2][dice.below(4) as usize];
            Question::Score { score: position.score(target).checked_sub(slip)?, actions, target }
        }
        "shot" => {
            let seat = pick(&seats, dice).filter(|&seat| seat != target)?;
            Question::Hit { actions, seat, target }
        }
        "hp" => {
            let hp = hit_points(if dice.below(2) == 0 { table } else { &after }, target)?;
            Question::Hp { actions, target, hp }
        }
        "zone" => Question::Zone { actions, target },
        _ => return None,
    })
}

/// Whether an action makes for a question about the rule.
fn lends_itself(rule: &str, action: &str) -> bool {
    match rule {
        "moves" | "zone" => action.starts_with("move") && !action.contains("shoot"),
        "paint" | "score" | "shot" | "hp" => action.contains("shoot"),
        _ => true,
    }
}
