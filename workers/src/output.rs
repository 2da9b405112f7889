//! The directory a report is written to: everything in it is complete, or is as it was before.
//!
//! Files are written into a hidden directory beside their places and renamed at the end, the report itself last: where it is, the
//! rest is. Files of the user are never touched, except that a report replaces an older one of the same name.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::exit::{Exit, Failure};

/// The machine-readable report; its presence says that the rest is there too.
pub const REPORT_JSON: &str = "report.json";
/// The report for reading in a terminal or an editor.
pub const REPORT_MD: &str = "report.md";
/// The report for reading in a browser.
pub const REPORT_HTML: &str = "report.html";
/// Directory of the canonical texts.
pub const ARCHIVE: &str = "archive";

/// A directory being written to. Dropped before [`Output::publish`], it leaves nothing behind.
#[derive(Debug)]
pub struct Output {
    dir: PathBuf,
    /// Removed with everything in it when dropped.
    staging: Option<TempDir>,
    /// Directories that were not there before, outermost first; removed again unless something is published.
    created: Vec<PathBuf>,
}

impl Output {
    /// Makes sure, before any work is done, that `dir` can be written to.
    ///
    /// # Errors
    /// [`Exit::Failed`] where it cannot, or where something else has the name of a result.
    pub fn open(dir: &Path) -> Result<Self, Failure> {
        let cannot = |e: &io::Error| failed(dir, &format!("write to {}: {e}", dir.display()));
        if dir.exists() && !dir.is_dir() {
            return Err(failed(dir, &format!("{} is a file, not a directory", dir.display())));
        }
        let created: Vec<PathBuf> =
            dir.ancestors().take_while(|d| !d.as_os_str().is_empty() && !d.exists()).map(Path::to_owned).collect();
        let mut output = Self { dir: dir.to_owned(), staging: None, created: created.into_iter().rev().collect() };
        fs::create_dir_all(dir).map_err(|e| cannot(&e))?;
        for name in [REPORT_JSON, REPORT_MD, REPORT_HTML] {
            if dir.join(name).is_dir() {
                return Err(failed(dir, &format!("{} is a directory", dir.join(name).display())));
            }
        }
        if dir.join(ARCHIVE).exists() && !dir.join(ARCHIVE).is_dir() {
            return Err(failed(dir, &format!("{} is not a directory", dir.join(ARCHIVE).display())));
        }
        // The archive may hold private texts before it reaches its place: the staging directory is 0700.
        output.staging = Some(tempfile::Builder::new().prefix(".precis-").tempdir_in(dir).map_err(|e| cannot(&e))?);
        private_dir(&output.archive_dir()).map_err(|e| cannot(&e))?;
        Ok(output)
    }

    /// Where the archive is written to before it is published; exists, private.
    #[must_use]
    pub fn archive_dir(&self) -> PathBuf {
        self.staged().join(ARCHIVE)
    }

    /// Writes a file of the report, to appear as `name` when published.
    ///
    /// # Errors
    /// [`Exit::Failed`], for one because the disk is full.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let write = || -> io::Result<()> {
            let mut file = File::create(self.staged().join(name))?;
            file.write_all(bytes)?;
            // A disk that fills up late says so here, not after the rename.
            file.sync_all()
        };
        write().map_err(|e| self.failed(&format!("write {name}: {e}")))
    }

    /// Moves everything into place, `report.json` last.
    ///
    /// # Errors
    /// [`Exit::Failed`]; what was there as `report.json` is untouched then.
    pub fn publish(mut self) -> Result<(), Failure> {
        let place = |e: io::Error| self.failed(&format!("move the report into {}: {e}", self.dir.display()));
        publish_archive(&self.archive_dir(), &self.dir.join(ARCHIVE)).map_err(place)?;
        for name in [REPORT_MD, REPORT_HTML, REPORT_JSON] {
            let staged = self.staged().join(name);
            if staged.exists() {
                fs::rename(staged, self.dir.join(name)).map_err(place)?;
            }
        }
        self.created.clear();
        Ok(())
    }

    fn staged(&self) -> &Path {
        self.staging.as_ref().map_or(&self.dir, TempDir::path)
    }

    fn failed(&self, message: &str) -> Failure {
        failed(&self.dir, message)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.staging.take();
        for dir in self.created.iter().rev() {
            // Not empty means that somebody else writes there; then it stays.
            let _ = fs::remove_dir(dir);
        }
    }
}

fn failed(dir: &Path, message: &str) -> Failure {
    let remedy = format!("choose another directory with --out, or make room and permission in {}", dir.display());
    Failure::new(Exit::Failed, "output_failed", format!("{message}; nothing was written")).with_remedy(remedy)
}

/// Moves the files of the directory `from` to `to`, folder by folder, all of them private. Nothing is made where there are none.
fn publish_archive(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        private_dir(to)?;
        if entry.file_type()?.is_dir() {
            publish_archive(&entry.path(), &target)?;
        } else {
            set_private(&entry.path())?;
            fs::rename(entry.path(), target)?;
        }
    }
    Ok(())
}

fn private_dir(dir: &Path) -> io::Result<()> {
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
        let output = Output::open(&dir).expect("writable");
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
        let output = Output::open(&root.path().join("a/b")).expect("writable");
        output.write(REPORT_MD, b"half").expect("written");
        drop(output);
        assert!(names(root.path()).is_empty());
    }

    #[test]
    fn an_older_report_is_replaced_and_files_of_the_user_stay() {
        let root = tempfile::tempdir().expect("a directory");
        for (name, text) in [("report.json", "old"), ("notes.txt", "mine")] {
            fs::write(root.path().join(name), text).expect("written");
        }
        let output = Output::open(root.path()).expect("writable");
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
        let output = Output::open(root.path()).expect("writable");
        fs::write(output.archive_dir().join("h.txt"), "text").expect("written");
        output.publish().expect("published");
        let mode = |name: &str| fs::metadata(root.path().join(name)).expect("there").permissions().mode() & 0o777;
        assert_eq!((mode("archive"), mode("archive/h.txt")), (0o700, 0o600));
    }

    #[test]
    fn a_place_that_is_taken_is_told_before_any_work() {
        let root = tempfile::tempdir().expect("a directory");
        let file = root.path().join("file");
        fs::write(&file, "").expect("written");
        assert!(Output::open(&file).expect_err("a file").message.contains("is a file, not a directory"));
        assert!(Output::open(&file.join("below")).is_err());
        fs::create_dir(root.path().join(REPORT_JSON)).expect("created");
        assert!(Output::open(root.path()).expect_err("taken").message.contains("report.json is a directory"));
    }
}
