//! `precis config`: the settings in force and where they come from, a sample, the table of keys.

use std::collections::BTreeMap;

use precis_runtime::config::{self, Loaded, Provenance, Shown, Sources, harmless_sample, reference_markdown, show};
use serde_json::Value;

use crate::cli::{ConfigArgs, ConfigWhat};
use crate::exit::{Exit, Failure};
use crate::terminal;

/// Prints what was asked for.
#[must_use]
pub fn run(what: &ConfigWhat) -> Exit {
    match what {
        ConfigWhat::Show { json, config } => super::finish(shown(*json, config)),
        ConfigWhat::Sample => super::finish(terminal::print(&harmless_sample())),
        ConfigWhat::Reference => super::finish(terminal::print(&reference_markdown())),
    }
}

/// A flag that is a setting: its name as typed, the dotted key, the value as text.
pub(crate) type Flag = (String, String, String);

/// Loads the settings of this process: `args`, then `flags`, over environment, file and defaults.
///
/// # Errors
/// [`Exit::Usage`] lists everything that is wrong with them.
pub(crate) fn load_settings(args: &ConfigArgs, flags: Vec<Flag>) -> Result<Loaded, Failure> {
    let usage = |message: String| Failure::new(Exit::Usage, "invalid_configuration", message);
    let mut all = Vec::new();
    for set in &args.set {
        let (key, value) =
            set.split_once('=').ok_or_else(|| usage(format!("--set {set}: expected KEY=VALUE, such as html=full")))?;
        all.push((format!("--set {}", key.trim()), key.trim().to_owned(), value.to_owned()));
    }
    all.extend(flags);
    let sources = Sources { file: args.config.clone(), environment: environment(), flags: all };
    config::load(&sources).map_err(|error| usage(error.to_string()))
}

/// The environment of this process; a variable that is not Unicode is none of ours.
pub(super) fn environment() -> BTreeMap<String, String> {
    std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?))).collect()
}

fn shown(json: bool, args: &ConfigArgs) -> Result<(), Failure> {
    let loaded = load_settings(args, Vec::new())?;
    for remark in &loaded.remarks {
        terminal::print_warning(remark);
    }
    let rows = show(&loaded);
    let text = if json { as_json(&loaded, &rows) } else { as_text(&loaded, &rows) };
    terminal::print(&text)
}

fn as_json(loaded: &Loaded, rows: &[Shown]) -> String {
    let file = loaded.files.last().map(|file| &file.path);
    let value = serde_json::json!({ "file": file, "files": loaded.files, "ignored": loaded.ignored, "settings": rows });
    format!("{value:#}\n")
}

fn as_text(loaded: &Loaded, rows: &[Shown]) -> String {
    let mut text = terminal::printable(&format!("# {}\n", loaded.files_line()));
    let assigned: Vec<String> = rows.iter().map(assignment).collect();
    let width = assigned.iter().map(|a| a.chars().count()).max().unwrap_or_default().min(60);
    for (row, assigned) in rows.iter().zip(assigned) {
        match &row.from {
            Provenance::Default => text.push_str(&format!("{assigned}\n")),
            from => text.push_str(&format!("{assigned:width$}  # {from}\n")),
        }
    }
    text
}

/// The setting as a line of TOML; a key without a value, which TOML cannot write, as a comment.
fn assignment(row: &Shown) -> String {
    match &row.value {
        Value::Null => format!("# {} is not set", row.key),
        Value::Object(_) => format!("# {} is empty", row.key),
        value => format!("{} = {value}", row.key),
    }
}
