//! Power-ups, which a ruleset can switch on.

use super::*;

/// Power-ups on, but none appears while we look.
fn quiet(drawing: &str) -> Scene {
    scene_of(drawing, json!({ "powerups": { "every": 100 } }))
}

fn boosts(scene: &Scene) -> Vec<u8> {
    scene.state.bots.iter().map(|bot| bot.boost.flatten().unwrap_or(0)).collect()
}

#[test]
fn who_ends_its_move_on_a_power_up_takes_it() {
    let scene = quiet("A.B").powerup(1, 0, PowerUpKind::Health);
    let events = scene.events("A: move east");
    assert_eq!(events[1], json!({ "type": "pickup", "bot": "A", "kind": "health", "at": [1, 0] }));
    let after = scene.play("A: move east");
    assert_eq!((after.hits(), after.state.powerups), (vec![4, 3], Some(vec![])));
}

#[test]
fn who_bounces_off_a_power_up_leaves_it() {
    let after = quiet("A.B").powerup(1, 0, PowerUpKind::Health).play("A: move east; B: move west");
    assert_eq!((after.hits(), after.state.powerups.map(|left| left.len())), (vec![3, 3], Some(1)));
}

#[test]
fn the_dead_take_nothing() {
    let after = quiet("A.B.C").with('B', |bot| bot.alive = false).powerup(2, 0, PowerUpKind::Health).play("");
    assert_eq!(after.state.powerups.map(|left| left.len()), Some(1));
}

#[test]
fn health_that_is_taken_counts_in_the_same_tick() {
    let after = quiet("A.B").powerup(1, 0, PowerUpKind::Health).hp('A', 1).play("A: move east; B: shoot west");
    assert_eq!(after.hits(), [1, 3]);
}

#[test]
fn a_damage_boost_counts_from_the_same_tick_for_so_many_shots() {
    let mut scene = quiet("A...B").powerup(1, 0, PowerUpKind::Damage).hp('B', 20).play("A: move east, shoot east");
    assert_eq!((scene.hits()[1], boosts(&scene)), (18, vec![2, 0]));
    // A shot that hits nobody uses it up as well, a tick without a shot does not.
    for (orders, hp, boost) in
        [("A: stay", 18, 2), ("A: shoot north", 18, 1), ("A: shoot east", 16, 0), ("A: shoot east", 15, 0)]
    {
        scene = scene.play(orders);
        assert_eq!((scene.hits()[1], boosts(&scene)[0]), (hp, boost), "{orders}");
    }
}

#[test]
fn a_second_boost_adds_its_shots() {
    let scene = quiet("A..B").powerup(1, 0, PowerUpKind::Damage).with('A', |bot| bot.boost = Some(Some(2)));
    assert_eq!(boosts(&scene.play("A: move east")), [5, 0]);
    let full = quiet("A..B").powerup(1, 0, PowerUpKind::Damage).with('A', |bot| bot.boost = Some(Some(255)));
    assert_eq!(boosts(&full.play("A: move east")), [255, 0]);
}

#[test]
fn the_numbers_are_the_rulesets() {
    let over = json!({ "powerups": { "every": 100, "health": 5, "damage": 3, "damage_shots": 2 } });
    let scene =
        scene_of("A....B", over).powerup(1, 0, PowerUpKind::Health).powerup(2, 0, PowerUpKind::Damage).hp('B', 20);
    let after = scene.play("A: move east").play("A: move east, shoot east");
    assert_eq!((after.hits(), boosts(&after)), (vec![8, 16], vec![1, 0]));
}

#[test]
fn one_appears_at_the_end_of_every_nth_tick_up_to_the_most() {
    let over = json!({ "powerups": { "every": 2, "most": 2 }, "zone_every": 100 });
    let mut scene = scene_of("A.... ..... ....B", over);
    for expected in [0, 1, 1, 2, 2, 2, 2] {
        scene = scene.play("");
        assert_eq!(scene.state.powerups.as_ref().map(Vec::len), Some(expected), "tick {}", scene.state.tick);
    }
}

#[test]
fn it_appears_in_the_coming_zone_on_a_free_tile() {
    // At the end of tick 10 the only tiles of the coming zone are a wall, C, a power-up and (4, 1).
    let over = json!({ "powerups": { "every": 10 } });
    for seed in 0..20 {
        let scene = scene_of("A..... .#C... .....B", over.clone()).powerup(3, 1, PowerUpKind::Health).tick(10);
        let mut position = scene.position();
        let events = position.play(&joint(&scene.state, ""), &mut Seed(seed).dice()).expect("a good turn");
        let at = Tile { x: 4, y: 1 };
        assert!(matches!(events[..], [Event::Spawn { at: there, .. }] if there == at), "{events:?}");
    }
}

#[test]
fn it_may_appear_where_a_bot_fell() {
    // The same with a fallen bot on the only tile that is free.
    let over = json!({ "powerups": { "every": 10 } });
    let fallen = |bot: &mut BotState| (bot.alive, bot.hp) = (false, 0);
    let scene = scene_of("A..... .#C.D. .....B", over).powerup(3, 1, PowerUpKind::Health).tick(10).with('D', fallen);
    assert_eq!(scene.events("")[0]["at"], json!([4, 1]));
}

#[test]
fn where_no_tile_is_free_none_appears() {
    let scene = scene_of("AB", json!({ "powerups": { "every": 1 } })).play("");
    assert_eq!(scene.state.powerups, Some(vec![]));
}

#[test]
fn all_kinds_and_tiles_come_up() {
    let scene = scene_of("A.. ... ..B", json!({ "powerups": { "every": 1 } }));
    let drawn: std::collections::HashSet<String> = (0..500)
        .map(|seed| {
            let events = scene.position().play(&joint(&scene.state, ""), &mut Seed(seed).dice());
            format!("{:?}", events.expect("a good turn"))
        })
        .collect();
    assert_eq!(drawn.len(), 7 * 2);
    let damage = scene_of("A.. ... ..B", json!({ "powerups": { "every": 1, "kinds": ["damage"] } }));
    assert_eq!(damage.events("")[0]["kind"], "damage");
}

#[test]
fn none_appears_once_the_match_is_over() {
    let scene = scene_of("A.B ... ...", json!({ "powerups": { "every": 1 } })).hp('B', 1).play("A: shoot east");
    assert_eq!((scene.reason(), scene.state.powerups), (Some(Reason::LastAlive), Some(vec![])));
}

#[test]
fn without_them_the_state_does_not_mention_them() {
    let state = serde_json::to_value(scene("AB").play("").state).expect("a state serialises");
    assert!(state.get("powerups").is_none() && state["bots"][0].get("boost").is_none());
}
