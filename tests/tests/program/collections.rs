//! Collections of `precis serve --embedded`: filled over HTTP, indexed and searched over kills.

use std::process::Child;
use std::time::{Duration, Instant};

use precis_tests::http_client::{HttpAnswer, HttpClient};
use precis_tests::program::CliWorkspace;
use serde_json::{Value, json};

use super::embedded::{free_address, killed, started};

/// Longest wait for any one thing.
const PATIENCE: Duration = Duration::from_secs(300);

/// A form with these files.
fn form(files: &[(&str, &str)]) -> String {
    let part = |(name, body): &(&str, &str)| {
        format!("--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{body}\r\n")
    };
    format!("{}--edge--\r\n", files.iter().map(part).collect::<String>())
}

fn add(client: &HttpClient, id: &str, files: &[(&str, &str)]) -> Value {
    let headers = [("content-type", "multipart/form-data; boundary=edge")];
    let answer = client.call("POST", &format!("/v1/collections/{id}/files"), &form(files), &headers);
    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
    answer.json()
}

/// Waits until the newest version is indexed.
fn indexed(client: &HttpClient, id: &str) -> Value {
    let since = Instant::now();
    loop {
        let shown = client.call("GET", &format!("/v1/collections/{id}"), "", &[]).json();
        if shown["indexing"]["state"] == "indexed" {
            return shown;
        }
        assert!(since.elapsed() < PATIENCE, "{shown}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn ask(client: &HttpClient, query: &str, id: &str, key: &str) -> HttpAnswer {
    let research = json!({ "collections": [{ "id": id }], "depth": "quick" });
    let body = json!({ "schema_version": 3, "query": query, "sources": [], "options": { "research": research } });
    client.call(
        "POST",
        "/v1/sessions",
        &body.to_string(),
        &[("idempotency-key", key), ("content-type", "application/json")],
    )
}

/// Waits for the end of an accepted session, and returns its result.
fn result(client: &HttpClient, accepted: &HttpAnswer) -> Value {
    assert_eq!(accepted.status, 202, "{}", String::from_utf8_lossy(&accepted.body));
    let path = format!("/v1/sessions/{}", accepted.json()["id"].as_str().expect("an id"));
    let since = Instant::now();
    while client.call("GET", &path, "", &[("prefer", "wait=5")]).json().get("ended").is_none() {
        assert!(since.elapsed() < PATIENCE, "{path} does not end");
    }
    client.call("GET", &format!("{path}/result"), "", &[]).json()
}

#[test]
fn a_collection_is_indexed_and_searched_however_often_the_process_is_killed() {
    let workspace = CliWorkspace::new();
    let client = HttpClient { address: free_address(), token: None };
    let mut process = started(&workspace, &client);
    let made = client.call("POST", "/v1/collections", "{\"name\": \"harbour\"}", &[]);
    assert_eq!(made.status, 201, "{}", String::from_utf8_lossy(&made.body));
    let id = made.json()["id"].as_str().expect("an id").to_owned();
    let tea = "The harbour tax on tea is paid by the captain of the ship. It was raised in spring.";
    add(
        &client,
        &id,
        &[("tea.md", tea), ("sheep.md", "Sheep graze on the dike in summer."), ("broken.pdf", "%PDF-1.7 broken")],
    );
    // Killed while it may be indexing, and once more: the queue and the content store tell the next process what to do.
    for _ in 0..2 {
        killed(process);
        process = started(&workspace, &client);
    }
    let shown = indexed(&client, &id);
    assert_eq!((&shown["version"], &shown["indexing"]["documents"]), (&json!(1), &json!(2)), "{shown}");
    assert_eq!((&shown["files"][0]["name"], &shown["files"][0]["status"]), (&json!("broken.pdf"), &json!("not_read")));
    assert!(shown["files"][0]["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{shown}");

    let question = "Who pays the harbour tax on tea?";
    let accepted = ask(&client, question, &id, "k");
    // The collection goes on while the session runs: it searches the version it was accepted with.
    add(&client, &id, &[("tea.md", "The harbour tax on tea is paid by the merchant.")]);
    killed(process);
    process = started(&workspace, &client);
    assert_eq!(
        ask(&client, question, &id, "k").json()["id"],
        accepted.json()["id"],
        "the same key is the same session"
    );
    let first = result(&client, &accepted);
    let said = first["data"]["report"].as_str().unwrap_or_else(|| panic!("{first}"));
    assert!(said.contains("captain") && !said.contains("merchant"), "{said}");
    assert_eq!(first["data"]["research"]["collections"], json!([{ "id": id, "version": 1 }]));

    assert_eq!(indexed(&client, &id)["version"], 2);
    let accepted = ask(&client, question, &id, "other");
    let second = result(&client, &accepted);
    let said = second["data"]["report"].as_str().expect("a report");
    assert!(said.contains("merchant") && !said.contains("captain"), "{said}");
    assert_eq!(second["data"]["research"]["collections"][0]["version"], 2);
    let path = format!("/v1/sessions/{}", accepted.json()["id"].as_str().expect("an id"));
    assert_eq!(client.call("POST", &format!("{path}/verify"), "", &[]).json()["holds"], true);
    let page = client.call("GET", &format!("{path}/report.md"), "", &[]).body;
    assert!(String::from_utf8_lossy(&page).contains(&format!("Version 2 of the collection {id} was searched")));

    process = asked_together(process, &workspace, &client, &id);
    assert_eq!(client.call("DELETE", &format!("/v1/collections/{id}"), "", &[]).status, 204);
    assert_eq!(ask(&client, question, &id, "late").json()["code"], "unknown_collection");
    killed(process);
}

/// Asks several questions as a batch, over a kill.
fn asked_together(process: Child, workspace: &CliWorkspace, client: &HttpClient, id: &str) -> Child {
    let questions = ["Who pays the harbour tax on tea?", "Where do sheep graze?"];
    let research = json!({ "collections": [{ "id": id }], "depth": "quick" });
    let body =
        json!({ "schema_version": 3, "questions": questions, "max_usd": 0.5, "options": { "research": research } });
    let headers = [("idempotency-key", "together"), ("content-type", "application/json")];
    let submit = || client.call("POST", "/v1/batches", &body.to_string(), &headers);
    let accepted = submit();
    assert_eq!(accepted.status, 202, "{}", String::from_utf8_lossy(&accepted.body));
    killed(process);
    let process = started(workspace, client);
    let batch = submit().json();
    assert_eq!(batch["session_ids"], accepted.json()["session_ids"], "the same batch");
    let path = format!("/v1/batches/{}", batch["id"].as_str().expect("an id"));
    let since = Instant::now();
    let mut shown = client.call("GET", &path, "", &[]).json();
    while shown["counts"]["completed"] != 2 {
        assert!(since.elapsed() < PATIENCE, "{shown}");
        std::thread::sleep(Duration::from_millis(100));
        shown = client.call("GET", &path, "", &[]).json();
    }
    for (place, word) in [(0, "merchant"), (1, "dike")] {
        let session = shown["session_ids"][place].as_str().expect("an id");
        let result = client.call("GET", &format!("/v1/sessions/{session}/result"), "", &[]).json();
        assert!(result["data"]["report"].as_str().expect("a report").contains(word), "{result}");
        assert_eq!(result["data"]["research"]["collections"][0]["version"], 2);
    }
    process
}
