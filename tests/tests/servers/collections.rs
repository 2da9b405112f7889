//! Collections of a fleet: real processes on a private RabbitMQ and a private Redis.

use std::time::{Duration, Instant};

use precis_tests::http_client::HttpClient;
use serde_json::{Value, json};

use super::door::{DoorProcess, configure, ended};
use super::operate::Fleet;

/// Longest wait for any one thing.
const PATIENCE: Duration = Duration::from_secs(90);
/// Bodies that each of two doors gets at the same time.
const BODIES: usize = 12;

pub(crate) fn add(client: &HttpClient, id: &str, name: &str, text: &str) {
    let body = format!(
        "--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{text}\r\n--edge--\r\n"
    );
    let headers = [("content-type", "multipart/form-data; boundary=edge")];
    let answer = client.call("POST", &format!("/v1/collections/{id}/files"), &body, &headers);
    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
}

pub(crate) fn indexed(client: &HttpClient, id: &str) -> Value {
    let begun = Instant::now();
    loop {
        let shown = client.call("GET", &format!("/v1/collections/{id}"), "", &[]).json();
        if shown["indexing"]["state"] == "indexed" {
            return shown;
        }
        assert!(begun.elapsed() < PATIENCE, "{shown}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn asking(id: &str) -> Value {
    let research = json!({ "collections": [{ "id": id }], "depth": "quick" });
    json!({ "schema_version": 3, "query": "Who pays the harbour tax on tea?", "sources": [], "options": { "research": research } })
}

#[tokio::test(flavor = "multi_thread")]
async fn two_doors_fill_a_collection_and_each_session_searches_one_version() {
    let Some(fleet) = Fleet::start().await else { return };
    configure(&fleet);
    fleet.fine(&["topology", "apply"]);
    let doors = [DoorProcess::start(&fleet), DoorProcess::start(&fleet)];
    doors.iter().for_each(|door| door.until(200));
    let [a, b] = doors.each_ref().map(|door| door.of("alpha"));
    let made = a.call("POST", "/v1/collections", "{\"name\": \"harbour\"}", &[]).json();
    let id = made["id"].as_str().expect("an id").to_owned();
    std::thread::scope(|scope| {
        for (door, client) in [(1, &a), (2, &b)] {
            let id = &id;
            scope.spawn(move || {
                for n in 0..BODIES {
                    add(
                        client,
                        id,
                        &format!("dike-{door}-{n}.md"),
                        &format!("Dike {n} of side {door} is {n} metres high."),
                    );
                }
            });
        }
    });
    add(&a, &id, "tea.md", "The harbour tax on tea is paid by the captain of the ship.");
    let shown = b.call("GET", &format!("/v1/collections/{id}"), "", &[]).json();
    let files = 2 * BODIES + 1;
    assert_eq!((shown["version"].as_u64(), shown["file_count"].as_u64()), (Some(files as u64), Some(files as u64)));
    assert_eq!(shown["indexing"]["state"], "waiting", "no worker is there");
    let early = b.call("POST", "/v1/sessions", &asking(&id).to_string(), &[]);
    assert_eq!((early.status, &early.json()["code"]), (422, &json!("collection_not_indexed")));

    // The first worker dies at it, or has just done it: the next one goes on either way.
    drop(fleet.worker());
    let _worker = fleet.worker();
    assert_eq!(indexed(&a, &id)["indexing"]["documents"].as_u64(), Some(files as u64));
    let accepted = b.call("POST", "/v1/sessions", &asking(&id).to_string(), &[]).json();
    let session = accepted["id"].as_str().expect("an id");
    assert_eq!(ended(&a, session)["status"], "completed");
    let result = a.call("GET", &format!("/v1/sessions/{session}/result"), "", &[]).json();
    assert!(result["data"]["report"].as_str().expect("a report").contains("captain"));
    assert_eq!(result["data"]["research"]["collections"], json!([{ "id": id, "version": files }]));

    // Over the broker, and from the command line, by whoever may submit for the tenant.
    let asked = [
        "submit",
        "--query",
        "Who pays the harbour tax on tea?",
        "--collection",
        &id,
        "--tenant",
        "a",
        "--wait",
        "--json",
    ];
    let response: Value = serde_json::from_str(&fleet.fine(&asked)).expect("JSON");
    assert!(response["data"]["report"].as_str().expect("a report").contains("captain"));
    assert_eq!(response["data"]["research"]["collections"], json!([{ "id": id, "version": files }]));
    let foreign = fleet.run(&["submit", "--query", "Who pays?", "--collection", &id, "--tenant", "b", "--wait"]);
    let told = format!("{}{}", foreign.stdout, foreign.stderr);
    assert!(foreign.code == 1 && told.contains("no collection with this id"), "{}: {told}", foreign.code);

    // The command line changes the same records.
    fleet.workspace.write("wine.md", "The harbour tax on wine is paid by the merchant.");
    let own = |args: &[&str]| fleet.fine(&[&["collection"], args, &["--tenant", "a"]].concat());
    assert!(own(&["add", &id, "wine.md"]).starts_with(&format!("version {}", files + 1)));
    indexed(&a, &id);
    assert!(own(&["list"]).contains("harbour") && own(&["show", &id]).contains("wine.md"));
    own(&["remove", &id, "--file", "wine.md"]);
    assert_eq!(
        a.call("GET", &format!("/v1/collections/{id}"), "", &[]).json()["file_count"].as_u64(),
        Some(files as u64)
    );
    own(&["remove", &id]);
    assert_eq!(b.call("GET", &format!("/v1/collections/{id}"), "", &[]).status, 404);
    assert_eq!(fleet.fine(&["collection", "list", "--tenant", "a"]), "no collections\n");
}
