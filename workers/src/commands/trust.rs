//! `precis trust`: which folders' `precis.toml` counts. Nothing of a folder counts before somebody has looked at it.

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
  precis trust .              # shows ./precis.toml and lets it count from now on, as it is
  precis trust --forget .
  precis trust --list

A trusted file may say how documents are read and how long the report is. Programs, keys, addresses, allow-lists, spending and
the place of files need your own file; `precis config show` names it. A file that changes is not trusted any more.")]
pub struct TrustArgs {
    /// The folder with the precis.toml
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath, required_unless_present = "list")]
    pub dir: Option<PathBuf>,
    /// Let it count no longer
    #[arg(long, requires = "dir")]
    pub forget: bool,
    /// List what is trusted
    #[arg(long, conflicts_with_all = ["dir", "forget"])]
    pub list: bool,
}

/// Does what was asked.
#[must_use]
pub fn run(args: &TrustArgs) -> Exit {
    super::finish(attempt(args))
}

fn attempt(args: &TrustArgs) -> Result<(), CommandFailure> {
    let failed = |e: std::io::Error| CommandFailure::new(Exit::Refused, "trust_failed", e.to_string());
    let home = || {
        let message = "there is no home directory to remember trust in";
        CommandFailure::new(Exit::Refused, "no_home", message).with_remedy("set HOME, or name the file with --config")
    };
    let mut trust = Trust::open(&environment()).map_err(failed)?.ok_or_else(home)?;
    match args.dir.as_deref() {
        None => terminal::print(&trust.paths().map(|path| terminal::printable(path) + "\n").collect::<String>()),
        Some(dir) if args.forget => {
            let was_there = trust.remove(dir).map_err(failed)?;
            let words = if was_there { "counts no longer" } else { "was not trusted" };
            terminal::print(&format!("{} {words}\n", shown(dir)))
        }
        Some(dir) => {
            let text = trust.add(dir).map_err(failed)?;
            // What is trusted is shown, so that nobody trusts what they have not seen.
            terminal::print(&format!(
                "{}\n{} counts from now on, until it changes\n",
                terminal::printable(&text),
                shown(dir)
            ))
        }
    }
}

fn shown(dir: &Path) -> String {
    terminal::printable(&dir.join("precis.toml").display().to_string())
}
