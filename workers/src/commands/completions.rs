//! `precis completions`: prints a completion script for a shell.

use clap::Args;

use crate::cli::exit::Exit;
use crate::cli::terminal;

/// Arguments of `precis completions`.
#[derive(Debug, Args)]
pub struct CompletionArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Prints the completion script of `command`.
#[must_use]
pub fn run(args: &CompletionArgs, mut command: clap::Command) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "precis", &mut script);
    super::finish(terminal::print(&String::from_utf8_lossy(&script)))
}
