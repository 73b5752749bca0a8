//! What was asked of models and what they answered, kept so that no answer is paid for twice.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write as _};
use std::fs::{File, OpenOptions};
use std::future;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use super::ledger::{Ledger, LedgerEntry};
use crate::games::seat::Seat;

/// Which request it was.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CallKey {
    /// The match's own name; a player's check has none.
    pub match_id: Option<String>,
    /// The seat that the request is for.
    pub seat: Seat,
    /// Turns played before.
    pub turn: u32,
    /// Requests before it in the same turn.
    pub ordinal: u32,
    /// The SHA-256 of the request's body, in hexadecimal.
    pub digest: String,
}

impl CallKey {
    /// The key of a request with this body.
    pub fn new(match_id: Option<&str>, seat: Seat, turn: u32, ordinal: u32, body: &str) -> CallKey {
        let mut digest = String::with_capacity(64);
        for byte in Sha256::digest(body.as_bytes()) {
            write!(digest, "{byte:02x}").expect("a text takes anything");
        }
        CallKey { match_id: match_id.map(str::to_owned), seat, turn, ordinal, digest }
    }
}

/// An answer as it was received.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// The HTTP status.
    pub status: u16,
    /// Headers by which the provider finds the request again, and what it says of its limits.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The body, byte for byte, without keys. An answer that was streamed is put together as if it had come in one piece.
    pub body: String,
    /// From request to answer.
    pub millis: u64,
    /// From request to the first token, where the answer was streamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_token_millis: Option<u64>,
    /// Requests that failed before this one, by kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retries: Vec<String>,
    /// How long the request waited in our own queues.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub waited_millis: u64,
    /// How long requests that failed and the waits after them took.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub backend_millis: u64,
    /// Whether there is no answer because the player's clock ran out first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub too_slow: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Whoever keeps requests and answers. Keys never come here.
pub trait Journal: Send + Sync {
    /// The answer to this request, if it is known.
    fn recall(&self, key: &CallKey) -> Option<Recorded>;

    /// Keeps an answer. It is used only after this has succeeded. The error says why it cannot be kept.
    fn keep(&self, key: CallKey, request: String, recorded: Recorded) -> BoxFuture<'_, io::Result<()>>;

    /// Keeps that a player's clock ran out before there was an answer. Nobody can wait for that any more.
    fn keep_cut_off(&self, key: &CallKey, request: &str, recorded: Recorded);

    /// Enters a request in the ledger before it is sent. It is sent only after this has succeeded, so that no stop can make
    /// a budget forget it.
    fn enter_sent(&self, entry: LedgerEntry) -> BoxFuture<'_, io::Result<()>> {
        self.enter(entry);
        Box::pin(future::ready(Ok(())))
    }

    /// Enters a request in the ledger again when it is over. Nobody waits for it.
    fn enter(&self, entry: LedgerEntry);

    /// What was sent before this journal was opened.
    fn ledger(&self) -> Ledger {
        Ledger::default()
    }

    /// Whether nothing may be asked that is not known.
    fn is_closed(&self) -> bool {
        false
    }
}

/// A journal that remembers nothing.
#[derive(Clone, Copy, Debug)]
pub struct NoJournal;

impl Journal for NoJournal {
    fn recall(&self, _: &CallKey) -> Option<Recorded> {
        None
    }

    fn keep(&self, _: CallKey, _: String, _: Recorded) -> BoxFuture<'_, io::Result<()>> {
        Box::pin(future::ready(Ok(())))
    }

    fn keep_cut_off(&self, _: &CallKey, _: &str, _: Recorded) {}

    fn enter(&self, _: LedgerEntry) {}
}

/// A line of the file.
#[derive(Serialize)]
struct JournalLine<'a> {
    #[serde(flatten)]
    key: &'a CallKey,
    request: &'a RawValue,
    #[serde(flatten)]
    recorded: &'a Recorded,
}

#[derive(Deserialize)]
struct Known {
    #[serde(flatten)]
    key: CallKey,
    #[serde(flatten)]
    recorded: Recorded,
}

/// A line of the ledger.
#[derive(Serialize, Deserialize)]
pub(super) struct Entered {
    pub(super) ledger: LedgerEntry,
}

/// A file of JSON lines beside a record. Each line is on the disk before its answer is used.
#[derive(Debug)]
pub struct FileJournal {
    known: HashMap<CallKey, Recorded>,
    before: Ledger,
    file: Arc<Mutex<File>>,
}

impl FileJournal {
    /// Opens a journal with all that it knows, or begins one. A last line that was cut off is dropped.
    ///
    /// # Errors
    /// If the file cannot be read, or is something else.
    pub fn open(path: &Path) -> io::Result<FileJournal> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let (mut known, mut entries) = (HashMap::new(), Vec::new());
        for (number, line) in
            bytes[..whole].split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty())
        {
            if let Ok(Entered { ledger }) = serde_json::from_slice(line) {
                entries.push(ledger);
                continue;
            }
            let Known { key, recorded } = serde_json::from_slice(line).map_err(|error| {
                let place = format!("{}, line {}: not a line of a journal: {error}", path.display(), number + 1);
                io::Error::new(io::ErrorKind::InvalidData, place)
            })?;
            known.insert(key, recorded);
        }
        file.set_len(whole as u64)?;
        file.seek(SeekFrom::End(0))?;
        Ok(FileJournal { known, before: Ledger::of(entries), file: Arc::new(Mutex::new(file)) })
    }
}

impl Journal for FileJournal {
    fn recall(&self, key: &CallKey) -> Option<Recorded> {
        self.known.get(key).cloned()
    }

    fn keep(&self, key: CallKey, request: String, recorded: Recorded) -> BoxFuture<'_, io::Result<()>> {
        let file = Arc::clone(&self.file);
        Box::pin(on_a_thread(move || write(&file, &key, &request, &recorded)))
    }

    fn keep_cut_off(&self, key: &CallKey, request: &str, recorded: Recorded) {
        warn_unkept(write(&self.file, key, request, &recorded));
    }

    fn enter(&self, entry: LedgerEntry) {
        warn_unentered(enter(&self.file, entry));
    }

    fn ledger(&self) -> Ledger {
        self.before.clone()
    }
}

fn write(file: &Mutex<File>, key: &CallKey, request: &str, recorded: &Recorded) -> io::Result<()> {
    let mut line = line(key, request, recorded)?;
    line.push(b'\n');
    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
    file.write_all(&line)?;
    file.sync_data()
}

/// Adds a line to a ledger. The system has it from then on, whatever becomes of this process.
pub(super) fn enter(file: &Mutex<File>, entry: LedgerEntry) -> io::Result<()> {
    let mut line = serde_json::to_vec(&Entered { ledger: entry })?;
    line.push(b'\n');
    file.lock().unwrap_or_else(PoisonError::into_inner).write_all(&line)
}

/// Says so where the ledger does not know of a request.
pub(crate) fn warn_unentered(entered: Result<(), impl fmt::Display>) {
    if let Err(error) = entered {
        tracing::warn!(%error, "the ledger does not know of a request that was sent");
    }
}

/// Writes where waiting for the disk is in nobody's way.
pub(super) async fn on_a_thread(write: impl FnOnce() -> io::Result<()> + Send + 'static) -> io::Result<()> {
    tokio::task::spawn_blocking(write).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}

/// Says so where a journal does not know that a player's clock ran out.
pub(crate) fn warn_unkept(kept: Result<(), impl fmt::Display>) {
    if let Err(error) = kept {
        tracing::warn!(%error, "the journal does not know that a player was too slow");
    }
}

/// A request with its answer, as one line of JSON.
pub(super) fn line(key: &CallKey, request: &str, recorded: &Recorded) -> io::Result<Vec<u8>> {
    let request: &RawValue = serde_json::from_str(request)?;
    Ok(serde_json::to_vec(&JournalLine { key, request, recorded })?)
}

/// The answer in such a line.
pub(super) fn answer(line: &[u8]) -> io::Result<Recorded> {
    let known: Known = serde_json::from_slice(line)?;
    Ok(known.recorded)
}
