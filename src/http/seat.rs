//! What the holder of a seat does: act, speak, resign, and look ahead.

use std::sync::Arc;

use axum::Json as JsonBody;
use axum::extract::State;
use axum::http::HeaderMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::app::App;
use super::caller::{Caller, idempotency_key};
use super::error::ApiError;
use super::extract::{NameInPath, QueryParams, Sent};
use crate::arena::{ActError, SeatHandle};
use crate::briefs::{self, Hint, Language};
use crate::games::scene::{Scene, Traces};
use crate::games::seat::Seat;
use crate::games::speech::Speech;
use crate::games::table::Event;
use crate::games::{Code, Raw, View};

/// The language of words in the answer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LangQuery {
    /// By default the match's own.
    #[serde(default)]
    lang: Option<Language>,
}

/// An action as its JSON object, or in notation under `action`, and what goes beside it.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Action")]
pub(super) struct ActionBody {
    /// The turns that were played when you chose, so that a late answer is not taken for the next turn.
    #[serde(default)]
    turn: Option<u32>,
    /// The same counted from 1, as `tick` of the state has it.
    #[serde(default)]
    tick: Option<u32>,
    /// What spectators are told once the turn is played, cut to 200 characters.
    #[serde(default)]
    reasoning: Option<String>,
    /// A message beside the action, where talk is free.
    #[serde(default)]
    say: Option<String>,
    /// The action: `{"action":"shoot up"}`, `{"action":"shoot","direction":"up"}`, `{"move":"north","shoot":null}`.
    #[serde(flatten)]
    rest: Map<String, Json>,
}

impl ActionBody {
    /// The action in notation, or as its JSON object.
    fn raw(&self) -> Result<Raw<'_>, ApiError> {
        match self.rest.get("action") {
            None if self.rest.is_empty() => Err(ApiError::bad_request(
                "there is no action: send {\"action\":\"…\"} in notation, or the action's own fields",
            )),
            Some(Json::String(notation)) if self.rest.len() == 1 => Ok(Raw::Text(notation)),
            _ => Ok(Raw::Object(self.rest.clone())),
        }
    }

    /// The turns that were played when it was chosen.
    fn seen(&self) -> Result<Option<u32>, ApiError> {
        let by_tick = match self.tick {
            Some(0) => return Err(ApiError::bad_request("`tick` counts from 1")),
            tick => tick.map(|tick| tick - 1),
        };
        match (self.turn, by_tick) {
            (Some(turn), Some(tick)) if turn != tick => {
                Err(ApiError::bad_request("`turn` and `tick` disagree: `tick` is `turn` + 1"))
            }
            (turn, tick) => Ok(turn.or(tick)),
        }
    }
}

/// That an action was taken.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Accepted")]
pub(super) struct AcceptedBody {
    /// Always `accepted`.
    status: &'static str,
    match_id: String,
    seat: Seat,
    /// The turns that were played before it.
    turn: u32,
    /// The action in notation.
    action: String,
    /// Whether the same had come before; nothing has changed then.
    repeated: bool,
}

pub(super) async fn act(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    NameInPath(id): NameInPath,
    QueryParams(lang): QueryParams<LangQuery>,
    Sent(action): Sent<ActionBody>,
) -> Result<JsonBody<AcceptedBody>, ApiError> {
    let seated = caller.acting(&app, &id).await?;
    let (raw, turn) = (action.raw()?, action.seen()?);
    let language = lang.lang.unwrap_or(seated.live().language());
    let key = idempotency_key(&headers)?;
    let taken = seated.act_once(turn, raw.clone(), action.reasoning.as_deref(), action.say.as_deref(), key).await;
    let taken = taken.map_err(|error| refused(&seated, &raw.to_string(), error, language))?;
    Ok(JsonBody(AcceptedBody {
        status: "accepted",
        match_id: seated.live().id().to_owned(),
        seat: seated.seat(),
        turn: taken.turn,
        action: taken.action,
        repeated: taken.repeated,
    }))
}

/// Why an action was not taken, in the words of the match.
fn refused(seated: &SeatHandle, raw: &str, error: ActError, language: Language) -> ApiError {
    let live = seated.live();
    let view = seated.view().seen;
    let hint = match &error {
        ActError::Refused(refusal) => Some(briefs::refusal(&view, seated.seat(), raw, refusal, language)),
        ActError::NotYourTurn { to_act } => Some(briefs::hint(&Hint::NotYourTurn { to_act: to_act.clone() }, language)),
        ActError::Acted { action } => Some(briefs::hint(&Hint::Acted { action }, language)),
        ActError::Past { turn, now } => Some(briefs::hint(&Hint::Past { turn: *turn, now: *now }, language)),
        ActError::Future { turn, now } => Some(briefs::hint(&Hint::Future { turn: *turn, now: *now }, language)),
        ActError::Over => Some(briefs::hint(&Hint::Over {}, language)),
        ActError::Suspended(why) => Some(briefs::hint(&Hint::Suspended { why }, language)),
        ActError::Resigned => Some(briefs::hint(&Hint::Resigned {}, language)),
        _ => None,
    };
    let is_action = matches!(&error, ActError::Refused(refusal) if refusal.code != Code::BadRequest);
    let mut problem = ApiError::from(error);
    if is_action && live.legal_shown() {
        problem = problem.with("legal_actions", json!(view.legal(seated.seat())));
    }
    match hint {
        Some(hint) => problem.saying(hint.trim().to_owned()),
        None => problem,
    }
}

/// Something to say.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Message")]
pub(super) struct MessageBody {
    /// One message a turn.
    text: String,
    /// How many turns were played when it was written: then what was said since is not said again.
    #[serde(default)]
    turn: Option<u32>,
}

/// That something was done.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Done {
    /// What was done: `said`, `resigned`.
    status: &'static str,
    match_id: String,
    seat: Seat,
}

impl Done {
    fn new(status: &'static str, seated: &SeatHandle) -> JsonBody<Done> {
        JsonBody(Done { status, match_id: seated.live().id().to_owned(), seat: seated.seat() })
    }
}

pub(super) async fn speak(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    NameInPath(id): NameInPath,
    QueryParams(lang): QueryParams<LangQuery>,
    Sent(message): Sent<MessageBody>,
) -> Result<JsonBody<Done>, ApiError> {
    let seated = caller.acting(&app, &id).await?;
    let language = lang.lang.unwrap_or(seated.live().language());
    let MessageBody { text, turn } = message;
    seated.say_once(turn, &text, idempotency_key(&headers)?).await.map_err(|error| {
        let costs_turn = seated.live().ruleset().speech == Speech::Turn;
        let raw = if costs_turn { format!("speak {text}") } else { text };
        refused(&seated, &raw, error, language)
    })?;
    Ok(Done::new("said", &seated))
}

pub(super) async fn resign(
    State(app): State<Arc<App>>,
    caller: Caller,
    NameInPath(id): NameInPath,
    QueryParams(lang): QueryParams<LangQuery>,
) -> Result<JsonBody<Done>, ApiError> {
    let seated = caller.acting(&app, &id).await?;
    let language = lang.lang.unwrap_or(seated.live().language());
    seated.resign().await.map_err(|error| refused(&seated, "", error, language))?;
    Ok(Done::new("resigned", &seated))
}

/// What an action would do.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Preview {
    /// The action, in notation.
    action: String,
    /// The same in words.
    words: String,
    legal: bool,
    /// Which rule it breaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Code>,
    /// What would come of it if the others stood still, chance left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<Vec<Event>>,
    /// What there would be to see of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    traces: Option<Traces>,
    /// The same, or why not, in words.
    text: String,
}

/// What each action of a seat would do now.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Foresight {
    match_id: String,
    seat: Seat,
    turn: u32,
    previews: Vec<Preview>,
}

pub(super) async fn preview(
    State(app): State<Arc<App>>,
    caller: Caller,
    NameInPath(id): NameInPath,
    QueryParams(lang): QueryParams<LangQuery>,
) -> Result<JsonBody<Foresight>, ApiError> {
    let seated = caller.acting(&app, &id).await?;
    let (live, view) = (seated.live(), seated.view());
    if !live.legal_shown() {
        let detail = briefs::hint(&Hint::Withheld {}, live.language());
        return Err(ApiError::conflict("withheld", detail.trim()));
    }
    let language = lang.lang.unwrap_or(live.language());
    let previews = if view.your_turn {
        let actions = view.seen.controls(seated.seat()).actions();
        actions.into_iter().map(|action| foresee(&view.seen, seated.seat(), action, language)).collect()
    } else {
        Vec::new()
    };
    Ok(JsonBody(Foresight { match_id: live.id().to_owned(), seat: seated.seat(), turn: view.seen.turn(), previews }))
}

fn foresee(view: &View, seat: Seat, action: String, language: Language) -> Preview {
    let words = briefs::action_words(&action, language);
    match view.accept(seat, &action) {
        Ok(_) => {
            let events = briefs::what_if_events(view, seat, &action).unwrap_or_default();
            let text = briefs::what_if(view, seat, &action, language).unwrap_or_default();
            let traces = Some(Scene::traces(view.ruleset(), &view.state(), &events));
            let text = text.trim().to_owned();
            Preview { action, words, legal: true, code: None, events: Some(events), traces, text }
        }
        Err(refusal) => {
            let text = briefs::refusal(view, seat, &action, &refusal, language);
            let text = text.trim().to_owned();
            Preview { action, words, legal: false, code: Some(refusal.code), events: None, traces: None, text }
        }
    }
}
