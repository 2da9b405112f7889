//! What can be wrong with a configuration.

use std::fmt;
use std::path::PathBuf;

use super::Provenance;

/// Everything found wrong, in the order it was read; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError(pub Vec<Problem>);

impl std::error::Error for ConfigError {}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.0.iter().enumerate() {
            let end = if at == 0 { "" } else { "\n" };
            write!(f, "{end}{problem}")?;
        }
        Ok(())
    }
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A file that was asked for, or found, cannot be read.
    #[error("read configuration {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A file is not TOML.
    #[error("{} line {line} is not valid TOML: {reason}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What the parser said, on one line.
        reason: String,
    },
    /// A key that does not exist.
    #[error("unknown key `{key}` in {from}; {}", hint(suggestion.as_deref()))]
    Unknown {
        /// The key as written.
        key: String,
        /// Where.
        from: Provenance,
        /// The known key it resembles most, where one does.
        suggestion: Option<String>,
    },
    /// A value that a key cannot have.
    #[error("{} {}expected {expected}", subject(key, from), shown(found.as_deref()))]
    Value {
        /// The key.
        key: String,
        /// Where.
        from: Provenance,
        /// The value as written; absent where it may hold a secret.
        found: Option<String>,
        /// What it could be.
        expected: String,
    },
    /// A key in the file of a folder that only the user's own file may give.
    #[error(
        "`{key}` in {from} is not for a folder to decide: it may run a program, name a secret, send a text somewhere, spend \
         money or choose where files are kept; put it into {own_file}, or take it out"
    )]
    NotForAFolder {
        /// The key as written.
        key: String,
        /// Where.
        from: Provenance,
        /// The user's own file.
        own_file: String,
    },
    /// A table of many named by an environment variable.
    #[error("{name} cannot be set by an environment variable: `{key}` is a table, and belongs in precis.toml")]
    Table {
        /// The variable.
        name: String,
        /// The table.
        key: String,
    },
}

fn hint(suggestion: Option<&str>) -> String {
    match suggestion {
        Some(known) => format!("did you mean `{known}`?"),
        None => "`precis config show` lists the known ones".to_owned(),
    }
}

/// What a wrong value is the value of. A flag speaks for itself: whoever typed it may not know the keys it sets.
fn subject(key: &str, from: &Provenance) -> String {
    match from {
        Provenance::Flag { name } => format!("flag {name}"),
        Provenance::Default | Provenance::File { .. } | Provenance::Env { .. } => format!("`{key}` in {from}"),
    }
}

fn shown(found: Option<&str>) -> String {
    found.map_or_else(|| "is wrong: ".to_owned(), |found| format!("is {found}: "))
}
