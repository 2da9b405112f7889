//! Doors in front of a fleet: real processes on a private RabbitMQ and a private Redis.

use std::net::{SocketAddr, TcpListener};
use std::process::Stdio;
use std::time::{Duration, Instant};

use precis_proto::ids::sha256_hex;
use precis_tests::http_client::{HttpClient, StreamedEvent};
use serde_json::{Value, json};

use super::operate::{Fleet, Worker};

/// Longest wait for any one thing.
const PATIENCE: Duration = Duration::from_secs(60);
/// Nothing may keep a caller waiting longer, whatever is away.
const NO_LONGER: Duration = Duration::from_secs(5);

/// A door process and its callers.
pub(crate) struct DoorProcess {
    address: SocketAddr,
    _process: Worker,
}

impl DoorProcess {
    pub(crate) fn start(fleet: &Fleet) -> Self {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port");
        let mut command = fleet.command(&["serve", "--listen", &free.to_string()]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let door = Self { address: free, _process: Worker(command.spawn().expect("a door starts")) };
        let begun = Instant::now();
        while std::net::TcpStream::connect(free).is_err() {
            assert!(begun.elapsed() < PATIENCE, "the door does not listen");
            std::thread::sleep(Duration::from_millis(50));
        }
        door
    }

    pub(crate) fn of(&self, token: &str) -> HttpClient {
        HttpClient { address: self.address, token: Some(token.to_owned()) }
    }

    /// Waits until `/readyz` has this status.
    pub(crate) fn until(&self, status: u16) {
        let begun = Instant::now();
        while self.of("alpha").call("GET", "/readyz", "", &[]).status != status {
            assert!(begun.elapsed() < PATIENCE, "the door does not become {status}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

pub(crate) fn configure(fleet: &Fleet) {
    let token = |name: &str, tenant: &str, scopes: &str| {
        let hash = sha256_hex(name.as_bytes());
        format!("[api_tokens.{name}]\nsha256 = \"{hash}\"\ntenant = \"{tenant}\"\nscopes = [{scopes}]\n")
    };
    let all = "\"submit\", \"read\", \"operate\"";
    fleet.workspace.configure(token("alpha", "a", all) + &token("beta", "b", all));
}

fn request(query: &str) -> String {
    let text = "The harbour tax was raised in spring. The harbour tax on tea is paid by the captain of the ship.";
    json!({ "schema_version": 2, "query": query, "sources": [{ "source_id": "tax", "title": "Tax", "content": text }] })
        .to_string()
}

fn submitted(client: &HttpClient, query: &str) -> String {
    let answer = client.call("POST", "/v1/sessions", &request(query), &[]);
    assert_eq!(answer.status, 202, "{}", String::from_utf8_lossy(&answer.body));
    answer.json()["id"].as_str().expect("an id").to_owned()
}

/// Waits for the end of a session, and returns its document.
pub(crate) fn ended(client: &HttpClient, id: &str) -> Value {
    let begun = Instant::now();
    loop {
        let document = client.call("GET", &format!("/v1/sessions/{id}"), "", &[("prefer", "wait=20")]).json();
        if document.get("ended").is_some() {
            return document;
        }
        assert!(begun.elapsed() < PATIENCE, "{document}");
    }
}

fn ids(events: &[StreamedEvent]) -> Vec<&str> {
    events.iter().map(|(id, ..)| id.as_deref().expect("an id")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_submitted_followed_and_read_at_different_doors() {
    let Some(fleet) = Fleet::start().await else { return };
    configure(&fleet);
    fleet.fine(&["topology", "apply"]);
    let (a, b) = (DoorProcess::start(&fleet), DoorProcess::start(&fleet));
    let _worker = fleet.worker();
    a.until(200);
    b.until(200);
    let (a, b, foreign) = (a.of("alpha"), b.of("alpha"), b.of("beta"));
    let key = [("idempotency-key", "one")];
    let first = a.call("POST", "/v1/sessions", &request("Who pays the harbour tax?"), &key);
    assert_eq!(first.status, 202);
    let id = first.json()["id"].as_str().expect("an id").to_owned();
    let again = b.call("POST", "/v1/sessions", &request("Who pays the harbour tax?"), &key);
    assert_eq!((again.status, again.json()["id"].as_str()), (202, Some(id.as_str())));
    assert_eq!(b.call("POST", "/v1/sessions", &request("Something else?"), &key).status, 409);

    let path = format!("/v1/sessions/{id}/events");
    let begin = b.events(&path, None, 1);
    let rest = a.events(&path, begin[0].0.as_deref(), 10_000);
    let all = b.events(&path, None, 10_000);
    assert_eq!([begin, rest].concat(), all, "live over a break, and replayed at another door");
    assert!(ids(&all).windows(2).all(|pair| pair[0] < pair[1]), "{:?}", ids(&all));
    assert_eq!((all[0].1.as_str(), all.last().expect("events").1.as_str()), ("session_accepted", "session_finished"));
    assert!(a.events(&path, all.last().expect("events").0.as_deref(), 1).is_empty());

    let document = ended(&a, &id);
    assert_eq!(
        (document["status"].as_str(), document["ended"]["incomplete"].as_bool()),
        (Some("completed"), Some(false))
    );
    let result = b.call("GET", &format!("/v1/sessions/{id}/result"), "", &[]);
    assert_eq!(result.headers["etag"], format!("\"{}\"", sha256_hex(&result.body)));
    assert!(result.json()["data"]["report"].as_str().expect("a report").contains("captain"));
    let report: Value = serde_json::from_str(&fleet.fine(&["result", &id, "--json"])).expect("JSON");
    assert_eq!(report["data"]["report"], result.json()["data"]["report"]);

    let at = |end: &str| format!("/v1/sessions/{id}{end}");
    let page = a.call("GET", &at("/report.html"), "", &[]);
    assert!(page.status == 200 && String::from_utf8_lossy(&page.body).contains("captain"));
    assert!(String::from_utf8_lossy(&b.call("GET", &at("/report.md"), "", &[]).body).contains("captain"));
    let hash =
        result.json()["data"]["citations"][0]["source_text_hash"].as_str().expect("a hash").replace("sha256:", "");
    let text = b.call("GET", &at(&format!("/archive/{hash}")), "", &[]);
    assert_eq!((text.status, sha256_hex(&text.body)), (200, hash));
    let verdict = a.call("POST", &at("/verify"), "", &[]).json();
    assert_eq!((&verdict["holds"], &verdict["is_sealed"]), (&json!(true), &json!(true)), "{verdict}");
    let zip = a.call("GET", &at("/archive.zip"), "", &[]);
    assert_eq!(zip.headers["etag"], format!("\"{}\"", sha256_hex(&zip.body)));
    assert_eq!(b.call("GET", &at("/archive.zip"), "", &[]).body, zip.body, "the same bytes at every door");
    let document = "The harbour tax on wine is paid by the merchant.";
    let stored = a.call("PUT", &format!("/v1/content/{}", sha256_hex(document.as_bytes())), document, &[]).json();
    let source =
        json!({ "source_id": "wine", "content_ref": stored["content_ref"], "content_proof": stored["content_proof"] });
    let by_reference =
        json!({ "schema_version": 2, "query": "Who pays the harbour tax on wine?", "sources": [source] });
    let wine = b.call("POST", "/v1/sessions", &by_reference.to_string(), &[]).json();
    let wine = wine["id"].as_str().expect("an id");
    assert_eq!(ended(&a, wine)["status"], "completed");
    let rows = fleet.fine(&["sessions", "--tenant", "a", "--query", "ON WINE", "--status", "completed", "--json"]);
    let row: Value = serde_json::from_str(&rows).expect("one session");
    assert_eq!((row["session_id"].as_str(), row["tenant"].as_str()), (Some(wine), Some("a")), "{rows}");
    assert_eq!(fleet.fine(&["sessions", "--tenant", "b"]), "no sessions\n");
    // Removed at one door, gone at the other and for the operator.
    assert_eq!(foreign.call("DELETE", &format!("/v1/sessions/{wine}"), "", &[]).status, 404);
    assert_eq!(a.call("DELETE", &format!("/v1/sessions/{wine}"), "", &[]).status, 204);
    for end in ["", "/result", "/events"] {
        assert_eq!(b.call("GET", &format!("/v1/sessions/{wine}{end}"), "", &[]).status, 404);
    }
    assert_eq!(fleet.fine(&["sessions", "--query", "on wine"]), "no sessions\n");

    let workers = a.call("GET", "/v1/workers", "", &[]).json();
    assert_eq!((workers["data"].as_array().map(Vec::len), &workers["data"][0]["queues"]), (Some(1), &json!(["all"])));
    let told: Value = serde_json::from_str(&fleet.fine(&["sessions", "--workers", "--json"])).expect("one worker");
    assert_eq!(told["worker"], workers["data"][0]["worker"]);

    for end in ["", "/result", "/events", "/report.md", "/report.html"] {
        assert_eq!(foreign.call("GET", &format!("/v1/sessions/{id}{end}"), "", &[]).status, 404);
    }
    assert_eq!(foreign.call("GET", "/v1/sessions", "", &[]).json(), json!({ "data": [], "next": null }));
    assert_eq!(a.call("GET", "/v1/sessions", "", &[]).json()["data"][0]["id"], json!(id));

    // A session over the broker belongs to the tenant it names, and is stopped over HTTP.
    fleet.fine(&[
        "submit",
        "--query",
        "Who pays the harbour tax?",
        "--docs",
        "tea.md",
        "tax.txt",
        "--session",
        "over/amqp",
        "--tenant",
        "a",
        "--wait",
    ]);
    assert_eq!(ended(&b, "over%2Famqp")["id"], "over/amqp");
    assert_eq!(b.call("POST", "/v1/sessions/over%2Famqp/cancel", "{}", &[]).status, 200, "it has ended");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_away_is_said_at_once_and_nothing_accepted_is_lost() {
    let Some(mut fleet) = Fleet::start().await else { return };
    configure(&fleet);
    fleet.fine(&["topology", "apply"]);
    let door = DoorProcess::start(&fleet);
    door.until(200);
    let client = door.of("alpha");
    // Accepted while there is no worker; cancelled before there is one.
    let waiting = submitted(&client, "Who waits?");
    let cancelled = submitted(&client, "Who is cancelled?");
    assert_eq!(client.call("GET", &format!("/v1/sessions/{waiting}"), "", &[]).json()["status"], "queued");
    assert_eq!(client.call("POST", &format!("/v1/sessions/{cancelled}/cancel"), "", &[]).status, 202);

    // The content store is away: every answer that needs it says so, within its time.
    let (store, aside) = (fleet.workspace.at("content"), fleet.workspace.at("aside"));
    std::fs::rename(&store, &aside).expect("unmounted");
    door.until(503);
    for (method, path) in [
        ("POST", "/v1/sessions".to_owned()),
        ("GET", format!("/v1/sessions/{waiting}")),
        ("GET", "/v1/sessions".to_owned()),
    ] {
        let begun = Instant::now();
        let answer = client.call(method, &path, &request("Who is refused?"), &[]);
        assert_eq!(
            (answer.status, answer.json()["code"].as_str()),
            (503, Some("content_store_unavailable")),
            "{method} {path}"
        );
        assert!(begun.elapsed() < NO_LONGER);
    }
    std::fs::rename(&aside, &store).expect("mounted again");
    door.until(200);

    // The broker does not answer: a key is kept for a later try.
    fleet.rabbit.pause();
    let begun = Instant::now();
    let refused = client.call("POST", "/v1/sessions", &request("Who comes back?"), &[("idempotency-key", "back")]);
    assert_eq!((refused.status, refused.json()["code"].as_str()), (503, Some("broker_unavailable")));
    assert!(begun.elapsed() < NO_LONGER, "{:?}", begun.elapsed());
    assert_eq!(client.call("GET", &format!("/v1/sessions/{waiting}"), "", &[]).status, 200, "what is known is shown");
    fleet.rabbit.resume();
    let begun = Instant::now();
    let back = loop {
        let answer = client.call("POST", "/v1/sessions", &request("Who comes back?"), &[("idempotency-key", "back")]);
        if answer.status == 202 {
            break answer.json()["id"].as_str().expect("an id").to_owned();
        }
        assert!(begun.elapsed() < PATIENCE && answer.status == 503);
        std::thread::sleep(Duration::from_millis(200));
    };

    // Redis is gone for good: phases are not known, sessions end all the same.
    let _worker = fleet.worker();
    fleet.redis.kill();
    for id in [&waiting, &back] {
        assert_eq!(ended(&client, id)["status"], "completed");
    }
    assert!(["cancelled", "completed"].contains(&ended(&client, &cancelled)["status"].as_str().expect("a status")));
    let events = client.events(&format!("/v1/sessions/{waiting}/events"), None, 100);
    assert_eq!(events.last().expect("the end").1, "session_finished");
    let listed = client.call("GET", "/v1/sessions", "", &[]).json();
    assert_eq!(
        listed["data"].as_array().map(Vec::len),
        Some(3),
        "what was refused without a key is not there: {listed}"
    );
}
