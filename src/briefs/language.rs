//! The languages that players are spoken to in.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A language that players are spoken to in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Chinese, simplified.
    Zh,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 2] = [Language::En, Language::Zh];

    /// The names in files.
    pub const NAMES: [(&str, Language); 2] = [("en", Language::En), ("zh", Language::Zh)];
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Language::En => "en",
            Language::Zh => "zh",
        })
    }
}

/// A text that names no language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a language is `en` or `zh`")]
pub struct ParseLanguageError;

impl FromStr for Language {
    type Err = ParseLanguageError;

    fn from_str(text: &str) -> Result<Language, ParseLanguageError> {
        Language::ALL
            .into_iter()
            .find(|language| language.to_string().eq_ignore_ascii_case(text.trim()))
            .ok_or(ParseLanguageError)
    }
}
