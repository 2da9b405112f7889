//! `precis config`: the settings in force and where they come from, a sample, the table of keys.

use clap::{Args, Subcommand};
use precis_runtime::config::{EffectiveSetting, LoadedSettings, Provenance, harmless_sample, reference_markdown, show};
use serde_json::Value;

use super::settings::load_settings;
use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;

/// Arguments of `precis config`.
#[derive(Debug, Args)]
pub struct ConfigCommand {
    /// What to print.
    #[command(subcommand)]
    pub what: ConfigWhat,
}

/// What `precis config` prints.
#[derive(Debug, Subcommand)]
pub enum ConfigWhat {
    /// Every setting in force, with the layer it comes from: flag, environment, file or default
    Show {
        /// Print it as JSON
        #[arg(long)]
        json: bool,
        /// Where settings come from.
        #[command(flatten)]
        config: ConfigArgs,
    },
    /// A precis.toml to start from: every value is commented out, so that it changes nothing as it is
    Sample,
    /// The table of all keys, as Markdown
    Reference,
}

/// Prints what was asked for.
#[must_use]
pub fn run(what: &ConfigWhat) -> Exit {
    match what {
        ConfigWhat::Show { json, config } => super::finish(shown(*json, config)),
        ConfigWhat::Sample => super::finish(terminal::print(&harmless_sample())),
        ConfigWhat::Reference => super::finish(terminal::print(&reference_markdown())),
    }
}

fn shown(json: bool, args: &ConfigArgs) -> Result<(), CommandFailure> {
    let loaded = load_settings(args, Vec::new())?;
    for remark in &loaded.remarks {
        terminal::print_warning(remark);
    }
    let rows = show(&loaded);
    let text = if json { as_json(&loaded, &rows) } else { as_text(&loaded, &rows) };
    terminal::print(&text)
}

fn as_json(loaded: &LoadedSettings, rows: &[EffectiveSetting]) -> String {
    let file = loaded.files.last().map(|file| &file.path);
    let value = serde_json::json!({ "file": file, "files": loaded.files, "ignored": loaded.ignored, "settings": rows });
    format!("{value:#}\n")
}

fn as_text(loaded: &LoadedSettings, rows: &[EffectiveSetting]) -> String {
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
fn assignment(row: &EffectiveSetting) -> String {
    match &row.value {
        Value::Null => format!("# {} is not set", row.key),
        Value::Object(_) => format!("# {} is empty", row.key),
        value => format!("{} = {value}", row.key),
    }
}
