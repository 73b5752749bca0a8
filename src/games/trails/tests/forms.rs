//! Notation, JSON forms, positions set up by hand, rulesets.

use super::*;
use crate::games::Table;

#[test]
fn events_have_the_forms_that_others_rely_on() {
    let mut state = drawn("A.... .#... .B.C. ..... ....D", &[Up, Up, Left, Left]);
    state.turns_left = 2;
    let mut position = set_up(&state);
    let events = play(&mut position, "A up, B up, C pass, D forfeit");
    assert_eq!(
        serde_json::to_value(events).expect("events serialise"),
        json!([
            {"type": "passed", "seat": "C"},
            {"type": "forfeited", "seat": "D"},
            {"type": "crashed", "seat": "A", "at": [0, 0], "direction": "up", "into": {"kind": "edge"}},
            {"type": "crashed", "seat": "B", "at": [2, 1], "direction": "up", "into": {"kind": "wall"}},
            {"type": "moved", "seat": "C", "from": [2, 3], "to": [2, 2]},
            {"type": "eliminated", "seat": "A", "place": 2},
            {"type": "eliminated", "seat": "B", "place": 2},
            {"type": "eliminated", "seat": "D", "place": 4},
            {"type": "ended", "outcome": {"places": {"A": 2, "B": 2, "C": 1, "D": 4}, "reason": "last_alive"}},
        ])
    );
    let mut position = set_up(&drawn("..... .A.B. ..... C..c. .....", &[Right, Left, Right]));
    let events = play(&mut position, "A right, B left, C pass");
    let into = |seat: &str| {
        let events = serde_json::to_value(&events).expect("events serialise");
        let mut crashes = events.as_array().expect("a list").iter().filter(|event| event["seat"] == seat);
        crashes.next().expect("something happens to it")["into"].clone()
    };
    assert_eq!(into("A"), json!({"kind": "riders", "seats": ["B"]}));
    let mut position = set_up(&drawn("..... .Ab.. ..... ..... ...B.", &[Right, Left]));
    let events = play(&mut position, "A right, B left");
    assert_eq!(serde_json::to_value(&events[0]).expect("it serialises")["into"], json!({"kind": "trail", "of": "B"}));
}

#[test]
fn the_first_position_has_the_form_of_the_contract() {
    let walled = json!({"base": "trails", "map": ["#....", ".....", ".....", ".....", "....."]});
    let position = Position::open(&rules(&walled), 2, &mut dice());
    let empty = [Json::Null, Json::Null, Json::Null, Json::Null, Json::Null];
    assert_eq!(
        serde_json::to_value(position.expect("two can play").state("trails")).expect("a state serialises"),
        json!({
            "ruleset": "trails",
            "turn": 0,
            "turns_left": 25,
            "to_act": ["A", "B"],
            "outcome": null,
            "grid": [["#", null, null, null, null], empty, empty, empty, empty],
            "riders": [
                {"seat": "A", "row": 1, "col": 2, "facing": "down", "alive": true, "place": null},
                {"seat": "B", "row": 3, "col": 2, "facing": "up", "alive": true, "place": null},
            ],
        })
    );
}

#[test]
fn a_trail_is_its_seat_in_the_grid_and_so_is_the_cell_of_the_fallen() {
    let mut position = set_up(&drawn("A.... ..... ..... ..... ...B.", &[Up, Left]));
    play(&mut position, "A up, B left");
    let state = serde_json::to_value(position.state("trails")).expect("a state serialises");
    assert_eq!(state["grid"][0], json!(["A", null, null, null, null]));
    assert_eq!(state["grid"][4], json!([null, null, null, "B", null]));
    assert_eq!(
        state["riders"],
        json!([
            {"seat": "A", "row": 0, "col": 0, "facing": "up", "alive": false, "place": 2},
            {"seat": "B", "row": 4, "col": 2, "facing": "left", "alive": true, "place": 1},
        ])
    );
}

#[test]
fn actions_read_back_from_text_and_json() {
    for direction in Direction::ALL {
        let action = Action::Move { direction };
        assert_eq!(action.to_string(), format!("move {direction}"));
        assert_eq!(action.to_string().parse(), Ok(action));
        let json = serde_json::to_value(action).expect("an action serialises");
        assert_eq!(json, json!({"action": "move", "direction": direction.to_string()}));
        assert_eq!(serde_json::from_value::<Action>(json).expect("and back"), action);
    }
}

#[test]
fn reading_is_forgiving() {
    for (text, notation) in [
        ("MOVE  Up.", "move up"),
        ("m l", "move left"),
        ("right", "move right"),
        ("go down", "move down"),
        ("向上移动", "move up"),
        ("往左边走", "move left"),
        ("右", "move right"),
    ] {
        assert_eq!(text.parse::<Action>().map(|action| action.to_string()), Ok(notation.to_owned()), "{text}");
    }
    for text in ["", "move", "move north", "move up left", "shoot up", "stay", "speak hi", "pass", "forfeit"] {
        assert!(text.parse::<Action>().is_err(), "{text}");
    }
    let spoken = "speak hi".parse::<Action>().expect_err("no action").to_string();
    assert!(spoken.contains("speaking is no action"), "{spoken}");
}

/// The sentences about a state in which one value is another.
fn problems(pointer: &str, value: Json) -> Vec<String> {
    let mut state = drawn("A#... aa... ..... c.... C...B", &[Up, Left, Down]);
    state.riders[2].alive = false;
    state.riders[2].place = Some(3);
    state.grid[4][0] = CellContent::Owned(Seat::new(2));
    state.to_act = Seat::first(2).collect();
    testing::problems::<Position>(&rules(&json!("trails")), &state, pointer, value)
}

#[test]
fn a_position_that_cannot_be_is_refused_with_the_reason() {
    let places = json!({"A": 1, "B": 2, "C": 3});
    for (pointer, value, expected) in [
        ("/grid", json!([]), "5 to 64 rows and columns"),
        ("/grid", json!(vec![vec![Json::Null; 4]; 5]), "5 to 64 rows and columns"),
        ("/grid", json!(vec![vec![Json::Null; 65]; 5]), "5 to 64 rows and columns"),
        ("/grid/1", json!([null]), "row 1 of `grid` has 1 cells, row 0 has 5"),
        ("/grid/0/3", json!("?"), r##"null, "#" or a seat, not "?""##),
        ("/grid/0/3", json!("D"), "cell (0, 3) has the trail of D"),
        ("/riders/1/seat", json!("A"), "each of the first 3 seats once, not A at 1"),
        ("/riders/1/seat", json!("D"), "each of the first 3 seats once, not D at 1"),
        ("/riders/1/row", json!(5), "B is at (5, 4), off the board"),
        ("/riders/2/col", json!(5), "C is at (4, 5), off the board"),
        ("/riders/0/col", json!(1), "A rides on (0, 1), where a wall is"),
        ("/riders/0/row", json!(1), "A rides on (1, 0), where the trail of A is"),
        ("/riders/2/alive", json!(true), "C rides on (4, 0), where the trail of C is"),
        ("/riders/1/alive", json!(false), "with fewer than two riding the match is over"),
        ("/riders/1/place", json!(1), "B has a place and still plays"),
        ("/riders/2/place", json!(2), "C is out on place 2, but the 2 who still play rank above it"),
        ("/riders/2/place", json!(4), "the place of C must be from 1 to 3"),
        ("/riders/2/place", json!(0), "the place of C must be from 1 to 3"),
        ("/turn", json!(2_000_000_000), "must be at most"),
        ("/turns_left", json!(2_000_000_000), "must be at most"),
        ("/turns_left", json!(0), "with `turns_left` 0 the match is over"),
        ("/to_act", json!(["A"]), "`to_act` must name exactly those who ride"),
        ("/to_act", json!([]), "`to_act` must name exactly those who ride"),
        ("/outcome", json!({"places": places, "reason": "turn_limit"}), "2 still ride and 10 turns are left"),
        ("/outcome", json!({"places": places, "reason": "turn_limit"}), "`to_act` must be empty"),
        (
            "/outcome",
            json!({"places": places, "reason": "turn_limit"}),
            "everybody in `riders` has the place that it says",
        ),
    ] {
        let problems = problems(pointer, value.clone());
        assert!(problems.iter().any(|problem| problem.contains(expected)), "{pointer} {value}: {problems:?}");
    }
    assert!(problems("/riders", json!([])).iter().any(|problem| problem.contains("has 0 entries")));
    assert_eq!(problems("/riders/2/place", Json::Null), Vec::<String>::new(), "the fallen need no place");
    let mut same = drawn("A.... ..... ..... ..... ....B", &[Up, Up]);
    (same.riders[1].row, same.riders[1].col) = (0, 0);
    let bad = Position::from_state(&rules(&json!("trails")), &same).expect_err("they share a cell");
    assert_eq!(bad.to_string(), "A and B are on the same cell (0, 0)");
}

#[test]
fn a_position_that_is_over_can_be_given() {
    let mut state = drawn("A.... ..... ..... ..... ....B", &[Right, Left]);
    (state.turns_left, state.to_act) = (0, Seats::none());
    for rider in &mut state.riders {
        rider.place = Some(1);
    }
    state.outcome = Some(Outcome { places: [(A, 1), (B, 1)].into(), reason: Reason::TurnLimit });
    assert_eq!(set_up(&state).state("trails"), state);
}

#[test]
fn a_ruleset_that_cannot_be_played_is_refused_with_the_reason() {
    let wall = |row: usize, col: usize| {
        let mut rows = vec![".......".to_owned(); 7];
        rows[row].replace_range(col..=col, "#");
        json!({ "map": rows })
    };
    for (over, expected) in [
        (json!({"speech": "turn"}), "speaking is no action of this game"),
        (json!({"max_turns": -1}), "`max_turns` must be a whole number from 0 to 100000"),
        (json!({"rows": 4}), "the board is 4 × 13; this game needs 5 to 64 rows and as many columns"),
        (json!({"rows": 65}), "`rows` must be a whole number from 0 to 64"),
        (json!({"map": ["....", "....", "....", "....", "...."]}), "the board is 5 × 4"),
        (json!({"players": {"max": 5}}), "places for 4 only"),
        (wall(1, 3), "2:4: a wall on (1, 3), where A starts"),
        (wall(5, 3), "6:4: a wall on (5, 3), where B starts"),
        (wall(3, 1), "4:2: a wall on (3, 1), where C starts"),
        (wall(3, 5), "4:6: a wall on (3, 5), where D starts"),
        (json!({"map": ["A....", ".....", ".....", ".....", "....."]}), "`A` is no cell of this game's maps"),
    ] {
        let mut ruleset = over;
        ruleset["base"] = json!("trails");
        let bad = Ruleset::from_json(&ruleset).expect_err("it cannot be played").to_string();
        assert!(bad.contains(expected), "{ruleset}: {bad}");
    }
}

#[test]
fn without_a_limit_of_its_own_a_match_has_as_many_turns_as_the_board_has_cells() {
    for (over, turns) in [
        (json!({}), 169),
        (json!({"rows": 5, "cols": 64}), 320),
        (json!({"map": "pinwheel"}), 169),
        (json!({"max_turns": 7}), 7),
    ] {
        let mut ruleset = over;
        ruleset["base"] = json!("trails");
        let written = serde_json::to_value(Ruleset::from_json(&ruleset).expect("a ruleset")).expect("it serialises");
        assert_eq!(written["max_turns"], turns, "{ruleset}: a record says it");
        assert_eq!(
            serde_json::to_value(Ruleset::from_json(&written).expect("and back")).expect("it serialises"),
            written
        );
    }
}

#[test]
fn the_map_looks_the_same_when_turned_by_a_quarter() {
    let map = rules(&json!({"base": "trails", "map": "pinwheel"})).map;
    assert_eq!((map.rows, map.cols), (13, 13));
    assert!(map.cells.contains(&true));
    for row in 0..13 {
        for col in 0..13 {
            assert_eq!(map.at(row, col), map.at(col, 12 - row), "({row}, {col})");
        }
    }
}

#[test]
fn a_table_plays_what_it_reads() {
    let ruleset = Ruleset::named("trails").expect("it is built in");
    let mut table = Table::open(ruleset.into(), 2, Seed(7)).expect("two can play");
    let left = table.read(r#"{"action": "move", "direction": "left", "reasoning": "why not"}"#).expect("an action");
    let up = table.read("向上移动").expect("an action");
    let orders = [(A, left.0), (B, up.0)];
    let joint = orders.into_iter().map(|(seat, action)| (seat, Order::Play(action))).collect();
    let before = table.hash();
    table.play(&joint, &mut dice()).expect("a legal turn");
    assert_ne!(table.hash(), before);
    let state = serde_json::to_value(table.state()).expect("a state serialises");
    assert_eq!(state["game"], "trails");
    let again = Table::from_state(table.ruleset().clone(), &state).expect("a position");
    assert_eq!((again.hash(), again.position()), (table.hash(), table.position()));
}
