//! What players are told, in both languages: the briefs as they are, and what holds of all of them.
//!
//! A change in the files under `tests/it/briefs/golden` is a change in what players read: read it too before you accept it with
//! `UPDATE_GOLDEN=1 cargo test briefs`.

mod answers;
mod audit;
mod boards;
mod coverage;
mod numbers;
mod prose;
mod quoting;
mod tokens;
mod variants;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value as Json, json};
use standoff::briefs::{Language, Section, TurnContext, board, brief, event_sentence, refused, turn};
use standoff::games::Action;
use standoff::games::table::Event;
use standoff::games::{Dice, Joint, Order, Ruleset, Seat, Seed, Table, Viewer, library};

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).expect("the folder is in the repository");
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.expect("a readable folder").path();
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        path.is_file().then(|| (name, std::fs::read_to_string(&path).expect("a text")))
    };
    entries.filter_map(read).collect()
}

fn ruleset(json: &Json) -> Ruleset {
    Ruleset::from_json(json).unwrap_or_else(|bad| panic!("{json}: {bad}"))
}

/// Rulesets that between them show every sentence of the briefs, with a name and a number of players.
fn variants() -> Vec<(String, Json, usize)> {
    let plain = library::rulesets().map(|name| {
        let seats = Ruleset::named(name).expect("it is built in").players.default;
        (name.to_owned(), json!(name), seats)
    });
    let others = [
        ("cowboy-alone", json!({ "base": "cowboy", "speech": "off", "bodies": "vanish" }), 1),
        (
            "cowboy-strict",
            json!({
                "base": "cowboy-classic", "bodies": "block-moves", "hp": 1, "map": "prairie",
                "policy": { "attempts": 1, "turn_seconds": 0, "on_lapse": "forfeit" },
            }),
            4,
        ),
        ("paint-garden", json!({ "base": "paint", "map": "garden", "rows": 0, "cols": 0, "speech": "off" }), 4),
        (
            "royale-teams",
            json!({
                "base": "grid-royale", "teams": 2, "map": "pillars", "width": 0, "height": 0,
                "powerups": { "every": 5 }, "policy": { "on_lapse": "pass", "forfeit_after": 0 },
            }),
            4,
        ),
        (
            "trails-pinwheel",
            json!({
                "base": "trails", "map": "pinwheel", "max_turns": 40, "speech": "off",
                "policy": { "on_lapse": "random" },
            }),
            4,
        ),
        (
            "royale-fog-teams",
            json!({
                "base": "grid-royale-fog", "sight": 2, "teams": 2, "width": 8, "height": 8, "powerups": { "every": 2 },
            }),
            6,
        ),
    ];
    plain.chain(others.map(|(name, json, seats)| (name.to_owned(), json, seats))).collect()
}

/// A short match, told turn by turn to one seat. Now and then the referee steps in.
fn transcript(ruleset: &Ruleset, seats: usize, language: Language) -> String {
    let mut table = Table::open(Arc::new(ruleset.clone()), seats, Seed(7)).expect("so many can play");
    let mut dice = Seed(11).dice();
    let (you, mut events, mut text) = (Seat::new(0), Vec::new(), String::new());
    let said = [(Seat::new(seats - 1), "Howdy, 你好!".to_owned())];
    for at in 0..6 {
        if table.outcome().is_some() {
            break;
        }
        if table.to_act().contains(you) {
            let said = if at == 0 { &said[..] } else { &[] };
            let view = table.view(Viewer::Seat(you));
            let message = TurnContext { view: &view, seat: you, since: &events, said, history: &[], notes: None };
            text.push_str(&turn(&message, &Section::USUAL, language));
            text.push_str("\n---\n\n");
            let raw = "move sideways";
            let refusal = table.read(raw).expect_err("no way to go");
            text.push_str(&refused(&view, you, raw, &refusal, 1 + at, language));
            text.push_str("\n---\n\n");
            events.clear();
        }
        events.extend(step(&mut table, &mut dice, Viewer::Seat(you)));
    }
    text + "```text\n" + &board(&table.view(Viewer::Public), language) + "```\n"
}

/// A turn of random actions, as somebody is told of it; one in eight is the referee's.
fn step(table: &mut Table, dice: &mut Dice, viewer: Viewer) -> Vec<Event> {
    let (to_act, before) = (table.to_act(), table.clone());
    let orders = to_act.iter().map(|seat| {
        let order = match dice.below(64) {
            0 => Order::Forfeit,
            1..=4 => Order::Pass,
            5..=7 => Order::StandIn(table.stand_in(seat, dice).action().clone()),
            8 if table.legal(seat).contains(&"speak <text>".to_owned()) => {
                Order::Play(table.read("speak 你好").expect("an action").0)
            }
            _ => Order::Play(table.random_legal(seat, dice)),
        };
        (seat, order)
    });
    let joint: Joint<Action> = orders.collect();
    let turn = u64::from(table.turn());
    let events = table.play(&joint, &mut Seed(7).turn(turn)).expect("legal actions can be played");
    table.told(&before, &events.into(), viewer).to_vec()
}

#[test]
fn what_players_read_is_what_is_kept() {
    let mut now = BTreeMap::new();
    for (name, json, seats) in variants() {
        let ruleset = ruleset(&json);
        for language in Language::ALL {
            now.insert(format!("{name}.{language}.md"), brief(&ruleset, seats, language));
            now.insert(format!("{name}.turns.{language}.md"), transcript(&ruleset, seats, language));
        }
    }
    check_kept("tests/it/briefs/golden", &now);
}

/// Checks texts against the files that are kept of them, or writes these where that is asked for.
fn check_kept(path: &str, now: &BTreeMap<String, String>) {
    let folder = folder(path);
    let kept = files(&folder);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        for name in kept.keys() {
            std::fs::remove_file(folder.join(name)).expect("the folder can be written to");
        }
        for (name, text) in now {
            std::fs::write(folder.join(name), text).expect("the folder can be written to");
        }
        return;
    }
    assert!(now.keys().eq(kept.keys()), "kept: {:?}\nbut now: {:?}", kept.keys(), now.keys());
    for (name, text) in now {
        let line = text.lines().zip(kept[name].lines()).take_while(|(new, old)| new == old).count();
        let at = |text: &str| text.lines().nth(line).unwrap_or("(nothing)").to_owned();
        assert!(*text == kept[name], "{name}:{}: kept is\n{}\nbut now it is\n{}", line + 1, at(&kept[name]), at(text));
    }
}

#[test]
fn both_languages_have_the_same_files() {
    let names = |language: &str| files(&folder("prompts").join(language)).into_keys().collect::<Vec<_>>();
    assert_eq!(names("en"), names("zh"));
}

#[test]
fn every_kind_of_event_has_a_sentence_in_both_languages() {
    use standoff::games::{cowboy, paint, royale, trails};
    let games = [
        ("cowboy", schema(&schemars::schema_for!(cowboy::Event))),
        ("paint", schema(&schemars::schema_for!(paint::Event))),
        ("grid-royale", schema(&schemars::schema_for!(royale::Event))),
        ("trails", schema(&schemars::schema_for!(trails::Event))),
    ];
    for (game, kinds) in games {
        for language in Language::ALL {
            let terms = standoff::briefs::terms(language);
            let of = |terms: &Json| -> Vec<String> {
                let sentences = terms["events"].as_object().expect("a table of sentences");
                sentences.keys().filter(|kind| *kind != "plain").cloned().collect()
            };
            let mut told: Vec<String> = of(&terms[game]).into_iter().chain(of(terms)).collect();
            told.sort();
            let mut kinds = kinds.clone();
            kinds.sort();
            assert_eq!(told, kinds, "{game} {language}");
        }
    }
}

/// The kinds of event that a schema lists.
fn schema(schema: &schemars::Schema) -> Vec<String> {
    let listed = schema.as_value()["oneOf"].as_array().expect("an event is one of several");
    listed.iter().filter_map(|one| one["properties"]["type"]["const"].as_str().map(ToOwned::to_owned)).collect()
}

#[test]
fn everything_that_happens_can_be_told() {
    for (name, json, seats) in variants() {
        let ruleset = Arc::new(ruleset(&json));
        let mut dice = Seed(3).child(&name, 0).dice();
        let mut table = Table::open(ruleset, seats, Seed(3)).expect("so many can play");
        while table.outcome().is_none() {
            // As it was, and as somebody saw it.
            let viewer = if dice.below(2) == 0 { Viewer::After } else { Viewer::Seat(Seat::new(0)) };
            for event in step(&mut table, &mut dice, viewer) {
                for language in Language::ALL {
                    let sentence = event_sentence(&event, language);
                    assert!(!sentence.is_empty() && !sentence.contains('\n'), "{event:?}: {sentence}");
                }
            }
        }
    }
}
