//! Configuration errors.

use std::fmt;
use std::path::PathBuf;

use super::Provenance;

/// All problems of a configuration, in the order they were read; never empty.
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

/// One problem of a configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A file that was named or found cannot be read.
    #[error("read configuration {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error message.
        reason: String,
    },
    /// A file is not TOML.
    #[error("{} line {line} is not valid TOML: {reason}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// The parser's error message, on one line.
        reason: String,
    },
    /// A key that does not exist.
    #[error("unknown key `{key}` in {from}; {}", hint(suggestion.as_deref()))]
    Unknown {
        /// The key as written.
        key: String,
        /// The layer that set it.
        from: Provenance,
        /// The most similar known key, if any is similar enough.
        suggestion: Option<String>,
    },
    /// A value that is not valid for its key.
    #[error("{} {}expected {expected}", subject(key, from), found_text(found.as_deref()))]
    Value {
        /// The key.
        key: String,
        /// The layer that set it.
        from: Provenance,
        /// The value as written; `None` if it may hold a secret.
        found: Option<String>,
        /// The values the key accepts.
        expected: String,
    },
    /// A key in a folder's `precis.toml` that only the user's own file may set.
    #[error(
        "`{key}` in {from} cannot be set by a folder's precis.toml: this key may run a program, name a secret, send text \
         elsewhere, spend money or choose where files are kept; set it in {own_file}, or remove it here"
    )]
    NotForAFolder {
        /// The key as written.
        key: String,
        /// The layer that set it.
        from: Provenance,
        /// The user's own file.
        own_file: String,
    },
    /// An environment variable that names a table.
    #[error("{name} cannot be set by an environment variable: `{key}` is a table; set it in precis.toml")]
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
        None => "`precis config show` lists the known keys".to_owned(),
    }
}

/// Names the setting whose value is wrong. A value from a flag is reported by the flag alone: the user may not know the keys it sets.
fn subject(key: &str, from: &Provenance) -> String {
    match from {
        Provenance::Flag { name } => format!("flag {name}"),
        Provenance::Default | Provenance::File { .. } | Provenance::Env { .. } => format!("`{key}` in {from}"),
    }
}

fn found_text(found: Option<&str>) -> String {
    found.map_or_else(|| "is wrong: ".to_owned(), |found| format!("is {found}: "))
}
