//! Puts a staged report in the place of an earlier one, so that whenever the program is killed, the directory has the earlier report
//! whole or the new one whole.
//!
//! A report is several names in one directory, and a file system replaces one name at a time. So the order is:
//!
//! 1. The new report is complete in a hidden staging directory, with a list of the files that only the earlier report named.
//! 2. The staging directory is renamed to [`PENDING`]. This is the moment at which the new report takes the place of the earlier one.
//! 3. Its files are moved to their places, the archive first and `report.json` last; then the listed files are removed, then `PENDING`.
//!
//! Killed before step 2, the earlier report is untouched. Killed after it, whoever comes next finishes step 3 with [`finish`]: every
//! command that writes into the directory or reads a report from it, `precis verify` included. A program that knows only `report.json`
//! and the archive never sees a mixture: `report.json` is replaced in one step, when both reports' texts are in the archive.
//!
//! The directory may come from somebody else, and with it a pending report. So nothing in it is followed out of the directory: links
//! are refused, and only names that a report can have are removed.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind};
use std::path::{Component, Path};

use precis_runtime::files::{FileLimits, Links, read_regular};

use super::named_files;
use super::names::{ARCHIVE, FILES, MAX_REPORT_BYTES};

/// The directory of a report that takes the place of an earlier one but is not in its place yet.
pub(super) const PENDING: &str = ".precis-publish";
/// The list of files to remove in a staged report: a JSON array of names.
const REMOVED: &str = "removed.json";

/// Called before each change to the directory, so that a test can stop there as a kill would.
pub(super) type BeforeChange<'a> = &'a mut dyn FnMut() -> io::Result<()>;

/// Puts the complete report in `staged`, a directory in `dir`, in the place of the one in `dir`.
///
/// # Errors
/// A change failed. If `staged` still exists, the earlier report is untouched; otherwise [`finish`] goes on from there.
pub(super) fn publish(staged: &Path, dir: &Path, before: BeforeChange<'_>) -> io::Result<()> {
    let _alone = alone(dir)?;
    finish_alone(dir, before)?;
    check_places(&staged.join(ARCHIVE), &dir.join(ARCHIVE))?;
    let old = named_files::of_report_in(dir);
    let removed: BTreeSet<&String> = old.iter().filter(|name| !staged.join(name).exists()).collect();
    before()?;
    fs::write(staged.join(REMOVED), serde_json::to_vec(&removed)?)?;
    before()?;
    fs::rename(staged, dir.join(PENDING))?;
    finish_alone(dir, before)
}

/// Finishes the publication that a killed program left in `dir`, if there is one.
///
/// # Errors
/// A file cannot be moved or removed, or the pending report is none of this program's.
pub(super) fn finish(dir: &Path) -> io::Result<()> {
    match is_dir(&dir.join(PENDING))? {
        false => Ok(()),
        true => {
            let _alone = alone(dir)?;
            finish_alone(dir, &mut || Ok(()))
        }
    }
}

/// Waits until no other process publishes in `dir`, and keeps others waiting until the file is dropped. Where directories cannot be
/// locked, nobody waits: two processes that publish into one directory at the same moment are then on their own.
fn alone(dir: &Path) -> io::Result<File> {
    let handle = File::open(dir)?;
    let _ = handle.lock();
    Ok(handle)
}

fn finish_alone(dir: &Path, before: BeforeChange<'_>) -> io::Result<()> {
    let pending = dir.join(PENDING);
    // Looked at again: another process may have finished it in the meantime.
    if !is_dir(&pending)? {
        return Ok(());
    }
    let removed = read_removals(&pending)?;
    if is_dir(&pending.join(ARCHIVE))? {
        place_folder(&pending.join(ARCHIVE), &dir.join(ARCHIVE), before)?;
    }
    for name in FILES {
        if pending.join(name).try_exists()? {
            before()?;
            fs::rename(pending.join(name), dir.join(name))?;
        }
    }
    for name in removed {
        remove(dir, &name, before)?;
    }
    before()?;
    fs::remove_dir_all(pending)
}

/// Checks that no file of `from` would be moved to a directory, and no folder to anything else: found before the publication begins,
/// it costs nothing.
fn check_places(from: &Path, to: &Path) -> io::Result<()> {
    if !is_dir(from)? || !is_dir(to)? {
        return Ok(());
    }
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            check_places(&entry.path(), &target)?;
        } else if fs::symlink_metadata(&target).is_ok_and(|found| found.is_dir()) {
            return Err(io::Error::other(format!("{} is a directory", target.display())));
        }
    }
    Ok(())
}

/// Moves the files of the directory `from` to `to`, folder by folder, and makes them private. An empty directory is not created.
fn place_folder(from: &Path, to: &Path, before: BeforeChange<'_>) -> io::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(from)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let target = to.join(entry.file_name());
        if !is_dir(to)? {
            before()?;
            private_dir(to)?;
        }
        if entry.file_type()?.is_dir() {
            place_folder(&entry.path(), &target, before)?;
        } else {
            before()?;
            // Before the rename: the target may be an older directory that others can read.
            set_private(&entry.path())?;
            fs::rename(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Removes the file `name` of `dir`, and the folders above it that are empty then.
fn remove(dir: &Path, name: &str, before: BeforeChange<'_>) -> io::Result<()> {
    let mut folders = vec![dir.to_owned()];
    let parts: Vec<&str> = name.split('/').collect();
    for part in &parts[..parts.len() - 1] {
        let folder = folders[folders.len() - 1].join(part);
        if !is_dir(&folder)? {
            return Ok(());
        }
        folders.push(folder);
    }
    before()?;
    match fs::remove_file(dir.join(name)) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    for folder in folders.iter().skip(1).rev() {
        before()?;
        // Fails, as intended, if the folder is not empty.
        let _ = fs::remove_dir(folder);
    }
    Ok(())
}

/// Reads the list of files to remove; empty once it was removed itself.
fn read_removals(pending: &Path) -> io::Result<Vec<String>> {
    let bytes = match fs::symlink_metadata(pending.join(REMOVED)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
        Ok(_) => read_regular(&pending.join(REMOVED), Links::Refused, FileLimits::bytes(MAX_REPORT_BYTES))
            .map_err(io::Error::other)?,
    };
    let names: Vec<String> = serde_json::from_slice(&bytes)?;
    match names.iter().find(|name| !is_of_report(name)) {
        Some(name) => Err(io::Error::other(format!("`{name}` is not a file of a report"))),
        None => Ok(names),
    }
}

/// Whether a report can have a file called `name`: one of its pages, or a text or sidecar two folders down.
fn is_of_report(name: &str) -> bool {
    let parts: Option<Vec<&str>> = Path::new(name)
        .components()
        .map(|part| if let Component::Normal(part) = part { part.to_str() } else { None })
        .collect();
    match parts.as_deref() {
        Some([file]) => *file == name && FILES.contains(file),
        Some([archive, _, file]) => {
            let hex = file.strip_suffix(".txt").or_else(|| file.strip_suffix(".json"));
            *archive == ARCHIVE && hex.is_some_and(|hex| hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
        }
        _ => false,
    }
}

/// Whether `path` is a directory; an error if it is anything else but missing, a link for example.
fn is_dir(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Ok(true),
        Ok(_) => Err(io::Error::other(format!("{} is not a directory", path.display()))),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Creates `dir` for its owner only, if it is missing.
pub(super) fn private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

#[cfg(unix)]
fn set_private(file: &Path) -> io::Result<()> {
    fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o600))
}

#[cfg(not(unix))]
fn set_private(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
