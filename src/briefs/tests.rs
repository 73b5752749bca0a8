mod plain;

use std::collections::{BTreeMap, BTreeSet};

use super::book::{Book, leaves};
use super::refusal::illegal_sentence;
use super::*;
use crate::games::cowboy::{self, Cell, Direction};
use crate::games::paint;
use crate::games::seat::Seat;
use crate::games::speech::BadMessage;
use crate::games::{Event, GameId, Illegal};

#[test]
fn both_languages_have_the_same_templates_and_terms() {
    let names =
        |language| -> BTreeSet<&str> { Book::of(language).templates.templates().map(|(name, _)| name).collect() };
    assert_eq!(names(Language::En), names(Language::Zh));
}

#[test]
fn both_languages_fill_in_the_same_variables() {
    for (name, english) in Book::of(Language::En).templates.templates() {
        let chinese = Book::of(Language::Zh).templates.get_template(name).expect("both have the same templates");
        let variables = |set: std::collections::HashSet<String>| set.into_iter().collect::<BTreeSet<_>>();
        assert_eq!(
            variables(english.undeclared_variables(true)),
            variables(chinese.undeclared_variables(true)),
            "{name}"
        );
    }
}

/// Every way to break a rule, in every shade that its sentence knows.
fn broken_rules() -> Vec<Illegal> {
    use cowboy::Illegal::{
        Message, MoveIntoBlock, MoveIntoPlayer, MoveOutOfBounds, ShootIntoBlock, ShootIntoPlayer, ShootOutOfBounds,
        ShootOwnShield, SpeechIsNoAction,
    };
    let (direction, at, by) = (Direction::Left, Cell { row: 3, col: 4 }, Seat::new(1));
    let cowboy = [
        MoveOutOfBounds { direction },
        MoveIntoBlock { direction, at, value: -1 },
        MoveIntoBlock { direction, at, value: 2 },
        MoveIntoPlayer { direction, at, by, alive: true },
        MoveIntoPlayer { direction, at, by, alive: false },
        ShootOwnShield { direction },
        ShootOutOfBounds { direction },
        ShootIntoBlock { direction, at, value: -1 },
        ShootIntoBlock { direction, at, value: 7 },
        ShootIntoPlayer { direction, at, by },
        Message(BadMessage::Empty),
        Message(BadMessage::TooLong { length: 141 }),
        Message(BadMessage::Control),
        SpeechIsNoAction,
    ];
    let (direction, at) = (paint::Direction::NorthEast, paint::Square { row: 3, col: 4 });
    let paint = [paint::Illegal::MoveOutOfBounds { direction }, paint::Illegal::MoveIntoBlock { direction, at }];
    cowboy.into_iter().map(Illegal::Cowboy).chain(paint.into_iter().map(Illegal::Paint)).collect()
}

#[test]
fn a_broken_rule_is_told_in_english_in_the_engines_own_words() {
    for illegal in broken_rules() {
        let own = illegal.to_string();
        assert_eq!(illegal_sentence(&illegal, Book::of(Language::En)), own);
    }
}

#[test]
fn a_broken_rule_is_told_in_chinese_with_the_same_facts() {
    for illegal in broken_rules() {
        let english = illegal_sentence(&illegal, Book::of(Language::En));
        let chinese = illegal_sentence(&illegal, Book::of(Language::Zh));
        for fact in ["`move left`", "`shoot left`", "`move north-east`", "(3, 4)", "2", "7", "141", "140"] {
            assert_eq!(english.contains(fact), chinese.contains(fact), "{fact}: {english} / {chinese}");
        }
    }
}

#[test]
fn a_question_is_called_the_same_in_one_game_only() {
    let terms = terms(Language::En);
    let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (game, _) in GameId::NAMES {
        for (name, _) in leaves(&terms[game]["quiz"]) {
            found.entry(name).or_default().push(game);
        }
    }
    for (name, _) in leaves(&terms["quiz"]) {
        found.entry(name).or_default().push("all");
    }
    let twice: Vec<_> = found.into_iter().filter(|(_, games)| games.len() > 1).collect();
    assert_eq!(twice, []);
}

#[test]
fn no_common_term_is_called_like_a_game() {
    let common: toml::Table = toml::from_str(include_str!("../../prompts/en/terms.toml")).expect("terms");
    for (game, _) in GameId::NAMES {
        assert!(!common.contains_key(*game), "{game}");
    }
}

#[test]
fn every_bot_has_a_sentence_in_both_languages() {
    for language in Language::ALL {
        let sentences = terms(language)["bots"].as_object().expect("a table");
        assert_eq!(sentences.len(), 3);
        for name in sentences.keys() {
            assert!(!bot_sentence(name, language).is_empty());
        }
    }
}

#[test]
fn events_are_told_in_their_order() {
    let event = |seat| Event::Paint(paint::Event::Forfeited { seat: Seat::new(seat) });
    let told = event_sentences(&[event(1), event(0)], Language::En);
    assert_eq!(told, ["B forfeits.", "A forfeits."]);
}
