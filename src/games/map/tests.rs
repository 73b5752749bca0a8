//! Maps: those that are built in are fair, and what is wrong with one is named with its line and column.

use std::collections::BTreeSet;

use serde_json::json;

use crate::games::{Ruleset, cowboy, library, ruleset};
use crate::settings::fields::Fields;
use crate::settings::growth::fourfold;

/// A map file of these lines is refused with exactly these problems, a line each; or with none.
#[track_caller]
fn check(map: &str, expected: &[&str]) {
    let mut over = Fields::none("own.toml");
    over.set("map", "own.txt");
    let loaded = Ruleset::load("cowboy", over, &|_| Ok(map.to_owned()));
    let problems = loaded.err().map_or(String::new(), |bad| bad.to_string());
    assert_eq!(problems, expected.join("\n"), "for this map:\n{map}");
}

/// The cells of a built-in map, as they are drawn. One start is as good as another.
fn drawn(name: &str) -> Vec<Vec<char>> {
    let text = library::map(name).expect("it is built in");
    let cell = |c: char| if c.is_ascii_uppercase() { 'A' } else { c };
    text.lines().filter(|line| !line.starts_with(';')).map(|line| line.chars().map(cell).collect()).collect()
}

/// The cells of a Cowboy map, one list a row.
fn cells(map: &serde_json::Value) -> Vec<Vec<i16>> {
    let ruleset = Ruleset::from_json(&json!({ "base": "cowboy", "map": map })).expect("it can be played");
    match ruleset.rules {
        ruleset::Rules::Cowboy(cowboy::Rules { map, .. }) => map.cells.chunks(map.cols).map(<[i16]>::to_vec).collect(),
        other => unreachable!("these are rules of another game: {other:?}"),
    }
}

#[test]
fn a_map_that_is_not_square_and_has_comments_and_blank_lines_below_is_fine() {
    check("; a field\n.....\n.....\n; with a comment\n.....\n\n\n", &[]);
    check(". 12 . .\r\n. . . -1\r\n. . . .\r\n", &[]);
}

#[test]
fn a_cell_may_be_written_in_several_ways() {
    assert_eq!(cells(&json!(["..9", "...", "#.."])), [[0, 0, 9], [0, 0, 0], [-1, 0, 0]]);
    assert_eq!(cells(&json!(["0 _ 32767", ". . .", "-1\t.  #"])), [[0, 0, 32767], [0, 0, 0], [-1, 0, -1]]);
}

#[test]
fn what_is_wrong_with_a_map_is_named_with_its_line_and_column() {
    let legend = cowboy::Rules::LEGEND;
    check(
        "...\n....\n..\n...",
        &[
            "own.txt:2:4: this row has 4 cells, the first one has 3",
            "own.txt:3:2: this row has 2 cells, the first one has 3",
        ],
    );
    check(
        "; comment\n..x\n.?.\n...",
        &[
            &format!("own.txt:2:3: `x` is no cell of this game's maps; {legend}"),
            &format!("own.txt:3:2: `?` is no cell of this game's maps; {legend}"),
        ],
    );
    check(
        ". . .\n. 32768 .\n.  -2 .",
        &[
            &format!("own.txt:2:3: `32768` is no cell of this game's maps; {legend}"),
            &format!("own.txt:3:4: `-2` is no cell of this game's maps; {legend}"),
        ],
    );
    check("", &["map=own.txt: the map has no cells"]);
    check("; nothing\n\n", &["map=own.txt: the map has no cells"]);
    check(&".\n".repeat(65), &["own.txt:1:1: the map is larger than 64 × 64"]);
    check(&".".repeat(65), &["own.txt:1:1: the map is larger than 64 × 64"]);
    check(&format!("...\n{}", "? ".repeat(65)), &["own.txt:1:1: the map is larger than 64 × 64"]);
}

#[test]
fn a_row_that_is_far_too_long_is_refused_at_once() {
    for cell in ["?", "? ", "x\u{3000}"] {
        let growth =
            fourfold(20_000, |cells| check(&cell.repeat(cells), &["own.txt:1:1: the map is larger than 64 × 64"]));
        assert!(growth < 9.0, "four times as long a row of `{cell}` takes {growth:.1} times as long");
    }
}

#[test]
fn a_start_inside_a_wall_is_named_with_its_line_and_column() {
    let none = "side: from its centre straight inward there is no empty cell that is free";
    check("; comment\n..#..\n.....\n.....\n.....\n..#..", &[]);
    check("; comment\n.#.\n...\n.#.", &[&format!("own.txt:4:2: no start on the down {none}")]);
    check("; comment\n.#.\n.#.\n.#.", &[&format!("own.txt:2:2: no start on the up {none}")]);
    check("...\n###\n...", &[&format!("own.txt:2:1: no start on the left {none}")]);
}

#[test]
fn a_map_within_a_ruleset_file_is_named_with_the_place_there() {
    let own = "base = \"cowboy\"\nmap = [\n  \"...\",\n  \"..x\",\n  \"..\",\n]\n";
    let refused = Ruleset::load("own.toml", Fields::none(""), &|_| Ok(own.to_owned())).expect_err("it is spoiled");
    let places: Vec<String> = refused.problems.iter().map(|problem| problem.place.to_string()).collect();
    assert_eq!(places, ["own.toml:4:6", "own.toml:5:5"]);
}

#[test]
fn every_built_in_map_looks_the_same_when_turned_by_a_quarter() {
    for name in library::maps() {
        let map = drawn(name);
        let side = map.len();
        assert!(map.iter().all(|row| row.len() == side), "{name} is square");
        for (row, line) in map.iter().enumerate() {
            for (col, cell) in line.iter().enumerate() {
                assert_eq!(*cell, map[col][side - 1 - row], "{name} at ({row}, {col})");
            }
        }
    }
}

#[test]
fn from_every_start_all_empty_cells_of_the_built_in_maps_can_be_reached() {
    for name in library::maps() {
        let map = drawn(name);
        let cell = |(row, col): (usize, usize)| map.get(row).and_then(|row: &Vec<char>| row.get(col));
        let open = |&at: &(usize, usize)| matches!(cell(at), Some('.' | 'A'));
        let all: BTreeSet<(usize, usize)> =
            (0..map.len()).flat_map(|row| (0..map[row].len()).map(move |col| (row, col))).filter(open).collect();
        // What is reached from one empty cell is reached from each of them, the starts among them.
        let mut reached: BTreeSet<(usize, usize)> = all.first().copied().into_iter().collect();
        let mut edge: Vec<(usize, usize)> = reached.iter().copied().collect();
        while let Some((row, col)) = edge.pop() {
            let around = [(row.wrapping_sub(1), col), (row + 1, col), (row, col.wrapping_sub(1)), (row, col + 1)];
            edge.extend(around.into_iter().filter(open).filter(|&next| reached.insert(next)));
        }
        assert_eq!(reached, all, "{name}");
    }
}
