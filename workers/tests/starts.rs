//! That there is a program. Cargo builds it for this test, and with it for all tests of the workspace, which start it too.

use std::process::Command;

#[test]
fn the_program_starts_and_names_its_version() {
    let output = Command::new(env!("CARGO_BIN_EXE_precis")).arg("--version").output().expect("the program starts");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && stdout.trim() == concat!("precis ", env!("CARGO_PKG_VERSION")), "{stdout}");
}
