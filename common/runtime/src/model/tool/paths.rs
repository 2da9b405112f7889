//! The fence around a tool: what it may read and write of the user's files, whatever a document talks it into (Landlock, Linux).
//!
//! A tool reads a prompt with text of strangers and may have abilities of its own. It may read the system and what of the home
//! directory is no secret; it may write to its place, to temporary files, and to the hidden folders of the home directory, where
//! tools keep their state. Documents, programs and sources of the user it cannot change; keys it cannot read.

use std::path::{Path, PathBuf};

/// What of a home directory no tool reads or writes: keys, tokens, passwords, histories, and what starts by itself.
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
/// What a shell runs when it starts: readable, and nobody's to change.
const STARTS: &[&str] =
    &[".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".zshrc", ".zshenv", ".zprofile"];
/// Below the hidden folders that are open, what is not.
const INNER_SECRETS: &[(&str, &[&str])] =
    &[(".config", &["gcloud", "gh", "hub", "op", "precis", "autostart", "systemd", "google-chrome", "chromium"])];

/// Where a tool may go.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ToolPaths {
    /// To read and to run.
    pub(super) read: Vec<PathBuf>,
    /// To read, to run and to write.
    pub(super) write: Vec<PathBuf>,
}

impl ToolPaths {
    /// The fence of a tool that works in `place`; `home` is the user's.
    pub(super) fn for_directory(place: &Path, home: Option<&Path>, temporary: &Path) -> Self {
        let mut fence = Self::default();
        fence.write.extend([place, temporary, Path::new("/dev"), Path::new("/proc")].map(Path::to_owned));
        match home.and_then(|home| home.canonicalize().ok()).filter(|home| home.parent().is_some()) {
            Some(home) => fence.leave_out(&home),
            None => fence.read.push(PathBuf::from("/")),
        }
        fence
    }

    /// Opens everything on the way to `home` that does not lead there, then what of it is no secret.
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

    /// Puts it up around this process and all it starts; whether it stands.
    #[cfg(target_os = "linux")]
    pub(super) fn close(&self) -> bool {
        use landlock::path_beneath_rules;
        use landlock::{ABI, Access, AccessFs, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus};
        // Later ones know more kinds of access, which tools may need of devices and of each other.
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

/// Whether this system has fences. Asks without putting one up.
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
    fn secrets_of_the_home_are_left_out_and_only_hidden_folders_are_written_to() {
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
