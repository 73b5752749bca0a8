use serde_json::json;

use super::*;

const NAMES: [&str; 4] = ["greedy", "张三", "search", "random"];

fn small_duel(to_act: &str, actions: &str) -> DrawnTurn {
    let ruleset = json!({
        "base": "cowboy", "hp": 5, "sides": ["up", "left", "down"],
        "map": ["#######", "#..2..#", "#.....#", "#.1...#", "#######"],
    });
    let grid = json!([
        [-1, -1, -1, -1, -1, -1, -1],
        [-1, 0, 0, 2, 0, 0, -1],
        [-1, 0, 0, 0, 0, 0, -1],
        [-1, 0, 1, 0, 0, 0, -1],
        [-1, -1, -1, -1, -1, -1, -1],
    ]);
    let state = json!({
        "turn": 9, "round": 4, "to_act": [to_act], "grid": grid,
        "players": [
            { "seat": "A", "row": 3, "col": 3, "hp": 4, "shield": "right", "alive": true, "kills": 0 },
            { "seat": "B", "row": 2, "col": 5, "hp": 1, "shield": "up", "alive": true, "kills": 1 },
            { "seat": "C", "row": 2, "col": 1, "hp": 5, "shield": "right", "alive": true, "kills": 0 },
        ],
    });
    play(&ruleset, &state, &NAMES[..3], actions)
}

#[test]
fn a_shot_is_a_t_with_its_hits_and_blocked_hits_marked() {
    check(
        &small_duel("A", "A: shoot up").plain(),
        "
  0 1 2 3 4 5 6    cowboy  ·  round 4/100  ·  turn 10
0 ██████████████
1 ██· · 2 · · ██      A  greedy ████████░░ 4  ▶  1 kill
2 ██C⊘──┬───b†██      B  张三   ░░░░░░░░░░ 0     1 kill   place 3
3 ██· 1 A▶· · ██   ▸  C  search ██████████ 5  ▶  0 kills
4 ██████████████
",
    );
}

#[test]
fn a_sweep_up_and_down_chips_at_a_block_and_ends_at_a_wall() {
    check(
        &small_duel("B", "B: move left").plain(),
        "
  0 1 2 3 4 5 6    cowboy  ·  round 4/100  ·  turn 10
0 ██████████████
1 ██· · 2 · · ██      A  greedy ████████░░ 4  ▶  0 kills
2 ██C▶· · B▲◦ ██      B  张三   ██░░░░░░░░ 1  ▲  1 kill
3 ██· 1 A▶· · ██   ▸  C  search ██████████ 5  ▶  0 kills
4 ██████████████
",
    );
    check(
        &small_duel("B", "B: shoot left").plain(),
        "
  0 1 2 3 4 5 6    cowboy  ·  round 4/100  ·  turn 10
0 ██████████████
1 ██· · 2 │ · ██      A  greedy ████████░░ 4  ▶  0 kills
2 ██C▶· · ├─B▲██      B  张三   ██░░░░░░░░ 1  ▲  1 kill
3 ██· 1 A▶│ · ██   ▸  C  search ██████████ 5  ▶  0 kills
4 ██████████████
",
    );
}

#[test]
fn a_straight_beam_runs_from_the_shooter_off_the_board_into_a_block_or_through_it() {
    let ruleset = json!({ "base": "cowboy-classic", "sides": ["up", "down"], "map": [".....", ".1...", "....."] });
    let state = json!({
        "turn": 0, "round": 1, "to_act": ["A"], "grid": [[0, 0, 0, 1, 0], [0, 12, 0, 0, 0], [0, 0, 0, 0, 0]],
        "players": [
            { "seat": "A", "row": 1, "col": 3, "hp": 9, "shield": "right", "alive": true },
            { "seat": "B", "row": 2, "col": 2, "hp": 9, "shield": "down", "alive": true },
        ],
    });
    for (action, rows) in [
        ("A: shoot down", ["0 · · · 1 ·", "1 · 12· A▶·", "2 · · B▼│ ·"]),
        ("A: shoot left", ["0 · · · 1 ·", "1 · +*──A▶·", "2 · · B▼· ·"]),
        ("A: shoot up", ["0 · · · * ·", "1 · 12· A▶·", "2 · · B▼· ·"]),
    ] {
        let text = play(&ruleset, &state, &[], action).plain();
        let drawn: Vec<&str> = text.lines().skip(1).map(|line| line.split("   ").next().unwrap_or_default()).collect();
        assert_eq!(drawn, rows, "{action}");
    }
}

#[test]
fn the_labels_can_be_chinese() {
    let mut played = small_duel("A", "A: shoot up");
    played.show.language = Language::Zh;
    let text = played.plain();
    assert!(text.contains("第 4/100 轮") && text.contains("击杀 1") && text.contains("第 3 名"), "{text}");
}

#[test]
fn the_end_names_the_winner() {
    let ruleset = json!({ "base": "cowboy-duel", "map": ["....", "....", "...."] });
    let state = json!({
        "turn": 7, "round": 4, "to_act": ["A"], "grid": [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
        "players": [
            { "seat": "A", "row": 0, "col": 0, "hp": 9, "shield": "left", "alive": true },
            { "seat": "B", "row": 1, "col": 3, "hp": 1, "shield": "down", "alive": true },
        ],
    });
    let played = play(&ruleset, &state, &["greedy", "random"], "A: shoot down");
    assert_eq!(played.picture().result().as_deref(), Some("A greedy wins: last one standing"));
    assert!(played.plain().contains("A greedy wins: last one standing"), "{}", played.plain());
}

#[test]
fn every_row_is_as_wide_as_the_others_whatever_the_colours_and_the_room() {
    let played = small_duel("A", "A: shoot up");
    for depth in [Depth::Plain, Depth::Indexed, Depth::True] {
        for width in [0, 20, 40, 60, 80, 200] {
            let mut picture = played.picture();
            picture
                .notes
                .push(PictureNote::said(Seat::new(1), "你打不到我，你打不到我，你打不到我，你打不到我，你打不到我。"));
            picture
                .notes
                .push(PictureNote::told("A very long word: Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbau."));
            let text = render_ansi(&picture, &AnsiOptions { depth, width });
            check_even(&text);
            assert_eq!(text.contains('\x1b'), depth != Depth::Plain);
        }
    }
}

#[test]
fn colour_adds_nothing_that_the_characters_do_not_say() {
    let picture = small_duel("A", "A: shoot up").picture();
    let plain = render_ansi(&picture, &AnsiOptions::default());
    for depth in [Depth::Indexed, Depth::True] {
        let coloured = render_ansi(&picture, &AnsiOptions { depth, ..AnsiOptions::default() });
        assert_eq!(without_escapes(&coloured), plain);
    }
}

#[test]
fn where_there_is_no_room_beside_the_board_the_players_stand_below() {
    let text = render_ansi(&small_duel("A", "A: shoot up").picture(), &AnsiOptions { depth: Depth::Plain, width: 50 });
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    assert_eq!(lines[5], "4 ██████████████");
    assert_eq!(lines[7], "cowboy  ·  round 4/100  ·  turn 10");
}

#[test]
fn a_drawing_has_the_beam_the_shields_and_nothing_from_outside() {
    let mut played = small_duel("A", "A: shoot up");
    played.show.names[0] = "<script>alert(1)</script> & \"co\"".to_owned();
    let svg = render_svg(&played.picture());
    check_nested(&svg);
    assert!(svg.contains("&lt;script&gt;") && !svg.contains("<script"), "{svg}");
    assert_eq!(svg.matches("class=\"shield\"").count(), 2);
    assert_eq!(svg.matches("class=\"burst\"").count(), 1);
    assert_eq!(svg.matches("class=\"ring\"").count(), 2);
    assert!(svg.contains("prefers-color-scheme") && !svg.contains("href") && !svg.contains("url("), "{svg}");
}
