//! The binary `precis`. Everything is in the library, where tests reach it.

use std::process::ExitCode;

fn main() -> ExitCode {
    precis_workers::cli::main()
}
