//! Where a store is.

use std::fmt;
use std::path::{Path, PathBuf};

use url::Url;

/// Where a store is: a file, or a database server's address.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A SQLite file.
    File(PathBuf),
    /// A `postgres://` address. It may hold a password, which is never shown.
    Postgres(String),
}

impl Location {
    /// The file's name in the user's data folder.
    pub const FILE: &str = "standoff.db";

    /// Where a store is if nobody says where.
    pub fn in_folder(folder: &Path) -> Location {
        Location::File(folder.join(Location::FILE))
    }
}

impl From<&str> for Location {
    /// A text always says where; whether something is there is another question.
    fn from(text: &str) -> Location {
        let is_server = ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme));
        if is_server {
            return Location::Postgres(text.to_owned());
        }
        let path = text.strip_prefix("sqlite://").or_else(|| text.strip_prefix("sqlite:")).unwrap_or(text);
        Location::File(PathBuf::from(path))
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::File(path) => path.display().fmt(f),
            Location::Postgres(url) => f.write_str(&without_secrets(url)),
        }
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Location({self})")
    }
}

/// The address of a database with nothing in it that could be a secret: who, where and which, and what else is known to be
/// harmless.
fn without_secrets(address: &str) -> String {
    let Ok(url) = Url::parse(address) else { return "postgres://…".to_owned() };
    let mut shown = "postgres://".to_owned();
    if !url.username().is_empty() {
        shown.push_str(url.username());
        shown.push('@');
    }
    shown.push_str(url.host_str().unwrap_or_default());
    if let Some(port) = url.port() {
        shown.push(':');
        shown.push_str(&port.to_string());
    }
    shown.push_str(url.path());
    // As it was written, so that it can be used again.
    let pairs = url.query().unwrap_or_default().split('&').zip(url.query_pairs());
    let harmless: Vec<&str> =
        pairs.filter(|(_, (name, value))| is_harmless(name, value)).map(|(written, _)| written).collect();
    if harmless.is_empty() { shown } else { format!("{shown}?{}", harmless.join("&")) }
}

/// Whether a parameter of an address can be shown to everybody.
fn is_harmless(name: &str, value: &str) -> bool {
    match name {
        "sslmode" | "sslrootcert" => true,
        // Whatever else is set there may be a secret of the server's.
        "options" => {
            let schema =
                value.trim().strip_prefix("-c").map(str::trim_start).and_then(|set| set.strip_prefix("search_path="));
            schema.is_some_and(|schema| schema.chars().all(|c| c.is_alphanumeric() || "_,$".contains(c)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_as_it_can_be_used_again_but_for_its_secrets() {
        let shown =
            |query: &str| Location::from(format!("postgres://ada:secret@db:5433/games?{query}").as_str()).to_string();
        let kept = "options=-csearch_path%3Dseason2&sslmode=require";
        assert_eq!(shown(kept), format!("postgres://ada@db:5433/games?{kept}"));
        for secret in ["password=secret", "sslkey=secret", "options=-csearch_path%3Da%20-cown.key%3Dsecret", "a&secret"]
        {
            assert_eq!(shown(secret), "postgres://ada@db:5433/games");
        }
        assert_eq!(
            shown("password=secret&options=-csearch_path%3Da"),
            "postgres://ada@db:5433/games?options=-csearch_path%3Da"
        );
    }
}
