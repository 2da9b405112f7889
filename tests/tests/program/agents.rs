//! `precis mcp`, as a client of the protocol sees it: what it gets, what it may not have, and what it cannot break.

pub(crate) mod client;
mod collections;
mod foreign;
mod hostile;
mod limits;
mod skill;

use std::os::unix::fs::symlink;

use precis_tests::program::CliWorkspace;
use serde_json::{Value, json};

use client::{Client, text};

/// A folder with two short documents.
fn workspace() -> CliWorkspace {
    let workspace = CliWorkspace::new();
    workspace.write("docs/tax.md", "# Tax\n\nThe harbour tax is paid by the captain. It was raised in 1931.\n");
    workspace.write("docs/ferry.txt", "The ferry carries forty cars.\n");
    workspace
}

#[test]
fn a_question_over_a_folder_gives_a_verified_report_and_follow_up() {
    let workspace = workspace();
    let mut client = Client::start(&workspace, &["--root", "docs", "--data", "data"]);
    client.open(json!({}));
    let answered = client.call("ask", json!({ "question": "Who pays the harbour tax?" }));
    let report = &answered["structuredContent"];
    assert_eq!((&report["status"], &report["answer"]), (&"completed".into(), &"answered".into()), "{answered}");
    assert_eq!(report["spent_usd"], 0.0);
    let quote = &report["citations"][0];
    assert!(quote["text"].as_str().expect("a quote").contains("The harbour tax is paid by the captain."), "{report}");
    // In words too, between marks.
    let words = text(&answered);
    let (_, marked) = words.split_once("[untrusted text ").expect("a mark");
    assert!(marked.contains("The harbour tax is paid by the captain."), "{words}");

    let session = report["session"].as_str().expect("a handle").to_owned();
    let verdict = client.call("verify", json!({ "session": session }));
    assert_eq!(verdict["structuredContent"]["holds"], true, "{verdict}");
    assert_eq!(client.call("get_report", json!({ "session": session }))["structuredContent"], *report);
    let after =
        client.call("ask", json!({ "question": "In which year was the harbour tax raised?", "follows": session }));
    assert!(after["structuredContent"]["report"].as_str().expect("a report").contains("1931"), "{after}");

    let found =
        client.call("search_evidence", json!({ "question": "How many cars does the ferry carry?", "limit": 1 }));
    let hits = found["structuredContent"]["hits"].as_array().expect("hits");
    assert_eq!((hits.len(), &hits[0]["text"]), (1, &"The ferry carries forty cars.".into()), "{found}");
    // What a search names can be read.
    let read = client.call("extract", json!({ "path": hits[0]["path"], "offset": 4, "max_chars": 5 }));
    let part = &read["structuredContent"];
    assert_eq!(
        (&part["text"], &part["next_offset"], &part["chars"]),
        (&"ferry".into(), &9.into(), &29.into()),
        "{read}"
    );
    assert_eq!(part["source_text_hash"], hits[0]["source_text_hash"]);
    let researched = client.call("research", json!({ "question": "How many cars does the ferry carry?" }));
    let report = researched["structuredContent"]["report"].as_str().unwrap_or_default();
    assert!(report.contains("The ferry carries forty cars."), "{researched}");
    client.close();

    // The same session, as the command line has it: written, and held to the law of all reports.
    let ended = workspace.run(&["result", &session, "--data", "data", "--out", "report"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(workspace.run(&["verify", "report"]).code, 0);
}

#[test]
fn a_handle_outlives_the_process_and_is_finished_by_the_next() {
    let workspace = workspace();
    let start = || Client::start(&workspace, &["--root", "docs", "--data", "data"]);
    let mut handles = Vec::new();
    for kills in 0..3 {
        let mut client = start();
        client.open(json!({}));
        let tool = ["ask", "research"][kills % 2];
        let begun = client.call(tool, json!({ "question": "Who pays the harbour tax?", "wait_seconds": 0 }));
        let status = begun["structuredContent"]["status"].as_str().expect("a status");
        assert!(["preparing", "running"].contains(&status), "{begun}");
        handles.push(begun["structuredContent"]["session"].as_str().expect("a handle").to_owned());
        client.kill();
    }
    let mut client = start();
    client.open(json!({}));
    let mut reports = Vec::new();
    for handle in &handles {
        let ended = client.until_ended(handle);
        assert_eq!((&ended["status"], &ended["session"]), (&"completed".into(), &json!(handle)), "{ended}");
        reports.push(ended);
    }
    client.close();
    let mut client = start();
    client.open(json!({}));
    for (handle, report) in handles.iter().zip(&reports) {
        assert_eq!(client.until_ended(handle)["seal"], report["seal"], "one result each");
    }
    client.close();
}

#[test]
fn a_session_that_an_agent_left_is_finished_by_precis_result() {
    let workspace = workspace();
    let mut client = Client::start(&workspace, &["--root", "docs", "--data", "data"]);
    client.open(json!({}));
    let begun = client.call("ask", json!({ "question": "Who pays the harbour tax?", "wait_seconds": 0 }));
    let session = begun["structuredContent"]["session"].as_str().expect("a handle").to_owned();
    while client.call("get_report", json!({ "session": session, "wait_seconds": 0 }))["structuredContent"]["status"]
        == "preparing"
    {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    client.kill();
    let ended = workspace.run(&["result", &session, "--data", "data"]);
    assert!(ended.code == 0 && ended.stdout.contains("paid by the captain"), "{ended:?}");
    let unknown = workspace.run(&["result", "s-unknown", "--data", "data"]);
    assert!(unknown.code == 3 && unknown.stderr.contains("s-unknown"), "{unknown:?}");
    let nowhere = workspace.run(&["result", &session, "--data", "nowhere"]);
    assert!(nowhere.code == 3 && workspace.names("nowhere").is_empty(), "{nowhere:?}");
}

#[test]
fn a_data_folder_has_one_server_and_a_second_is_refused() {
    let workspace = workspace();
    let args = ["--root", "docs", "--data", "data"];
    let mut first = Client::start(&workspace, &args);
    first.open(json!({}));
    let question = || json!({ "question": "Who pays the harbour tax?" });
    assert_eq!(first.call("ask", question())["isError"], false);
    let mut second = Client::start(&workspace, &args);
    second.open(json!({}));
    let refused = second.call("ask", question());
    assert!(refused["isError"] == true && text(&refused).starts_with("folder_in_use: "), "{refused}");
    // What needs no session works all the same.
    assert_eq!(second.call("extract", json!({ "path": "tax.md" }))["isError"], false);
    first.close();
    assert_eq!(second.call("ask", question())["isError"], false, "the folder is free again");
    second.close();
}

#[test]
fn every_tool_says_what_it_could_not_read() {
    let workspace = workspace();
    workspace.write("docs/torn.pdf", "%PDF-1.4 torn");
    let mut client = Client::start(&workspace, &["--root", "docs", "--data", "data"]);
    client.open(json!({}));
    for tool in ["ask", "research", "search_evidence"] {
        let mut said =
            client.call(tool, json!({ "question": "Who pays the harbour tax?" }))["structuredContent"].clone();
        // What was left out is told with the first end of a session that is told.
        if let Some(session) = said["session"].as_str().filter(|_| said["status"] != "completed") {
            said = client.until_ended(session);
        }
        let warnings = said["warnings"].to_string();
        assert!(warnings.contains("could not be read") || warnings.contains("unreadable"), "{tool}: {said}");
    }
    client.close();
}

#[test]
fn a_data_folder_within_a_root_is_not_read() {
    let workspace = workspace();
    let mut client = Client::start(&workspace, &["--root", ".", "--data", "data"]);
    client.open(json!({}));
    let question = || json!({ "question": "Who pays the harbour tax?" });
    for tool in ["ask", "research", "search_evidence"] {
        client.call(tool, question());
    }
    // Now its texts are in the data folder too.
    let found = client.call("search_evidence", question());
    let tax = workspace.at("docs/tax.md").canonicalize().expect("there").display().to_string();
    assert_eq!(
        (&found["structuredContent"]["documents"], &found["structuredContent"]["hits"][0]["path"]),
        (&2.into(), &json!(tax)),
        "{found}"
    );
    for tool in ["ask", "research"] {
        let report = client.call(tool, question())["structuredContent"].clone();
        let report = client.until_ended(report["session"].as_str().expect("a handle"));
        assert_eq!(report["citations"].as_array().map(Vec::len), Some(1), "{report}");
    }
    client.close();
}

#[test]
fn nothing_is_read_outside_the_folders_that_were_given_or_declared() {
    let workspace = workspace();
    workspace.write("secret/key.txt", "The secret of the harbour is 4711 salmon.");
    workspace.write("docs/.env", "The secret of the harbour is 4712 salmon.");
    symlink(workspace.at("secret/key.txt"), workspace.at("docs/linked.txt")).expect("linked");
    symlink(workspace.at("secret"), workspace.at("docs/folder")).expect("linked");
    let mut client = Client::start(&workspace, &["--root", "docs", "--data", "data"]);
    client.open(json!({}));
    let absolute = workspace.at("secret/key.txt").display().to_string();
    for path in ["../secret/key.txt", &absolute, "linked.txt", "folder/key.txt", ".env", "/etc/hostname", "../data"] {
        for (tool, arguments) in [
            ("extract", json!({ "path": path })),
            ("ask", json!({ "question": "What is the secret of the harbour?", "paths": [path] })),
            ("search_evidence", json!({ "question": "the secret of the harbour", "folders": [path] })),
            ("research", json!({ "question": "What is the secret of the harbour?", "folders": [path] })),
        ] {
            let refused = client.call(tool, arguments);
            assert!(
                refused["isError"] == true && text(&refused).starts_with("outside_roots: "),
                "{tool} {path} {refused}"
            );
            assert!(!refused.to_string().contains("salmon"), "{refused}");
        }
    }
    // Found by listing, not by name.
    let whole = client.call("ask", json!({ "question": "What is the secret of the harbour?" }));
    let found = client.call("search_evidence", json!({ "question": "secret harbour", "limit": 100 }));
    assert!(!format!("{whole}{found}").contains("salmon"), "{whole} {found}");
    client.close();

    // The same folder, declared by the client.
    let mut client = Client::start(&workspace, &["--root", "docs", "--data", "data"]);
    client.roots = vec![format!("file://{}", workspace.at("secret").canonicalize().expect("there").display())];
    client.open(json!({ "roots": { "listChanged": true } }));
    let read = client.call("extract", json!({ "path": "key.txt" }));
    assert!(read["structuredContent"]["text"].as_str().expect("a text").contains("4711"), "{read}");
    client.roots = Vec::new();
    client.notify("notifications/roots/list_changed", json!({}));
    let refused = client.call("extract", json!({ "path": absolute }));
    assert!(refused["isError"] == true, "{refused}");
    client.close();

    let mut rootless = Client::start(&workspace, &["--data", "data"]);
    rootless.open(json!({}));
    let refused: Value = rootless.call("ask", json!({ "question": "Who pays the harbour tax?" }));
    assert!(text(&refused).starts_with("no_roots: "), "{refused}");
    rootless.close();
}
