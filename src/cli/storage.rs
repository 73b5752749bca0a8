//! Where matches are kept, for every command that keeps or reads them.

use std::path::Path;
use std::sync::Arc;

use clap::Args;

use super::error::Failure;
use super::leaderboard::{self, GameFilter};
use super::messages;
use crate::config::Environment;
use crate::mcp::LeaderboardSource;
use crate::store::{Location, Store, StoreError};
use crate::tournaments::leaderboard::Forfeits;

/// Where matches are kept.
#[derive(Args, Debug, Clone)]
pub(crate) struct StoreArgs {
    /// Where matches are kept: a SQLite file, or `postgres://USER@HOST/DATABASE` (default: `standoff.db` in the user's data folder)
    #[arg(long, value_name = "PATH|URL")]
    store: Option<String>,
}

impl StoreArgs {
    /// Where it is.
    pub(crate) fn location(&self) -> Result<Location, Failure> {
        if let Some(text) = &self.store {
            return Ok(Location::from(text.as_str()));
        }
        let folder = Environment::of_process().data_folder().ok_or_else(|| {
            Failure::call("this system has no folder for a user's data").hint("name a file with --store FILE")
        })?;
        Ok(Location::in_folder(&folder))
    }

    /// Opens it to write, and makes it where there is none.
    pub(crate) async fn open(&self) -> Result<Store, Failure> {
        Store::open(&self.location()?).await.map_err(failure)
    }

    /// Opens it to write; where nobody named one and the usual one cannot be used, goes without and says so.
    pub(crate) async fn open_or_go_without(&self) -> Result<Option<Store>, Failure> {
        match self.open().await {
            Ok(store) => Ok(Some(store)),
            Err(failure) if self.store.is_some() => Err(failure),
            Err(failure) => {
                messages::tell(&format!("warning: matches will not be kept: {failure}"));
                Ok(None)
            }
        }
    }

    /// What the store says of who plays best, as JSON.
    pub(crate) fn leaderboard(&self) -> LeaderboardSource {
        let args = self.clone();
        Arc::new(move || {
            let args = args.clone();
            Box::pin(async move {
                let store = args.open_to_read().await.map_err(|failure| failure.to_string())?;
                let all = GameFilter { tournament: None, ruleset: None };
                let (tally, _) = all.count(&store).await.map_err(|failure| failure.to_string())?;
                let board = leaderboard::counted_board(&tally, None, None, Forfeits::Counted);
                serde_json::to_string(&board).map_err(|error| error.to_string())
            })
        })
    }

    /// Opens it to read.
    pub(crate) async fn open_to_read(&self) -> Result<Store, Failure> {
        Store::open_to_read(&self.location()?).await.map_err(failure)
    }

    /// What names the same store from any folder.
    ///
    /// # Errors
    /// If the folder at hand is not known.
    pub(crate) fn arguments(&self) -> Result<Vec<String>, Failure> {
        let Some(text) = &self.store else { return Ok(Vec::new()) };
        let store = match Location::from(text.as_str()) {
            Location::File(path) => anywhere(&path)?,
            Location::Postgres(_) => text.clone(),
        };
        Ok(vec!["--store".to_owned(), store])
    }

    /// What repeats the choice on a command line, without a password.
    pub(crate) fn flag(&self) -> String {
        let store = self.store.as_ref().map(|text| match Location::from(text.as_str()) {
            Location::File(_) => text.clone(),
            server @ Location::Postgres(_) => server.to_string(),
        });
        let quoted = |store: String| if store.contains('&') { format!("'{store}'") } else { store };
        store.map(|store| format!(" --store {}", quoted(store))).unwrap_or_default()
    }
}

/// A file's name that means the same from any folder.
pub(crate) fn anywhere(file: &Path) -> Result<String, Failure> {
    let file = std::path::absolute(file)
        .map_err(|error| Failure::work(format!("cannot find out where {} is: {error}", file.display())))?;
    Ok(file.display().to_string())
}

/// A store that fails, with a word on what to do.
pub(crate) fn failure(error: StoreError) -> Failure {
    let hint = match &error {
        StoreError::Full { .. } => Some("make room and go on where it stopped".to_owned()),
        StoreError::Locked { .. } => {
            Some("wait for the other program to end, or name another store with --store".to_owned())
        }
        StoreError::ReadOnly { at: Location::File(path) } => {
            Some(format!("let this user write {} and its folder, or name another file with --store", path.display()))
        }
        StoreError::NotAStore { at: Location::File(_) } => Some("name another file with --store FILE".to_owned()),
        StoreError::NotAStore { .. } => Some(
            "name a database with nothing in it, or another schema of this one: ?options=-csearch_path%3DSCHEMA"
                .to_owned(),
        ),
        StoreError::Address(_) => {
            Some("like postgres://USER@HOST/DATABASE; the password may be in PGPASSWORD or ~/.pgpass".to_owned())
        }
        StoreError::Untrusted { .. } => Some(
            "`?sslrootcert=FILE` names the authority that signed its certificate; `?sslmode=require` encrypts and asks no \
             more"
                .to_owned(),
        ),
        StoreError::Unreachable { .. } => Some("is the server running, and does it listen there?".to_owned()),
        StoreError::NoDatabase { .. } => Some("make it with `createdb`, then try again".to_owned()),
        StoreError::Denied { .. } => {
            Some("check user and password; whoever writes must be allowed to make tables there".to_owned())
        }
        StoreError::Lost { .. } => Some("when the server is back, go on where it stopped".to_owned()),
        StoreError::Missing { .. } => Some("`standoff tournament` makes one; --store FILE names another".to_owned()),
        StoreError::Newer { .. } => Some("it is as it was".to_owned()),
        _ => None,
    };
    let failure = match error {
        StoreError::Address(_) => Failure::call(error),
        error => Failure::work(error),
    };
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// Does a command's work to its end. A bot may still be deep in thought, or a person be asked; nobody waits for them any
/// more.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = runtime()?;
    let done = runtime.block_on(work);
    runtime.shutdown_background();
    done
}

/// The threads on which a command waits for its store and its players.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::work(format!("the system gives no threads: {error}")))
}
