//! Steps 5 and 6: deaths, places and the end.

use super::*;

/// What a scene comes to after a tick.
fn end(scene: Scene, orders: &str) -> (Vec<u32>, Option<Reason>) {
    let after = scene.play(orders);
    (after.places(), after.reason())
}

#[test]
fn who_has_no_hit_points_left_is_out_behind_the_living() {
    let after = scene("A.B C..").hp('B', 1).play("A: shoot east");
    assert_eq!((after.drawing(), after.places()), ("A.. C..".to_owned(), vec![0, 3, 0]));
    assert_eq!(after.state.to_act.to_string(), "A, C");
    assert_eq!(after.reason(), None);
}

#[test]
fn the_last_one_alive_wins() {
    assert_eq!(end(scene("A.B").hp('B', 1), "A: shoot east"), (vec![1, 2], Some(Reason::LastAlive)));
}

#[test]
fn later_deaths_rank_above_earlier_ones() {
    let after = scene("A.B D.C").hp('B', 1).hp('C', 1).play("A: shoot east").play("D: shoot east");
    assert_eq!(after.places(), [0, 4, 3, 0]);
}

#[test]
fn mutual_destruction_is_won_by_more_hit_points_at_the_start_of_the_tick() {
    // B had 2 hit points and takes two bullets, A had 1 and takes one.
    let scene = scene("A.B.C").hp('A', 1).hp('B', 2).hp('C', 1);
    // C falls to B, B to A and C, A to nobody: A lives.
    let (places, reason) = end(scene, "A: shoot east; B: shoot east; C: shoot west");
    assert_eq!((places, reason), (vec![1, 2, 3], Some(Reason::LastAlive)));
    // In the zone's fire all three fall at once, with 1, 1 and 1.
    let after = burning([1, 1, 1]).play("");
    assert_eq!((after.places(), after.reason()), (vec![1, 1, 1], Some(Reason::AllDead)));
}

/// Three who all stand outside the zone, none in another's line of fire but A and B.
fn burning(hits: [u16; 3]) -> Scene {
    let scene = scene("A.B ... .C.").tick(11);
    scene.hp('A', hits[0]).hp('B', hits[1]).hp('C', hits[2])
}

#[test]
fn of_those_who_die_together_more_hit_points_at_the_start_are_better() {
    // The bullet and the zone take two of B, the zone alone one of the others.
    assert_eq!(end(burning([1, 2, 1]), "A: shoot east"), (vec![2, 1, 2], Some(Reason::AllDead)));
    assert_eq!(end(burning([2, 2, 1]), "A: shoot east; B: shoot west"), (vec![1, 1, 3], Some(Reason::AllDead)));
}

#[test]
fn then_more_kills_are_better() {
    let scene = || burning([1, 1, 1]).with('C', |bot| bot.kills = 2);
    assert_eq!(end(scene(), ""), (vec![2, 2, 1], Some(Reason::AllDead)));
    // The kill of this very tick counts.
    assert_eq!(end(burning([1, 1, 1]), "A: shoot east"), (vec![1, 2, 2], Some(Reason::AllDead)));
}

#[test]
fn some_die_together_while_others_live() {
    let after = burning([1, 1, 3]).play("A: shoot east");
    assert_eq!((after.places(), after.reason()), (vec![2, 3, 1], Some(Reason::LastAlive)));
}

#[test]
fn who_gives_up_is_out_below_the_others_of_the_tick() {
    // C has the most hit points and kills, and still is last.
    let scene = || burning([1, 1, 3]).with('C', |bot| bot.kills = 5);
    assert_eq!(end(scene(), "C: forfeit"), (vec![1, 1, 3], Some(Reason::AllDead)));
    // Among themselves they are ranked as ever.
    assert_eq!(end(burning([2, 1, 3]), "A: forfeit; B: forfeit"), (vec![2, 3, 1], Some(Reason::Forfeit)));
    // Against the living they are simply out.
    assert_eq!(end(burning([3, 3, 3]), "A: forfeit"), (vec![3, 0, 0], None));
}

#[test]
fn who_gives_up_keeps_its_hit_points() {
    let after = scene("A.B.C").play("B: forfeit");
    assert_eq!((after.hits(), after.drawing()), (vec![3, 3, 3], "A...C".to_owned()));
    let events = scene("A.B.C").events("B: forfeit");
    assert_eq!(events[0], json!({ "type": "forfeited", "bot": "B" }));
    assert_eq!(events[1], json!({ "type": "eliminated", "bot": "B", "place": 3 }));
}

#[test]
fn forfeits_end_the_match_only_where_nobody_else_fell() {
    assert_eq!(end(scene("A.B"), "B: forfeit"), (vec![1, 2], Some(Reason::Forfeit)));
    assert_eq!(end(scene("A.B"), "A: forfeit; B: forfeit"), (vec![1, 1], Some(Reason::Forfeit)));
    assert_eq!(end(scene("A.B"), "A: shoot east; B: forfeit"), (vec![1, 2], Some(Reason::Forfeit)));
    let both = scene("A.B C..").hp('B', 1);
    assert_eq!(end(both, "A: shoot east; C: forfeit"), (vec![1, 2, 3], Some(Reason::LastAlive)));
}

#[test]
fn after_the_last_tick_hit_points_decide_and_then_kills() {
    let scene = || scene("A.B.C ..... .....").tick(100);
    let rules = rules(json!({ "zone_shrinks": 0 }));
    let quiet = |scene: Scene| Scene { rules: rules.clone(), ..scene };
    assert_eq!(end(quiet(scene().tick(99)), ""), (vec![0, 0, 0], None));
    assert_eq!(end(quiet(scene()), ""), (vec![1, 1, 1], Some(Reason::TurnLimit)));
    assert_eq!(end(quiet(scene()), "A: shoot east"), (vec![1, 3, 1], Some(Reason::TurnLimit)));
    let kills = scene().with('C', |bot| bot.kills = 1);
    assert_eq!(end(quiet(kills), ""), (vec![2, 2, 1], Some(Reason::TurnLimit)));
    let fewer = scene().hp('C', 2).with('C', |bot| bot.kills = 1);
    assert_eq!(end(quiet(fewer), ""), (vec![1, 1, 3], Some(Reason::TurnLimit)));
}

#[test]
fn in_the_last_tick_too_one_alive_is_the_last_alive() {
    let scene = scene("A.B ... ...").hp('B', 1).tick(100);
    assert_eq!(end(scene, "A: shoot east"), (vec![1, 2], Some(Reason::LastAlive)));
}

#[test]
fn the_dead_of_unknown_date_share_the_last_places() {
    let dead = |bot: &mut BotState| (bot.alive, bot.hp) = (false, 0);
    let after = scene("A.B CDE").with('C', dead).with('D', dead).hp('B', 1);
    let after = after.play("A: shoot east").play("E: forfeit");
    assert_eq!(after.places(), [1, 3, 4, 4, 2]);
}

#[test]
fn the_outcome_has_a_place_for_everybody() {
    let after = scene("A.B").hp('B', 1).play("A: shoot east");
    let outcome = serde_json::to_value(&after.state.outcome).expect("an outcome serialises");
    assert_eq!(outcome, json!({ "places": { "A": 1, "B": 2 }, "reason": "last_alive" }));
    assert!(after.state.to_act.is_empty());
    let events = scene("A.B").hp('B', 1).events("A: shoot east");
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!(kinds, ["shot", "damage", "kill", "eliminated", "ended"]);
    assert_eq!(events[4]["outcome"], outcome);
}

#[test]
fn a_stand_in_counts_as_a_timeout_and_a_pass_does_not() {
    let after = scene("A.B").play("A: late move east; B: pass");
    assert_eq!(after.drawing(), ".AB");
    assert_eq!(after.state.bots.iter().map(|bot| bot.timeouts).collect::<Vec<_>>(), [1, 0]);
    let events = scene("A.B").events("A: late move east; B: pass");
    assert_eq!(events[0], json!({ "type": "stand_in", "bot": "A", "timeouts": 1 }));
    assert_eq!(events[1], json!({ "type": "passed", "bot": "B" }));
    let events = scene("A.B").with('B', |bot| bot.timeouts = 6).events("B: late stay");
    assert_eq!(events, [json!({ "type": "stand_in", "bot": "B", "timeouts": 7 })]);
}

#[test]
fn a_stand_in_is_any_of_the_five_moves_and_never_a_shot() {
    let position = scene("A.B").position();
    let mut dice = Seed(3).dice();
    let drawn: std::collections::HashSet<String> =
        (0..200).map(|_| position.stand_in(seat('A'), &mut dice).to_string()).collect();
    assert_eq!(drawn.len(), 5);
    assert!(drawn.contains("stay") && drawn.iter().all(|action| !action.contains("shoot")), "{drawn:?}");
}
