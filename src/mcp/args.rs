//! What the tools take. Models send numbers as texts and texts as numbers; what is meant is clear all the same.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value as Json, json};

use crate::briefs::{self, Language};
use crate::settings::shorten;

/// Which match, and by what right.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Whose {
    #[serde(deserialize_with = "text")]
    pub(super) match_id: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) seat_key: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct NewMatchArgs {
    #[serde(deserialize_with = "ruleset")]
    pub(super) ruleset: Option<String>,
    #[serde(deserialize_with = "texts")]
    pub(super) opponents: Option<Vec<String>>,
    #[serde(deserialize_with = "text")]
    pub(super) seat: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) language: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) seed: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) map: Option<String>,
    #[serde(deserialize_with = "number")]
    pub(super) opening: Option<u64>,
    #[serde(deserialize_with = "number")]
    pub(super) turn_seconds: Option<u64>,
    pub(super) withhold_legal: Option<bool>,
    #[serde(deserialize_with = "text")]
    pub(super) idempotency_key: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FindArgs {
    #[serde(deserialize_with = "ruleset")]
    pub(super) ruleset: Option<String>,
    pub(super) bots: Option<bool>,
    #[serde(deserialize_with = "number")]
    pub(super) wait_seconds: Option<u64>,
    #[serde(deserialize_with = "text")]
    pub(super) ticket: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ListArgs {
    #[serde(deserialize_with = "text")]
    pub(super) show: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct JoinArgs {
    #[serde(flatten)]
    pub(super) whose: Whose,
    #[serde(deserialize_with = "text")]
    pub(super) seat: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) idempotency_key: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct GetState {
    #[serde(flatten)]
    pub(super) whose: Whose,
    #[serde(deserialize_with = "number")]
    pub(super) wait_seconds: Option<u64>,
    pub(super) full: Option<bool>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ActArgs {
    #[serde(flatten)]
    pub(super) whose: Whose,
    #[serde(deserialize_with = "action")]
    pub(super) action: String,
    #[serde(default, deserialize_with = "number")]
    pub(super) turn: Option<u64>,
    #[serde(default, deserialize_with = "number")]
    pub(super) wait_seconds: Option<u64>,
    #[serde(default, deserialize_with = "text")]
    pub(super) reasoning: Option<String>,
    #[serde(default)]
    pub(super) full: Option<bool>,
    #[serde(default, deserialize_with = "text")]
    pub(super) idempotency_key: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Speak {
    #[serde(flatten)]
    pub(super) whose: Whose,
    pub(super) text: String,
}

/// Reads a tool's arguments.
///
/// # Errors
/// In words that tell a model what to send instead.
pub(super) fn read<T: DeserializeOwned>(
    tool: &rmcp::model::Tool,
    arguments: Option<Map<String, Json>>,
) -> Result<T, String> {
    let arguments = arguments.unwrap_or_default();
    let known = tool.input_schema.get("properties").and_then(Json::as_object);
    let known: Vec<&str> = known.into_iter().flat_map(|known| known.keys()).map(String::as_str).collect();
    // A typing error in an optional argument must not pass for one that was left out.
    if let Some(unknown) = arguments.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(bad("unknown", json!({ "tool": tool.name, "argument": shorten(unknown), "known": known })));
    }
    serde_json::from_value(Json::Object(arguments))
        .map_err(|error| bad("arguments", json!({ "tool": tool.name, "why": error.to_string() })))
}

/// The language that somebody asked for.
///
/// # Errors
/// In words, if it is none.
pub(super) fn language(text: Option<&str>) -> Result<Language, String> {
    text.map_or(Ok(Language::En), |text| text.parse().map_err(|error: briefs::ParseLanguageError| error.to_string()))
}

/// Why arguments are no good. Whoever calls has not said yet which language it reads.
pub(super) fn bad(why: &str, context: Json) -> String {
    briefs::tool_text(&format!("bad.{why}"), context, Language::En)
}

fn expected(what: &str, given: &Json) -> String {
    bad(what, json!({ "given": shorten(&given.to_string()) }))
}

/// A text; a number is one too, and an empty one is none.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = match Json::deserialize(deserializer)? {
        Json::Null => return Ok(None),
        Json::String(text) => text,
        Json::Number(number) => number.to_string(),
        other => return Err(serde::de::Error::custom(expected("text", &other))),
    };
    Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
}

/// A list of texts, or one text with commas. An empty one is none.
fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    let wrong = |other: &Json| serde::de::Error::custom(expected("texts", other));
    let texts: Vec<String> = match Json::deserialize(deserializer)? {
        Json::Null => return Ok(None),
        Json::String(text) => text.split(',').map(|item| item.trim().to_owned()).collect(),
        Json::Array(items) => {
            let items =
                items.iter().map(|item| item.as_str().map(|item| item.trim().to_owned()).ok_or_else(|| wrong(item)));
            items.collect::<Result<_, _>>()?
        }
        other => return Err(wrong(&other)),
    };
    let texts: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    Ok(Some(texts).filter(|texts| !texts.is_empty()))
}

/// A whole number, also as a text.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let json = Json::deserialize(deserializer)?;
    let number = match &json {
        Json::Null => return Ok(None),
        Json::Number(number) => number.as_u64().or_else(|| whole(number.as_f64()?)),
        Json::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.map(Some).ok_or_else(|| serde::de::Error::custom(expected("number", &json)))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be small and whole")]
fn whole(number: f64) -> Option<u64> {
    (number.fract() == 0.0 && (0.0..1e9).contains(&number)).then_some(number as u64)
}

/// An action in notation, or its JSON form. Lists of actions put each in backticks, and models copy them.
fn action<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(match Json::deserialize(deserializer)? {
        Json::String(text) => text.trim_matches(|c: char| c.is_whitespace() || "`\"'".contains(c)).to_owned(),
        other => other.to_string(),
    })
}

/// The name of a ruleset as the list has it, however it was written: `Cowboy`, `grid royale`.
fn ruleset<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(text(deserializer)?.map(|name| name.to_lowercase().replace([' ', '_'], "-")))
}
