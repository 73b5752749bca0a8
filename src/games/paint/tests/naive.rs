//! The rules of a turn once more, slowly and straight from the rulebook, to hold the fast ones against.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

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
        *square(&mut state, place).expect("avatars stand on the board") = Surface::Painted(seat);
        (state.players[seat.index()].row, state.players[seat.index()].col) = (small(place.0), small(place.1));
    }

    let mut active: Vec<Flying> = Vec::new();
    for (seat, way) in shooters {
        let mut behind = 0;
        let mut back = add(at[&seat], (-way.0, -way.1));
        while square(&mut state, back) == Some(&mut Surface::Painted(seat)) {
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
            square(&mut state, shot.at).is_some_and(|surface| *surface != Surface::Obstacle)
                && at.values().all(|avatar| *avatar != shot.at)
                && !earlier.contains(&shot.at)
                && all.iter().filter(|other| **other == shot.at).count() == 1
        });
        for shot in &mut active {
            *square(&mut state, shot.at).expect("it is on the board") = Surface::Painted(shot.seat);
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
        let own = |surface: &&Surface| **surface == Surface::Painted(player.seat);
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
        state.grid[usize::from(player.row)][usize::from(player.col)] = Surface::Painted(player.seat);
    }
    for event in events {
        if let Event::Shot { seat, cells, range, end, .. } = event {
            assert_eq!(*end == ShotEnd::Range, cells.len() == usize::from(*range));
            for cell in cells {
                state.grid[usize::from(cell.row)][usize::from(cell.col)] = Surface::Painted(*seat);
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

fn square(state: &mut State, at: Point) -> Option<&mut Surface> {
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
                    0 => Surface::Obstacle,
                    1..5 => Surface::Painted(Seat::new(dice.below(2) as usize)),
                    _ => Surface::Neutral,
                })
                .collect::<Vec<_>>()
        })
        .collect::<Vec<_>>();
    for _ in 0..100 {
        let (row, col) = (dice.below(rows) as usize, dice.below(cols) as usize);
        let here = (row.to_le_bytes()[0], col.to_le_bytes()[0]);
        if at.len() < players && grid[row][col] != Surface::Obstacle && !at.contains(&here) {
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
    let mut turns = 0;
    while turns < 4_000 {
        let state = random_state(&mut dice);
        if state.players.len() < 2 {
            continue;
        }
        let mut position = Position::from_state(&rules, &state).expect("a position");
        while position.outcome().is_none() {
            let orders: Joint<Action> = position
                .to_act()
                .iter()
                .map(|seat| {
                    let legal = position.legal(seat);
                    for direction in Direction::ALL {
                        let action = Action::Move { direction };
                        assert_eq!(legal.contains(&action), position.check(seat, &action).is_ok());
                    }
                    let mut twin = dice.clone();
                    let action = position.random_legal(seat, &mut dice);
                    assert_eq!(twin.pick(&legal), Some(&action));
                    let order = match dice.below(100) {
                        0..2 => Order::Forfeit,
                        2..8 => Order::Pass,
                        8..16 => Order::StandIn(action),
                        _ => Order::Play(action),
                    };
                    (seat, order)
                })
                .collect();
            let before = position.state("paint");
            let mut silent = position.clone();
            silent.resolve(&orders, &mut dice, &mut ());
            let events = position.play(&orders, &mut dice).expect("a legal turn");
            let after = position.state("paint");
            assert_eq!(after, turn(&before, &orders), "{before:?} {orders:?}");
            assert_eq!(after, retell(&before, &events));
            assert_eq!(silent, position);
            assert_eq!(Position::from_state(&rules, &after), Ok(position.clone()));
            turns += 1;
        }
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
        let Ok(mut position) = Position::from_state(&rules, &state) else { continue };
        while position.outcome().is_none() {
            let (mut twin, mut same) = (position.clone(), dice.clone());
            assert!(position.random_turn(&mut Joint::new(), &mut dice));
            let orders: Joint<Action> =
                twin.to_act().iter().map(|seat| (seat, Order::Play(twin.random_legal(seat, &mut same)))).collect();
            twin.play(&orders, &mut same.clone()).expect("a legal turn");
            assert_eq!((&twin, &same), (&position, &dice));
            turns += 1;
        }
        assert!(!position.random_turn(&mut Joint::new(), &mut dice), "it is over");
    }
}
