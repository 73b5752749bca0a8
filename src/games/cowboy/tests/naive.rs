//! Cowboy once more, as slowly and plainly as its rules are written, for the engine to be compared with.

use std::collections::BTreeMap;

use super::super::{Action, Bodies, Direction, Laser, Rules, State};
use crate::games::joint::Order;
use crate::games::outcome::{Outcome, Reason};
use crate::games::refusal::Code;
use crate::games::seat::{Seat, Seats};
use crate::games::speech::Speech;

/// Row and column; off the board too.
type Spot = (i32, i32);

/// What stops a beam.
enum Target {
    Nothing,
    Block(Spot),
    Player(usize),
}

/// The rule that an action breaks, if any.
pub(super) fn refusal(rules: &Rules, state: &State, seat: Seat, action: &Action) -> Option<Code> {
    let me = spot(state, seat.index());
    match action {
        Action::Shield { .. } => None,
        Action::Speak { text } => {
            let length = text.trim().chars().count();
            if rules.speech != Speech::Turn {
                Some(Code::UnreadableAction)
            } else if length == 0 {
                Some(Code::SpeakEmpty)
            } else if length > 140 {
                Some(Code::SpeakTooLong)
            } else if text.trim().contains(char::is_control) {
                Some(Code::UnreadableAction)
            } else {
                None
            }
        }
        Action::Move { direction } => {
            let to = step(me, *direction);
            let on_it = |player: usize| {
                let stays = state.players[player].alive || rules.bodies == Bodies::BlockMoves;
                player != seat.index() && stays && spot(state, player) == to
            };
            match value(state, to) {
                None => Some(Code::MoveOutOfBounds),
                Some(0) if (0..state.players.len()).any(on_it) => Some(Code::MoveIntoPlayer),
                Some(0) => None,
                Some(_) => Some(Code::MoveIntoBlock),
            }
        }
        Action::Shoot { direction } if state.players[seat.index()].shield == *direction => Some(Code::ShootOwnShield),
        Action::Shoot { .. } if rules.laser == Laser::Straight => None,
        Action::Shoot { direction } => {
            let entered = step(me, *direction);
            match value(state, entered) {
                None => Some(Code::ShootOutOfBounds),
                Some(0) => living_on(state, entered).map(|_| Code::ShootIntoPlayer),
                Some(_) => Some(Code::ShootIntoBlock),
            }
        }
    }
}

/// The state after a legal turn, and who was eliminated in it.
pub(super) fn play(rules: &Rules, state: &State, seat: Seat, order: &Order<Action>) -> (State, Vec<Seat>) {
    let me = seat.index();
    let mut after = state.clone();
    after.turn += 1;
    let mut fallen = Vec::new();
    match order {
        Order::Pass | Order::Play(Action::Speak { .. }) | Order::StandIn(Action::Speak { .. }) => {}
        Order::Forfeit => fallen.push(me),
        Order::Play(Action::Shield { direction }) | Order::StandIn(Action::Shield { direction }) => {
            after.players[me].shield = *direction;
        }
        Order::Play(Action::Move { direction }) | Order::StandIn(Action::Move { direction }) => {
            let (row, col) = step(spot(state, me), *direction);
            after.players[me].row = u8::try_from(row).expect("a legal move stays on the board");
            after.players[me].col = u8::try_from(col).expect("a legal move stays on the board");
        }
        Order::Play(Action::Shoot { direction }) | Order::StandIn(Action::Shoot { direction }) => {
            for (way, from) in beams(rules.laser, spot(state, me), *direction) {
                match target(state, from, way) {
                    Target::Nothing => {}
                    Target::Block((row, col)) => {
                        let row = &mut after.grid[usize::try_from(row).expect("on the board")];
                        row[usize::try_from(col).expect("on the board")] -= 1;
                    }
                    Target::Player(hit) if state.players[hit].shield == opposite(way) => {}
                    Target::Player(hit) => {
                        after.players[hit].hp -= 1;
                        if after.players[hit].hp == 0 {
                            fallen.push(hit);
                            after.players[me].kills += 1;
                        }
                    }
                }
            }
        }
    }
    for &player in &fallen {
        after.players[player].alive = false;
    }
    let living = after.players.iter().filter(|player| player.alive).count();
    for &player in &fallen {
        after.players[player].place = Some(u32::try_from(living).expect("at most four") + 1);
    }
    go_on(rules, &mut after, me, matches!(order, Order::Forfeit));
    fallen.sort_unstable();
    (after, fallen.into_iter().map(Seat::new).collect())
}

/// Finds out who is next, or that the match is over.
fn go_on(rules: &Rules, after: &mut State, me: usize, forfeit: bool) {
    let count = after.players.len();
    let living = after.players.iter().filter(|player| player.alive).count();
    if living == 0 || (living == 1 && count > 1) {
        return end(after, if forfeit { Reason::Forfeit } else { Reason::LastAlive });
    }
    let mut next = me;
    loop {
        next += 1;
        if next == count {
            next = 0;
            after.round += 1;
            if after.round > rules.max_rounds {
                return end(after, Reason::RoundLimit);
            }
        }
        if after.players[next].alive {
            break;
        }
    }
    after.to_act = Seats::one(Seat::new(next));
}

fn end(after: &mut State, reason: Reason) {
    let merits: Vec<_> = after.players.iter().filter(|p| p.alive).map(|p| (p.hp, p.kills)).collect();
    for player in after.players.iter_mut().filter(|player| player.alive) {
        let better = merits.iter().filter(|merit| **merit > (player.hp, player.kills)).count();
        player.place = Some(1 + u32::try_from(better).expect("at most four"));
    }
    let places: BTreeMap<Seat, u32> =
        after.players.iter().map(|player| (player.seat, player.place.expect("all have one now"))).collect();
    after.to_act = Seats::none();
    after.outcome = Some(Outcome { places, reason });
}

fn beams(laser: Laser, me: Spot, direction: Direction) -> Vec<(Direction, Spot)> {
    match (laser, direction) {
        (Laser::Straight, _) => vec![(direction, me)],
        (Laser::Tee, Direction::Up | Direction::Down) => {
            vec![(Direction::Left, step(me, direction)), (Direction::Right, step(me, direction))]
        }
        (Laser::Tee, Direction::Left | Direction::Right) => {
            vec![(Direction::Up, step(me, direction)), (Direction::Down, step(me, direction))]
        }
    }
}

fn target(state: &State, from: Spot, way: Direction) -> Target {
    let next = step(from, way);
    match (value(state, next), living_on(state, next)) {
        (None | Some(-1), _) => Target::Nothing,
        (Some(0), Some(player)) => Target::Player(player),
        (Some(0), None) => target(state, next, way),
        (Some(_), _) => Target::Block(next),
    }
}

fn step((row, col): Spot, direction: Direction) -> Spot {
    match direction {
        Direction::Up => (row - 1, col),
        Direction::Down => (row + 1, col),
        Direction::Left => (row, col - 1),
        Direction::Right => (row, col + 1),
    }
}

fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::Up => Direction::Down,
        Direction::Down => Direction::Up,
        Direction::Left => Direction::Right,
        Direction::Right => Direction::Left,
    }
}

fn spot(state: &State, player: usize) -> Spot {
    (i32::from(state.players[player].row), i32::from(state.players[player].col))
}

fn value(state: &State, (row, col): Spot) -> Option<i16> {
    state.grid.get(usize::try_from(row).ok()?)?.get(usize::try_from(col).ok()?).copied()
}

fn living_on(state: &State, at: Spot) -> Option<usize> {
    (0..state.players.len()).find(|&player| state.players[player].alive && spot(state, player) == at)
}
