//! Matches as they are seen. A view is made once and given again, byte for byte, until something changes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use axum::body::Bytes;
use serde::Serialize;
use serde_json::Value as Json;
use tokio::time::Instant;

use super::wire::{self, ClockBody, MessageLine, SeatBody, Status, ViewBody, stored_status, why};
use crate::arena::{Glance, Live, MatchView};
use crate::briefs::{self, Language};
use crate::games::seat::{Seat, Seats};
use crate::games::table::Event;
use crate::games::view::Viewer;
use crate::games::{self, scene};
use crate::matches::{Replay, Turn};
use crate::store::MatchInfo;

/// Views of so many matches are kept.
const MOST_MATCHES: usize = 2_000;

/// How a view ends in which no clock runs.
const NO_CLOCK: &[u8] = br#""deadline_ms":null,"clock_ms":null,"turn_ms":null}"#;

/// Views that were made.
#[derive(Debug, Default)]
pub(super) struct ViewCache {
    matches: Mutex<HashMap<String, Arc<MatchViews>>>,
}

/// A match that was looked at.
#[derive(Debug)]
struct MatchViews {
    live: Weak<Live>,
    made: Mutex<HashMap<(Option<Seat>, Language), MadeView>>,
}

/// A view that was made.
#[derive(Clone, Debug)]
struct MadeView {
    activity: u64,
    glance: Glance,
    body: Bytes,
    /// Where clocks run.
    view: Option<Arc<MatchView>>,
}

impl ViewCache {
    /// A match as a seat, or a spectator, sees it now, with its words in a language.
    pub(super) fn body(&self, live: &Arc<Live>, seat: Option<Seat>, language: Language) -> Bytes {
        let seen = self.seen(live);
        // Looked at before the view is made: what changes in between makes the next one anew.
        let (activity, glance) = (*live.listen_closely().borrow(), live.glance(seat));
        let key = (seat, language);
        let made =
            locked(&seen.made).get(&key).filter(|made| made.activity == activity && made.glance == glance).cloned();
        let made = made.unwrap_or_else(|| {
            let view = live.view(seat);
            let body = written(&view_body(live, &view, language));
            let ticks = view.clock.is_some();
            let made = MadeView { activity, glance, body, view: ticks.then(|| Arc::new(view)) };
            locked(&seen.made).insert(key, made.clone());
            made
        });
        match &made.view {
            None => made.body,
            Some(view) => with_clock(&made.body, &clock(view, Instant::now())),
        }
    }

    fn seen(&self, live: &Arc<Live>) -> Arc<MatchViews> {
        let mut matches = locked(&self.matches);
        let same = |seen: &&Arc<MatchViews>| std::ptr::eq(seen.live.as_ptr(), Arc::as_ptr(live));
        if let Some(seen) = matches.get(live.id()).filter(same) {
            return seen.clone();
        }
        if matches.len() >= MOST_MATCHES {
            matches.retain(|_, seen| seen.live.strong_count() > 0);
            if matches.len() >= MOST_MATCHES {
                matches.clear();
            }
        }
        let seen = Arc::new(MatchViews { live: Arc::downgrade(live), made: Mutex::default() });
        matches.insert(live.id().to_owned(), seen.clone());
        seen
    }
}

/// The clocks of a view at a moment.
pub(super) fn clock(view: &MatchView, now: Instant) -> ClockBody {
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let left = view.clock.as_ref().is_some_and(|clock| clock.left.is_some());
    let seats = || view.seats.iter().map(|seat| seat.info.seat);
    ClockBody {
        deadline_ms: view.deadline().map(|until| millis(until.saturating_duration_since(now))),
        clock_ms: left.then(|| seats().filter_map(|seat| Some((seat, millis(view.time_left(seat, now)?)))).collect()),
        turn_ms: view.clock.as_ref().map(|clock| millis(now.saturating_duration_since(clock.begun))),
    }
}

/// A view whose clocks were left out, with these.
fn with_clock(body: &Bytes, clock: &ClockBody) -> Bytes {
    let Some(head) = body.strip_suffix(NO_CLOCK) else { return body.clone() };
    let clock = written(clock);
    let mut whole = Vec::with_capacity(head.len() + clock.len());
    whole.extend_from_slice(head);
    // Its own opening brace stays behind: it goes on with the fields before.
    whole.extend_from_slice(&clock[1..]);
    whole.into()
}

/// Anything as JSON text.
pub(super) fn written(body: &impl Serialize) -> Bytes {
    serde_json::to_vec(body).unwrap_or_default().into()
}

/// A live match, clocks left out.
pub(super) fn view_body(live: &Live, view: &MatchView, language: Language) -> ViewBody {
    let seats = view.seats.iter().map(|seat| SeatBody::new(seat, view.seat)).collect();
    let legal_actions = match view.seat {
        Some(seat) if view.your_turn && live.legal_shown() => view.seen.legal(seat),
        _ => Vec::new(),
    };
    let told = MatchFacts {
        match_id: live.id(),
        status: (&view.stage).into(),
        why: why(&view.stage),
        language: live.language(),
        words: language,
        seat: view.seat,
        last: view.recent.last().map(|turn| &**turn),
    };
    ViewBody {
        submitted: view.submitted.clone(),
        your_turn: view.your_turn,
        your_action_submitted: view.sealed.is_some(),
        your_action: view.sealed.clone(),
        your_action_words: view.sealed.as_ref().map(|action| briefs::action_words(action, language)),
        legal_actions,
        ..body(told, &view.seen, seats)
    }
}

/// A match of which the record is there, as it ended or was broken off.
pub(super) fn stored_body(info: &MatchInfo, replay: Replay, language: Language) -> ViewBody {
    let start = replay.start_view(Viewer::Public);
    let last = replay.turns.len().saturating_sub(1);
    let (last, view) = match replay.into_shown(Viewer::Public, last, 1).pop() {
        Some((turn, view)) => (Some(turn), view),
        None => (None, start),
    };
    let seats = info.seats.iter().map(SeatBody::stored).collect();
    let told = MatchFacts {
        match_id: &info.id,
        status: stored_status(info),
        why: info.reason.clone(),
        language: Language::En,
        words: language,
        seat: None,
        last: last.as_deref(),
    };
    body(told, &view, seats)
}

/// What is told of a match beside its position.
struct MatchFacts<'a> {
    match_id: &'a str,
    status: Status,
    why: Option<String>,
    /// The language of the match.
    language: Language,
    /// The language of the words in the view.
    words: Language,
    seat: Option<Seat>,
    last: Option<&'a Turn>,
}

fn body(told: MatchFacts<'_>, view: &games::View, seats: Vec<SeatBody>) -> ViewBody {
    let state = view.state();
    let (events, said) = match told.last {
        Some(last) => {
            let said = last.said.iter().map(|(&seat, text)| MessageLine { seat, text: text.clone() });
            (last.events.clone(), said.collect())
        }
        None => (Vec::new(), Vec::new()),
    };
    let scene = briefs::worded_scene(view.scene(&[&events]), told.words);
    let controls = told.seat.map(|seat| briefs::worded_controls(view.controls(seat), told.words));
    // What the state has of these is here again, where the first clients look for it.
    let fields = json(&state);
    let entries = scene::players(&fields);
    let alive_count = entries.iter().filter(|(_, entry)| entry["alive"] != Json::Bool(false)).count();
    let you = entries.iter().find(|(seat, _)| Some(*seat) == told.seat).map(|(_, entry)| (*entry).clone());
    let others = entries.iter().filter(|(seat, _)| Some(*seat) != told.seat).map(|(_, entry)| (*entry).clone());
    let bots = fields.get("bots").map(|_| others.collect());
    ViewBody {
        match_id: told.match_id.to_owned(),
        ruleset: view.ruleset().name.clone(),
        status: told.status,
        why: told.why,
        language: told.language,
        opening: opened(view, told.words),
        turn: view.turn(),
        to_act: if told.status == Status::Over { Seats::none() } else { view.to_act() },
        submitted: Seats::none(),
        seat: told.seat,
        your_turn: false,
        your_action_submitted: false,
        your_action: None,
        your_action_words: None,
        scene,
        controls,
        outcome: view.outcome(),
        legal_actions: Vec::new(),
        seats,
        events_last_tick: events.iter().map(|event| addressed(event, told.seat)).collect(),
        told: wire::told(&events, told.words),
        events,
        said,
        tick: fields.get("tick").cloned(),
        zone: fields.get("zone").cloned(),
        you,
        bots,
        alive_count,
        state,
        clock: ClockBody::default(),
    }
}

/// That the match began from an opening, if it did.
fn opened(view: &games::View, words: Language) -> Option<String> {
    (view.ruleset().opening > 0).then(|| briefs::opening_sentence(words))
}

fn json(entry: &impl Serialize) -> Json {
    serde_json::to_value(entry).unwrap_or_default()
}

/// An event as it is told to a seat: `you` in place of its own name.
fn addressed(event: &Event, seat: Option<Seat>) -> Json {
    let mut event = json(event);
    if let Some(seat) = seat {
        address(&mut event, &seat.to_string());
    }
    event
}

fn address(json: &mut Json, seat: &str) {
    match json {
        Json::String(text) if text == seat => "you".clone_into(text),
        Json::Array(items) => items.iter_mut().for_each(|item| address(item, seat)),
        // What somebody said may be a single letter, and is nobody's name.
        Json::Object(fields) => {
            fields.iter_mut().filter(|(name, _)| *name != "text").for_each(|(_, item)| address(item, seat));
        }
        _ => {}
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is kept here can always be made again.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_names_its_reader() {
        let mut event = serde_json::json!({ "type": "kill", "bot": "A", "by": ["B", "A"], "text": "A" });
        address(&mut event, "A");
        assert_eq!(event, serde_json::json!({ "type": "kill", "bot": "you", "by": ["B", "you"], "text": "A" }));
    }

    #[test]
    fn a_view_without_clocks_ends_so_that_clocks_can_be_put_in() {
        let none = written(&ClockBody::default());
        assert_eq!(&none[1..], NO_CLOCK);
        let body = Bytes::from([br#"{"turn":1,"#.as_slice(), NO_CLOCK].concat());
        let clock = ClockBody { deadline_ms: Some(7), clock_ms: None, turn_ms: Some(3) };
        assert_eq!(with_clock(&body, &clock), r#"{"turn":1,"deadline_ms":7,"clock_ms":null,"turn_ms":3}"#);
    }
}
