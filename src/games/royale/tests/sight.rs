//! What is seen where bots see only so far, and what is told of a tick.

use super::*;
use crate::games::view::Partial as _;

/// Where the others are as a seat, or everybody, sees them: `A(3,2) B?`, power-ups after them.
fn seen(scene: &Scene, viewer: Viewer) -> String {
    let state = Sighted::new(&scene.position(), viewer).state("fog");
    let bots = state.bots.iter().map(|bot| match bot.position {
        Some(Point { x, y }) => format!("{}({x},{y})", bot.id),
        None => format!("{}?", bot.id),
    });
    let lying = state.powerups.iter().flatten().map(|powerup| format!("+({},{})", powerup.x, powerup.y));
    bots.chain(lying).collect::<Vec<_>>().join(" ")
}

fn fog(drawing: &str) -> Scene {
    scene_of(drawing, json!({ "sight": 2 }))
}

const A: Viewer = Viewer::Seat(Seat::new(0));
const B: Viewer = Viewer::Seat(Seat::new(1));

/// What a viewer is told of a tick, without what only says that hit points were lost.
fn told(scene: &Scene, orders: &str, viewer: Viewer) -> Vec<Json> {
    let (before, mut after) = (scene.position(), scene.position());
    let events = after.play(&joint(&scene.state, orders), &mut Seed(7).dice()).expect("a good turn");
    let told = events.iter().filter_map(|event| Position::told(&before, &after, event, viewer));
    told.map(|event| json!(event)).filter(|event| event["type"] != "damage").collect()
}

#[test]
fn a_bot_sees_a_square_around_itself() {
    let scene = fog("
        B....D
        ......
        ..A..C
        ......
    ");
    assert_eq!(seen(&scene, A), "A(2,1) B(0,3) C? D?");
    assert_eq!(seen(&scene, B), "A(2,1) B(0,3) C? D?");
    let state = Sighted::new(&scene.position(), A).state("fog");
    assert_eq!(json!(state)["bots"][2]["position"], Json::Null, "null, not absent");
    assert_eq!(json!(state)["viewer"], "A");
    let all = scene_of("B....D ...... ..A..C ......", json!({ "sight": 3 }));
    assert_eq!(seen(&all, A), "A(2,1) B(0,3) C(5,1) D(5,3)");
}

#[test]
fn what_everybody_always_knows_is_in_every_view() {
    let scene = fog("A...#...B C.......D").hp('B', 1).with('C', |bot| (bot.kills, bot.timeouts) = (2, 3));
    let scene = scene.with('D', |bot| (bot.alive, bot.hp, bot.place) = (false, 0, Some(4)));
    let whole = json!(scene.position().state("fog"));
    for viewer in [A, B, Viewer::Public] {
        let state = json!(Sighted::new(&scene.position(), viewer).state("fog"));
        for field in ["turn", "tick", "zone", "walls", "width", "height", "to_act", "outcome", "ruleset"] {
            assert_eq!(state[field], whole[field], "{field}");
        }
        for bot in 0..4 {
            for field in ["id", "hp", "kills", "alive", "timeouts", "place"] {
                assert_eq!(state["bots"][bot][field], whole["bots"][bot][field], "{field} of {bot}");
            }
        }
    }
    assert_eq!(seen(&scene, B), "A? B(8,1) C? D?", "the dead of other sides are nowhere");
    assert_eq!(seen(&scene, Viewer::Public), "A? B? C? D?");
    assert_eq!(seen(&scene, Viewer::Seat(seat('D'))), "A? B? C? D(8,0)", "the dead see nothing but themselves");
}

#[test]
fn power_ups_and_boosts_are_seen_near_by_only() {
    let rules = json!({ "sight": 2, "powerups": { "every": 9 } });
    let scene = scene_of("A.B......C", rules).with('B', |bot| bot.boost = Some(Some(2)));
    let scene = scene.powerup(1, 0, PowerUpKind::Health).powerup(4, 0, PowerUpKind::Damage);
    let boosts = |viewer| {
        let state = json!(Sighted::new(&scene.position(), viewer).state("fog"));
        [0, 1, 2].map(|bot| state["bots"][bot]["boost"].clone())
    };
    assert_eq!(boosts(A), [json!(0), json!(2), Json::Null]);
    assert_eq!(boosts(Viewer::Public), [Json::Null, Json::Null, Json::Null]);
    assert_eq!(seen(&scene, A), "A(0,0) B(2,0) C? +(1,0)");
    assert_eq!(seen(&scene, B), "A(0,0) B(2,0) C? +(1,0) +(4,0)");
    assert_eq!(seen(&scene, Viewer::Public), "A? B? C?");
}

#[test]
fn a_team_sees_with_all_its_living_eyes() {
    let rules = json!({ "sight": 2, "teams": 2 });
    let scene = scene_of("A.B.......C.D", rules);
    assert_eq!(seen(&scene, A), "A(0,0) B(2,0) C(10,0) D(12,0)");
    let fallen = scene.with('C', |bot| (bot.alive, bot.hp) = (false, 0));
    assert_eq!(seen(&fallen, A), "A(0,0) B(2,0) C(10,0) D?", "the fallen are seen and see nothing");
    assert_eq!(seen(&fallen, Viewer::Seat(seat('C'))), "A(0,0) B(2,0) C(10,0) D?", "their side goes on seeing");
}

#[test]
fn events_are_told_where_they_are_seen() {
    let scene = fog("A...B....C");
    assert_eq!(
        told(&scene, "A: move west; B: move west; C: move west, shoot east", A),
        [json!({ "type": "blocked", "bot": "A", "at": [0, 0], "direction": "west" })]
    );
    let near = fog("A..B....C");
    assert_eq!(
        told(&near, "B: move west; C: move west, shoot east", A),
        [json!({ "type": "move", "bot": "B", "from": null, "to": [2, 0] })],
        "half of a move is seen"
    );
    assert_eq!(
        told(&fog("A.B.....C"), "B: move east, shoot east", A),
        [json!({ "type": "move", "bot": "B", "from": [2, 0], "to": null })],
        "the shot leaves from out of sight"
    );
    assert_eq!(
        told(&fog("A.B.....C"), "B: stay, shoot east", A),
        [json!({ "type": "shot", "bot": "B", "direction": "east", "from": [2, 0], "to": null, "hit": null })]
    );
    // What A saw before its move or sees after it.
    assert_eq!(
        told(&fog(".A.B....C"), "A: move west; B: move east", A),
        [
            json!({ "type": "move", "bot": "A", "from": [1, 0], "to": [0, 0] }),
            json!({ "type": "move", "bot": "B", "from": [3, 0], "to": null }),
        ]
    );
    for viewer in [A, B, Viewer::Public] {
        let told = told(&fog("A....BC").hp('C', 1), "B: shoot east; A: pass", viewer);
        let types: Vec<&str> = told.iter().filter_map(|event| event["type"].as_str()).collect();
        let public = ["passed", "kill", "eliminated"];
        assert_eq!(types.iter().filter(|kind| **kind != "shot").copied().collect::<Vec<_>>(), public, "{viewer:?}");
        assert_eq!(types.contains(&"shot"), viewer == B, "{viewer:?}");
        let kill = told.iter().find(|event| event["type"] == "kill").expect("told");
        assert_eq!(kill["by"], json!(["B"]), "kills are public");
    }
    let bumps = fog("A......B.C");
    assert!(told(&bumps, "B: move east; C: move west", A).is_empty(), "nobody near bounces");
    assert_eq!(told(&bumps, "B: move east; C: move west", B).len(), 2);
    let supply = scene_of("A............B", json!({ "sight": 2, "powerups": { "every": 1 } }));
    let spawned = supply.events("").into_iter().find(|event| event["type"] == "spawn").expect("one appears");
    let x = spawned["at"][0].as_u64().expect("a number");
    assert_eq!(told(&supply, "", A).len(), usize::from(x <= 2));
    assert_eq!(told(&supply, "", B).len(), usize::from(x >= 11));
    assert!(told(&supply, "", Viewer::Public).is_empty());
}

#[test]
fn a_bullet_from_out_of_sight_has_no_name() {
    let shot = json!({ "type": "shot", "bot": null, "direction": "west", "from": null, "to": [0, 0], "hit": "A" });
    assert_eq!(told(&fog("A...B....C"), "B: stay, shoot west", A), [shot]);
    let near = json!({ "type": "shot", "bot": "B", "direction": "west", "from": [2, 0], "to": [0, 0], "hit": "A" });
    assert_eq!(told(&fog("A.B......C"), "B: stay, shoot west", A), [near]);
    assert!(told(&fog("A...B....C"), "B: stay, shoot east", A).is_empty(), "it hits somebody else");
    let mates = scene_of("A....B....C...D", json!({ "sight": 2, "teams": 2 }));
    let told = told(&mates, "D: stay, shoot west", A);
    assert_eq!((&told[0]["bot"], &told[0]["hit"]), (&Json::Null, &json!("C")), "a mate is hit");
}

#[test]
fn a_view_is_no_position_to_play_from() {
    let scene = fog("A....B");
    for viewer in [A, Viewer::Public] {
        let state = Sighted::new(&scene.position(), viewer).state("fog");
        let problem = Position::from_state(&scene.rules, &state).expect_err("a view").to_string();
        assert_has(&problem, "`viewer`");
    }
    let blank = fog("A....B").with('B', |bot| bot.position = None);
    assert_has(&blank.problems(), "the `position` of B is missing");
    let text = json!(Sighted::new(&scene.position(), Viewer::Public).state("fog")).to_string();
    assert!(text.contains(r#""viewer":null"#), "{text}");
    let read: State = serde_json::from_str(&text).expect("a state");
    assert_eq!(json!(read).to_string(), text, "views read back");
}

#[test]
fn a_sample_looks_like_what_it_was_drawn_from() {
    let rules = json!({ "sight": 2, "powerups": { "every": 3 } });
    let scene = scene_of("A.......B C..#....D E.F......", rules).powerup(8, 0, PowerUpKind::Health).tick(20);
    let scene = scene.with('E', |bot| (bot.alive, bot.hp) = (false, 0)).with('D', |bot| bot.boost = Some(Some(2)));
    let mut dice = Seed(3).dice();
    for viewer in (0..6).map(|seat| Viewer::Seat(Seat::new(seat))).chain([Viewer::Public]) {
        let view = Sighted::new(&scene.position(), viewer);
        let mut places = std::collections::HashSet::new();
        for _ in 0..200 {
            let sample = view.sample(&mut dice);
            assert_eq!(Sighted::new(&sample, viewer), view);
            Position::from_state(&scene.rules, &sample.state("fog")).expect("a possible position");
            places.insert(sample.at(seat('B')));
        }
        let knows = view.at(seat('B')).is_some();
        assert_eq!(places.len() > 5, !knows, "{viewer:?} {places:?}");
    }
}

#[test]
fn a_crowd_out_of_sight_finds_room() {
    // Seven of eight tiles are taken, and three of them are in sight.
    let scene = fog("A..BC ..#DE FGH..");
    let mut dice = Seed(3).dice();
    let view = Sighted::new(&scene.position(), A);
    for _ in 0..200 {
        assert_eq!(Sighted::new(&view.sample(&mut dice), A), view);
    }
}

#[test]
fn who_is_not_seen_is_not_there_for_rules_of_thumb() {
    let view = Sighted::new(&fog("A.B......C").position(), A);
    let visible = view.visible();
    assert_eq!((visible.alive(seat('B')), visible.alive(seat('C'))), (true, false));
}
