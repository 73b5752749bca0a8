//! What the tools take. Models send numbers as texts and texts as numbers; what is meant is clear all the same.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value as Json, json};

use crate::arena::{Pace, PlayerToken};
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
    #[serde(deserialize_with = "flag")]
    pub(super) withhold_legal: Option<bool>,
    #[serde(deserialize_with = "text")]
    pub(super) idempotency_key: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FindArgs {
    #[serde(deserialize_with = "ruleset")]
    pub(super) ruleset: Option<String>,
    #[serde(deserialize_with = "flag")]
    pub(super) bots: Option<bool>,
    pub(super) pace: Option<Pace>,
    #[serde(deserialize_with = "number")]
    pub(super) wait_seconds: Option<u64>,
    #[serde(deserialize_with = "text")]
    pub(super) ticket: Option<String>,
}

impl FindArgs {
    /// The same as another process is asked, which waits so long.
    pub(super) fn passed_on(&self, ticket: Option<&PlayerToken>, wait: Duration) -> Json {
        let mut arguments = json!({ "wait_seconds": wait.as_secs() });
        let mut say = |name: &str, value: Option<Json>| {
            if let Some(value) = value {
                arguments[name] = value;
            }
        };
        say("ruleset", self.ruleset.as_ref().map(|ruleset| json!(ruleset)));
        say("bots", self.bots.map(|bots| json!(bots)));
        say("pace", self.pace.map(|pace| json!(pace)));
        say("ticket", ticket.map(|ticket| json!(ticket.reveal())));
        arguments
    }
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
    #[serde(deserialize_with = "flag")]
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
    #[serde(default, deserialize_with = "flag")]
    pub(super) full: Option<bool>,
    #[serde(default, deserialize_with = "text")]
    pub(super) idempotency_key: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Speak {
    #[serde(flatten)]
    pub(super) whose: Whose,
    pub(super) text: String,
    #[serde(default, deserialize_with = "number")]
    pub(super) turn: Option<u64>,
    #[serde(default, deserialize_with = "text")]
    pub(super) idempotency_key: Option<String>,
}

/// What is said of a call, until it is known in which language.
#[derive(Debug)]
pub(super) struct Words {
    /// Under this name below `tools` in `prompts/`.
    name: String,
    context: Json,
}

impl Words {
    pub(super) fn new(name: impl Into<String>, context: Json) -> Words {
        Words { name: name.into(), context }
    }

    pub(super) fn told(&self, language: Language) -> String {
        // What is wrong with an argument was noted without words where it was read.
        let mut context = self.context.clone();
        if let Some(why) = context.get("expected").and_then(Json::as_str) {
            context["why"] = json!(briefs::tool_text(&format!("bad.{why}"), context.clone(), language));
        }
        briefs::tool_text(&self.name, context, language)
    }
}

/// Reads a tool's arguments.
///
/// # Errors
/// In words that tell a model what to send instead.
pub(super) fn read<T: DeserializeOwned>(
    tool: &rmcp::model::Tool,
    arguments: Option<Map<String, Json>>,
) -> Result<T, Words> {
    let arguments = arguments.unwrap_or_default();
    let known = tool.input_schema.get("properties").and_then(Json::as_object);
    let known: Vec<&str> = known.into_iter().flat_map(|known| known.keys()).map(String::as_str).collect();
    // A typing error in an optional argument must not pass for one that was left out.
    if let Some(unknown) = arguments.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(bad("unknown", json!({ "tool": tool.name, "argument": shorten(unknown), "known": known })));
    }
    serde_json::from_value(Json::Object(arguments)).map_err(|error| {
        let error = error.to_string();
        let missing = error.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
        let mut context = match (serde_json::from_str::<Json>(&error), missing) {
            (Ok(expected @ Json::Object(_)), _) => expected,
            (_, Some(name)) => json!({ "expected": "missing", "name": name }),
            _ => json!({ "why": error }),
        };
        context["tool"] = json!(tool.name);
        bad("arguments", context)
    })
}

/// The language that somebody asked for.
///
/// # Errors
/// In words, if it is none.
pub(super) fn language(text: Option<&str>) -> Result<Language, Words> {
    let wrong = |text: &str| bad("language", json!({ "given": shorten(text), "known": Language::ALL }));
    text.map_or(Ok(Language::En), |text| text.parse().map_err(|_: briefs::ParseLanguageError| wrong(text)))
}

/// Why a call is no good.
pub(super) fn bad(why: &str, context: Json) -> Words {
    Words::new(format!("bad.{why}"), context)
}

/// What was expected in place of what came, for [`read`].
fn expected(what: &str, given: &Json) -> String {
    json!({ "expected": what, "given": shorten(&given.to_string()) }).to_string()
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

/// Whether or not, also as a text or a number.
fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    let json = Json::deserialize(deserializer)?;
    let word = match &json {
        Json::Null => return Ok(None),
        Json::String(text) if text.trim().is_empty() => return Ok(None),
        Json::String(text) => text.trim().to_ascii_lowercase(),
        other => other.to_string(),
    };
    match word.as_str() {
        "true" | "yes" | "1" => Ok(Some(true)),
        "false" | "no" | "0" => Ok(Some(false)),
        _ => Err(serde::de::Error::custom(expected("flag", &json))),
    }
}

/// An action in notation, or its JSON form.
fn action<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(match Json::deserialize(deserializer)? {
        Json::String(text) => bare(&text).to_owned(),
        other => other.to_string(),
    })
}

/// What stands around an action that was copied from a list or out of prose, at its beginning and at its end.
const AROUND: [(char, char); 7] = [
    ('`', '`'),
    ('"', '"'),
    ('\'', '\''),
    ('*', '*'),
    ('\u{201c}', '\u{201d}'),
    ('\u{2018}', '\u{2019}'),
    ('「', '」'),
];

/// An action without marks around it and without the full stop behind it. What somebody says keeps its own.
fn bare(text: &str) -> &str {
    let stops = ['.', '。', ' '];
    let mut text = text.trim();
    while let Some(inner) = AROUND.iter().find_map(|&(open, close)| {
        let inner = text.trim_end_matches(stops).strip_prefix(open)?;
        inner.strip_suffix(close)
    }) {
        text = inner.trim();
    }
    if text.starts_with("speak") || text.starts_with('{') {
        return text;
    }
    let mark = |c: char| c.is_whitespace() || stops.contains(&c) || AROUND.iter().any(|&(a, b)| c == a || c == b);
    text.trim_matches(mark)
}

/// Whether a message is the word that stands for one in a list of actions.
pub(super) fn is_placeholder(text: &str) -> bool {
    bare(text).eq_ignore_ascii_case("<text>")
}

/// Whether an action says no more than that word.
pub(super) fn says_placeholder(action: &str) -> bool {
    match serde_json::from_str::<Json>(action) {
        Ok(action) => action["text"].as_str().is_some_and(is_placeholder),
        Err(_) => action.strip_prefix("speak").is_some_and(|text| is_placeholder(text.trim_start_matches(':'))),
    }
}

/// The name of a ruleset as the list has it, however it was written: `Cowboy`, `grid royale`.
fn ruleset<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(text(deserializer)?.map(|name| name.to_lowercase().replace([' ', '_'], "-")))
}
