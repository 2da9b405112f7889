//! One file per command. Each takes its arguments as typed and returns how the program ends.

pub mod completions;
pub mod config;
pub mod digest;
pub mod extract;
pub mod fetch;
pub mod run;
pub mod schema;
pub mod verify;

use crate::exit::{Exit, Failure};
use crate::terminal;

/// Ends a command that has nothing but text to give.
fn finish(printed: Result<(), Failure>) -> Exit {
    match printed {
        Ok(()) => Exit::Ok,
        Err(failure) => {
            terminal::print_failure(&failure);
            failure.exit
        }
    }
}
