//! Step 4: the zone.

use super::*;
use crate::games::royale::lanes::Formation;

/// The width of what is left of the default arena, by ten ticks.
const WIDTHS: [u8; 10] = [15, 13, 11, 9, 7, 5, 3, 1, 1, 1];

#[test]
fn the_zone_shrinks_every_ten_ticks_down_to_the_centre() {
    let position = Position::open(&rules(json!({})), 2, &mut Seed(1).dice()).expect("two can play");
    for tick in 1..=100_u8 {
        let width = WIDTHS[usize::from(tick - 1) / 10];
        let min = (15 - width) / 2;
        let max = min + width - 1;
        let zone = Zone { min_x: min, max_x: max, min_y: min, max_y: max };
        assert_eq!(position.zone_at(u32::from(tick)), zone, "tick {tick}");
    }
}

#[test]
fn the_state_has_the_zone_of_the_coming_tick() {
    let mut scene =
        scene(&format!("{} A{}B", ". . . . . . . . . . . . . .".replace('.', &".".repeat(15)), ".".repeat(13)));
    for tick in 1..=12 {
        assert_eq!((scene.state.tick, scene.state.turn), (tick, tick - 1));
        let shrunk = u8::from(tick >= 11);
        if tick > 1 {
            assert_eq!(scene.state.zone.min_x, shrunk, "tick {tick}");
        }
        // Tick 11 is the first that hurts at the edge.
        assert_eq!(scene.hits(), [if tick >= 12 { 2 } else { 3 }; 2], "tick {tick}");
        scene = scene.play("");
    }
}

#[test]
fn a_grid_of_any_shape_keeps_its_middle() {
    for (board, tick, [min_x, max_x, min_y, max_y]) in [
        ("A..... ...... .....B", 100, [1, 4, 1, 1]),
        ("A... .... .... ...B", 100, [1, 2, 1, 2]),
        ("AB", 100, [0, 1, 0, 0]),
        ("A.... ..... ..... ..... ....B", 11, [1, 3, 1, 3]),
    ] {
        let zone = scene(board).tick(tick).position().zone();
        assert_eq!(zone, Zone { min_x, max_x, min_y, max_y }, "{board}");
    }
}

#[test]
fn a_ruleset_says_how_fast_and_how_often_it_shrinks() {
    let position =
        scene_of("A........ ......... ......... ......... ........B", json!({ "zone_every": 3, "zone_shrinks": 1 }));
    let position = position.position();
    assert_eq!([1, 3, 4, 6, 7, 100].map(|tick| position.zone_at(tick).min_x), [0, 0, 1, 1, 1, 1]);
}

#[test]
fn who_stands_outside_loses_a_hit_point() {
    let scene = scene("A.. .B. ..C").tick(11);
    assert_eq!(scene.events("")[0], json!({ "type": "damage", "bot": "A", "amount": 1, "source": "zone", "hp": 2 }));
    assert_eq!(scene.play("").hits(), [2, 3, 2]);
}

#[test]
fn where_a_bot_ends_its_move_counts() {
    let after = scene("A...B ..... ..... ..... .....").tick(11).play("A: move south; B: move south");
    assert_eq!(after.hits(), [2, 2]);
    let after = scene("..... A...B ..... ..... .....").tick(11).play("A: move east; B: stay");
    assert_eq!(after.hits(), [3, 2]);
}

#[test]
fn bullets_come_before_the_zone_and_both_can_hurt() {
    let after = scene("A.B ... ..C").tick(11).play("A: shoot east");
    assert_eq!(after.hits(), [2, 1, 2]);
}

#[test]
fn the_zone_takes_nothing_of_who_has_nothing_left() {
    // B falls to the bullet: a kill, and no zone damage to a bot without hit points.
    let scene = scene("A.B ... ..C").hp('B', 1).tick(11);
    assert_eq!(
        scene.events("A: shoot east").iter().filter(|event| event["bot"] == "B" && event["type"] == "damage").count(),
        1
    );
    assert_eq!(scene.play("A: shoot east").kills(), [1, 0, 0]);
}

#[test]
fn what_falls_to_the_zone_is_nobodys_kill() {
    // The bullet alone would have left B one hit point.
    let after = scene("A.B ... ..C").hp('B', 2).tick(11).play("A: shoot east");
    assert_eq!((after.hits(), after.kills()), (vec![2, 0, 2], vec![0, 0, 0]));
    assert_eq!(after.places(), [0, 3, 0]);
}

#[test]
fn who_burns_is_who_stands_outside_the_zone() {
    for (over, seats) in [
        (json!({}), 2),
        (json!({ "width": 9, "height": 6, "zone_every": 1, "zone_shrinks": 2 }), 2),
        (json!({ "zone_every": 7, "zone_shrinks": 0 }), 4),
    ] {
        let mut position = Position::open(&rules(over), seats, &mut Seed(1).dice()).expect("so many can play");
        let whole = position.zone_at(1);
        for tick in (1..=120).chain([u32::MAX]) {
            position.tick = tick;
            for tile in whole.tiles() {
                position.bots[1].at = tile;
                let burning = position.burning(&Formation::of(&position)).seats().any(|seat| seat == 1);
                assert_eq!(burning, !position.zone().contains(tile), "{tile} in tick {tick}");
            }
        }
    }
}
