mod forms;
mod naive;

use serde_json::{Value as Json, json};

use super::*;
use crate::games::Seed;
use crate::games::refusal::{Code, Illegal as _};
use crate::games::ruleset::{self, Ruleset};
use crate::games::testing::{self, joint};

const A: Seat = Seat::new(0);
const B: Seat = Seat::new(1);

/// A drawn position, a word a row: `.` empty, `#` a wall, `a` the trail of A, `A` its rider. Then the way that each of the
/// riders faces, in seat order.
fn drawn(board: &str, facing: &[Direction]) -> State {
    let mut riders = Vec::new();
    let mut grid = Vec::new();
    for (row, line) in (0..).zip(board.split_whitespace()) {
        let mut cells = Vec::new();
        for (col, c) in (0..).zip(line.chars()) {
            cells.push(match c {
                '#' => CellContent::Wall,
                'a'..='z' => CellContent::Owned(c.to_string().parse().expect("a seat's letter")),
                _ => CellContent::Empty,
            });
            if let Some(seat) = c.is_ascii_uppercase().then(|| c.to_string().parse().expect("a seat's letter")) {
                riders.push(RiderState { seat, row, col, facing: Up, alive: true, place: None });
            }
        }
        grid.push(cells);
    }
    riders.sort_unstable_by_key(|rider| rider.seat);
    for (rider, &facing) in riders.iter_mut().zip(facing) {
        rider.facing = facing;
    }
    let to_act = riders.iter().map(|rider| rider.seat).collect();
    State { ruleset: "trails".into(), turn: 3, to_act, outcome: None, turns_left: 10, grid, riders }
}

fn redrawn(position: &Position) -> String {
    let state = position.state("trails");
    let riding = || state.riders.iter().filter(|rider| rider.alive);
    for rider in riding() {
        let cell = state.grid[usize::from(rider.row)][usize::from(rider.col)];
        assert_eq!(cell, CellContent::Empty, "the cell of a living rider is empty");
    }
    testing::redrawn(&state.grid, riding().map(|rider| (rider.seat, rider.row, rider.col)))
}

fn rules(ruleset: &Json) -> Rules {
    let ruleset::Rules::Trails(rules) = Ruleset::from_json(ruleset).expect("a ruleset").rules else {
        panic!("{ruleset} is a ruleset of another game");
    };
    rules
}

fn set_up(state: &State) -> Position {
    Position::from_state(&rules(&json!("trails")), state).expect("a position")
}

fn dice() -> Dice {
    Seed(1).dice()
}

fn play(position: &mut Position, orders: &str) -> Vec<Event> {
    position.play(&joint(position, orders), &mut dice()).expect("a legal turn")
}

/// Plays a turn from a drawn position; gives the board after it.
fn after(board: &str, facing: &[Direction], orders: &str) -> String {
    let mut position = set_up(&drawn(board, facing));
    play(&mut position, orders);
    redrawn(&position)
}

use Direction::{Down, Left, Right, Up};

#[test]
fn riders_start_one_cell_in_from_the_middle_of_their_side_facing_inward() {
    let open = |ruleset: &Json, seats| Position::open(&rules(ruleset), seats, &mut dice()).expect("so many can play");
    let small = json!({"base": "trails", "rows": 5, "cols": 6});
    assert_eq!(redrawn(&open(&small, 2)), "...... ...A.. ...... ...B.. ......");
    let four = open(&small, 4);
    assert_eq!(redrawn(&four), "...... ...A.. .C..D. ...B.. ......");
    assert_eq!([0, 1, 2, 3].map(|seat| four.facing(Seat::new(seat))), [Down, Up, Right, Left]);
    let usual = open(&json!("trails"), 4);
    let at = [0, 1, 2, 3].map(|seat| <(u8, u8)>::from(usual.at(Seat::new(seat))));
    assert_eq!(at, [(1, 6), (11, 6), (6, 1), (6, 11)]);
    for seats in [0, 1, 5] {
        assert!(Position::open(&rules(&small), seats, &mut dice()).is_err(), "{seats}");
    }
}

#[test]
fn a_rider_leaves_its_trail_and_faces_the_way_it_went() {
    let mut position = set_up(&drawn("..... .A... ..... ...B. .....", &[Down, Up]));
    play(&mut position, "A right, B pass");
    assert_eq!(redrawn(&position), "..... .aA.. ...B. ...b. .....");
    assert_eq!((position.facing(A), position.facing(B)), (Right, Up));
    play(&mut position, "A up, B right");
    assert_eq!(redrawn(&position), "..A.. .aa.. ...bB ...b. .....");
    assert_eq!((position.turn(), position.turns_left()), (5, 8));
}

#[test]
fn every_direction_leads_where_its_name_says() {
    let board = "....B ..... ..A.. ..... .....";
    for (facing, way, moved) in [
        (Up, "up", "....B ..A.. ..a.. ..... ....."),
        (Down, "down", "....B ..... ..a.. ..A.. ....."),
        (Left, "left", "....B ..... .Aa.. ..... ....."),
        (Right, "right", "....B ..... ..aA. ..... ....."),
    ] {
        let moved = moved.replacen("....B", "...Bb", 1);
        assert_eq!(after(board, &[facing, Left], &format!("A {way}, B left")), moved, "{way}");
    }
}

#[test]
fn only_straight_back_is_illegal_however_deadly_the_rest() {
    let corner = set_up(&drawn("A#... aa... ..... ..... ....B", &[Up, Up]));
    for (facing, legal, back) in [
        (Up, ["move up", "move left", "move right"], "move down"),
        (Down, ["move down", "move left", "move right"], "move up"),
        (Left, ["move up", "move down", "move left"], "move right"),
        (Right, ["move up", "move down", "move right"], "move left"),
    ] {
        let mut position = corner.clone();
        position.riders[0].facing = facing;
        assert_eq!(position.legal(A).iter().map(ToString::to_string).collect::<Vec<_>>(), legal);
        let illegal = position.check(A, &back.parse().expect("an action")).expect_err("it is illegal");
        assert_eq!(illegal.code(), Code::MoveStraightBack);
        let told = format!("`{back}`: you face {facing} and cannot turn straight back; go on or to a side");
        assert_eq!(illegal.to_string(), told);
    }
}

/// What A runs into in a turn.
#[track_caller]
fn crash(board: &str, facing: &[Direction], orders: &str) -> Obstacle {
    let mut position = set_up(&drawn(board, facing));
    let at = position.at(A);
    let into = play(&mut position, orders).into_iter().find_map(|event| match event {
        Event::Crashed { seat: A, into, .. } => Some(into),
        _ => None,
    });
    assert!(!position.rides(A));
    assert_eq!(position.at(A), at, "it stays where it was");
    assert_eq!(position.content(at), CellContent::Owned(A), "on its trail");
    into.expect("A crashes")
}

#[test]
fn the_edge_walls_and_trails_are_deadly() {
    let far = "..... ..... ..... ....B .....";
    for (cell, way, facing) in
        [((0, 2), "up", Up), ((4, 2), "down", Down), ((2, 0), "left", Left), ((2, 4), "right", Right)]
    {
        let mut rows: Vec<String> = far.split(' ').map(ToOwned::to_owned).collect();
        rows[cell.0].replace_range(cell.1..=cell.1, "A");
        assert_eq!(crash(&rows.join(" "), &[facing, Up], &format!("A {way}, B left")), Obstacle::Edge, "{way}");
    }
    assert_eq!(crash("..... .A#.. ..... ..... ....B", &[Right, Up], "A right"), Obstacle::Wall);
    assert_eq!(crash("..... .Aa.. ..... ..... ....B", &[Right, Up], "A right"), Obstacle::Trail { of: A });
    assert_eq!(crash("..... .Ab.. ..... ..... ....B", &[Right, Up], "A right"), Obstacle::Trail { of: B });
}

#[test]
fn the_cell_that_somebody_is_leaving_is_closed_already() {
    let board = "..... aAB.. ..... ..... .....";
    assert_eq!(crash(board, &[Right, Down], "A right, B down"), Obstacle::Trail { of: B });
    assert_eq!(after(board, &[Right, Down], "A right, B down"), "..... aab.. ..B.. ..... .....");
}

#[test]
fn two_that_would_swap_cells_both_crash() {
    let mut position = set_up(&drawn("..... aABb. ..... ..... .....", &[Right, Left]));
    play(&mut position, "A right, B left");
    assert_eq!(redrawn(&position), "..... aabb. ..... ..... .....");
    assert_eq!(position.outcome().map(|outcome| outcome.reason), Some(Reason::AllDead));
}

#[test]
fn riders_with_the_same_target_all_crash() {
    let both = Obstacle::Riders { seats: Seats::one(B) };
    assert_eq!(crash("..... .A.B. ..... ..... .....", &[Right, Left], "A right, B left"), both);
    let mut position = set_up(&drawn("...C. .A.B. ..... ..... D....", &[Right, Left, Left, Up]));
    let events = play(&mut position, "A right, B left, C left, D up");
    assert_eq!(redrawn(&position), "..Cc. .a.b. ..... D.... d....", "C is beside it, not on it");
    assert_eq!(events.iter().filter(|event| matches!(event, Event::Crashed { .. })).count(), 2);
    let mut position = set_up(&drawn("..C.. .A.B. ..... ..... D....", &[Right, Left, Down, Up]));
    let events = play(&mut position, "A right, B left, C down, D up");
    assert_eq!(redrawn(&position), "..c.. .a.b. ..... D.... d....");
    let seats: Seats = [B, Seat::new(2)].into_iter().collect();
    assert!(events.iter().any(
        |event| matches!(event, Event::Crashed { seat: A, into: Obstacle::Riders { seats: met }, .. } if *met == seats)
    ));
}

#[test]
fn who_forfeits_has_no_target_but_leaves_its_cell_as_a_trail() {
    // B would have met A; now A has the cell for itself.
    assert_eq!(
        after("..... .A.B. ..... ..... C....", &[Right, Left, Right], "A right, B forfeit"),
        "..... .aAb. ..... ..... cC..."
    );
    // And A runs into who forfeits beside it.
    assert_eq!(
        after("..... .AB.. ..... ..... C....", &[Right, Left, Right], "A right, B forfeit"),
        "..... .ab.. ..... ..... cC..."
    );
}

#[test]
fn who_passes_goes_straight_on_also_to_its_end() {
    assert_eq!(after("..... .A... ..... ..... ...B.", &[Right, Left], ""), "..... .aA.. ..... ..... ..Bb.");
    assert_eq!(crash("A.... ..... ..... ..... ...B.", &[Up, Left], ""), Obstacle::Edge);
}

#[test]
fn a_crashed_rider_stays_where_it_was_facing_as_it_did() {
    let mut position = set_up(&drawn("A.... ..... ..... ..... ...B.", &[Up, Left]));
    play(&mut position, "A left, B left");
    assert_eq!((position.facing(A), <(u8, u8)>::from(position.at(A))), (Up, (0, 0)));
}

fn places(position: &Position) -> (Reason, Vec<u32>) {
    let outcome = position.outcome().expect("it is over");
    (outcome.reason, outcome.places.into_values().collect())
}

#[test]
fn the_last_one_riding_wins_and_later_falls_rank_above_earlier_ones() {
    let mut position = set_up(&drawn("A...B ..... ..... ..... C...D", &[Up, Up, Down, Down]));
    play(&mut position, "A up, B left, C right, D left");
    assert_eq!(position.placed(A), Some(4));
    assert_eq!(position.to_act().to_string(), "B, C, D");
    play(&mut position, "B up, C down, D left");
    assert_eq!(position.placed(B), Some(2), "two share it");
    assert_eq!(places(&position), (Reason::LastAlive, vec![4, 2, 2, 1]));
    assert!(position.to_act().is_empty());
    assert!(position.play(&Joint::new(), &mut dice()).is_err());
}

#[test]
fn when_the_last_crash_together_nobody_is_left() {
    let mut position = set_up(&drawn("A.... ..... ..... ..... ....B", &[Up, Down]));
    let events = play(&mut position, "A up, B down");
    assert_eq!(places(&position), (Reason::AllDead, vec![1, 1]));
    assert_eq!(events.last(), Some(&Event::Ended { outcome: position.outcome().expect("it is over") }));
}

#[test]
fn who_forfeits_ranks_below_those_who_crash_in_the_same_turn() {
    let board = "A...B ..... ..... ..... C...D";
    let end = |orders: &str| {
        let mut position = set_up(&drawn(board, &[Up, Up, Down, Down]));
        play(&mut position, orders);
        places(&position)
    };
    assert_eq!(end("A forfeit, B up, C forfeit, D left"), (Reason::LastAlive, vec![3, 2, 3, 1]));
    assert_eq!(end("A forfeit, B forfeit, C forfeit, D left"), (Reason::Forfeit, vec![2, 2, 2, 1]));
    assert_eq!(end("A forfeit, B forfeit, C forfeit, D down"), (Reason::AllDead, vec![2, 2, 2, 1]));
    assert_eq!(end("A forfeit, B forfeit, C forfeit, D forfeit"), (Reason::Forfeit, vec![1, 1, 1, 1]));
}

#[test]
fn after_the_last_turn_all_who_still_ride_share_the_first_place() {
    let last = |orders: &str| {
        let mut state = drawn("A.... ..... ..C.. ..... ....B", &[Right, Left, Up]);
        state.turns_left = 1;
        let mut position = set_up(&state);
        play(&mut position, orders);
        assert_eq!(position.turns_left(), 0);
        places(&position)
    };
    assert_eq!(last(""), (Reason::TurnLimit, vec![1, 1, 1]));
    assert_eq!(last("C forfeit"), (Reason::TurnLimit, vec![1, 1, 3]));
    // Whoever is alone wins by that, whatever the clock says.
    assert_eq!(last("A up, C forfeit"), (Reason::LastAlive, vec![2, 1, 3]));
    assert_eq!(last("A up, B down, C up"), (Reason::LastAlive, vec![2, 2, 1]));
    assert_eq!(last("A forfeit, C forfeit"), (Reason::Forfeit, vec![2, 1, 2]));
}

#[test]
fn the_fallen_of_a_given_position_share_the_last_place() {
    let mut state = drawn("A...B ..... ..... ..... C...D", &[Up, Up, Down, Down]);
    for rider in &mut state.riders[2..] {
        rider.alive = false;
        state.grid[usize::from(rider.row)][usize::from(rider.col)] = CellContent::Owned(rider.seat);
    }
    state.to_act = Seat::first(2).collect();
    let mut position = set_up(&state);
    play(&mut position, "A up, B left");
    assert_eq!(places(&position), (Reason::LastAlive, vec![2, 1, 3, 3]));
    state.riders[3].place = Some(3);
    let mut position = set_up(&state);
    play(&mut position, "A up, B left");
    assert_eq!(places(&position), (Reason::LastAlive, vec![2, 1, 4, 3]));
}

#[test]
fn territory_is_what_a_rider_reaches_first() {
    let territory = |board: &str| set_up(&drawn(board, &[Down, Down])).territory();
    // The middle column is both's, and so nobody's.
    assert_eq!(territory("A...B ..... ..... ..... .....")[..2], [9, 9]);
    assert_eq!(territory("A#..B .#... .#... .#... .#...")[..2], [4, 14]);
    let position = set_up(&drawn("A.B.. ##### ..... ..... .....", &[Right, Left]));
    assert_eq!(position.territory()[..2], [0, 2]);
    assert_eq!(position.territory_after(1, Right)[..2], [1, 2]);
    assert_eq!(position.territory_after(0, Down)[0], 0, "a wall is there");
}
