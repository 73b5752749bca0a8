//! Names that one process has at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::error::StoreError;

/// A name taken for this process. Dropping it, or ending in any way, gives it back.
#[derive(Debug)]
pub struct Hold {
    /// The operating system's lock on this file ends with the process.
    _file: File,
}

impl Hold {
    /// Takes a name beside a store's file.
    pub(super) fn take(store: &Path, name: &str) -> Result<Hold, StoreError> {
        let path = path(store, name);
        let unusable = |error: std::io::Error| StoreError::Unusable { path: path.clone(), why: error.to_string() };
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path).map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => Ok(Hold { _file: file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Held(name.to_owned())),
            Err(TryLockError::Error(error)) => Err(unusable(error)),
        }
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
