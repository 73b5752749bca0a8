//! What is known of a model that plays: where it is, how it is asked, what it costs.

mod api;
mod read;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value as Json};

pub use self::api::{Api, MaxTokensField, PROVIDERS, Provider, Thinking, ToolChoice};
pub use self::read::read;
pub(super) use self::read::{check_name, is_variable};
use super::agent::AgentProfile;
use crate::briefs::{AnswerBy, Language};

/// Whom a configuration brings: models and agents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contestants {
    /// The models, in the order of their tables `[players.NAME]`.
    pub profiles: Vec<Profile>,
    /// The agents, in the order of their tables `[agents.NAME]`.
    pub agents: Vec<AgentProfile>,
}

impl From<Vec<Profile>> for Contestants {
    fn from(profiles: Vec<Profile>) -> Contestants {
        Contestants { profiles, agents: Vec::new() }
    }
}

/// A model-backed player as a configuration describes it. Everything is checked; the key itself is never in here.
/// Written down, its fields are called as in the file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Profile {
    /// What records and people call it.
    pub name: String,
    /// The wire format of its endpoint.
    pub api: Api,
    /// The model, as its endpoint calls it.
    pub model: String,
    /// Where the endpoint is, like `https://api.openai.com/v1`.
    pub base_url: String,
    /// The environment variable that holds the key; none for endpoints that want none.
    pub api_key_env: Option<String>,
    /// Headers that go with every request. `${NAME}` in a value stands for an environment variable.
    pub headers: BTreeMap<String, String>,
    /// The language it is addressed in; by default the match's.
    #[serde(rename = "lang")]
    pub language: Option<Language>,
    /// The prompt variant: a built-in name or a path.
    pub prompt: String,
    /// How it is asked for an action.
    pub mode: Mode,
    /// How freely it chooses its words.
    pub temperature: Option<f32>,
    /// The most tokens an answer may have.
    pub max_output_tokens: u32,
    /// How hard it is to think, as its endpoint calls it.
    pub reasoning_effort: Option<String>,
    /// Whether it is to think before it answers, and how much.
    pub thinking: Option<Thinking>,
    /// Whether it must call a tool, where it has tools; by default as the format has it.
    pub tool_choice: Option<ToolChoice>,
    /// What chat completions call the most tokens of an answer.
    pub max_tokens_field: MaxTokensField,
    /// The seed of its own chance, where the endpoint takes one.
    pub seed: Option<i64>,
    /// Whether answers come piece by piece, so that it is known when the first one came.
    pub stream: bool,
    /// Fields that are added to every request as they are; tables go into tables.
    pub extra_body: Map<String, Json>,
    /// How long one request may take.
    #[serde(serialize_with = "seconds")]
    pub timeout: Duration,
    /// What a million tokens cost.
    pub price: Option<Price>,
    /// How hard the endpoint may be used.
    #[serde(flatten)]
    pub limits: EndpointLimits,
    /// The most money that one match may cost this player.
    #[serde(rename = "max_usd")]
    pub max_usd_match: Option<f64>,
}

impl Profile {
    /// How many tokens an answer may have by default: thinking needs room.
    pub(super) fn default_output(
        api: Api,
        provider: Option<&Provider>,
        reasoning_effort: Option<&str>,
        thinking: Option<Thinking>,
    ) -> u32 {
        // Theirs, or many of theirs, think unless they are told not to.
        let by_itself = matches!(api, Api::Responses | Api::Gemini)
            || provider.is_some_and(|provider| provider.word == "openrouter");
        match (reasoning_effort, thinking) {
            (_, Some(Thinking::Tokens(tokens))) => tokens.saturating_add(4096).max(16_384),
            (None | Some("none"), Some(Thinking::Off)) | (Some("none"), None) => 4096,
            (None, None) if !by_itself => 4096,
            _ => 16_384,
        }
    }

    /// A model at an address of one's own, without a key, with the default of every other field.
    pub fn at(base_url: &str, model: &str) -> Profile {
        Profile {
            name: model.to_owned(),
            api: Api::Chat,
            model: model.to_owned(),
            base_url: base_url.to_owned(),
            api_key_env: None,
            headers: BTreeMap::new(),
            language: None,
            prompt: "standard".to_owned(),
            mode: Mode::Tools,
            temperature: None,
            max_output_tokens: Profile::default_output(Api::Chat, None, None, None),
            reasoning_effort: None,
            thinking: None,
            tool_choice: None,
            max_tokens_field: MaxTokensField::MaxTokens,
            seed: None,
            stream: true,
            extra_body: Map::new(),
            timeout: Duration::from_mins(2),
            price: None,
            limits: EndpointLimits { requests_per_minute: None, tokens_per_minute: None, concurrency: 8 },
            max_usd_match: None,
        }
    }

    /// The environment variables that hold what is secret of it: its key, and what its headers name.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        let headers = self.headers.values().flat_map(|value| variables(value));
        self.api_key_env.as_deref().into_iter().chain(headers)
    }
}

/// The environment variables that the value of a header names.
pub(super) fn variables(value: &str) -> impl Iterator<Item = &str> {
    value.split("${").skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name)
}

fn seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

/// How a model is asked for an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// By calling tools until it acts.
    Tools,
    /// By an answer in JSON under a schema.
    Json,
    /// By the last line of its text, `ACTION: …`.
    Text,
    /// By the first of these that it is found to be able to do.
    Auto,
}

impl Mode {
    /// All of them.
    pub const ALL: [Mode; 4] = [Mode::Tools, Mode::Json, Mode::Text, Mode::Auto];

    /// What people write for it.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Tools => "tools",
            Mode::Json => "json",
            Mode::Text => "text",
            Mode::Auto => "auto",
        }
    }

    /// How it may be asked for an action.
    pub fn ways(self) -> &'static [AnswerBy] {
        match self {
            Mode::Tools => &[AnswerBy::Tools],
            Mode::Json => &[AnswerBy::Json],
            Mode::Text => &[AnswerBy::Text],
            Mode::Auto => &AnswerBy::ALL,
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What tokens cost, in US dollars.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Price {
    /// Per million tokens that the model reads.
    pub input: f64,
    /// Per million tokens that are read from the provider's cache.
    pub cached_input: f64,
    /// Per million tokens that are read and written to the provider's cache.
    pub cache_write: f64,
    /// Per million tokens that the model writes.
    pub output: f64,
}

/// How hard an endpoint may be used, by all players together that share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct EndpointLimits {
    /// Requests a minute.
    pub requests_per_minute: Option<u32>,
    /// Tokens a minute.
    pub tokens_per_minute: Option<u32>,
    /// Requests at once.
    pub concurrency: usize,
}
