//! The wire formats of endpoints, what differs between them, and the providers that are known by a word.

use std::fmt;

use serde::{Serialize, Serializer};

use super::Profile;

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Api {
    /// Chat completions, which most servers speak.
    Chat,
    /// The Responses API of `OpenAI`.
    Responses,
    /// The Messages API of Anthropic.
    Anthropic,
    /// `generateContent` of Google's Gemini.
    Gemini,
}

impl Api {
    /// All of them.
    pub const ALL: [Api; 4] = [Api::Chat, Api::Responses, Api::Anthropic, Api::Gemini];

    /// What people write for it.
    pub fn name(self) -> &'static str {
        match self {
            Api::Chat => "chat",
            Api::Responses => "responses",
            Api::Anthropic => "anthropic",
            Api::Gemini => "gemini",
        }
    }

    /// Who is meant where nothing but the format is said.
    pub fn provider(self) -> &'static Provider {
        match self {
            Api::Chat | Api::Responses => &PROVIDERS[0],
            Api::Anthropic => &PROVIDERS[1],
            Api::Gemini => &PROVIDERS[2],
        }
    }
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Somebody who serves models, known by one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Provider {
    /// The word, as in `openai:MODEL`.
    pub word: &'static str,
    /// The wire format that its models want.
    pub api: Api,
    /// Where it is.
    pub base_url: &'static str,
    /// Where its key is by common habit.
    pub api_key_env: &'static str,
    /// What it calls the most tokens of an answer in chat completions.
    pub max_tokens_field: MaxTokensField,
    /// A model of its own, for examples.
    pub example: &'static str,
}

/// All that are known by a word.
pub const PROVIDERS: [Provider; 4] = [
    Provider {
        word: "openai",
        api: Api::Responses,
        base_url: "https://api.openai.com/v1",
        api_key_env: "OPENAI_API_KEY",
        max_tokens_field: MaxTokensField::MaxCompletionTokens,
        example: "gpt-5-mini",
    },
    Provider {
        word: "anthropic",
        api: Api::Anthropic,
        base_url: "https://api.anthropic.com/v1",
        api_key_env: "ANTHROPIC_API_KEY",
        max_tokens_field: MaxTokensField::MaxTokens,
        example: "claude-haiku-4-5",
    },
    Provider {
        word: "gemini",
        api: Api::Gemini,
        base_url: "https://generativelanguage.googleapis.com/v1beta",
        api_key_env: "GEMINI_API_KEY",
        max_tokens_field: MaxTokensField::MaxTokens,
        example: "gemini-2.5-flash",
    },
    Provider {
        word: "openrouter",
        api: Api::Chat,
        base_url: "https://openrouter.ai/api/v1",
        api_key_env: "OPENROUTER_API_KEY",
        max_tokens_field: MaxTokensField::MaxTokens,
        example: "qwen/qwen3-32b",
    },
];

impl Provider {
    /// The one of this word.
    pub fn named(word: &str) -> Option<&'static Provider> {
        PROVIDERS.iter().find(|provider| provider.word.eq_ignore_ascii_case(word))
    }

    /// The one at this address.
    pub fn at(base_url: &str) -> Option<&'static Provider> {
        PROVIDERS.iter().find(|provider| provider.base_url == base_url)
    }

    /// What must be said of a model's thinking where a profile says nothing: in the Responses API, one of `OpenAI` that does
    /// not think refuses to be asked for its thoughts.
    pub(super) fn thinking(&self, api: Api, model: &str) -> Option<Thinking> {
        let model = model.strip_prefix("ft:").unwrap_or(model);
        let plain = ["gpt-3", "gpt-4", "chatgpt"].iter().any(|name| model.starts_with(name)) || model.contains("-chat");
        (self.word == "openai" && api == Api::Responses && plain).then_some(Thinking::Off)
    }

    /// One of its models by its name alone, with the default of every field.
    pub fn profile(&self, model: &str) -> Profile {
        let thinking = self.thinking(self.api, model);
        Profile {
            name: format!("{}:{model}", self.word),
            api: self.api,
            api_key_env: Some(self.api_key_env.to_owned()),
            max_tokens_field: self.max_tokens_field,
            max_output_tokens: Profile::default_output(self.api, Some(self), None, thinking),
            thinking,
            ..Profile::at(self.base_url, model)
        }
    }
}

/// Whether a model is to think before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// It is not.
    Off,
    /// As much as it likes.
    On,
    /// At most so many tokens.
    Tokens(u32),
}

/// As people write it: true, false, or a number of tokens.
impl Serialize for Thinking {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Thinking::Off => serializer.serialize_bool(false),
            Thinking::On => serializer.serialize_bool(true),
            Thinking::Tokens(tokens) => serializer.serialize_u32(*tokens),
        }
    }
}

/// Whether a model must call a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// The model must call a tool.
    Required,
    /// It may answer in words.
    Auto,
    /// Nothing is said of it: some servers do not know the field.
    None,
}

impl ToolChoice {
    /// All of them, as people write them.
    pub const NAMES: [(&str, ToolChoice); 3] =
        [("required", ToolChoice::Required), ("auto", ToolChoice::Auto), ("none", ToolChoice::None)];
}

/// What chat completions call the most tokens of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensField {
    /// As most servers do.
    MaxTokens,
    /// As `OpenAI` does of late.
    MaxCompletionTokens,
}

impl MaxTokensField {
    /// All of them, as people and servers write them.
    pub const NAMES: [(&str, MaxTokensField); 2] =
        [("max_tokens", MaxTokensField::MaxTokens), ("max_completion_tokens", MaxTokensField::MaxCompletionTokens)];

    /// As servers know it.
    pub fn name(self) -> &'static str {
        match self {
            MaxTokensField::MaxTokens => "max_tokens",
            MaxTokensField::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}
