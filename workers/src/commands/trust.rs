//! `precis trust`: decides which folders' `precis.toml` is used. A file in a folder is ignored until the user has trusted it.

use std::path::{Path, PathBuf};

use clap::ValueHint;
use precis_runtime::config::Trust;

use super::settings::environment;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;

/// Arguments of `precis trust`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis trust .              # shows ./precis.toml and uses it from now on, until it changes
  precis trust --forget .
  precis trust --list

A trusted file may set how documents are read and how long the report is. Programs, keys, addresses, allow-lists, spending limits and
file locations can only be set in your own configuration file; `precis config show` prints its path. A trusted file that changes has to be
trusted again.")]
pub struct TrustArgs {
    /// The folder that contains the precis.toml
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath, required_unless_present = "list")]
    pub dir: Option<PathBuf>,
    /// Stop trusting the file
    #[arg(long, requires = "dir")]
    pub forget: bool,
    /// List the trusted files
    #[arg(long, conflicts_with_all = ["dir", "forget"])]
    pub list: bool,
}

/// Trusts a file, stops trusting it, or lists the trusted files.
#[must_use]
pub fn run(args: &TrustArgs) -> Exit {
    super::finish(attempt(args))
}

fn attempt(args: &TrustArgs) -> Result<(), CommandFailure> {
    let failed = |e: std::io::Error| CommandFailure::new(Exit::Refused, "trust_failed", e.to_string());
    let home = || {
        let message = "there is no home directory to store the list of trusted files in";
        CommandFailure::new(Exit::Refused, "no_home", message).with_remedy("set HOME, or pass the file with --config")
    };
    let mut trust = Trust::open(&environment()).map_err(failed)?.ok_or_else(home)?;
    match args.dir.as_deref() {
        None => terminal::print(&trust.paths().map(|path| terminal::printable(path) + "\n").collect::<String>()),
        Some(dir) if args.forget => {
            let was_there = trust.remove(dir).map_err(failed)?;
            let result = if was_there { "is not trusted any more" } else { "was not trusted" };
            terminal::print(&format!("{} {result}\n", display_path(dir)))
        }
        Some(dir) => {
            let text = trust.add(dir).map_err(failed)?;
            // The exact text that was trusted is printed, so that nobody trusts a file unseen.
            terminal::print(&format!(
                "{}\n{} is trusted until it changes\n",
                terminal::printable(&text),
                display_path(dir)
            ))
        }
    }
}

fn display_path(dir: &Path) -> String {
    terminal::printable(&dir.join("precis.toml").display().to_string())
}
