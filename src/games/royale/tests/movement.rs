//! Step 1: movement.

use super::*;

#[test]
fn north_is_up_and_east_is_right() {
    check("... ... A.B", "A: move north; B: move north", "... A.B ...");
    check("A.. ... ..B", "A: move east; B: move west", ".A. ... .B.");
    check("A.. ... ..B", "A: move south; B: stay", "... A.. ..B");
}

#[test]
fn off_the_grid_and_into_a_wall_is_a_stay() {
    check("A#B", "A: move west; B: move west", "A#B");
    check("A#B", "A: move north; B: move south", "A#B");
    let blocked = &scene("A#B").events("A: move east")[0];
    assert_eq!(blocked, &json!({ "type": "blocked", "bot": "A", "at": [0, 0], "direction": "east" }));
}

#[test]
fn two_who_want_the_same_tile_both_bounce() {
    check("A.B", "A: move east; B: move west", "A.B");
    check("A.B ... .C.", "A: move east; B: move west; C: move north", "A.B .C. ...");
    let events = scene("A.B").events("A: move east; B: move west");
    assert_eq!(events[0], json!({ "type": "bounce", "bot": "A", "at": [0, 0], "direction": "east" }));
    assert_eq!(events[1], json!({ "type": "bounce", "bot": "B", "at": [2, 0], "direction": "west" }));
    assert_eq!(events.len(), 2);
}

#[test]
fn three_who_want_the_same_tile_all_bounce() {
    check("A.B .C. ...", "A: move east; B: move west; C: move north", "A.B .C. ...");
}

#[test]
fn who_stays_keeps_its_tile() {
    check("AB.", "A: move east; B: stay", "AB.");
    check("AB.", "A: move east; B: pass", "AB.");
    check("#AB", "A: move east; B: move north", "#AB");
}

#[test]
fn who_leaves_makes_room() {
    check("AB.", "A: move east; B: move east", ".AB");
}

#[test]
fn swaps_and_rings_are_legal() {
    check("AB", "A: move east; B: move west", "BA");
    check("AB DC", "A: move east; B: move south; C: move west; D: move north", "DA CB");
}

#[test]
fn a_bounce_sends_those_back_who_follow() {
    // C and D want the same tile; so B runs into C, and A into B.
    check("ABC.D", "A: move east; B: move east; C: move east; D: move west", "ABC.D");
    // The wall stops C, C stops B, and so on back to D.
    check("DABC#", "D: move east; A: move east; B: move east; C: move east", "DABC#");
}

#[test]
fn all_who_share_a_tile_go_back_at_once() {
    // B and C want the middle. Sending back only one of them would let the other through.
    check("B.C .A. ...", "A: move north; B: move east; C: move west", "B.C .A. ...");
}

#[test]
fn a_swap_that_a_third_one_disturbs_is_off() {
    // A and B would swap, but C wants B's tile too: A and C bounce, then B would enter A's tile.
    check("AB. .C. ...", "A: move east; B: move west; C: move north", "AB. .C. ...");
}

#[test]
fn the_dead_are_in_nobodys_way() {
    let after = scene("ABC").with('B', |bot| bot.alive = false).play("A: move east");
    assert_eq!(after.drawing(), ".AC");
}

#[test]
fn who_gives_up_stands_in_the_way_until_the_tick_is_over() {
    let after = scene("AB. ..C").play("A: move east; B: forfeit");
    assert_eq!(after.drawing(), "A.. ..C");
}
