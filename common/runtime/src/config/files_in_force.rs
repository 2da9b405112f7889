//! Which configuration files count: the user's own, one that is named, and that of the working directory where it is trusted.

use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::config_value::ConfigValue;
use super::error::Problem;
use super::folder;
use super::keys::KnownKeys;
use super::layers;
use super::sources::{FILE_NAME, Sources, user_dir};
use super::trust::{self, FileTrust, Trust};

/// Environment variable that names the file where no flag does.
const FILE_VARIABLE: &str = "PRECIS_CONFIG";

/// What a file is to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileRole {
    /// `precis/precis.toml` in the user's configuration directory: may give every key.
    Own,
    /// Named by `--config` or `PRECIS_CONFIG`: may give every key.
    Named,
    /// The `precis.toml` of the working directory: may give the keys that a folder may.
    Folder,
}

/// A file that counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfigFile {
    /// As it was named, or as it was found.
    pub path: PathBuf,
    /// What it is to the user.
    pub role: FileRole,
}

impl fmt::Display for ConfigFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let role = match self.role {
            FileRole::Own => "your own",
            FileRole::Named => "named",
            FileRole::Folder => "of this folder",
        };
        write!(f, "{} ({role})", self.path.display())
    }
}

/// Why a file of the working directory does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IgnoreReason {
    /// The user never trusted this folder.
    NotTrusted,
    /// The user trusted it, and the file has changed since.
    Changed,
    /// There is no home directory in which trust could be remembered.
    NoHome,
}

/// A file of the working directory that does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IgnoredFile {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub reason: IgnoreReason,
}

impl fmt::Display for IgnoredFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.reason {
            IgnoreReason::NotTrusted => write!(
                f,
                "./{path} was ignored: a folder's settings count once you trust it (`precis trust .`), or name the file \
                 (`--config {path}`)"
            ),
            IgnoreReason::Changed => write!(
                f,
                "./{path} was ignored: it has changed since you trusted this folder; look at it, then `precis trust .` again"
            ),
            IgnoreReason::NoHome => write!(
                f,
                "./{path} was ignored: there is no home directory to remember trust in; name the file (`--config {path}`)"
            ),
        }
    }
}

/// A file that counts, as it was read.
pub(super) struct LoadedFile {
    pub(super) file: ConfigFile,
    text: String,
}

/// The files that were found.
pub(super) struct FoundFiles {
    /// Later ones win.
    pub(super) read: Vec<LoadedFile>,
    pub(super) ignored: Option<IgnoredFile>,
    /// Where a key belongs that a folder may not give.
    own: String,
}

impl FoundFiles {
    /// What `file` gives; what its role does not allow is a problem each.
    pub(super) fn given(
        &self,
        file: &LoadedFile,
        keys: &KnownKeys,
    ) -> Result<Vec<Result<ConfigValue, Problem>>, Problem> {
        let given = layers::file(&file.file.path, &file.text, keys)?;
        let judge = |given| match file.file.role {
            FileRole::Own | FileRole::Named => Ok(given),
            FileRole::Folder => folder::allowed(given, &self.own),
        };
        Ok(given.into_iter().map(judge).collect())
    }
}

/// Finds and reads the files that count.
///
/// A file that is named stands instead of the user's own; the one of the working directory stands above it, and is judged as a
/// folder's even where it is named: whoever names it has not said that it may run programs.
pub(super) fn find(sources: &Sources) -> Result<FoundFiles, Problem> {
    let environment = &sources.environment;
    let variable = environment.get(FILE_VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
    let named = sources.file.clone().or(variable);
    let own = user_dir(environment, "XDG_CONFIG_HOME", ".config").map(|dir| dir.join("precis").join(FILE_NAME));
    let own_words = own.as_ref().map_or_else(
        || "a file outside this folder that `--config` names".to_owned(),
        |path| format!("your own file {}", path.display()),
    );
    let mut found = FoundFiles { read: Vec::new(), ignored: None, own: own_words };

    // In the user's configuration directory the file that lies there is the user's own.
    let is_own_here = own.as_ref().is_some_and(|path| is_of_working_directory(path));
    let is_folders = |path: &Path| is_of_working_directory(path) && !is_own_here;
    if let Some(path) = named.as_ref().filter(|path| !is_folders(path)) {
        found.read.push(read(path, FileRole::Named)?);
        return Ok(found);
    }
    if let Some(path) = own.filter(|path| path.exists()) {
        found.read.push(read(&path, FileRole::Own)?);
    }
    match named {
        Some(path) => found.read.push(read(&path, FileRole::Folder)?),
        None if is_own_here => {}
        None => found_here(sources, &mut found)?,
    }
    Ok(found)
}

/// The file of the working directory, where nobody named one: read where it is trusted, mentioned where it is not.
fn found_here(sources: &Sources, found: &mut FoundFiles) -> Result<(), Problem> {
    let path = PathBuf::from(FILE_NAME);
    let bytes = match trust::read(&path) {
        Ok(bytes) => bytes,
        // What is no readable file has no say either way.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(()),
        Err(_) => {
            found.ignored = Some(IgnoredFile { path, reason: IgnoreReason::NotTrusted });
            return Ok(());
        }
    };
    let unreadable = |e: std::io::Error| Problem::Unreadable { path: path.clone(), reason: e.to_string() };
    let reason = match Trust::open(&sources.environment).map_err(unreadable)? {
        None => IgnoreReason::NoHome,
        Some(trust) => match trust.standing(&path, &bytes) {
            FileTrust::Trusted => {
                // The bytes that were judged are the ones that count: the file may change meanwhile.
                let file = ConfigFile { path: path.clone(), role: FileRole::Folder };
                found.read.push(LoadedFile { file, text: text(&path, bytes)? });
                return Ok(());
            }
            FileTrust::Changed => IgnoreReason::Changed,
            FileTrust::Unknown => IgnoreReason::NotTrusted,
        },
    };
    found.ignored = Some(IgnoredFile { path, reason });
    Ok(())
}

/// Whether `path` is the `precis.toml` of the working directory, however it is written: a relative name in a profile would otherwise
/// name the file of every folder one goes to.
fn is_of_working_directory(path: &Path) -> bool {
    match (path.canonicalize(), Path::new(FILE_NAME).canonicalize()) {
        (Ok(path), Ok(here)) => path == here,
        _ => false,
    }
}

fn read(path: &Path, role: FileRole) -> Result<LoadedFile, Problem> {
    let unreadable = |e: std::io::Error| Problem::Unreadable { path: path.to_owned(), reason: e.to_string() };
    let bytes = trust::read(path).map_err(unreadable)?;
    Ok(LoadedFile { file: ConfigFile { path: path.to_owned(), role }, text: text(path, bytes)? })
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<String, Problem> {
    let reason = "it is not UTF-8 text".to_owned();
    String::from_utf8(bytes).map_err(|_| Problem::Unreadable { path: path.to_owned(), reason })
}
