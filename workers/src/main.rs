//! The binary `precis`. All code is in the library, so that tests can call it.

use std::process::ExitCode;

fn main() -> ExitCode {
    precis_workers::commands::main()
}
