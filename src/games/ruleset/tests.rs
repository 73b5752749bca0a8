//! Rulesets and maps: what is built in is sound, and what is wrong is named with its place.

use super::*;
use crate::games::cowboy;

/// A ruleset of these lines is refused with exactly these problems, a line each.
#[track_caller]
fn check(toml: &str, expected: &[&str]) {
    check_files(&[("own.toml", toml)], expected);
}

/// The same where the ruleset `own.toml` needs other files.
#[track_caller]
fn check_files(files: &[(&str, &str)], expected: &[&str]) {
    let read = |name: &str| match files.iter().find(|(other, _)| *other == name) {
        Some((_, text)) => Ok((*text).to_owned()),
        None => Err("there is no such file".to_owned()),
    };
    let loaded = Ruleset::load("own.toml", Fields::none("own.toml"), &read);
    let problems = loaded.err().map_or(String::new(), |bad| bad.to_string());
    assert_eq!(problems, expected.join("\n"), "for these files: {files:?}");
}

#[test]
fn every_built_in_ruleset_reads_back_from_what_a_record_keeps() {
    for name in library::rulesets() {
        let ruleset = Ruleset::named(name).unwrap_or_else(|bad| panic!("{bad}"));
        assert_eq!(ruleset.name, name);
        let json = serde_json::to_string(&ruleset).expect("a ruleset serialises");
        let read: Json = serde_json::from_str(&json).expect("it is JSON");
        assert_eq!(Ruleset::from_json(&read).as_ref(), Ok(&ruleset), "{json}");
        assert!(read.get("base").is_none(), "a record needs no other ruleset");
        assert_eq!(Ruleset::from_json(&json!({ "base": name })), Ok(ruleset));
    }
}

#[test]
fn a_ruleset_may_say_only_what_differs() {
    let changed = Ruleset::from_json(&json!({ "base": "cowboy", "hp": 3, "policy": { "attempts": 1 } }));
    let mut expected = Ruleset::named("cowboy").expect("it is built in");
    match &mut expected.rules {
        Rules::Cowboy(rules) => rules.hp = 3,
        other => unreachable!("these are rules of another game: {other:?}"),
    }
    expected.policy.attempts = 1;
    expected.live_policy.attempts = 1;
    assert_eq!(changed, Ok(expected));
}

#[test]
fn live_matches_differ_in_what_the_ruleset_says_and_in_nothing_else() {
    let royale = Ruleset::named("grid-royale").expect("built in");
    let Policy { turn_seconds, tick_seconds, on_lapse, forfeit_after, .. } = royale.policy;
    assert_eq!((turn_seconds, tick_seconds, on_lapse, forfeit_after), (120, 0, OnLapse::Pass, 5));
    let live = Policy { turn_seconds: 3, tick_seconds: 1, on_lapse: OnLapse::Random, ..royale.policy };
    assert_eq!(royale.live_policy, live);
    assert_eq!(json!(royale)["policy"]["live"], json!({ "turn_seconds": 3, "tick_seconds": 1, "on_lapse": "random" }));
    let played = royale.clone().live();
    assert_eq!((played.policy, played.live_policy), (live, live));
    assert_eq!(json!(played)["policy"].get("live"), None, "a record keeps the clocks that it was played by");
    assert_eq!(Ruleset::from_json(&json!(played)), Ok(played));
    let fog = Ruleset::named("grid-royale-fog").expect("built in");
    assert_eq!((fog.policy, fog.live_policy), (royale.policy, royale.live_policy), "it has the clocks of its base");
    for name in library::rulesets().filter(|name| !name.starts_with("grid-royale")) {
        let ruleset = Ruleset::named(name).expect("built in");
        assert_eq!((ruleset.policy.turn_seconds, ruleset.policy.on_lapse), (120, OnLapse::Pass), "{name}");
        assert_eq!(ruleset.policy, ruleset.live_policy, "{name}");
    }
    let own = json!({ "base": "grid-royale", "policy": { "turn_seconds": 60, "live": { "forfeit_after": 9 } } });
    let own = Ruleset::from_json(&own).expect("good");
    assert_eq!((own.policy.turn_seconds, own.policy.forfeit_after), (60, 5));
    assert_eq!((own.live_policy.turn_seconds, own.live_policy.forfeit_after), (3, 9));
    check(
        "base = \"paint\"\n[policy.live]\nturn_seconds = -1\nmercy = 1",
        &[
            "own.toml:3:16: `policy.live.turn_seconds` must be a whole number from 0 to 86400, not -1",
            "own.toml:4:9: unknown key `policy.live.mercy`; allowed here: attempts, patience, turn_seconds, \
             total_seconds, tick_seconds, on_lapse, forfeit_after",
        ],
    );
}

#[test]
fn what_two_rulesets_cannot_differ_by_is_in_no_fingerprint() {
    let royale = Ruleset::named("grid-royale").expect("built in");
    let before = royale.before_openings().identity();
    for later in ["opening", "tournament_opening"] {
        assert_eq!(before.get(later), None);
    }
    assert_eq!(before["policy"], json!(royale.clone().live())["policy"]);
    assert_eq!(royale.clone().for_tournament(Some(3)).identity()["opening"], 3);
    assert_eq!(Ruleset { tournament_opening: 9, ..royale.clone() }.identity(), royale.identity());
}

#[test]
fn a_ruleset_may_stand_on_a_file_that_stands_on_another() {
    let files =
        [("own.toml", "base = \"b.toml\"\nhp = 3"), ("b.toml", "base = \"cowboy-classic\"\nhp = 5\nname = \"b\"")];
    check_files(&files, &[]);
}

#[test]
fn what_is_wrong_is_named_with_its_place_and_what_is_allowed() {
    for (line, problem) in [
        ("hp = 0", "2:6: `hp` must be a whole number from 1 to 10000, not 0"),
        ("hp = 10001", "2:6: `hp` must be a whole number from 1 to 10000, not 10001"),
        ("hp = \"3\"", "2:6: `hp` must be a whole number from 1 to 10000, not a text"),
        (
            "hp = 2.5",
            "2:6: `hp` must be a whole number from 1 to 10000, not a number with a fraction or too many digits",
        ),
        ("hp = 99999999999999999999", "2:6: `hp` must be a whole number from 1 to 10000, not a number out of range"),
        ("hp = true", "2:6: `hp` must be a whole number from 1 to 10000, not true or false"),
        ("hp = 2020-01-01", "2:6: `hp` must be a whole number from 1 to 10000, not a date"),
        ("hp = [1]", "2:6: `hp` must be a whole number from 1 to 10000, not a list"),
        ("hp = {}", "2:1: `hp` must be a whole number from 1 to 10000, not a table"),
        ("laser = \"round\"", "2:9: `laser` must be \"tee\" or \"straight\", not \"round\""),
        ("laser = 1", "2:9: `laser` must be \"tee\" or \"straight\", not a whole number"),
        ("speech = \"loud\"", "2:10: `speech` must be \"turn\", \"free\" or \"off\", not \"loud\""),
        ("name = \"\"", "2:8: `name` must be a text of 1 to 200 characters on one line"),
        ("sides = [\"up\", \"up\"]", "2:16: `sides` has \"up\" twice"),
        ("sides = []", "2:9: `sides` names no side; one side for each seat, in seat order"),
        (
            "sides = [\"north\"]",
            "2:10: `sides` must be a list, each item \"up\", \"down\", \"left\" or \"right\"\n\
             own.toml:2:9: `sides` names no side; one side for each seat, in seat order",
        ),
        (
            "players = 3",
            "2:11: `players` must be a table, not a whole number\n\
             own.toml: `players.min` is missing; it must be a whole number from 1 to 4096\n\
             own.toml: `players.max` is missing; it must be a whole number from 0 to 4096\n\
             own.toml: `players.default` is missing; it must be a whole number from 1 to 4096",
        ),
        ("players.max = 5", "2:15: `players.max` is 5, but there are places for 4 only"),
        ("players.min = 5", "2:15: `players.min` is 5, more than the 4 that can play"),
        ("players.default = 9", "2:19: `players.default` must be from 1 to 4, not 9"),
        (
            "policy.on_lapse = \"cry\"",
            "2:19: `policy.on_lapse` must be \"pass\", \"random\" or \"forfeit\", not \"cry\"",
        ),
        (
            "map = 3",
            "2:7: `map` must be the name of a map, the path of a map file, or a list of rows, not a whole number",
        ),
        ("map = [1]", "2:7: `map` must be the name of a map, the path of a map file, or a list of rows"),
        ("map = \"none\"", "2:7: map \"none\" needs `rows` and `cols`, each from 1 to 64"),
        (
            "map = \"none\"\nrows = 65\ncols = 3",
            "3:8: `rows` must be a whole number from 0 to 64, not 65\n\
             own.toml:2:7: map \"none\" needs `rows` and `cols`, each from 1 to 64",
        ),
        ("rows = 5", "2:8: the map is 11 × 11; leave `rows` and `cols` at 0, or set map = \"none\" for an empty board"),
    ] {
        check(&format!("base = \"cowboy\"\n{line}"), &[&format!("own.toml:{problem}")]);
    }
    let maps: Vec<&str> = library::maps().collect();
    let missing = format!("own.toml:2:7: no map `coral`: there is no such file; built in: {}", maps.join(", "));
    check("base = \"cowboy\"\nmap = \"coral\"", &[&format!("{missing}; did you mean `corral`?")]);
}

#[test]
fn an_unknown_key_is_named_with_those_that_are_known() {
    check(
        "base = \"cowboy\"\nhitpoints = 3\npolicy.mercy = 1",
        &[
            "own.toml:3:16: unknown key `policy.mercy`; allowed here: attempts, patience, turn_seconds, total_seconds, \
             tick_seconds, on_lapse, forfeit_after, live",
            "own.toml:2:13: unknown key `hitpoints`; allowed here: game, name, version, summary, speech, policy, opening, tournament_opening, laser, \
             bodies, hp, max_rounds, sides, rows, cols, map, players",
        ],
    );
}

#[test]
fn several_problems_are_reported_at_once() {
    check(
        "base = \"cowboy\"\nhp = 0\nlaser = \"bent\"\nmap = [\".x.\", \"..\"]\n[players]\nmin = \"one\"\n[moon]\n",
        &[
            "own.toml:3:9: `laser` must be \"tee\" or \"straight\", not \"bent\"",
            "own.toml:2:6: `hp` must be a whole number from 1 to 10000, not 0",
            &format!("own.toml:4:10: `x` is no cell of this game's maps; {}", cowboy::Rules::LEGEND),
            "own.toml:4:17: this row has 2 cells, the first one has 3",
            "own.toml:6:7: `players.min` must be a whole number from 1 to 4096, not a text",
            "own.toml:7:2: unknown key `moon`; allowed here: game, name, version, summary, speech, policy, opening, tournament_opening, laser, \
             bodies, hp, max_rounds, sides, rows, cols, map, players",
        ],
    );
}

#[test]
fn what_is_not_toml_is_named_with_its_place() {
    check(
        "base = \"cowboy\"\nhp = = 3",
        &["own.toml:2:6: extra `=`, expected nothing", "own.toml:2:8: unexpected key or value, expected newline, `#`"],
    );
    check("base = \"cowboy\"\nhp = 1\nhp = 2", &["own.toml:3:1: duplicate key"]);
}

#[test]
fn rulesets_that_stand_on_each_other_in_a_ring_are_refused() {
    let ring = [("own.toml", "base = \"b.toml\""), ("b.toml", "base = \"own.toml\"")];
    check_files(&ring, &["own.toml:1:8: too many rulesets stand on each other; is there a ring?"]);
}

#[test]
fn a_base_that_does_not_exist_is_named_with_those_that_do() {
    let names: Vec<&str> = library::rulesets().collect();
    let names = names.join(", ");
    check("base = \"moon\"", &[&format!("own.toml:1:8: no ruleset `moon`: there is no such file; built in: {names}")]);
    check("base = 3", &["own.toml:1:8: `base` must be a text, not a whole number"]);
    let named = Ruleset::named("moon").expect_err("there is no such ruleset").to_string();
    assert_eq!(named, format!("moon: no ruleset `moon`: nothing of the name `moon` is built in; built in: {names}"));
}

#[test]
fn a_ruleset_without_a_base_needs_every_field() {
    let refused = Ruleset::from_json(&json!({ "game": "cowboy", "hp": 3 })).expect_err("most is missing");
    let missing: Vec<&str> = refused
        .problems
        .iter()
        .filter_map(|problem| problem.message.split_once(" is missing"))
        .map(|(key, _)| key)
        .collect();
    assert_eq!(
        missing.join(" "),
        "`name` `version` `summary` `summary.en` `summary.zh` `speech` `policy` `policy.attempts` \
         `policy.patience` `policy.turn_seconds` `policy.total_seconds` `policy.tick_seconds` `policy.on_lapse` `policy.forfeit_after` `laser` `bodies` \
         `max_rounds` `sides` `rows` `cols` `map` `players` `players.min` `players.max` `players.default`"
    );
}

#[test]
fn what_is_neither_a_name_nor_an_object_is_no_ruleset() {
    for (json, kind) in [(json!(3), "a whole number"), (json!(null), "null"), (json!(["cowboy"]), "a list")] {
        let refused = Ruleset::from_json(&json).expect_err("it is no ruleset").to_string();
        assert_eq!(refused, format!("ruleset: a ruleset is a name or an object, not {kind}"));
    }
}

#[test]
fn a_setting_of_any_depth_is_set_or_refused() {
    let set = |key: &str, value: &str| {
        let mut over = Fields::none("settings");
        over.set(key, value);
        Ruleset::load("cowboy", over, &no_files)
    };
    assert_eq!(set("policy.attempts", "5").expect("it can be set").policy.attempts, 5);
    assert_eq!(set("name", "own").expect("it can be set").name, "own");
    for key in ["", ".", "hp.hp", "policy.attempts.most", &".".repeat(100_000), &"policy.".repeat(100_000)] {
        assert!(set(key, "1").is_err(), "{}", shorten(key));
    }
}

#[test]
fn a_file_of_any_depth_is_refused() {
    for deep in [
        "a.".repeat(100_000) + "a = 1",
        "a = ".to_owned() + &"[".repeat(100_000),
        "[a".to_owned() + &".a".repeat(100_000) + "]",
    ] {
        assert!(Ruleset::load("own.toml", Fields::none(""), &|_| Ok(deep.clone())).is_err());
    }
}
