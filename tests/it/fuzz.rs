//! Anything at all, given to what reads from outside: it answers, and never panics. What it accepts, it can play.
//!
//! Every run tries the same cases. For a long run with others: `PROPTEST_CASES=100000 PROPTEST_RNG_SEED=$RANDOM cargo
//! test fuzz`.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;
use serde_json::{Value as Json, json};
use standoff::games::Action;
use standoff::games::ruleset::Players;
use standoff::games::table::order;
use standoff::games::{Code, Event, Joint, Order, Ruleset, Seat, Seed, Table, library};
use standoff::settings::fields::Fields;

/// The given number of cases unless the environment says otherwise, and the same ones in every run.
fn config(cases: u32) -> ProptestConfig {
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    if std::env::var_os("PROPTEST_RNG_SEED").is_none() {
        config.rng_seed = RngSeed::Fixed(7);
    }
    config
}

fn no_files(name: &str) -> Result<String, String> {
    Err(format!("there is no file {name}"))
}

fn any_name() -> impl Strategy<Value = &'static str> {
    select(library::rulesets().collect::<Vec<_>>())
}

/// A table of a built-in ruleset after some random turns.
fn any_table() -> impl Strategy<Value = Table> {
    (any_name(), any::<Index>(), any::<u64>(), 0..60_u32).prop_map(|(name, players, seed, turns)| {
        let ruleset = Ruleset::named(name).expect("it is built in");
        let (min, max) = (ruleset.players.min, ruleset.players.max.min(8));
        let mut table =
            Table::open(Arc::new(ruleset), min + players.index(max - min + 1), Seed(seed)).expect("so many");
        for _ in 0..turns {
            play_on(&mut table, Seed(seed));
        }
        table
    })
}

/// Plays a random turn, where there is one to play.
fn play_on(table: &mut Table, seed: Seed) {
    let turn = table.turn().into();
    let mut dice = seed.child("choices", turn).dice();
    let to_act = table.to_act();
    let orders = to_act.iter().map(|seat| (seat, Order::Play(table.random_legal(seat, &mut dice))));
    let orders: Joint<Action> = orders.collect();
    if !to_act.is_empty() {
        table.play(&orders, &mut seed.turn(turn)).expect("legal actions play");
    }
}

/// Text with the words, signs and characters that actions and rulesets are made of, and some that they are not.
fn any_text() -> impl Strategy<Value = String> {
    let words = "move shield shoot stay speak pass forfeit up down left right north south east west north-east , ; : . - \
                 _ { } [ ] \" = # \n \t \u{0} \u{7f} 0 1 -1 9999999999999999999 1.5 true null 移动 射击 护盾 向 上 东北 说 \
                 ｍｏｖｅ 🤠 \u{301} \u{202e} action direction text reasoning game hp map rows players policy cowboy";
    let word = prop_oneof![
        4 => select(words.split(' ').map(str::to_owned).collect::<Vec<_>>()),
        1 => any::<char>().prop_map(String::from),
        1 => "\\PC{0,12}",
    ];
    prop_oneof![
        (proptest::collection::vec(word, 0..24), select(vec!["", " ", "\n"])).prop_map(|(words, by)| words.join(by)),
        any::<String>(),
        (1..3000_usize, any::<char>()).prop_map(|(length, c)| c.to_string().repeat(length)),
    ]
}

/// Any JSON, a few levels deep, with the keys that ours has.
fn any_json() -> impl Strategy<Value = Json> {
    let keys = "action direction text move shoot reasoning base game name version hp map rows cols sides players policy \
                summary en zh min max default grid turn to_act outcome places reason round seat row col shield alive \
                kills place tick zone bots walls id position x y type x";
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<u64>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        (-2..20_i64).prop_map(Json::from),
        any_text().prop_map(Json::from),
        select(vec![
            "cowboy",
            "paint",
            "grid-royale",
            "trails",
            "A",
            "B",
            "up",
            "north",
            "none",
            "corral",
            "tee",
            "turn",
            "free"
        ])
        .prop_map(Json::from),
    ];
    let key = select(keys.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    leaf.prop_recursive(4, 48, 8, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..8).prop_map(Json::from),
            proptest::collection::vec((key.clone(), inner), 0..8)
                .prop_map(|fields| Json::Object(fields.into_iter().collect())),
        ]
    })
}

/// A small value that states and rulesets have, mostly within limits or just beyond them.
fn any_value() -> impl Strategy<Value = Json> {
    prop_oneof![
        3 => (-2..16_i64).prop_map(Json::from),
        1 => select(vec![63_i64, 64, 65, 255, 256, 32_767, 65_535, 65_536, 1_000_000_000, 4_294_967_295, i64::MAX])
            .prop_map(Json::from),
        1 => any::<bool>().prop_map(Json::from),
        1 => select(vec!["A", "B", "C", "Z", "AA", "FAN", "FAO", "up", "left", "north", "#"]).prop_map(Json::from),
        1 => Just(Json::Null),
        1 => select(vec![json!([]), json!({}), json!(["A"]), json!(["B"]), json!(["A", "B"]), json!([0, 0])]),
        1 => any_json(),
    ]
}

/// Cuts, doubles or replaces a piece of a text.
fn mutated(text: &str, from: Index, length: usize, kind: u8, piece: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let from = from.index(chars.len() + 1);
    let to = (from + length).min(chars.len());
    let cut: Vec<char> = match kind {
        0 => Vec::new(),
        1 => [&chars[from..to], &chars[from..to]].concat(),
        _ => piece.chars().collect(),
    };
    chars.splice(from..to, cut);
    chars.into_iter().collect()
}

/// Replaces one value somewhere inside another.
fn replaced(value: &mut Json, path: &[Index], by: &Json) {
    let Some((first, rest)) = path.split_first() else {
        *value = by.clone();
        return;
    };
    match value {
        Json::Array(items) if !items.is_empty() => {
            let at = first.index(items.len());
            replaced(&mut items[at], rest, by);
        }
        Json::Object(fields) if !fields.is_empty() => {
            let at = first.index(fields.len());
            replaced(fields.values_mut().nth(at).expect("within"), rest, by);
        }
        _ => *value = by.clone(),
    }
}

/// A ruleset that was accepted opens for as many as is usual, plays, and is written so that it reads back.
fn check_accepted(ruleset: Ruleset) {
    let json = serde_json::to_value(&ruleset).expect("a ruleset serialises");
    assert_eq!(Ruleset::from_json(&json).as_ref(), Ok(&ruleset), "{json}");
    let Players { min, max, default } = ruleset.players;
    let ruleset = Arc::new(ruleset);
    for seats in [min, default, max.min(70)] {
        match Table::open(ruleset.clone(), seats, Seed(5)) {
            Ok(mut table) => (0..3).for_each(|_| play_on(&mut table, Seed(5))),
            // Some numbers do not make teams of one size.
            Err(refusal) => assert!(seats != default && refusal.code == Code::BadRequest, "{seats}: {refusal}"),
        }
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn any_text_can_be_read_as_an_action(table in any_table(), text in any_text()) {
        let read = table.read(&text);
        if let Ok(read) = &read {
            prop_assert_eq!(&table.read(&read.0.to_string()).expect("what was written is readable").0, &read.0);
        } else if let Err(refusal) = &read {
            prop_assert_eq!(refusal.code, Code::UnreadableAction);
        }
        for seat in Seat::first(table.seats() + 1) {
            let checked = table.accept(seat, &text);
            let mut copy = table.clone();
            let mut orders: Joint<Action> = table.to_act().iter().map(|seat| (seat, Order::Pass)).collect();
            if let Ok(order) = order(&table, &text) {
                orders.set(seat, order);
            }
            let played = copy.play(&orders, &mut Seed(1).dice());
            prop_assert!(played.is_ok() || copy.position() == table.position());
            prop_assert!(checked.is_err() || played.is_ok());
        }
    }

    #[test]
    fn whatever_is_said_is_written_so_that_it_reads_back(table in any_table(), text in any_text()) {
        if let Ok(read) = table.read(&json!({ "action": "speak", "text": text }).to_string()) {
            prop_assert_eq!(table.read(&read.0.to_string()), Ok(read));
        }
    }

    #[test]
    fn any_json_can_be_read_as_an_action_or_an_event(table in any_table(), json in any_json()) {
        let text = json.to_string();
        if let Ok(read) = table.read(&text) {
            prop_assert_eq!(&table.read(&read.0.to_string()).expect("what was written is readable").0, &read.0);
        }
        let _ = Event::read(table.ruleset().rules.game(), &text);
    }

    #[test]
    fn any_text_can_be_read_as_a_ruleset(text in any_text()) {
        let read = |name: &str| if name == "own.toml" { Ok(text.clone()) } else { no_files(name) };
        match Ruleset::load("own.toml", Fields::none("none"), &read) {
            Ok(ruleset) => check_accepted(ruleset),
            Err(bad) => prop_assert!(!bad.problems.is_empty()),
        }
    }

    #[test]
    fn a_spoiled_ruleset_is_refused_or_can_be_played(
        name in any_name(), from: Index, length in 0..20_usize, kind in 0..3_u8, piece in any_text(),
    ) {
        let text = mutated(library::ruleset(name).expect("it is built in"), from, length, kind, &piece);
        let read = |name: &str| if name == "own.toml" { Ok(text.clone()) } else { no_files(name) };
        match Ruleset::load("own.toml", Fields::none("none"), &read) {
            Ok(ruleset) => check_accepted(ruleset),
            Err(bad) => prop_assert!(!bad.problems.is_empty()),
        }
    }

    #[test]
    fn any_setting_on_top_of_a_ruleset_is_refused_or_can_be_played(
        name in any_name(), key in any_text(), value in any_text(), number: i64,
        known in select(vec!["hp", "map", "rows", "cols", "players.max", "players.min", "policy.attempts", "speech"]),
    ) {
        for (key, value) in [(key.as_str(), value.as_str()), (known, &value), (known, &number.to_string()), (known, "1")] {
            let mut over = Fields::none("settings");
            over.set(key, value);
            if let Ok(ruleset) = Ruleset::load(name, over, &no_files) {
                check_accepted(ruleset);
            }
        }
    }

    #[test]
    fn any_json_can_be_read_as_a_ruleset(
        json in any_json(), name in any_name(), path: [Index; 3], depth in 1..=3_usize, value in any_value(),
    ) {
        let mut spoiled = serde_json::to_value(Ruleset::named(name).expect("it is built in")).expect("it serialises");
        replaced(&mut spoiled, &path[..depth], &value);
        let mut over = json.clone();
        if let Json::Object(fields) = &mut over {
            fields.insert("base".into(), name.into());
        }
        for json in [json, spoiled, over] {
            match Ruleset::from_json(&json) {
                Ok(ruleset) => check_accepted(ruleset),
                Err(bad) => prop_assert!(!bad.problems.is_empty()),
            }
        }
    }

    #[test]
    fn any_map_is_refused_or_can_be_played(name in any_name(), rows in any_map(), text in any_text()) {
        for map in [json!(rows), json!(text), json!([text])] {
            if let Ok(ruleset) = Ruleset::from_json(&json!({ "base": name, "map": map })) {
                check_accepted(ruleset);
            }
        }
        let file = rows.join("\n");
        let read = |_: &str| Ok(file.clone());
        let mut over = Fields::none("settings");
        over.set("map", "own.txt");
        if let Ok(ruleset) = Ruleset::load(name, over, &read) {
            check_accepted(ruleset);
        }
    }

    #[test]
    fn a_spoiled_state_is_refused_or_can_be_played(
        table in any_table(), changes in proptest::collection::vec((any::<[Index; 4]>(), 1..=4_usize, any_value()), 1..4),
    ) {
        let mut state = serde_json::to_value(table.state()).expect("a state serialises");
        for (path, depth, json) in changes {
            replaced(&mut state, &path[..depth], &json);
        }
        check_state(&table, &state)?;
    }

    #[test]
    fn any_json_can_be_read_as_a_state(table in any_table(), json in any_json()) {
        check_state(&table, &json)?;
    }
}

/// Rows of what maps are made of, mostly of one length.
fn any_map() -> impl Strategy<Value = Vec<String>> {
    let cell = prop_oneof![
        12 => Just("."), 2 => Just("#"), 1 => Just("1"), 1 => Just("9"), 1 => Just("A"),
    ];
    let rows = (1..70_usize, 1..70_usize, select(vec!["", " ", "  ", "\t"])).prop_flat_map(move |(rows, cols, by)| {
        let row = proptest::collection::vec(cell.clone(), cols).prop_map(move |cells| cells.join(by));
        proptest::collection::vec(row, rows)
    });
    (rows, any::<Index>(), any_text()).prop_map(|(mut rows, at, text)| {
        // One in a few has a row that is something else.
        if at.index(4) == 0 {
            let at = at.index(rows.len());
            rows[at] = text;
        }
        rows
    })
}

/// A state is refused as bad, or can be played to wherever it leads, and says of itself what was set up.
fn check_state(table: &Table, state: &Json) -> Result<(), TestCaseError> {
    match Table::from_state(table.ruleset().clone(), state) {
        Err(refusal) => prop_assert_eq!(refusal.code, Code::BadState),
        Ok(mut table) => {
            let written = serde_json::to_value(table.state()).expect("a state serialises");
            let again = Table::from_state(table.ruleset().clone(), &written);
            prop_assert_eq!(again.map(|table| table.hash()), Ok(table.hash()));
            prop_assert_eq!(table.to_act().is_empty(), table.outcome().is_some());
            for _ in 0..40 {
                play_on(&mut table, Seed(6));
            }
            let passes: Joint<Action> = table.to_act().iter().map(|seat| (seat, Order::Pass)).collect();
            let forfeits: Joint<Action> = table.to_act().iter().map(|seat| (seat, Order::Forfeit)).collect();
            if !passes.is_empty() {
                prop_assert!(table.clone().play(&passes, &mut Seed(6).dice()).is_ok());
                prop_assert!(table.play(&forfeits, &mut Seed(6).dice()).is_ok());
            }
        }
    }
    Ok(())
}
