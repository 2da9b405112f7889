//! The directory a report is written to: either the whole report is there, or the directory is as it was.
//!
//! Files are written into a hidden staging directory inside it and take the place of an older report together: see
//! [`super::publication`]. A directory with other files is refused unless forced, and even then only files with the names of report
//! files are replaced. Of an older report only the files that it names are removed; files that the user put there stay.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use precis_runtime::files::{FileLimits, Links, read_regular};
use tempfile::TempDir;

use super::names::{ARCHIVE, CHANGES_JSON, CHANGES_MD, FILES, MAX_REPORT_BYTES, REPORT_HTML, REPORT_JSON, REPORT_MD};
use super::publication::{self, private_dir};
use crate::cli::exit::{CommandFailure, Exit};

/// Prefix of the names of staging directories.
const STAGING: &str = ".precis-";
/// Age after which a staging directory belongs to a killed run. Chosen: ten times the longest run seen.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// An output directory being written to. If it is dropped before [`Output::publish`], nothing is left behind.
#[derive(Debug)]
pub struct Output {
    dir: PathBuf,
    /// Removed with its contents when dropped.
    staging: Option<TempDir>,
    /// Directories created by this output, outermost first; removed again unless the report is published.
    created: Vec<PathBuf>,
}

impl Output {
    /// Checks, before any work is done, that `dir` can be written to and, unless `force` is set, that it contains only report files.
    ///
    /// # Errors
    /// [`Exit::Failed`] if it cannot be written to, or something other than a file has the name of a report file; [`Exit::Refused`] if
    /// it contains other files.
    pub fn open(dir: &Path, force: bool) -> Result<Self, CommandFailure> {
        let cannot = |e: &io::Error| output_failure(dir, &format!("write to {}: {e}", dir.display()));
        if dir.exists() && !dir.is_dir() {
            return Err(output_failure(dir, &format!("{} is a file, not a directory", dir.display())));
        }
        // First: what follows looks at the report that is there.
        finish(dir)?;
        if let Some(name) = foreign(dir).filter(|_| !force) {
            return Err(not_ours(dir, &name));
        }
        // Listed before they are created: afterwards all of them exist.
        let created: Vec<PathBuf> =
            dir.ancestors().take_while(|d| !d.as_os_str().is_empty() && !d.exists()).map(Path::to_owned).collect();
        let mut output = Self { dir: dir.to_owned(), staging: None, created: created.into_iter().rev().collect() };
        // After `output` exists: if a step below fails, dropping it removes the directories again.
        fs::create_dir_all(dir).map_err(|e| cannot(&e))?;
        for name in FILES {
            if dir.join(name).is_dir() {
                return Err(output_failure(dir, &format!("{} is a directory", dir.join(name).display())));
            }
        }
        if fs::symlink_metadata(dir.join(ARCHIVE)).is_ok_and(|found| !found.is_dir()) {
            return Err(output_failure(dir, &format!("{} is not a directory", dir.join(ARCHIVE).display())));
        }
        clear_abandoned(dir);
        // The archive may contain private texts before it is published, so it is staged in a directory with mode 0700.
        output.staging = Some(tempfile::Builder::new().prefix(STAGING).tempdir_in(dir).map_err(|e| cannot(&e))?);
        private_dir(&output.archive_dir()).map_err(|e| cannot(&e))?;
        Ok(output)
    }

    /// Returns the existing, private directory the archive is staged in until it is published.
    #[must_use]
    pub fn archive_dir(&self) -> PathBuf {
        self.staging_dir().join(ARCHIVE)
    }

    /// Writes a file of the report, which appears as `name` when published.
    ///
    /// # Errors
    /// [`Exit::Failed`] if writing fails, for example on a full disk.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), CommandFailure> {
        let write = || -> io::Result<()> {
            let mut file = File::create(self.staging_dir().join(name))?;
            file.write_all(bytes)?;
            // Write errors that the system delays surface here, not after the rename.
            file.sync_all()
        };
        write().map_err(|e| self.output_failure(&format!("write {name}: {e}")))
    }

    /// Puts the report in the place of the one that is there.
    ///
    /// # Errors
    /// [`Exit::Failed`]; the earlier report is then untouched, or the next command finishes what was begun.
    pub fn publish(mut self) -> Result<(), CommandFailure> {
        let Some(staging) = self.staging.take() else { return Ok(()) };
        publication::publish(staging.path(), &self.dir, &mut || Ok(()))
            .map_err(|e| self.not_moved(staging.path(), &e))?;
        self.created.clear();
        Ok(())
    }

    fn not_moved(&self, staged: &Path, error: &io::Error) -> CommandFailure {
        match staged.exists() {
            true => self.output_failure(&format!("move the report into {}: {error}", self.dir.display())),
            false => unfinished_failure(&self.dir, error),
        }
    }

    fn staging_dir(&self) -> &Path {
        self.staging.as_ref().map_or(&self.dir, TempDir::path)
    }

    fn output_failure(&self, message: &str) -> CommandFailure {
        output_failure(&self.dir, message)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // First: the staging directory is inside the others, and only empty directories are removed.
        self.staging.take();
        for dir in self.created.iter().rev() {
            // A directory that is not empty contains files of another process; removing it fails, and it stays.
            let _ = fs::remove_dir(dir);
        }
    }
}

/// Returns the first name in `dir` that does not belong to a report, ignoring hidden files. Without a `report.json` written by this
/// program, a `report.md` or `archive` may be the user's own and counts as foreign.
fn foreign(dir: &Path) -> Option<String> {
    let entries = fs::read_dir(dir).ok()?.flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    let ours: &[&str] = if is_report(&dir.join(REPORT_JSON)) { &OURS } else { &[] };
    names.into_iter().find(|name| !ours.contains(&name.as_str()))
}

/// All names a report uses in its directory.
const OURS: [&str; 6] = [REPORT_JSON, REPORT_MD, REPORT_HTML, CHANGES_JSON, CHANGES_MD, ARCHIVE];

/// Returns whether `path` is a report of this program, any version: JSON with the members of the envelope.
fn is_report(path: &Path) -> bool {
    // The folder is untrusted: the name may belong to a pipe or to a device without an end.
    let Ok(bytes) = read_regular(path, Links::OnTheWay, FileLimits::bytes(MAX_REPORT_BYTES)) else { return false };
    let read: Result<serde_json::Value, _> = serde_json::from_slice(&bytes);
    read.is_ok_and(|value| ["success", "data", "meta"].iter().all(|key| value.get(key).is_some()))
}

fn not_ours(dir: &Path, name: &str) -> CommandFailure {
    let message = format!("{} contains `{name}`, which is not part of a report; nothing was written", dir.display());
    let failure = CommandFailure::new(Exit::Refused, "output_refused", message);
    failure.with_remedy("choose another directory with --out, or write into this one with --force")
}

/// Returns the first of `dir`, `dir-2`, `dir-3`, … that does not exist yet.
#[must_use]
pub fn unused_dir(dir: &Path) -> PathBuf {
    let numbered = |n: u32| PathBuf::from(format!("{}-{n}", dir.display()));
    let mut others = (2..).map(numbered);
    if dir.exists() { others.find(|other| !other.exists()).unwrap_or_else(|| dir.to_owned()) } else { dir.to_owned() }
}

/// Removes staging directories in `dir` that killed runs left behind.
fn clear_abandoned(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let is_staging = entry.file_name().to_string_lossy().starts_with(STAGING);
        let age = entry.metadata().ok().filter(fs::Metadata::is_dir).and_then(|m| m.modified().ok()?.elapsed().ok());
        if is_staging && age.is_some_and(|age| age > ABANDONED) {
            // A leftover that cannot be removed does no harm.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn output_failure(dir: &Path, message: &str) -> CommandFailure {
    let remedy =
        format!("choose another directory with --out, or check free space and permissions of {}", dir.display());
    CommandFailure::new(Exit::Failed, "output_failed", format!("{message}; nothing was written")).with_remedy(remedy)
}

/// Finishes what a killed program left in `dir`, the directory of a report.
///
/// # Errors
/// [`Exit::Failed`] if that fails.
pub fn finish(dir: &Path) -> Result<(), CommandFailure> {
    // The directory of a file that is named without one.
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    publication::finish(dir).map_err(|error| unfinished_failure(dir, &error))
}

fn unfinished_failure(dir: &Path, error: &io::Error) -> CommandFailure {
    let message = format!(
        "a report was being written to {0} when the program was stopped, and this could not be finished: {error}",
        dir.display()
    );
    let remedy =
        format!("make {0} writable and remove what is in the way, then run `precis verify {0}`", dir.display());
    CommandFailure::new(Exit::Failed, "output_unfinished", message).with_remedy(remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).expect("listed");
        let mut names: Vec<String> =
            entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_is_seen_before_everything_is_there() {
        let root = tempfile::tempdir().expect("a directory");
        let dir = root.path().join("out");
        let output = Output::open(&dir, false).expect("writable");
        output.write(REPORT_JSON, b"{}").expect("written");
        assert!(names(&dir).iter().all(|name| name.starts_with(".precis-")));
        fs::create_dir(output.archive_dir().join("s")).expect("created");
        fs::write(output.archive_dir().join("s/h.txt"), "text").expect("written");
        output.publish().expect("published");
        assert_eq!(names(&dir), ["archive", "report.json"]);
        assert_eq!(names(&dir.join("archive/s")), ["h.txt"]);
    }

    #[test]
    fn an_output_that_is_given_up_leaves_nothing_behind() {
        let root = tempfile::tempdir().expect("a directory");
        let output = Output::open(&root.path().join("a/b"), false).expect("writable");
        output.write(REPORT_MD, b"half").expect("written");
        drop(output);
        assert!(names(root.path()).is_empty());
    }

    #[test]
    fn a_directory_with_files_that_are_not_ours_is_refused_unless_forced() {
        let report = r#"{"success": true, "data": {}, "meta": {}}"#;
        for (files, refused_for) in [
            (&[][..], None),
            (&[(".DS_Store", "x")], None),
            (&[("report.json", report), ("report.md", "r"), ("report.html", "r")], None),
            (&[("notes.txt", "mine")], Some("notes.txt")),
            (&[("report.json", report), ("notes.txt", "mine")], Some("notes.txt")),
            (&[("report.md", "mine")], Some("report.md")),
            (&[("report.json", "{}"), ("report.md", "mine")], Some("report.json")),
        ] {
            let root = tempfile::tempdir().expect("a directory");
            for (name, text) in files {
                fs::write(root.path().join(name), text).expect("written");
            }
            let refused = Output::open(root.path(), false).map(drop).err();
            match refused_for {
                None => assert_eq!(refused, None, "{files:?}"),
                Some(name) => {
                    let refused = refused.expect("refused");
                    assert_eq!(refused.exit, Exit::Refused);
                    assert!(refused.message.contains(name) && refused.remedy.expect("a way").contains("--force"));
                }
            }
            assert!(Output::open(root.path(), true).is_ok());
        }
    }

    #[test]
    fn a_second_answer_is_placed_next_to_the_first() {
        let root = tempfile::tempdir().expect("a directory");
        let dir = root.path().join("answer");
        for expected in ["answer", "answer-2", "answer-3"] {
            let free = unused_dir(&dir);
            assert_eq!(free, root.path().join(expected));
            fs::create_dir(free).expect("created");
        }
    }

    #[test]
    fn an_older_report_is_replaced_and_files_of_the_user_stay() {
        let root = tempfile::tempdir().expect("a directory");
        for (name, text) in [("report.json", "old"), ("notes.txt", "mine")] {
            fs::write(root.path().join(name), text).expect("written");
        }
        let output = Output::open(root.path(), true).expect("writable");
        output.write(REPORT_JSON, b"new").expect("written");
        output.publish().expect("published");
        assert_eq!(names(root.path()), ["notes.txt", "report.json"]);
        assert_eq!(fs::read(root.path().join("report.json")).expect("read"), b"new");
        assert_eq!(fs::read(root.path().join("notes.txt")).expect("read"), b"mine");
    }

    #[cfg(unix)]
    #[test]
    fn archived_texts_are_private() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().expect("a directory");
        let output = Output::open(root.path(), true).expect("writable");
        fs::write(output.archive_dir().join("h.txt"), "text").expect("written");
        output.publish().expect("published");
        let mode = |name: &str| fs::metadata(root.path().join(name)).expect("there").permissions().mode() & 0o777;
        assert_eq!((mode("archive"), mode("archive/h.txt")), (0o700, 0o600));
    }

    #[test]
    fn an_occupied_place_is_reported_before_any_work() {
        let root = tempfile::tempdir().expect("a directory");
        let file = root.path().join("file");
        fs::write(&file, "").expect("written");
        assert!(Output::open(&file, false).expect_err("a file").message.contains("is a file, not a directory"));
        assert!(Output::open(&file.join("below"), false).is_err());
        fs::create_dir(root.path().join(REPORT_JSON)).expect("created");
        assert!(Output::open(root.path(), true).expect_err("taken").message.contains("report.json is a directory"));
    }

    #[test]
    fn what_a_killed_run_left_is_cleared_away_a_day_later() {
        let root = tempfile::tempdir().expect("a directory");
        for (name, days) in [(".precis-old", 2), (".precis-new", 0), ("old", 2)] {
            fs::create_dir(root.path().join(name)).expect("made");
            let written = std::time::SystemTime::now() - ABANDONED * days;
            File::open(root.path().join(name)).and_then(|dir| dir.set_modified(written)).expect("ours");
        }
        // `old` is no part of a report.
        let output = Output::open(root.path(), true).expect("writable");
        let is_there = |name: &str| root.path().join(name).exists();
        assert_eq!((is_there(".precis-old"), is_there(".precis-new"), is_there("old")), (false, true, true));
        drop(output);
    }
}
