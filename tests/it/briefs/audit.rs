//! What models are told, held against the faults that others found in thousands of real episodes: every ruleset, language,
//! variant and way to answer. Where a text and the engine could disagree, the engine is asked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value as Json, json};
use standoff::briefs::{AnswerBy, Language, Past, TurnContext, Variant, event_sentence, variants};
use standoff::games::{Event, Joint, Order, Ruleset, Seat, Seed, Table, Viewer, library};
use standoff::matches::{Attempt, BadForm, Problem};

use super::ruleset;

/// The rulesets whose matches end after a number of turns, with the name of the field that has it. In the others the board
/// fills up.
fn limits() -> impl Iterator<Item = (&'static str, &'static str)> {
    library::rulesets().filter_map(|name| {
        let fields = json!(Ruleset::named(name).expect("it is built in"));
        let known = ["max_rounds", "turns", "max_ticks"].into_iter().find(|field| fields.get(*field).is_some());
        known.map(|field| (name, field))
    })
}

fn all_variants() -> impl Iterator<Item = Variant> {
    variants().map(|name| Variant::named(name).expect("it is built in"))
}

fn open(ruleset: Ruleset, seed: Seed) -> Table {
    let seats = ruleset.players.default;
    Table::open(Arc::new(ruleset), seats, seed).expect("so many can play")
}

/// Everybody who is to act does something legal.
fn step(table: &mut Table, seed: Seed) -> Vec<Event> {
    let mut dice = seed.child("step", table.turn().into()).dice();
    let acts = |seat| (seat, Order::Play(table.random_legal(seat, &mut dice)));
    let joint: Joint<_> = table.to_act().iter().map(acts).collect();
    table.play(&joint, &mut seed.turn(table.turn().into())).expect("it is legal")
}

/// Plays to the end, and says before every turn what a seat has not been told yet, whether or not it is to act.
fn watch(mut table: Table, seed: Seed, seat: Seat, mut see: impl FnMut(&Table, &[Event])) -> Table {
    let mut since = Vec::new();
    while !table.to_act().is_empty() {
        if table.to_act().contains(seat) {
            see(&table, &since);
            since.clear();
        }
        since.extend(step(&mut table, seed));
    }
    table
}

fn told(table: &Table, seat: Seat, since: &[Event], history: &[Past], variant: &Variant, language: Language) -> String {
    let view = table.view(Viewer::Seat(seat));
    variant.turn(&TurnContext { view: &view, seat, since, said: &[], history, notes: None }, language)
}

/// A text by its headings.
fn sections(text: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut sections: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut heading = "";
    for line in text.lines() {
        if line.starts_with('#') {
            heading = line;
        }
        sections.entry(heading).or_default().push(line);
    }
    sections
}

#[test]
fn a_rule_is_told_whichever_way_the_answer_comes() {
    for (name, language) in library::rulesets().flat_map(|name| Language::ALL.map(|language| (name, language))) {
        for (speech, variant) in
            ["free", "off"].into_iter().flat_map(|speech| all_variants().map(move |it| (speech, it)))
        {
            let ruleset = ruleset(&json!({ "base": name, "speech": speech }));
            let system = |by| variant.system(&ruleset, ruleset.players.default, Seat::new(0), by, language);
            let texts = AnswerBy::ALL.map(system);
            let [tools, json, text] = texts.each_ref().map(|text| sections(text));
            let answer = if language == Language::En { "## Your answer" } else { "## 怎么回答" };
            for other in [&json, &text] {
                assert_eq!(tools.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
                for (heading, lines) in &tools {
                    let same =
                        if *heading == answer { lines.len() == other[heading].len() } else { *lines == other[heading] };
                    assert!(same, "{name} {language} {} {heading}: {lines:?} {:?}", variant.name(), other[heading]);
                }
            }
        }
    }
}

#[test]
fn everybody_is_told_the_same_rules_and_the_same_of_their_own_seat() {
    for (name, language) in library::rulesets().flat_map(|name| Language::ALL.map(|language| (name, language))) {
        let ruleset = Ruleset::named(name).expect("it is built in");
        let seats = ruleset.players.default;
        for (variant, by) in all_variants().flat_map(|variant| AnswerBy::ALL.map(|by| (variant.clone(), by))) {
            // A seat by its place among its own and the others' letters.
            let anonymous = |seat: Seat| {
                let text = variant.system(&ruleset, seats, seat, by, language);
                let (rules, role) = text.trim_end().rsplit_once("\n\n").expect("there are rules");
                let (rules, role) = if role.contains(&ruleset.name) {
                    (rules.to_owned(), role.to_owned())
                } else {
                    // What is said of talk stands behind it.
                    let (rules, own) = rules.rsplit_once("\n\n").expect("there are rules");
                    (rules.to_owned(), format!("{own}\n{role}"))
                };
                let mut role =
                    role.replacen(&format!(" {seat} "), " ME ", 1).replacen(&format!(" {seat}，"), " ME，", 1);
                for other in Seat::first(seats).filter(|other| *other != seat) {
                    role = role.replacen(&other.to_string(), "?", 1);
                }
                (rules, role)
            };
            let all: BTreeSet<(String, String)> = Seat::first(seats).map(anonymous).collect();
            assert_eq!(all.len(), 1, "{name} {language} {} {by:?}: {all:#?}", variant.name());
        }
    }
}

#[test]
fn the_end_is_told_and_comes_when_it_was_told() {
    for ((name, limit), language) in limits().flat_map(|it| Language::ALL.map(|language| (it, language))) {
        let seed = Seed(3);
        let mut changed = json!({ "base": name, limit: 7 });
        // Nobody is shot down before.
        if json!(Ruleset::named(name).expect("it is built in")).get("hp").is_some() {
            changed["hp"] = json!(90);
        }
        let rules = ruleset(&changed);
        for variant in all_variants() {
            let system = variant.system(&rules, rules.players.default, Seat::new(0), AnswerBy::Text, language);
            assert!(system.contains('7'), "{name} {language} {}: the rules tell the end", variant.name());
            // Every message says how far it is; in the last of a seat nothing is left, by the engine.
            let (mut told_so_far, mut last) = (BTreeSet::new(), String::new());
            let end = watch(open(rules.clone(), seed), seed, Seat::new(0), |table, since| {
                let message = told(table, Seat::new(0), since, &[], &variant, language);
                last = message.lines().next().unwrap_or_default().to_owned();
                told_so_far.insert(last.clone());
            });
            assert!(end.outcome().is_some());
            assert_eq!(told_so_far.len(), 7, "{name} {language}: each turn says how far the match is: {told_so_far:?}");
            let numbers: Vec<u32> =
                last.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect();
            let is_last = numbers.starts_with(&[7, 7]) || numbers.first() == Some(&1);
            assert!(is_last, "{name} {language}: the last message says so: {last}");
        }
    }
}

#[test]
fn nothing_that_happened_is_kept_back_and_nothing_is_told_twice() {
    for (name, language) in library::rulesets().flat_map(|name| Language::ALL.map(|language| (name, language))) {
        let seed = Seed(8);
        let (mut table, seat) = (open(Ruleset::named(name).expect("it is built in"), seed), Seat::new(0));
        let (mut since, mut happened, mut heard) = (Vec::new(), Vec::new(), Vec::new());
        while !table.to_act().is_empty() && table.turn() < 60 {
            if table.to_act().contains(seat) {
                let message = told(&table, seat, &since, &[], &Variant::default(), language);
                let sentences: BTreeSet<String> =
                    since.iter().map(|event: &Event| format!("- {}", event_sentence(event, language))).collect();
                heard.extend(message.lines().filter(|line| sentences.contains(*line)).map(str::to_owned));
                happened.extend(since.drain(..).map(|event| format!("- {}", event_sentence(&event, language))));
            }
            since.extend(step(&mut table, seed));
        }
        assert_eq!(heard, happened, "{name} {language}");
    }
}

#[test]
fn what_is_retold_says_how_far_back_it_goes() {
    let variant = Variant::named("scratchpad").expect("it is built in");
    for name in library::rulesets() {
        let (seed, seat) = (Seed(8), Seat::new(0));
        let mut history: Vec<Past> = Vec::new();
        watch(open(Ruleset::named(name).expect("it is built in"), seed), seed, seat, |table, since| {
            let turns = history.len().min(variant.history());
            let message = told(table, seat, since, &history, &variant, Language::En);
            let retold = message.lines().find(|line| line.starts_with("What you were told in the "));
            let events = history.iter().rev().take(turns).any(|past| !past.since.is_empty());
            assert_eq!(retold.is_some(), events, "{name}: {message}");
            assert!(retold.is_none_or(|line| line.contains(&format!("in the {turns} turn"))), "{name}: {message}");
            history.push(Past { since: since.to_vec(), said: Vec::new() });
        });
    }
}

#[test]
fn two_positions_never_look_the_same() {
    for (name, language) in library::rulesets().flat_map(|name| Language::ALL.map(|language| (name, language))) {
        for variant in all_variants() {
            let mut seen: BTreeMap<String, Json> = BTreeMap::new();
            for seed in (0..6).map(Seed) {
                let ruleset = Ruleset::named(name).expect("it is built in");
                watch(open(ruleset, seed), seed, Seat::new(0), |table, _| {
                    let message = told(table, Seat::new(0), &[], &[], &variant, language);
                    let now = json!(table.view(Viewer::Seat(Seat::new(0))).state());
                    let before = seen.entry(message.clone()).or_insert_with(|| now.clone());
                    assert_eq!(*before, now, "{name} {language} {}: {message}", variant.name());
                });
            }
        }
    }
}

#[test]
fn no_cell_is_named_that_is_not_on_the_board() {
    for (change, rows, cols) in [
        (json!({ "base": "paint", "rows": 5, "cols": 9 }), 5, 9),
        (json!({ "base": "grid-royale", "width": 9, "height": 11, "zone_shrinks": 1 }), 9, 11),
        (json!({ "base": "cowboy", "map": "none", "rows": 6, "cols": 8 }), 6, 8),
    ] {
        for (variant, language) in all_variants().flat_map(|it| Language::ALL.map(|language| (it.clone(), language))) {
            let seed = Seed(2);
            watch(open(ruleset(&change), seed), seed, Seat::new(0), |table, since| {
                let message = told(table, Seat::new(0), since, &[], &variant, language);
                for inner in message.split('(').skip(1).filter_map(|rest| Some(rest.split_once(')')?.0)) {
                    let Some((first, second)) = inner.split_once(", ") else { continue };
                    let (Ok(first), Ok(second)) = (first.parse::<u32>(), second.parse::<u32>()) else { continue };
                    assert!(first < rows && second < cols, "{change} ({inner}): {message}");
                }
            });
        }
    }
}

#[test]
fn a_retry_says_what_was_wrong_and_which_form_is_wanted() {
    for (name, language) in library::rulesets().flat_map(|name| Language::ALL.map(|language| (name, language))) {
        let table = open(Ruleset::named(name).expect("it is built in"), Seed(1));
        let seat = table.to_act().iter().next().expect("somebody is to act");
        let view = table.view(Viewer::Seat(seat));
        // All that the engine refuses of what can be written here.
        let verbs = ["move", "shoot", "shield", "stay", "dance"];
        let ways = ["up", "down", "left", "right", "north", "east", "south", "west", "north-west"];
        let texts = verbs.iter().flat_map(|verb| ways.map(|way| format!("{verb} {way}")));
        let refused = texts.filter_map(|text| Some(Attempt::refused(text.clone(), table.accept(seat, &text).err()?)));
        let refused: Vec<Attempt> = refused.collect();
        assert!(!refused.is_empty(), "{name}");
        let forms = BadForm::ALL.map(|form| Attempt::misformed("so be it", form));
        let problems =
            [Problem::Truncated, Problem::Declined, Problem::Nothing, Problem::Rejected("so be it".to_owned())];
        let others = problems.map(|problem| Attempt { text: "so be it".to_owned(), problem });
        for by in AnswerBy::ALL {
            let wanted = match (by, language) {
                (AnswerBy::Tools, _) => "`act`",
                (AnswerBy::Json, _) => "JSON",
                (AnswerBy::Text, Language::En) => "`ACTION:`",
                (AnswerBy::Text, Language::Zh) => "`动作：`",
            };
            let tell = |attempt: &Attempt| Variant::default().refused(&view, seat, attempt, 1, by, language);
            for attempt in &refused {
                let message = tell(attempt);
                assert!(message.contains(&attempt.text) && message.contains(wanted), "{name} {language}: {message}");
            }
            let told: Vec<String> = forms.iter().chain(&others).map(tell).collect();
            assert!(told.iter().all(|message| message.contains(wanted)), "{told:?}");
            assert_eq!(told.iter().collect::<BTreeSet<_>>().len(), told.len(), "each says something else: {told:?}");
        }
    }
}
