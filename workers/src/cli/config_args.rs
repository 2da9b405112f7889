//! The flags shared by every command that reads settings.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// Where settings come from.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Settings")]
pub struct ConfigArgs {
    /// The configuration file [default: precis/precis.toml in the user's configuration directory; ./precis.toml overrides it once
    /// you trust the folder: `precis trust .`]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// Override one setting, such as digest_policy=always; `precis config show` lists all keys
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}
