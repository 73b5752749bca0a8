//! Who somebody is, whatever they are called.

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Who somebody is. Ratings, limits and histories go by this; names are for showing.
///
/// Its text is `house:greedy`, `profile:NAME`, `registered:ID` or `guest`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Identity {
    /// A built-in bot, by its full name, like `search:500`.
    House(String),
    /// A player whom whoever runs the program has configured: a model, a program, a script.
    Profile(String),
    /// A registered player, by the id that it keeps whatever it is called.
    Registered(String),
    /// Whoever came without registering. No two guests are known to be the same; they are shown and never rated.
    Guest,
}

/// The kinds of identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdentityKind {
    /// A built-in bot.
    House,
    /// A configured player.
    Profile,
    /// A registered player.
    Registered,
    /// Anybody else.
    Guest,
}

/// A text that is no identity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an identity is `house:BOT`, `profile:NAME`, `registered:ID` or `guest`")]
pub struct ParseIdentityError;

impl Identity {
    /// The first words of the names of all bots.
    pub const BOTS: [&str; 3] = ["random", "greedy", "search"];

    /// A player whom an operator named, in a tournament or at a terminal: a bot, unless a model goes by its name, the
    /// person at the keyboard, or somebody configured.
    pub fn configured(name: &str, is_model: bool) -> Identity {
        let first = name.split(':').next().unwrap_or(name);
        if !is_model && Identity::BOTS.contains(&first) {
            Identity::House(name.to_owned())
        } else if !is_model && name == "human" {
            Identity::Guest
        } else {
            Identity::Profile(name.to_owned())
        }
    }

    /// Of which kind.
    pub fn kind(&self) -> IdentityKind {
        match self {
            Identity::House(_) => IdentityKind::House,
            Identity::Profile(_) => IdentityKind::Profile,
            Identity::Registered(_) => IdentityKind::Registered,
            Identity::Guest => IdentityKind::Guest,
        }
    }

    /// What tells it from others of its kind.
    pub fn key(&self) -> &str {
        match self {
            Identity::House(key) | Identity::Profile(key) | Identity::Registered(key) => key,
            Identity::Guest => "",
        }
    }

    /// Whether what it plays can count for anybody's rating. A guest may be anyone.
    pub fn is_rated(&self) -> bool {
        *self != Identity::Guest
    }

    /// The identity of a kind and a key; none where they do not fit.
    pub fn of(kind: IdentityKind, key: &str) -> Option<Identity> {
        let key = || (!key.is_empty()).then(|| key.to_owned());
        match kind {
            IdentityKind::House => key().map(Identity::House),
            IdentityKind::Profile => key().map(Identity::Profile),
            IdentityKind::Registered => key().map(Identity::Registered),
            IdentityKind::Guest => Some(Identity::Guest),
        }
    }
}

impl IdentityKind {
    /// All of them.
    pub const ALL: [IdentityKind; 4] =
        [IdentityKind::House, IdentityKind::Profile, IdentityKind::Registered, IdentityKind::Guest];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            IdentityKind::House => "house",
            IdentityKind::Profile => "profile",
            IdentityKind::Registered => "registered",
            IdentityKind::Guest => "guest",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<IdentityKind> {
        IdentityKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Identity::Guest => f.write_str("guest"),
            other => write!(f, "{}:{}", other.kind().name(), other.key()),
        }
    }
}

impl FromStr for Identity {
    type Err = ParseIdentityError;

    fn from_str(text: &str) -> Result<Identity, ParseIdentityError> {
        let (kind, key) = text.split_once(':').unwrap_or((text, ""));
        let identity = IdentityKind::named(kind).and_then(|kind| Identity::of(kind, key));
        // A guest has no key that could be believed.
        identity.filter(|identity| identity.key() == key).ok_or(ParseIdentityError)
    }
}

impl Serialize for Identity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Identity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Identity, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl JsonSchema for Identity {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Identity".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "who somebody is, whatever they are called: `house:BOT`, `profile:NAME`, `registered:ID` or `guest`",
            "pattern": "^(guest|(house|profile|registered):.+)$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_identity_is_read_back_from_its_text() {
        for identity in [
            Identity::House("search:500".to_owned()),
            Identity::Profile("openai:gpt-5".to_owned()),
            Identity::Registered("u7abc".to_owned()),
            Identity::Guest,
        ] {
            assert_eq!(identity.to_string().parse(), Ok(identity.clone()));
            let json = serde_json::to_string(&identity).expect("a text");
            assert_eq!(serde_json::from_str::<Identity>(&json).expect("the same"), identity);
        }
        for bad in ["", "house", "house:", "guest:random", "Guest", "bot:random"] {
            assert_eq!(bad.parse::<Identity>(), Err(ParseIdentityError), "{bad}");
        }
    }

    #[test]
    fn a_name_that_an_operator_gave_is_a_bot_a_person_or_a_profile() {
        assert_eq!(Identity::configured("search:500", false), Identity::House("search:500".to_owned()));
        assert_eq!(Identity::configured("random", true), Identity::Profile("random".to_owned()));
        assert_eq!(Identity::configured("process:./bot", false), Identity::Profile("process:./bot".to_owned()));
        assert_eq!(Identity::configured("human", false), Identity::Guest);
    }
}
