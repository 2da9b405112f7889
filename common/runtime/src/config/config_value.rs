//! A value that was set for a key, and its origin.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

/// Where the value of a setting comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Provenance {
    /// The built-in default; the key was not set.
    Default,
    /// A configuration file.
    File {
        /// As it was named, or as it was found.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
    },
    /// An environment variable.
    Env {
        /// Its name.
        name: String,
    },
    /// A command-line flag.
    Flag {
        /// As it was written, without its value.
        name: String,
    },
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{} line {line}", path.display()),
            Self::Env { name } => write!(f, "environment variable {name}"),
            Self::Flag { name } => write!(f, "flag {name}"),
        }
    }
}

/// One value of one layer.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigValue {
    /// One part for a plain key; `[table, name, key]` in a table with named entries, preceded by the table's group if it has one.
    pub path: Vec<String>,
    /// The value as written.
    pub value: toml::Value,
    /// The layer that set it.
    pub from: Provenance,
}

impl ConfigValue {
    /// Returns the key as a dotted TOML key: parts that are not plain words are quoted.
    #[must_use]
    pub fn key(&self) -> String {
        dotted_key(&self.path)
    }
}

/// Returns `parts` as a dotted TOML key.
pub(super) fn dotted_key(parts: &[String]) -> String {
    let plain =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    let quoted = parts.iter().map(|p| if plain(p) { p.clone() } else { format!("{p:?}") });
    quoted.collect::<Vec<_>>().join(".")
}

/// The only group of tables: what follows its dot is the key of a table.
const GROUP: &str = "search";

/// Splits a dotted key as a flag writes it. Only tables with named entries have several parts, and the text between the first and
/// the last dot is the entry's name, even if it contains dots. Quotes around the name are removed.
pub(super) fn parts(key: &str) -> Vec<String> {
    if let Some(rest) = key.strip_prefix(GROUP).and_then(|rest| rest.strip_prefix('.')) {
        return [vec![GROUP.to_owned()], parts(rest)].concat();
    }
    let Some((table, rest)) = key.split_once('.') else { return vec![key.to_owned()] };
    let Some((name, leaf)) = rest.rsplit_once('.') else { return vec![table.to_owned(), rest.to_owned()] };
    vec![table.to_owned(), name.trim_matches('"').to_owned(), leaf.to_owned()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dotted_key_comes_apart_and_together_again() {
        for key in [
            "html",
            "search_cache_ttl",
            "search.providers.house.kind",
            "search.providers.\"a.b\".kind",
            "providers.fast.base_url",
            "model_context_overrides.\"gemini:2.5-pro\".context_window",
        ] {
            assert_eq!(dotted_key(&parts(key)), key);
        }
    }
}
