//! The engine answers.

use crate::briefs::{Did, Question};
use crate::games::Action;
use crate::games::cowboy::{self, Hit};
use crate::games::royale::{self, Source};
use crate::games::table::{Event, Position, Table};
use crate::games::{Joint, Order, Seat, Seed, paint};

/// Whether yes is right; nothing where the question makes no sense in the position.
pub fn solve(table: &Table, question: &Question) -> Option<bool> {
    match question {
        Question::Legal { seat, action } => table.to_act().contains(*seat).then(|| table.accept(*seat, action).is_ok()),
        Question::Hit { actions, seat, target } => {
            let (_, events) = play(table, actions)?;
            Some(events.iter().any(|event| match event {
                Event::Cowboy(cowboy::Event::Shot { seat: by, beams, .. }) => {
                    by == seat
                        && beams.iter().any(|beam| matches!(beam.hit, Hit::Player { seat, .. } if seat == *target))
                }
                Event::Royale(royale::Event::Shot { bot, hit, .. }) => bot == seat && *hit == Some(*target),
                _ => false,
            }))
        }
        Question::Stops { actions, at } => {
            let beams = beams(table, actions)?;
            Some(beams.iter().any(|beam| (beam.to.row, beam.to.col) == *at))
        }
        Question::Blocks { actions, target } => {
            let beams = beams(table, actions)?;
            let mut met = beams.iter().filter_map(|beam| match beam.hit {
                Hit::Player { seat, blocked, .. } if seat == *target => Some(blocked),
                _ => None,
            });
            met.next()
        }
        Question::Hp { actions, target, hp } => {
            let (after, _) = play(table, actions)?;
            Some(hit_points(&after, *target)? == *hp)
        }
        Question::Next { actions, target } => {
            let (after, _) = play(table, actions)?;
            Some(after.to_act().contains(*target))
        }
        Question::Danger { actions, seat, target } => {
            let (after, _) = play(table, actions)?;
            Some(in_danger(&after, *seat, *target))
        }
        Question::Stands { actions, target, at } => {
            let (after, _) = play(table, actions)?;
            Some(place(&after, *target) == *at)
        }
        Question::Colour { actions, target, at } => {
            let (after, _) = play(table, actions)?;
            let Position::Paint(position) = after.position() else { return None };
            let square = paint::Square { row: at.0, col: at.1 };
            Some(position.surface(square) == paint::Surface::Painted(*target))
        }
        Question::Score { actions, target, score } => {
            let (after, _) = play(table, actions)?;
            let Position::Paint(position) = after.position() else { return None };
            Some(position.score(*target) == *score)
        }
        Question::Zone { actions, target } => {
            let (_, events) = play(table, actions)?;
            Some(events.iter().any(|event| {
                matches!(event, Event::Royale(royale::Event::Damage { bot, source: Source::Zone, .. }) if bot == target)
            }))
        }
    }
}

/// The position after these actions, and what happened; nothing where one of them is illegal.
pub(super) fn play(table: &Table, actions: &[Did]) -> Option<(Table, Vec<Event>)> {
    let mut after = table.clone();
    let orders = actions.iter().map(|did| Some((did.seat, Order::Play(table.read(&did.action).ok()?.0))));
    let joint: Joint<Action> = orders.collect::<Option<_>>()?;
    // No rule that is asked about has chance in it.
    let events = after.play(&joint, &mut Seed(0).turn(table.turn().into())).ok()?;
    Some((after, events))
}

/// The beams of the shot that these actions are.
pub(super) fn beams(table: &Table, actions: &[Did]) -> Option<Vec<cowboy::Beam>> {
    let (_, events) = play(table, actions)?;
    events.into_iter().find_map(|event| match event {
        Event::Cowboy(cowboy::Event::Shot { beams, .. }) => Some(beams),
        _ => None,
    })
}

pub(super) fn hit_points(table: &Table, seat: Seat) -> Option<u16> {
    match table.position() {
        Position::Cowboy(position) => Some(if position.alive(seat) { position.hp(seat) } else { 0 }),
        Position::Royale(position) => Some(position.hp(seat)),
        Position::Paint(_) => None,
    }
}

pub(super) fn place(table: &Table, seat: Seat) -> (u8, u8) {
    match table.position() {
        Position::Cowboy(position) => (position.at(seat).row, position.at(seat).col),
        Position::Paint(position) => (position.at(seat).row, position.at(seat).col),
        Position::Royale(position) => (position.at(seat).x, position.at(seat).y),
    }
}

/// Whether one of the other's legal actions would hurt the seat.
fn in_danger(table: &Table, seat: Seat, by: Seat) -> bool {
    let Some(before) = hit_points(table, seat) else { return false };
    table.to_act().contains(by)
        && table.legal(by).into_iter().any(|action| {
            let after = play(table, &[Did { seat: by, action }]);
            after.is_some_and(|(after, _)| hit_points(&after, seat).is_some_and(|hp| hp < before))
        })
}
