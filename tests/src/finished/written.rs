//! The folders that a command may write a report to, and which of them it did.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// Beginning of the names of the folders that commands choose themselves.
const OWN: &str = "precis-";
/// Setting of an archive elsewhere.
const ARCHIVE: &str = "research_archive_dir=";
/// Commands that only read reports.
const READERS: [&str; 1] = ["verify"];

/// The reports in the folders that a command may write to, as they are before it starts.
#[derive(Debug)]
pub struct Folders {
    /// Where the command runs.
    at: PathBuf,
    /// The folder that its arguments name.
    out: Option<PathBuf>,
    /// The archive that its arguments name.
    archive: Option<PathBuf>,
    before: BTreeMap<PathBuf, Identity>,
}

/// What changes when a file is replaced.
type Identity = (u64, Option<SystemTime>);

impl Folders {
    /// Those of `command`, before it starts; none for a command that only reads reports.
    #[must_use]
    pub fn of(command: &Command) -> Option<Self> {
        let arguments: Vec<&OsStr> = command.get_args().collect();
        if arguments.first().is_some_and(|first| READERS.iter().any(|name| first == name)) {
            return None;
        }
        let at = command.get_current_dir().unwrap_or(Path::new(".")).to_owned();
        let out = named(&arguments).map(|out| at.join(out));
        let shared = arguments.iter().find_map(|word| word.to_str()?.strip_prefix(ARCHIVE));
        let archive = shared.map(|archive| at.join(archive));
        let mut folders = Self { at, out, archive, before: BTreeMap::new() };
        folders.before = folders.reports();
        Some(folders)
    }

    /// The archive that the command's settings name, if they do.
    #[must_use]
    pub fn archive(&self) -> Option<&Path> {
        self.archive.as_deref()
    }

    /// The folders whose report the command has written, once it has ended.
    #[must_use]
    pub fn written(&self) -> Vec<PathBuf> {
        let reports = self.reports().into_iter();
        let new = reports.filter(|(dir, identity)| self.before.get(dir) != Some(identity));
        new.map(|(dir, _)| dir).collect()
    }

    fn reports(&self) -> BTreeMap<PathBuf, Identity> {
        let is_own = |name: &OsStr| name.to_string_lossy().starts_with(OWN);
        let own = fs::read_dir(&self.at).into_iter().flatten().flatten().filter(|entry| is_own(&entry.file_name()));
        let dirs = own.map(|entry| entry.path()).chain(self.out.clone());
        let identified = dirs.filter_map(|dir| {
            let report = fs::metadata(dir.join("report.json")).ok().filter(fs::Metadata::is_file)?;
            Some((dir, (report.len(), report.modified().ok())))
        });
        identified.collect()
    }
}

/// The value of `--out` or `-o`.
fn named(arguments: &[&OsStr]) -> Option<PathBuf> {
    let joined = arguments.iter().find_map(|word| word.to_str()?.strip_prefix("--out="));
    let apart = arguments.windows(2).find(|pair| pair[0] == "--out" || pair[0] == "-o").map(|pair| pair[1]);
    joined.map(PathBuf::from).or_else(|| apart.map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_that_a_command_replaced_is_found_and_others_are_not() {
        let root = tempfile::tempdir().expect("a directory");
        let write = |dir: &str, text: &str| {
            fs::create_dir_all(root.path().join(dir)).expect("created");
            fs::write(root.path().join(dir).join("report.json"), text).expect("written");
        };
        for dir in ["precis-out", "precis-old", "mine", "named"] {
            write(dir, "old");
        }
        for (arguments, found) in [
            (&["run", "why?"][..], &["precis-out"][..]),
            (&["run", "why?", "--out", "named"], &["named", "precis-out"]),
            (&["run", "-o", "named"], &["named", "precis-out"]),
            (&["run", "--out=named"], &["named", "precis-out"]),
        ] {
            let mut command = Command::new("precis");
            let folders = Folders::of(command.args(arguments).current_dir(root.path())).expect("it may write");
            for dir in ["precis-out", "mine", "named"] {
                write(dir, arguments.join(" ").as_str());
            }
            let expected: Vec<PathBuf> = found.iter().map(|dir| root.path().join(dir)).collect();
            assert_eq!(folders.written(), expected, "{arguments:?}");
            for dir in ["precis-out", "mine", "named"] {
                write(dir, "old");
            }
        }
        assert!(Folders::of(Command::new("precis").args(["verify", "--out", "named"])).is_none());
    }
}
