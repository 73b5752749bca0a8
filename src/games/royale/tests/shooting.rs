//! Steps 2 and 3: shots, damage and kills.

use super::*;

#[test]
fn a_bullet_takes_a_hit_point() {
    check_hits("A..B", "A: shoot east", &[3, 2]);
    check_hits("A..B", "B: shoot west", &[2, 3]);
    check_hits("A . B", "A: shoot south", &[3, 2]);
    check_hits("A . B", "B: shoot north", &[2, 3]);
    check_hits("A..B", "A: shoot west", &[3, 3]);
    check_hits("A.. ..B", "A: shoot east; B: shoot west", &[3, 3]);
}

#[test]
fn a_bullet_flies_five_tiles() {
    check_hits("A....B.", "A: shoot east", &[3, 2]);
    check_hits("A.....B", "A: shoot east", &[3, 3]);
    let far = scene_of("A.....B", json!({ "range": 6 })).play("A: shoot east");
    assert_eq!(far.hits(), [3, 2]);
}

#[test]
fn a_bullet_hits_the_first_bot_in_its_path() {
    check_hits("A.BC", "A: shoot east", &[3, 2, 3]);
    check_hits("C.BA", "A: shoot west", &[3, 2, 3]);
}

#[test]
fn a_bullet_passes_over_the_dead() {
    let after = scene("ABC").with('B', |bot| bot.alive = false).play("A: shoot east");
    assert_eq!(after.hits(), [3, 3, 2]);
}

#[test]
fn a_bullet_stops_at_a_wall() {
    check_hits("A#B", "A: shoot east; B: shoot west", &[3, 3]);
    check_hits("AB#", "A: shoot east", &[3, 2]);
}

#[test]
fn a_shot_tells_how_far_it_flew() {
    for (board, to, hit) in [
        ("A...B...", [4, 0], json!("B")),
        ("A..#B...", [2, 0], json!(null)),
        ("A#..B...", [0, 0], json!(null)),
        ("A....... .......B", [5, 1], json!(null)),
        ("A... ...B", [3, 1], json!(null)),
    ] {
        let shot = &scene(board).events("A: shoot east")[0];
        let from = [0, usize::from(board.contains(' '))];
        let expected = json!({ "type": "shot", "bot": "A", "direction": "east", "from": from, "to": to, "hit": hit });
        assert_eq!(shot, &expected, "{board}");
    }
}

#[test]
fn all_move_before_anybody_shoots() {
    // B leaves the line of fire.
    check_hits("A..B ....", "A: shoot east; B: move south", &[3, 3]);
    // B walks into it.
    check_hits("A... ...B", "A: shoot east; B: move north", &[3, 2]);
    // A shoots from where it goes.
    check_hits("A... ...B", "A: move south, shoot east", &[3, 2]);
    // After a bounce it shoots from where it began.
    check_hits("A.B ... C..", "A: move east, shoot south; B: move west", &[3, 3, 2]);
}

#[test]
fn who_cannot_move_still_shoots() {
    check_hits("A..B", "A: move west, shoot east", &[3, 2]);
    check_hits("#A.B", "A: move west, shoot east", &[3, 2]);
}

#[test]
fn who_dies_in_this_tick_still_shot() {
    let after = scene("A.B").hp('A', 1).hp('B', 1).play("A: shoot east; B: shoot west");
    assert_eq!((after.hits(), after.kills()), (vec![0, 0], vec![1, 1]));
}

#[test]
fn hit_points_never_go_below_zero() {
    let scene = scene("A.B.C").hp('B', 1);
    let damage = &scene.events("A: shoot east; C: shoot west")[2];
    assert_eq!(damage, &json!({ "type": "damage", "bot": "B", "amount": 1, "source": "bullet", "hp": 0 }));
    assert_eq!(scene.play("A: shoot east; C: shoot west").hits(), [3, 0, 3]);
}

#[test]
fn a_kill_counts_for_everybody_whose_bullet_hit() {
    let scene = scene("..D.. A.B.C ..E..").hp('B', 2);
    let orders = "A: shoot east; C: shoot west; D: shoot south; E: shoot west";
    let kill = scene.events(orders).into_iter().find(|event| event["type"] == "kill");
    assert_eq!(kill, Some(json!({ "type": "kill", "bot": "B", "by": ["A", "C", "D"] })));
    assert_eq!(scene.play(orders).kills(), [1, 0, 1, 1, 0]);
}

#[test]
fn a_hit_that_is_survived_is_no_kill() {
    assert_eq!(scene("A.B").play("A: shoot east").kills(), [0, 0]);
}

#[test]
fn who_passes_or_gives_up_does_nothing_and_can_be_hit() {
    let after = scene("A.B.C").play("A: shoot east; B: pass; C: pass");
    assert_eq!((after.hits(), after.drawing()), (vec![3, 2, 3], "A.B.C".to_owned()));
    let after = scene("A.B.C").hp('B', 1).play("A: shoot east; B: forfeit");
    assert_eq!((after.hits(), after.kills()), (vec![3, 0, 3], vec![1, 0, 0]));
}
