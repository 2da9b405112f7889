//! Whether a directory can be believed: what lies in one that others may write to was perhaps put there by them.

use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::process::{getegid, geteuid};

const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;
/// In a directory with this bit only the owner of an entry may move it away.
const STICKY: u32 = 0o1000;
const PRIVATE: u32 = 0o700;

/// Why a directory is not used.
#[derive(Debug, thiserror::Error)]
pub enum Unsafe {
    /// It belongs to somebody else.
    #[error("{} belongs to user {owner}, not to user {user}", path.display())]
    Foreign {
        /// It, or a directory on the way to it.
        path: PathBuf,
        /// Its owner's number.
        owner: u32,
        /// The number of who runs this.
        user: u32,
    },
    /// Others may write to it.
    #[error("{} can be written by other users (mode {mode:03o}); `chmod go-w` it, or use another", path.display())]
    Writable {
        /// It, or a directory on the way to it.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// It cannot be made or asked.
    #[error("{}: {reason}", path.display())]
    Io {
        /// It, or a directory on the way to it.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
}

/// Makes `dir` for its owner alone where it is missing, and makes sure that nobody but this user and root decides what lies in it:
/// neither it nor a directory on the way to it may belong to another user or be writable by one. A sticky directory such as `/tmp`
/// may lie on the way. What is there already keeps its permissions.
///
/// # Errors
/// [`Unsafe`], with what to do about it where that is known.
pub fn private_dir(dir: &Path) -> Result<(), Unsafe> {
    let failed = |e: io::Error| Unsafe::Io { path: dir.to_owned(), reason: e.to_string() };
    DirBuilder::new().recursive(true).mode(PRIVATE).create(dir).map_err(failed)?;
    let real = dir.canonicalize().map_err(failed)?;
    owner_only(&real)?;
    for way in real.ancestors().skip(1) {
        let metadata = ask(way)?;
        judge(way, &metadata, metadata.mode() & STICKY != 0, metadata.gid() == getegid().as_raw())?;
    }
    Ok(())
}

/// Whether `path` itself belongs to this user and can be written by nobody else. Links are not followed.
///
/// # Errors
/// [`Unsafe`].
pub fn owner_only(path: &Path) -> Result<(), Unsafe> {
    let metadata = ask(path)?;
    let user = geteuid().as_raw();
    if metadata.uid() != user {
        return Err(Unsafe::Foreign { path: path.to_owned(), owner: metadata.uid(), user });
    }
    judge(path, &metadata, false, false)
}

fn ask(path: &Path) -> Result<Metadata, Unsafe> {
    fs::symlink_metadata(path).map_err(|e| Unsafe::Io { path: path.to_owned(), reason: e.to_string() })
}

fn judge(path: &Path, metadata: &Metadata, is_sticky: bool, is_our_group: bool) -> Result<(), Unsafe> {
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
    fn a_directory_below_one_that_others_write_to_is_not_believed_unless_that_one_is_sticky() {
        let root = tempfile::tempdir().expect("a directory");
        for (mode, fine) in [(0o755, true), (0o757, false), (0o777, false), (0o1777, true)] {
            let way = root.path().join(format!("{mode:o}"));
            fs::create_dir(&way).expect("made");
            with_mode(&way, mode);
            assert_eq!(private_dir(&way.join("a/b")).is_ok(), fine, "{mode:o}");
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
