//! `precis config`: prints the settings in force and their origin, a sample file, or the table of keys.

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
    /// The subcommand.
    #[command(subcommand)]
    pub what: ConfigWhat,
}

/// The subcommands of `precis config`.
#[derive(Debug, Subcommand)]
pub enum ConfigWhat {
    /// Print every setting in force and where it comes from: flag, environment, file or default
    Show {
        /// Print the settings as JSON
        #[arg(long)]
        json: bool,
        /// Where settings come from.
        #[command(flatten)]
        config: ConfigArgs,
    },
    /// Print a precis.toml to start from; all values are commented out, so it changes nothing as it is
    Sample,
    /// Print the table of all keys as Markdown
    Reference,
}

/// Runs the subcommand.
#[must_use]
pub fn run(what: &ConfigWhat) -> Exit {
    match what {
        ConfigWhat::Show { json, config } => super::finish(show_config(*json, config)),
        ConfigWhat::Sample => super::finish(terminal::print(&harmless_sample())),
        ConfigWhat::Reference => super::finish(terminal::print(&reference_markdown())),
    }
}

fn show_config(json: bool, args: &ConfigArgs) -> Result<(), CommandFailure> {
    let loaded = load_settings(args, Vec::new())?;
    for remark in &loaded.remarks {
        terminal::print_warning(remark);
    }
    let rows = show(&loaded);
    let text = if json { as_json(&loaded, &rows) } else { as_text(&loaded, &rows) };
    terminal::print_as(json, &text)
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

/// Formats the setting as a line of TOML; a key without a value, which TOML cannot express, becomes a comment.
fn assignment(row: &EffectiveSetting) -> String {
    match &row.value {
        Value::Null => format!("# {} is not set", row.key),
        Value::Object(_) => format!("# {} is empty", row.key),
        value => format!("{} = {value}", row.key),
    }
}
