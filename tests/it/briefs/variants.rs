//! What a model is told under each prompt variant.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;
use standoff::briefs::{AnswerBy, Language, Past, TurnContext, Variant, variants};
use standoff::games::{Ruleset, Seat, Seed, Table, Viewer, library};
use standoff::matches::{Attempt, BadForm, Problem};

use super::{check_kept, ruleset, step};

/// A match under way: what the first seat has been told so far, and what it is to be told now.
struct Played {
    table: Table,
    told: Vec<Past>,
}

fn play(ruleset: Ruleset) -> Played {
    let seats = ruleset.players.default;
    let mut table = Table::open(Arc::new(ruleset), seats, Seed(7)).expect("so many can play");
    let mut dice = Seed(5).dice();
    let (mut told, mut since) = (Vec::new(), Vec::new());
    while told.len() < 9 || !table.to_act().contains(Seat::new(0)) {
        if table.to_act().contains(Seat::new(0)) {
            let said = vec![(Seat::new(1), format!("That was {}!", told.len()))];
            told.push(Past { since: std::mem::take(&mut since), said });
        }
        // A match that is still on is wanted: a turn that would end it is drawn again.
        let (after, events) = (0..100)
            .map(|_| {
                let mut after = table.clone();
                let events = step(&mut after, &mut dice, Viewer::Seat(Seat::new(0)));
                (after, events)
            })
            .find(|(after, _)| after.outcome().is_none())
            .expect("it need not end yet");
        table = after;
        since.extend(events);
    }
    told.push(Past { since, said: vec![(Seat::new(1), "Howdy, 你好!".to_owned())] });
    Played { table, told }
}

impl Played {
    fn system(&self, variant: &Variant, by: AnswerBy, language: Language) -> String {
        variant.system(self.table.ruleset(), self.table.seats(), Seat::new(0), by, language)
    }

    fn turn(&self, variant: &Variant, language: Language) -> String {
        let (now, history) = self.told.split_last().expect("it was told something");
        let view = self.table.view(Viewer::Seat(Seat::new(0)));
        let context = TurnContext {
            view: &view,
            seat: Seat::new(0),
            since: &now.since,
            said: &now.said,
            history,
            notes: Some("B turns its shield too late.\nStay off row 5."),
        };
        variant.turn(&context, language)
    }
}

fn named(name: &str) -> Variant {
    Variant::named(name).expect("it is built in")
}

#[test]
fn what_models_read_is_what_is_kept() {
    let mut now = BTreeMap::new();
    let cowboy = play(ruleset(&json!("cowboy")));
    let answer = Variant::read("answer", "base = \"scratchpad\"\nsystem = [\"answer\"]").expect("a variant");
    let free = play(ruleset(&json!({ "base": "cowboy", "speech": "free" })));
    for language in Language::ALL {
        for name in variants() {
            let variant = named(name);
            let (system, turn) = (cowboy.system(&variant, AnswerBy::Tools, language), cowboy.turn(&variant, language));
            now.insert(format!("{name}.{language}.md"), format!("{system}\n---\n\n{turn}"));
        }
        for name in library::rulesets() {
            let turn = play(ruleset(&json!(name))).turn(&named("standard"), language);
            now.insert(format!("standard-{name}.{language}.md"), turn);
            let turn = play(ruleset(&json!(name))).turn(&named("list-board"), language);
            now.insert(format!("list-board-{name}.{language}.md"), turn);
        }
        for by in AnswerBy::ALL {
            now.insert(format!("answer-{}.{language}.md", by.name()), free.system(&answer, by, language));
        }
    }
    check_kept("tests/it/briefs/prompts", &now);
}

/// What kind of line it is, for a reader who knows no language.
fn kind(line: &str) -> String {
    let head: String = line.chars().take_while(|c| "#`->|=".contains(*c)).collect();
    if line.is_empty() || !head.is_empty() { head } else { "text".to_owned() }
}

#[test]
fn both_languages_have_the_same_sections() {
    for name in library::rulesets() {
        let played = play(ruleset(&json!(name)));
        for variant in variants().map(named) {
            for by in AnswerBy::ALL {
                let lines = |language| {
                    let text = played.system(&variant, by, language) + &played.turn(&variant, language);
                    text.lines().map(kind).collect::<Vec<_>>()
                };
                assert_eq!(lines(Language::En), lines(Language::Zh), "{name} {} {}", variant.name(), by.name());
            }
        }
    }
}

#[test]
fn the_standard_system_prompt_has_the_whole_brief() {
    for language in Language::ALL {
        let played = play(ruleset(&json!("paint")));
        let brief = standoff::briefs::brief(played.table.ruleset(), played.table.seats(), language);
        let system = played.system(&Variant::default(), AnswerBy::Tools, language);
        let missing: Vec<&str> = brief.lines().filter(|line| !system.lines().any(|other| other == *line)).collect();
        assert_eq!(missing.len(), 2, "how to write JSON, and how to talk beside it: {missing:?}");
    }
}

#[test]
fn a_variant_leaves_out_what_it_has_no_section_for() {
    let played = play(ruleset(&json!("cowboy")));
    let says = |name: &str, phrase: &str| {
        let variant = named(name);
        let system = played.system(&variant, AnswerBy::Tools, Language::En);
        (system + &played.turn(&variant, Language::En)).contains(phrase)
    };
    for (phrase, names) in [
        ("## Example", &["standard", "json-board", "list-board", "no-legal", "scratchpad"][..]),
        ("## Easily got wrong", &["standard", "json-board", "list-board", "no-legal", "scratchpad"]),
        ("Your legal actions:", &["standard", "json-board", "list-board", "scratchpad"]),
        ("list_legal_actions", &["standard", "json-board", "list-board", "scratchpad"]),
        ("```json\n{\"game\":\"cowboy\"", &["json-board"]),
        ("\nPlayers: A (", &["list-board"]),
        ("> B turns its shield too late.\n> Stay off row 5.\n", &["scratchpad"]),
        ("give `notes` with `act`", &["scratchpad"]),
        ("That was 8!", &["scratchpad"]),
        ("That was 4!", &["scratchpad"]),
        ("That was 3!", &[]),
        ("B says: \"Howdy, 你好!\"", &["standard", "bare", "json-board", "list-board", "no-legal", "scratchpad"]),
    ] {
        let said: Vec<&str> = variants().filter(|name| says(name, phrase)).collect();
        let expected: Vec<&str> = variants().filter(|name| names.contains(name)).collect();
        assert_eq!(said, expected, "{phrase}");
    }
}

#[test]
fn own_words_stand_where_the_variant_puts_them() {
    let text = "base = \"standard\"\nsystem = [\"extra\", \"tips\"]\n[extra]\nen = \"Be bold.\\n\\nAlways.\"\nzh = \"大胆些。\"";
    let variant = Variant::read("bold.toml", text).expect("a variant");
    let played = play(ruleset(&json!("paint")));
    let english = played.system(&variant, AnswerBy::Text, Language::En);
    assert!(english.starts_with("Be bold.\n\nAlways.\n\n## Easily got wrong\n"), "{english}");
    assert!(played.system(&variant, AnswerBy::Text, Language::Zh).starts_with("大胆些。\n\n## 容易弄错的地方\n"));
}

#[test]
fn each_failure_has_a_message_of_its_own() {
    let played = play(ruleset(&json!("cowboy")));
    let (table, seat) = (&played.table, Seat::new(0));
    let view = table.view(Viewer::Seat(seat));
    let refusal = table.read("dance").expect_err("no action");
    let problems = [Problem::Refused(refusal), Problem::Truncated, Problem::Declined, Problem::Nothing];
    let problems =
        problems.into_iter().chain(BadForm::ALL.map(Problem::Form)).chain([Problem::Rejected("no".to_owned())]);
    let failures: Vec<_> = problems.map(|problem| Attempt { text: "dance".to_owned(), problem }).collect();
    for language in Language::ALL {
        let mut messages = Vec::new();
        for by in AnswerBy::ALL {
            messages.extend(failures.iter().map(|it| Variant::default().refused(&view, seat, it, 1, by, language)));
        }
        messages.sort();
        messages.dedup();
        assert_eq!(messages.len(), 3 * failures.len(), "each failure in each of three ways: {messages:?}");
    }
    let last = Variant::default().refused(&view, seat, &Attempt::nothing(), 3, AnswerBy::Text, Language::En);
    assert_eq!(
        last,
        "Refused: there is nothing in your answer but thoughts.\n\n\
         That was the last attempt: this turn passes.\n"
    );
}
