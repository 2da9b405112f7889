//! The layers above the defaults, each read into a list of values.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::config_value::{ConfigValue, Provenance, parts};
use super::error::Problem;
use super::keys::{self, KnownKeys};

/// Prefix of our environment variables.
const PREFIX: &str = "PRECIS_";

/// Returns the values set in `text`, the content of the file at `path`, in the order of the file.
pub(super) fn file(path: &Path, text: &str, keys: &KnownKeys) -> Result<Vec<ConfigValue>, Problem> {
    let syntax = |error: &toml::de::Error| Problem::Syntax {
        path: path.to_owned(),
        line: line_of(text, error.span().unwrap_or_default()),
        reason: error.message().replace('\n', ", "),
    };
    let table = DeTable::parse(text).map_err(|e| syntax(&e))?;
    let mut values: toml::Table = toml::from_str(text).map_err(|e| syntax(&e))?;
    let mut given = Vec::new();
    for (path_of_key, span) in leaves(table.get_ref(), keys) {
        let Some(value) = take(&mut values, &path_of_key) else { continue };
        let from = Provenance::File { path: path.to_owned(), line: line_of(text, span.clone()) };
        given.push((span.start, ConfigValue { path: path_of_key, value, from }));
    }
    given.sort_by_key(|(start, _)| *start);
    Ok(given.into_iter().map(|(_, given)| given).collect())
}

/// Returns the key path and position of each value in `table`. Only tables with named entries are descended into; every other value
/// is checked as a whole.
fn leaves(table: &DeTable<'_>, keys: &KnownKeys) -> Vec<(Vec<String>, Range<usize>)> {
    let mut found = Vec::new();
    for (key, value) in table {
        let top = vec![key.get_ref().to_string()];
        match value.get_ref() {
            DeValue::Table(entries) if keys.is_table(&top[0]) => found.extend(table_leaves(&top, entries)),
            DeValue::Table(tables) if keys.is_group(&top[0]) => {
                for (table, value) in tables {
                    let path = [top.clone(), vec![table.get_ref().to_string()]].concat();
                    match value.get_ref() {
                        DeValue::Table(entries) if keys.is_table(&path.join(".")) => {
                            found.extend(table_leaves(&path, entries));
                        }
                        _ => found.push((path, table.span())),
                    }
                }
            }
            _ => found.push((top, key.span())),
        }
    }
    found
}

fn table_leaves(table: &[String], entries: &DeTable<'_>) -> Vec<(Vec<String>, Range<usize>)> {
    let entry = |(name, entry): (&Spanned<_>, &_)| {
        let name: &Spanned<std::borrow::Cow<'_, str>> = name;
        entry_leaves([table, &[name.get_ref().to_string()]].concat(), name.span(), entry)
    };
    entries.iter().flat_map(entry).collect()
}

fn entry_leaves(
    path: Vec<String>,
    span: Range<usize>,
    entry: &Spanned<DeValue<'_>>,
) -> Vec<(Vec<String>, Range<usize>)> {
    match entry.get_ref() {
        DeValue::Table(fields) if !fields.is_empty() => {
            let leaf = |key: &str| [path.clone(), vec![key.to_owned()]].concat();
            fields.iter().map(|(key, _)| (leaf(key.get_ref()), key.span())).collect()
        }
        _ => vec![(path, span)],
    }
}

fn take(table: &mut toml::Table, path: &[String]) -> Option<toml::Value> {
    match path {
        [key] => table.remove(key),
        [key, rest @ ..] => take(table.get_mut(key)?.as_table_mut()?, rest),
        [] => None,
    }
}

fn line_of(text: &str, span: Range<usize>) -> usize {
    let before = text.get(..span.start).unwrap_or(text);
    before.matches('\n').count() + 1
}

/// Returns the values set by the variables `PRECIS_…` of `environment`, by name; empty variables are skipped. The second list holds
/// remarks on variables that are not settings but resemble one.
pub(super) fn environment(
    environment: &BTreeMap<String, String>,
    keys: &KnownKeys,
) -> (Vec<Result<ConfigValue, Problem>>, Vec<String>) {
    let (mut given, mut remarks) = (Vec::new(), Vec::new());
    for (name, text) in environment {
        let Some(word) = name.strip_prefix(PREFIX).filter(|_| !text.is_empty()) else { continue };
        let key = word.to_lowercase();
        if keys.is_table(&key) {
            given.push(Err(Problem::Table { name: name.clone(), key }));
            continue;
        }
        match keys.find(std::slice::from_ref(&key)) {
            Ok(schema) => {
                let value = keys::from_text(schema, text);
                given.push(Ok(ConfigValue { path: vec![key], value, from: Provenance::Env { name: name.clone() } }));
            }
            Err(_) => remarks.extend(keys.nearest(&key).map(|known| {
                format!("{name} is not a setting and has no effect; did you mean {PREFIX}{}?", known.to_uppercase())
            })),
        }
    }
    (given, remarks)
}

/// Returns the value that the flag called `name` sets for the dotted `key`, parsed from `text`.
pub(super) fn flag(name: &str, key: &str, text: &str, keys: &KnownKeys) -> ConfigValue {
    let path = parts(key);
    let value = match keys.find(&path) {
        Ok(schema) => keys::from_text(schema, text),
        Err(_) => toml::Value::String(text.to_owned()),
    };
    ConfigValue { path, value, from: Provenance::Flag { name: name.to_owned() } }
}
