//! What goes over the wire: the types of which the answers and their description are made.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use crate::arena::{Gathering, HolderKind, Live, SeatStatus, Stage};
use crate::briefs::{self, Language};
use crate::games::controls::Controls;
use crate::games::outcome::Outcome;
use crate::games::scene::{self, Scene, Tone};
use crate::games::seat::{Seat, Seats};
use crate::games::table::{Event, State};
use crate::games::view::View;
use crate::matches::{Identity, IdentityKind, ModelInfo, SeatInfo, Turn};
use crate::store::{self, MatchInfo};

/// How a match stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    /// Seats are still open.
    Open,
    /// It is played.
    Playing,
    /// It was broken off and may go on.
    Suspended,
    /// It has ended.
    Over,
}

impl From<&Stage> for Status {
    fn from(stage: &Stage) -> Status {
        match stage {
            Stage::Gathering => Status::Open,
            Stage::Playing => Status::Playing,
            Stage::Suspended(_) => Status::Suspended,
            Stage::Over => Status::Over,
        }
    }
}

/// Who answers for a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum SeatKind {
    /// The one who asks.
    Me,
    /// A bot or a model of the house.
    House,
    /// A player elsewhere, with the seat’s key.
    Player,
    /// Nobody yet: it can be joined.
    Open,
}

impl SeatKind {
    fn of(kind: &HolderKind) -> SeatKind {
        match kind {
            HolderKind::House => SeatKind::House,
            HolderKind::Player(_) | HolderKind::Key | HolderKind::Beside(_) => SeatKind::Player,
            HolderKind::Open => SeatKind::Open,
        }
    }
}

/// A seat in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct SeatLine {
    pub(super) seat: Seat,
    /// What the player is called.
    pub(super) player: String,
    pub(super) kind: SeatKind,
    /// Who that is; null as long as nobody is.
    pub(super) identity: Option<Identity>,
}

/// A seat and how it went for its player so far.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct SeatBody {
    #[serde(flatten)]
    pub(super) line: SeatLine,
    /// How a model was asked, where one plays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<ModelInfo>,
    /// What a model read and wrote so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tokens: Option<u64>,
    /// What it cost so far, where a price is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) usd: Option<f64>,
    /// How often no answer came in time.
    pub(super) timeouts: u32,
}

impl SeatBody {
    pub(super) fn new(seat: &SeatStatus, me: Option<Seat>) -> SeatBody {
        let mut line = SeatLine::new(seat);
        if me == Some(line.seat) {
            line.kind = SeatKind::Me;
        }
        let spent = &seat.spent;
        SeatBody {
            line,
            model: seat.info.model.clone(),
            tokens: (spent.calls > 0).then(|| spent.input_tokens.saturating_add(spent.output_tokens)),
            usd: spent.usd,
            timeouts: seat.timeouts,
        }
    }

    /// A seat of a match of which only the record is there.
    pub(super) fn stored(info: &SeatInfo) -> SeatBody {
        let line = SeatLine::stored(info);
        SeatBody { line, model: info.model.clone(), tokens: None, usd: None, timeouts: 0 }
    }
}

impl SeatLine {
    pub(super) fn new(seat: &SeatStatus) -> SeatLine {
        let kind = SeatKind::of(&seat.kind);
        let identity = (kind != SeatKind::Open).then(|| seat.info.identity());
        SeatLine { seat: seat.info.seat, player: seat.info.player.clone(), kind, identity }
    }

    /// A seat of a match that waits for players.
    fn waiting(info: &SeatInfo, is_open: bool) -> SeatLine {
        let line = SeatLine::stored(info);
        if is_open { SeatLine { kind: SeatKind::Open, identity: None, ..line } } else { line }
    }

    /// Whoever is in a record has played.
    fn stored(info: &SeatInfo) -> SeatLine {
        let identity = info.identity();
        let kind = match identity.kind() {
            IdentityKind::House | IdentityKind::Profile => SeatKind::House,
            IdentityKind::Registered | IdentityKind::Guest => SeatKind::Player,
        };
        SeatLine { seat: info.seat, player: info.player.clone(), kind, identity: Some(identity) }
    }
}

/// A match in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct MatchLine {
    pub(super) match_id: String,
    pub(super) ruleset: String,
    pub(super) status: Status,
    /// Why it is suspended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) why: Option<String>,
    /// Turns that were played.
    pub(super) turn: u64,
    pub(super) seats: Vec<SeatLine>,
    pub(super) open_seats: Vec<Seat>,
    /// When it was opened, in milliseconds since 1970.
    pub(super) created: i64,
    /// When it last changed.
    pub(super) updated: i64,
    pub(super) outcome: Option<Outcome>,
    /// The position, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) state: Option<State>,
    /// The same to be drawn, without words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scene: Option<Scene>,
}

impl MatchLine {
    /// A match that is in memory.
    pub(super) fn of(live: &Live, with_board: bool) -> MatchLine {
        let view = live.view(None);
        MatchLine {
            match_id: live.id().to_owned(),
            ruleset: live.ruleset().name.clone(),
            status: (&view.stage).into(),
            why: why(&view.stage),
            turn: view.seen.turn().into(),
            seats: view.seats.iter().map(SeatLine::new).collect(),
            open_seats: view.open,
            created: live.created(),
            updated: live.updated(),
            outcome: view.seen.outcome(),
            state: with_board.then(|| view.seen.state()),
            scene: with_board.then(|| view.seen.scene(&[])),
        }
    }

    /// A match of which the store knows.
    pub(super) fn stored(info: &MatchInfo) -> MatchLine {
        let status = stored_status(info);
        let turns = info.result.as_ref().map(|result| u64::from(result.turns));
        let outcome = info.result.as_ref();
        let outcome = outcome.map(|result| Outcome { places: result.places.clone(), reason: result.reason });
        let (seats, open_seats) = match Gathering::of(info) {
            Some(Gathering { seats, open, .. }) => {
                let line = |info: &SeatInfo| SeatLine::waiting(info, open.contains(&info.seat));
                (seats.iter().map(line).collect(), open)
            }
            None => (info.seats.iter().map(SeatLine::stored).collect(), Vec::new()),
        };
        MatchLine {
            match_id: info.id.clone(),
            ruleset: info.ruleset.clone(),
            status,
            why: info.reason.clone(),
            turn: turns.unwrap_or_else(|| info.lines.saturating_sub(1)),
            seats,
            open_seats,
            created: info.created,
            updated: info.updated,
            outcome,
            state: None,
            scene: None,
        }
    }
}

/// How a match stands of which only the store knows.
pub(super) fn stored_status(info: &MatchInfo) -> Status {
    match info.status {
        store::MatchStatus::Live if info.lines == 0 => Status::Open,
        store::MatchStatus::Live => Status::Playing,
        store::MatchStatus::Finished => Status::Over,
        store::MatchStatus::Suspended | store::MatchStatus::Void => Status::Suspended,
    }
}

/// Why a match is suspended, if it is.
pub(super) fn why(stage: &Stage) -> Option<String> {
    match stage {
        Stage::Suspended(why) => Some(why.clone()),
        Stage::Gathering | Stage::Playing | Stage::Over => None,
    }
}

/// What happened, in a sentence or two.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Sentence {
    /// The sentence; where somebody spoke, what was said, as it was said.
    pub(super) text: String,
    pub(super) tone: SentenceTone,
    /// The seat that spoke, if it is speech.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seat: Option<Seat>,
}

/// What sort of thing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(super) enum SentenceTone {
    /// One of many.
    Plain,
    /// Somebody was struck, or is out.
    Hit,
    /// Somebody spoke, as its action.
    Speech,
}

/// Events in words.
pub(super) fn told(events: &[Event], language: Language) -> Vec<Sentence> {
    let sentence = |event: &Event| {
        let told = |tone| Sentence { text: briefs::event_sentence(event, language), tone, seat: None };
        match scene::tone(event) {
            Tone::Plain => told(SentenceTone::Plain),
            Tone::Hit => told(SentenceTone::Hit),
            Tone::Speech { seat, text } => {
                Sentence { text: text.to_owned(), tone: SentenceTone::Speech, seat: Some(seat) }
            }
        }
    };
    events.iter().map(sentence).collect()
}

/// Something that was said.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct MessageLine {
    pub(super) seat: Seat,
    pub(super) text: String,
}

/// A match as a seat, or a spectator, sees it. What changes by itself with time stands last.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "View")]
pub(super) struct ViewBody {
    pub(super) match_id: String,
    pub(super) ruleset: String,
    pub(super) status: Status,
    /// Why it is suspended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) why: Option<String>,
    /// The language of the match.
    pub(super) language: Language,
    /// That it began from an opening, in words; left out where it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) opening: Option<String>,
    /// Turns that were played.
    pub(super) turn: u32,
    /// Who must act now.
    pub(super) to_act: Seats,
    /// Which seats elsewhere have acted in the turn at hand. What they do is seen when it is played.
    pub(super) submitted: Seats,
    /// Whose view it is; null for a spectator.
    pub(super) seat: Option<Seat>,
    pub(super) your_turn: bool,
    pub(super) your_action_submitted: bool,
    /// What you have sealed for the turn at hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) your_action: Option<String>,
    /// The same in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) your_action_words: Option<String>,
    pub(super) state: State,
    /// What there is to see: the position and what led to it, with its words in the language that was asked for.
    pub(super) scene: Scene,
    pub(super) outcome: Option<Outcome>,
    /// The choices that make up an action of yours, allowed or not; null for a spectator.
    pub(super) controls: Option<Controls>,
    /// What you may do now, in notation; empty where nothing is to be done, or where the match does not show it.
    pub(super) legal_actions: Vec<String>,
    pub(super) seats: Vec<SeatBody>,
    /// What happened in the last turn.
    pub(super) events: Vec<Event>,
    /// The same in words, in the language that was asked for.
    pub(super) told: Vec<Sentence>,
    /// What was said in the last turn.
    pub(super) said: Vec<MessageLine>,
    /// The tick that is about to be played, where the game has ticks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tick: Option<Json>,
    /// Where it is safe to stand in that tick, where the game has a zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) zone: Option<Json>,
    /// Your own entry of the state; null for a spectator.
    pub(super) you: Option<Json>,
    /// The others' entries of the state, where the game has bots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bots: Option<Vec<Json>>,
    /// `events` again, with `you` in place of your own seat.
    pub(super) events_last_tick: Vec<Json>,
    /// How many are not out.
    pub(super) alive_count: usize,
    #[serde(flatten)]
    pub(super) clock: ClockBody,
}

/// What changes by itself with time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
#[expect(clippy::struct_field_names, reason = "the wire says in which unit")]
pub(super) struct ClockBody {
    /// Milliseconds that are left for the turn at hand; null where nothing is limited.
    pub(super) deadline_ms: Option<u64>,
    /// Milliseconds that each seat has left for the whole match; null where nothing is limited.
    pub(super) clock_ms: Option<BTreeMap<Seat, u64>>,
    /// Milliseconds since the players of the turn at hand were asked; null where nobody has been asked.
    pub(super) turn_ms: Option<u64>,
}

/// A turn that was played, and the position that it led to.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Turn")]
pub(super) struct TurnBody<'a> {
    #[serde(flatten, serialize_with = "whole")]
    pub(super) turn: &'a Turn,
    /// The position after it; left out, as the scene, where this program does not know the rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) state: Option<State>,
    /// What there is to see of it, with its words in the language that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scene: Option<Scene>,
    /// What was refused in it, and why the referee acted for whom, in words of that language.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) failures: Vec<String>,
    /// The events in words, in that language.
    pub(super) told: Vec<Sentence>,
}

impl<'a> TurnBody<'a> {
    /// A turn, and the position that it led to where that is known, in a language; both as somebody may know them.
    pub(super) fn new(turn: &'a Turn, view: Option<&View>, language: Language) -> TurnBody<'a> {
        let scene = view.map(|view| view.scene(&[&turn.events]));
        let scene = scene.map(|scene| briefs::worded_scene(scene, language));
        let failures = briefs::failure_sentences(&turn.refused, &turn.lapses, language);
        TurnBody { turn, state: view.map(View::state), scene, failures, told: told(&turn.events, language) }
    }
}

/// A turn with all that its record says of it.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn whole<S: serde::Serializer>(turn: &&Turn, serializer: S) -> Result<S::Ok, S::Error> {
    turn.serialize_whole(serializer)
}
