//! What is said of a move that was not the best.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::book::Book;
use super::language::Language;
use super::turn::event_sentence;
use crate::games::Seat;
use crate::games::table::Event;

/// How good a move was, by what it lost of the chance to win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// Less than 5 points.
    Good,
    /// 5 points or more.
    Inaccuracy,
    /// 10 points or more.
    Mistake,
    /// 20 points or more.
    Blunder,
}

impl Quality {
    /// Of a loss in [0, 1].
    pub fn of(loss: f64) -> Quality {
        // Half a thousandth below the bound is on it: losses are shown in whole points.
        match loss + 5e-4 {
            loss if loss >= 0.20 => Quality::Blunder,
            loss if loss >= 0.10 => Quality::Mistake,
            loss if loss >= 0.05 => Quality::Inaccuracy,
            _ => Quality::Good,
        }
    }

    /// What people call it in a language.
    pub fn name(self, language: Language) -> String {
        Book::of(language).render(&format!("analysis.quality.{self}"), json!({}))
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Quality::Good => "good",
            Quality::Inaccuracy => "inaccuracy",
            Quality::Mistake => "mistake",
            Quality::Blunder => "blunder",
        })
    }
}

/// An action and what came, or would come, of it.
#[derive(Clone, Copy, Debug)]
pub struct Alternative<'a> {
    /// The seat that could have played it.
    pub seat: Seat,
    /// The better action, in notation.
    pub action: &'a str,
    /// What it would have led to at once.
    pub events: &'a [Event],
}

/// A move that was not the best.
#[derive(Clone, Copy, Debug)]
pub struct Loss<'a> {
    /// Counted from 1.
    pub turn: u32,
    /// What it lost of the chance to win, in points of a hundred.
    pub points: u32,
    /// What was played.
    pub played: Alternative<'a>,
    /// What would have been better.
    pub best: Alternative<'a>,
    /// What the other can answer to what was played, where it is worth telling.
    pub reply: Option<Alternative<'a>>,
}

/// The loss in words: how much, what came of the move, what it allows, and what the better one would have done.
pub fn loss_sentences(loss: &Loss<'_>, language: Language) -> Vec<String> {
    let book = Book::of(language);
    let told =
        |events: &[Event]| -> Vec<String> { events.iter().map(|event| event_sentence(event, language)).collect() };
    let Loss { turn, points, played, best, reply } = loss;
    let mut sentences = vec![
        book.render(
            "analysis.loss",
            json!({ "turn": turn, "seat": played.seat, "played": played.action, "points": points, "best": best.action }),
        ),
        book.render("analysis.did", json!({ "events": told(played.events) })),
    ];
    if let Some(reply) = reply {
        let context = json!({ "seat": reply.seat, "action": reply.action, "events": told(reply.events) });
        sentences.push(book.render("analysis.reply", context));
    }
    sentences.push(book.render("analysis.better", json!({ "best": best.action, "events": told(best.events) })));
    sentences
}
