//! Rulesets and maps.

use super::*;
use crate::games::library;

fn refused(mut over: Json) -> String {
    over["base"] = json!("grid-royale");
    Ruleset::from_json(&over).expect_err("a bad ruleset").to_string()
}

#[test]
fn eight_spawn_one_tile_in_from_the_edge() {
    let spawns = |over: Json| rules(over).spawns.iter().map(|tile| (tile.x, tile.y)).collect::<Vec<_>>();
    let default = [(1, 1), (13, 13), (1, 13), (13, 1), (7, 1), (7, 13), (1, 7), (13, 7)];
    assert_eq!(spawns(json!({})), default);
    let oblong = [(1, 1), (8, 5), (1, 5), (8, 1), (5, 1), (5, 5), (1, 3), (8, 3)];
    assert_eq!(spawns(json!({ "width": 10, "height": 7 })), oblong);
}

#[test]
fn the_first_line_of_a_map_is_the_top() {
    let rules =
        rules(json!({ "width": 0, "height": 0, "map": ["#....", ".....", ".....", ".....", ".....", "....."] }));
    let position = Position::open(&rules, 2, &mut Seed(1).dice()).expect("two can play");
    assert_eq!((position.size(), position.state("").walls), ((5, 6), vec![Tile { x: 0, y: 5 }]));
}

#[test]
fn a_wall_on_a_spawn_is_refused_with_its_line_and_column() {
    let mut map = vec!["......."; 7];
    map[5] = ".#.....";
    let problem = refused(json!({ "width": 0, "height": 0, "map": map }));
    assert_eq!(problem, "ruleset:6:2: a wall on (1, 1), where A spawns");
}

#[test]
fn only_those_who_can_play_need_a_spawn() {
    let mut map = vec!["......."; 7];
    map[5] = "...#...";
    let over = |max: u32| json!({ "width": 0, "height": 0, "map": map, "players": { "max": max } });
    assert_eq!(rules(over(4)).spawns.len(), 4);
    assert_eq!(refused(over(5)), "ruleset:6:4: a wall on (3, 1), where E spawns");
    assert_eq!(refused(over(0)), "ruleset:6:4: a wall on (3, 1), where E spawns");
    assert_eq!(
        refused(json!({ "players": { "max": 9 } })),
        "ruleset: `players.max` is 9, but there are places for 8 only"
    );
}

#[test]
fn a_grid_that_is_too_small_is_refused() {
    let refused = |width: u32, height: u32| {
        refused(json!({ "width": width, "height": height, "players": { "max": 2, "default": 2 } }))
    };
    assert_has(&refused(3, 3), "A and B would both spawn on (1, 1); the grid is too small");
    assert_has(&refused(1, 15), "a grid of 1 × 15 is too small to have a spawn for A");
    assert_has(&refused(15, 1), "a grid of 15 × 1 is too small to have a spawn for B");
}

#[test]
fn fields_out_of_range_are_refused_together() {
    let problems = refused(json!({
        "hp": 0, "range": 65, "max_ticks": 0, "zone_every": 0, "zone_shrinks": 65, "teams": 1, "speech": "turn",
        "powerups": { "every": 1, "most": 9, "kinds": [], "damage_shots": 256 }, "map": ["?"],
    }));
    for part in [
        "`hp` must be",
        "`range` must be",
        "`max_ticks` must be",
        "`zone_every` must be",
        "`zone_shrinks` must be",
        "`teams` is 1, but a match is between two at least",
        "`speech` must be \"free\" or \"off\": speaking is no action of this game",
        "`powerups.most` must be",
        "`powerups.kinds` names no kind",
        "`powerups.damage_shots` must be",
        "`?` is no cell of this game's maps; `.` is empty, `#` a wall",
    ] {
        assert_has(&problems, part);
    }
}

#[test]
fn teams_must_fit_the_usual_number_of_players() {
    assert_has(&refused(json!({ "teams": 3 })), "`players.default` is 4, which does not make 3 teams of one size");
}

#[test]
fn a_ruleset_reads_back_from_its_resolved_fields() {
    for over in [json!({}), json!({ "map": "pillars", "teams": 2, "powerups": { "every": 7, "kinds": ["damage"] } })] {
        let mut over = over;
        over["base"] = json!("grid-royale");
        let ruleset = Ruleset::from_json(&over).expect("a good ruleset");
        let json = serde_json::to_value(&ruleset).expect("a ruleset serialises");
        assert_eq!(Ruleset::from_json(&json), Ok(ruleset));
    }
}

#[test]
fn the_maps_look_the_same_from_every_side_and_have_no_dead_corners() {
    for name in ["pillars", "crossroads"] {
        let rules = rules(json!({ "map": name }));
        let position = Position::open(&rules, 8, &mut Seed(1).dice()).expect("eight can play");
        let all = || Zone { min_x: 0, max_x: 14, min_y: 0, max_y: 14 }.tiles();
        assert_eq!(position.size(), (15, 15), "{name}");
        assert!(all().all(|tile| position.wall(tile) == position.wall(Tile { x: 14 - tile.y, y: tile.x })), "{name}");
        let mut reached = vec![Tile { x: 7, y: 7 }];
        assert!(!position.wall(reached[0]), "{name} has a wall on the last tile of the zone");
        let mut next = 0;
        while let Some(&tile) = reached.get(next) {
            next += 1;
            for goal in Direction::ALL.into_iter().filter_map(|way| position.neighbour(tile, way)) {
                if !reached.contains(&goal) {
                    reached.push(goal);
                }
            }
        }
        assert_eq!(reached.len(), all().filter(|&tile| !position.wall(tile)).count(), "{name}");
        assert!(library::map(name).is_some_and(|text| text.starts_with(';')), "{name} has no legend");
    }
}
