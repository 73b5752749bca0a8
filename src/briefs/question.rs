//! Questions about the rules that are answered with yes or no.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::book::Book;
use super::language::Language;
use super::turn::{standing, view};
use crate::games::Seat;
use crate::games::table::Table;

/// What somebody plays in a question.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Did {
    /// Who.
    pub seat: Seat,
    /// What, in notation.
    pub action: String,
}

/// A question about a position. `actions` is what is played from it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Question {
    /// Is the action legal?
    Legal {
        /// Whose.
        seat: Seat,
        /// Which.
        action: String,
    },
    /// Does the shot reach the target, shielded or not?
    Hit {
        /// What is played.
        actions: Vec<Did>,
        /// Who shoots.
        seat: Seat,
        /// At whom.
        target: Seat,
    },
    /// Does a beam end on the cell?
    Stops {
        /// What is played.
        actions: Vec<Did>,
        /// The cell.
        at: (u8, u8),
    },
    /// Does the target's shield stop a beam?
    Blocks {
        /// What is played.
        actions: Vec<Did>,
        /// Whose shield.
        target: Seat,
    },
    /// Does the target have so many hit points afterwards?
    Hp {
        /// What is played.
        actions: Vec<Did>,
        /// Who.
        target: Seat,
        /// How many.
        hp: u16,
    },
    /// Is it the target's turn afterwards?
    Next {
        /// What is played.
        actions: Vec<Did>,
        /// Whose turn it might be.
        target: Seat,
    },
    /// Could the target hurt the seat with its next action?
    Danger {
        /// What is played.
        actions: Vec<Did>,
        /// Who might be hurt.
        seat: Seat,
        /// By whom.
        target: Seat,
    },
    /// Does the target stand there afterwards?
    Stands {
        /// What is played.
        actions: Vec<Did>,
        /// Who.
        target: Seat,
        /// Where.
        at: (u8, u8),
    },
    /// Does the square have the target's colour afterwards?
    Colour {
        /// What is played.
        actions: Vec<Did>,
        /// Whose colour.
        target: Seat,
        /// Which square.
        at: (u8, u8),
    },
    /// Does the target have so many squares afterwards?
    Score {
        /// What is played.
        actions: Vec<Did>,
        /// Who.
        target: Seat,
        /// How many.
        score: u16,
    },
    /// Does the target lose hit points outside the zone?
    Zone {
        /// What is played.
        actions: Vec<Did>,
        /// Who.
        target: Seat,
    },
}

impl Question {
    /// The question alone.
    pub fn text(&self, language: Language) -> String {
        let context = json!(self);
        let kind = context["kind"].as_str().expect("every question names its kind").to_owned();
        Book::of(language).render(&format!("quiz.{kind}"), context)
    }

    /// The position and the question, as it is put.
    pub fn message(&self, table: &Table, language: Language) -> String {
        let view = view(table, None, language);
        let context = json!({
            "status": view.status,
            "board": view.grid,
            "players": view.players,
            "standing": standing(table, language),
            "question": self.text(language),
        });
        Book::of(language).render("quiz.frame", context)
    }
}

/// What a rule is about, for tables. Rules without a name keep their tag.
pub fn rule_name(rule: &str, language: Language) -> String {
    let book = Book::of(language);
    let name = format!("quiz.rule.{rule}");
    if book.templates.get_template(&name).is_ok() { book.render(&name, json!({})) } else { rule.to_owned() }
}
