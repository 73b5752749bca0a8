//! Names that one process has at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use tokio::sync::{mpsc, oneshot};

use super::error::StoreError;
use super::location::Location;

/// A name taken for this process. Dropping it, or ending in any way, gives it back.
#[derive(Debug)]
pub struct Hold {
    _until: Until,
}

#[derive(Debug)]
enum Until {
    /// The operating system's lock on this file ends with the process.
    Closed(#[expect(dead_code, reason = "only kept open")] File),
    /// The server's lock ends with the connection.
    GivenBack(#[expect(dead_code, reason = "only dropped")] Name),
}

/// A name that the server knows.
#[derive(Debug)]
struct Name {
    name: String,
    names: mpsc::UnboundedSender<HoldRequest>,
}

/// What the one who writes is asked for names.
#[derive(Debug)]
pub(super) enum HoldRequest {
    Take(String, oneshot::Sender<Result<(), StoreError>>),
    GiveBack(String),
}

impl Hold {
    /// Takes a name beside a store's file.
    pub(super) fn beside(store: &Path, name: &str) -> Result<Hold, StoreError> {
        let path = path(store, name);
        let unusable =
            |error: std::io::Error| StoreError::Unusable { at: Location::File(path.clone()), why: error.to_string() };
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path).map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => Ok(Hold { _until: Until::Closed(file) }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Held(name.to_owned())),
            Err(TryLockError::Error(error)) => Err(unusable(error)),
        }
    }

    /// Takes a name on a server. The answer comes from the store's own thread, as soon as the server gives it.
    pub(super) async fn ask(names: &mpsc::UnboundedSender<HoldRequest>, name: &str) -> Result<Hold, StoreError> {
        let (tell, told) = oneshot::channel();
        names.send(HoldRequest::Take(name.to_owned(), tell)).map_err(|_| StoreError::Closed)?;
        told.await.unwrap_or(Err(StoreError::Closed))?;
        Ok(Hold { _until: Until::GivenBack(Name { name: name.to_owned(), names: names.clone() }) })
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        // A store that is closed has given back everything.
        let _ = self.names.send(HoldRequest::GiveBack(std::mem::take(&mut self.name)));
    }
}

/// A name may be anything; the file's is short and plain.
fn path(store: &Path, name: &str) -> PathBuf {
    let digest = Sha256::digest(name.as_bytes());
    let short = digest.iter().take(6).fold(0_u64, |short, byte| short << 8 | u64::from(*byte));
    let mut file = store.file_name().unwrap_or_default().to_owned();
    file.push(format!(".{short:012x}.lock"));
    store.with_file_name(file)
}
