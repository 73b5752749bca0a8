//! What `quiz` and `bank run` have in common: questions put through the store, within budgets, that can be taken up again.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use super::bill;
use super::error::Failure;
use super::invite::ModelArgs;
use super::messages;
use super::seat::PlayerSpec;
use super::signals::Signals;
use super::storage::{self, StoreArgs};
use crate::config::Environment;
use crate::players::model::{Cassette, Journal, NoJournal, RunBudget};
use crate::store::{Change, FoundInfo, Hold, KeyHash, Store, StoreError};
use crate::tournaments::asking::Asking;
use crate::tournaments::run::{self, RunEnd, StoreJournal};

/// A line is printed no more often than this.
const RETOLD: Duration = Duration::from_secs(5);

/// How long a process that was killed may take to be gone.
const DYING: Duration = Duration::from_millis(300);

/// What is kept of a series of questions.
const TOPIC: &str = "asked";

/// How questions are put.
#[derive(Args, Debug)]
pub(crate) struct AskArgs {
    /// Go on where the same command stopped; what was answered is not asked again
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    pub(crate) models: ModelArgs,
    /// How many are asked at once; the limits of the players' endpoints hold besides
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    concurrency: u16,
}

/// Questions under way.
pub(crate) struct Session {
    id: String,
    pub(crate) budget: Arc<RunBudget>,
    pub(crate) journal: Arc<dyn Journal>,
    signals: Signals,
    concurrency: usize,
    kept: Option<AnswerStore>,
}

/// Where answers are kept, in this process alone.
struct AnswerStore {
    store: Store,
    _hold: Hold,
}

impl AskArgs {
    /// Opens the store, or the cassette, with all that was answered before. `what` says which questions they are, in
    /// every detail that counts.
    ///
    /// # Errors
    /// If it cannot be opened, or was begun before and nobody says that it is to go on.
    pub(crate) async fn open(&self, kind: &str, what: &str, players: &[PlayerSpec]) -> Result<Session, Failure> {
        let id = format!("{kind}-{}", &KeyHash::of(what).to_hex()[..16]);
        let signals = Signals::listen()?;
        let is_model = |player: &PlayerSpec| matches!(player, PlayerSpec::Model(_));
        let (journal, ledger, kept): (Arc<dyn Journal>, _, _) = if let Some(folder) = &self.models.cassette {
            let cassette = cassette(folder, players)
                .map_err(|error| Failure::work(format!("cannot keep answers in {}: {error}", folder.display())))?;
            let ledger = cassette.ledger();
            (Arc::new(cassette), ledger, None)
        } else if players.iter().any(is_model) {
            let kept = self.keep(&id).await?;
            let prefix = format!("{id}.");
            let known = kept.store.open_calls(&prefix).await.map_err(storage::failure)?;
            let ledger = run::ledger(&kept.store, &prefix).await.map_err(storage::failure)?;
            (Arc::new(StoreJournal::new(kept.store.clone(), known).of_run(&id)), ledger, Some(kept))
        } else {
            (Arc::new(NoJournal), crate::players::model::Ledger::default(), None)
        };
        let budget = Arc::new(self.models.budget().after(ledger).stopped_by(signals.stop()));
        // One keyboard takes one question at a time.
        let people = players.contains(&PlayerSpec::Human);
        let concurrency = if people { 1 } else { usize::from(self.concurrency) };
        Ok(Session { id, budget, journal, signals, concurrency, kept })
    }

    async fn keep(&self, id: &str) -> Result<AnswerStore, Failure> {
        let store = self.store.open().await?;
        let hold = store.hold_when_free(id, DYING).await.map_err(|error| match error {
            StoreError::Held(id) => Failure::work(format!("{id} is being asked by another process")),
            other => storage::failure(other),
        })?;
        let found = store.found(id).await.map_err(storage::failure)?;
        if let Some(known) = found.iter().find(|found| found.topic == TOPIC)
            && known.body == state(false)
            && !self.resume
        {
            let said = format!("{id} was begun before, and did not come to its end");
            return Err(Failure::work(said).hint("the same command with --resume goes on where it stopped"));
        }
        let kept = AnswerStore { store, _hold: hold };
        kept.note(id, false).await?;
        Ok(kept)
    }
}

/// A cassette that goes on where it has no answer; one that only plays where a key is missing.
fn cassette(folder: &Path, players: &[PlayerSpec]) -> io::Result<Cassette> {
    let lacks_key = players.iter().any(|player| {
        let PlayerSpec::Model(profile) = player else { return false };
        profile.api_key_env.as_ref().is_some_and(|name| Environment::of_process().key(name).is_err())
    });
    if lacks_key && folder.is_dir() { Cassette::replay(folder) } else { Cassette::record(folder) }
}

/// How far it has come, as the store keeps it.
fn state(finished: bool) -> String {
    json!({ "finished": finished }).to_string()
}

impl AnswerStore {
    async fn note(&self, id: &str, finished: bool) -> Result<(), Failure> {
        let found = FoundInfo { tournament: id.to_owned(), topic: TOPIC.to_owned(), body: state(finished) };
        self.store.write(vec![Change::Found(found)]).await.map_err(storage::failure)
    }
}

impl Session {
    /// The name under which the journal knows a question to a player, by number.
    pub(crate) fn name(&self, player: usize, question: &str) -> String {
        format!("{}.{player}.{question}", self.id)
    }

    /// Has all jobs done, so many at once, and gives what came of them, in order.
    ///
    /// # Errors
    /// If it has to stop before its end. What was answered is kept.
    pub(crate) async fn all<J, T, F>(&mut self, jobs: Vec<J>, work: impl Fn(J) -> F) -> Result<Vec<T>, Failure>
    where
        F: Future<Output = Result<T, String>>,
    {
        let (of, stop, mut last) = (jobs.len(), self.signals.stop(), Instant::now());
        let halt = stop.child_token();
        let budget = Arc::clone(&self.budget);
        let asking =
            Asking { limiter: budget.as_ref(), concurrency: self.concurrency, stop: &stop, halt: &halt, end: None };
        let mut answered = 0;
        let each = |done: &[T]| {
            answered = done.len();
            if last.elapsed() >= RETOLD {
                last = Instant::now();
                let money = budget.spent_usd().map_or_else(|| "cost unknown".to_owned(), |usd| format!("${usd:.4}"));
                messages::tell(&format!("{answered} of {of} answered, {}, {money}", bill::calls(budget.calls())));
            }
        };
        let done = self.signals.heed(asking.all(jobs, work, each)).await;
        let kept = format!("{answered} of {of} are answered and kept");
        let failure = match done {
            Some(Ok(done)) => return Ok(done),
            Some(Err(RunEnd::OutOfBudget { why } | RunEnd::Failing { why })) => Failure::work(format!("{why}; {kept}")),
            Some(Err(RunEnd::Finished | RunEnd::Stopped | RunEnd::OutOfTime)) => {
                Failure::work(format!("stopped; {kept}"))
            }
            None => Failure::work(format!("left at once; {kept}")),
        };
        Err(self.signals.failure(failure.hint(
            "the same command with --resume goes on where it stopped, and nothing that was answered is asked again",
        )))
    }

    /// Notes how it ended and lets go of the store.
    ///
    /// # Errors
    /// With what it came to, or if it cannot be noted.
    pub(crate) async fn close<T>(self, came_to: Result<T, Failure>, models: &ModelArgs) -> Result<T, Failure> {
        let mut noted = Ok(());
        if came_to.is_ok() {
            noted = match &self.kept {
                Some(kept) => kept.note(&self.id, true).await,
                None => models.finish_cassette(),
            };
        }
        // The journal has a clone of the store; what it has sent is written.
        if let Some(kept) = self.kept {
            kept.store.close().await;
        }
        came_to.and_then(|came_to| noted.map(|()| came_to))
    }
}
