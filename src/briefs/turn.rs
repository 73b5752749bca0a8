//! What a player is told from turn to turn.

use serde_json::{Value as Json, json};

use super::book::Book;
use super::language::Language;
use super::{cowboy, paint, royale};
use crate::rules::seat::Seat;
use crate::rules::table::{Event, Position, Table};

/// A part of the message of a turn. What is sent, and in which order, is the caller's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Section {
    /// Which seat the player has, and how far the match is.
    Seat,
    /// What happened since the player's last turn.
    Since,
    /// The board, drawn.
    Board,
    /// The players with their numbers.
    Players,
    /// All that the player may do.
    Legal,
    /// What is asked for.
    Ask,
}

impl Section {
    /// All of them, in the usual order.
    pub const ALL: [Section; 6] =
        [Section::Seat, Section::Since, Section::Board, Section::Players, Section::Legal, Section::Ask];

    fn name(self) -> &'static str {
        match self {
            Section::Seat => "seat",
            Section::Since => "since",
            Section::Board => "board",
            Section::Players => "players",
            Section::Legal => "legal",
            Section::Ask => "ask",
        }
    }
}

/// What the message of a turn is made of.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The position.
    pub table: &'a Table,
    /// Whom the message is for.
    pub seat: Seat,
    /// What happened since that seat's last turn.
    pub events: &'a [Event],
    /// What was said since then beside the actions, where talking is free.
    pub said: &'a [(Seat, String)],
}

/// The message of a turn.
pub fn turn(turn: &Turn<'_>, sections: &[Section], language: Language) -> String {
    let Turn { table, seat, events, said } = *turn;
    let view = view(table, Some(seat), language);
    let mut since: Vec<String> = events.iter().map(|event| event_sentence(event, language)).collect();
    since.extend(said.iter().map(|(seat, text)| said_sentence(*seat, text, language)));
    let context = json!({
        "sections": sections.iter().map(|section| section.name()).collect::<Vec<_>>(),
        "seat": seat,
        "turn": table.turn(),
        "status": view.status,
        "since": since,
        "board": view.grid,
        "players": view.players,
        "legal": table.legal(seat),
        "your_turn": table.to_act().contains(seat),
        "over": table.outcome().is_some(),
        "standing": standing(table, language),
    });
    let mut text = Book::of(language).render("turn.md", context);
    text.push('\n');
    text
}

/// The position as text: how far the match is, the board with its axes, the players, and who is to act.
pub fn board(table: &Table, language: Language) -> String {
    let view = view(table, None, language);
    format!("{}\n\n{}\n\n{}\n\n{}\n", view.status, view.grid, view.players.join("\n"), standing(table, language))
}

/// What happened, in a sentence or two.
pub fn event_sentence(event: &Event, language: Language) -> String {
    let game = match event {
        Event::Cowboy(_) => "cowboy",
        Event::Paint(_) => "paint",
        Event::Royale(_) => "royale",
    };
    let context = json!(event);
    let kind = context["type"].as_str().expect("every event names its type").to_owned();
    Book::of(language).render(&format!("events.{game}.{kind}"), context)
}

/// What somebody said where talking is free.
pub fn said_sentence(seat: Seat, text: &str, language: Language) -> String {
    Book::of(language).render("said", json!({ "seat": seat, "text": text }))
}

/// A position in pieces.
pub(super) struct View {
    pub(super) status: String,
    pub(super) grid: String,
    pub(super) players: Vec<String>,
}

pub(super) fn view(table: &Table, you: Option<Seat>, language: Language) -> View {
    let book = Book::of(language);
    match table.position() {
        Position::Cowboy(position) => cowboy::view(position, you, book),
        Position::Paint(position) => paint::view(position, you, book),
        Position::Royale(position) => royale::view(position, you, book),
    }
}

/// Who is to act, or how it ended.
fn standing(table: &Table, language: Language) -> String {
    let to_act = table.to_act();
    let outcome = table.outcome().map_or(Json::Null, |outcome| json!(outcome));
    Book::of(language).render("board.standing", json!({ "to_act": to_act, "outcome": outcome }))
}
