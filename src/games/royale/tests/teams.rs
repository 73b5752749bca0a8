//! Teams: A, C, … against B, D, …

use super::*;

fn teams(drawing: &str) -> Scene {
    scene_of(drawing, json!({ "teams": 2 }))
}

#[test]
fn bullets_pass_through_team_mates() {
    assert_eq!(teams("A.C.B D....").play("A: shoot east").hits(), [3, 2, 3, 3]);
    assert_eq!(teams("A.C.. B...D").play("A: shoot east").hits(), [3, 3, 3, 3]);
    assert_eq!(teams("A.B.C D....").play("A: shoot east").hits(), [3, 2, 3, 3]);
}

#[test]
fn team_mates_bounce_off_each_other() {
    assert_eq!(teams("A.C B.D").play("A: move east; C: move west").drawing(), "A.C B.D");
}

#[test]
fn a_bot_gets_its_place_when_its_team_is_out() {
    let scene = teams("A.B C.D").hp('B', 1).hp('D', 1).play("A: shoot east");
    assert_eq!((scene.places(), scene.reason()), (vec![0, 0, 0, 0], None));
    assert_eq!(scene.state.to_act.to_string(), "A, C, D");
    let events = scene.events("C: shoot east");
    assert_eq!(events[3], json!({ "type": "eliminated", "bot": "D", "place": 3 }));
    let after = scene.play("C: shoot east");
    assert_eq!((after.places(), after.reason()), (vec![1, 3, 1, 3], Some(Reason::LastAlive)));
}

#[test]
fn an_elimination_has_no_place_while_the_team_plays_on() {
    let events = teams("A.B C.D").hp('B', 1).events("A: shoot east");
    assert_eq!(events[3], json!({ "type": "eliminated", "bot": "B", "place": null }));
}

#[test]
fn a_team_of_dead_and_living_wins_together() {
    let scene = teams("A.B C.D").hp('C', 1).hp('B', 1).play("D: shoot west");
    let after = scene.play("A: shoot east; D: forfeit");
    assert_eq!((after.places(), after.reason()), (vec![1, 3, 1, 3], Some(Reason::LastAlive)));
}

/// Two teams who all fall to the zone at once: only the middle of the board is safe.
fn burning(hits: [u16; 4]) -> Scene {
    let scene = teams("A.B ... C.D").tick(11);
    scene.hp('A', hits[0]).hp('B', hits[1]).hp('C', hits[2]).hp('D', hits[3])
}

#[test]
fn teams_that_go_together_compare_their_hit_points_at_the_start_of_the_tick() {
    let after = burning([1, 1, 1, 2]).play("C: shoot east");
    assert_eq!((after.places(), after.reason()), (vec![3, 1, 3, 1], Some(Reason::AllDead)));
    assert_eq!(burning([1, 1, 1, 1]).play("").places(), [1, 1, 1, 1]);
}

#[test]
fn then_they_compare_their_kills() {
    // B fell long ago, with a kill that still counts for its team, and without hit points that would.
    let fallen = |bot: &mut BotState| (bot.alive, bot.kills, bot.hp) = (false, 1, 9);
    let after = burning([1, 1, 1, 2]).with('B', fallen).play("C: shoot east");
    assert_eq!(after.places(), [3, 1, 3, 1]);
    let after = burning([1, 1, 2, 1]).with('B', fallen).play("D: shoot west");
    assert_eq!(after.places(), [1, 3, 1, 3]);
}

#[test]
fn a_team_that_gives_up_is_below_the_one_that_falls() {
    let after = burning([1, 1, 1, 1]).play("A: forfeit; C: forfeit");
    assert_eq!((after.places(), after.reason()), (vec![3, 1, 3, 1], Some(Reason::AllDead)));
    // One who falls fighting is enough for its team.
    let after = burning([1, 1, 1, 1]).play("A: forfeit");
    assert_eq!(after.places(), [1, 1, 1, 1]);
}

#[test]
fn after_the_last_tick_teams_compare_the_hit_points_of_their_living() {
    let scene = || Scene { rules: rules(json!({ "teams": 2, "zone_shrinks": 0 })), ..teams("A.B C.D").tick(100) };
    let after = scene().hp('A', 4).play("");
    assert_eq!((after.places(), after.reason()), (vec![1, 3, 1, 3], Some(Reason::TurnLimit)));
    assert_eq!(scene().play("").places(), [1, 1, 1, 1]);
    assert_eq!(scene().with('D', |bot| bot.kills = 1).play("").places(), [3, 1, 3, 1]);
    // Who gave up keeps its number of hit points, but they count for nothing.
    assert_eq!(scene().hp('A', 9).play("A: forfeit").places(), [3, 1, 3, 1]);
}

#[test]
fn three_teams_take_their_places_in_twos() {
    let scene = scene_of("A.B C.. D.E F..", json!({ "teams": 3, "players": { "default": 6 } }));
    let after = scene.play("B: forfeit; E: forfeit");
    assert_eq!((after.places(), after.reason()), (vec![0, 5, 0, 0, 5, 0], None));
    let after = after.play("C: forfeit; F: forfeit");
    assert_eq!((after.places(), after.reason()), (vec![1, 5, 3, 1, 5, 3], Some(Reason::Forfeit)));
}

#[test]
fn the_state_names_the_teams() {
    let state = serde_json::to_value(teams("A.B C.D").play("").state).expect("a state serialises");
    assert_eq!(state["teams"], 2);
    let teams: Vec<&Json> = (0..4).map(|bot| &state["bots"][bot]["team"]).collect();
    assert_eq!(teams, [0, 1, 0, 1]);
    let alone = serde_json::to_value(scene("AB").play("").state).expect("a state serialises");
    assert!(alone.get("teams").is_none() && alone["bots"][0].get("team").is_none());
}

#[test]
fn teams_are_of_one_size() {
    let rules = rules(json!({ "teams": 2 }));
    let mut dice = Seed(1).dice();
    for (seats, good) in [(1, false), (2, true), (3, false), (4, true), (8, true), (9, false)] {
        assert_eq!(Position::open(&rules, seats, &mut dice).is_ok(), good, "{seats}");
    }
    assert_has(&teams("ABC").problems(), "3 bots do not make 2 teams of one size");
}
