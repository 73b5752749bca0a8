//! Refusals in the player's language.

use serde_json::{Value as Json, json};

use super::book::Book;
use super::brief::AnswerBy;
use super::language::Language;
use super::quoted::plain;
use crate::games::cowboy;
use crate::games::refusal::{Code, Illegal as _, Refusal};
use crate::games::seat::Seat;
use crate::games::speech::{BadMessage, MAX_MESSAGE};
use crate::games::table::{Illegal, Position, Table};
use crate::matches::{Attempt, Problem};

/// Why a player's answer was refused: the rule that it breaks, and what to do about it.
pub fn refusal(table: &Table, seat: Seat, raw: &str, refusal: &Refusal, language: Language) -> String {
    if let Some(illegal) = table.illegal(seat, raw).filter(|illegal| code(illegal) == refusal.code) {
        return illegal_sentence(&illegal, language);
    }
    let context = json!({
        "text": plain(raw, 60),
        "is_json": raw.trim_start().starts_with('{'),
        "game": game(table),
        "seat": seat,
        "to_act": table.to_act(),
        "message": refusal.message,
    });
    Book::of(language).render(&format!("refusals.{}", refusal.code), context)
}

/// The message to a player whose answer was refused: why, and what is left. `attempt` counts the refused answers of this
/// turn, from 1.
pub fn refused(table: &Table, seat: Seat, raw: &str, why: &Refusal, attempt: u32, language: Language) -> String {
    message(table, &refusal(table, seat, raw, why, language), attempt, language)
}

/// The message to a model whose answer was not taken.
pub(super) fn failed(
    table: &Table,
    seat: Seat,
    attempt: &Attempt,
    count: u32,
    by: AnswerBy,
    language: Language,
) -> String {
    let term = match &attempt.problem {
        Problem::Refused(why) => return refused(table, seat, &attempt.text, why, count, language),
        Problem::Truncated => "failed.truncated".to_owned(),
        Problem::Declined => "failed.declined".to_owned(),
        Problem::Nothing => format!("failed.nothing_{}", by.name()),
    };
    message(table, &Book::of(language).render(&term, json!({})), count, language)
}

fn message(table: &Table, reason: &str, attempt: u32, language: Language) -> String {
    let policy = table.ruleset().policy;
    let context = json!({
        "reason": reason,
        "left": policy.attempts.saturating_sub(attempt),
        "on_lapse": policy.on_lapse.name(),
    });
    let mut text = Book::of(language).render("refused.md", context);
    text.push('\n');
    text
}

/// A broken rule, in a sentence.
pub(super) fn illegal_sentence(illegal: &Illegal, language: Language) -> String {
    let book = Book::of(language);
    match illegal {
        Illegal::Cowboy(cowboy::Illegal::Message(bad)) => message_sentence(bad, book),
        Illegal::Cowboy(illegal) => rule_sentence("cowboy", json!(illegal), book),
        Illegal::Paint(illegal) => rule_sentence("paint", json!(illegal), book),
        Illegal::Royale(never) => match *never {},
    }
}

fn rule_sentence(game: &str, illegal: Json, book: &Book) -> String {
    let rule = illegal["rule"].as_str().expect("every refusal names its rule").to_owned();
    book.render(&format!("illegal.{game}.{rule}"), illegal)
}

fn message_sentence(bad: &BadMessage, book: &Book) -> String {
    let (name, length) = match bad {
        BadMessage::Empty => ("illegal.message.empty", 0),
        BadMessage::TooLong { length } => ("illegal.message.too_long", *length),
        BadMessage::Control => ("illegal.message.control", 0),
    };
    book.render(name, json!({ "length": length, "max": MAX_MESSAGE }))
}

fn code(illegal: &Illegal) -> Code {
    match illegal {
        Illegal::Cowboy(illegal) => illegal.code(),
        Illegal::Paint(illegal) => illegal.code(),
        Illegal::Royale(illegal) => illegal.code(),
    }
}

fn game(table: &Table) -> &'static str {
    match table.position() {
        Position::Cowboy(_) => "cowboy",
        Position::Paint(_) => "paint",
        Position::Royale(_) => "royale",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::games::{Ruleset, Seed};

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
                let told = |refused: &Refusal| refusal(&table, seat, raw, refused, language);
                let illegal = table.illegal(seat, raw).expect("against the rules");
                assert_eq!(told(&broken), illegal_sentence(&illegal, language));
                let context = json!({ "seat": seat, "to_act": table.to_act() });
                assert_eq!(told(&acted), Book::of(language).render("refusals.not_to_act", context));
                let context = json!({ "message": asked.message });
                assert_eq!(told(&asked), Book::of(language).render("refusals.bad_request", context));
            }
        }
    }
}
