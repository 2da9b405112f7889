//! The file-system fence around a tool, enforced by Landlock on Linux: limits what a prompt injection can make the tool do.
//!
//! A tool reads untrusted text and may have abilities of its own. It may read the system and the parts of the home directory that are
//! not secret; it may write to its working directory, to temporary files, and to the hidden folders of the home directory, where tools
//! keep their state. It cannot change the user's documents, programs or sources, and cannot read keys.

use std::path::{Path, PathBuf};

/// Entries of a home directory that no tool may read or write: keys, tokens, passwords, histories.
const SECRETS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".pypirc",
    ".cargo",
    ".vault-token",
    ".password-store",
    ".mozilla",
    ".thunderbird",
    ".bash_history",
    ".zsh_history",
    ".python_history",
];
/// Files that a shell runs at start: readable, but not writable, since a change would run code later.
const STARTS: &[&str] =
    &[".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".zshrc", ".zshenv", ".zprofile"];
/// Closed entries inside hidden folders that are otherwise open.
const INNER_SECRETS: &[(&str, &[&str])] =
    &[(".config", &["gcloud", "gh", "hub", "op", "precis", "autostart", "systemd", "google-chrome", "chromium"])];

/// The paths a tool may access.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ToolPaths {
    /// May be read and executed.
    pub(super) read: Vec<PathBuf>,
    /// May be read, executed and written.
    pub(super) write: Vec<PathBuf>,
}

impl ToolPaths {
    /// Builds the fence of a tool with the working directory `place` and the user's home directory `home`.
    pub(super) fn for_directory(place: &Path, home: Option<&Path>, temporary: &Path) -> Self {
        let mut fence = Self::default();
        fence.write.extend([place, temporary, Path::new("/dev"), Path::new("/proc")].map(Path::to_owned));
        match home.and_then(|home| home.canonicalize().ok()).filter(|home| home.parent().is_some()) {
            Some(home) => fence.leave_out(&home),
            None => fence.read.push(PathBuf::from("/")),
        }
        fence
    }

    /// Allows everything outside `home`, then the entries of `home` that are not secret. Landlock can only allow, not exclude, so each
    /// directory on the way to `home` is opened entry by entry.
    fn leave_out(&mut self, home: &Path) {
        let way: Vec<&Path> = home.ancestors().collect();
        for pair in way.windows(2) {
            self.read.extend(entries(pair[1]).into_iter().filter(|path| path != pair[0]));
        }
        for path in entries(home) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            match INNER_SECRETS.iter().find(|(folder, _)| *folder == name) {
                _ if SECRETS.contains(&name) => {}
                Some((_, secrets)) => self.write.extend(
                    entries(&path).into_iter().filter(|inner| !secrets.iter().any(|secret| inner.ends_with(secret))),
                ),
                None if name.starts_with('.') && !STARTS.contains(&name) => self.write.push(path),
                None => self.read.push(path),
            }
        }
    }

    /// Applies the fence to this process and all it starts; returns whether it is enforced.
    #[cfg(target_os = "linux")]
    pub(super) fn close(&self) -> bool {
        use landlock::path_beneath_rules;
        use landlock::{ABI, Access, AccessFs, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus};
        // Later versions also restrict kinds of access that tools may need, to devices and to each other.
        let abi = ABI::V3;
        let closed = || -> Result<_, RulesetError> {
            let rules = Ruleset::default().handle_access(AccessFs::from_all(abi))?.create()?;
            let rules = rules.add_rules(path_beneath_rules(&self.read, AccessFs::from_read(abi)))?;
            rules.add_rules(path_beneath_rules(&self.write, AccessFs::from_all(abi)))?.restrict_self()
        };
        closed().is_ok_and(|status| status.ruleset != RulesetStatus::NotEnforced)
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn close(&self) -> bool {
        false
    }
}

/// Whether this system supports fences; applies none.
#[must_use]
pub fn has_fences() -> bool {
    #[cfg(target_os = "linux")]
    {
        use landlock::{ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr};
        let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        rules.handle_access(AccessFs::from_all(ABI::V1)).and_then(Ruleset::create).is_ok()
    }
    #[cfg(not(target_os = "linux"))]
    false
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn home_secrets_are_excluded_and_only_hidden_folders_are_writable() {
        let root = tempfile::tempdir().expect("a directory");
        let real = root.path().canonicalize().expect("resolved");
        let home = real.join("home/ada");
        for dir in [".ssh", ".claude", ".config/precis", ".config/codex", "papers"] {
            std::fs::create_dir_all(home.join(dir)).expect("made");
        }
        for file in [".bashrc", ".netrc", "notes.txt"] {
            std::fs::write(home.join(file), "").expect("written");
        }
        std::fs::create_dir_all(real.join("home/bob")).expect("made");
        let fence = ToolPaths::for_directory(Path::new("/place"), Some(&home), Path::new("/tmp-of-this-test"));
        let within = |paths: &[PathBuf]| {
            let inner = paths.iter().filter_map(|path| path.strip_prefix(&real).ok());
            inner.map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(within(&fence.write), ["home/ada/.claude", "home/ada/.config/codex"]);
        let mut read = within(&fence.read);
        read.sort();
        assert_eq!(read, ["home/ada/.bashrc", "home/ada/notes.txt", "home/ada/papers", "home/bob"]);
        assert!(fence.read.iter().all(|path| !home.starts_with(path)), "{:?}", fence.read);
    }

    #[test]
    fn without_a_home_everything_is_read_and_nothing_of_it_written() {
        let fence = ToolPaths::for_directory(Path::new("/place"), None, Path::new("/tmp"));
        assert_eq!(fence.read, [PathBuf::from("/")]);
        assert!(!fence.write.contains(&PathBuf::from("/")));
    }
}
