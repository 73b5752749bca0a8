//! What a player is told from turn to turn.

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::book::Book;
use super::language::Language;
use super::quoted::plain;
use super::style::{Style, shown};
use super::variant::MAX_NOTES;
use super::{cowboy, paint, royale};
use crate::games::seat::Seat;
use crate::games::table::{Event, Position, Table};

/// A part of the message of a turn. What is sent, and in which order, is the caller's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// Which seat the player has, and how far the match is.
    Seat,
    /// What earlier messages told.
    History,
    /// What happened since the player's last turn.
    Since,
    /// The board.
    Board,
    /// The players with their numbers.
    Players,
    /// The player's note to itself.
    Notes,
    /// All that the player may do.
    Legal,
    /// What is asked for.
    Ask,
}

impl Section {
    /// Those that everybody gets, in the usual order.
    pub const USUAL: [Section; 6] =
        [Section::Seat, Section::Since, Section::Board, Section::Players, Section::Legal, Section::Ask];

    /// As variants write them.
    pub(super) const NAMES: [(&str, Section); 8] = [
        ("seat", Section::Seat),
        ("history", Section::History),
        ("since", Section::Since),
        ("board", Section::Board),
        ("players", Section::Players),
        ("notes", Section::Notes),
        ("legal", Section::Legal),
        ("ask", Section::Ask),
    ];
}

/// What the message of a turn is made of.
#[derive(Clone, Copy, Debug)]
pub struct TurnContext<'a> {
    /// The position.
    pub table: &'a Table,
    /// Whom the message is for.
    pub seat: Seat,
    /// What happened since that seat's last turn.
    pub since: &'a [Event],
    /// What was said since then beside the actions, where talking is free.
    pub said: &'a [(Seat, String)],
    /// What the messages before told, oldest first, the present one not included.
    pub history: &'a [Past],
    /// What the player noted for itself in its last turn.
    pub notes: Option<&'a str>,
}

/// What an earlier message told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// What had happened.
    pub since: Vec<Event>,
    /// What had been said.
    pub said: Vec<(Seat, String)>,
}

/// The message of a turn, its board drawn.
pub fn turn(context: &TurnContext<'_>, sections: &[Section], language: Language) -> String {
    write(context, sections, Style::Grid, language)
}

/// The message of a turn.
pub(super) fn write(it: &TurnContext<'_>, sections: &[Section], style: Style, language: Language) -> String {
    let view = view(it.table, Some(it.seat), language);
    let wants = |section: Section| sections.contains(&section);
    let notes = it.notes.filter(|_| wants(Section::Notes)).map(note).unwrap_or_default();
    let history = it.history.iter().filter(|_| wants(Section::History));
    let (your_turn, over) = (it.table.to_act().contains(it.seat), it.table.outcome().is_some());
    let context = json!({
        "sections": sections,
        "seat": it.seat,
        "turn": it.table.turn(),
        "status": view.status,
        "history": history.flat_map(|past| told(&past.since, &past.said, language)).collect::<Vec<_>>(),
        "since": told(it.since, it.said, language),
        "board": if style == Style::Grid { view.grid } else { shown(it.table, style, language) },
        "fence": style.fence(),
        "players": view.players,
        "notes": notes,
        "legal": it.table.legal(it.seat),
        "your_turn": your_turn,
        "over": over,
        // Whoever is to act knows it.
        "standing": if over || !your_turn { standing(it.table, language) } else { String::new() },
    });
    let mut text = Book::of(language).render("turn.md", context);
    text.push('\n');
    text
}

/// What happened and what was said, a sentence each.
fn told(events: &[Event], said: &[(Seat, String)], language: Language) -> Vec<String> {
    let events = events.iter().map(|event| event_sentence(event, language));
    events.chain(said.iter().map(|(seat, text)| said_sentence(*seat, text, language))).collect()
}

/// A note, line by line.
fn note(text: &str) -> Vec<String> {
    let short: String = text.chars().take(MAX_NOTES).collect();
    short.lines().map(|line| plain(line, MAX_NOTES)).filter(|line| !line.is_empty()).collect()
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
pub(super) fn standing(table: &Table, language: Language) -> String {
    let to_act = table.to_act();
    let outcome = table.outcome().map_or(Json::Null, |outcome| json!(outcome));
    Book::of(language).render("board.standing", json!({ "to_act": to_act, "outcome": outcome }))
}
