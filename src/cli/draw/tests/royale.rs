use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::pictures::TurnDigest;

fn arena(actions: &str) -> DrawnTurn {
    let ruleset = json!({
        "base": "grid-royale", "hp": 3, "zone_every": 5, "max_ticks": 30, "players": { "max": 4 },
        "map": [".......", ".......", ".......", "...#...", ".......", ".......", "......."], "width": 0, "height": 0,
        "powerups": { "every": 100 },
    });
    let bot =
        |id: &str, x: u8, y: u8, hp: u16| json!({ "id": id, "position": { "x": x, "y": y }, "hp": hp, "alive": true });
    let state = json!({
        "turn": 6, "tick": 7, "to_act": ["A", "B", "C", "D"], "width": 7, "height": 7, "walls": [[3, 3]],
        "bots": [bot("A", 1, 1, 3), bot("B", 5, 1, 1), bot("C", 3, 4, 2), bot("D", 5, 5, 3)],
        "powerups": [{ "x": 2, "y": 4, "kind": "health" }, { "x": 4, "y": 4, "kind": "damage" }],
    });
    play(&ruleset, &state, &["greedy", "张三", "search", "random"], actions)
}

#[test]
fn the_highest_row_is_on_top_and_the_zone_ends_where_the_shading_begins() {
    check(
        &arena("A: stay; B: move west; C: stay, shoot east; D: move north").plain(),
        "
6 ░░░░░░░░░░D!░░   grid-royale  ·  tick 8/30  ·  zone 5 × 5  ·  shrinks in 3
5 ░░· · · · ◦ ░░
4 ░░· + C2$─────      A  greedy ██████████ 3  0 kills
3 ░░· · ██· · ░░      B  张三   ███░░░░░░░ 1  0 kills
2 ░░· · · · · ░░      C  search ███████░░░ 2  0 kills
1 ░░A3· · B1◦ ░░      D  random ███████░░░ 2  0 kills
0 ░░░░░░░░░░░░░░
  0 1 2 3 4 5 6
",
    );
}

#[test]
fn hits_kills_and_bounces_are_marked() {
    check(
        &arena("A: stay, shoot east; B: stay, shoot north; C: move south; D: stay, shoot south").plain(),
        "
6 ░░░░░░░░░░░░░░   grid-royale  ·  tick 8/30  ·  zone 5 × 5  ·  shrinks in 3
5 ░░· · · · D*░░
4 ░░· + C~$ │ ░░      A  greedy ██████████ 3  1 kill
3 ░░· · ██· │ ░░      B  张三   ░░░░░░░░░░ 0  0 kills  place 4
2 ░░· · · · │ ░░      C  search ███████░░░ 2  0 kills
1 ░░A3──────b†░░      D  random ███████░░░ 2  1 kill
0 ░░░░░░░░░░░░░░
  0 1 2 3 4 5 6
",
    );
}

#[test]
fn every_row_of_the_arena_is_as_wide_as_the_others() {
    for width in [10, 50, 100] {
        let picture = arena("A: stay, shoot east; B: stay; C: stay; D: stay").picture();
        check_even(&render_ansi(&picture, &AnsiOptions { depth: Depth::True, width }));
    }
}

#[test]
fn a_drawing_of_the_arena_has_the_zone_and_the_hit_points() {
    let svg = render_svg(&arena("A: stay, shoot east; B: stay; C: stay; D: stay").picture());
    check_nested(&svg);
    assert_eq!(svg.matches("class=\"zone\"").count(), 1);
    assert_eq!(svg.matches("class=\"pip ").count(), 3 * 3);
    assert_eq!(svg.matches("class=\"burst\"").count(), 1);
}

#[test]
fn four_players_on_a_narrow_screen_see_what_happened() {
    let ruleset = Arc::new(Ruleset::named("grid-royale").expect("built in"));
    let names = ["greedy", "search:2000", "random", "search"].map(str::to_owned).to_vec();
    for language in Language::ALL {
        let show = Show { ruleset: ruleset.clone(), names: names.clone(), language };
        let mut table = Table::open(ruleset.clone(), 4, Seed(5)).expect("as many as can play");
        let mut dice = Seed(6).dice();
        let joint: Joint<Action> =
            table.to_act().iter().map(|seat| (seat, Order::Play(table.random_legal(seat, &mut dice)))).collect();
        let events = table.play(&joint, &mut dice).expect("legal actions");
        let (nobody, silent) = (BTreeMap::new(), BTreeMap::new());
        let digest = TurnDigest { events: &events, refused: &[], lapses: &nobody, said: &silent, reasoning: &silent };
        let notes = digest.notes(language);
        let mut picture = show.picture(&table.state(), &events);
        picture.notes.extend(notes.iter().cloned());
        let last = picture.notes.last().expect("something happened").text().to_owned();
        let begins: String = last.chars().take(4).collect();
        let options = AnsiOptions { width: 60, ..AnsiOptions::default() };
        for rows in [22, 21] {
            let screen = render_screen(&picture, &options, rows);
            assert!(screen.lines().count() <= rows, "{}\n{screen}", screen.lines().count());
            assert!(screen.lines().all(|line| columns(line) <= 60), "{screen}");
            assert!(screen.contains(&begins), "{last}\n{screen}");
        }
        let frame = Frame { state: table.state(), events, notes };
        let viewer = crate::cli::draw::viewer::ReplayViewer::new(show, vec![frame]);
        let lines = viewer.lines(60, 24, options);
        assert!(lines.len() <= 24 && lines.join("\n").contains(&begins), "{}", lines.join("\n"));
    }
}
