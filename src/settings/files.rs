//! Where the files come from that people write.

use std::path::Path;

/// Reads files: those of the disk, or what a test has in their place.
pub trait Files {
    /// The text of a file.
    ///
    /// # Errors
    /// If it cannot be read, with the reason.
    fn read(&self, path: &str) -> Result<String, String>;

    /// The files below a folder by their paths from there, with `/` between the parts.
    ///
    /// # Errors
    /// If it cannot be listed, with the reason.
    fn below(&self, folder: &str) -> Result<Vec<String>, String>;
}

/// The files of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &str) -> Result<String, String> {
        std::fs::read_to_string(path).map_err(|error| error.to_string())
    }

    fn below(&self, folder: &str) -> Result<Vec<String>, String> {
        let mut found = Vec::new();
        list(Path::new(folder), "", &mut found).map_err(|error| error.to_string())?;
        found.sort();
        Ok(found)
    }
}

fn list(folder: &Path, prefix: &str, found: &mut Vec<String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            list(&path, &format!("{prefix}{name}/"), found)?;
        } else {
            found.push(format!("{prefix}{name}"));
        }
    }
    Ok(())
}
