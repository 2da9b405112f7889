//! Selects the configuration files that are used: the user's own, a named one, and the working directory's if it is trusted.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::config_value::ConfigValue;
use super::error::Problem;
use super::folder;
use super::keys::KnownKeys;
use super::layers;
use super::sources::{FILE_NAME, Sources, user_dir};
use super::trust::{self, FileTrust, Trust};

/// Environment variable that names the file if no flag does.
const FILE_VARIABLE: &str = "PRECIS_CONFIG";

/// How a configuration file was selected, which decides the keys it may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileRole {
    /// `precis/precis.toml` in the user's configuration directory: may set every key.
    Own,
    /// Named by `--config` or `PRECIS_CONFIG`: may set every key.
    Named,
    /// The `precis.toml` of the working directory: may set only the keys allowed to a folder.
    Folder,
}

/// A configuration file in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfigFile {
    /// As it was named, or as it was found.
    pub path: PathBuf,
    /// How it was selected.
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

/// Why the working directory's file is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IgnoreReason {
    /// The user never trusted this folder.
    NotTrusted,
    /// The user trusted this folder, and the file has changed since.
    Changed,
    /// There is no home directory to store the list of trusted folders in.
    NoHome,
    /// It is there, but cannot be read: no permission, too large, or not a regular file.
    Unreadable,
}

/// The working directory's file, if it is ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IgnoredFile {
    /// The file.
    pub path: PathBuf,
    /// Why it is ignored.
    pub reason: IgnoreReason,
    /// The error of reading it, if it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl fmt::Display for IgnoredFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.reason {
            IgnoreReason::NotTrusted => write!(
                f,
                "./{path} was ignored: this folder is not trusted; check the file, then run `precis trust .`, or name it with \
                 `--config {path}`"
            ),
            IgnoreReason::Changed => write!(
                f,
                "./{path} was ignored: it has changed since you trusted this folder; check it, then run `precis trust .` again"
            ),
            IgnoreReason::NoHome => write!(
                f,
                "./{path} was ignored: without a home directory no folder can be trusted; name the file with `--config {path}`"
            ),
            IgnoreReason::Unreadable => {
                write!(
                    f,
                    "./{path} was ignored: it cannot be read: {}",
                    self.detail.as_deref().unwrap_or("unknown error")
                )
            }
        }
    }
}

/// A configuration file in force, with the text that was read.
pub(super) struct LoadedFile {
    pub(super) file: ConfigFile,
    text: String,
}

/// The files that were found.
pub(super) struct FoundFiles {
    /// Later ones win.
    pub(super) read: Vec<LoadedFile>,
    pub(super) ignored: Option<IgnoredFile>,
    /// Names, for errors, the file that may set the keys a folder may not.
    own: String,
}

impl FoundFiles {
    /// Returns the values set in `file`; each key its role does not allow is a problem.
    pub(super) fn read_values(
        &self,
        file: &LoadedFile,
        keys: &KnownKeys,
    ) -> Result<Vec<Result<ConfigValue, Problem>>, Problem> {
        let given = layers::file(&file.file.path, &file.text, keys)?;
        let judge = |given| match file.file.role {
            FileRole::Own | FileRole::Named => Ok(given),
            FileRole::Folder => folder::check_allowed(given, &self.own),
        };
        Ok(given.into_iter().map(judge).collect())
    }
}

/// Finds and reads the configuration files in force.
///
/// A named file replaces the user's own. The working directory's file overrides the user's own and stays limited to the keys of a
/// folder even if it is named: naming it does not permit it to run programs.
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

    // If the working directory is the user's configuration directory, its file is the user's own.
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

/// Handles the working directory's file if no file was named: reads it if it is trusted, else records why it is ignored.
fn found_here(sources: &Sources, found: &mut FoundFiles) -> Result<(), Problem> {
    let path = PathBuf::from(FILE_NAME);
    let bytes = match trust::read(&path) {
        Ok(bytes) => bytes,
        Err(error) => {
            found.ignored = unread(path, &error);
            return Ok(());
        }
    };
    let unreadable = |e: io::Error| Problem::Unreadable { path: path.clone(), reason: e.to_string() };
    let reason = match Trust::open(&sources.environment).map_err(unreadable)? {
        None => IgnoreReason::NoHome,
        Some(trust) => match trust.standing(&path, &bytes) {
            FileTrust::Trusted => {
                // Use the bytes whose hash was checked: the file may change between the check and a second read.
                let file = ConfigFile { path: path.clone(), role: FileRole::Folder };
                found.read.push(LoadedFile { file, text: text(&path, bytes)? });
                return Ok(());
            }
            FileTrust::Changed => IgnoreReason::Changed,
            FileTrust::Unknown => IgnoreReason::NotTrusted,
        },
    };
    found.ignored = Some(IgnoredFile { path, reason, detail: None });
    Ok(())
}

/// What is reported of a file that could not be read; `None` without a file, because then there is nothing to report.
fn unread(path: PathBuf, error: &io::Error) -> Option<IgnoredFile> {
    let is_there = !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    is_there.then(|| IgnoredFile { path, reason: IgnoreReason::Unreadable, detail: Some(error.to_string()) })
}

/// Whether `path` is the `precis.toml` of the working directory, however it is spelled. Otherwise a relative name in a shell profile
/// would give the file of every folder the user enters full rights.
fn is_of_working_directory(path: &Path) -> bool {
    match (path.canonicalize(), Path::new(FILE_NAME).canonicalize()) {
        (Ok(path), Ok(here)) => path == here,
        _ => false,
    }
}

fn read(path: &Path, role: FileRole) -> Result<LoadedFile, Problem> {
    let unreadable = |e: io::Error| Problem::Unreadable { path: path.to_owned(), reason: e.to_string() };
    let bytes = trust::read(path).map_err(unreadable)?;
    Ok(LoadedFile { file: ConfigFile { path: path.to_owned(), role }, text: text(path, bytes)? })
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<String, Problem> {
    let reason = "it is not UTF-8 text".to_owned();
    String::from_utf8(bytes).map_err(|_| Problem::Unreadable { path: path.to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_read_is_not_said_to_be_untrusted() {
        for (kind, told) in [
            (ErrorKind::NotFound, None),
            (ErrorKind::NotADirectory, None),
            (ErrorKind::PermissionDenied, Some("./precis.toml was ignored: it cannot be read: permission denied")),
        ] {
            let ignored = unread(PathBuf::from(FILE_NAME), &io::Error::from(kind));
            assert_eq!(ignored.map(|ignored| ignored.to_string()).as_deref(), told, "{kind:?}");
        }
    }
}
