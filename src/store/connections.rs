//! An open store: one connection writes, a few others read. All of them live on a thread of the store's own with its own
//! small runtime: callers wait for answers, never for timers of the database.

use std::sync::Arc;
use std::thread;

use tokio::runtime::Handle;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::backend::{Backend, within};
use super::change::Change;
use super::error::StoreError;
use super::hold::{Hold, HoldRequest};
use super::link::Link;
use super::location::Location;
use super::packed::Packs;
use super::writer::{Done, WriteRequest, Writer, WriterMessage};

/// How many writes may wait.
const QUEUE: usize = 1024;

/// How many reads go on at once.
pub(super) const READERS: u32 = 4;

/// How many times longer than a transaction a read may take.
const PATIENT_READERS: u32 = 10;

/// An open store.
#[derive(Clone, Debug)]
pub(super) struct Connections {
    backend: Arc<dyn Backend>,
    /// None in a store that is only read.
    queue: Option<mpsc::Sender<WriterMessage>>,
    /// Names to be taken, on the connection that writes.
    names: mpsc::UnboundedSender<HoldRequest>,
    runtime: Handle,
    pub(super) packs: Packs,
    /// Dropped with the last clone: then the thread ends, after it has written what waits.
    _alive: mpsc::Sender<()>,
}

impl Connections {
    /// Opens a store to write.
    pub(super) async fn open<B: Backend + 'static>(
        find: impl AsyncFnOnce() -> Result<B, StoreError> + Send + 'static,
    ) -> Result<Connections, StoreError> {
        on_a_thread(async move |alive| {
            let backend: Arc<dyn Backend> = Arc::new(find().await?);
            let writer = Writer::connect(backend.clone()).await?;
            let (queue, requests) = mpsc::channel(QUEUE);
            let (names, asked) = mpsc::unbounded_channel();
            let writing = tokio::spawn(writer.run(requests, asked));
            let connections = Connections {
                backend,
                queue: Some(queue),
                names,
                runtime: Handle::current(),
                packs: Packs::default(),
                _alive: alive,
            };
            Ok((connections, Some(writing)))
        })
        .await
    }

    /// Opens a store to read, once it was looked at.
    pub(super) async fn open_to_read<B: Backend + 'static>(
        look: impl AsyncFnOnce() -> Result<B, StoreError> + Send + 'static,
    ) -> Result<Connections, StoreError> {
        on_a_thread(async move |alive| {
            let backend = Arc::new(look().await?);
            let (names, _) = mpsc::unbounded_channel();
            let (runtime, packs) = (Handle::current(), Packs::default());
            Ok((Connections { backend, queue: None, names, runtime, packs, _alive: alive }, None))
        })
        .await
    }

    pub(super) async fn send(&self, changes: Vec<Change>, done: Done) -> Result<(), StoreError> {
        let sent = self.queue()?.send(WriterMessage::Write(WriteRequest { changes, done, is_deferrable: false })).await;
        sent.map_err(|_| StoreError::Closed)
    }

    pub(super) fn send_blocking(&self, changes: Vec<Change>, done: Done) -> Result<(), StoreError> {
        let sent =
            self.queue()?.blocking_send(WriterMessage::Write(WriteRequest { changes, done, is_deferrable: true }));
        sent.map_err(|_| StoreError::Closed)
    }

    pub(super) fn hurry(&self) {
        if let Some(queue) = &self.queue {
            // A queue that is full is no reason to wait: it is being written.
            let _ = queue.try_send(WriterMessage::Hurry);
        }
    }

    pub(super) fn send_later(&self, changes: Vec<Change>, done: Done) -> Result<(), StoreError> {
        let queue = self.queue()?;
        match queue.try_send(WriterMessage::Write(WriteRequest { changes, done, is_deferrable: false })) {
            Ok(()) => Ok(()),
            Err(TrySendError::Closed(_)) => Err(StoreError::Closed),
            Err(TrySendError::Full(message)) => {
                let queue = queue.clone();
                self.runtime.spawn(async move { queue.send(message).await });
                Ok(())
            }
        }
    }

    pub(super) async fn hold(&self, name: &str) -> Result<Hold, StoreError> {
        match self.backend.location() {
            Location::File(path) => Hold::beside(path, name),
            Location::Postgres(_) => {
                self.queue()?;
                Hold::ask(&self.names, name).await
            }
        }
    }

    /// Whether it is only read, and older than this version.
    pub(super) fn is_before(&self, version: i64) -> bool {
        self.backend.version() < version
    }

    pub(super) fn damaged(&self, why: &str) -> StoreError {
        StoreError::Damaged { at: self.backend.location().clone(), why: why.to_owned() }
    }

    /// Where the store is.
    pub(super) fn location(&self) -> Location {
        self.backend.location().clone()
    }

    pub(super) fn is_file(&self) -> bool {
        matches!(self.backend.location(), Location::File(_))
    }

    /// How many writes wait.
    pub(super) fn waiting(&self) -> usize {
        self.queue.as_ref().map_or(0, |queue| queue.max_capacity() - queue.capacity())
    }

    fn queue(&self) -> Result<&mpsc::Sender<WriterMessage>, StoreError> {
        self.queue.as_ref().ok_or_else(|| StoreError::ReadOnly { at: self.backend.location().clone() })
    }

    pub(super) async fn close(self) {
        let backend = self.backend.clone();
        let _ = self.runtime.spawn(async move { backend.readers().end().await }).await;
        // The one who writes goes last, and tidies up after all.
        if let Some(queue) = &self.queue {
            let (done, told) = oneshot::channel();
            if queue.send(WriterMessage::Close(done)).await.is_ok() {
                let _: Result<(), _> = told.await;
            }
        }
    }

    /// Reads on the store's own thread.
    pub(super) async fn read<T, F, R>(&self, read: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(Box<dyn Link>) -> R + Send + 'static,
        R: Future<Output = Result<T, sqlx::Error>> + Send + 'static,
    {
        let backend = self.backend.clone();
        let reading = self.runtime.spawn(async move {
            let reading = async {
                match backend.readers().one().await {
                    Ok(link) => read(link).await,
                    Err(error) => Err(error),
                }
            };
            // Much can be asked for at once.
            let outcome = within(&*backend, backend.limit().map(|limit| PATIENT_READERS * limit), reading).await?;
            outcome.map_err(|error| backend.problem(&error))
        });
        reading.await.unwrap_or(Err(StoreError::Closed))
    }
}

/// Opens a store on a thread of its own. The thread ends when the last handle is gone and everything is written.
async fn on_a_thread<F>(open: F) -> Result<Connections, StoreError>
where
    F: AsyncFnOnce(mpsc::Sender<()>) -> Result<(Connections, Option<JoinHandle<()>>), StoreError> + Send + 'static,
{
    let (tell, told) = oneshot::channel();
    let spawned = thread::Builder::new().name("standoff-store".to_owned()).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async move {
            let (alive, mut gone) = mpsc::channel(1);
            match open(alive).await {
                Err(error) => drop(tell.send(Err(error))),
                Ok((connections, writing)) => {
                    drop(tell.send(Ok(connections)));
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
