//! A store in one SQLite file.
//!
//! `synchronous` is `FULL`: a commit waits for the disk, so that what was acknowledged outlives not only `kill -9`, for
//! which `NORMAL` would do, but a power cut as well. That costs one wait a batch, not one a write.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::future::BoxFuture;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection, SqlitePool};

use super::backend::{Backend, Readers, TransactionId, Writing};
use super::connections::READERS;
use super::error::StoreError;
use super::link::{Each, Link, Placeholders, Statement, filled};
use super::location::Location;
use super::schema;

/// How long we wait for another program that writes.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A store in one SQLite file.
#[derive(Debug)]
pub(super) struct Sqlite {
    at: Location,
    version: i64,
    path: PathBuf,
    options: SqliteConnectOptions,
    readers: SqlitePool,
}

impl Sqlite {
    pub(super) fn new(path: PathBuf) -> Sqlite {
        let options = options(&path, TIMEOUT);
        Sqlite::with(path, options)
    }

    #[cfg(test)]
    pub(super) fn with_timeout(path: PathBuf, timeout: Duration) -> Sqlite {
        let options = options(&path, timeout);
        Sqlite::with(path, options)
    }

    #[cfg(test)]
    pub(super) fn cramped(path: PathBuf, pages: &'static str) -> Sqlite {
        let options = options(&path, TIMEOUT).pragma("max_page_count", pages);
        Sqlite::with(path, options)
    }

    /// Must be called on the store's own thread, where its connections live.
    fn with(path: PathBuf, options: SqliteConnectOptions) -> Sqlite {
        let readers = SqlitePoolOptions::new().max_connections(READERS);
        let readers = readers.connect_lazy_with(options.clone().read_only(true));
        Sqlite { at: Location::File(path.clone()), version: schema::VERSION, path, options, readers }
    }

    /// Looks at a file that is only to be read.
    pub(super) async fn to_read(path: PathBuf) -> Result<Sqlite, StoreError> {
        let at = Location::File(path.clone());
        if !path.is_file() {
            return Err(StoreError::Missing { at });
        }
        check_magic(&path)?;
        let options = options(&path, TIMEOUT).read_only(true);
        // In a folder that may not be written, SQLite can only read what nobody else is writing.
        let still = options.clone().immutable(true);
        let (options, mut connection) = match options.connect().await {
            Ok(connection) => (options, connection),
            Err(error) => match still.connect().await {
                Ok(connection) if !has_log(&path) => (still, connection),
                _ => return Err(problem(&at, &error)),
            },
        };
        let found = schema::look_at_file(&mut connection).await;
        let _ = connection.close().await;
        let version = found.map_err(|error| problem(&at, &error))?.to_read(&at)?;
        Ok(Sqlite { version, ..Sqlite::with(path, options) })
    }
}

impl Backend for Sqlite {
    fn location(&self) -> &Location {
        &self.at
    }

    fn version(&self) -> i64 {
        self.version
    }

    fn connect(&self) -> BoxFuture<'_, Result<Box<dyn Writing>, StoreError>> {
        Box::pin(async move {
            let connection = connect(&self.at, &self.path, &self.options).await?;
            Ok(Box::new(connection) as Box<dyn Writing>)
        })
    }

    fn readers(&self) -> &dyn Readers {
        &self.readers
    }

    fn problem(&self, error: &sqlx::Error) -> StoreError {
        problem(&self.at, error)
    }
}

impl Link for SqliteConnection {
    fn run(&mut self, statement: Statement) -> BoxFuture<'_, Result<u64, sqlx::Error>> {
        Box::pin(async move { Ok(filled(statement, Placeholders::Bare).execute(self).await?.rows_affected()) })
    }

    fn read<'a>(&'a mut self, statement: Statement, each: Each<'a>) -> BoxFuture<'a, Result<(), sqlx::Error>> {
        Box::pin(async move {
            filled(statement, Placeholders::Bare).fetch_all(self).await?.iter().try_for_each(|row| each(row))
        })
    }

    fn clock(&self) -> &'static str {
        "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
    }
}

impl Writing for SqliteConnection {
    fn begin(&mut self) -> BoxFuture<'_, Result<Option<TransactionId>, sqlx::Error>> {
        Box::pin(async move {
            self.run(Statement::new("BEGIN IMMEDIATE")).await?;
            Ok(None)
        })
    }

    fn is_committed(&mut self, _: TransactionId) -> BoxFuture<'_, Result<bool, sqlx::Error>> {
        // A file is not lost in the middle: no receipt is ever given.
        Box::pin(async { Ok(false) })
    }

    fn take(&mut self, _: String) -> BoxFuture<'_, Result<bool, sqlx::Error>> {
        // Names are files beside the store's.
        Box::pin(async { Ok(true) })
    }

    fn give_back(&mut self, _: String) -> BoxFuture<'_, Result<(), sqlx::Error>> {
        Box::pin(async { Ok(()) })
    }

    fn end(self: Box<Self>, hard: bool) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let _ = if hard { self.close_hard().await } else { self.close().await };
        })
    }
}

fn options(path: &Path, timeout: Duration) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(timeout)
        .synchronous(SqliteSynchronous::Full)
        .disable_statement_logging()
}

/// Opens the connection that writes, on a file that is ours and up to date.
async fn connect(at: &Location, path: &Path, options: &SqliteConnectOptions) -> Result<SqliteConnection, StoreError> {
    let failed = |error: sqlx::Error| problem(at, &error);
    if path.exists() {
        check_magic(path)?;
    } else if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|error| StoreError::Unusable { at: at.clone(), why: error.to_string() })?;
    }
    let mut connection = options.clone().create_if_missing(true).connect().await.map_err(failed)?;
    schema::look_at_file(&mut connection).await.map_err(failed)?.to_write(at)?;
    let _ = connection.close().await;
    let options =
        options.clone().page_size(8192).journal_mode(SqliteJournalMode::Wal).pragma("wal_autocheckpoint", "1024");
    let mut connection = options.connect().await.map_err(failed)?;
    schema::migrate_file(&mut connection).await.map_err(failed)?;
    Ok(connection)
}

/// Whether a file that is there could be a database. SQLite itself would only find out while it writes.
fn check_magic(path: &Path) -> Result<(), StoreError> {
    let at = || Location::File(path.to_owned());
    let unusable = |error: std::io::Error| StoreError::Unusable { at: at(), why: error.to_string() };
    let mut start = Vec::new();
    fs::File::open(path).map_err(unusable)?.take(16).read_to_end(&mut start).map_err(unusable)?;
    if start.is_empty() || start == b"SQLite format 3\0" { Ok(()) } else { Err(StoreError::NotAStore { at: at() }) }
}

/// Whether there are writes that are not in the file itself yet.
fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    fs::metadata(PathBuf::from(log)).is_ok_and(|log| log.len() > 0)
}

/// What an error of the database means.
fn problem(at: &Location, error: &sqlx::Error) -> StoreError {
    let at = at.clone();
    let code = error.as_database_error().and_then(|error| error.code()?.parse::<i32>().ok());
    let why = error.to_string();
    // The lowest byte is SQLite's primary result code.
    match code.map(|code| code & 0xff) {
        Some(5 | 6) => StoreError::Locked { at },
        Some(8) => StoreError::ReadOnly { at },
        Some(11) => StoreError::Damaged { at, why },
        Some(13) => StoreError::Full { at },
        Some(14) => StoreError::Unusable { at, why },
        Some(26) => StoreError::NotAStore { at },
        _ => StoreError::Database { at, why },
    }
}
