//! What a player is told from turn to turn.

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::book::Book;
use super::language::Language;
use super::quoted::plain;
use super::style::{Style, shown};
use super::variant::MAX_NOTES;
use crate::games::any::{Member, each};
use crate::games::seat::Seat;
use crate::games::view::Seen;
use crate::games::words::{PlayerTerms, Term, Words};
use crate::games::{Event, View};

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
    /// The position, in the style of the variant.
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
    /// What the player sees of the position.
    pub view: &'a View,
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
    write(context, sections, Style::Grid, Book::of(language))
}

/// The message of a turn.
pub(super) fn write(it: &TurnContext<'_>, sections: &[Section], style: Style, book: &Book) -> String {
    let told_of = describe(it.view, Some(it.seat), book);
    let wants = |section: Section| sections.contains(&section);
    let notes = it.notes.filter(|_| wants(Section::Notes)).map(note).unwrap_or_default();
    let history = it.history.iter().filter(|_| wants(Section::History));
    let (your_turn, over) = (it.view.to_act().contains(it.seat), it.view.outcome().is_some());
    let context = json!({
        "sections": sections,
        "seat": it.seat,
        "turn": it.view.turn(),
        "status": told_of.status,
        "history_turns": it.history.len(),
        "history": history.flat_map(|past| told(&past.since, &past.said, book)).collect::<Vec<_>>(),
        "since": told(it.since, it.said, book),
        "board": shown(it.view, style, book),
        "fence": style.fence(),
        "players": told_of.players,
        "notes": notes,
        "legal": it.view.legal(it.seat),
        "your_turn": your_turn,
        "over": over,
        // Whoever is to act knows it.
        "standing": if over || !your_turn { standing(it.view, book) } else { String::new() },
    });
    let mut text = book.render("turn.md", context);
    text.push('\n');
    text
}

/// What happened and what was said, a sentence each.
pub(super) fn told(events: &[Event], said: &[(Seat, String)], book: &Book) -> Vec<String> {
    let events = events.iter().map(|event| tell_event(event, book));
    events.chain(said.iter().map(|(seat, text)| tell_said(*seat, text, book))).collect()
}

/// A note, line by line.
fn note(text: &str) -> Vec<String> {
    let short: String = text.chars().take(MAX_NOTES).collect();
    short.lines().map(|line| plain(line, MAX_NOTES)).filter(|line| !line.is_empty()).collect()
}

/// The position as text: how far the match is, the board with its axes, the players, and who is to act.
pub fn board(view: &View, language: Language) -> String {
    let book = Book::of(language);
    let Described { status, players } = describe(view, None, book);
    let grid = shown(view, Style::Grid, book);
    format!("{status}\n\n{grid}\n\n{}\n\n{}\n", players.join("\n"), standing(view, book))
}

/// What happened, in a sentence or two.
pub fn event_sentence(event: &Event, language: Language) -> String {
    tell_event(event, Book::of(language))
}

/// What happened, a sentence or two for each event, in their order. The events are those that the reader may know of, as
/// [`Table::told`](crate::games::Table::told) gives them.
pub fn event_sentences(events: &[Event], language: Language) -> Vec<String> {
    events.iter().map(|event| event_sentence(event, language)).collect()
}

/// What somebody said where talking is free.
pub fn said_sentence(seat: Seat, text: &str, language: Language) -> String {
    tell_said(seat, text, Book::of(language))
}

/// That a match began from an opening.
pub fn opening_sentence(language: Language) -> String {
    Book::of(language).render("opened", json!({}))
}

fn tell_said(seat: Seat, text: &str, book: &Book) -> String {
    book.render("said", json!({ "seat": seat, "text": text }))
}

pub(super) fn tell_event(event: &Event, book: &Book) -> String {
    tell(event.game().name(), json!(event), book)
}

/// An event of a game in its own words, in the common ones, or plainly by its fields.
pub(super) fn tell(game: &str, event: Json, book: &Book) -> String {
    let kind = event["type"].as_str().unwrap_or_default().to_owned();
    let term = Term::new(format!("events.{kind}"), event);
    book.tell(game, &term).unwrap_or_else(|| {
        let mut fields = term.context.as_object().cloned().unwrap_or_default();
        fields.remove("type");
        book.render("events.plain", json!({ "type": kind, "facts": book.facts(&fields) }))
    })
}

/// A position in words, its board aside.
pub(super) struct Described {
    pub(super) status: String,
    pub(super) players: Vec<String>,
}

pub(super) fn describe(view: &View, you: Option<Seat>, book: &Book) -> Described {
    fn member<G: Member>(seen: &Seen<G>, you: Option<Seat>, book: &Book) -> Described {
        describe_seen(seen, you, book)
    }
    each!(AnySeen: view.seen(), seen => member(seen, you, book))
}

pub(super) fn describe_seen<G: Words>(seen: &Seen<G>, you: Option<Seat>, book: &Book) -> Described {
    let tell = |name: &str, context: Json| book.tell(G::NAME, &Term::new(name, context)).unwrap_or_default();
    let player = |PlayerTerms { seat, mut context }: PlayerTerms| {
        context["you"] = json!(you == Some(seat));
        if let Some(fields) = context.get("fields").and_then(Json::as_object) {
            context["facts"] = json!(book.facts(fields));
        }
        tell("board.player", context)
    };
    Described {
        status: tell("board.status", G::status(seen)),
        players: G::players(seen).into_iter().map(player).collect(),
    }
}

/// Who is to act, or how it ended.
pub(super) fn standing(view: &View, book: &Book) -> String {
    let outcome = view.outcome().map_or(Json::Null, |outcome| json!(outcome));
    book.render("board.standing", json!({ "to_act": view.to_act(), "outcome": outcome }))
}
