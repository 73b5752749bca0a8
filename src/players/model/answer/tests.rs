//! Whatever a model writes around it: an action is taken from the last line, in the form that is asked for, or none is.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

use super::*;
use crate::players::model::tests::asked;

/// Actions that are legal at the beginning of a match of `cowboy`.
const ACTIONS: [&str; 4] = ["move down", "shield left", "shield right", "shoot down"];

const TAGS: [(&str, &str); 6] = [
    ("<think>", "</think>"),
    ("<Thinking>\n", "\n</Thinking>"),
    ("<reasoning level=\"2\">", "</reasoning>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
];

/// Ways to give an action.
const GIVEN: [&str; 12] = [
    "ACTION: {}",
    "Action：{}.",
    "**ACTION: {}**",
    "**ACTION:** `{}`",
    "动作：{}。",
    "ACTION: \"{}\"",
    "`action: {}`",
    "\\boxed{ACTION: {}}",
    "ACTION: $\\boxed{\\text{{}}}$",
    "```\nACTION: {}\n```\n",
    "SAY: ACTION is all\nACTION: {}\n\n",
    "<think>ACTION: move up</think>\n_ACTION: {}_",
];

/// Lines with actions in them that are not given.
const NOT_GIVEN: [&str; 16] = [
    "{}",
    "**{}**",
    "- {}",
    "1. {}",
    "> ACTION: {}",
    "- ACTION: {}",
    "My decision: {}",
    "So I choose ACTION: {}",
    "~~ACTION: {}~~",
    "ACTION: {} or {}",
    "ACTION: {}, ACTION: {}",
    "ACTION: not {}",
    "ACTION: {} (not shield up)",
    "FINAL ACTION: {}",
    "ACTION\n{}",
    "ACTION: {}\nThough: is it wise?",
];

fn action() -> impl Strategy<Value = &'static str> {
    select(&ACTIONS[..])
}

fn filled(forms: &'static [&'static str]) -> impl Strategy<Value = (String, &'static str)> {
    (select(forms), action()).prop_map(|(form, action)| (form.replace("{}", action), action))
}

/// Some lines, given or not.
fn lines() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        filled(&NOT_GIVEN).prop_map(|(line, _)| line),
        filled(&GIVEN[..6]).prop_map(|(line, _)| line),
        select(&["Let me see.", "", "B may shoot.", "Candidates:", "NOTES: go on", "SAY: hm"][..])
            .prop_map(str::to_owned),
    ];
    proptest::collection::vec(line, 0..5).prop_map(|lines| lines.join("\n"))
}

/// What stands before the last line: words, and thoughts that end.
fn before() -> impl Strategy<Value = String> {
    let thought = (select(&TAGS[..]), lines()).prop_map(|((open, close), inner)| format!("{open}{inner}{close}"));
    let headless = lines().prop_map(|inner| format!("{inner}</think>"));
    let piece = prop_oneof![4 => lines(), 2 => thought, 1 => headless];
    // Its last words are prose: what stands right above an action may be a message or a note.
    proptest::collection::vec(piece, 0..4).prop_map(|pieces| pieces.join("\n") + "\nSo be it.\n")
}

/// A text, and the action that it gives.
fn answer() -> impl Strategy<Value = (String, Option<&'static str>)> {
    let thought = || (select(&TAGS[..]), lines());
    prop_oneof![
        (before(), filled(&GIVEN)).prop_map(|(before, (last, action))| (before + &last, Some(action))),
        (before(), filled(&GIVEN), thought())
            .prop_map(|(before, (last, action), ((open, _), inner))| (before + &last + open + &inner, Some(action))),
        (before(), filled(&NOT_GIVEN)).prop_map(|(before, (last, _))| (before + &last, None)),
        (before(), filled(&GIVEN), lines())
            .prop_map(|(before, (last, _), after)| (format!("{before}{last}\n{after}\nOr not."), None)),
        (before(), thought(), filled(&GIVEN[..11]))
            .prop_map(|(before, ((open, _), inner), (last, _))| (format!("{before}{open}{inner}\n{last}"), None)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, rng_seed: RngSeed::Fixed(14), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_action_is_taken_that_was_not_given_in_the_form((content, given) in answer(), by in select(&[AnswerBy::Text, AnswerBy::Tools][..])) {
        let reply = Reply { content, ..Reply::default() };
        let taken = match judge(&reply, by, &asked("cowboy")) {
            ReplyVerdict::Act { answer: Ok(answer), .. } => Some(answer.action.notation().to_owned()),
            ReplyVerdict::Act { answer: Err(_), .. } | ReplyVerdict::Failed(_) => None,
            ReplyVerdict::GoOn => panic!("there was no call"),
        };
        prop_assert_eq!(taken.as_deref(), given, "{}", reply.content);
    }
}
