//! What is secret of a profile, from its key to its headers.

use std::collections::BTreeMap;

use secrecy::{ExposeSecret as _, SecretString};

use crate::players::profile::{Profile, variables};

/// The key of a profile and the environment variables that its headers name. Nobody sees them but the endpoint.
#[derive(Clone, Debug, Default)]
pub struct Secrets {
    key: Option<SecretString>,
    variables: BTreeMap<String, SecretString>,
}

/// What stands where a secret was.
const REDACTED: &str = "[key]";

impl From<Option<SecretString>> for Secrets {
    fn from(key: Option<SecretString>) -> Secrets {
        Secrets { key, variables: BTreeMap::new() }
    }
}

impl Secrets {
    /// All that a profile names, looked up by whoever may.
    ///
    /// # Errors
    /// If a variable cannot be had.
    pub fn of<E>(profile: &Profile, look_up: impl Fn(&str) -> Result<SecretString, E>) -> Result<Secrets, E> {
        let key = profile.api_key_env.as_deref().map(&look_up).transpose()?;
        let named = profile.headers.values().flat_map(|value| variables(value));
        let variables = named.map(|name| Ok((name.to_owned(), look_up(name)?)));
        Ok(Secrets { key, variables: variables.collect::<Result<_, E>>()? })
    }

    /// The key, where there is one.
    pub(super) fn key(&self) -> Option<&str> {
        self.key.as_ref().map(|key| key.expose_secret().trim())
    }

    /// The value of a header with what its variables hold, and whether any of it is secret. A variable that is not here
    /// stands for nothing: only where nothing is sent may that be.
    pub(super) fn fill(&self, value: &str) -> (String, bool) {
        let mut filled = value.to_owned();
        let mut secret = false;
        for name in variables(value) {
            let held = self.variables.get(name).map_or("", |held| held.expose_secret().trim());
            filled = filled.replace(&format!("${{{name}}}"), held);
            secret = true;
        }
        (filled, secret)
    }

    /// A text without any of them, and whether there was one.
    pub(super) fn redact(&self, text: String) -> (String, bool) {
        let all = self.key.iter().chain(self.variables.values()).map(|secret| secret.expose_secret().trim());
        all.filter(|secret| !secret.is_empty()).fold((text, false), |(text, found), secret| {
            if text.contains(secret) { (text.replace(secret, REDACTED), true) } else { (text, found) }
        })
    }
}
