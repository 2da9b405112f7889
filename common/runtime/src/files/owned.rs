//! Checks whether a directory can be trusted: the contents of one that others may write to may come from them.

use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::process::{getegid, geteuid};

const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;
/// In a directory with this bit only the owner of an entry may rename or remove it.
const STICKY: u32 = 0o1000;
const PRIVATE: u32 = 0o700;

/// Why a directory is not trusted.
#[derive(Debug, thiserror::Error)]
pub enum Unsafe {
    /// It belongs to another user.
    #[error("{} belongs to user {owner}, not to user {user}", path.display())]
    Foreign {
        /// The directory, or one of its parents.
        path: PathBuf,
        /// User id of its owner.
        owner: u32,
        /// User id of this process.
        user: u32,
    },
    /// Other users may write to it.
    #[error("{} is writable by other users (mode {mode:03o}): run `chmod go-w` on it, or use another directory", path.display())]
    Writable {
        /// The directory, or one of its parents.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// It cannot be created or inspected.
    #[error("{}: {reason}", path.display())]
    Io {
        /// The directory, or one of its parents.
        path: PathBuf,
        /// The system's error message.
        reason: String,
    },
}

/// Creates `dir` for its owner only if it is missing, and checks that only this user and root control its contents: neither it nor any
/// of its parents may belong to another user or be writable by one. A sticky directory such as `/tmp` is allowed as a parent. Existing
/// directories keep their permissions.
///
/// # Errors
/// [`Unsafe`], with the remedy if there is one.
pub fn private_dir(dir: &Path) -> Result<(), Unsafe> {
    let failed = |e: io::Error| Unsafe::Io { path: dir.to_owned(), reason: e.to_string() };
    DirBuilder::new().recursive(true).mode(PRIVATE).create(dir).map_err(failed)?;
    // Resolved first: the path may lead through a link, and the directories to check are those it leads to.
    let real = dir.canonicalize().map_err(failed)?;
    owner_only(&real)?;
    for parent in real.ancestors().skip(1) {
        let metadata = inspect(parent)?;
        check(parent, &metadata, metadata.mode() & STICKY != 0, metadata.gid() == getegid().as_raw())?;
    }
    Ok(())
}

/// Checks that `path` itself belongs to this user and is writable by nobody else. Links are not followed.
///
/// # Errors
/// [`Unsafe`].
pub fn owner_only(path: &Path) -> Result<(), Unsafe> {
    let metadata = inspect(path)?;
    let user = geteuid().as_raw();
    if metadata.uid() != user {
        return Err(Unsafe::Foreign { path: path.to_owned(), owner: metadata.uid(), user });
    }
    check(path, &metadata, false, false)
}

fn inspect(path: &Path) -> Result<Metadata, Unsafe> {
    fs::symlink_metadata(path).map_err(|e| Unsafe::Io { path: path.to_owned(), reason: e.to_string() })
}

fn check(path: &Path, metadata: &Metadata, is_sticky: bool, is_our_group: bool) -> Result<(), Unsafe> {
    let user = geteuid().as_raw();
    if metadata.uid() != user && metadata.uid() != 0 {
        return Err(Unsafe::Foreign { path: path.to_owned(), owner: metadata.uid(), user });
    }
    let others = if is_our_group { OTHERS_WRITE } else { OTHERS_WRITE | GROUP_WRITES };
    if metadata.mode() & others != 0 && !is_sticky {
        return Err(Unsafe::Writable { path: path.to_owned(), mode: metadata.mode() & 0o777 });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn with_mode(dir: &Path, mode: u32) {
        fs::set_permissions(dir, Permissions::from_mode(mode)).expect("ours");
    }

    #[test]
    fn a_directory_is_believed_where_only_its_owner_writes() {
        let root = tempfile::tempdir().expect("a directory");
        for (mode, fine) in
            [(0o700, true), (0o755, true), (0o770, false), (0o757, false), (0o777, false), (0o1777, false)]
        {
            let dir = root.path().join(format!("{mode:o}"));
            fs::create_dir(&dir).expect("made");
            with_mode(&dir, mode);
            assert_eq!(private_dir(&dir).is_ok(), fine, "{mode:o}: {:?}", private_dir(&dir));
            assert_eq!(fs::metadata(&dir).expect("there").permissions().mode() & 0o7777, mode, "it is left as it was");
        }
    }

    #[test]
    fn a_directory_below_a_shared_writable_one_is_distrusted_unless_sticky() {
        let root = tempfile::tempdir().expect("a directory");
        for (mode, fine) in [(0o755, true), (0o757, false), (0o777, false), (0o1777, true)] {
            let parent = root.path().join(format!("{mode:o}"));
            fs::create_dir(&parent).expect("made");
            with_mode(&parent, mode);
            assert_eq!(private_dir(&parent.join("a/b")).is_ok(), fine, "{mode:o}");
        }
    }

    #[test]
    fn what_is_made_is_for_its_owner_alone() {
        let root = tempfile::tempdir().expect("a directory");
        private_dir(&root.path().join("a/b")).expect("made");
        for dir in ["a", "a/b"] {
            let mode = fs::metadata(root.path().join(dir)).expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{dir}");
        }
    }

    #[test]
    fn a_foreign_directory_is_not_believed() {
        if !geteuid().is_root() {
            eprintln!("SKIPPED: only root can give a directory away");
            return;
        }
        let root = tempfile::tempdir().expect("a directory");
        let dir = root.path().join("theirs");
        fs::create_dir(&dir).expect("made");
        std::os::unix::fs::chown(&dir, Some(65_534), None).expect("given away");
        assert!(matches!(private_dir(&dir), Err(Unsafe::Foreign { owner: 65_534, .. })));
        assert!(matches!(private_dir(&dir.join("inner")), Err(Unsafe::Foreign { owner: 65_534, .. })));
    }
}
