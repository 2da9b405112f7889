//! `precis completions`: a script for the shell.

use clap::CommandFactory;

use crate::cli::{Cli, CompletionArgs};
use crate::exit::Exit;
use crate::terminal;

/// Prints the script.
#[must_use]
pub fn run(args: &CompletionArgs) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "precis", &mut script);
    super::finish(terminal::print(&String::from_utf8_lossy(&script)))
}
