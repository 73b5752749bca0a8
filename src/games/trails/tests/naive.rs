//! The rules of a turn once more, slowly and straight from the rulebook, to hold the fast ones against.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::games::testing::{Twin, compare_random_turns};

type Point = (i32, i32);

fn go((row, col): Point, direction: Direction) -> Point {
    match direction.name() {
        "up" => (row - 1, col),
        "down" => (row + 1, col),
        "left" => (row, col - 1),
        "right" => (row, col + 1),
        other => panic!("{other} is no way"),
    }
}

fn point(rider: &RiderState) -> Point {
    (rider.row.into(), rider.col.into())
}

fn small(number: i32) -> u8 {
    u8::try_from(number).expect("on the board")
}

/// What is there, or nothing off the board.
fn content(state: &State, (row, col): Point) -> Option<CellContent> {
    state.grid.get(usize::try_from(row).ok()?)?.get(usize::try_from(col).ok()?).copied()
}

/// The state after a turn.
fn turn(before: &State, orders: &Joint<Action>) -> State {
    let mut state = before.clone();
    let living: Vec<RiderState> = before.riders.iter().filter(|rider| rider.alive).cloned().collect();
    let mut targets: BTreeMap<Seat, (Point, Direction)> = BTreeMap::new();
    for rider in &living {
        let way = match orders.get(rider.seat).expect("everybody has an order") {
            Order::Play(action) | Order::StandIn(action) => action.direction(),
            Order::Pass => rider.facing,
            Order::Forfeit => continue,
        };
        targets.insert(rider.seat, (go(point(rider), way), way));
    }
    for rider in &living {
        state.grid[usize::from(rider.row)][usize::from(rider.col)] = CellContent::Owned(rider.seat);
    }
    let mut crashed = BTreeSet::new();
    for (&seat, &(target, _)) in &targets {
        let free = content(&state, target) == Some(CellContent::Empty);
        let swaps = targets.iter().any(|(&other, &(theirs, _))| {
            other != seat
                && target == point(&before.riders[other.index()])
                && theirs == point(&before.riders[seat.index()])
        });
        let met = targets.iter().any(|(&other, &(theirs, _))| other != seat && theirs == target);
        if !free || swaps || met {
            crashed.insert(seat);
        }
    }
    for (&seat, &((row, col), way)) in targets.iter().filter(|(seat, _)| !crashed.contains(seat)) {
        let rider = &mut state.riders[seat.index()];
        (rider.row, rider.col, rider.facing) = (small(row), small(col), way);
    }
    let quit: BTreeSet<Seat> =
        living.iter().map(|rider| rider.seat).filter(|seat| !targets.contains_key(seat)).collect();
    let left = living.len() - crashed.len() - quit.len();
    let number = |count: usize| u32::try_from(count).expect("few riders");
    for &seat in &crashed {
        state.riders[seat.index()].place = Some(number(left + 1));
    }
    for &seat in &quit {
        state.riders[seat.index()].place = Some(number(left + crashed.len() + 1));
    }
    for seat in crashed.iter().chain(&quit) {
        state.riders[seat.index()].alive = false;
    }
    state.turn += 1;
    state.turns_left -= 1;
    let reason = match left {
        0 | 1 if crashed.is_empty() => Some(Reason::Forfeit),
        0 => Some(Reason::AllDead),
        1 => Some(Reason::LastAlive),
        _ => (state.turns_left == 0).then_some(Reason::TurnLimit),
    };
    state.to_act =
        state.riders.iter().filter(|rider| rider.alive && reason.is_none()).map(|rider| rider.seat).collect();
    if let Some(reason) = reason {
        for rider in state.riders.iter_mut().filter(|rider| rider.alive) {
            rider.place = Some(1);
        }
        let unplaced = state.riders.iter().filter(|rider| rider.place.is_none()).count();
        let last = number(state.riders.len() - unplaced + 1);
        for rider in &mut state.riders {
            rider.place.get_or_insert(last);
        }
        let places = state.riders.iter().map(|rider| (rider.seat, rider.place.expect("just settled")));
        state.outcome = Some(Outcome { places: places.collect(), reason });
    }
    state
}

/// The state after a turn, as its events tell it.
fn retell(before: &State, events: &[Event]) -> State {
    let mut state = before.clone();
    state.turn += 1;
    state.turns_left -= 1;
    let leave = |state: &mut State, seat: Seat| {
        let RiderState { row, col, .. } = state.riders[seat.index()];
        state.grid[usize::from(row)][usize::from(col)] = CellContent::Owned(seat);
    };
    for event in events {
        match event {
            Event::Moved { seat, from, to } => {
                leave(&mut state, *seat);
                let rider = &mut state.riders[seat.index()];
                assert_eq!((rider.row, rider.col), (from.row, from.col));
                let goes = |way: &&Direction| go(point(rider), **way) == (to.row.into(), to.col.into());
                rider.facing = *Direction::ALL.iter().find(goes).expect("one step");
                (rider.row, rider.col) = (to.row, to.col);
            }
            Event::Crashed { seat, at, direction, into } => {
                leave(&mut state, *seat);
                let rider = &state.riders[seat.index()];
                assert_eq!((rider.row, rider.col), (at.row, at.col));
                let there = content(before, go(point(rider), *direction));
                let expected = match into {
                    Obstacle::Edge => None,
                    Obstacle::Wall => Some(CellContent::Wall),
                    Obstacle::Trail { of } if there == Some(CellContent::Owned(*of)) => there,
                    // A trail of this turn.
                    Obstacle::Trail { .. } | Obstacle::Riders { .. } => Some(CellContent::Empty),
                };
                assert_eq!(there, expected);
            }
            Event::Forfeited { seat } => leave(&mut state, *seat),
            Event::Eliminated { seat, place } => {
                state.riders[seat.index()].place = Some(*place);
                state.riders[seat.index()].alive = false;
            }
            Event::Ended { outcome } => {
                for rider in &mut state.riders {
                    rider.place = outcome.places.get(&rider.seat).copied();
                }
                state.outcome = Some(outcome.clone());
            }
            Event::Passed { .. } => {}
        }
    }
    let goes_on = state.outcome.is_none();
    state.to_act = state.riders.iter().filter(|rider| rider.alive && goes_on).map(|rider| rider.seat).collect();
    state
}

/// Any small board: walls, trails, riders anywhere, some of them fallen.
fn random_state(dice: &mut Dice) -> State {
    let (rows, cols) = (5 + dice.below(4), 5 + dice.below(4));
    let count = 2 + dice.below(3) as usize;
    let closed = dice.below(5);
    let mut cell = || match dice.below(20) {
        0 => CellContent::Wall,
        n if n <= closed => CellContent::Owned(Seat::new(dice.below(2) as usize)),
        _ => CellContent::Empty,
    };
    let mut grid: Vec<Vec<CellContent>> = (0..rows).map(|_| (0..cols).map(|_| cell()).collect()).collect();
    let mut riders: Vec<RiderState> = Vec::new();
    while riders.len() < count {
        let (row, col) = (dice.below(rows) as usize, dice.below(cols) as usize);
        let at = (row.to_le_bytes()[0], col.to_le_bytes()[0]);
        if riders.iter().all(|rider| (rider.row, rider.col) != at) {
            grid[row][col] = CellContent::Empty;
            let facing = *dice.pick(&Direction::ALL).expect("four");
            let alive = riders.len() < 2 || dice.below(4) > 0;
            let (seat, place) = (Seat::new(riders.len()), None);
            riders.push(RiderState { seat, row: at.0, col: at.1, facing, alive, place });
        }
    }
    let to_act = riders.iter().filter(|rider| rider.alive).map(|rider| rider.seat).collect();
    let turns_left = 1 + dice.below(12);
    State { ruleset: "trails".into(), turn: 0, to_act, outcome: None, turns_left, grid, riders }
}

#[test]
fn thousands_of_random_turns_go_as_the_rulebook_says() {
    let rules = rules(&json!("trails"));
    let mut dice = Seed(2026).dice();
    let three = |_: &Position, _, legal: &[Action]| assert_eq!(legal.len(), 3);
    let twin = Twin::<Position> { rules: &rules, odds: [3, 10, 7], legal: three, turn, retell };
    let mut turns = 0;
    while turns < 10_000 {
        let position = Position::from_state(&rules, &random_state(&mut dice)).expect("a position");
        turns += twin.compare(position, &mut dice);
    }
}

#[test]
fn a_random_turn_is_a_turn_of_random_legal_actions() {
    let rules = rules(&json!("trails"));
    let mut dice = Seed(5).dice();
    for _ in 0..500 {
        let position = Position::from_state(&rules, &random_state(&mut dice)).expect("a position");
        compare_random_turns(position, &mut dice);
    }
}

/// How far every cell is from a rider, walking over empty cells.
fn distances(state: &State, from: Point) -> BTreeMap<Point, u32> {
    let taken: Vec<Point> = state.riders.iter().filter(|rider| rider.alive).map(point).collect();
    let mut reached = BTreeMap::from([(from, 0)]);
    let mut edge = vec![from];
    for steps in 1.. {
        let next: Vec<Point> = edge.iter().flat_map(|&at| Direction::ALL.map(|way| go(at, way))).collect();
        edge.clear();
        for at in next {
            if content(state, at) == Some(CellContent::Empty) && !taken.contains(&at) && !reached.contains_key(&at) {
                reached.insert(at, steps);
                edge.push(at);
            }
        }
        if edge.is_empty() {
            break;
        }
    }
    reached
}

#[test]
fn territory_is_what_nobody_else_reaches_as_soon() {
    let rules = rules(&json!("trails"));
    let mut dice = Seed(9).dice();
    for _ in 0..300 {
        let state = random_state(&mut dice);
        let position = Position::from_state(&rules, &state).expect("a position");
        let steps: BTreeMap<Seat, BTreeMap<Point, u32>> = state
            .riders
            .iter()
            .filter(|rider| rider.alive)
            .map(|rider| (rider.seat, distances(&state, point(rider))))
            .collect();
        let territory = position.territory();
        for (seat, own) in &steps {
            let first = own.iter().filter(|&(at, steps_to)| {
                *steps_to > 0
                    && steps.iter().all(|(other, theirs)| other == seat || theirs.get(at).is_none_or(|n| n > steps_to))
            });
            assert_eq!(usize::from(territory[seat.index()]), first.count(), "{state:?}");
        }
    }
}
