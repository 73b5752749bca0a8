//! What somebody at a live match sees and hears: the position as one text, what happened in sentences, and how it ended
//! for them.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::book::Book;
use super::language::Language;
use super::style::{between, has_same_actions};
use super::turn::{describe, told};
use crate::games::any::{Member, each};
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::games::view::Seen;
use crate::games::words::Term;
use crate::games::{Event, View};

/// How a match ended for one seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SeatResult {
    /// Alone on the first place, or with its own team only.
    Won,
    /// Others share the first place.
    Draw,
    /// Somebody is ahead.
    Lost,
}

/// The position as one text that is enough to play by: how far the match is, the board in the style that suits the game,
/// and the players with their numbers.
pub fn position(view: &View, you: Option<Seat>, language: Language) -> String {
    let book = Book::of(language);
    let described = describe(view, you, book);
    let board = between(view, book);
    format!("{}\n{board}\n{}", described.status, described.players.join("\n"))
}

/// What happened and what was said, a sentence each.
pub fn sentences(events: &[Event], said: &[(Seat, String)], language: Language) -> Vec<String> {
    told(events, said, Book::of(language))
}

/// How an action is written, in a ruleset where everybody may do the same in every position and no list is needed.
pub fn action_form(ruleset: &Ruleset, language: Language) -> Option<String> {
    let game = ruleset.rules.game().name();
    has_same_actions(ruleset).then(|| Book::of(language).tell(game, &Term::new("form", json!({})))).flatten()
}

/// How a match ended for a seat; nothing while it is played.
pub fn verdict(view: &View, seat: Seat) -> Option<SeatResult> {
    fn teams<G: Member>(seen: &Seen<G>) -> BTreeMap<Seat, Json> {
        G::players(seen).into_iter().map(|player| (player.seat, player.context["team"].clone())).collect()
    }
    let outcome = view.outcome()?;
    if outcome.places.get(&seat) != Some(&1) {
        return Some(SeatResult::Lost);
    }
    let teams = each!(AnySeen: view.seen(), seen => teams(seen));
    let mut others = outcome.places.iter().filter(|&(&other, &place)| place == 1 && other != seat);
    let is_own = |other: &Seat| teams.get(other).is_some_and(|team| !team.is_null() && teams.get(&seat) == Some(team));
    Some(if others.all(|(other, _)| is_own(other)) { SeatResult::Won } else { SeatResult::Draw })
}

/// The same in a sentence.
pub fn verdict_sentence(view: &View, seat: Seat, language: Language) -> Option<String> {
    let outcome = view.outcome()?;
    let context = json!({
        "verdict": verdict(view, seat)?,
        "place": outcome.places.get(&seat),
        "seats": outcome.places.len(),
    });
    Some(Book::of(language).render("lobby.verdict", context))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::games::{Joint, Order, Seed, Table, Viewer};

    fn ended(ruleset: &str, seats: usize, forfeits: &[usize]) -> View {
        let ruleset = Arc::new(Ruleset::named(ruleset).expect("built in"));
        let mut table = Table::open(ruleset, seats, Seed(1)).expect("so many can play");
        let mut turn = 0;
        while table.outcome().is_none() {
            let to_act = table.to_act();
            let orders = to_act.iter().map(|seat| {
                let out = forfeits.contains(&seat.index());
                (seat, if out { Order::Forfeit } else { Order::Pass })
            });
            let joint: Joint<_> = orders.collect();
            table.play(&joint, &mut Seed(1).turn(turn)).expect("passing is always possible");
            turn += 1;
        }
        table.view(Viewer::Public)
    }

    #[test]
    fn the_end_is_told_as_won_lost_or_a_draw() {
        let view = ended("cowboy", 2, &[1]);
        assert_eq!(verdict(&view, Seat::new(0)), Some(SeatResult::Won));
        assert_eq!(verdict(&view, Seat::new(1)), Some(SeatResult::Lost));
        let view = ended("cowboy", 2, &[]);
        assert_eq!(verdict(&view, Seat::new(0)), Some(SeatResult::Draw));
        assert!(position(&view, None, Language::En).starts_with("Round 100 of 100"), "no round after the last");
        for (seat, en, zh) in [(0, "You won", "你赢了"), (1, "You lost", "你输了")] {
            let view = ended("paint", 2, &[1]);
            let told = |language| verdict_sentence(&view, Seat::new(seat), language).expect("it is over");
            assert!(told(Language::En).starts_with(en) && told(Language::Zh).starts_with(zh));
        }
    }

    #[test]
    fn only_a_game_of_constant_actions_tells_how_to_write_them() {
        for language in Language::ALL {
            let form = |name: &str| action_form(&Ruleset::named(name).expect("built in"), language);
            assert!(form("grid-royale").is_some_and(|form| form.contains("`move north, shoot east`")));
            assert_eq!(form("cowboy"), None);
        }
    }
}
