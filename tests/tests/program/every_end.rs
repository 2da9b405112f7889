//! Every command that starts a session ends, whatever is wrong with what it was given, and says what to change.

use precis_tests::program::{self, CliWorkspace, Ended};
use serde_json::{Value, json};

const QUESTION: &str = "Who pays for delays?";
/// Longest time a command may take, in seconds; `timeout` ends it with the exit code 124.
const LIMIT: &str = "60";

/// A workspace with a report on two documents, a research report and a plan.
pub(super) fn workspace() -> CliWorkspace {
    let workspace = CliWorkspace::new();
    workspace.write("docs/a.md", "# Terms\n\nThe buyer pays for each delay in full, within 30 days.");
    workspace.write("docs/b.md", "# Notes\n\nThe supplier reports a delay at once.");
    for args in [&["run", QUESTION, "docs"][..], &["research", QUESTION, "--corpus", "docs", "--out", "found"]] {
        let ended = limited(&workspace, &[args, &["--quiet"]].concat());
        assert_eq!(ended.code, 0, "{ended:?}");
    }
    let planned = limited(&workspace, &["research", QUESTION, "--plan-only"]);
    workspace.write("plan.json", planned.stdout);
    workspace
}

pub(super) fn limited(workspace: &CliWorkspace, args: &[&str]) -> Ended {
    let program = program::path().to_str().expect("a path in UTF-8");
    program::ended(workspace.within("timeout".as_ref(), &[&[LIMIT, program], args].concat()))
}

/// Writes the report in `from` as somebody else would have, beside its archive.
pub(super) fn changed(workspace: &CliWorkspace, from: &str, change: impl FnOnce(&mut Value)) {
    let text = std::fs::read(workspace.at(from).join("report.json")).expect("a report");
    let mut report: Value = serde_json::from_slice(&text).expect("JSON");
    change(&mut report["data"]);
    std::fs::remove_dir_all(workspace.at("theirs")).ok();
    for entry in walk(&workspace.at(from)) {
        let name = entry.strip_prefix(workspace.at(from)).expect("within");
        workspace.write(&format!("theirs/{}", name.display()), std::fs::read(&entry).expect("a file"));
    }
    workspace.write("theirs/report.json", report.to_string());
}

fn walk(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(dir).expect("a directory").flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

pub(super) type Change = fn(&mut Value);

#[test]
fn a_further_question_on_any_report_ends() {
    let workspace = workspace();
    let long_url =
        |data: &mut Value| data["sources"][0]["url"] = json!("http://e.example/".to_owned() + &"u".repeat(3_000));
    let cases: [(&str, Change, &[i32], &str); 7] = [
        ("title", |data| data["sources"][0]["title"] = json!("é".repeat(600)), &[0, 5], "the title has 600 characters"),
        ("url", long_url, &[3], "--only-new"),
        ("type", |data| data["sources"][0]["content_type"] = json!("x".repeat(300)), &[0, 5], ""),
        (
            "turns",
            |data| data["history"] = json!(vec![json!({ "role": "user", "content": "x" }); 3_000]),
            &[3],
            "precis run",
        ),
        ("20 MB", |data| data["report"] = json!("q ".repeat(10_000_000)), &[0, 3, 5], ""),
        ("ids", |data| data["sources"][1]["source_id"] = data["sources"][0]["source_id"].clone(), &[0, 3, 5], ""),
        ("question", |data| data["query"] = json!("q ".repeat(10_000)), &[0, 3, 5], ""),
    ];
    for (name, change, codes, words) in cases {
        changed(&workspace, "precis-out", change);
        let ended = limited(&workspace, &["ask", "theirs", "And when?", "--out", "asked", "--force"]);
        assert!(codes.contains(&ended.code) && ended.stderr.contains(words), "{name}: {ended:?}");
    }
}

#[test]
fn more_sources_than_a_request_may_carry_are_refused_with_a_remedy() {
    let workspace = workspace();
    changed(&workspace, "precis-out", |data| {
        let row = data["sources"][0].clone();
        let rows = (0..5_001).map(|n| {
            let mut row = row.clone();
            row["source_id"] = json!(format!("s{n}"));
            row
        });
        data["sources"] = rows.collect();
    });
    let ended = limited(&workspace, &["ask", "theirs", "And when?", "--out", "asked"]);
    assert!(ended.code == 3 && ended.stderr.contains("pass fewer documents"), "{ended:?}");
    assert!(!workspace.at("asked").exists(), "nothing is written");
    let ended = limited(&workspace, &["ask", "theirs", "And when?", "--out", "asked", "--json", "--quiet"]);
    let stated: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(stated["error"]["code"], "too_many_sources", "{ended:?}");
}

#[test]
fn excess_command_input_is_refused_by_its_flag() {
    let workspace = workspace();
    let url = "http://e.example/".to_owned() + &"u".repeat(3_000);
    let corpora = ["--corpus", "docs"].repeat(200);
    let long = "q ".repeat(10_000);
    let with = |args: &[&'static str], more: &[&str]| -> Vec<String> {
        args.iter().copied().chain(more.iter().copied()).map(str::to_owned).collect()
    };
    for (args, code, words) in [
        (with(&["run", "q?"], &["--url", &url]), 2, "--url http"),
        (with(&["run"], &[&long, "docs"]), 3, "question"),
        (with(&["research", "q?"], &corpora), 2, "--corpus"),
        (with(&["ask", "precis-out", "q?"], &corpora), 2, "--corpus"),
        (with(&["refresh", "found"], &corpora), 2, "--corpus"),
        (with(&["fork", "found", "--plan", "plan.json"], &corpora), 2, "--corpus"),
    ] {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let ended = limited(&workspace, &args);
        assert!(ended.code == code && ended.stderr.contains(words), "{} {code}: {ended:?}", args[0]);
    }
    changed(&workspace, "precis-out", |data| {
        data["sources"][0]["url"] = json!("http://e.example/".to_owned() + &"u".repeat(3_000))
    });
    let ended = limited(&workspace, &["refresh", "theirs", "docs"]);
    assert!(ended.code == 2 && ended.stderr.contains("--url http"), "{ended:?}");
}

#[test]
fn a_question_about_a_document_with_an_endless_title_is_answered() {
    let workspace = CliWorkspace::new();
    let title = "Terms of delay and payment ".repeat(30);
    workspace.write("docs/a.md", format!("# {title}\n\nThe buyer pays for each delay in full, within 30 days."));
    let first = limited(&workspace, &["run", QUESTION, "docs"]);
    assert!(first.code == 0 && first.stdout.contains("the title has 809 characters"), "{first:?}");
    let second = limited(&workspace, &["ask", "precis-out", "And within how many days?"]);
    assert_eq!(second.code, 0, "{second:?}");
}
