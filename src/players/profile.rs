//! What is known of a model that plays: where it is, how it is asked, what it costs.

use std::time::Duration;

use crate::briefs::Language;

/// A model-backed player as a configuration describes it. Everything is checked; the key itself is never in here.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// What records and people call it.
    pub name: String,
    /// The model, as its endpoint calls it.
    pub model: String,
    /// Where the endpoint is, like `https://api.openai.com/v1`.
    pub base_url: String,
    /// The environment variable that holds the key; none for endpoints that want none.
    pub api_key_env: Option<String>,
    /// The language it is addressed in; the match's where nothing is said.
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
    /// The seed of its own chance, where the endpoint takes one.
    pub seed: Option<i64>,
    /// How long one request may take.
    pub timeout: Duration,
    /// What a million tokens cost.
    pub price: Option<Price>,
    /// How hard the endpoint may be used.
    pub limits: Limits,
    /// The most money that one match may cost this player.
    pub max_usd_match: Option<f64>,
}

/// How a model is asked for an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// By calling tools until it acts.
    Tools,
    /// By an answer in JSON under a schema.
    Json,
    /// By the last line of its text.
    Text,
    /// By the first of these that it is found to be able to do.
    Auto,
}

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// Read.
    pub input: f64,
    /// Read from the provider's cache.
    pub cached_input: f64,
    /// Written.
    pub output: f64,
}

/// How hard an endpoint may be used, by all players together that share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Requests a minute.
    pub requests_per_minute: Option<u32>,
    /// Tokens a minute.
    pub tokens_per_minute: Option<u32>,
    /// Requests at once.
    pub concurrency: usize,
}
