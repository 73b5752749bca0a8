//! Every rule in a brief is tagged, stands in both languages, and is held by a test.

use std::collections::{BTreeMap, BTreeSet};

use super::{files, folder};

/// The tags of a template, each with how often it stands there.
fn tags(template: &str) -> BTreeMap<&str, usize> {
    let mut tags = BTreeMap::new();
    for part in template.split("{# rule: ").skip(1) {
        let (tag, _) = part.split_once(" #}").expect("a tag is closed");
        *tags.entry(tag).or_default() += 1;
    }
    tags
}

#[test]
fn both_languages_tell_the_same_rules() {
    let (english, chinese) = (files(&folder("prompts/en")), files(&folder("prompts/zh")));
    for (name, text) in &english {
        assert_eq!(tags(text), tags(&chinese[name]), "{name}");
    }
}

#[test]
fn every_rule_that_is_told_is_held_by_a_test() {
    let table = std::fs::read_to_string(folder("tests/it/rules.toml")).expect("it is in the repository");
    let table: BTreeMap<String, String> = toml::from_str(&table).expect("rules and tests");
    let english = files(&folder("prompts/en"));
    let told: BTreeSet<&str> = english.values().flat_map(|text| tags(text).into_keys()).collect();
    let held: BTreeSet<&str> = table.keys().map(String::as_str).collect();
    let lone: Vec<_> = told.symmetric_difference(&held).collect();
    assert!(lone.is_empty(), "only in prompts or only in tests/it/rules.toml: {lone:?}");
    let missing = table.iter().filter(|(_, test)| {
        let (file, name) = test.split_once("::").expect("a file and a function");
        std::fs::read_to_string(folder(file)).map_or(true, |source| !source.contains(&format!("fn {name}(")))
    });
    assert_eq!(missing.collect::<Vec<_>>(), [], "these tests do not exist");
}
