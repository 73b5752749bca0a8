//! What somebody at a live match is told beside the board: whom it waits for, what to call next, what an action would
//! do.

use serde::Serialize;
use serde_json::json;

use super::book::Book;
use super::language::Language;
use super::turn::{describe, event_sentence};
use crate::games::joint::{Joint, Order};
use crate::games::seat::{Seat, Seats};
use crate::games::{Action, Event, Seed, View};

/// Something to tell a player at a live match.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Hint<'a> {
    /// Which match it is, how far, and who is told.
    Head {
        /// The match's name.
        match_id: &'a str,
        /// Turns that were played.
        turn: u32,
        /// Whose view it is; nobody's for a spectator.
        seat: Option<Seat>,
        /// Whether that seat is awaited.
        your_turn: bool,
    },
    /// What happened, under its heading.
    Since {
        /// A sentence each.
        said: &'a [String],
        /// Whether a player is told, and not a spectator.
        seated: bool,
    },
    /// Turns that are not told, in place of their sentences.
    Earlier {
        /// The call that tells all.
        call: &'a str,
    },
    /// All that may be done.
    Choices {
        /// The legal actions, in notation.
        legal: &'a [String],
    },
    /// How an action is written where no list is needed.
    Form {
        /// What to write.
        form: &'a str,
    },
    /// Others are to act.
    Waiting {
        /// The seats that are waited for.
        to_act: Seats,
    },
    /// The own action stands while others think.
    Sealed {
        /// The action in notation.
        action: &'a str,
    },
    /// Seats are open.
    Gathering {
        /// The match that gathers.
        match_id: &'a str,
        /// The seats that are still open.
        open: &'a [Seat],
    },
    /// A player cannot be reached.
    Suspended {
        /// What is known of it.
        why: &'a str,
    },
    /// The seat gave up, and the match goes on for now.
    Resigned {},
    /// A message waits for the next action.
    Said {},
    /// An action for a turn that is past.
    Past {
        /// The turn that the action was meant for.
        turn: u32,
        /// The one at hand.
        now: u32,
    },
    /// An action for a turn that has not come.
    Future {
        /// The turn that the action was meant for.
        turn: u32,
        /// The one at hand.
        now: u32,
    },
    /// A second action in one turn.
    Acted {
        /// The action that was accepted before.
        action: &'a str,
    },
    /// An action out of turn.
    NotYourTurn {
        /// Who is to act.
        to_act: Seats,
    },
    /// Anything after the end.
    Over {},
    /// What could be done instead.
    Legal {
        /// The legal actions, in notation.
        legal: &'a [String],
    },
    /// What to do now.
    Next {
        /// The call: a tool's name and its arguments.
        call: &'a str,
    },
    /// The key of a seat.
    SeatKey {
        /// The secret that opens the seat again.
        key: &'a str,
        /// Whether every call must have it, for want of a session that remembers it.
        always: bool,
    },
    /// Nobody is shown legal actions.
    Withheld {},
    /// A seat that is not to act.
    NothingToDo {},
    /// The person on a seat did not answer.
    PersonSilent {
        /// The seat of the person who did not answer.
        seat: Seat,
    },
}

/// The same in words.
pub fn hint(hint: &Hint<'_>, language: Language) -> String {
    let json = json!(hint);
    let (name, context) =
        json.as_object().and_then(|fields| fields.iter().next()).expect("a variant is an object of one field");
    Book::of(language).render(&format!("lobby.{name}"), context.clone())
}

/// What a person asks an assistant for from a menu: `play`, `coach` or `commentate`.
pub fn prompt(name: &str, ruleset: &str, opponent: &str, match_id: Option<&str>, language: Language) -> String {
    let context = json!({ "ruleset": ruleset, "opponent": opponent, "match_id": match_id });
    Book::of(language).render(&format!("prompts.{name}"), context)
}

/// The question to a person on a seat.
pub fn ask_person(view: &View, seat: Seat, language: Language) -> String {
    let book = Book::of(language);
    let status = describe(view, Some(seat), book).status;
    book.render("lobby.ask_person", json!({ "seat": seat, "status": status }))
}

/// What an action of a seat that is to act would do if the others stood still. Chance is left out. Nothing is told where
/// something is hidden from the seat: what comes of an action might give it away.
pub fn what_if_events(view: &View, seat: Seat, action: &str) -> Option<Vec<Event>> {
    let mut table = view.table()?;
    let to_act = table.to_act();
    let (action, _) = table.read(action).ok()?;
    let orders = to_act.iter().map(|other| {
        let order = if other == seat { Order::Play(action.clone()) } else { Order::Pass };
        (other, order)
    });
    let joint: Joint<Action> = orders.collect();
    // Only what the action itself does is told, so these dice decide nothing that is.
    let events = table.play(&joint, &mut Seed(0).dice()).ok()?;
    Some(events.into_iter().filter(|event| event.is_own_doing(seat)).collect())
}

/// The same in words.
pub fn what_if(view: &View, seat: Seat, action: &str, language: Language) -> Option<String> {
    let events = what_if_events(view, seat, action)?;
    let sentences: Vec<String> = events.iter().map(|event| event_sentence(event, language)).collect();
    Some(Book::of(language).render("lobby.what_if", json!({ "action": action, "sentences": sentences })))
}

/// What each legal action of a seat would do, in the order of [`View::legal`].
pub fn what_ifs(view: &View, seat: Seat, language: Language) -> Vec<String> {
    let told = |action: &String| what_if(view, seat, action, language).unwrap_or_else(|| format!("`{action}`"));
    view.legal(seat).iter().map(told).collect()
}

/// The same as a text, a line each.
pub fn what_ifs_text(view: &View, seat: Seat, effects: &[String], language: Language) -> String {
    if effects.is_empty() {
        return hint(&Hint::NothingToDo {}, language);
    }
    let alone = view.to_act().iter().all(|other| other == seat);
    let head = if alone { "lobby.what_if_alone" } else { "lobby.what_if_note" };
    let head = Book::of(language).render(head, json!({}));
    let lines = effects.iter().map(|effect| format!("- {effect}"));
    std::iter::once(head).chain(lines).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::games::{Ruleset, Table, Viewer, library};

    #[test]
    fn every_legal_action_of_every_ruleset_is_told_in_both_languages() {
        for name in library::rulesets() {
            let ruleset = Arc::new(Ruleset::named(name).expect("built in"));
            let view = Table::open(ruleset, 2, Seed(1)).expect("two can play").view(Viewer::Seat(Seat::new(0)));
            let legal = view.legal(Seat::new(0));
            for language in Language::ALL {
                let told = what_ifs(&view, Seat::new(0), language);
                let told = what_ifs_text(&view, Seat::new(0), &told, language);
                assert_eq!(told.lines().count(), legal.len() + 1, "{told}");
                // Where something is hidden, what comes of an action is not foretold.
                let told = legal.iter().filter(|action| !action.contains('<') && view.position().is_some());
                for action in told {
                    assert!(
                        what_if(&view, Seat::new(0), action, language)
                            .is_some_and(|told| told.len() > action.len() + 4)
                    );
                }
            }
        }
    }

    #[test]
    fn a_shot_tells_where_both_sweeps_end() {
        let ruleset = Arc::new(Ruleset::named("cowboy").expect("built in"));
        let view = Table::open(ruleset, 2, Seed(1)).expect("two can play").view(Viewer::Seat(Seat::new(0)));
        let told = what_if(&view, Seat::new(0), "shoot down", Language::En).expect("legal");
        assert!(told.starts_with("`shoot down`: A shoots down; the beam enters"), "{told}");
        assert!(told.contains("The sweep left") && told.contains("The sweep right"), "{told}");
    }

    /// Grid Royale with bots on these tiles of the seventh row, each with so many hit points.
    fn royale(xs: &[u8], hp: u8, tick: u32) -> Table {
        let ruleset = Arc::new(Ruleset::named("grid-royale").expect("built in"));
        let table = Table::open(ruleset.clone(), xs.len(), Seed(1)).expect("so many can play");
        let mut state = json!(table.state());
        state["tick"] = json!(tick);
        for (bot, x) in state["bots"].as_array_mut().expect("a list of bots").iter_mut().zip(xs) {
            bot["position"] = json!({ "x": x, "y": 6 });
            bot["hp"] = json!(hp);
        }
        Table::from_state(ruleset, &state).expect("a sound position")
    }

    /// What an action of A would do, each event with whom it happens to and by what.
    fn effects(table: &Table, action: &str) -> Vec<String> {
        let events = what_if_events(&table.view(Viewer::Seat(Seat::new(0))), Seat::new(0), action).expect("legal");
        let told = events.iter().map(|event| {
            let event = json!(event);
            let parts = ["type", "bot", "source"].map(|field| event[field].as_str().unwrap_or_default().to_owned());
            parts.join(" ").trim_end().to_owned()
        });
        told.collect()
    }

    #[test]
    fn an_action_is_told_with_its_own_bullets_and_without_what_happens_to_others_anyway() {
        let near = royale(&[5, 7, 9], 1, 1);
        assert_eq!(effects(&near, "shoot east"), ["shot A", "damage B bullet", "kill B"]);
        assert_eq!(effects(&near, "move west"), ["move A"]);
        // The zone has shrunk: A and C stand outside it, wherever A goes.
        let outside = royale(&[0, 7, 2], 3, 41);
        assert_eq!(effects(&outside, "stay"), ["damage A zone"]);
        assert_eq!(effects(&outside, "move west"), ["blocked A", "damage A zone"]);
        assert_eq!(effects(&outside, "shoot east"), ["shot A", "damage C bullet", "damage A zone"]);
    }
}
