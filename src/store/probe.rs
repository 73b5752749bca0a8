//! Whether there is room on a disk.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use super::error::StoreError;
use super::location::Location;

/// So much must fit beside a store for it to be written for a while.
const ROOM: usize = 256 * 1024;

/// What it means that nothing could be written beside a store.
pub(super) fn problem(error: &io::Error, at: Location) -> StoreError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full { at },
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => StoreError::ReadOnly { at },
        _ => StoreError::Unusable { at, why: error.to_string() },
    }
}

/// Whether something fits beside a file: it is written, brought to the disk, and taken away again.
pub(super) fn room_beside(path: &Path) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".probe-{}", std::process::id()));
    let write = || {
        let mut file = File::create(&name)?;
        file.write_all(&vec![0x5a; ROOM])?;
        file.sync_data()
    };
    let written = write();
    // What could not be made need not be there.
    let _ = fs::remove_file(&name);
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_full_disk_is_full() {
        let at = Location::from("s.db");
        let of = |kind: io::ErrorKind| problem(&io::Error::from(kind), at.clone());
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded] {
            assert!(matches!(of(kind), StoreError::Full { .. }), "{kind}");
        }
        for kind in [io::ErrorKind::ReadOnlyFilesystem, io::ErrorKind::PermissionDenied] {
            assert!(matches!(of(kind), StoreError::ReadOnly { .. }), "{kind}");
        }
        let folder = tempfile::tempdir().expect("a folder");
        let gone = folder.path().join("gone/s.db");
        let error = room_beside(&gone).expect_err("there is no such folder");
        assert!(matches!(problem(&error, Location::File(gone)), StoreError::Unusable { .. }), "{error}");
    }
}
