//! Questions about the rules that are answered with yes or no.

use serde_json::json;

use super::book::Book;
use super::language::Language;
use super::turn::{standing, view};
use crate::games::quiz::Question;
use crate::games::table::Table;

/// A question about the rules, alone.
pub fn question_text(question: &Question, language: Language) -> String {
    Book::of(language).render(&format!("quiz.{}", question.kind), json!(question.terms))
}

/// A position and a question about it, as it is put.
pub fn question_message(question: &Question, table: &Table, language: Language) -> String {
    let view = view(table, None, language);
    let context = json!({
        "status": view.status,
        "board": view.grid,
        "players": view.players,
        "standing": standing(table, language),
        "question": question_text(question, language),
    });
    Book::of(language).render("quiz.frame", context)
}

/// What a rule is about, for tables. Rules without a name keep their tag.
pub fn rule_name(rule: &str, language: Language) -> String {
    let book = Book::of(language);
    let name = format!("quiz.rule.{rule}");
    if book.templates.get_template(&name).is_ok() { book.render(&name, json!({})) } else { rule.to_owned() }
}
