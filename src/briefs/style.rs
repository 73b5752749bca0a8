//! How a position is shown: drawn, listed or as programs get it.

use serde::Serialize;

use super::book::Book;
use crate::games::View;
use crate::games::any::{Member, each, each_type};
use crate::games::ruleset::Ruleset;
use crate::games::view::Seen;
use crate::games::words::Words;

/// How a position is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// Drawn or listed, whichever suits the game.
    Auto,
    /// Drawn, with axes.
    Grid,
    /// What is where, by coordinates.
    List,
    /// The state as the contract writes it.
    Json,
}

impl Style {
    /// As variants write it.
    pub(super) const NAMES: [(&str, Style); 4] =
        [("auto", Style::Auto), ("grid", Style::Grid), ("list", Style::List), ("json", Style::Json)];

    /// The style in which a ruleset's positions are shown.
    #[must_use]
    pub(super) fn for_ruleset(self, ruleset: &Ruleset) -> Style {
        match self {
            Style::Auto if each_type!(ruleset.rules.game(), G => <G as Words>::LISTED) => Style::List,
            Style::Auto => Style::Grid,
            chosen => chosen,
        }
    }

    /// As variants write it.
    pub fn name(self) -> &'static str {
        match self {
            Style::Auto => "auto",
            Style::Grid => "grid",
            Style::List => "list",
            Style::Json => "json",
        }
    }

    /// What the block that holds the position calls its language.
    pub(super) fn fence(self) -> &'static str {
        match self {
            Style::Auto | Style::Grid | Style::List => "text",
            Style::Json => "json",
        }
    }
}

/// Whether everybody may do the same in every position of a ruleset.
pub(super) fn has_same_actions(ruleset: &Ruleset) -> bool {
    each_type!(ruleset.rules.game(), G => <G as Words>::SAME_ACTIONS)
}

/// The board under its status and above its players: a list leaves out what those tell.
pub(super) fn between(view: &View, book: &Book) -> String {
    fn listed<G: Member>(seen: &Seen<G>, book: &Book) -> String {
        let Some(mut lines) = G::listed(seen) else { return G::sketch(seen) };
        lines.retain(|line| !G::TOLD_TWICE.contains(&line.name.as_str()));
        lines.iter().filter_map(|line| book.tell(G::NAME, line)).collect::<Vec<_>>().join("\n")
    }
    match Style::Auto.for_ruleset(view.ruleset()) {
        Style::List => each!(AnySeen: view.seen(), seen => listed(seen, book)),
        style => shown(view, style, book),
    }
}

/// The position in a style.
pub(super) fn shown(view: &View, style: Style, book: &Book) -> String {
    fn listed<G: Member>(seen: &Seen<G>, book: &Book) -> String {
        let Some(lines) = G::listed(seen) else { return G::sketch(seen) };
        lines.iter().filter_map(|line| book.tell(G::NAME, line)).collect::<Vec<_>>().join("\n")
    }
    match style.for_ruleset(view.ruleset()) {
        Style::Auto | Style::Grid => each!(AnySeen: view.seen(), seen => drawn(seen)),
        Style::List => each!(AnySeen: view.seen(), seen => listed(seen, book)),
        Style::Json => serde_json::to_string(&view.state()).expect("plain data"),
    }
}

fn drawn<G: Member>(seen: &Seen<G>) -> String {
    G::sketch(seen)
}
