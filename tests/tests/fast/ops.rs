//! What operators are given says what the code says: metrics, settings, command lines, queues, alerts and their runbooks.
//!
//! The check is `ops/check.py`, which operators can run too. Tools it has no use for are left out here; without Python nothing is
//! checked, which is said.

use std::path::Path;
use std::process::Command;

/// Ranges that a page address may lead to and that a worker must not reach, beside those that are private.
const SPECIAL: [&str; 6] =
    ["168.63.129.16/32", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4", "169.254.0.0/16", "2002::/16"];

#[test]
fn the_network_policy_leaves_out_what_the_program_refuses() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ops/kubernetes/base/network.yaml");
    let text = std::fs::read_to_string(file).expect("it is checked in");
    for range in SPECIAL {
        assert!(text.contains(range), "{range} is not left out");
    }
}

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
