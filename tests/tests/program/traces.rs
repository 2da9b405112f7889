//! Spans of a session, as a collector gets them: one tree, with the session on every span, and no text in any.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use precis_tests::http_client::HttpClient;
use precis_tests::program::CliWorkspace;
use precis_tests::provider::{Reply, Scripted};
use serde_json::{Value, json};

/// Longest time for a start, and for a session of a short document, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(120);
/// Longest time to stop, with a collector that never answers: five seconds for the spans, and what else there is.
const STOPPED_WITHIN: Duration = Duration::from_secs(30);
const CANARY: &str = "zebrafinch77310";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

type Got = Arc<Mutex<Vec<Value>>>;

/// A collector that keeps the spans it gets; a silent one takes connections and never answers.
fn collector(is_silent: bool) -> (SocketAddr, Got) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let (address, got) = (listener.local_addr().expect("bound"), Got::default());
    let kept = Arc::clone(&got);
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for stream in listener.incoming().flatten() {
            match is_silent {
                true => held.push(stream),
                false => {
                    let kept = Arc::clone(&kept);
                    std::thread::spawn(move || while read(&stream, &kept).is_some() {});
                }
            }
        }
    });
    (address, got)
}

fn read(stream: &TcpStream, got: &Got) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut length, mut line) = (0, String::new());
    while reader.read_line(&mut line).ok()? > 2 {
        if let Some(given) = line.to_ascii_lowercase().trim().strip_prefix("content-length: ") {
            length = given.parse().ok()?;
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body: Value = serde_json::from_slice(&body).ok()?;
    let spans = body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array()?.clone();
    got.lock().expect("not poisoned").extend(spans);
    (&mut &*stream).write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}").ok()
}

fn free_address() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    listener.local_addr().expect("bound")
}

fn request() -> String {
    let text = format!("The toll at the bridge is 40 marks, says {CANARY}. ").repeat(3);
    let source = json!({ "source_id": "a", "title": CANARY, "content": text });
    json!({ "schema_version": 2, "query": format!("How much is the toll, {CANARY}?"), "sources": [source] }).to_string()
}

/// Serves with spans going to `collector`, asks one session of it, and stops it; returns the id of the session and how long stopping took.
async fn session(workspace: CliWorkspace, collector: SocketAddr) -> (String, Duration) {
    tokio::task::spawn_blocking(move || {
        let client = HttpClient { address: free_address(), token: None };
        let address = client.address.to_string();
        let mut command = workspace.command(&["serve", "--embedded", "--data", "data", "--listen", &address]);
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{collector}")).env("SCRIPTED_KEY", "k");
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
        let since = Instant::now();
        while TcpStream::connect(client.address).is_err() || client.call("GET", "/readyz", "", &[]).status != 200 {
            assert!(since.elapsed() < PATIENCE, "not ready");
            std::thread::sleep(Duration::from_millis(50));
        }
        let headers = [("content-type", "application/json"), ("traceparent", &format!("00-{TRACE}-{CALLER}-01"))];
        let accepted = client.call("POST", "/v1/sessions", &request(), &headers);
        assert_eq!(accepted.status, 202, "{}", String::from_utf8_lossy(&accepted.body));
        let id = accepted.json()["id"].as_str().expect("an id").to_owned();
        let path = format!("/v1/sessions/{id}");
        let shown = || client.call("GET", &path, "", &[("prefer", "wait=5")]).json()["status"].clone();
        while shown() != "completed" {
            assert!(since.elapsed() < PATIENCE, "{}", shown());
        }
        let stopping = Instant::now();
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill").success());
        child.wait().expect("it ends");
        (id, stopping.elapsed())
    })
    .await
    .expect("no panic")
}

fn word<'a>(span: &'a Value, name: &str) -> Option<&'a str> {
    let attributes = span["attributes"].as_array()?;
    attributes.iter().find(|attribute| attribute["key"] == name)?["value"]["stringValue"].as_str()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_one_span_tree_with_ids_and_no_text() {
    let provider = Scripted::start([Reply::Repeat(400, CANARY)]).await;
    let workspace = CliWorkspace::new();
    workspace.configure(format!(
        "[providers.scripted]\nbase_url = '{}'\napi_key_env = 'SCRIPTED_KEY'\n[roles.synthesis]\nproviders = ['scripted:m']\n",
        provider.base_url()
    ));
    let (address, got) = collector(false);
    let (id, _) = session(workspace, address).await;
    let spans = got.lock().expect("not poisoned").clone();
    let names: BTreeMap<&str, &str> = spans
        .iter()
        .map(|span| (span["spanId"].as_str().expect("an id"), span["name"].as_str().expect("a name")))
        .collect();
    assert_eq!(names.len(), spans.len(), "two spans have one id: {names:?}");
    for span in &spans {
        assert_eq!(span["traceId"], TRACE, "{span}");
        assert_eq!(
            (word(span, "precis.session.id"), word(span, "gen_ai.conversation.id")),
            (Some(&*id), Some(&*id)),
            "{span}"
        );
        let parent = span["parentSpanId"].as_str().expect("every span is part of another");
        let is_root = span["name"] == "process precis.requests";
        assert!(if is_root { parent == CALLER } else { names.contains_key(parent) }, "{span}\n{names:?}");
        let time = |name: &str| span[name].as_str().expect("a time").parse::<u128>().expect("a number");
        assert!(time("startTimeUnixNano") <= time("endTimeUnixNano"), "{span}");
    }
    let parent_of = |name: &str| {
        let span =
            spans.iter().find(|span| span["name"] == name).unwrap_or_else(|| panic!("{name} is not in {names:?}"));
        names.get(span["parentSpanId"].as_str().expect("a parent")).copied()
    };
    assert_eq!(parent_of("invoke_workflow precis"), Some("process precis.requests"));
    assert_eq!(parent_of("process precis.session.synthesis"), Some("invoke_workflow precis"));
    assert_eq!(parent_of("chat m"), Some("process precis.session.synthesis"));
    let chat = spans.iter().find(|span| span["name"] == "chat m").expect("looked at");
    assert_eq!(
        (word(chat, "gen_ai.provider.name"), word(chat, "gen_ai.operation.name")),
        (Some("scripted"), Some("chat"))
    );
    assert!(word(chat, "error.type").is_some() && chat["status"]["code"] == 2, "{chat}");
    let all = json!(spans).to_string();
    for text in [CANARY, "toll", "marks", "SCRIPTED_KEY"] {
        assert!(!all.contains(text), "a span tells {text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_collector_delays_neither_session_nor_exit() {
    let (address, _) = collector(true);
    let (_, stopped) = session(CliWorkspace::new(), address).await;
    assert!(stopped < STOPPED_WITHIN, "{stopped:?}");
}
