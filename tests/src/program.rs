//! The program as users start it: built before the tests, started in a directory and a home of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::finished::{self, Folders};

/// A place to start the program in. Nothing of the machine's configuration reaches it.
#[derive(Debug)]
pub struct CliWorkspace {
    root: TempDir,
}

/// What came of starting the program.
#[derive(Debug)]
pub struct Ended {
    /// Exit code; -1 where a signal ended it.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl CliWorkspace {
    /// An empty one.
    ///
    /// # Panics
    /// Where no temporary directory can be made.
    #[must_use]
    pub fn new() -> Self {
        let root = TempDir::new().expect("a temporary directory");
        for dir in ["home", "work"] {
            std::fs::create_dir(root.path().join(dir)).expect("a directory");
        }
        Self { root }
    }

    /// A path in the working directory.
    #[must_use]
    pub fn at(&self, name: &str) -> PathBuf {
        self.root.path().join("work").join(name)
    }

    /// Writes a file in the working directory, and the directories it lies in.
    ///
    /// # Panics
    /// Where it cannot be written.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        std::fs::write(path, bytes).expect("a file");
    }

    /// Gives the user whose workspace this is a configuration file of their own.
    ///
    /// # Panics
    /// Where it cannot be written.
    pub fn configure(&self, settings: impl AsRef<[u8]>) {
        self.write("../home/.config/precis/precis.toml", settings);
    }

    /// The program, to be started here.
    #[must_use]
    pub fn command(&self, args: &[&str]) -> Command {
        self.within(path(), args)
    }

    /// Another program, to be started here in the same surroundings.
    #[must_use]
    pub fn within(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.at("")).env_clear();
        command.env("HOME", self.root.path().join("home")).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
    }

    /// Starts the program and waits for its end.
    ///
    /// # Panics
    /// Where it cannot be started.
    #[must_use]
    pub fn run(&self, args: &[&str]) -> Ended {
        ended(self.command(args))
    }

    /// Names in a directory of the working directory, sorted; empty where it does not exist.
    #[must_use]
    pub fn names(&self, dir: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.at(dir)).into_iter().flatten();
        let mut names: Vec<String> = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Default for CliWorkspace {
    fn default() -> Self {
        Self::new()
    }
}

/// Starts `command` and waits for its end. Every report that it wrote must hold: see [`crate::finished`].
///
/// # Panics
/// Where it cannot be started, or a report that it wrote does not hold.
#[must_use]
pub fn ended(mut command: Command) -> Ended {
    let is_ours = Path::new(command.get_program()).file_stem() == Some("precis".as_ref());
    let folders = Folders::of(&command).filter(|_| is_ours);
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let ended = Ended { code: status.code().unwrap_or(-1), stdout: text(stdout), stderr: text(stderr) };
    if let Some(folders) = folders {
        for dir in folders.written() {
            if let Err(said) = finished::check(&dir, folders.archive()) {
                panic!("{command:?} ended with {} and wrote a report that does not hold: {said}", ended.code);
            }
        }
    }
    ended
}

/// Where the program is: beside the test executable's folder, built with its profile and its features by the test build of the
/// workspace, because `workers` has a test that needs it. A build within a test would repeat half the tree with other features.
///
/// # Panics
/// Where it is not there, with the command that builds it.
#[must_use]
pub fn path() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let test = std::env::current_exe().expect("a test has a path");
        let profile_dir = test.ancestors().nth(2).expect("target/PROFILE/deps/TEST");
        let program = profile_dir.join(format!("precis{}", std::env::consts::EXE_SUFFIX));
        let release = if profile_dir.ends_with("release") { " --release" } else { "" };
        assert!(
            program.is_file(),
            "{} is not there: `cargo test --workspace --no-run{release}` builds it",
            program.display()
        );
        program
    })
}
