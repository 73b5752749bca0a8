//! A match's requests and answers as files, to play it again with no network at all.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;

use super::journal::{
    CallKey, Entered, Journal, Recorded, answer, enter, line, on_a_thread, warn_unentered, warn_unkept,
};
use super::ledger::{Ledger, LedgerEntry};

/// A folder with a file for each request. The match's name does not count: a match that goes the same way gets the same
/// answers, whatever it is called.
#[derive(Clone, Debug)]
pub struct Cassette {
    folder: PathBuf,
    /// What was sent before, and where it is entered from now on, while it records.
    recording: Option<(Ledger, Arc<Mutex<File>>)>,
}

/// The ledger beside the answers.
const LEDGER: &str = "ledger.jsonl";

/// What stands in the folder as long as a recording has not come to its end.
const UNFINISHED: &str = "unfinished";

impl Cassette {
    /// Plays what was recorded. What was not recorded cannot be asked.
    ///
    /// # Errors
    /// If there is no such folder.
    pub fn replay(folder: &Path) -> io::Result<Cassette> {
        std::fs::read_dir(folder)?;
        Ok(Cassette { folder: folder.to_owned(), recording: None })
    }

    /// Records what is asked from now on; what is already there is not asked again.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn record(folder: &Path) -> io::Result<Cassette> {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join(UNFINISHED), "")?;
        let mut file = File::options().read(true).append(true).create(true).open(folder.join(LEDGER))?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        // A last line that was cut off says nothing.
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Entered>(line).ok());
        let before = Ledger::of(lines.map(|entered| entered.ledger));
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n")?;
        }
        Ok(Cassette { folder: folder.to_owned(), recording: Some((before, Arc::new(Mutex::new(file)))) })
    }

    /// Whether a recording in this folder has not come to its end.
    pub fn is_unfinished(folder: &Path) -> bool {
        folder.join(UNFINISHED).exists()
    }

    /// Notes that a recording has come to its end.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn finish(folder: &Path) -> io::Result<()> {
        match std::fs::remove_file(folder.join(UNFINISHED)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn file(&self, key: &CallKey) -> PathBuf {
        let CallKey { match_id, seat, turn, ordinal, digest } = key;
        let digest: String = digest.chars().take(16).collect();
        let name = match match_id {
            Some(_) => format!("{turn:04}-{seat}-{ordinal:02}-{digest}.json"),
            None => format!("check-{ordinal:02}-{digest}.json"),
        };
        self.folder.join(name)
    }

    fn write(&self, key: &CallKey, request: &str, recorded: &Recorded) -> io::Result<()> {
        // Whole or not at all.
        let file = self.file(key);
        let unfinished = file.with_extension("part");
        std::fs::write(&unfinished, line(key, request, recorded)?)?;
        std::fs::rename(unfinished, file)
    }
}

impl Journal for Cassette {
    fn recall(&self, key: &CallKey) -> Option<Recorded> {
        answer(&std::fs::read(self.file(key)).ok()?).ok()
    }

    fn keep(&self, key: CallKey, request: String, recorded: Recorded) -> BoxFuture<'_, io::Result<()>> {
        let cassette = self.clone();
        Box::pin(on_a_thread(move || cassette.write(&key, &request, &recorded)))
    }

    fn keep_cut_off(&self, key: &CallKey, request: &str, recorded: Recorded) {
        warn_unkept(self.write(key, request, &recorded));
    }

    fn enter(&self, entry: LedgerEntry) {
        if let Some((_, file)) = &self.recording {
            warn_unentered(enter(file, entry));
        }
    }

    fn ledger(&self) -> Ledger {
        self.recording.as_ref().map(|(before, _)| before.clone()).unwrap_or_default()
    }

    fn is_closed(&self) -> bool {
        self.recording.is_none()
    }
}
