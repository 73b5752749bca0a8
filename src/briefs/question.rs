//! Questions about the rules that are answered with yes or no.

use serde_json::json;

use super::book::Book;
use super::language::Language;
use super::style::{Style, shown};
use super::turn::{Described, describe, standing};
use crate::games::View;
use crate::games::quiz::Question;

/// A question about the rules, alone.
pub fn question_text(question: &Question, language: Language) -> String {
    let book = Book::of(language);
    let name = book.find(&format!("quiz.{}", question.kind));
    name.map_or_else(String::new, |name| book.render(&name, json!(question.terms)))
}

/// A position and a question about it, as it is put.
pub fn question_message(question: &Question, view: &View, language: Language) -> String {
    let book = Book::of(language);
    let Described { status, players } = describe(view, None, book);
    let context = json!({
        "status": status,
        "board": shown(view, Style::Grid, book),
        "players": players,
        "standing": standing(view, book),
        "question": question_text(question, language),
    });
    book.render("quiz.frame", context)
}

/// What a rule is about, for tables. Rules without a name keep their tag.
pub fn rule_name(rule: &str, language: Language) -> String {
    let book = Book::of(language);
    book.find(&format!("quiz.rule.{rule}")).map_or_else(|| rule.to_owned(), |name| book.render(&name, json!({})))
}
