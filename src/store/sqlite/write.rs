//! Writing: whatever waits goes into one transaction.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection as _, SqliteConnection};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use super::apply::{Failed, apply_all};
use super::{connect, problem};
use crate::store::change::Change;
use crate::store::error::StoreError;

/// How many writes one transaction takes.
const BATCH: usize = 512;

/// So many whole games are enough for a transaction of their own, and for so long they are gathered: nobody waits for one
/// game of thousands.
const GAMES: usize = 256;
const GATHERED: Duration = Duration::from_millis(25);

/// Told how a write went.
pub(super) type Done = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// What the writer is told.
pub(super) enum Message {
    Write(Request),
    /// Nothing more is written; the sender is told when the file is let go.
    Close(oneshot::Sender<()>),
}

/// Changes that happen together.
pub(super) struct Request {
    pub(super) changes: Vec<Change>,
    pub(super) done: Done,
}

/// The one who writes.
pub(super) struct Writer {
    path: PathBuf,
    options: SqliteConnectOptions,
    /// None after a failure, until the next write connects again: half a transaction is never carried on.
    connection: Option<SqliteConnection>,
}

impl Writer {
    pub(super) async fn connect(path: &Path, options: SqliteConnectOptions) -> Result<Writer, StoreError> {
        let connection = Some(connect(path, &options).await?);
        Ok(Writer { path: path.to_owned(), options, connection })
    }

    /// Writes until nobody can send any more, or somebody closes the store.
    pub(super) async fn run(mut self, mut messages: mpsc::Receiver<Message>) {
        let mut waiting = Vec::with_capacity(BATCH);
        let mut closed = None;
        while closed.is_none() && messages.recv_many(&mut waiting, BATCH).await > 0 {
            gather(&mut messages, &mut waiting).await;
            let mut batch = Vec::with_capacity(waiting.len());
            for message in waiting.drain(..) {
                match message {
                    // Whoever comes too late is told so when its request is dropped.
                    Message::Write(request) if closed.is_none() => batch.push(request),
                    Message::Write(_) => {}
                    Message::Close(tell) => closed = Some(tell),
                }
            }
            self.write(&mut batch).await;
        }
        if let Some(connection) = self.connection {
            let _ = connection.close().await;
        }
        if let Some(tell) = closed {
            let _ = tell.send(());
        }
    }

    async fn write(&mut self, batch: &mut Vec<Request>) {
        let together: Vec<&Change> = batch.iter().flat_map(|request| &request.changes).collect();
        match self.commit(&together).await {
            Ok(()) => {
                for request in batch.drain(..) {
                    (request.done)(Ok(()));
                }
            }
            // One of them is at fault: each on its own, so that the others do not suffer.
            Err(error) if error.is_refusal() => {
                for request in batch.drain(..) {
                    let alone: Vec<&Change> = request.changes.iter().collect();
                    (request.done)(self.commit(&alone).await);
                }
            }
            Err(error) => {
                for request in batch.drain(..) {
                    (request.done)(Err(error.clone()));
                }
            }
        }
    }

    async fn commit(&mut self, changes: &[&Change]) -> Result<(), StoreError> {
        if changes.is_empty() {
            return Ok(());
        }
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => connect(&self.path, &self.options).await?,
        };
        match transact(&mut connection, changes).await {
            Ok(()) => {
                self.connection = Some(connection);
                Ok(())
            }
            Err(Failed::Refused(error)) => {
                self.connection = Some(connection);
                Err(error)
            }
            Err(Failed::Database(error)) => {
                let error = problem(&self.path, &error);
                let _ = connection.close_hard().await;
                Err(error)
            }
        }
    }
}

/// Waits a moment for more where nothing but whole games has come.
async fn gather(messages: &mut mpsc::Receiver<Message>, waiting: &mut Vec<Message>) {
    let is_patient = |message: &Message| match message {
        Message::Write(request) => {
            request.changes.iter().all(|change| matches!(change, Change::Game(_) | Change::Block(_)))
        }
        Message::Close(_) => false,
    };
    let end = Instant::now() + GATHERED;
    while waiting.len() < GAMES && waiting.iter().all(is_patient) {
        let room = BATCH - waiting.len();
        match timeout_at(end, messages.recv_many(waiting, room)).await {
            Ok(more) if more > 0 => {}
            _ => return,
        }
    }
}

async fn transact(connection: &mut SqliteConnection, changes: &[&Change]) -> Result<(), Failed> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    let outcome = apply_all(&mut transaction, changes).await;
    match outcome {
        Ok(()) => Ok(transaction.commit().await?),
        Err(Failed::Refused(error)) => {
            transaction.rollback().await?;
            Err(Failed::Refused(error))
        }
        Err(error) => Err(error),
    }
}
