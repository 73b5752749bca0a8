//! Chinese prose has Chinese marks and Chinese words.

use standoff::briefs::{AnswerBy, Language, Variant, brief};
use standoff::games::Seat;

use super::{ruleset, transcript, variants};

/// What is left for the eye of a reader when notation is taken away: code, cells, what players said, list numbers.
fn prose(text: &str) -> String {
    let mut prose = String::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if fenced || line.starts_with("---") {
            continue;
        }
        let line = line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(". ");
        let code_free: String = line.split('`').step_by(2).collect();
        let silent: String = code_free.split(['“', '”']).step_by(2).collect();
        prose.push_str(&without_cells(&silent));
        prose.push('\n');
    }
    prose
}

/// Takes out `(3, 4)`, `(x, y)` and the like.
fn without_cells(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((before, after)) = rest.split_once('(') {
        kept.push_str(before);
        match after.split_once(')') {
            Some((inside, later)) if inside.chars().count() <= 8 && inside.contains(", ") => rest = later,
            _ => {
                kept.push('(');
                rest = after;
            }
        }
    }
    kept + rest
}

fn check(name: &str, text: &str) {
    for line in prose(text).lines() {
        let mark = line.chars().find(|c| ",.;:!?()\"'".contains(*c));
        assert_eq!(mark, None, "{name}: a half-width mark in: {line}");
        for word in line.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty()) {
            let seat = word.len() == 1 && word.chars().all(|c| c.is_ascii_uppercase());
            let known = seat || ["JSON", "x", "y"].contains(&word);
            assert!(known, "{name}: `{word}` is not Chinese in: {line}");
        }
    }
}

#[test]
fn chinese_briefs_and_turns_are_chinese() {
    for (name, json, seats) in variants() {
        let ruleset = ruleset(&json);
        let brief = brief(&ruleset, seats, Language::Zh);
        let (title, rest) = brief.split_once('\n').expect("a title and more");
        assert_eq!(title, format!("# {} 规则", ruleset.name));
        check(&name, rest);
        check(&name, &transcript(&ruleset, seats, Language::Zh));
    }
}

#[test]
fn chinese_system_prompts_are_chinese() {
    for (name, json, seats) in variants() {
        let ruleset = ruleset(&json);
        for (variant, by) in standoff::briefs::variants().flat_map(|name| AnswerBy::ALL.map(|by| (name, by))) {
            let variant = Variant::named(variant).expect("it is built in");
            let system = variant.system(&ruleset, seats, Seat::new(0), by, Language::Zh);
            let (_, rest) = system.split_once('\n').expect("a title and more");
            check(&name, rest);
        }
    }
}

#[test]
fn the_check_finds_what_is_not_chinese() {
    for bad in ["走一格.", "你好, 世界", "护盾 shield 朝上", "(见下)"] {
        assert!(std::panic::catch_unwind(|| check("bad", bad)).is_err(), "{bad}");
    }
    check("good", "1. 走到 (3, 4)，写 `move up`。A 说：“Hi, there!”");
}
