//! Writing: whatever waits goes into one transaction.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep, timeout_at};

use super::apply::{ApplyError, apply_all};
use super::backend::{Backend, TransactionId, Writing, within};
use super::change::Change;
use super::error::StoreError;
use super::hold::HoldRequest;
use super::link::Statement;

/// How many writes one transaction takes.
const BATCH: usize = 512;

/// So many whole games are enough for a transaction of their own, and for so long they are gathered: nobody waits for one
/// game of thousands.
const GAMES: usize = 1024;
const GATHERED: Duration = Duration::from_millis(60);

/// How long a server that went away is waited for, and how often it is looked for.
const RECONNECT_FOR: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(100);

/// Callback how a write went.
pub(super) type Done = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// What the writer is told.
pub(super) enum WriterMessage {
    Write(WriteRequest),
    /// Nothing more comes for a while: what waits is not to be gathered any longer.
    Hurry,
    /// Nothing more is written; the sender is told when the file is let go.
    Close(oneshot::Sender<()>),
}

/// Changes that happen together.
pub(super) struct WriteRequest {
    pub(super) changes: Vec<Change>,
    pub(super) done: Done,
    /// Whether nobody waits for it.
    pub(super) is_deferrable: bool,
}

/// The one who writes.
pub(super) struct Writer {
    backend: Arc<dyn Backend>,
    /// None after a failure, until the next write connects again: half a transaction is never carried on.
    link: Option<Box<dyn Writing>>,
    /// Names that are ours as long as the connection lives. A new connection has to get all of them before it writes, so
    /// that whoever lost a name to another process writes nothing more.
    held: Vec<String>,
}

impl Writer {
    pub(super) async fn connect(backend: Arc<dyn Backend>) -> Result<Writer, StoreError> {
        let link = Some(backend.connect().await?);
        Ok(Writer { backend, link, held: Vec::new() })
    }

    /// Writes until nobody can send any more, or somebody closes the store.
    pub(super) async fn run(
        mut self,
        mut messages: mpsc::Receiver<WriterMessage>,
        mut names: mpsc::UnboundedReceiver<HoldRequest>,
    ) {
        let mut waiting = Vec::with_capacity(BATCH);
        let mut closed = None;
        while closed.is_none() {
            let come = tokio::select! {
                biased;
                Some(asked) = names.recv() => {
                    self.answer(asked).await;
                    continue;
                }
                come = messages.recv_many(&mut waiting, BATCH) => come,
            };
            if come == 0 {
                break;
            }
            gather(&mut messages, &mut waiting).await;
            let mut batch = Vec::with_capacity(waiting.len());
            for message in waiting.drain(..) {
                match message {
                    // Whoever comes too late is told so when its request is dropped.
                    WriterMessage::Write(request) if closed.is_none() => batch.push(request),
                    WriterMessage::Write(_) | WriterMessage::Hurry => {}
                    WriterMessage::Close(tell) => closed = Some(tell),
                }
            }
            self.write(&mut batch).await;
        }
        if let Some(link) = self.link {
            link.end(false).await;
        }
        if let Some(tell) = closed {
            let _ = tell.send(());
        }
    }

    /// Takes a name or gives one back.
    async fn answer(&mut self, asked: HoldRequest) {
        match asked {
            HoldRequest::Take(name, tell) => {
                let outcome = self.take(name.clone()).await;
                // Whoever asked may have left.
                if tell.send(outcome.clone()).is_err() && outcome.is_ok() {
                    self.give_back(name).await;
                }
            }
            HoldRequest::GiveBack(name) => self.give_back(name).await,
        }
    }

    async fn take(&mut self, name: String) -> Result<(), StoreError> {
        if self.held.contains(&name) {
            return Err(StoreError::Held(name));
        }
        let mut link = self.link().await?;
        let mut taken = link.take(name.clone()).await;
        if taken.as_ref().is_err_and(|error| self.backend.problem(error).may_pass()) {
            link.end(true).await;
            link = self.link_again().await?;
            taken = link.take(name.clone()).await;
        }
        let taken = match taken {
            Ok(taken) => taken,
            Err(error) => {
                link.end(true).await;
                return Err(self.backend.problem(&error));
            }
        };
        self.link = Some(link);
        if !taken {
            return Err(StoreError::Held(name));
        }
        self.held.push(name);
        Ok(())
    }

    async fn give_back(&mut self, name: String) {
        self.held.retain(|held| *held != name);
        // A connection that is gone has no names.
        if let Some(mut link) = self.link.take() {
            match link.give_back(name).await {
                Ok(()) => self.link = Some(link),
                Err(_) => link.end(true).await,
            }
        }
    }

    /// The connection, or a new one that has all our names.
    async fn link(&mut self) -> Result<Box<dyn Writing>, StoreError> {
        if let Some(link) = self.link.take() {
            return Ok(link);
        }
        let mut link = within(&*self.backend, self.backend.limit(), self.backend.connect()).await??;
        for name in &self.held {
            match link.take(name.clone()).await {
                Ok(true) => {}
                Ok(false) => return Err(StoreError::Held(name.clone())),
                Err(error) => return Err(self.backend.problem(&error)),
            }
        }
        Ok(link)
    }

    /// The same for a server that went away and may be back in a moment.
    async fn link_again(&mut self) -> Result<Box<dyn Writing>, StoreError> {
        let end = Instant::now() + RECONNECT_FOR;
        loop {
            match self.link().await {
                Err(error) if error.may_pass() && Instant::now() < end => sleep(PAUSE).await,
                outcome => return outcome,
            }
        }
    }

    async fn write(&mut self, batch: &mut Vec<WriteRequest>) {
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
        let link = self.link().await;
        let (error, receipt) = match link {
            Ok(link) => match self.attempt(link, changes).await {
                Err(Lost { error, receipt }) if error.may_pass() => (error, receipt),
                Err(Lost { error, .. }) => return Err(error),
                Ok(outcome) => return outcome,
            },
            Err(error) if error.may_pass() => (error, None),
            Err(error) => return Err(error),
        };
        // Once more, when it is back. Was it lost while it committed, then it may have been written all the same.
        tracing::warn!(%error, "writing again");
        let mut link = self.link_again().await?;
        if let Some(receipt) = receipt {
            match link.is_committed(receipt).await {
                Ok(true) => {
                    self.link = Some(link);
                    return Ok(());
                }
                Ok(false) => {}
                Err(error) => return Err(self.backend.problem(&error)),
            }
        }
        self.attempt(link, changes).await.unwrap_or_else(|lost| Err(lost.error))
    }

    /// Writes in one transaction. A refusal is an outcome like success; the connection is kept then.
    async fn attempt(
        &mut self,
        mut link: Box<dyn Writing>,
        changes: &[&Change],
    ) -> Result<Result<(), StoreError>, Lost> {
        let mut receipt = None;
        let transacted =
            within(&*self.backend, self.backend.limit(), transact(&mut *link, changes, &mut receipt)).await;
        let outcome = match transacted {
            Err(error) => {
                link.end(true).await;
                return Err(Lost { error, receipt });
            }
            Ok(Err(ApplyError::Database(error))) => {
                let error = self.backend.problem(&error);
                // What cannot be kept is the change's own fault, if the database can still take it back.
                if !error.is_refusal() || link.run(Statement::new("ROLLBACK")).await.is_err() {
                    link.end(true).await;
                    return Err(Lost { error, receipt });
                }
                Err(error)
            }
            Ok(Err(ApplyError::Refused(error))) => Err(error),
            Ok(Ok(())) => Ok(()),
        };
        self.link = Some(link);
        Ok(outcome)
    }
}

/// A transaction whose connection is of no use any more.
struct Lost {
    error: StoreError,
    /// There if it was about to be committed: then nobody knows whether it was.
    receipt: Option<TransactionId>,
}

/// Waits a moment for more where nobody waits for what has come.
async fn gather(messages: &mut mpsc::Receiver<WriterMessage>, waiting: &mut Vec<WriterMessage>) {
    let is_deferrable = |message: &WriterMessage| match message {
        WriterMessage::Write(request) => request.is_deferrable,
        WriterMessage::Hurry | WriterMessage::Close(_) => false,
    };
    let games = |change: &Change| if let Change::Games(together) = change { together.games.len() } else { 0 };
    let come = |message: &WriterMessage| match message {
        WriterMessage::Write(request) => request.changes.iter().map(games).sum(),
        WriterMessage::Hurry | WriterMessage::Close(_) => 0,
    };
    let end = Instant::now() + GATHERED;
    while waiting.iter().map(come).sum::<usize>() < GAMES && waiting.iter().all(is_deferrable) {
        let room = BATCH - waiting.len();
        match timeout_at(end, messages.recv_many(waiting, room)).await {
            Ok(more) if more > 0 => {}
            _ => return,
        }
    }
}

async fn transact(
    link: &mut dyn Writing,
    changes: &[&Change],
    committing: &mut Option<TransactionId>,
) -> Result<(), ApplyError> {
    let receipt = link.begin().await?;
    match apply_all(link, changes).await {
        Ok(()) => {
            *committing = receipt;
            link.run(Statement::new("COMMIT")).await?;
            Ok(())
        }
        Err(ApplyError::Refused(error)) => {
            link.run(Statement::new("ROLLBACK")).await?;
            Err(ApplyError::Refused(error))
        }
        Err(error) => Err(error),
    }
}
