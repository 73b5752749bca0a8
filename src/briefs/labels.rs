//! The words on pictures and buttons.

use serde_json::json;

use super::book::Book;
use super::language::Language;
use crate::games::controls::Controls;
use crate::games::scene::{Label, Scene};

/// A label in words. One whose term nobody has written is called by its own name.
pub fn label(label: &Label, language: Language) -> String {
    if let Some(text) = &label.text {
        return text.clone();
    }
    let book = Book::of(language);
    if book.has(&label.term) {
        return book.render(&label.term, json!({ "numbers": label.numbers }));
    }
    let name = label.term.rsplit('.').next().unwrap_or_default().replace('_', " ");
    let numbers: Vec<String> = label.numbers.iter().map(u32::to_string).collect();
    format!("{name} {}", numbers.join("/")).trim_end().to_owned()
}

/// The scene with all its words in a language.
pub fn worded_scene(mut scene: Scene, language: Language) -> Scene {
    scene.labels_mut().for_each(|one| one.text = Some(label(one, language)));
    scene
}

/// The controls with all their words in a language.
pub fn worded_controls(mut controls: Controls, language: Language) -> Controls {
    controls.labels_mut().for_each(|one| one.text = Some(label(one, language)));
    controls
}

/// An action in notation as a person would say it.
pub fn action_words(notation: &str, language: Language) -> String {
    let book = Book::of(language);
    let said = |table: &str, word: &str| {
        let term = format!("{table}.{word}");
        book.has(&term).then(|| book.render(&term, json!({})))
    };
    let part = |part: &str| {
        let (verb, rest) = part.split_once(' ').unwrap_or((part, ""));
        match (said("action", verb), said("direction", rest)) {
            (Some(verb), Some(direction)) => {
                book.render("label.directed", json!({ "verb": verb, "direction": direction }))
            }
            (Some(verb), None) => format!("{verb} {rest}").trim_end().to_owned(),
            (None, _) => part.to_owned(),
        }
    };
    // What somebody says may have commas of its own.
    if notation.starts_with("speak ") {
        return part(notation);
    }
    let parts: Vec<String> = notation.split(", ").map(part).collect();
    book.render("label.joined", json!({ "parts": parts }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::games::{Ruleset, Seat, Seed, Table, Viewer, library};

    #[test]
    fn every_word_of_the_games_is_written() {
        for name in library::rulesets() {
            let ruleset = Arc::new(Ruleset::named(name).expect("built in"));
            let view = Table::open(ruleset.clone(), ruleset.players.default, Seed(1)).expect("so many can play");
            let view = view.view(Viewer::Seat(Seat::new(0)));
            let (mut scene, mut controls) = (view.scene(&[]), view.controls(Seat::new(0)));
            for one in scene.labels_mut().chain(controls.labels_mut()) {
                for language in [Language::En, Language::Zh] {
                    assert!(Book::of(language).has(&one.term), "{name}: {}", one.term);
                    assert!(!label(one, language).is_empty());
                }
            }
        }
    }

    #[test]
    fn a_label_that_nobody_wrote_is_called_by_its_name() {
        assert_eq!(label(&Label::of("label.fuel_left", [3, 9]), Language::En), "fuel left 3/9");
    }

    #[test]
    fn actions_are_said_as_people_say_them() {
        for (action, en, zh) in [
            ("shoot up", "shoot up", "向上射击"),
            ("stay", "stay", "不动"),
            ("move north, shoot east", "move north, shoot east", "向北移动，向东射击"),
            ("move north-east", "move north-east", "向东北移动"),
            ("speak up, please", "speak up, please", "说话 up, please"),
            ("tunnel 3", "tunnel 3", "tunnel 3"),
        ] {
            assert_eq!(action_words(action, Language::En), en);
            assert_eq!(action_words(action, Language::Zh), zh);
        }
    }
}
