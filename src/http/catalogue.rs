//! What can be played, and against whom.

use std::sync::Arc;

use axum::Json as JsonBody;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::app::App;
use super::error::ApiError;
use super::extract::{NameInPath, QueryParams};
use super::matches::known;
use crate::briefs::{self, Language};
use crate::games::ruleset::{Players, Ruleset, name_of};
use crate::games::scene::Scene;
use crate::games::seat::Seat;
use crate::games::speech::Speech;
use crate::games::view::Viewer;
use crate::games::{Order, Seed, Table, library};

/// So many turns are looked at for a picture of a game.
const LOOKED_AT: u32 = 30;
/// And so many for pictures of what can be done in it.
const ILLUSTRATED: u32 = 80;

/// A text in both languages.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Text {
    pub(super) en: String,
    pub(super) zh: String,
}

/// How many can play.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct PlayerCount {
    min: usize,
    max: usize,
    default: usize,
}

impl From<Players> for PlayerCount {
    fn from(Players { min, max, default }: Players) -> PlayerCount {
        PlayerCount { min, max, default }
    }
}

/// A ruleset in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RulesetLine {
    name: String,
    summary: Text,
    players: PlayerCount,
    /// What speaking costs: `turn`, `free` or `off`.
    speech: &'static str,
    /// The built-in maps on which it can be played.
    maps: Vec<&'static str>,
    /// The map on which it is played by default; null if the board is empty.
    map: Option<String>,
    /// The words of which actions are made.
    verbs: Vec<String>,
    directions: Vec<String>,
    /// A moment of a match, to be drawn as a picture of the game, without words.
    scene: Scene,
    /// Seconds to answer where players have their own pace; 0 is no limit.
    turn_seconds: u32,
    /// Seconds from turn to turn at the least.
    tick_seconds: u32,
    /// The same in live matches.
    live: LiveClocks,
}

/// The clocks of live matches.
#[derive(Debug, Serialize, JsonSchema)]
struct LiveClocks {
    /// Seconds to answer; 0 is no limit.
    turn_seconds: u32,
    /// Seconds from turn to turn at the least.
    tick_seconds: u32,
}

/// What can be played, the one to begin with first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Rulesets")]
pub(super) struct RulesetsBody {
    rulesets: Vec<RulesetLine>,
}

/// A ruleset with all that there is to know.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RulesetBody {
    #[serde(flatten)]
    line: RulesetLine,
    /// The rules as players get them, in Markdown.
    brief: String,
    /// Moments of a match, drawn, with what happened in words: one for each thing that can be done.
    illustrations: Vec<Illustration>,
    /// Every field, resolved.
    #[schemars(with = "serde_json::Map<String, Json>")]
    fields: Json,
}

/// A moment of a match as a picture of a rule.
#[derive(Debug, Serialize, JsonSchema)]
struct Illustration {
    caption: String,
    scene: Scene,
}

pub(super) async fn rulesets() -> Result<JsonBody<RulesetsBody>, ApiError> {
    let rulesets = library::rulesets().map(line).collect::<Result<Vec<_>, _>>()?;
    Ok(JsonBody(RulesetsBody { rulesets }))
}

/// In which language, for how many.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RulesQuery {
    #[serde(default)]
    lang: Language,
    /// How many play; by default as many as usual.
    #[serde(default)]
    #[schemars(range(min = 1, max = 26))]
    players: Option<usize>,
}

pub(super) async fn ruleset(
    NameInPath(name): NameInPath,
    QueryParams(wanted): QueryParams<RulesQuery>,
) -> Result<JsonBody<RulesetBody>, ApiError> {
    let name = known(&name);
    if library::ruleset(&name).is_none() {
        let names: Vec<&str> = library::rulesets().collect();
        let detail = format!("no ruleset of that name is built in; there are {}", names.join(", "));
        return Err(ApiError::missing("no_ruleset", detail));
    }
    let ruleset = Ruleset::named(&name).map_err(|error| ApiError::internal(&error))?;
    let players = wanted.players.unwrap_or(ruleset.players.default);
    ruleset.check_players(players)?;
    let brief = briefs::live_brief(&ruleset, players, 0, wanted.lang);
    let fields = serde_json::to_value(&ruleset).map_err(|error| ApiError::internal(&error))?;
    let table = Table::open(Arc::new(ruleset), players, Seed(0))?;
    let illustrations = illustrations(table, wanted.lang);
    Ok(JsonBody(RulesetBody { line: line(&name)?, brief, illustrations, fields }))
}

fn line(name: &str) -> Result<RulesetLine, ApiError> {
    let ruleset = Ruleset::named(name).map_err(|error| ApiError::internal(&error))?;
    let ruleset = Arc::new(ruleset);
    let table = Table::open(ruleset.clone(), ruleset.players.default, Seed(0))?;
    let (verbs, directions) = vocabulary(&table);
    let maps: Vec<&'static str> = library::maps().filter(|map| fits(&ruleset, map)).collect();
    let own = library::ruleset(name).and_then(own_map);
    Ok(RulesetLine {
        name: ruleset.name.clone(),
        summary: Text { en: ruleset.summary_en.clone(), zh: ruleset.summary_zh.clone() },
        players: ruleset.players.into(),
        speech: name_of(&Speech::NAMES, ruleset.speech),
        maps,
        map: own,
        verbs,
        directions,
        scene: moment(table),
        turn_seconds: ruleset.policy.turn_seconds,
        tick_seconds: ruleset.policy.tick_seconds,
        live: LiveClocks {
            turn_seconds: ruleset.live_policy.turn_seconds,
            tick_seconds: ruleset.live_policy.tick_seconds,
        },
    })
}

/// A moment of a match between bots that throw dice: the last of the first turns in which somebody shoots.
/// Nobody plays it, so nothing of it is hidden.
fn moment(mut table: Table) -> Scene {
    let mut dice = Seed(0).dice();
    let mut scene = table.view(Viewer::After).scene(&[]);
    for _ in 0..LOOKED_AT {
        let to_act = table.to_act();
        let joint = to_act.iter().map(|seat| (seat, Order::Play(table.random_legal(seat, &mut dice)))).collect();
        let Ok(events) = table.play(&joint, &mut dice) else { break };
        let next = table.view(Viewer::After).scene(&[&events]);
        if !next.board.traces.beams.is_empty() {
            scene = next;
        }
    }
    scene
}

/// For each thing that can be done the turn of a match of dice that shows most of it.
fn illustrations(mut table: Table, language: Language) -> Vec<Illustration> {
    let mut dice = Seed(1).dice();
    let mut found: Vec<(String, usize, Illustration)> = Vec::new();
    for _ in 0..ILLUSTRATED {
        let to_act = table.to_act();
        let orders: Vec<_> = to_act.iter().map(|seat| (seat, table.random_legal(seat, &mut dice))).collect();
        let verbs: Vec<String> = orders.iter().map(|(_, action)| verb(&action.to_string())).collect();
        let joint = orders.into_iter().map(|(seat, action)| (seat, Order::Play(action))).collect();
        let Ok(events) = table.play(&joint, &mut dice) else { break };
        let scene = table.view(Viewer::After).scene(&[&events]);
        let traces = &scene.board.traces;
        // What strikes somebody shows more than what hits a wall.
        let shows = traces.beams.len() + traces.steps.len() + traces.turned.len() + 4 * traces.marks.len();
        for verb in verbs {
            let known = found.iter().position(|(other, ..)| *other == verb);
            if known.is_some_and(|at| found[at].1 >= shows) || shows == 0 {
                continue;
            }
            let caption = briefs::event_sentences(&events, language).join(" ");
            let made = (verb, shows, Illustration { caption, scene: briefs::worded_scene(scene.clone(), language) });
            match known {
                Some(at) => found[at] = made,
                None => found.push(made),
            }
        }
        if table.outcome().is_some() {
            break;
        }
    }
    found.into_iter().map(|(_, _, one)| one).collect()
}

/// What is done in an action, without where to.
fn verb(action: &str) -> String {
    let parts = action.split(", ").map(|part| part.split(' ').next().unwrap_or_default());
    parts.collect::<Vec<_>>().join(", ")
}

/// The words of which a game's actions are made: what is done, and which way.
fn vocabulary(table: &Table) -> (Vec<String>, Vec<String>) {
    let (mut verbs, mut directions) = (Vec::new(), Vec::new());
    let seat = Seat::new(0);
    let actions = table.view(Viewer::Seat(seat)).controls(seat).actions();
    for part in actions.iter().flat_map(|action| action.split(", ")) {
        let add = |words: &mut Vec<String>, word: &str| {
            if !word.is_empty() && !words.iter().any(|known| known == word) {
                words.push(word.to_owned());
            }
        };
        let (verb, direction) = part.split_once(' ').unwrap_or((part, ""));
        add(&mut verbs, verb);
        add(&mut directions, direction);
    }
    (verbs, directions)
}

/// Whether a ruleset can be played on a map with as many as usually play it.
fn fits(ruleset: &Ruleset, map: &str) -> bool {
    let laid = Ruleset::from_json(&serde_json::json!({ "base": ruleset.name, "map": map }));
    laid.is_ok_and(|laid| laid.check_players(ruleset.players.default).is_ok())
}

/// The map that a ruleset's file names, or that of the one that it stands on.
fn own_map(file: &str) -> Option<String> {
    let fields: toml::Table = file.parse().ok()?;
    match fields.get("map").and_then(toml::Value::as_str) {
        Some("none") => None,
        Some(map) => Some(map.to_owned()),
        None => own_map(library::ruleset(fields.get("base")?.as_str()?)?),
    }
}

/// Whether a guest is a bot or a model.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum GuestKind {
    Bot,
    Model,
}

/// Somebody whom the house can seat.
#[derive(Debug, Serialize, JsonSchema)]
struct GuestLine {
    name: String,
    kind: GuestKind,
    summary: Text,
}

/// Whom the house can seat.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct GuestList {
    guests: Vec<GuestLine>,
}

pub(super) async fn guests(State(app): State<Arc<App>>) -> JsonBody<GuestList> {
    let guests = app.guests.iter().map(|card| GuestLine {
        name: card.name.clone(),
        kind: if card.is_model { GuestKind::Model } else { GuestKind::Bot },
        summary: Text { en: card.en.clone(), zh: card.zh.clone() },
    });
    JsonBody(GuestList { guests: guests.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_of_a_ruleset_with_fog_shows_who_plays() {
        for name in ["grid-royale", "grid-royale-fog"] {
            let scene = line(name).expect("built in").scene;
            assert!(scene.board.sight.is_none() && scene.board.pieces.len() > 1, "{name}: {:?}", scene.board);
        }
    }
}
