//! The threat model names a test for each wall, the lists of requirements for each requirement, and the tests they name exist.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every `.rs` file of the workspace.
fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("a directory of ours").flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            sources(&path, found);
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
}

/// Names of functions that are tests.
fn tests() -> BTreeSet<String> {
    let mut files = Vec::new();
    sources(&root(), &mut files);
    let mut names = BTreeSet::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let mut is_test = false;
        for line in text.lines().map(str::trim) {
            is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
            if let Some(rest) = line.strip_prefix("async fn ").or_else(|| line.strip_prefix("fn ")) {
                if is_test {
                    names.extend(rest.split('(').next().map(str::to_owned));
                }
                is_test = false;
            }
        }
    }
    names
}

/// Rows of the tables of walls: the wall and what tries it.
fn walls(text: &str) -> Vec<(String, String)> {
    let mut walls = Vec::new();
    let mut is_wall = false;
    for line in text.lines() {
        let cells: Vec<&str> = line.trim_matches(['|', ' ']).split(" | ").map(str::trim).collect();
        match cells[..] {
            _ if !line.starts_with('|') => is_wall = false,
            ["Wall", _, "Tried by"] => is_wall = true,
            [wall, _, tried] if is_wall && !wall.starts_with("---") => walls.push((wall.to_owned(), tried.to_owned())),
            _ => {}
        }
    }
    walls
}

/// What stands in backticks.
fn words(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Why `tried` names no test that exists; `None` where it does.
fn fault(tried: &str, tests: &BTreeSet<String>) -> Option<String> {
    let (paths, names): (Vec<&str>, Vec<&str>) = words(tried).into_iter().partition(|word| word.contains('/'));
    let gone = paths.into_iter().find(|path| !root().join(path).exists()).map(|path| format!("{path} does not exist"));
    let unknown = || names.iter().find(|name| !tests.contains(**name)).map(|name| format!("there is no test {name}"));
    gone.or_else(unknown).or_else(|| names.is_empty().then(|| "no test is named".to_owned()))
}

#[test]
fn every_wall_names_a_test_that_exists() {
    let tests = tests();
    for (page, least) in [("threat-model", 25), ("research", 8)] {
        let text = std::fs::read_to_string(root().join(format!("docs/{page}.md"))).expect("it is checked in");
        let walls = walls(&text);
        assert!(walls.len() >= least, "{page}: {} walls", walls.len());
        let faults: Vec<String> =
            walls.iter().filter_map(|(wall, tried)| Some(format!("{wall}: {}", fault(tried, &tests)?))).collect();
        assert!(faults.is_empty(), "{page}: {faults:#?}");
    }
}

#[test]
fn a_test_or_a_file_that_is_not_there_is_a_fault() {
    let tests = BTreeSet::from(["a_test".to_owned()]);
    for (tried, is_fine) in [
        ("`a_test`", true),
        ("`tests/tests/fast/threat_model.rs`: `a_test`", true),
        ("`tests/tests/fast/threat_model.rs`", false),
        ("`tests/tests/nothing.rs`: `a_test`", false),
        ("`another_test`", false),
        ("the same test", false),
        ("", false),
    ] {
        assert_eq!(fault(tried, &tests).is_none(), is_fine, "{tried}");
    }
}

/// Where tests whose names begin with a letter lie.
const PLACES: [(&str, &str); 8] = [
    ("F", "tests/tests/fast"),
    ("P", "tests/tests/program"),
    ("S", "tests/tests/servers"),
    ("FL", "tests/tests/fleet"),
    ("D", "common"),
    ("W", "workers/src"),
    ("R", "common/runtime/src"),
    ("O", "proto/src"),
];

/// Letter and name of each test that `text` names as `F module::name`.
fn lettered(text: &str) -> Vec<(&str, &str)> {
    let named = words(text).into_iter().filter_map(|word| word.split_once(' '));
    named.filter(|(letter, name)| PLACES.iter().any(|(known, _)| known == letter) && name.contains("::")).collect()
}

/// Names of all functions below `dir`: some tests are made by a macro of others.
fn functions(dir: &str) -> BTreeSet<String> {
    let mut files = Vec::new();
    sources(&root().join(dir), &mut files);
    let text: String = files.iter().map(|file| std::fs::read_to_string(file).unwrap_or_default()).collect();
    let after = text.split("fn ").skip(1);
    after.filter_map(|rest| rest.split(['(', '<']).next().map(str::to_owned)).collect()
}

#[test]
fn every_requirement_names_tests_that_exist() {
    let functions: Vec<(&str, BTreeSet<String>)> =
        PLACES.iter().map(|(letter, dir)| (*letter, functions(dir))).collect();
    let is_there = |letter: &str, name: &str| {
        let last = name.rsplit("::").next().unwrap_or_default();
        functions.iter().any(|(known, names)| *known == letter && names.contains(last))
    };
    for (page, least) in [("requirements", 300), ("research-requirements", 80), ("security-requirements", 100)] {
        let text = std::fs::read_to_string(root().join(format!("docs/{page}.md"))).expect("it is checked in");
        let named = lettered(&text);
        assert!(named.len() >= least, "{page} names {} tests", named.len());
        let gone: Vec<_> = named.into_iter().filter(|(letter, name)| !is_there(letter, name)).collect();
        assert!(gone.is_empty(), "{page} names tests that do not exist: {gone:#?}");
    }
    assert!(!is_there("F", "pace::nobody_wrote_this_test"));
}

/// Rows of the security requirements: id, state, and what holds it.
fn security_rows(text: &str) -> Vec<(&str, &str, &str)> {
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<&str> = line.trim_matches(['|', ' ']).split(" | ").map(str::trim).collect();
        match cells[..] {
            [id, _, state, held] if !id.starts_with("---") && id != "Id" => Some((id, state, held)),
            _ => None,
        }
    });
    rows.collect()
}

#[test]
fn each_point_and_finding_of_security_has_a_status_row() {
    let text = std::fs::read_to_string(root().join("docs/security-requirements.md")).expect("it is checked in");
    let rows = security_rows(&text);
    let wanted = (1..=13).map(|n| format!("S{n}")).chain((1..=25).map(|n| format!("T{n}")));
    for id in wanted {
        let is_of = |row: &str| row.strip_prefix(&id).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        assert!(rows.iter().any(|(row, _, _)| is_of(row)), "{id} has no row");
    }
    for (id, state, held) in rows {
        assert!(["held", "partly", "not held"].contains(&state), "{id}: {state}");
        assert_eq!(state != "held", held.contains("**none**"), "{id}: what is missing is said where something is");
        assert!(state != "held" || !lettered(held).is_empty(), "{id} is {state} and names no test");
    }
}
