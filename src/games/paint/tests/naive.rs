//! The rules of a turn once more, slowly and straight from the rulebook, to hold the fast ones against.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::games::testing::{Twin, compare_random_turns};

type Point = (i32, i32);

struct Flying {
    seat: Seat,
    way: Point,
    at: Point,
    left: usize,
}

/// The state after a turn.
fn turn(before: &State, orders: &Joint<Action>) -> State {
    let mut state = before.clone();
    state.turn += 1;
    state.turns_left -= 1;

    let homes: BTreeMap<Seat, Point> = state.players.iter().map(|player| (player.seat, point(player))).collect();
    let mut at = homes.clone();
    let mut shooters = Vec::new();
    for (seat, order) in orders.iter() {
        match order {
            Order::Play(Action::Move { direction }) | Order::StandIn(Action::Move { direction }) => {
                at.insert(seat, add(homes[&seat], way(*direction)));
            }
            Order::Play(Action::Shoot { direction }) | Order::StandIn(Action::Shoot { direction }) => {
                shooters.push((seat, way(*direction)));
            }
            Order::Pass => {}
            Order::Forfeit => state.players[seat.index()].forfeited = true,
        }
    }

    while let Some(shared) =
        at.values().copied().find(|&point| at.values().filter(|other| **other == point).count() > 1)
    {
        for (seat, place) in at.iter_mut().filter(|(_, place)| **place == shared) {
            *place = homes[seat];
        }
    }
    for (&seat, &place) in &at {
        *square(&mut state, place).expect("avatars stand on the board") = CellContent::Owned(seat);
        (state.players[seat.index()].row, state.players[seat.index()].col) = (small(place.0), small(place.1));
    }

    let mut active: Vec<Flying> = Vec::new();
    for (seat, way) in shooters {
        let mut behind = 0;
        let mut back = add(at[&seat], (-way.0, -way.1));
        while square(&mut state, back) == Some(&mut CellContent::Owned(seat)) {
            behind += 1;
            back = add(back, (-way.0, -way.1));
        }
        active.push(Flying { seat, way, at: at[&seat], left: if behind == 0 { 1 } else { behind } });
    }
    let mut painted: BTreeSet<Point> = BTreeSet::new();
    while !active.is_empty() {
        for shot in &mut active {
            shot.at = add(shot.at, shot.way);
        }
        let all: Vec<Point> = active.iter().map(|shot| shot.at).collect();
        let earlier = painted.clone();
        active.retain(|shot| {
            square(&mut state, shot.at).is_some_and(|content| *content != CellContent::Wall)
                && at.values().all(|avatar| *avatar != shot.at)
                && !earlier.contains(&shot.at)
                && all.iter().filter(|other| **other == shot.at).count() == 1
        });
        for shot in &mut active {
            *square(&mut state, shot.at).expect("it is on the board") = CellContent::Owned(shot.seat);
            painted.insert(shot.at);
            shot.left -= 1;
        }
        active.retain(|shot| shot.left > 0);
    }
    finish(&mut state);
    state
}

/// Counts scores, and at the end places.
fn finish(state: &mut State) {
    for player in &mut state.players {
        let own = |content: &&CellContent| **content == CellContent::Owned(player.seat);
        player.score = u32::try_from(state.grid.iter().flatten().filter(own).count()).expect("a small board");
    }
    let stayed = state.players.iter().filter(|player| !player.forfeited).map(|player| player.seat);
    state.to_act = stayed.collect();
    let reason = match state.to_act.len() {
        0 | 1 => Reason::Forfeit,
        _ if state.turns_left == 0 => Reason::TurnLimit,
        _ => return,
    };
    state.to_act = Seats::none();
    let ranked = state.players.clone();
    for player in &mut state.players {
        let better = |other: &&Player| {
            if other.forfeited == player.forfeited { other.score > player.score } else { player.forfeited }
        };
        player.place = Some(1 + u32::try_from(ranked.iter().filter(better).count()).expect("few players"));
    }
    let places = state.players.iter().map(|player| (player.seat, player.place.expect("just settled")));
    state.outcome = Some(Outcome { places: places.collect(), reason });
}

/// The state after a turn, as its events tell it.
fn retell(before: &State, events: &[Event]) -> State {
    let mut state = before.clone();
    state.turn += 1;
    state.turns_left -= 1;
    for event in events {
        match event {
            Event::Moved { seat, from, to } => {
                let player = &mut state.players[seat.index()];
                assert_eq!((player.row, player.col), (from.row, from.col));
                (player.row, player.col) = (to.row, to.col);
            }
            Event::Bumped { seat, at, to } => {
                let player = &state.players[seat.index()];
                assert_eq!((player.row, player.col), (at.row, at.col));
                assert_ne!(at, to);
            }
            Event::Forfeited { seat } => state.players[seat.index()].forfeited = true,
            Event::Shot { .. } | Event::Passed { .. } | Event::Ended { .. } => {}
        }
    }
    for player in &state.players {
        state.grid[usize::from(player.row)][usize::from(player.col)] = CellContent::Owned(player.seat);
    }
    for event in events {
        if let Event::Shot { seat, cells, range, end, .. } = event {
            assert_eq!(*end == ShotEnd::Range, cells.len() == usize::from(*range));
            for cell in cells {
                state.grid[usize::from(cell.row)][usize::from(cell.col)] = CellContent::Owned(*seat);
            }
        }
    }
    finish(&mut state);
    let ended = events.iter().find_map(|event| if let Event::Ended { outcome } = event { Some(outcome) } else { None });
    assert_eq!(ended, state.outcome.as_ref());
    state
}

fn way(direction: Direction) -> Point {
    let name = direction.to_string();
    let along = |less: &str, more: &str| i32::from(name.contains(more)) - i32::from(name.contains(less));
    (along("north", "south"), along("west", "east"))
}

fn add(point: Point, way: Point) -> Point {
    (point.0 + way.0, point.1 + way.1)
}

fn point(player: &Player) -> Point {
    (player.row.into(), player.col.into())
}

fn small(number: i32) -> u8 {
    u8::try_from(number).expect("on the board")
}

fn square(state: &mut State, at: Point) -> Option<&mut CellContent> {
    state.grid.get_mut(usize::try_from(at.0).ok()?)?.get_mut(usize::try_from(at.1).ok()?)
}

/// Any small board: obstacles, paint, avatars anywhere.
fn random_state(dice: &mut Dice) -> State {
    let (rows, cols) = (1 + dice.below(6), 2 + dice.below(6));
    let players = 2 + dice.below(8) as usize;
    let mut at: Vec<(u8, u8)> = Vec::new();
    let grid = (0..rows)
        .map(|_| {
            (0..cols)
                .map(|_| match dice.below(10) {
                    0 => CellContent::Wall,
                    1..5 => CellContent::Owned(Seat::new(dice.below(2) as usize)),
                    _ => CellContent::Empty,
                })
                .collect::<Vec<_>>()
        })
        .collect::<Vec<_>>();
    for _ in 0..100 {
        let (row, col) = (dice.below(rows) as usize, dice.below(cols) as usize);
        let here = (row.to_le_bytes()[0], col.to_le_bytes()[0]);
        if at.len() < players && grid[row][col] != CellContent::Wall && !at.contains(&here) {
            at.push(here);
        }
    }
    let player = |(seat, &(row, col))| Player { seat, row, col, score: 0, forfeited: false, place: None };
    let players: Vec<Player> = Seat::first(at.len()).zip(&at).map(player).collect();
    let turns_left = 1 + dice.below(12);
    let mut state =
        State { ruleset: "paint".into(), turn: 0, to_act: Seats::none(), outcome: None, turns_left, grid, players };
    finish(&mut state);
    state
}

#[test]
fn thousands_of_random_turns_go_as_the_rulebook_says() {
    let rules = rules(&json!("paint"));
    let mut dice = Seed(2026).dice();
    let moves = |position: &Position, seat, legal: &[Action]| {
        for direction in Direction::ALL {
            let action = Action::Move { direction };
            assert_eq!(legal.contains(&action), position.check(seat, &action).is_ok());
        }
    };
    let twin = Twin::<Position> { rules: &rules, odds: [2, 6, 8], legal: moves, turn, retell };
    let mut turns = 0;
    while turns < 4_000 {
        let state = random_state(&mut dice);
        if state.players.len() < 2 {
            continue;
        }
        turns += twin.compare(Position::from_state(&rules, &state).expect("a position"), &mut dice);
    }
}

#[test]
fn a_random_turn_is_a_turn_of_random_legal_actions() {
    let rules = rules(&json!("paint"));
    let mut dice = Seed(5).dice();
    let mut turns = 0;
    while turns < 4_000 {
        let mut state = random_state(&mut dice);
        for player in &mut state.players {
            player.forfeited = dice.below(6) == 0;
        }
        finish(&mut state);
        let Ok(position) = Position::from_state(&rules, &state) else { continue };
        turns += compare_random_turns(position, &mut dice);
    }
}
