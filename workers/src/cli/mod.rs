//! The command line: what is typed, what a terminal shows, and how the program ends.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `command_line` | the command line as typed |
//! | `config_args` | the flags of every command that reads settings |
//! | `suggestion` | commands that were probably meant |
//! | [`exit`] | exit codes, and failures that carry one |
//! | [`signals`] | requests to end this process |
//! | [`terminal`] | results to standard output, everything else to standard error |
//! | [`progress`] | what people see while a session runs |
//! | [`closing_summary`] | the last words of a run |
//! | [`spending`] | tokens and money of a session, for people |

pub mod closing_summary;
mod command_line;
mod config_args;
pub mod exit;
pub mod progress;
pub mod signals;
pub mod spending;
pub(crate) mod suggestion;
pub mod terminal;

pub use command_line::{Cli, Command, GuardArgs, main};
pub use config_args::ConfigArgs;
