//! What operators are given says what the code says: metrics, settings, command lines, queues, alerts and their runbooks.
//!
//! The check is `ops/check.py`, which operators can run too. Tools it has no use for are left out here; without Python nothing is
//! checked, which is said.

use std::path::Path;
use std::process::Command;

#[test]
fn compose_and_ops_agree_with_the_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let started = Command::new("python3").args(["-B", "ops/check.py", "--inside"]).current_dir(&root).output();
    let output = match started {
        Ok(output) => output,
        Err(error) => {
            eprintln!("SKIPPED: there is no python3 ({error}): nobody compared compose/ and ops/ with the code");
            return;
        }
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
