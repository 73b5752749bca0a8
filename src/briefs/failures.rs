//! Why answers were not taken and why the referee acted for a player, for those who watch.

use std::collections::BTreeMap;

use serde_json::json;

use super::book::Book;
use super::language::Language;
use crate::games::{Code, Seat};
use crate::matches::{BadForm, Fault, Lapse, Problem, RefusedAttempt};

/// What was refused in a turn, and why the referee acted for whom, a sentence each.
pub fn failure_sentences(
    refused: &[RefusedAttempt],
    lapses: &BTreeMap<Seat, Lapse>,
    language: Language,
) -> Vec<String> {
    let book = Book::of(language);
    let attempts = refused.iter().map(|refused| {
        let reason = refused_reason(refused, language);
        book.render("why.refused", json!({ "seat": refused.seat, "text": refused.text, "reason": reason }))
    });
    let lapses = lapses.iter().map(|(seat, lapse)| {
        let answers = refused.iter().filter(|refused| refused.seat == *seat).count();
        let context = json!({ "seat": seat, "answers": answers, "words": lapse.why });
        book.render(&format!("why.lapse.{}", lapse.fault.name()), context)
    });
    attempts.chain(lapses).collect()
}

/// Why an answer was refused, in a few words.
pub fn refused_reason(refused: &RefusedAttempt, language: Language) -> String {
    let book = Book::of(language);
    let form = BadForm::ALL.into_iter().find(|form| form.to_string() == refused.message);
    let name = match (refused.fault, form) {
        (Fault::Truncated, _) => "truncated".to_owned(),
        (Fault::Declined, _) => "declined".to_owned(),
        (_, Some(form)) => form.name().to_owned(),
        _ if refused.message == Problem::Nothing.to_string() => "nothing".to_owned(),
        // What the game could not read is shown as it is; how it should have looked is the player's business.
        _ if refused.code == Code::UnreadableAction && refused.message.starts_with("cannot read") => {
            "unreadable".to_owned()
        }
        // Which character it was is the player's business, too.
        _ if refused.message.starts_with("the action is not readable JSON") => "json_syntax".to_owned(),
        _ if refused.message.starts_with("the JSON is not an action") => "json_action".to_owned(),
        _ if refused.code == Code::UnreadableAction => return refused.message.clone(),
        _ => refused.code.to_string(),
    };
    let term = format!("why.reason.{name}");
    if book.has(&term) { book.render(&term, json!({})) } else { refused.message.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Refusal, Ruleset, Seed, Table};
    use crate::matches::Attempt;

    fn told(attempt: &Attempt) -> [String; 2] {
        Language::ALL.map(|language| refused_reason(&RefusedAttempt::new(Seat::new(0), attempt), language))
    }

    #[test]
    fn every_failure_is_told_in_both_languages() {
        let problems = [Problem::Truncated, Problem::Declined, Problem::Nothing].into_iter();
        for problem in problems.chain(BadForm::ALL.map(Problem::Form)) {
            let [english, chinese] = told(&Attempt { text: "x".to_owned(), problem: problem.clone() });
            assert!(english.is_ascii() && !chinese.is_ascii(), "{problem:?}: {english} {chinese}");
        }
        for fault in [
            Fault::Illegal,
            Fault::Unreadable,
            Fault::Truncated,
            Fault::Declined,
            Fault::TooSlow,
            Fault::Crashed,
            Fault::Resigned,
        ] {
            for language in Language::ALL {
                assert!(Book::of(language).has(&format!("why.lapse.{}", fault.name())), "{fault:?}");
            }
        }
    }

    #[test]
    fn what_breaks_a_rule_is_told_by_its_code_and_what_nobody_knows_as_it_was_recorded() {
        let ruleset = std::sync::Arc::new(Ruleset::named("cowboy").expect("built in"));
        let table = Table::open(ruleset, 2, Seed(1)).expect("two play");
        for answer in ["move up", "shoot up", "dance"] {
            let refusal = table.accept(Seat::new(0), answer).expect_err("against the rules");
            let [english, chinese] = told(&Attempt::refused(answer, refusal));
            assert!(english.is_ascii() && !chinese.is_ascii(), "{answer}: {english} {chinese}");
        }
        let words = Problem::Rejected("no such function".to_owned());
        assert!(told(&Attempt { text: String::new(), problem: words })[1].contains("no such function"));
        let unknown = Attempt::refused("x", Refusal::new(Code::BadRequest, "ask for a turn that is there"));
        assert_eq!(told(&unknown)[1], "ask for a turn that is there");
    }
}
