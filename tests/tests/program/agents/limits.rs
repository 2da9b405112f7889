//! What a server may spend, contact and write.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::{Client, text};
use super::workspace;

/// A server that counts who connects, and answers nobody.
fn counted() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound").to_string();
    let count = Arc::new(AtomicUsize::new(0));
    let told = Arc::clone(&count);
    std::thread::spawn(move || {
        for mut caller in listener.incoming().flatten() {
            let mut byte = [0];
            let _ = caller.set_read_timeout(Some(Duration::from_secs(1)));
            if matches!(caller.read(&mut byte), Ok(1)) {
                told.fetch_add(1, Ordering::SeqCst);
            }
        }
    });
    (address, count)
}

/// The price of the model of [`with_model`].
const PRICE: &str = "[prices]\n\"far:dear\" = { input = 1.0, output = 1.0 }\n";

/// Settings with a model at `address` that writes reports.
fn with_model(address: &str, price: &str) -> String {
    format!(
        "[providers.far]\nbase_url = \"http://{address}/v1\"\ntrust = \"foreign\"\n\
         [model_context_overrides]\n\"far:dear\" = {{ context_window = 32000 }}\n{price}\
         [roles]\nsynthesis = {{ providers = [\"far:dear\"] }}\ncompression = {{ providers = [\"far:dear\"] }}\n"
    )
}

#[test]
fn no_paid_model_is_called_unless_an_amount_is_allowed() {
    for (args, price, is_called) in [
        (&[][..], PRICE, false),
        (&["--max-usd", "0"], PRICE, false),
        // What it costs is not known: then it is not known to cost nothing.
        (&[], "", false),
        (&["--max-usd", "5"], PRICE, true),
    ] {
        let workspace = workspace();
        let (address, calls) = counted();
        workspace.configure(with_model(&address, price));
        let given: Vec<&str> = ["--root", "docs", "--data", "data"].iter().chain(args).copied().collect();
        let mut client = Client::start(&workspace, &given);
        client.open(json!({}));
        let begun = client.call("ask", json!({ "question": "Who pays the harbour tax?" }));
        let session = begun["structuredContent"]["session"].as_str().unwrap_or_else(|| panic!("{begun}")).to_owned();
        let ended = client.until_ended(&session);
        assert!(ended["report"].is_string(), "{ended}");
        assert_eq!(calls.load(Ordering::SeqCst) > 0, is_called, "{args:?} {ended}");
        client.close();
    }
}

#[test]
fn the_web_is_searched_only_if_person_and_agent_allow() {
    let workspace = workspace();
    let (address, calls) = counted();
    workspace.configure(format!("[search.providers.near]\nkind = \"searxng\"\nbase_url = \"http://{address}\"\n"));
    let question = "How many cars does the ferry carry?";
    let mut client = Client::start(&workspace, &["--root", "docs", "--data", "data"]);
    client.open(json!({}));
    let refused = client.call("research", json!({ "question": question, "web": true }));
    assert!(refused["isError"] == true && text(&refused).starts_with("web_not_allowed: "), "{refused}");
    client.close();
    for (is_asked, web) in [(false, false), (true, true)] {
        let mut client = Client::start(&workspace, &["--root", "docs", "--data", "data", "--web", "near"]);
        client.open(json!({}));
        let begun = client.call("research", json!({ "question": question, "web": web }));
        let session = begun["structuredContent"]["session"].as_str().unwrap_or_else(|| panic!("{begun}")).to_owned();
        client.until_ended(&session);
        assert_eq!(calls.load(Ordering::SeqCst) > 0, is_asked);
        client.close();
    }
    let wrong = workspace.run(&["mcp", "--web", "nobody", "--data", "data"]);
    assert!(wrong.code == 2 && wrong.stdout.is_empty() && wrong.stderr.contains("nobody"), "{wrong:?}");
    for amount in ["-1", "NaN", "inf"] {
        let wrong = workspace.run(&["mcp", &format!("--max-usd={amount}"), "--data", "data"]);
        assert!(wrong.code == 2 && wrong.stdout.is_empty(), "{wrong:?}");
    }
}

/// A server that takes every connection and answers none.
fn silent() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound").to_string();
    std::thread::spawn(move || listener.incoming().flatten().collect::<Vec<_>>());
    address
}

#[test]
fn an_answer_comes_in_time_or_a_handle_does() {
    let workspace = workspace();
    workspace.configure(with_model(&silent(), PRICE));
    let args = ["--root", "docs", "--data", "data", "--max-usd", "5", "--answer-within", "1"];
    let mut client = Client::start(&workspace, &args);
    client.open(json!({}));
    let since = Instant::now();
    // A call may ask for less than the server allows, not for more.
    let begun = client.call("ask", json!({ "question": "Who pays the harbour tax?", "wait_seconds": 600 }));
    let status = begun["structuredContent"]["status"].as_str().unwrap_or_else(|| panic!("{begun}"));
    assert!(["preparing", "running"].contains(&status), "the model has not answered: {begun}");
    // The model is waited for much longer.
    assert!(since.elapsed() < Duration::from_secs(40), "{:?}", since.elapsed());
    client.kill();
}

/// All files below `dir` with their bytes, except those below `except`.
fn files(dir: &Path, except: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(dir).expect("listed").flatten() {
        let path = entry.path();
        if path == except {
            continue;
        }
        match path.is_dir() {
            true => found.extend(files(&path, except)),
            false => {
                found.insert(path.display().to_string(), std::fs::read(&path).expect("read"));
            }
        }
    }
    found
}

#[test]
fn nothing_is_written_outside_the_data_folder_which_is_private() {
    let workspace = workspace();
    let root = workspace.at("").parent().expect("home and work").to_owned();
    let before = files(&root, &workspace.at("data"));
    let mut client = Client::start(&workspace, &["--root", "docs", "--data", "data"]);
    client.open(json!({}));
    for (tool, arguments) in [
        ("ask", json!({ "question": "Who pays the harbour tax?" })),
        ("research", json!({ "question": "How many cars does the ferry carry?" })),
        ("search_evidence", json!({ "question": "ferry" })),
        ("extract", json!({ "path": "tax.md" })),
    ] {
        assert_eq!(client.call(tool, arguments)["isError"], false);
    }
    client.close();
    assert_eq!(files(&root, &workspace.at("data")), before);
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(workspace.at("data")).expect("there").permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
}
