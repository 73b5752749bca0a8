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

/// The address of a database with nothing in it that could be a secret: who, where and which, nothing else.
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
    shown + url.path()
}
