//! Matches that begin from random turns, drawn from their seed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};
use standoff::bots::{Bot, BotSpec};
use standoff::games::{Code, Joint, Order, Ruleset, Seed, Table, Viewer, library};
use standoff::matches::{Chain, Match, Replay};
use standoff::store::{Filter, Location, Store};

use crate::program::{run, run_with, stdout};

fn ruleset(fields: &Json) -> Arc<Ruleset> {
    Arc::new(Ruleset::from_json(fields).expect("a good ruleset"))
}

/// A game of `greedy` against itself: where it starts, and its actions.
fn greedy_game(ruleset: &Arc<Ruleset>, seed: Seed) -> Vec<String> {
    let seats = ruleset.players.default;
    let (mut game, _) =
        Match::open("m", ruleset.clone(), seed, vec!["greedy".to_owned(); seats]).expect("so many can play");
    let mut bots: Vec<Box<dyn Bot>> =
        (0..seats as u64).map(|seat| BotSpec::Greedy.seat(seed.child("bot", seat))).collect();
    let mut actions = vec![game.table().hash().to_string()];
    while let Some(seat) = game.awaiting().iter().next() {
        let view = game.table().view(Viewer::Seat(seat));
        let action = bots[seat.index()].choose(&view, seat).expect("a bot finds something").to_string();
        game.submit(seat, &action).expect("legal");
        actions.push(action);
    }
    actions
}

#[test]
fn twenty_seeds_give_twenty_games_of_greedy_against_itself() {
    for name in library::rulesets() {
        let ruleset = Arc::new(Ruleset::named(name).expect("built in").for_tournament(None));
        assert!(ruleset.opening > 0, "{name}");
        let games: BTreeSet<Vec<String>> = (0..20).map(|seed| greedy_game(&ruleset, Seed(seed))).collect();
        assert_eq!(games.len(), 20, "{name}");
    }
}

/// `SplitMix64` and its fair die, written again from their definitions.
struct NaiveDice(u64);

impl NaiveDice {
    fn of_opening(seed: u64) -> NaiveDice {
        let digest =
            Sha256::new().chain_update(seed.to_le_bytes()).chain_update([0; 8]).chain_update("opening").finalize();
        NaiveDice(u64::from_le_bytes(digest[..8].try_into().expect("eight bytes")))
    }

    fn below(&mut self, n: u64) -> u64 {
        loop {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            let product = ((z ^ (z >> 31)) >> 32) * n;
            // Each number has as many of the 2^32 draws as the others.
            if product % (1 << 32) >= (1_u64 << 32) % n {
                return product >> 32;
            }
        }
    }
}

/// The entries of a state's players, whatever the game calls them.
fn entries(state: &mut Json) -> &mut Vec<Json> {
    let key = ["bots", "players", "riders"].into_iter().find(|key| state.get(key).is_some()).expect("somebody plays");
    state[key].as_array_mut().expect("a list")
}

/// What each player can lose: hit points, and where there are none its life.
fn hit_points(state: &Json) -> Vec<Option<u64>> {
    let lives = |entry: &Json| entry["alive"].as_bool().map(u64::from);
    entries(&mut state.clone()).iter().map(|entry| entry["hp"].as_u64().or(lives(entry))).collect()
}

/// An opening drawn over states and notation: the turns, the state after it, and how many draws did harm.
fn naive(endless: &Arc<Ruleset>, start: &Json, turns: usize, seed: u64) -> (Vec<Json>, Json, usize) {
    let mut dice = NaiveDice::of_opening(seed);
    let (mut state, mut drawn, mut harmed) = (start.clone(), Vec::new(), 0);
    'turns: while drawn.len() < turns {
        for _ in 0..32 {
            let mut table = Table::from_state(endless.clone(), &state).expect("a good state");
            let mut told = BTreeMap::new();
            let mut joint = Joint::new();
            for seat in table.to_act().iter() {
                let mut legal = table.legal(seat);
                legal.retain(|action| !action.starts_with("speak"));
                let at = dice.below(legal.len() as u64);
                let action = &legal[usize::try_from(at).expect("small")];
                joint.set(seat, Order::Play(table.read(action).expect("notation").0));
                told.insert(seat.to_string(), action.clone());
            }
            table.play(&joint, &mut Seed(99).dice()).expect("legal");
            let next = json!(table.state());
            let harm = |(now, before): (Option<u64>, Option<u64>)| now < before;
            if hit_points(&next).into_iter().zip(hit_points(&state)).any(harm) {
                harmed += 1;
                continue;
            }
            state = next;
            drawn.push(json!(told));
            continue 'turns;
        }
        break;
    }
    // All is as at the start, but for what lies on the board.
    let mut opened = start.clone();
    if start.get("grid").is_some() {
        opened["grid"] = state["grid"].clone();
    }
    for (entry, moved) in entries(&mut opened).iter_mut().zip(entries(&mut state)) {
        for key in ["row", "col", "position", "shield", "facing", "score"] {
            if entry.get(key).is_some() {
                entry[key] = moved[key].clone();
            }
        }
    }
    (drawn, opened, harmed)
}

#[test]
fn an_opening_is_what_a_second_reading_of_the_rule_draws() {
    let endless = json!({ "max_rounds": 100_000, "turns": 100_000, "max_turns": 100_000, "max_ticks": 100_000, "zone_shrinks": 0 });
    let (mut harmed, mut cut_short) = (0, 0);
    for (base, players, fields) in [
        ("cowboy", 2, json!({})),
        ("cowboy", 4, json!({ "hp": 1, "max_rounds": 1 })),
        ("cowboy", 1, json!({})),
        ("cowboy-duel", 2, json!({ "map": ["...", ".2.", "..."] })),
        ("cowboy-classic", 3, json!({ "map": "none", "rows": 5, "cols": 5 })),
        ("paint", 2, json!({ "turns": 1 })),
        ("paint", 5, json!({ "map": "garden" })),
        ("grid-royale", 4, json!({})),
        ("grid-royale", 8, json!({ "hp": 1, "width": 5, "height": 5 })),
        ("grid-royale", 4, json!({ "max_ticks": 1, "zone_every": 1, "powerups": { "every": 1 } })),
        ("grid-royale", 4, json!({ "teams": 2, "width": 6, "height": 6 })),
        ("trails", 2, json!({})),
        ("trails", 4, json!({ "max_turns": 1 })),
        ("trails", 3, json!({ "rows": 5, "cols": 5 })),
    ] {
        let mut fields = fields;
        fields["base"] = json!(base);
        let plain = ruleset(&fields);
        let mut limitless = serde_json::to_value(&*plain).expect("plain data");
        for (key, value) in endless.as_object().expect("fields") {
            if limitless.get(key).is_some() {
                limitless[key] = value.clone();
            }
        }
        if limitless.get("powerups").is_some() {
            limitless["powerups"]["every"] = json!(0);
        }
        let limitless = ruleset(&limitless);
        for (turns, seed) in [(1, 3), (4, 7), (12, u64::MAX), (64, 1 << 40)] {
            fields["opening"] = json!(turns);
            let start = json!(Table::open(limitless.clone(), players, Seed(seed)).expect("so many can play").state());
            let (drawn, opened, in_vain) = naive(&limitless, &start, turns, seed);
            harmed += in_vain;
            cut_short += usize::from(drawn.len() < turns);
            let (table, told) = Table::open_told(ruleset(&fields), players, Seed(seed)).expect("so many can play");
            assert_eq!(json!(told), json!(drawn), "{fields} {seed}");
            let mut state = json!(table.state());
            // What differs between the two rulesets, and not by the opening.
            for key in ["turns_left", "powerups"] {
                let usual = json!(Table::open(plain.clone(), players, Seed(seed)).expect("the same").state());
                if let Some(usual) = usual.get(key) {
                    assert_eq!(&state[key], usual, "{key} is as at the start");
                    state[key] = opened.get(key).cloned().unwrap_or_default();
                }
            }
            for (own, naive) in entries(&mut state).iter_mut().zip(entries(&mut opened.clone())) {
                own.as_object_mut().expect("fields").retain(|key, _| naive.get(key).is_some());
            }
            if opened.get("powerups").is_none() {
                state.as_object_mut().expect("fields").remove("powerups");
            }
            assert_eq!(state, opened, "{fields} {seed}");
        }
    }
    assert!(harmed > 100, "harm was done and undone {harmed} times");
    assert!(cut_short > 0, "who is walled in comes to harm in 32 draws of 32");
}

#[test]
fn the_engine_tells_the_turns_of_an_opening() {
    let ask = |request: Json| -> Json {
        let answer = stdout(&run_with(&["engine"], request.to_string().as_bytes()));
        serde_json::from_str(&answer).expect("JSON")
    };
    for name in library::rulesets() {
        let turns_asked = if name == "trails" { 4 } else { 12 };
        let plain = ask(json!({ "op": "start", "ruleset": name, "seed": 7 }));
        assert_eq!(plain.get("opening"), None, "{name}");
        let opened = ask(json!({ "op": "start", "ruleset": { "base": name, "opening": turns_asked }, "seed": 7 }));
        let turns = opened["opening"].as_array().expect("turns");
        assert_eq!(turns.len(), turns_asked, "{name}");
        assert_eq!(
            turns[0].as_object().expect("seats").len(),
            plain["state"]["to_act"].as_array().expect("seats").len()
        );
        for field in ["turn", "to_act", "outcome"] {
            assert_eq!(opened["state"][field], plain["state"][field], "{name}");
        }
        assert_ne!(opened["state"], plain["state"], "{name}");
    }
    for wrong in [json!(65), json!(-1), json!("12")] {
        let refused = ask(json!({ "op": "start", "ruleset": { "base": "paint", "opening": wrong } }));
        assert_eq!(refused["error"]["code"], json!(Code::BadRuleset), "{refused}");
    }
}

#[test]
fn a_match_with_an_opening_is_played_recorded_verified_and_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("match.jsonl");
    let file = file.to_str().expect("UTF-8");
    for (name, players) in
        [("cowboy", "greedy,greedy"), ("paint", "greedy,random"), ("grid-royale", "greedy,random,greedy")]
    {
        let _ = std::fs::remove_file(file);
        let played = ["play", "--opening", "12", "--players", players, "--ruleset", name, "--seed", "3"];
        stdout(&run(&[&played[..], &["--record", file, "--json"]].concat()));
        assert!(stdout(&run(&["replay", file, "--verify"])).starts_with("verified"), "{name}");
        let record = std::fs::read_to_string(file).expect("a record");
        let header: Json = serde_json::from_str(record.lines().next().expect("a header")).expect("JSON");
        assert_eq!(header["opening"].as_array().map(Vec::len), Some(12), "{name}");
        let first: Json =
            serde_json::from_str(stdout(&run(&["replay", file, "--json"])).lines().next().expect("a state"))
                .expect("JSON");
        assert_eq!(first, header["state"], "{name}");
        let shown = stdout(&run(&["replay", file]));
        let begun = header["opening"][0]["A"].as_str().expect("an action");
        assert!(shown.contains("began from an opening") && shown.contains(&format!("A {begun}")), "{shown}");
        assert!(stdout(&run(&["replay", file, "--lang", "zh"])).contains("随机开局"));
        assert!(stdout(&run(&played)).contains("began from an opening"));
    }
}

#[test]
fn a_changed_opening_is_found() {
    let ruleset = ruleset(&json!({ "base": "cowboy-duel", "opening": 2 }));
    let (_, header) = Match::open("m", ruleset, Seed(7), vec!["tester".to_owned(); 2]).expect("two can play");
    let header = serde_json::to_string(&header).expect("plain data");
    let verdict = |header: &str| {
        let body = header.strip_suffix('}').expect("an object");
        let chain = Chain::default().after(body.as_bytes());
        let line = format!("{body},\"hash\":\"{chain}\"}}\n");
        Replay::verify(line.as_bytes()).map(|_| ()).map_err(|error| error.to_string())
    };
    verdict(&header).expect("as it was written");
    let written: Json = serde_json::from_str(&header).expect("JSON");
    let opening = format!("\"opening\":{}", written["opening"]);
    for (from, to) in [
        (opening.as_str(), "\"opening\":[{\"A\":\"shield up\"},{\"B\":\"shield up\"}]".to_owned()),
        (&opening, format!("\"opening\":[{}]", written["opening"][0])),
        (&format!("{opening},"), String::new()),
        ("\"opening\":2", "\"opening\":1".to_owned()),
        ("\"opening\":2", "\"opening\":0".to_owned()),
        ("\"seed\":7", "\"seed\":8".to_owned()),
    ] {
        assert!(header.contains(from), "`{from}` is not in {header}");
        let told = verdict(&header.replacen(from, &to, 1)).expect_err("found");
        assert!(told.starts_with("line 1: `opening` "), "{from} → {to}: {told}");
    }
}

/// The record of every match of a store, by its name.
async fn records(path: &Path) -> BTreeMap<String, Replay> {
    let store = Store::open(&Location::File(path.to_owned())).await.expect("a store");
    let mut records = BTreeMap::new();
    for found in store.matches(&Filter::default()).await.expect("a list") {
        let record = store.record(&found.id, 0).await.expect("a record");
        let replay = Replay::verify(record.as_slice()).unwrap_or_else(|error| panic!("{}: {error}", found.id));
        records.insert(found.id, replay);
    }
    store.close().await;
    records
}

/// Plays a tournament and gives the records by block and game.
async fn played(folder: &Path, file: &str) -> BTreeMap<(String, String), Replay> {
    let (cup, store) = (folder.join("cup.toml"), folder.join("s.db"));
    std::fs::write(&cup, file).expect("writable");
    let _ = std::fs::remove_file(&store);
    stdout(&run(&["tournament", cup.to_str().expect("UTF-8"), "--store", store.to_str().expect("UTF-8"), "--json"]));
    let part = |id: &str, back: usize| id.rsplit('.').nth(back).expect("tournament.block.game").to_owned();
    records(&store).await.into_iter().map(|(id, replay)| ((part(&id, 1), part(&id, 0)), replay)).collect()
}

#[tokio::test]
async fn all_seat_rotations_of_a_block_share_its_opening_and_a_file_may_name_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = folder.path().join("own.toml");
    std::fs::write(&own, "base = \"cowboy\"\nname = \"own\"\nopening = 5\n").expect("writable");
    let own = own.to_str().expect("UTF-8").to_owned();
    let head = "name = \"cup\"\nplayers = [\"greedy\", \"random\"]\nblocks = 3\n";
    for (rules, line, expected) in [
        ("cowboy-duel", "", 12),
        ("paint", "", 4),
        ("grid-royale", "", 6),
        (own.as_str(), "", 5),
        ("paint", "opening = 9\n", 9),
        (own.as_str(), "opening = 0\n", 0),
    ] {
        let games = played(folder.path(), &format!("{head}{line}rulesets = [\"{rules}\"]\n")).await;
        assert_eq!(games.len(), 6);
        let mut starts = BTreeMap::new();
        for ((block, game), replay) in &games {
            assert_eq!(replay.opening.len(), expected, "{rules} {block} {game}");
            assert_eq!(replay.ruleset.policy.turn_seconds, 120, "{rules} {block} {game}");
            starts.entry(block).or_insert_with(Vec::new).push(replay.start.state());
        }
        let starts: Vec<_> = starts.into_values().collect();
        assert!(starts.iter().all(|block| block.len() == 2 && block[0] == block[1]), "rotations share it");
        assert_eq!(starts[0][0] == starts[1][0], expected == 0, "{rules}: blocks have their own");
    }
}

/// `tests/stores/begun.db` is of the version before there were openings; four of the eight games are played.
#[tokio::test]
async fn a_tournament_that_was_begun_before_there_were_openings_goes_on_without() {
    let folder = tempfile::tempdir().expect("a folder");
    let (cup, store) = (folder.path().join("begun.toml"), folder.path().join("begun.db"));
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stores/begun.db");
    std::fs::write(&store, std::fs::read(kept).expect("it is there")).expect("a copy");
    let file =
        "name = \"begun\"\nplayers = [\"random\", \"greedy\"]\nrulesets = [\"cowboy\", \"grid-royale\"]\nblocks = 2\n";
    std::fs::write(&cup, file).expect("writable");
    let before = records(&store).await;
    assert_eq!(before.len(), 4);
    let said = stdout(&run(&[
        "tournament",
        cup.to_str().expect("UTF-8"),
        "--store",
        store.to_str().expect("UTF-8"),
        "--resume",
        "--json",
    ]));
    assert!(said.contains("begun-6bb8d16f"), "{said}");
    let after = records(&store).await;
    assert_eq!(after.len(), 8);
    for (id, replay) in &after {
        assert_eq!((replay.opening.len(), replay.ruleset.opening), (0, 0), "{id}");
        let seconds = if replay.ruleset.name == "grid-royale" { 3 } else { 120 };
        assert_eq!(replay.ruleset.policy.turn_seconds, seconds, "the clocks are those that it was begun with");
        assert!(before.keys().all(|known| after.contains_key(known)));
    }
}
