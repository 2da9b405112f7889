//! What is said in other words: found by the program with a real model of meaning, and not without.

use std::path::PathBuf;

use precis_tests::program::{CliWorkspace, path};
use serde_json::{Value, json};

use crate::agents::client::Client;

const HOUSE: &str = "# House rules\n\nThe front door is locked at ten in the evening. Guests ring the bell.\n\n\
    Dogs and cats stay with their owners at home; no animal is let in.\n\n\
    Breakfast is served from seven to nine in the hall.\n";
const QUESTION: &str = "Can I bring my pets?";

/// The package with the model, which `.ci/test` puts beside the builds.
fn package() -> Option<PathBuf> {
    let target = path().parent()?.parent()?;
    let folder = std::fs::read_dir(target.join("test-model")).into_iter().flatten().flatten();
    let found = folder.map(|entry| entry.path()).find(|path| path.extension().is_some_and(|ends| ends == "whl"));
    if found.is_none() {
        eprintln!("SKIPPED: there is no package with a model in target/test-model: nothing was found by meaning");
    }
    found
}

fn asked(workspace: &CliWorkspace, settings: &[&str]) -> Value {
    let args = ["run", "--query", QUESTION, "--docs", "house.md", "--out", "out", "--force", "--quiet"];
    let set = settings.iter().flat_map(|setting| ["--set", setting]);
    // Exit code 5 says that the documents do not answer; the report is there then too.
    let code = workspace.run(&args.into_iter().chain(set).collect::<Vec<_>>()).code;
    assert!([0, 5].contains(&code), "{code}");
    let report = std::fs::read(workspace.at("out/report.json")).expect("a report");
    let mut response: Value = serde_json::from_slice(&report).expect("JSON");
    response["data"].take()
}

fn opening(data: &Value) -> &str {
    data["report"].as_str().and_then(|report| report.split("\n\n").nth(1)).unwrap_or_default()
}

#[test]
fn a_folder_with_vectors_is_searched_in_other_words_and_researched() {
    let Some(package) = package() else { return };
    let workspace = CliWorkspace::new();
    workspace.write("docs/house.md", HOUSE);
    workspace
        .write("docs/fair.md", "# The fair\n\nThe mayor opens the fair. Stalls sell bread and cloth until night.\n");
    let search = |set: &[&str]| {
        let args = ["corpus", "search", "docs", QUESTION, "--json"].into_iter().chain(set.iter().copied());
        let found = workspace.run(&args.collect::<Vec<_>>());
        let found: Value = serde_json::from_str(&found.stdout).unwrap_or_else(|e| panic!("{e}: {}", found.stderr));
        found["hits"].as_array().cloned().unwrap_or_default()
    };
    let refused = workspace.run(&["corpus", "add", "docs", "--meaning"]);
    assert_eq!(refused.code, 3, "{}", refused.stderr);
    assert!(refused.stderr.contains("precis model add"), "{}", refused.stderr);
    assert_eq!(workspace.run(&["model", "add", package.to_str().expect("UTF-8")]).code, 0);
    let with = ["--set", "meaning.model=e5-small"];
    assert_eq!(workspace.run(&["corpus", "add", "docs"]).code, 0);
    let by_words = search(&with);
    let added = workspace.run(&["corpus", "add", "docs", "--meaning", "--set", "meaning.model=e5-small"]);
    assert!(added.code == 0 && added.stdout.contains("2 with vectors"), "{}{}", added.stdout, added.stderr);
    assert_eq!(search(&[]), by_words, "without a model vectors change nothing");
    let first = search(&with)[0]["text"].clone();
    assert!(first.as_str().is_some_and(|text| text.contains("no animal is let in")), "{first}");
    let status = workspace.run(&["corpus", "status", "docs"]);
    assert!(status.stdout.contains("vectors of 2 of 2 documents"), "{}", status.stdout);
    let args = ["research", QUESTION, "--corpus", "docs", "--out", "out", "--quiet", "--set", "meaning.model=e5-small"];
    let code = workspace.run(&args).code;
    assert!([0, 5].contains(&code), "{code}");
    let report = std::fs::read(workspace.at("out/report.json")).expect("a report");
    let response: Value = serde_json::from_slice(&report).expect("JSON");
    assert!(opening(&response["data"]).contains("no animal is let in"), "{response:#}");
    assert_eq!(workspace.run(&["verify", "out/report.json"]).code, 0);
}

#[test]
fn an_agent_finds_passages_in_other_words_where_an_index_has_vectors() {
    let Some(package) = package() else { return };
    let workspace = CliWorkspace::new();
    workspace.write("docs/house.md", HOUSE);
    workspace
        .write("docs/fair.md", "# The fair\n\nThe mayor opens the fair. Stalls sell bread and cloth until night.\n");
    assert_eq!(workspace.run(&["model", "add", package.to_str().expect("UTF-8")]).code, 0);
    let of = |found: &Value| -> Vec<(Value, Value)> {
        found["hits"].as_array().expect("hits").iter().map(|hit| (hit["text"].clone(), hit["score"].clone())).collect()
    };
    let found = |model: &str| {
        let set = format!("meaning.model={model}");
        let mut client = Client::start(&workspace, &["--root", "docs", "--data", "data", "--set", &set]);
        client.open(json!({}));
        let found = client.call("search_evidence", json!({ "question": QUESTION }))["structuredContent"].clone();
        client.close();
        assert_eq!(found["warnings"], json!([]), "{found}");
        of(&found)
    };
    let by_words = found("e5-small");
    // The same index, in the data folder, gets vectors.
    let here = ["--set", "meaning.model=e5-small", "--set", "cache_dir=data/indexes"];
    let added = workspace.run(&[&["corpus", "add", "docs", "--meaning"], &here[..]].concat());
    assert!(added.code == 0 && added.stdout.contains("2 with vectors"), "{}{}", added.stdout, added.stderr);
    let searched = workspace.run(&[&["corpus", "search", "docs", QUESTION, "--json"], &here[..]].concat());
    let searched: Value = serde_json::from_str(&searched.stdout).expect("JSON");
    let by_meaning = found("e5-small");
    assert_eq!(by_meaning, of(&searched), "as the command finds them");
    assert_ne!(by_meaning, by_words);
    assert!(by_meaning[0].0.as_str().is_some_and(|text| text.contains("no animal is let in")), "{by_meaning:?}");
    assert_eq!(found("off"), by_words, "without a model vectors change nothing");
}

#[test]
fn a_paraphrased_question_needs_a_model_but_its_verification_none() {
    let Some(package) = package() else { return };
    let workspace = CliWorkspace::new();
    workspace.write("house.md", HOUSE);
    let without = asked(&workspace, &[]);
    assert!(!opening(&without).contains("no animal"), "{without:#}");
    let added = workspace.run(&["model", "add", package.to_str().expect("UTF-8")]);
    assert_eq!(added.code, 0, "{}", added.stderr);
    let with = asked(&workspace, &["meaning.model=e5-small"]);
    assert!(opening(&with).contains("no animal is let in"), "{with:#}");
    let again = asked(&workspace, &["meaning.model=e5-small"]);
    assert_eq!(with["report"], again["report"]);
    assert_eq!(with["meaning"].as_str().map(str::len), Some(64), "the report names the model");
    assert_eq!(without["meaning"], Value::Null);
    let verified = workspace.run(&["verify", "out/report.json"]);
    assert_eq!(verified.code, 0, "{}{}", verified.stdout, verified.stderr);
}
