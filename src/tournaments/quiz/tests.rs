use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize as _;

use super::*;
use crate::briefs::question_text;
use crate::games::any::each_rules;
use crate::games::library;

fn quiz(ruleset: &str) -> Quiz {
    let ruleset = Arc::new(Ruleset::named(ruleset).expect("it is built in"));
    let seats = ruleset.players.default;
    Quiz::build(ruleset, seats, 8, Seed(7)).expect("it seats them")
}

#[test]
fn every_rule_has_as_many_questions_half_in_pairs_and_half_with_yes() {
    for ruleset in library::rulesets() {
        let quiz = quiz(ruleset);
        let mut by_rule: BTreeMap<&str, Vec<&QuizItem>> = BTreeMap::new();
        for item in &quiz.items {
            by_rule.entry(item.rule).or_default().push(item);
        }
        assert_eq!(
            by_rule.len(),
            each_rules!(&quiz.ruleset.rules, rules, G => {
                <G as quiz::Quiz>::ASKED.iter().filter(|it| <G as quiz::Quiz>::asks(rules, it.rule)).count()
            }),
            "{ruleset}: {:?}",
            by_rule.keys()
        );
        for (rule, items) in by_rule {
            let yes = items.iter().filter(|item| item.answer).count();
            let paired = items.iter().filter(|item| item.twin.is_some()).count();
            assert_eq!((items.len(), yes, paired), (8, 4, 4), "{ruleset} {rule}");
        }
    }
}

#[test]
fn twins_differ_in_one_thing_and_in_the_answer() {
    /// How many leaves of two states differ.
    fn differences(one: &Json, other: &Json) -> usize {
        match (one, other) {
            (Json::Object(one), Json::Object(other)) => {
                one.iter().map(|(key, value)| differences(value, other.get(key).unwrap_or(&Json::Null))).sum()
            }
            (Json::Array(one), Json::Array(other)) if one.len() == other.len() => {
                one.iter().zip(other).map(|(one, other)| differences(one, other)).sum()
            }
            _ => usize::from(one != other),
        }
    }
    for ruleset in library::rulesets() {
        let quiz = quiz(ruleset);
        let by_id: BTreeMap<&str, &QuizItem> = quiz.items.iter().map(|item| (item.id.as_str(), item)).collect();
        for item in &quiz.items {
            let Some(twin) = item.twin.as_deref().map(|id| by_id[id]) else { continue };
            assert_ne!(item.answer, twin.answer, "{}", item.id);
            assert_eq!(item.question, twin.question);
            let mut states = [item.state.clone(), twin.state.clone()];
            for state in &mut states {
                // The score follows from the squares.
                for player in state["players"].as_array_mut().into_iter().flatten() {
                    player["score"] = Json::Null;
                }
            }
            assert_eq!(differences(&states[0], &states[1]), 1, "{ruleset} {}", item.id);
        }
    }
}

#[test]
fn ids_are_told_apart() {
    for ruleset in library::rulesets() {
        let quiz = quiz(ruleset);
        let mut ids = BTreeSet::new();
        for item in &quiz.items {
            assert!(ids.insert(&item.id), "{} is there twice", item.id);
        }
    }
}

#[test]
fn answers_follow_from_positions_as_they_are_written_down() {
    fn check<G: quiz::Quiz>(source: &QuizSource<'_, G>) {
        for rule in G::ASKED {
            let mut dice = Seed(3).dice();
            let drawn: Vec<_> = (0..400).filter_map(|_| source.draw(rule, &mut dice)).take(20).collect();
            assert!(!drawn.is_empty(), "{} {}", source.ruleset, rule.rule);
            for drawn in drawn {
                let state = G::State::deserialize(source.state(&drawn)).expect("a state");
                let position = G::from_state(source.rules, &state).expect("a position");
                assert_eq!(drawn.solve(&position), Some(drawn.answer), "{} {}", source.ruleset, rule.rule);
                let Some(twin) = source.twin(&drawn, &mut dice) else { continue };
                let state = G::State::deserialize(source.written(&twin)).expect("a state");
                let position = G::from_state(source.rules, &state).expect("a position");
                assert_eq!(drawn.solve(&position), Some(!drawn.answer), "{} {}", source.ruleset, rule.rule);
            }
        }
    }
    for name in library::rulesets() {
        let Ruleset { rules, players, .. } = Ruleset::named(name).expect("it is built in");
        each_rules!(&rules, rules, G => check::<G>(&QuizSource { rules, ruleset: name, seats: players.default }));
    }
}

#[test]
fn a_quiz_is_the_same_every_time_and_another_with_another_seed() {
    let ruleset = Arc::new(Ruleset::named("cowboy").expect("it is built in"));
    let build = |seed| Quiz::build(ruleset.clone(), 2, 4, Seed(seed)).expect("it seats two").items;
    assert_eq!(build(1), build(1));
    assert_ne!(build(1), build(2));
}

#[test]
fn questions_are_put_in_both_languages_with_nothing_left_to_fill_in() {
    for ruleset in library::rulesets() {
        let quiz = quiz(ruleset);
        for item in &quiz.items {
            let [english, chinese] = Language::ALL.map(|language| quiz.message(item, language).expect("a position"));
            assert!(english.contains("must be `ANSWER: yes` or `ANSWER: no`."), "{english}");
            assert!(chinese.contains("必须是 `答案：是` 或 `答案：否`"), "{chinese}");
            for text in [&english, &chinese] {
                assert!(!text.contains("{{") && !text.contains("{%"), "{text}");
            }
            let question = question_text(&item.question, Language::Zh);
            let prose: String = question.split('`').step_by(2).collect();
            assert!(!prose.contains(['?', ';', '.']), "a half-width mark: {question}");
        }
    }
}

#[test]
fn an_answer_is_read_from_its_last_line_alone() {
    for (text, expected) in [
        ("ANSWER: yes", Some(true)),
        ("The beam stops at the wall.\nAnswer: No.", Some(false)),
        ("No wait. The shield faces up.\n\n**ANSWER: Yes!**", Some(true)),
        ("护盾朝上，所以挡得住。\n答案：是。", Some(true)),
        ("答案：不是", Some(false)),
        ("<think>ANSWER: yes</think>\nANSWER: no", Some(false)),
        ("yes", None),
        ("So the answer: yes", None),
        ("ANSWER: yes\nor is it?", None),
        ("ANSWER: yes and no", None),
        ("<think>ANSWER: yes", None),
        ("", None),
        ("ANSWER: nobody knows", None),
    ] {
        assert_eq!(read_answer(text), expected, "{text}");
    }
}

#[test]
fn grades_count_by_rule_and_language_and_know_pairs() {
    let quiz = quiz("cowboy");
    let mut grades = Grades::default();
    for item in &quiz.items {
        grades.take(item, Language::En, Some(item.answer));
        // Whoever always says yes has half of everything and no pair.
        grades.take(item, Language::Zh, Some(true));
    }
    let [english, chinese] = Language::ALL.map(|language| grades.grade("shield", language));
    assert_eq!(english, Grade { asked: 8, right: 8, unclear: 0, pairs: 2, pairs_right: 2 });
    assert_eq!(chinese, Grade { asked: 8, right: 4, unclear: 0, pairs: 2, pairs_right: 0 });
    assert_eq!(grades.total(Language::Zh).percent(), Some(50.0));
    grades.take(&quiz.items[0], Language::En, None);
    assert_eq!(grades.total(Language::En).unclear, 1);
    assert_eq!(grades.grade("nothing", Language::En), Grade::default());
}

#[test]
fn exports_are_what_other_tools_read() {
    let quiz = quiz("paint");
    let yaml = promptfoo_quiz(&quiz, &Language::ALL).expect("all can be put");
    let tests: Vec<Json> = yaml
        .lines()
        .filter_map(|line| line.strip_prefix("  - {"))
        .map(|rest| serde_json::from_str(&format!("{{{rest}")).expect("an object a line"))
        .collect();
    assert_eq!(tests.len(), 2 * quiz.items.len());
    assert!(tests.iter().all(|test| test["vars"]["question"].is_string() && test["assert"].is_array()));
    let lines = inspect_quiz(&quiz, &[Language::Zh]).expect("all can be put");
    for (line, item) in lines.lines().zip(&quiz.items) {
        let sample: Json = serde_json::from_str(line).expect("an object a line");
        assert_eq!(sample["target"], if item.answer { "是" } else { "否" });
        assert_eq!(sample["input"][1]["role"], "user");
    }
}

#[test]
fn what_cannot_be_read_is_neither_right_nor_wrong() {
    let grade = Grade { asked: 10, right: 6, unclear: 4, pairs: 0, pairs_right: 0 };
    assert_eq!((grade.percent(), grade.read()), (Some(100.0), 6));
    let mumbled = Grade { asked: 4, unclear: 4, ..Grade::default() };
    assert_eq!(mumbled.percent(), None, "nobody knows");
}
