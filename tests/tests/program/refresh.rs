//! `precis refresh`: a report made again, and what has changed since.

use precis_tests::program::{CliWorkspace, Ended};
use serde_json::Value;

const QUESTION: &str = "How much water does the dam hold?";
const DAM: &str = "The dam above the town holds 40 million litres of water. It was built in 1950.";
const RAISED: &str = "The dam above the town holds 50 million litres of water. It was built in 1950.";
const RIVER: &str = "The river below the dam carries little water in summer.";

fn workspace() -> CliWorkspace {
    let workspace = CliWorkspace::new();
    workspace.write("notes/dam.txt", DAM);
    workspace.write("notes/river.txt", RIVER);
    workspace
}

fn changes(workspace: &CliWorkspace, dir: &str) -> Value {
    let at = workspace.at(&format!("{dir}/changes.json"));
    serde_json::from_slice(&std::fs::read(at).expect("changes.json")).expect("JSON")
}

fn said(ended: &Ended) -> String {
    format!("{}\n{}\n{}", ended.code, ended.stdout, ended.stderr)
}

/// The words that say what became of each statement, with how it stood and stands.
fn statements(changes: &Value) -> Vec<(String, String, String)> {
    let text = |value: &Value| value["text"].as_str().unwrap_or_default().to_owned();
    let rows = changes["statements"].as_array().expect("a list").iter();
    rows.map(|row| (row["change"].as_str().expect("a word").to_owned(), text(&row["before"]), text(&row["now"])))
        .collect()
}

#[test]
fn a_repeated_report_states_changes_and_is_free_without_any() {
    let workspace = workspace();
    let ended = workspace.run(&["run", QUESTION, "notes", "--quiet"]);
    assert_eq!(ended.code, 0, "{}", said(&ended));

    let ended = workspace.run(&["refresh", "precis-out", "notes"]);
    assert_eq!(ended.code, 0, "{}", said(&ended));
    assert!(ended.stdout.contains("nothing has changed: the same documents, the same statements"), "{}", said(&ended));
    assert!(statements(&changes(&workspace, "precis-refresh")).is_empty());

    workspace.write("notes/dam.txt", RAISED);
    let ended = workspace.run(&["refresh", "precis-out", "notes", "--json"]);
    let printed: Value = serde_json::from_str(&ended.stdout).expect("JSON alone");
    assert_eq!(printed, changes(&workspace, "precis-refresh-2"), "the second goes beside the first");
    let found = statements(&printed);
    assert!(
        found.iter().any(|(change, before, now)| {
            change == "changed" && before.contains("40 million") && now.contains("50 million")
        }),
        "{found:?}"
    );
    assert_eq!(printed["sources"][0]["document"], "dam.txt");
    assert_eq!(printed["sources"][0]["change"], "changed");

    std::fs::remove_file(workspace.at("notes/dam.txt")).expect("it is there");
    let ended = workspace.run(&["refresh", "precis-out/report.json", "notes", "--out", "third"]);
    let page = std::fs::read_to_string(workspace.at("third/changes.md")).expect("changes.md");
    assert!(page.contains("## Gone") && page.contains("gone since"), "{page}\n{}", said(&ended));
    let ended = workspace.run(&["verify", "third/report.json"]);
    assert_eq!(ended.code, 0, "{}", said(&ended));

    // A report that replaces the one that was compared takes its changes along.
    let ended = workspace.run(&["run", QUESTION, "notes", "--out", "third", "--quiet"]);
    assert!(ended.code == 0 || ended.code == 5, "{}", said(&ended));
    assert!(!workspace.at("third/changes.md").exists() && !workspace.at("third/changes.json").exists());
}

#[test]
fn a_research_is_made_again_on_its_own_plan() {
    let workspace = workspace();
    let ended = workspace.run(&["research", QUESTION, "--corpus", "notes", "--quiet"]);
    assert_eq!(ended.code, 0, "{}", said(&ended));
    workspace.write("notes/dam.txt", RAISED);
    let ended = workspace.run(&["refresh", "precis-out", "--corpus", "notes", "--quiet"]);
    assert_eq!(ended.code, 0, "{}", said(&ended));
    let report = |dir: &str| -> Value {
        let at = workspace.at(&format!("{dir}/report.json"));
        serde_json::from_slice(&std::fs::read(at).expect("a report")).expect("JSON")
    };
    let (before, now) = (report("precis-out"), report("precis-refresh"));
    assert_eq!(before["data"]["research"]["plan"], now["data"]["research"]["plan"]);
    let found = statements(&changes(&workspace, "precis-refresh"));
    assert!(found.iter().any(|(change, _, now)| change == "changed" && now.contains("50 million")), "{found:?}");
}

#[test]
fn what_cannot_be_made_again_is_refused_with_the_remedy() {
    let workspace = workspace();
    assert_eq!(workspace.run(&["run", QUESTION, "notes", "--quiet"]).code, 0);
    workspace.write("other.json", "{}");
    workspace.write(
        "old.json",
        std::fs::read_to_string(workspace.at("precis-out/report.json"))
            .expect("there")
            .replace("\"claims\"", "\"other\""),
    );
    for (args, code, words) in [
        (vec!["refresh", "precis-out"], 2, "precis refresh REPORT FOLDER"),
        (vec!["refresh", "nowhere", "notes"], 3, "nowhere"),
        (vec!["refresh", "other.json", "notes"], 3, "is not a report"),
        (vec!["refresh", "old.json", "notes"], 3, "older version"),
        (vec!["refresh", "precis-out", "notes", "--web", "nobody"], 2, "nobody"),
    ] {
        let ended = workspace.run(&args);
        assert_eq!(ended.code, code, "{args:?} {}", said(&ended));
        assert!(ended.stderr.contains(words), "{args:?} {}", said(&ended));
        assert!(!workspace.at("precis-refresh").exists(), "{args:?}");
    }
    assert_eq!(workspace.run(&["research", QUESTION, "--corpus", "notes", "--quiet", "--out", "found"]).code, 0);
    let ended = workspace.run(&["refresh", "found", "notes"]);
    assert_eq!(ended.code, 2, "{}", said(&ended));
    assert!(ended.stderr.contains("--corpus DIR"), "{}", said(&ended));
}
