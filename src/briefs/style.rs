//! How a position is shown: drawn, listed or as programs get it.

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::book::Book;
use super::language::Language;
use super::turn::view;
use super::{cowboy, paint, royale};
use crate::games::table::{Position, Table};

/// How a position is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// Drawn, with axes.
    Grid,
    /// What is where, by coordinates.
    List,
    /// The state as the contract writes it.
    Json,
}

impl Style {
    /// As variants write it.
    pub(super) const NAMES: [(&str, Style); 3] = [("grid", Style::Grid), ("list", Style::List), ("json", Style::Json)];

    /// As variants write it.
    pub fn name(self) -> &'static str {
        match self {
            Style::Grid => "grid",
            Style::List => "list",
            Style::Json => "json",
        }
    }

    /// What the block that holds the position calls its language.
    pub(super) fn fence(self) -> &'static str {
        match self {
            Style::Grid | Style::List => "text",
            Style::Json => "json",
        }
    }
}

/// The position in a style.
pub(super) fn shown(table: &Table, style: Style, language: Language) -> String {
    let book = Book::of(language);
    match style {
        Style::Grid => view(table, None, language).grid,
        Style::List => {
            let lines = match table.position() {
                Position::Cowboy(position) => cowboy::listed(position),
                Position::Paint(position) => paint::listed(position),
                Position::Royale(position) => royale::listed(position),
            };
            let lines = lines.into_iter().map(|(term, context)| book.render(&format!("list.{term}"), context));
            lines.collect::<Vec<_>>().join("\n")
        }
        Style::Json => serde_json::to_string(&table.state()).expect("plain data"),
    }
}

/// A line of a listed position: the term under `list`, and what fills it in.
pub(super) type Line = (&'static str, Json);

/// A line of things; none where there are no things.
pub(super) fn line(term: &'static str, items: &[String]) -> Option<Line> {
    (!items.is_empty()).then(|| (term, json!({ "items": items })))
}

/// A cell by its two numbers, as the rest of the words have it.
pub(super) fn cell(first: impl Into<usize>, second: impl Into<usize>) -> String {
    format!("({}, {})", first.into(), second.into())
}
