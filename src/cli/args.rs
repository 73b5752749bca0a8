//! Arguments that several commands share.

use std::sync::Arc;

use clap::Args;

use super::error::Failure;
use crate::games::library;
use crate::games::ruleset::Ruleset;
use crate::settings::fields::{BadFile, Fields};

/// Which rules to play by.
#[derive(Args, Debug, Clone)]
pub(crate) struct RulesetArgs {
    /// A built-in ruleset (`standoff rulesets` lists them) or the path of a TOML file
    #[arg(long, value_name = "NAME|FILE", default_value = library::DEFAULT)]
    pub(crate) ruleset: String,
    /// Another map: a built-in one, the path of a map file, or `none`
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) map: Option<String>,
    /// Hit points at the start
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) hp: Option<i64>,
    /// Start after this many random turns, drawn from the seed; 0 to 64
    #[arg(long, value_name = "TURNS", allow_negative_numbers = true)]
    pub(crate) opening: Option<i64>,
    /// Any other field of the ruleset, like `--set max_rounds=20` or `--set policy.turn_seconds=5`
    #[arg(long, value_name = "FIELD=VALUE")]
    pub(crate) set: Vec<String>,
}

impl RulesetArgs {
    /// The ruleset with what was put on top of it.
    ///
    /// # Errors
    /// With every problem of it.
    pub(crate) fn resolve(&self) -> Result<Arc<Ruleset>, Failure> {
        let mut over = Fields::none(&self.ruleset);
        if let Some(map) = &self.map {
            over.set("map", map);
        }
        if let Some(hp) = self.hp {
            over.set("hp", &hp.to_string());
        }
        if let Some(opening) = self.opening {
            over.set("opening", &opening.to_string());
        }
        for field in &self.set {
            let (key, value) = field.split_once('=').ok_or_else(|| {
                Failure::call(format!("`--set {field}` has no value")).hint("write --set FIELD=VALUE, like --set hp=3")
            })?;
            over.set(key.trim(), value.trim());
        }
        load(&self.ruleset, over).map(Arc::new)
    }
}

/// A built-in ruleset or a file.
///
/// # Errors
/// With every problem of it.
pub(crate) fn ruleset(name: &str) -> Result<Ruleset, Failure> {
    load(name, Fields::none(name))
}

/// A built-in ruleset or a file, on another map where one is named.
///
/// # Errors
/// With every problem of it.
pub(crate) fn ruleset_on(name: &str, map: Option<&str>) -> Result<Ruleset, BadFile> {
    let mut over = Fields::none(name);
    if let Some(map) = map {
        over.set("map", map);
    }
    Ruleset::load(name, over, &|path| read_beside(name, path))
}

fn load(name: &str, over: Fields) -> Result<Ruleset, Failure> {
    Ruleset::load(name, over, &|path| read_beside(name, path)).map_err(|bad| {
        Failure::call(bad)
            .hint("`standoff rulesets` lists what is built in; `standoff rulesets --show NAME` prints the file that documents every field")
    })
}

/// A file that a ruleset names: as given, or beside the ruleset's own file.
fn read_beside(ruleset: &str, path: &str) -> Result<String, String> {
    let beside = std::path::Path::new(ruleset).parent().map(|folder| folder.join(path));
    let read = std::fs::read_to_string(path);
    let read = match (read, beside) {
        (Err(_), Some(beside)) if beside.exists() => std::fs::read_to_string(beside),
        (read, _) => read,
    };
    read.map_err(|error| error.to_string())
}
