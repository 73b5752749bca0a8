mod forms;
mod naive;

use serde_json::{Value as Json, json};

use super::*;
use crate::games::Seed;
use crate::games::refusal::{Code, Illegal as _};
use crate::games::ruleset::{self, Ruleset};
use crate::games::testing::{self, joint};
use crate::settings::growth::fourfold;

/// A drawn position, a word a row: `.` neutral, `#` an obstacle, `a` painted by A, `A` its avatar on its own colour.
fn drawn(board: &str) -> State {
    let rows: Vec<&str> = board.split_whitespace().collect();
    let mut players = Vec::new();
    let mut grid = Vec::new();
    for (row, line) in (0..).zip(&rows) {
        let mut squares = Vec::new();
        for (col, c) in (0..).zip(line.chars()) {
            squares.push(match c {
                '.' => CellContent::Empty,
                '#' => CellContent::Wall,
                letter => CellContent::Owned(letter.to_string().parse().expect("a seat's letter")),
            });
            if let ('A'..='Z', Some(CellContent::Owned(seat))) = (c, squares.last()) {
                players.push(Player { seat: *seat, row, col, score: 0, forfeited: false, place: None });
            }
        }
        grid.push(squares);
    }
    players.sort_unstable_by_key(|player| player.seat);
    let to_act = players.iter().map(|player| player.seat).collect();
    State { ruleset: "paint".into(), turn: 3, to_act, outcome: None, turns_left: 10, grid, players }
}

fn redrawn(position: &Position) -> String {
    let state = position.state("paint");
    testing::redrawn(&state.grid, state.players.iter().map(|player| (player.seat, player.row, player.col)))
}

fn position(board: &str) -> Position {
    Position::from_state(&rules(&json!("paint")), &drawn(board)).expect("a position")
}

fn rules(ruleset: &Json) -> Rules {
    let ruleset::Rules::Paint(rules) = Ruleset::from_json(ruleset).expect("a ruleset").rules else {
        panic!("{ruleset} is a ruleset of another game");
    };
    rules
}

fn dice() -> Dice {
    Seed(1).dice()
}

fn play(position: &mut Position, orders: &str) -> Vec<Event> {
    position.play(&joint(position, orders), &mut dice()).expect("a legal turn")
}

#[track_caller]
fn check(before: &str, orders: &str, after: &str) {
    let mut position = position(before);
    play(&mut position, orders);
    assert_eq!(redrawn(&position), after, "{before}: {orders}");
}

#[test]
fn a_mover_paints_where_it_comes_to_and_a_stayer_where_it_is() {
    check("A.. ..b ..B", "A move south-east", "a.. .Ab ..B");
    // A hand-made position may have an avatar on a square that is not its own.
    let mut state = drawn("Ab B.");
    state.grid[0][0] = CellContent::Empty;
    let mut position = Position::from_state(&rules(&json!("paint")), &state).expect("a position");
    assert_eq!((position.score(Seat::new(0)), position.score(Seat::new(1))), (0, 2));
    play(&mut position, "A pass, B move north-east");
    assert_eq!(redrawn(&position), "AB b.");
}

#[test]
fn every_direction_leads_where_its_name_says() {
    for (direction, after) in [
        ("north", ".A. .a. ..B"),
        ("north-east", "..A .a. ..B"),
        ("east", "... .aA ..B"),
        ("south", "... .a. .AB"),
        ("south-west", "... .a. A.B"),
        ("west", "... Aa. ..B"),
        ("north-west", "A.. .a. ..B"),
    ] {
        check("... .A. ..B", &format!("A move {direction}"), after);
    }
    check("B.. .A. ...", "A move south-east", "B.. .a. ..A");
}

#[test]
fn avatars_can_swap_and_go_in_circles() {
    check("AB", "A move east, B move west", "BA");
    check("AB C.", "A move east, B move south-west, C move north", "CA B.");
    check("AB DC", "A move east, B move south, C move west, D move north", "DA CB");
}

#[test]
fn movers_who_meet_go_back() {
    check("A.B", "A move east, B move west", "A.B");
    check("A.B .C.", "A move east, B move west, C move north", "A.B .C.");
    check("AB", "A move east, B pass", "AB");
    check("AB.", "A move east, B move east", "aAB");
}

#[test]
fn a_bounce_goes_down_the_whole_chain() {
    check("ABC.D", "A move east, B move east, C move east, D move west", "ABC.D");
    check("ABC.", "A move east, B move east, C pass", "ABC.");
    let row: String = Seat::first(26).map(|seat| seat.to_string()).collect();
    let orders: Vec<String> = Seat::first(25).map(|seat| format!("{seat} move east")).collect();
    check(&row, &orders.join(", "), &row);
    // Those who swap are no chain.
    check("AB. C..", "A move east, B move west, C move east", "BA. cC.");
}

#[test]
fn a_swap_fails_when_somebody_else_comes_to_one_of_its_squares() {
    check("AB. .C.", "A move east, B move west, C move north", "AB. .C.");
}

#[test]
fn a_bump_does_not_undo_a_shot() {
    check("AB..", "A move east, B shoot east", "ABb.");
}

#[test]
fn a_shot_is_as_long_as_the_own_line_behind_it_and_at_least_one() {
    for (before, orders, after) in [
        ("A...B", "A shoot east", "Aa..B"),
        ("aA...B", "A shoot east", "aAa..B"),
        ("aaA..B", "A shoot east", "aaAaaB"),
        ("aaA....B", "A shoot east", "aaAaa..B"),
        ("a.aA...B", "A shoot east", "a.aAa..B"),
        ("a#aA...B", "A shoot east", "a#aAa..B"),
        ("abaA...B", "A shoot east", "abaAa..B"),
        // The line is where it goes on from, not where it shoots.
        ("...Aaa.B", "A shoot west", ".aaAaa.B"),
        ("a.... .a... ..A.. ..... ....B", "A shoot south-east", "a.... .a... ..A.. ...a. ....B"),
        // What others' moves paint this turn breaks the line.
        ("aaA... B.....", "A shoot east, B move north", "BaAa.. b....."),
    ] {
        check(before, orders, after);
    }
}

#[test]
fn ranges_are_counted_before_any_shot_flies() {
    // B's shot paints A's line only after A's range of three is counted.
    check("aaaA... .B.....", "A shoot east, B shoot north", "abaAaaa .B.....");
}

#[test]
fn head_on_shots_leave_the_middle_square_when_an_odd_number_lies_between() {
    check("aaaA...Bbbb", "A shoot east, B shoot west", "aaaAa.bBbbb");
    check("aaaA..Bbbb", "A shoot east, B shoot west", "aaaAabBbbb");
    // What the middle square was before, it still is.
    check("aaAcBbb ...C...", "A shoot east, B shoot west", "aaAcBbb ...C...");
}

#[test]
fn crossing_shots_stop_each_other_only_where_they_come_at_once() {
    check(
        "....b.. ....b.. ....B.. ....... aaA.... .......",
        "A shoot east, B shoot south",
        "....b.. ....b.. ....B.. ....b.. aaAa... .......",
    );
    check(
        "....b.. ....b.. ....b.. ....B.. aaA.... .......",
        "A shoot east, B shoot south",
        "....b.. ....b.. ....b.. ....B.. aaAab.. ....b..",
    );
}

#[test]
fn a_later_shot_paints_where_two_have_met() {
    check("A.B ... .C. .c. .c.", "A shoot east, B shoot west, C shoot north", "AcB .c. .C. .c. .c.");
}

#[test]
fn a_shot_tells_why_it_painted_no_more() {
    let crossing = "....b.. ....b.. ....b.. ....B.. aaA.... .......";
    for (board, orders, range, painted, end) in [
        ("A...B", "A shoot east", 1, 1, ShotEnd::Range),
        ("B..A", "A shoot east", 1, 0, ShotEnd::Edge),
        ("aaA. ...B", "A shoot east", 2, 1, ShotEnd::Edge),
        ("B.A#", "A shoot east", 1, 0, ShotEnd::Obstacle),
        ("AB", "A shoot east", 1, 0, ShotEnd::Avatar),
        ("A.. .B.", "A shoot east, B move north", 1, 0, ShotEnd::Avatar),
        (crossing, "A shoot east, B shoot south", 2, 1, ShotEnd::Paint),
        ("A.B", "A shoot east, B shoot west", 1, 0, ShotEnd::Shot),
        // An avatar stops both before they stop each other.
        ("ACB", "A shoot east, B shoot west", 1, 0, ShotEnd::Avatar),
    ] {
        let mut position = position(board);
        let shot = play(&mut position, orders).into_iter().find_map(|event| match event {
            Event::Shot { seat, range, cells, end, .. } if seat == Seat::new(0) => Some((range, cells.len(), end)),
            _ => None,
        });
        assert_eq!(shot, Some((range, painted, end)), "{board}: {orders}");
    }
}

fn starts(ruleset: &Json, seats: usize) -> Vec<(u8, u8)> {
    rules(ruleset).starts(seats).into_iter().map(<(u8, u8)>::from).collect()
}

#[test]
fn seats_start_as_far_from_each_other_as_can_be() {
    assert_eq!(starts(&json!("paint"), 5), [(0, 0), (9, 9), (0, 9), (9, 0), (4, 4)]);
    let obstacles = json!({"base": "paint", "rows": 0, "cols": 0, "map": ["#..", "..#"]});
    assert_eq!(starts(&obstacles, 4), [(0, 1), (1, 0), (0, 2), (1, 1)]);
}

#[test]
fn the_map_can_say_where_seats_start() {
    let map = json!({"base": "paint", "rows": 0, "cols": 0, "map": ["..B", "...", "A.C"]});
    assert_eq!(starts(&map, 2), [(2, 0), (0, 2)]);
    assert_eq!(starts(&map, 4), [(2, 0), (0, 2), (2, 2), (0, 0)]);
    let position = Position::open(&rules(&map), 2, &mut dice()).expect("two can play");
    assert_eq!(redrawn(&position), "..B ... A..");
}

#[test]
fn a_table_of_the_most_seats_plays() {
    let rules = rules(&json!({"base": "paint", "rows": 64, "cols": 64, "turns": 1}));
    let mut position = Position::open(&rules, Seat::MAX, &mut dice()).expect("a seat for every square");
    assert_eq!(position.to_act().len(), Seat::MAX);
    let orders: Joint<Action> = position
        .to_act()
        .iter()
        .map(|seat| (seat, Order::Play(position.random_legal(seat, &mut Seed(seat.index() as u64).dice()))))
        .collect();
    position.play(&orders, &mut dice()).expect("a legal turn");
    assert!(position.outcome().is_some_and(|outcome| outcome.places.len() == Seat::MAX));
    for seats in [0, 1, Seat::MAX + 1] {
        assert!(Position::open(&rules, seats, &mut dice()).is_err(), "{seats}");
    }
}

#[test]
fn moves_stay_on_the_board_and_off_obstacles_and_shots_go_anywhere() {
    let position = position("A# .B");
    let legal: Vec<String> = position.legal(Seat::new(0)).iter().map(ToString::to_string).collect();
    let shots = Direction::ALL.map(|direction| format!("shoot {direction}"));
    assert_eq!(legal[..2], ["move south-east", "move south"]);
    assert_eq!(legal[2..], shots);
    for (action, code, message) in [
        ("move north", Code::MoveOutOfBounds, "`move north`: that is off the board; move another way, or shoot"),
        ("move east", Code::MoveIntoBlock, "`move east`: an obstacle stands on (0, 1); move another way, or shoot"),
    ] {
        let illegal = position.check(Seat::new(0), &action.parse().expect("an action")).expect_err("it is illegal");
        assert_eq!((illegal.code(), illegal.to_string().as_str()), (code, message));
    }
}

#[test]
fn after_the_last_turn_squares_are_counted_and_equal_scores_share_a_place() {
    let mut state = drawn("aA.Bb ccC.D");
    state.turns_left = 1;
    let mut position = Position::from_state(&rules(&json!("paint")), &state).expect("a position");
    play(&mut position, "");
    assert_eq!(redrawn(&position), "aA.Bb ccC.D");
    assert!(position.to_act().is_empty());
    let outcome = position.outcome().expect("it is over");
    assert_eq!(outcome.reason, Reason::TurnLimit);
    assert_eq!(outcome.places.into_values().collect::<Vec<_>>(), [2, 2, 1, 4]);
    assert!(position.play(&Joint::new(), &mut dice()).is_err());
}

#[test]
fn whoever_forfeits_acts_no_more_and_ranks_below_the_others() {
    let mut position = position("aaaA.. B....C cccD..");
    play(&mut position, "A forfeit, B shoot north");
    assert_eq!(position.to_act().to_string(), "B, C, D");
    assert!(position.forfeited(Seat::new(0)));
    // Its avatar stays in the way.
    play(&mut position, "B move north, C pass, D forfeit");
    play(&mut position, "B move east");
    assert_eq!(redrawn(&position), "bBaA.. b....C cccD..");
    let events = play(&mut position, "C forfeit");
    let outcome = position.outcome().expect("only B is left");
    assert_eq!(events.last(), Some(&Event::Ended { outcome: outcome.clone() }));
    assert_eq!(outcome.reason, Reason::Forfeit);
    assert_eq!(outcome.places.into_values().collect::<Vec<_>>(), [3, 1, 2, 4]);
}

#[test]
fn when_all_forfeit_at_once_scores_rank_them() {
    let mut position = position("aA.B..C");
    play(&mut position, "A forfeit, B forfeit, C forfeit");
    let outcome = position.outcome().expect("nobody is left");
    assert_eq!(outcome.reason, Reason::Forfeit);
    assert_eq!(outcome.places.into_values().collect::<Vec<_>>(), [1, 2, 2]);
}

#[test]
fn where_two_shots_meet_on_fresh_paint_it_is_the_paint_that_stops_them() {
    let mut position = position("....A.... bbB...Ccc");
    let events = play(&mut position, "A shoot south, B shoot east, C shoot west");
    let ends: Vec<(usize, ShotEnd)> = events
        .iter()
        .map(|event| match event {
            Event::Shot { cells, end, .. } => (cells.len(), *end),
            other => panic!("{other:?} is no shot"),
        })
        .collect();
    assert_eq!(ends, [(1, ShotEnd::Range), (1, ShotEnd::Paint), (1, ShotEnd::Paint)]);
    assert_eq!(redrawn(&position), "....A.... bbBbacCcc");
}

/// A full board whose seats stand one behind the other on a path through all of it, row by row, back and forth. Each
/// wants to go where the next one stands; the last stays.
fn queue(side: u8) -> (Position, Joint<Action>) {
    let square = |at: usize| {
        let side = usize::from(side);
        let (row, col) = (at / side, at % side);
        (row, if row % 2 == 0 { col } else { side - 1 - col })
    };
    let count = usize::from(side) * usize::from(side);
    let mut state = drawn("A B");
    state.grid = vec![vec![CellContent::Empty; side.into()]; side.into()];
    state.to_act = Seat::first(count).collect();
    let player = |seat: Seat| {
        let (row, col) = square(seat.index());
        let narrow = |at| u8::try_from(at).expect("a small board");
        Player { seat, row: narrow(row), col: narrow(col), score: 0, forfeited: false, place: None }
    };
    state.players = Seat::first(count).map(player).collect();
    let order = |seat: Seat| {
        let ((row, col), (next_row, next_col)) = (square(seat.index()), square(seat.index() + 1));
        let direction = match (next_row > row, next_col > col) {
            (true, _) => Direction::South,
            (false, true) => Direction::East,
            (false, false) => Direction::West,
        };
        let last = seat.index() + 1 == count;
        (seat, if last { Order::Pass } else { Order::Play(Action::Move { direction }) })
    };
    let position = Position::from_state(&rules(&json!("paint")), &state).expect("a position");
    (position, Seat::first(count).map(order).collect())
}

#[test]
fn one_who_stays_holds_up_a_whole_queue() {
    let (mut position, joint) = queue(8);
    let events = position.play(&joint, &mut dice()).expect("a legal turn");
    assert_eq!(events.iter().filter(|event| matches!(event, Event::Bumped { .. })).count(), 63);
    assert!(Seat::first(64).all(|seat| position.score(seat) == 1));
}

#[test]
fn a_turn_of_many_seats_takes_linear_time() {
    // A board of twice the side has four times the seats.
    let boards = [16, 32].map(queue);
    let growth = fourfold(1, |size| {
        let (position, joint) = &boards[usize::from(size > 1)];
        let mut position = position.clone();
        assert!(Seat::first(position.seats()).all(|seat| position.must_act(seat)));
        position.play(joint, &mut dice()).expect("a legal turn");
    });
    assert!(growth < 9.0, "four times as many seats take {growth:.1} times as long");
}
