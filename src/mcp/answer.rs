//! What a tool answers: words for the model and the same as data, each enough to play by.

use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value as Json, json};

use super::calls::{NOBODY, WAIT, act_words};
use crate::arena::{ActError, HolderKind, Live, MatchView, SeatHandle, SeatKey, SeatStatus, Stage};
use crate::briefs::{self, Hint, Language};
use crate::games::library;
use crate::games::scene::{self, Tone};
use crate::games::seat::{Seat, Seats};
use crate::games::table::Event;
use crate::matches::Turn;

/// Where the board finds what it shows, among what a host keeps from the model.
const BOARD_META: &str = "standoff/board";

/// Whoever has not acted for long hears of so many events and messages; all of them are told on demand.
const MOST_TOLD: usize = 24;

/// How a call wants to be answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wish {
    /// The key to repeat in the next call, where the caller must pass one.
    pub(super) key: Option<String>,
    /// Whether the state and all of the events are told as data too, and what never changes is told again.
    pub(super) full: bool,
    /// Whether the host draws the board beside the conversation.
    pub(super) drawn: bool,
}

impl Wish {
    /// The next call: a tool and its arguments, with the key where one is needed.
    pub(super) fn call(&self, tool: &str, arguments: &[(&str, Json)]) -> String {
        let key = self.key.iter().map(|key| ("seat_key", json!(key)));
        // In this order: a map would sort them, and a model writes them as it reads them.
        let arguments = arguments.iter().cloned().chain(key).map(|(name, value)| format!("\"{name}\":{value}"));
        format!("{tool} {{{}}}", arguments.collect::<Vec<_>>().join(","))
    }

    /// The call that waits: for a seat's turn, or for whatever comes next where somebody only watches.
    fn wait(&self, view: &MatchView) -> String {
        let wait = ("wait_seconds", json!(WAIT.as_secs()));
        match view.seat {
            Some(_) => self.call("get_state", &[wait]),
            None => Wish::default().call("get_state", &[("match_id", json!(view.match_id)), wait]),
        }
    }
}

/// Both forms of an answer while they grow.
pub(super) struct ToolAnswer {
    text: Vec<String>,
    data: Map<String, Json>,
    /// What the board shows beside the conversation; no model reads it.
    shown: Option<Json>,
    next: Option<String>,
    language: Language,
}

impl ToolAnswer {
    fn new(live: &Live, view: &MatchView) -> ToolAnswer {
        let language = live.language();
        let mut answer = ToolAnswer { text: Vec::new(), data: Map::new(), shown: None, next: None, language };
        answer.put("match_id", json!(view.match_id));
        answer.put("turn", json!(view.seen.turn()));
        answer.put("your_turn", json!(view.your_turn));
        answer
    }

    /// A match as a seat, or a spectator, sees it now.
    pub(super) fn of(live: &Live, view: &MatchView, wish: &Wish) -> ToolAnswer {
        let mut answer = ToolAnswer::new(live, view);
        let (language, seen) = (answer.language, &view.seen);
        answer.shown = wish.drawn.then(|| shown(view, language));
        let (turn, your_turn, seat) = (seen.turn(), view.your_turn, view.seat);
        answer.hint(&Hint::Head { match_id: &view.match_id, turn, seat, your_turn });
        if let Some(seat) = seat {
            answer.put("seat", json!(seat));
        }
        answer.happened(view, wish);
        let board = briefs::position(seen, seat, language);
        answer.say(&format!("```text\n{board}\n```"));
        answer.put("board", json!(board));
        if wish.full {
            answer.put("state", json!(seen.state()));
        }
        if live.legal_shown() {
            answer.choices(view, wish);
        }
        answer.standing(view, wish);
        answer
    }

    /// As little as can be said while there is nothing to do.
    pub(super) fn waiting(live: &Live, view: &MatchView, wish: &Wish) -> ToolAnswer {
        if view.resigned {
            return ToolAnswer::resigned(live, view);
        }
        let mut answer = ToolAnswer::new(live, view);
        answer.awaited(view);
        answer.next = Some(wish.wait(view));
        answer
    }

    /// That a seat has given up, where the match goes on for now.
    pub(super) fn resigned(live: &Live, view: &MatchView) -> ToolAnswer {
        let mut answer = ToolAnswer::new(live, view);
        let said = briefs::hint(&Hint::Resigned {}, answer.language);
        answer.put("said", json!([said]));
        answer.say(&said);
        answer.next = Some(another(view, answer.language));
        answer
    }

    /// That a message waits for the next action.
    pub(super) fn spoken(live: &Live, view: &MatchView, wish: &Wish) -> ToolAnswer {
        let mut answer = ToolAnswer::new(live, view);
        let said = briefs::hint(&Hint::Said {}, answer.language);
        answer.put("said", json!([said]));
        answer.say(&said);
        answer.next = Some(if view.your_turn { act(view, wish) } else { wish.wait(view) });
        answer
    }

    /// What happened since the seat's last turn, and how it ended.
    fn happened(&mut self, view: &MatchView, wish: &Wish) {
        let told = if wish.full { &view.recent[..] } else { latest(&view.recent) };
        let events: Vec<Event> = told.iter().flat_map(|turn| turn.events.iter().cloned()).collect();
        let others = told.iter().flat_map(|turn| &turn.said).filter(|(who, _)| Some(**who) != view.seat);
        let others: Vec<(Seat, String)> = others.map(|(&who, text)| (who, text.clone())).collect();
        let mut said = briefs::sentences(&events, &others, self.language);
        if told.len() < view.recent.len() {
            let call = wish.call("get_state", &[("full", json!(true))]);
            said.insert(0, briefs::hint(&Hint::Earlier { call: &call }, self.language));
        }
        if view.resigned && view.stage != Stage::Over {
            said.push(briefs::hint(&Hint::Resigned {}, self.language));
        }
        if let Some(seat) = view.seat
            && let Some(verdict) = briefs::verdict_sentence(&view.seen, seat, self.language)
        {
            said.push(verdict);
            self.put("result", json!(briefs::verdict(&view.seen, seat)));
        }
        if let Some(outcome) = view.seen.outcome() {
            self.put("outcome", json!(outcome));
        }
        if !said.is_empty() {
            self.hint(&Hint::Since { said: &said, seated: view.seat.is_some() });
        }
        self.put("said", json!(said));
        let over = view.seen.outcome().is_some();
        let brief = |event| brief(event, over);
        self.put("events", if wish.full { json!(events) } else { events.iter().filter_map(brief).collect() });
    }

    /// What the seat may do. What is the same in every turn is listed only to whoever wants all.
    fn choices(&mut self, view: &MatchView, wish: &Wish) {
        let seat = view.seat.filter(|_| view.your_turn);
        let form = briefs::action_form(view.seen.ruleset(), self.language).filter(|_| seat.is_some() && !wish.full);
        if let Some(form) = form {
            self.hint(&Hint::Form { form: &form });
            self.put("form", json!(form));
            return;
        }
        let legal = seat.map(|seat| view.seen.legal(seat)).unwrap_or_default();
        if !legal.is_empty() {
            self.hint(&Hint::Choices { legal: &legal });
        }
        if wish.full || view.stage != Stage::Over {
            self.put("legal_actions", json!(legal));
        }
    }

    /// How the match stands, where that is not the board's to say, and what to call now.
    fn standing(&mut self, view: &MatchView, wish: &Wish) {
        match &view.stage {
            Stage::Gathering => {
                self.put("open_seats", json!(view.open));
                self.hint(&Hint::Gathering { match_id: &view.match_id, open: &view.open });
                self.next = Some(if view.seat.is_none() && !view.open.is_empty() {
                    Wish::default().call("join_match", &[("match_id", json!(view.match_id))])
                } else {
                    wish.wait(view)
                });
            }
            Stage::Suspended(why) => {
                self.put("suspended", json!(why));
                self.hint(&Hint::Suspended { why });
                self.next = Some(wish.wait(view));
            }
            Stage::Playing if view.resigned => self.next = Some(another(view, self.language)),
            Stage::Playing if view.your_turn => self.next = Some(act(view, wish)),
            Stage::Playing => {
                self.awaited(view);
                self.next = Some(wish.wait(view));
            }
            Stage::Over => self.next = view.seat.map(|_| another(view, self.language)),
        }
    }

    /// Who is waited for, or the own action that stands meanwhile.
    fn awaited(&mut self, view: &MatchView) {
        let others: Seats = view.to_act().iter().filter(|seat| Some(*seat) != view.seat).collect();
        if let Some(sealed) = &view.sealed {
            self.put("sealed", json!(sealed));
            self.hint(&Hint::Sealed { action: sealed });
        } else {
            self.put("waiting_for", json!(others));
        }
        if others.iter().next().is_some() {
            self.hint(&Hint::Waiting { to_act: others });
        }
    }

    /// Puts the brief and the key of a seat in front.
    pub(super) fn with_seat(mut self, seated: &SeatHandle, key: &SeatKey, always: bool) -> ToolAnswer {
        let live = seated.live();
        let seats = seated.view().seen.seats();
        let brief = briefs::live_brief(&live.ruleset(), seats, live.turn_seconds(), self.language);
        self.text.insert(0, brief.clone());
        self.put("brief", json!(brief));
        self.put("seat_key", json!(key.reveal()));
        self.hint(&Hint::SeatKey { key: key.reveal(), always });
        self
    }

    fn put(&mut self, name: &str, value: Json) {
        self.data.insert(name.to_owned(), value);
    }

    fn say(&mut self, text: &str) {
        self.text.push(text.trim_end().to_owned());
    }

    fn hint(&mut self, hint: &Hint<'_>) {
        self.say(&briefs::hint(hint, self.language));
    }

    pub(super) fn done(mut self) -> CallToolResult {
        if let Some(next) = self.next.take() {
            self.hint(&Hint::Next { call: &next });
            self.put("next", json!(next));
        }
        let mut result = finish(self.text.join("\n"), Json::Object(self.data));
        if let Some(shown) = self.shown {
            let mut meta = MetaObject::new();
            meta.insert(BOARD_META.to_owned(), shown);
            result.meta = Some(meta);
        }
        result
    }
}

/// What kind of thing happened, and to whom while the match goes on: at its end the outcome is told as well. The board and the
/// sentences tell the rest.
fn brief(event: &Event, over: bool) -> Option<Json> {
    let Json::Object(mut fields) = json!(event) else { return None };
    fields.retain(|name, _| name == "type" || (!over && matches!(name.as_str(), "seat" | "bot")));
    (fields["type"] != "ended").then_some(Json::Object(fields))
}

/// The last turns, as many as can be told in few sentences; one at least.
fn latest(turns: &[Arc<Turn>]) -> &[Arc<Turn>] {
    let mut told = 0;
    let fits = |turn: &&Arc<Turn>| {
        told += turn.events.len() + turn.said.len();
        told <= MOST_TOLD
    };
    let count = turns.iter().rev().take_while(fits).count().max(1);
    &turns[turns.len().saturating_sub(count)..]
}

/// The call that begins another match of the same kind, against the same players. What goes without saying is left out.
fn another(view: &MatchView, language: Language) -> String {
    let ruleset = &view.seen.ruleset().name;
    let opponent = |other: &SeatStatus| match other.kind {
        HolderKind::House => other.info.player.clone(),
        HolderKind::Beside(_) => "human".to_owned(),
        HolderKind::Player(_) | HolderKind::Key | HolderKind::Open => "open".to_owned(),
    };
    let others = view.seats.iter().filter(|other| Some(other.info.seat) != view.seat);
    let mut opponents: Vec<String> = others.map(opponent).collect();
    if opponents.is_empty() {
        opponents.push(NOBODY.to_owned());
    }
    let is_said = library::rulesets().any(|known| known == ruleset.as_str() && known != library::DEFAULT);
    let ruleset = is_said.then(|| ("ruleset", json!(ruleset)));
    let language = (language != Language::En).then(|| ("language", json!(language)));
    let arguments = ruleset.into_iter().chain([("opponents", json!(opponents))]).chain(language);
    Wish::default().call("new_match", &arguments.collect::<Vec<_>>())
}

/// The call that acts in the turn at hand.
fn act(view: &MatchView, wish: &Wish) -> String {
    wish.call("act", &[("action", json!("<action>")), ("turn", json!(view.seen.turn()))])
}

/// What the board shows: the scene, the choices of whoever is to act, and what happened in words.
fn shown(view: &MatchView, language: Language) -> Json {
    let seen = &view.seen;
    let turns: Vec<&[Event]> = view.recent.iter().map(|turn| turn.events.as_slice()).collect();
    let scene = briefs::worded_scene(seen.scene(&turns), language);
    let seat = view.seat.filter(|_| view.your_turn);
    let controls = seat.map(|seat| briefs::worded_controls(seen.controls(seat), language));
    let told = view.recent.iter().flat_map(|turn| {
        let said = turn.said.iter().map(|(&seat, text)| (briefs::said_sentence(seat, text, language), true));
        let event = |event: &Event| {
            let is_speech = matches!(scene::tone(event), Tone::Speech { .. });
            (briefs::event_sentence(event, language), is_speech)
        };
        turn.events.iter().map(event).chain(said).collect::<Vec<_>>()
    });
    let told: Vec<Json> = told.map(|(text, speech)| json!({ "text": text, "speech": speech })).collect();
    json!({ "scene": scene, "controls": controls, "told": told })
}

/// The result of a call.
pub(super) fn finish(text: String, data: Json) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(data);
    result
}

/// An error that the model reads and can act on.
pub(super) fn error(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text.into())])
}

/// Why an action was not taken, and what could be done instead.
pub(super) fn refusal(seated: &SeatHandle, raw: &str, why: &ActError) -> String {
    let live = seated.live();
    let language = live.language();
    let view = seated.view().seen;
    let hint = |hint: &Hint<'_>| briefs::hint(hint, language);
    match why {
        ActError::Refused(refusal) => {
            let mut text = briefs::refusal(&view, seated.seat(), raw, refusal, language);
            // Where everything is legal at all times the reason says how it is written.
            if live.legal_shown() && briefs::action_form(view.ruleset(), language).is_none() {
                let legal = nearest(view.legal(seated.seat()), raw);
                text = format!("{text}\n{}", hint(&Hint::Legal { legal: &legal }));
            }
            text
        }
        ActError::NotYourTurn { to_act } => hint(&Hint::NotYourTurn { to_act: to_act.clone() }),
        ActError::Acted { action } => hint(&Hint::Acted { action }),
        ActError::Past { turn, now } => hint(&Hint::Past { turn: *turn, now: *now }),
        ActError::Future { turn, now } => hint(&Hint::Future { turn: *turn, now: *now }),
        ActError::Gathering { open } => hint(&Hint::Gathering { match_id: live.id(), open }),
        ActError::Over => hint(&Hint::Over {}),
        ActError::Suspended(why) => hint(&Hint::Suspended { why }),
        ActError::Resigned => hint(&Hint::Resigned {}),
        ActError::Taken { .. } | ActError::Full | ActError::NotKept(_) | ActError::Arena(_) => {
            act_words(why).told(language)
        }
    }
}

/// The legal actions, those that begin like what was tried first.
fn nearest(mut legal: Vec<String>, raw: &str) -> Vec<String> {
    let raw = raw.trim().to_lowercase();
    let words: Vec<&str> =
        raw.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| !word.is_empty()).collect();
    let common = |action: &String| {
        let shared = action.split([' ', ',']).filter(|word| words.contains(word)).count();
        let first = words.first().is_some_and(|word| action.starts_with(word));
        std::cmp::Reverse(2 * usize::from(first) + shared)
    };
    legal.sort_by_key(common);
    legal
}
