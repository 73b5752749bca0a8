//! What a tool answers: words for the model and the same as data, each enough to play by.

use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value as Json, json};

use crate::arena::{ActError, Live, MatchView, SeatHandle, SeatKey, Stage};
use crate::briefs::{self, Hint, Language, Section, TurnContext};
use crate::games::scene::{self, Tone};
use crate::games::seat::Seat;
use crate::games::table::Event;

/// Where the board finds what it shows, among what a host keeps from the model.
const BOARD_META: &str = "standoff/board";

/// Both forms of an answer while they grow.
pub(super) struct ToolAnswer {
    text: Vec<String>,
    data: Map<String, Json>,
    /// What the board shows beside the conversation; no model reads it.
    shown: Option<Json>,
}

impl ToolAnswer {
    /// A match as a seat, or a spectator, sees it now.
    pub(super) fn of(live: &Live, view: &MatchView) -> ToolAnswer {
        let language = live.language();
        let mut answer = ToolAnswer { text: Vec::new(), data: Map::new(), shown: Some(shown(view, language)) };
        answer.put("match_id", json!(view.match_id));
        if let Some(seat) = view.seat {
            answer.put("seat", json!(seat));
        }
        answer.put("your_turn", json!(view.your_turn));
        answer.put("state", json!(view.seen.state()));
        let legal = if view.your_turn && live.legal_shown() {
            view.seat.map(|seat| view.seen.legal(seat)).unwrap_or_default()
        } else {
            Vec::new()
        };
        if live.legal_shown() {
            answer.put("legal_actions", json!(legal));
        }
        answer.put("events", json!(view.since()));
        let said = view.said();
        if !said.is_empty() {
            let said = said.iter().map(|(seat, text)| json!({ "seat": seat, "text": text }));
            answer.put("said", said.collect());
        }
        answer.say(&match view.seat {
            Some(seat) => told(live, view, seat, language),
            None => briefs::board(&view.seen, language),
        });
        answer.standing(view, language);
        answer
    }

    /// As little as can be said while there is nothing to do.
    pub(super) fn waiting(live: &Live, view: &MatchView) -> ToolAnswer {
        let mut answer = ToolAnswer { text: Vec::new(), data: Map::new(), shown: None };
        answer.put("match_id", json!(view.match_id));
        answer.put("your_turn", json!(false));
        answer.put("waiting_for", json!(view.to_act()));
        answer.say(&briefs::hint(&Hint::Waiting { to_act: view.to_act() }, live.language()));
        answer
    }

    /// How the match stands, where that is not the board's to say.
    fn standing(&mut self, view: &MatchView, language: Language) {
        match &view.stage {
            Stage::Gathering => {
                self.put("open_seats", json!(view.open));
                self.hint(&Hint::Gathering { match_id: &view.match_id, open: &view.open }, language);
            }
            Stage::Suspended(why) => {
                self.put("suspended", json!(why));
                self.hint(&Hint::Suspended { why }, language);
            }
            Stage::Playing if view.seat.is_some() && !view.your_turn => {
                self.hint(&Hint::Waiting { to_act: view.to_act() }, language);
            }
            Stage::Playing | Stage::Over => {}
        }
    }

    /// Puts the brief and the key of a seat in front.
    pub(super) fn with_seat(mut self, seated: &SeatHandle, key: &SeatKey) -> ToolAnswer {
        let live = seated.live();
        let language = live.language();
        let view = seated.view();
        let brief = briefs::live_brief(&live.ruleset(), view.seen.seats(), live.turn_seconds(), language);
        self.text.insert(0, brief.clone());
        self.put("brief", json!(brief));
        self.put("seat_key", json!(key.reveal()));
        self.hint(&Hint::SeatKey { key: key.reveal() }, language);
        if view.your_turn {
            self.hint(&Hint::Next { turn: view.seen.turn() }, language);
        }
        self
    }

    pub(super) fn put(&mut self, name: &str, value: Json) {
        self.data.insert(name.to_owned(), value);
    }

    pub(super) fn say(&mut self, text: &str) {
        self.text.push(text.trim_end().to_owned());
    }

    pub(super) fn hint(&mut self, hint: &Hint<'_>, language: Language) {
        self.say(&briefs::hint(hint, language));
    }

    pub(super) fn done(self) -> CallToolResult {
        let mut result = finish(self.text.join("\n\n"), Json::Object(self.data));
        if let Some(shown) = self.shown {
            let mut meta = MetaObject::new();
            meta.insert(BOARD_META.to_owned(), shown);
            result.meta = Some(meta);
        }
        result
    }
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

/// A match in words, for a seat.
fn told(live: &Live, view: &MatchView, seat: Seat, language: Language) -> String {
    let sections: Vec<Section> = Section::USUAL
        .into_iter()
        .filter(|section| *section != Section::Ask)
        .filter(|section| *section != Section::Legal || (live.legal_shown() && view.your_turn))
        .collect();
    let (since, said) = (view.since(), view.said());
    let context = TurnContext { view: &view.seen, seat, since: &since, said: &said, history: &[], notes: None };
    briefs::turn(&context, &sections, language)
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
            if live.legal_shown() {
                let legal = nearest(&view.legal(seated.seat()), raw);
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
        ActError::Taken { .. } | ActError::Full | ActError::NotKept(_) => why.to_string(),
    }
}

/// The legal actions that begin like what was tried come first; a few are enough.
fn nearest(legal: &[String], raw: &str) -> Vec<String> {
    let raw = raw.trim().to_lowercase();
    let words: Vec<&str> =
        raw.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| !word.is_empty()).collect();
    let common = |action: &String| {
        let shared = action.split([' ', ',']).filter(|word| words.contains(word)).count();
        let first = words.first().is_some_and(|word| action.starts_with(word));
        std::cmp::Reverse(2 * usize::from(first) + shared)
    };
    let mut sorted = legal.to_vec();
    sorted.sort_by_key(common);
    sorted.truncate(8);
    sorted
}
