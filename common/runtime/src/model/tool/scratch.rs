//! The working directory of one run of a tool: empty, private, and removed afterwards.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Prefix of every directory's name.
const NAME: &str = "precis-tool-";

/// A directory that is removed with its content on drop.
#[derive(Debug)]
pub(super) struct ScratchDirectory(PathBuf);

impl ScratchDirectory {
    /// Creates a directory in the system's temporary directory, accessible only to its owner.
    ///
    /// # Errors
    /// If it cannot be created.
    pub(super) fn new() -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("{NAME}{:016x}", rand::random::<u64>()));
        // Fails if the name is taken, so that nobody else can prepare the directory.
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    /// Removes the scratch directory at `path`, whose owner has died; does nothing if the name is not that of a scratch directory.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub(super) fn remove_abandoned(path: PathBuf) -> io::Result<()> {
        let is_place = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(NAME));
        if is_place { fs::remove_dir_all(path) } else { Ok(()) }
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ScratchDirectory {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::debug!(%error, "working directory of a tool not removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_place_is_private_and_gone_with_all_that_is_in_it() {
        let place = ScratchDirectory::new().expect("is made");
        let path = place.path().to_owned();
        assert_eq!(fs::metadata(&path).expect("is there").permissions().mode() & 0o777, 0o700);
        fs::create_dir(path.join("deep")).and_then(|()| fs::write(path.join("deep/file"), "x")).expect("is written");
        drop(place);
        assert!(!path.exists());
    }
}
