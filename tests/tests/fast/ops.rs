//! What operators are given says what the code says: metrics, settings, command lines, queues, alerts and their runbooks.
//!
//! The check is `ops/check.py`, which operators can run too. Tools it has no use for are left out here; without Python nothing is
//! checked, which is said.

use std::path::{Path, PathBuf};
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

/// Most dead letters that the shipped policy keeps in each of their queues, and their bytes. A flood of them must not fill a broker's disk;
/// chosen from 4,000 states of the largest size that travels whole, with room.
const DEAD_LETTERS_KEPT: u64 = 20_000;
const DEAD_BYTES_KEPT: u64 = 512 * 1024 * 1024;

#[test]
fn dead_letters_have_a_limit_and_the_newest_are_kept() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ops/rabbitmq/definitions.template.json");
    let text = std::fs::read_to_string(file).expect("it is checked in");
    let definitions: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let policies = definitions["policies"].as_array().expect("policies");
    let policy = policies.iter().find(|policy| policy["name"] == "precis-dead").expect("one for dead letters");
    let limits = &policy["definition"];
    assert_eq!(
        (&limits["max-length"], &limits["max-length-bytes"]),
        (&DEAD_LETTERS_KEPT.into(), &DEAD_BYTES_KEPT.into())
    );
    // A letter that the queue refused would keep its session from settling.
    assert_eq!(limits["overflow"], "drop-head");
}

fn compose() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../compose")
}

#[test]
fn images_of_others_can_be_named_by_digest_and_one_command_does() {
    let text = std::fs::read_to_string(compose().join("compose.yaml")).expect("it is checked in");
    let images: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("image: ")).collect();
    let is_ours = |image: &&str| ["precis:", "precis-egress:"].iter().any(|own| image.starts_with(own));
    assert!(images.iter().filter(|image| !is_ours(image)).count() >= 4, "{images:?}");
    for image in images.iter().filter(|image| !is_ours(image)) {
        assert!(image.starts_with("${PRECIS_") && image.contains("_IMAGE:-"), "{image} cannot be named by digest");
    }
    // A stand-in for Docker that knows a digest of everything.
    let bin = tempfile::tempdir().expect("a directory");
    let docker = bin.path().join("docker");
    let script = "#!/bin/sh\n[ \"$1\" = pull ] && exit 0\nfor last; do :; done\necho \"${last%%:*}@sha256:0123\"\n";
    std::fs::write(&docker, script).expect("is written");
    std::fs::set_permissions(&docker, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("is ours");
    let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new(compose().join("pin.sh")).env("PATH", path).output().expect("starts");
    let pinned = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let expected = [
        "PRECIS_ALERTMANAGER_IMAGE=prom/alertmanager@sha256:0123",
        "PRECIS_DEBIAN_IMAGE=debian@sha256:0123",
        "PRECIS_GRAFANA_IMAGE=grafana/grafana@sha256:0123",
        "PRECIS_PROMETHEUS_IMAGE=prom/prometheus@sha256:0123",
        "PRECIS_RABBITMQ_IMAGE=rabbitmq@sha256:0123",
        "PRECIS_REDIS_IMAGE=redis@sha256:0123",
        "PRECIS_RUST_IMAGE=rust@sha256:0123",
    ];
    assert_eq!(pinned.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn whatever_starts_tools_runs_below_an_init_process() {
    let text = std::fs::read_to_string(compose().join("compose.yaml")).expect("it is checked in");
    // Everything that works is one of the first, or a person's command.
    for service in ["x-worker: &worker\n", "\n  cli:\n"] {
        let block = text.split(service).nth(1).and_then(|rest| rest.split("\n\n").next()).expect("it is there");
        assert!(block.contains("init: true\n"), "{service} is process 1 of its container");
    }
    let commands = text.matches("command: [\"worker\"").count();
    assert!(commands >= 4 && text.matches("<<: *worker\n").count() == commands, "{commands} kinds of workers");
}

#[test]
fn licences_and_advisories_are_a_part_of_what_a_change_must_pass() {
    let ci = |name: &str| {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.ci").join(name);
        std::fs::read_to_string(file).expect("it is checked in")
    };
    assert!(ci("run").lines().any(|line| line == ".ci/deny"));
    for check in ["cargo install cargo-deny", "check licenses bans sources", "check advisories"] {
        assert!(ci("deny").contains(check), "{check}");
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
