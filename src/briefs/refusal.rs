//! Refusals in the player's language.

use std::fmt;

use serde_json::json;

use super::book::Book;
use super::brief::AnswerBy;
use super::language::Language;
use super::quoted::plain;
use crate::games::refusal::Refusal;
use crate::games::seat::Seat;
use crate::games::words::Term;
use crate::games::{Illegal, View};
use crate::matches::{Attempt, Problem};

/// Why a player's answer was refused: the rule that it breaks, and what to do about it.
pub fn refusal(view: &View, seat: Seat, raw: &str, refusal: &Refusal, language: Language) -> String {
    tell_refusal(view, seat, raw, refusal, Book::of(language))
}

fn tell_refusal(view: &View, seat: Seat, raw: &str, refusal: &Refusal, book: &Book) -> String {
    if let Some(illegal) = &refusal.broken {
        return illegal_sentence(illegal, book);
    }
    let game = view.ruleset().rules.game().name();
    if let Some(bad) = &refusal.bad_json {
        let told = book.tell(game, &Term::new(format!("bad_json.{}", bad.name()), json!(bad)));
        return told.unwrap_or_else(|| refusal.message.clone());
    }
    let context = json!({
        "text": plain(raw, 60),
        "is_json": raw.trim_start().starts_with('{'),
        "seat": seat,
        "to_act": view.to_act(),
        "message": refusal.message,
    });
    let told = book.tell(game, &Term::new(format!("refusals.{}", refusal.code), context));
    told.unwrap_or_else(|| refusal.message.clone())
}

/// The message to a player whose answer was refused: why, and what is left. `attempt` counts the refused answers of this
/// turn, from 1.
pub fn refused(view: &View, seat: Seat, raw: &str, why: &Refusal, attempt: u32, language: Language) -> String {
    let book = Book::of(language);
    message(view, &tell_refusal(view, seat, raw, why, book), attempt, None, book)
}

/// The message to a model whose answer was not taken.
pub(super) fn failed(view: &View, seat: Seat, attempt: &Attempt, count: u32, by: AnswerBy, book: &Book) -> String {
    let words = if let Problem::Rejected(words) = &attempt.problem { plain(words, 300) } else { String::new() };
    let failed = |name: &str| {
        let context = json!({ "text": plain(&attempt.text, 60), "words": words, "by": by.name() });
        book.render(&format!("failed.{name}"), context)
    };
    let reason = match &attempt.problem {
        Problem::Refused(why) => tell_refusal(view, seat, &attempt.text, why, book),
        Problem::Truncated => failed("truncated"),
        Problem::Declined => failed("declined"),
        Problem::Nothing => failed("nothing"),
        Problem::Form(form) => failed(form.name()),
        Problem::Rejected(_) => failed("rejected"),
    };
    message(view, &reason, count, Some(by), book)
}

/// `by` is how the next answer is to come, where there is one way only.
fn message(view: &View, reason: &str, attempt: u32, by: Option<AnswerBy>, book: &Book) -> String {
    let policy = view.ruleset().policy;
    let context = json!({
        "reason": reason,
        "left": policy.attempts.saturating_sub(attempt),
        "on_lapse": policy.on_lapse.name(),
        "by": by.map(AnswerBy::name),
    });
    let mut text = book.render("refused.md", context);
    text.push('\n');
    text
}

/// A broken rule, in a sentence.
pub(super) fn illegal_sentence(illegal: &Illegal, book: &Book) -> String {
    let (game, term) = illegal.term();
    tell_broken(game.name(), &term, illegal, book)
}

/// A broken rule in the game's own words, or else in those of the engine.
pub(super) fn tell_broken(game: &str, term: &Term, illegal: &impl fmt::Display, book: &Book) -> String {
    book.tell(game, term).unwrap_or_else(|| illegal.to_string())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::games::{Code, Ruleset, Seed, Table, Viewer};

    #[test]
    fn json_that_cannot_be_read_is_told_in_the_players_own_language() {
        let table = Table::open(Arc::new(Ruleset::named("cowboy").expect("built in")), 2, Seed(1)).expect("two play");
        let (seat, view) = (Seat::new(0), table.view(Viewer::Seat(Seat::new(0))));
        let long = format!(r#"{{"action":"move","direction":"down","reasoning":"{}"}}"#, "x".repeat(9000));
        for (raw, word) in [
            (r#"{"action":"move","#, "JSON"),
            ("{\"action\":\n move}", "2"),
            (r#"{"direction":"up"}"#, "`action`"),
            (r#"{"action":"dance","direction":"up"}"#, "`dance`"),
            (r#"{"action":7}"#, "JSON"),
            (r#"{"action":"move","direction":"down","reasoning":7}"#, "`reasoning`"),
            (&long, "9000"),
        ] {
            let refused = table.accept(seat, raw).expect_err("no action");
            let [english, chinese] = Language::ALL.map(|language| refusal(&view, seat, raw, &refused, language));
            assert!(english.is_ascii() && english.contains(word), "{raw}: {english}");
            // Nothing of the other language but names that are quoted.
            let own: String = chinese.split('`').step_by(2).collect();
            let words = own.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !["", "JSON"].contains(word));
            assert_eq!(words.collect::<Vec<_>>(), Vec::<&str>::new(), "{raw}: {chinese}");
            assert!(chinese.contains(word), "{raw}: {chinese}");
        }
    }

    /// A seat that has sealed its action is refused for that, whatever the second one would break.
    #[test]
    fn the_sentence_is_that_of_the_code_and_not_of_another_rule_that_the_answer_breaks() {
        for (name, raw) in [("cowboy", "shoot up"), ("paint", "move north")] {
            let table = Table::open(Arc::new(Ruleset::named(name).expect("built in")), 2, Seed(1)).expect("two play");
            let seat = Seat::new(0);
            let broken = table.accept(seat, raw).expect_err("against the rules");
            let acted = Refusal::new(Code::NotToAct, "A has already acted in this turn");
            let asked = Refusal::new(Code::BadRequest, "ask for a turn that is there");
            for language in Language::ALL {
                let told = |refused: &Refusal| refusal(&table.view(Viewer::Seat(seat)), seat, raw, refused, language);
                let illegal = broken.broken.clone().expect("against the rules");
                assert_eq!(told(&broken), illegal_sentence(&illegal, Book::of(language)));
                let context = json!({ "seat": seat, "to_act": table.to_act() });
                assert_eq!(told(&acted), Book::of(language).render("refusals.not_to_act", context));
                let context = json!({ "message": asked.message });
                assert_eq!(told(&asked), Book::of(language).render("refusals.bad_request", context));
            }
        }
    }
}
