//! What every command shares: flags, terminal output and exit codes.
//!
//! | file | contents |
//! | --- | --- |
//! | `config_args` | the flags of every command that reads settings |
//! | `suggestion` | suggestions for mistyped commands |
//! | [`every`] | how often something is done |
//! | [`exit`] | exit codes, and failures that carry one |
//! | [`signals`] | requests to end this process |
//! | `numbers` | numbers as people read them |
//! | [`terminal`] | results to standard output, everything else to standard error |
//! | [`progress`] | the progress display of a running session |
//! | [`research_details`] | the plan and the queries of research, shown while it runs |
//! | [`spending`] | the token table printed with `--verbose` |

mod config_args;
pub mod every;
pub mod exit;
pub(crate) mod numbers;
pub mod progress;
pub mod research_details;
pub mod signals;
pub mod spending;
pub(crate) mod suggestion;
pub mod terminal;

pub use config_args::ConfigArgs;
