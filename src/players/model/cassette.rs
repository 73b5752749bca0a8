//! A match's requests and answers as files, to play it again with no network at all.

use std::io;
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;

use super::journal::{CallKey, Journal, Recorded, answer, line, on_a_thread, warn_unkept};

/// A folder with a file for each request. The match's name does not count: a match that goes the same way gets the same
/// answers, whatever it is called.
#[derive(Clone, Debug)]
pub struct Cassette {
    folder: PathBuf,
    recording: bool,
}

impl Cassette {
    /// Plays what was recorded. What was not recorded cannot be asked.
    ///
    /// # Errors
    /// If there is no such folder.
    pub fn replay(folder: &Path) -> io::Result<Cassette> {
        std::fs::read_dir(folder)?;
        Ok(Cassette { folder: folder.to_owned(), recording: false })
    }

    /// Records what is asked from now on; what is already there is not asked again.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn record(folder: &Path) -> io::Result<Cassette> {
        std::fs::create_dir_all(folder)?;
        Ok(Cassette { folder: folder.to_owned(), recording: true })
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

    fn is_closed(&self) -> bool {
        !self.recording
    }
}
