//! Whether there is room on a disk.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// So much must fit beside a store for it to be written for a while.
const ROOM: usize = 256 * 1024;

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
