use serde_json::{Value as Json, json};

use super::*;

fn garden(actions: &str) -> DrawnTurn {
    let ruleset =
        json!({ "base": "paint", "turns": 20, "rows": 0, "cols": 0, "map": ["A....", "..#..", ".....", "....B"] });
    let square = |c: char| match c {
        '.' => Json::Null,
        c => json!(c.to_string()),
    };
    let grid: Vec<Vec<Json>> =
        ["AA...", "A.#.B", "..BB.", "...BB"].iter().map(|row| row.chars().map(square).collect()).collect();
    let state = json!({
        "turn": 6, "turns_left": 14, "to_act": ["A", "B"], "grid": grid,
        "players": [{ "seat": "A", "row": 0, "col": 1 }, { "seat": "B", "row": 2, "col": 2 }],
    });
    play(&ruleset, &state, &["greedy", "张三"], actions)
}

#[test]
fn squares_have_small_letters_and_avatars_capitals() {
    check(
        &garden("A: move south; B: shoot west").plain(),
        "
  0 1 2 3 4    paint  ·  turn 7/20
0 a a◦· · ·    aaaaaaaabbbbbbbbbbbbb···················
1 a A ██· b
2 · b╶B b ·       A  greedy ███████░░░ 4
3 · · · b b       B  张三   ██████████ 6
",
    );
}

#[test]
fn a_shot_leaves_a_line_in_any_of_eight_directions() {
    check(
        &garden("A: shoot east; B: shoot north-east").plain(),
        "
  0 1 2 3 4    paint  ·  turn 7/20
0 a A a╴· ·    aaaaaaaabbbbbbbbbbbbb···················
1 a · ██b╱b
2 · · B b ·       A  greedy ███████░░░ 4
3 · · · b b       B  张三   ██████████ 6
",
    );
}

#[test]
fn a_mover_that_had_to_go_back_is_marked() {
    check(
        &garden("A: move south; B: move north-west").plain(),
        "
  0 1 2 3 4    paint  ·  turn 7/20
0 a A~· · ·    aaaaaabbbbbbbbbbb·······················
1 a · ██· b
2 · · B~b ·       A  greedy ██████░░░░ 3
3 · · · b b       B  张三   ██████████ 5
",
    );
}

#[test]
fn many_seats_have_longer_letters_and_every_row_is_still_as_wide() {
    let ruleset =
        Arc::new(Ruleset::from_json(&json!({ "base": "paint", "rows": 6, "cols": 6 })).expect("a good ruleset"));
    let table = Table::open(ruleset.clone(), 36, Seed(1)).expect("room for all");
    let show = Show { ruleset, names: Vec::new(), language: Language::Zh };
    let text = render_ansi(&show.picture(&table.state(), &[]), &AnsiOptions::default());
    check_even(&text);
    assert!(text.contains("0 A  "), "{text}");
    assert!(text.contains("AJ "), "{text}");
}

#[test]
fn a_drawing_of_paint_divides_a_bar_by_the_scores() {
    let svg = render_svg(&garden("A: shoot east; B: shoot north-east").picture());
    check_nested(&svg);
    assert_eq!(svg.matches("class=\"owned f0\"").count(), 4);
    assert_eq!(svg.matches("class=\"beam").count(), 2);
}
