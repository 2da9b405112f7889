//! Webhooks and spans of a fleet on a real RabbitMQ: by the retry tiers, over two workers, sent again by the operator's command.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::operate::{Fleet, Worker};

/// Longest wait for any one thing; a loaded machine needs seconds.
const PATIENCE: Duration = Duration::from_secs(90);

type Got = Arc<Mutex<Vec<Value>>>;

/// A server that keeps the JSON it gets, and answers `first` to the first request and 200 to the others.
fn receiver(first: u16) -> (SocketAddr, Got) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let (address, got) = (listener.local_addr().expect("bound"), Got::default());
    let kept = Arc::clone(&got);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let kept = Arc::clone(&kept);
            std::thread::spawn(move || read(&stream, first, &kept));
        }
    });
    (address, got)
}

fn read(stream: &TcpStream, first: u16, got: &Got) -> Option<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut headers, mut line) = (serde_json::Map::new(), String::new());
        while reader.read_line(&mut line).ok()? > 2 {
            if let Some((name, value)) = line.trim().split_once(": ") {
                headers.insert(name.to_ascii_lowercase(), value.into());
            }
            line.clear();
        }
        let mut body = vec![0; headers.get("content-length")?.as_str()?.parse().ok()?];
        reader.read_exact(&mut body).ok()?;
        let body: Value = serde_json::from_slice(&body).ok()?;
        let count = {
            let mut got = got.lock().expect("not poisoned");
            got.push(json!({ "id": headers.get("webhook-id"), "body": body }));
            got.len()
        };
        let status = if count == 1 { first } else { 200 };
        let mut stream = stream;
        stream.write_all(format!("HTTP/1.1 {status} Word\r\ncontent-length: 2\r\n\r\n{{}}").as_bytes()).ok()?;
    }
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_end_passes_broker_tiers_and_forms_one_span_tree() {
    let Some(fleet) = Fleet::start().await else { return };
    let ((hook, told), (collector, exported)) = (receiver(500), receiver(200));
    fleet.workspace.configure(format!(
        "fetch_allow_networks = ['127.0.0.0/8']\n[webhooks.billing]\nurl = 'http://{hook}/in'\nsecret_env = 'HOOK_SECRET'\n"
    ));
    fleet.fine(&["topology", "apply"]);
    let worker = |queues: &str| {
        let mut command = fleet.command(&["worker", "--queues", queues]);
        command.env("HOOK_SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{collector}"));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Worker(command.spawn().expect("a worker starts"))
    };
    let workers = [worker("sessions"), worker("jobs")];
    let source = json!({ "source_id": "a", "content": "The harbour tax on tea is paid by the captain of the ship." });
    let request = json!({
        "schema_version": 2, "session_id": "told", "query": "Who pays the harbour tax?", "sources": [source],
        "options": { "webhook": { "endpoint": "billing" } },
    });
    fleet.workspace.write("request.json", request.to_string());
    fleet.fine(&["submit", "--request", "request.json", "--wait"]);
    let messages = || told.lock().expect("not poisoned").clone();
    until("two attempts", || messages().len() == 2);
    let list = |state: &str| fleet.fine(&["webhook", "list", "--state", state, "--json"]);
    until("delivered", || list("delivered").lines().count() == 1);
    let row: Value = serde_json::from_str(&list("delivered")).expect("JSON");
    assert_eq!((&row["session_id"], &row["attempts"]), (&json!("told"), &json!(2)));
    fleet.fine(&["webhook", "redeliver", "told"]);
    until("once more", || messages().len() == 3);
    assert!(messages().iter().all(|message| *message == messages()[0]), "{:?}", messages());
    assert_eq!(messages()[0]["body"]["data"]["session_id"], "told");
    // Both workers drain, and send what they recorded.
    let mut ended = Vec::new();
    for worker in workers {
        ended.push(worker.drained());
    }
    assert_eq!(ended, [0, 0]);
    let spans: Vec<Value> = exported
        .lock()
        .expect("not poisoned")
        .iter()
        .flat_map(|request| {
            request["body"]["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().cloned().unwrap_or_default()
        })
        .collect();
    let traces: BTreeSet<&str> = spans.iter().filter_map(|span| span["traceId"].as_str()).collect();
    let ids: BTreeSet<&str> = spans.iter().filter_map(|span| span["spanId"].as_str()).collect();
    assert_eq!((traces.len(), ids.len()), (1, spans.len()), "{spans:?}");
    let roots: Vec<&Value> = spans.iter().filter(|span| span["parentSpanId"].is_null()).collect();
    assert_eq!(roots.iter().map(|span| span["name"].as_str()).collect::<Vec<_>>(), [Some("process precis.requests")]);
    assert!(
        spans.iter().all(|span| span["parentSpanId"].as_str().is_none_or(|parent| ids.contains(parent))),
        "{spans:?}"
    );
    // The job ran in the other process, as a part of the phase that asked for it.
    let named = |id: &Value| spans.iter().find(|span| span["spanId"] == *id).map(|span| span["name"].clone());
    let job =
        spans.iter().find(|span| span["name"].as_str().is_some_and(|name| name.starts_with("process precis.jobs.")));
    let phase = named(&job.expect("a job")["parentSpanId"]).expect("its phase");
    assert!(phase.as_str().is_some_and(|name| name.starts_with("process precis.session.")), "{phase}");
}
