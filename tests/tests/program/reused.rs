//! One folder for the reports of every command: each takes the place of the one before, whole, and leaves alone what the user put there.
//! That each of them verifies is the law of finished reports.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use precis_tests::program::CliWorkspace;
use serde_json::Value;

const NOTES: [(&str, &str); 4] = [
    ("bridge.md", "# Harbour bridge\n\nThe harbour bridge follows rule R-17 since it was built in 1987."),
    (
        "rules/r17.md",
        "# Rule R-17\n\nRule R-17 was written by Agnes Holm in 1979. It limits the load of bridges to 40 tonnes.",
    ),
    (
        "ferry.md",
        "# Ferry\n\nThe ferry crosses the bay every hour and carries 60 cars. See https://ferry.example/times.",
    ),
    (
        "copy/ferry.txt",
        "Ferry\n\nThe ferry crosses the bay every hour and carries 60 cars. See https://ferry.example/times.",
    ),
];
const WHO: &str = "Who wrote the rule that the harbour bridge follows?";
const CARS: &str = "How many cars does the ferry carry?";

/// The hashes of the texts in the archive of the folder.
fn archived(dir: &Path) -> BTreeSet<String> {
    let folders = fs::read_dir(dir.join("archive")).into_iter().flatten().flatten();
    let files = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
    let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    names.filter_map(|name| name.strip_suffix(".txt").map(str::to_owned)).filter(|name| name.len() == 64).collect()
}

/// The hashes that the report in the folder names.
fn named(dir: &Path) -> BTreeSet<String> {
    let report: Value = serde_json::from_slice(&fs::read(dir.join("report.json")).expect("a report")).expect("JSON");
    let rows = report["data"]["sources"].as_array().expect("rows");
    let hashes = rows.iter().filter_map(|row| row["source_text_hash"].as_str());
    hashes.map(|hash| hash.trim_start_matches("sha256:").to_owned()).collect()
}

#[test]
fn any_command_replaces_any_report_and_keeps_user_files() {
    let workspace = CliWorkspace::new();
    for (name, text) in NOTES {
        workspace.write(&format!("notes/{name}"), text);
    }
    let plan = workspace.run(&["research", WHO, "--corpus", "notes", "--plan-only"]);
    workspace.write("plan.json", plan.stdout);
    workspace.write("precis-out/notes.txt", "mine");
    workspace.write("precis-out/archive/mine/notes.txt", "mine");
    let dir = workspace.at("precis-out");
    let commands: [&[&str]; 9] = [
        &["research", WHO, "--corpus", "notes"],
        &["research", CARS, "--corpus", "notes"],
        &["research", CARS, "--corpus", "notes", "--depth", "deep"],
        &["run", WHO, "notes"],
        &["run", CARS, "notes/ferry.md", "notes/copy"],
        &["refresh", "precis-out", "notes"],
        &["research", WHO, "--corpus", "notes", "--corpus", "notes/rules"],
        &["fork", "precis-out", "--plan", "plan.json", "--corpus", "notes"],
        &["ask", "precis-out", CARS, "--research", "--corpus", "notes"],
    ];
    for command in commands {
        let ended = workspace.run(&[command, &["--out", "precis-out", "--force", "--quiet"]].concat());
        assert!([0, 5].contains(&ended.code), "{command:?}: {} {}", ended.code, ended.stderr);
        assert_eq!(archived(&dir), named(&dir), "{command:?}");
        let has_changes = dir.join("changes.json").exists() && dir.join("changes.md").exists();
        assert_eq!(has_changes, command[0] == "refresh", "{command:?}");
        for own in ["notes.txt", "archive/mine/notes.txt"] {
            assert_eq!(fs::read(dir.join(own)).expect("the user's"), b"mine", "{command:?}: {own}");
        }
        let hidden: Vec<String> =
            workspace.names("precis-out").into_iter().filter(|name| name.starts_with('.')).collect();
        assert!(hidden.is_empty(), "{command:?}: {hidden:?}");
    }
}

#[test]
fn a_source_found_again_keeps_its_id() {
    let workspace = CliWorkspace::new();
    for (name, text) in NOTES {
        workspace.write(&format!("notes/{name}"), text);
    }
    let ids = |question: &str, out: &str| {
        let ended = workspace.run(&["research", question, "--corpus", "notes", "--out", out, "--quiet"]);
        assert!([0, 5].contains(&ended.code), "{question}: {}", ended.stderr);
        let report = fs::read(workspace.at(out).join("report.json")).expect("a report");
        let report: Value = serde_json::from_slice(&report).expect("JSON");
        let rows = report["data"]["sources"].as_array().expect("rows").clone();
        rows.into_iter().map(|row| (row["path"].to_string(), row["source_id"].to_string())).collect::<BTreeSet<_>>()
    };
    let (who, rule) = (ids(WHO, "a"), ids("Who wrote rule R-17?", "b"));
    let shared = who.iter().filter(|(path, _)| rule.iter().any(|(other, _)| other == path));
    let same: Vec<bool> = shared.map(|row| rule.contains(row)).collect();
    assert!(!same.is_empty() && same.iter().all(|same| *same), "{who:?} {rule:?}");
}
