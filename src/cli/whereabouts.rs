//! `standoff where`: the files and folders that the program uses here, and which of them exist.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::error::Failure;
use super::storage::StoreArgs;
use crate::briefs::Language;
use crate::config::Environment;
use crate::store::Location;

/// Show where the program's files are: configuration, store, kept matches.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff where
  standoff where --json | jq -r .store.path")]
pub(crate) struct WhereCommand {
    /// One JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// Something that the program uses.
struct UsedPath {
    key: &'static str,
    /// What it is, in English and Chinese.
    what: [&'static str; 2],
    path: String,
    /// None where the path is an address.
    exists: Option<bool>,
}

impl WhereCommand {
    /// Prints the list.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub(crate) fn run(self, out: &mut impl Write, language: Language) -> Result<(), Failure> {
        let paths = self.paths()?;
        if self.json {
            let all =
                paths.iter().map(|place| (place.key.to_owned(), json!({ "path": place.path, "exists": place.exists })));
            writeln!(out, "{}", serde_json::Value::Object(all.collect()))?;
            return Ok(());
        }
        for place in &paths {
            let missing = match place.exists {
                Some(false) => language.pick("  (not there yet)", "（还没有）"),
                _ => "",
            };
            writeln!(out, "{}\n  {}{missing}", language.pick(place.what[0], place.what[1]), place.path)?;
        }
        Ok(())
    }

    fn paths(&self) -> Result<Vec<UsedPath>, Failure> {
        let environment = Environment::of_process();
        let mut paths = Vec::new();
        let mut add = |key, what, path: PathBuf| {
            paths.push(UsedPath { key, what, path: path.display().to_string(), exists: Some(path.exists()) });
        };
        if let Ok(program) = environment.program() {
            add("program", ["The program", "程序"], program);
        }
        let found = environment.config_file(None).ok().flatten().map(|file| file.path);
        let config = found.or_else(|| environment.settings_folder().map(|folder| folder.join("standoff.toml")));
        if let Some(config) = config {
            add(
                "config",
                [
                    "Players (`$STANDOFF_CONFIG`, `./standoff.toml`, or this)",
                    "玩家配置（`$STANDOFF_CONFIG`、`./standoff.toml` 或此处）",
                ],
                config,
            );
        }
        if let Some(data) = environment.data_folder() {
            add(
                "records",
                ["Records of matches with models played without --record", "没有指定 --record 的模型对局记录"],
                data.join("matches"),
            );
        }
        let store = self.store.location()?;
        let path = store.to_string();
        let exists = match &store {
            Location::File(file) => Some(file.exists()),
            Location::Postgres(_) => None,
        };
        paths.push(UsedPath {
            key: "store",
            what: ["The store: matches, tournaments, costs", "存储：对局、锦标赛、费用"],
            path,
            exists,
        });
        Ok(paths)
    }
}
