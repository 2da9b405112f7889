//! The command line: arguments, terminal output and exit codes.
//!
//! | file | contents |
//! | --- | --- |
//! | `command_line` | the subcommands and their dispatch |
//! | `config_args` | the flags of every command that reads settings |
//! | `suggestion` | suggestions for mistyped commands |
//! | [`exit`] | exit codes, and failures that carry one |
//! | [`signals`] | requests to end this process |
//! | [`terminal`] | results to standard output, everything else to standard error |
//! | [`progress`] | the progress display of a running session |
//! | [`research_details`] | the plan and the queries of research, shown while it runs |
//! | [`closing_summary`] | the summary printed after a run |
//! | [`spending`] | the token table printed with `--verbose` |

pub mod closing_summary;
mod command_line;
mod config_args;
pub mod exit;
pub mod progress;
pub mod research_details;
pub mod signals;
pub mod spending;
pub(crate) mod suggestion;
pub mod terminal;

pub use command_line::{Cli, Command, GuardArgs, main};
pub use config_args::ConfigArgs;
