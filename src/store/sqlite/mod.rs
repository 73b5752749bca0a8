//! A store in one SQLite file.
//!
//! One connection writes, a few others read. All of them live on a thread of the store's own with its own small runtime:
//! callers wait for answers, never for timers of the database.
//!
//! `synchronous` is `FULL`: a commit waits for the disk, so that what was acknowledged outlives not only `kill -9`, for
//! which `NORMAL` would do, but a power cut as well. That costs one wait a batch, not one a write.

mod apply;
mod arena;
mod read;
mod schema;
mod write;

use std::fs;
use std::future::Future;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection, SqlitePool};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

use self::schema::Found;
use self::write::{Done, Message, Request, Writer};
use super::change::Change;
use super::error::StoreError;

/// How many writes may wait.
const QUEUE: usize = 1024;

/// How many reads go on at once.
const READERS: u32 = 4;

/// How long we wait for another program that writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// A store in one SQLite file.
#[derive(Clone, Debug)]
pub(super) struct Sqlite {
    path: Arc<Path>,
    /// None in a store that is only read.
    queue: Option<mpsc::Sender<Message>>,
    readers: SqlitePool,
    runtime: Handle,
    /// Dropped with the last clone: then the thread ends, after it has written what waits.
    _alive: mpsc::Sender<()>,
}

impl Sqlite {
    pub(super) async fn open(path: &Path) -> Result<Sqlite, StoreError> {
        Sqlite::open_with(path, options(path, PATIENCE)).await
    }

    #[cfg(test)]
    pub(super) async fn open_patiently(path: &Path, patience: Duration) -> Result<Sqlite, StoreError> {
        Sqlite::open_with(path, options(path, patience)).await
    }

    #[cfg(test)]
    pub(super) async fn open_cramped(path: &Path, pages: &'static str) -> Result<Sqlite, StoreError> {
        Sqlite::open_with(path, options(path, PATIENCE).pragma("max_page_count", pages)).await
    }

    async fn open_with(path: &Path, options: SqliteConnectOptions) -> Result<Sqlite, StoreError> {
        let path = path.to_owned();
        on_a_thread(move |alive| async move {
            let readers = options.clone().read_only(true);
            let writer = Writer::connect(&path, options).await?;
            let readers = SqlitePoolOptions::new().max_connections(READERS).connect_lazy_with(readers);
            let (queue, requests) = mpsc::channel(QUEUE);
            let writing = tokio::spawn(writer.run(requests));
            let store =
                Sqlite { path: path.into(), queue: Some(queue), readers, runtime: Handle::current(), _alive: alive };
            Ok((store, Some(writing)))
        })
        .await
    }

    pub(super) async fn open_to_read(path: &Path) -> Result<Sqlite, StoreError> {
        let path = path.to_owned();
        on_a_thread(move |alive| async move {
            if !path.is_file() {
                return Err(StoreError::Missing { path });
            }
            check_magic(&path)?;
            let options = options(&path, PATIENCE).read_only(true);
            // In a folder that may not be written, SQLite can only read what nobody else is writing.
            let still = options.clone().immutable(true);
            let (options, mut connection) = match options.connect().await {
                Ok(connection) => (options, connection),
                Err(error) => match still.connect().await {
                    Ok(connection) if !has_log(&path) => (still, connection),
                    _ => return Err(problem(&path, &error)),
                },
            };
            let found = schema::look(&mut connection).await;
            let _ = connection.close().await;
            match found.map_err(|error| problem(&path, &error))? {
                Found::Version(version) if version > schema::VERSION => return Err(newer(&path, version)),
                // A reader cannot bring an older file up to date; whoever writes next does. What it has can be read.
                Found::Version(_) => {}
                Found::Empty | Found::Foreign => return Err(StoreError::NotAStore { path }),
            }
            let readers = SqlitePoolOptions::new().max_connections(READERS).connect_lazy_with(options);
            let store = Sqlite { path: path.into(), queue: None, readers, runtime: Handle::current(), _alive: alive };
            Ok((store, None))
        })
        .await
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) async fn send(&self, changes: Vec<Change>, done: Done) -> Result<(), StoreError> {
        let sent = self.queue()?.send(Message::Write(Request { changes, done })).await;
        sent.map_err(|_| StoreError::Closed)
    }

    pub(super) fn send_blocking(&self, changes: Vec<Change>, done: Done) -> Result<(), StoreError> {
        let sent = self.queue()?.blocking_send(Message::Write(Request { changes, done }));
        sent.map_err(|_| StoreError::Closed)
    }

    fn queue(&self) -> Result<&mpsc::Sender<Message>, StoreError> {
        self.queue.as_ref().ok_or_else(|| StoreError::ReadOnly { path: self.path.to_path_buf() })
    }

    pub(super) async fn close(self) {
        let readers = self.readers.clone();
        let _ = self.runtime.spawn(async move { readers.close().await }).await;
        // The one who writes goes last, and tidies up after all.
        if let Some(queue) = &self.queue {
            let (done, told) = oneshot::channel();
            if queue.send(Message::Close(done)).await.is_ok() {
                let _: Result<(), _> = told.await;
            }
        }
    }

    /// Reads on the store's own thread.
    async fn read<T, F, R>(&self, read: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(SqlitePool) -> R,
        R: Future<Output = Result<T, sqlx::Error>> + Send + 'static,
    {
        let reading = self.runtime.spawn(read(self.readers.clone()));
        let outcome = reading.await.map_err(|_| StoreError::Closed)?;
        outcome.map_err(|error| problem(&self.path, &error))
    }
}

/// Opens a store on a thread of its own. The thread ends when the last handle is gone and everything is written.
async fn on_a_thread<F, R>(open: F) -> Result<Sqlite, StoreError>
where
    F: FnOnce(mpsc::Sender<()>) -> R + Send + 'static,
    R: Future<Output = Result<(Sqlite, Option<tokio::task::JoinHandle<()>>), StoreError>>,
{
    let (tell, told) = oneshot::channel();
    let spawned = thread::Builder::new().name("standoff-store".to_owned()).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async move {
            let (alive, mut gone) = mpsc::channel(1);
            match open(alive).await {
                Err(error) => drop(tell.send(Err(error))),
                Ok((store, writing)) => {
                    drop(tell.send(Ok(store)));
                    gone.recv().await;
                    if let Some(writing) = writing {
                        let _ = writing.await;
                    }
                }
            }
        });
    });
    if spawned.is_err() {
        return Err(StoreError::Closed);
    }
    told.await.unwrap_or(Err(StoreError::Closed))
}

fn options(path: &Path, patience: Duration) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(patience)
        .synchronous(SqliteSynchronous::Full)
        .disable_statement_logging()
}

/// Opens the connection that writes, on a file that is ours and up to date.
async fn connect(path: &Path, options: &SqliteConnectOptions) -> Result<SqliteConnection, StoreError> {
    let failed = |error: sqlx::Error| problem(path, &error);
    if path.exists() {
        check_magic(path)?;
    } else if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)
            .map_err(|error| StoreError::Unusable { path: path.to_owned(), why: error.to_string() })?;
    }
    let mut connection = options.clone().create_if_missing(true).connect().await.map_err(failed)?;
    match schema::look(&mut connection).await.map_err(failed)? {
        Found::Version(version) if version > schema::VERSION => return Err(newer(path, version)),
        Found::Foreign => return Err(StoreError::NotAStore { path: path.to_owned() }),
        Found::Empty | Found::Version(_) => {}
    }
    let _ = connection.close().await;
    let options =
        options.clone().page_size(8192).journal_mode(SqliteJournalMode::Wal).pragma("wal_autocheckpoint", "4096");
    let mut connection = options.connect().await.map_err(failed)?;
    schema::migrate(&mut connection).await.map_err(failed)?;
    Ok(connection)
}

/// Whether a file that is there could be a database. SQLite itself would only find out while it writes.
fn check_magic(path: &Path) -> Result<(), StoreError> {
    let unusable = |error: std::io::Error| StoreError::Unusable { path: path.to_owned(), why: error.to_string() };
    let mut start = Vec::new();
    fs::File::open(path).map_err(unusable)?.take(16).read_to_end(&mut start).map_err(unusable)?;
    if start.is_empty() || start == b"SQLite format 3\0" {
        Ok(())
    } else {
        Err(StoreError::NotAStore { path: path.to_owned() })
    }
}

/// Whether there are writes that are not in the file itself yet.
fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    fs::metadata(PathBuf::from(log)).is_ok_and(|log| log.len() > 0)
}

fn newer(path: &Path, found: i64) -> StoreError {
    StoreError::Newer { path: path.to_owned(), found, known: schema::VERSION }
}

/// What an error of the database means.
fn problem(path: &Path, error: &sqlx::Error) -> StoreError {
    let path = path.to_owned();
    let code = error.as_database_error().and_then(|error| error.code()?.parse::<i32>().ok());
    let why = error.to_string();
    // The lowest byte is SQLite's primary result code.
    match code.map(|code| code & 0xff) {
        Some(5 | 6) => StoreError::Locked { path },
        Some(8) => StoreError::ReadOnly { path },
        Some(11) => StoreError::Damaged { path, why },
        Some(13) => StoreError::Full { path },
        Some(14) => StoreError::Unusable { path, why },
        Some(26) => StoreError::NotAStore { path },
        _ => StoreError::Database { path, why },
    }
}
